/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in requests: keys, marks, classes, and retransmissions that do not wait for a window. */
#include "harness/deviant/lies.h"

static enum mrct_liar_do rkey_in_last_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_WRITE_LAST))
        return MRCT_LIAR_PASS;
    io->p->reth.rkey ^= 0x00A5A500u;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rkey_in_last = {.out = rkey_in_last_out};

/* Every so many of the first sendings. */
static bool is_every(const struct mrct_liar_io *io, uint32_t n)
{
    return mrct_liar_is_first(io) &&
           mrc_psn_diff(io->p->bth.psn, io->qp->attr.start_psn) % (int32_t)n == 1;
}

static enum mrct_liar_do request_marked_out(struct mrct_liar_io *io)
{
    if (!is_every(io, 8))
        return MRCT_LIAR_PASS;
    io->p->ecn = 3;
    io->p->ip4.ecn = 3;
    io->p->ip6.ecn = 3;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_request_marked = {.out = request_marked_out};

static enum mrct_liar_do trimmed_class_sent_out(struct mrct_liar_io *io)
{
    if (!is_every(io, 16))
        return MRCT_LIAR_PASS;
    const uint8_t dscp = io->liar->cfg.wire.dscp[MRC_DSCP_TRIMMED];
    io->p->dscp = dscp;
    io->p->ip4.dscp = dscp;
    io->p->ip6.dscp = dscp;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_trimmed_class_sent = {.out = trimmed_class_sent_out};

/* ---- beyond a window that was told smaller ---- */

#define HASTE_NS UINT64_C(13000000)

struct haste {
    bool have, done;
    uint8_t mpr;
    unsigned port;
    struct mrc_pkt last; /* the request with the highest PSN */
};

static enum mrct_liar_do rtx_beyond_window_out(struct mrct_liar_io *io)
{
    struct haste *const s = io->state;
    if (mrct_liar_is_first(io)) {
        s->have = true;
        s->port = io->port;
        s->last = *io->p;
    }
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do rtx_beyond_window_in(struct mrct_liar_io *io)
{
    struct haste *const s = io->state;
    if (!mrct_liar_is_sack(io) || io->p->seth.mpr == 0)
        return MRCT_LIAR_PASS;
    if (io->p->seth.mpr < s->mpr && s->have && !s->done) {
        const uint8_t dscp = io->liar->cfg.wire.dscp[MRC_DSCP_TRIMMABLE_RETX];
        struct mrc_pkt p = s->last;
        p.bth.rtx = 1;
        p.dscp = p.ip4.dscp = p.ip6.dscp = dscp;
        p.tseth.tx_timestamp = (uint16_t)((io->now_ns + HASTE_NS) / 128);
        struct mrct_liar_io other = *io;
        other.p = &p;
        other.port = s->port;
        mrct_liar_use_ev(&other, mrct_liar_next_ev(io->qp));
        mrct_liar_send_pkt(io->liar, io->now_ns + HASTE_NS, other.port, &p, MRCT_LIAR_CHANGED);
        s->done = true;
    }
    s->mpr = io->p->seth.mpr;
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_rtx_beyond_window = {
    sizeof(struct haste), .in = rtx_beyond_window_in, .out = rtx_beyond_window_out};
