/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two connected endpoints under an input that is a program: it posts, delivers, drops, repeats,
 * holds back, bends and forges frames, lets time pass and kills QPs. Whatever it does, neither
 * touches memory that is not its own, and their books stay in order.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world.h"

#include <string.h>

static void op_deliver(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    const unsigned n = how >> 4;
    for (unsigned i = 0; i <= n; i++) {
        struct world_frame f;
        if (!world_take(w, how & 1, &f))
            return;
        if (!(how & 2))
            world_give(w, &f);
        if (how & 4)
            world_give(w, &f);
    }
}

static void op_hold(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    (void)world_take(w, how & 1, &w->held[how >> 1 & 7]);
}

static void op_release(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    struct world_frame f = w->held[how & 7];
    if (f.frame.hdr_len == 0)
        return;
    if (how & 8)
        world_set_class(w, &f, (enum mrc_dscp_class)(how >> 4 & 3), 3);
    if (how & 0x80)
        world_trim(w, &f, (how & 0x40) != 0);
    world_give(w, &f);
}

/* Bytes of the headers changed, the ICRC right all the same: a peer that lies. */
static void op_bend(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    struct world_frame f;
    if (!world_take(w, how & 1, &f))
        return;
    for (unsigned i = 0; i <= (how >> 1 & 3u); i++) {
        const uint8_t at = fuzz_u8(in);
        /* most of what is behind the addresses is what the endpoint reads */
        const unsigned from = how & 0x80 ? 0 : 54;
        if (f.frame.hdr_len > from)
            f.frame.hdr[from + at % (f.frame.hdr_len - from)] ^= fuzz_u8(in);
    }
    if (how & 0x10)
        f.frame.payload_len = fuzz_u8(in) <= f.frame.payload_len ? f.frame.payload_len / 2 : 0;
    if (how & 0x20)
        f.frame.icrc_state = MRC_ICRC_WRONG;
    world_give(w, &f);
}

static void op_forge(struct world *w, struct fuzz_in *in)
{
    static const uint8_t opcodes[] = {
        MRC_OP_WRITE_FIRST,    MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_LAST, MRC_OP_WRITE_LAST_IMM,
        MRC_OP_WRITE_ONLY_IMM, MRC_OP_WRITE_ONLY,   MRC_OP_ACK,        MRC_OP_SACK,
        MRC_OP_NACK,           MRC_OP_PROBE,        MRC_OP_EP_REQUEST, MRC_OP_EP_RESPONSE};
    static const uint8_t payload[MRC_PAYLOAD_MAX];
    const uint8_t how = fuzz_u8(in);
    struct mrc_pkt p;
    world_packet(w, how & 1, opcodes[(how >> 1) % sizeof opcodes], fuzz_u8(in), &p);
    p.bth.psn = mrc_psn_add(world_psn(w, how & 1, p.bth.opcode), (int16_t)fuzz_u16(in) / 16);
    const uint8_t bits = fuzz_u8(in);
    p.bth.a = bits & 1;
    p.bth.rtx = bits >> 1 & 1;
    p.meth.msn = fuzz_u8(in);
    p.meth.rqmsn = fuzz_u8(in);
    p.reth.va = WORLD_VA + (uint64_t)(int64_t)(int16_t)fuzz_u16(in) * 8;
    p.reth.rkey = bits & 4 ? fuzz_u32(in) : w->host[how & 1].mr.rkey;
    p.reth.dma_len = fuzz_u16(in);
    p.tseth.tx_timestamp = fuzz_u8(in);
    p.aeth.syndrome = fuzz_u8(in);
    p.aeth.msn = fuzz_u8(in);
    p.seth.m = bits >> 3 & 3;
    p.seth.pr = bits >> 5 & 1;
    p.seth.cack_psn = p.bth.psn;
    p.seth.ack_psn_offset = (int16_t)(fuzz_u16(in) >> 4);
    p.seth.sack_offset = (int16_t)((int16_t)fuzz_u16(in) >> 6);
    p.seth.sack_bitmap = (uint64_t)fuzz_u32(in) << 32 | fuzz_u32(in);
    p.seth.mpr = fuzz_u8(in);
    p.cc_state.rcvd_bytes = fuzz_u16(in);
    p.neth.nack_reason = fuzz_u8(in);
    p.neth.nack_psn = p.bth.psn;
    p.seth.entropy = p.neth.entropy = fuzz_u16(in);
    p.seth.probe_id = p.peth.probe_id = fuzz_u8(in);
    p.erth.op = p.eeth.op = bits >> 6;
    p.erth.port_status_mask = fuzz_u16(in);
    if (mrc_op_is_write(p.bth.opcode) && p.reth.dma_len > 0) {
        const uint32_t most = w->host[how & 1].cfg.path_mtu;
        p.payload = payload;
        p.payload_len = p.reth.dma_len < most ? p.reth.dma_len : most;
    }
    struct world_frame f = {.to = how & 1, .port = p.erth.op & 1u};
    if (mrc_pkt_encode(&w->host[0].cfg.wire, &p, &f.frame) == 0)
        world_give(w, &f);
}

static void op_raw(struct world *w, struct fuzz_in *in)
{
    struct world_frame f = {0};
    const uint8_t how = fuzz_u8(in);
    f.to = how & 1;
    f.port = how >> 1 & 3;
    f.frame.hdr_len = fuzz_u8(in);
    f.frame.icrc_state = (enum mrc_icrc_state)(how >> 4 & 3);
    f.frame.pad_len = how >> 6;
    fuzz_bytes(in, f.frame.hdr, f.frame.hdr_len);
    world_give(w, &f);
}

static void op_post(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    const uint16_t size = fuzz_u16(in);
    world_post(w, how & 1, how >> 1 & 1, (how & 4) ? size : size & 0xFFu, (how & 8) != 0,
               (how & 0x70) == 0x70);
}

static void op_recv(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    for (unsigned i = 0; i <= (how >> 2 & 15u); i++)
        world_recv(w, how & 1, how >> 1 & 1);
}

static void op_time(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    world_pass(w, how & 0x80 ? (uint64_t)(how & 0x7F) << 14 : (uint64_t)how << 4);
}

static void op_deadline(struct world *w, struct fuzz_in *in)
{
    world_pass_to_deadline(w, fuzz_u8(in) & 1);
}

static void op_life(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    world_life(w, how & 1, how >> 1 & 1, how >> 2 & 3);
}

static void op_exchange(struct world *w, struct fuzz_in *in)
{
    const unsigned n = fuzz_u8(in);
    for (unsigned i = 0; i < n; i++) {
        struct world_frame f;
        if (world_take(w, i & 1, &f))
            world_give(w, &f);
        world_pass(w, 100);
    }
}

static void op_misc(struct world *w, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    if (how & 0x80)
        world_control(w, how & 1, how >> 1, fuzz_u8(in));
    else
        world_misc(w, how & 1, how >> 1, fuzz_u8(in));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static void (*const ops[])(struct world *, struct fuzz_in *) = {
        op_deliver, op_hold,    op_release, op_bend,     op_forge, op_raw,
        op_post,    op_recv,    op_time,    op_deadline, op_life,  op_exchange,
        op_misc,    op_deliver, op_forge,   op_exchange};
    struct fuzz_in in = {data, data + len};
    static struct world w;
    if (!world_init(&w, &in))
        return 0;
    while (in.p < in.end) {
        ops[fuzz_u8(&in) % (sizeof ops / sizeof ops[0])](&w, &in);
        world_check(&w);
    }
    world_fini(&w);
    return 0;
}
