/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 6.3: transport ACKs, what is dropped before placement, immediate data. */
#include "harness/oracle/resp.h"
#include "ref/endpoint/mrc_ep.h"
#include <inttypes.h>

static bool is_positive(const struct look *l)
{
    return (l->obs->pkt.aeth.syndrome & 0x60u) != 0x60u;
}

static uint64_t shown(resp_psn psn)
{
    return (uint64_t)psn & 0xFFFFFFu;
}

/* REQ-6.3-01. At the requestor's tap: beyond what was ever sent. */
static void ack_not_early(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (m->dead || !is_positive(l))
        return;
    if (!m->synced)
        mrct_look_missing(l, "start_psn");
    else if (m->view.cack_beyond)
        mrct_look_fail(l,
                       "the transport ACK covers PSN %u, but all had arrived only up to %" PRIu64,
                       l->obs->pkt.bth.psn, shown(m->now.cack));
    else if (l->sent_at_tap)
        mrct_look_pass(l);
}

/* REQ-6.3-02: messages complete up to the ACK's PSN, plus a constant that Q24 leaves open. */
static void ack_msn(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    if (m->dead || !is_positive(l) || !mrct_look_can_decide(l))
        return;
    if (!m->synced) {
        mrct_look_missing(l, "start_psn");
        return;
    }
    const struct psn_info *const i = mrct_resp_psn(m, m->view.cack);
    if (m->view.cack > m->now.cack || m->murky_seq == RESP_NEVER || i == NULL)
        return;
    const uint16_t offset = (uint16_t)(l->obs->pkt.aeth.msn - i->done);
    if (m->have_ack_offset ? offset == m->ack_offset : offset <= 1) {
        m->have_ack_offset = true;
        m->ack_offset = offset;
        mrct_look_pass(l);
        return;
    }
    mrct_look_fail(l, "MSN %u in the transport ACK for PSN %u, where %u messages are complete",
                   l->obs->pkt.aeth.msn, l->obs->pkt.bth.psn, i->done);
}

/* REQ-6.3-03 */
static void ack_due(struct look *l)
{
    if (!mrct_look_can_decide(l))
        return;
    if (!l->flow->resp->synced && l->kind == KIND_REQUEST)
        mrct_look_missing(l, "start_psn");
    mrct_duty_judge(l, DUTY_ACK, false,
                    "no transport ACK after all up to a request that asked for one had arrived");
}

static void ack_due_end(struct look *l)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, DUTY_ACK, true,
                        "no transport ACK after all up to a request that asked for one had "
                        "arrived");
}

/* ---- REQ-6.3-04: what the device says of itself, held against the wire ---- */

static void access_nak(struct look *l)
{
    if (l->obs->pkt.aeth.syndrome != MRC_SYN_REMOTE_ACCESS || !mrct_look_can_decide(l))
        return;
    if (!l->cfg->have_events)
        mrct_look_unsure(l, "whether the QP goes to ERROR is told by application events only");
    else
        mrct_look_due(l, mrct_look_reaction(l), 1, 0);
}

static void access_event(struct look *l)
{
    if (l->ev->kind == MRCT_EVENT_QP_ERROR && !l->ev_at_requestor &&
        l->ev->status == MRC_WC_LOCAL_ACCESS && mrct_look_can_decide(l))
        mrct_look_due(l, mrct_look_reaction(l), 0, 0);
}

static void access_judge(struct look *l, bool said_first)
{
    const struct resp_model *const m = l->flow->resp;
    if (said_first && !m->in_error)
        mrct_look_fail(l, "the QP did not go to ERROR after its NAK remote access error");
    else if (!said_first && !m->said_access_nak)
        mrct_look_fail(l, "the responder refused an access and sent no NAK remote access error");
    else
        mrct_look_pass(l);
}

static void access_due(struct look *l, const struct due *d)
{
    access_judge(l, d->a != 0);
}

/* ---- REQ-6.3-05 .. 07: dropped without a trace ---- */

static void drop_check(struct look *l, uint8_t cause, enum arrival_class cls, const char *what)
{
    const struct resp_model *const m = l->flow->resp;
    if (!mrct_look_can_decide(l) || m->seen[cls] == 0)
        return;
    if ((m->view.causes & cause) == 0) {
        mrct_look_pass(l);
        return;
    }
    mrct_resp_fail_cause(l, what);
}

static void bad_icrc(struct look *l)
{
    if (l->flow->resp->seen[ARRIVAL_BAD_ICRC] != 0 && !l->flow->resp->synced)
        mrct_look_missing(l, "start_psn");
    drop_check(l, CAUSE_BAD_ICRC, ARRIVAL_BAD_ICRC, "it only came with a wrong ICRC");
}

static void unknown(struct look *l)
{
    drop_check(l, CAUSE_UNKNOWN, ARRIVAL_UNKNOWN,
               "it only came with an unlisted opcode or transport version");
}

static void misfit(struct look *l)
{
    drop_check(l, CAUSE_MISFIT, ARRIVAL_MISFIT,
               "it only came with headers or a length that do "
               "not fit");
}

/* REQ-6.3-18 */
static void pkey(struct look *l)
{
    drop_check(l, CAUSE_PKEY, ARRIVAL_PKEY, "it only came with the P_Key of another partition");
}

/* ---- REQ-6.3-08, 09: immediate data ---- */

/* Immediate data that came and still waits for something before it. */
static bool waits_above(const struct resp_model *m, uint32_t imm)
{
    for (resp_psn p = m->now.cack + 1; p <= m->now.max_rcv; p++) {
        const struct psn_info *const i = mrct_resp_psn(m, p);
        if (i != NULL && i->state != RESP_NEVER && mrct_resp_has_imm(i->opcode) && i->imm == imm)
            return true;
    }
    return false;
}

