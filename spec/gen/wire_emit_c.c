/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/gen/wire_model.h"

#include <string.h>

/* A C string literal, or NULL. */
static void put_string(FILE *o, const char *s)
{
    if (!s) {
        (void)fputs("NULL", o);
        return;
    }
    (void)fputc('"', o);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') {
            (void)fputc('\\', o);
        }
        (void)fputc(*s == '\n' ? ' ' : *s, o);
    }
    (void)fputc('"', o);
}

static void put_mask_of(FILE *o, const struct gen_wire *w, const char *headers, bool optional)
{
    bool any = false;
    for (const char *s = headers; *s;) {
        const size_t len = strcspn(s, " ?");
        if ((s[len] == '?') == optional) {
            const int i = gen_wire_header(w, s, len);
            (void)fputs(any ? " | UINT32_C(1) << MRC_HDR_" : "UINT32_C(1) << MRC_HDR_", o);
            gen_put_upper(o, w->headers[i].id);
            any = true;
        }
        s += len;
        s += strspn(s, " ?");
    }
    if (!any) {
        (void)fputc('0', o);
    }
}

static void emit_chains(FILE *o, const struct gen_wire *w, const struct gen_set *s)
{
    bool any = false;
    for (unsigned i = 0; i < s->value_count; i++) {
        const struct gen_value *v = &s->values[i];
        if (!v->headers) {
            continue;
        }
        if (!any) {
            (void)fprintf(o, "\nstatic const struct mrc_chain %s_chains[] = {\n", s->id);
            any = true;
        }
        (void)fprintf(o, "    [0x%llX] = {", (unsigned long long)v->value);
        put_mask_of(o, w, v->headers, false);
        (void)fputs(", ", o);
        put_mask_of(o, w, v->headers, true);
        (void)fprintf(o, ", %s, true},\n", v->payload ? "true" : "false");
    }
    if (any) {
        (void)fprintf(o,
                      "};\n\nconst struct mrc_chain *mrc_%s_chain(unsigned value)\n{\n"
                      "    const size_t count = sizeof %s_chains / sizeof %s_chains[0];\n"
                      "    return value < count && %s_chains[value].listed ? &%s_chains[value] "
                      ": NULL;\n}\n",
                      s->id, s->id, s->id, s->id, s->id);
    }
}

static void emit_set(FILE *o, const struct gen_wire *w, const struct gen_set *s)
{
    (void)fprintf(o, "\nstatic const struct mrc_code %s_codes[] = {\n", s->id);
    for (unsigned i = 0; i < s->value_count; i++) {
        const struct gen_value *v = &s->values[i];
        (void)fprintf(o, "    {0x%llX, '%c', \"%s\", ", (unsigned long long)v->value,
                      v->evidence[0], v->name);
        put_string(o, v->meaning);
        (void)fputs("},\n", o);
    }
    (void)fprintf(o, "};\n\nconst char *mrc_%s_str(unsigned value)\n{\n    switch (value) {\n",
                  s->id);
    for (unsigned i = 0; i < s->value_count; i++) {
        (void)fprintf(o, "    case 0x%llX:\n        return \"%s\";\n",
                      (unsigned long long)s->values[i].value, s->values[i].name);
    }
    (void)fputs("    }\n    return NULL;\n}\n", o);
    emit_chains(o, w, s);
}

static void emit_set_table(FILE *o, const struct gen_wire *w)
{
    (void)fputs("\nconst struct mrc_code_set mrc_code_sets[] = {\n", o);
    for (unsigned i = 0; i < w->set_count; i++) {
        const struct gen_set *s = &w->sets[i];
        (void)fprintf(o, "    {\"%s\", ", s->id);
        put_string(o, s->title);
        (void)fputs(", ", o);
        put_string(o, s->table);
        (void)fprintf(o, ", %s, %s_codes, %u},\n", s->closed ? "true" : "false", s->id,
                      s->value_count);
    }
    (void)fprintf(o, "};\nconst size_t mrc_code_set_count = %u;\n", w->set_count);
}

