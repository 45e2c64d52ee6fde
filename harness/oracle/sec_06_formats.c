/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 6, what a frame alone decides: headers, lengths, ICRC, reserved bits of every packet, and
 * what a request's lengths must be (with 5.1). */
#include "harness/oracle/formats.h"

#define REQUESTS_MTU_MAX 4096u

/* Headers damaged on the way are not the sender's doing; where it was seen leaving, they are. With
 * a wrong ICRC they may also not all be there. */
bool mrct_formats_trust(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (p->icrc_state != MRC_ICRC_WRONG)
        return true;
    const struct mrc_chain *const chain = mrc_opcode_chain(p->bth.opcode);
    return l->sent_at_tap && chain != NULL && (chain->required & ~p->present) == 0;
}

/* A reserved field that is not 0, or NULL. hdr holds the header as sent. */
static const struct mrc_field *reserved_set(enum mrc_hdr_id id, const uint8_t *hdr)
{
    const struct mrc_hdr_info *const info = &mrc_hdrs[id];
    for (uint16_t i = 0; i < info->field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[info->first_field + i];
        if (!f->reserved_zero || !mrc_field_applies(f, hdr))
            continue;
        for (uint16_t bit = 0; bit < f->bit_width; bit++) {
            const unsigned at = f->bit_off + bit;
            if ((hdr[at / 8] >> (7 - at % 8) & 1) != 0)
                return f;
        }
    }
    return NULL;
}

void mrct_formats_reserved(struct look *l, enum mrc_hdr_id id, const uint8_t *hdr, size_t len)
{
    if (len == 0 || !mrct_formats_trust(l))
        return;
    const struct mrc_field *const f = reserved_set(id, hdr);
    if (f == NULL)
        mrct_look_pass(l);
    else
        mrct_look_fail(l, "the reserved field %s is not 0", f->name);
}

/* ---- frames that do not decode ---- */

static void judge_broken(struct look *l, enum mrc_wire_error first, enum mrc_wire_error last)
{
    if (l->kind != KIND_BROKEN) {
        mrct_look_pass(l);
        return;
    }
    const enum mrc_wire_error err = l->obs->err;
    if (err < first || err > last || !mrct_formats_trust(l))
        return;
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (err == MRC_WIRE_BAD_OPCODE)
        mrct_look_fail(l, "opcode 0x%02X is none of MRC's", p->bth.opcode);
    else if (err == MRC_WIRE_BAD_TVER)
        mrct_look_fail(l, "transport version %u, not 0", p->bth.tver);
    else
        mrct_look_fail(l, "%s", mrc_wire_error_str(err));
}

static void opcode_listed(struct look *l)
{
    judge_broken(l, MRC_WIRE_BAD_OPCODE, MRC_WIRE_BAD_OPCODE);
}

static void tver_zero(struct look *l)
{
    judge_broken(l, MRC_WIRE_BAD_TVER, MRC_WIRE_BAD_TVER);
}

static void headers_complete(struct look *l)
{
    judge_broken(l, MRC_WIRE_SHORT_BTH, MRC_WIRE_SHORT_EETH);
}

static void udp_length_fits(struct look *l)
{
    judge_broken(l, MRC_WIRE_BAD_UDP_LEN, MRC_WIRE_BAD_UDP_LEN);
}

static void udp_length_covers(struct look *l)
{
    judge_broken(l, MRC_WIRE_BAD_UDP_SHORT, MRC_WIRE_BAD_UDP_SHORT);
}

static void pad_within_payload(struct look *l)
{
    judge_broken(l, MRC_WIRE_BAD_PAD, MRC_WIRE_BAD_PAD);
}

/* ---- ICRC ---- */

static void icrc(struct look *l, bool srv6)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (p->has_outer != srv6)
        return;
    if (p->icrc_state == MRC_ICRC_VALID)
        mrct_look_pass(l);
    if (p->icrc_state != MRC_ICRC_WRONG)
        return;
    if (!l->sent_at_tap)
        l->blame = "sender or path";
    const char *const who = l->sent_at_tap ? "" : " (sender or path)";
    const char *const over = srv6 ? " over the inner packet" : "";
    mrct_look_fail(l, "icrc is 0x%08X, must be 0x%08X%s%s", p->icrc, p->icrc_expected, over, who);
}

