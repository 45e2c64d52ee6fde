/* SPDX-License-Identifier: BSD-2-Clause */
/* Flipping bits of a packet, and keeping its ICRC as truthful as a wire would. */
#include "harness/fabric/internal.h"

#include <string.h>

#define ICRC_LEN         4u
#define BTH_VARIANT_BYTE 4u /* the ICRC reads it as ones: a bit flipped here goes unnoticed */

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The ICRC that fits the frame's bytes; false when it has none. */
static bool icrc_of(struct mrct_fab *fab, const struct mrc_frame *f, uint32_t *icrc)
{
    struct mrc_frame copy = *f;
    copy.icrc_state = MRC_ICRC_DEFERRED;
    const size_t n = mrc_frame_gather(&fab->cfg.wire, &copy, fab->bytes, sizeof fab->bytes);
    if (n < ICRC_LEN)
        return false;
    *icrc = le32(fab->bytes + n - ICRC_LEN);
    return true;
}

/* Payload and pad in a buffer of the packet's own: the sender's bytes must stay as they are. */
static bool own_payload(struct mrct_fab *fab, struct mrct_fab_pkt *pkt)
{
    struct mrc_frame *const f = &pkt->frame;
    if (pkt->owned == NULL) {
        pkt->owned = mrct_fabpool_buf(&fab->pool);
        if (pkt->owned == NULL) {
            fab->error = "no memory for a corrupted packet";
            return false;
        }
        if (f->payload_len > 0)
            memcpy(pkt->owned, f->payload, f->payload_len);
        memset(pkt->owned + f->payload_len, 0, f->pad_len);
    }
    f->payload = pkt->owned;
    return true;
}

static bool flip_field(struct mrct_fab *fab, struct mrct_fab_pkt *pkt,
                       const struct mrc_field *field, uint64_t mask)
{
    if ((fab->seen.present >> field->hdr & 1u) == 0)
        return false;
    uint8_t *const hdr = pkt->frame.hdr + fab->seen.off[field->hdr];
    if (!mrc_field_applies(field, hdr))
        return false;
    mrc_field_set(field, hdr, mrc_field_get(field, hdr) ^ mask);
    return true;
}

/* Bytes from BTH to the end of the ICRC, if it still has one. */
static size_t bytes_from_bth(const struct mrct_fab *fab, const struct mrc_frame *f)
{
    const size_t icrc = f->icrc_state == MRC_ICRC_ABSENT ? 0 : ICRC_LEN;
    return (size_t)f->hdr_len - fab->seen.off[MRC_HDR_BTH] + f->payload_len + f->pad_len + icrc;
}

static bool flip_bit(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, uint32_t bit, uint32_t *icrc)
{
    struct mrc_frame *const f = &pkt->frame;
    if (!MRC_PKT_HAS(&fab->seen, BTH) || bit / 8 >= bytes_from_bth(fab, f))
        return false;
    const uint8_t mask = (uint8_t)(0x80u >> bit % 8);
    size_t at = fab->seen.off[MRC_HDR_BTH] + bit / 8;
    if (at < f->hdr_len) {
        f->hdr[at] ^= mask;
        return true;
    }
    at -= f->hdr_len;
    if (at >= (size_t)f->payload_len + f->pad_len) {
        *icrc ^= (uint32_t)mask << 8 * (at - f->payload_len - f->pad_len);
        return true;
    }
    if (!own_payload(fab, pkt))
        return false;
    pkt->owned[at] ^= mask;
    if (at >= f->payload_len) { /* a frame's pad is zeros: this one goes on as payload */
        f->payload_len += f->pad_len;
        f->pad_len = 0;
    }
    return true;
}

/* A changed header may mean other headers: let the codec split the bytes again where it can. */
static void split_again(struct mrct_fab *fab, struct mrct_fab_pkt *pkt)
{
    struct mrc_frame parsed;
    const size_t n = mrc_frame_gather(&fab->cfg.wire, &pkt->frame, fab->bytes, sizeof fab->bytes);
    if (n == 0 || mrc_frame_parse(&fab->cfg.wire, fab->bytes, n, &parsed) != 0)
        return;
    if (parsed.hdr_len == pkt->frame.hdr_len && parsed.payload_len == pkt->frame.payload_len)
        return;
    if (!own_payload(fab, pkt))
        return;
    if (parsed.payload_len > 0)
        memcpy(pkt->owned, parsed.payload, parsed.payload_len);
    parsed.payload = parsed.payload_len > 0 ? pkt->owned : NULL;
    pkt->frame = parsed;
}

static void settle_icrc(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, bool mend, uint32_t icrc)
{
    struct mrc_frame *const f = &pkt->frame;
    uint32_t right;
    if (mend) {
        f->icrc_state = MRC_ICRC_DEFERRED;
    } else if (icrc_of(fab, f, &right)) {
        /* A field that the ICRC masks leaves it valid. */
        f->icrc_state = right == icrc ? MRC_ICRC_VALID : MRC_ICRC_WRONG;
        f->icrc = icrc;
    }
}

bool mrct_fab_corrupt(struct mrct_fab *fab, struct mrct_fab_pkt *pkt,
                      const struct mrct_corruption *c)
{
    struct mrc_frame *const f = &pkt->frame;
    const bool has_icrc = f->icrc_state != MRC_ICRC_ABSENT;
    uint32_t icrc = f->icrc;
    if (f->icrc_state == MRC_ICRC_DEFERRED && !icrc_of(fab, f, &icrc))
        return false;
    const bool hit = c->field != NULL ? flip_field(fab, pkt, c->field, c->mask)
                                      : flip_bit(fab, pkt, c->bit, &icrc);
    if (!hit)
        return false;
    const bool is_checksum =
        c->field != NULL && c->field->hdr == MRC_HDR_IPV4 && c->field->bit_off / 16 == 5;
    if (c->mend && !is_checksum)
        mrct_act_fix_ipv4(f, &fab->seen);
    if (has_icrc)
        settle_icrc(fab, pkt, c->mend, icrc);
    split_again(fab, pkt);
    return true;
}

bool mrct_fab_corrupt_random(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, uint32_t *flipped)
{
    const uint32_t draw = (uint32_t)mrct_rng_next(&fab->rng);
    if (!MRC_PKT_HAS(&fab->seen, BTH) || pkt->frame.icrc_state == MRC_ICRC_ABSENT)
        return false;
    const uint32_t bits = (uint32_t)(bytes_from_bth(fab, &pkt->frame) - 1) * 8;
    uint32_t bit = draw % bits;
    if (bit >= BTH_VARIANT_BYTE * 8)
        bit += 8;
    *flipped = bit;
    const struct mrct_corruption c = {.bit = bit};
    return mrct_fab_corrupt(fab, pkt, &c);
}
