/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timeouts and retries (section 7.4). Each packet has a timer; the packets in flight stand in a
 * list in the order in which their timers run out, so that one deadline a QP is enough. The
 * connection has one retry counter. It counts the sendings of its oldest packet and starts again
 * when that packet arrives (Q7 a): linear_cnt retries at the fixed interval, then exp_cnt with the
 * interval doubled each time, up to a ceiling.
 */
#include "ref/endpoint/ep_int.h"

#define TIMEOUT_UNIT_NS UINT64_C(1024)
#define FOR_EVER        25u
#define BACKOFF_MAX     29u /* 2^24 x 1.024 us doubled 29 times still fits 64 bits */

uint64_t mrc_retry_wait(const struct mrc_qp *qp, uint32_t backoff)
{
    const uint64_t base = TIMEOUT_UNIT_NS << qp->attr.timeout;
    const uint64_t ceiling = qp->attr.exp_ceiling_ns > base ? qp->attr.exp_ceiling_ns : base;
    const uint64_t wait = base << (backoff < BACKOFF_MAX ? backoff : BACKOFF_MAX);
    return wait < ceiling ? wait : ceiling;
}

/* The wait before retry n = retry + 1. The first one is the fixed interval whatever linear_cnt. */
uint8_t mrc_retry_backoff(const struct mrc_qp *qp)
{
    const uint32_t n = qp->req.retry + 1;
    const uint32_t linear = qp->attr.linear_cnt > 1 ? qp->attr.linear_cnt : 1;
    const uint32_t backoff = n > linear ? n - linear : 0;
    return (uint8_t)(backoff < BACKOFF_MAX ? backoff : BACKOFF_MAX);
}

void mrc_rtx_arm(struct mrc_qp *qp, struct mrc_tx_slot *slot, uint64_t now_ns)
{
    slot->sent_ns = now_ns;
    slot->tx_no = ++qp->req.tx_no;
    slot->backoff = mrc_retry_backoff(qp);
    slot->epoch = qp->req.retry_epoch;
    qp->req.stall_ns = now_ns;
}

bool mrc_retry_count(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    const uint32_t limit = (uint32_t)qp->attr.linear_cnt + qp->attr.exp_cnt;
    if (qp->attr.exp_cnt != FOR_EVER && qp->req.retry >= limit) {
        mrc_qp_fail(ep, qp, now_ns, MRC_WC_RETRY_EXCEEDED, qp->req.sq_done);
        return false;
    }
    qp->req.retry += qp->req.retry < UINT16_MAX;
    return true;
}

/* Timers started before fall back to the fixed interval: the new epoch says so. */
void mrc_retry_progress(struct mrc_qp *qp)
{
    if (qp->req.retry == 0)
        return;
    qp->req.retry = 0;
    qp->req.retry_epoch++;
}

static uint64_t slot_deadline(const struct mrc_qp *qp, const struct mrc_tx_slot *s)
{
    return s->sent_ns + mrc_retry_wait(qp, s->epoch == qp->req.retry_epoch ? s->backoff : 0);
}

/* Nothing in flight, nothing to send, and yet not all acknowledged: a transport ACK was lost. */
static bool stalled(const struct mrc_qp *qp)
{
    const struct mrc_req *r = &qp->req;
    return r->out_count == 0 && r->ack_una < r->snd_nxt && !mrc_req_can_send(qp);
}

static uint64_t stall_deadline(const struct mrc_qp *qp)
{
    return qp->req.stall_ns + mrc_retry_wait(qp, mrc_retry_backoff(qp));
}

uint64_t mrc_retry_deadline(const struct mrc_qp *qp)
{
    const struct mrc_req *r = &qp->req;
    uint64_t at = r->ev_wait_ns;
    if (r->out_head != MRC_SLOT_NIL) {
        const uint64_t first = slot_deadline(qp, &r->slots[r->out_head]);
        at = first < at ? first : at;
    } else if (stalled(qp)) {
        const uint64_t stall = stall_deadline(qp);
        at = stall < at ? stall : at;
    }
    return at;
}

static uint64_t seq_of(const struct mrc_req *r, uint16_t i)
{
    return r->snd_una + ((i - r->snd_una) & r->slot_mask);
}

static bool expire_packets(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    struct mrc_req *r = &qp->req;
    while (r->out_head != MRC_SLOT_NIL && slot_deadline(qp, &r->slots[r->out_head]) <= now_ns) {
        const uint64_t seq = seq_of(r, r->out_head);
        if (seq == r->snd_una && !mrc_retry_count(ep, qp, now_ns))
            return false;
        ep->count.timeouts++;
        mrc_rtx_loss(ep, qp, seq, now_ns);
    }
    return true;
}

static void expire_stall(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    struct mrc_req *r = &qp->req;
    if (!stalled(qp) || stall_deadline(qp) > now_ns || !mrc_retry_count(ep, qp, now_ns))
        return;
    r->stall_ns = now_ns;
    if (r->snd_una == r->snd_nxt) {
        r->solicit = true;
        return;
    }
    /* The peer said that it has the oldest packet and never moved past it: send it again. */
    struct mrc_tx_slot *s = mrc_slot(r, r->snd_una);
    if (!(s->flags & MRC_SLOT_SACKED))
        return;
    s->flags = (uint8_t)((s->flags & MRC_SLOT_ACKREQ) | MRC_SLOT_LOST);
    s->sent_ns = now_ns;
    mrc_lost_add(r, r->snd_una);
}

void mrc_retry_tick(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    if (qp->req.ev_wait_ns <= now_ns)
        qp->req.ev_wait_ns = MRC_TIME_NEVER;
    if (expire_packets(ep, qp, now_ns))
        expire_stall(ep, qp, now_ns);
    mrc_qp_settle(ep, qp);
}

void mrc_qp_settle(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (qp->state != MRC_QP_RTS)
        return;
    mrc_timer_set(ep, qp, mrc_retry_deadline(qp));
    mrc_sched_update(ep, qp);
}
