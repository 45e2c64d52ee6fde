/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether what came is what a line says: item by item, in the script's numbers. */
#include "harness/cases/script_priv.h"

#include "harness/cases/case_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what a packet or an event says ---- */

/* The value of a field as the frame has it. False: no such field in it. */
static bool field_value(const struct mrct_rx *rx, const struct mrc_field *f, uint64_t *value)
{
    if (rx->is_event || (rx->pkt.present >> f->hdr & 1) == 0 ||
        rx->pkt.off[f->hdr] + mrc_hdrs[f->hdr].len > rx->head_len) {
        return false;
    }
    const uint8_t *const hdr = rx->head + rx->pkt.off[f->hdr];
    if (!mrc_field_applies(f, hdr)) {
        return false;
    }
    *value = mrc_field_get(f, hdr);
    if (f->is_signed) {
        *value = (uint64_t)(int64_t)(int16_t)*value;
    }
    return true;
}

static bool event_value(const struct mrct_player *p, const struct mrct_rx *rx,
                        enum mrct_item_kind kind, uint64_t *value)
{
    const struct mrc_ep_event *const e = &rx->ev;
    switch ((int)kind) {
    case MRCT_ITEM_WR:
        *value = e->wr_id;
        return true;
    case MRCT_ITEM_STATUS:
        *value = (uint64_t)e->status;
        return true;
    case MRCT_ITEM_IMM:
        *value = e->imm;
        return rx->name == MRCT_NAME_RECV;
    case MRCT_ITEM_LEN:
        *value = e->len_bytes;
        return rx->name == MRCT_NAME_RECV;
    case MRCT_ITEM_QP:
        *value = (uint64_t)mrct_play_qp_of(p, mrct_play_device(p), e->qpn) + 1;
        return true;
    default:
        return false;
    }
}

static bool packet_value(const struct mrct_rx *rx, const struct mrct_script_item *i,
                         uint64_t *value)
{
    switch ((int)i->kind) {
    case MRCT_ITEM_FIELD:
        return field_value(rx, i->field, value);
    case MRCT_ITEM_EV:
        *value = rx->pkt.ev;
        return true;
    case MRCT_ITEM_PLANE:
        *value = rx->plane;
        return true;
    case MRCT_ITEM_DSCP:
        *value = rx->pkt.dscp;
        return true;
    case MRCT_ITEM_ECN:
        *value = rx->pkt.ecn;
        return true;
    case MRCT_ITEM_LEN:
        *value = rx->pkt.payload_len;
        return true;
    case MRCT_ITEM_PAD:
        *value = rx->pkt.bth.pad_cnt;
        return true;
    case MRCT_ITEM_UDP_LEN:
        *value = rx->pkt.udp.length;
        return true;
    default:
        return false;
    }
}

/* ---- the PSNs of a bitmap ---- */

static bool in_set(const struct mrct_script_item *i, int64_t psn)
{
    for (size_t k = 0; k < i->range_count; k++) {
        if (psn >= i->ranges[k].first && psn <= i->ranges[k].last) {
            return true;
        }
    }
    return false;
}

static bool sack_fits(const struct mrct_player *p, const struct mrct_script_item *i,
                      const struct mrct_rx *rx)
{
    const struct mrc_seth *const h = &rx->pkt.seth;
    const int qp = mrct_play_qp_of(p, p->w.host, rx->pkt.bth.dest_qp);
    uint64_t told = 0;
    uint64_t due = 0;
    if (!MRC_PKT_HAS(&rx->pkt, SETH) || qp < 0) {
        return false;
    }
    const int64_t base = mrc_psn_diff(h->cack_psn, p->w.start_psn[p->w.host][qp]) + h->sack_offset;
    for (size_t k = 0; k < i->range_count; k++) {
        due += (uint64_t)(i->ranges[k].last - i->ranges[k].first + 1);
    }
    for (int64_t b = 0; b < 64; b++) {
        if ((h->sack_bitmap >> b & 1) == 0) {
            continue;
        }
        if (!in_set(i, base + b)) {
            return false;
        }
        told++;
    }
    return told == due;
}

/* ---- one item ---- */

static void print_number(char *buf, size_t cap, const struct mrct_script_item *i, int64_t v)
{
    const char *const name =
        i->map == MRCT_MAP_LITERAL && i->field != NULL && i->field->codes != NULL
            ? mrc_code_name(i->field->codes, (uint64_t)v)
            : NULL;
    if (i->kind == MRCT_ITEM_STATUS) {
        const struct mrct_load_word *w = mrct_words_status;
        while (w->name != NULL && w->value != v) {
            w++;
        }
        (void)snprintf(buf, cap, "%s", w->name != NULL ? w->name : "?");
    } else if (name != NULL) {
        (void)snprintf(buf, cap, "%s", name);
    } else if (i->map == MRCT_MAP_VAR || v > 0xFFFFFF) {
        (void)snprintf(buf, cap, "0x%" PRIx64, (uint64_t)v);
    } else {
        (void)snprintf(buf, cap, "%s%" PRId64,
                       i->map == MRCT_MAP_PSN_LAST ? "last+"
                       : i->map == MRCT_MAP_VA_END ? "end+"
                                                   : "",
                       v);
    }
}

