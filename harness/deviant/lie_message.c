/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies about messages: addresses, lengths, numbers, immediate data, completions. */
#include "harness/deviant/lies.h"

#define MSNS 65536u

static bool is_start(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_FIRST || opcode == MRC_OP_WRITE_ONLY ||
           opcode == MRC_OP_WRITE_ONLY_IMM;
}

static bool is_last(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST || opcode == MRC_OP_WRITE_LAST_IMM;
}

static bool has_imm(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST_IMM || opcode == MRC_OP_WRITE_ONLY_IMM;
}

/* First addresses by MSN. */
struct starts {
    uint64_t va[MSNS];
};

/* The address of the message's first packet, kept when that goes by. */
static uint64_t start_va(struct mrct_liar_io *io)
{
    struct starts *const s = io->state;
    if (is_start(io->p->bth.opcode))
        s->va[io->p->meth.msn] = io->p->reth.va;
    return s->va[io->p->meth.msn];
}

static enum mrct_liar_do va_not_advanced_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    io->p->reth.va = start_va(io);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_va_not_advanced = {sizeof(struct starts),
                                                         .out = va_not_advanced_out};

static enum mrct_liar_do dma_length_left_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    io->p->reth.dma_len -= (uint32_t)(io->p->reth.va - start_va(io));
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_dma_length_left = {sizeof(struct starts),
                                                         .out = dma_length_left_out};

static bool is_longer(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_FIRST || opcode == MRC_OP_WRITE_MIDDLE || is_last(opcode);
}

static enum mrct_liar_do dma_length_of_first_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_WRITE_FIRST))
        return MRCT_LIAR_PASS;
    io->p->reth.dma_len = io->p->payload_len;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_dma_length_of_first = {.out = dma_length_of_first_out};

static enum mrct_liar_do dma_length_more_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || !is_longer(io->p->bth.opcode))
        return MRCT_LIAR_PASS;
    io->p->reth.dma_len += 4;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_dma_length_more = {.out = dma_length_more_out};

static enum mrct_liar_do message_empty_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || is_longer(io->p->bth.opcode))
        return MRCT_LIAR_PASS;
    io->p->reth.dma_len = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_message_empty = {.out = message_empty_out};

static enum mrct_liar_do last_empty_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || !is_last(io->p->bth.opcode))
        return MRCT_LIAR_PASS;
    io->p->payload = NULL;
    io->p->payload_len = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_last_empty = {.out = last_empty_out};

static enum mrct_liar_do msn_in_last_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || !is_last(io->p->bth.opcode))
        return MRCT_LIAR_PASS;
    io->p->meth.msn++;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_msn_in_last = {.out = msn_in_last_out};

struct first_msn {
    bool known;
    uint16_t msn;
};

static enum mrct_liar_do msn_not_counted_out(struct mrct_liar_io *io)
{
    struct first_msn *const s = io->state;
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    if (!s->known)
        *s = (struct first_msn){true, io->p->meth.msn};
    io->p->meth.msn = s->msn;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_msn_not_counted = {sizeof(struct first_msn),
                                                         .out = msn_not_counted_out};

static enum mrct_liar_do rqmsn_in_last_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_WRITE_LAST_IMM))
        return MRCT_LIAR_PASS;
    io->p->meth.rqmsn++;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rqmsn_in_last = {.out = rqmsn_in_last_out};

static enum mrct_liar_do rqmsn_not_counted_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    io->p->meth.rqmsn = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rqmsn_not_counted = {.out = rqmsn_not_counted_out};

static enum mrct_liar_do immediate_changed_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io) || !has_imm(io->p->bth.opcode))
        return MRCT_LIAR_PASS;
    io->p->immdt.imm ^= 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_immediate_changed = {.out = immediate_changed_out};

static void wimm_limit_peer(struct mrc_qp_peer *peer)
{
    peer->max_wimm_dest = UINT16_MAX;
}
const struct mrct_liar_hooks mrct_lie_wimm_limit_ignored = {.peer = wimm_limit_peer};

/* ---- completion before the ACK ---- */

#define WRITES 4096u

struct writes {
    uint64_t posted, told, dropped; /* counts; a write's place in id is its count % WRITES */
    uint64_t wr_id[WRITES];
};

static void completion_early_posted(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                    const struct mrc_write *w)
{
    struct writes *const s = qp->state;
    (void)l;
    s->wr_id[s->posted++ % WRITES] = w->wr_id;
}

static enum mrct_liar_do completion_early_out(struct mrct_liar_io *io)
{
    struct writes *const s = io->state;
    if (!mrct_liar_is_first(io) || !(is_last(io->p->bth.opcode) || io->p->bth.opcode >= 0xCA) ||
        s->told == s->posted)
        return MRCT_LIAR_PASS;
    const struct mrc_ep_event ev = {.kind = MRC_EVENT_SEND_DONE,
                                    .status = MRC_WC_SUCCESS,
                                    .time_ns = io->now_ns,
                                    .qpn = io->qp->qpn,
                                    .wr_id = s->wr_id[s->told++ % WRITES]};
    mrct_liar_tell(io->liar, &ev);
    return MRCT_LIAR_PASS;
}

static bool completion_early_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                   struct mrc_ep_event *ev)
{
    struct writes *const s = qp->state;
    (void)l;
    if (ev->kind != MRC_EVENT_SEND_DONE || s->dropped == s->told)
        return true;
    s->dropped++;
    return false;
}
const struct mrct_liar_hooks mrct_lie_completion_early = {
    sizeof(struct writes), .posted_write = completion_early_posted, .out = completion_early_out,
    .event = completion_early_event};