static void icrc_correct(struct look *l)
{
    icrc(l, false);
}

static void icrc_srv6_inner(struct look *l)
{
    icrc(l, true);
}

/* ---- fields of every packet ---- */

static void bth_reserved_zero(struct look *l)
{
    const struct mrc_bth *const b = &l->obs->pkt.bth;
    if (!mrct_formats_trust(l))
        return;
    if (b->r != 0 || b->inv_rsvd != 0)
        mrct_look_fail(l, "reserved bits of the BTH are set: R %u, beside the PSN 0x%X", b->r,
                       b->inv_rsvd);
    else
        mrct_look_pass(l);
}

/* The timestamp header's own fields, wherever it stands. */
struct stamp {
    bool present;
    uint8_t ftype;
    uint16_t rsvd;
};

static struct stamp stamp_of(const struct mrc_pkt *p)
{
    if (MRC_PKT_HAS(p, TSETH))
        return (struct stamp){true, p->tseth.ftype, p->tseth.rsvd};
    if (MRC_PKT_HAS(p, PETH))
        return (struct stamp){true, p->peth.ftype, p->peth.rsvd3};
    if (MRC_PKT_HAS(p, ERTH))
        return (struct stamp){true, p->erth.ftype, p->erth.rsvd3};
    return (struct stamp){.present = false};
}

static void tseth_ftype_one(struct look *l)
{
    const struct stamp s = stamp_of(&l->obs->pkt);
    if (!s.present || !mrct_formats_trust(l))
        return;
    if (s.ftype != 1)
        mrct_look_fail(l, "ftype of the timestamp is %u, not 1", s.ftype);
    else
        mrct_look_pass(l);
}

static void tseth_reserved_zero(struct look *l)
{
    const struct stamp s = stamp_of(&l->obs->pkt);
    if (!s.present || !mrct_formats_trust(l))
        return;
    if (s.rsvd != 0)
        mrct_look_fail(l, "reserved bits of the timestamp are 0x%X, not 0", s.rsvd);
    else
        mrct_look_pass(l);
}

/* ---- lengths of requests ---- */

/* A request whose lengths its sender answers for: a trimmed one has lost them. */
static const struct mrc_pkt *whole_request(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    return p->trim == MRC_TRIM_NONE && MRC_PKT_HAS(p, RETH) && mrct_formats_trust(l) ? p : NULL;
}

static bool is_last(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST || opcode == MRC_OP_WRITE_LAST_IMM;
}

static bool is_only(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_ONLY || opcode == MRC_OP_WRITE_ONLY_IMM;
}

static void message_not_empty(struct look *l)
{
    const struct mrc_pkt *const p = whole_request(l);
    if (p == NULL)
        return;
    if (p->reth.dma_len == 0)
        mrct_look_fail(l, "the DMA length is 0");
    else
        mrct_look_pass(l);
}

static void pad_to_four(struct look *l)
{
    const struct mrc_pkt *const p = whole_request(l);
    if (p == NULL)
        return;
    if ((p->payload_len + p->bth.pad_cnt) % 4 != 0)
        mrct_look_fail(l, "payload of %u and pad of %u bytes are no multiple of 4", p->payload_len,
                       p->bth.pad_cnt);
    else
        mrct_look_pass(l);
}

static bool is_mtu(const struct look *l, uint32_t len)
{
    if (l->facts->path_mtu != MRCT_UNKNOWN)
        return len == (uint32_t)l->facts->path_mtu;
    return len == 256 || len == 512 || len == 1024 || len == 2048 || len == 4096;
}

