/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.5.2: what a SACK says of the responder's state. */
#include "harness/oracle/resp.h"
#include <inttypes.h>

static const struct resp_view *view(const struct look *l)
{
    return &l->flow->resp->view;
}

static uint32_t shown(resp_psn psn)
{
    return (uint32_t)psn & 0xFFFFFFu;
}

static bool has_state(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    return MRC_PKT_HAS(p, CC_STATE) && p->seth.cc_type == 0; /* Q18: else it means nothing */
}

static bool synced(struct look *l)
{
    if (l->flow->resp->dead)
        return false;
    if (!l->flow->resp->synced)
        mrct_look_missing(l, "start_psn");
    return l->flow->resp->synced;
}

/* The responder's own tap, and every state that the SACK may show is known. */
static bool exact(struct look *l)
{
    return mrct_look_can_decide(l) && synced(l) && view(l)->exact && !view(l)->cack_beyond;
}

/* REQ-7.5.2-13. At the requestor's tap: beyond what was ever sent. */
static void cack_not_too_far(struct look *l)
{
    if (!synced(l))
        return;
    if (view(l)->cack_beyond)
        mrct_look_fail(l, "cack_psn is %u, but all had arrived only up to PSN %u",
                       l->obs->pkt.seth.cack_psn, shown(l->flow->resp->now.cack));
    else if (l->sent_at_tap)
        mrct_look_pass(l);
}

/* REQ-7.5.2-14 */
static void cack_not_behind(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!exact(l))
        return;
    const resp_psn least = mrct_resp_state(m, view(l)->lo)->cack;
    if (view(l)->cack >= least)
        mrct_look_pass(l);
    else
        mrct_resp_doubt(l, false,
                        "cack_psn is %u, but when the trigger came all had arrived up to PSN %u",
                        l->obs->pkt.seth.cack_psn, shown(least));
}

/* REQ-7.5.2-15. At the requestor's tap: never sent. */
static void bitmap_only_arrived(struct look *l)
{
    if (!synced(l) || view(l)->cack_beyond)
        return;
    if (view(l)->false_psn != 0)
        mrct_look_fail(l, "the bitmap says that PSN %u has arrived (base %u), which it has not",
                       shown(view(l)->false_psn),
                       shown(view(l)->cack + l->obs->pkt.seth.sack_offset));
    else if (l->sent_at_tap)
        mrct_look_pass(l);
}

/* REQ-7.5.2-16, the reading b of Q4 */
static void bitmap_shows_arrived(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    const struct mrc_seth *const s = &l->obs->pkt.seth;
    if (!exact(l) || view(l)->false_psn != 0)
        return;
    const resp_psn base = view(l)->cack + s->sack_offset;
    for (unsigned i = 0; i < 64; i++) {
        const resp_psn psn = base + i;
        if (((s->sack_bitmap >> i) & 1u) != 0 || psn <= view(l)->cack)
            continue;
        if (mrct_resp_arrived(m, psn) <= view(l)->lo) {
            mrct_resp_doubt(l, false, "the bitmap has 0 for PSN %u, which had arrived", shown(psn));
            return;
        }
    }
    mrct_look_pass(l);
}

/* REQ-7.5.2-17: judged only where one bitmap holds all that is above cack; else it may walk. */
static void bitmap_covers_highest(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!exact(l))
        return;
    const resp_psn least = mrct_resp_state(m, view(l)->lo)->max_rcv;
    const resp_psn base = view(l)->cack + l->obs->pkt.seth.sack_offset;
    if (least <= view(l)->cack || least > view(l)->cack + 64 ||
        view(l)->cack < mrct_resp_state(m, view(l)->lo)->cack)
        return;
    if (least < base + 64 && least >= base)
        mrct_look_pass(l);
    else
        mrct_resp_doubt(l, false,
                        "the bitmap starts at PSN %u and does not cover the highest received, %u",
                        shown(base), shown(least));
}

/* REQ-7.5.2-18: of the states with this cack, one must have this many above it. */
static void ooo_count(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    uint64_t lo = view(l)->lo, hi = view(l)->hi;
    if (!exact(l) || !has_state(l) || !mrct_resp_states_of_cack(m, view(l)->cack, &lo, &hi))
        return;
    const uint32_t said = l->obs->pkt.cc_state.ooo_count;
    if (mrct_resp_has_ooo(m, lo, hi, said)) {
        mrct_look_pass(l);
        return;
    }
    mrct_resp_doubt(l, false, "ooo_count is %u, but %u to %u had arrived above PSN %u", said,
                    mrct_resp_state(m, lo)->ooo, mrct_resp_state(m, hi)->ooo,
                    l->obs->pkt.seth.cack_psn);
}

/* REQ-7.5.2-19 */
static void bytes_monotone(struct look *l)
{
    if (!mrct_look_can_decide(l) || !has_state(l))
        return;
    if (!view(l)->rb_back) {
        mrct_look_pass(l);
        return;
    }
    const uint64_t frames[2] = {l->obs->frame_no, l->flow->resp->last_rb_frame};
    mrct_look_fail_at(l, frames, 2, "rcvd_bytes is %u units after %u",
                      l->obs->pkt.cc_state.rcvd_bytes, l->flow->resp->last_rb);
}

