/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/stats/stats_priv.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PSN_SPAN 32768 /* how far a control packet may speak of PSNs behind the newest */

struct mrct_stats *mrct_stats_new(const struct mrct_facts *facts)
{
    struct mrct_stats *const s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->facts = facts;
    s->keys = calloc(STATS_KEYS, sizeof(*s->keys));
    s->hosts = calloc(STATS_HOSTS_MAX, sizeof(*s->hosts));
    if (s->keys == NULL || s->hosts == NULL) {
        mrct_stats_free(s);
        return NULL;
    }
    return s;
}

static void flow_fini(struct stats_flow *f)
{
    free(f->evs);
    free(f->changes);
    free(f->ring);
    free(f->sequence.points);
    free(f->rtts.points);
}

void mrct_stats_free(struct mrct_stats *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->flow_count; i++)
        flow_fini(&s->flows[i]);
    free(s->flows);
    free(s->keys);
    free(s->hosts);
    free(s);
}

/* ---- names and connections ---- */

static const uint8_t *address(const struct mrc_pkt *p, bool source)
{
    return p->is_v6 ? (source ? p->ip6.src : p->ip6.dst) : source ? p->ip4.src : p->ip4.dst;
}

static void name_of(const struct mrct_facts *facts, const struct mrc_pkt *p, bool source,
                    char name[64])
{
    const uint8_t *const a = address(p, source);
    const int host = mrct_facts_host_of(facts, p->is_v6, a);
    if (host >= 0)
        snprintf(name, 64, "%s", facts->hosts[host].name);
    else if (inet_ntop(p->is_v6 ? AF_INET6 : AF_INET, a, name, 64) == NULL)
        name[0] = '\0';
}

static struct stats_flow *add_flow(struct mrct_stats *s)
{
    if (s->flow_count == STATS_FLOWS_MAX)
        return NULL;
    if (s->flow_count == s->flow_room) {
        const size_t room = s->flow_room == 0 ? 8 : 2 * s->flow_room;
        struct stats_flow *const more = realloc(s->flows, room * sizeof(*more));
        if (more == NULL)
            return NULL;
        s->flows = more;
        s->flow_room = room;
    }
    struct stats_flow *const f = &s->flows[s->flow_count];
    memset(f, 0, sizeof(*f));
    f->ring = calloc(STATS_RING, sizeof(*f->ring));
    if (f->ring == NULL)
        return NULL;
    f->reply_qp = -1;
    f->plotted = s->flow_count < STATS_PLOTTED;
    s->flow_count++;
    return f;
}

static bool is_control(uint8_t op)
{
    return op == MRC_OP_ACK || op == MRC_OP_SACK || op == MRC_OP_NACK;
}

static struct stats_flow *named(struct mrct_stats *s, const char *from, const char *to, uint32_t qp,
                                enum mrct_tap tap)
{
    for (size_t i = 0; i < s->flow_count; i++) {
        struct stats_flow *const f = &s->flows[i];
        if (f->dest_qp == qp && f->tap == tap && strcmp(f->from, from) == 0 &&
            strcmp(f->to, to) == 0)
            return f;
    }
    struct stats_flow *const f = add_flow(s);
    if (f == NULL)
        return NULL;
    snprintf(f->from, sizeof(f->from), "%s", from);
    snprintf(f->to, sizeof(f->to), "%s", to);
    f->dest_qp = qp;
    f->tap = tap;
    return f;
}

static uint32_t told_psn(const struct mrc_pkt *p)
{
    return MRC_PKT_HAS(p, SETH)   ? p->seth.cack_psn
           : MRC_PKT_HAS(p, NETH) ? p->neth.nack_psn
                                  : p->bth.psn;
}

/* The connection that a control packet answers: of its QP, else the nearest one by PSN. */
static struct stats_flow *answered(struct mrct_stats *s, const char *from, const char *to,
                                   const struct mrc_pkt *p, enum mrct_tap tap)
{
    struct stats_flow *best = NULL;
    int32_t best_d = PSN_SPAN;
    for (size_t i = 0; i < s->flow_count; i++) {
        struct stats_flow *const f = &s->flows[i];
        if (f->tap != tap || strcmp(f->from, to) != 0 || strcmp(f->to, from) != 0)
            continue;
        if (f->reply_qp == (int64_t)p->bth.dest_qp)
            return f;
        const int32_t d = mrc_psn_diff(told_psn(p), f->psn_high);
        const int32_t size = d < 0 ? -d : d;
        if (f->reply_qp < 0 && f->have_psn && size < best_d) {
            best = f;
            best_d = size;
        }
    }
    if (best != NULL)
        best->reply_qp = p->bth.dest_qp;
    return best;
}

