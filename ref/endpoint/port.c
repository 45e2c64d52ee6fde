/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports going down and coming up (sections 6.5 and 9.3). An own port that changes is told to every
 * peer in a Port Status Update, repeated at growing intervals until it is answered (Q17 a), up to a
 * limit; only the latest state is ever told. What a peer tells of its ports is obeyed at once.
 *
 * Updates stand in lists by the number of their tries: one interval a list, so each is in order of
 * time and the next one due is found without looking at all peers.
 */
#include "ref/endpoint/ep_int.h"

#define FTYPE_TIMESTAMP 1u
/* Updates looked at behind one whose ports are busy. */
#define LOOK_AHEAD 8u

/* ---- the mask, by Q10 ---- */

static unsigned bit_shift(const struct mrc_ep *ep)
{
    return ep->cfg.node.q10_port_bit == 'b' ? 1u : 0u;
}

static uint32_t all_ports(const struct mrc_ep *ep)
{
    return (UINT32_C(1) << ep->cfg.ports) - 1;
}

/* ---- the lists ---- */

static void due_push(struct mrc_ep *ep, struct mrc_peer *p)
{
    struct mrc_peer_list *l = &ep->updates[p->tries];
    p->due_next = NULL;
    p->due_prev = l->tail;
    if (l->tail)
        l->tail->due_next = p;
    else
        l->head = p;
    l->tail = p;
    p->open = true;
    ep->update_count++;
}

static void due_remove(struct mrc_ep *ep, struct mrc_peer *p)
{
    struct mrc_peer_list *l = &ep->updates[p->tries];
    if (p->due_prev)
        p->due_prev->due_next = p->due_next;
    else
        l->head = p->due_next;
    if (p->due_next)
        p->due_next->due_prev = p->due_prev;
    else
        l->tail = p->due_prev;
    p->open = false;
    ep->update_count--;
}

void mrc_port_forget(struct mrc_ep *ep, struct mrc_peer *peer)
{
    if (peer->open)
        due_remove(ep, peer);
}

/* A new update takes the place of one that is still open. */
void mrc_port_greet(struct mrc_ep *ep, struct mrc_peer *peer)
{
    mrc_port_forget(ep, peer);
    peer->tries = 0;
    peer->due_ns = ep->now_ns;
    peer->update_id = ep->update_id++;
    due_push(ep, peer);
}

/* ---- own ports ---- */

/* Ports of the peer's QPs changed, those in `up` came up: what waited may go, or waits in vain. */
static void ports_changed(struct mrc_ep *ep, struct mrc_peer *peer, uint64_t now_ns, uint32_t up)
{
    for (struct mrc_qp *qp = peer->qps; qp; qp = qp->peer_next) {
        if (up)
            mrc_ev_probe_soon(qp, now_ns, up);
        mrc_qp_settle(ep, qp);
    }
}

int mrc_ep_port_set(struct mrc_ep *ep, uint64_t now_ns, unsigned port, bool up)
{
    if (port >= ep->cfg.ports)
        return MRC_EP_EINVAL;
    const uint32_t bit = UINT32_C(1) << port;
    ep->now_ns = now_ns;
    if (((ep->ports_down & bit) == 0) == up)
        return MRC_EP_OK;
    ep->ports_down ^= bit;
    mrc_trace_emit_port(ep, NULL, port, MRC_CAUSE_PORT, up);
    for (struct mrc_peer *p = ep->peers; p; p = p->all_next) {
        mrc_port_greet(ep, p);
        ports_changed(ep, p, now_ns, up ? bit : 0);
    }
    return MRC_EP_OK;
}

int mrc_ep_peer_down(const struct mrc_ep *ep, uint32_t qpn, uint32_t *ports)
{
    const struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    *ports = qp->peer_node ? qp->peer_node->down : 0;
    return MRC_EP_OK;
}

static void build(struct mrc_ep *ep, struct mrc_peer *peer, unsigned plane, uint64_t now_ns,
                  struct mrc_frame *out)
{
    const struct mrc_qp *qp = peer->qps;
    struct mrc_pkt p;
    mrc_pkt_begin(ep, &p, plane, &peer->addr[plane], qp->rev.ev[plane], mrc_req_class(ep, false));
    mrc_pkt_bth(ep, &p, MRC_OP_EP_REQUEST, MRC_NODE_QPN, peer->update_id);
    p.present |= UINT32_C(1) << MRC_HDR_ERTH;
    p.erth.op = MRC_EP_OP_PORT_STATUS;
    p.erth.port_status_mask = (all_ports(ep) & ~ep->ports_down) << bit_shift(ep);
    p.erth.tx_timestamp = mrc_timestamp(now_ns);
    p.erth.ftype = FTYPE_TIMESTAMP;
    mrc_ev_encap(qp, plane, qp->rev.ev[plane], &p);
    mrc_pkt_encode(&ep->cfg.wire, &p, out);
    ep->count.tx_port_status++;
}

