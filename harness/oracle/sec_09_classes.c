/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 9: DSCP classes and ECN of what leaves a host, where the EV travels, and the requests of
 * a QP in ERROR (section 10). */
#include "harness/oracle/formats.h"
#include "harness/oracle/reqr.h"

/* Switches may rewrite the class: it is its sender's only where the frame was seen leaving. */
static bool dscp_known(struct look *l)
{
    if (!l->sent_at_tap || l->obs->pkt.icrc_state == MRC_ICRC_ABSENT)
        return false; /* without ICRC it was trimmed, so a switch stands before the tap */
    if (!l->facts->have_dscp)
        mrct_look_missing(l, "dscp");
    return l->facts->have_dscp;
}

static bool in_class(const struct look *l, enum mrc_dscp_class c)
{
    return l->obs->pkt.dscp == l->facts->wire.dscp[c];
}

static void control_dscp(struct look *l)
{
    if (!dscp_known(l))
        return;
    if (in_class(l, MRC_DSCP_CONTROL))
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "DSCP %u, but the class CONTROL is %u", l->obs->pkt.dscp,
                       l->facts->wire.dscp[MRC_DSCP_CONTROL]);
}

/* Where the RTX bit says other than what was sent before, the bit is the fault, not the class; and
 * what comes twice with the same bits may have been copied on the way. */
static bool bit_is_right(const struct look *l, bool rtx)
{
    if (l->flow == NULL || l->flow->reqr == NULL)
        return true;
    const enum reqr_class class = l->flow->reqr->now.class;
    return class == REQR_FIRST ? !rtx : class == REQR_AGAIN ? rtx : class != REQR_TWICE;
}

static void request_dscp(struct look *l)
{
    const bool rtx = l->kind == KIND_REQUEST && l->obs->pkt.bth.rtx != 0;
    if (rtx || !bit_is_right(l, false) || !dscp_known(l))
        return;
    if (in_class(l, MRC_DSCP_TRIMMABLE) || in_class(l, MRC_DSCP_NO_TRIM))
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "DSCP %u, but the classes TRIMMABLE and NO_TRIM are %u and %u",
                       l->obs->pkt.dscp, l->facts->wire.dscp[MRC_DSCP_TRIMMABLE],
                       l->facts->wire.dscp[MRC_DSCP_NO_TRIM]);
}

/* Where the network cannot trim everything goes NO_TRIM. */
static void rtx_dscp(struct look *l)
{
    if (!l->obs->pkt.bth.rtx || !bit_is_right(l, true) || !dscp_known(l))
        return;
    if (in_class(l, MRC_DSCP_TRIMMABLE_RETX) || in_class(l, MRC_DSCP_NO_TRIM))
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "DSCP %u of a retransmission, but the class TRIMMABLE_RETX is %u",
                       l->obs->pkt.dscp, l->facts->wire.dscp[MRC_DSCP_TRIMMABLE_RETX]);
}

static void request_ect(struct look *l)
{
    if (!mrct_formats_trust(l))
        return;
    if (l->obs->pkt.ecn == 0)
        mrct_look_fail(l, "the request is not ECN capable");
    else
        mrct_look_pass(l);
}

/* A mark is a switch's to set: at the sender's own tap there is none yet. */
static void request_not_marked(struct look *l)
{
    if (!l->sent_at_tap)
        return;
    if (l->obs->pkt.ecn == 3)
        mrct_look_fail(l, "the request leaves its sender with the congestion mark");
    else
        mrct_look_pass(l);
}

static void no_trimmed_class(struct look *l)
{
    /* At the sender's own tap no switch has trimmed anything yet. */
    if (!l->sent_at_tap)
        return;
    if (!l->facts->have_dscp) {
        mrct_look_missing(l, "dscp");
        return;
    }
    const bool last = in_class(l, MRC_DSCP_TRIMMED_LASTHOP);
    if (last || in_class(l, MRC_DSCP_TRIMMED))
        mrct_look_fail(l, "a host sends DSCP %u, the class %s, which only a switch gives",
                       l->obs->pkt.dscp, last ? "TRIMMED_LASTHOP" : "TRIMMED");
    else
        mrct_look_pass(l);
}

/* TS announces a TSETH behind the METH, which only requests have. */
static void ts_of_requests_only(struct look *l)
{
    if (!mrct_formats_trust(l))
        return;
    if (l->obs->pkt.bth.ts)
        mrct_look_fail(l, "TS is set in a packet that has no METH");
    else
        mrct_look_pass(l);
}

static void flow_label_high_zero(struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (!p->is_v6)
        return;
    /* Not covered by the ICRC, so a wrong one says nothing here. */
    if (p->ip6.flow_label >> 16 != 0)
        mrct_look_fail(l, "flow label 0x%05X has more than the EV's sixteen bits",
                       p->ip6.flow_label);
    else
        mrct_look_pass(l);
}

static void no_request_after_error(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || !mrct_reqr_is_sending(m) || !l->cfg->have_events)
        return;
    if (!m->qp_error || l->now_ns <= m->qp_error_ns + l->obs->time_err_ns)
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "PSN %u is sent after the QP went to ERROR", l->obs->pkt.bth.psn);
}

#define WANT_CONTROL_CLASS (WANT_CONTROL | WANT(KIND_EP_RESPONSE))
#define WANT_DATA_CLASS    (WANT_FORWARD | WANT(KIND_EP_REQUEST))
#define FRAME(check_, req, want_, fn)                                                              \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FRAME, .want = (want_),             \
        .on_frame = (fn), CHECK_HERE                                                               \
    }

static const struct check rows[] = {
    FRAME("control-dscp", "REQ-9-01", WANT_CONTROL_CLASS, control_dscp),
    FRAME("request-dscp", "REQ-9-02", WANT_DATA_CLASS, request_dscp),
    FRAME("rtx-dscp", "REQ-9-03", WANT(KIND_REQUEST), rtx_dscp),
    FRAME("request-ect", "REQ-9-04", WANT(KIND_REQUEST), request_ect),
    FRAME("request-not-marked", "REQ-9-06", WANT(KIND_REQUEST), request_not_marked),
    FRAME("no-trimmed-class", "REQ-9-07", WANT_DECODED, no_trimmed_class),
    FRAME("ts-of-requests-only", "REQ-6-17", WANT_DECODED & ~WANT(KIND_REQUEST),
          ts_of_requests_only),
    FRAME("flow-label-high-zero", "REQ-9-05", WANT_DECODED, flow_label_high_zero),
    {.name = "no-request-after-error",
     .requirement = "REQ-10-01",
     .scope = SCOPE_FLOW,
     .want = WANT(KIND_REQUEST),
     .on_frame = no_request_after_error,
     CHECK_HERE},
};
const struct check_table mrct_checks_sec_09_classes = CHECK_TABLE(rows);
