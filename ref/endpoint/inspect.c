/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/endpoint/inspect.h"
#include "ref/endpoint/ep_int.h"
#include <string.h>

static void requestor(const struct mrc_qp *qp, struct mrc_qp_inspection *out)
{
    const struct mrc_req *r = &qp->req;
    out->sq_depth = r->sq_depth;
    out->sq_used = r->sq_tail - r->sq_polled;
    out->sq_unsent = r->sq_tail - r->sq_send;
    out->wimm_max = r->wimm_max;
    out->timeout_ns = mrc_retry_wait(qp, r->retry);
    out->ev_wait_ns = r->ev_wait_ns;
    out->oldest_sent_ns =
        r->out_head != MRC_SLOT_NIL ? r->slots[r->out_head].sent_ns : MRC_TIME_NEVER;
}

static void responder(const struct mrc_qp *qp, struct mrc_qp_inspection *out)
{
    const struct mrc_rsp *r = &qp->rsp;
    out->rq_depth = r->rq_depth;
    out->rq_used = r->rq_tail - r->rq_polled;
    out->rcv_window_psn = r->window;
    out->sack_trigger_bytes = r->sack_trigger;
    out->wimm_stashed = r->stash_used;
    out->cwnd_pen = r->cwnd_pen;
    out->restore_cwnd = r->restore_cwnd;
}

static void congestion(const struct mrc_qp *qp, struct mrc_qp_inspection *out)
{
    const struct mrc_qpcc *c = qp->qpcc;
    out->cc_name = c->cc->ops->name;
    out->cc_share_id = c->profile.share_id;
    out->cc_members = c->members;
    out->cc_out_bytes = c->cc->out_bytes;
    out->qp_out_bytes = qp->cc_out_bytes;
    if (c->cc->ops->view)
        c->cc->ops->view(c->cc, &out->cc);
}

int mrc_qp_inspect(const struct mrc_ep *ep, uint32_t qpn, struct mrc_qp_inspection *out)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    memset(out, 0, sizeof *out);
    if (!qp)
        return MRC_EP_ENOENT;
    out->qpn = qpn;
    out->peer_qpn = qp->peer.qpn;
    (void)mrc_qp_info_get(ep, qpn, &out->info);
    out->count = qp->count;
    requestor(qp, out);
    responder(qp, out);
    congestion(qp, out);
    out->ev_count = mrc_qp_evs(qp)->count;
    out->reverse_ports = qp->rev.ports;
    memcpy(out->reverse_ev, qp->rev.ev, sizeof out->reverse_ev);
    return MRC_EP_OK;
}
