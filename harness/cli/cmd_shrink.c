/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct shrink: the smallest case that still fails. */
#include "harness/cases/case_print.h"
#include "harness/cases/plan.h"
#include "harness/cases/shrink.h"
#include "harness/cases/swarm.h"
#include "harness/cli/cli.h"
#include "harness/report/escape.h"
#include "harness/report/report.h"
#include "harness/trace/outfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option { OPT_DEVICE, OPT_SEED, OPT_SWARM, OPT_READING, OPT_CASES, OPT_RUNS, OPT_OUT };
static const struct mrct_cli_option options[] = {
    [OPT_DEVICE] = {"device", 'd', "NAME", "reference (default), or deviant:NAME"},
    [OPT_SEED] = {"seed", 0, "N", "seed of everything random (default 1)"},
    [OPT_SWARM] = {"swarm", 0, "N", "shrink what mrct swarm draws from this seed"},
    [OPT_READING] = {"reading", 'r', "Qn=x", "reading of an open question; may be given again"},
    [OPT_CASES] = {"cases", 0, "DIR", "take the case from DIR"},
    [OPT_RUNS] = {"runs", 0, "N", "try no more than N runs (default 5000)"},
    [OPT_OUT] = {"out", 'o', "DIR", "write the case into DIR, as DIR/SUBJECT/NAME.yaml"},
    {0},
};

struct shrinking {
    struct mrct_run_config cfg;
    char reading[200];
    const char *device, *cases_dir, *out_dir, *id;
    bool swarm;
    uint64_t swarm_seed, runs;
};

static int take_device(struct shrinking *s, const char *value)
{
    static const char prefix[] = "deviant:";
    s->device = value;
    if (strcmp(value, "reference") == 0) {
        return 0;
    }
    s->cfg.deviant = strncmp(value, prefix, sizeof prefix - 1) == 0
                         ? mrct_deviant_find(value + sizeof prefix - 1)
                         : NULL;
    return s->cfg.deviant != NULL
               ? 0
               : mrct_cli_fail("shrink", "'%s' is no device: reference, or deviant:NAME", value);
}

static int take_number(const char *value, const char *what, uint64_t min, uint64_t *out)
{
    return mrct_cli_u64(value, min, UINT64_MAX, out)
               ? 0
               : mrct_cli_fail("shrink", "'%s' is no %s (a whole number)", value, what);
}

static int take_option(struct shrinking *s, enum option option, const char *value)
{
    char err[300];
    switch (option) {
    case OPT_DEVICE:
        return take_device(s, value);
    case OPT_SEED:
        return take_number(value, "seed", 0, &s->cfg.seed);
    case OPT_SWARM:
        s->swarm = true;
        return take_number(value, "seed", 0, &s->swarm_seed);
    case OPT_READING:
        return mrct_cli_reading(s->cfg.reading, value, err, sizeof err) == 0
                   ? 0
                   : mrct_cli_fail("shrink", "%s", err);
    case OPT_CASES:
        s->cases_dir = value;
        return 0;
    case OPT_RUNS:
        return take_number(value, "number of runs", 1, &s->runs);
    case OPT_OUT:
        s->out_dir = value;
        return 0;
    }
    return 0;
}

static int take_command_line(struct shrinking *s, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "shrink",
                           .operands = "[CASE]",
                           .summary = "Reduces a failing run to the fewest faults and packets "
                                      "that still fail, and prints\nit as a case.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    while ((option = mrct_cli_next(&cli)) >= 0) {
        if (take_option(s, (enum option)option, cli.value) != 0) {
            return MRCT_CLI_BAD;
        }
    }
    char **operands = NULL;
    const int n = option == MRCT_CLI_END ? mrct_cli_operands(&cli, &operands) : 0;
    if (option == MRCT_CLI_END && n != (s->swarm ? 0 : 1)) {
        (void)mrct_cli_fail("shrink",
                            "either a case or --swarm was expected (see mrct shrink --help)");
        return MRCT_CLI_BAD;
    }
    s->id = n > 0 ? operands[0] : NULL;
    return option;
}

/* ---- what is shrunk ---- */

static char *read_all(const char *path)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const f = fopen(path, "rb");
    FILE *const to = open_memstream(&text, &len);
    for (int c = 0; f != NULL && to != NULL && (c = fgetc(f)) != EOF;) {
        fputc(c, to);
    }
    if (to != NULL) {
        (void)fclose(to);
    }
    if (f == NULL) {
        free(text);
        return NULL;
    }
    (void)fclose(f);
    return text;
}

/* The text of a case of the catalogue; path of cap bytes. NULL with a sentence told. */
static char *text_of_case(const struct shrinking *s, char *path, size_t cap)
{
    char dir[4096];
    if (mrct_plan_dir(s->cases_dir, dir, sizeof dir) != 0) {
        (void)mrct_cli_fail("shrink", "%s: no such directory of cases", dir);
        return NULL;
    }
    if ((size_t)snprintf(path, cap, "%s/%s.yaml", dir, s->id) >= cap) {
        (void)mrct_cli_fail("shrink", "the name of the case is too long");
        return NULL;
    }
    char *const text = read_all(path);
    if (text == NULL) {
        (void)mrct_cli_fail("shrink", "%s: there is no such case", path);
    }
    return text;
}

