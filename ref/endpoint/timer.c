/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One timer a QP, in a heap over the QPs. A timer that moves to a later time stays where it
 * is and is put right when it comes up: the usual packet only pushes its QP's timer ahead, which
 * costs nothing here.
 */
#include "ref/endpoint/ep_int.h"

/* Children of an entry: one line of a cache holds their keys. */
#define WAYS 4u

static void put(struct mrc_ep *ep, uint32_t i, struct mrc_timer t)
{
    ep->heap[i] = t;
    t.qp->heap_pos = i;
}

static void sift_up(struct mrc_ep *ep, uint32_t i, struct mrc_timer t)
{
    for (; i > 0 && ep->heap[(i - 1) / WAYS].at_ns > t.at_ns; i = (i - 1) / WAYS)
        put(ep, i, ep->heap[(i - 1) / WAYS]);
    put(ep, i, t);
}

static uint32_t least_child(const struct mrc_ep *ep, uint32_t i)
{
    const uint32_t first = WAYS * i + 1;
    const uint32_t end = first + WAYS < ep->heap_len ? first + WAYS : ep->heap_len;
    uint32_t least = first;
    for (uint32_t c = first + 1; c < end; c++)
        if (ep->heap[c].at_ns < ep->heap[least].at_ns)
            least = c;
    return least;
}

static void sift_down(struct mrc_ep *ep, uint32_t i, struct mrc_timer t)
{
    for (uint32_t c; WAYS * i + 1 < ep->heap_len; i = c) {
        c = least_child(ep, i);
        if (ep->heap[c].at_ns >= t.at_ns)
            break;
        put(ep, i, ep->heap[c]);
    }
    put(ep, i, t);
}

static void heap_remove(struct mrc_ep *ep, struct mrc_qp *qp)
{
    const uint32_t i = qp->heap_pos;
    qp->heap_pos = MRC_HEAP_NIL;
    const struct mrc_timer last = ep->heap[--ep->heap_len];
    if (last.qp == qp)
        return;
    if (i > 0 && ep->heap[(i - 1) / WAYS].at_ns > last.at_ns)
        sift_up(ep, i, last);
    else
        sift_down(ep, i, last);
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
        sift_up(ep, ep->heap_len++, (struct mrc_timer){at_ns, qp});
    } else if (at_ns < ep->heap[qp->heap_pos].at_ns) {
        sift_up(ep, qp->heap_pos, (struct mrc_timer){at_ns, qp});
    }
}

struct mrc_qp *mrc_timer_due(struct mrc_ep *ep, uint64_t now_ns)
{
    while (ep->heap_len > 0 && ep->heap[0].at_ns <= now_ns) {
        struct mrc_qp *qp = ep->heap[0].qp;
        if (qp->timer_ns <= now_ns)
            return qp;
        sift_down(ep, 0, (struct mrc_timer){qp->timer_ns, qp});
    }
    return NULL;
}

uint64_t mrc_ep_deadline(const struct mrc_ep *ep)
{
    const uint64_t served = mrc_ctrl_deadline(ep);
    const uint64_t timer = ep->heap_len > 0 ? ep->heap[0].at_ns : MRC_TIME_NEVER;
    const uint64_t told = mrc_port_deadline(ep);
    const uint64_t probe = ep->probes_open > 0 ? ep->probe_due_ns : MRC_TIME_NEVER;
    const uint64_t node = told < probe ? told : probe;
    const uint64_t qps = timer < served ? timer : served;
    return node < qps ? node : qps;
}
