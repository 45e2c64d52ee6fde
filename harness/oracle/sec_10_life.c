/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 10, and what of sections 6.3 and 7.4 ends a QP: ERROR, what leads there, what is told and
 * what follows. */
#include "harness/oracle/app.h"
#include "ref/endpoint/mrc_ep.h"

static bool is_nak(const struct look *l)
{
    return (l->obs->pkt.aeth.syndrome & 0x60u) == 0x60u;
}

/* ---- REQ-7.4-19: a NAK ends the QP ---- */

static void nak_came(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!mrct_app_nak_counts(l) || m->fatal || !mrct_look_can_decide(l))
        return;
    if (!l->cfg->have_events)
        mrct_look_unsure(l, "whether the QP goes to ERROR is told by application events only");
    else
        mrct_look_due(l, mrct_look_reaction(l), 0, 0);
}

static void nak_due(struct look *l, const struct due *d)
{
    (void)d;
    if (l->flow->reqr->qp_error)
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "the QP did not go to ERROR after a NAK");
}

/* ---- REQ-7.4-20: the application is told which NAK it was ---- */

/* The status that says what the syndrome says; -1 where Q9 leaves the code open. */
static int status_of(int syndrome)
{
    switch (syndrome) {
    case MRC_SYN_REMOTE_ACCESS:
        return MRC_WC_REMOTE_ACCESS;
    case MRC_SYN_REMOTE_OP:
        return MRC_WC_REMOTE_OP;
    default:
        return -1;
    }
}

static bool is_remote(int status)
{
    return status == MRC_WC_REMOTE_ACCESS || status == MRC_WC_REMOTE_INVALID ||
           status == MRC_WC_REMOTE_OP || status == MRC_WC_SUCCESS;
}

/* An error of another origin, which may have come first, is told as what it is. */
static void nak_told(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!l->ev_at_requestor || l->ev->kind != MRCT_EVENT_QP_ERROR || !m->fatal ||
        m->fatal_syndrome == 0 || !mrct_look_can_decide(l))
        return;
    const int status = status_of(m->fatal_syndrome);
    if (status < 0 || l->ev->status == status)
        mrct_look_pass(l);
    else if (is_remote(l->ev->status))
        mrct_look_fail_at(l, &m->fatal_frame, 1,
                          "the NAK says 0x%02X, and the application is told of another error",
                          (unsigned)m->fatal_syndrome);
}

/* ---- REQ-7.4-21: and nothing is sent any more ---- */

static bool long_after_nak(const struct look *l)
{
    const struct app_model *const m = l->flow->app;
    return m->nak_counts && l->now_ns > m->nak_counts_ns + l->cfg->reaction_ns;
}

static void silent_after_nak(struct look *l)
{
    if (l->flow->reqr->now.class != REQR_NONE && long_after_nak(l))
        mrct_look_fail(l, "PSN %u is sent after the NAK in frame %llu", l->obs->pkt.bth.psn,
                       (unsigned long long)l->flow->app->nak_frame);
}

static void silent_after_nak_end(struct look *l)
{
    if (mrct_look_can_decide(l) && long_after_nak(l))
        mrct_look_pass(l);
}

/* ---- REQ-7.4-22: no QP gives up before its retries are used up ---- */

/* The least time that all retries take, were none backed off. */
static uint64_t least_ns(const struct look *l)
{
    const struct mrct_fact_qp *const q = &l->flow->fact;
    const uint64_t timeout_ns = mrct_reqr_timeout_ns(l);
    if (q->linear_cnt == MRCT_UNKNOWN || q->exp_cnt == MRCT_UNKNOWN || timeout_ns == 0)
        return 0;
    const uint64_t all_ns = timeout_ns * (1 + (uint64_t)q->linear_cnt + (uint64_t)q->exp_cnt);
    return all_ns - all_ns / 16;
}

static void not_too_early(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!l->ev_at_requestor || l->ev->kind != MRCT_EVENT_QP_ERROR ||
        l->ev->status != MRC_WC_RETRY_EXCEEDED || !m->started || !mrct_look_can_decide(l))
        return;
    const uint64_t least = least_ns(l);
    const struct reqr_pkt *const p = mrct_reqr_find(m, mrc_psn_add(m->cack, 1));
    if (least == 0) {
        mrct_look_missing(l, "timeout, linear_cnt and exp_cnt");
        return;
    }
    /* A NACK is a retry that costs no time; without an open packet it waited for an ACK alone. */
    if (p == NULL || m->missing != 0 ||
        (l->flow->app->nack_ns != 0 && l->flow->app->nack_ns >= p->first_ns))
        return;
    if (l->now_ns - p->first_ns >= least)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, &p->last_frame, 1,
                          "the retry counter is said to be exceeded %llu ns after PSN %u was first "
                          "sent; all its retries take %llu ns at least",
                          (unsigned long long)(l->now_ns - p->first_ns), p->psn,
                          (unsigned long long)least);
}

