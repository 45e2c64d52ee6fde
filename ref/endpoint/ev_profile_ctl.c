/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A controller's view of a profile: what it holds, the states of its EVs over all its QPs, to deny
 * an EV and to allow it, and to put another EV in the place of one while QPs use it. These calls
 * take time by the number of QPs; no packet does.
 */
#include "ref/endpoint/ev_set.h"
#include <string.h>

int mrc_ev_profile_query(const struct mrc_ep *ep, uint64_t id, struct mrc_ev_profile_info *out)
{
    const struct mrc_ev_set *s = mrc_ev_set_find(ep, id);
    if (!s)
        return MRC_EP_ENOENT;
    *out = (struct mrc_ev_profile_info){.state = s->state, .qps = s->qp_count};
    if (s->state == MRC_PROFILE_INIT)
        return MRC_EP_OK;
    out->source = s->source;
    out->format = s->format;
    out->ev_count = s->table.count;
    out->ev_active = s->active;
    out->ev_min_active = s->min_active;
    out->ev_events = s->events;
    return MRC_EP_OK;
}

/* ---- states ---- */

/* SKIP passes by itself; a controller does not see it. */
static void join_view(struct mrc_ev_info *out, const struct mrc_evs *evs, uint16_t i)
{
    const uint32_t drops = out->drop_count + evs->rec[i].drops;
    const enum mrc_ev_state state = mrc_ev_state_of(evs, i);
    if (state > out->state && state != MRC_EV_SKIP)
        out->state = state;
    out->active = out->active || evs->rec[i].pos < evs->active;
    out->drop_count = drops < UINT16_MAX ? drops : UINT16_MAX;
}

static struct mrc_ev_info view(const struct mrc_ep *ep, const struct mrc_ev_set *s, uint16_t i)
{
    const struct mrc_ev_entry *e = &s->table.list[i];
    struct mrc_ev_info out = {.ev = {.value = e->value, .port = e->port}, .state = MRC_EV_GOOD};
    if (ep->cfg.ev.q25_scope == 'b' || !s->qps) {
        join_view(&out, &s->table, i);
        return out;
    }
    for (const struct mrc_qp *qp = s->qps; qp; qp = qp->set_next)
        join_view(&out, &qp->evs, i);
    return out;
}

int mrc_ev_profile_query_array(const struct mrc_ep *ep, uint64_t id, unsigned first,
                               struct mrc_ev_info *out, unsigned room)
{
    const struct mrc_ev_set *s = mrc_ev_set_find(ep, id);
    if (!s)
        return MRC_EP_ENOENT;
    unsigned n = 0;
    for (; n < room && first + n < s->table.count; n++)
        out[n] = view(ep, s, (uint16_t)(first + n));
    return (int)n;
}

/* A change of EV i in all tables of states: the profile's, and those of its QPs. Each QP hears of
 * its own; under Q25 b one of them speaks for the profile. */
typedef bool change_fn(struct mrc_evs *evs, uint16_t i);

static void change_all(struct mrc_ep *ep, struct mrc_ev_set *s, uint16_t i, uint64_t now_ns,
                       change_fn *change)
{
    const bool shared = ep->cfg.ev.q25_scope == 'b';
    const enum mrc_ev_state was = mrc_ev_state_of(&s->table, i);
    const bool changed = change(&s->table, i);
    if (shared && changed && s->qps)
        mrc_ev_changed(ep, s->qps, i, was, now_ns, MRC_EV_BY_CONTROLLER);
    for (struct mrc_qp *qp = s->qps; qp; qp = qp->set_next) {
        if (!shared) {
            const enum mrc_ev_state from = mrc_ev_state_of(&qp->evs, i);
            if (change(&qp->evs, i))
                mrc_ev_changed(ep, qp, i, from, now_ns, MRC_EV_BY_CONTROLLER);
        }
        mrc_qp_settle(ep, qp);
    }
}

int mrc_ev_profile_set_ev(struct mrc_ep *ep, uint64_t id, uint64_t now_ns, unsigned index,
                          enum mrc_ev_state state)
{
    struct mrc_ev_set *s = mrc_ev_set_find(ep, id);
    if (!s)
        return MRC_EP_ENOENT;
    if (index >= s->table.count || (state != MRC_EV_GOOD && state != MRC_EV_DENIED))
        return MRC_EP_EINVAL;
    ep->now_ns = now_ns;
    ep->cause = MRC_CAUSE_CALL;
    change_all(ep, s, (uint16_t)index, now_ns,
               state == MRC_EV_DENIED ? mrc_evs_deny : mrc_evs_allow);
    return MRC_EP_OK;
}

/* ---- replacement ---- */

static bool taken(const struct mrc_evs *evs, uint16_t except, uint32_t value, unsigned port)
{
    for (uint16_t i = 0; i < evs->count; i++)
        if (i != except && evs->list[i].value == value && evs->list[i].port == port)
            return true;
    return false;
}

static void tell(struct mrc_ep *ep, struct mrc_ev_set *s, uint16_t i, uint32_t old)
{
    for (struct mrc_qp *qp = s->qps; qp; qp = qp->set_next) {
        qp->evs.distinct = s->table.distinct;
        mrc_rev_replaced(ep, qp, i, old);
        if (mrc_traced(ep))
            mrc_trace_emit_ev(ep, qp, MRC_TRACE_EV_VALUE, i, MRC_CAUSE_CALL, old,
                              s->table.list[i].value);
    }
}

int mrc_ev_profile_replace(struct mrc_ep *ep, uint64_t id, uint64_t now_ns, unsigned index,
                           const struct mrc_ev_spec *spec)
{
    struct mrc_ev_set *s = mrc_ev_set_find(ep, id);
    if (!s)
        return MRC_EP_ENOENT;
    if (index >= s->table.count || spec->port != s->table.list[index].port)
        return MRC_EP_EINVAL;
    const uint16_t i = (uint16_t)index;
    const uint32_t old = s->table.list[i].value;
    const uint32_t value = mrc_ev_spec_value(ep, &s->format, spec);
    if (taken(&s->table, i, value, spec->port))
        return MRC_EP_EINVAL;
    ep->now_ns = now_ns;
    ep->cause = MRC_CAUSE_CALL;
    mrc_evs_rename(ep, &s->table, i, value);
    if (s->outer)
        memcpy(s->outer[i], spec->value, MRC_EV_BYTES);
    tell(ep, s, i, old);
    change_all(ep, s, i, now_ns, mrc_evs_renew);
    return MRC_EP_OK;
}
