/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct interop: every ordered pair of devices through the cases meant for two. */
#include "gen/mrc_req.h"
#include "harness/cli/fitness.h"
#include "harness/cli/interop.h"
#include "harness/report/json.h"
#include "harness/report/matrix.h"
#include "harness/report/report.h"
#include "harness/trace/outfile.h"

#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 256u

enum option {
    OPT_CASE,
    OPT_SECTION,
    OPT_LIST,
    OPT_SEED,
    OPT_OUT,
    OPT_RESUME,
    OPT_JOBS,
    OPT_CAPTURES,
    OPT_JSON,
    OPT_STRICT,
    OPT_READING,
    OPT_CASES,
    OPT_LIVE
};
static const struct mrct_cli_option options[] = {
    [OPT_CASE] = {"case", 'c', "ID",
                  "run the cases of this id; may hold * and ?, and be given again"},
    [OPT_SECTION] = {"section", 0, "S", "run the cases of this folder or section"},
    [OPT_LIST] = {"list", 'l', NULL, "list the cases meant for two devices and run none"},
    [OPT_SEED] = {"seed", 0, "N", "seed of everything random (default 1)"},
    [OPT_OUT] = {"out", 'o', "DIR", "write index.html, matrix.json and a folder per cell into DIR"},
    [OPT_RESUME] = {"resume", 0, "DIR", "as --out, and keep the cells that are there already"},
    [OPT_JOBS] = {"jobs", 'j', "N", "cells at a time (default: 2)"},
    [OPT_CAPTURES] = {"captures", 0, "WHICH",
                      "notable (default: cases that did not pass, and one of each\n"
                      "cell that did), all, or none"},
    [OPT_JSON] = {"json", 0, NULL, "print the matrix as JSON instead of text"},
    [OPT_STRICT] = {"strict", 's', NULL, "evidence S and U fails, and readings chosen are binding"},
    [OPT_READING] = {"reading", 'r', "Qn=x", "reading of an open question; may be given again"},
    [OPT_CASES] = {"cases", 0, "DIR", "take the cases from DIR"},
    [OPT_LIVE] = {"live", 0, NULL,
                  "use the ports of devices that have a manifest, with the fabric between the\n"
                  "interfaces named there; needs root"},
    {0},
};

static int take_captures(struct mrct_interop *t, const char *value)
{
    static const char *const words[] = {
        [MRCT_KEEP_NOTABLE] = "notable", [MRCT_KEEP_ALL] = "all", [MRCT_KEEP_NONE] = "none"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], value) == 0) {
            t->keep = (enum mrct_interop_keep)i;
            return 0;
        }
    }
    return mrct_cli_fail("interop", "'%s' is not notable, all or none", value);
}

static int take_option(struct mrct_interop *t, enum option option, const char *value, bool *list)
{
    char err[300];
    uint64_t n = 0;
    switch (option) {
    case OPT_CASE:
        if (t->selection.glob_count == MRCT_INTEROP_GLOBS_MAX)
            return mrct_cli_fail("interop", "at most %u cases can be named",
                                 MRCT_INTEROP_GLOBS_MAX);
        t->globs[t->selection.glob_count++] = value;
        return 0;
    case OPT_SECTION:
        t->selection.section = value;
        return 0;
    case OPT_LIST:
        *list = true;
        return 0;
    case OPT_SEED:
        return mrct_cli_u64(value, 0, INT64_MAX, &t->cfg.seed)
                   ? 0
                   : mrct_cli_fail("interop", "'%s' is no seed (a whole number)", value);
    case OPT_RESUME:
        t->resume = true;
        t->out = value;
        return 0;
    case OPT_OUT:
        t->out = value;
        return 0;
    case OPT_JOBS:
        if (!mrct_cli_u64(value, 1, JOBS_MAX, &n))
            return mrct_cli_fail("interop", "'%s' is no number of 1 to %u", value, JOBS_MAX);
        t->jobs = (unsigned)n;
        return 0;
    case OPT_CAPTURES:
        return take_captures(t, value);
    case OPT_JSON:
        t->json = true;
        return 0;
    case OPT_STRICT:
        t->cfg.strict = true;
        return 0;
    case OPT_READING:
        return mrct_cli_reading(t->cfg.reading, value, err, sizeof err) == 0
                   ? 0
                   : mrct_cli_fail("interop", "%s", err);
    case OPT_CASES:
        t->cases_dir = value;
        return 0;
    case OPT_LIVE:
        t->live = true;
        return 0;
    }
    return 0;
}

/* ---- what there is to do ---- */

