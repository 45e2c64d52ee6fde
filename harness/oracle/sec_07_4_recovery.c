/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.4, what is sent again, what is not, and the request for an acknowledgement before the
 * QP goes idle. What a requestor left undone is judged at the end. */
#include "harness/oracle/reqr.h"
#include "harness/oracle/resp.h"

/* A write completes on its transport ACK alone, and a duplicate is what calls for a lost one: so a
 * request that no transport ACK covers may ask again, once its timeout is over. */
static bool asks_for_ack(const struct look *l, const struct reqr_pkt *old)
{
    const struct reqr_model *const m = l->flow->reqr;
    const uint64_t timeout_ns = mrct_reqr_timeout_ns(l);
    return l->obs->pkt.bth.a != 0 && (!m->have_ack || mrc_psn_diff(old->psn, m->ack_psn) > 0) &&
           l->now_ns - old->last_ns + 2 * l->obs->time_err_ns >= timeout_ns - timeout_ns / 16;
}

static void selective_retransmission(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || m->now.class != REQR_AGAIN)
        return;
    const struct reqr_pkt *const old = m->now.old;
    /* A NACK or a last look at the reason may come after the SACK: asked for again. */
    if (!old->acked || old->nacked || asks_for_ack(l, old)) {
        mrct_look_pass(l);
        return;
    }
    const uint64_t err_ns = 2 * l->obs->time_err_ns;
    const bool was_read = old->acked_ns + err_ns <= m->read_ns && m->read_ns != 0;
    if (!was_read && l->now_ns <= old->acked_ns + l->cfg->reaction_ns + err_ns)
        return;
    mrct_look_fail(l, "PSN %u is sent again, though frame %llu had told that it arrived", old->psn,
                   (unsigned long long)old->acked_frame);
}

/* ---- holes and NACKs that were never answered ---- */

/* Retries double after the linear ones, of which the number is known; whose count it is (Q7) is
 * open, so take the longer wait. */
static uint64_t wait_ns(const struct look *l, const struct reqr_pkt *p)
{
    uint64_t ns = mrct_reqr_timeout_ns(l);
    for (int i = l->flow->fact.linear_cnt; i < p->retries && ns < UINT64_MAX / 4; i++)
        ns *= 2;
    return ns;
}

/* The oldest request that no report covers, when there still is a duty to send it again. */
static const struct reqr_pkt *oldest_open(const struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || !m->started || m->fatal || m->qp_error || !m->heard)
        return NULL;
    const struct reqr_pkt *const p = mrct_reqr_find(m, mrc_psn_add(m->cack, 1));
    return p != NULL && !p->acked ? p : NULL;
}

static bool retries_left(const struct look *l, const struct reqr_pkt *p)
{
    const struct mrct_fact_qp *const q = &l->flow->fact;
    if (q->linear_cnt == MRCT_UNKNOWN || q->exp_cnt == MRCT_UNKNOWN)
        return false;
    return q->exp_cnt == 25 || p->retries < q->linear_cnt + q->exp_cnt;
}

/* A requestor that sent a later packet again passed the older one over; one that is silent may have
 * been stopped, unless that is known not to be so. */
static bool overdue(const struct look *l, const struct reqr_pkt *p, uint64_t since_ns)
{
    const struct reqr_model *const m = l->flow->reqr;
    const uint64_t wait = wait_ns(l, p);
    const bool passed_over = l->cfg->own_pace && m->rtx_of_ns > p->first_ns &&
                             m->rtx_ns > since_ns + wait && l->now_ns > m->rtx_ns + wait / 8;
    const uint64_t patience = wait > l->cfg->reaction_ns ? wait : l->cfg->reaction_ns;
    return passed_over || l->now_ns > since_ns + wait + patience;
}

static void hole_retransmitted(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const struct reqr_pkt *const p = oldest_open(l);
    if (p == NULL || p->nacked || !m->have_max || mrc_psn_diff(m->max_arrived, p->psn) <= 0)
        return;
    if (mrct_reqr_timeout_ns(l) == 0) {
        mrct_look_missing(l, "timeout");
        return;
    }
    if (!retries_left(l, p) || !overdue(l, p, p->last_ns) || mrct_reqr_unsure(l))
        return;
    const uint64_t frame = p->last_frame;
    mrct_look_fail_at(l, &frame, 1,
                      "PSN %u never arrived and is not sent again; SACKs show later ones up to %u",
                      p->psn, m->max_arrived);
}

