/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in NACKs, and about trimmed requests. */
#include "harness/deviant/lies.h"

#include <string.h>

static enum mrct_liar_do nack_bth_psn_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io))
        return MRCT_LIAR_PASS;
    io->p->bth.psn = mrc_psn_add(io->p->neth.nack_psn, 1);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_bth_psn = {.out = nack_bth_psn_out};

static enum mrct_liar_do nack_reason_unlisted_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_trim_nack(io))
        return MRCT_LIAR_PASS;
    io->p->neth.nack_reason = 0x30;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_reason_unlisted = {.out = nack_reason_unlisted_out};

static enum mrct_liar_do nack_cc_type_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io))
        return MRCT_LIAR_PASS;
    io->p->neth.cc_type = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_cc_type = {.out = nack_cc_type_out};

static enum mrct_liar_do nack_reserved_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io))
        return MRCT_LIAR_PASS;
    io->p->neth.rsvd2 = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_reserved_set = {.out = nack_reserved_set_out};

static enum mrct_liar_do trim_silent_out(struct mrct_liar_io *io)
{
    return mrct_liar_is_trim_nack(io) ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_trim_silent = {.out = trim_silent_out};

static enum mrct_liar_do nack_reason_swapped_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_trim_nack(io))
        return MRCT_LIAR_PASS;
    io->p->neth.nack_reason =
        io->p->neth.nack_reason == MRC_NACK_TRIMMED ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_reason_swapped = {.out = nack_reason_swapped_out};

/* What the peer is told stays the run's doing: only the endpoint believes it may. */
static void nack_uncalled_attr(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    attr->trim_nack = true;
}
const struct mrct_liar_hooks mrct_lie_nack_uncalled = {.attr = nack_uncalled_attr};

static enum mrct_liar_do nack_psn_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_trim_nack(io))
        return MRCT_LIAR_PASS;
    io->p->neth.nack_psn = mrc_psn_add(io->p->neth.nack_psn, 1);
    io->p->bth.psn = io->p->neth.nack_psn;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_psn = {.out = nack_psn_out};

static enum mrct_liar_do nack_entropy_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io))
        return MRCT_LIAR_PASS;
    io->p->neth.entropy ^= UINT32_C(1) << 16;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_entropy = {.out = nack_entropy_out};

static enum mrct_liar_do nack_timestamp_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io))
        return MRCT_LIAR_PASS;
    io->p->neth.tx_timestamp ^= 0x4000;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_timestamp = {.out = nack_timestamp_out};

static enum mrct_liar_do nack_rtx_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io))
        return MRCT_LIAR_PASS;
    io->p->bth.rtx ^= 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_nack_rtx = {.out = nack_rtx_out};

/* ---- a trimmed request as if it were whole, with what its memory holds as payload ---- */

#define FIXED_LEN 4u /* the ICRC, which the UDP length counts */

struct recorded {
    uint8_t bytes[MRC_PAYLOAD_MAX];
    uint64_t made_up; /* placement events to hide */
    uint32_t psn[64];
};

/* Payload length before the trim: what the UDP length has beyond headers, pad and ICRC. */
static uint32_t length_before(const struct mrc_pkt *p)
{
    uint32_t headers = MRC_UDP_LEN + MRC_BTH_LEN + MRC_METH_LEN + MRC_RETH_LEN;
    headers += MRC_PKT_HAS(p, TSETH) ? MRC_TSETH_LEN : 0;
    headers += MRC_PKT_HAS(p, IMMDT) ? MRC_IMMDT_LEN : 0;
    const uint32_t other = headers + p->bth.pad_cnt + FIXED_LEN;
    return p->udp.length > other ? p->udp.length - other : 0;
}

static enum mrct_liar_do trimmed_recorded_in(struct mrct_liar_io *io)
{
    struct recorded *const s = io->state;
    struct mrc_pkt *const p = io->p;
    if (!mrct_liar_is_request(io) || p->trim == MRC_TRIM_NONE)
        return MRCT_LIAR_PASS;
    const uint32_t len = length_before(p);
    const uint8_t *const mem = mrct_liar_mem(io->liar, p->reth.rkey, p->reth.va, len);
    if (mem == NULL || len == 0 || len > sizeof s->bytes)
        return MRCT_LIAR_PASS;
    memcpy(s->bytes, mem, len);
    p->payload = s->bytes;
    p->payload_len = len;
    p->trim = MRC_TRIM_NONE;
    p->icrc_state = MRC_ICRC_DEFERRED;
    io->f->icrc_state = MRC_ICRC_DEFERRED;
    const uint8_t cls = io->liar->cfg.wire.dscp[MRC_DSCP_TRIMMABLE];
    p->outer_ip6.dscp = p->ip6.dscp = p->ip4.dscp = cls;
    if (!mrct_liar_book_note(io->qp, p))
        s->psn[s->made_up++ % 64] = p->bth.psn;
    return MRCT_LIAR_CHANGED;
}

static bool trimmed_recorded_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                   struct mrc_ep_event *ev)
{
    const struct recorded *const s = qp->state;
    (void)l;
    if (ev->kind != MRC_EVENT_PLACED)
        return true;
    for (uint64_t i = 0; i < s->made_up && i < 64; i++)
        if (s->psn[i] == ev->psn)
            return false;
    return true;
}
const struct mrct_liar_hooks mrct_lie_trimmed_recorded = {
    sizeof(struct recorded), .in = trimmed_recorded_in, .event = trimmed_recorded_event};
