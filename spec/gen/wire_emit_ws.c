/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The field tables of the Wireshark plugin, and what a field is called and how it is shown there.
 * The Lua dissector is told the same, so that both look alike.
 */
#include "spec/gen/wire_model.h"

#include <string.h>

/* The first header that is MRC's own; Wireshark shows those before by itself. */
#define FIRST_OWN "bth"

bool gen_ws_own(const struct gen_wire *w, unsigned header)
{
    const int first = gen_wire_header(w, FIRST_OWN, strlen(FIRST_OWN));
    return first >= 0 && header >= (unsigned)first;
}

struct gen_ws_place gen_ws_place(const struct gen_field *f)
{
    const unsigned byte = f->bit_off / 8;
    const unsigned len = (f->bit_off + f->width - 1) / 8 - byte + 1;
    struct gen_ws_place at = {.byte = byte, .len = len, .is_blob = len > 4 && f->width != 64};
    if (!at.is_blob && f->width != 8 * len) {
        const unsigned shift = 8 * len - (f->bit_off - 8 * byte) - f->width;
        at.mask = (UINT64_MAX >> (64 - f->width)) << shift; /* 1..63 wide: not the whole */
    }
    return at;
}

/* Words of a name that are no words. */
static const struct {
    const char *word, *shown;
} acronyms[] = {
    {"a", "A"},
    {"cack", "cAck"},
    {"cc", "CC"},
    {"cnt", "count"},
    {"cwnd", "cwnd"},
    {"dma", "DMA"},
    {"dpdcid", "DPDCID"},
    {"ftype", "FType"},
    {"hdr", "header"},
    {"imm", "data"},
    {"len", "length"},
    {"m", "M"},
    {"mpr", "MPR"},
    {"msn", "MSN"},
    {"nack", "NACK"},
    {"ooo", "OOO"},
    {"pen", "penalty"},
    {"pkey", "P_Key"},
    {"pr", "PR"},
    {"psn", "PSN"},
    {"qp", "QP"},
    {"r", "R"},
    {"rcv", "rcv"},
    {"rcvd", "rcvd"},
    {"rkey", "R_Key"},
    {"rqmsn", "RQMSN"},
    {"rsvd", "reserved"},
    {"rsvd0", "reserved"},
    {"rsvd1", "reserved"},
    {"rsvd2", "reserved"},
    {"rsvd3", "reserved"},
    {"rtx", "RTX"},
    {"sack", "SACK"},
    {"se", "SE"},
    {"spdcid", "SPDCID"},
    {"ts", "TS"},
    {"tsr", "TSR"},
    {"tver", "TVer"},
    {"tx", "TX"},
    {"va", "VA"},
};

static void put_word(FILE *o, const char *word, size_t len, bool first)
{
    for (size_t i = 0; i < sizeof acronyms / sizeof acronyms[0]; i++) {
        if (strlen(acronyms[i].word) == len && memcmp(acronyms[i].word, word, len) == 0) {
            word = acronyms[i].shown;
            len = strlen(word);
            break;
        }
    }
    const bool raise = first && word[0] >= 'a' && word[0] <= 'z' && word[1] != 'A';
    (void)fputc(raise ? word[0] - 'a' + 'A' : word[0], o);
    (void)fprintf(o, "%.*s", (int)len - 1, word + 1);
}

void gen_ws_put_label(FILE *o, const struct gen_field *f)
{
    const char *at = f->name;
    for (bool first = true;; first = false) {
        const size_t len = strcspn(at, "_");
        put_word(o, at, len, first);
        at += len;
        if (*at == '\0') {
            return;
        }
        (void)fputc(' ', o);
        at++;
    }
}

bool gen_ws_is_hex(const struct gen_field *f)
{
    static const char *const names[] = {
        "opcode",      "dest_qp",          "pkey",        "va",          "rkey",
        "imm",         "syndrome",         "entropy",     "spdcid",      "dpdcid",
        "vendor_info", "port_status_mask", "sack_bitmap", "nack_reason", "probe_id"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], f->name) == 0) {
            return true;
        }
    }
    return f->reserved != NULL;
}

/* A bit without names for its values. */
bool gen_ws_is_flag(const struct gen_field *f)
{
    return f->width == 1 && !f->codes;
}

static void put_string(FILE *o, const char *s)
{
    (void)fputc('"', o);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') {
            (void)fputc('\\', o);
        }
        (void)fputc(*s == '\n' ? ' ' : *s, o);
    }
    (void)fputc('"', o);
}

static void emit_set(FILE *o, const struct gen_set *s)
{
    (void)fprintf(o, "static const value_string mrc_ws_%s[] = {\n", s->id);
    for (unsigned i = 0; i < s->value_count; i++) {
        (void)fprintf(o, "    {0x%llX, \"%s\"},\n", (unsigned long long)s->values[i].value,
                      s->values[i].name);
    }
    (void)fputs("    {0, NULL}\n};\n\n", o);
}

