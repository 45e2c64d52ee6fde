/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases by requirement, for what a capture never reached. */
#ifndef MRCT_CLI_CHECK_COVER_H
#define MRCT_CLI_CHECK_COVER_H

#include "harness/cases/plan.h"

struct mrct_check_cases {
    struct mrct_plan plan;
    bool found;
};
/* Finds and loads the cases there are; without any, found stays false. */
void mrct_check_cases_load(struct mrct_check_cases *c);
void mrct_check_cases_fini(struct mrct_check_cases *c);
/* The first case from *i on that lists the requirement, or NULL; *i moves past it. */
const char *mrct_check_cases_next(const struct mrct_check_cases *c, const char *requirement,
                                  size_t *i);

#endif
