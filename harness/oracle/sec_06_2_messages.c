/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 6.2, what a requestor sends for the first time: PSNs in a row, messages cut into packets.
 */
#include "harness/oracle/reqr.h"

/* The model when the request at hand is a first transmission, else NULL. */
static const struct reqr_model *first_sending(const struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    return m != NULL && m->now.class == REQR_FIRST ? m : NULL;
}

/* The same when its place in the order of messages is known. */
static const struct reqr_model *in_order(const struct look *l)
{
    const struct reqr_model *const m = first_sending(l);
    return m != NULL && m->now.in_order ? m : NULL;
}

/* The same when it goes on with a message. */
static const struct reqr_model *goes_on(const struct look *l)
{
    const struct reqr_model *const m = in_order(l);
    return m != NULL && m->now.goes_on ? m : NULL;
}

static void psn_consecutive(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const struct mrc_bth *const b = &l->obs->pkt.bth;
    if (mrct_reqr_out_of_order(l)) {
        mrct_look_fail(l, "PSN %u, passed over before, is sent for the first time after PSN %u",
                       b->psn, mrc_psn_add(m->next, -1));
        return;
    }
    if (first_sending(l) == NULL)
        return;
    if (m->now.gap == 0) {
        mrct_look_pass(l);
        return;
    }
    if (!m->now.gap_proven) {
        mrct_look_unsure(l, "PSNs %u to %u were not seen being sent", m->next,
                         mrc_psn_add(b->psn, -1));
        return;
    }
    if (m->probes > 0 && m->now.gap == (int32_t)m->probes)
        mrct_look_fail(l, "PSN %u follows %u: the probes between them consumed PSNs", b->psn,
                       mrc_psn_add(m->next, -1));
    else
        mrct_look_fail(l, "PSN %u follows %u, though the message goes on without a gap", b->psn,
                       mrc_psn_add(m->next, -1));
}

/* Messages are counted from 0 or 1 (Q24), so a packet that begins message 0 is a QP's first. */
static bool begins_the_qp(const struct mrc_pkt *k)
{
    return mrct_op_starts(k->bth.opcode) && k->meth.msn == 0;
}

static void psn_starts_as_agreed(struct look *l)
{
    const struct reqr_model *const m = first_sending(l);
    const struct mrc_pkt *const k = &l->obs->pkt;
    const int64_t agreed = l->flow->fact.start_psn;
    if (m == NULL || m->last_new_frame != 0)
        return;
    if (agreed == MRCT_UNKNOWN)
        mrct_look_missing(l, "start_psn");
    else if (k->bth.psn == (uint32_t)agreed)
        mrct_look_pass(l);
    else if (begins_the_qp(k))
        mrct_look_fail(l, "the first request has PSN %u, the peers agreed on %u", k->bth.psn,
                       (unsigned)agreed);
    else
        mrct_look_unsure(l, "the capture does not begin with the QP's first request");
}

static void message_order(struct look *l)
{
    const struct reqr_model *const m = in_order(l);
    if (m == NULL)
        return;
    const uint8_t op = l->obs->pkt.bth.opcode;
    const char *const name = mrc_opcode_str(op);
    if (m->msg.inside && mrct_op_starts(op))
        mrct_look_fail(l, "%s inside the message that frame %llu began", name,
                       (unsigned long long)m->msg.first_frame);
    else if (!m->msg.inside && !mrct_op_starts(op))
        mrct_look_fail(l, "%s, but no message is begun", name);
    else
        mrct_look_pass(l);
}

static void va_advances(struct look *l)
{
    const struct reqr_model *const m = goes_on(l);
    if (m == NULL)
        return;
    const uint64_t va = l->obs->pkt.reth.va;
    const uint64_t want = m->msg.va + m->msg.sent;
    if (va != want)
        mrct_look_fail(l, "VA 0x%llx, but %llu bytes of the message from 0x%llx were sent: 0x%llx",
                       (unsigned long long)va, (unsigned long long)m->msg.sent,
                       (unsigned long long)m->msg.va, (unsigned long long)want);
    else
        mrct_look_pass(l);
}

static void dma_length_constant(struct look *l)
{
    const struct reqr_model *const m = goes_on(l);
    if (m == NULL)
        return;
    const uint32_t len = l->obs->pkt.reth.dma_len;
    const uint32_t left = m->msg.dma_len - (uint32_t)m->msg.sent;
    const bool whole = len == m->msg.dma_len, rest = m->msg.whole && len == left;
    if (mrct_look_reading(l, 8) == 'b' ? rest : whole)
        mrct_look_pass(l);
    else if (whole || rest)
        mrct_look_fail(l, "DMALen %u, of %u in the message's first packet", len, m->msg.dma_len);
    else
        mrct_look_fail_any_reading(l, "DMALen %u is neither the message's %u nor its rest of %u",
                                   len, m->msg.dma_len, left);
}

