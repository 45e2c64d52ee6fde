/* SPDX-License-Identifier: BSD-2-Clause */
/* What the suite runs, in pieces: each passes with the checks as they are. */
#ifndef TESTS_MUTATION_UNITS_H
#define TESTS_MUTATION_UNITS_H

#include "harness/cases/liars.h"
#include "harness/cases/plan.h"

#include <check.h>

struct unit {
    enum { UNIT_LIAR, UNIT_SUITE, UNIT_CASE, UNIT_SEED } kind;
    const struct mrct_case *c;    /* of LIAR and CASE */
    const struct mrct_liar *liar; /* of LIAR: must be caught by its name in c */
    Suite *(*suite)(void);        /* of SUITE: the oracle's own tests */
    uint64_t seed;                /* of SEED: an honest pair, drawn from it */
    char name[120];
};

struct units {
    struct mrct_plan plan;
    struct mrct_liars liars;
    struct unit *list;
    size_t count;
};

/* Cases and deviants of DIR, `seeds` honest pairs. 0, or -1 with a sentence on stderr. */
int units_load(struct units *u, const char *dir, unsigned seeds);
void units_fini(struct units *u);
/* Runs it; true: it passes. */
bool unit_run(const struct unit *u);
/* Whether the unit is there to prove a check of that source file. */
bool unit_is_of(const struct unit *u, const char *file);

#endif