static struct stats_key *key_of(struct mrct_stats *s, const struct mrc_pkt *p, enum mrct_tap tap)
{
    struct stats_key k;
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    memset(&k, 0, sizeof(k));
    memcpy(k.src, address(p, true), p->is_v6 ? 16 : 4);
    memcpy(k.dst, address(p, false), p->is_v6 ? 16 : 4);
    k.qp = p->bth.dest_qp;
    k.is_v6 = p->is_v6;
    k.control = is_control(p->bth.opcode);
    k.tap = (uint8_t)tap;
    k.used = 1;
    const uint8_t *const b = (const uint8_t *)&k;
    for (size_t i = 0; i < offsetof(struct stats_key, flow); i++)
        h = (h ^ b[i]) * UINT64_C(0x100000001B3);
    for (size_t i = (size_t)(h ^ h >> 31);; i++) {
        struct stats_key *const slot = &s->keys[i & (STATS_KEYS - 1)];
        if (slot->used == 0) {
            k.flow = UINT32_MAX;
            if (s->keys_used >= STATS_KEYS / 2)
                return NULL;
            *slot = k;
            s->keys_used++;
            return slot;
        }
        if (memcmp(slot, &k, offsetof(struct stats_key, flow)) == 0)
            return slot;
    }
}

static struct stats_flow *flow_of(struct mrct_stats *s, const struct mrc_pkt *p, enum mrct_tap tap)
{
    char from[64], to[64];
    struct stats_key *const key = key_of(s, p, tap);
    if (key != NULL && key->flow != UINT32_MAX)
        return &s->flows[key->flow];
    name_of(s->facts, p, true, from);
    name_of(s->facts, p, false, to);
    struct stats_flow *const f = is_control(p->bth.opcode)
                                     ? answered(s, from, to, p, tap)
                                     : named(s, from, to, p->bth.dest_qp, tap);
    if (key != NULL && f != NULL)
        key->flow = (uint32_t)(f - s->flows);
    return f;
}

static void count_host(struct mrct_stats *s, const struct mrct_obs *obs)
{
    char name[64];
    name_of(s->facts, &obs->pkt, true, name);
    size_t i = 0;
    while (i < s->host_count && strcmp(s->hosts[i].name, name) != 0)
        i++;
    if (i == STATS_HOSTS_MAX)
        return;
    if (i == s->host_count) {
        snprintf(s->hosts[i].name, sizeof(s->hosts[i].name), "%s", name);
        s->host_count++;
    }
    s->hosts[i].packets++;
    s->hosts[i].bytes += obs->wire_len;
}

/* The plane by the sender's address, where the facts give addresses planes. */
static unsigned plane_of(const struct mrct_stats *s, const struct mrc_pkt *p)
{
    const uint8_t *const a = address(p, true);
    const int host = mrct_facts_host_of(s->facts, p->is_v6, a);
    if (host < 0)
        return 0;
    const struct mrct_fact_host *const h = &s->facts->hosts[host];
    for (size_t i = 0; i < h->addr_count; i++)
        if (h->addrs[i].is_v6 == p->is_v6 && memcmp(h->addrs[i].ip, a, p->is_v6 ? 16 : 4) == 0)
            return h->addrs[i].plane > 0 ? (unsigned)h->addrs[i].plane % STATS_PLANES_MAX : 0;
    return 0;
}

/* ---- requests ---- */

static void note_order(struct stats_flow *f, const struct mrc_pkt *p, uint64_t now_ns)
{
    const int32_t d = f->have_psn ? mrc_psn_diff(p->bth.psn, f->psn_high) : 1;
    if (!f->have_psn) {
        f->have_psn = true;
        f->psn_first = p->bth.psn;
        f->high = 0;
    } else if (d > 0) {
        f->high += d;
    } else if (!p->bth.rtx) {
        f->reorder[mrct_stats_bucket((uint64_t)-d)]++;
        f->reorder_time[mrct_stats_bucket((now_ns - f->high_ns) / 1000)]++;
    }
    if (d > 0) {
        f->psn_high = p->bth.psn;
        f->high_ns = now_ns;
    }
}

static void note_flight(struct stats_flow *f)
{
    const int32_t out = f->have_cack ? mrc_psn_diff(f->psn_high, f->cack) : 0;
    if (out <= 0)
        return;
    f->flight_count++;
    f->flight_sum += (uint64_t)out;
    if ((uint64_t)out > f->flight_max)
        f->flight_max = (uint64_t)out;
}

