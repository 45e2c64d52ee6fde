/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.5.2: what a SACK says of the packet that triggered it. */
#include "harness/oracle/resp.h"

static const struct resp_view *view(const struct look *l)
{
    return &l->flow->resp->view;
}

static bool has_state(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    return MRC_PKT_HAS(p, CC_STATE) && p->seth.cc_type == 0; /* Q18: else it means nothing */
}

/* Entropy and timestamp both of another packet: the offset is what is wrong. */
static bool names_another(const struct look *l)
{
    const struct resp_view *const v = view(l);
    return !v->ev_ok && v->trigger->has_ts && !v->ts_ok && has_state(l);
}

/* The trigger, where it is certain which packet is meant. A cack_psn that is wrong moves the PSN
 * that the offset is relative to; a packet that must not be answered is another check's matter. */
static const struct arrival *sure_trigger(const struct look *l)
{
    const struct resp_view *const v = view(l);
    if (!mrct_look_can_decide(l) || v->trigger == NULL || v->cack_beyond || v->causes != 0)
        return NULL;
    if (l->obs->pkt.seth.pr || names_another(l))
        return NULL; /* answers to probes are judged with them */
    return v->trigger;
}

static void fail_with_trigger(struct look *l, const struct arrival *a, const char *what,
                              uint32_t said, uint32_t expected)
{
    const uint64_t frames[2] = {l->obs->frame_no, a->frame_no};
    mrct_look_fail_at(l, frames, 2, "%s is 0x%x, for a packet with 0x%x", what, said, expected);
}

/* REQ-7.5.2-06 */
static void offset(struct look *l)
{
    const struct resp_view *const v = view(l);
    if (!mrct_look_can_decide(l) || l->obs->pkt.seth.pr || v->cack_beyond || v->causes != 0)
        return;
    if (v->trigger == NULL && v->forgotten)
        mrct_look_unsure(l, "the request of PSN %u may have come too long ago", v->trigger_psn);
    else if (v->trigger == NULL)
        mrct_look_fail(l, "the trigger is said to be PSN %u, of which no packet came",
                       v->trigger_psn);
    else if (names_another(l))
        mrct_look_fail(l, "the trigger is said to be PSN %u, with entropy and timestamp of another",
                       v->trigger_psn);
    else
        mrct_look_pass(l);
}

/* REQ-7.5.2-07 */
static void entropy(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL)
        return;
    if (view(l)->ev_ok)
        mrct_look_pass(l);
    else
        fail_with_trigger(l, a, "the entropy", l->obs->pkt.seth.entropy, a->ev);
}

/* REQ-7.5.2-08 */
static void rtx(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL || !view(l)->ev_ok)
        return;
    if (view(l)->rtx_ok)
        mrct_look_pass(l);
    else
        fail_with_trigger(l, a, "RTX", l->obs->pkt.bth.rtx, a->rtx);
}

/* REQ-7.5.2-09 */
static void timestamp(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL || !a->has_ts || !view(l)->ev_ok || !has_state(l))
        return;
    const uint16_t ts = l->obs->pkt.cc_state.tx_timestamp;
    switch (mrct_resp_time_echo(l, a, ts)) {
    case TIME_ECHO_OK:
        mrct_look_pass(l);
        return;
    case TIME_ECHO_UNSURE:
        mrct_look_missing(l, "svc_time");
        return;
    case TIME_ECHO_WRONG:
        fail_with_trigger(l, a, "the timestamp", ts, a->ts);
        return;
    }
}

/* REQ-7.5.2-10 */
static void timestamp_absent(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL || a->has_ts || !has_state(l))
        return;
    if (l->obs->pkt.cc_state.tx_timestamp == 0)
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "timestamp %u for a request without one",
                       l->obs->pkt.cc_state.tx_timestamp);
}

/* REQ-7.5.2-11: certain only for a mark in the outermost header (Q21). */
static void m_on_ce(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    const uint8_t m = l->obs->pkt.seth.m;
    if (a == NULL || !a->ce || !view(l)->ev_ok)
        return;
    if (m == MRC_M_SKIP_ONCE || m == MRC_M_ALWAYS_SKIP)
        mrct_look_pass(l);
    else
        fail_with_trigger(l, a, "M", m, MRC_M_SKIP_ONCE);
}

/* REQ-7.5.2-12 */
static void m_only_on_ce(struct look *l)
{
    const struct arrival *const a = sure_trigger(l);
    if (a == NULL || a->ce_any || !view(l)->ev_ok)
        return;
    if (l->obs->pkt.seth.m != MRC_M_SKIP_ONCE)
        mrct_look_pass(l);
    else
        fail_with_trigger(l, a, "M", MRC_M_SKIP_ONCE, MRC_M_NONE);
}

static const struct check checks[] = {
    CHECK_ROW("sack-trigger-offset", "REQ-7.5.2-06", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = offset),
    CHECK_ROW("sack-entropy-reflected", "REQ-7.5.2-07", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = entropy),
    CHECK_ROW("sack-rtx-echoed", "REQ-7.5.2-08", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = rtx),
    CHECK_ROW("sack-timestamp-reflected", "REQ-7.5.2-09", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = timestamp),
    CHECK_ROW("sack-timestamp-absent", "REQ-7.5.2-10", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = timestamp_absent),
    CHECK_ROW("sack-m-on-ce", "REQ-7.5.2-11", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = m_on_ce),
    CHECK_ROW("sack-m-only-on-ce", "REQ-7.5.2-12", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = m_only_on_ce),
};

const struct check_table mrct_checks_sec_07_5_2_trigger = CHECK_TABLE(checks);
