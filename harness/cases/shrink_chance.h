/* SPDX-License-Identifier: BSD-2-Clause */
/* What chance did in a run, as faults of a case. Internal to harness/cases. */
#ifndef MRCT_CASES_SHRINK_CHANCE_H
#define MRCT_CASES_SHRINK_CHANCE_H

#include "harness/cases/tree.h"
#include "harness/fabric/fabric.h"

struct mrct_chance_log {
    struct mrct_fault_rule *rules; /* in the order in which they befell the packets */
    size_t count, cap;
    bool failed; /* memory did */
};

void mrct_chance_log_init(struct mrct_chance_log *log);
void mrct_chance_log_fini(struct mrct_chance_log *log);
/* mrct_run_config.on_chance, with the log as user. */
void mrct_chance_log_add(void *log, const struct mrct_fault_rule *same);

/* Appends them to a list of faults, the later packets' first, so that one that drops does not
 * change how another counts. 0, or -1 when memory fails or failed. */
int mrct_chance_log_tree(const struct mrct_chance_log *log, struct mrct_pool *pool,
                         struct mrct_tree *faults);

#endif
