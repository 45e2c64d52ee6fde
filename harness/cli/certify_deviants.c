/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct certify --deviants: is each liar caught, and by the right name? */
#include "harness/cases/liars.h"
#include "harness/cli/certify.h"

#include <string.h>

static const char *const end_words[] = {
    [MRCT_LIAR_NAMED] = "named",
    [MRCT_LIAR_MISNAMED] = "MISNAMED",
    [MRCT_LIAR_UNEXPLAINED] = "UNEXPLAINED",
    [MRCT_LIAR_ALIVE] = "ALIVE",
    [MRCT_LIAR_HARNESS] = "ERROR",
};

struct count {
    size_t deviants, killed, named, explained;
    bool harness;
};

/* The worst end over the deviant's cases; a sentence for each that is not as it must be. */
static enum mrct_liar_end run_one(struct mrct_certify *c, const struct mrct_liar *l, bool *killed)
{
    enum mrct_liar_end worst = MRCT_LIAR_NAMED;
    char all[4096] = "";
    *killed = false;
    struct mrct_run_config cfg = c->cfg;
    mrct_liar_configure(l, &cfg);
    cfg.out_dir = NULL;
    for (size_t i = 0; i < l->case_count; i++) {
        const struct mrct_case *const one = mrct_plan_find(&c->plan, l->cases[i]);
        struct mrct_pool pool;
        struct mrct_result_case result;
        char words[700];
        mrct_pool_init(&pool);
        mrct_run_case(&cfg, one, &pool, &result);
        const enum mrct_liar_end end = mrct_liar_judge(l, one, &result, words, sizeof words);
        mrct_pool_fini(&pool);
        *killed = *killed || (end != MRCT_LIAR_ALIVE && end != MRCT_LIAR_HARNESS);
        worst = end > worst ? end : worst;
        const size_t used = strlen(all);
        if (words[0] != '\0') {
            (void)snprintf(all + used, sizeof all - used, "    %s\n", words);
        }
    }
    printf("%-12s %-30s %-14s %s\n%s", end_words[worst], l->name, l->breaks, l->what, all);
    (void)fflush(stdout);
    return worst;
}

static bool wanted(const struct mrct_certify *c, const struct mrct_liar *l)
{
    return c->cfg.deviant == NULL || c->cfg.deviant == l->deviant;
}

static void run_all(struct mrct_certify *c, const struct mrct_liars *liars, struct count *n)
{
    for (size_t i = 0; i < liars->count; i++) {
        if (!wanted(c, &liars->list[i])) {
            continue;
        }
        bool killed = false;
        const enum mrct_liar_end end = run_one(c, &liars->list[i], &killed);
        n->deviants++;
        n->killed += killed;
        n->named += end == MRCT_LIAR_NAMED || end == MRCT_LIAR_UNEXPLAINED;
        n->explained += end != MRCT_LIAR_UNEXPLAINED;
        n->harness = n->harness || end == MRCT_LIAR_HARNESS;
    }
}

int mrct_certify_deviants(struct mrct_certify *c)
{
    struct mrct_liars liars;
    char err[700];
    if (mrct_liars_load(&liars, c->dir, &c->plan, err, sizeof err) != 0) {
        return mrct_cli_fail("certify", "%s", err);
    }
    struct count n = {0};
    run_all(c, &liars, &n);
    mrct_liars_fini(&liars);
    printf("%zu deviants, %zu killed, %zu by the named requirement\n", n.deviants, n.killed,
           n.named);
    if (n.harness) {
        return MRCT_EXIT_HARNESS;
    }
    const bool good = n.killed == n.deviants && n.named == n.deviants && n.explained == n.deviants;
    return good ? MRCT_EXIT_PASS : MRCT_EXIT_FAIL;
}