static void rkey_constant(struct look *l)
{
    const struct reqr_model *const m = goes_on(l);
    if (m == NULL)
        return;
    if (l->obs->pkt.reth.rkey != m->msg.rkey)
        mrct_look_fail(l, "R_Key 0x%X inside a message that began with R_Key 0x%X",
                       l->obs->pkt.reth.rkey, m->msg.rkey);
    else
        mrct_look_pass(l);
}

static void message_length_adds_up(struct look *l)
{
    const struct reqr_model *const m = goes_on(l);
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (m == NULL || !m->msg.whole)
        return;
    const uint64_t sum = m->msg.sent + k->payload_len;
    const uint32_t len = m->msg.dma_len;
    const bool ends = mrct_op_ends(k->bth.opcode);
    if (ends ? sum != len : sum >= len)
        mrct_look_fail(l, "with this %s %llu bytes are sent of a message of %u",
                       ends ? "last packet" : "packet", (unsigned long long)sum, len);
    else if (ends)
        mrct_look_pass(l);
}

static void msn_constant(struct look *l)
{
    const struct reqr_model *const m = goes_on(l);
    if (m == NULL)
        return;
    const uint16_t msn = l->obs->pkt.meth.msn;
    if (msn != m->msg.msn)
        mrct_look_fail(l, "MSN %u inside a message that began with MSN %u", msn, m->msg.msn);
    else
        mrct_look_pass(l);
}

static void msn_counts(struct look *l)
{
    const struct reqr_model *const m = in_order(l);
    if (m == NULL || m->now.goes_on || m->msg.inside || !m->have_msn ||
        !mrct_op_starts(l->obs->pkt.bth.opcode))
        return;
    const uint16_t msn = l->obs->pkt.meth.msn;
    if (msn != (uint16_t)(m->last_msn + 1))
        mrct_look_fail(l, "MSN %u follows MSN %u", msn, m->last_msn);
    else
        mrct_look_pass(l);
}

static void rqmsn_constant(struct look *l)
{
    const struct reqr_model *const m = goes_on(l);
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (m == NULL || !mrct_op_has_imm(k->bth.opcode))
        return;
    if (k->meth.rqmsn != m->msg.rqmsn)
        mrct_look_fail(l, "RQMSN %u in a message that began with RQMSN %u", k->meth.rqmsn,
                       m->msg.rqmsn);
    else if (m->msg.rqmsn_varies)
        mrct_look_fail(l, "the packets of the message with RQMSN %u do not all carry it",
                       m->msg.rqmsn);
    else
        mrct_look_pass(l);
}

static void rqmsn_counts(struct look *l)
{
    const struct reqr_model *const m = in_order(l);
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (m == NULL || !m->have_rqmsn || !mrct_op_has_imm(k->bth.opcode))
        return;
    const uint16_t rqmsn = k->meth.rqmsn;
    if (rqmsn != (uint16_t)(m->last_rqmsn + 1))
        mrct_look_fail(l, "RQMSN %u follows RQMSN %u", rqmsn, m->last_rqmsn);
    else
        mrct_look_pass(l);
}

#define FLOW(check_, req, fn)                                                                      \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FLOW, .want = WANT(KIND_REQUEST),   \
        .flags = CHECK_SEES_BAD_ICRC, .on_frame = (fn), CHECK_HERE                                 \
    }

static const struct check rows[] = {
    FLOW("psn-consecutive", "REQ-6.2-01", psn_consecutive),
    FLOW("psn-starts-as-agreed", "REQ-6.2-02", psn_starts_as_agreed),
    FLOW("message-order", "REQ-6.2-05", message_order),
    FLOW("va-advances", "REQ-6.2-06", va_advances),
    FLOW("dma-length-constant", "REQ-6.2-07", dma_length_constant),
    FLOW("rkey-constant", "REQ-6.2-19", rkey_constant),
    FLOW("message-length-adds-up", "REQ-6.2-08", message_length_adds_up),
    FLOW("msn-constant", "REQ-6.2-09", msn_constant),
    FLOW("msn-counts", "REQ-6.2-10", msn_counts),
    FLOW("rqmsn-constant", "REQ-6.2-11", rqmsn_constant),
    FLOW("rqmsn-counts", "REQ-6.2-12", rqmsn_counts),
};
const struct check_table mrct_checks_sec_06_2_messages = CHECK_TABLE(rows);
