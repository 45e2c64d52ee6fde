/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies about PSNs: where they start, that they follow each other, the window. */
#include "harness/deviant/lies.h"

#define HUGE_CWND (UINT32_C(1) << 30)

static void start_psn_attr(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    attr->start_psn = mrc_psn_add(attr->start_psn, 1);
}
const struct mrct_liar_hooks mrct_lie_start_psn = {.attr = start_psn_attr};

static void mpr_ignored_peer(struct mrc_qp_peer *peer)
{
    peer->mpr_dest = 255;
}

/* The congestion window would hide that nobody heeds the other one. */
static void mpr_ignored_attr(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    attr->cwnd_bytes = HUGE_CWND;
}

static enum mrct_liar_do mpr_ignored_in(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_SACK) || io->p->seth.mpr == 0)
        return MRCT_LIAR_PASS;
    io->p->seth.mpr = 255;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_mpr_ignored = {
    .attr = mpr_ignored_attr, .peer = mpr_ignored_peer, .in = mpr_ignored_in};
const struct mrct_liar_hooks mrct_lie_dynamic_mpr_ignored = {
    .attr = mpr_ignored_attr, .peer = mpr_ignored_peer, .in = mpr_ignored_in};

static enum mrct_liar_do penalty_ignored_in(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_SACK) || io->p->cc_state.rcv_cwnd_pen == 0)
        return MRCT_LIAR_PASS;
    io->p->cc_state.rcv_cwnd_pen = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_penalty_ignored = {.in = penalty_ignored_in};

/* ---- a PSN left out: on the wire everything after the fifth is one higher ---- */

#define SKIP_AFTER 5

static int32_t relative(const struct mrct_liar_io *io, uint32_t psn)
{
    return mrc_psn_diff(psn, io->qp->attr.start_psn);
}

/* What the endpoint calls a PSN of the wire; the one left out is its neighbour below. */
static uint32_t own_psn(const struct mrct_liar_io *io, uint32_t wire)
{
    return relative(io, wire) >= SKIP_AFTER ? mrc_psn_add(wire, -1) : wire;
}

static uint64_t own_bitmap(const struct mrct_liar_io *io, uint32_t base_wire, uint32_t base_own)
{
    uint64_t map = 0;
    for (int32_t i = 0; i < 64; i++) {
        const uint32_t wire = mrc_psn_add(base_wire, i);
        const int32_t bit = mrc_psn_diff(own_psn(io, wire), base_own);
        const bool left_out = relative(io, wire) == SKIP_AFTER;
        if ((io->p->seth.sack_bitmap >> i & 1u) != 0 && !left_out && bit >= 0 && bit < 64)
            map |= UINT64_C(1) << bit;
    }
    return map;
}

static void own_sack(struct mrct_liar_io *io)
{
    struct mrc_seth *const s = &io->p->seth;
    const uint32_t cack = own_psn(io, s->cack_psn);
    const uint32_t base_wire = mrc_psn_add(s->cack_psn, s->sack_offset);
    const uint32_t base = own_psn(io, base_wire);
    const uint32_t trigger = own_psn(io, mrc_psn_add(s->cack_psn, s->ack_psn_offset));
    s->sack_bitmap = own_bitmap(io, base_wire, base);
    s->sack_offset = (int16_t)mrc_psn_diff(base, cack);
    if (s->pr == 0)
        s->ack_psn_offset = (int16_t)mrc_psn_diff(trigger, cack);
    s->cack_psn = cack;
}

static enum mrct_liar_do psn_skipped_in(struct mrct_liar_io *io)
{
    if (io->err != MRC_WIRE_OK || io->p->bth.opcode < MRC_OP_ACK)
        return MRCT_LIAR_PASS;
    if (mrct_liar_is(io, MRC_OP_SACK))
        own_sack(io);
    else if (mrct_liar_is_nack(io))
        io->p->neth.nack_psn = own_psn(io, io->p->neth.nack_psn);
    else if (!mrct_liar_is(io, MRC_OP_ACK))
        return MRCT_LIAR_PASS;
    io->p->bth.psn = own_psn(io, io->p->bth.psn);
    return MRCT_LIAR_CHANGED;
}

static enum mrct_liar_do psn_skipped_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || relative(io, io->p->bth.psn) < SKIP_AFTER)
        return MRCT_LIAR_PASS;
    io->p->bth.psn = mrc_psn_add(io->p->bth.psn, 1);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_psn_skipped = {.in = psn_skipped_in, .out = psn_skipped_out};

/* ---- the same, and the PSN left out is that of a probe ---- */

static void send_probe(struct mrct_liar_io *io)
{
    struct mrc_pkt p = *io->p;
    p.present &= ~(UINT32_MAX << (MRC_HDR_BTH + 1));
    p.present |= UINT32_C(1) << MRC_HDR_PETH;
    p.bth.opcode = MRC_OP_PROBE;
    p.bth.psn = 0;
    p.bth.a = p.bth.rtx = p.bth.ts = 0;
    p.payload = NULL;
    p.payload_len = 0;
    p.peth = (struct mrc_peth){.probe_id = 1,
                               .spdcid = (uint16_t)io->qp->qpn,
                               .dpdcid = (uint16_t)io->qp->peer.qpn,
                               .tx_timestamp = p.tseth.tx_timestamp,
                               .ftype = 1};
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
}

/* The probe leaves by the way of the request before the PSN that it takes. */
static enum mrct_liar_do probe_takes_psn_out(struct mrct_liar_io *io)
{
    if (mrct_liar_is_first(io) && relative(io, io->p->bth.psn) == SKIP_AFTER - 1)
        send_probe(io);
    return psn_skipped_out(io);
}
const struct mrct_liar_hooks mrct_lie_probe_takes_psn = {.in = psn_skipped_in,
                                                         .out = probe_takes_psn_out};
