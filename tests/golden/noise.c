/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/golden/noise.h"

#include "ref/endpoint/mrc_ep.h"
#include "tests/oracle/mirror.h"

#include <string.h>

#define SENT_MAX 200u
#define STEPS    160u
#define RECENT   6u
#define VA       0x10000u
#define PLANES   2u

static const uint8_t ips[PLANES][2][16] = {{{0xfd, 1}, {0xfd, 2}},
                                           {{0xfd, 1, [15] = 1}, {0xfd, 2, [15] = 1}}};

struct noise {
    struct mirror m;
    uint64_t chance;
    struct mrc_pkt sent[SENT_MAX]; /* request n of the QP */
    uint32_t count;
    struct mrc_pkt came[RECENT]; /* at the answerer, latest first */
    uint32_t came_count;
    uint32_t left, dma_len; /* packets of the message under way; its length */
    bool imm;
    uint16_t msn;
    uint64_t va, next_va;
    uint64_t posted, done; /* writes; wr_id from 1 */
    uint64_t recvs, taken; /* receives */
    uint32_t wrong;        /* one thing in so many is off */
};

static uint32_t draw(struct noise *n, uint32_t below)
{
    n->chance = n->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(n->chance >> 33) % below;
}

static bool one_in(struct noise *n, uint32_t so_many)
{
    return draw(n, so_many) == 0;
}

/* One more, one less, or far off; 0 mostly. */
static int off(struct noise *n)
{
    static const int by[] = {1, -1, 2, -2, 64, -64, 127, -127, 128, -128};
    return one_in(n, n->wrong) ? by[draw(n, sizeof by / sizeof by[0])] : 0;
}

/* ---- what the applications do and are told ---- */

static void tell(struct noise *n, bool at_asker, struct mrct_event ev)
{
    ev.time_ns = n->m.t.now_ns;
    ev.host = at_asker ? "asker" : "answerer";
    ev.qpn = at_asker ? TALK_ASKER_QPN : TALK_PEER_QPN;
    if (n->m.t.cfg.have_events)
        mrct_oracle_event(n->m.t.w.oracle, &ev);
}

static void post(struct noise *n)
{
    const struct mrct_event ev = {.kind = MRCT_EVENT_POST_WRITE,
                                  .wr_id = ++n->posted,
                                  .va = n->next_va + (uint64_t)off(n),
                                  .rkey = 0x1234,
                                  .len_bytes = n->dma_len,
                                  .has_imm = n->imm,
                                  .imm = n->msn,
                                  .psn = UINT32_MAX};
    tell(n, true, ev);
    if (n->imm && !one_in(n, 8)) {
        const struct mrct_event recv = {
            .kind = MRCT_EVENT_POST_RECV, .wr_id = ++n->recvs, .psn = UINT32_MAX};
        tell(n, false, recv);
    }
}

static void placed(struct noise *n, const struct mrc_pkt *p)
{
    const struct mrct_event ev = {.kind = MRCT_EVENT_MEM_WRITE,
                                  .va = p->reth.va,
                                  .len_bytes = p->payload_len + (uint32_t)off(n),
                                  .psn = mrc_psn_add(p->bth.psn, off(n))};
    if (p->trim == MRC_TRIM_NONE && p->icrc_state == MRC_ICRC_VALID && !one_in(n, 2 * n->wrong))
        tell(n, false, ev);
}

static void reported(struct noise *n)
{
    static const int status[] = {MRC_WC_RETRY_EXCEEDED, MRC_WC_REMOTE_ACCESS, MRC_WC_REMOTE_INVALID,
                                 MRC_WC_REMOTE_OP, MRC_WC_FLUSHED};
    const struct mrct_event ev = {.kind = MRCT_EVENT_SEND_DONE,
                                  .wr_id = ++n->done + (uint64_t)off(n),
                                  .status =
                                      one_in(n, n->wrong) ? status[draw(n, 5)] : MRC_WC_SUCCESS,
                                  .psn = UINT32_MAX};
    tell(n, true, ev);
}

