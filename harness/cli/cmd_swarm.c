/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct swarm: honest pairs under random conditions, which nothing may accuse. */
#include "harness/cli/cli.h"
#include "harness/cli/swarm.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX     256u
#define FAILURES_MAX 1000u /* told of one by one in JSON */
#define SEEDS_MAX    (UINT64_MAX - 1)

enum option { OPT_SEEDS, OPT_JOBS, OPT_JSON, OPT_OUT, OPT_VERBOSE };
static const struct mrct_cli_option options[] = {
    [OPT_SEEDS] = {"seeds", 0, "A..B", "run these seeds (default 1..100)"},
    [OPT_JOBS] = {"jobs", 'J', "N", "run so many at a time (default: one per CPU)"},
    [OPT_JSON] = {"json", 'j', NULL, "print one JSON object"},
    [OPT_OUT] = {"out", 'o', "DIR", "write a pcapng per seed into DIR, which must be there"},
    [OPT_VERBOSE] = {"verbose", 'v', NULL, "print what was drawn for every seed"},
    {0},
};

struct swarm {
    struct mrct_swarm_order order;
    bool json, progress;
    uint64_t passed, failed, inconclusive, errors;
    uint64_t packets, fails, warns;
    json_t *failures;
};

static int take_seeds(struct swarm *s, const char *text)
{
    char first[32];
    const char *const dots = strstr(text, "..");
    const size_t len = dots != NULL ? (size_t)(dots - text) : strlen(text);
    if (len >= sizeof first) {
        return mrct_cli_fail("swarm", "'%s' is no range of seeds like 1..100", text);
    }
    memcpy(first, text, len);
    first[len] = '\0';
    const char *const last = dots != NULL ? dots + 2 : first;
    if (!mrct_cli_u64(first, 0, SEEDS_MAX, &s->order.first) ||
        !mrct_cli_u64(last, s->order.first, SEEDS_MAX, &s->order.last)) {
        return mrct_cli_fail("swarm", "'%s' is no range of seeds like 1..100", text);
    }
    return 0;
}

static int take_option(struct swarm *s, int option, const char *value)
{
    uint64_t jobs = 0;
    switch ((enum option)option) {
    case OPT_SEEDS:
        return take_seeds(s, value);
    case OPT_JOBS:
        if (!mrct_cli_u64(value, 1, JOBS_MAX, &jobs)) {
            return mrct_cli_fail("swarm", "--jobs takes a number from 1 to %u", JOBS_MAX);
        }
        s->order.jobs = (unsigned)jobs;
        return 0;
    case OPT_JSON:
        s->json = true;
        return 0;
    case OPT_OUT:
        s->order.out_dir = value;
        return 0;
    case OPT_VERBOSE:
        s->order.verbose = true;
        return 0;
    }
    return 0;
}

static int take_command_line(struct swarm *s, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "swarm",
                           .operands = "",
                           .summary = "Runs two reference endpoints with everything drawn from a "
                                      "seed; nothing may fail.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    while ((option = mrct_cli_next(&cli)) >= 0) {
        if (take_option(s, option, cli.value) != 0) {
            return MRCT_CLI_BAD;
        }
    }
    char **operands = NULL;
    if (option == MRCT_CLI_END && mrct_cli_operands(&cli, &operands) != 0) {
        (void)mrct_cli_fail("swarm", "'%s' was not expected (see mrct swarm --help)", operands[0]);
        return MRCT_CLI_BAD;
    }
    return option;
}

static void take(void *user, const struct mrct_swarm_seed *seed)
{
    struct swarm *const s = user;
    s->packets += seed->frames;
    s->fails += seed->fails;
    s->warns += seed->warns;
    s->passed += seed->run && seed->verdict == MRCT_PASS;
    s->failed += seed->run && seed->verdict == MRCT_FAIL;
    s->inconclusive += seed->run && seed->verdict == MRCT_INCONCLUSIVE;
    s->errors += !seed->run || seed->verdict == MRCT_ERROR;
    if (seed->text != NULL && !s->json) {
        fputs(s->progress ? "\r\033[K" : "", stderr);
        fputs(seed->text, stdout);
        (void)fflush(stdout);
    }
    if (seed->failure != NULL && s->failures != NULL &&
        json_array_size(s->failures) < FAILURES_MAX) {
        (void)json_array_append(s->failures, seed->failure);
    }
    if (s->progress) {
        const uint64_t done = seed->seed - s->order.first + 1;
        const uint64_t all = s->order.last - s->order.first + 1;
        fprintf(stderr, "\r\033[K%" PRIu64 " of %" PRIu64 " seeds, %" PRIu64 " failed", done, all,
                s->failed + s->inconclusive + s->errors);
    }
}

/* false_accusations: seeds on which an honest pair was found guilty of anything. */
static void print_json(const struct swarm *s)
{
    const uint64_t seeds = s->order.last - s->order.first + 1;
    json_t *const all = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I}, s:I, s:O}", "version",
        MRCT_VERSION, "first", (json_int_t)s->order.first, "last", (json_int_t)s->order.last,
        "seeds", (json_int_t)seeds, "passed", (json_int_t)s->passed, "failed",
        (json_int_t)s->failed, "inconclusive", (json_int_t)s->inconclusive, "errors",
        (json_int_t)s->errors, "packets", (json_int_t)s->packets, "findings", "fail",
        (json_int_t)s->fails, "warn", (json_int_t)s->warns, "false_accusations",
        (json_int_t)s->failed, "failures", s->failures);
    (void)json_dumpf(all, stdout, JSON_INDENT(2));
    (void)putchar('\n');
    json_decref(all);
}

static void print_sum(const struct swarm *s)
{
    printf("%" PRIu64 " packets, findings: %" PRIu64 " fail, %" PRIu64 " warn\n", s->packets,
           s->fails, s->warns);
    printf("%" PRIu64 " seeds passed, %" PRIu64 " failed, %" PRIu64 " inconclusive, %" PRIu64
           " errors\n",
           s->passed, s->failed, s->inconclusive, s->errors);
}

static int status_of(const struct swarm *s)
{
    if (s->errors > 0) {
        return MRCT_EXIT_HARNESS;
    }
    if (s->failed > 0) {
        return MRCT_EXIT_FAIL;
    }
    return s->inconclusive > 0 ? MRCT_EXIT_INCONCLUSIVE : MRCT_EXIT_PASS;
}

int mrct_cmd_swarm(int argc, char **argv)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct swarm s = {.order = {.first = 1, .last = 100}};
    s.order.jobs = cpus < 1 ? 1 : (unsigned)(cpus > JOBS_MAX ? JOBS_MAX : cpus);
    s.progress = isatty(STDERR_FILENO) != 0;
    const int option = take_command_line(&s, argc, argv);
    if (option != MRCT_CLI_END) {
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    s.failures = json_array();
    const int rc = mrct_swarm_crew(&s.order, take, &s);
    fputs(s.progress ? "\r\033[K" : "", stderr);
    if (rc != 0) {
        json_decref(s.failures);
        (void)mrct_cli_fail("swarm", "no thread could be started");
        return MRCT_EXIT_HARNESS;
    }
    if (s.json) {
        print_json(&s);
    } else {
        print_sum(&s);
    }
    json_decref(s.failures);
    return status_of(&s);
}
