/* SPDX-License-Identifier: BSD-2-Clause */
/* QP 0x2, the node itself: answers Endpoint Requests (section 6.5), whatever their class was. */
#include "ref/endpoint/ep_int.h"
#include <string.h>

static bool op_known(uint8_t op)
{
    return op == MRC_EP_OP_PORT_STATUS || op == MRC_EP_OP_EV_PROBE;
}

static void requester(const struct mrc_pkt *p, struct mrc_addr *to)
{
    *to = (struct mrc_addr){.is_v6 = p->is_v6};
    if (p->is_v6)
        memcpy(to->ip, p->ip6.src, 16);
    else
        memcpy(to->ip, p->ip4.src, 4);
    memcpy(to->mac, p->eth.src, sizeof to->mac);
}

void mrc_node_request(struct mrc_ep *ep, uint64_t now_ns, unsigned port, const struct mrc_pkt *p)
{
    if (!op_known(p->erth.op)) {
        ep->count.drop[MRC_DROP_CODE_POINT]++;
        return;
    }
    if (p->erth.op == MRC_EP_OP_PORT_STATUS)
        mrc_port_status(ep, now_ns, port, p);
    if (ep->node_tail - ep->node_head == MRC_NODE_QUEUE) {
        ep->count.drop[MRC_DROP_CTRL_FULL]++;
        return;
    }
    struct mrc_node_rsp *r = &ep->node_q[ep->node_tail++ % MRC_NODE_QUEUE];
    requester(p, &r->to);
    r->ev = p->ev;
    r->id = (uint16_t)p->bth.psn;
    r->timestamp = p->erth.tx_timestamp;
    r->op = p->erth.op;
    r->port = (uint8_t)port;
}

void mrc_node_response(struct mrc_ep *ep, uint64_t now_ns, unsigned port, const struct mrc_pkt *p)
{
    if (p->eeth.op == MRC_EP_OP_PORT_STATUS)
        mrc_port_answered(ep, port, p);
    else if (p->eeth.op == MRC_EP_OP_EV_PROBE)
        mrc_ev_probe_answered(ep, now_ns, port, p);
    else
        ep->count.drop[MRC_DROP_CODE_POINT]++;
}

/* Takes the oldest response whose port is free; a busy port holds up no other. */
static bool take(struct mrc_ep *ep, uint64_t free_ports, struct mrc_node_rsp *r)
{
    for (uint32_t at = ep->node_head; at != ep->node_tail; at++) {
        *r = ep->node_q[at % MRC_NODE_QUEUE];
        if (!(free_ports >> r->port & 1u))
            continue;
        for (; at != ep->node_head; at--)
            ep->node_q[at % MRC_NODE_QUEUE] = ep->node_q[(at - 1) % MRC_NODE_QUEUE];
        ep->node_head++;
        return true;
    }
    return false;
}

int mrc_node_output(struct mrc_ep *ep, uint64_t free_ports, struct mrc_frame *out)
{
    struct mrc_node_rsp r;
    if (!take(ep, free_ports, &r))
        return -1;
    struct mrc_pkt p;
    mrc_pkt_begin(ep, &p, r.port, &r.to, r.ev, MRC_DSCP_CONTROL);
    mrc_pkt_bth(ep, &p, MRC_OP_EP_RESPONSE, MRC_NODE_QPN, r.id);
    p.present |= UINT32_C(1) << MRC_HDR_EETH;
    p.eeth.op = r.op;
    p.eeth.tx_timestamp = r.timestamp;
    mrc_node_encap(ep, r.port, &p);
    mrc_pkt_encode(&ep->cfg.wire, &p, out);
    ep->count.tx_node++;
    return r.port;
}
