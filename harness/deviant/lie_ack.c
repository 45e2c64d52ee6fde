/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in transport ACKs and NAKs, and about what a responder must not take. */
#include "harness/deviant/lies.h"

#define AETH_ACK 0x1Fu

static enum mrct_liar_do ack_credit_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_ack(io))
        return MRCT_LIAR_PASS;
    io->p->aeth.syndrome = 0x05;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_ack_credit = {.out = ack_credit_out};

/* A SACK that shows a hole is followed by an ACK for what lies above it. */
static enum mrct_liar_do ack_early_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->seth.ack_psn_offset <= 1)
        return MRCT_LIAR_PASS;
    const struct mrct_liar_arrival *const t = mrct_liar_trigger(io->qp, io->p);
    if (t == NULL)
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.present &= ~(UINT32_MAX << (MRC_HDR_BTH + 1));
    p.present |= UINT32_C(1) << MRC_HDR_AETH;
    p.bth.opcode = MRC_OP_ACK;
    p.bth.rtx = 0;
    p.bth.psn = t->psn;
    p.aeth = (struct mrc_aeth){.syndrome = AETH_ACK, .msn = t->msn};
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_ack_early = {.out = ack_early_out};

struct acks {
    bool any;
    uint32_t msn, psn; /* of the first and of the latest ACK */
};

static enum mrct_liar_do ack_msn_stuck_out(struct mrct_liar_io *io)
{
    struct acks *const s = io->state;
    if (!mrct_liar_is_ack(io))
        return MRCT_LIAR_PASS;
    if (!s->any)
        *s = (struct acks){true, io->p->aeth.msn, 0};
    io->p->aeth.msn = s->msn;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_ack_msn_stuck = {sizeof(struct acks),
                                                       .out = ack_msn_stuck_out};

static enum mrct_liar_do ack_missing_out(struct mrct_liar_io *io)
{
    return mrct_liar_is_ack(io) ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_ack_missing = {.out = ack_missing_out};

/* An ACK that says nothing new is there for a duplicate. */
static enum mrct_liar_do duplicate_unacked_out(struct mrct_liar_io *io)
{
    struct acks *const s = io->state;
    if (!mrct_liar_is_ack(io))
        return MRCT_LIAR_PASS;
    if (s->any && mrc_psn_diff(io->p->bth.psn, s->psn) <= 0)
        return MRCT_LIAR_SWALLOW;
    *s = (struct acks){true, 0, io->p->bth.psn};
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_duplicate_unacked = {sizeof(struct acks),
                                                           .out = duplicate_unacked_out};

static enum mrct_liar_do access_error_silent_out(struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_ACK) && io->p->aeth.syndrome == MRC_SYN_REMOTE_ACCESS
               ? MRCT_LIAR_SWALLOW
               : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_access_error_silent = {.out = access_error_silent_out};

static enum mrct_liar_do other_nak(struct mrct_liar_io *io, uint8_t syndrome)
{
    if (!mrct_liar_is(io, MRC_OP_ACK) || io->p->aeth.syndrome != MRC_SYN_REMOTE_ACCESS)
        return MRCT_LIAR_PASS;
    io->p->aeth.syndrome = syndrome;
    return MRCT_LIAR_CHANGED;
}

static enum mrct_liar_do nak_sequence_error_out(struct mrct_liar_io *io)
{
    return other_nak(io, 0x60);
}
const struct mrct_liar_hooks mrct_lie_nak_sequence_error = {.out = nak_sequence_error_out};

static enum mrct_liar_do nak_code_unlisted_out(struct mrct_liar_io *io)
{
    return other_nak(io, 0x6A);
}
const struct mrct_liar_hooks mrct_lie_nak_code_unlisted = {.out = nak_code_unlisted_out};

static void beyond_window_recorded_attr(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    attr->mpr_dest = attr->mpr_dest > 127 ? 255 : (uint8_t)(attr->mpr_dest * 2);
}
const struct mrct_liar_hooks mrct_lie_beyond_window_recorded = {.attr =
                                                                    beyond_window_recorded_attr};

static enum mrct_liar_do beyond_window_silent_out(struct mrct_liar_io *io)
{
    return mrct_liar_is_nack(io) && io->p->neth.nack_reason == MRC_NACK_PSN_OOR_WINDOW
               ? MRCT_LIAR_SWALLOW
               : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_beyond_window_silent = {.out = beyond_window_silent_out};

static enum mrct_liar_do icrc_unchecked_in(struct mrct_liar_io *io)
{
    if (io->f->icrc_state == MRC_ICRC_WRONG) {
        io->f->icrc_state = MRC_ICRC_DEFERRED;
        if (mrc_op_is_write(io->p->bth.opcode))
            (void)mrct_liar_book_note(io->qp, io->p);
    }
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_icrc_unchecked = {.in = icrc_unchecked_in};

static enum mrct_liar_do tver_unchecked_in(struct mrct_liar_io *io)
{
    if (io->err == MRC_WIRE_BAD_TVER) {
        io->f->hdr[io->p->off[MRC_HDR_BTH] + 1] &= 0xF0;
        if (io->f->icrc_state == MRC_ICRC_VALID)
            io->f->icrc_state = MRC_ICRC_DEFERRED;
    }
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_tver_unchecked = {.in = tver_unchecked_in};

/* ---- a request cut short is answered: the latest SACK once more, with its PSN as the trigger ----
 */

struct latest_sack {
    bool known;
    uint64_t bytes; /* of new requests, as rcvd_bytes counts them */
    unsigned port;
    struct mrc_pkt p;
};

static enum mrct_liar_do bad_length_answered_out(struct mrct_liar_io *io)
{
    struct latest_sack *const s = io->state;
    if (mrct_liar_is_sack(io))
        *s = (struct latest_sack){true, s->bytes, io->port, *io->p};
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do bad_length_answered_in(struct mrct_liar_io *io)
{
    struct latest_sack *const s = io->state;
    const struct mrc_pkt *const p = io->p;
    const bool cut = io->err >= MRC_WIRE_SHORT_METH && io->err <= MRC_WIRE_SHORT_IMMDT;
    if (mrct_liar_is_request(io) && !io->duplicate && p->trim == MRC_TRIM_NONE)
        s->bytes += p->nominal_len;
    if (!s->known || !cut)
        return MRCT_LIAR_PASS;
    struct mrc_pkt sack = s->p;
    sack.bth.rtx = p->bth.rtx;
    sack.bth.psn = sack.seth.cack_psn = io->qp->cack;
    sack.seth.ack_psn_offset = (int16_t)mrc_psn_diff(p->bth.psn, io->qp->cack);
    sack.seth.sack_offset = 1;
    sack.seth.sack_bitmap = 0;
    sack.cc_state.ooo_count = 0;
    sack.cc_state.rcvd_bytes = (uint32_t)((s->bytes + 255) / 256) & 0xFFFFFF;
    sack.seth.entropy = p->ev;
    sack.cc_state.tx_timestamp = MRC_PKT_HAS(p, TSETH) ? p->tseth.tx_timestamp : 0;
    mrct_liar_send_pkt(io->liar, io->now_ns, s->port, &sack, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_bad_length_answered = {
    sizeof(struct latest_sack), .in = bad_length_answered_in, .out = bad_length_answered_out};
