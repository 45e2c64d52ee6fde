/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known failures of a device: each with its reason, for firmware of a pattern, until a date. A
 * failure that an entry covers does not fail the run; an entry whose case passed, or whose date is
 * over, does.
 */
#ifndef MRCT_CASES_KNOWN_H
#define MRCT_CASES_KNOWN_H

#include "harness/cases/load.h"
#include "harness/cases/plan.h"
#include "harness/report/result.h"

struct mrct_known_entry {
    char *id;          /* of cases; may hold * and ? */
    char *requirement; /* the one that the device breaks; NULL: whatever fails the case */
    char *reason;
    char *firmware; /* pattern of the versions that it is true of; NULL: of all */
    int expires;    /* YYYYMMDD, the last day on which it holds */
    int line;
};

struct mrct_known {
    struct mrct_known_entry *list;
    size_t count;
};

/* A date "2027-01-31" as 20270131, or 0 when the text is none. */
int mrct_known_date(const char *text);
/* The day of a Unix time, UTC, as YYYYMMDD. */
int mrct_known_day(uint64_t unix_s);

/*
 * Reads the list of a manifest: {case, requirement, reason, firmware, expires}. An entry that names
 * no case of the plan, or no requirement, is an error. 0, or -1 with l->yaml.err set.
 */
int mrct_known_load(struct mrct_load *l, yaml_node_t *list, const struct mrct_plan *plan,
                    struct mrct_known *k);

/*
 * After all cases: sets `known` of each failure that an entry of this firmware covers on that day,
 * and adds to run->problems what must not be: a case that passed though an entry calls it failing,
 * an entry whose date is over. Texts live in pool. 0, or -1 when memory fails.
 */
int mrct_known_apply(const struct mrct_known *k, struct mrct_result_run *run, const char *firmware,
                     int today, struct mrct_pool *pool);

#endif
