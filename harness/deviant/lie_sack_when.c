/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lies about when a SACK is due. One that is due for a second reason must not go missing, or two
 * requirements break: each lie counts bytes as its peer sees SACKs, and where the threshold is
 * passed only by that count it makes the endpoint send one, by a congestion mark that it takes back
 * from the SACK's M.
 */
#include "harness/deviant/lies.h"

struct when {
    uint64_t seen;  /* bytes since the last SACK that went out */
    uint64_t inner; /* bytes since the last SACK that the endpoint made */
    bool forced;    /* it was made to send one */
    uint32_t forced_by;
};

static uint64_t weight(const struct mrct_liar *l, const struct mrc_pkt *p)
{
    return p->payload_len > l->cfg.sack_min_pkt_bytes ? p->payload_len : l->cfg.sack_min_pkt_bytes;
}

/* A whole, new request. */
static bool is_new(const struct mrct_liar_io *io)
{
    return mrct_liar_is_request(io) && !io->duplicate && io->p->trim == MRC_TRIM_NONE;
}

static bool is_marked(const struct mrct_liar_io *io)
{
    return io->p->ecn == 3 || io->p->inner_ecn == 3;
}

static void set_ecn(struct mrct_liar_io *io, uint8_t ecn)
{
    if (io->p->has_outer)
        io->p->outer_ip6.ecn = ecn;
    io->p->ip6.ecn = io->p->ip4.ecn = ecn;
}

static enum mrct_liar_do when_in(struct mrct_liar_io *io)
{
    struct when *const s = io->state;
    const uint64_t threshold = io->liar->cfg.sack_gen_threshold_bytes;
    if (!is_new(io))
        return MRCT_LIAR_PASS;
    s->seen += weight(io->liar, io->p);
    s->inner += weight(io->liar, io->p);
    if (s->seen <= threshold || s->inner > threshold || io->p->bth.a || io->p->bth.rtx ||
        is_marked(io))
        return MRCT_LIAR_PASS;
    s->forced = true;
    s->forced_by = io->p->bth.psn;
    set_ecn(io, 3);
    return MRCT_LIAR_CHANGED;
}

/* Swallows the SACK when its trigger had the one reason `why` and no other of `others`. */
static enum mrct_liar_do when_out(struct mrct_liar_io *io, unsigned why, unsigned others)
{
    struct when *const s = io->state;
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    const struct mrct_liar_arrival *const t = mrct_liar_trigger(io->qp, io->p);
    const bool due = s->seen > io->liar->cfg.sack_gen_threshold_bytes;
    s->inner = 0;
    if (t != NULL && !due && (t->flags & why) != 0 && (t->flags & others) == 0)
        return MRCT_LIAR_SWALLOW;
    s->seen = 0;
    if (!s->forced || t == NULL || t->psn != s->forced_by)
        return MRCT_LIAR_PASS;
    s->forced = false;
    io->p->seth.m = MRC_M_NONE;
    return MRCT_LIAR_CHANGED;
}

static enum mrct_liar_do no_sack_on_a_out(struct mrct_liar_io *io)
{
    return when_out(io, MRCT_ARRIVED_A, MRCT_ARRIVED_CE | MRCT_ARRIVED_RTX | MRCT_ARRIVED_DUP);
}
const struct mrct_liar_hooks mrct_lie_no_sack_on_a = {sizeof(struct when), .in = when_in,
                                                      .out = no_sack_on_a_out};

static enum mrct_liar_do no_sack_on_ce_out(struct mrct_liar_io *io)
{
    return when_out(io, MRCT_ARRIVED_CE, MRCT_ARRIVED_A | MRCT_ARRIVED_RTX | MRCT_ARRIVED_DUP);
}
const struct mrct_liar_hooks mrct_lie_no_sack_on_ce = {sizeof(struct when), .in = when_in,
                                                       .out = no_sack_on_ce_out};

/* A retransmission mostly asks for an acknowledgement as well: that one is not spared. */
static enum mrct_liar_do no_sack_on_rtx_out(struct mrct_liar_io *io)
{
    return when_out(io, MRCT_ARRIVED_RTX, MRCT_ARRIVED_CE | MRCT_ARRIVED_DUP);
}
const struct mrct_liar_hooks mrct_lie_no_sack_on_rtx = {sizeof(struct when), .in = when_in,
                                                        .out = no_sack_on_rtx_out};

static enum mrct_liar_do no_sack_on_duplicate_out(struct mrct_liar_io *io)
{
    return when_out(io, MRCT_ARRIVED_DUP, MRCT_ARRIVED_A | MRCT_ARRIVED_CE | MRCT_ARRIVED_RTX);
}
const struct mrct_liar_hooks mrct_lie_no_sack_on_duplicate = {sizeof(struct when), .in = when_in,
                                                              .out = no_sack_on_duplicate_out};

static void sack_threshold_ignored_config(struct mrc_ep_config *cfg)
{
    cfg->sack_gen_threshold_bytes = UINT32_MAX;
}
const struct mrct_liar_hooks mrct_lie_sack_threshold_ignored = {.config =
                                                                    sack_threshold_ignored_config};
