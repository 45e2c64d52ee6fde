/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7, what a control packet or probe decides by itself, and the QP numbers that it names. */
#include "harness/oracle/formats.h"

#define NODE_QP 0x2u

static bool nak_known(uint8_t syndrome)
{
    return syndrome == MRC_SYN_INVALID_REQUEST || syndrome == MRC_SYN_REMOTE_ACCESS ||
           syndrome == MRC_SYN_REMOTE_OP;
}

/* One rule about one value: what it is, whether it holds, and the words when it does not. */
#define RULE(fn, holds, ...)                                                                       \
    static void fn(struct look *l)                                                                 \
    {                                                                                              \
        const struct mrc_pkt *const p = &l->obs->pkt;                                              \
        if (!mrct_formats_trust(l))                                                                \
            return;                                                                                \
        if (holds)                                                                                 \
            mrct_look_pass(l);                                                                     \
        else                                                                                       \
            mrct_look_fail(l, __VA_ARGS__);                                                        \
    }

RULE(sack_psn_is_cack, p->bth.psn == p->seth.cack_psn, "BTH.PSN %u differs from cack_psn %u",
     p->bth.psn, p->seth.cack_psn)
RULE(nack_psn_in_bth, p->bth.psn == p->neth.nack_psn, "BTH.PSN %u differs from nack_psn %u",
     p->bth.psn, p->neth.nack_psn)
RULE(sack_m_listed, p->seth.m <= MRC_M_ALWAYS_SKIP, "SETH.M has the reserved value %u", p->seth.m)
RULE(nack_reason_listed, mrc_nack_reason_str(p->neth.nack_reason) != NULL,
     "nack_reason 0x%02X is a reserved value", p->neth.nack_reason)
RULE(endpoint_op_listed, p->erth.op <= MRC_EP_OP_EV_PROBE, "endpoint op %u is a reserved value",
     p->erth.op)
RULE(endpoint_response_op_listed, p->eeth.op <= MRC_EP_OP_EV_PROBE,
     "endpoint op %u of the response is a reserved value", p->eeth.op)
RULE(endpoint_to_qp_2, p->bth.dest_qp == NODE_QP, "endpoint packet to QP 0x%X, not to QP 0x2",
     p->bth.dest_qp)
RULE(endpoint_psn_high_zero, p->bth.psn >> 16 == 0,
     "PSN 0x%06X of an endpoint packet is no sixteen-bit id", p->bth.psn)
RULE(nack_cc_type, p->neth.cc_type == 2, "cc_type of a NACK is %u, not 2", p->neth.cc_type)
RULE(sack_cc_type, p->seth.cc_type == 0, "cc_type of a SACK is %u, not 0", p->seth.cc_type)
RULE(control_without_payload, p->payload_len == 0 && p->bth.pad_cnt == 0,
     "%u bytes of payload and %u of pad in a control packet", p->payload_len, p->bth.pad_cnt)

/* Bits 6 and 5 of a syndrome: 00 is an ACK, whose other bits are the credit; 01 is RNR; 11 NAK. */
static bool is_positive(uint8_t syndrome)
{
    return (syndrome & 0x60) == 0;
}

static void aeth_credit_unused(struct look *l)
{
    const uint8_t s = l->obs->pkt.aeth.syndrome;
    if (!is_positive(s) || !mrct_formats_trust(l))
        return;
    if (s != MRC_SYN_ACK)
        mrct_look_fail(l, "syndrome 0x%02X of a transport ACK, not 0x1F", s);
    else
        mrct_look_pass(l);
}

static bool is_sequence_or_rnr(uint8_t syndrome)
{
    return syndrome == 0x60 || (syndrome & 0x60) == 0x20;
}

static void no_sequence_or_rnr_nak(struct look *l)
{
    const uint8_t s = l->obs->pkt.aeth.syndrome;
    if (!mrct_formats_trust(l))
        return;
    if (is_sequence_or_rnr(s))
        mrct_look_fail(l, "syndrome 0x%02X tells of a %s", s,
                       s == 0x60 ? "PSN sequence error" : "receiver that is not ready");
    else
        mrct_look_pass(l);
}

