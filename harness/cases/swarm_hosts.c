/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of both hosts of a swarm's case. */
#include "harness/cases/swarm_priv.h"

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
    h->ip6 = !mrct_draw_one_in(r, 4);
    h->vlan = mrct_draw_one_in(r, 4);
    h->dest_port = mrct_draw_one_in(r, 4) ? 4971 : 4791;
    c->host[1] = *h;
    c->qps = mrct_draw_one_in(r, 3) ? mrct_draw_between(r, 2, 3) : 1;
}

static void draw_evs(struct mrct_rng *r, const struct mrct_case *c, struct mrct_case_host *h)
{
    const bool ip6 = c->host[0].ip6;
    const unsigned planes = c->fabric.planes;
    h->evs = mrct_draw_one_in(r, 6) ? mrct_draw_between(r, 17, MRCT_CASE_EVS_MAX)
                                    : mrct_draw_between(r, 2, 16);
    h->ev_active = mrct_draw_one_in(r, 2) ? 0 : mrct_draw_between(r, 1, h->evs * planes);
    h->ev_min_active = mrct_draw_one_in(r, 4) ? mrct_draw_between(r, 1, h->evs) : 0;
    h->ev_loss_limit = mrct_draw_one_in(r, 4) ? mrct_draw_between(r, 1, 31) : 0;
    h->reverse_probe_ns = mrct_draw_one_in(r, 6) ? mrct_draw_between(r, 10000, 200000) : 0;
    h->ev_source = mrct_draw_one_in(r, 2) ? MRCT_EVS_LIST : (int)mrct_draw_between(r, 1, 3);
    h->ev_format = (int)mrct_rng_below(r, ip6 && h->ev_source != MRCT_EVS_LIST ? 4 : 2);
    if (!ip6 && h->ev_source == MRCT_EVS_AUTO) {
        h->ev_format = MRCT_EV_UDP;
    }
}

static void draw_window(struct mrct_rng *r, struct mrct_case_host *h)
{
    static const char ccs[] = {'n', 'n', 'n', 'f', 'f', 'o'};
    h->cc = ccs[mrct_rng_below(r, sizeof ccs)];
    h->cc_shared = h->cc == 'n' && mrct_draw_one_in(r, 3);
    h->cwnd_bytes = mrct_draw_between(r, 2, 80) * 4200u;
    h->mpr = mrct_draw_one_in(r, 4) ? mrct_draw_between(r, 17, 255) : mrct_draw_between(r, 8, 16);
    h->dynamic_mpr = mrct_draw_one_in(r, 3);
    h->max_wimm = mrct_draw_between(r, 32, 64);
    if (mrct_draw_one_in(r, 24)) {
        h->told_max_wimm = (int)(h->max_wimm + mrct_draw_between(r, 1, 200));
    }
    h->cwnd_pen = mrct_draw_one_in(r, 8) ? (uint8_t)mrct_draw_between(r, 1, 127) : 0;
    h->restore_cwnd = mrct_draw_one_in(r, 2);
}

/* From nothing to some milliseconds; with a penalty, under which a packet goes a round trip, less.
 */
static void draw_service(struct mrct_rng *r, struct mrct_case_host *h)
{
    h->svc_time = mrct_draw_one_in(r, 3);
    h->service_ns =
        mrct_draw_one_in(r, 3) ? mrct_rng_below(r, 1u << mrct_draw_between(r, 8, 22)) : 0;
    if (h->cwnd_pen > 0 && h->service_ns > 50000) {
        h->service_ns = 50000;
    }
}

