/* SPDX-License-Identifier: BSD-2-Clause */
/* From what judges found to what the run says: sums, holes in the capture, several taps. */
#include "harness/cli/check_run.h"

#include <stdlib.h>
#include <string.h>

static void add_counts(struct mrct_check_result *to, const struct mrct_check_result *from)
{
    struct mrct_health *const h = &to->health;
    to->mrc += from->mrc;
    to->taps |= from->taps;
    for (unsigned i = 0; i < 256; i++)
        to->by_opcode[i] += from->by_opcode[i];
    for (unsigned i = 0; i < MRC_WIRE_ERRORS; i++)
        to->by_error[i] += from->by_error[i];
    h->snapped += from->health.snapped;
    for (unsigned i = 0; i < 4; i++)
        h->tunnelled[i] += from->health.tunnelled[i];
    for (unsigned t = 0; t < MRCT_TAPS; t++) {
        struct mrct_gaps *const g = &h->gaps[t];
        const struct mrct_gaps *const one = &from->health.gaps[t];
        g->flows += one->flows;
        g->missing += one->missing;
        g->more |= one->more;
        g->one_sided += one->one_sided;
        g->cut += one->cut;
        g->unpaired += one->unpaired;
        if (one->frame != 0 && (g->frame == 0 || one->frame < g->frame))
            g->frame = one->frame;
    }
}

/* ---- requirements of one tap ---- */

static struct mrct_req_result *result_named(struct mrct_req_result *list, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].requirement, id) == 0)
            return &list[i];
    return NULL;
}

static struct mrct_req_result *sum_of_tap(const struct check_judge *judges, unsigned count,
                                          enum mrct_tap tap, size_t *n)
{
    struct mrct_req_result *sum = NULL;
    for (unsigned k = 0; k < count; k++) {
        const struct mrct_req_result *one;
        if (judges[k].oracles[tap] == NULL)
            continue;
        *n = mrct_oracle_results(judges[k].oracles[tap], &one);
        if (sum == NULL && (sum = calloc(*n + 1, sizeof(*sum))) == NULL)
            return NULL;
        for (size_t i = 0; i < *n; i++) {
            sum[i].requirement = one[i].requirement;
            sum[i].exercised += one[i].exercised;
            sum[i].failed += one[i].failed;
            sum[i].warned += one[i].warned;
            sum[i].inconclusive += one[i].inconclusive;
        }
    }
    return sum;
}

/* ---- what a hole may have proven ---- */

static const struct mrct_check_trait *info_of(const struct mrct_check_trait *infos, size_t n,
                                              const char *check)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(infos[i].name, check) == 0)
            return &infos[i];
    return NULL;
}

static bool said_before(const struct mrct_findings *f, size_t upto, size_t i)
{
    for (size_t k = 0; k < upto; k++)
        if (f->taps[k] == f->taps[i] && f->list[k].kind == MRCT_FINDING_INCONCLUSIVE &&
            f->list[k].check == f->list[i].check && f->list[k].host == f->list[i].host)
            return true;
    return false;
}

/* Whether a hole in the capture, or frames in the wrong order, may explain what a check found. */
static bool is_soft(const struct mrct_check_trait *c, const struct mrct_health *h,
                    enum mrct_tap tap)
{
    return c != NULL && ((c->needs_complete && mrct_health_lossy(h, tap)) ||
                         (c->needs_order && mrct_health_disordered(h)));
}

static void soften(struct mrct_finding *f, const struct mrct_health *h, enum mrct_tap tap)
{
    char words[MRCT_FINDING_WHY_MAX], why[160];
    mrct_health_why(h, tap, why, sizeof(why));
    snprintf(words, sizeof(words), "%.220s; but %s", f->why, why);
    memcpy(f->why, words, sizeof(f->why));
    f->kind = MRCT_FINDING_INCONCLUSIVE;
}