static void tell(char *words, size_t cap, const struct mrct_script_item *i, bool known, int64_t is,
                 int64_t lo, int64_t hi)
{
    char got[48];
    char want[48];
    char top[52] = "";
    print_number(got, sizeof got, i, is);
    print_number(want, sizeof want, i, lo);
    if (hi != lo) {
        char end[48];
        print_number(end, sizeof end, i, hi);
        (void)snprintf(top, sizeof top, "~%s", end);
    }
    (void)snprintf(words, cap, "%s is %s, due was %s%s%s", i->word, known ? got : "another",
                   i->differs ? "anything but " : "", want, top);
}

static bool var_fits(struct mrct_player *p, const struct mrct_script_item *i, uint64_t value,
                     char *words, size_t cap)
{
    if (!p->bound[i->var]) {
        return !i->differs; /* bound when the whole line fits */
    }
    if ((p->var[i->var] == value) != i->differs) {
        return true;
    }
    tell(words, cap, i, true, (int64_t)value, (int64_t)p->var[i->var], (int64_t)p->var[i->var]);
    return false;
}

static bool item_fits(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                      const struct mrct_script_item *i, const struct mrct_rx *rx, char *words,
                      size_t cap)
{
    uint64_t value = 0;
    int64_t number = 0;
    if (i->kind == MRCT_ITEM_SACK) {
        if (sack_fits(p, i, rx)) {
            return true;
        }
        (void)snprintf(words, cap, "its bitmap names other PSNs");
        return false;
    }
    if (!(rx->is_event ? event_value(p, rx, i->kind, &value) : packet_value(rx, i, &value))) {
        (void)snprintf(words, cap, "it has no %s", i->word);
        return false;
    }
    if (i->map == MRCT_MAP_VAR) {
        return var_fits(p, i, value, words, cap);
    }
    const int64_t step = mrct_play_step(line, i, k);
    const bool known = mrct_play_number(p, line, i, rx, value, &number);
    const bool inside = known && number >= i->lo + step && number <= i->hi + step;
    if (inside != i->differs) {
        return true;
    }
    tell(words, cap, i, known, number, i->lo + step, i->hi + step);
    return false;
}

/* ---- a line ---- */

static bool is_answer(int name)
{
    return name == MRC_OP_SACK || name == MRC_OP_NACK || name == MRC_OP_ACK ||
           name == MRC_OP_EP_RESPONSE;
}

static bool name_fits(int due, int name)
{
    switch (due) {
    case MRCT_NAME_ANY:
        return name < MRCT_NAME_ANY;
    case MRCT_NAME_WRITE:
        return name < MRCT_NAME_ANY && mrc_op_is_write((uint8_t)name);
    case MRCT_NAME_ANSWER:
        return is_answer(name);
    default:
        return due == name;
    }
}

/* Items that say what a line is about, rather than what must be so. */
static bool is_selector(const struct mrct_script_item *i)
{
    return i->kind == MRCT_ITEM_PLANE || i->map == MRCT_MAP_QP;
}

bool mrct_play_about(const struct mrct_player *p, const struct mrct_script_line *line,
                     const struct mrct_rx *rx)
{
    char words[64];
    if (!name_fits(line->name, rx->name)) {
        return false;
    }
    for (size_t i = 0; i < line->item_count; i++) {
        /* a selector binds nothing, so the player stays as it is */
        if (is_selector(&line->items[i]) && !item_fits((struct mrct_player *)p, line, 0,
                                                       &line->items[i], rx, words, sizeof words)) {
            return false;
        }
    }
    return true;
}

bool mrct_play_fits(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                    const struct mrct_rx *rx, bool bind, char *words, size_t cap)
{
    words[0] = '\0';
    if (!mrct_play_about(p, line, rx)) {
        (void)snprintf(words, cap, "it is something else");
        return false;
    }
    if (rx->err != MRC_WIRE_OK && !rx->is_event) {
        (void)snprintf(words, cap, "it does not decode: %s", mrc_wire_error_str(rx->err));
        return false;
    }
    for (size_t i = 0; i < line->item_count; i++) {
        if (!item_fits(p, line, k, &line->items[i], rx, words, cap)) {
            return false;
        }
    }
    for (size_t i = 0; i < line->item_count && bind; i++) {
        const struct mrct_script_item *const it = &line->items[i];
        uint64_t value = 0;
        if (it->map == MRCT_MAP_VAR && !p->bound[it->var] &&
            (rx->is_event ? event_value(p, rx, it->kind, &value) : packet_value(rx, it, &value))) {
            p->var[it->var] = value;
            p->bound[it->var] = true;
        }
    }
    return true;
}
