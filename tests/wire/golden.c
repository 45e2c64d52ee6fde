/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/wire/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_PATH "tests/data/vectors/mrc-golden.json"

static uint8_t *from_hex(const char *hex, size_t *len)
{
    *len = strlen(hex) / 2;
    uint8_t *const bytes = malloc(*len);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < *len; i++) {
        const char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        char *end;
        bytes[i] = (uint8_t)strtoul(pair, &end, 16);
        ck_assert_int_eq(*end, '\0');
    }
    return bytes;
}

/* Jansson's integers end at 2^63 - 1: numbers of 19 digits and more become strings. */
static char *quote_long_numbers(const char *text, size_t len)
{
    char *const out = malloc(2 * len + 1);
    ck_assert_ptr_nonnull(out);
    size_t n = 0;
    bool in_string = false;
    for (size_t i = 0; i < len;) {
        const size_t digits = in_string ? 0 : strspn(text + i, "0123456789");
        const char *const quote = digits >= 19 ? "\"" : "";
        const size_t take = digits > 0 ? digits : 1;
        in_string ^= text[i] == '"';
        n += (size_t)sprintf(out + n, "%s%.*s%s", quote, (int)take, text + i, quote);
        i += take;
    }
    return out;
}

static char *read_file(const char *path, size_t *len)
{
    FILE *const f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s is not there", path);
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    *len = (size_t)ftell(f);
    rewind(f);
    char *const text = malloc(*len + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, *len, f), *len);
    text[*len] = '\0';
    (void)fclose(f);
    return text;
}

int64_t golden_number(const json_t *v)
{
    if (json_is_string(v)) {
        return (int64_t)strtoull(json_string_value(v), NULL, 10);
    }
    return json_is_boolean(v) ? json_is_true(v) : (int64_t)json_integer_value(v);
}

void golden_load(struct golden *g)
{
    json_error_t error;
    size_t len;
    char *const raw = read_file(GOLDEN_PATH, &len);
    char *const text = quote_long_numbers(raw, len);
    g->root = json_loads(text, 0, &error);
    free(raw);
    free(text);
    ck_assert_msg(g->root != NULL, "%s: %s", GOLDEN_PATH, error.text);
    g->count = json_array_size(g->root);
    g->frames = calloc(g->count, sizeof *g->frames);
    ck_assert_ptr_nonnull(g->frames);
    for (size_t i = 0; i < g->count; i++) {
        const json_t *const e = json_array_get(g->root, i);
        struct golden_frame *const f = &g->frames[i];
        f->name = json_string_value(json_object_get(e, "name"));
        f->kind = json_string_value(json_object_get(e, "kind"));
        f->why = json_string_value(json_object_get(e, "why"));
        f->fields = json_object_get(e, "fields");
        f->bytes = from_hex(json_string_value(json_object_get(e, "hex")), &f->len);
    }
    ck_assert_uint_ge(g->count, 100);
}

void golden_free(struct golden *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->frames[i].bytes);
    }
    free(g->frames);
    json_decref(g->root);
}

bool golden_malformed(const struct golden_frame *f)
{
    return f->kind && strcmp(f->kind, "malformed") == 0;
}
