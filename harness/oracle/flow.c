/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairing frames into flows. Requests carry no source QP and addresses may differ per plane, so a
 * flow is known by its two hosts and the QPN that a frame names: the responder's in requests and
 * probes, the requestor's in control packets. Facts give both; where they do not, the requestor's
 * QPN is learned from the first control packet that only one flow can have caused.
 */
#include "harness/oracle/core.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hosts ---- */

static int host_add(struct mrct_oracle *o, bool is_v6, const uint8_t ip[16])
{
    struct host *const h = &o->hosts[o->host_count];
    char words[INET6_ADDRSTRLEN];
    if (inet_ntop(is_v6 ? AF_INET6 : AF_INET, ip, words, sizeof(words)) == NULL)
        return FLOW_HOST_NONE;
    h->words_mem = strdup(words);
    if (h->words_mem == NULL)
        return FLOW_HOST_NONE;
    h->name = h->words_mem;
    h->is_v6 = is_v6;
    memcpy(h->ip, ip, sizeof(h->ip));
    return (int)o->host_count++;
}

static int find_host(struct mrct_oracle *o, bool is_v6, const uint8_t *addr);

/* Frames come from few addresses in turn: those found last are looked at first. */
static int host_of(struct mrct_oracle *o, bool is_v6, const uint8_t *addr)
{
    uint64_t lo, hi = 0;
    uint32_t v4;
    if (is_v6) {
        memcpy(&lo, addr, sizeof(lo));
        memcpy(&hi, addr + 8, sizeof(hi));
    } else {
        memcpy(&v4, addr, sizeof(v4));
        lo = v4;
    }
    const uint64_t h = (lo ^ hi ^ (hi >> 24) ^ (lo >> 8)) * UINT64_C(0x9E3779B97F4A7C15);
    struct host_hint *const hint = &o->hints[h >> 58];
    if (hint->used && hint->is_v6 == is_v6 && hint->lo == lo && hint->hi == hi)
        return hint->host;
    const int host = find_host(o, is_v6, addr);
    if (host != FLOW_HOST_NONE)
        *hint = (struct host_hint){.lo = lo, .hi = hi, .host = host, .is_v6 = is_v6, .used = true};
    return host;
}

static int find_host(struct mrct_oracle *o, bool is_v6, const uint8_t *addr)
{
    uint8_t ip[16] = {0};
    memcpy(ip, addr, is_v6 ? 16 : 4);
    const int known = mrct_facts_host_of(o->cfg.facts, is_v6, ip);
    if (known >= 0)
        return known;
    for (size_t i = o->fact_hosts; i < o->host_count; i++)
        if (o->hosts[i].is_v6 == is_v6 && memcmp(o->hosts[i].ip, ip, sizeof(ip)) == 0)
            return (int)i;
    return o->host_count < HOSTS_MAX ? host_add(o, is_v6, ip) : FLOW_HOST_NONE;
}

static int hosts_init(struct mrct_oracle *o)
{
    const struct mrct_facts *const facts = o->cfg.facts;
    o->hosts = calloc(HOSTS_MAX, sizeof(*o->hosts));
    if (o->hosts == NULL || facts->host_count > HOSTS_MAX)
        return -1;
    for (size_t i = 0; i < facts->host_count; i++)
        o->hosts[i].name = facts->hosts[i].name;
    o->host_count = o->fact_hosts = facts->host_count;
    return 0;
}

/* The host at whose side the tap is: that of the first QP known, for all flows. */
static void learn_tap_host(struct mrct_oracle *o, int requestor, int responder)
{
    if (o->tap_host != FLOW_HOST_NONE || o->tap_doubted)
        return;
    if (o->cfg.tap == MRCT_TAP_REQUESTOR)
        o->tap_host = requestor;
    else if (o->cfg.tap == MRCT_TAP_RESPONDER)
        o->tap_host = responder;
}

