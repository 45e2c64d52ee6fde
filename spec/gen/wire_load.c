/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/gen/wire_model.h"

#include <stdlib.h>
#include <string.h>

static const char *const top_keys[] = {"headers", "codes", NULL};
static const char *const header_keys[] = {"id",       "title",   "length", "table",
                                          "evidence", "meaning", "fields", NULL};
static const char *const field_keys[] = {
    "name",   "byte", "bit",  "width", "unit",     "values", "codes",   "reserved",
    "signed", "when", "json", "kind",  "evidence", "table",  "meaning", NULL};
static const char *const set_keys[] = {"id",    "title",    "enum",   "width", "closed",
                                       "table", "evidence", "values", NULL};
static const char *const value_keys[] = {"name",    "value",    "headers", "payload",
                                         "meaning", "evidence", NULL};

static bool is_name(const char *s)
{
    if (*s == '\0' || strlen(s) > 40) {
        return false;
    }
    for (; *s; s++) {
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              *s == '_')) {
            return false;
        }
    }
    return true;
}

static int get_name(struct mrc_yaml *y, const yaml_node_t *n, const char *key, const char **out)
{
    if (mrc_yaml_get_text(y, n, key, true, out) != 0) {
        return -1;
    }
    return is_name(*out) ? 0
                         : mrc_yaml_fail(y, mrc_yaml_get(y, n, key),
                                         "'%s' must be of letters, digits and '_'", key);
}

static int get_evidence(struct mrc_yaml *y, const yaml_node_t *n, const char *inherited,
                        const char **out)
{
    if (mrc_yaml_get_text(y, n, "evidence", inherited == NULL, out) != 0) {
        return -1;
    }
    if (!*out) {
        *out = inherited;
    }
    return *out && strlen(*out) == 1 && strchr("CSUI", **out)
               ? 0
               : mrc_yaml_fail(y, mrc_yaml_get(y, n, "evidence"),
                               "'evidence' must be one of C, S, U and I");
}

static int get_bool(struct mrc_yaml *y, const yaml_node_t *n, const char *key, bool *out)
{
    const yaml_node_t *v = mrc_yaml_get(y, n, key);
    if (v && !mrc_yaml_bool(v, out)) {
        return mrc_yaml_fail(y, v, "'%s' must be true or false", key);
    }
    return 0;
}

/* "pr=0": the field exists while pr has the value 0. */
static int read_when(struct mrc_yaml *y, const yaml_node_t *n, struct gen_field *f)
{
    yaml_node_t *node = mrc_yaml_get(y, n, "when");
    if (!node) {
        return 0;
    }
    char *text = mrc_yaml_text(node) ? (char *)node->data.scalar.value : NULL;
    char *eq = text ? strchr(text, '=') : NULL;
    if (!eq || eq == text || eq[1] < '0' || eq[1] > '9' || eq[2] != '\0') {
        return mrc_yaml_fail(y, node, "'when' must read FIELD=DIGIT");
    }
    *eq = '\0';
    f->when_field = text;
    f->when_value = (unsigned)(eq[1] - '0');
    return 0;
}

static int read_position(struct mrc_yaml *y, const yaml_node_t *n, const struct gen_header *h,
                         struct gen_field *f)
{
    uint64_t byte = 0, bit = 7, width = 0;
    if (mrc_yaml_get_u64(y, n, "byte", true, 0, h->len - 1, &byte) != 0 ||
        mrc_yaml_get_u64(y, n, "bit", false, 0, 7, &bit) != 0 ||
        mrc_yaml_get_u64(y, n, "width", true, 1, 512, &width) != 0) {
        return -1;
    }
    f->bit_off = (unsigned)(byte * 8 + 7 - bit);
    f->width = (unsigned)width;
    if (f->bit_off + f->width > h->len * 8) {
        return mrc_yaml_fail(y, n, "field '%s' ends beyond the header's %u bytes", f->name, h->len);
    }
    const char *kind;
    if (mrc_yaml_get_text(y, n, "kind", false, &kind) != 0) {
        return -1;
    }
    if (kind && strcmp(kind, "bytes") != 0) {
        return mrc_yaml_fail(y, n, "'kind' can only be bytes");
    }
    const bool aligned = f->bit_off % 8 == 0 && f->width % 8 == 0;
    f->is_bytes = kind || (aligned && f->width > 64) || (aligned && f->width == 48);
    if (f->is_bytes ? !aligned : f->bit_off % 8 + f->width > 64) {
        return mrc_yaml_fail(y, n, "field '%s' is longer than 64 bits or not made of whole bytes",
                             f->name);
    }
    return 0;
}