static int load_plan(struct mrct_interop *t)
{
    char err[700];
    if (mrct_plan_dir(t->cases_dir, t->dir, sizeof t->dir) != 0)
        return mrct_cli_fail("interop", "%s: no such directory of cases", t->dir);
    if (mrct_plan_load(&t->plan, t->dir, err, sizeof err) != 0)
        return mrct_cli_fail("interop", "%s", err);
    (void)mrct_plan_select(&t->plan, &t->selection);
    t->taken = 0;
    for (size_t i = 0; i < t->plan.count; i++) {
        t->plan.taken[i] = t->plan.taken[i] && mrct_interop_fits(&t->plan.cases[i]);
        t->taken += t->plan.taken[i];
    }
    return 0;
}

static int open_devices(struct mrct_interop *t, int n, char **operands)
{
    char err[700];
    if (n == 0)
        return mrct_cli_fail("interop", "no device was given (see --help)");
    if (n > (int)MRCT_INTEROP_DEVICES_MAX)
        return mrct_cli_fail("interop", "at most %u devices", MRCT_INTEROP_DEVICES_MAX);
    t->devices = calloc((size_t)n, sizeof *t->devices);
    t->unfit = calloc((size_t)n, sizeof *t->unfit);
    if (t->devices == NULL || t->unfit == NULL)
        return mrct_cli_fail("interop", "out of memory");
    for (int i = 0; i < n; i++) {
        if (mrct_device_open(&t->devices[i], operands[i], err, sizeof err) != 0)
            return mrct_cli_fail("interop", "%s", err);
        t->device_count++;
        t->devices[i].live = t->live && t->devices[i].manifest.port_count > 0;
        for (int k = 0; k < i; k++)
            if (strcmp(t->devices[k].name, t->devices[i].name) == 0)
                return mrct_cli_fail("interop", "two devices are called '%s'", t->devices[i].name);
    }
    return 0;
}

/* Before any verdict: is each agent fit? One that is not spoils its own cells. */
static void check_devices(struct mrct_interop *t)
{
    for (size_t i = 0; i < t->device_count && t->unfit != NULL; i++) {
        struct mrct_device *const d = &t->devices[i];
        char *const why = t->unfit[i];
        if (mrct_fitness(d, &t->plan, t->cfg.seed, why, sizeof t->unfit[i]) == 0 &&
            mrct_device_ready(d, mrct_capabilities, why, sizeof t->unfit[i]) == 0)
            why[0] = '\0';
        mrct_device_end(d, 0);
    }
}

/* ---- what came of it ---- */

static json_t *make_matrix(const struct mrct_interop *t, json_t **cells)
{
    static const enum mrct_verdict order[] = {MRCT_ERROR, MRCT_FAIL, MRCT_INCONCLUSIVE, MRCT_PASS};
    size_t n[MRCT_VERDICTS] = {0};
    json_t *const list = json_array(), *const devices = json_array();
    for (size_t i = 0; i < t->device_count * t->device_count; i++) {
        json_t *const row = json_copy(cells[i]);
        n[mrct_matrix_verdict(row)]++;
        (void)json_object_set_new(
            row, "page",
            json_boolean(t->out != NULL && json_array_size(json_object_get(row, "cases")) > 0));
        (void)json_object_del(row, "cases");
        (void)json_object_del(row, "schema");
        (void)json_object_del(row, "fingerprint");
        (void)json_array_append_new(list, row);
    }
    for (size_t i = 0; i < t->device_count; i++)
        (void)json_array_append(devices, json_object_get(cells[i * t->device_count], "requestor"));
    enum mrct_verdict v = MRCT_NOT_APPLICABLE;
    for (size_t i = sizeof order / sizeof order[0]; i-- > 0;)
        v = n[order[i]] > 0 ? order[i] : v;
    return json_pack("{s:s,s:s,s:s,s:I,s:s,s:s,s:o,s:o}", "schema", "mrct-interop/1", "suite",
                     MRCT_VERSION, "spec_hash", mrc_spec_hash, "seed", (json_int_t)t->cfg.seed,
                     "reading", t->readings, "verdict", mrct_verdict_str(v), "devices", devices,
                     "cells", list);
}

static int write_file(const struct mrct_interop *t, const char *name, const json_t *matrix,
                      bool html)
{
    char path[4200], err[700];
    struct mrct_outfile out;
    (void)snprintf(path, sizeof path, "%s/%s", t->out, name);
    if (mrct_outfile_open(&out, path, err, sizeof err) != 0)
        return mrct_cli_fail("interop", "%s", err);
    if (html) {
        mrct_matrix_html(matrix, out.file);
    } else if (mrct_json_write((json_t *)matrix, out.file) != 0) {
        mrct_outfile_abort(&out);
        return mrct_cli_fail("interop", "%s: cannot write", path);
    }
    return mrct_outfile_commit(&out, err, sizeof err) == 0 ? 0
                                                           : mrct_cli_fail("interop", "%s", err);
}