static void nak_code_listed(struct look *l)
{
    const uint8_t s = l->obs->pkt.aeth.syndrome;
    if (is_positive(s) || is_sequence_or_rnr(s) || !mrct_formats_trust(l))
        return;
    if (!nak_known(s))
        mrct_look_fail(l, "syndrome 0x%02X is no listed NAK", s);
    else
        mrct_look_pass(l);
}

/* ---- reserved fields: written out again, so that the generated field table can judge them ---- */

static void sack_reserved_zero(struct look *l)
{
    uint8_t b[MRC_SETH_LEN + MRC_CC_STATE_LEN];
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (!mrct_formats_trust(l))
        return;
    if (p->cc_state.rsvd != 0) {
        mrct_look_fail(l, "the reserved field cc_state.rsvd is not 0");
        return;
    }
    const size_t len = mrc_seth_encode(&p->seth, b, b + sizeof b);
    mrct_formats_reserved(l, MRC_HDR_SETH, b, len);
}

static void nack_reserved_zero(struct look *l)
{
    uint8_t b[MRC_NETH_LEN];
    const size_t len = mrc_neth_encode(&l->obs->pkt.neth, b, b + sizeof b);
    mrct_formats_reserved(l, MRC_HDR_NETH, b, len);
}

static void probe_reserved_zero(struct look *l)
{
    uint8_t b[MRC_PETH_LEN];
    struct mrc_peth h = l->obs->pkt.peth;
    h.rsvd3 = 0; /* the timestamp header's, judged with it */
    if (!mrct_formats_trust(l))
        return;
    if (l->obs->pkt.bth.psn != 0) {
        mrct_look_fail(l, "the PSN of a Reliability Probe is 0x%06X, reserved and not 0",
                       l->obs->pkt.bth.psn);
        return;
    }
    const size_t len = mrc_peth_encode(&h, b, b + sizeof b);
    mrct_formats_reserved(l, MRC_HDR_PETH, b, len);
}

static void endpoint_request_reserved_zero(struct look *l)
{
    uint8_t b[MRC_ERTH_LEN];
    struct mrc_erth h = l->obs->pkt.erth;
    h.rsvd3 = 0; /* the timestamp header's, judged with it */
    const size_t len = mrc_erth_encode(&h, b, b + sizeof b);
    mrct_formats_reserved(l, MRC_HDR_ERTH, b, len);
}

static void endpoint_response_reserved_zero(struct look *l)
{
    uint8_t b[MRC_EETH_LEN];
    const size_t len = mrc_eeth_encode(&l->obs->pkt.eeth, b, b + sizeof b);
    mrct_formats_reserved(l, MRC_HDR_EETH, b, len);
}

/* ---- QP numbers ---- */

struct ends {
    int from, to; /* hosts of the facts, or -1 */
};

static struct ends ends_of(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    return (struct ends){
        mrct_facts_host_of(l->facts, p->is_v6, p->is_v6 ? p->ip6.src : p->ip4.src),
        mrct_facts_host_of(l->facts, p->is_v6, p->is_v6 ? p->ip6.dst : p->ip4.dst)};
}

/* The facts' QPs between the two ends: is the packet's among them, and are their numbers known? */
static void dest_qp_agreed(struct look *l)
{
    const uint32_t qp = l->obs->pkt.bth.dest_qp;
    const bool forward = (WANT(l->kind) & WANT_FORWARD) != 0;
    const struct ends e = ends_of(l);
    bool known = false;
    if (e.from < 0 || e.to < 0 || !mrct_formats_trust(l))
        return;
    for (size_t i = 0; i < l->facts->qp_count; i++) {
        const struct mrct_fact_qp *const q = &l->facts->qps[i];
        const int asker = forward ? e.from : e.to, answerer = forward ? e.to : e.from;
        const int64_t number = forward ? q->peer_qpn : q->qpn;
        if (q->host != asker || q->peer_host != answerer)
            continue;
        if (number == MRCT_UNKNOWN || number == (int64_t)qp) {
            mrct_look_pass(l);
            return;
        }
        known = true;
    }
    if (!known)
        return;
    if (l->cfg->strict || l->cfg->have_events)
        mrct_look_fail(l, "QP 0x%X was not agreed on by these hosts", qp);
    else
        mrct_look_unsure(l, "QP 0x%X stands in no fact; there may be more QPs than the facts list",
                         qp);
}

