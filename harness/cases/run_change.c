/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps that change what a device has: its window, its resources, its ports, its EVs. */
#include "harness/cases/run_priv.h"

static int change_mpr(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    struct mrct_dut *const d = r->node[s->host].dut;
    return d->ops->set_mpr == NULL
               ? MRC_EP_ESTATE
               : d->ops->set_mpr(d, r->node[s->host].qp[s->qp - 1].qpn, now_ns, s->mpr);
}

/* A count is of one QP; a rate, or its end, of all. */
static int change_resources(struct mrct_run *r, const struct mrct_step *s)
{
    struct mrct_dut *const d = r->node[s->host].dut;
    const enum mrc_nack_reason reason = (enum mrc_nack_reason)s->reason;
    if (s->rate_ppm > 0 || s->count == 0) {
        return d->ops->shortage == NULL ? MRC_EP_ESTATE : d->ops->shortage(d, reason, s->rate_ppm);
    }
    return d->ops->force_nack == NULL
               ? MRC_EP_ESTATE
               : d->ops->force_nack(d, r->node[s->host].qp[s->qp - 1].qpn, reason, s->count);
}

static int change_port(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    struct mrct_run_node *const n = &r->node[s->host];
    const uint32_t bit = UINT32_C(1) << s->plane;
    if (n->dut->ops->port_set == NULL) {
        return MRC_EP_ESTATE;
    }
    n->ports_down = s->up ? n->ports_down & ~bit : n->ports_down | bit;
    return n->dut->ops->port_set(n->dut, now_ns, s->plane, s->up);
}

static int change_ev(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    const struct mrct_run_node *const n = &r->node[s->host];
    const struct mrc_ev ev = n->evs[s->plane * r->c->host[s->host].evs + s->ev];
    return n->dut->ops->ev_set_state == NULL
               ? MRC_EP_ESTATE
               : n->dut->ops->ev_set_state(n->dut, n->qp[s->qp - 1].qpn, now_ns, ev,
                                           (enum mrc_ev_state)s->state);
}

static int replace_ev(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    struct mrct_run_node *const n = &r->node[s->host];
    const unsigned at = s->plane * r->c->host[s->host].evs + s->ev;
    struct mrc_ev_spec spec;
    if (n->dut->ops->ev_replace == NULL) {
        return MRC_EP_ESTATE;
    }
    mrct_run_evs_other(r, s->host, at, &spec);
    const int rc =
        n->dut->ops->ev_replace(n->dut, now_ns, MRCT_RUN_PROFILE, n->ev_index[at], &spec);
    n->evs[at].value = rc == 0 ? spec.wire : n->evs[at].value;
    return rc;
}

static void tell(struct mrct_run *r, const struct mrct_step *s, unsigned qp, uint64_t now_ns,
                 bool ok)
{
    const struct mrct_run_node *const n = &r->node[s->host];
    const bool port = s->kind == MRCT_STEP_PORT;
    const struct mrct_event ev = {
        .kind = port ? MRCT_EVENT_PORT : MRCT_EVENT_EV_STATE,
        .time_ns = now_ns,
        .host = mrct_run_host_names[s->host],
        .qpn = n->qp[qp].qpn,
        .psn = UINT32_MAX,
        .ev = port ? 0 : n->evs[s->plane * r->c->host[s->host].evs + s->ev].value,
        .plane = (int)s->plane,
        .ok = ok,
    };
    mrct_run_tell(r, &ev);
}

static void tell_all(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns, bool ok)
{
    for (unsigned q = 0; q < r->c->qps; q++) {
        tell(r, s, q, now_ns, ok);
    }
}

/* What an oracle has to know of it: an EV that is replaced is denied to all. */
static void tell_change(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    if (s->kind == MRCT_STEP_EV_STATE) {
        tell(r, s, s->qp - 1, now_ns, s->state == MRC_EV_GOOD);
    } else if (s->kind == MRCT_STEP_PORT) {
        tell_all(r, s, now_ns, s->up);
    } else if (s->kind == MRCT_STEP_EV_REPLACE) {
        tell_all(r, s, now_ns, false);
    }
}

/* A device that cannot be asked for it is the harness's fault. */
void mrct_run_change(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    int rc = MRC_EP_ESTATE;
    tell_change(r, s, now_ns);
    if (s->kind == MRCT_STEP_SET_MPR) {
        rc = change_mpr(r, s, now_ns);
    } else if (s->kind == MRCT_STEP_SHORTAGE) {
        rc = change_resources(r, s);
    } else if (s->kind == MRCT_STEP_PORT) {
        rc = change_port(r, s, now_ns);
    } else if (s->kind == MRCT_STEP_EV_STATE) {
        rc = change_ev(r, s, now_ns);
    } else if (s->kind == MRCT_STEP_EV_REPLACE) {
        rc = replace_ev(r, s, now_ns);
        if (rc == 0) {
            tell_all(r, s, now_ns, true); /* the new one, whatever was said of its value before */
        }
    }
    if (rc == MRC_EP_ESTATE && r->tally.qp_error[s->host] >= 0) {
        return; /* a QP in ERROR has no window any more */
    }
    if (rc != 0) {
        (void)mrct_run_fault(r, "host%u cannot do what line %d asks for: %s", s->host + 1, s->line,
                             mrc_ep_strerror(rc));
    }
}
