/* SPDX-License-Identifier: BSD-2-Clause */
/* Transport ACKs, NAKs and NACKs at the requestor: completion, failure, retransmission. */
#include "ref/endpoint/ep_int.h"

#define SYNDROME_KIND 0xE0u /* 000: ACK, whatever the unused credits say */

static uint64_t end_of(const struct mrc_sqe *s)
{
    return s->first_seq + s->npkts;
}

/* Writes whose last packet lies below `end` are done (in order, as all of a QP are). */
static void complete_below(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t end)
{
    struct mrc_req *r = &qp->req;
    while (r->sq_done != r->sq_tail) {
        struct mrc_sqe *s = &r->sq[r->sq_done & r->sq_mask];
        if (!s->begun || end_of(s) > end)
            break;
        r->wimm_inflight -= s->has_imm;
        r->sq_done++;
        mrc_event_push(ep, &s->node, now_ns, MRC_WC_SUCCESS);
    }
}

static void ack(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq)
{
    struct mrc_req *r = &qp->req;
    struct mrc_cc_sack cc = {.now_ns = now_ns, .is_ack = true};
    cc.acked_bytes = mrc_req_advance(ep, qp, seq + 1);
    if (cc.acked_bytes > 0)
        mrc_cc_sacked(ep, qp, &cc);
    r->ack_una = seq + 1;
    r->stall_ns = now_ns;
    r->solicit = false;
    mrc_retry_progress(qp);
    complete_below(ep, qp, now_ns, r->ack_una);
}

static bool nak_status(const struct mrc_ep *ep, uint8_t syndrome, enum mrc_wc_status *status)
{
    if (syndrome == ep->cfg.wimm_nak_syndrome || syndrome == MRC_SYN_INVALID_REQUEST)
        *status = MRC_WC_REMOTE_INVALID;
    else if (syndrome == MRC_SYN_REMOTE_ACCESS)
        *status = MRC_WC_REMOTE_ACCESS;
    else if (syndrome == MRC_SYN_REMOTE_OP)
        *status = MRC_WC_REMOTE_OP;
    else
        return false;
    return true;
}

/* The send queue's counter of the write that holds seq. */
static uint32_t write_of(const struct mrc_req *r, uint64_t seq)
{
    uint32_t i = r->sq_done;
    while (i != r->sq_tail && r->sq[i & r->sq_mask].begun && end_of(&r->sq[i & r->sq_mask]) <= seq)
        i++;
    return i;
}

/* The NAK's MSN counts this write among the messages completed; compared modulo 2^16. */
static bool counted(const struct mrc_sqe *s, uint32_t msn)
{
    return (int16_t)(uint16_t)(msn - s->msn - 1u) >= 0;
}

/* Writes below the refused request were carried out before it, if they are known to have arrived or
 * the NAK itself counts them. */
static void nak(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq, uint32_t msn,
                enum mrc_wc_status status)
{
    struct mrc_req *r = &qp->req;
    complete_below(ep, qp, now_ns, seq < r->snd_una ? seq : r->snd_una);
    while (r->sq_done != r->sq_tail) {
        const struct mrc_sqe *s = &r->sq[r->sq_done & r->sq_mask];
        if (!s->begun || end_of(s) > seq || !counted(s, msn))
            break;
        complete_below(ep, qp, now_ns, end_of(s));
    }
    mrc_qp_fail(ep, qp, now_ns, status, write_of(r, seq));
}

void mrc_req_ack(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p)
{
    const struct mrc_req *r = &qp->req;
    const uint64_t seq = mrc_seq_near(r->snd_una - 1, p->bth.psn);
    const bool positive = (p->aeth.syndrome & SYNDROME_KIND) == 0;
    enum mrc_wc_status status = MRC_WC_SUCCESS;
    if (seq >= r->snd_nxt)
        ep->count.drop[MRC_DROP_BAD_ACK]++;
    else if (seq < r->ack_una)
        ep->count.drop[MRC_DROP_STALE]++;
    else if (positive)
        ack(ep, qp, now_ns, seq);
    else if (nak_status(ep, p->aeth.syndrome, &status))
        nak(ep, qp, now_ns, seq, p->aeth.msn, status);
    else
        ep->count.drop[MRC_DROP_CODE_POINT]++;
}

enum nack_effect { NACK_UNKNOWN, NACK_RETRANSMIT, NACK_FATAL };

static enum nack_effect effect_of(uint8_t reason)
{
    switch ((enum mrc_nack_reason)reason) {
    case MRC_NACK_TRIMMED:
    case MRC_NACK_TRIMMED_LASTHOP:
    case MRC_NACK_NO_BITMAP:
    case MRC_NACK_NO_PKT_BUFFER:
    case MRC_NACK_NO_RESOURCE:
    case MRC_NACK_PSN_OOR_WINDOW:
        return NACK_RETRANSMIT;
    case MRC_NACK_UNEXP_EVENT:
        return NACK_FATAL;
    }
    return NACK_UNKNOWN;
}

/* A NACK for an earlier sending than the last one says nothing about the last one. */
static bool nack_current(const struct mrc_tx_slot *t, const struct mrc_pkt *p)
{
    return (t->flags & MRC_SLOT_SENT) && (t->tries == 0 || p->bth.rtx);
}

static void nack_retransmit(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq,
                            const struct mrc_pkt *p)
{
    const uint8_t reason = p->neth.nack_reason;
    struct mrc_tx_slot *t = mrc_slot(&qp->req, seq);
    if (!mrc_retry_count(ep, qp, now_ns, t))
        return;
    ep->count.nacked++;
    qp->count.nacked++;
    struct mrc_cc_nack cc = {
        .now_ns = now_ns,
        .trimmed = reason == MRC_NACK_TRIMMED || reason == MRC_NACK_TRIMMED_LASTHOP,
    };
    cc.rtt_valid = mrc_rtt_sample(ep, mrc_slot(&qp->req, seq), seq, p->bth.rtx,
                                  p->neth.tx_timestamp, &cc.rtt_ns);
    cc.size_bytes = mrc_rtx_mark_lost(ep, qp, seq, now_ns, MRC_CAUSE_NACK);
    t->flags |= MRC_SLOT_NACKED;
    t->nack_ev = p->neth.entropy;
    mrc_ev_nacked(ep, qp, now_ns, mrc_slot_ev(qp, t), p);
    mrc_cc_nacked(ep, qp, &cc);
}

void mrc_req_nack(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p)
{
    const struct mrc_req *r = &qp->req;
    const uint64_t seq = mrc_seq_near(r->snd_una, p->neth.nack_psn);
    const enum nack_effect effect = effect_of(p->neth.nack_reason);
    if (effect == NACK_UNKNOWN)
        ep->count.drop[MRC_DROP_CODE_POINT]++; /* Q23 a */
    else if (seq >= r->snd_nxt)
        ep->count.drop[MRC_DROP_BAD_NACK]++;
    else if (seq < r->snd_una || (effect != NACK_FATAL && !nack_current(mrc_slot(r, seq), p)))
        ep->count.drop[MRC_DROP_STALE]++;
    else if (effect == NACK_FATAL)
        mrc_qp_fail(ep, qp, now_ns, MRC_WC_REMOTE_OP, write_of(r, seq));
    else
        nack_retransmit(ep, qp, now_ns, seq, p);
}
