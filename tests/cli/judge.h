/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check inside the test's own process. */
#ifndef TESTS_CLI_JUDGE_H
#define TESTS_CLI_JUDGE_H

#include <jansson.h>

/* Runs mrct check with these arguments, argv[0] for the command's name; standard output goes to the
 * file out, standard error nowhere. Returns its JSON, or fails the test; the caller decrefs it. */
json_t *cli_judge(const char *out, int argc, char **argv);

#endif
