/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct sim: a cluster in virtual time, from a scene file. */
#include "harness/cli/cli.h"
#include "harness/cli/sim_write.h"
#include "harness/sim/expect.h"
#include "harness/sim/sim.h"

#include <inttypes.h>
#include <unistd.h>

enum option { OPT_JSON, OPT_OUT, OPT_SEED };
static const struct mrct_cli_option options[] = {
    [OPT_JSON] = {"json", 'j', "FILE", "write the results as JSON, - for standard output"},
    [OPT_OUT] =
        {"out", 'o', "DIR",
         "write report.html, results.json, samples.csv, links.csv, queues.csv, flows.csv and, of\n"
         "watched hosts, evs.csv into DIR, which is made"},
    [OPT_SEED] = {"seed", 's', "N", "draw from this seed instead of the scene's"},
    {0},
};

struct args {
    const char *scene, *json, *out;
    bool have_seed;
    uint64_t seed;
};

static int take_command_line(struct args *a, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "sim",
                           .operands = "FILE.yaml",
                           .summary = "Runs a cluster of reference endpoints in virtual time.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    while ((option = mrct_cli_next(&cli)) >= 0) {
        if (option == OPT_JSON)
            a->json = cli.value;
        if (option == OPT_OUT)
            a->out = cli.value;
        if (option == OPT_SEED && !mrct_cli_u64(cli.value, 0, UINT64_MAX, &a->seed)) {
            (void)mrct_cli_fail("sim", "'%s' is no seed", cli.value);
            return MRCT_CLI_BAD;
        }
        a->have_seed = a->have_seed || option == OPT_SEED;
    }
    char **operands = NULL;
    if (option == MRCT_CLI_END && mrct_cli_operands(&cli, &operands) != 1) {
        (void)mrct_cli_fail("sim", "one scene file was expected (see mrct sim --help)");
        return MRCT_CLI_BAD;
    }
    if (option == MRCT_CLI_END)
        a->scene = operands[0];
    return option;
}

static void progress(void *user, uint64_t now_ns, size_t done, size_t flows)
{
    (void)user;
    fprintf(stderr, "\r\033[K%.3f ms, %zu of %zu flows done", (double)now_ns / 1e6, done, flows);
}

static void print_works(json_t *r)
{
    const char *name = NULL;
    json_t *w = NULL;
    json_object_foreach(json_object_get(r, "works"), name, w)
    {
        const json_t *const fct = json_object_get(w, "fct_ns");
        printf("  %-16s %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
               " flows done, %.2f Gb/s, Jain %.4f, flow time p50 %.1f p99 %.1f p99.9 %.1f us, "
               "%" JSON_INTEGER_FORMAT " retransmissions\n",
               name, json_integer_value(json_object_get(w, "done")),
               json_integer_value(json_object_get(w, "flows")),
               json_real_value(json_object_get(w, "goodput_bps")) / 1e9,
               json_real_value(json_object_get(w, "jain")),
               json_real_value(json_object_get(fct, "p50")) / 1e3,
               json_real_value(json_object_get(fct, "p99")) / 1e3,
               json_real_value(json_object_get(fct, "p99.9")) / 1e3,
               json_integer_value(json_object_get(w, "retransmissions")));
    }
    const json_t *const p = json_object_get(r, "packets");
    printf("  packets: %" JSON_INTEGER_FORMAT " sent, %" JSON_INTEGER_FORMAT
           " delivered, %" JSON_INTEGER_FORMAT " marked, %" JSON_INTEGER_FORMAT
           " trimmed, %" JSON_INTEGER_FORMAT " dropped by queues\n",
           json_integer_value(json_object_get(p, "sent")),
           json_integer_value(json_object_get(p, "delivered")),
           json_integer_value(json_object_get(p, "marked")),
           json_integer_value(json_object_get(p, "trimmed")),
           json_integer_value(json_object_get(p, "dropped_queue")));
}

static void print(json_t *r)
{
    printf("%s: %" JSON_INTEGER_FORMAT " hosts, %.3f ms\n",
           json_string_value(json_object_get(r, "title")),
           json_integer_value(json_object_get(r, "hosts")),
           (double)json_integer_value(json_object_get(r, "time_ns")) / 1e6);
    print_works(r);
}

static void print_expect(json_t *r)
{
    size_t i = 0;
    json_t *e = NULL;
    json_array_foreach(json_object_get(r, "expect"), i, e)
    {
        const json_t *const v = json_object_get(e, "value");
        printf("  %s %s: ", json_is_true(json_object_get(e, "passed")) ? "ok  " : "FAIL",
               json_string_value(json_object_get(e, "what")));
        if (json_is_number(v))
            printf("%.6g", json_number_value(v));
        else
            printf("there is no such value");
        if (json_object_get(e, "min") != NULL)
            printf(", at least %.6g", json_real_value(json_object_get(e, "min")));
        if (json_object_get(e, "max") != NULL)
            printf(", at most %.6g", json_real_value(json_object_get(e, "max")));
        printf("\n");
    }
}

