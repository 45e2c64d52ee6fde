/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct pics: the proforma of a device's manifest, and the review of one that was filled in. */
#include "harness/cases/claims.h"
#include "harness/cli/cli.h"

#include <string.h>

enum option { OPT_NEW, OPT_CASES };
static const struct mrct_cli_option options[] = {
    [OPT_NEW] = {"new", 0, NULL, "print a proforma to fill in"},
    [OPT_CASES] = {"cases", 0, "DIR", "the cases that known failures name are those of DIR"},
    {0},
};

struct pics {
    bool fresh;
    const char *cases_dir, *file;
};

static int take_command_line(struct pics *p, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "pics",
                           .operands = "[FILE]",
                           .summary = "Prints PICS and PIXIT proformas, or reviews a manifest "
                                      "without running anything.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    while ((option = mrct_cli_next(&cli)) >= 0) {
        if (option == OPT_NEW) {
            p->fresh = true;
        } else {
            p->cases_dir = cli.value;
        }
    }
    if (option != MRCT_CLI_END) {
        return option;
    }
    char **operands = NULL;
    const int n = mrct_cli_operands(&cli, &operands);
    if (n != (p->fresh ? 0 : 1)) {
        (void)mrct_cli_fail("pics", "either --new or one manifest was expected (see mrct pics "
                                    "--help)");
        return MRCT_CLI_BAD;
    }
    p->file = p->fresh ? NULL : operands[0];
    return option;
}

static void say(void *user, const char *words)
{
    printf("CONTRADICTION  %s: %s\n", (const char *)user, words);
}

static int review(const struct pics *p, const struct mrct_plan *plan)
{
    struct mrct_claims c;
    char err[700];
    if (mrct_claims_load(&c, p->file, plan, err, sizeof err) != 0) {
        return mrct_cli_fail("pics", "%s", err);
    }
    char name[4096];
    (void)snprintf(name, sizeof name, "%s", p->file);
    const struct mrct_claims_review sum = mrct_claims_review(&c, say, name);
    printf("%s, version %s, firmware %s\n", c.name[0] != '\0' ? c.name : "device",
           c.version[0] != '\0' ? c.version : "?", c.firmware[0] != '\0' ? c.firmware : "?");
    printf("PICS %s, PIXIT %s\n", c.pics_hash[0] != '\0' ? c.pics_hash : "none",
           c.pixit_hash[0] != '\0' ? c.pixit_hash : "none");
    printf("%zu contradictions, %zu open answers, %zu known failures\n", sum.contradictions,
           sum.open, c.known.count);
    mrct_claims_fini(&c);
    if (sum.contradictions > 0) {
        return MRCT_EXIT_FAIL;
    }
    return sum.open > 0 ? MRCT_EXIT_INCONCLUSIVE : MRCT_EXIT_PASS;
}

int mrct_cmd_pics(int argc, char **argv)
{
    struct pics p = {.fresh = false};
    const int option = take_command_line(&p, argc, argv);
    if (option != MRCT_CLI_END) {
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    if (p.fresh) {
        mrct_claims_proforma(stdout, MRCT_VERSION);
        return MRCT_EXIT_PASS;
    }
    struct mrct_plan plan;
    char dir[4096];
    char err[700];
    if (mrct_plan_dir(p.cases_dir, dir, sizeof dir) != 0) {
        return mrct_cli_fail("pics", "%s: no such directory of cases", dir);
    }
    if (mrct_plan_load(&plan, dir, err, sizeof err) != 0) {
        return mrct_cli_fail("pics", "%s", err);
    }
    const int status = review(&p, &plan);
    mrct_plan_fini(&plan);
    return status;
}
