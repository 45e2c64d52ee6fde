/* SPDX-License-Identifier: BSD-2-Clause */
/* What coverage compares: gathered from the oracle, the cases' files and the deviants. */
#include "harness/cases/plan.h"
#include "harness/cli/cli.h"
#include "harness/cli/spec_cmds.h"
#include "harness/deviant/deviant.h"

#include <stdlib.h>

struct mrct_spec_catalogue {
    struct mrct_cov_input in;
    struct mrct_check_info *checks;
    struct mrct_plan plan; /* whose texts cases refer to */
    struct mrct_cov_case *cases;
    struct mrct_cov_deviant *deviants;
};

static int add_checks(struct mrct_spec_catalogue *c)
{
    const size_t count = mrct_oracle_checks(NULL, 0);
    c->checks = calloc(count + 1, sizeof *c->checks);
    if (!c->checks) {
        return -1;
    }
    c->in.check_count = mrct_oracle_checks(c->checks, count);
    c->in.checks = c->checks;
    return 0;
}

static int add_deviants(struct mrct_spec_catalogue *c)
{
    c->deviants = calloc(mrct_deviant_count + 1, sizeof *c->deviants);
    if (!c->deviants) {
        return -1;
    }
    for (size_t i = 0; i < mrct_deviant_count; i++) {
        c->deviants[i] =
            (struct mrct_cov_deviant){mrct_deviants[i].name, mrct_deviants[i].requirement};
    }
    c->in.deviants = c->deviants;
    c->in.deviant_count = mrct_deviant_count;
    return 0;
}

static int add_cases(struct mrct_spec_catalogue *c, const char *dir)
{
    char place[1024], err[600];
    if (mrct_plan_dir(dir, place, sizeof place) != 0) {
        (void)mrct_cli_fail("spec", "%s: no such directory of cases", place);
        return -1;
    }
    if (mrct_plan_load(&c->plan, place, err, sizeof err) != 0) {
        (void)mrct_cli_fail("spec", "%s", err);
        return -1;
    }
    c->cases = calloc(c->plan.count + 1, sizeof *c->cases);
    if (!c->cases) {
        (void)mrct_cli_fail("spec", "out of memory");
        return -1;
    }
    for (size_t i = 0; i < c->plan.count; i++) {
        const struct mrct_case *one = &c->plan.cases[i];
        c->cases[i] = (struct mrct_cov_case){
            .id = one->id,
            .file = one->file,
            .requirements = one->requirements,
            .requirement_count = one->requirement_count,
        };
    }
    c->in.cases = c->cases;
    c->in.case_count = c->plan.count;
    return 0;
}

struct mrct_spec_catalogue *mrct_spec_catalogue_new(const char *dir)
{
    struct mrct_spec_catalogue *c = calloc(1, sizeof *c);
    if (!c || add_checks(c) != 0 || add_deviants(c) != 0) {
        (void)mrct_cli_fail("spec", "out of memory");
        mrct_spec_catalogue_free(c);
        return NULL;
    }
    c->in.reqs = mrc_requirements;
    c->in.req_count = mrc_requirement_count;
    if (add_cases(c, dir) != 0) {
        mrct_spec_catalogue_free(c);
        return NULL;
    }
    return c;
}

const struct mrct_cov_input *mrct_spec_catalogue_input(const struct mrct_spec_catalogue *c)
{
    return &c->in;
}

void mrct_spec_catalogue_free(struct mrct_spec_catalogue *c)
{
    if (!c) {
        return;
    }
    mrct_plan_fini(&c->plan);
    free(c->cases);
    free(c->checks);
    free(c->deviants);
    free(c);
}
