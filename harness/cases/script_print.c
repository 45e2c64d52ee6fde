/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device did, as a line of the script would say it. */
#include "harness/cases/script_priv.h"

#include "harness/cases/case_parts.h"
#include "ref/wire/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void mrct_play_print_time(struct mrc_text *t, uint64_t ns)
{
    if (ns % 1000000 == 0) {
        mrc_text_add(t, "%" PRIu64 "ms", ns / 1000000);
    } else if (ns % 1000 == 0) {
        mrc_text_add(t, "%" PRIu64 "us", ns / 1000);
    } else {
        mrc_text_add(t, "%" PRIu64 ".%03uus", ns / 1000, (unsigned)(ns % 1000));
    }
}

/* ---- fields in the script's numbers ---- */

static enum mrct_item_map map_of(const struct mrc_field *f, int name)
{
    static const struct {
        const char *end;
        enum mrct_item_map map;
    } maps[] = {{".dest_qp", MRCT_MAP_QP},  {"dcid", MRCT_MAP_QP},       {"bth.psn", MRCT_MAP_PSN},
                {"cack_psn", MRCT_MAP_PSN}, {"nack_psn", MRCT_MAP_PSN},  {"entropy", MRCT_MAP_EV},
                {"reth.va", MRCT_MAP_VA},   {"reth.rkey", MRCT_MAP_RKEY}};
    const bool node = name == MRC_OP_EP_REQUEST || name == MRC_OP_EP_RESPONSE;
    for (size_t i = 0; i < sizeof maps / sizeof maps[0] && !node; i++) {
        const size_t len = strlen(maps[i].end);
        const size_t all = strlen(f->name);
        if (all >= len && strcmp(f->name + all - len, maps[i].end) == 0) {
            return maps[i].map;
        }
    }
    return MRCT_MAP_LITERAL;
}

/* An EV as "N", or "N@P" when it is another plane's. */
static bool put_ev(const struct mrct_player *p, struct mrc_text *t, unsigned host, unsigned plane,
                   uint32_t value)
{
    const unsigned n = p->w.evs_per_plane[host];
    for (unsigned i = 0; p->w.evs[host] != NULL && i < n * p->w.planes; i++) {
        if (p->w.evs[host][i].value == value) {
            mrc_text_add(t, " %u", i % n);
            if (i / n != plane) {
                mrc_text_add(t, "@%u", i / n);
            }
            return true;
        }
    }
    mrc_text_add(t, " 0x%08" PRIx32, value);
    return false;
}

static void put_psns(const struct mrct_player *p, struct mrc_text *t, const struct mrct_rx *rx)
{
    const struct mrc_seth *const h = &rx->pkt.seth;
    const int qp = mrct_play_qp_of(p, p->w.host, rx->pkt.bth.dest_qp);
    const uint32_t start = qp >= 0 ? p->w.start_psn[p->w.host][qp] : 0;
    const int64_t base = mrc_psn_diff(h->cack_psn, start) + h->sack_offset;
    const char *between = " ";
    if (h->sack_bitmap == 0) {
        mrc_text_add(t, " none");
    }
    for (int i = 0; i < 64; i++) {
        const int first = i;
        if ((h->sack_bitmap >> i & 1) == 0) {
            continue;
        }
        while (i < 63 && (h->sack_bitmap >> (i + 1) & 1) != 0) {
            i++;
        }
        mrc_text_add(t, "%s%" PRId64, between, base + first);
        if (i > first) {
            mrc_text_add(t, "-%" PRId64, base + i);
        }
        between = ",";
    }
}

static void put_mapped(const struct mrct_player *p, struct mrc_text *t, const struct mrct_rx *rx,
                       const struct mrc_field *f, const struct mrc_word *w, uint64_t value)
{
    static const struct mrct_script_line no_line = {.name = MRCT_NAME_ANY};
    struct mrct_script_item i = {
        .kind = MRCT_ITEM_FIELD, .field = f, .plane = -1, .map = map_of(f, rx->name)};
    int64_t number = 0;
    if (i.map == MRCT_MAP_EV) {
        (void)put_ev(p, t, mrct_play_flow_host(mrct_play_device(p), rx->name), rx->plane,
                     (uint32_t)value);
    } else if (i.map != MRCT_MAP_LITERAL && mrct_play_number(p, &no_line, &i, rx, value, &number)) {
        mrc_text_add(t, " %" PRId64, number);
    } else if (f->is_signed) {
        mrc_text_add(t, " %d", (int16_t)value);
    } else if (w->style == MRC_WORD_CODE && mrc_code_name(f->codes, value) != NULL) {
        mrc_text_add(t, " %s", mrc_code_name(f->codes, value));
    } else if (w->style == MRC_WORD_DEC) {
        mrc_text_add(t, " %" PRIu64, value);
    } else {
        mrc_text_add(t, " 0x%" PRIx64, value);
    }
}

