/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EV profiles and their life. A profile holds the EVs, and the table by which a reflected value is
 * found again; its QPs share both, and under Q25 b the states and the rotation, too.
 */
#include "ref/endpoint/ev_set.h"
#include <string.h>

struct mrc_ev_set *mrc_ev_set_find(const struct mrc_ep *ep, uint64_t id)
{
    struct mrc_ev_set *s = ep->ev_sets;
    while (s && s->id != id)
        s = s->next;
    return s;
}

const char *mrc_profile_state_str(enum mrc_profile_state s)
{
    static const char *const words[] = {
        [MRC_PROFILE_INIT] = "INIT",
        [MRC_PROFILE_OFFLINE] = "OFFLINE",
        [MRC_PROFILE_ONLINE] = "ONLINE",
    };
    return (unsigned)s < sizeof words / sizeof words[0] ? words[s] : "?";
}

/* ---- what it holds ---- */

static int check(const struct mrc_ep *ep, const struct mrc_ev_profile *a)
{
    const enum mrc_ev_mode mode = a->format.mode;
    const unsigned ports = ep->cfg.ports; /* >= 1, as mrc_ep_new() saw to */
    if (ports == 0 || a->ev_count < 1 || a->ev_count > MRC_EV_COUNT_MAX ||
        (mode != MRC_EV_MODE_STEV && mode != MRC_EV_MODE_SRV6 && mode != MRC_EV_MODE_UDP))
        return MRC_EP_EINVAL;
    for (unsigned i = 0; mode == MRC_EV_MODE_SRV6 && i < ep->cfg.ports; i++)
        if (!ep->cfg.port_addr[i].is_v6)
            return MRC_EP_EINVAL;
    if (a->source == MRC_EV_EXPLICIT)
        return a->list ? MRC_EP_OK : MRC_EP_EINVAL;
    if ((a->source != MRC_EV_AUTO && a->source != MRC_EV_GENERATED) || a->ev_count % ports != 0)
        return MRC_EP_EINVAL;
    if (a->source == MRC_EV_GENERATED) {
        const int err =
            a->fields ? mrc_ev_fields_check(&a->format, a->fields, a->field_count) : MRC_EP_EINVAL;
        if (err != MRC_EP_OK)
            return err;
    }
    return mrc_ev_choices(a) < a->ev_count / ports ? MRC_EP_EINVAL : MRC_EP_OK;
}

static void empty(struct mrc_ep *ep, struct mrc_ev_set *s)
{
    mrc_evs_fini(ep, &s->table);
    mrc_ep_dealloc(ep, s->outer);
    s->outer = NULL;
}

static int take_specs(struct mrc_ep *ep, struct mrc_ev_set *s, const struct mrc_ev_profile *a,
                      const struct mrc_ev_spec *specs, struct mrc_ev *evs)
{
    const bool bytes = a->format.mode == MRC_EV_MODE_SRV6 && a->source != MRC_EV_AUTO;
    for (unsigned i = 0; i < a->ev_count; i++)
        evs[i] = (struct mrc_ev){.value = mrc_ev_spec_value(ep, &a->format, &specs[i]),
                                 .port = specs[i].port};
    const int err = mrc_evs_init(ep, &s->table, evs, a->ev_count, a->ev_active, a->ev_min_active);
    if (err != MRC_EP_OK || !bytes)
        return err;
    s->outer = mrc_ep_alloc(ep, a->ev_count, sizeof *s->outer);
    if (!s->outer)
        return MRC_EP_ENOMEM;
    for (unsigned i = 0; i < a->ev_count; i++)
        memcpy(s->outer[i], specs[i].value, MRC_EV_BYTES);
    s->table.outer = (const uint8_t(*)[MRC_EV_BYTES])s->outer;
    s->table.srh = a->format.srh;
    return MRC_EP_OK;
}

static int build(struct mrc_ep *ep, struct mrc_ev_set *s, const struct mrc_ev_profile *a)
{
    struct mrc_ev *evs = mrc_ep_alloc(ep, a->ev_count, sizeof *evs);
    struct mrc_ev_spec *made = mrc_ep_alloc(ep, a->ev_count, sizeof *made);
    int err = evs && made ? MRC_EP_OK : MRC_EP_ENOMEM;
    if (err == MRC_EP_OK && a->source != MRC_EV_EXPLICIT)
        mrc_ev_make_specs(ep, a, made);
    if (err == MRC_EP_OK)
        err = take_specs(ep, s, a, a->source == MRC_EV_EXPLICIT ? a->list : made, evs);
    mrc_ep_dealloc(ep, evs);
    mrc_ep_dealloc(ep, made);
    return err;
}

/* ---- its states ---- */

int mrc_ev_profile_open(struct mrc_ep *ep, uint64_t id)
{
    if (id == 0 || mrc_ev_set_find(ep, id))
        return MRC_EP_EINVAL;
    struct mrc_ev_set *s = mrc_ep_alloc(ep, 1, sizeof *s);
    if (!s)
        return MRC_EP_ENOMEM;
    s->id = id;
    s->state = MRC_PROFILE_INIT;
    s->next = ep->ev_sets;
    ep->ev_sets = s;
    return MRC_EP_OK;
}

