/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One timer a QP, in a binary heap over the QPs. A timer that moves to a later time stays where it
 * is and is put right when it comes up: the usual packet only pushes its QP's timer ahead, which
 * costs nothing here.
 */
#include "ref/endpoint/ep_int.h"

static void put(struct mrc_ep *ep, uint32_t i, struct mrc_qp *qp)
{
    ep->heap[i] = qp;
    qp->heap_pos = i;
}

static void sift_up(struct mrc_ep *ep, uint32_t i)
{
    struct mrc_qp *qp = ep->heap[i];
    for (; i > 0 && ep->heap[(i - 1) / 2]->heap_ns > qp->heap_ns; i = (i - 1) / 2)
        put(ep, i, ep->heap[(i - 1) / 2]);
    put(ep, i, qp);
}

static void sift_down(struct mrc_ep *ep, uint32_t i)
{
    struct mrc_qp *qp = ep->heap[i];
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= ep->heap_len)
            break;
        if (c + 1 < ep->heap_len && ep->heap[c + 1]->heap_ns < ep->heap[c]->heap_ns)
            c++;
        if (ep->heap[c]->heap_ns >= qp->heap_ns)
            break;
        put(ep, i, ep->heap[c]);
        i = c;
    }
    put(ep, i, qp);
}

static void heap_remove(struct mrc_ep *ep, struct mrc_qp *qp)
{
    const uint32_t i = qp->heap_pos;
    qp->heap_pos = MRC_HEAP_NIL;
    struct mrc_qp *last = ep->heap[--ep->heap_len];
    if (last == qp)
        return;
    put(ep, i, last);
    sift_up(ep, i);
    sift_down(ep, last->heap_pos);
}

void mrc_timer_set(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t at_ns)
{
    const uint64_t before = qp->timer_ns;
    qp->timer_ns = at_ns;
    if (before == MRC_TIME_NEVER || at_ns == MRC_TIME_NEVER || before <= ep->now_ns)
        mrc_trace(ep, qp, MRC_TRACE_TIMER, (enum mrc_trace_cause)ep->cause, before, at_ns);
    if (at_ns == MRC_TIME_NEVER) {
        if (qp->heap_pos != MRC_HEAP_NIL)
            heap_remove(ep, qp);
    } else if (qp->heap_pos == MRC_HEAP_NIL) {
        qp->heap_ns = at_ns;
        put(ep, ep->heap_len++, qp);
        sift_up(ep, qp->heap_pos);
    } else if (at_ns < qp->heap_ns) {
        qp->heap_ns = at_ns;
        sift_up(ep, qp->heap_pos);
    }
}

struct mrc_qp *mrc_timer_due(struct mrc_ep *ep, uint64_t now_ns)
{
    while (ep->heap_len > 0 && ep->heap[0]->heap_ns <= now_ns) {
        struct mrc_qp *qp = ep->heap[0];
        if (qp->timer_ns <= now_ns)
            return qp;
        qp->heap_ns = qp->timer_ns;
        sift_down(ep, 0);
    }
    return NULL;
}

uint64_t mrc_ep_deadline(const struct mrc_ep *ep)
{
    const uint64_t served = mrc_ctrl_deadline(ep);
    const uint64_t timer = ep->heap_len > 0 ? ep->heap[0]->heap_ns : MRC_TIME_NEVER;
    const uint64_t told = mrc_port_deadline(ep);
    const uint64_t probe = ep->probes_open > 0 ? ep->probe_due_ns : MRC_TIME_NEVER;
    const uint64_t node = told < probe ? told : probe;
    const uint64_t qps = timer < served ? timer : served;
    return node < qps ? node : qps;
}