static void nack_retransmitted(struct look *l)
{
    const struct reqr_pkt *const p = oldest_open(l);
    if (p == NULL || !p->nacked)
        return;
    if (mrct_reqr_timeout_ns(l) == 0) {
        mrct_look_missing(l, "timeout");
        return;
    }
    if (!retries_left(l, p) || !overdue(l, p, p->nack_ns) || mrct_reqr_unsure(l))
        return;
    const uint64_t frames[] = {p->nack_frame, p->last_frame};
    mrct_look_fail_at(l, frames, 2, "the NACK names PSN %u, which is not sent again", p->psn);
}

/* What was done right is counted as it happens. */
static void seen_again(struct look *l, enum reqr_reason reason)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m != NULL && m->now.class == REQR_AGAIN && m->now.reason == reason)
        mrct_look_pass(l);
}

static void hole_seen_again(struct look *l)
{
    seen_again(l, REQR_REASON_HOLE);
}

static void nack_seen_again(struct look *l)
{
    seen_again(l, REQR_REASON_NACK);
}

/* ---- A before idle ---- */

/* Nothing new followed although everything sent was acknowledged: the QP was idle. A sender with
 * more to say would have used the window that the first news opened. */
static bool went_idle(const struct look *l, const struct reqr_model *m, const struct reqr_pkt *p,
                      bool at_end)
{
    if (!p->acked || m->cack != p->psn)
        return false;
    if (l->now_ns > m->cack_ns + l->cfg->reaction_ns)
        return true;
    return at_end && l->cfg->own_pace && l->now_ns > m->opened_ns + 1000;
}

/* The QP ended, for its own sake or because its responder refused a request of the peer: what would
 * have come next, and was a reason to set no A, is never sent. */
static bool qp_ended(const struct look *l, const struct reqr_model *m)
{
    const struct flow *const back = l->flow->reverse;
    return m->fatal || m->qp_error || (back != NULL && back->resp != NULL && back->resp->dead);
}

static void judge_idle(struct look *l, bool at_end)
{
    const struct reqr_model *const m = l->flow->reqr;
    const struct reqr_pkt *const p = mrct_reqr_find(m, mrc_psn_add(m->next, -1));
    if (p == NULL || !mrct_op_ends(p->opcode) || (l->cfg->have_events && m->more_posted) ||
        qp_ended(l, m) || m->unseen_told || !went_idle(l, m, p, at_end) || m->missing)
        return;
    if (p->asked) {
        mrct_look_pass(l);
        return;
    }
    const uint64_t frame = p->first_frame;
    mrct_look_fail_at(l, &frame, 1, "PSN %u is the last before the QP goes idle, without A",
                      p->psn);
}

static void ack_request_before_idle(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m != NULL && m->started && m->now.class == REQR_FIRST && m->now.gap == 0 &&
        m->last_new_frame != 0)
        judge_idle(l, false);
}

static void ack_request_at_end(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m != NULL && m->started && m->last_new_frame != 0)
        judge_idle(l, true);
}

#define FLOW(check_, req, fn, end_)                                                                \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FLOW, .want = WANT(KIND_REQUEST),   \
        .on_frame = (fn), .on_end = (end_), CHECK_HERE                                             \
    }

static const struct check rows[] = {
    FLOW("hole-retransmitted", "REQ-7.4-08", hole_seen_again, hole_retransmitted),
    FLOW("selective-retransmission", "REQ-7.4-09", selective_retransmission, NULL),
    FLOW("nack-retransmitted", "REQ-7.4-10", nack_seen_again, nack_retransmitted),
    FLOW("ack-request-before-idle", "REQ-7.4-17", ack_request_before_idle, ack_request_at_end),
};
const struct check_table mrct_checks_sec_07_4_recovery = CHECK_TABLE(rows);
