/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a test plays a case: the case, its configuration, and what became of it. */
#ifndef TESTS_CASES_STAGE_H
#define TESTS_CASES_STAGE_H

#include "harness/cases/run.h"

struct stage {
    struct mrct_case c;
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case r;
    char err[700];
};
extern struct stage stage;

/* A checked fixture; both call scratch's own. */
void stage_setup(void);
void stage_teardown(void);
/* Loads "t/run" with these lines added and plays it. */
void stage_run(const char *more);

#endif
