/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.5: NACKs, and what a trimmed request must not become. */
#include "harness/oracle/resp.h"
#include <inttypes.h>

static bool is_trim_reason(uint8_t reason)
{
    return reason == MRC_NACK_TRIMMED || reason == MRC_NACK_TRIMMED_LASTHOP;
}

static bool is_trimmed(const struct arrival *a)
{
    return a->cls == ARRIVAL_TRIMMED || a->cls == ARRIVAL_TRIM_DUP;
}

static uint8_t reason(const struct look *l)
{
    return l->obs->pkt.neth.nack_reason;
}

static const struct resp_view *view(const struct look *l)
{
    return &l->flow->resp->view;
}

static bool have_dscp(struct look *l)
{
    if (!l->facts->have_dscp)
        mrct_look_missing(l, "dscp");
    return l->facts->have_dscp;
}

#define TRIM_WORDS "no NACK for a trimmed request"

/* REQ-7.5-01 */
static void trimmed_nacked_any(struct look *l, bool at_end)
{
    const struct resp_model *const m = l->flow->resp;
    if (!mrct_look_can_decide(l) || m->seen[ARRIVAL_TRIMMED] == 0 || !have_dscp(l))
        return;
    if (l->flow->fact.trim_nack == MRCT_UNKNOWN)
        mrct_look_missing(l, "trim_nack");
    else if (l->flow->fact.trim_nack == 1)
        mrct_duty_judge(l, DUTY_TRIM_NACK, at_end, TRIM_WORDS);
}

static void trimmed_nacked(struct look *l)
{
    trimmed_nacked_any(l, false);
}

static void trimmed_nacked_end(struct look *l)
{
    trimmed_nacked_any(l, true);
}

/* REQ-7.5-02 */
static void reason_by_class(struct look *l)
{
    const struct arrival *const a = view(l)->trigger;
    if (!mrct_look_can_decide(l) || a == NULL || !is_trimmed(a) || !have_dscp(l) || view(l)->many)
        return; /* of two copies one may have been trimmed on the way, the other at the last hop */
    if (reason(l) == MRC_NACK_PSN_OOR_WINDOW && l->flow->resp->window_moved)
        return; /* it may lie above the window, and that may be told first */
    const uint8_t want = a->trim == MRC_TRIM_LASTHOP ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED;
    if (reason(l) == want) {
        mrct_look_pass(l);
        return;
    }
    const uint64_t frames[2] = {l->obs->frame_no, a->frame_no};
    mrct_look_fail_at(l, frames, 2, "reason 0x%02x for a request of which the class says 0x%02x",
                      reason(l), want);
}

/* REQ-7.5-03 */
static void no_trim_nack(struct look *l)
{
    if (!is_trim_reason(reason(l)) || !mrct_look_can_decide(l))
        return;
    if (l->flow->fact.trim_nack == MRCT_UNKNOWN)
        mrct_look_missing(l, "trim_nack");
    else if (l->flow->fact.trim_nack == 0)
        mrct_look_fail(l, "reason 0x%02x without the capability TRIM_NACK", reason(l));
    else
        mrct_look_pass(l);
}

/* Trimmed requests came and no word of them went out, as it must be without the capability. */
static void no_trim_nack_end(struct look *l)
{
    if (mrct_look_can_decide(l) && l->flow->fact.trim_nack == 0 &&
        l->flow->resp->seen[ARRIVAL_TRIMMED] > 0)
        mrct_look_pass(l);
}

/* Entropy and timestamp both of another packet: the PSN is what is wrong. */
static bool names_another(const struct resp_view *v)
{
    return !v->ev_ok && v->trigger->has_ts && !v->ts_ok;
}

static bool reason_fits(const struct look *l, const struct arrival *a)
{
    if (is_trim_reason(reason(l)))
        return is_trimmed(a);
    if (reason(l) == MRC_NACK_PSN_OOR_WINDOW && l->flow->fact.mpr > 0 &&
        l->flow->fact.dynamic_mpr == 0)
        return a->cls != ARRIVAL_NEW && a->cls != ARRIVAL_DUP;
    return true;
}

/* REQ-7.5-04 */
static void psn_of_trigger(struct look *l)
{
    const struct resp_view *const v = view(l);
    if (!mrct_look_can_decide(l))
        return;
    if (v->trigger == NULL && v->forgotten)
        mrct_look_unsure(l, "the request of PSN %u may have come too long ago", v->trigger_psn);
    else if (v->trigger == NULL)
        mrct_look_fail(l, "NACK for PSN %u, of which no packet came", v->trigger_psn);
    else if (names_another(v))
        mrct_look_fail(l, "NACK for PSN %u with entropy and timestamp of another packet",
                       v->trigger_psn);
    else if (!reason_fits(l, v->trigger))
        mrct_look_fail(l, "NACK with reason 0x%02x for PSN %u, of which no such packet came",
                       reason(l), v->trigger_psn);
    else
        mrct_look_pass(l);
}

