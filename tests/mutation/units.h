/* SPDX-License-Identifier: BSD-2-Clause */
/* What the suite runs, in pieces: each passes with the checks as they are. */
#ifndef TESTS_MUTATION_UNITS_H
#define TESTS_MUTATION_UNITS_H

#include "tests/golden/corpus.h"

#include <check.h>

struct script;

/* An oracle of the golden corpus, whose findings are known; a script of the checks' edges; or a
 * suite of the oracle's own tests. */
struct unit {
    const struct script *script;
    struct tapes tape; /* one, the corpus's */
    char *words;       /* what the checks as they are say of it */
    Suite *(*suite)(void);
    size_t cost; /* frames and events, about */
    char name[160];
};

struct units {
    struct corpus corpus;
    struct unit *list; /* in the order of what they cost */
    size_t count;
};

/* 0, or -1 with a sentence on stderr. */
int units_load(struct units *u);
void units_fini(struct units *u);
/* Runs it for the first time, with the checks as they are; true: it passes. */
bool unit_learn(struct unit *u);
/* Runs it; true: it passes. */
bool unit_run(const struct unit *u);

#endif