static void put_type(FILE *o, const struct gen_field *f, const struct gen_ws_place *at)
{
    if (at->is_blob) {
        (void)fputs("FT_BYTES, BASE_NONE", o);
    } else if (gen_ws_is_flag(f)) {
        (void)fprintf(o, "FT_BOOLEAN, %u", 8 * at->len);
    } else {
        (void)fprintf(o, "FT_%sINT%u, BASE_%s", f->is_signed ? "" : "U", 8 * at->len,
                      gen_ws_is_hex(f) ? "HEX" : "DEC");
    }
}

static void emit_hf(FILE *o, const struct gen_header *h, const struct gen_field *f, unsigned index)
{
    const struct gen_ws_place at = gen_ws_place(f);
    (void)fprintf(o, "    {&mrc_ws_hf[%u], {\"", index);
    gen_ws_put_label(o, f);
    (void)fprintf(o, "\", \"mrc.%s.%s\", ", h->id, f->name);
    put_type(o, f, &at);
    if (f->codes) {
        (void)fprintf(o, ", VALS(mrc_ws_%s)", f->codes);
    } else {
        (void)fputs(", NULL", o);
    }
    (void)fprintf(o, ", 0x%llX, ", (unsigned long long)at.mask);
    put_string(o, f->meaning);
    (void)fputs(", HFILL}},\n", o);
}

static void emit_place(FILE *o, const struct gen_header *h, const struct gen_field *f)
{
    const struct gen_ws_place at = gen_ws_place(f);
    int when = -1;
    for (unsigned i = 0; f->when_field && i < h->field_count; i++) {
        if (strcmp(h->fields[i].name, f->when_field) == 0) {
            when = (int)h->fields[i].bit_off;
        }
    }
    (void)fprintf(o, "    {%u, %u, %d, %u, %s}, /* mrc.%s.%s */\n", at.byte, at.len, when,
                  f->when_value, f->reserved && strcmp(f->reserved, "zero") == 0 ? "true" : "false",
                  h->id, f->name);
}

static void emit_own(FILE *o, const struct gen_wire *w,
                     void (*emit)(FILE *o, const struct gen_header *h, const struct gen_field *f,
                                  unsigned index))
{
    unsigned index = 0;
    for (unsigned i = 0; i < w->header_count; i++) {
        for (unsigned k = 0; gen_ws_own(w, i) && k < w->headers[i].field_count; k++) {
            emit(o, &w->headers[i], &w->headers[i].fields[k], index++);
        }
    }
}

static void emit_place_row(FILE *o, const struct gen_header *h, const struct gen_field *f,
                           unsigned index)
{
    (void)index;
    emit_place(o, h, f);
}

static void emit_enum_row(FILE *o, const struct gen_header *h, const struct gen_field *f,
                          unsigned index)
{
    (void)fputs("    MRC_WS_", o);
    gen_put_upper(o, h->id);
    (void)fputc('_', o);
    gen_put_upper(o, f->name);
    (void)fprintf(o, " = %u,\n", index);
}

void gen_emit_ws(FILE *o, const struct gen_wire *w)
{
    (void)fputs("/* SPDX-License-Identifier: BSD-2-Clause */\n"
                "/* Generated by specgen from the wire format's YAML. Do not edit.\n"
                " * The fields of the Wireshark plugin; include it in one file only. */\n\n",
                o);
    for (unsigned i = 0; i < w->set_count; i++) {
        emit_set(o, &w->sets[i]);
    }
    (void)fputs("/* Index of each field in the tables below. */\nenum mrc_ws_field {\n", o);
    emit_own(o, w, emit_enum_row);
    (void)fputs("    MRC_WS_FIELDS\n};\n\nstatic int mrc_ws_hf[MRC_WS_FIELDS];\n\n"
                "static hf_register_info mrc_ws_info[] = {\n",
                o);
    emit_own(o, w, emit_hf);
    (void)fputs("};\n\n/* Where a field stands in its header. */\n"
                "static const struct mrc_ws_place {\n"
                "    uint8_t byte, len;\n"
                "    int16_t when_bit; /* it exists while this bit has that value; -1: always */\n"
                "    uint8_t when_value;\n"
                "    bool reserved_zero;\n"
                "} mrc_ws_places[MRC_WS_FIELDS] = {\n",
                o);
    emit_own(o, w, emit_place_row);
    (void)fputs("};\n\n/* Headers by enum mrc_hdr_id; those that Wireshark shows itself are "
                "empty. */\n"
                "static const struct mrc_ws_header {\n"
                "    const char *id, *title;\n"
                "    uint16_t first, count;\n"
                "} mrc_ws_headers[] = {\n",
                o);
    unsigned index = 0;
    for (unsigned i = 0; i < w->header_count; i++) {
        const struct gen_header *const h = &w->headers[i];
        const unsigned count = gen_ws_own(w, i) ? h->field_count : 0;
        (void)fprintf(o, "    {\"%s\", \"%s\", %u, %u},\n", h->id, h->title, index, count);
        index += count;
    }
    (void)fputs("};\n", o);
}
