/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct mutation: the suite tested by its liars, as a matrix, and each check by its absence. */
#include "harness/cases/plan.h"
#include "harness/cli/cli.h"
#include "harness/cli/mutation.h"
#include "harness/report/report.h"
#include "harness/trace/outfile.h"

#include <unistd.h>

enum option { OPT_JOBS, OPT_OUT, OPT_JSON, OPT_LISTED, OPT_SEED, OPT_CASES };
static const struct mrct_cli_option options[] = {
    [OPT_JOBS] = {"jobs", 0, "N", "threads (default: one per processor)"},
    [OPT_OUT] = {"out", 'o', "DIR", "write matrix.html and matrix.json into DIR"},
    [OPT_JSON] = {"json", 'j', NULL, "print the matrix as JSON instead of text"},
    [OPT_LISTED] = {"listed", 0, NULL,
                    "play a deviant only in the cases of its file, not in all of its role"},
    [OPT_SEED] = {"seed", 0, "N", "seed of everything random (default 1)"},
    [OPT_CASES] = {"cases", 0, "DIR", "take the cases from DIR"},
    {0},
};

struct mutation {
    struct mrct_run_config cfg;
    struct mrct_matrix_options matrix;
    const char *out_dir, *cases_dir;
    bool json;
};

const char *mrct_mutation_end_str(enum mrct_liar_end end)
{
    static const char *const words[] = {[MRCT_LIAR_NAMED] = "named",
                                        [MRCT_LIAR_MISNAMED] = "MISNAMED",
                                        [MRCT_LIAR_UNEXPLAINED] = "UNEXPLAINED",
                                        [MRCT_LIAR_ALIVE] = "ALIVE",
                                        [MRCT_LIAR_HARNESS] = "ERROR"};
    return words[end];
}

const char *mrct_mutation_proof_str(enum mrct_matrix_proof proof)
{
    static const char *const words[] = {[MRCT_PROOF_FREE] = "free",
                                        [MRCT_PROOF_OTHERWISE] = "named otherwise",
                                        [MRCT_PROOF_NONE] = "STILL NAMED",
                                        [MRCT_PROOF_NOBODY] = "NO DEVIANT"};
    return words[proof];
}

static int take_command_line(struct mutation *u, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "mutation",
                           .operands = "",
                           .summary = "Plays every deviant in every case of its role, and switches "
                                      "off each check in turn.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    uint64_t jobs = u->matrix.jobs;
    while ((option = mrct_cli_next(&cli)) >= 0) {
        if (option == OPT_JOBS && !mrct_cli_u64(cli.value, 1, 256, &jobs)) {
            (void)mrct_cli_fail("mutation", "'%s' is no number of threads, 1..256", cli.value);
            return MRCT_CLI_BAD;
        }
        if (option == OPT_SEED && !mrct_cli_u64(cli.value, 0, UINT64_MAX, &u->cfg.seed)) {
            (void)mrct_cli_fail("mutation", "'%s' is no seed (a whole number)", cli.value);
            return MRCT_CLI_BAD;
        }
        u->out_dir = option == OPT_OUT ? cli.value : u->out_dir;
        u->cases_dir = option == OPT_CASES ? cli.value : u->cases_dir;
        u->json = u->json || option == OPT_JSON;
        u->matrix.listed_only = u->matrix.listed_only || option == OPT_LISTED;
    }
    u->matrix.jobs = (unsigned)jobs;
    char **operands = NULL;
    if (option == MRCT_CLI_END && mrct_cli_operands(&cli, &operands) != 0) {
        (void)mrct_cli_fail("mutation", "'%s' was not expected (see mrct mutation --help)",
                            operands[0]);
        return MRCT_CLI_BAD;
    }
    return option;
}

static void show_progress(void *user, size_t done, size_t total)
{
    (void)user;
    if (done % 64 == 0 || done == total) {
        fprintf(stderr, "\r\033[K%zu of %zu runs", done, total);
    }
}

/* ---- output ---- */

static void print_deviant(const struct mrct_matrix *m, size_t i)
{
    const struct mrct_liar *const l = &m->liars->list[i];
    size_t run = 0;
    size_t caught = 0;
    for (size_t k = 0; k < m->plan->count; k++) {
        const struct mrct_matrix_cell *const c = mrct_matrix_cell(m, i, k);
        run += c->run;
        caught += c->run && c->end != MRCT_LIAR_ALIVE && c->end != MRCT_LIAR_HARNESS;
    }
    printf("%-12s %-14s %-32s caught in %3zu of %3zu cases\n",
           mrct_mutation_end_str(mrct_matrix_end(m, i)), l->breaks, l->name, caught, run);
}

