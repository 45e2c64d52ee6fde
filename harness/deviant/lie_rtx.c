/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies about retransmissions: what they carry, and on which way. */
#include "harness/deviant/lies.h"

#include <string.h>

#define PSNS 4096u /* first sendings remembered; a power of two */

/* The class goes with the RTX bit, so that the bit alone lies. */
static void set_class(struct mrct_liar_io *io, enum mrc_dscp_class cls)
{
    if (io->liar->cfg.trimmable)
        io->p->ip6.dscp = io->p->ip4.dscp = io->liar->cfg.wire.dscp[cls];
}

static enum mrct_liar_do rtx_not_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_rtx(io))
        return MRCT_LIAR_PASS;
    io->p->bth.rtx = 0;
    set_class(io, MRC_DSCP_TRIMMABLE);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rtx_not_set = {.out = rtx_not_set_out};

struct count {
    uint64_t n;
};

static enum mrct_liar_do rtx_on_first_out(struct mrct_liar_io *io)
{
    struct count *const s = io->state;
    if (!mrct_liar_is_first(io) || ++s->n % 8 != 2)
        return MRCT_LIAR_PASS;
    io->p->bth.rtx = 1;
    set_class(io, MRC_DSCP_TRIMMABLE_RETX);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rtx_on_first = {sizeof(struct count),
                                                      .out = rtx_on_first_out};

/* A field that nobody reads outside messages with immediate data: only the comparison sees it. */
static enum mrct_liar_do rtx_other_header_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_rtx(io))
        return MRCT_LIAR_PASS;
    io->p->meth.rqmsn ^= 0x8000;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rtx_other_header = {.out = rtx_other_header_out};

/* Changed payloads must outlive their frames: more of them than can be under way. */
#define PAYLOADS 512u
struct payloads {
    uint64_t n;
    uint8_t bytes[PAYLOADS][MRC_PAYLOAD_MAX];
};

static enum mrct_liar_do rtx_other_payload_out(struct mrct_liar_io *io)
{
    struct payloads *const s = io->state;
    if (!mrct_liar_is_rtx(io) || io->f->payload_len == 0)
        return MRCT_LIAR_PASS;
    uint8_t *const mine = s->bytes[s->n++ % PAYLOADS];
    memcpy(mine, io->f->payload, io->f->payload_len);
    mine[0] ^= 0xFF;
    io->f->payload = mine;
    io->f->icrc_state = MRC_ICRC_DEFERRED;
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_rtx_other_payload = {sizeof(struct payloads),
                                                           .out = rtx_other_payload_out};

/* ---- the first sending of each PSN ---- */

struct first {
    bool used;
    uint32_t psn, ev;
    uint16_t timestamp;
};
struct firsts {
    struct first of[PSNS];
};

static void firsts_note(struct mrct_liar_io *io)
{
    struct firsts *const s = io->state;
    s->of[io->p->bth.psn % PSNS] =
        (struct first){true, io->p->bth.psn, io->p->ev, io->p->tseth.tx_timestamp};
}

static const struct first *firsts_get(struct mrct_liar_io *io, uint32_t psn)
{
    const struct firsts *const s = io->state;
    const struct first *const f = &s->of[psn % PSNS];
    return f->used && f->psn == psn ? f : NULL;
}

static enum mrct_liar_do use_ev(struct mrct_liar_io *io, uint32_t ev)
{
    const int port = mrct_liar_ev_port(io->qp, ev);
    if (port < 0 || ev == io->p->ev)
        return MRCT_LIAR_PASS;
    mrct_liar_use_ev(io, (struct mrc_ev){ev, (uint8_t)port});
    return MRCT_LIAR_CHANGED;
}

static enum mrct_liar_do rtx_on_same_ev_out(struct mrct_liar_io *io)
{
    if (mrct_liar_is_first(io))
        firsts_note(io);
    if (!mrct_liar_is_rtx(io))
        return MRCT_LIAR_PASS;
    const struct first *const f = firsts_get(io, io->p->bth.psn);
    return f == NULL ? MRCT_LIAR_PASS : use_ev(io, f->ev);
}
const struct mrct_liar_hooks mrct_lie_rtx_on_same_ev = {sizeof(struct firsts),
                                                        .out = rtx_on_same_ev_out};

static enum mrct_liar_do rtx_old_timestamp_out(struct mrct_liar_io *io)
{
    if (mrct_liar_is_first(io))
        firsts_note(io);
    if (!mrct_liar_is_rtx(io) || !MRC_PKT_HAS(io->p, TSETH))
        return MRCT_LIAR_PASS;
    const struct first *const f = firsts_get(io, io->p->bth.psn);
    if (f == NULL)
        return MRCT_LIAR_PASS;
    io->p->tseth.tx_timestamp = f->timestamp;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rtx_old_timestamp = {sizeof(struct firsts),
                                                           .out = rtx_old_timestamp_out};

/* ---- the EV of the latest NACK for a PSN ---- */

static enum mrct_liar_do nacked_ev_in(struct mrct_liar_io *io)
{
    struct firsts *const s = io->state;
    if (mrct_liar_is_nack(io)) {
        const uint32_t psn = io->p->neth.nack_psn;
        s->of[psn % PSNS] = (struct first){true, psn, io->p->neth.entropy, 0};
    }
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do nacked_ev_out(struct mrct_liar_io *io)
{
    struct firsts *const s = io->state;
    const struct first *const f = mrct_liar_is_rtx(io) ? firsts_get(io, io->p->bth.psn) : NULL;
    if (f == NULL)
        return MRCT_LIAR_PASS;
    s->of[f->psn % PSNS].used = false;
    return use_ev(io, f->ev);
}
const struct mrct_liar_hooks mrct_lie_rtx_on_nacked_ev = {sizeof(struct firsts), .in = nacked_ev_in,
                                                          .out = nacked_ev_out};
