/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in memory and towards the responder's application. */
#include "harness/deviant/lies.h"

#include <string.h>

#define RECVS 4096u

static bool is_end(uint8_t opcode)
{
    return opcode >= MRC_OP_WRITE_LAST && opcode <= MRC_OP_WRITE_ONLY_IMM;
}

static bool has_imm(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST_IMM || opcode == MRC_OP_WRITE_ONLY_IMM;
}

static bool is_start(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_FIRST || opcode == MRC_OP_WRITE_ONLY ||
           opcode == MRC_OP_WRITE_ONLY_IMM;
}

static void spoil(const struct mrct_liar_io *io, uint64_t va)
{
    uint8_t *const mem = mrct_liar_mem(io->liar, io->p->reth.rkey, va, 1);
    if (mem != NULL)
        *mem ^= 0xFF;
}

/* One byte too many on either side: what a neighbour writes later may hide one of them. */
static void placed_too_much_done(struct mrct_liar_io *io)
{
    const struct mrc_reth *const r = &io->p->reth;
    if (!mrct_liar_is_request(io) || io->duplicate || io->p->trim != MRC_TRIM_NONE)
        return;
    if (is_start(io->p->bth.opcode))
        spoil(io, r->va - 1);
    if (is_end(io->p->bth.opcode))
        spoil(io, r->va + io->p->payload_len);
}
const struct mrct_liar_hooks mrct_lie_placed_too_much = {.in_done = placed_too_much_done};

static enum mrct_liar_do duplicate_placed_in(struct mrct_liar_io *io)
{
    const struct mrc_pkt *const p = io->p;
    if (!io->duplicate || p->payload_len == 0)
        return MRCT_LIAR_PASS;
    uint8_t *const mem = mrct_liar_mem(io->liar, p->reth.rkey, p->reth.va, p->payload_len);
    if (mem == NULL)
        return MRCT_LIAR_PASS;
    memcpy(mem, p->payload, p->payload_len);
    const struct mrc_ep_event ev = {.kind = MRC_EVENT_PLACED,
                                    .time_ns = io->now_ns,
                                    .qpn = io->qp->qpn,
                                    .va = p->reth.va,
                                    .len_bytes = p->payload_len,
                                    .psn = p->bth.psn};
    mrct_liar_tell(io->liar, &ev);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_duplicate_placed = {.in = duplicate_placed_in};

/* ---- immediate data ---- */

static bool immediate_wrong_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                  struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    if (ev->kind == MRC_EVENT_RECV_IMM)
        ev->imm ^= UINT32_C(0x80000000);
    return true;
}
const struct mrct_liar_hooks mrct_lie_immediate_wrong = {.event = immediate_wrong_event};

/* Receives are taken in the order they were posted, whichever completion comes first. */
struct recvs {
    uint64_t posted, used;
    uint64_t wr_id[RECVS];
    uint64_t early; /* completions given early */
    uint32_t early_imm[RECVS];
    bool early_done[RECVS];
};

static void immediate_early_posted(struct mrct_liar *l, struct mrct_liar_qp *qp, uint64_t wr_id)
{
    struct recvs *const s = qp->state;
    (void)l;
    s->wr_id[s->posted++ % RECVS] = wr_id;
}

static enum mrct_liar_do immediate_early_in(struct mrct_liar_io *io)
{
    struct recvs *const s = io->state;
    const struct mrc_pkt *const p = io->p;
    const bool whole = mrct_liar_is_request(io) && !io->duplicate && p->trim == MRC_TRIM_NONE;
    if (!whole || !has_imm(p->bth.opcode) || io->qp->cack == p->bth.psn ||
        mrct_liar_book_get(io->qp, p->bth.psn) == NULL ||
        mrc_psn_diff(p->bth.psn, io->qp->cack) <= 0 || s->used == s->posted)
        return MRCT_LIAR_PASS;
    const struct mrc_ep_event ev = {.kind = MRC_EVENT_RECV_IMM,
                                    .status = MRC_WC_SUCCESS,
                                    .time_ns = io->now_ns,
                                    .qpn = io->qp->qpn,
                                    .wr_id = s->wr_id[s->used++ % RECVS],
                                    .imm = p->immdt.imm,
                                    .len_bytes = p->reth.dma_len};
    const uint64_t at = s->early++ % RECVS;
    s->early_imm[at] = p->immdt.imm;
    s->early_done[at] = false;
    mrct_liar_tell(io->liar, &ev);
    return MRCT_LIAR_PASS;
}

/* The endpoint's own completion of one that was given early goes nowhere. */
static bool immediate_early_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                  struct mrc_ep_event *ev)
{
    struct recvs *const s = qp->state;
    (void)l;
    if (ev->kind != MRC_EVENT_RECV_IMM)
        return true;
    for (uint64_t i = 0; i < s->early && i < RECVS; i++) {
        if (!s->early_done[i] && s->early_imm[i] == ev->imm) {
            s->early_done[i] = true;
            return false;
        }
    }
    if (s->used < s->posted)
        ev->wr_id = s->wr_id[s->used++ % RECVS];
    return true;
}
const struct mrct_liar_hooks mrct_lie_immediate_early = {
    sizeof(struct recvs), .in = immediate_early_in, .event = immediate_early_event,
    .posted_recv = immediate_early_posted};
