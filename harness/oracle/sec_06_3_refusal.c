/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections 6.3 and 7.5: what a NAK names, which requests may be called outside the window, what a
 * refused request must not become, and what a responder passes over in a request. */
#include "harness/oracle/app.h"
#include <inttypes.h>

static uint64_t shown(resp_psn psn)
{
    return (uint64_t)psn & 0xFFFFFFu;
}

static const struct resp_model *judged(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!mrct_look_can_decide(l))
        return NULL;
    if (!m->synced) {
        mrct_look_missing(l, "start_psn");
        return NULL;
    }
    return m;
}

/* ---- transport NAKs ---- */

static const struct resp_model *first_nak(struct look *l)
{
    const struct resp_model *const m = judged(l);
    const bool nak = (l->obs->pkt.aeth.syndrome & 0x60u) == 0x60u;
    return m != NULL && nak && !l->flow->app->nak && !m->window_moved ? m : NULL;
}

/* REQ-6.3-15 */
static void nak_names_request(struct look *l)
{
    const struct resp_model *const m = first_nak(l);
    if (m == NULL)
        return;
    if (mrct_resp_arrived(m, mrct_resp_extend(m, l->obs->pkt.bth.psn)) != RESP_NEVER)
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "the NAK names PSN %u, which has not arrived", l->obs->pkt.bth.psn);
}

/* REQ-6.3-16 */
static void nak_in_order(struct look *l)
{
    const struct resp_model *const m = first_nak(l);
    if (m == NULL)
        return;
    const resp_psn psn = mrct_resp_extend(m, l->obs->pkt.bth.psn);
    if (psn <= m->now.cack)
        mrct_look_pass(l);
    else if (mrct_resp_arrived(m, psn) != RESP_NEVER)
        mrct_look_fail(l, "the NAK for PSN %u is sent when all had arrived only up to %" PRIu64,
                       l->obs->pkt.bth.psn, shown(m->now.cack));
}

/* ---- NACKs that speak of the window ---- */

static const struct resp_model *oor_nack(struct look *l)
{
    const struct resp_model *const m = judged(l);
    return m != NULL && l->obs->pkt.neth.nack_reason == MRC_NACK_PSN_OOR_WINDOW && !m->dead ? m
                                                                                            : NULL;
}

/* REQ-6.3.1-06: what was inside the window when it came, and is now, was so all the time. */
static void inside_not_refused(struct look *l)
{
    const struct resp_model *const m = oor_nack(l);
    if (m == NULL || m->view.trigger == NULL || m->view.many)
        return;
    const enum arrival_class cls = (enum arrival_class)m->view.trigger->cls;
    if (l->flow->fact.mpr < 0)
        mrct_look_missing(l, "mpr");
    else if (cls == ARRIVAL_BEYOND)
        mrct_look_pass(l);
    else if ((cls == ARRIVAL_NEW || cls == ARRIVAL_DUP) && !m->window_moved)
        mrct_look_fail(l, "PSN %u lies inside the window of %d PSNs and is refused as outside it",
                       l->obs->pkt.neth.nack_psn, m->window);
}

/* REQ-6.3.1-07 */
static void below_not_nacked(struct look *l)
{
    const struct resp_model *const m = judged(l);
    if (m == NULL || m->dead || m->murky_seq == RESP_NEVER)
        return;
    if (l->kind != KIND_NACK) {
        if (m->came == ARRIVAL_OLD)
            mrct_look_pass(l);
        return;
    }
    const resp_psn psn = mrct_resp_extend(m, l->obs->pkt.neth.nack_psn);
    const struct psn_info *const i = mrct_resp_psn(m, psn);
    const bool was_beyond = i == NULL || (i->causes & CAUSE_BEYOND) != 0;
    if (l->obs->pkt.neth.nack_reason == MRC_NACK_PSN_OOR_WINDOW && psn <= m->now.cack &&
        !was_beyond && !m->window_moved)
        mrct_look_fail(l, "PSN %u is below the expected PSN %" PRIu64 " and gets a NACK",
                       l->obs->pkt.neth.nack_psn, shown(m->now.cack + 1));
}

/* ---- REQ-7.5-09: refused for want of something, so not there ---- */

static bool was_refused(const struct resp_model *m, resp_psn psn)
{
    const struct psn_info *const i = psn != 0 ? mrct_resp_psn(m, psn) : NULL;
    return i != NULL && i->refused && i->state == RESP_NEVER;
}

