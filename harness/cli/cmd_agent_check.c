/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct agent-check: is an agent fit to speak for its device? */
#include "harness/cases/plan.h"
#include "harness/cli/cli.h"
#include "harness/cli/fitness.h"

#include <string.h>

enum option { OPT_DEVICE, OPT_PATIENCE, OPT_CASES, OPT_ITEM, OPT_SEED };
static const struct mrct_cli_option options[] = {
    [OPT_DEVICE] = {"device", 'd', "FILE", "the agent of this manifest instead of a command"},
    [OPT_PATIENCE] = {"patience", 0, "MS",
                      "how long to wait for one answer, ms of real time\n"
                      "(default 10000, or what the manifest says)"},
    [OPT_CASES] = {"cases", 0, "DIR", "take the names of the cases from DIR"},
    [OPT_ITEM] = {"item", 0, "NAME",
                  "ask this alone, and what it rests on: version, garbage,\n"
                  "\"capability planes\", ..."},
    [OPT_SEED] = {"seed", 0, "N", "seed of the names that nobody knows (default 1)"},
    {0},
};

struct check {
    const char *device, *cases, *item;
    uint64_t patience_ms, seed;
    struct mrct_device dut;
    struct mrct_plan plan;
    size_t good, bad, skipped;
};

static int take_option(struct check *c, enum option option, const char *value)
{
    switch (option) {
    case OPT_DEVICE:
        c->device = value;
        return 0;
    case OPT_PATIENCE:
        return mrct_cli_u64(value, 1, 3600000, &c->patience_ms)
                   ? 0
                   : mrct_cli_fail("agent-check", "'%s' is no time of 1 to 3600000 ms", value);
    case OPT_CASES:
        c->cases = value;
        return 0;
    case OPT_ITEM:
        c->item = value;
        return 0;
    case OPT_SEED:
        return mrct_cli_u64(value, 0, UINT64_MAX, &c->seed)
                   ? 0
                   : mrct_cli_fail("agent-check", "'%s' is no seed (a whole number)", value);
    }
    return 0;
}

static void tell(void *user, const char *item, const char *what, enum mrct_check_end end,
                 const char *why)
{
    static const char *const words[] = {[MRCT_CHECK_OK] = "ok",
                                        [MRCT_CHECK_BAD] = "BAD",
                                        [MRCT_CHECK_NOT_SHOWN] = "NOT SHOWN",
                                        [MRCT_CHECK_SKIPPED] = "skipped"};
    struct check *const c = user;
    c->good += end == MRCT_CHECK_OK;
    c->bad += end == MRCT_CHECK_BAD || end == MRCT_CHECK_NOT_SHOWN;
    c->skipped += end == MRCT_CHECK_SKIPPED;
    printf("%-9s %-24s %s\n", words[end], item, what);
    if (why[0] != '\0')
        printf("%34s %s\n", "", why);
    (void)fflush(stdout);
}

/* A command of one word may be a line for the shell. */
static int take_command(struct check *c, int n, char **operands)
{
    struct mrct_manifest *const m = &c->dut.manifest;
    if (c->device != NULL && n > 0)
        return mrct_cli_fail("agent-check", "either a command or --device was expected");
    if (c->device != NULL) {
        char err[700];
        if (mrct_device_open(&c->dut, c->device, err, sizeof err) != 0)
            return mrct_cli_fail("agent-check", "%s", err);
        return c->dut.has_manifest ? 0
                                   : mrct_cli_fail("agent-check", "'%s' is no manifest", c->device);
    }
    if (n == 0 || n > (int)MRCT_MANIFEST_ARGS_MAX)
        return mrct_cli_fail("agent-check", "a command was expected (see --help)");
    m->patience_ns = MRCT_PATIENCE_NS;
    if (n == 1) {
        m->command[0] = "/bin/sh";
        m->command[1] = "-c";
        m->command[2] = operands[0];
        return 0;
    }
    for (int i = 0; i < n; i++)
        m->command[i] = operands[i];
    return 0;
}

static int run(struct check *c)
{
    char err[700];
    if (c->patience_ms != 0)
        c->dut.manifest.patience_ns = c->patience_ms * UINT64_C(1000000);
    const int bad =
        mrct_fitness_check(&c->dut, &c->plan, c->seed, c->item, tell, c, err, sizeof err);
    if (bad < 0)
        return mrct_cli_fail("agent-check", "%s", err);
    if (c->good + c->bad + c->skipped == 0)
        return mrct_cli_fail("agent-check", "there is no item '%s' for this agent", c->item);
    printf("%zu passed, %zu failed, %zu skipped\n", c->good, c->bad, c->skipped);
    return bad == 0 ? MRCT_EXIT_PASS : MRCT_EXIT_FAIL;
}

int mrct_cmd_agent_check(int argc, char **argv)
{
    struct check c = {.seed = 1};
    char dir[4096], err[700];
    char **operands = NULL;
    struct mrct_cli cli = {
        .command = "agent-check",
        .operands = "[--] COMMAND [ARGUMENT...]",
        .summary =
            "Sees whether an agent is fit to speak for its device. A COMMAND of one word may "
            "be a\nline for the shell.",
        .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    while ((option = mrct_cli_next(&cli)) >= 0)
        if (take_option(&c, (enum option)option, cli.value) != 0)
            return MRCT_EXIT_USAGE;
    if (option != MRCT_CLI_END)
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    const int n = mrct_cli_operands(&cli, &operands);
    if (take_command(&c, n, operands) != 0)
        return MRCT_EXIT_USAGE;
    int status = MRCT_EXIT_USAGE;
    if (mrct_plan_dir(c.cases, dir, sizeof dir) != 0)
        (void)mrct_cli_fail("agent-check", "%s: no such directory of cases", dir);
    else if (mrct_plan_load(&c.plan, dir, err, sizeof err) != 0)
        (void)mrct_cli_fail("agent-check", "%s", err);
    else
        status = run(&c);
    mrct_plan_fini(&c.plan);
    mrct_device_close(&c.dut);
    return status;
}