static void take_request(struct stats_flow *f, const struct mrct_obs *obs)
{
    const struct mrc_pkt *const p = &obs->pkt;
    struct stats_ev *e = mrct_stats_ev(f, p->ev);
    struct stats_sent *const r = &f->ring[p->bth.psn & (STATS_RING - 1)];
    const bool again = p->bth.rtx || (r->used && r->psn == p->bth.psn);
    note_order(f, p, obs->time_ns);
    f->requests_since_sack++;
    f->payload_bytes += p->payload_len;
    f->new_payload_bytes += again || p->trim != MRC_TRIM_NONE ? 0 : p->payload_len;
    f->retransmitted += again;
    f->marked += p->ecn == 3;
    f->trimmed += p->trim != MRC_TRIM_NONE;
    const int64_t seq = f->high + mrc_psn_diff(p->bth.psn, f->psn_high);
    if (f->plotted)
        mrct_plot_add(&f->sequence, obs->time_ns, seq,
                      p->trim != MRC_TRIM_NONE ? STATS_TRIMMED
                      : again                  ? STATS_AGAIN
                                               : STATS_SENT);
    if (e != NULL) {
        e->packets++;
        e->bytes += obs->wire_len;
        e->retransmitted += again;
        e->marked += p->ecn == 3;
        e->trimmed += p->trim != MRC_TRIM_NONE;
    }
    if (again && r->used && r->psn == p->bth.psn && !r->acked && p->trim == MRC_TRIM_NONE) {
        struct stats_ev *const before = mrct_stats_ev(f, r->ev);
        if (before != NULL)
            before->lost++;
        mrct_stats_change(f, obs->time_ns, r->ev, STATS_EV_LOST);
    }
    *r = (struct stats_sent){.used = true,
                             .psn = p->bth.psn,
                             .ev = p->ev,
                             .ts = p->tseth.tx_timestamp,
                             .tsr = p->tseth.tsr != 0,
                             .time_ns = obs->time_ns};
    note_flight(f);
}

/* ---- answers ---- */

/* By the tap's own clock: when the packet that this SACK answers was seen. */
static void take_rtt(struct stats_flow *f, uint32_t psn, uint32_t ev, uint64_t now_ns)
{
    struct stats_sent *const r = &f->ring[psn & (STATS_RING - 1)];
    if (!r->used || r->psn != psn || r->acked || r->ev != ev || now_ns < r->time_ns)
        return;
    const uint64_t rtt = now_ns - r->time_ns;
    struct stats_ev *const e = mrct_stats_ev(f, ev);
    r->acked = true;
    mrct_rtt_add(&f->rtt, rtt);
    if (e != NULL)
        mrct_rtt_add(&e->rtt, rtt);
    if (f->plotted)
        mrct_plot_add(&f->rtts, now_ns, (int64_t)rtt, STATS_RTT);
    mrct_stats_change(f, now_ns, ev, STATS_EV_GOOD);
}

static void take_sack(struct stats_flow *f, const struct mrct_obs *obs)
{
    const struct mrc_seth *const s = &obs->pkt.seth;
    const uint64_t now_ns = obs->time_ns;
    if (f->sacks++ > 0)
        mrct_rtt_add(&f->sack_gap, now_ns - f->last_sack_ns);
    f->last_sack_ns = now_ns;
    f->requests_by_sack += f->requests_since_sack;
    f->requests_since_sack = 0;
    if (!f->have_cack || mrc_psn_diff(s->cack_psn, f->cack) > 0)
        f->cack = s->cack_psn;
    f->have_cack = true;
    if (f->have_psn && f->plotted)
        mrct_plot_add(&f->sequence, now_ns, f->high + mrc_psn_diff(s->cack_psn, f->psn_high),
                      STATS_CACK);
    if (s->m != MRC_M_NONE) {
        struct stats_ev *const e = mrct_stats_ev(f, s->entropy);
        if (e != NULL)
            e->skips++;
        mrct_stats_change(f, now_ns, s->entropy, STATS_EV_SKIP);
    }
    if (!s->pr && s->m == MRC_M_NONE)
        take_rtt(f, mrc_psn_add(s->cack_psn, s->ack_psn_offset), s->entropy, now_ns);
}

