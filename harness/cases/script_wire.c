/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a packet to the bytes that the harness sends. An honest packet is encoded first; then what
 * the line says is written over its headers, right or wrong, and the lengths, the ICRC and the
 * frame's end are made or left as it says.
 */
#include "harness/cases/script_priv.h"

#include <stdlib.h>
#include <string.h>

#define ICRC_LEN 4u

static const struct mrct_script_item *item(const struct mrct_script_line *line,
                                           enum mrct_item_kind kind)
{
    for (size_t i = line->item_count; i > 0; i--) {
        if (line->items[i - 1].kind == kind) {
            return &line->items[i - 1];
        }
    }
    return NULL;
}

static void put(struct mrc_frame *f, const struct mrc_pkt *at, const char *name, uint64_t v)
{
    const struct mrc_field *const field = mrc_field_find(name);
    mrc_field_set(field, f->hdr + at->off[field->hdr], v);
}

static uint64_t get(const struct mrc_frame *f, const struct mrc_pkt *at, const char *name)
{
    const struct mrc_field *const field = mrc_field_find(name);
    return mrc_field_get(field, f->hdr + at->off[field->hdr]);
}

static const char *ip_length(const struct mrc_pkt *at)
{
    return at->is_v6 ? "ipv6.payload_len" : "ipv4.total_len";
}

/* ---- the line's fields ---- */

static bool put_field(struct mrct_player *p, const struct mrct_script_line *line,
                      const struct mrct_script_item *i, uint32_t k, struct mrc_frame *f,
                      const struct mrc_pkt *at)
{
    uint64_t v = 0;
    int64_t number = i->lo;
    if (i->hi > i->lo) {
        number += mrct_rng_below(&p->rng, (uint32_t)(i->hi - i->lo + 1));
    }
    if (i->differs) {
        return false; /* which one? */
    }
    if (!mrct_play_value(p, line, i, p->w.host, number, k, &v) ||
        (at->present >> i->field->hdr & 1) == 0) {
        return false;
    }
    mrc_field_set(i->field, f->hdr + at->off[i->field->hdr], v);
    return true;
}

/* BTH.PSN and the field that says the same agree unless the line gives both. */
static void agree(const struct mrct_script_line *line, struct mrc_frame *f,
                  const struct mrc_pkt *at)
{
    static const struct {
        int opcode;
        const char *field;
    } twins[] = {{MRC_OP_SACK, "seth.cack_psn"}, {MRC_OP_NACK, "neth.nack_psn"}};
    for (size_t t = 0; t < 2; t++) {
        bool own = false;
        for (size_t i = 0; i < line->item_count && line->name == twins[t].opcode; i++) {
            own = own || (line->items[i].kind == MRCT_ITEM_FIELD &&
                          strcmp(line->items[i].field->name, "bth.psn") == 0);
        }
        if (line->name == twins[t].opcode && !own) {
            put(f, at, "bth.psn", get(f, at, twins[t].field));
        }
    }
}

static bool put_fields(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                       struct mrc_frame *f, const struct mrc_pkt *at)
{
    for (size_t i = 0; i < line->item_count; i++) {
        const struct mrct_script_item *const it = &line->items[i];
        if (k > 0 && it->kind == MRCT_ITEM_FIELD && strcmp(it->field->name, "reth.va") == 0) {
            continue;
        }
        if (it->kind == MRCT_ITEM_FIELD && !put_field(p, line, it, k, f, at)) {
            mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL, "'%s' has no value to send here",
                           it->word);
            return false;
        }
    }
    agree(line, f, at);
    return true;
}

/* ---- lengths ---- */

/* Takes `gone` bytes off what both lengths say. */
static void shorten(struct mrc_frame *f, const struct mrc_pkt *at, size_t gone, bool udp_too)
{
    put(f, at, ip_length(at), get(f, at, ip_length(at)) - gone);
    if (udp_too) {
        put(f, at, "udp.length", get(f, at, "udp.length") - gone);
    }
}

/* The packet ends inside its headers; the lengths say so, and the ICRC that follows is right. */
static bool cut(struct mrc_frame *f, const struct mrc_pkt *at, size_t bytes)
{
    if (f->hdr_len < at->off[MRC_HDR_BTH] + bytes) {
        return false;
    }
    shorten(f, at, bytes + f->payload_len + f->pad_len, true);
    f->hdr_len = (uint16_t)(f->hdr_len - bytes);
    f->payload = NULL;
    f->payload_len = 0;
    f->pad_len = 0;
    return true;
}

/* As a switch trims: the UDP length still tells what there was, the ICRC is gone. */
static void trim(const struct mrct_player *p, struct mrc_frame *f, const struct mrc_pkt *at,
                 const struct mrct_script_item *i)
{
    const size_t left = (size_t)i->lo < f->payload_len ? (size_t)i->lo : f->payload_len;
    shorten(f, at, f->payload_len - left + f->pad_len + ICRC_LEN, false);
    f->payload_len = (uint32_t)left;
    f->pad_len = 0;
    f->icrc_state = MRC_ICRC_ABSENT;
    const enum mrc_dscp_class class = i->hi != 0 ? MRC_DSCP_TRIMMED_LASTHOP : MRC_DSCP_TRIMMED;
    put(f, at, at->is_v6 ? "ipv6.dscp" : "ipv4.dscp", p->w.wire.dscp[class]);
}

static void mend_ip4(const struct mrct_script_line *line, struct mrc_frame *f,
                     const struct mrc_pkt *at)
{
    for (size_t i = 0; i < line->item_count; i++) {
        if (line->items[i].kind == MRCT_ITEM_FIELD &&
            strcmp(line->items[i].field->name, "ipv4.checksum") == 0) {
            return;
        }
    }
    if (!at->is_v6) {
        mrc_ipv4_mend_checksum(f->hdr + at->off[MRC_HDR_IPV4], MRC_IPV4_LEN);
    }
}

