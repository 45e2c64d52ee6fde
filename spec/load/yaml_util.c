/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/load/yaml_util.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mrc_yaml_fail(struct mrc_yaml *y, const yaml_node_t *n, const char *fmt, ...)
{
    if (y->err[0] != '\0') {
        return -1;
    }
    int used = n ? snprintf(y->err, sizeof y->err, "%s:%d: ", y->path, mrc_yaml_line(n))
                 : snprintf(y->err, sizeof y->err, "%s: ", y->path);
    if (used < 0 || (size_t)used >= sizeof y->err) {
        return -1;
    }
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(y->err + used, sizeof y->err - (size_t)used, fmt, ap);
    va_end(ap);
    return -1;
}

static int parse_failed(struct mrc_yaml *y, const yaml_parser_t *p)
{
    (void)snprintf(y->err, sizeof y->err, "%s:%zu: %s", y->path, p->problem_mark.line + 1,
                   p->problem ? p->problem : "not readable as YAML");
    return -1;
}

/* Of f, or of text when f is NULL. */
static int load(struct mrc_yaml *y, FILE *f, const char *text)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return mrc_yaml_fail(y, NULL, "out of memory");
    }
    if (f) {
        yaml_parser_set_input_file(&parser, f);
    } else {
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    }
    int rc = 0;
    if (!yaml_parser_load(&parser, &y->doc)) {
        rc = parse_failed(y, &parser);
    } else {
        y->loaded = true;
        if (!yaml_document_get_root_node(&y->doc)) {
            rc = mrc_yaml_fail(y, NULL, "empty file");
        }
    }
    yaml_parser_delete(&parser);
    return rc;
}

int mrc_yaml_load_text(struct mrc_yaml *y, const char *path, const char *text)
{
    memset(y, 0, sizeof *y);
    y->path = path;
    return load(y, NULL, text);
}

int mrc_yaml_load(struct mrc_yaml *y, const char *path)
{
    memset(y, 0, sizeof *y);
    y->path = path;
    FILE *f = fopen(path, "rb");
    if (!f) {
        return mrc_yaml_fail(y, NULL, "%s", strerror(errno));
    }
    const int rc = load(y, f, NULL);
    (void)fclose(f);
    return rc;
}

void mrc_yaml_fini(struct mrc_yaml *y)
{
    if (y->loaded) {
        yaml_document_delete(&y->doc);
        y->loaded = false;
    }
}

yaml_node_t *mrc_yaml_root(struct mrc_yaml *y)
{
    return y->loaded ? yaml_document_get_root_node(&y->doc) : NULL;
}

int mrc_yaml_line(const yaml_node_t *n)
{
    return (int)n->start_mark.line + 1;
}

const char *mrc_yaml_text(const yaml_node_t *n)
{
    return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

size_t mrc_yaml_count(const yaml_node_t *n)
{
    if (n && n->type == YAML_SEQUENCE_NODE) {
        return (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
    }
    if (n && n->type == YAML_MAPPING_NODE) {
        return (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
    }
    return 0;
}

yaml_node_t *mrc_yaml_item(struct mrc_yaml *y, const yaml_node_t *n, size_t i)
{
    if (!n || n->type != YAML_SEQUENCE_NODE || i >= mrc_yaml_count(n)) {
        return NULL;
    }
    return yaml_document_get_node(&y->doc, n->data.sequence.items.start[i]);
}

bool mrc_yaml_pair(struct mrc_yaml *y, const yaml_node_t *n, size_t i, yaml_node_t **key,
                   yaml_node_t **value)
{
    if (!n || n->type != YAML_MAPPING_NODE || i >= mrc_yaml_count(n)) {
        return false;
    }
    const yaml_node_pair_t *p = &n->data.mapping.pairs.start[i];
    *key = yaml_document_get_node(&y->doc, p->key);
    *value = yaml_document_get_node(&y->doc, p->value);
    return *key && *value;
}

yaml_node_t *mrc_yaml_get(struct mrc_yaml *y, const yaml_node_t *n, const char *key)
{
    yaml_node_t *k, *v;
    for (size_t i = 0; mrc_yaml_pair(y, n, i, &k, &v); i++) {
        const char *text = mrc_yaml_text(k);
        if (text && strcmp(text, key) == 0) {
            return v;
        }
    }
    return NULL;
}

bool mrc_yaml_u64(const yaml_node_t *n, uint64_t min, uint64_t max, uint64_t *out)
{
    const char *text = mrc_yaml_text(n);
    if (!text || text[0] < '0' || text[0] > '9') {
        return false;
    }
    const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    char *end;
    errno = 0;
    const unsigned long long v = strtoull(text, &end, base);
    if (errno != 0 || *end != '\0' || v < min || v > max) {
        return false;
    }
    *out = v;
    return true;
}

bool mrc_yaml_bool(const yaml_node_t *n, bool *out)
{
    const char *text = mrc_yaml_text(n);
    if (!text || (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)) {
        return false;
    }
    *out = text[0] == 't';
    return true;
}

int mrc_yaml_get_text(struct mrc_yaml *y, const yaml_node_t *map, const char *key, bool required,
                      const char **out)
{
    const yaml_node_t *n = mrc_yaml_get(y, map, key);
    *out = NULL;
    if (!n) {
        return required ? mrc_yaml_fail(y, map, "'%s' is missing", key) : 0;
    }
    *out = mrc_yaml_text(n);
    if (!*out || **out == '\0') {
        return mrc_yaml_fail(y, n, "'%s' must be a text", key);
    }
    return 0;
}

int mrc_yaml_get_u64(struct mrc_yaml *y, const yaml_node_t *map, const char *key, bool required,
                     uint64_t min, uint64_t max, uint64_t *out)
{
    const yaml_node_t *n = mrc_yaml_get(y, map, key);
    if (!n) {
        return required ? mrc_yaml_fail(y, map, "'%s' is missing", key) : 0;
    }
    if (!mrc_yaml_u64(n, min, max, out)) {
        return mrc_yaml_fail(y, n, "'%s' must be a number from %llu to %llu", key,
                             (unsigned long long)min, (unsigned long long)max);
    }
    return 0;
}

static bool is_listed(const char *text, const char *const *keys)
{
    for (; *keys; keys++) {
        if (strcmp(text, *keys) == 0) {
            return true;
        }
    }
    return false;
}

int mrc_yaml_only_keys(struct mrc_yaml *y, const yaml_node_t *n, const char *const *keys)
{
    if (!n || n->type != YAML_MAPPING_NODE) {
        return mrc_yaml_fail(y, n, "expected a mapping that starts with '%s'", keys[0]);
    }
    yaml_node_t *k, *v;
    for (size_t i = 0; mrc_yaml_pair(y, n, i, &k, &v); i++) {
        const char *text = mrc_yaml_text(k);
        if (!text || !is_listed(text, keys)) {
            return mrc_yaml_fail(y, k, "unknown key '%s'", text ? text : "?");
        }
        if (mrc_yaml_get(y, n, text) != v) {
            return mrc_yaml_fail(y, k, "key '%s' given twice", text);
        }
    }
    return 0;
}