static enum mrct_tap tap_for(const struct mrct_oracle *o, int requestor, int responder)
{
    if (o->tap_host == FLOW_HOST_NONE)
        return MRCT_TAP_MIDDLE;
    if (o->tap_host == requestor)
        return MRCT_TAP_REQUESTOR;
    return o->tap_host == responder ? MRCT_TAP_RESPONDER : MRCT_TAP_MIDDLE;
}

/* ---- flows ---- */

static void flow_free(struct flow *f)
{
    if (f == NULL)
        return;
    mrct_models_fini(f);
    free(f->dues);
    free(f->said);
    free(f);
}

static int flow_list_add(struct mrct_oracle *o, struct flow *f)
{
    if (o->flow_count == o->flow_cap) {
        const size_t cap = o->flow_cap != 0 ? 2 * o->flow_cap : 16;
        struct flow **const bigger = realloc(o->flows, cap * sizeof(struct flow *));
        if (bigger == NULL)
            return -1;
        o->flows = bigger;
        o->flow_cap = cap;
    }
    f->id = (uint32_t)o->flow_count;
    o->flows[o->flow_count++] = f;
    return 0;
}

static struct flow *flow_new(struct mrct_oracle *o, const struct mrct_fact_qp *fact, bool is_node)
{
    if (o->flow_count >= FLOWS_MAX)
        return NULL;
    struct flow *const f = calloc(1, sizeof(*f));
    if (f == NULL)
        return NULL;
    f->fact = *fact;
    f->is_node = is_node;
    learn_tap_host(o, fact->host, fact->peer_host);
    f->tap = tap_for(o, fact->host, fact->peer_host);
    f->requestor = o->hosts[fact->host].name;
    f->responder = o->hosts[fact->peer_host].name;
    f->dues = mrct_dues_new();
    f->said = mrct_said_new(o->row_count);
    if (f->dues == NULL || f->said == NULL || mrct_models_init(o, f) != 0 ||
        flow_list_add(o, f) != 0) {
        flow_free(f);
        o->out_of_memory = true;
        return NULL;
    }
    return f;
}

/* Under the QPN of its requestor: as frames name it, and as events do. */
static int map_qpn(struct mrct_oracle *o, struct flow *f)
{
    const uint32_t a = (uint32_t)f->fact.host, b = (uint32_t)f->fact.peer_host;
    const uint32_t qpn = (uint32_t)f->fact.qpn;
    return mrct_flow_map_put(&o->map, FLOW_BY_QPN, a, b, qpn, f) |
           mrct_flow_map_put(&o->map, FLOW_AT_ASKER, a, a, qpn, f);
}

static int map_peer_qpn(struct mrct_oracle *o, struct flow *f)
{
    const uint32_t a = (uint32_t)f->fact.host, b = (uint32_t)f->fact.peer_host;
    const uint32_t qpn = (uint32_t)f->fact.peer_qpn;
    return mrct_flow_map_put(&o->map, FLOW_BY_PEER_QPN, a, b, qpn, f) |
           mrct_flow_map_put(&o->map, FLOW_AT_ANSWERER, b, b, qpn, f);
}

static int map_flow(struct mrct_oracle *o, struct flow *f)
{
    if (f->fact.peer_qpn >= 0 && map_peer_qpn(o, f) != 0)
        return -1;
    if (f->fact.qpn >= 0)
        return map_qpn(o, f);
    if (o->unlearned_count < UNLEARNED_MAX)
        o->unlearned[o->unlearned_count++] = f;
    return 0;
}

static void link_reverse(struct mrct_oracle *o, struct flow *f)
{
    if (f->fact.qpn < 0 || f->fact.peer_qpn < 0)
        return;
    struct flow *const r = mrct_flow_map_get(&o->map, FLOW_BY_PEER_QPN, (uint32_t)f->fact.peer_host,
                                             (uint32_t)f->fact.host, (uint32_t)f->fact.qpn);
    if (r != NULL && r->fact.qpn == f->fact.peer_qpn) {
        f->reverse = r;
        r->reverse = f;
    }
}

static bool hosts_ok(const struct mrct_oracle *o, const struct mrct_fact_qp *q)
{
    return q->host >= 0 && q->peer_host >= 0 && (size_t)q->host < o->fact_hosts &&
           (size_t)q->peer_host < o->fact_hosts;
}