static void delivered(struct noise *n)
{
    const struct mrc_pkt *const p = &n->sent[draw(n, n->count)];
    const struct mrct_event ev = {.kind = MRCT_EVENT_RECV_IMM,
                                  .wr_id = ++n->taken + (uint64_t)off(n),
                                  .has_imm = true,
                                  .imm = p->meth.msn,
                                  .len_bytes = p->reth.dma_len + (uint32_t)off(n),
                                  .psn = UINT32_MAX};
    tell(n, false, ev);
}

static void something_else(struct noise *n)
{
    static const enum mrct_event_kind kinds[] = {MRCT_EVENT_QP_ERROR, MRCT_EVENT_MEM_CHECK,
                                                 MRCT_EVENT_PORT, MRCT_EVENT_EV_STATE};
    const struct mrc_pkt *const p = &n->sent[draw(n, n->count)];
    const struct mrct_event ev = {.kind = kinds[draw(n, 20) == 0 ? 0 : 1 + draw(n, 3)],
                                  .status = (int)draw(n, MRC_WC_LOCAL_UNEXP_EVENT + 1),
                                  .va = p->reth.va,
                                  .len_bytes = p->payload_len,
                                  .ev = p->ev,
                                  .plane = (int)draw(n, PLANES),
                                  .ok = !one_in(n, 4),
                                  .why = "it was drawn",
                                  .psn = UINT32_MAX};
    tell(n, one_in(n, 2), ev);
}

/* ---- requests ---- */

static uint8_t opcode_of(const struct noise *n, bool first)
{
    if (first && n->left == 1)
        return n->imm ? MRC_OP_WRITE_ONLY_IMM : MRC_OP_WRITE_ONLY;
    if (n->left == 1)
        return n->imm ? MRC_OP_WRITE_LAST_IMM : MRC_OP_WRITE_LAST;
    return first ? MRC_OP_WRITE_FIRST : MRC_OP_WRITE_MIDDLE;
}

/* By which plane it goes: the last octets of both addresses say so. */
static void choose_plane(struct noise *n, struct mrc_pkt *p)
{
    p->ip6.src[15] = p->ip6.dst[15] = (uint8_t)draw(n, PLANES);
}

static void dress(struct noise *n, struct mrc_pkt *p)
{
    choose_plane(n, p);
    p->bth.a = one_in(n, 3);
    p->ev = 0x50000u + draw(n, 4);
    p->udp.src_port = (uint16_t)(p->ev >> 16);
    p->ip6.flow_label = p->ev & 0xFFFFu;
    p->ecn = p->inner_ecn = one_in(n, 10) ? 3 : 2;
    p->nominal_len = 88 + p->payload_len;
    p->bth.r = one_in(n, 40);
    p->udp.checksum = one_in(n, 40);
    p->tseth.tx_timestamp = (uint16_t)(n->m.t.now_ns / 128 | 1u);
    if (one_in(n, 4 * n->wrong))
        p->reth.va += 4;
    if (one_in(n, 4 * n->wrong))
        p->reth.rkey++;
    if (one_in(n, 4 * n->wrong))
        p->bth.pkey--;
    if (one_in(n, 4 * n->wrong))
        p->reth.dma_len += 4;
}

static void arrive(struct noise *n, const struct mrc_pkt *p)
{
    const uint32_t kind = draw(n, 16);
    struct mrc_pkt seen = *p;
    if (kind == 0)
        seen = mirror_trimmed(p, one_in(n, 2) ? MRC_TRIM_LASTHOP : MRC_TRIM_TRIMMED);
    else if (kind == 1)
        seen.icrc_state = MRC_ICRC_WRONG;
    if (kind == 2 && n->m.t.cfg.tap == MRCT_TAP_REQUESTOR) {
        talk_frame(&n->m.t, p); /* and is lost behind the tap */
        return;
    }
    if (n->m.t.cfg.tap == MRCT_TAP_REQUESTOR && kind < 2)
        talk_frame(&n->m.t, p);
    else
        mirror_come(&n->m, &seen);
    memmove(n->came + 1, n->came, (RECENT - 1) * sizeof n->came[0]);
    n->came[0] = seen;
    n->came_count += n->came_count < RECENT;
    placed(n, &seen);
}

