/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/swarm.h"

#include "harness/cases/run_priv.h"

#include <inttypes.h>
#include <stdio.h>

#define WRITES_MAX  8u
#define CHANGES_MAX 12u
#define STEPS_MAX   (WRITES_MAX + CHANGES_MAX + 2u)
#define FLAPS_MAX   3u

/* Ranges are those within which an honest pair must finish: timeouts above the longest round trip,
 * retries enough for the worst loss. */

static uint32_t between(struct mrct_rng *r, uint32_t lo, uint32_t hi)
{
    return lo + mrct_rng_below(r, hi - lo + 1);
}

static bool one_in(struct mrct_rng *r, uint32_t n)
{
    return mrct_rng_below(r, n) == 0;
}

static void draw_fabric(struct mrct_rng *r, struct mrct_fab_config *f)
{
    static const uint64_t gbps[] = {10, 25, 100, 400};
    f->planes = one_in(r, 2) ? 1 : between(r, 2, 4);
    f->paths = between(r, 1, 16);
    f->rate_bps = gbps[mrct_rng_below(r, 4)] * UINT64_C(1000000000);
    f->latency_ns = between(r, 200, 10000);
    f->latency_step_ns = one_in(r, 2) ? 0 : between(r, 10, 500);
    /* Each kind of fault is off half of the time, so that rare mixtures are seen too. */
    uint32_t *const rates[] = {&f->loss_ppm, &f->dup_ppm,     &f->ce_ppm,
                               &f->trim_ppm, &f->corrupt_ppm, &f->delay_ppm};
    static const uint32_t most[] = {20000, 20000, 100000, 20000, 10000, 50000};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        *rates[i] = one_in(r, 2) ? 0 : mrct_rng_below(r, most[i]);
    }
    f->delay_max_ns = between(r, 1000, 60000);
    /* From then on the network is healed, and all must come to its end. */
    f->random_until_ns = one_in(r, 4) ? 0 : between(r, 20000, 3000000);
}

/* The timeout exponent whose interval is above `ns`. */
static uint8_t timeout_above(uint64_t ns)
{
    uint8_t t = 0;
    while (t < 24 && (UINT64_C(1024) << t) < ns) {
        t++;
    }
    return t;
}

static void draw_common(struct mrct_rng *r, struct mrct_case *c)
{
    static const uint16_t mtus[] = {256, 512, 1024, 2048, 4096};
    struct mrct_case_host *const h = &c->host[0];
    h->path_mtu = mtus[mrct_rng_below(r, 5)];
    h->ip6 = !one_in(r, 4);
    h->vlan = one_in(r, 4);
    h->dest_port = one_in(r, 4) ? 4971 : 4791;
    c->host[1] = *h;
    c->qps = one_in(r, 3) ? between(r, 2, 3) : 1;
}

static void draw_host(struct mrct_rng *r, const struct mrct_case *c, struct mrct_case_host *h)
{
    h->tseth = !one_in(r, 4);
    h->trimmable = !one_in(r, 4);
    h->trim_nack = !one_in(r, 3);
    h->dynamic_mpr = one_in(r, 3);
    h->evs = between(r, 2, 16);
    h->ev_active = one_in(r, 2) ? 0 : between(r, 1, h->evs * c->fabric.planes);
    h->cc = one_in(r, 2) ? 'n' : 'f';
    h->cc_shared = h->cc == 'n' && one_in(r, 3);
    h->start_psn = one_in(r, 3) ? 0xFFFFFF - (int64_t)mrct_rng_below(r, 300) : -1;
    h->mpr = between(r, 8, 16);
    h->max_wimm = between(r, 32, 64);
    h->linear_cnt = (uint8_t)between(r, 4, 7);
    h->exp_cnt = (uint8_t)between(r, 10, 14);
    h->exp_ceiling_ns = 4000000;
    h->cwnd_bytes = between(r, 2, 80) * 4200u;
    h->sack_threshold = one_in(r, 2) ? 16384 : between(r, 0, 32768);
    h->reorder_margin = between(r, 1, 64);
    h->q2 = one_in(r, 2) ? 'a' : 'b';
    h->q26 = (char)('a' + (int)mrct_rng_below(r, 3));
    /* A window's worth of packets, the longest path there and back, and the longest delay. */
    const uint64_t window_ns =
        ((uint64_t)h->cwnd_bytes * c->qps + 100000) * 8 * 1000000000u / c->fabric.rate_bps;
    const uint64_t path_ns = c->fabric.latency_ns + c->fabric.paths * c->fabric.latency_step_ns;
    h->timeout = timeout_above(2 * window_ns + 2 * path_ns + 2 * c->fabric.delay_max_ns);
}

