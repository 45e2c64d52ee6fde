/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.4, retries: their intervals, their number, and what follows when they are used up. */
#include "harness/oracle/reqr.h"
#include "ref/endpoint/mrc_ep.h"

/* Clocks of device and tap need not agree to the last unit: an interval counts as kept from 15/16.
 */
static uint64_t at_least(uint64_t ns)
{
    return ns - ns / 16;
}

/* A retry that only its timer can have caused: the packet, or NULL. */
static const struct reqr_pkt *silent_retry(struct look *l, uint64_t *timeout_ns)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || m->now.class != REQR_AGAIN || m->now.reason != REQR_REASON_SILENCE)
        return NULL;
    *timeout_ns = mrct_reqr_timeout_ns(l);
    if (*timeout_ns == 0) {
        mrct_look_missing(l, "timeout");
        return NULL;
    }
    return m->now.old;
}

/* Retries of this packet since the window last advanced; the connection's counter is no less. */
static int timeouts_of(const struct reqr_model *m, const struct reqr_pkt *p)
{
    return p->epoch == m->epoch ? p->timeouts : 0;
}

static void say_early(struct look *l, const uint64_t *frame, uint32_t psn, uint64_t gap_ns)
{
    static const char fmt[] =
        "PSN %u is sent again after %llu ns, before its timeout of %llu ns, and "
        "nothing had come that told of its loss";
    const uint64_t timeout_ns = mrct_reqr_timeout_ns(l);
    const uint64_t at = frame != NULL ? *frame : l->obs->frame_no;
    mrct_look_fail_at(l, &at, 1, fmt, psn, (unsigned long long)gap_ns,
                      (unsigned long long)timeout_ns);
}

static void note_early(struct look *l, const struct reqr_pkt *p)
{
    struct reqr_model *const m = l->flow->reqr;
    if (m->early_count++ != 0)
        return;
    m->early_frame = l->obs->frame_no;
    m->early_psn = p->psn;
    m->early_gap_ns = l->now_ns - p->last_ns;
}

/* A NACK that the capture lacks looks like one retry before its time; a timer that is too short
 * shows in all retries. Where the harness took part nothing is lacking. */
static void timeout_linear_end(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || m->early_count == 0 || l->cfg->have_events)
        return;
    if (!m->heard)
        mrct_look_unsure(l, "no SACK, NACK or ACK was seen at all");
    else if (m->early_count < 2 || m->timely_count != 0)
        mrct_look_unsure(l, "PSN %u is sent again before its timeout; a NACK may be missing here",
                         m->early_psn);
    else if (!mrct_reqr_unsure(l))
        say_early(l, &m->early_frame, m->early_psn, m->early_gap_ns);
}

static void timeout_linear(struct look *l)
{
    uint64_t timeout_ns;
    const struct reqr_pkt *const p = silent_retry(l, &timeout_ns);
    if (p == NULL)
        return;
    const uint64_t gap_ns = l->now_ns - p->last_ns + 2 * l->obs->time_err_ns;
    if (gap_ns >= at_least(timeout_ns)) {
        l->flow->reqr->timely_count++;
        mrct_look_pass(l);
        return;
    }
    note_early(l, p);
    if (l->cfg->have_events && !mrct_reqr_unsure(l))
        say_early(l, NULL, p->psn, l->now_ns - p->last_ns);
}

/* What a grown interval is at least: half as long again as the timeout, or what a ceiling below
 * that leaves of it. 0: that is not known. */
static uint64_t grown_ns(const struct look *l, uint64_t timeout_ns, uint64_t gap_ns)
{
    const int64_t ceiling_ns = l->flow->fact.exp_ceiling_ns;
    const uint64_t half_more = timeout_ns + timeout_ns / 2;
    if (ceiling_ns == MRCT_UNKNOWN)
        return gap_ns >= half_more ? half_more : 0;
    if ((uint64_t)ceiling_ns >= half_more)
        return half_more;
    return at_least((uint64_t)ceiling_ns > timeout_ns ? (uint64_t)ceiling_ns : timeout_ns);
}

/* The first interval after the linear retries may still be the timeout itself; from the next on it
 * must have grown. Where the ceiling lies is the device's. */
static void timeout_exponential(struct look *l)
{
    const int linear = l->flow->fact.linear_cnt;
    uint64_t timeout_ns;
    const struct reqr_pkt *const p = silent_retry(l, &timeout_ns);
    if (p == NULL)
        return;
    if (linear == MRCT_UNKNOWN) {
        mrct_look_missing(l, "linear_cnt");
        return;
    }
    if (timeouts_of(l->flow->reqr, p) < linear + 1)
        return;
    const uint64_t gap_ns = l->now_ns - p->last_ns + 2 * l->obs->time_err_ns;
    const uint64_t least_ns = grown_ns(l, timeout_ns, gap_ns);
    if (least_ns == 0)
        mrct_look_missing(l, "exp_ceiling_ns");
    else if (gap_ns >= least_ns)
        mrct_look_pass(l);
    else if (!mrct_reqr_unsure(l))
        mrct_look_fail(l,
                       "retry %d of PSN %u comes after %llu ns: after %d linear ones of %llu ns "
                       "the interval must grow",
                       timeouts_of(l->flow->reqr, p) + 1, p->psn,
                       (unsigned long long)(l->now_ns - p->last_ns), linear,
                       (unsigned long long)timeout_ns);
}

