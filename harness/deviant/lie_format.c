/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in the form of requests: bits, lengths, versions, classes. */
#include "harness/deviant/lies.h"

struct count {
    uint64_t n;
};

/* The second of every eight first sendings. */
static bool one_in_eight(struct mrct_liar_io *io)
{
    struct count *const c = io->state;
    return mrct_liar_is_first(io) && ++c->n % 8 == 2;
}

/* Gives the frame the ICRC that it would have under `wire`, xored with mask. */
static void put_icrc(struct mrct_liar_io *io, const struct mrc_wire_config *wire, uint32_t mask)
{
    uint8_t bytes[MRC_FRAME_MAX];
    const size_t n = mrc_frame_gather(wire, io->f, bytes, sizeof bytes);
    if (n < 4)
        return;
    const uint8_t *const at = bytes + n - 4;
    io->f->icrc_state = MRC_ICRC_WRONG;
    io->f->icrc =
        ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24) ^
        mask;
}

static enum mrct_liar_do wrong_icrc_out(struct mrct_liar_io *io)
{
    if (one_in_eight(io))
        put_icrc(io, &io->liar->cfg.wire, UINT32_C(0x5A5A5A5A));
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_wrong_icrc = {sizeof(struct count), .out = wrong_icrc_out};

static enum mrct_liar_do icrc_over_outer_out(struct mrct_liar_io *io)
{
    struct mrc_wire_config wire = io->liar->cfg.wire;
    wire.q6_icrc = 'b';
    if (io->p->has_outer && one_in_eight(io))
        put_icrc(io, &wire, 0);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_icrc_over_outer = {sizeof(struct count),
                                                         .out = icrc_over_outer_out};

/* A packet of its own, so that no PSN is missed by those who cannot read it. */
static enum mrct_liar_do opcode_unlisted_out(struct mrct_liar_io *io)
{
    if (!one_in_eight(io))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.present &= ~(UINT32_MAX << MRC_HDR_BTH);
    p.present |= UINT32_C(1) << MRC_HDR_BTH;
    p.bth.opcode = 0xDF;
    p.bth.a = 0;
    p.bth.ts = 0;
    p.payload = NULL;
    p.payload_len = 0;
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_opcode_unlisted = {sizeof(struct count),
                                                         .out = opcode_unlisted_out};

static enum mrct_liar_do tver_one_out(struct mrct_liar_io *io)
{
    if (!one_in_eight(io))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.bth.tver = 1;
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_tver_one = {sizeof(struct count), .out = tver_one_out};

static enum mrct_liar_do pad_missing_out(struct mrct_liar_io *io)
{
    struct mrc_pkt *const p = io->p;
    const uint8_t pad = p->bth.pad_cnt;
    if (!mrct_liar_is_request(io) || pad == 0)
        return MRCT_LIAR_PASS;
    p->bth.pad_cnt = 0;
    p->udp.length = (uint16_t)(p->udp.length - pad);
    p->ip6.payload_len = (uint16_t)(p->ip6.payload_len - pad);
    p->ip4.total_len = (uint16_t)(p->ip4.total_len - pad);
    p->ip4.checksum = 0; /* of no use to anybody behind the next router */
    return MRCT_LIAR_RAW;
}
const struct mrct_liar_hooks mrct_lie_pad_missing = {.out = pad_missing_out};

static enum mrct_liar_do bth_reserved_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    io->p->bth.r = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_bth_reserved_set = {.out = bth_reserved_set_out};

static bool has_tseth(const struct mrct_liar_io *io)
{
    return mrct_liar_is_request(io) && MRC_PKT_HAS(io->p, TSETH);
}

static enum mrct_liar_do tseth_ftype_out(struct mrct_liar_io *io)
{
    if (!has_tseth(io))
        return MRCT_LIAR_PASS;
    io->p->tseth.ftype = 2;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_tseth_ftype = {.out = tseth_ftype_out};

static enum mrct_liar_do tseth_reserved_set_out(struct mrct_liar_io *io)
{
    if (!has_tseth(io))
        return MRCT_LIAR_PASS;
    io->p->tseth.rsvd = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_tseth_reserved_set = {.out = tseth_reserved_set_out};

static enum mrct_liar_do timestamp_unit_out(struct mrct_liar_io *io)
{
    if (!has_tseth(io))
        return MRCT_LIAR_PASS;
    io->p->tseth.tx_timestamp = (uint16_t)(io->now_ns / 1024);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_timestamp_unit = {.out = timestamp_unit_out};

static void set_class(struct mrct_liar_io *io, enum mrc_dscp_class cls)
{
    io->p->ip6.dscp = io->p->ip4.dscp = io->liar->cfg.wire.dscp[cls];
}

static enum mrct_liar_do request_dscp_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_first(io))
        return MRCT_LIAR_PASS;
    set_class(io, MRC_DSCP_CONTROL);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_request_dscp = {.out = request_dscp_out};

static enum mrct_liar_do rtx_dscp_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_rtx(io))
        return MRCT_LIAR_PASS;
    set_class(io, io->liar->cfg.trimmable ? MRC_DSCP_TRIMMABLE : MRC_DSCP_NO_TRIM);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rtx_dscp = {.out = rtx_dscp_out};

static enum mrct_liar_do control_dscp_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    set_class(io, MRC_DSCP_TRIMMABLE);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_control_dscp = {.out = control_dscp_out};

static enum mrct_liar_do request_not_ect_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    io->p->ip6.ecn = io->p->ip4.ecn = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_request_not_ect = {.out = request_not_ect_out};

static enum mrct_liar_do flow_label_high_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || !io->p->is_v6)
        return MRCT_LIAR_PASS;
    io->p->ip6.flow_label |= UINT32_C(0x10000);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_flow_label_high = {.out = flow_label_high_out};
