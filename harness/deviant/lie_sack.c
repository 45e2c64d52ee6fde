/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in what a SACK says. */
#include "harness/deviant/lies.h"

#define RCVD_MASK 0xFFFFFFu
#define RCVD_UNIT 256u
#define BITMAP    64

static enum mrct_liar_do sack_bth_psn_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->bth.psn = mrc_psn_add(io->p->seth.cack_psn, 1);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_bth_psn = {.out = sack_bth_psn_out};

static bool trigger_has(const struct mrct_liar_io *io, unsigned flag)
{
    const struct mrct_liar_arrival *const t = mrct_liar_trigger(io->qp, io->p);
    return t != NULL && (t->flags & flag) != 0;
}

static enum mrct_liar_do sack_m_reserved_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->seth.m == MRC_M_NONE)
        return MRCT_LIAR_PASS;
    io->p->seth.m = 3;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_m_reserved = {.out = sack_m_reserved_out};

static enum mrct_liar_do sack_reserved_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.rsvd2 = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_reserved_set = {.out = sack_reserved_set_out};

static enum mrct_liar_do sack_with_payload_out(struct mrct_liar_io *io)
{
    static const uint8_t four[4] = {0};
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->payload = four;
    io->p->payload_len = sizeof four;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_with_payload = {.out = sack_with_payload_out};

struct sacks {
    uint64_t n;
};

/* A copy, so that nothing is missing where it belongs. */
static enum mrct_liar_do sack_other_qp_out(struct mrct_liar_io *io)
{
    struct sacks *const s = io->state;
    if (!mrct_liar_is_sack(io) || ++s->n % 4 != 2)
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.bth.dest_qp ^= 0x400;
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_sack_other_qp = {sizeof(struct sacks),
                                                       .out = sack_other_qp_out};

static enum mrct_liar_do ids_swapped_out(struct mrct_liar_io *io)
{
    if (mrct_liar_is_sack(io)) {
        const uint16_t id = io->p->seth.spdcid;
        io->p->seth.spdcid = io->p->seth.dpdcid;
        io->p->seth.dpdcid = id;
    } else if (mrct_liar_is_nack(io)) {
        const uint16_t id = io->p->neth.spdcid;
        io->p->neth.spdcid = io->p->neth.dpdcid;
        io->p->neth.dpdcid = id;
    } else {
        return MRCT_LIAR_PASS;
    }
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_ids_swapped = {.out = ids_swapped_out};

/* Half a PSN space away: no request of the run has it. */
static enum mrct_liar_do sack_trigger_offset_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.ack_psn_offset = INT16_MAX;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_trigger_offset = {.out = sack_trigger_offset_out};

struct first_ev {
    bool known;
    uint32_t ev;
};

static enum mrct_liar_do sack_entropy_out(struct mrct_liar_io *io)
{
    struct first_ev *const s = io->state;
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    if (!s->known)
        *s = (struct first_ev){true, io->p->seth.entropy};
    io->p->seth.entropy = s->ev;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_entropy = {sizeof(struct first_ev),
                                                      .out = sack_entropy_out};

static enum mrct_liar_do sack_rtx_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->bth.rtx = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_rtx = {.out = sack_rtx_out};

static enum mrct_liar_do sack_timestamp_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || !trigger_has(io, MRCT_ARRIVED_TS))
        return MRCT_LIAR_PASS;
    io->p->cc_state.tx_timestamp ^= 0x4000;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_timestamp = {.out = sack_timestamp_out};

static enum mrct_liar_do sack_timestamp_invented_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || trigger_has(io, MRCT_ARRIVED_TS))
        return MRCT_LIAR_PASS;
    io->p->cc_state.tx_timestamp = 0x1234;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_timestamp_invented = {.out =
                                                                     sack_timestamp_invented_out};

static enum mrct_liar_do m_never_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.m = MRC_M_NONE;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_m_never = {.out = m_never_out};

static enum mrct_liar_do m_always_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.m = MRC_M_SKIP_ONCE;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_m_always = {.out = m_always_out};

/* ---- cack_psn and bitmap ---- */

/* Another cack_psn under which trigger and bitmap keep their absolute PSNs. */
static void move_cack(struct mrc_pkt *p, int32_t by)
{
    p->seth.cack_psn = mrc_psn_add(p->seth.cack_psn, by);
    p->bth.psn = p->seth.cack_psn;
    p->seth.ack_psn_offset = (int16_t)(p->seth.ack_psn_offset - by);
    p->seth.sack_offset = (int16_t)(p->seth.sack_offset - by);
}

/* Only while nothing is out of order: else the counts and the bitmap would have to lie too. */
static enum mrct_liar_do cack_too_far_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->cc_state.ooo_count != 0)
        return MRCT_LIAR_PASS;
    move_cack(io->p, 1);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_cack_too_far = {.out = cack_too_far_out};

/* The bitmap shows the PSN that cack_psn leaves out, and ooo_count counts it. */
static enum mrct_liar_do cack_behind_out(struct mrct_liar_io *io)
{
    const struct mrc_cc_state *const cc = &io->p->cc_state;
    if (!mrct_liar_is_sack(io) || cc->ooo_count != 0 ||
        !mrct_liar_book_get(io->qp, io->p->seth.cack_psn))
        return MRCT_LIAR_PASS;
    move_cack(io->p, -1);
    io->p->seth.sack_offset = 1;
    io->p->seth.sack_bitmap = 1;
    io->p->cc_state.ooo_count = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_cack_behind = {.out = cack_behind_out};

static enum mrct_liar_do sack_bitmap_shifted_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->seth.sack_bitmap <<= 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_bitmap_shifted = {.out = sack_bitmap_shifted_out};

/* It claims nothing that is not so: a 0 is no information (Q4). */
static enum mrct_liar_do sack_bitmap_high_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->cc_state.ooo_count == 0 || io->p->seth.sack_offset > 1)
        return MRCT_LIAR_PASS;
    io->p->seth.sack_offset = BITMAP + 1;
    io->p->seth.sack_bitmap = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_bitmap_high = {.out = sack_bitmap_high_out};

/* ---- congestion state ---- */

static enum mrct_liar_do ooo_count_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->cc_state.ooo_count == 0)
        return MRCT_LIAR_PASS;
    io->p->cc_state.ooo_count++;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_ooo_count = {.out = ooo_count_out};

