/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoder and encoder of one header: straight lines of byte loads and stores, which compilers turn
 * into swapped words. Every byte of the header is read and written once.
 */
#include "spec/gen/wire_model.h"

static unsigned field_end(const struct gen_field *f)
{
    return f->bit_off + f->width;
}

static void put_mask(FILE *o, unsigned width)
{
    const unsigned long long mask = width >= 64 ? ~0ULL : (1ULL << width) - 1;
    (void)fprintf(o, width > 32 ? "UINT64_C(0x%llX)" : "0x%llXu", mask);
}

/* The field's bits as an unsigned expression of p[]. */
static void put_load(FILE *o, const struct gen_field *f)
{
    const unsigned first = f->bit_off / 8, last = (field_end(f) - 1) / 8;
    const unsigned shift = (last + 1) * 8 - field_end(f);
    const char *const type = last - first >= 4 ? "uint64_t" : "uint32_t";
    (void)fputc('(', o);
    for (unsigned b = first; b <= last; b++) {
        (void)fprintf(o, "%s(%s)p[%u]", b == first ? "" : " | ", type, b);
        if (b < last) {
            (void)fprintf(o, " << %u", (last - b) * 8);
        }
    }
    (void)fputc(')', o);
    if (shift) {
        (void)fprintf(o, " >> %u", shift);
    }
    if (f->width < (last - first + 1) * 8 - shift) {
        (void)fputs(" & ", o);
        put_mask(o, f->width);
    }
}

static const char *uint_type(const struct gen_field *f)
{
    return f->width <= 8    ? "uint8_t"
           : f->width <= 16 ? "uint16_t"
           : f->width <= 32 ? "uint32_t"
                            : "uint64_t";
}

static void emit_load(FILE *o, const struct gen_field *f)
{
    if (f->is_bytes) {
        (void)fprintf(o, "    memcpy(h->%s, p + %u, %u);\n", f->name, f->bit_off / 8, f->width / 8);
        return;
    }
    (void)fprintf(o, "    h->%s = ", f->name);
    if (f->when_field) {
        (void)fprintf(o, "h->%s != %u ? (%s%s)0 : ", f->when_field, f->when_value,
                      f->is_signed ? "" : "u", uint_type(f) + 1);
    }
    if (f->is_signed) {
        (void)fprintf(o, "(%s)", uint_type(f) + 1);
    }
    (void)fprintf(o, "(%s)(", uint_type(f));
    put_load(o, f);
    (void)fputs(");\n", o);
}

static void emit_decode(FILE *o, const struct gen_header *h)
{
    (void)fprintf(o,
                  "\nsize_t mrc_%s_decode(const uint8_t *p, const uint8_t *end, struct mrc_%s *h)\n"
                  "{\n    if (end - p < %u) {\n        return 0;\n    }\n",
                  h->id, h->id, h->len);
    /* What others depend on comes first. */
    for (unsigned i = 0; i < h->field_count; i++) {
        if (!h->fields[i].when_field) {
            emit_load(o, &h->fields[i]);
        }
    }
    for (unsigned i = 0; i < h->field_count; i++) {
        if (h->fields[i].when_field) {
            emit_load(o, &h->fields[i]);
        }
    }
    (void)fprintf(o, "    return %u;\n}\n", h->len);
}

/* The part of field f that lies in byte b, moved to its place there. */
static void put_part(FILE *o, const struct gen_field *f, unsigned b)
{
    const unsigned from = f->bit_off > b * 8 ? f->bit_off : b * 8;
    const unsigned to = field_end(f) < b * 8 + 8 ? field_end(f) : b * 8 + 8;
    const unsigned right = field_end(f) - to, left = b * 8 + 8 - to, bits = to - from;
    (void)fprintf(o, "(v_%s", f->name);
    if (right) {
        (void)fprintf(o, " >> %u", right);
    }
    if (bits < 8) {
        (void)fputs(" & ", o);
        put_mask(o, bits);
    }
    (void)fputc(')', o);
    if (left) {
        (void)fprintf(o, " << %u", left);
    }
}

static void emit_locals(FILE *o, const struct gen_header *h)
{
    for (unsigned i = 0; i < h->field_count; i++) {
        const struct gen_field *f = &h->fields[i];
        if (f->is_bytes || f->alt >= 0) {
            continue;
        }
        const char *const type = f->width > 32 ? "uint64_t" : "uint32_t";
        (void)fprintf(o, "    const %s v_%s = ", type, f->name);
        const struct gen_field *other = i + 1 < h->field_count ? &h->fields[i + 1] : NULL;
        if (other && other->alt == (int)i) {
            (void)fprintf(o, "h->%s == %u ? (%s)h->%s : ", other->when_field, other->when_value,
                          uint_type(other), other->name);
        }
        if (f->is_signed) {
            (void)fprintf(o, "(%s)", uint_type(f));
        }
        (void)fprintf(o, "h->%s;\n", f->name);
    }
}

static void emit_byte(FILE *o, const struct gen_header *h, unsigned b)
{
    bool first = true;
    for (unsigned i = 0; i < h->field_count; i++) {
        const struct gen_field *f = &h->fields[i];
        if (f->is_bytes || f->alt >= 0 || f->bit_off >= b * 8 + 8 || field_end(f) <= b * 8) {
            continue;
        }
        if (first) {
            (void)fprintf(o, "    p[%u] = (uint8_t)(", b);
        } else {
            (void)fputs(" | ", o);
        }
        put_part(o, f, b);
        first = false;
    }
    if (!first) {
        (void)fputs(");\n", o);
    }
}

static void emit_encode(FILE *o, const struct gen_header *h)
{
    (void)fprintf(o,
                  "\nsize_t mrc_%s_encode(const struct mrc_%s *h, uint8_t *p, const uint8_t *end)\n"
                  "{\n    if (end - p < %u) {\n        return 0;\n    }\n",
                  h->id, h->id, h->len);
    emit_locals(o, h);
    for (unsigned b = 0; b < h->len; b++) {
        emit_byte(o, h, b);
    }
    for (unsigned i = 0; i < h->field_count; i++) {
        const struct gen_field *f = &h->fields[i];
        if (f->is_bytes) {
            (void)fprintf(o, "    memcpy(p + %u, h->%s, %u);\n", f->bit_off / 8, f->name,
                          f->width / 8);
        }
    }
    (void)fprintf(o, "    return %u;\n}\n", h->len);
}

void gen_emit_codec(FILE *o, const struct gen_header *h)
{
    emit_decode(o, h);
    emit_encode(o, h);
}