static void refused_not_recorded(struct look *l)
{
    const struct resp_model *const m = judged(l);
    if (m == NULL || m->dead || m->window_moved || !l->flow->app->refused)
        return;
    const struct resp_view *const v = &m->view;
    const bool below = v->cack_beyond && was_refused(m, m->now.cack + 1);
    if (below || was_refused(m, v->false_psn))
        mrct_look_fail(l,
                       "PSN %" PRIu64 " is called arrived; it was refused by a NACK and has not "
                       "come again",
                       shown(below ? m->now.cack + 1 : v->false_psn));
    else
        mrct_look_pass(l);
}

/* ---- REQ-6.3-17: reserved bits do not matter ---- */

static bool is_shown(const struct mrc_seth *s, resp_psn cack, resp_psn psn, bool *covered)
{
    const resp_psn bit = psn - (cack + s->sack_offset);
    *covered = psn <= cack || (bit >= 0 && bit < 64);
    return psn <= cack || (*covered && (s->sack_bitmap >> bit & 1u) != 0);
}

/* A SACK for a later request must show what came before that. */
static void judge_odd(struct look *l, bool checksum, const char *what)
{
    struct app_model *const m = l->flow->app;
    const struct resp_model *const r = judged(l);
    if (r == NULL || r->dead || r->window_moved)
        return;
    for (unsigned i = 0; i < m->odd_count; i++) {
        bool covered;
        const struct app_odd odd = m->odd[i];
        const bool shown_now = is_shown(&l->obs->pkt.seth, r->view.cack, odd.psn, &covered);
        if (odd.checksum != checksum || !r->view.exact || !covered || r->view.trigger == NULL ||
            r->view.trigger->seq <= odd.seq)
            continue;
        m->odd[i--] = m->odd[--m->odd_count];
        const uint64_t frames[2] = {l->obs->frame_no, odd.frame_no};
        if (shown_now)
            mrct_look_pass(l);
        else
            mrct_look_fail_at(l, frames, 2, "PSN %" PRIu64 " came with %s and does not count",
                              shown(odd.psn), what);
    }
}

static void reserved_ignored(struct look *l)
{
    judge_odd(l, false, "a reserved bit set");
}

static void checksum_ignored(struct look *l)
{
    judge_odd(l, true, "a UDP checksum");
}

/* ---- REQ-7.5.2-23: the window is told ---- */

static void mpr_told(struct look *l)
{
    if (!mrct_look_can_decide(l))
        return;
    if (l->flow->fact.dynamic_mpr == MRCT_UNKNOWN)
        mrct_look_missing(l, "dynamic_mpr");
    else if (l->flow->fact.dynamic_mpr == 1 && l->obs->pkt.seth.mpr == 0)
        mrct_look_fail(l, "dynamic MPR is on and the SACK tells no window");
    else if (l->flow->fact.dynamic_mpr == 1)
        mrct_look_pass(l);
}

static const struct check rows[] = {
    CHECK_ROW("nak-names-request", "REQ-6.3-15", SCOPE_FLOW, WANT(KIND_ACK), CHECK_NEEDS_COMPLETE,
              .on_frame = nak_names_request),
    CHECK_ROW("nak-in-order", "REQ-6.3-16", SCOPE_FLOW, WANT(KIND_ACK), CHECK_NEEDS_COMPLETE,
              .on_frame = nak_in_order),
    CHECK_ROW("inside-window-not-refused", "REQ-6.3.1-06", SCOPE_FLOW, WANT(KIND_NACK),
              CHECK_NEEDS_COMPLETE, .on_frame = inside_not_refused),
    CHECK_ROW("below-window-not-nacked", "REQ-6.3.1-07", SCOPE_FLOW,
              WANT(KIND_NACK) | WANT(KIND_REQUEST), CHECK_NEEDS_COMPLETE,
              .on_frame = below_not_nacked),
    CHECK_ROW("refused-not-recorded", "REQ-7.5-09", SCOPE_FLOW, WANT(KIND_SACK) | WANT(KIND_ACK),
              CHECK_NEEDS_COMPLETE, .on_frame = refused_not_recorded),
    CHECK_ROW("reserved-ignored", "REQ-6.3-17", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = reserved_ignored),
    CHECK_ROW("udp-checksum-ignored", "REQ-6.3-19", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = checksum_ignored),
    CHECK_ROW("sack-tells-window", "REQ-7.5.2-23", SCOPE_FLOW, WANT(KIND_SACK), 0,
              .on_frame = mpr_told),
};
const struct check_table mrct_checks_sec_06_3_refusal = CHECK_TABLE(rows);