static void take_nack(struct stats_flow *f, const struct mrct_obs *obs)
{
    const struct mrc_neth *const n = &obs->pkt.neth;
    f->nacks++;
    if (n->nack_reason == MRC_NACK_TRIMMED || n->nack_reason == MRC_NACK_TRIMMED_LASTHOP)
        mrct_stats_change(f, obs->time_ns, n->entropy, STATS_EV_TRIMMED);
}

static void take_packet(struct stats_flow *f, const struct mrct_obs *obs)
{
    const uint8_t op = obs->pkt.bth.opcode;
    if (f->packets++ == 0) {
        f->first_frame = obs->frame_no;
        f->first_ns = obs->time_ns;
    }
    f->last_ns = obs->time_ns > f->last_ns ? obs->time_ns : f->last_ns;
    f->bytes += obs->wire_len;
    if (mrc_op_is_write(op))
        take_request(f, obs);
    else if (op == MRC_OP_SACK)
        take_sack(f, obs);
    else if (op == MRC_OP_NACK)
        take_nack(f, obs);
    else if (op == MRC_OP_ACK)
        f->acks++;
    else
        f->probes++;
}

void mrct_stats_frame(struct mrct_stats *s, const struct mrct_obs *obs, enum mrct_tap tap)
{
    const struct mrc_pkt *const p = &obs->pkt;
    if (obs->err != MRC_WIRE_OK || !MRC_PKT_HAS(p, BTH))
        return;
    struct stats_plane *const plane = &s->planes[plane_of(s, p)];
    if (!s->any || obs->time_ns < s->first_ns)
        s->first_ns = obs->time_ns;
    s->any = true;
    s->last_ns = obs->time_ns > s->last_ns ? obs->time_ns : s->last_ns;
    plane->packets++;
    plane->bytes += obs->wire_len;
    plane->marked += p->ecn == 3;
    plane->trimmed += p->trim != MRC_TRIM_NONE;
    plane->retransmitted += mrc_op_is_write(p->bth.opcode) && p->bth.rtx;
    count_host(s, obs);
    struct stats_flow *const f = flow_of(s, p, tap);
    if (f != NULL)
        take_packet(f, obs);
    else
        s->beyond++;
}

/* ---- several of a run ---- */

static int by_first_frame(const void *a, const void *b)
{
    const struct stats_flow *const x = a;
    const struct stats_flow *const y = b;
    return x->first_frame < y->first_frame ? -1 : x->first_frame > y->first_frame;
}

static void merge_host(struct mrct_stats *s, const struct stats_host *h)
{
    size_t i = 0;
    while (i < s->host_count && strcmp(s->hosts[i].name, h->name) != 0)
        i++;
    if (i == STATS_HOSTS_MAX)
        return;
    if (i == s->host_count) {
        s->hosts[s->host_count++] = *h;
        return;
    }
    s->hosts[i].packets += h->packets;
    s->hosts[i].bytes += h->bytes;
}

int mrct_stats_merge(struct mrct_stats *s, struct mrct_stats *other)
{
    const size_t all = s->flow_count + other->flow_count;
    struct stats_flow *const more = realloc(s->flows, (all + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    s->flows = more;
    s->flow_room = all + 1;
    for (size_t i = 0; i < other->flow_count; i++)
        more[s->flow_count++] = other->flows[i]; /* with what it owns */
    other->flow_count = 0;
    qsort(more, s->flow_count, sizeof(*more), by_first_frame);
    for (size_t i = 0; i < other->host_count; i++)
        merge_host(s, &other->hosts[i]);
    for (unsigned i = 0; i < STATS_PLANES_MAX; i++) {
        s->planes[i].packets += other->planes[i].packets;
        s->planes[i].bytes += other->planes[i].bytes;
        s->planes[i].retransmitted += other->planes[i].retransmitted;
        s->planes[i].marked += other->planes[i].marked;
        s->planes[i].trimmed += other->planes[i].trimmed;
    }
    s->beyond += other->beyond;
    if (other->any && (!s->any || other->first_ns < s->first_ns))
        s->first_ns = other->first_ns;
    s->any |= other->any;
    s->last_ns = other->last_ns > s->last_ns ? other->last_ns : s->last_ns;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct stats_host *const x = a;
    const struct stats_host *const y = b;
    return strcmp(x->name, y->name);
}

void mrct_stats_end(struct mrct_stats *s)
{
    qsort(s->hosts, s->host_count, sizeof(*s->hosts), by_name);
}

double mrct_stats_goodput(const struct stats_flow *f)
{
    const uint64_t ns = f->last_ns - f->first_ns;
    return ns == 0 ? 0 : (double)f->new_payload_bytes * 8e9 / (double)ns;
}
