/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct certify: runs cases against an endpoint and writes the reports. */
#include "harness/cli/certify.h"
#include "harness/cli/fitness.h"
#include "harness/cli/ground.h"

#include "gen/mrc_req.h"
#include "harness/cases/page.h"
#include "harness/cases/units.h"
#include "harness/report/report.h"
#include "harness/report/term.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum option {
    OPT_CASE,
    OPT_SECTION,
    OPT_ROLE,
    OPT_REQUIREMENT,
    OPT_LIST,
    OPT_SEED,
    OPT_OUT,
    OPT_JSON,
    OPT_STRICT,
    OPT_READING,
    OPT_DEVICE,
    OPT_WITHOUT,
    OPT_CLAIMS,
    OPT_DATE,
    OPT_CLOCK,
    OPT_CASES,
    OPT_DEVIANTS,
    OPT_LIVE
};
static const struct mrct_cli_option options[] = {
    [OPT_CASE] = {"case", 'c', "ID",
                  "run the cases of this id; may hold * and ?, and be given again"},
    [OPT_SECTION] = {"section", 0, "S",
                     "run the cases of this folder, or of this section of the specification"},
    [OPT_ROLE] = {"role", 0, "ROLE", "run the cases for a requestor or a responder"},
    [OPT_REQUIREMENT] = {"requirement", 0, "ID", "run the cases that list this requirement"},
    [OPT_LIST] = {"list", 'l', NULL, "list the cases and run none"},
    [OPT_SEED] = {"seed", 0, "N", "seed of everything random (default 1)"},
    [OPT_OUT] = {"out", 'o', "DIR",
                 "write report.html, report.json, junit.xml, report.tap and a\n"
                 "pcapng per case into DIR"},
    [OPT_JSON] = {"json", 'j', NULL, "print the report as JSON instead of text"},
    [OPT_STRICT] = {"strict", 's', NULL,
                    "evidence S and U fails, and readings chosen are binding\n"
                    "(always so for the endpoints built in)"},
    [OPT_READING] = {"reading", 'r', "Qn=x", "reading of an open question; may be given again"},
    [OPT_DEVICE] = {"device", 'd', "DEVICE",
                    "reference (default), deviant:NAME, or the manifest of a device"},
    [OPT_WITHOUT] = {"without", 0, "CAP",
                     "the device does not declare this capability; may be given again"},
    [OPT_CLAIMS] = {"claims", 0, "FILE", "PICS, PIXIT and known failures of this manifest count"},
    [OPT_DATE] = {"date", 0, "DAY",
                  "known failures are those of this day, 2027-01-31 (default: today, or\n"
                  "that of SOURCE_DATE_EPOCH)"},
    [OPT_CLOCK] = {"clock-error", 0, "TIME",
                   "largest error of the harness's own clock (default: none in virtual time,\n"
                   "else that of the PIXIT, or 50ns): what is judged by time is inconclusive\n"
                   "when that is more than its margin"},
    [OPT_CASES] = {"cases", 0, "DIR", "take the cases from DIR"},
    [OPT_DEVIANTS] = {"deviants", 0, NULL,
                      "run every deviant through its cases: each must be caught by the\n"
                      "requirement that it breaks"},
    [OPT_LIVE] = {"live", 0, NULL,
                  "run over real sockets, on veth pairs in a network namespace of its own; a\n"
                  "device with a manifest: by the ports named there. Needs root"},
    {0},
};

static int take_role(struct mrct_certify *c, const char *value)
{
    if (strcmp(value, "requestor") == 0) {
        c->selection.role = MRCT_DEVICE_REQUESTOR;
    } else if (strcmp(value, "responder") == 0) {
        c->selection.role = MRCT_DEVICE_RESPONDER;
    } else {
        return mrct_cli_fail("certify", "'%s' is no role: requestor or responder", value);
    }
    return 0;
}

static int take_device(struct mrct_certify *c, const char *value)
{
    char err[700];
    mrct_device_close(&c->dut);
    c->device = value;
    if (mrct_device_open(&c->dut, value, err, sizeof err) != 0) {
        return mrct_cli_fail("certify", "%s", err);
    }
    c->cfg.deviant = c->dut.deviant;
    return 0;
}

static int take_without(struct mrct_certify *c, const char *value)
{
    for (size_t i = 0; i < c->lacks_count; i++) {
        if (strcmp(c->lacks[i], value) == 0) {
            return 0;
        }
    }
    for (const char *const *k = mrct_capabilities; *k != NULL; k++) {
        if (strcmp(*k, value) == 0 && c->lacks_count < MRCT_CERTIFY_LACKS_MAX) {
            c->lacks[c->lacks_count++] = *k;
            return 0;
        }
    }
    return mrct_cli_fail("certify", "'%s' is no capability that cases ask for", value);
}

