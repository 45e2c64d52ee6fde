/* SPDX-License-Identifier: BSD-2-Clause */
/* Transport ACK and NAK: what completes, or fails, the requestor's writes. */
#include "ref/endpoint/ep_int.h"

/* One ACK stands for every request with A that cack_psn has reached when it leaves. */
void mrc_ack_due(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (qp->rsp.ack_queued)
        return;
    qp->rsp.ack_queued = true;
    mrc_ctrl_push(ep, qp, &(struct mrc_ctrl){.kind = MRC_CTRL_ACK, .coalesced = true});
}

void mrc_ack_dup(struct mrc_ep *ep, struct mrc_qp *qp)
{
    mrc_ctrl_push(ep, qp, &(struct mrc_ctrl){.kind = MRC_CTRL_ACK});
}

void mrc_nak_send(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, uint8_t syndrome)
{
    mrc_ctrl_push(
        ep, qp,
        &(struct mrc_ctrl){
            .kind = MRC_CTRL_NAK, .code = syndrome, .psn = mrc_seq_psn(seq), .msn = qp->rsp.msn});
}

void mrc_ack_fill(struct mrc_qp *qp, const struct mrc_ctrl *c, struct mrc_pkt *p)
{
    const bool nak = c->kind == MRC_CTRL_NAK;
    p->present |= UINT32_C(1) << MRC_HDR_AETH;
    p->aeth.syndrome = nak ? c->code : MRC_SYN_ACK;
    p->aeth.msn = nak ? c->msn : qp->rsp.msn;
    if (c->coalesced)
        qp->rsp.ack_queued = false;
}
