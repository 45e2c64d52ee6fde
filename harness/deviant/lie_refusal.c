/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies of a responder that refuses what it must take, or takes what it refused. */
#include "harness/deviant/lies.h"

#define ABOVE_BTH (UINT32_MAX << (MRC_HDR_BTH + 1))

/* A SACK made into another control packet of the same way and QP. */
static struct mrc_pkt from_sack(const struct mrct_liar_io *io, uint8_t opcode, enum mrc_hdr_id hdr,
                                uint32_t psn)
{
    struct mrc_pkt p = *io->p;
    p.present &= ~ABOVE_BTH;
    p.present |= UINT32_C(1) << hdr;
    p.bth.opcode = opcode;
    p.bth.psn = psn;
    return p;
}

/* ---- NAKs ---- */

static bool is_nak(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_ACK) && !mrct_liar_is_ack(io);
}

static enum mrct_liar_do nak_other_psn_out(struct mrct_liar_io *io)
{
    if (!is_nak(io))
        return MRCT_LIAR_PASS;
    io->p->bth.psn = mrc_psn_add(io->p->bth.psn, 1000);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nak_other_psn = {.out = nak_other_psn_out};

struct bad_request {
    bool known, told;
    uint32_t psn;
};

static enum mrct_liar_do nak_early_in(struct mrct_liar_io *io)
{
    struct bad_request *const s = io->state;
    const struct mrc_pkt *const p = io->p;
    if (mrct_liar_is_request(io) && !s->known && p->payload_len != 0 &&
        mrct_liar_mem(io->liar, p->reth.rkey, p->reth.va, p->payload_len) == NULL)
        *s = (struct bad_request){.known = true, .psn = p->bth.psn};
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do nak_early_out(struct mrct_liar_io *io)
{
    struct bad_request *const s = io->state;
    if (!mrct_liar_is_sack(io) || !s->known || s->told ||
        mrc_psn_diff(s->psn, io->p->seth.cack_psn) <= 1)
        return MRCT_LIAR_PASS;
    s->told = true;
    struct mrc_pkt p = from_sack(io, MRC_OP_ACK, MRC_HDR_AETH, s->psn);
    p.bth.rtx = 0;
    p.aeth = (struct mrc_aeth){.syndrome = MRC_SYN_REMOTE_ACCESS};
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_nak_early = {sizeof(struct bad_request), .in = nak_early_in,
                                                   .out = nak_early_out};

/* ---- NACKs that speak of the window ---- */

struct forced {
    bool done;
};

/* The endpoint is made to refuse a request; why it says so is the lie. */
static enum mrct_liar_do inside_refused_in(struct mrct_liar_io *io)
{
    struct forced *const s = io->state;
    struct mrct_dut *const inner = io->liar->inner;
    if (mrct_liar_is_request(io) && !s->done)
        s->done = inner->ops->force_nack(inner, io->qp->qpn, MRC_NACK_NO_RESOURCE, 1) == 0;
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do inside_refused_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io) || io->p->neth.nack_reason != MRC_NACK_NO_RESOURCE)
        return MRCT_LIAR_PASS;
    io->p->neth.nack_reason = MRC_NACK_PSN_OOR_WINDOW;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_inside_refused = {
    sizeof(struct forced), .in = inside_refused_in, .out = inside_refused_out};

/* The SACK for an old duplicate is followed by a NACK for it. */
static enum mrct_liar_do below_nacked_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->seth.ack_psn_offset > 0)
        return MRCT_LIAR_PASS;
    const struct mrct_liar_arrival *const t = mrct_liar_trigger(io->qp, io->p);
    if (t == NULL || (t->flags & MRCT_ARRIVED_DUP) == 0)
        return MRCT_LIAR_PASS;
    const struct mrc_seth *const s = &io->p->seth;
    struct mrc_pkt p = from_sack(io, MRC_OP_NACK, MRC_HDR_NETH, t->psn);
    p.neth = (struct mrc_neth){.nack_reason = MRC_NACK_PSN_OOR_WINDOW,
                               .entropy = s->entropy,
                               .spdcid = s->spdcid,
                               .dpdcid = s->dpdcid,
                               .nack_psn = t->psn,
                               .cc_type = 2,
                               .tx_timestamp = io->p->cc_state.tx_timestamp};
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_below_nacked = {.out = below_nacked_out};

/* ---- refused, and yet called arrived ---- */

struct refused {
    bool any;
    uint32_t psn;
};

static enum mrct_liar_do refused_recorded_out(struct mrct_liar_io *io)
{
    struct refused *const s = io->state;
    if (mrct_liar_is_nack(io) && io->p->neth.nack_reason == MRC_NACK_NO_BITMAP) {
        *s = (struct refused){true, io->p->neth.nack_psn};
        return MRCT_LIAR_PASS;
    }
    if (!mrct_liar_is_sack(io) || !s->any)
        return MRCT_LIAR_PASS;
    const uint32_t base = mrc_psn_add(io->p->seth.cack_psn, io->p->seth.sack_offset);
    const int32_t bit = mrc_psn_diff(s->psn, base);
    if (bit < 0 || bit >= 64)
        return MRCT_LIAR_PASS;
    io->p->seth.sack_bitmap |= UINT64_C(1) << bit;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_refused_recorded = {sizeof(struct refused),
                                                          .out = refused_recorded_out};

/* ---- what a receiver must not mind, and what it must ---- */

static enum mrct_liar_do reserved_minded_in(struct mrct_liar_io *io)
{
    return mrct_liar_is_request(io) && io->p->bth.r != 0 ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_reserved_minded = {.in = reserved_minded_in};

static enum mrct_liar_do checksum_minded_in(struct mrct_liar_io *io)
{
    const bool minds = mrct_liar_is_request(io) && io->p->udp.checksum != 0;
    return minds ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_checksum_minded = {.in = checksum_minded_in};

static enum mrct_liar_do pkey_unchecked_in(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || io->p->bth.pkey == io->liar->cfg.pkey)
        return MRCT_LIAR_PASS;
    io->p->bth.pkey = io->liar->cfg.pkey;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_pkey_unchecked = {.in = pkey_unchecked_in};

/* ---- SACKs ---- */

static enum mrct_liar_do window_untold_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_SACK))
        return MRCT_LIAR_PASS;
    io->p->seth.mpr = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_window_untold = {.out = window_untold_out};

static enum mrct_liar_do sack_ts_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_SACK))
        return MRCT_LIAR_PASS;
    io->p->bth.ts = 1;
    return MRCT_LIAR_RAW;
}
const struct mrct_liar_hooks mrct_lie_sack_ts_set = {.out = sack_ts_set_out};

static bool is_probe_sack(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_SACK) && io->p->seth.pr != 0;
}

static enum mrct_liar_do probe_entropy_out(struct mrct_liar_io *io)
{
    if (!is_probe_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.entropy ^= UINT32_C(1) << 16;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_probe_entropy = {.out = probe_entropy_out};

static enum mrct_liar_do probe_timestamp_out(struct mrct_liar_io *io)
{
    if (!is_probe_sack(io))
        return MRCT_LIAR_PASS;
    io->p->cc_state.tx_timestamp ^= 0x4000;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_probe_timestamp = {.out = probe_timestamp_out};

static enum mrct_liar_do probe_mark_untold_out(struct mrct_liar_io *io)
{
    if (!is_probe_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.m = MRC_M_NONE;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_probe_mark_untold = {.out = probe_mark_untold_out};
