/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timeouts and retries (section 7.4). Each packet has a timer; the packets in flight stand in a
 * list in the order in which their timers run out, so that one deadline a QP is enough.
 *
 * The connection has one retry counter (Q7 a). It counts rounds without progress of cack_psn: a
 * packet that was sent when the counter stood at n and has to be sent again makes it n + 1; others
 * of the same round find it so already. linear_cnt retries come at the fixed interval, then exp_cnt
 * with the interval doubled each time, up to a ceiling.
 */
#include "ref/endpoint/ep_int.h"

#define TIMEOUT_UNIT_NS UINT64_C(1024)
#define FOR_EVER        25u
#define BACKOFF_MAX     29u /* 2^24 x 1.024 us doubled 29 times still fits 64 bits */

/* The first wait is the fixed interval, whatever linear_cnt. */
static uint32_t doublings(const struct mrc_qp *qp, uint32_t level)
{
    const uint32_t linear = qp->attr.linear_cnt > 1 ? qp->attr.linear_cnt : 1;
    const uint32_t n = level + 1 > linear ? level + 1 - linear : 0;
    return n < BACKOFF_MAX ? n : BACKOFF_MAX;
}

uint64_t mrc_retry_wait(const struct mrc_qp *qp, uint32_t level)
{
    const uint64_t base = TIMEOUT_UNIT_NS << qp->attr.timeout;
    const uint64_t ceiling = qp->attr.exp_ceiling_ns > base ? qp->attr.exp_ceiling_ns : base;
    const uint64_t wait = base << doublings(qp, level);
    return wait < ceiling ? wait : ceiling;
}

void mrc_rtx_arm(struct mrc_qp *qp, struct mrc_tx_slot *slot, uint64_t now_ns)
{
    slot->sent_ns = now_ns;
    slot->tx_no = ++qp->req.tx_no;
    slot->level = (uint16_t)qp->req.retry;
    slot->epoch = qp->req.retry_epoch;
    qp->req.stall_ns = now_ns;
}

/* Progress since the timer started takes its back-off away. */
static uint32_t level_of(const struct mrc_qp *qp, const struct mrc_tx_slot *s)
{
    return s->epoch == qp->req.retry_epoch ? s->level : 0;
}

bool mrc_retry_count(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns,
                     const struct mrc_tx_slot *slot)
{
    const uint32_t limit = (uint32_t)qp->attr.linear_cnt + qp->attr.exp_cnt;
    if (slot && level_of(qp, slot) < qp->req.retry)
        return true;
    if (qp->attr.exp_cnt != FOR_EVER && qp->req.retry >= limit) {
        mrc_qp_fail(ep, qp, now_ns, MRC_WC_RETRY_EXCEEDED, qp->req.sq_done);
        return false;
    }
    if (qp->req.retry < UINT16_MAX)
        qp->req.retry++;
    return true;
}

void mrc_retry_progress(struct mrc_qp *qp)
{
    if (qp->req.retry == 0)
        return;
    qp->req.retry = 0;
    qp->req.retry_epoch++;
}

static uint64_t slot_deadline(const struct mrc_qp *qp, const struct mrc_tx_slot *s)
{
    return s->sent_ns + mrc_retry_wait(qp, level_of(qp, s));
}

/* Nothing in flight, nothing to send, and yet not all acknowledged: a transport ACK was lost. */
static bool stalled(const struct mrc_qp *qp)
{
    const struct mrc_req *r = &qp->req;
    return r->out_count == 0 && r->ack_una < r->snd_nxt && !mrc_req_wants(qp);
}

/* Something waits to be sent, nothing is in flight, and no EV may carry it: each is withdrawn, or
 * its port is down. A time without an EV counts like one without an answer. */
static bool stranded(const struct mrc_ep *ep, const struct mrc_qp *qp)
{
    const struct mrc_evs *evs = qp->shared_evs ? qp->shared_evs : &qp->evs;
    return qp->req.out_count == 0 && (evs->good_ports & mrc_ports_up(ep, qp)) == 0 &&
           mrc_req_wants(qp);
}

static uint64_t stall_deadline(const struct mrc_qp *qp)
{
    return qp->req.stall_ns + mrc_retry_wait(qp, qp->req.retry);
}

uint64_t mrc_retry_deadline(const struct mrc_ep *ep, const struct mrc_qp *qp)
{
    const struct mrc_req *r = &qp->req;
    uint64_t at = r->ev_wait_ns;
    if (r->out_head != MRC_SLOT_NIL) {
        const uint64_t first = slot_deadline(qp, &r->slots[r->out_head]);
        at = first < at ? first : at;
    } else if (stalled(qp) || stranded(ep, qp)) {
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
        if (!mrc_retry_count(ep, qp, now_ns, &r->slots[r->out_head]))
            return false;
        ep->count.timeouts++;
        qp->count.timeouts++;
        mrc_ev_timed_out(ep, qp, now_ns, mrc_slot_ev(qp, &r->slots[r->out_head]));
        mrc_rtx_loss(ep, qp, seq, now_ns, MRC_CAUSE_TIMEOUT);
    }
    return true;
}

static void expire_stall(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    struct mrc_req *r = &qp->req;
    const bool waits = stranded(ep, qp);
    if (!(waits || stalled(qp)) || stall_deadline(qp) > now_ns ||
        !mrc_retry_count(ep, qp, now_ns, NULL))
        return;
    r->stall_ns = now_ns;
    if (waits)
        return;
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
    mrc_trace_lost(ep, qp, r->snd_una, MRC_CAUSE_STALL);
}

void mrc_retry_tick(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    if (qp->req.ev_wait_ns <= now_ns)
        qp->req.ev_wait_ns = MRC_TIME_NEVER;
    mrc_probe_tick(ep, qp, now_ns);
    mrc_ask_tick(ep, qp, now_ns);
    if (expire_packets(ep, qp, now_ns))
        expire_stall(ep, qp, now_ns);
    mrc_qp_settle(ep, qp);
}

void mrc_qp_settle(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (qp->state != MRC_QP_RTS)
        return;
    mrc_sched_update(ep, qp);
    const uint64_t retry = mrc_retry_deadline(ep, qp);
    const uint64_t probe = mrc_ev_deadline(ep, qp);
    const uint64_t ask = mrc_ask_deadline(qp);
    const uint64_t first = retry < probe ? retry : probe;
    mrc_timer_set(ep, qp, first < ask ? first : ask);
}
