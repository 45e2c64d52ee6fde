/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Header fields are collected in header bytes by the same table that prints them, and decoded from
 * there: what the decoder understands is what was written.
 */
#include "ref/wire/reader.h"
#include "ref/wire/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- body: MRC headers ---- */

/* Makes a header present, with the usual values of its fields. */
static void add_header(struct mrc_reader *r, enum mrc_hdr_id id)
{
    r->p->present |= MRC_BIT(id);
    for (size_t i = 0; i < mrc_word_count; i++) {
        if (mrc_words[i].hdr == id && mrc_words[i].omit) {
            mrc_field_set(mrc_word_field(&mrc_words[i]), r->hdr[id], mrc_words[i].usual);
        }
    }
}

static int code_or_number(struct mrc_reader *r, const struct mrc_field *f, uint64_t *value)
{
    const uint64_t max = f->bit_width >= 64 ? UINT64_MAX : (UINT64_C(1) << f->bit_width) - 1;
    for (size_t i = 0; f->codes && i < f->codes->count; i++) {
        if (mrc_reader_is(r, f->codes->codes[i].name)) {
            *value = f->codes->codes[i].value;
            return 0;
        }
    }
    const int64_t min = f->is_signed ? -(int64_t)(max / 2) - 1 : 0;
    return mrc_reader_convert(r, r->tok, r->len, min, f->is_signed ? max / 2 : max, value);
}

static int read_opcode(struct mrc_reader *r)
{
    uint64_t op = 0;
    const struct mrc_field *const f = mrc_field_find("bth.opcode");
    if (!mrc_reader_next(r)) {
        return mrc_reader_fail(r, "an opcode is missing at the end");
    }
    if (code_or_number(r, f, &op) != 0) {
        return mrc_reader_fail(r, "unknown opcode '%.*s'", (int)r->len, r->tok);
    }
    add_header(r, MRC_HDR_BTH);
    mrc_field_set(f, r->hdr[MRC_HDR_BTH], op);
    const struct mrc_chain *const chain = mrc_opcode_chain((unsigned)op);
    for (unsigned id = MRC_HDR_METH; chain && id < MRC_HDR_COUNT; id++) {
        if (chain->required & MRC_BIT(id)) {
            add_header(r, (enum mrc_hdr_id)id);
        }
    }
    r->possible = chain ? chain->optional : 0;
    return 0;
}

static void set_ts(struct mrc_reader *r)
{
    mrc_field_set(mrc_field_find("bth.ts"), r->hdr[MRC_HDR_BTH], 1);
}

/* A field's value is the word behind, but for flags and PSN ranges. */
static int read_value(struct mrc_reader *r, const struct mrc_word *w)
{
    const struct mrc_field *const f = mrc_word_field(w);
    uint64_t value = 1;
    if (r->possible & MRC_BIT(w->hdr)) {
        r->possible &= ~MRC_BIT(w->hdr);
        add_header(r, w->hdr);
        set_ts(r);
    }
    if (w->style != MRC_WORD_FLAG) {
        if (!mrc_reader_next(r)) {
            return mrc_reader_fail(r, "the value of '%s' is missing at the end", w->word);
        }
        if (w->style == MRC_WORD_SACK) {
            r->sack = r->tok;
            r->sack_len = r->len;
            return 0;
        }
        if (code_or_number(r, f, &value) != 0) {
            return -1;
        }
    }
    mrc_field_set(f, r->hdr[w->hdr], value);
    return 0;
}

static int read_bytes(struct mrc_reader *r, const struct mrc_field *f, const char *hex, size_t len)
{
    uint8_t *const at = r->hdr[f->hdr] + f->bit_off / 8;
    if (len != 2u * f->bit_width / 8u) {
        return mrc_reader_fail(r, "expected %u hex digits", 2u * f->bit_width / 8u);
    }
    for (size_t i = 0; i < len; i++) {
        const char pair[2] = {hex[i], '\0'};
        char *end;
        const unsigned long v = strtoul(pair, &end, 16);
        if (end == pair) {
            return mrc_reader_fail(r, "'%c' is no hex digit", hex[i]);
        }
        at[i / 2] = (uint8_t)((unsigned long)at[i / 2] << 4 | v);
    }
    return 0;
}

