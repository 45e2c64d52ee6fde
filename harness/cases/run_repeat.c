/* SPDX-License-Identifier: BSD-2-Clause */
/* A case that is run several times: m of n, and what that says. */
#include "harness/cases/run_priv.h"

#include "harness/cases/interval.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct count {
    unsigned passed, missed, unclear;
};

/* The seed of run k; run 0 has the case's own. */
static uint64_t seed_of(uint64_t seed, unsigned k)
{
    return k == 0 ? seed : mrct_run_case_seed(seed ^ ((uint64_t)k << 32), "repeat");
}

/* A broken requirement is no matter of chance, and neither is the harness's own fault. */
static bool is_final(const struct mrct_result_case *r)
{
    return r->verdict == MRCT_ERROR || r->verdict == MRCT_NOT_APPLICABLE ||
           (r->verdict == MRCT_FAIL && strncmp(r->why, "REQ-", 4) == 0);
}

/* The run that is shown: the first that missed, or else the first that passed. */
static int worth(enum mrct_verdict v)
{
    return v == MRCT_FAIL ? 2 : v == MRCT_PASS;
}

static void add(struct count *n, enum mrct_verdict v)
{
    n->passed += v == MRCT_PASS;
    n->missed += v == MRCT_FAIL;
    n->unclear += v == MRCT_INCONCLUSIVE;
}

static void put_share(char *buf, size_t cap, const char *before, uint32_t ppm)
{
    const size_t used = strlen(buf);
    (void)snprintf(buf + used, cap - used, "%s%" PRIu32 ".%" PRIu32 "%%", before, ppm / 10000u,
                   ppm / 1000u % 10u);
}

static void conclude(const struct mrct_case *c, const struct count *n, struct mrct_result_case *out)
{
    const unsigned runs = n->passed + n->missed;
    char why[sizeof out->why];
    char *const to = out->repeated;
    const size_t cap = sizeof out->repeated;
    if (runs == 0) {
        return; /* each was inconclusive: the first one says why */
    }
    const struct mrct_interval i = mrct_interval_wilson(n->passed, runs, c->repeat.confidence);
    (void)snprintf(to, cap, "%u of %u runs passed; with %d%% confidence", n->passed, runs,
                   c->repeat.confidence);
    put_share(to, cap, " ", i.low_ppm);
    put_share(to, cap, " to ", i.high_ppm);
    put_share(to, cap, " do, ", c->repeat.share_ppm);
    (void)snprintf(to + strlen(to), cap - strlen(to), " are wanted");
    if (n->unclear > 0) {
        (void)snprintf(to + strlen(to), cap - strlen(to), "; inconclusive: %u", n->unclear);
    }
    out->verdict = mrct_interval_verdict(i, c->repeat.share_ppm);
    (void)snprintf(why, sizeof why, "%.200s%s%.500s", to, out->why[0] != '\0' ? ": " : "",
                   out->why);
    (void)snprintf(out->why, sizeof out->why, "%s", out->verdict == MRCT_PASS ? "" : why);
}

void mrct_run_repeated(const struct mrct_run_config *cfg, const struct mrct_case *c,
                       struct mrct_pool *pool, struct mrct_result_case *out)
{
    struct mrct_run_config one = *cfg;
    const uint64_t seed = cfg->seed_is_case ? cfg->seed : mrct_run_case_seed(cfg->seed, c->id);
    struct count n = {0};
    mrct_run_once(cfg, c, pool, out);
    add(&n, out->verdict);
    one.seed_is_case = true;
    one.out_dir = NULL;
    /* A clock that cannot tell once cannot tell many times either. */
    const bool blind = c->expect.has_pace && cfg->clock_error_ns > c->expect.margin_ns;
    for (unsigned k = 1; k < c->repeat.runs && !is_final(out) && !blind; k++) {
        struct mrct_pool own;
        struct mrct_result_case r;
        mrct_pool_init(&own);
        one.seed = seed_of(seed, k);
        mrct_run_once(&one, c, &own, &r);
        add(&n, r.verdict);
        const enum mrct_verdict verdict = r.verdict;
        const bool final = is_final(&r);
        mrct_pool_fini(&own);
        if (final || worth(verdict) > worth(out->verdict)) {
            one.out_dir = cfg->out_dir;
            mrct_run_once(&one, c, pool, out);
            one.out_dir = NULL;
        }
    }
    if (!is_final(out)) {
        conclude(c, &n, out);
    }
}
