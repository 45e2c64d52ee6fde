/* SPDX-License-Identifier: BSD-2-Clause */
/* Coverage: what became of each requirement, and the case that would reach it. */
#include "harness/cli/check_cover.h"

#include "gen/mrc_req.h"
#include "harness/cli/check.h"
#include <inttypes.h>
#include <string.h>

#define CASES_SHOWN 2u /* of one requirement */

void mrct_check_cases_load(struct mrct_check_cases *c)
{
    char dir[600], err[600];
    memset(c, 0, sizeof(*c));
    c->found = mrct_plan_dir(NULL, dir, sizeof(dir)) == 0 &&
               mrct_plan_load(&c->plan, dir, err, sizeof(err)) == 0;
}

void mrct_check_cases_fini(struct mrct_check_cases *c)
{
    if (c->found)
        mrct_plan_fini(&c->plan);
    c->found = false;
}

static bool lists(const struct mrct_case *c, const char *requirement)
{
    for (size_t i = 0; i < c->requirement_count; i++)
        if (strcmp(c->requirements[i], requirement) == 0)
            return true;
    return false;
}

const char *mrct_check_cases_next(const struct mrct_check_cases *c, const char *requirement,
                                  size_t *i)
{
    for (; c != NULL && c->found && *i < c->plan.count; (*i)++)
        if (lists(&c->plan.cases[*i], requirement))
            return c->plan.cases[(*i)++].id;
    return NULL;
}

static void print_line(const struct mrct_req_result *q, const struct mrct_check_show *show,
                       FILE *out)
{
    const struct mrc_requirement *const req = mrc_requirement_find(q->requirement);
    const char *id;
    size_t at = 0;
    fprintf(out, "  %-14s ", q->requirement);
    if (mrct_check_met(q)) {
        fprintf(out, "%-13s %8" PRIu64 " times", mrct_verdict_str(mrct_check_verdict(q)),
                q->exercised);
        if (q->failed > 0)
            fprintf(out, ", %" PRIu64 " broken", q->failed);
        if (q->warned > 0)
            fprintf(out, ", %" PRIu64 " warnings", q->warned);
    } else {
        fputs("never reached", out);
        for (unsigned n = 0;
             n < CASES_SHOWN && (id = mrct_check_cases_next(show->cases, q->requirement, &at)); n++)
            fprintf(out, "%s%s", n == 0 ? "; case " : ", ", id);
    }
    fprintf(out, "\n      %s\n", req != NULL ? req->text : "");
}

void mrct_check_text_coverage(const struct mrct_check_result *r, const struct mrct_check_show *show,
                              FILE *out)
{
    fputs("\nrequirements\n", out);
    for (size_t i = 0; i < r->req_count; i++)
        print_line(&r->reqs[i], show, out);
}