static void draw_step(struct mrct_rng *r, const struct mrct_case *c, struct mrct_step *s)
{
    *s = (struct mrct_step){.kind = MRCT_STEP_WRITE, .imm = (uint32_t)mrct_rng_next(r)};
    s->host = one_in(r, 4);
    s->qp = 1 + mrct_rng_below(r, c->qps);
    s->has_imm = one_in(r, 3);
    switch (mrct_rng_below(r, 3)) {
    case 0:
        s->size = between(r, 1, 64);
        s->count = between(r, 1, 60);
        break;
    case 1:
        s->size = between(r, 1, 5000);
        s->count = between(r, 1, 30);
        break;
    default:
        s->size = between(r, 5000, 200000);
        s->count = between(r, 1, 4);
        break;
    }
    if (one_in(r, 4)) {
        s->when = MRCT_WHEN_COMPLETED;
    } else if (one_in(r, 4)) {
        s->when = MRCT_WHEN_AT;
        s->at_ns = mrct_rng_below(r, 500000);
    }
}

/* Links go down for a while, a path or the whole of a plane, and come back before retries end. */
static void draw_links(struct mrct_rng *r, struct mrct_case *c)
{
    const uint32_t flaps = one_in(r, 3) ? between(r, 1, FLAPS_MAX) : 0;
    for (uint32_t i = 0; i < flaps; i++) {
        struct mrct_case_link down = {.host = (int)mrct_rng_below(r, 3) - 1, .path = -1};
        down.at_ns = mrct_rng_below(r, 400000);
        down.plane = mrct_rng_below(r, c->fabric.planes);
        if (!one_in(r, 3)) {
            down.path = (int)mrct_rng_below(r, c->fabric.paths);
        }
        struct mrct_case_link up = down;
        up.up = true;
        up.at_ns += between(r, 1000, 200000);
        c->links[c->link_count++] = down;
        c->links[c->link_count++] = up;
    }
}

static struct mrct_step *add_step(struct mrct_case *c, enum mrct_step_kind kind, unsigned host,
                                  unsigned qp)
{
    struct mrct_step *const s = &c->steps[c->step_count++];
    *s = (struct mrct_step){.kind = kind, .host = host, .qp = qp, .when = MRCT_WHEN_AT};
    return s;
}

/* Windows that move and resources that run short, each at its time, in order. */
static void draw_changes(struct mrct_rng *r, struct mrct_case *c)
{
    static const uint8_t reasons[] = {MRC_NACK_NO_BITMAP, MRC_NACK_NO_PKT_BUFFER,
                                      MRC_NACK_NO_RESOURCE};
    const bool moves = c->host[0].dynamic_mpr && c->host[1].dynamic_mpr;
    const bool is_short = one_in(r, 3);
    const unsigned n = between(r, 0, CHANGES_MAX);
    uint64_t at_ns = 0;
    for (unsigned i = 0; i < n && (moves || is_short); i++) {
        const unsigned host = mrct_rng_below(r, 2);
        const unsigned qp = 1 + mrct_rng_below(r, c->qps);
        const bool move = moves && (!is_short || one_in(r, 2));
        at_ns += mrct_rng_below(r, 60000);
        struct mrct_step *const s =
            add_step(c, move ? MRCT_STEP_SET_MPR : MRCT_STEP_SHORTAGE, host, qp);
        s->at_ns = at_ns;
        s->mpr = (uint8_t)between(r, 1, 40);
        s->reason = reasons[mrct_rng_below(r, 3)];
        s->count = mrct_rng_below(r, 6);
        s->rate_ppm = s->count == 0 ? mrct_rng_below(r, 100000) : 0;
    }
    for (unsigned host = 0; host < 2 && is_short; host++) {
        add_step(c, MRCT_STEP_SHORTAGE, host, 1)->reason = reasons[0]; /* over: rate and count 0 */
        c->steps[c->step_count - 1].at_ns = at_ns + 100000;
    }
}

