/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in the shape of packets: what is cut, too long, or of the wrong kind. Most are told in a
 * packet of their own, so that no PSN is missed by those who throw it away. */
#include "harness/deviant/lies.h"

struct count {
    uint64_t n;
};

/* The second of every eight requests that the lie can be told with. */
static bool is_turn(struct mrct_liar_io *io)
{
    struct count *const c = io->state;
    return ++c->n % 8 == 2;
}

/* As a retransmission of the request at hand, in the class of those. */
static void send_copy(struct mrct_liar_io *io, struct mrc_pkt *p, enum mrct_liar_do how)
{
    p->bth.rtx = 1;
    p->dscp = io->liar->cfg.wire.dscp[MRC_DSCP_TRIMMABLE_RETX];
    p->ip6.dscp = p->dscp;
    p->ip4.dscp = p->dscp;
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, p, how);
}

/* Lengths of both IP headers and of UDP, by so many bytes less. */
static void shorten(struct mrc_pkt *p, uint32_t bytes)
{
    p->udp.length = (uint16_t)(p->udp.length - bytes);
    p->ip6.payload_len = (uint16_t)(p->ip6.payload_len - bytes);
    p->ip4.total_len = (uint16_t)(p->ip4.total_len - bytes);
}

static enum mrct_liar_do headers_cut_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_first(io) || !MRC_PKT_HAS(io->p, RETH) || !is_turn(io))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.present &= ~((UINT32_C(1) << MRC_HDR_RETH) | (UINT32_C(1) << MRC_HDR_IMMDT));
    p.payload = NULL;
    p.payload_len = 0;
    send_copy(io, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_headers_cut = {sizeof(struct count), .out = headers_cut_out};

static enum mrct_liar_do udp_too_long_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_first(io) || !is_turn(io))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.udp.length = (uint16_t)(p.udp.length + 8);
    send_copy(io, &p, MRCT_LIAR_RAW);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_udp_too_long = {sizeof(struct count),
                                                      .out = udp_too_long_out};

static enum mrct_liar_do udp_too_short_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_first(io) || !is_turn(io))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.udp.length = (uint16_t)(p.udp.length - 4);
    send_copy(io, &p, MRCT_LIAR_RAW);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_udp_too_short = {sizeof(struct count),
                                                       .out = udp_too_short_out};

static enum mrct_liar_do pad_without_payload_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_first(io) || !is_turn(io))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    struct mrc_frame f;
    shorten(&p, (uint32_t)p.payload_len + p.bth.pad_cnt);
    p.payload = NULL;
    p.payload_len = 0;
    p.bth.pad_cnt = 3;
    if (mrc_pkt_encode_raw(&io->liar->cfg.wire, &p, &f) == 0) {
        f.pad_len = 0;
        mrct_liar_send(io->liar, io->now_ns, io->port, &f);
    }
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_pad_without_payload = {sizeof(struct count),
                                                             .out = pad_without_payload_out};

static enum mrct_liar_do middle_short_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_WRITE_MIDDLE) || io->p->bth.rtx != 0 || !is_turn(io))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.payload_len -= 4;
    send_copy(io, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_middle_short = {sizeof(struct count),
                                                      .out = middle_short_out};

static enum mrct_liar_do only_length_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_WRITE_ONLY) || io->p->bth.rtx != 0)
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.reth.dma_len++;
    send_copy(io, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_only_length = {.out = only_length_out};

/* A Last packet, and no First before it. */
static enum mrct_liar_do message_order_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_WRITE_ONLY))
        return MRCT_LIAR_PASS;
    io->p->bth.opcode = MRC_OP_WRITE_LAST;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_message_order = {.out = message_order_out};

/* ---- probes and Endpoint Requests ---- */

static enum mrct_liar_do probe_reserved_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_PROBE))
        return MRCT_LIAR_PASS;
    io->p->peth.rsvd1 = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_probe_reserved_set = {.out = probe_reserved_set_out};

/* A request of the node's own, by the way of the request at hand. */
static void send_ep_request(struct mrct_liar_io *io, uint32_t dest_qp, uint8_t op, uint8_t reserved)
{
    struct mrc_pkt p = *io->p;
    p.present &= ~(UINT32_MAX << MRC_HDR_BTH);
    p.present |= (UINT32_C(1) << MRC_HDR_BTH) | (UINT32_C(1) << MRC_HDR_ERTH);
    p.bth = (struct mrc_bth){.opcode = MRC_OP_EP_REQUEST,
                             .pkey = io->p->bth.pkey,
                             .dest_qp = dest_qp,
                             .psn = io->p->bth.psn & 0xFFFFu};
    p.erth = (struct mrc_erth){.op = op, .rsvd1 = reserved, .ftype = 1};
    p.payload = NULL;
    p.payload_len = 0;
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
}

static enum mrct_liar_do endpoint_op_out(struct mrct_liar_io *io)
{
    if (mrct_liar_is_first(io) && is_turn(io))
        send_ep_request(io, 2, 3, 0);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_endpoint_op = {sizeof(struct count), .out = endpoint_op_out};

static enum mrct_liar_do endpoint_to_qp_3_out(struct mrct_liar_io *io)
{
    if (mrct_liar_is_first(io) && is_turn(io))
        send_ep_request(io, 3, MRC_EP_OP_EV_PROBE, 0);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_endpoint_to_qp_3 = {sizeof(struct count),
                                                          .out = endpoint_to_qp_3_out};

static enum mrct_liar_do endpoint_reserved_set_out(struct mrct_liar_io *io)
{
    if (mrct_liar_is_first(io) && is_turn(io))
        send_ep_request(io, 2, MRC_EP_OP_EV_PROBE, 1);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_endpoint_reserved_set = {sizeof(struct count),
                                                               .out = endpoint_reserved_set_out};

static bool is_probe_answer(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_SACK) && io->p->seth.pr != 0;
}

static enum mrct_liar_do probe_unanswered_out(struct mrct_liar_io *io)
{
    return is_probe_answer(io) ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_probe_unanswered = {.out = probe_unanswered_out};

static enum mrct_liar_do probe_id_other_out(struct mrct_liar_io *io)
{
    if (!is_probe_answer(io))
        return MRCT_LIAR_PASS;
    io->p->seth.probe_id ^= 0x0400;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_probe_id_other = {.out = probe_id_other_out};

/* ---- SACKs, under a reading that is not the default ---- */

static enum mrct_liar_do sack_cc_type_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.cc_type = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_cc_type = {.out = sack_cc_type_out};

static enum mrct_liar_do bitmap_forgets_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->seth.sack_bitmap == 0)
        return MRCT_LIAR_PASS;
    io->p->seth.sack_bitmap &= io->p->seth.sack_bitmap - 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_bitmap_forgets = {.out = bitmap_forgets_out};
