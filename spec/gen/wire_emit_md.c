/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/gen/wire_model.h"

#include <string.h>

/* Text within a table cell. */
static void put_cell(FILE *o, const char *s)
{
    for (; s && *s; s++) {
        if (*s == '|') {
            (void)fputc('\\', o);
        }
        (void)fputc(*s == '\n' ? ' ' : *s, o);
    }
}

static void put_place(FILE *o, const struct gen_field *f)
{
    const unsigned end = f->bit_off + f->width - 1;
    const unsigned first = f->bit_off / 8, last = end / 8;
    if (f->bit_off % 8 == 0 && end % 8 == 7) {
        (void)fprintf(o, first == last ? "%u" : "%u-%u", first, last);
    } else if (first == last) {
        (void)fprintf(o, f->width == 1 ? "%u, bit %u" : "%u, bits %u..%u", first,
                      7 - f->bit_off % 8, 7 - end % 8);
    } else {
        (void)fprintf(o, "%u bit %u to %u bit %u", first, 7 - f->bit_off % 8, last, 7 - end % 8);
    }
}

static void put_allowed(FILE *o, const struct gen_field *f)
{
    if (f->codes) {
        (void)fprintf(o, "[%s](#%s)", f->codes, f->codes);
    } else if (f->reserved) {
        (void)fputs(strcmp(f->reserved, "zero") == 0 ? "sent as 0, ignored" : "any, ignored", o);
    } else {
        put_cell(o, f->values);
    }
}

static void emit_header(FILE *o, const struct gen_header *h)
{
    (void)fprintf(o, "\n## %s (`%s`), %u bytes\n\n", h->title, h->id, h->len);
    put_cell(o, h->meaning);
    if (h->table) {
        (void)fprintf(o, " Tables %s.", h->table);
    }
    (void)fputs("\n\n| byte | bits | field | unit | allowed | meaning | evidence | JSON |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
                o);
    for (unsigned i = 0; i < h->field_count; i++) {
        const struct gen_field *f = &h->fields[i];
        (void)fputs("| ", o);
        put_place(o, f);
        (void)fprintf(o, " | %u%s | `%s` | ", f->width, f->is_signed ? ", signed" : "", f->name);
        put_cell(o, f->unit);
        (void)fputs(" | ", o);
        put_allowed(o, f);
        (void)fputs(" | ", o);
        put_cell(o, f->meaning);
        if (f->when_field) {
            (void)fprintf(o, " (when %s is %u)", f->when_field, f->when_value);
        }
        if (f->table && (!h->table || strcmp(f->table, h->table) != 0)) {
            (void)fprintf(o, " (Table %s)", f->table);
        }
        (void)fprintf(o, " | %s | %s |\n", f->evidence, f->json ? f->json : "");
    }
}

static void emit_set(FILE *o, const struct gen_set *s)
{
    (void)fprintf(o, "\n### %s\n\n", s->id);
    put_cell(o, s->title);
    (void)fprintf(o, ", %u bits; %s.", s->width,
                  s->closed ? "no other value may be sent" : "other values have no name here");
    if (s->table) {
        (void)fprintf(o, " Table %s.", s->table);
    }
    (void)fputs("\n\n| value | name | headers after the BTH | meaning | evidence |\n"
                "| --- | --- | --- | --- | --- |\n",
                o);
    for (unsigned i = 0; i < s->value_count; i++) {
        const struct gen_value *v = &s->values[i];
        (void)fprintf(o, "| 0x%02llX | `%s_%s` | ", (unsigned long long)v->value, s->prefix,
                      v->name);
        put_cell(o, v->headers);
        (void)fputs(v->payload ? " payload | " : " | ", o);
        put_cell(o, v->meaning);
        (void)fprintf(o, " | %s |\n", v->evidence);
    }
}

void gen_emit_md(FILE *o, const struct gen_wire *w)
{
    (void)fputs(
        "# Wire format\n\n"
        "Generated from `spec/wire.yaml`; `make docs` writes it anew.\n\n"
        "All fields are big-endian. Bytes count from 0 within the header, bits from 7 (the most\n"
        "significant one) to 0 within a byte. A name with a `?` is a header that may be there.\n"
        "Evidence: C confirmed by several descriptions, S second-hand, U as in a sibling\n"
        "specification, I as in RoCEv2. `Qn` names an open question of `spec/questions.yaml`.\n",
        o);
    for (unsigned i = 0; i < w->header_count; i++) {
        emit_header(o, &w->headers[i]);
    }
    (void)fputs("\n## Code points\n", o);
    for (unsigned i = 0; i < w->set_count; i++) {
        emit_set(o, &w->sets[i]);
    }
}
