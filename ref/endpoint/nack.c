/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliability NACK: the responder had to turn a request away (Table 7-3). */
#include "ref/endpoint/ep_int.h"

#define NETH_CC_TYPE 2u

void mrc_nack_send(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p,
                   enum mrc_nack_reason reason)
{
    const struct mrc_ctrl c = {
        .kind = MRC_CTRL_NACK,
        .code = (uint8_t)reason,
        .rtx = p->bth.rtx,
        .timestamp = mrc_pkt_timestamp(p),
        .stamped = MRC_PKT_HAS(p, TSETH),
        .entropy = p->ev,
        .psn = p->bth.psn,
    };
    mrc_ctrl_push(ep, qp, &c);
}

void mrc_nack_fill(const struct mrc_qp *qp, const struct mrc_ctrl *c, struct mrc_pkt *p)
{
    p->present |= UINT32_C(1) << MRC_HDR_NETH;
    p->bth.rtx = c->rtx;
    p->neth.nack_reason = c->code;
    p->neth.entropy = c->entropy;
    p->neth.spdcid = (uint16_t)qp->qpn;
    p->neth.dpdcid = (uint16_t)qp->peer.qpn;
    p->neth.nack_psn = c->psn;
    p->neth.cc_type = NETH_CC_TYPE;
    p->neth.tx_timestamp = c->timestamp;
}