/* One write in a few runs that an honest responder has to refuse. What is posted behind it on its
 * QP, and what comes the other way, is lost with the QP. */
static void draw_refused(struct mrct_rng *r, struct mrct_case *c, unsigned writes)
{
    static const enum mrct_write_target targets[] = {MRCT_TARGET_WRONG_RKEY, MRCT_TARGET_PAST_END,
                                                     MRCT_TARGET_BEFORE, MRCT_TARGET_READ_ONLY};
    if (!one_in(r, 4)) {
        return;
    }
    struct mrct_step *const s = &c->steps[mrct_rng_below(r, writes)];
    s->target = targets[mrct_rng_below(r, 4)];
    s->count = 1;
    /* One packet: of a longer one parts would land where other writes do. */
    s->size = s->size < c->host[0].path_mtu ? s->size : c->host[0].path_mtu;
    s->has_imm = false;
    c->expect.all_success = false;
    for (size_t i = 0; i < MRCT_WC_STATUSES; i++) {
        c->expect.done_max[i] = UINT64_MAX;
    }
    c->expect.qp_error[0] = c->expect.qp_error[1] = MRCT_QP_ERROR_ANY;
    c->expect.imm_min = 0;
    c->expect.imm_max = INT64_MAX;
}

int mrct_swarm_draw(struct mrct_case *c, uint64_t seed)
{
    mrct_case_init(c);
    struct mrct_rng r;
    mrct_rng_init(&r, seed ^ UINT64_C(0x5377A2D5EED00001));
    c->steps = mrct_pool_alloc(&c->pool, STEPS_MAX * sizeof *c->steps);
    c->links = mrct_pool_alloc(&c->pool, (size_t)2 * FLAPS_MAX * sizeof *c->links);
    c->id = mrct_pool_strdup(&c->pool, "swarm/seed");
    if (c->steps == NULL || c->links == NULL || c->id == NULL) {
        mrct_case_fini(c);
        return -1;
    }
    c->device = MRCT_DEVICE_BOTH;
    draw_fabric(&r, &c->fabric);
    draw_common(&r, c);
    draw_host(&r, c, &c->host[0]);
    draw_host(&r, c, &c->host[1]);
    const unsigned writes = between(&r, 1, WRITES_MAX);
    for (c->step_count = 0; c->step_count < writes; c->step_count++) {
        draw_step(&r, c, &c->steps[c->step_count]);
    }
    draw_links(&r, c);
    draw_refused(&r, c, writes);
    draw_changes(&r, c);
    c->limit_ns = UINT64_C(10000000000);
    return 0;
}

void mrct_swarm_describe(const struct mrct_case *c, char *buf, size_t cap)
{
    const struct mrct_fab_config *const f = &c->fabric;
    const struct mrct_case_host *const h = c->host;
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        bytes += (uint64_t)c->steps[i].size * c->steps[i].count;
    }
    (void)snprintf(buf, cap,
                   "%u planes x %u paths, %" PRIu64 " Gb/s, latency %" PRIu64 " + %" PRIu64
                   " ns, ppm: loss %" PRIu32 " dup %" PRIu32 " ce %" PRIu32 " trim %" PRIu32
                   " corrupt %" PRIu32 " delay %" PRIu32 "; IPv%c, MTU %u, %u QPs, cwnd %" PRIu32
                   "/%" PRIu32 ", threshold %" PRIu32 "/%" PRIu32 ", margin %" PRIu32 "/%" PRIu32
                   ", timeout %u/%u; %zu steps, %" PRIu64 " bytes, %zu flaps",
                   f->planes, f->paths, f->rate_bps / 1000000000u, f->latency_ns,
                   f->latency_step_ns, f->loss_ppm, f->dup_ppm, f->ce_ppm, f->trim_ppm,
                   f->corrupt_ppm, f->delay_ppm, h->ip6 ? '6' : '4', h->path_mtu, c->qps,
                   h[0].cwnd_bytes, h[1].cwnd_bytes, h[0].sack_threshold, h[1].sack_threshold,
                   h[0].reorder_margin, h[1].reorder_margin, h[0].timeout, h[1].timeout,
                   c->step_count, bytes, c->link_count / 2);
}
