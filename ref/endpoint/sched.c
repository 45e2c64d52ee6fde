/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler (Figure 4). READY QPs stand in rings and are served one packet a turn, in the order
 * in which they came. A ring holds the QPs that can use the same ports, so that those whose only
 * planes are busy or down cost the others nothing. ACTIVE ones, held back by their congestion
 * window, wait in line at its controller; while that window is open each turn lets one of them into
 * a ring, so that neither an open nor a closed window costs more with more QPs behind it, and all
 * of them get their turn.
 */
#include "ref/endpoint/ep_int.h"

/* Sets of ports beyond the rings at hand share the last one. */
#define MIXED (MRC_READY_RINGS - 1u)

/* ---- rings ---- */

/* Ports by which it has EVs to send on; own ports that are down are busy, no more. */
static uint32_t ports_of(struct mrc_qp *qp)
{
    return mrc_qp_evs(qp)->active_ports & ~qp->peer_node->down;
}

static unsigned ring_for(const struct mrc_ep *ep, uint32_t ports)
{
    unsigned free_one = MIXED;
    for (unsigned g = 0; g < ep->ready_rings && g < MIXED; g++) {
        if (ep->ready[g].head && ep->ready[g].ports == ports)
            return g;
        if (!ep->ready[g].head && free_one == MIXED)
            free_one = g;
    }
    return free_one == MIXED && ep->ready_rings < MIXED ? ep->ready_rings : free_one;
}

static void ring_add(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (qp->ready_next)
        return;
    const uint32_t ports = ports_of(qp);
    const unsigned g = ring_for(ep, ports);
    struct mrc_ready *ring = &ep->ready[g];
    qp->served = false;
    qp->ready_group = (uint8_t)g;
    qp->ready_ports = ports;
    qp->ready_no = ++ep->ready_no;
    ep->ready_count++;
    if (ep->ready_rings <= g)
        ep->ready_rings = g + 1;
    if (!ring->head) {
        qp->ready_next = qp->ready_prev = qp;
        *ring = (struct mrc_ready){.ports = ports, .head = qp};
        return;
    }
    qp->ready_next = ring->head;
    qp->ready_prev = ring->head->ready_prev;
    qp->ready_prev->ready_next = qp;
    ring->head->ready_prev = qp;
    ring->ports |= ports;
}

static void ring_remove(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_ready *ring = &ep->ready[qp->ready_group];
    if (!qp->ready_next)
        return;
    if (qp->ready_next == qp) {
        ring->head = NULL;
    } else {
        qp->ready_prev->ready_next = qp->ready_next;
        qp->ready_next->ready_prev = qp->ready_prev;
        if (ring->head == qp)
            ring->head = qp->ready_next;
    }
    qp->ready_next = qp->ready_prev = NULL;
    ep->ready_count--;
    while (ep->ready_rings > 0 && !ep->ready[ep->ready_rings - 1].head)
        ep->ready_rings--;
}

void mrc_sched_regroup(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (!qp->ready_next || qp->ready_ports == ports_of(qp))
        return;
    const bool served = qp->served;
    ring_remove(ep, qp);
    ring_add(ep, qp);
    qp->served = served;
}

struct mrc_qp *mrc_sched_next(const struct mrc_ep *ep, uint32_t free_ports)
{
    struct mrc_qp *next = NULL;
    for (unsigned g = 0; g < ep->ready_rings; g++) {
        const struct mrc_ready *ring = &ep->ready[g];
        if (ring->head && (ring->ports & free_ports) != 0 &&
            (!next || ring->head->ready_no < next->ready_no))
            next = ring->head;
    }
    return next;
}

void mrc_sched_served(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_ready *ring = &ep->ready[qp->ready_group];
    if (ring->head != qp)
        return;
    ring->head = qp->ready_next;
    qp->ready_no = ++ep->ready_no;
}

/* ---- the line at a controller ---- */

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
    return !mrc_cc_open(qp) || (!qp->ready_next && qp->qpcc->line_head);
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
    if (!wants) {
        ring_remove(ep, qp);
        return;
    }
    ring_add(ep, qp);
    mrc_sched_regroup(ep, qp);
}

void mrc_sched_update(struct mrc_ep *ep, struct mrc_qp *qp)
{
    place(ep, qp);
    wake(ep, qp->qpcc);
    note(ep, qp);
}