static int take_case(struct mrct_certify *c, const char *glob)
{
    if (c->selection.glob_count == MRCT_CERTIFY_GLOBS_MAX) {
        return mrct_cli_fail("certify", "at most %u cases can be named", MRCT_CERTIFY_GLOBS_MAX);
    }
    c->globs[c->selection.glob_count++] = glob;
    return 0;
}

static int take_requirement(struct mrct_certify *c, const char *value)
{
    c->selection.requirement = value;
    return mrc_requirement_find(value) != NULL
               ? 0
               : mrct_cli_fail("certify", "there is no requirement '%s'", value);
}

static int take_option(struct mrct_certify *c, enum option option, const char *value)
{
    char err[300];
    switch (option) {
    case OPT_CASE:
        return take_case(c, value);
    case OPT_SECTION:
        c->selection.section = value;
        return 0;
    case OPT_ROLE:
        return take_role(c, value);
    case OPT_REQUIREMENT:
        return take_requirement(c, value);
    case OPT_LIST:
        c->list = true;
        return 0;
    case OPT_SEED:
        return mrct_cli_u64(value, 0, UINT64_MAX, &c->cfg.seed)
                   ? 0
                   : mrct_cli_fail("certify", "'%s' is no seed (a whole number)", value);
    case OPT_OUT:
        c->cfg.out_dir = value;
        return 0;
    case OPT_JSON:
        c->json = true;
        return 0;
    case OPT_STRICT:
        c->strict = true;
        return 0;
    case OPT_READING:
        return mrct_cli_reading(c->cfg.reading, value, err, sizeof err) == 0
                   ? 0
                   : mrct_cli_fail("certify", "%s", err);
    case OPT_DEVICE:
        return take_device(c, value);
    case OPT_WITHOUT:
        return take_without(c, value);
    case OPT_CLAIMS:
        c->claims_path = value;
        return 0;
    case OPT_DATE:
        c->date = value;
        c->today = mrct_known_date(value);
        return c->today != 0 ? 0
                             : mrct_cli_fail("certify", "'%s' is no day like 2027-01-31", value);
    case OPT_CLOCK:
        c->has_clock_error = true;
        return mrct_units_duration(value, &c->cfg.clock_error_ns) == 0
                   ? 0
                   : mrct_cli_fail("certify", "'%s' is no time like 2us", value);
    case OPT_CASES:
        c->cases_dir = value;
        return 0;
    case OPT_DEVIANTS:
        c->deviants = true;
        return 0;
    case OPT_LIVE:
        c->live = true;
        return 0;
    }
    return 0;
}

/* MRCT_CLI_END when there is something to do, else what the command line said. */
static int take_command_line(struct mrct_certify *c, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "certify",
                           .operands = "[CASE...]",
                           .summary = "Runs the cases against an endpoint, in virtual time.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    while ((option = mrct_cli_next(&cli)) >= 0) {
        if (take_option(c, (enum option)option, cli.value) != 0) {
            return MRCT_CLI_BAD;
        }
    }
    if (option != MRCT_CLI_END) {
        return option;
    }
    char **operands = NULL;
    const int n = mrct_cli_operands(&cli, &operands);
    for (int i = 0; i < n; i++) {
        if (take_case(c, operands[i]) != 0) {
            return MRCT_CLI_BAD;
        }
    }
    return MRCT_CLI_END;
}

/* An option and its value, as a shell has to be given it; NULL: neither. */
static void replay_add(FILE *to, const char *option, const char *value)
{
    if (value == NULL) {
        return;
    }
    const bool plain = value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_@%+=:,./-")] == '\0';
    (void)fprintf(to, "%s%s", option, plain ? "" : "'");
    for (const char *p = value; *p != '\0'; p++) {
        (void)fputs(*p == '\'' ? "'\\''" : (const char[]){*p, '\0'}, to);
    }
    (void)fputs(plain ? "" : "'", to);
}