/* Takes back findings that a hole may explain; one of each check and host stays, undecided. */
static void soften_all(struct mrct_findings *f, const struct mrct_health *h,
                       const struct mrct_check_trait *infos, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct mrct_check_trait *const c = info_of(infos, n, f->list[i].check);
        const bool soft = f->list[i].kind != MRCT_FINDING_INCONCLUSIVE && is_soft(c, h, f->taps[i]);
        if (soft && said_before(f, kept, i))
            continue;
        f->list[kept] = f->list[i];
        f->taps[kept] = f->taps[i];
        if (soft)
            soften(&f->list[kept], h, f->taps[kept]);
        kept++;
    }
    f->count = kept;
}

static void soften_result(const struct mrct_finding_count *c, const struct mrct_check_trait *info,
                          struct mrct_req_result *sum, size_t n)
{
    struct mrct_req_result *const r = result_named(sum, n, info->requirement);
    const uint64_t failed = c->kinds[MRCT_FINDING_FAIL], warned = c->kinds[MRCT_FINDING_WARN];
    if (r == NULL)
        return;
    r->failed -= failed;
    r->warned -= warned;
    r->exercised -= failed + warned;
    r->inconclusive += failed + warned;
}

/* ---- one frame that is not there ---- */

/* All that the check holds against the host at the tap is what one missing frame would explain. */
static bool is_lone(const struct mrct_findings *f, size_t i)
{
    if (f->list[i].silence == 0 || f->list[i].kind == MRCT_FINDING_INCONCLUSIVE)
        return false;
    for (size_t k = 0; k < f->count; k++)
        if (f->list[k].check == f->list[i].check && f->taps[k] == f->taps[i] &&
            f->list[k].silence != f->list[i].silence &&
            strcmp(f->list[k].host, f->list[i].host) == 0)
            return false;
    return true;
}

static void soften_one(struct mrct_finding *f, struct mrct_req_result *r)
{
    char words[MRCT_FINDING_WHY_MAX];
    uint64_t *const counted = f->kind == MRCT_FINDING_FAIL ? &r->failed : &r->warned;
    *counted -= *counted > 0;
    r->exercised -= r->exercised > 0;
    r->inconclusive++;
    snprintf(words, sizeof(words), "%.220s; but that frame may be missing in the capture", f->why);
    memcpy(f->why, words, sizeof(f->why));
    f->kind = MRCT_FINDING_INCONCLUSIVE;
}

/* A capture that lacks a single answer shows no trace of it; a device that leaves answers out, or
 * takes what it must not, does so again. */
static int soften_lone(struct mrct_findings *f, struct mrct_req_result *of[MRCT_TAPS], size_t n)
{
    bool *const lone = calloc(f->count + 1, sizeof(*lone));
    if (lone == NULL)
        return -1;
    for (size_t i = 0; i < f->count; i++) {
        const struct mrct_req_result *const r =
            result_named(of[f->taps[i]], n, f->list[i].requirement);
        lone[i] = r != NULL && is_lone(f, i);
    }
    for (size_t i = 0; i < f->count; i++)
        if (lone[i])
            soften_one(&f->list[i], result_named(of[f->taps[i]], n, f->list[i].requirement));
    free(lone);
    return 0;
}

/* ---- several taps ---- */

static bool decided(const struct mrct_req_result *r)
{
    return r->exercised > 0 && r->inconclusive == 0;
}

/* What one tap decided needs no "cannot tell" of another. */
static void leave_out(struct mrct_req_result *of[MRCT_TAPS], size_t n, struct mrct_findings *f)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned t = 0; t < MRCT_TAPS; t++)
            for (unsigned u = 0; u < MRCT_TAPS; u++) {
                if (t == u || of[t] == NULL || of[u] == NULL || !decided(&of[u][i]) ||
                    of[t][i].exercised > 0 || of[t][i].inconclusive == 0)
                    continue;
                of[t][i].inconclusive = 0;
                size_t kept = 0;
                for (size_t k = 0; k < f->count; k++) {
                    if (f->taps[k] == (enum mrct_tap)t &&
                        strcmp(f->list[k].requirement, of[t][i].requirement) == 0)
                        continue;
                    f->list[kept] = f->list[k];
                    f->taps[kept++] = f->taps[k];
                }
                f->count = kept;
            }
}