/* What whoever divides the frames found out for all. */
static void take_side(struct mrct_oracle *o, const struct mrct_tap_side *side)
{
    if (side == NULL || !side->known)
        return;
    const int requestor = host_of(o, side->is_v6, side->requestor);
    const int responder = host_of(o, side->is_v6, side->responder);
    if (requestor != FLOW_HOST_NONE && responder != FLOW_HOST_NONE)
        learn_tap_host(o, requestor, responder);
}

int mrct_flows_init(struct mrct_oracle *o)
{
    o->tap_host = FLOW_HOST_NONE;
    if (hosts_init(o) != 0)
        return -1;
    for (size_t i = 0; i < o->cfg.facts->qp_count; i++) {
        const struct mrct_fact_qp *const q = &o->cfg.facts->qps[i];
        if (!hosts_ok(o, q))
            continue;
        struct flow *const f = flow_new(o, q, false);
        if (f == NULL || map_flow(o, f) != 0)
            return -1;
        f->from_facts = true;
        link_reverse(o, f);
    }
    o->tap_guessed = o->tap_host == FLOW_HOST_NONE;
    take_side(o, o->cfg.side);
    return 0;
}

void mrct_flows_fini(struct mrct_oracle *o)
{
    for (size_t i = 0; i < o->flow_count; i++)
        flow_free(o->flows[i]);
    free(o->flows);
    free(o->map.slots);
    for (size_t i = 0; o->hosts != NULL && i < o->host_count; i++)
        free(o->hosts[i].words_mem);
    free(o->hosts);
}

/* ---- frames ---- */

/* A row of the facts between these hosts that does not name the responder's QPN, if only one. */
static struct flow *adopt_fact(struct mrct_oracle *o, int from, int to, uint32_t qpn)
{
    struct flow *only = NULL;
    for (size_t i = 0; i < o->flow_count && i < o->cfg.facts->qp_count; i++) {
        struct flow *const f = o->flows[i];
        if (!f->from_facts || f->fact.peer_qpn >= 0 || f->fact.host != from ||
            f->fact.peer_host != to)
            continue;
        if (only != NULL)
            return NULL;
        only = f;
    }
    if (only == NULL)
        return NULL;
    only->fact.peer_qpn = qpn;
    return map_peer_qpn(o, only) == 0 ? only : NULL;
}

/* Who was the first to ask tells at which of two hosts the tap is, unless both ask: the tap beside
 * a host sees what that host sends first, whoever began. */
static void doubt_tap(struct mrct_oracle *o, const struct flow *f)
{
    for (size_t i = 0; o->tap_guessed && !o->tap_doubted && i < o->flow_count; i++) {
        const struct flow *const g = o->flows[i];
        o->tap_doubted =
            !g->is_node && g->fact.host == f->fact.peer_host && g->fact.peer_host == f->fact.host;
    }
    if (!o->tap_doubted)
        return;
    o->tap_host = FLOW_HOST_NONE;
    for (size_t i = 0; i < o->flow_count; i++)
        o->flows[i]->tap = MRCT_TAP_MIDDLE;
}

/* Each plane of a host may have an address of its own, and without the fact "hosts" each pair of
 * addresses is a pair of hosts. The QPN and the PSN tell that two flows may be one QP's. */
static void suspect_planes(struct mrct_oracle *o, struct flow *f, uint32_t psn)
{
    for (size_t i = 0; i < o->flow_count; i++) {
        struct flow *const g = o->flows[i];
        if (g == f || g->is_node || g->from_facts || g->fact.peer_qpn != f->fact.peer_qpn ||
            (g->fact.host == f->fact.peer_host && g->fact.peer_host == f->fact.host) ||
            !g->have_psn)
            continue;
        if (mrct_psn_near(psn, g->last_psn))
            f->is_plane = g->is_plane = true;
    }
}