static unsigned index_of(const struct gen_header *h, const char *name)
{
    unsigned i = 0;
    while (i < h->field_count && strcmp(h->fields[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void emit_field(FILE *o, const struct gen_wire *w, const struct gen_header *h,
                       const struct gen_field *f, unsigned first)
{
    (void)fprintf(o, "    {\"%s.%s\", ", h->id, f->name);
    const char *const texts[] = {f->json, f->meaning, f->unit, f->values, f->table};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put_string(o, texts[i]);
        (void)fputs(", ", o);
    }
    if (f->codes) {
        (void)fprintf(o, "&mrc_code_sets[%u], ", (unsigned)(gen_wire_set(w, f->codes) - w->sets));
    } else {
        (void)fputs("NULL, ", o);
    }
    (void)fputs("MRC_HDR_", o);
    gen_put_upper(o, h->id);
    const bool zero = f->reserved && strcmp(f->reserved, "zero") == 0;
    (void)fprintf(o, ", %u, %u, %d, %d, %d, %d, '%c', %d, %u},\n", f->bit_off, f->width,
                  f->is_signed, f->is_bytes, f->reserved != NULL, zero, f->evidence[0],
                  f->when_field ? (int)(first + index_of(h, f->when_field)) : -1, f->when_value);
}

static void emit_field_table(FILE *o, const struct gen_wire *w)
{
    unsigned count = 0;
    (void)fputs("\nconst struct mrc_field mrc_fields[] = {\n", o);
    for (unsigned i = 0; i < w->header_count; i++) {
        const struct gen_header *h = &w->headers[i];
        for (unsigned k = 0; k < h->field_count; k++) {
            emit_field(o, w, h, &h->fields[k], count);
        }
        count += h->field_count;
    }
    (void)fprintf(o, "};\nconst size_t mrc_field_count = %u;\n", count);
    (void)fputs("\nconst struct mrc_hdr_info mrc_hdrs[MRC_HDR_COUNT] = {\n", o);
    count = 0;
    for (unsigned i = 0; i < w->header_count; i++) {
        const struct gen_header *h = &w->headers[i];
        (void)fprintf(o, "    {\"%s\", ", h->id);
        put_string(o, h->title);
        (void)fputs(", ", o);
        put_string(o, h->table);
        (void)fprintf(o, ", %u, %u, %u},\n", h->len, count, h->field_count);
        count += h->field_count;
    }
    (void)fputs("};\n", o);
}

static const char access_code[] =
    "\n"
    "const char *mrc_code_name(const struct mrc_code_set *set, uint64_t value)\n"
    "{\n"
    "    for (size_t i = 0; i < set->count; i++) {\n"
    "        if (set->codes[i].value == value) {\n"
    "            return set->codes[i].name;\n"
    "        }\n"
    "    }\n"
    "    return NULL;\n"
    "}\n"
    "\n"
    "uint64_t mrc_field_get(const struct mrc_field *f, const uint8_t *hdr_start)\n"
    "{\n"
    "    const unsigned first = f->bit_off / 8u;\n"
    "    const unsigned last = (f->bit_off + f->bit_width - 1u) / 8u;\n"
    "    if (f->bit_width > 64) {\n"
    "        return 0;\n"
    "    }\n"
    "    uint64_t v = 0;\n"
    "    for (unsigned b = first; b <= last; b++) {\n"
    "        v = v << 8 | hdr_start[b];\n"
    "    }\n"
    "    v >>= (last + 1u) * 8u - f->bit_off - f->bit_width;\n"
    "    return f->bit_width == 64 ? v : v & ((UINT64_C(1) << f->bit_width) - 1);\n"
    "}\n"
    "\n"
    "void mrc_field_set(const struct mrc_field *f, uint8_t *hdr_start, uint64_t value)\n"
    "{\n"
    "    const unsigned first = f->bit_off / 8u;\n"
    "    const unsigned last = (f->bit_off + f->bit_width - 1u) / 8u;\n"
    "    if (f->bit_width > 64) {\n"
    "        return;\n"
    "    }\n"
    "    const unsigned shift = (last + 1u) * 8u - f->bit_off - f->bit_width;\n"
    "    uint64_t mask = f->bit_width == 64 ? UINT64_MAX : (UINT64_C(1) << f->bit_width) - 1;\n"
    "    value = (value & mask) << shift;\n"
    "    mask <<= shift;\n"
    "    for (unsigned b = last + 1u; b-- > first; value >>= 8, mask >>= 8) {\n"
    "        hdr_start[b] = (uint8_t)((hdr_start[b] & ~mask) | (value & mask));\n"
    "    }\n"
    "}\n"
    "\n"
    "bool mrc_field_applies(const struct mrc_field *f, const uint8_t *hdr_start)\n"
    "{\n"
    "    return f->when < 0 || mrc_field_get(&mrc_fields[f->when], hdr_start) == f->when_value;\n"
    "}\n"
    "\n"
    "const struct mrc_field *mrc_field_find(const char *name)\n"
    "{\n"
    "    for (size_t i = 0; i < mrc_field_count; i++) {\n"
    "        if (strcmp(mrc_fields[i].name, name) == 0) {\n"
    "            return &mrc_fields[i];\n"
    "        }\n"
    "    }\n"
    "    return NULL;\n"
    "}\n";

void gen_emit_wire_c(FILE *o, const struct gen_wire *w)
{
    (void)fputs("/* SPDX-License-Identifier: BSD-2-Clause */\n"
                "/* Generated by specgen from the wire format's YAML. Do not edit. */\n"
                "#include \"gen/mrc_wire.h\"\n\n#include <string.h>\n",
                o);
    for (unsigned i = 0; i < w->set_count; i++) {
        emit_set(o, w, &w->sets[i]);
    }
    emit_set_table(o, w);
    emit_field_table(o, w);
    (void)fputs(access_code, o);
    for (unsigned i = 0; i < w->header_count; i++) {
        gen_emit_codec(o, &w->headers[i]);
    }
}