static int exit_status(const json_t *matrix)
{
    switch (mrct_matrix_verdict(matrix)) {
    case MRCT_PASS:
        return MRCT_EXIT_PASS;
    case MRCT_NOT_APPLICABLE:
        return MRCT_EXIT_NOTHING;
    case MRCT_INCONCLUSIVE:
        return MRCT_EXIT_INCONCLUSIVE;
    case MRCT_FAIL:
        return MRCT_EXIT_FAIL;
    case MRCT_ERROR:
        break;
    }
    return MRCT_EXIT_HARNESS;
}

static int report(const struct mrct_interop *t, json_t **cells)
{
    struct mrct_term term;
    json_t *const matrix = make_matrix(t, cells);
    int status = matrix != NULL ? exit_status(matrix) : MRCT_EXIT_HARNESS;
    if (t->out != NULL && (write_file(t, "matrix.json", matrix, false) != 0 ||
                           write_file(t, "index.html", matrix, true) != 0))
        status = MRCT_EXIT_HARNESS;
    mrct_term_init(&term, stdout, t->taken);
    if (t->json)
        (void)mrct_json_write(matrix, stdout);
    else
        mrct_matrix_term(&term, matrix);
    if (t->out != NULL && !t->json)
        printf("report: %s/index.html\n", t->out);
    json_decref(matrix);
    return status;
}

static int run(struct mrct_interop *t)
{
    char err[700], path[4200];
    const size_t n = t->device_count * t->device_count;
    json_t **const cells = calloc(n, sizeof(json_t *));
    if (cells == NULL)
        return mrct_cli_fail("interop", "out of memory");
    (void)snprintf(path, sizeof path, "%s/cells", t->out != NULL ? t->out : "");
    if (t->out != NULL && mrct_report_make_dir(path, err, sizeof err) != 0) {
        free(cells);
        return mrct_cli_fail("interop", "%s", err);
    }
    mrct_cli_reading_str(t->cfg.reading, t->readings, sizeof t->readings);
    t->fingerprint = mrct_interop_fingerprint(t);
    check_devices(t);
    if (!t->json)
        printf("seed %llu, %zu devices, %zu cases\n", (unsigned long long)t->cfg.seed,
               t->device_count, t->taken);
    int status = MRCT_EXIT_HARNESS;
    if (mrct_interop_work(t, cells, err, sizeof err) != 0)
        (void)mrct_cli_fail("interop", "%s", err);
    else
        status = report(t, cells);
    for (size_t i = 0; i < n; i++)
        json_decref(cells[i]);
    free(cells);
    return status;
}

static int list_cases(const struct mrct_interop *t)
{
    for (size_t i = 0; i < t->plan.count; i++)
        if (t->plan.taken[i])
            printf("%-34s %s\n", t->plan.cases[i].id, t->plan.cases[i].title);
    return MRCT_EXIT_PASS;
}

static int interop(struct mrct_interop *t, int n, char **operands, bool list)
{
    if (load_plan(t) != 0)
        return MRCT_EXIT_USAGE;
    if (t->taken == 0) {
        (void)mrct_cli_fail("interop", "none of the cases meant for two devices matches");
        return MRCT_EXIT_NOTHING;
    }
    if (list)
        return list_cases(t);
    return open_devices(t, n, operands) == 0 ? run(t) : MRCT_EXIT_USAGE;
}

int mrct_cmd_interop(int argc, char **argv)
{
    struct mrct_interop t = {.jobs = 2};
    struct mrct_cli cli = {.command = "interop",
                           .operands = "DEVICE...",
                           .summary = "Runs every ordered pair of devices through the cases meant "
                                      "for two, in virtual time\nor live. A DEVICE is reference, "
                                      "deviant:NAME, or the file of a manifest.",
                           .options = options};
    char **operands = NULL;
    bool list = false;
    int option;
    mrct_run_config_default(&t.cfg);
    t.cfg.strict = false;
    t.selection.role = -1;
    t.selection.globs = t.globs;
    mrct_cli_begin(&cli, argc, argv);
    while ((option = mrct_cli_next(&cli)) >= 0)
        if (take_option(&t, (enum option)option, cli.value, &list) != 0)
            return MRCT_EXIT_USAGE;
    if (option != MRCT_CLI_END)
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    const int n = mrct_cli_operands(&cli, &operands);
    const int status = interop(&t, n, operands, list);
    for (size_t i = 0; i < t.device_count; i++)
        mrct_device_close(&t.devices[i]);
    free(t.devices);
    free(t.unfit);
    mrct_plan_fini(&t.plan);
    return status;
}