/* "bth.r=1": any field of a header that is there. */
static int read_assignment(struct mrc_reader *r, const char *eq)
{
    char name[64];
    const size_t len = (size_t)(eq - r->tok);
    const char *const text = eq + 1;
    const size_t text_len = r->len - len - 1;
    if (len >= sizeof name) {
        return mrc_reader_fail(r, "unknown field");
    }
    memcpy(name, r->tok, len);
    name[len] = '\0';
    const struct mrc_field *const f = mrc_field_find(name);
    if (!f || f->hdr < MRC_HDR_BTH || !(r->p->present & MRC_BIT(f->hdr))) {
        return mrc_reader_fail(r, "no field '%s' in this packet", name);
    }
    if (f->is_bytes) {
        return read_bytes(r, f, text, text_len);
    }
    uint64_t value;
    const uint64_t max = f->bit_width >= 64 ? UINT64_MAX : (UINT64_C(1) << f->bit_width) - 1;
    if (mrc_reader_convert(r, text, text_len, 0, max, &value) != 0) {
        return -1;
    }
    mrc_field_set(f, r->hdr[f->hdr], value);
    return 0;
}

static int tail_len(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, MRC_PAYLOAD_MAX, &v) != 0) {
        return -1;
    }
    r->p->payload_len = (uint32_t)v;
    return 0;
}

static int tail_pad(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, 3, &v) != 0) {
        return -1;
    }
    mrc_field_set(mrc_field_find("bth.pad_cnt"), r->hdr[MRC_HDR_BTH], v);
    r->have_pad = true;
    return 0;
}

static int tail_udp(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, 0xFFFF, &v) != 0) {
        return -1;
    }
    r->p->udp.length = (uint16_t)v;
    r->have_udp = true;
    return 0;
}

static int tail_ts(struct mrc_reader *r)
{
    set_ts(r);
    r->possible = 0;
    return 0;
}

static int tail_gone(struct mrc_reader *r)
{
    if (!mrc_reader_next(r) || (!mrc_reader_is(r, "reth") && !mrc_reader_is(r, "immdt"))) {
        return mrc_reader_fail(r, "expected reth or immdt");
    }
    r->p->present &= ~(mrc_reader_is(r, "reth") ? MRC_BIT(MRC_HDR_RETH) | MRC_BIT(MRC_HDR_IMMDT)
                                                : MRC_BIT(MRC_HDR_IMMDT));
    return 0;
}

static int tail_noicrc(struct mrc_reader *r)
{
    r->p->icrc_state = MRC_ICRC_ABSENT;
    return 0;
}

static int tail_badicrc(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, UINT32_MAX, &v) != 0) {
        return -1;
    }
    r->p->icrc_state = MRC_ICRC_WRONG;
    r->p->icrc = (uint32_t)v;
    return 0;
}

static const struct {
    const char *word;
    int (*read)(struct mrc_reader *r);
} tail_words[] = {
    {"len", tail_len},   {"pad", tail_pad},       {"udp", tail_udp},         {"TS", tail_ts},
    {"gone", tail_gone}, {"noicrc", tail_noicrc}, {"badicrc", tail_badicrc},
};

static int body_word(struct mrc_reader *r)
{
    for (size_t i = 0; i < mrc_word_count; i++) {
        const struct mrc_word *const w = &mrc_words[i];
        if (((r->p->present | r->possible) & MRC_BIT(w->hdr)) && w->style != MRC_WORD_OWN &&
            mrc_reader_is(r, w->word)) {
            return read_value(r, w);
        }
    }
    for (size_t i = 0; i < sizeof tail_words / sizeof tail_words[0]; i++) {
        if (mrc_reader_is(r, tail_words[i].word)) {
            return tail_words[i].read(r);
        }
    }
    const char *const eq = memchr(r->tok, '=', r->len);
    return eq ? read_assignment(r, eq)
              : mrc_reader_fail(r, "unknown word '%.*s' for this opcode", (int)r->len, r->tok);
}

int mrc_reader_body(struct mrc_reader *r)
{
    int rc = read_opcode(r);
    while (rc == 0 && mrc_reader_next(r) && r->tok[0] != '[') {
        rc = body_word(r);
    }
    return rc;
}