/* Retries allowed, or -1: without end or not known (said). */
static int limit_of(struct look *l)
{
    const struct mrct_fact_qp *const q = &l->flow->fact;
    if (q->linear_cnt == MRCT_UNKNOWN || q->exp_cnt == MRCT_UNKNOWN) {
        mrct_look_missing(l, q->linear_cnt == MRCT_UNKNOWN ? "linear_cnt" : "exp_cnt");
        return -1;
    }
    return q->exp_cnt == 25 ? -1 : q->linear_cnt + q->exp_cnt;
}

static void retry_limit(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || m->now.class != REQR_AGAIN || m->now.reason == REQR_REASON_HOLE)
        return;
    const int limit = limit_of(l);
    if (limit < 0)
        return;
    const struct reqr_pkt *const p = m->now.old;
    const int done = p->epoch == m->epoch ? p->retries : 0;
    if (done < limit)
        mrct_look_pass(l);
    else if (!mrct_reqr_unsure(l))
        mrct_look_fail(l, "retry %d of PSN %u without progress; %d are allowed", done + 1, p->psn,
                       limit);
}

/* ---- what the application is told; needs its events ---- */

static void retry_exceeded_reported(struct look *l)
{
    if (!l->ev_at_requestor || l->ev->kind != MRCT_EVENT_QP_ERROR)
        return;
    if (l->ev->status == MRC_WC_RETRY_EXCEEDED)
        mrct_look_pass(l);
}

/* The newest packet that used up its retries and was never heard of again. */
static const struct reqr_pkt *used_up(const struct look *l, int limit)
{
    const struct reqr_model *const m = l->flow->reqr;
    const struct reqr_pkt *const p = mrct_reqr_find(m, mrc_psn_add(m->cack, 1));
    return p != NULL && !p->acked && !p->nacked && p->epoch == m->epoch && p->retries >= limit
               ? p
               : NULL;
}

static void retry_exceeded_at_end(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const uint64_t timeout_ns = mrct_reqr_timeout_ns(l);
    if (m == NULL || !m->started || !l->cfg->have_events || timeout_ns == 0)
        return;
    const int limit = limit_of(l);
    const struct reqr_pkt *const p = limit >= 0 ? used_up(l, limit) : NULL;
    if (p == NULL)
        return;
    const uint64_t frame = p->last_frame;
    if (m->qp_error) {
        if (m->qp_error_status != MRC_WC_RETRY_EXCEEDED && !m->fatal)
            mrct_look_fail_at(l, &frame, 1,
                              "the QP went to ERROR with status %d, not because the "
                              "retry counter was exceeded",
                              m->qp_error_status);
        return;
    }
    uint64_t wait_ns = timeout_ns;
    for (int i = 0; i <= l->flow->fact.exp_cnt; i++)
        wait_ns *= 2;
    if (l->now_ns > p->last_ns + wait_ns + l->cfg->reaction_ns)
        mrct_look_fail_at(l, &frame, 1, "%d retries are used up and the QP did not go to ERROR",
                          limit);
}

/* Requests that left before the NACK can have been read are no fault. */
static bool after_unexp_event(const struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    return m != NULL && m->fatal && m->fatal_syndrome == 0 &&
           l->now_ns > m->fatal_ns + l->cfg->reaction_ns;
}

static void unexp_event_fatal(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m != NULL && m->now.class != REQR_NONE && after_unexp_event(l))
        mrct_look_fail(l, "PSN %u is sent after the NACK UNEXP_EVENT in frame %llu",
                       l->obs->pkt.bth.psn, (unsigned long long)m->fatal_frame);
}

static void unexp_event_reported(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!l->ev_at_requestor || l->ev->kind != MRCT_EVENT_QP_ERROR || m == NULL || !m->fatal ||
        m->fatal_syndrome != 0)
        return;
    if (l->ev->status == MRC_WC_REMOTE_OP)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, &m->fatal_frame, 1,
                          "the application is told status %d, not a remote operation error",
                          l->ev->status);
}

static void unexp_event_at_end(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m != NULL && l->cfg->have_events && !m->qp_error && after_unexp_event(l))
        mrct_look_fail_at(l, &m->fatal_frame, 1, "the QP did not go to ERROR");
}

#define FLOW(check_, req, fn, end_)                                                                \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FLOW, .want = WANT(KIND_REQUEST),   \
        .on_frame = (fn), .on_end = (end_), CHECK_HERE                                             \
    }

static const struct check rows[] = {
    FLOW("timeout-linear", "REQ-7.4-12", timeout_linear, timeout_linear_end),
    FLOW("timeout-exponential", "REQ-7.4-13", timeout_exponential, NULL),
    FLOW("retry-limit", "REQ-7.4-15", retry_limit, NULL),
    {.name = "retry-exceeded-reported",
     .requirement = "REQ-7.4-16",
     .scope = SCOPE_FLOW,
     .on_event = retry_exceeded_reported,
     .on_end = retry_exceeded_at_end,
     CHECK_HERE},
    {.name = "unexp-event-fatal",
     .requirement = "REQ-7.4-11",
     .scope = SCOPE_FLOW,
     .want = WANT(KIND_REQUEST),
     .on_frame = unexp_event_fatal,
     .on_event = unexp_event_reported,
     .on_end = unexp_event_at_end,
     CHECK_HERE},
};
const struct check_table mrct_checks_sec_07_4_timers = CHECK_TABLE(rows);