struct rcvd {
    uint64_t sacks, bytes;
    uint32_t last; /* told last */
};

static enum mrct_liar_do rcvd_bytes_back_out(struct mrct_liar_io *io)
{
    struct rcvd *const s = io->state;
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    if (++s->sacks % 4 == 0 && s->last > 4)
        io->p->cc_state.rcvd_bytes = s->last - 4;
    s->last = io->p->cc_state.rcvd_bytes;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rcvd_bytes_back = {sizeof(struct rcvd),
                                                         .out = rcvd_bytes_back_out};

static enum mrct_liar_do rcvd_bytes_duplicates_in(struct mrct_liar_io *io)
{
    struct rcvd *const s = io->state;
    if (io->duplicate)
        s->bytes += io->p->nominal_len;
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do rcvd_bytes_duplicates_out(struct mrct_liar_io *io)
{
    const struct rcvd *const s = io->state;
    if (!mrct_liar_is_sack(io) || s->bytes == 0)
        return MRCT_LIAR_PASS;
    const uint64_t more = (s->bytes + RCVD_UNIT - 1) / RCVD_UNIT;
    io->p->cc_state.rcvd_bytes = (uint32_t)(io->p->cc_state.rcvd_bytes + more) & RCVD_MASK;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rcvd_bytes_duplicates = {
    sizeof(struct rcvd), .in = rcvd_bytes_duplicates_in, .out = rcvd_bytes_duplicates_out};

static enum mrct_liar_do rcvd_bytes_payload_in(struct mrct_liar_io *io)
{
    struct rcvd *const s = io->state;
    if (mrct_liar_is_request(io) && !io->duplicate && io->p->trim == MRC_TRIM_NONE)
        s->bytes += io->p->payload_len;
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do rcvd_bytes_payload_out(struct mrct_liar_io *io)
{
    const struct rcvd *const s = io->state;
    if (!mrct_liar_is_sack(io))
        return MRCT_LIAR_PASS;
    io->p->cc_state.rcvd_bytes = (uint32_t)((s->bytes + RCVD_UNIT - 1) / RCVD_UNIT) & RCVD_MASK;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_rcvd_bytes_payload = {
    sizeof(struct rcvd), .in = rcvd_bytes_payload_in, .out = rcvd_bytes_payload_out};

static enum mrct_liar_do sack_mpr_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_sack(io) || io->p->seth.mpr != 0)
        return MRCT_LIAR_PASS;
    io->p->seth.mpr = 8;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_sack_mpr_set = {.out = sack_mpr_set_out};
