/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reverse set: the EV that control packets take on each plane (section 6.3). It is kept fresh
 * by the EVs of own data that a SACK showed to work. A QP that only receives has no such data: it
 * may ask with an EV Probe now and then, on a random EV.
 */
#include "ref/endpoint/ep_int.h"

/* A plane's reverse EV is exchanged for one that just worked after this many packets. */
#define REVERSE_REFRESH 64u
/* EVs drawn until one is found that may be probed. */
#define DRAWS 4u

static void put(struct mrc_rev *rev, unsigned port, uint32_t ev)
{
    rev->ports |= UINT32_C(1) << port;
    rev->age[port] = 0;
    rev->ev[port] = ev;
}

static void exchange(struct mrc_ep *ep, struct mrc_qp *qp, unsigned port, uint32_t ev,
                     enum mrc_trace_cause cause)
{
    const uint32_t old = qp->rev.ev[port];
    put(&qp->rev, port, ev);
    if (old != ev)
        mrc_trace_emit_reverse(ep, qp, port, cause, old, ev);
}

void mrc_rev_init(struct mrc_qp *qp)
{
    for (uint16_t i = 0; i < qp->evs.count; i++) {
        const uint8_t port = qp->evs.list[i].port;
        if (!(qp->rev.ports >> port & 1u))
            put(&qp->rev, port, qp->evs.list[i].value);
    }
}

void mrc_rev_learn(struct mrc_ep *ep, struct mrc_qp *qp, unsigned port, uint32_t ev)
{
    struct mrc_rev *rev = &qp->rev;
    if (port >= MRC_EP_PORTS_MAX)
        return;
    rev->due_ns = ep->now_ns + ep->cfg.ev.reverse_probe_ns;
    const bool known = (rev->ports >> port & 1u) != 0;
    if (!known || ++rev->age[port] >= REVERSE_REFRESH)
        exchange(ep, qp, port, ev, MRC_CAUSE_SACK);
}

/* The EV does not work: another GOOD one of its plane, if there is one, carries the answers. */
void mrc_rev_avoid(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, enum mrc_trace_cause cause)
{
    const struct mrc_evs *evs = mrc_qp_evs(qp);
    const struct mrc_ev_entry *bad = &evs->list[i];
    if (!(qp->rev.ports >> bad->port & 1u) || qp->rev.ev[bad->port] != bad->value)
        return;
    const uint32_t port = UINT32_C(1) << bad->port;
    uint16_t at = mrc_places_next(evs, port, 0);
    if (at != MRC_EV_NIL && evs->order[at] == i)
        at = mrc_places_next(evs, port, (uint16_t)(at + 1));
    if (at != MRC_EV_NIL)
        exchange(ep, qp, bad->port, evs->list[evs->order[at]].value, cause);
}

/* The next time is set even if none could be sent: the next packet is soon enough for that. */
void mrc_rev_heard(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    const struct mrc_evs *evs = mrc_qp_evs(qp);
    if (ep->cfg.ev.reverse_probe_ns == 0 || now_ns < qp->rev.due_ns)
        return;
    qp->rev.due_ns = now_ns + ep->cfg.ev.reverse_probe_ns;
    for (unsigned n = 0; n < DRAWS; n++) {
        const uint16_t i = (uint16_t)mrc_rng_below(&ep->rng, evs->count);
        if (mrc_ev_state_of(evs, i) != MRC_EV_GOOD ||
            !(mrc_ports_up(ep, qp) >> evs->list[i].port & 1u))
            continue;
        mrc_ev_probe_reverse(ep, qp, i, now_ns);
        return;
    }
}

void mrc_rev_replaced(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint32_t old)
{
    const struct mrc_ev_entry *e = &mrc_qp_evs(qp)->list[i];
    if ((qp->rev.ports >> e->port & 1u) && qp->rev.ev[e->port] == old)
        exchange(ep, qp, e->port, e->value, MRC_CAUSE_CALL);
}

/* Another EV may have taken its place while the probe was under way. */
void mrc_rev_probed(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint32_t value, bool answered)
{
    const struct mrc_ev_entry *e = &mrc_qp_evs(qp)->list[i];
    if (e->value != value)
        return;
    if (answered)
        exchange(ep, qp, e->port, e->value, MRC_CAUSE_PROBE);
    else
        mrc_rev_avoid(ep, qp, i, MRC_CAUSE_TIMEOUT);
}
