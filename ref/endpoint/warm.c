/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/endpoint/warm.h"
#include "ref/endpoint/ep_int.h"
#include "ref/endpoint/ev.h"

#define LINE 64u

/* The empty statement keeps GCC from leaving out calls of what has no effect that it knows. */
static void warm(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch((const char *)at + i);
    __asm__ volatile("");
}

/* The QP itself, but for the peer's addresses and the attributes. */
static void warm_qp(const struct mrc_qp *qp)
{
    warm(qp, offsetof(struct mrc_qp, rsp));
    warm(&qp->evs, sizeof qp->evs);
}

static const struct mrc_evs *evs_of(const struct mrc_qp *qp)
{
    return qp->shared_evs ? qp->shared_evs : &qp->evs;
}

/* What it points at, where the next packet to send will look. */
static void warm_sending(const struct mrc_qp *qp)
{
    const struct mrc_req *r = &qp->req;
    const struct mrc_evs *evs = evs_of(qp);
    warm(qp->qpcc, offsetof(struct mrc_qpcc, profile));
    warm(&r->slots[r->snd_nxt & r->slot_mask], sizeof *r->slots);
    if (r->out_tail != MRC_SLOT_NIL)
        warm(&r->slots[r->out_tail], sizeof *r->slots);
    warm(&r->sq[r->sq_send & r->sq_mask], sizeof *r->sq);
    warm(&evs->order[evs->pos], sizeof *evs->order);
    warm(evs->places, LINE);
}

/* What lies behind that: the EV whose turn it is, the way to the peer by its port, the window. */
static void warm_behind(const struct mrc_qp *qp)
{
    const struct mrc_evs *evs = evs_of(qp);
    const uint16_t i = evs->order[evs->pos];
    warm(&evs->list[i], sizeof *evs->list);
    warm(&evs->rec[i], sizeof *evs->rec);
    warm(qp->qpcc->cc, LINE);
}

/* Three turns ahead, two, and one: each step needs what the one before it asked for. */
void mrc_warm_next(const struct mrc_qp *qp)
{
    const struct mrc_qp *one = qp->ready_next;
    if (!one || one == qp)
        return;
    const struct mrc_qp *two = one->ready_next;
    warm_behind(one);
    warm_sending(two);
    warm_qp(two->ready_next);
}

void mrc_warm_request(const struct mrc_qp *qp)
{
    warm(qp, offsetof(struct mrc_qp, shared_evs));
}

void mrc_warm_answer(const struct mrc_qp *qp)
{
    warm(qp, offsetof(struct mrc_qp, count));
}

static void warm_node(const struct mrc_ep *ep)
{
    warm(&ep->now_ns, offsetof(struct mrc_ep, mrs) - offsetof(struct mrc_ep, now_ns));
    warm(&ep->cfg, offsetof(struct mrc_ep_config, vlan));
    warm(&ep->count, LINE);
    warm(&ep->ctrl, LINE);
    warm(&ep->ev_first, LINE);
}

/* What a request at the edge of what has arrived will touch, and the answer to an earlier one. */
static void warm_rings(const struct mrc_qp *qp)
{
    const struct mrc_rsp *r = &qp->rsp;
    const struct mrc_req *q = &qp->req;
    if (r->bits) {
        warm(&r->bits[(r->rcv_nxt & r->mask) / 64u], LINE);
        warm(&r->flags[r->rcv_nxt & r->mask], LINE);
    }
    if (q->slots && q->snd_una != q->snd_nxt)
        warm(&q->slots[q->snd_una & q->slot_mask], 4 * sizeof *q->slots);
    if (q->slots && qp->qpcc && evs_of(qp)->order)
        warm_sending(qp);
}

/* The QP's own memory: responder's or requestor's, as both may be there. */
static void warm_open_qp(const struct mrc_qp *qp)
{
    warm(qp, offsetof(struct mrc_qp, peer));
}

void mrc_ep_warm(const struct mrc_ep *ep, uint32_t qpn, unsigned step)
{
    if (step == 0) {
        warm_node(ep);
    } else if (step == 1) {
        warm(mrc_qp_home(ep, qpn), LINE);
        if (ep->ready[0].head)
            warm_qp(ep->ready[0].head);
    } else {
        const struct mrc_qp *const qp = mrc_qp_find(ep, qpn);
        if (qp && step == 2)
            warm_open_qp(qp);
        else if (qp && step == 3)
            warm_rings(qp);
        else if (qp && qp->req.sq_send != qp->req.sq_tail)
            warm_behind(qp);
    }
}