/* The NACK's trigger, where it is certain which it is. */
static const struct arrival *sure_trigger(struct look *l)
{
    const struct resp_view *const v = view(l);
    if (!mrct_look_can_decide(l) || v->trigger == NULL || names_another(v) ||
        !reason_fits(l, v->trigger))
        return NULL;
    return v->trigger;
}

/* REQ-7.5-05 */
static void entropy(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL)
        return;
    const uint64_t frames[2] = {l->obs->frame_no, a->frame_no};
    if (view(l)->ev_ok)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, frames, 2, "entropy 0x%08x for a request of EV 0x%08x",
                          l->obs->pkt.neth.entropy, a->ev);
}

/* REQ-7.5-06 */
static void timestamp(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL || !a->has_ts || !view(l)->ev_ok)
        return;
    const uint16_t ts = l->obs->pkt.neth.tx_timestamp;
    const uint64_t frames[2] = {l->obs->frame_no, a->frame_no};
    switch (mrct_resp_time_echo(l, a, ts)) {
    case TIME_ECHO_OK:
        mrct_look_pass(l);
        return;
    case TIME_ECHO_UNSURE:
        mrct_look_missing(l, "svc_time");
        return;
    case TIME_ECHO_WRONG:
        mrct_look_fail_at(l, frames, 2, "timestamp %u for a request of timestamp %u", ts, a->ts);
        return;
    }
}

/* REQ-7.5-07 */
static void rtx(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL || !view(l)->ev_ok)
        return;
    const uint64_t frames[2] = {l->obs->frame_no, a->frame_no};
    if (view(l)->rtx_ok)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, frames, 2, "RTX is %d for a request with RTX %d", l->obs->pkt.bth.rtx,
                          a->rtx);
}

/* REQ-7.5-08 */
static void trimmed_not_recorded(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!mrct_look_can_decide(l) || m->seen[ARRIVAL_TRIMMED] == 0 || !have_dscp(l))
        return;
    if (!m->synced) {
        mrct_look_missing(l, "start_psn");
        return;
    }
    if ((view(l)->causes & CAUSE_TRIMMED) == 0) {
        mrct_look_pass(l);
        return;
    }
    mrct_resp_fail_cause(l, "only a trimmed packet of it came");
}

static const struct check checks[] = {
    CHECK_ROW("trimmed-not-recorded", "REQ-7.5-08", SCOPE_FLOW, WANT(KIND_SACK) | WANT(KIND_ACK),
              CHECK_NEEDS_COMPLETE, .on_frame = trimmed_not_recorded),
    CHECK_ROW("nack-psn-of-trigger", "REQ-7.5-04", SCOPE_FLOW, WANT(KIND_NACK),
              CHECK_NEEDS_COMPLETE, .on_frame = psn_of_trigger),
    CHECK_ROW("nack-reason-by-class", "REQ-7.5-02", SCOPE_FLOW, WANT(KIND_NACK),
              CHECK_NEEDS_COMPLETE, .on_frame = reason_by_class),
    CHECK_ROW("no-trim-nack-without-capability", "REQ-7.5-03", SCOPE_FLOW, WANT(KIND_NACK), 0,
              .on_frame = no_trim_nack, .on_end = no_trim_nack_end),
    CHECK_ROW("nack-entropy-reflected", "REQ-7.5-05", SCOPE_FLOW, WANT(KIND_NACK),
              CHECK_NEEDS_COMPLETE, .on_frame = entropy),
    CHECK_ROW("nack-timestamp-reflected", "REQ-7.5-06", SCOPE_FLOW, WANT(KIND_NACK),
              CHECK_NEEDS_COMPLETE, .on_frame = timestamp),
    CHECK_ROW("nack-rtx-echoed", "REQ-7.5-07", SCOPE_FLOW, WANT(KIND_NACK), CHECK_NEEDS_COMPLETE,
              .on_frame = rtx),
    CHECK_ROW("trimmed-nacked", "REQ-7.5-01", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = trimmed_nacked, .on_end = trimmed_nacked_end),
};

const struct check_table mrct_checks_sec_07_5_nack = CHECK_TABLE(checks);