/* The capabilities that the device lacks by itself are not added yet. */
static int make_replay(struct mrct_certify *c)
{
    char number[40];
    size_t len = 0;
    FILE *const to = open_memstream(&c->replay, &len);
    if (to == NULL) {
        return -1;
    }
    mrct_cli_reading_str(c->cfg.reading, c->readings, sizeof c->readings);
    (void)fprintf(to, "mrct certify%s --seed %" PRIu64 "%s", c->live ? " --live" : "", c->cfg.seed,
                  c->strict ? " --strict" : "");
    replay_add(to, " --reading ", c->readings[0] != '\0' ? c->readings : NULL);
    replay_add(to, " --device ", strcmp(c->device, "reference") != 0 ? c->device : NULL);
    replay_add(to, " --claims ", c->claims_path);
    replay_add(to, " --date ", c->date);
    (void)snprintf(number, sizeof number, "%" PRIu64 "ns", c->cfg.clock_error_ns);
    replay_add(to, " --clock-error ", c->has_clock_error ? number : NULL);
    for (size_t i = 0; i < c->lacks_count; i++) {
        replay_add(to, " --without ", c->lacks[i]);
    }
    replay_add(to, " --cases ", c->cases_dir);
    if (fclose(to) != 0) {
        return -1;
    }
    c->cfg.replay = c->replay;
    return 0;
}

static int load_plan(struct mrct_certify *c)
{
    char err[700];
    if (mrct_plan_dir(c->cases_dir, c->dir, sizeof c->dir) != 0) {
        return mrct_cli_fail("certify", "%s: no such directory of cases", c->dir);
    }
    if (mrct_plan_load(&c->plan, c->dir, err, sizeof err) != 0) {
        return mrct_cli_fail("certify", "%s", err);
    }
    c->taken = mrct_plan_select(&c->plan, &c->selection);
    return 0;
}

static int no_case(const struct mrct_certify *c)
{
    (void)mrct_cli_fail("certify", "none of the %zu cases matches", c->plan.count);
    return MRCT_EXIT_NOTHING;
}

static int list_cases(const struct mrct_certify *c)
{
    for (size_t i = 0; i < c->plan.count; i++) {
        const struct mrct_case *const one = &c->plan.cases[i];
        if (c->plan.taken[i]) {
            printf("%-34s %-10s %-7s%s\n", one->id, mrct_case_device_str(one->device),
                   one->script != NULL ? "script" : "", one->title);
        }
    }
    return MRCT_EXIT_PASS;
}

static int write_json(const struct mrct_result_run *run)
{
    if (mrct_report_json(run, stdout) != 0 || fflush(stdout) != 0) {
        (void)mrct_cli_fail("certify", "the report could not be printed");
        return MRCT_EXIT_HARNESS;
    }
    return mrct_result_exit_status(run);
}

static int write_reports(const struct mrct_certify *c, const struct mrct_result_run *run,
                         const struct mrct_term *term)
{
    char err[700];
    char pages[4096];
    if (c->cfg.out_dir != NULL &&
        ((size_t)snprintf(pages, sizeof pages, "%s/cases", c->cfg.out_dir) >= sizeof pages ||
         mrct_pages_write(&c->plan, pages, err, sizeof err) != 0 ||
         mrct_report_write(run, c->cfg.out_dir, err, sizeof err) != 0)) {
        (void)mrct_cli_fail("certify", "%s", err);
        return MRCT_EXIT_HARNESS;
    }
    if (c->json) {
        return write_json(run);
    }
    if (c->live && c->cfg.out_dir != NULL) {
        printf("report: %s/report.html\n", c->cfg.out_dir);
    }
    if (c->live && !c->dut.live) {
        mrct_certify_say_live(c);
    }
    mrct_term_summary(term, run);
    if (!c->live && c->cfg.out_dir != NULL) {
        printf("report: %s/report.html\n", c->cfg.out_dir);
    }
    return mrct_result_exit_status(run);
}

/* A device with one set of ports is one host: host1 where a case would have it be both, unless
 * responders were asked for. */
static void run_case(const struct mrct_certify *c, const struct mrct_case *one,
                     struct mrct_pool *pool, struct mrct_result_case *out)
{
    if (!c->dut.live) {
        mrct_run_case(&c->cfg, one, pool, out);
        return;
    }
    const bool second =
        one->device == MRCT_DEVICE_RESPONDER ||
        (one->device == MRCT_DEVICE_BOTH && c->selection.role == (int)MRCT_DEVICE_RESPONDER);
    const struct mrct_device *const at[2] = {second ? NULL : &c->dut, second ? &c->dut : NULL};
    struct mrct_case single = *one; /* what it refers to stays the case's */
    single.device = second ? MRCT_DEVICE_RESPONDER : MRCT_DEVICE_REQUESTOR;
    mrct_ground_run(&c->cfg, at, &single, pool, out);
}

