/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A YAML document as a tree whose parts can be switched off and whose numbers can be changed, and
 * which is written back as YAML: what the shrinker works on. A text of several lines is a list of
 * lines. Internal to harness/cases.
 */
#ifndef MRCT_CASES_TREE_H
#define MRCT_CASES_TREE_H

#include "harness/cases/pool.h"

#include <stdbool.h>
#include <stdio.h>

enum mrct_tree_kind { MRCT_TREE_TEXT, MRCT_TREE_MAP, MRCT_TREE_LIST, MRCT_TREE_LINES };

struct mrct_tree {
    enum mrct_tree_kind kind;
    const char *key;  /* in its map, or NULL */
    const char *text; /* of TEXT */
    bool off;         /* not written */
    struct mrct_tree **kids;
    size_t count;
};

/* Reads YAML of a text; path stands in the sentence. NULL with err filled. All lives in pool. */
struct mrct_tree *mrct_tree_parse(struct mrct_pool *pool, const char *path, const char *text,
                                  char *err, size_t err_cap);

/* The kid of a map, switched off or not; NULL: there is none, or t is NULL. */
struct mrct_tree *mrct_tree_get(const struct mrct_tree *t, const char *key);
/* Makes a leaf, a map or a list without kids. NULL when memory fails. */
struct mrct_tree *mrct_tree_new(struct mrct_pool *pool, enum mrct_tree_kind kind, const char *key,
                                const char *text);
/* Appends a kid. 0, or -1 when memory fails. */
int mrct_tree_add(struct mrct_pool *pool, struct mrct_tree *t, struct mrct_tree *kid);
/* Kids that are not switched off. */
size_t mrct_tree_live(const struct mrct_tree *t);

/* Writes a document: the root's keys a line each, lists a line an entry. */
void mrct_tree_write(const struct mrct_tree *root, FILE *out);

#endif