static struct flow *request_flow(struct mrct_oracle *o, int from, int to, const struct look *l)
{
    const uint32_t qpn = l->obs->pkt.bth.dest_qp;
    struct flow *f =
        mrct_flow_map_get(&o->map, FLOW_BY_PEER_QPN, (uint32_t)from, (uint32_t)to, qpn);
    if (f != NULL || l->kind == KIND_BROKEN || l->icrc_bad)
        return f; /* a damaged QPN makes no flow */
    f = adopt_fact(o, from, to, qpn);
    if (f != NULL)
        return f;
    struct mrct_fact_qp fact = mrct_fact_qp_unknown(from, to);
    fact.peer_qpn = qpn;
    f = flow_new(o, &fact, false);
    if (f == NULL || map_flow(o, f) != 0)
        return NULL;
    suspect_planes(o, f, l->obs->pkt.bth.psn);
    doubt_tap(o, f);
    return f;
}

/* Low 16 bits of the responder's QPN, where the packet says them; or -1. */
static int32_t spdcid_of(const struct mrc_pkt *p)
{
    if (MRC_PKT_HAS(p, SETH))
        return p->seth.spdcid;
    return MRC_PKT_HAS(p, NETH) ? (int32_t)p->neth.spdcid : -1;
}

static uint32_t acked_psn(const struct mrc_pkt *p)
{
    return MRC_PKT_HAS(p, SETH) ? p->seth.cack_psn : p->bth.psn;
}

static bool may_have_caused(const struct flow *f, int from, int to, const struct mrc_pkt *p)
{
    if (f->fact.host != to || f->fact.peer_host != from)
        return false;
    if (!f->have_psn) /* a probe was all that came, and has no PSN */
        return MRC_PKT_HAS(p, SETH) && p->seth.pr != 0;
    return mrct_psn_near(acked_psn(p), f->last_psn);
}

#define PLANE_LOOKS 65536u /* unpaired frames that are held against all flows */

/* A control packet between other addresses to the QPN of a flow, of PSNs nearby: by another plane.
 */
static void suspect_answered(struct mrct_oracle *o, const struct mrc_pkt *p)
{
    for (size_t i = 0; i < o->flow_count; i++) {
        struct flow *const f = o->flows[i];
        if (!f->is_node && !f->from_facts && f->fact.qpn >= 0 &&
            (uint32_t)f->fact.qpn == p->bth.dest_qp && f->have_psn &&
            mrct_psn_near(acked_psn(p), f->last_psn))
            f->is_plane = true;
    }
}

/* Which unlearned flow caused this control packet: the only one, or the only one of its spdcid. */
static struct flow *learn_qpn(struct mrct_oracle *o, int from, int to, const struct mrc_pkt *p)
{
    size_t any = 0, by_id = 0, at_any = 0, at_id = 0;
    const int32_t spdcid = spdcid_of(p);
    for (size_t i = 0; i < o->unlearned_count; i++) {
        const struct flow *const f = o->unlearned[i];
        if (!may_have_caused(f, from, to, p))
            continue;
        any++;
        at_any = i;
        if (spdcid >= 0 && (f->fact.peer_qpn & 0xFFFF) == spdcid) {
            by_id++;
            at_id = i;
        }
    }
    if (by_id != 1 && any != 1)
        return NULL;
    const size_t at = by_id == 1 ? at_id : at_any;
    struct flow *const f = o->unlearned[at];
    f->fact.qpn = p->bth.dest_qp;
    f->learned_qpn = true;
    o->unlearned[at] = o->unlearned[--o->unlearned_count];
    return map_qpn(o, f) == 0 ? f : NULL;
}

static struct flow *control_flow(struct mrct_oracle *o, int from, int to, const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    struct flow *const f =
        mrct_flow_map_get(&o->map, FLOW_BY_QPN, (uint32_t)to, (uint32_t)from, p->bth.dest_qp);
    if (f != NULL || l->kind == KIND_BROKEN || l->icrc_bad)
        return f;
    struct flow *const learned = learn_qpn(o, from, to, p);
    if (learned == NULL && o->unpaired < PLANE_LOOKS)
        suspect_answered(o, p);
    return learned;
}

