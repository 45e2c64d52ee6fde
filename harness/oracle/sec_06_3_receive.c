/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 6.3, receives: which one an immediate takes, what its completion tells, and what follows
 * when there is none left or more come than are tracked. */
#include "harness/oracle/app.h"
#include "ref/endpoint/mrc_ep.h"

/* ---- REQ-6.3-10: no receive posted, so ERROR ---- */

static void rq_frame(struct look *l)
{
    const struct app_model *const m = l->flow->app;
    const struct resp_model *const r = l->flow->resp;
    if (!l->cfg->have_events || !r->synced || m->rq_due || m->recvs_posted == 0 ||
        r->wimms <= m->recvs_posted || !mrct_look_can_decide(l))
        return;
    l->flow->app->rq_due = true;
    mrct_look_due(l, mrct_look_reaction(l), r->wimms, 0);
}

/* A receive that was posted meanwhile may have come in time. */
static void rq_due(struct look *l, const struct due *d)
{
    const struct app_model *const m = l->flow->app;
    if (m->responder_error || m->recvs_posted >= d->a)
        mrct_look_pass(l);
    else
        mrct_look_fail(l,
                       "%llu messages with immediate data came, %llu receives were posted, and "
                       "the QP did not go to ERROR",
                       (unsigned long long)d->a, (unsigned long long)m->recvs_posted);
}

/* ---- REQ-6.3-11, 12: more immediates in flight than are tracked ---- */

static bool excess_is_due(const struct look *l)
{
    const struct app_model *const m = l->flow->app;
    const struct resp_model *const r = l->flow->resp;
    return m->excess && !m->imm_unsure && r->synced && r->now.cack >= m->excess_psn &&
           mrct_look_can_decide(l);
}

static void excess_frame(struct look *l)
{
    struct app_model *const m = l->flow->app;
    if (m->excess_due || !excess_is_due(l))
        return;
    m->excess_due = true;
    mrct_look_due(l, mrct_look_reaction(l), 0, 0);
}

static void excess_due(struct look *l, const struct due *d)
{
    const struct app_model *const m = l->flow->app;
    (void)d;
    if (m->nak)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, &m->excess_frame, 1,
                          "more messages with immediate data are in flight than the %d that the "
                          "responder tracks, and it sends no NAK",
                          l->flow->fact.max_wimm);
}

static void excess_error_frame(struct look *l)
{
    struct app_model *const m = l->flow->app;
    if (!l->cfg->have_events || m->excess_error_due || !excess_is_due(l))
        return;
    m->excess_error_due = true;
    mrct_look_due(l, mrct_look_reaction(l), 0, 0);
}

static void excess_error_due(struct look *l, const struct due *d)
{
    const struct app_model *const m = l->flow->app;
    (void)d;
    if (m->responder_error)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, &m->excess_frame, 1,
                          "more messages with immediate data are in flight than the %d that the "
                          "responder tracks, and its QP does not go to ERROR",
                          l->flow->fact.max_wimm);
}

/* ---- REQ-6.3-13, 14: which receive, and how long ---- */

static bool is_delivery(const struct look *l)
{
    return l->ev->kind == MRCT_EVENT_RECV_IMM && !l->ev_at_requestor && mrct_look_can_decide(l);
}

static void receives_in_order(struct look *l)
{
    const struct app_model *const m = l->flow->app;
    if (!is_delivery(l))
        return;
    if (m->came == APP_REPORT_NEXT)
        mrct_look_pass(l);
    else if (m->came != APP_REPORT_NONE)
        mrct_look_fail_at(l, NULL, 0,
                          "an immediate takes receive %llu, which is not the oldest posted one",
                          (unsigned long long)l->ev->wr_id);
}

static void receive_length(struct look *l)
{
    const struct app_model *const m = l->flow->app;
    bool any = false;
    if (!is_delivery(l) || l->ev->len_bytes == 0 || m->imms == NULL || m->imm_count > APP_IMMS)
        return;
    for (unsigned i = 0; i < APP_IMMS; i++) {
        const struct app_imm *const e = &m->imms[i];
        if (!e->used || e->imm != l->ev->imm)
            continue;
        if (e->any_len || e->len_bytes == l->ev->len_bytes) {
            mrct_look_pass(l);
            return;
        }
        any = true;
    }
    if (any)
        mrct_look_fail_at(l, NULL, 0,
                          "the receive of immediate data 0x%08x tells of %u bytes, which is not "
                          "the length of its message",
                          l->ev->imm, l->ev->len_bytes);
}

static const struct check rows[] = {
    CHECK_ROW("empty-rq-ends-qp", "REQ-6.3-10", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = rq_frame, .on_due = rq_due),
    CHECK_ROW("wimm-excess-naked", "REQ-6.3-11", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = excess_frame, .on_due = excess_due),
    CHECK_ROW("wimm-excess-ends-qp", "REQ-6.3-12", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = excess_error_frame, .on_due = excess_error_due),
    CHECK_ROW("receives-in-order", "REQ-6.3-13", SCOPE_FLOW, 0, 0, .on_event = receives_in_order),
    CHECK_ROW("receive-length", "REQ-6.3-14", SCOPE_FLOW, 0, CHECK_NEEDS_COMPLETE,
              .on_event = receive_length),
};
const struct check_table mrct_checks_sec_06_3_receive = CHECK_TABLE(rows);