static void print_text(const struct mrct_matrix *m)
{
    for (size_t i = 0; i < m->deviants; i++) {
        print_deviant(m, m->order[i]);
    }
    for (size_t i = 0; i < m->check_count; i++) {
        const struct mrct_matrix_check *const c = &m->checks[i];
        if (c->proof >= MRCT_PROOF_NONE) {
            printf("%-12s %-14s %s switched off\n", mrct_mutation_proof_str(c->proof),
                   c->requirement, c->name);
        }
    }
    printf("%zu checks, %zu proven by a deviant that passes under their name without them, %zu of "
           "these go free\n",
           m->check_count, m->proven, m->free);
    printf("%zu deviants, %zu killed, %zu by the named requirement\n", m->deviants, m->killed,
           m->named);
}

static int write_file(const char *dir, const char *name, const struct mrct_matrix *m,
                      const json_t *json)
{
    char path[4096];
    char err[700];
    struct mrct_outfile o;
    const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= sizeof path) {
        return mrct_cli_fail("mutation", "%s: the name is too long", dir);
    }
    if (mrct_outfile_open(&o, path, err, sizeof err) != 0) {
        return mrct_cli_fail("mutation", "%s", err);
    }
    if (json != NULL) {
        (void)json_dumpf(json, o.file, JSON_INDENT(1));
        (void)fputc('\n', o.file);
    } else {
        mrct_mutation_html(m, o.file);
    }
    return mrct_outfile_commit(&o, err, sizeof err) == 0 ? 0 : mrct_cli_fail("mutation", "%s", err);
}

static int write_out(const struct mutation *u, const struct mrct_matrix *m)
{
    char err[700];
    json_t *const json = mrct_mutation_json(m);
    int rc = json != NULL ? 0 : mrct_cli_fail("mutation", "out of memory");
    if (rc == 0 && u->out_dir != NULL) {
        rc = mrct_report_make_dir(u->out_dir, err, sizeof err) == 0
                 ? 0
                 : mrct_cli_fail("mutation", "%s", err);
        rc = rc == 0 ? write_file(u->out_dir, "matrix.html", m, NULL) : rc;
        rc = rc == 0 ? write_file(u->out_dir, "matrix.json", m, json) : rc;
    }
    if (rc == 0 && u->json) {
        (void)json_dumpf(json, stdout, JSON_INDENT(1));
        (void)putchar('\n');
    } else if (rc == 0) {
        print_text(m);
    }
    json_decref(json);
    return rc;
}

static int verdict(const struct mrct_matrix *m)
{
    if (m->harness) {
        return MRCT_EXIT_HARNESS;
    }
    const bool good = m->killed == m->deviants && m->named == m->deviants &&
                      m->explained == m->deviants && m->proven + m->excused == m->check_count;
    return good ? MRCT_EXIT_PASS : MRCT_EXIT_FAIL;
}

static int run(struct mutation *u, const char *dir, struct mrct_plan *plan)
{
    char err[700];
    struct mrct_liars liars;
    struct mrct_matrix m;
    if (mrct_liars_load(&liars, dir, plan, err, sizeof err) != 0) {
        return mrct_cli_fail("mutation", "%s", err);
    }
    int rc = MRCT_EXIT_HARNESS;
    if (mrct_matrix_run(&m, &u->cfg, &liars, plan, &u->matrix) != 0) {
        (void)mrct_cli_fail("mutation", "out of memory");
    } else {
        if (u->matrix.progress != NULL) {
            fputs("\r\033[K", stderr);
        }
        rc = write_out(u, &m);
        rc = rc == 0 ? verdict(&m) : rc;
        mrct_matrix_fini(&m);
    }
    mrct_liars_fini(&liars);
    return rc;
}

int mrct_cmd_mutation(int argc, char **argv)
{
    struct mutation u = {.matrix = {.jobs = 1}};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    u.matrix.jobs = processors > 1 && processors <= 256 ? (unsigned)processors : 1;
    u.matrix.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
    mrct_run_config_default(&u.cfg);
    u.cfg.strict = true;
    const int option = take_command_line(&u, argc, argv);
    if (option != MRCT_CLI_END) {
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    char dir[4096];
    char err[700];
    struct mrct_plan plan;
    if (mrct_plan_dir(u.cases_dir, dir, sizeof dir) != 0) {
        return mrct_cli_fail("mutation", "%s: there is no such folder of cases",
                             u.cases_dir != NULL ? u.cases_dir : dir);
    }
    if (mrct_plan_load(&plan, dir, err, sizeof err) != 0) {
        return mrct_cli_fail("mutation", "%s", err);
    }
    const int rc = run(&u, dir, &plan);
    mrct_plan_fini(&plan);
    return rc;
}
