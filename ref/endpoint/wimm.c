/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write with immediate at the responder: the data is placed at once, the immediate waits in a
 * stash until all requests before it have arrived, then completes the oldest posted receive.
 */
#include "ref/endpoint/ep_int.h"

int mrc_wimm_init(struct mrc_ep *ep, struct mrc_rsp *r, uint32_t max)
{
    r->stash_max = max;
    r->stash = mrc_ep_alloc(ep, max + 1, sizeof *r->stash);
    r->stash_of = mrc_ep_alloc(ep, (size_t)r->mask + 1, sizeof *r->stash_of);
    if (!r->stash || !r->stash_of)
        return MRC_EP_ENOMEM;
    for (uint32_t i = 0; i <= max; i++)
        r->stash[i].next_free = (uint16_t)(i < max ? i + 1 : MRC_SLOT_NIL);
    r->stash_free = 0;
    return MRC_EP_OK;
}

/* One entry beyond the limit is for the packet that everything waits for: it leaves at once. */
bool mrc_wimm_stash(struct mrc_rsp *r, uint64_t seq, uint32_t imm, uint32_t len_bytes)
{
    const uint16_t i = r->stash_free;
    if (i == MRC_SLOT_NIL || (r->stash_used >= r->stash_max && seq != r->rcv_nxt))
        return false;
    r->stash_free = r->stash[i].next_free;
    r->stash_used++;
    r->stash[i].imm = imm;
    r->stash[i].len_bytes = len_bytes;
    r->stash_of[seq & r->mask] = i;
    return true;
}

bool mrc_wimm_deliver(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq)
{
    struct mrc_rsp *r = &qp->rsp;
    const uint16_t i = r->stash_of[seq & r->mask];
    struct mrc_stash *s = &r->stash[i];
    s->next_free = r->stash_free;
    r->stash_free = i;
    r->stash_used--;
    if (r->rq_head == r->rq_tail)
        return false;
    struct mrc_rqe *e = &r->rq[r->rq_head++ & r->rq_mask];
    e->imm = s->imm;
    e->len_bytes = s->len_bytes;
    mrc_event_push(ep, &e->node, now_ns, MRC_WC_SUCCESS);
    return true;
}
