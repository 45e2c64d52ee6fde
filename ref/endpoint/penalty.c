/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow control by the responder (section 7.5.1): what its SACKs ask of the sender's window. */
#include "ref/endpoint/ep_int.h"

int mrc_qp_set_penalty(struct mrc_ep *ep, uint32_t qpn, uint8_t pen, bool restore)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    if (pen > MRC_CWND_PEN_MAX)
        return MRC_EP_EINVAL;
    mrc_trace(ep, qp, MRC_TRACE_PENALTY, MRC_CAUSE_CALL, qp->rsp.cwnd_pen, pen);
    qp->rsp.cwnd_pen = pen;
    qp->rsp.restore_cwnd = restore;
    return MRC_EP_OK;
}