static void draw_answers(struct mrct_rng *r, struct mrct_case_host *h)
{
    h->tseth = !mrct_draw_one_in(r, 4);
    h->tseth_every = mrct_draw_one_in(r, 3) ? mrct_draw_between(r, 2, 9) : 1;
    h->trimmable = !mrct_draw_one_in(r, 4);
    h->trim_nack = !mrct_draw_one_in(r, 3);
    h->sack_threshold = mrct_draw_one_in(r, 2) ? 16384 : mrct_draw_between(r, 0, 32768);
    h->sack_min_pkt = mrct_draw_one_in(r, 3) ? mrct_draw_between(r, 1024, 4096) : 1024;
    h->reorder_margin =
        mrct_draw_one_in(r, 4) ? mrct_draw_between(r, 65, 1023) : mrct_draw_between(r, 1, 64);
}

static void draw_retries(struct mrct_rng *r, struct mrct_case_host *h)
{
    h->start_psn = mrct_draw_one_in(r, 3) ? 0xFFFFFF - (int64_t)mrct_rng_below(r, 300) : -1;
    h->linear_cnt = (uint8_t)mrct_draw_between(r, 4, 7);
    h->exp_cnt = (uint8_t)mrct_draw_between(r, 10, 14);
}

/* A window's worth of packets, the longest path there and back, and the longest delays. */
static void set_timeout(struct mrct_case *c, unsigned host)
{
    struct mrct_case_host *const h = &c->host[host];
    const uint64_t window_ns =
        ((uint64_t)h->cwnd_bytes * c->qps + 100000) * 8 * 1000000000u / c->fabric.rate_bps;
    const uint64_t path_ns = c->fabric.latency_ns + c->fabric.paths * c->fabric.latency_step_ns;
    h->timeout = timeout_above(2 * window_ns + 2 * path_ns + 2 * c->fabric.delay_max_ns +
                               c->host[1 - host].service_ns);
    const uint64_t twice_ns = (UINT64_C(1024) << h->timeout) * 2;
    h->exp_ceiling_ns = twice_ns > 4000000 ? twice_ns : 4000000;
}

/* Readings that both hosts follow. The default need not be told; another has to be. */
static void draw_readings(struct mrct_rng *r, struct mrct_case *c, char reading[MRCT_QUESTIONS_MAX])
{
#define AT(m) offsetof(struct mrct_case_host, m)
    static const struct {
        size_t at;
        int question;
        char last, standard;
    } rows[] = {
        {AT(q2), 2, 'b', 'b'},   {AT(q9), 9, 'b', 'a'},   {AT(q10), 10, 'b', 'a'},
        {AT(q11), 11, 'b', 'a'}, {AT(q17), 17, 'b', 'a'}, {AT(q20), 20, 'b', 'b'},
        {AT(q22), 22, 'b', 'a'}, {AT(q25), 25, 'b', 'a'}, {AT(q26), 26, 'c', 'b'},
    };
#undef AT
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char v = (char)('a' + (int)mrct_rng_below(r, (uint32_t)(rows[i].last - 'a' + 1)));
        const bool tell = mrct_draw_one_in(r, 2) || v != rows[i].standard;
        *((char *)&c->host[0] + rows[i].at) = v;
        *((char *)&c->host[1] + rows[i].at) = v;
        reading[rows[i].question] = (char)(tell ? v : 0);
    }
    /* The wire's own: which half of an EV goes where, and what the ICRC of SRv6 covers. */
    reading[3] = mrct_draw_one_in(r, 3) ? 'b' : 0;
    reading[6] = mrct_draw_one_in(r, 3) ? 'b' : 0;
}

void mrct_draw_hosts(struct mrct_rng *r, struct mrct_case *c, char reading[MRCT_QUESTIONS_MAX])
{
    draw_common(r, c);
    for (unsigned h = 0; h < 2; h++) {
        draw_answers(r, &c->host[h]);
        draw_window(r, &c->host[h]);
        draw_service(r, &c->host[h]);
        draw_retries(r, &c->host[h]);
        draw_evs(r, c, &c->host[h]);
    }
    set_timeout(c, 0);
    set_timeout(c, 1);
    draw_readings(r, c, reading);
}