static char *text_of_swarm(struct shrinking *s, char *path, size_t cap)
{
    struct mrct_case c;
    char *text = NULL;
    size_t len = 0;
    (void)snprintf(path, cap, "swarm/%" PRIu64, s->swarm_seed);
    char drawn[MRCT_QUESTIONS_MAX] = {0};
    if (mrct_swarm_draw(&c, drawn, s->swarm_seed) != 0) {
        (void)mrct_cli_fail("shrink", "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < MRCT_QUESTIONS_MAX; i++) {
        if (s->cfg.reading[i] == 0) {
            s->cfg.reading[i] = drawn[i];
        }
    }
    FILE *const f = open_memstream(&text, &len);
    if (f != NULL) {
        mrct_case_print(&c, path, f);
        (void)fclose(f);
    }
    mrct_case_fini(&c);
    s->cfg.seed = s->swarm_seed;
    return text;
}

static void progress(const struct mrct_shrink *k)
{
    fprintf(stderr, "\r\033[K%u runs: %zu faults, %zu steps, %" PRIu64 " frames", k->runs,
            k->after.faults, k->after.steps, k->after.frames);
}

/* ---- what comes out ---- */

/* The case, with what it shows and how to run it above it. */
static void print_case(const struct shrinking *s, const struct mrct_shrink *k, const char *id,
                       const char *yaml, FILE *out)
{
    char readings[200];
    mrct_cli_reading_str(s->cfg.reading, readings, sizeof readings);
    fputs("# SPDX-License-Identifier: BSD-2-Clause\n# ", out);
    mrct_escape_line(out, k->why, 0);
    fprintf(out,
            "\n# faults %zu of %zu, steps %zu of %zu, frames %" PRIu64 " of %" PRIu64
            "; %u runs%s\n",
            k->after.faults, k->before.faults, k->after.steps, k->before.steps, k->after.frames,
            k->before.frames, k->runs, k->exhausted ? ", which is all that --runs allows" : "");
    fprintf(out, "# As DIR/%s.yaml: mrct certify --cases DIR --seed %" PRIu64 " --device %s%s%s\n",
            id, s->cfg.seed, s->device, readings[0] != '\0' ? " --reading " : "", readings);
    fputs(yaml, out);
}

static int write_file(const struct shrinking *s, const struct mrct_shrink *k, const char *id,
                      const char *yaml)
{
    char path[4096];
    char dir[4096];
    char err[700];
    struct mrct_outfile f;
    const char *const slash = strchr(id, '/');
    (void)snprintf(dir, sizeof dir, "%s/%.*s", s->out_dir,
                   slash != NULL ? (int)(slash - id) : (int)strlen(id), id);
    if ((size_t)snprintf(path, sizeof path, "%s/%s.yaml", s->out_dir, id) >= sizeof path) {
        return mrct_cli_fail("shrink", "%s: the name is too long", s->out_dir);
    }
    if (mrct_report_make_dir(dir, err, sizeof err) == 0 &&
        mrct_outfile_open(&f, path, err, sizeof err) == 0) {
        print_case(s, k, id, yaml, f.file);
        if (mrct_outfile_commit(&f, err, sizeof err) == 0) {
            return MRCT_EXIT_PASS;
        }
    }
    (void)mrct_cli_fail("shrink", "%s", err);
    return MRCT_EXIT_HARNESS;
}

static int tell(const struct shrinking *s, const struct mrct_shrink *k, const char *id,
                const char *yaml)
{
    print_case(s, k, id, yaml, stdout);
    return s->out_dir != NULL ? write_file(s, k, id, yaml) : MRCT_EXIT_PASS;
}

static int shrink_text(struct shrinking *s, const char *path, const char *text, const char *id)
{
    struct mrct_pool pool;
    char err[700];
    struct mrct_shrink k = {.cfg = &s->cfg,
                            .runs_max = s->runs > UINT32_MAX ? UINT32_MAX : (unsigned)s->runs};
    k.progress = isatty(STDERR_FILENO) ? progress : NULL;
    mrct_pool_init(&pool);
    const char *const yaml = mrct_shrink_case(&k, path, text, &pool, err, sizeof err);
    if (k.progress != NULL) {
        fputs("\r\033[K", stderr);
    }
    int status = MRCT_EXIT_NOTHING;
    if (yaml != NULL) {
        status = tell(s, &k, id, yaml);
    } else if (err[0] != '\0') {
        status = mrct_cli_fail("shrink", "%s", err);
    } else {
        (void)mrct_cli_fail("shrink", "%s does not fail: it is %s%s%s", id,
                            mrct_verdict_str(k.verdict), k.why[0] != '\0' ? ", " : "", k.why);
    }
    mrct_pool_fini(&pool);
    return status;
}

int mrct_cmd_shrink(int argc, char **argv)
{
    struct shrinking s = {.device = "reference", .runs = 5000};
    mrct_run_config_default(&s.cfg);
    const int option = take_command_line(&s, argc, argv);
    if (option != MRCT_CLI_END) {
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    char path[4096];
    char *const text =
        s.swarm ? text_of_swarm(&s, path, sizeof path) : text_of_case(&s, path, sizeof path);
    if (text == NULL) {
        return MRCT_EXIT_USAGE;
    }
    const int status = shrink_text(&s, path, text, s.swarm ? path : s.id);
    free(text);
    return status;
}
