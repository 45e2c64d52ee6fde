/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 6.2, completions: in the order of posting, once, and when the transport ACK has come; all
 * as application events tell it. */
#include "harness/oracle/app.h"
#include "ref/endpoint/mrc_ep.h"

static bool is_send_done(const struct look *l)
{
    return l->ev_at_requestor && l->ev->kind == MRCT_EVENT_SEND_DONE && mrct_look_can_decide(l);
}

/* REQ-6.2-16. What is flushed may overtake the one that failed. */
static void in_order(struct look *l)
{
    const struct app_model *const m = l->flow->app;
    if (!is_send_done(l) || l->ev->status != MRC_WC_SUCCESS)
        return;
    if (m->came == APP_REPORT_NEXT)
        mrct_look_pass(l);
    else if (m->came == APP_REPORT_LATER)
        mrct_look_fail_at(l, NULL, 0,
                          "write %llu is reported as done before write %llu, which was posted "
                          "earlier",
                          (unsigned long long)l->ev->wr_id, (unsigned long long)m->came_before);
}

/* REQ-6.2-17 */
static void once(struct look *l)
{
    const struct app_model *const m = l->flow->app;
    if (!is_send_done(l))
        return;
    if (m->came == APP_REPORT_NEXT || m->came == APP_REPORT_LATER)
        mrct_look_pass(l);
    else if (m->came == APP_REPORT_TWICE)
        mrct_look_fail_at(l, NULL, 0, "write %llu is reported as done a second time",
                          (unsigned long long)l->ev->wr_id);
}

/* ---- REQ-6.2-18: one obligation at a time, for the newest ACK; a later one takes its place ----
 */

static bool any_due(const struct due *d, const void *arg)
{
    (void)d;
    (void)arg;
    return true;
}

static const struct reqr_post *oldest_open(const struct reqr_model *m)
{
    for (unsigned i = 0; i < m->post_count; i++) {
        const struct reqr_post *const p = &m->posts[(m->post_head + i) % REQR_POSTS_MAX];
        if (!p->done)
            return p;
    }
    return NULL;
}

static bool is_covered(const struct reqr_post *p, uint32_t psn)
{
    return p != NULL && p->sent && mrc_psn_diff(psn, p->last_psn) >= 0;
}

static void ack_came(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!l->cfg->have_events || l->obs->pkt.aeth.syndrome != MRC_SYN_ACK || m->posts_lost ||
        m->missing != 0 || !mrct_look_can_decide(l) ||
        mrc_psn_diff(l->obs->pkt.bth.psn, m->next) >= 0)
        return;
    const struct reqr_post *const p = oldest_open(m);
    if (!is_covered(p, l->obs->pkt.bth.psn))
        return;
    /* The write that is oldest now must be reported in time; once it is, the next ACK asks again.
     */
    if (l->flow->app->completion_due)
        return;
    l->flow->app->completion_due = true;
    mrct_look_due(l, mrct_look_reaction(l), p->wr_id, l->obs->pkt.bth.psn);
}

static void ack_event(struct look *l)
{
    struct app_model *const m = l->flow->app;
    if (!is_send_done(l) || l->ev->status != MRC_WC_SUCCESS)
        return;
    if (mrct_look_due_drop(l, any_due, NULL) != 0) {
        m->completion_due = false;
        mrct_look_pass(l);
    }
}

static void ack_due(struct look *l, const struct due *d)
{
    const struct reqr_model *const m = l->flow->reqr;
    l->flow->app->completion_due = false;
    const struct reqr_post *const p = mrct_reqr_post(m, d->a);
    if (p == NULL || p->done || m->qp_error)
        return;
    mrct_look_fail(l, "write %llu is not reported as done, although a transport ACK covers PSN %u",
                   (unsigned long long)d->a, p->last_psn);
}

static const struct check rows[] = {
    CHECK_ROW("completions-in-order", "REQ-6.2-16", SCOPE_FLOW, 0, 0, .on_event = in_order),
    CHECK_ROW("completion-once", "REQ-6.2-17", SCOPE_FLOW, 0, 0, .on_event = once),
    CHECK_ROW("completion-after-ack-due", "REQ-6.2-18", SCOPE_FLOW, WANT(KIND_ACK), 0,
              .on_frame = ack_came, .on_event = ack_event, .on_due = ack_due),
};
const struct check_table mrct_checks_sec_06_2_completion = CHECK_TABLE(rows);
