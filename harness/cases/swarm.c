/* SPDX-License-Identifier: BSD-2-Clause */
/* A case of the swarm as a whole: the network, what follows of the seed, and its description. */
#include "harness/cases/swarm_priv.h"

#include <inttypes.h>
#include <stdio.h>

/* Ranges are those within which an honest pair must finish: timeouts above the longest round trip,
 * retries enough for the worst loss. */

static void draw_fabric(struct mrct_rng *r, struct mrct_fab_config *f)
{
    static const uint64_t gbps[] = {10, 25, 100, 400};
    f->planes = mrct_draw_one_in(r, 2) ? 1 : mrct_draw_between(r, 2, 4);
    f->paths = mrct_draw_between(r, 1, 16);
    f->rate_bps = gbps[mrct_rng_below(r, 4)] * UINT64_C(1000000000);
    f->latency_ns = mrct_draw_between(r, 200, 10000);
    f->latency_step_ns = mrct_draw_one_in(r, 2) ? 0 : mrct_draw_between(r, 10, 500);
    /* Each kind of fault is off half of the time, so that rare mixtures are seen too. */
    uint32_t *const rates[] = {&f->loss_ppm, &f->dup_ppm,     &f->ce_ppm,
                               &f->trim_ppm, &f->corrupt_ppm, &f->delay_ppm};
    static const uint32_t most[] = {20000, 20000, 100000, 20000, 10000, 50000};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        *rates[i] = mrct_draw_one_in(r, 2) ? 0 : mrct_rng_below(r, most[i]);
    }
    f->delay_max_ns = mrct_draw_between(r, 1000, 60000);
    /* From then on the network is healed, and all must come to its end. */
    f->random_until_ns = mrct_draw_one_in(r, 4) ? 0 : mrct_draw_between(r, 20000, 3000000);
}

/* Where a QP may end, how each write ends is the look's matter. */
static void expect_ends(struct mrct_case *c)
{
    unsigned ends = 0;
    for (unsigned q = 0; q < c->qps; q++) {
        ends |= mrct_swarm_ends(c, 0, q) | mrct_swarm_ends(c, 1, q);
    }
    if (ends == 0) {
        return;
    }
    /* A NAK may get lost, and who retries for ever would do so. */
    for (unsigned h = 0; h < 2; h++) {
        c->host[h].exp_cnt = c->host[h].exp_cnt == 25 ? 14 : c->host[h].exp_cnt;
    }
    c->link_count = mrct_swarm_all_die(c) ? c->link_count : 0;
    c->expect.all_success = false;
    for (size_t i = 0; i < MRCT_WC_STATUSES; i++) {
        c->expect.done_max[i] = UINT64_MAX;
    }
    c->expect.qp_error[0] = c->expect.qp_error[1] = MRCT_QP_ERROR_ANY;
    c->expect.imm_min = 0;
    c->expect.imm_max = INT64_MAX;
}

int mrct_swarm_draw(struct mrct_case *c, char reading[MRCT_QUESTIONS_MAX], uint64_t seed)
{
    mrct_case_init(c);
    struct mrct_rng r;
    mrct_rng_init(&r, seed ^ UINT64_C(0x5377A2D5EED00001));
    c->id = mrct_pool_alloc(&c->pool, 32);
    if (c->id == NULL) {
        mrct_case_fini(c);
        return -1;
    }
    (void)snprintf(c->id, 32, "swarm/%" PRIu64, seed);
    c->device = MRCT_DEVICE_BOTH;
    draw_fabric(&r, &c->fabric);
    mrct_draw_hosts(&r, c, reading);
    if (mrct_draw_steps(&r, c) != 0) {
        mrct_case_fini(c);
        return -1;
    }
    expect_ends(c);
    c->limit_ns = UINT64_C(15000000000);
    return 0;
}

int mrct_swarm_run(struct mrct_run_config *cfg, struct mrct_case *c, uint64_t seed,
                   struct mrct_pool *pool, struct mrct_result_case *out)
{
    if (mrct_swarm_draw(c, cfg->reading, seed) != 0) {
        return -1;
    }
    cfg->seed = seed;
    cfg->watch = mrct_swarm_watch;
    cfg->look = mrct_swarm_look;
    mrct_run_case(cfg, c, pool, out);
    return 0;
}

/* ---- in words ---- */

static void describe_host(const struct mrct_case_host *h, char *buf, size_t cap)
{
    static const char *const formats[] = {"structured", "udp", "srv6", "srv6_srh"};
    static const char *const sources[] = {"list", "explicit", "generated", "auto"};
    (void)snprintf(buf, cap,
                   "cc %c cwnd %" PRIu32 ", mpr %u, wimm %u/%d, threshold %" PRIu32 "/%" PRIu32
                   ", margin %" PRIu32 ", timeout %u+%u+%u, tseth %d/%u, service %" PRIu64
                   " ns, pen %u, EVs %u/%u %s %s, q2%c q9%c q10%c q11%c q17%c q20%c q22%c q25%c "
                   "q26%c",
                   h->cc, h->cwnd_bytes, h->mpr, h->max_wimm, h->told_max_wimm, h->sack_threshold,
                   h->sack_min_pkt, h->reorder_margin, h->timeout, h->linear_cnt, h->exp_cnt,
                   h->tseth, h->tseth_every, h->service_ns, h->cwnd_pen, h->ev_active, h->evs,
                   formats[h->ev_format], sources[h->ev_source], h->q2, h->q9, h->q10, h->q11,
                   h->q17, h->q20, h->q22, h->q25, h->q26);
}

void mrct_swarm_describe(const struct mrct_case *c, char *buf, size_t cap)
{
    const struct mrct_fab_config *const f = &c->fabric;
    const struct mrct_case_host *const h = c->host;
    char host[2][400];
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        bytes += c->steps[i].kind == MRCT_STEP_WRITE
                     ? (uint64_t)c->steps[i].size * c->steps[i].count
                     : 0;
    }
    describe_host(&h[0], host[0], sizeof host[0]);
    describe_host(&h[1], host[1], sizeof host[1]);
    (void)snprintf(buf, cap,
                   "%u planes x %u paths, %" PRIu64 " Gb/s, latency %" PRIu64 " + %" PRIu64
                   " ns, ppm: loss %" PRIu32 " dup %" PRIu32 " ce %" PRIu32 " trim %" PRIu32
                   " corrupt %" PRIu32 " delay %" PRIu32 " until %" PRIu64
                   " ns; IPv%c, MTU %u, %u QPs; host1: %s; host2: %s; %zu steps, %" PRIu64
                   " bytes, %zu changes of links",
                   f->planes, f->paths, f->rate_bps / 1000000000u, f->latency_ns,
                   f->latency_step_ns, f->loss_ppm, f->dup_ppm, f->ce_ppm, f->trim_ppm,
                   f->corrupt_ppm, f->delay_ppm, f->random_until_ns, h->ip6 ? '6' : '4',
                   h->path_mtu, c->qps, host[0], host[1], c->step_count, bytes, c->link_count);
}
