/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler (Figure 4). READY QPs stand in the endpoint's ring, whose head is served next, one
 * packet a turn. ACTIVE ones, held back by their congestion window, wait in line at its controller;
 * while that window is open each turn lets one of them into the ring, so that neither an open nor a
 * closed window costs more with more QPs behind it, and all of them get their turn.
 */
#include "ref/endpoint/ep_int.h"

static void ring_add(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (qp->ready_next)
        return;
    qp->served = false;
    if (!ep->ready) {
        qp->ready_next = qp->ready_prev = qp;
        ep->ready = qp;
        return;
    }
    qp->ready_next = ep->ready;
    qp->ready_prev = ep->ready->ready_prev;
    qp->ready_prev->ready_next = qp;
    ep->ready->ready_prev = qp;
}

static void ring_remove(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (!qp->ready_next)
        return;
    if (qp->ready_next == qp) {
        ep->ready = NULL;
    } else {
        qp->ready_prev->ready_next = qp->ready_next;
        qp->ready_next->ready_prev = qp->ready_prev;
        if (ep->ready == qp)
            ep->ready = qp->ready_next;
    }
    qp->ready_next = qp->ready_prev = NULL;
}

/* Whoever missed his turn, since another used the window up, is the next. */
static void line_add(struct mrc_qp *qp, bool missed)
{
    struct mrc_qpcc *c = qp->qpcc;
    if (qp->in_line)
        return;
    qp->in_line = true;
    if (missed) {
        qp->line_prev = NULL;
        qp->line_next = c->line_head;
        if (c->line_head)
            c->line_head->line_prev = qp;
        else
            c->line_tail = qp;
        c->line_head = qp;
        return;
    }
    qp->line_next = NULL;
    qp->line_prev = c->line_tail;
    if (c->line_tail)
        c->line_tail->line_next = qp;
    else
        c->line_head = qp;
    c->line_tail = qp;
}

static void line_remove(struct mrc_qp *qp)
{
    struct mrc_qpcc *c = qp->qpcc;
    if (!qp->in_line)
        return;
    qp->in_line = false;
    if (qp->line_prev)
        qp->line_prev->line_next = qp->line_next;
    else
        c->line_head = qp->line_next;
    if (qp->line_next)
        qp->line_next->line_prev = qp->line_prev;
    else
        c->line_tail = qp->line_prev;
}

enum mrc_sched_state mrc_sched_state(const struct mrc_qp *qp)
{
    if (qp->ready_next)
        return MRC_SCHED_READY;
    if (qp->state == MRC_QP_RTS && (mrc_req_unsent(qp) || qp->req.lost_count > 0))
        return MRC_SCHED_ACTIVE;
    return qp->req.out_count > 0 ? MRC_SCHED_PENDING : MRC_SCHED_IDLE;
}

static void note(struct mrc_ep *ep, struct mrc_qp *qp)
{
    const uint8_t state = (uint8_t)mrc_sched_state(qp);
    mrc_trace(ep, qp, MRC_TRACE_SCHED, (enum mrc_trace_cause)ep->cause, qp->sched, state);
    qp->sched = state;
}

/* The window is open and somebody waits for it: the first in line may go. */
static void wake(struct mrc_ep *ep, struct mrc_qpcc *c)
{
    struct mrc_qp *first = c->line_head;
    if (!first || !c->cc->ops->can_send(c->cc))
        return;
    line_remove(first);
    ring_add(ep, first);
    note(ep, first);
}

void mrc_sched_remove(struct mrc_ep *ep, struct mrc_qp *qp)
{
    ring_remove(ep, qp);
    if (qp->qpcc) {
        line_remove(qp);
        wake(ep, qp->qpcc);
    }
    note(ep, qp);
}

/* Held back by the window, or others were there first. */
static bool waits(const struct mrc_qp *qp)
{
    return !qp->req.solicit && (!mrc_cc_open(qp) || (!qp->ready_next && qp->qpcc->line_head));
}

static void place(struct mrc_ep *ep, struct mrc_qp *qp)
{
    const bool wants = mrc_req_wants(qp);
    if (wants && waits(qp)) {
        const bool missed = qp->ready_next && !qp->served;
        ring_remove(ep, qp);
        line_add(qp, missed);
        return;
    }
    line_remove(qp);
    if (wants)
        ring_add(ep, qp);
    else
        ring_remove(ep, qp);
}

void mrc_sched_update(struct mrc_ep *ep, struct mrc_qp *qp)
{
    place(ep, qp);
    wake(ep, qp->qpcc);
    note(ep, qp);
}
