/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Retransmission (section 7.4): what is lost, in the order of PSNs, and how it is sent again: the
 * same PSN and content, RTX set, a fresh EV, timestamp and class.
 */
#include "ref/endpoint/ep_int.h"

/* ---- the outstanding list: in flight, in the order of sending ---- */

void mrc_out_add(struct mrc_req *r, uint16_t i)
{
    struct mrc_tx_slot *s = &r->slots[i];
    s->next = MRC_SLOT_NIL;
    s->prev = r->out_tail;
    if (r->out_tail != MRC_SLOT_NIL)
        r->slots[r->out_tail].next = i;
    else
        r->out_head = i;
    r->out_tail = i;
    r->out_count++;
}

void mrc_out_remove(struct mrc_req *r, uint16_t i)
{
    const struct mrc_tx_slot *s = &r->slots[i];
    if (s->prev != MRC_SLOT_NIL)
        r->slots[s->prev].next = s->next;
    else
        r->out_head = s->next;
    if (s->next != MRC_SLOT_NIL)
        r->slots[s->next].prev = s->prev;
    else
        r->out_tail = s->prev;
    r->out_count--;
}

/* ---- the lost ones, as a bitmap over the window: oldest first ---- */

static uint64_t next_lost(const struct mrc_req *r, uint64_t from)
{
    while (from < r->snd_nxt) {
        const uint64_t i = from & r->slot_mask;
        const uint64_t rest = r->lost_bits[i >> 6] >> (i & 63);
        if (rest)
            return from + (uint64_t)__builtin_ctzll(rest);
        from += 64 - (i & 63);
    }
    return from;
}

void mrc_lost_add(struct mrc_req *r, uint64_t seq)
{
    mrc_bit_set(r->lost_bits, seq & r->slot_mask);
    if (r->lost_count == 0 || seq < r->lost_min)
        r->lost_min = seq;
    r->lost_count++;
}

void mrc_lost_remove(struct mrc_req *r, uint64_t seq)
{
    mrc_bit_clear(r->lost_bits, seq & r->slot_mask);
    r->lost_count--;
    if (r->lost_count > 0 && seq == r->lost_min)
        r->lost_min = next_lost(r, seq + 1);
}

/* The window may have shrunk: what lies beyond its edge waits. */
bool mrc_rtx_sendable(const struct mrc_qp *qp)
{
    return qp->req.lost_count > 0 && qp->req.lost_min - qp->req.snd_una < qp->req.mpr;
}

void mrc_trace_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, enum mrc_trace_cause cause)
{
    struct mrc_tx_slot *s = mrc_slot(&qp->req, seq);
    s->cause = (uint8_t)cause;
    if (mrc_traced(ep))
        mrc_trace_emit_packet(ep, qp, MRC_TRACE_LOST, seq, cause, s->ev, s->ev);
}

uint32_t mrc_rtx_mark_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, uint64_t now_ns,
                           enum mrc_trace_cause cause)
{
    struct mrc_req *r = &qp->req;
    struct mrc_tx_slot *s = mrc_slot(r, seq);
    mrc_out_remove(r, (uint16_t)(seq & r->slot_mask));
    s->flags = (uint8_t)((s->flags & MRC_SLOT_ACKREQ) | MRC_SLOT_LOST);
    s->sent_ns = now_ns;
    mrc_lost_add(r, seq);
    mrc_trace_lost(ep, qp, seq, cause);
    return mrc_req_size(ep, &r->sq[s->sq], seq);
}

void mrc_rtx_loss(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, uint64_t now_ns,
                  enum mrc_trace_cause cause)
{
    const uint32_t size = mrc_rtx_mark_lost(ep, qp, seq, now_ns, cause);
    mrc_cc_lost(ep, qp, now_ns, size);
}

/* ---- sending again ---- */

static void record_sending(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, uint16_t ev,
                           uint64_t now_ns)
{
    struct mrc_req *r = &qp->req;
    struct mrc_tx_slot *s = mrc_slot(r, seq);
    mrc_lost_remove(r, seq);
    s->flags = (uint8_t)((s->flags & MRC_SLOT_ACKREQ) | MRC_SLOT_SENT);
    mrc_slot_take_ev(qp, s, ev);
    if (s->tries < UINT8_MAX)
        s->tries++;
    mrc_rtx_arm(qp, s, now_ns);
    mrc_out_add(r, (uint16_t)(seq & r->slot_mask));
    mrc_cc_sent(ep, qp, now_ns, mrc_req_size(ep, &r->sq[s->sq], seq));
    r->ev_wait_ns = MRC_TIME_NEVER;
    if (!mrc_req_can_send(qp) || mrc_cc_asks(ep, qp))
        s->flags |= MRC_SLOT_ACKREQ; /* idle or closed after this one */
}

int mrc_rtx_output(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                   struct mrc_frame *out)
{
    struct mrc_req *r = &qp->req;
    const uint64_t seq = r->lost_min;
    struct mrc_tx_slot *s = mrc_slot(r, seq);
    const uint64_t patience_ns = s->sent_ns + mrc_retry_wait(qp, 0);
    const int ev =
        mrc_ev_next_rtx(ep, qp, now_ns, free_ports, s->ev,
                        s->flags & MRC_SLOT_NACKED ? &s->nack_ev : NULL, now_ns < patience_ns);
    if (ev < 0) {
        if (now_ns < patience_ns)
            r->ev_wait_ns = patience_ns;
        return -1;
    }
    if (mrc_traced(ep))
        mrc_trace_emit_packet(ep, qp, MRC_TRACE_RTX, seq, (enum mrc_trace_cause)s->cause, s->ev,
                              (uint16_t)ev);
    record_sending(ep, qp, seq, (uint16_t)ev, now_ns);
    mrc_req_build(ep, qp, &r->sq[s->sq], seq, (uint16_t)ev, true, (s->flags & MRC_SLOT_ACKREQ) != 0,
                  now_ns, out);
    ep->count.tx_rtx++;
    qp->count.tx_rtx++;
    return qp->evs.list[ev].port;
}
