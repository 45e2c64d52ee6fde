/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EV Probes (sections 6.5 and 7.3): a node asks another one whether an EV reaches it, and how long
 * that takes. Few are under way at a time; they stand in a small table.
 */
#include "ref/endpoint/ep_int.h"
#include <string.h>

#define FTYPE_TIMESTAMP 1u
#define OWN_IDS         0x8000u /* ids of the endpoint's own probes: from here on */
#define PATIENCE        8u      /* intervals until one of them has failed */

static struct mrc_open_probe *find(struct mrc_ep *ep, enum mrc_probe_state state, uint16_t id)
{
    for (unsigned i = 0; i < ep->cfg.node.probes_max; i++)
        if (ep->probes[i].state == state && ep->probes[i].id == id)
            return &ep->probes[i];
    return NULL;
}

static struct mrc_open_probe *find_free(struct mrc_ep *ep)
{
    for (unsigned i = 0; i < ep->cfg.node.probes_max; i++)
        if (ep->probes[i].state == MRC_PROBE_FREE)
            return &ep->probes[i];
    return NULL;
}

static void count_open(struct mrc_ep *ep)
{
    ep->probes_open = 0;
    ep->probe_due_ns = MRC_TIME_NEVER;
    for (unsigned i = 0; i < ep->cfg.node.probes_max; i++) {
        const struct mrc_open_probe *p = &ep->probes[i];
        if (p->state != MRC_PROBE_WAITS && p->state != MRC_PROBE_SENT)
            continue;
        ep->probes_open++;
        if (p->until_ns < ep->probe_due_ns)
            ep->probe_due_ns = p->until_ns;
    }
}

int mrc_ep_probe(struct mrc_ep *ep, uint64_t now_ns, const struct mrc_ev_probe *q)
{
    if (q->ev.port >= ep->cfg.ports || q->timeout_ns == 0 ||
        q->to.is_v6 != ep->cfg.port_addr[q->ev.port].is_v6 || find(ep, MRC_PROBE_WAITS, q->id) ||
        find(ep, MRC_PROBE_SENT, q->id))
        return MRC_EP_EINVAL;
    struct mrc_open_probe *p = find_free(ep);
    if (!p)
        return MRC_EP_EFULL;
    ep->now_ns = now_ns;
    *p = (struct mrc_open_probe){.to = q->to,
                                 .ev = q->ev,
                                 .id = q->id,
                                 .state = MRC_PROBE_WAITS,
                                 .until_ns = now_ns + q->timeout_ns};
    p->node.owner = MRC_OWNER_PROBE;
    count_open(ep);
    return MRC_EP_OK;
}

void mrc_ev_probe_reverse(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns)
{
    const struct mrc_ev_entry *e = &mrc_qp_evs(qp)->list[i];
    struct mrc_open_probe *p = find_free(ep);
    const uint16_t id = (uint16_t)(OWN_IDS | ep->own_probe_id++);
    if (!p || find(ep, MRC_PROBE_WAITS, id) || find(ep, MRC_PROBE_SENT, id))
        return;
    *p = (struct mrc_open_probe){.to = qp->peer.addr[e->port],
                                 .ev = {.value = e->value, .port = e->port},
                                 .id = id,
                                 .state = MRC_PROBE_WAITS,
                                 .until_ns = now_ns + ep->cfg.ev.reverse_probe_ns * PATIENCE,
                                 .qpn = qp->qpn,
                                 .index = i};
    count_open(ep);
}

static void build(struct mrc_ep *ep, const struct mrc_open_probe *o, uint64_t now_ns,
                  struct mrc_frame *out)
{
    struct mrc_pkt p;
    mrc_pkt_begin(ep, &p, o->ev.port, &o->to, o->ev.value, mrc_req_class(ep, false));
    mrc_pkt_bth(ep, &p, MRC_OP_EP_REQUEST, MRC_NODE_QPN, o->id);
    p.present |= UINT32_C(1) << MRC_HDR_ERTH;
    p.erth.op = MRC_EP_OP_EV_PROBE;
    p.erth.tx_timestamp = mrc_timestamp(now_ns);
    p.erth.ftype = FTYPE_TIMESTAMP;
    const struct mrc_peer *peer = mrc_peer_at(ep, o->ev.port, o->to.ip, o->to.is_v6, NULL);
    if (peer && peer->qps)
        mrc_ev_encap(peer->qps, o->ev.port, o->ev.value, &p);
    mrc_pkt_encode(&ep->cfg.wire, &p, out);
    ep->count.tx_ev_probe++;
}

int mrc_ev_probe_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t free_ports,
                        struct mrc_frame *out)
{
    for (unsigned i = 0; ep->probes_open > 0 && i < ep->cfg.node.probes_max; i++) {
        struct mrc_open_probe *o = &ep->probes[i];
        if (o->state != MRC_PROBE_WAITS || !(free_ports >> o->ev.port & 1u))
            continue;
        o->state = MRC_PROBE_SENT;
        o->sent_ns = now_ns;
        build(ep, o, now_ns, out);
        return o->ev.port;
    }
    return -1;
}

static void finish(struct mrc_ep *ep, struct mrc_open_probe *o, uint64_t now_ns,
                   enum mrc_wc_status status)
{
    if (o->qpn != 0) {
        struct mrc_qp *qp = mrc_qp_find(ep, o->qpn);
        if (qp && o->index < mrc_qp_evs(qp)->count)
            mrc_rev_probed(ep, qp, o->index, o->ev.value, status == MRC_WC_SUCCESS);
        o->state = MRC_PROBE_FREE;
        count_open(ep);
        return;
    }
    o->state = MRC_PROBE_DONE;
    o->rtt_ns = status == MRC_WC_SUCCESS ? now_ns - o->sent_ns : 0;
    mrc_event_push(ep, &o->node, now_ns, status);
    count_open(ep);
}

static bool comes_from(const struct mrc_open_probe *o, const struct mrc_pkt *p)
{
    return o->to.is_v6 == p->is_v6 &&
           memcmp(p->is_v6 ? p->ip6.src : p->ip4.src, o->to.ip, p->is_v6 ? 16 : 4) == 0;
}

void mrc_ev_probe_answered(struct mrc_ep *ep, uint64_t now_ns, unsigned plane,
                           const struct mrc_pkt *p)
{
    struct mrc_open_probe *o = find(ep, MRC_PROBE_SENT, (uint16_t)p->bth.psn);
    if (o && o->ev.port == plane && comes_from(o, p))
        finish(ep, o, now_ns, MRC_WC_SUCCESS);
    else
        ep->count.drop[MRC_DROP_STALE]++;
}

void mrc_ev_probe_tick(struct mrc_ep *ep, uint64_t now_ns)
{
    for (unsigned i = 0; ep->probe_due_ns <= now_ns && i < ep->cfg.node.probes_max; i++) {
        struct mrc_open_probe *o = &ep->probes[i];
        if ((o->state == MRC_PROBE_WAITS || o->state == MRC_PROBE_SENT) && o->until_ns <= now_ns)
            finish(ep, o, now_ns, MRC_WC_RETRY_EXCEEDED);
    }
}
