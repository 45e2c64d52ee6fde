/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.5.2: when a SACK is due. */
#include "harness/oracle/resp.h"

#define ACK_REQ_WORDS   "no SACK for a request that asks for an acknowledgement"
#define CE_WORDS        "no SACK that tells of a request's congestion mark"
#define RTX_WORDS       "no SACK for a retransmitted request"
#define DUP_WORDS       "no SACK for a duplicate"
#define THRESHOLD_WORDS "no SACK after more bytes than the threshold"

static void judge(struct look *l, enum duty_kind kind, bool at_end, const char *words)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, kind, at_end, words);
}

static void ack_req(struct look *l)
{
    judge(l, DUTY_SACK_ACK_REQ, false, ACK_REQ_WORDS);
}

static void ack_req_end(struct look *l)
{
    judge(l, DUTY_SACK_ACK_REQ, true, ACK_REQ_WORDS);
}

static void ce(struct look *l)
{
    judge(l, DUTY_SACK_CE, false, CE_WORDS);
}

static void ce_end(struct look *l)
{
    judge(l, DUTY_SACK_CE, true, CE_WORDS);
}

static void rtx(struct look *l)
{
    judge(l, DUTY_SACK_RTX, false, RTX_WORDS);
}

static void rtx_end(struct look *l)
{
    judge(l, DUTY_SACK_RTX, true, RTX_WORDS);
}

static void dup(struct look *l)
{
    if (!l->flow->resp->synced && l->kind == KIND_REQUEST && mrct_look_can_decide(l))
        mrct_look_missing(l, "start_psn");
    judge(l, DUTY_SACK_DUP, false, DUP_WORDS);
}

static void dup_end(struct look *l)
{
    judge(l, DUTY_SACK_DUP, true, DUP_WORDS);
}

static void threshold(struct look *l)
{
    if (l->flow->fact.sack_threshold < 0 && l->kind == KIND_REQUEST && mrct_look_can_decide(l))
        mrct_look_missing(l, "sack_threshold");
    judge(l, DUTY_SACK_THRESHOLD, false, THRESHOLD_WORDS);
}

static void threshold_end(struct look *l)
{
    judge(l, DUTY_SACK_THRESHOLD, true, THRESHOLD_WORDS);
}

static const struct check checks[] = {
    CHECK_ROW("sack-on-ack-request", "REQ-7.5.2-01", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = ack_req, .on_end = ack_req_end),
    CHECK_ROW("sack-on-ce", "REQ-7.5.2-02", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = ce, .on_end = ce_end),
    CHECK_ROW("sack-on-rtx", "REQ-7.5.2-03", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = rtx, .on_end = rtx_end),
    CHECK_ROW("sack-on-threshold", "REQ-7.5.2-04", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = threshold, .on_end = threshold_end),
    CHECK_ROW("sack-on-duplicate", "REQ-7.5.2-05", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = dup, .on_end = dup_end),
};

const struct check_table mrct_checks_sec_07_5_2_when = CHECK_TABLE(checks);