static struct flow *node_flow(struct mrct_oracle *o, int asker, int answerer)
{
    struct flow *f =
        mrct_flow_map_get(&o->map, FLOW_OF_NODES, (uint32_t)asker, (uint32_t)answerer, 0);
    if (f != NULL)
        return f;
    const struct mrct_fact_qp fact = mrct_fact_qp_unknown(asker, answerer);
    f = flow_new(o, &fact, true);
    const int rc = f == NULL ? -1
                             : mrct_flow_map_put(&o->map, FLOW_OF_NODES, (uint32_t)asker,
                                                 (uint32_t)answerer, 0, f);
    return rc == 0 ? f : NULL;
}

/* What the opcode would make of a frame, broken or not. */
static enum frame_kind kind_by_opcode(uint8_t opcode)
{
    static const enum frame_kind kinds[] = {
        [MRC_OP_ACK - 0xC0] = KIND_ACK,
        [MRC_OP_EP_REQUEST - 0xC0] = KIND_EP_REQUEST,
        [MRC_OP_EP_RESPONSE - 0xC0] = KIND_EP_RESPONSE,
        [MRC_OP_SACK - 0xC0] = KIND_SACK,
        [MRC_OP_NACK - 0xC0] = KIND_NACK,
        [MRC_OP_PROBE - 0xC0] = KIND_PROBE,
    };
    if (opcode < 0xC0 || opcode - 0xC0u >= sizeof(kinds) / sizeof(kinds[0]))
        return KIND_REQUEST;
    return kinds[opcode - 0xC0];
}

static void set_direction(struct look *l, bool to_responder)
{
    const enum mrct_tap near = to_responder ? MRCT_TAP_REQUESTOR : MRCT_TAP_RESPONDER;
    l->to_responder = to_responder;
    l->sent_at_tap = l->flow->tap == near;
    l->seen_at_receiver = l->flow->tap != near && l->flow->tap != MRCT_TAP_MIDDLE;
}

void mrct_flow_pair(struct mrct_oracle *o, struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (!MRC_PKT_HAS(p, BTH) || (!MRC_PKT_HAS(p, IPV4) && !MRC_PKT_HAS(p, IPV6)))
        return;
    const int from = host_of(o, p->is_v6, p->is_v6 ? p->ip6.src : p->ip4.src);
    const int to = host_of(o, p->is_v6, p->is_v6 ? p->ip6.dst : p->ip4.dst);
    if (from == FLOW_HOST_NONE || to == FLOW_HOST_NONE)
        return;
    l->sender = o->hosts[from].name;
    const enum frame_kind kind = kind_by_opcode(p->bth.opcode);
    bool to_responder = true;
    switch (kind) {
    case KIND_REQUEST:
    case KIND_PROBE:
    case KIND_BROKEN:
    case KIND_COUNT:
        l->flow = request_flow(o, from, to, l);
        break;
    case KIND_ACK:
    case KIND_SACK:
    case KIND_NACK:
        l->flow = control_flow(o, from, to, l);
        to_responder = false;
        break;
    case KIND_EP_REQUEST:
        l->flow = node_flow(o, from, to);
        break;
    case KIND_EP_RESPONSE:
        l->flow = node_flow(o, to, from);
        to_responder = false;
        break;
    }
    if (l->flow != NULL) {
        set_direction(l, to_responder);
        l->flow->frames++;
    } else {
        l->sent_at_tap = o->tap_host == from;
        l->seen_at_receiver = o->tap_host == to;
    }
}

/* ---- events ---- */

void mrct_flow_of_event(struct mrct_oracle *o, const struct mrct_event *ev, struct flow *of[2])
{
    of[0] = of[1] = NULL;
    const int host =
        ev->host != NULL ? mrct_facts_host_named(o->cfg.facts, ev->host) : FLOW_HOST_NONE;
    if (host < 0)
        return;
    const uint32_t at = (uint32_t)host;
    of[0] = mrct_flow_map_get(&o->map, FLOW_AT_ASKER, at, at, ev->qpn);
    of[1] = mrct_flow_map_get(&o->map, FLOW_AT_ANSWERER, at, at, ev->qpn);
}