static int sum_taps(struct check_run *c, struct mrct_req_result *of[MRCT_TAPS], size_t n)
{
    c->reqs = calloc(n + 1, sizeof(*c->reqs));
    if (c->reqs == NULL)
        return -1;
    for (unsigned t = 0; t < MRCT_TAPS; t++)
        for (size_t i = 0; of[t] != NULL && i < n; i++) {
            c->reqs[i].requirement = of[t][i].requirement;
            c->reqs[i].exercised += of[t][i].exercised;
            c->reqs[i].failed += of[t][i].failed;
            c->reqs[i].warned += of[t][i].warned;
            c->reqs[i].inconclusive += of[t][i].inconclusive;
        }
    c->r.reqs = c->reqs;
    c->r.req_count = n;
    return 0;
}

/* What every judge says once of no connection, the run says once. */
static void drop_repeats(struct mrct_findings *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        bool again = false;
        for (size_t k = 0; k < kept && f->list[i].once && !again; k++)
            again = f->list[k].once && f->taps[k] == f->taps[i] &&
                    f->list[k].check == f->list[i].check &&
                    strcmp(f->list[k].why, f->list[i].why) == 0;
        if (again)
            continue;
        f->list[kept] = f->list[i];
        f->taps[kept++] = f->taps[i];
    }
    f->count = kept;
}

/* And counts once: a kind of frame that belonged to no connection. */
static void count_unpaired_once(const struct check_judge *judges, unsigned count,
                                const struct mrct_check_trait *infos, size_t n, enum mrct_tap tap,
                                struct mrct_req_result *sum, size_t reqs)
{
    for (size_t i = 0; i < n && sum != NULL; i++) {
        struct mrct_req_result *const r = result_named(sum, reqs, infos[i].requirement);
        uint32_t seen = 0;
        for (unsigned k = 0; k < count && r != NULL; k++) {
            const struct mrct_oracle *const o = judges[k].oracles[tap];
            const uint32_t kinds = o == NULL ? 0 : mrct_oracle_unpaired(o) & infos[i].of_flows;
            r->inconclusive -= (unsigned)__builtin_popcount(kinds & seen);
            seen |= kinds;
        }
    }
}

static int conclude(struct check_run *c, struct check_judge *judges, unsigned count,
                    const struct mrct_check_trait *infos, size_t n)
{
    struct mrct_req_result *of[MRCT_TAPS] = {NULL};
    struct mrct_findings *const f = &c->r.findings;
    size_t reqs = 0;
    for (unsigned t = 0; t < MRCT_TAPS; t++) {
        of[t] = sum_of_tap(judges, count, (enum mrct_tap)t, &reqs);
        count_unpaired_once(judges, count, infos, n, (enum mrct_tap)t, of[t], reqs);
    }
    for (unsigned k = 0; k < count; k++) {
        add_counts(&c->r, &judges[k].r);
        mrct_findings_merge(f, &judges[k].r.findings);
        mrct_talks_merge(&c->r.talks, &judges[k].r.talks);
    }
    mrct_findings_sort(f);
    drop_repeats(f);
    for (size_t i = 0; i < f->by_check_count; i++) {
        const struct mrct_finding_count *const b = &f->by_check[i];
        const struct mrct_check_trait *const info = info_of(infos, n, b->check);
        if (is_soft(info, &c->r.health, b->tap))
            soften_result(b, info, of[b->tap], reqs);
    }
    soften_all(f, &c->r.health, infos, n);
    int status = soften_lone(f, of, reqs);
    leave_out(of, reqs, f);
    status |= sum_taps(c, of, reqs);
    for (unsigned t = 0; t < MRCT_TAPS; t++)
        free(of[t]);
    return status;
}

int mrct_check_conclude(struct check_run *c, struct check_judge *judges, unsigned count)
{
    const size_t n = mrct_oracle_traits(NULL, 0);
    struct mrct_check_trait *const infos = calloc(n + 1, sizeof(*infos));
    if (infos == NULL)
        return mrct_check_no_memory();
    mrct_oracle_traits(infos, n);
    const int status = conclude(c, judges, count, infos, n);
    free(infos);
    return status != 0 || c->r.findings.failed ? mrct_check_no_memory() : 0;
}
