/* SPDX-License-Identifier: BSD-2-Clause */
/* What a controller asks of a QP's EVs: their states, one by one or all, and to change them. */
#include "ref/endpoint/ep_int.h"

static int find_ev(const struct mrc_evs *evs, struct mrc_ev ev)
{
    for (uint16_t i = 0; i < evs->count; i++)
        if (evs->list[i].value == ev.value && evs->list[i].port == ev.port)
            return i;
    return -1;
}

int mrc_ev_set_state(struct mrc_ep *ep, uint32_t qpn, uint64_t now_ns, struct mrc_ev ev,
                     enum mrc_ev_state state)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    const int i = qp ? find_ev(mrc_qp_evs(qp), ev) : -1;
    if (i < 0)
        return MRC_EP_ENOENT;
    if (state != MRC_EV_GOOD && state != MRC_EV_DENIED)
        return MRC_EP_EINVAL;
    ep->now_ns = now_ns;
    if (state == MRC_EV_DENIED)
        mrc_ev_deny(ep, qp, (uint16_t)i, now_ns);
    else
        mrc_ev_restore(ep, qp, (uint16_t)i, now_ns, MRC_EV_BY_CONTROLLER);
    mrc_qp_settle(ep, qp);
    return MRC_EP_OK;
}

int mrc_ev_query_state(const struct mrc_ep *ep, uint32_t qpn, struct mrc_ev ev,
                       enum mrc_ev_state *state)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    const int i = qp ? find_ev(mrc_qp_evs(qp), ev) : -1;
    if (i < 0)
        return MRC_EP_ENOENT;
    *state = mrc_ev_state_of(mrc_qp_evs(qp), (uint16_t)i);
    return MRC_EP_OK;
}

int mrc_ev_query_array(const struct mrc_ep *ep, uint32_t qpn, unsigned first,
                       struct mrc_ev_info *out, unsigned room)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    const struct mrc_evs *evs = mrc_qp_evs(qp);
    unsigned n = 0;
    for (; n < room && first + n < evs->count; n++) {
        const struct mrc_ev_rec *rec = &evs->rec[first + n];
        const struct mrc_ev_entry *e = &evs->list[first + n];
        out[n] = (struct mrc_ev_info){.ev = {.value = e->value, .port = e->port},
                                      .state = (enum mrc_ev_state)rec->state,
                                      .active = rec->pos < evs->active,
                                      .drop_count = rec->drops};
    }
    return (int)n;
}