static void request(struct noise *n)
{
    const bool first = n->left == 0;
    if (n->count == SENT_MAX)
        return;
    if (first) {
        n->left = one_in(n, 3) ? 1 + draw(n, 3) : 1;
        n->imm = one_in(n, 4);
        n->msn++;
        n->dma_len = (n->left - 1) * TALK_MTU + 4 * (1 + draw(n, 16));
        n->va = n->next_va;
        post(n);
        n->next_va += n->dma_len;
    }
    const uint32_t len = n->left > 1 ? TALK_MTU : n->dma_len % TALK_MTU;
    struct mrc_pkt p = talk_write(opcode_of(n, first), mrc_psn_add(n->m.start, (int)n->count),
                                  n->msn, n->va, len, n->dma_len);
    p.immdt.imm = n->msn;
    n->va += len;
    n->left--;
    dress(n, &p);
    p.bth.psn = mrc_psn_add(p.bth.psn, one_in(n, 4 * n->wrong) ? off(n) : 0);
    n->sent[n->count++] = p;
    arrive(n, &p);
}

static void again(struct noise *n)
{
    const uint32_t back = one_in(n, 3) ? draw(n, n->count) : draw(n, n->count < 5 ? n->count : 5);
    const struct mrc_pkt *const first = &n->sent[n->count - 1 - back];
    struct mrc_pkt p = talk_again(first, one_in(n, 4) ? first->ev : first->ev ^ 1u);
    p.bth.rtx = !one_in(n, n->wrong);
    choose_plane(n, &p);
    if (one_in(n, n->wrong))
        p.dscp = p.inner_dscp = 4;
    arrive(n, &p);
}

/* ---- answers ---- */

static const struct mrc_pkt *trigger(struct noise *n)
{
    return &n->came[draw(n, one_in(n, 4) ? n->came_count : 1)];
}

static void answer(struct noise *n, struct mrc_pkt p)
{
    p.bth.psn = mrc_psn_add(p.bth.psn, one_in(n, 2) ? off(n) : 0);
    choose_plane(n, &p);
    if (one_in(n, 40))
        p.icrc_state = MRC_ICRC_WRONG;
    if (n->m.t.cfg.tap == MRCT_TAP_REQUESTOR && one_in(n, 16))
        return; /* lost before the tap */
    talk_frame(&n->m.t, &p);
}

static void sack(struct noise *n)
{
    struct mrc_pkt p = mirror_sack(&n->m, trigger(n));
    struct mrc_seth *const s = &p.seth;
    s->cack_psn = p.bth.psn = mrc_psn_add(s->cack_psn, off(n));
    s->ack_psn_offset = (int16_t)(s->ack_psn_offset + off(n));
    s->sack_offset = (int16_t)(s->sack_offset + off(n));
    s->sack_bitmap ^= one_in(n, n->wrong) ? UINT64_C(1) << draw(n, 64) : 0;
    s->m = one_in(n, n->wrong) ? draw(n, 4) & 3u : s->m;
    s->mpr = one_in(n, 2 * n->wrong) ? (uint8_t)draw(n, 3) : s->mpr;
    s->cc_type = one_in(n, 2 * n->wrong) ? draw(n, 3) & 3u : s->cc_type;
    s->entropy += one_in(n, n->wrong);
    p.bth.rtx ^= one_in(n, n->wrong);
    p.cc_state.ooo_count = (uint16_t)(p.cc_state.ooo_count + off(n));
    p.cc_state.rcvd_bytes = (p.cc_state.rcvd_bytes + (uint32_t)off(n)) & 0xFFFFFFu;
    p.cc_state.tx_timestamp = (uint16_t)(p.cc_state.tx_timestamp + off(n));
    answer(n, p);
}