int mrc_ev_profile_fill(struct mrc_ep *ep, const struct mrc_ev_profile *a)
{
    struct mrc_ev_set *s = mrc_ev_set_find(ep, a->id);
    if (!s)
        return MRC_EP_ENOENT;
    if (s->state == MRC_PROFILE_ONLINE)
        return MRC_EP_ESTATE;
    struct mrc_ev_set made = *s;
    made.table = (struct mrc_evs){0};
    made.outer = NULL;
    int err = check(ep, a);
    if (err == MRC_EP_OK)
        err = build(ep, &made, a);
    if (err != MRC_EP_OK) {
        empty(ep, &made);
        return err;
    }
    empty(ep, s);
    *s = made;
    s->state = MRC_PROFILE_OFFLINE;
    s->source = a->source;
    s->format = a->format;
    s->active = a->ev_active;
    s->min_active = a->ev_min_active;
    s->events = s->table.events = a->ev_events;
    s->table.profile = s->id;
    return MRC_EP_OK;
}

/* INIT to OFFLINE is what filling does. */
int mrc_ev_profile_set_state(struct mrc_ep *ep, uint64_t id, enum mrc_profile_state state)
{
    struct mrc_ev_set *s = mrc_ev_set_find(ep, id);
    if (!s)
        return MRC_EP_ENOENT;
    if (s->state == state)
        return MRC_EP_OK;
    const bool to_online = s->state == MRC_PROFILE_OFFLINE && state == MRC_PROFILE_ONLINE;
    const bool to_offline = s->state == MRC_PROFILE_ONLINE && state == MRC_PROFILE_OFFLINE;
    const bool to_init = s->state == MRC_PROFILE_OFFLINE && state == MRC_PROFILE_INIT;
    if (!to_online && !to_offline && !to_init)
        return MRC_EP_ESTATE;
    if (to_offline && s->qps)
        return MRC_EP_EBUSY;
    if (to_init)
        empty(ep, s);
    s->state = state;
    return MRC_EP_OK;
}

int mrc_ev_profile_create(struct mrc_ep *ep, const struct mrc_ev_profile *a)
{
    int err = mrc_ev_profile_open(ep, a->id);
    if (err != MRC_EP_OK)
        return err;
    err = mrc_ev_profile_fill(ep, a);
    if (err == MRC_EP_OK)
        err = mrc_ev_profile_set_state(ep, a->id, MRC_PROFILE_ONLINE);
    if (err != MRC_EP_OK)
        mrc_ev_profile_destroy(ep, a->id);
    return err;
}

int mrc_ev_profile_destroy(struct mrc_ep *ep, uint64_t id)
{
    struct mrc_ev_set **at = &ep->ev_sets;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    struct mrc_ev_set *s = *at;
    if (!s)
        return MRC_EP_ENOENT;
    if (s->qps)
        return MRC_EP_EBUSY;
    *at = s->next;
    empty(ep, s);
    mrc_ep_dealloc(ep, s);
    return MRC_EP_OK;
}

void mrc_ev_profile_destroy_all(struct mrc_ep *ep)
{
    while (ep->ev_sets)
        mrc_ev_profile_destroy(ep, ep->ev_sets->id);
}

/* ---- its QPs ---- */

int mrc_ev_profile_use(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t id)
{
    struct mrc_ev_set *s = mrc_ev_set_find(ep, id);
    if (!s)
        return MRC_EP_ENOENT;
    if (s->state != MRC_PROFILE_ONLINE)
        return MRC_EP_ESTATE;
    if (ep->cfg.ev.q25_scope == 'b')
        qp->shared_evs = &s->table;
    const int err = mrc_evs_share(ep, &qp->evs, &s->table, s->active, s->min_active,
                                  ep->cfg.ev.q25_scope == 'b');
    if (err != MRC_EP_OK)
        return err;
    qp->ev_set = s;
    qp->set_next = s->qps;
    if (s->qps)
        s->qps->set_prev = qp;
    s->qps = qp;
    s->qp_count++;
    return MRC_EP_OK;
}

void mrc_ev_profile_leave(struct mrc_qp *qp)
{
    struct mrc_ev_set *s = qp->ev_set;
    if (!s)
        return;
    if (qp->set_prev)
        qp->set_prev->set_next = qp->set_next;
    else
        s->qps = qp->set_next;
    if (qp->set_next)
        qp->set_next->set_prev = qp->set_prev;
    s->qp_count--;
    qp->ev_set = NULL;
}

void mrc_ev_profile_regroup(struct mrc_ep *ep, struct mrc_ev_set *set)
{
    for (struct mrc_qp *qp = set->qps; qp; qp = qp->set_next)
        mrc_sched_regroup(ep, qp);
}
