/* SPDX-License-Identifier: BSD-2-Clause */
/* What the oracles say of a run, in lines. */
#ifndef TESTS_GOLDEN_WORDS_H
#define TESTS_GOLDEN_WORDS_H

#include "tests/golden/tape.h"

/*
 * Plays the run's tapes, each as it was and in one other way, and says what came of it: what was
 * judged and how often, each FAIL, WARN and INCONCLUSIVE with its first frame, and a number that
 * stands for every count and every word of every finding; brief: numbers alone, on two lines. The
 * caller frees the text.
 */
char *words_of(const char *name, const struct tapes *t, bool brief);

#endif