static void nack(struct noise *n)
{
    static const uint8_t reasons[] = {
        MRC_NACK_TRIMMED,     MRC_NACK_TRIMMED_LASTHOP, MRC_NACK_NO_BITMAP, MRC_NACK_NO_PKT_BUFFER,
        MRC_NACK_NO_RESOURCE, MRC_NACK_PSN_OOR_WINDOW,  MRC_NACK_TRIMMED,   0x1F};
    const struct mrc_pkt *const of = trigger(n);
    uint8_t reason = reasons[draw(n, sizeof reasons)];
    if (of->trim != MRC_TRIM_NONE && !one_in(n, n->wrong))
        reason = of->trim == MRC_TRIM_LASTHOP ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED;
    struct mrc_pkt p = mirror_nack(of, one_in(n, 100) ? MRC_NACK_UNEXP_EVENT : reason);
    p.neth.nack_psn = mrc_psn_add(p.neth.nack_psn, off(n));
    p.neth.entropy += one_in(n, n->wrong);
    answer(n, p);
}

static void ack(struct noise *n)
{
    static const uint8_t naks[] = {
        MRC_SYN_INVALID_REQUEST, MRC_SYN_REMOTE_ACCESS, MRC_SYN_REMOTE_OP, 0x60, 0x7F, 0x1E, 0x00};
    struct mrc_pkt p = mirror_ack(&n->m);
    p.bth.psn = mrc_psn_add(p.bth.psn, off(n));
    p.aeth.msn += (uint32_t)off(n);
    if (one_in(n, 3 * n->wrong))
        p.aeth.syndrome = naks[draw(n, sizeof naks)];
    answer(n, p);
}

static void probe(struct noise *n)
{
    struct mrc_pkt p = talk_probe((uint16_t)draw(n, 0x10000));
    p.peth.tx_timestamp = (uint16_t)(n->m.t.now_ns / 128);
    p.ev = 0x50000u + draw(n, 4);
    choose_plane(n, &p);
    talk_frame(&n->m.t, &p);
    if (one_in(n, 6))
        return;
    struct mrc_pkt s = mirror_sack(&n->m, &p);
    s.seth.probe_id = (uint16_t)(s.seth.probe_id + off(n));
    answer(n, s);
}

/* A host tells which of its ports are up; the other one says that it heard. */
static void port_status(struct noise *n)
{
    const bool of_asker = one_in(n, 2);
    struct mrc_pkt p = talk_probe(0);
    const uint32_t keep = UINT32_C(1) << MRC_HDR_ETH | UINT32_C(1) << MRC_HDR_IPV6 |
                          UINT32_C(1) << MRC_HDR_UDP | UINT32_C(1) << MRC_HDR_BTH;
    p.present = keep | UINT32_C(1) << MRC_HDR_ERTH;
    p.bth.opcode = MRC_OP_EP_REQUEST;
    p.bth.dest_qp = 2;
    p.bth.psn = draw(n, 100);
    p.dscp = p.inner_dscp = 46;
    p.erth.op = one_in(n, 6) ? MRC_EP_OP_EV_PROBE : MRC_EP_OP_PORT_STATUS;
    p.erth.port_status_mask = (uint16_t)draw(n, 4);
    p.erth.tx_timestamp = (uint16_t)(n->m.t.now_ns / 128);
    p.erth.ftype = 1;
    const unsigned plane = draw(n, PLANES);
    memcpy(p.ip6.src, ips[plane][of_asker ? 0 : 1], 16);
    memcpy(p.ip6.dst, ips[plane][of_asker ? 1 : 0], 16);
    talk_frame(&n->m.t, &p);
    if (one_in(n, 4))
        return;
    struct mrc_pkt r = p;
    r.present = keep | UINT32_C(1) << MRC_HDR_EETH;
    r.bth.opcode = MRC_OP_EP_RESPONSE;
    r.bth.psn += (uint32_t)off(n) & 0xFFu;
    r.eeth.op = p.erth.op;
    r.eeth.tx_timestamp = p.erth.tx_timestamp;
    memcpy(r.ip6.src, p.ip6.dst, 16);
    memcpy(r.ip6.dst, p.ip6.src, 16);
    talk_frame(&n->m.t, &r);
}

