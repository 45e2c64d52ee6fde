/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct swarm: honest pairs under random conditions, which nothing may accuse. */
#include "harness/cases/swarm.h"
#include "harness/cli/cli.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum option { OPT_SEEDS, OPT_OUT, OPT_VERBOSE };
static const struct mrct_cli_option options[] = {
    [OPT_SEEDS] = {"seeds", 0, "A..B", "run these seeds (default 1..100)"},
    [OPT_OUT] = {"out", 'o', "DIR", "write a pcapng per seed into DIR, which must be there"},
    [OPT_VERBOSE] = {"verbose", 'v', NULL, "print what was drawn for every seed"},
    {0},
};

struct swarm {
    uint64_t first, last;
    const char *out_dir;
    bool verbose;
    uint64_t passed, failed, errors;
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
    if (!mrct_cli_u64(first, 0, UINT64_MAX, &s->first) ||
        !mrct_cli_u64(last, s->first, UINT64_MAX, &s->last)) {
        return mrct_cli_fail("swarm", "'%s' is no range of seeds like 1..100", text);
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
        if (option == OPT_SEEDS && take_seeds(s, cli.value) != 0) {
            return MRCT_CLI_BAD;
        }
        if (option == OPT_OUT) {
            s->out_dir = cli.value;
        }
        s->verbose = s->verbose || option == OPT_VERBOSE;
    }
    char **operands = NULL;
    if (option == MRCT_CLI_END && mrct_cli_operands(&cli, &operands) != 0) {
        (void)mrct_cli_fail("swarm", "'%s' was not expected (see mrct swarm --help)", operands[0]);
        return MRCT_CLI_BAD;
    }
    return option;
}

static void report(const struct swarm *s, uint64_t seed, const struct mrct_case *c,
                   const struct mrct_result_case *r)
{
    char words[600];
    if (r->verdict != MRCT_PASS || s->verbose) {
        mrct_swarm_describe(c, words, sizeof words);
        printf("seed %" PRIu64 ": %s; %" PRIu64 " frames, %" PRIu64 " ns\n", seed, words, r->frames,
               r->virtual_ns);
    }
    if (r->verdict == MRCT_PASS) {
        return;
    }
    printf("  %s %s\n", mrct_verdict_str(r->verdict), r->why);
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct mrct_finding *const f = &r->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL) {
            printf("  %s tap, %s, frame %" PRIu64 ": %s\n", r->findings[i].tap, f->requirement,
                   f->frame_count > 0 ? f->frames[0] : 0, f->why);
        }
    }
    printf("  replay: mrct swarm --seeds %" PRIu64 "..%" PRIu64 " --out DIR\n", seed, seed);
}

static int run_seed(struct swarm *s, uint64_t seed)
{
    struct mrct_case c;
    if (mrct_swarm_draw(&c, seed) != 0) {
        return mrct_cli_fail("swarm", "out of memory");
    }
    char id[48];
    (void)snprintf(id, sizeof id, "swarm/%" PRIu64, seed);
    c.id = id;
    struct mrct_run_config cfg;
    mrct_run_config_default(&cfg);
    cfg.seed = seed;
    cfg.look = mrct_swarm_look;
    cfg.out_dir = s->out_dir;
    struct mrct_pool pool;
    mrct_pool_init(&pool);
    struct mrct_result_case result;
    mrct_run_case(&cfg, &c, &pool, &result);
    report(s, seed, &c, &result);
    s->passed += result.verdict == MRCT_PASS;
    s->failed += result.verdict == MRCT_FAIL || result.verdict == MRCT_INCONCLUSIVE;
    s->errors += result.verdict == MRCT_ERROR;
    mrct_pool_fini(&pool);
    mrct_case_fini(&c);
    return 0;
}

int mrct_cmd_swarm(int argc, char **argv)
{
    struct swarm s = {.first = 1, .last = 100};
    const int option = take_command_line(&s, argc, argv);
    if (option != MRCT_CLI_END) {
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    for (uint64_t seed = s.first;; seed++) {
        if (isatty(STDERR_FILENO)) {
            fprintf(stderr, "\r\033[Kseed %" PRIu64, seed);
        }
        if (run_seed(&s, seed) != 0) {
            return MRCT_EXIT_HARNESS;
        }
        if (seed == s.last) {
            break;
        }
    }
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
    printf("%" PRIu64 " seeds passed, %" PRIu64 " failed, %" PRIu64 " errors\n", s.passed, s.failed,
           s.errors);
    if (s.errors > 0) {
        return MRCT_EXIT_HARNESS;
    }
    return s.failed > 0 ? MRCT_EXIT_FAIL : MRCT_EXIT_PASS;
}
