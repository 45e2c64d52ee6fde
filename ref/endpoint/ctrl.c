/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control packets: one queue for the node, served before any data (section 6.3), each packet built
 * at the moment it leaves, on an EV of its QP's small reverse set.
 */
#include "ref/endpoint/ep_int.h"

/* Entries looked at behind one that has no free port. */
#define LOOK_AHEAD 64u

void mrc_ctrl_push(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c)
{
    if (ep->ctrl_tail - ep->ctrl_head > ep->ctrl_mask) {
        ep->count.drop[MRC_DROP_CTRL_FULL]++;
        if (c->kind == MRC_CTRL_ACK && c->coalesced)
            qp->rsp.ack_queued = false;
        return;
    }
    struct mrc_ctrl *e = &ep->ctrl[ep->ctrl_tail++ & ep->ctrl_mask];
    *e = *c;
    e->qpn = qp->qpn;
    e->born_ns = ep->now_ns;
}

static void drop_sent(struct mrc_ep *ep)
{
    while (ep->ctrl_head != ep->ctrl_tail &&
           ep->ctrl[ep->ctrl_head & ep->ctrl_mask].kind == MRC_CTRL_NONE)
        ep->ctrl_head++;
}

void mrc_ctrl_purge(struct mrc_ep *ep, uint32_t qpn)
{
    for (uint32_t at = ep->ctrl_head; at != ep->ctrl_tail; at++)
        if (ep->ctrl[at & ep->ctrl_mask].qpn == qpn)
            ep->ctrl[at & ep->ctrl_mask].kind = MRC_CTRL_NONE;
    drop_sent(ep);
}

/* Planes take turns, so that one bad path does not silence the responder; now and then one is left
 * out, since answers that come in pairs would each keep to a plane of their own. */
static int pick_port(struct mrc_ep *ep, struct mrc_rev *rev, uint64_t free_ports)
{
    const uint32_t usable = rev->ports & (uint32_t)free_ports;
    if (!usable)
        return -1;
    if (mrc_rng_below(&ep->rng, 4) == 0)
        rev->next = (uint8_t)mrc_rng_below(&ep->rng, ep->cfg.ports);
    for (;;) {
        const unsigned port = rev->next;
        rev->next = (uint8_t)((rev->next + 1u) % MRC_EP_PORTS_MAX);
        if (usable >> port & 1u)
            return (int)port;
    }
}

static void fill(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c, struct mrc_pkt *p)
{
    switch ((enum mrc_ctrl_kind)c->kind) {
    case MRC_CTRL_NONE:
        break;
    case MRC_CTRL_SACK:
        mrc_pkt_bth(ep, p, MRC_OP_SACK, qp->peer.qpn, mrc_seq_psn(qp->rsp.rcv_nxt - 1));
        mrc_sack_fill(qp, c, p);
        ep->count.tx_sack++;
        qp->count.tx_sack++;
        break;
    case MRC_CTRL_NACK:
        mrc_pkt_bth(ep, p, MRC_OP_NACK, qp->peer.qpn, c->psn);
        mrc_nack_fill(qp, c, p);
        ep->count.tx_nack++;
        qp->count.tx_nack++;
        break;
    case MRC_CTRL_ACK:
        /* Never for a request that was refused, though it has arrived (REQ-6.3-01). */
        mrc_pkt_bth(ep, p, MRC_OP_ACK, qp->peer.qpn, mrc_seq_psn(qp->rsp.done_nxt - 1));
        mrc_ack_fill(qp, c, p);
        ep->count.tx_ack++;
        qp->count.tx_ack++;
        break;
    case MRC_CTRL_NAK:
        mrc_pkt_bth(ep, p, MRC_OP_ACK, qp->peer.qpn, c->psn);
        mrc_ack_fill(qp, c, p);
        ep->count.tx_nak++;
        qp->count.tx_nak++;
        break;
    case MRC_CTRL_PROBE:
        break; /* mrc_probe_output() */
    }
}

/* Q20 a: the reflected timestamp is later by the time that the answer took here. */
static struct mrc_ctrl with_service_time(const struct mrc_ep *ep, const struct mrc_qp *qp,
                                         const struct mrc_ctrl *c)
{
    struct mrc_ctrl told = *c;
    if (ep->cfg.q20_svc_time == 'a' && qp->attr.svc_time && c->stamped)
        told.timestamp = (uint16_t)(c->timestamp + mrc_timestamp(ep->now_ns - c->born_ns));
    return told;
}

static int send_entry(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c,
                      uint64_t now_ns, uint64_t free_ports, struct mrc_frame *out)
{
    if (c->kind == MRC_CTRL_PROBE)
        return mrc_probe_output(ep, qp, c, now_ns, free_ports, out);
    const int port = pick_port(ep, &qp->rev, free_ports & mrc_ports_up(ep, qp));
    if (port < 0)
        return -1;
    const struct mrc_ctrl told = with_service_time(ep, qp, c);
    struct mrc_pkt p;
    mrc_pkt_begin(ep, &p, (unsigned)port, &qp->peer.addr[port], qp->rev.ev[port], MRC_DSCP_CONTROL);
    mrc_ev_encap(qp, (unsigned)port, qp->rev.ev[port], &p);
    fill(ep, qp, &told, &p);
    mrc_pkt_encode(&ep->cfg.wire, &p, out);
    return port;
}

/* Nothing near the head has a free port: let what lies behind come forward. */
static void rotate(struct mrc_ep *ep)
{
    if (ep->ctrl_tail - ep->ctrl_head <= LOOK_AHEAD)
        return;
    for (uint32_t n = 0; n < LOOK_AHEAD; n++) {
        const struct mrc_ctrl c = ep->ctrl[ep->ctrl_head++ & ep->ctrl_mask];
        ep->ctrl[ep->ctrl_tail++ & ep->ctrl_mask] = c;
    }
}

uint64_t mrc_ctrl_deadline(const struct mrc_ep *ep)
{
    if (ep->cfg.svc_delay_ns == 0 || ep->ctrl_head == ep->ctrl_tail)
        return MRC_TIME_NEVER;
    const uint64_t at = ep->ctrl[ep->ctrl_head & ep->ctrl_mask].born_ns + ep->cfg.svc_delay_ns;
    return at > ep->now_ns ? at : MRC_TIME_NEVER; /* served, it waits for a port alone */
}

int mrc_ctrl_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t free_ports, struct mrc_frame *out)
{
    int port = -1;
    for (uint32_t n = 0; port < 0 && n < LOOK_AHEAD; n++) {
        const uint32_t at = ep->ctrl_head + n;
        if (at == ep->ctrl_tail)
            break;
        struct mrc_ctrl *c = &ep->ctrl[at & ep->ctrl_mask];
        if (c->kind == MRC_CTRL_NONE)
            continue;
        if (c->kind != MRC_CTRL_PROBE && now_ns < c->born_ns + ep->cfg.svc_delay_ns)
            return -1; /* still being served, and so is all behind it */
        struct mrc_qp *qp = mrc_qp_find(ep, c->qpn);
        port = send_entry(ep, qp, c, now_ns, free_ports, out);
        if (port >= 0 || mrc_probe_is_moot(ep, qp, c))
            c->kind = MRC_CTRL_NONE;
    }
    drop_sent(ep);
    if (port < 0)
        rotate(ep);
    return port;
}