/* Each try by the next plane, so that one dead path does not keep the news. */
static int pick_plane(struct mrc_ep *ep, struct mrc_peer *peer, uint64_t free_ports)
{
    const uint32_t usable = (uint32_t)free_ports & ~peer->down & peer->qps->rev.ports;
    for (unsigned n = 0; usable && n < ep->cfg.ports; n++) {
        const unsigned plane = (peer->plane + n) % ep->cfg.ports;
        if (!(usable >> plane & 1u))
            continue;
        peer->plane = (uint8_t)((plane + 1) % ep->cfg.ports);
        return (int)plane;
    }
    return -1;
}

static uint64_t wait_ns(const struct mrc_ep *ep, uint8_t tries)
{
    return ep->cfg.node.update_ns << (tries - 1u);
}

static void sent(struct mrc_ep *ep, struct mrc_peer *peer, uint64_t now_ns)
{
    const uint8_t most = ep->cfg.node.q17_repeat == 'a' ? ep->cfg.node.update_tries : 1;
    due_remove(ep, peer);
    peer->tries++;
    if (peer->tries >= most) {
        peer->tries = 0;
        return;
    }
    peer->due_ns = now_ns + wait_ns(ep, peer->tries);
    due_push(ep, peer);
}

int mrc_port_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t free_ports, struct mrc_frame *out)
{
    for (unsigned n = 0; ep->update_count > 0 && n < MRC_UPDATE_TRIES_MAX; n++) {
        struct mrc_peer *p = ep->updates[n].head;
        for (unsigned k = 0; p && p->due_ns <= now_ns && k < LOOK_AHEAD; k++, p = p->due_next) {
            const int plane = pick_plane(ep, p, free_ports);
            if (plane < 0)
                continue;
            build(ep, p, (unsigned)plane, now_ns, out);
            sent(ep, p, now_ns);
            return plane;
        }
    }
    return -1;
}

/* What is due already waits for a port, not for the time. */
uint64_t mrc_port_deadline(const struct mrc_ep *ep)
{
    uint64_t at = MRC_TIME_NEVER;
    for (unsigned n = 0; ep->update_count > 0 && n < MRC_UPDATE_TRIES_MAX; n++) {
        const struct mrc_peer *p = ep->updates[n].head;
        if (p && p->due_ns > ep->now_ns && p->due_ns < at)
            at = p->due_ns;
    }
    return at;
}

static const uint8_t *source(const struct mrc_pkt *p)
{
    return p->is_v6 ? p->ip6.src : p->ip4.src;
}

void mrc_port_answered(struct mrc_ep *ep, unsigned plane, const struct mrc_pkt *p)
{
    struct mrc_peer *peer = mrc_peer_at(ep, plane, source(p), p->is_v6, NULL);
    for (; peer; peer = mrc_peer_at(ep, plane, source(p), p->is_v6, peer))
        if (peer->open && peer->update_id == (uint16_t)p->bth.psn)
            due_remove(ep, peer);
}

/* ---- the peer's ports ---- */

/* A copy of the update before the latest came late. */
static bool outdated(struct mrc_peer *peer, uint16_t id)
{
    if (peer->heard && id != peer->id) {
        if (id == peer->old_id)
            return true;
        peer->old_id = peer->id;
    } else if (!peer->heard) {
        peer->old_id = id;
    }
    peer->heard = true;
    peer->id = id;
    return false;
}

void mrc_port_status(struct mrc_ep *ep, uint64_t now_ns, unsigned plane, const struct mrc_pkt *p)
{
    const uint32_t down = ~(p->erth.port_status_mask >> bit_shift(ep)) & all_ports(ep);
    struct mrc_peer *peer = mrc_peer_at(ep, plane, source(p), p->is_v6, NULL);
    for (; peer; peer = mrc_peer_at(ep, plane, source(p), p->is_v6, peer)) {
        if (outdated(peer, (uint16_t)p->bth.psn))
            continue;
        const uint32_t back = peer->down & ~down;
        const bool same = peer->down == down;
        for (uint32_t changed = peer->down ^ down; changed; changed &= changed - 1) {
            const unsigned port = (unsigned)__builtin_ctz(changed);
            mrc_trace_emit_port(ep, peer->qps, port, MRC_CAUSE_PEER_PORT, (back >> port & 1u) != 0);
        }
        peer->down = down;
        if (!same)
            ports_changed(ep, peer, now_ns, back);
    }
}
