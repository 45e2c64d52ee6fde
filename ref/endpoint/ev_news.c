/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What answers and silence say of the EVs (section 9.3): marks in SACKs, NACKs, timeouts, losses,
 * and the answers to probes. Of the NACKs, TRIMMED alone speaks of the path.
 */
#include "ref/endpoint/ep_int.h"

/* A loss weighs as much as so many deliveries. */
#define LOSS_WEIGHT 8u

/* The answer to a probe of an EV in ASSUMED_BAD. */
static void probe_answered(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint16_t i,
                           uint8_t m)
{
    if (m == MRC_M_ALWAYS_SKIP)
        return;
    mrc_ev_restore(ep, qp, i, now_ns, MRC_EV_BY_PROBE);
    if (m == MRC_M_SKIP_ONCE && ep->cfg.ev.q11_probe_skip == 'a')
        mrc_ev_skip(ep, qp, i, now_ns, MRC_EV_BY_SKIP_ONCE);
}

static int probed_ev(const struct mrc_evs *evs, const struct mrc_pkt *sack)
{
    const uint32_t i = sack->seth.probe_id & ((UINT32_C(1) << evs->index_bits) - 1);
    return i < evs->count ? (int)i : -1;
}

void mrc_ev_marked(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int last,
                   const struct mrc_pkt *sack)
{
    const struct mrc_evs *evs = mrc_qp_evs(qp);
    const bool pr = sack->seth.pr;
    const int i = mrc_ev_of_wire(evs, pr ? probed_ev(evs, sack) : last, sack->seth.entropy);
    if (i < 0)
        return;
    if (pr && mrc_ev_state_of(evs, (uint16_t)i) == MRC_EV_ASSUMED_BAD)
        probe_answered(ep, qp, now_ns, (uint16_t)i, sack->seth.m);
    else if (sack->seth.m == MRC_M_SKIP_ONCE)
        mrc_ev_skip(ep, qp, (uint16_t)i, now_ns, MRC_EV_BY_SKIP_ONCE);
    else if (sack->seth.m == MRC_M_ALWAYS_SKIP)
        mrc_ev_assume_bad(ep, qp, (uint16_t)i, now_ns, MRC_EV_BY_ALWAYS_SKIP);
}

void mrc_ev_nacked(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int last,
                   const struct mrc_pkt *nack)
{
    if (nack->neth.nack_reason != MRC_NACK_TRIMMED)
        return;
    const int i = mrc_ev_of_wire(mrc_qp_evs(qp), last, nack->neth.entropy);
    if (i >= 0)
        mrc_ev_skip(ep, qp, (uint16_t)i, now_ns, MRC_EV_BY_TRIM);
}

static void count_drop(struct mrc_ev_rec *rec)
{
    if (rec->drops < UINT16_MAX)
        rec->drops++;
}

void mrc_ev_timed_out(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int i)
{
    if (i < 0)
        return;
    count_drop(&mrc_qp_evs(qp)->rec[i]);
    mrc_ev_assume_bad(ep, qp, (uint16_t)i, now_ns, MRC_EV_BY_TIMEOUT);
}

void mrc_ev_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int i)
{
    if (i < 0)
        return;
    struct mrc_ev_rec *rec = &mrc_qp_evs(qp)->rec[i];
    const unsigned limit = ep->cfg.ev.loss_limit * LOSS_WEIGHT;
    count_drop(rec);
    if (limit == 0)
        return;
    rec->score =
        (uint8_t)(rec->score + LOSS_WEIGHT < UINT8_MAX ? rec->score + LOSS_WEIGHT : UINT8_MAX);
    if (rec->score >= limit)
        mrc_ev_assume_bad(ep, qp, (uint16_t)i, now_ns, MRC_EV_BY_LOSS);
}

void mrc_ev_delivered(const struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i)
{
    if (ep->cfg.ev.loss_limit == 0)
        return; /* nobody counts: a look at each EV costs more than the rest */
    struct mrc_ev_rec *rec = &mrc_qp_evs(qp)->rec[i];
    if (rec->score > 0)
        rec->score--;
}

/* Which changes the controller hears of; SKIP is not visible to it. */
static bool wanted(const struct mrc_evs *evs, enum mrc_ev_state from, enum mrc_ev_state to)
{
    if (to == MRC_EV_ASSUMED_BAD)
        return (evs->events & MRC_EV_EVENT_ASSUMED_BAD) != 0;
    return to == MRC_EV_GOOD && from != MRC_EV_SKIP && (evs->events & MRC_EV_EVENT_GOOD) != 0;
}

static enum mrc_trace_cause trace_cause(enum mrc_ev_cause why)
{
    static const enum mrc_trace_cause causes[MRC_EV_CAUSES] = {
        [MRC_EV_BY_SKIP_ONCE] = MRC_CAUSE_MARK,
        [MRC_EV_BY_ALWAYS_SKIP] = MRC_CAUSE_BAD_PATH,
        [MRC_EV_BY_TRIM] = MRC_CAUSE_NACK,
        [MRC_EV_BY_TIMEOUT] = MRC_CAUSE_TIMEOUT,
        [MRC_EV_BY_LOSS] = MRC_CAUSE_HOLE,
        [MRC_EV_BY_ROTATION] = MRC_CAUSE_ROTATION,
        [MRC_EV_BY_SKIP_TIMEOUT] = MRC_CAUSE_TIMEOUT,
        [MRC_EV_BY_PROBE] = MRC_CAUSE_PROBE,
        [MRC_EV_BY_CONTROLLER] = MRC_CAUSE_CALL,
    };
    return causes[why];
}

void mrc_ev_changed(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, enum mrc_ev_state from,
                    uint64_t now_ns, enum mrc_ev_cause why)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const enum mrc_ev_state to = mrc_ev_state_of(evs, i);
    ep->count.ev_to[to]++;
    if (to == MRC_EV_ASSUMED_BAD || to == MRC_EV_DENIED)
        mrc_rev_avoid(ep, qp, i, trace_cause(why));
    mrc_trace_ev(ep, qp, i, trace_cause(why), from, to);
    if (evs->promoted != MRC_EV_NIL && mrc_traced(ep))
        mrc_trace_emit_ev(ep, qp, MRC_TRACE_EV_ACTIVE, evs->promoted, trace_cause(why), 0, 1);
    evs->promoted = MRC_EV_NIL;
    if (wanted(evs, from, to))
        mrc_event_ev(ep, qp, i, now_ns, why);
}
