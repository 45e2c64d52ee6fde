/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder's PSN window at run time (DYNAMIC_MPR). It grows and shrinks at once; every SACK
 * from then on carries it. What lies beyond a shrunken edge and has arrived stays arrived; what
 * comes new beyond it is turned away like anything outside the window (Q2).
 */
#include "ref/endpoint/ep_int.h"

/* The rings of what was received, in a new size. */
struct rings {
    uint64_t *bits;
    uint8_t *flags;
    uint16_t *stash_of;
    uint32_t mask;
};

static void rings_free(struct mrc_ep *ep, struct rings *g)
{
    mrc_ep_dealloc(ep, g->bits);
    mrc_ep_dealloc(ep, g->flags);
    mrc_ep_dealloc(ep, g->stash_of);
}

static bool rings_alloc(struct mrc_ep *ep, uint32_t psns, struct rings *g)
{
    const uint32_t n = mrc_pow2_at_least(psns);
    *g = (struct rings){
        .bits = mrc_ep_alloc(ep, n / 64, sizeof *g->bits),
        .flags = mrc_ep_alloc(ep, n, sizeof *g->flags),
        .stash_of = mrc_ep_alloc(ep, n, sizeof *g->stash_of),
        .mask = n - 1,
    };
    if (g->bits && g->flags && g->stash_of)
        return true;
    rings_free(ep, g);
    return false;
}

static void move_in(struct mrc_rsp *r, struct rings *g)
{
    for (uint64_t seq = r->rcv_nxt; seq <= r->max_rcv; seq++) {
        if (!mrc_bit(r->bits, seq & r->mask))
            continue;
        mrc_bit_set(g->bits, seq & g->mask);
        g->flags[seq & g->mask] = r->flags[seq & r->mask];
        g->stash_of[seq & g->mask] = r->stash_of[seq & r->mask];
    }
    const struct rings old = {r->bits, r->flags, r->stash_of, r->mask};
    r->bits = g->bits;
    r->flags = g->flags;
    r->stash_of = g->stash_of;
    r->mask = g->mask;
    *g = old;
}

int mrc_qp_set_mpr(struct mrc_ep *ep, uint32_t qpn, uint64_t now_ns, uint8_t mpr)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    if (qp->state != MRC_QP_RTS || !qp->dynamic_mpr)
        return MRC_EP_ESTATE;
    if (mpr == 0)
        return MRC_EP_EINVAL;
    ep->now_ns = now_ns;
    struct mrc_rsp *r = &qp->rsp;
    const uint32_t window = mpr * MRC_MPR_UNIT;
    if (window > r->mask + 1) {
        struct rings g;
        if (!rings_alloc(ep, window, &g))
            return MRC_EP_ENOMEM;
        move_in(r, &g);
        rings_free(ep, &g);
    }
    r->window = window;
    return MRC_EP_OK;
}