static void connection_ids(struct look *l)
{
    const struct mrct_fact_qp *const q = &l->flow->fact;
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (q->qpn == MRCT_UNKNOWN || q->peer_qpn == MRCT_UNKNOWN) {
        mrct_look_missing(l, "qpn");
        return;
    }
    if (l->to_responder || l->flow->learned_qpn)
        return;
    const bool sack = l->kind == KIND_SACK;
    const uint16_t from = sack ? p->seth.spdcid : p->neth.spdcid;
    const uint16_t to = sack ? p->seth.dpdcid : p->neth.dpdcid;
    if (from != (uint16_t)q->peer_qpn || to != (uint16_t)q->qpn)
        mrct_look_fail(l, "spdcid %u and dpdcid %u, not those of QPs %u and %u", from, to,
                       (unsigned)q->peer_qpn, (unsigned)q->qpn);
    else
        mrct_look_pass(l);
}

#define FRAME(check_, req, want_, fn)                                                              \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FRAME, .want = (want_),             \
        .on_frame = (fn), CHECK_HERE                                                               \
    }
#define WANT_ENDPOINT (WANT(KIND_EP_REQUEST) | WANT(KIND_EP_RESPONSE))

static const struct check rows[] = {
    FRAME("sack-psn-is-cack", "REQ-7-01", WANT(KIND_SACK), sack_psn_is_cack),
    FRAME("nack-psn-in-bth", "REQ-7-02", WANT(KIND_NACK), nack_psn_in_bth),
    FRAME("sack-m-listed", "REQ-7-03", WANT(KIND_SACK), sack_m_listed),
    FRAME("nack-reason-listed", "REQ-7-04", WANT(KIND_NACK), nack_reason_listed),
    FRAME("endpoint-op-listed", "REQ-7-05", WANT(KIND_EP_REQUEST), endpoint_op_listed),
    FRAME("endpoint-response-op-listed", "REQ-7-06", WANT(KIND_EP_RESPONSE),
          endpoint_response_op_listed),
    FRAME("endpoint-to-qp-2", "REQ-7-07", WANT_ENDPOINT, endpoint_to_qp_2),
    FRAME("endpoint-psn-high-zero", "REQ-7-08", WANT_ENDPOINT, endpoint_psn_high_zero),
    FRAME("aeth-credit-unused", "REQ-7-09", WANT(KIND_ACK), aeth_credit_unused),
    FRAME("no-sequence-or-rnr-nak", "REQ-7-10", WANT(KIND_ACK), no_sequence_or_rnr_nak),
    FRAME("nak-code-listed", "REQ-7-11", WANT(KIND_ACK), nak_code_listed),
    FRAME("nack-cc-type", "REQ-7-12", WANT(KIND_NACK), nack_cc_type),
    FRAME("sack-cc-type", "REQ-7-13", WANT(KIND_SACK), sack_cc_type),
    FRAME("sack-reserved-zero", "REQ-7-14", WANT(KIND_SACK), sack_reserved_zero),
    FRAME("nack-reserved-zero", "REQ-7-15", WANT(KIND_NACK), nack_reserved_zero),
    FRAME("probe-reserved-zero", "REQ-7-16", WANT(KIND_PROBE), probe_reserved_zero),
    FRAME("endpoint-request-reserved-zero", "REQ-7-17", WANT(KIND_EP_REQUEST),
          endpoint_request_reserved_zero),
    FRAME("endpoint-response-reserved-zero", "REQ-7-18", WANT(KIND_EP_RESPONSE),
          endpoint_response_reserved_zero),
    FRAME("control-without-payload", "REQ-7-19", WANT_DECODED & ~WANT(KIND_REQUEST),
          control_without_payload),
    FRAME("dest-qp-agreed", "REQ-7-20", WANT_CONTROL | WANT_FORWARD, dest_qp_agreed),
    {.name = "connection-ids",
     .requirement = "REQ-7-21",
     .scope = SCOPE_FLOW,
     .want = WANT(KIND_SACK) | WANT(KIND_NACK),
     .on_frame = connection_ids,
     CHECK_HERE},
};
const struct check_table mrct_checks_sec_07_formats = CHECK_TABLE(rows);
