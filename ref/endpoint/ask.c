/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asking for a SACK when none will come (section 7.4): a window that moves by SACKs may shrink
 * below what is in flight, packets that did not ask for one and are too few for the responder's
 * threshold. Nothing more can be sent, so that nothing more will ask. A Reliability Probe does,
 * after some round trips of silence; else the packets' timers would take them for lost.
 */
#include "ref/endpoint/ep_int.h"

#define SILENT_RTTS    3u
#define DOUBLINGS      8u
#define RTT_DEFAULT_NS 12000u

static uint64_t patience_ns(const struct mrc_qp *qp)
{
    const uint64_t rtt = qp->qpcc->profile.base_rtt_ns;
    return (rtt > 0 ? rtt : RTT_DEFAULT_NS) * SILENT_RTTS << qp->req.asks;
}

uint64_t mrc_ask_deadline(const struct mrc_qp *qp)
{
    const struct mrc_req *r = &qp->req;
    if (!qp->in_line || !qp->qpcc->cc->by_sacks || r->out_count == 0)
        return MRC_TIME_NEVER;
    const uint64_t since = r->asked_ns > r->stall_ns ? r->asked_ns : r->stall_ns;
    return since + patience_ns(qp);
}

void mrc_ask_tick(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    struct mrc_req *r = &qp->req;
    if (mrc_ask_deadline(qp) > now_ns)
        return;
    r->asked_ns = now_ns;
    if (r->asks < DOUBLINGS)
        r->asks++;
    mrc_probe_ask(ep, qp, now_ns);
}
