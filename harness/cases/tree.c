/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/tree.h"

#include "spec/load/yaml_util.h"

#include <string.h>

struct mrct_tree *mrct_tree_new(struct mrct_pool *pool, enum mrct_tree_kind kind, const char *key,
                                const char *text)
{
    struct mrct_tree *const t = mrct_pool_alloc(pool, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    t->kind = kind;
    t->key = key != NULL ? mrct_pool_strdup(pool, key) : NULL;
    t->text = text != NULL ? mrct_pool_strdup(pool, text) : NULL;
    return (key != NULL && t->key == NULL) || (text != NULL && t->text == NULL) ? NULL : t;
}

int mrct_tree_add(struct mrct_pool *pool, struct mrct_tree *t, struct mrct_tree *kid)
{
    struct mrct_tree **const kids =
        mrct_pool_alloc(pool, (t->count + 1) * sizeof(struct mrct_tree *)); /* of pointers */
    if (kids == NULL || kid == NULL) {
        return -1;
    }
    if (t->count > 0) {
        memcpy(kids, t->kids, t->count * sizeof(struct mrct_tree *));
    }
    kids[t->count++] = kid;
    t->kids = kids;
    return 0;
}

/* ---- reading ---- */

static struct mrct_tree *lines_of(struct mrct_pool *pool, const char *key, const char *text)
{
    struct mrct_tree *const t = mrct_tree_new(pool, MRCT_TREE_LINES, key, NULL);
    char line[1024];
    while (t != NULL && *text != '\0') {
        const size_t len = strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)len, text);
        if (mrct_tree_add(pool, t, mrct_tree_new(pool, MRCT_TREE_TEXT, NULL, line)) != 0) {
            return NULL;
        }
        text += len + (text[len] == '\n');
    }
    return t;
}

static struct mrct_tree *take(struct mrct_pool *pool, struct mrc_yaml *y, const char *key,
                              const yaml_node_t *node)
{
    const char *const text = mrc_yaml_text(node);
    if (text != NULL) {
        return node->data.scalar.style == YAML_LITERAL_SCALAR_STYLE
                   ? lines_of(pool, key, text)
                   : mrct_tree_new(pool, MRCT_TREE_TEXT, key, text);
    }
    const bool is_map = node->type == YAML_MAPPING_NODE;
    struct mrct_tree *const t =
        mrct_tree_new(pool, is_map ? MRCT_TREE_MAP : MRCT_TREE_LIST, key, NULL);
    const size_t n = t != NULL ? mrc_yaml_count(node) : 0;
    for (size_t i = 0; i < n; i++) {
        yaml_node_t *name = NULL;
        yaml_node_t *value = NULL;
        if (!is_map) {
            value = mrc_yaml_item(y, node, i);
        } else {
            (void)mrc_yaml_pair(y, node, i, &name, &value);
        }
        if (mrct_tree_add(pool, t, take(pool, y, mrc_yaml_text(name), value)) != 0) {
            return NULL;
        }
    }
    return t;
}

struct mrct_tree *mrct_tree_parse(struct mrct_pool *pool, const char *path, const char *text,
                                  char *err, size_t err_cap)
{
    struct mrc_yaml y;
    struct mrct_tree *t = NULL;
    if (mrc_yaml_load_text(&y, path, text) != 0) {
        (void)snprintf(err, err_cap, "%s", y.err);
    } else {
        t = take(pool, &y, NULL, mrc_yaml_root(&y));
        if (t == NULL || t->kind != MRCT_TREE_MAP) {
            (void)snprintf(err, err_cap, "%s: a map of keys was expected", path);
            t = NULL;
        }
    }
    mrc_yaml_fini(&y);
    return t;
}

struct mrct_tree *mrct_tree_get(const struct mrct_tree *t, const char *key)
{
    for (size_t i = 0; t != NULL && i < t->count; i++) {
        if (t->kids[i]->key != NULL && strcmp(t->kids[i]->key, key) == 0) {
            return t->kids[i];
        }
    }
    return NULL;
}

size_t mrct_tree_live(const struct mrct_tree *t)
{
    size_t n = 0;
    for (size_t i = 0; t != NULL && i < t->count; i++) {
        n += !t->kids[i]->off;
    }
    return n;
}

/* ---- writing ---- */

/* Plain where YAML takes it for a word, else in double quotes. */
static void write_text(const char *text, FILE *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/%+-";
    const size_t len = strlen(text);
    if (len > 0 && text[0] != '-' && strspn(text, plain) == len) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            fputs("\\n", out);
            continue;
        }
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_flow(const struct mrct_tree *t, FILE *out)
{
    if (t->kind == MRCT_TREE_TEXT || t->kind == MRCT_TREE_LINES) {
        write_text(t->text != NULL ? t->text : "", out);
        return;
    }
    const char *comma = "";
    fputc(t->kind == MRCT_TREE_MAP ? '{' : '[', out);
    for (size_t i = 0; i < t->count; i++) {
        const struct mrct_tree *const kid = t->kids[i];
        if (kid->off) {
            continue;
        }
        fputs(comma, out);
        comma = ", ";
        if (t->kind == MRCT_TREE_MAP) {
            fprintf(out, "%s: ", kid->key);
        }
        write_flow(kid, out);
    }
    fputc(t->kind == MRCT_TREE_MAP ? '}' : ']', out);
}

/* A list of steps or faults: a map an entry, a line each. */
static bool is_long(const struct mrct_tree *t)
{
    return t->kind == MRCT_TREE_LIST && mrct_tree_live(t) > 0 && t->kids[0]->kind == MRCT_TREE_MAP;
}

static void write_lines(const struct mrct_tree *t, FILE *out)
{
    fputs(" |\n", out);
    for (size_t i = 0; i < t->count; i++) {
        if (!t->kids[i]->off) {
            fprintf(out, "  %s\n", t->kids[i]->text);
        }
    }
}

static void write_entries(const struct mrct_tree *t, FILE *out)
{
    fputc('\n', out);
    for (size_t i = 0; i < t->count; i++) {
        const struct mrct_tree *const kid = t->kids[i];
        if (kid->off) {
            continue;
        }
        fputs("  - ", out);
        if (kid->kind == MRCT_TREE_MAP && mrct_tree_live(kid) == 1 && kid->count == 1) {
            fprintf(out, "%s: ", kid->kids[0]->key);
            write_flow(kid->kids[0], out);
        } else {
            write_flow(kid, out);
        }
        fputc('\n', out);
    }
}

void mrct_tree_write(const struct mrct_tree *root, FILE *out)
{
    for (size_t i = 0; i < root->count; i++) {
        const struct mrct_tree *const kid = root->kids[i];
        if (kid->off) {
            continue;
        }
        fprintf(out, "%s:", kid->key);
        if (kid->kind == MRCT_TREE_LINES) {
            write_lines(kid, out);
        } else if (is_long(kid)) {
            write_entries(kid, out);
        } else {
            fputc(' ', out);
            write_flow(kid, out);
            fputc('\n', out);
        }
    }
}