static int read_field(struct mrc_yaml *y, const yaml_node_t *n, const struct gen_header *h,
                      struct gen_field *f)
{
    f->alt = -1;
    if (mrc_yaml_only_keys(y, n, field_keys) != 0 || get_name(y, n, "name", &f->name) != 0 ||
        read_position(y, n, h, f) != 0 ||
        mrc_yaml_get_text(y, n, "meaning", true, &f->meaning) != 0 ||
        mrc_yaml_get_text(y, n, "unit", false, &f->unit) != 0 ||
        mrc_yaml_get_text(y, n, "values", false, &f->values) != 0 ||
        mrc_yaml_get_text(y, n, "codes", false, &f->codes) != 0 ||
        mrc_yaml_get_text(y, n, "json", false, &f->json) != 0 ||
        mrc_yaml_get_text(y, n, "reserved", false, &f->reserved) != 0 ||
        mrc_yaml_get_text(y, n, "table", false, &f->table) != 0 ||
        get_evidence(y, n, h->evidence, &f->evidence) != 0 ||
        get_bool(y, n, "signed", &f->is_signed) != 0 || read_when(y, n, f) != 0) {
        return -1;
    }
    if (!f->table) {
        f->table = h->table;
    }
    if (f->reserved && strcmp(f->reserved, "zero") != 0 && strcmp(f->reserved, "any") != 0) {
        return mrc_yaml_fail(y, n, "'reserved' must be zero or any");
    }
    if (f->is_signed && f->width != 8 && f->width != 16 && f->width != 32 && f->width != 64) {
        return mrc_yaml_fail(y, n, "a signed field must have 8, 16, 32 or 64 bits");
    }
    for (unsigned i = 0; i < h->field_count; i++) {
        if (strcmp(h->fields[i].name, f->name) == 0) {
            return mrc_yaml_fail(y, n, "field '%s' given twice", f->name);
        }
    }
    return 0;
}

static const struct gen_field *field_named(const struct gen_header *h, const char *name)
{
    for (unsigned i = 0; i < h->field_count; i++) {
        if (strcmp(h->fields[i].name, name) == 0) {
            return &h->fields[i];
        }
    }
    return NULL;
}

/* Fields follow each other without gap or overlap; two may share a place by 'when'. */
static int check_layout(struct mrc_yaml *y, const yaml_node_t *fields, struct gen_header *h)
{
    unsigned end = 0;
    for (unsigned i = 0; i < h->field_count; i++) {
        struct gen_field *f = &h->fields[i];
        const yaml_node_t *n = mrc_yaml_item(y, fields, i);
        const struct gen_field *prev = i ? &h->fields[i - 1] : NULL;
        if (f->when_field && !field_named(h, f->when_field)) {
            return mrc_yaml_fail(y, n, "'when' names the unknown field '%s'", f->when_field);
        }
        if (prev && prev->when_field && f->when_field && prev->bit_off == f->bit_off &&
            prev->width == f->width && prev->alt < 0) {
            f->alt = (int)i - 1;
            continue;
        }
        if (f->bit_off != end) {
            return mrc_yaml_fail(y, n,
                                 "field '%s' starts at bit %u of the header, and the one before "
                                 "it ends at %u",
                                 f->name, f->bit_off, end);
        }
        end = f->bit_off + f->width;
    }
    if (end != h->len * 8) {
        return mrc_yaml_fail(y, fields, "the fields of '%s' end at bit %u of %u", h->id, end,
                             h->len * 8);
    }
    return 0;
}