static int run_cases(struct mrct_certify *c, struct mrct_pool *pool)
{
    struct mrct_result_run run = {
        .suite_version = MRCT_VERSION,
        .spec_hash = mrc_spec_hash,
        .device = c->device,
        .reading = c->readings,
        .replay = c->replay,
        .seed = c->cfg.seed,
        .strict = c->cfg.strict,
        .cases = mrct_pool_alloc(pool, (c->taken + 1) * sizeof *run.cases),
    };
    struct mrct_term term;
    run.network = c->network;
    run.network_count = c->network_count;
    mrct_certify_claims_name(c, &run);
    mrct_term_init(&term, stdout, c->taken);
    for (size_t i = 0; i < c->plan.count && run.cases != NULL; i++) {
        if (!c->plan.taken[i]) {
            continue;
        }
        struct mrct_result_case *const one = &run.cases[run.case_count++];
        mrct_term_start(&term, c->plan.cases[i].id);
        run_case(c, &c->plan.cases[i], pool, one);
        if (c->cfg.out_dir != NULL) {
            char name[140];
            mrct_page_name(one->id, name, sizeof name);
            (void)snprintf(one->page, sizeof one->page, "cases/%s.html", name);
        }
        if (!c->json) {
            mrct_term_done(&term, one);
        }
    }
    if (run.cases == NULL || mrct_run_sum_requirements(&run, pool) != 0 ||
        mrct_certify_claims_apply(c, &run, pool) != 0) {
        (void)mrct_cli_fail("certify", "out of memory");
        return MRCT_EXIT_HARNESS;
    }
    return write_reports(c, &run, &term);
}

/* A device behind an agent: it is there, it can do virtual time, and what it does not declare is
 * not asked of it. */
static int reach_device(struct mrct_certify *c)
{
    char err[700];
    if (!c->dut.has_manifest) {
        return 0;
    }
    if (mrct_fitness(&c->dut, &c->plan, c->cfg.seed, err, sizeof err) != 0) {
        return mrct_cli_fail("certify", "%s", err);
    }
    if (mrct_device_ready(&c->dut, mrct_capabilities, err, sizeof err) != 0) {
        return mrct_cli_fail("certify", "%s", err);
    }
    const char *lacks[MRCT_DEVICE_LACKS_MAX + 1];
    const size_t n = mrct_device_lacks(&c->dut, mrct_capabilities, lacks);
    for (size_t i = 0; i < n; i++) {
        if (take_without(c, lacks[i]) != 0) {
            return -1;
        }
    }
    c->cfg.strict = c->strict;
    c->cfg.source[0] = &c->dut.source;
    c->cfg.source[1] = &c->dut.source;
    return 0;
}

static int certify(struct mrct_certify *c)
{
    if (c->deviants) {
        return mrct_certify_deviants(c);
    }
    if (c->taken == 0) {
        return no_case(c);
    }
    if (c->list) {
        return list_cases(c);
    }
    if (reach_device(c) != 0) {
        return MRCT_EXIT_USAGE;
    }
    mrct_certify_clock(c);
    char err[700];
    if (c->cfg.out_dir != NULL && mrct_report_make_dir(c->cfg.out_dir, err, sizeof err) != 0) {
        return mrct_cli_fail("certify", "%s", err);
    }
    if (!c->json) {
        printf("seed %" PRIu64 ", device %s, %zu cases\n", c->cfg.seed, c->device, c->taken);
    }
    struct mrct_pool pool;
    mrct_pool_init(&pool);
    const int status = run_cases(c, &pool);
    mrct_pool_fini(&pool);
    return status;
}

/* In its own place when that was asked for. */
static int certify_somewhere(struct mrct_certify *c)
{
    c->dut.live = c->live && c->dut.has_manifest;
    int status = c->live && !c->list && !c->dut.live ? mrct_certify_go_live(c) : 0;
    if (status == 0) {
        status = certify(c);
        mrct_certify_come_back(c);
    }
    return status;
}

int mrct_cmd_certify(int argc, char **argv)
{
    struct mrct_certify *const c = calloc(1, sizeof *c);
    if (c == NULL) {
        return mrct_cli_fail("certify", "out of memory");
    }
    mrct_run_config_default(&c->cfg);
    c->device = "reference";
    c->selection.role = -1;
    c->selection.globs = c->globs;
    c->cfg.lacks = c->lacks;
    int status = take_command_line(c, argc, argv);
    if (status == MRCT_CLI_END && make_replay(c) != 0) {
        (void)mrct_cli_fail("certify", "out of memory");
        status = MRCT_EXIT_HARNESS;
    } else if (status == MRCT_CLI_END) {
        c->claims_path = c->claims_path == NULL && c->dut.has_manifest ? c->device : c->claims_path;
        status = load_plan(c);
        if (status == 0) {
            status = mrct_certify_claims_load(c);
            status = status == 0 ? certify_somewhere(c) : status;
            mrct_claims_fini(&c->claims);
            mrct_plan_fini(&c->plan);
        }
    } else {
        status = status == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    mrct_device_close(&c->dut);
    free(c->replay);
    free(c);
    return status;
}
