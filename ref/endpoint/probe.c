/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reliability Probes (section 7.4): the requestor asks for a SACK on an EV of its choice. The low
 * bits of a probe_id are the EV's index, the others count, so that no table of probes is needed.
 */
#include "ref/endpoint/ep_int.h"

#define FTYPE_PROBE 1u

static void probe(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const struct mrc_ctrl c = {
        .kind = MRC_CTRL_PROBE,
        .ev = i,
        .probe_id = (uint16_t)((uint32_t)evs->probe_no++ << evs->index_bits | i),
    };
    mrc_ctrl_push(ep, qp, &c);
}

void mrc_probe_ask(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    const int i = mrc_ev_next(ep, qp, now_ns, UINT64_MAX);
    if (i >= 0)
        probe(ep, qp, (uint16_t)i);
}

void mrc_probe_tick(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    for (int i = mrc_ev_probe_due(ep, qp, now_ns); i >= 0; i = mrc_ev_probe_due(ep, qp, now_ns))
        probe(ep, qp, (uint16_t)i);
}

/* Its port is down: the schedule brings another one. */
bool mrc_probe_is_moot(const struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c)
{
    return c->kind == MRC_CTRL_PROBE &&
           !(mrc_ports_up(ep, qp) >> mrc_qp_evs(qp)->list[c->ev].port & 1u);
}

int mrc_probe_output(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c,
                     uint64_t now_ns, uint64_t free_ports, struct mrc_frame *out)
{
    const struct mrc_ev_entry *e = &mrc_qp_evs(qp)->list[c->ev];
    struct mrc_pkt p;
    if (!((free_ports & mrc_ports_up(ep, qp)) >> e->port & 1u))
        return -1;
    mrc_pkt_begin(ep, &p, e->port, &qp->peer.addr[e->port], e->value, mrc_req_class(ep, false));
    mrc_pkt_bth(ep, &p, MRC_OP_PROBE, qp->peer.qpn, 0);
    p.present |= UINT32_C(1) << MRC_HDR_PETH;
    p.peth.probe_id = c->probe_id;
    p.peth.spdcid = (uint16_t)qp->qpn;
    p.peth.dpdcid = (uint16_t)qp->peer.qpn;
    p.peth.tx_timestamp = mrc_timestamp(now_ns);
    p.peth.ftype = FTYPE_PROBE;
    mrc_ev_encap(qp, e->port, e->value, &p);
    mrc_pkt_encode(&ep->cfg.wire, &p, out);
    ep->count.tx_probe++;
    return e->port;
}