static void first_middle_full_mtu(struct look *l)
{
    const struct mrc_pkt *const p = whole_request(l);
    if (p == NULL || is_last(p->bth.opcode) || is_only(p->bth.opcode))
        return;
    if (!is_mtu(l, p->payload_len))
        mrct_look_fail(l, "First/Middle payload of %u bytes is not a path MTU", p->payload_len);
    else if (p->bth.pad_cnt != 0)
        mrct_look_fail(l, "First/Middle packet has %u pad bytes", p->bth.pad_cnt);
    else
        mrct_look_pass(l);
}

static void only_length_matches(struct look *l)
{
    const struct mrc_pkt *const p = whole_request(l);
    if (p == NULL || !is_only(p->bth.opcode))
        return;
    if (p->payload_len != p->reth.dma_len)
        mrct_look_fail(l, "Only payload of %u bytes differs from DMALen %u", p->payload_len,
                       p->reth.dma_len);
    else
        mrct_look_pass(l);
}

static void last_only_length_bounded(struct look *l)
{
    const struct mrc_pkt *const p = whole_request(l);
    if (p == NULL || (!is_last(p->bth.opcode) && !is_only(p->bth.opcode)))
        return;
    const uint32_t max =
        l->facts->path_mtu != MRCT_UNKNOWN ? (uint32_t)l->facts->path_mtu : REQUESTS_MTU_MAX;
    if (is_last(p->bth.opcode) && p->payload_len == 0)
        mrct_look_fail(l, "a Last packet without payload");
    else if (p->payload_len > max)
        mrct_look_fail(l, "payload of %u bytes, more than a path MTU of %u", p->payload_len, max);
    else
        mrct_look_pass(l);
}

static void first_length_exceeds_payload(struct look *l)
{
    const struct mrc_pkt *const p = whole_request(l);
    if (p == NULL || p->bth.opcode != MRC_OP_WRITE_FIRST)
        return;
    if (p->reth.dma_len <= p->payload_len)
        mrct_look_fail(l, "a First packet of %u bytes begins a message of only %u", p->payload_len,
                       p->reth.dma_len);
    else
        mrct_look_pass(l);
}

#define FRAME(check_, req, want_, fn)                                                              \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FRAME, .want = (want_),             \
        .on_frame = (fn), CHECK_HERE                                                               \
    }

static const struct check rows[] = {
    FRAME("opcode-listed", "REQ-6-01", WANT_ALL, opcode_listed),
    FRAME("tver-zero", "REQ-6-02", WANT_ALL, tver_zero),
    FRAME("headers-complete", "REQ-6-03", WANT_ALL, headers_complete),
    FRAME("udp-length-fits", "REQ-6-04", WANT_ALL, udp_length_fits),
    FRAME("pad-within-payload", "REQ-6-05", WANT_ALL, pad_within_payload),
    FRAME("pad-to-four", "REQ-6-06", WANT(KIND_REQUEST), pad_to_four),
    FRAME("first-middle-full-mtu", "REQ-6-07", WANT(KIND_REQUEST), first_middle_full_mtu),
    FRAME("only-length-matches", "REQ-6-08", WANT(KIND_REQUEST), only_length_matches),
    FRAME("last-only-length-bounded", "REQ-6-09", WANT(KIND_REQUEST), last_only_length_bounded),
    FRAME("first-length-exceeds-payload", "REQ-6-10", WANT(KIND_REQUEST),
          first_length_exceeds_payload),
    FRAME("icrc-correct", "REQ-6-11", WANT_ALL, icrc_correct),
    FRAME("icrc-srv6-inner", "REQ-6-12", WANT_ALL, icrc_srv6_inner),
    FRAME("bth-reserved-zero", "REQ-6-13", WANT_DECODED, bth_reserved_zero),
    FRAME("tseth-ftype-one", "REQ-6-14", WANT_DECODED, tseth_ftype_one),
    FRAME("tseth-reserved-zero", "REQ-6-15", WANT_DECODED, tseth_reserved_zero),
    FRAME("message-not-empty", "REQ-5.1-01", WANT(KIND_REQUEST), message_not_empty),
    FRAME("udp-length-covers", "REQ-6-20", WANT_ALL, udp_length_covers),
};
const struct check_table mrct_checks_sec_06_formats = CHECK_TABLE(rows);
