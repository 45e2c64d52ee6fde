/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delta debugging of a case that fails: parts of it are left out and numbers made smaller as long
 * as it still fails by the same requirement. What chance did is first written as faults that name
 * packets, so that each can be left out alone. Deterministic.
 */
#ifndef MRCT_CASES_SHRINK_H
#define MRCT_CASES_SHRINK_H

#include "harness/cases/run.h"

struct mrct_shrink_size {
    size_t faults; /* and changes of links, and random rates */
    size_t steps;  /* of the traffic, or lines of the script */
    uint64_t frames;
};

struct mrct_shrink {
    const struct mrct_run_config *cfg; /* device, seed, readings; captures are not written */
    unsigned runs_max;                 /* no more runs than this */
    void (*progress)(const struct mrct_shrink *s); /* after each run; or NULL */
    /* what comes of it */
    unsigned runs;
    enum mrct_verdict verdict; /* of the case as it was given */
    char why[800];             /* what the smallest case says, or why there is nothing to shrink */
    char broken[64];           /* requirement by which it fails; "" when none does */
    struct mrct_shrink_size before, after;
    bool exhausted; /* runs_max was reached: it may not be the smallest */
};

/*
 * Shrinks the case of that text (path is what errors call it). Returns its YAML in pool, or NULL:
 * with err filled when the case cannot be read or memory fails, else because it does not fail
 * (verdict, why).
 */
const char *mrct_shrink_case(struct mrct_shrink *s, const char *path, const char *text,
                             struct mrct_pool *pool, char *err, size_t err_cap);

#endif