static bool put_lengths(struct mrct_player *p, const struct mrct_script_line *line,
                        struct mrc_frame *f, const struct mrc_pkt *at)
{
    const struct mrct_script_item *const trimmed = item(line, MRCT_ITEM_TRIM);
    const struct mrct_script_item *const missing = item(line, MRCT_ITEM_CUT);
    const struct mrct_script_item *const udp = item(line, MRCT_ITEM_UDP_LEN);
    const struct mrct_script_item *const ip = item(line, MRCT_ITEM_IP_LEN);
    const struct mrct_script_item *const pad = item(line, MRCT_ITEM_PAD);
    if (missing != NULL && !cut(f, at, (size_t)missing->lo)) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL, "cut: the headers are shorter than that");
        return false;
    }
    if (trimmed != NULL) {
        trim(p, f, at, trimmed);
    }
    if (pad != NULL) {
        put(f, at, "bth.pad_cnt", (uint64_t)pad->lo);
        const int more = (int)pad->lo - f->pad_len;
        shorten(f, at, (size_t)-more, true);
        f->pad_len = (uint8_t)pad->lo;
    }
    if (udp != NULL) {
        put(f, at, "udp.length", (uint64_t)udp->lo);
    }
    if (ip != NULL) {
        put(f, at, ip_length(at), (uint64_t)ip->lo);
    }
    if (item(line, MRCT_ITEM_NO_ICRC) != NULL) {
        f->icrc_state = MRC_ICRC_ABSENT;
    }
    mend_ip4(line, f, at);
    return true;
}

/* ---- bytes ---- */

/* A frame of these bytes, split where the codec would, or anywhere when it would not. */
static bool frame_of(struct mrct_player *p, const uint8_t *bytes, size_t len, struct mrc_frame *out)
{
    uint8_t *const own = mrct_pool_alloc(&p->pool, len + 1);
    if (own == NULL) {
        return false;
    }
    memcpy(own, bytes, len);
    *out = (struct mrc_frame){.icrc_state = MRC_ICRC_ABSENT};
    if (mrc_frame_parse(&p->w.wire, own, len, out) == 0) {
        return true;
    }
    const size_t head = len < MRC_FRAME_HDR_MAX ? len : MRC_FRAME_HDR_MAX;
    *out = (struct mrc_frame){.hdr_len = (uint16_t)head, .icrc_state = MRC_ICRC_ABSENT};
    memcpy(out->hdr, own, head);
    out->payload_len = (uint32_t)(len - head);
    out->payload = len > head ? own + head : NULL;
    return out->payload_len <= MRC_PAYLOAD_MAX;
}

/* Remembers what a valid request may leave in the device's region. */
static bool note_laid(struct mrct_player *p, size_t len)
{
    const struct mrc_mr *const mr = &p->w.target[mrct_play_device(p)];
    struct mrc_pkt *const pkt = calloc(1, sizeof *pkt);
    if (pkt == NULL) {
        return false;
    }
    const enum mrc_wire_error err = mrc_pkt_decode(&p->w.wire, p->bytes, len, len, true, pkt);
    const uint64_t at = pkt->reth.va - mr->va;
    const bool valid = err == MRC_WIRE_OK && mrc_op_is_write(pkt->bth.opcode) &&
                       pkt->trim == MRC_TRIM_NONE && pkt->reth.rkey == mr->rkey &&
                       at < mr->len_bytes && pkt->payload_len <= mr->len_bytes - at;
    const struct mrct_laid laid = {
        .offset = at,
        .len = pkt->payload_len,
        .pattern = p->pattern,
    };
    free(pkt);
    if (!valid) {
        return true;
    }
    if (p->laid_count == p->laid_cap) {
        const size_t cap = p->laid_cap > 0 ? 2 * p->laid_cap : 64;
        struct mrct_laid *const more = realloc(p->laid, cap * sizeof *more);
        if (more == NULL) {
            return false;
        }
        p->laid = more;
        p->laid_cap = cap;
    }
    p->laid[p->laid_count++] = laid;
    return true;
}

bool mrct_play_wire(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                    struct mrc_pkt *pkt, struct mrc_frame *out)
{
    if (line->name == MRCT_NAME_RAW) {
        return frame_of(p, line->bytes, line->byte_count, out);
    }
    if (mrc_pkt_encode(&p->w.wire, pkt, out) != 0) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL, "the packet cannot be encoded");
        return false;
    }
    struct mrc_pkt *const at = mrct_pool_alloc(&p->pool, sizeof *at);
    if (at == NULL || mrc_pkt_decode_frame(&p->w.wire, out, at) != MRC_WIRE_OK) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL, "the packet cannot be read again");
        return false;
    }
    if (!put_fields(p, line, k, out, at) || !put_lengths(p, line, out, at)) {
        return false;
    }
    size_t len = mrc_frame_gather(&p->w.wire, out, p->bytes, sizeof p->bytes);
    const struct mrct_script_item *const chop = item(line, MRCT_ITEM_CHOP);
    if (item(line, MRCT_ITEM_BAD_ICRC) != NULL && len > 0) {
        p->bytes[len - 2] ^= 0x01;
    }
    if (chop != NULL) {
        len = len > (size_t)chop->lo ? len - (size_t)chop->lo : 0;
    }
    if (len == 0 || !note_laid(p, len) || !frame_of(p, p->bytes, len, out)) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL, "nothing is left of the packet to send");
        return false;
    }
    return true;
}
