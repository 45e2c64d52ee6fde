/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder (sections 6.3 and 7.5): which window a request's PSN falls in, and what follows.
 * Reliability accepts a packet first; what its content deserves (placement, a refusal) comes after.
 */
#include "ref/endpoint/ep_int.h"

#define PSN_HALF (INT32_C(1) << 23)

static bool is_end(uint8_t opcode)
{
    return opcode >= MRC_OP_WRITE_LAST;
}

static bool has_imm(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST_IMM || opcode == MRC_OP_WRITE_ONLY_IMM;
}

/* The request at ePSN cannot be carried out: tell the requestor, stop the QP. */
static void fail(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq,
                 uint8_t syndrome, enum mrc_wc_status status)
{
    mrc_nak_send(ep, qp, seq, syndrome);
    mrc_qp_fail(ep, qp, now_ns, status, qp->req.sq_tail);
}

/* cack_psn moves over one packet; what had to wait for that happens. false: the QP failed. */
static bool pass_one(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, bool *ack)
{
    struct mrc_rsp *r = &qp->rsp;
    const uint64_t seq = r->rcv_nxt;
    const uint8_t flags = r->flags[seq & r->mask];
    mrc_bit_clear(r->bits, seq & r->mask);
    r->flags[seq & r->mask] = 0;
    r->rcv_nxt++;
    r->ooo_count--;
    if (seq == r->refuse_seq) {
        fail(ep, qp, now_ns, seq, r->refuse_syndrome, (enum mrc_wc_status)r->refuse_status);
        return false;
    }
    if (flags & MRC_RX_IMM && !mrc_wimm_deliver(ep, qp, now_ns, seq)) {
        fail(ep, qp, now_ns, seq, MRC_SYN_REMOTE_OP, MRC_WC_LOCAL_RQ_EMPTY);
        return false;
    }
    if (flags & MRC_RX_END)
        r->msn = (r->msn + 1) & MRC_PSN_MASK;
    r->done_nxt = r->rcv_nxt;
    *ack = *ack || (flags & MRC_RX_ACKREQ);
    return true;
}

/* What arrived has arrived, whatever became of a message before it: a SACK that leaves after the QP
 * failed still tells all of it (REQ-7.5.2-14). */
static void pass_rest(struct mrc_rsp *r)
{
    for (; mrc_bit(r->bits, r->rcv_nxt & r->mask); r->rcv_nxt++) {
        mrc_bit_clear(r->bits, r->rcv_nxt & r->mask);
        r->flags[r->rcv_nxt & r->mask] = 0;
        r->ooo_count--;
    }
}

static void advance(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    struct mrc_rsp *r = &qp->rsp;
    bool ack = false;
    while (mrc_bit(r->bits, r->rcv_nxt & r->mask))
        if (!pass_one(ep, qp, now_ns, &ack)) {
            pass_rest(r);
            return;
        }
    if (ack)
        mrc_ack_due(ep, qp);
}

static void record(struct mrc_qp *qp, uint64_t seq, const struct mrc_pkt *p)
{
    struct mrc_rsp *r = &qp->rsp;
    mrc_bit_set(r->bits, seq & r->mask);
    r->flags[seq & r->mask] =
        (uint8_t)((is_end(p->bth.opcode) ? MRC_RX_END : 0) | (p->bth.a ? MRC_RX_ACKREQ : 0));
    r->ooo_count++;
    if (seq > r->max_rcv)
        r->max_rcv = seq;
    r->rcvd_bytes += p->nominal_len;
}

static void keep_immediate(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq,
                           const struct mrc_pkt *p)
{
    struct mrc_rsp *r = &qp->rsp;
    if (mrc_wimm_stash(r, seq, p->immdt.imm, p->reth.dma_len))
        r->flags[seq & r->mask] |= MRC_RX_IMM;
    else
        mrc_refuse(qp, seq, ep->cfg.wimm_nak_syndrome, MRC_WC_LOCAL_WIMM_LIMIT);
}

static void accept(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq,
                   const struct mrc_pkt *p)
{
    if (mrc_shortage(ep, qp, now_ns, p))
        return;
    ep->count.rx_new++;
    qp->count.rx_new++;
    record(qp, seq, p);
    if (has_imm(p->bth.opcode))
        keep_immediate(ep, qp, seq, p);
    mrc_place(ep, qp, now_ns, seq, p);
    mrc_sack_new(ep, qp, p);
    advance(ep, qp, now_ns);
}

/* In the window a copy may ask for the ACK that its first sending did not ask for (REQ-6.3-03). */
static void duplicate(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, const struct mrc_pkt *p)
{
    struct mrc_rsp *r = &qp->rsp;
    ep->count.rx_dup++;
    qp->count.rx_dup++;
    mrc_sack_dup(ep, qp, p);
    if (seq < r->rcv_nxt)
        mrc_ack_dup(ep, qp);
    else if (p->bth.a)
        r->flags[seq & r->mask] |= MRC_RX_ACKREQ;
}

/* Above the window, or as far below as above: Q2. */
static void outside(struct mrc_ep *ep, struct mrc_qp *qp, bool above, const struct mrc_pkt *p)
{
    ep->count.drop[MRC_DROP_WINDOW]++;
    if (above && ep->cfg.q2_oor == 'b')
        mrc_nack_send(ep, qp, p, MRC_NACK_PSN_OOR_WINDOW);
}

/* A request that lost its payload on the way: never recorded as received. */
static void trimmed(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p)
{
    ep->count.rx_trimmed++;
    qp->count.rx_trimmed++;
    if (!qp->trim_nack)
        ep->count.drop[MRC_DROP_TRIMMED]++;
    else
        mrc_nack_send(ep, qp, p,
                      p->trim == MRC_TRIM_LASTHOP ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED);
}

static void trimmed_again(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq,
                          const struct mrc_pkt *p)
{
    if (ep->cfg.q26_trim_dup == 'a')
        trimmed(ep, qp, p);
    else if (ep->cfg.q26_trim_dup == 'b')
        duplicate(ep, qp, seq, p);
    else {
        ep->count.rx_trimmed++;
        qp->count.rx_trimmed++;
    }
}

void mrc_rsp_request(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p)
{
    struct mrc_rsp *r = &qp->rsp;
    const bool cut = p->trim != MRC_TRIM_NONE;
    if (!cut && !mrc_place_lengths_ok(ep, p)) {
        ep->count.drop[MRC_DROP_LENGTH]++;
        return;
    }
    const int32_t d = mrc_psn_diff(p->bth.psn, mrc_seq_psn(r->rcv_nxt));
    const uint64_t seq = r->rcv_nxt + (uint64_t)(int64_t)d;
    /* What has arrived stays arrived, though the window may have shrunk since. */
    const bool known = d < 0 || (seq <= r->max_rcv && mrc_bit(r->bits, seq & r->mask));
    if (d == -PSN_HALF || (d >= (int32_t)r->window && !known)) {
        outside(ep, qp, d >= 0, p);
        return;
    }
    mrc_rev_heard(ep, qp, now_ns);
    if (cut && known)
        trimmed_again(ep, qp, seq, p);
    else if (cut)
        trimmed(ep, qp, p);
    else if (known)
        duplicate(ep, qp, seq, p);
    else
        accept(ep, qp, now_ns, seq, p);
}

void mrc_rsp_probe(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p)
{
    mrc_sack_probe(ep, qp, p);
}
