/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requestor's way out (section 6.2): writes are cut into packets of the path MTU as the window
 * lets them go, each on the next EV of the rotation. Losses come first, then new data.
 */
#include "ref/endpoint/ep_int.h"

#define HAS(hdr) (UINT32_C(1) << MRC_HDR_##hdr)
/* What a nominal packet size counts beside the UDP length. */
#define NOMINAL_EXTRA 40u
#define ICRC_LEN      4u
#define FTYPE_TSETH   1u

static bool write_ok(const struct mrc_write *w)
{
    return w->local && w->len_bytes >= 1; /* Q15 a: no zero-length writes */
}

int mrc_qp_post_write(struct mrc_ep *ep, uint32_t qpn, uint64_t now_ns, const struct mrc_write *w)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    if (qp->state != MRC_QP_RTS)
        return MRC_EP_ESTATE;
    if (!write_ok(w))
        return MRC_EP_EINVAL;
    struct mrc_req *r = &qp->req;
    if (r->sq_tail - r->sq_polled >= r->sq_depth)
        return MRC_EP_EFULL;
    ep->now_ns = now_ns;
    ep->cause = MRC_CAUSE_CALL;
    if (r->out_count == 0 && r->ack_una == r->snd_nxt && !mrc_req_unsent(qp))
        r->stall_ns = now_ns; /* it was idle: from now on something waits */
    r->sq[r->sq_tail++ & r->sq_mask] = (struct mrc_sqe){
        .node = {.owner = MRC_OWNER_SQE, .qpn = qpn},
        .wr_id = w->wr_id,
        .local = w->local,
        .va = w->remote_va,
        .len_bytes = w->len_bytes,
        .npkts = (w->len_bytes - 1) / ep->cfg.path_mtu + 1,
        .rkey = w->rkey,
        .imm = w->imm,
        .msn = r->msn_next++, /* Q24 a: from 0 */
        .rqmsn = w->has_imm ? r->rqmsn_next++ : MRC_RQMSN_UNUSED,
        .has_imm = w->has_imm,
    };
    mrc_qp_settle(ep, qp);
    return MRC_EP_OK;
}

bool mrc_req_unsent(const struct mrc_qp *qp)
{
    return qp->req.sq_send != qp->req.sq_tail;
}

bool mrc_req_has_new(const struct mrc_qp *qp)
{
    const struct mrc_req *r = &qp->req;
    if (!mrc_req_unsent(qp) || r->snd_nxt - r->snd_una >= r->mpr)
        return false;
    const struct mrc_sqe *s = &r->sq[r->sq_send & r->sq_mask];
    return s->begun || !s->has_imm || r->wimm_inflight < r->wimm_max;
}

bool mrc_req_wants(const struct mrc_qp *qp)
{
    return qp->state == MRC_QP_RTS &&
           (qp->req.solicit || mrc_rtx_sendable(qp) || mrc_req_has_new(qp));
}

bool mrc_req_can_send(const struct mrc_qp *qp)
{
    return mrc_req_wants(qp) && mrc_cc_open(qp);
}

bool mrc_req_stamped(const struct mrc_ep *ep, uint64_t seq)
{
    const uint16_t every = ep->cfg.tseth_every;
    return ep->cfg.send_tseth && (every <= 1 || mrc_seq_psn(seq) % every == 0);
}

static uint32_t payload_len(const struct mrc_ep *ep, const struct mrc_sqe *s, uint64_t seq)
{
    const uint32_t mtu = ep->cfg.path_mtu;
    const uint64_t i = seq - s->first_seq;
    return i + 1 < s->npkts ? mtu : (uint32_t)(s->len_bytes - i * mtu);
}

static bool carries_imm(const struct mrc_sqe *s, uint64_t seq)
{
    return s->has_imm && seq - s->first_seq + 1 == s->npkts;
}

uint32_t mrc_req_size(const struct mrc_ep *ep, const struct mrc_sqe *s, uint64_t seq)
{
    const uint32_t data = payload_len(ep, s, seq);
    uint32_t size = MRC_UDP_LEN + MRC_BTH_LEN + MRC_METH_LEN + MRC_RETH_LEN + ICRC_LEN;
    size += mrc_req_stamped(ep, seq) ? MRC_TSETH_LEN : 0;
    size += carries_imm(s, seq) ? MRC_IMMDT_LEN : 0;
    return size + ((data + 3) & ~3u) + NOMINAL_EXTRA;
}

static uint8_t opcode_of(const struct mrc_sqe *s, uint64_t seq)
{
    const bool first = seq == s->first_seq;
    const bool last = seq - s->first_seq + 1 == s->npkts;
    if (first && last)
        return s->has_imm ? MRC_OP_WRITE_ONLY_IMM : MRC_OP_WRITE_ONLY;
    if (last)
        return s->has_imm ? MRC_OP_WRITE_LAST_IMM : MRC_OP_WRITE_LAST;
    return first ? MRC_OP_WRITE_FIRST : MRC_OP_WRITE_MIDDLE;
}

enum mrc_dscp_class mrc_req_class(const struct mrc_ep *ep, bool rtx)
{
    if (!ep->cfg.trimmable)
        return MRC_DSCP_NO_TRIM;
    return rtx ? MRC_DSCP_TRIMMABLE_RETX : MRC_DSCP_TRIMMABLE;
}

