/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shortage at the responder, forced from outside: a new request that it would have taken is turned
 * away by a NACK whose reason says what was missing (Table 7-3). Nothing of it is kept; for
 * UNEXP_EVENT the QP ends as well, since nobody will try again.
 */
#include "ref/endpoint/ep_int.h"

#define ONE_IN_PPM UINT32_C(1000000)

static bool reason_ok(enum mrc_nack_reason reason)
{
    return reason == MRC_NACK_NO_BITMAP || reason == MRC_NACK_NO_PKT_BUFFER ||
           reason == MRC_NACK_NO_RESOURCE || reason == MRC_NACK_UNEXP_EVENT;
}

int mrc_qp_force_nack(struct mrc_ep *ep, uint32_t qpn, enum mrc_nack_reason reason, uint32_t count)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    if (!reason_ok(reason))
        return MRC_EP_EINVAL;
    qp->rsp.short_reason = (uint8_t)reason;
    qp->rsp.short_count = count;
    return MRC_EP_OK;
}

int mrc_ep_shortage(struct mrc_ep *ep, enum mrc_nack_reason reason, uint32_t ppm)
{
    if (!reason_ok(reason) || ppm > ONE_IN_PPM)
        return MRC_EP_EINVAL;
    ep->short_reason = (uint8_t)reason;
    ep->short_ppm = ppm;
    return MRC_EP_OK;
}

/* The reason to turn a new request away, or 0. */
static uint8_t missing(struct mrc_ep *ep, struct mrc_rsp *r)
{
    if (r->short_count > 0) {
        r->short_count--;
        return r->short_reason;
    }
    if (ep->short_ppm > 0 && mrc_rng_next(&ep->rng) % ONE_IN_PPM < ep->short_ppm)
        return ep->short_reason;
    return 0;
}

bool mrc_shortage(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p)
{
    const uint8_t reason = missing(ep, &qp->rsp);
    if (reason == 0)
        return false;
    ep->count.rx_refused++;
    mrc_nack_send(ep, qp, p, (enum mrc_nack_reason)reason);
    if (reason == MRC_NACK_UNEXP_EVENT)
        mrc_qp_fail(ep, qp, now_ns, MRC_WC_LOCAL_UNEXP_EVENT, qp->req.sq_tail);
    return true;
}