static void put_word(const struct mrct_player *p, struct mrc_text *t, const struct mrct_rx *rx,
                     const struct mrc_word *w)
{
    const struct mrc_field *const f = mrc_word_field(w);
    const uint8_t *const hdr = rx->head + rx->pkt.off[w->hdr];
    if ((rx->pkt.present >> w->hdr & 1) == 0 || w->style == MRC_WORD_OWN ||
        rx->pkt.off[w->hdr] + mrc_hdrs[w->hdr].len > rx->head_len || !mrc_field_applies(f, hdr)) {
        return;
    }
    const uint64_t value = mrc_field_get(f, hdr);
    if (w->omit && value == w->usual) {
        return;
    }
    mrc_text_add(t, " %s", w->word);
    if (w->style == MRC_WORD_SACK) {
        put_psns(p, t, rx);
    } else if (w->style != MRC_WORD_FLAG) {
        put_mapped(p, t, rx, f, w, value);
    }
}

/* Fields that have no word, when they are not 0. */
static void put_rest(struct mrc_text *t, const struct mrct_rx *rx)
{
    for (size_t i = 0; i < mrc_field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[i];
        if (f->hdr < MRC_HDR_BTH || (rx->pkt.present >> f->hdr & 1) == 0 || f->is_bytes ||
            mrc_word_covers(f) || rx->pkt.off[f->hdr] + mrc_hdrs[f->hdr].len > rx->head_len) {
            continue;
        }
        const uint64_t v = mrc_field_get(f, rx->head + rx->pkt.off[f->hdr]);
        if (v != 0) {
            mrc_text_add(t, " %s=0x%" PRIx64, f->name, v);
        }
    }
}

static void print_packet(const struct mrct_player *p, const struct mrct_rx *rx, struct mrc_text *t)
{
    static const char *const ecn[] = {"", " ect1", " ect0", " ce"};
    const struct mrc_chain *const chain =
        rx->name < MRCT_NAME_ANY ? mrc_opcode_chain((unsigned)rx->name) : NULL;
    const char *const name = mrct_script_name_str(rx->name);
    mrc_text_add(t, "< @%u ev", rx->plane);
    (void)put_ev(p, t, mrct_play_device(p), rx->plane, rx->pkt.ev);
    mrc_text_add(t, " dscp %u%s: ", rx->pkt.dscp, ecn[rx->pkt.ecn & 3]);
    if (name != NULL) {
        mrc_text_add(t, "%s", name);
    } else {
        mrc_text_add(t, "0x%02x", rx->pkt.bth.opcode);
    }
    for (size_t i = 0; i < mrc_word_count; i++) {
        put_word(p, t, rx, &mrc_words[i]);
    }
    put_rest(t, rx);
    if (rx->pkt.payload_len > 0 || (chain != NULL && chain->payload)) {
        mrc_text_add(t, " len %" PRIu32, rx->pkt.payload_len);
    }
    if (rx->err != MRC_WIRE_OK) {
        mrc_text_add(t, " [%s]", mrc_wire_error_str(rx->err));
    }
}

static void print_event(const struct mrct_player *p, const struct mrct_rx *rx, struct mrc_text *t)
{
    const struct mrct_load_word *w = mrct_words_status;
    while (w->name != NULL && w->value != (int)rx->ev.status) {
        w++;
    }
    mrc_text_add(t, "< %s qp %d", mrct_script_name_str(rx->name),
                 mrct_play_qp_of(p, mrct_play_device(p), rx->ev.qpn) + 1);
    if (rx->name != MRCT_NAME_ERROR) {
        mrc_text_add(t, " wr %" PRIu64, rx->ev.wr_id);
    }
    mrc_text_add(t, " status %s", w->name != NULL ? w->name : "?");
    if (rx->name == MRCT_NAME_RECV) {
        mrc_text_add(t, " imm 0x%" PRIx32 " len %" PRIu32, rx->ev.imm, rx->ev.len_bytes);
    }
}

void mrct_play_print(const struct mrct_player *p, const struct mrct_rx *rx, char *buf, size_t cap)
{
    struct mrc_text t;
    mrc_text_init(&t, buf, cap);
    if (rx->is_event) {
        print_event(p, rx, &t);
    } else {
        print_packet(p, rx, &t);
    }
}
