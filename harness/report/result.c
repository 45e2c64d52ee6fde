/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/result.h"

#include <string.h>

struct mrct_result_counts mrct_result_count_cases(const struct mrct_result_run *run)
{
    struct mrct_result_counts counts = {{0}};
    for (size_t i = 0; i < run->case_count; i++)
        counts.n[run->cases[i].verdict]++;
    return counts;
}

struct mrct_result_counts mrct_result_count_reqs(const struct mrct_result_run *run)
{
    struct mrct_result_counts counts = {{0}};
    for (size_t i = 0; i < run->req_count; i++)
        counts.n[run->reqs[i].verdict]++;
    return counts;
}

static size_t count_in_case(const struct mrct_result_case *c, enum mrct_finding_kind kind,
                            const char *requirement)
{
    size_t n = 0;
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct mrct_finding *const f = &c->findings[i].f;
        if (f->kind == kind && (requirement == NULL || strcmp(f->requirement, requirement) == 0))
            n++;
    }
    return n;
}

size_t mrct_result_count_findings(const struct mrct_result_run *run, enum mrct_finding_kind kind,
                                  const char *requirement)
{
    size_t n = 0;
    for (size_t i = 0; i < run->case_count; i++)
        n += count_in_case(&run->cases[i], kind, requirement);
    return n;
}

size_t mrct_result_count_known(const struct mrct_result_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->case_count; i++)
        n += run->cases[i].verdict == MRCT_FAIL && run->cases[i].known != NULL;
    return n;
}

enum mrct_verdict mrct_verdict_worse(enum mrct_verdict a, enum mrct_verdict b)
{
    return a > b ? a : b; /* the enumeration stands in this order */
}

enum mrct_verdict mrct_result_verdict(const struct mrct_result_run *run)
{
    const struct mrct_result_counts counts = mrct_result_count_cases(run);
    if (counts.n[MRCT_ERROR] > 0)
        return MRCT_ERROR;
    if (counts.n[MRCT_FAIL] > mrct_result_count_known(run) || run->problem_count > 0)
        return MRCT_FAIL;
    if (counts.n[MRCT_INCONCLUSIVE] > 0)
        return MRCT_INCONCLUSIVE;
    return counts.n[MRCT_PASS] + counts.n[MRCT_FAIL] > 0 ? MRCT_PASS : MRCT_NOT_APPLICABLE;
}

int mrct_result_exit_status(const struct mrct_result_run *run)
{
    if (run->case_count == 0)
        return MRCT_EXIT_NOTHING;
    switch (mrct_result_verdict(run)) {
    case MRCT_ERROR:
        return MRCT_EXIT_HARNESS;
    case MRCT_FAIL:
        return MRCT_EXIT_FAIL;
    case MRCT_INCONCLUSIVE:
        return MRCT_EXIT_INCONCLUSIVE;
    case MRCT_PASS:
    case MRCT_NOT_APPLICABLE:
        break;
    }
    return MRCT_EXIT_PASS;
}