static uint64_t units(uint64_t bytes)
{
    return (bytes + 255) / 256;
}

/* Units beyond all that came, by the most that a reading of Q12 allows that fitted so far. Fewer
 * are none: copies may make up half of the number's space and more. */
static uint32_t excess(const struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    uint64_t most = 0;
    for (unsigned r = 0; r < RESP_READINGS; r++)
        if ((m->readings >> r & 1u) != 0 && m->now.total[r] > most)
            most = m->now.total[r];
    const uint32_t over = (l->obs->pkt.cc_state.rcvd_bytes - (uint32_t)units(most)) & 0xFFFFFFu;
    return over < 0x800000u ? over : 0;
}

/* More than all that is new, and no more than that with what is not. */
static bool counts_duplicates(const struct look *l)
{
    const uint32_t over = excess(l);
    return over != 0 && over <= units(l->flow->resp->dup_bytes) + 1;
}

/* REQ-7.5.2-20 */
static void bytes_only_new(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!exact(l) || !has_state(l) || view(l)->rb_back || m->dup_bytes == 0)
        return;
    if (!counts_duplicates(l)) {
        mrct_look_pass(l);
        return;
    }
    /* The reading taken may rest on packets that were turned away. */
    mrct_resp_doubt(
        l, false,
        "rcvd_bytes is %u units, more than all new requests make up; with duplicates or "
        "trimmed packets it may be",
        l->obs->pkt.cc_state.rcvd_bytes);
}

/* REQ-7.5.2-21 */
static void bytes_exact(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!exact(l) || !has_state(l) || view(l)->rb_back ||
        (m->dup_bytes != 0 && counts_duplicates(l)))
        return;
    const uint32_t said = l->obs->pkt.cc_state.rcvd_bytes;
    const unsigned reading = (unsigned)(mrct_look_reading(l, 12) - 'a');
    bool any = false;
    for (unsigned r = 0; r < RESP_READINGS; r++)
        any = any || mrct_resp_has_bytes(m, view(l)->lo, view(l)->hi, r, said);
    if (reading < RESP_READINGS && mrct_resp_has_bytes(m, view(l)->lo, view(l)->hi, reading, said))
        mrct_look_pass(l);
    else if (any)
        mrct_resp_doubt(l, false,
                        "rcvd_bytes is %u units, which fits another reading of Q12 than %c", said,
                        mrct_look_reading(l, 12));
    else
        mrct_resp_doubt(l, true,
                        "rcvd_bytes is %u units, but %" PRIu64 " to %" PRIu64 " are received", said,
                        units(mrct_resp_state(m, view(l)->lo)->total[0]), units(m->now.total[0]));
}

/* REQ-7.5.2-22 */
static void mpr_zero(struct look *l)
{
    if (l->flow->fact.dynamic_mpr == MRCT_UNKNOWN)
        mrct_look_missing(l, "dynamic_mpr");
    else if (l->flow->fact.dynamic_mpr == 0 && l->obs->pkt.seth.mpr != 0)
        mrct_look_fail(l, "mpr is %u although dynamic MPR is off", l->obs->pkt.seth.mpr);
    else if (l->flow->fact.dynamic_mpr == 0)
        mrct_look_pass(l);
}

static const struct check checks[] = {
    CHECK_ROW("cack-not-too-far", "REQ-7.5.2-13", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = cack_not_too_far),
    CHECK_ROW("cack-not-behind", "REQ-7.5.2-14", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = cack_not_behind, .on_due = mrct_resp_doubt_due,
              .on_end = mrct_resp_doubt_end),
    CHECK_ROW("bitmap-only-arrived", "REQ-7.5.2-15", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = bitmap_only_arrived),
    CHECK_ROW("bitmap-shows-arrived", "REQ-7.5.2-16", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = bitmap_shows_arrived, .on_due = mrct_resp_doubt_due,
              .on_end = mrct_resp_doubt_end),
    CHECK_ROW("bitmap-covers-highest", "REQ-7.5.2-17", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = bitmap_covers_highest,
              .on_due = mrct_resp_doubt_due, .on_end = mrct_resp_doubt_end),
    CHECK_ROW("ooo-count", "REQ-7.5.2-18", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = ooo_count, .on_due = mrct_resp_doubt_due, .on_end = mrct_resp_doubt_end),
    CHECK_ROW("rcvd-bytes-monotone", "REQ-7.5.2-19", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = bytes_monotone),
    CHECK_ROW("rcvd-bytes-only-new", "REQ-7.5.2-20", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = bytes_only_new, .on_due = mrct_resp_doubt_due,
              .on_end = mrct_resp_doubt_end),
    CHECK_ROW("rcvd-bytes-exact", "REQ-7.5.2-21", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = bytes_exact, .on_due = mrct_resp_doubt_due,
              .on_end = mrct_resp_doubt_end),
    CHECK_ROW("sack-mpr-zero", "REQ-7.5.2-22", SCOPE_FLOW, WANT(KIND_SACK), 0,
              .on_frame = mpr_zero),
};

const struct check_table mrct_checks_sec_07_5_2_state = CHECK_TABLE(checks);