static void print_watched(json_t *r)
{
    size_t i = 0;
    json_t *w = NULL;
    json_array_foreach(json_object_get(r, "watched"), i, w)
    {
        size_t k = 0;
        json_t *f = NULL;
        printf("  host %" JSON_INTEGER_FORMAT ": %" JSON_INTEGER_FORMAT
               " frames judged by %" JSON_INTEGER_FORMAT " requirements, %" JSON_INTEGER_FORMAT
               " failures\n",
               json_integer_value(json_object_get(w, "host")),
               json_integer_value(json_object_get(w, "frames")),
               json_integer_value(json_object_get(w, "requirements")),
               json_integer_value(json_object_get(w, "failed")));
        json_array_foreach(json_object_get(w, "findings"), k, f)
        {
            printf("    FAIL %s: %s\n", json_string_value(json_object_get(f, "requirement")),
                   json_string_value(json_object_get(f, "why")));
        }
    }
}

/* Did an endpoint break a requirement at a watched host? */
static bool watched_fails(const json_t *r)
{
    size_t i = 0;
    json_t *w = NULL;
    json_array_foreach(json_object_get(r, "watched"), i, w)
    {
        if (json_integer_value(json_object_get(w, "failed")) > 0)
            return true;
    }
    return false;
}

/* What was not written is not told as a result. */
static int worse(int verdict, int written)
{
    return written != MRCT_EXIT_PASS ? written : verdict;
}

/* Runs a scene to its end: *sim and *results, NULL when there are none. */
static int play(const struct mrct_scene *s, struct mrct_sim **sim, json_t **results)
{
    char err[300];
    *results = NULL;
    *sim = mrct_sim_new(s, err, sizeof err);
    if (*sim == NULL) {
        (void)mrct_cli_fail("sim", "%s", err); /* what the scene asks for cannot be */
        return MRCT_EXIT_USAGE;
    }
    const bool tty = isatty(STDERR_FILENO) != 0;
    const int rc = mrct_sim_run(*sim, tty ? progress : NULL, NULL, err, sizeof err);
    if (tty)
        fputs("\r\033[K", stderr);
    if (rc != 0) {
        (void)mrct_cli_fail("sim", "%s", err);
        return MRCT_EXIT_HARNESS;
    }
    *results = mrct_sim_json(*sim);
    return MRCT_EXIT_PASS;
}

/* What the scene is compared with, below its name in the results. */
static int play_against(const struct mrct_scene *s, json_t *results)
{
    struct mrct_sim *sim = NULL;
    json_t *other = NULL;
    const int rc = play(s->against, &sim, &other);
    if (other != NULL) {
        json_object_set_new(other, "name", json_string(s->against_name));
        json_object_set_new(results, "against", other);
    }
    mrct_sim_free(sim);
    return rc;
}

static int tell(const struct args *a, const struct mrct_scene *s, const struct mrct_sim *sim,
                json_t *r)
{
    mrct_sim_reported(s, r);
    int rc = mrct_sim_expect(s, r) > 0 || watched_fails(r) ? MRCT_EXIT_FAIL : MRCT_EXIT_PASS;
    if (a->json != NULL)
        rc = worse(rc, mrct_sim_write_json(r, a->json));
    if (a->out != NULL)
        rc = worse(rc, mrct_sim_write_all(sim, r, a->out));
    if (a->json != NULL && a->json[0] == '-')
        return rc;
    print(r);
    if (s->against != NULL) {
        printf("against %s:\n", s->against_name);
        print_works(json_object_get(r, "against"));
    }
    print_expect(r);
    print_watched(r);
    return rc;
}

static int run(const struct args *a, const struct mrct_scene *s)
{
    struct mrct_sim *sim = NULL;
    json_t *r = NULL;
    int rc = play(s, &sim, &r);
    if (rc == MRCT_EXIT_PASS && s->against != NULL)
        rc = play_against(s, r);
    if (rc == MRCT_EXIT_PASS)
        rc = tell(a, s, sim, r);
    json_decref(r);
    mrct_sim_free(sim);
    return rc;
}

int mrct_cmd_sim(int argc, char **argv)
{
    struct args a = {0};
    const int option = take_command_line(&a, argc, argv);
    if (option != MRCT_CLI_END)
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    struct mrct_scene s;
    char err[600];
    int rc = MRCT_EXIT_USAGE;
    if (mrct_scene_load(&s, a.scene, err, sizeof err) != 0) {
        (void)mrct_cli_fail("sim", "%s", err);
    } else {
        if (a.have_seed)
            mrct_scene_seed(&s, a.seed);
        rc = run(&a, &s);
    }
    mrct_scene_fini(&s);
    return rc;
}