void mrc_req_build(const struct mrc_ep *ep, const struct mrc_qp *qp, const struct mrc_sqe *s,
                   uint64_t seq, uint16_t ev, bool rtx, bool ackreq, uint64_t now_ns,
                   struct mrc_frame *out)
{
    const struct mrc_ev_entry *e = &qp->evs.list[ev];
    const uint64_t offset = (seq - s->first_seq) * ep->cfg.path_mtu;
    struct mrc_pkt p;
    mrc_pkt_begin(ep, &p, e->port, &qp->peer.addr[e->port], e->value, mrc_req_class(ep, rtx));
    mrc_pkt_bth(ep, &p, opcode_of(s, seq), qp->peer.qpn, mrc_seq_psn(seq));
    p.present |= HAS(METH) | HAS(RETH);
    p.bth.a = ackreq;
    p.bth.rtx = rtx;
    p.meth.msn = s->msn;
    p.meth.rqmsn = s->rqmsn;
    if (mrc_req_stamped(ep, seq)) {
        p.present |= HAS(TSETH);
        p.bth.ts = 1;
        p.tseth.tx_timestamp = mrc_timestamp(now_ns);
        p.tseth.ftype = FTYPE_TSETH;
    }
    p.reth.va = s->va + offset;
    p.reth.rkey = s->rkey;
    p.reth.dma_len = s->len_bytes; /* Q8 a: the whole message's */
    if (carries_imm(s, seq)) {
        p.present |= HAS(IMMDT);
        p.immdt.imm = s->imm;
    }
    mrc_ev_encap(qp, e->port, e->value, &p);
    p.payload = s->local + offset;
    p.payload_len = payload_len(ep, s, seq);
    mrc_pkt_encode(&ep->cfg.wire, &p, out);
}

static void begin_message(struct mrc_req *r, struct mrc_sqe *s)
{
    if (s->begun)
        return;
    s->begun = true;
    s->first_seq = r->snd_nxt;
    r->wimm_inflight += s->has_imm;
}

static void record_new(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t ev, uint64_t now_ns)
{
    struct mrc_req *r = &qp->req;
    struct mrc_sqe *s = &r->sq[r->sq_send & r->sq_mask];
    begin_message(r, s);
    const uint64_t seq = r->snd_nxt++;
    struct mrc_tx_slot *t = mrc_slot(r, seq);
    *t = (struct mrc_tx_slot){.sq = (uint16_t)(r->sq_send & r->sq_mask), .flags = MRC_SLOT_SENT};
    mrc_slot_take_ev(qp, t, ev);
    mrc_rtx_arm(qp, t, now_ns);
    mrc_out_add(r, (uint16_t)(seq & r->slot_mask));
    if (seq - s->first_seq + 1 == s->npkts)
        r->sq_send++;
    mrc_cc_sent(ep, qp, now_ns, mrc_req_size(ep, s, seq));
    /* Idle or closed after this one. A retransmission that waits is no reason to leave A out: news
     * of its arrival may spare it. */
    if (!mrc_req_has_new(qp) || !mrc_cc_open(qp) || mrc_cc_asks(ep, qp))
        t->flags |= MRC_SLOT_ACKREQ;
}

static int send_new(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                    struct mrc_frame *out)
{
    struct mrc_req *r = &qp->req;
    const struct mrc_sqe *s = &r->sq[r->sq_send & r->sq_mask];
    const int ev = mrc_ev_next(ep, qp, now_ns, free_ports);
    if (ev < 0)
        return -1;
    const uint64_t seq = r->snd_nxt;
    record_new(ep, qp, (uint16_t)ev, now_ns);
    mrc_req_build(ep, qp, s, seq, (uint16_t)ev, false,
                  (mrc_slot(r, seq)->flags & MRC_SLOT_ACKREQ) != 0, now_ns, out);
    ep->count.tx_data++;
    qp->count.tx_data++;
    return mrc_qp_evs(qp)->list[ev].port;
}

/* The last packet of the oldest write once more, with A: its duplicate gets a transport ACK. */
static int send_solicit(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                        struct mrc_frame *out)
{
    struct mrc_req *r = &qp->req;
    const struct mrc_sqe *s = &r->sq[r->sq_done & r->sq_mask];
    const int ev = mrc_ev_next(ep, qp, now_ns, free_ports);
    if (ev < 0)
        return -1;
    const uint64_t last = s->first_seq + s->npkts - 1;
    mrc_req_build(ep, qp, s, last < r->snd_nxt ? last : r->snd_nxt - 1, (uint16_t)ev, true, true,
                  now_ns, out);
    r->solicit = false;
    r->stall_ns = now_ns;
    ep->count.tx_rtx++;
    qp->count.tx_rtx++;
    return mrc_qp_evs(qp)->list[ev].port;
}

int mrc_req_output(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                   struct mrc_frame *out)
{
    int port = -1;
    if (!mrc_req_can_send(qp)) /* another QP used up the window that they share */
        return -1;
    if (qp->req.solicit)
        return send_solicit(ep, qp, now_ns, free_ports, out);
    if (mrc_rtx_sendable(qp))
        port = mrc_rtx_output(ep, qp, now_ns, free_ports, out);
    if (port < 0 && mrc_req_has_new(qp))
        port = send_new(ep, qp, now_ns, free_ports, out);
    return port;
}
