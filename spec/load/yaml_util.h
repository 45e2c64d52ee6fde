/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A YAML file as a tree, with errors that name the file and the line. Strings and nodes belong to
 * the document and live until mrc_yaml_fini(). The first error is kept; later ones are dropped.
 */
#ifndef MRC_LOAD_YAML_UTIL_H
#define MRC_LOAD_YAML_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#define MRC_YAML_ERR_MAX 512u

struct mrc_yaml {
    yaml_document_t doc;
    bool loaded;
    const char *path;           /* as given; not owned */
    char err[MRC_YAML_ERR_MAX]; /* "FILE:LINE: words", or empty */
};

/* Reads one document. Returns 0, or -1 with y->err set. mrc_yaml_fini() is due in both cases. */
int mrc_yaml_load(struct mrc_yaml *y, const char *path);
/* The same of a text; path is what errors call it. */
int mrc_yaml_load_text(struct mrc_yaml *y, const char *path, const char *text);
void mrc_yaml_fini(struct mrc_yaml *y);

/* Sets y->err to "FILE:LINE: words" with the node's line (no line when n is NULL); returns -1. */
int mrc_yaml_fail(struct mrc_yaml *y, const yaml_node_t *n, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

yaml_node_t *mrc_yaml_root(struct mrc_yaml *y);

/* Line of a node, from 1. */
int mrc_yaml_line(const yaml_node_t *n);

/* Value of a key in a mapping; NULL when n is NULL, no mapping, or has no such key. */
yaml_node_t *mrc_yaml_get(struct mrc_yaml *y, const yaml_node_t *n, const char *key);

/* Items of a sequence, or pairs of a mapping; 0 for anything else. */
size_t mrc_yaml_count(const yaml_node_t *n);
/* The i-th item of a sequence; NULL past its end. */
yaml_node_t *mrc_yaml_item(struct mrc_yaml *y, const yaml_node_t *n, size_t i);
/* The i-th pair of a mapping; false past its end. */
bool mrc_yaml_pair(struct mrc_yaml *y, const yaml_node_t *n, size_t i, yaml_node_t **key,
                   yaml_node_t **value);

/* Text of a scalar, or NULL when n is none. */
const char *mrc_yaml_text(const yaml_node_t *n);

/* Whole text as a number (decimal or 0x); false when it is none or lies outside min..max. */
bool mrc_yaml_u64(const yaml_node_t *n, uint64_t min, uint64_t max, uint64_t *out);
/* "true" or "false"; anything else is false with *out untouched. */
bool mrc_yaml_bool(const yaml_node_t *n, bool *out);

/*
 * The text of a key: what is required must be there. Returns 0 and *out (NULL if absent), or -1
 * with y->err set.
 */
int mrc_yaml_get_text(struct mrc_yaml *y, const yaml_node_t *map, const char *key, bool required,
                      const char **out);
int mrc_yaml_get_u64(struct mrc_yaml *y, const yaml_node_t *map, const char *key, bool required,
                     uint64_t min, uint64_t max, uint64_t *out);

/* Fails when n is no mapping, has a key that is not in keys (NULL-terminated), or one twice. */
int mrc_yaml_only_keys(struct mrc_yaml *y, const yaml_node_t *n, const char *const *keys);

#endif
