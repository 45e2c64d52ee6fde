/* SPDX-License-Identifier: BSD-2-Clause */
/* The ready ring: QPs that could send now. Its head is served next, one packet a turn. */
#include "ref/endpoint/ep_int.h"

static void ring_add(struct mrc_ep *ep, struct mrc_qp *qp)
{
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

void mrc_sched_remove(struct mrc_ep *ep, struct mrc_qp *qp)
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

void mrc_sched_update(struct mrc_ep *ep, struct mrc_qp *qp)
{
    const bool want = mrc_req_can_send(qp);
    if (want && !qp->ready_next)
        ring_add(ep, qp);
    else if (!want)
        mrc_sched_remove(ep, qp);
}
