/* SPDX-License-Identifier: BSD-2-Clause */
/* What came of the mutants, in words and as JSON. */
#ifndef TESTS_MUTATION_SCORE_H
#define TESTS_MUTATION_SCORE_H

#include "tests/mutation/kill.h"

#define SCORE_ENOUGH 90u /* percent of those that can change what the checks do */

/* Prints each mutant that lives and the closing line; json: NULL, or the file for all of it.
 * Returns the exit status: 0 enough were killed, 1 not, 2 a file is bad. */
int score_print(const struct kill *k, const char *only, unsigned every, const char *json);

#endif