static bool is_recv_imm(const struct look *l)
{
    return l->ev->kind == MRCT_EVENT_RECV_IMM && !l->ev_at_requestor;
}

static bool is_next(const struct resp_model *m, uint32_t imm)
{
    return m->imm_count != 0 && m->imms[m->imm_head] == imm;
}

static void imm_not_early(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!is_recv_imm(l) || !mrct_look_can_decide(l))
        return;
    if (!m->synced)
        mrct_look_missing(l, "start_psn");
    else if (is_next(m, l->ev->imm) || !waits_above(m, l->ev->imm))
        mrct_look_pass(l);
    else
        mrct_look_fail(l,
                       "immediate data 0x%08x was delivered when all had arrived only up to PSN "
                       "%" PRIu64 ", before its own message",
                       l->ev->imm, shown(m->now.cack));
}

/* Takes imm out of what is to be delivered; false when it is not there at all. */
static bool take_imm(struct resp_model *m, uint32_t imm)
{
    for (size_t i = 0; i < m->imm_count; i++)
        if (m->imms[(m->imm_head + i) & (RESP_IMMS_MAX - 1)] == imm) {
            for (; i > 0; i--)
                m->imms[(m->imm_head + i) & (RESP_IMMS_MAX - 1)] =
                    m->imms[(m->imm_head + i - 1) & (RESP_IMMS_MAX - 1)];
            m->imm_head = (m->imm_head + 1) & (RESP_IMMS_MAX - 1);
            m->imm_count--;
            return true;
        }
    return false;
}

static void imm_in_order(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    if (!is_recv_imm(l) || !mrct_look_can_decide(l) || m->imms_lost != 0)
        return;
    if (!m->synced) {
        mrct_look_missing(l, "start_psn");
        return;
    }
    mrct_duty_done_first(m, DUTY_IMM);
    const bool next = is_next(m, l->ev->imm);
    const bool early = !next && waits_above(m, l->ev->imm); /* REQ-6.3-08's matter */
    const uint32_t expected = m->imm_count != 0 ? m->imms[m->imm_head] : 0;
    const bool there = take_imm(m, l->ev->imm);
    if (next)
        mrct_look_pass(l);
    else if (there)
        mrct_look_fail(l, "immediate data 0x%08x was delivered where 0x%08x was next", l->ev->imm,
                       expected);
    else if (!early)
        mrct_look_fail(l,
                       "immediate data 0x%08x was delivered, which no message still to be "
                       "delivered carries",
                       l->ev->imm);
}

static void imm_due(struct look *l, bool at_end)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, DUTY_IMM, at_end,
                        "immediate data was not delivered though all before it had arrived");
}

static void imm_frame(struct look *l)
{
    if (l->kind == KIND_REQUEST && MRC_PKT_HAS(&l->obs->pkt, IMMDT) && !l->cfg->have_events)
        mrct_look_unsure(l, "deliveries are told by application events only");
    imm_due(l, false);
}

static void imm_early_frame(struct look *l)
{
    if (MRC_PKT_HAS(&l->obs->pkt, IMMDT) && !l->cfg->have_events)
        mrct_look_unsure(l, "deliveries are told by application events only");
}

static void imm_end(struct look *l)
{
    imm_due(l, true);
}

static const struct check checks[] = {
    CHECK_ROW("bad-icrc-dropped", "REQ-6.3-05", SCOPE_FLOW, WANT_CONTROL, CHECK_NEEDS_COMPLETE,
              .on_frame = bad_icrc),
    CHECK_ROW("unknown-dropped", "REQ-6.3-06", SCOPE_FLOW, WANT_CONTROL, CHECK_NEEDS_COMPLETE,
              .on_frame = unknown),
    CHECK_ROW("bad-length-dropped", "REQ-6.3-07", SCOPE_FLOW, WANT_CONTROL, CHECK_NEEDS_COMPLETE,
              .on_frame = misfit),
    CHECK_ROW("other-partition-dropped", "REQ-6.3-18", SCOPE_FLOW, WANT_CONTROL,
              CHECK_NEEDS_COMPLETE, .on_frame = pkey),
    CHECK_ROW("transport-ack-not-early", "REQ-6.3-01", SCOPE_FLOW, WANT(KIND_ACK),
              CHECK_NEEDS_COMPLETE, .on_frame = ack_not_early),
    CHECK_ROW("transport-ack-msn", "REQ-6.3-02", SCOPE_FLOW, WANT(KIND_ACK), CHECK_NEEDS_COMPLETE,
              .on_frame = ack_msn),
    CHECK_ROW("transport-ack-due", "REQ-6.3-03", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = ack_due, .on_end = ack_due_end),
    CHECK_ROW("access-error-naked", "REQ-6.3-04", SCOPE_FLOW, WANT(KIND_ACK), CHECK_NEEDS_COMPLETE,
              .on_frame = access_nak, .on_event = access_event, .on_due = access_due),
    CHECK_ROW("immediate-not-early", "REQ-6.3-08", SCOPE_FLOW, WANT(KIND_REQUEST),
              CHECK_NEEDS_COMPLETE, .on_frame = imm_early_frame, .on_event = imm_not_early),
    CHECK_ROW("immediate-once-in-order", "REQ-6.3-09", SCOPE_FLOW, WANT_DECODED,
              CHECK_NEEDS_COMPLETE, .on_frame = imm_frame, .on_event = imm_in_order,
              .on_end = imm_end),
};

const struct check_table mrct_checks_sec_06_3_responder = CHECK_TABLE(checks);