static int read_header(struct gen_wire *w, const yaml_node_t *n, struct gen_header *h)
{
    struct mrc_yaml *y = &w->yaml;
    uint64_t len = 0;
    if (mrc_yaml_only_keys(y, n, header_keys) != 0 || get_name(y, n, "id", &h->id) != 0 ||
        mrc_yaml_get_text(y, n, "title", true, &h->title) != 0 ||
        mrc_yaml_get_text(y, n, "meaning", true, &h->meaning) != 0 ||
        mrc_yaml_get_text(y, n, "table", false, &h->table) != 0 ||
        get_evidence(y, n, NULL, &h->evidence) != 0 ||
        mrc_yaml_get_u64(y, n, "length", true, 1, 64, &len) != 0) {
        return -1;
    }
    h->len = (unsigned)len;
    if (gen_wire_header(w, h->id, strlen(h->id)) >= 0) {
        return mrc_yaml_fail(y, n, "header '%s' given twice", h->id);
    }
    const yaml_node_t *fields = mrc_yaml_get(y, n, "fields");
    const size_t count = mrc_yaml_count(fields);
    if (count == 0 || count > GEN_FIELDS_MAX) {
        return mrc_yaml_fail(y, n, "'fields' must be a list of 1 to %u fields", GEN_FIELDS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        if (read_field(y, mrc_yaml_item(y, fields, i), h, &h->fields[i]) != 0) {
            return -1;
        }
        h->field_count++;
    }
    return check_layout(y, fields, h);
}

static int read_value(struct mrc_yaml *y, const yaml_node_t *n, const struct gen_set *s,
                      struct gen_value *v)
{
    const uint64_t max = s->width == 64 ? UINT64_MAX : (UINT64_C(1) << s->width) - 1;
    if (mrc_yaml_only_keys(y, n, value_keys) != 0 || get_name(y, n, "name", &v->name) != 0 ||
        mrc_yaml_get_u64(y, n, "value", true, 0, max, &v->value) != 0 ||
        mrc_yaml_get_text(y, n, "meaning", true, &v->meaning) != 0 ||
        mrc_yaml_get_text(y, n, "headers", false, &v->headers) != 0 ||
        get_evidence(y, n, s->evidence, &v->evidence) != 0 ||
        get_bool(y, n, "payload", &v->payload) != 0) {
        return -1;
    }
    for (unsigned i = 0; i < s->value_count; i++) {
        if (s->values[i].value == v->value || strcmp(s->values[i].name, v->name) == 0) {
            return mrc_yaml_fail(y, n, "'%s' has the name or the value of '%s'", v->name,
                                 s->values[i].name);
        }
    }
    return 0;
}

static int read_set(struct gen_wire *w, const yaml_node_t *n, struct gen_set *s)
{
    struct mrc_yaml *y = &w->yaml;
    uint64_t width = 0;
    if (mrc_yaml_only_keys(y, n, set_keys) != 0 || get_name(y, n, "id", &s->id) != 0 ||
        mrc_yaml_get_text(y, n, "title", true, &s->title) != 0 ||
        get_name(y, n, "enum", &s->prefix) != 0 ||
        mrc_yaml_get_text(y, n, "table", false, &s->table) != 0 ||
        get_evidence(y, n, NULL, &s->evidence) != 0 ||
        mrc_yaml_get_u64(y, n, "width", true, 1, 31, &width) != 0 ||
        get_bool(y, n, "closed", &s->closed) != 0) {
        return -1;
    }
    s->width = (unsigned)width;
    if (gen_wire_set(w, s->id)) {
        return mrc_yaml_fail(y, n, "set '%s' given twice", s->id);
    }
    const yaml_node_t *values = mrc_yaml_get(y, n, "values");
    const size_t count = mrc_yaml_count(values);
    if (count == 0 || count > GEN_VALUES_MAX) {
        return mrc_yaml_fail(y, n, "'values' must be a list of 1 to %u values", GEN_VALUES_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        if (read_value(y, mrc_yaml_item(y, values, i), s, &s->values[i]) != 0) {
            return -1;
        }
        s->value_count++;
    }
    return 0;
}

/* The names of headers an opcode lists, each known; a '?' marks an optional one. */
static int check_chain(struct gen_wire *w, const yaml_node_t *n, const struct gen_value *v)
{
    for (const char *s = v->headers; s && *s;) {
        const size_t len = strcspn(s, " ?");
        if (gen_wire_header(w, s, len) < 0) {
            return mrc_yaml_fail(&w->yaml, n, "unknown header '%.*s'", (int)len, s);
        }
        s += len;
        s += strspn(s, " ?");
    }
    return 0;
}

static int check_references(struct gen_wire *w, const yaml_node_t *headers, const yaml_node_t *sets)
{
    struct mrc_yaml *y = &w->yaml;
    for (unsigned i = 0; i < w->header_count; i++) {
        const struct gen_header *h = &w->headers[i];
        const yaml_node_t *fields = mrc_yaml_get(y, mrc_yaml_item(y, headers, i), "fields");
        for (unsigned k = 0; k < h->field_count; k++) {
            const struct gen_field *f = &h->fields[k];
            const yaml_node_t *n = mrc_yaml_item(y, fields, k);
            const struct gen_set *s = f->codes ? gen_wire_set(w, f->codes) : NULL;
            if (f->codes && !s) {
                return mrc_yaml_fail(y, n, "'codes' names the unknown set '%s'", f->codes);
            }
            if (s && s->width != f->width) {
                return mrc_yaml_fail(y, n, "field '%s' has %u bits and its set '%s' %u", f->name,
                                     f->width, s->id, s->width);
            }
        }
    }
    for (unsigned i = 0; i < w->set_count; i++) {
        const yaml_node_t *values = mrc_yaml_get(y, mrc_yaml_item(y, sets, i), "values");
        for (unsigned k = 0; k < w->sets[i].value_count; k++) {
            if (check_chain(w, mrc_yaml_item(y, values, k), &w->sets[i].values[k]) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

int gen_wire_load(struct gen_wire *w, const char *path)
{
    struct mrc_yaml *y = &w->yaml;
    if (mrc_yaml_load(y, path) != 0) {
        return -1;
    }
    const yaml_node_t *root = mrc_yaml_root(y);
    if (mrc_yaml_only_keys(y, root, top_keys) != 0) {
        return -1;
    }
    const yaml_node_t *headers = mrc_yaml_get(y, root, "headers");
    const yaml_node_t *sets = mrc_yaml_get(y, root, "codes");
    const size_t header_count = mrc_yaml_count(headers), set_count = mrc_yaml_count(sets);
    if (header_count == 0 || header_count > GEN_HEADERS_MAX) {
        return mrc_yaml_fail(y, root, "'headers' must be a list of 1 to %u", GEN_HEADERS_MAX);
    }
    if (set_count > GEN_SETS_MAX) {
        return mrc_yaml_fail(y, root, "'codes' must be a list of up to %u", GEN_SETS_MAX);
    }
    for (size_t i = 0; i < header_count; i++) {
        if (read_header(w, mrc_yaml_item(y, headers, i), &w->headers[i]) != 0) {
            return -1;
        }
        w->header_count++;
    }
    for (size_t i = 0; i < set_count; i++) {
        if (read_set(w, mrc_yaml_item(y, sets, i), &w->sets[i]) != 0) {
            return -1;
        }
        w->set_count++;
    }
    return check_references(w, headers, sets);
}

void gen_wire_fini(struct gen_wire *w)
{
    mrc_yaml_fini(&w->yaml);
}

const struct gen_set *gen_wire_set(const struct gen_wire *w, const char *id)
{
    for (unsigned i = 0; i < w->set_count; i++) {
        if (strcmp(w->sets[i].id, id) == 0) {
            return &w->sets[i];
        }
    }
    return NULL;
}

int gen_wire_header(const struct gen_wire *w, const char *id, size_t len)
{
    for (unsigned i = 0; i < w->header_count; i++) {
        if (strlen(w->headers[i].id) == len && strncmp(w->headers[i].id, id, len) == 0) {
            return (int)i;
        }
    }
    return -1;
}