/* REQ-7.4-24, the reading a of Q7: with progress the retries begin anew. */
static void begins_anew(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!l->ev_at_requestor || l->ev->kind != MRCT_EVENT_QP_ERROR || !m->started ||
        l->ev->status != MRC_WC_RETRY_EXCEEDED || !mrct_look_can_decide(l))
        return;
    const uint64_t least = least_ns(l);
    const struct reqr_pkt *const p = mrct_reqr_find(m, mrc_psn_add(m->cack, 1));
    if (least == 0 || p == NULL || m->missing != 0 || l->flow->app->nack_ns >= m->cack_ns ||
        m->cack_ns <= p->first_ns)
        return;
    if (l->now_ns - m->cack_ns >= least)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, &m->cack_frame, 1,
                          "the retry counter is said to be exceeded %llu ns after the last "
                          "progress; all retries take %llu ns at least",
                          (unsigned long long)(l->now_ns - m->cack_ns), (unsigned long long)least);
}

/* The case beside the failure: what had one retry more than it would have had in all. */
static void began_anew(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const struct mrct_fact_qp *const q = &l->flow->fact;
    if (m->now.class != REQR_AGAIN || m->now.reason != REQR_REASON_SILENCE ||
        !mrct_look_can_decide(l) || q->linear_cnt < 0 || q->exp_cnt < 0)
        return;
    l->flow->app->retries++;
    if (l->flow->app->retries > (uint64_t)q->linear_cnt + (uint64_t)q->exp_cnt && m->epoch > 0)
        mrct_look_pass(l);
}

/* ---- REQ-10-04: what was posted is flushed ---- */

static void flush_event(struct look *l)
{
    if (l->ev_at_requestor && l->ev->kind == MRCT_EVENT_QP_ERROR && mrct_look_can_decide(l))
        mrct_look_due(l, mrct_look_reaction(l), 0, 0);
}

static void flush_due(struct look *l, const struct due *d)
{
    const struct app_queue *const q = &l->flow->app->sends;
    (void)d;
    if (q->lost || q->ids == NULL)
        return;
    if (q->count == 0)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(
            l, NULL, 0, "write %llu was posted, its QP is in ERROR, and nothing is reported of it",
            (unsigned long long)q->ids[q->head % APP_QUEUE_MAX]);
}

/* ---- REQ-10-05: a responder in ERROR answers nothing ---- */

static bool error_is_past(const struct look *l)
{
    const struct app_model *const m = l->flow->app;
    return m->responder_error && l->now_ns > m->responder_error_ns + l->cfg->reaction_ns;
}

static void silent_in_error(struct look *l)
{
    if (!error_is_past(l) || !mrct_look_can_decide(l))
        return;
    if (l->kind == KIND_REQUEST || l->kind == KIND_PROBE)
        mrct_look_due(l, mrct_look_reaction(l), 0, 0);
    else if (l->kind != KIND_ACK || !is_nak(l))
        mrct_look_fail(l, "the responder's QP is in ERROR and answers");
}

static void silent_due(struct look *l, const struct due *d)
{
    (void)d;
    mrct_look_pass(l);
}

static const struct check rows[] = {
    CHECK_ROW("nak-ends-qp", "REQ-7.4-19", SCOPE_FLOW, WANT(KIND_ACK), 0, .on_frame = nak_came,
              .on_due = nak_due),
    CHECK_ROW("nak-cause-told", "REQ-7.4-20", SCOPE_FLOW, 0, 0, .on_event = nak_told),
    CHECK_ROW("no-request-after-nak", "REQ-7.4-21", SCOPE_FLOW, WANT(KIND_REQUEST), 0,
              .on_frame = silent_after_nak, .on_end = silent_after_nak_end),
    CHECK_ROW("retries-not-cut-short", "REQ-7.4-22", SCOPE_FLOW, 0, CHECK_NEEDS_COMPLETE,
              .on_event = not_too_early),
    CHECK_ROW("retries-begin-anew", "REQ-7.4-24", SCOPE_FLOW, WANT(KIND_REQUEST),
              CHECK_NEEDS_COMPLETE, .on_frame = began_anew, .on_event = begins_anew),
    CHECK_ROW("posted-is-flushed", "REQ-10-04", SCOPE_FLOW, 0, 0, .on_event = flush_event,
              .on_due = flush_due),
    CHECK_ROW("silent-in-error", "REQ-10-05", SCOPE_FLOW, WANT_CONTROL | WANT_FORWARD, 0,
              .on_frame = silent_in_error, .on_due = silent_due),
};
const struct check_table mrct_checks_sec_10_life = CHECK_TABLE(rows);