/* ---- time ---- */

static void pass_time(struct noise *n)
{
    const uint64_t reaction_ns = n->m.t.cfg.reaction_ns;
    const uint64_t waits[] = {0,
                              500,
                              5000,
                              TALK_RTO_NS / 2,
                              TALK_RTO_NS - 100,
                              TALK_RTO_NS - 99,
                              TALK_RTO_NS,
                              2 * TALK_RTO_NS - 100,
                              4 * TALK_RTO_NS,
                              reaction_ns - 101,
                              reaction_ns - 100,
                              reaction_ns - 99,
                              2 * reaction_ns};
    talk_wait(&n->m.t, waits[draw(n, sizeof waits / sizeof waits[0])]);
}

/* ---- all of it ---- */

static void set_up(struct noise *n)
{
    static const uint32_t starts[] = {TALK_START_PSN, 0, 0xFFFFFF, 0xFFFFC0, 0x7FFFF0};
    mirror_init(&n->m, starts[draw(n, 5)]);
    struct mrct_fact_qp *const q = talk_qp(&n->m.t);
    n->wrong = 12 + 12 * draw(n, 4);
    n->next_va = VA;
    n->m.t.cfg.tap = one_in(n, 2) ? MRCT_TAP_REQUESTOR : MRCT_TAP_RESPONDER;
    n->m.t.cfg.have_events = !one_in(n, 3);
    n->m.t.cfg.strict = !one_in(n, 6);
    n->m.t.cfg.complete = !one_in(n, 6);
    n->m.t.cfg.reaction_ns = 40 * TALK_RTO_NS >> draw(n, 5);
    q->mpr = 1;
    q->max_wimm = (int)draw(n, 4);
    q->dynamic_mpr = one_in(n, 3);
    q->trim_nack = !one_in(n, 4);
    q->sack_threshold = one_in(n, 2) ? 1024 : 1 << 30;
    q->ev_min_active = (int)draw(n, 4);
    for (int host = 0; host < 2; host++)
        (void)mrct_facts_add_addr(&n->m.t.facts, host, true, ips[1][host], 1);
    if (one_in(n, 8))
        q->start_psn = MRCT_UNKNOWN;
    if (one_in(n, 8))
        q->max_wimm = q->mpr = MRCT_UNKNOWN;
    if (one_in(n, 8))
        q->timeout = q->linear_cnt = MRCT_UNKNOWN;
    mirror_begin(&n->m);
}

void noise_make(uint64_t seed)
{
    static const struct {
        void (*act)(struct noise *n);
        uint32_t often;
    } acts[] = {{request, 40},   {again, 8},          {sack, 16},      {ack, 6},
                {nack, 4},       {probe, 2},          {reported, 4},   {delivered, 3},
                {pass_time, 14}, {something_else, 2}, {port_status, 1}};
    static struct noise n;
    memset(&n, 0, sizeof n);
    n.chance = seed * UINT64_C(0x9E3779B97F4A7C15);
    set_up(&n);
    request(&n);
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t at = draw(&n, 100);
        size_t k = 0;
        while (at >= acts[k].often)
            at -= acts[k++].often;
        if (n.came_count > 0 || acts[k].act == request)
            acts[k].act(&n);
    }
    if (one_in(&n, 2))
        talk_wait(&n.m.t, 3 * n.m.t.cfg.reaction_ns);
    mirror_end(&n.m, NULL);
}
