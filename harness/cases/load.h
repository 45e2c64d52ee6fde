/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading YAML by tables: a table names the keys a map may have, what each must look like, and the
 * member it fills. Cases and scenes are read so. Every error is one sentence "FILE:LINE: ..." that
 * says what was expected.
 */
#ifndef MRCT_CASES_LOAD_H
#define MRCT_CASES_LOAD_H

#include "harness/cases/pool.h"
#include "spec/load/yaml_util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mrct_load {
    struct mrc_yaml yaml;   /* the document, and the first error */
    struct mrct_pool *pool; /* where strings and arrays go */
    const char *text;       /* the document, instead of the file; or NULL */
    void *user;             /* what is being loaded, for custom fields */
};

enum mrct_load_type {
    MRCT_LOAD_U8,
    MRCT_LOAD_U16,
    MRCT_LOAD_U32,
    MRCT_LOAD_INT, /* int */
    MRCT_LOAD_I64,
    MRCT_LOAD_BOOL,      /* bool */
    MRCT_LOAD_TRISTATE,  /* int: false 0, true 1 */
    MRCT_LOAD_STRING,    /* char *, in the pool, not empty */
    MRCT_LOAD_STRINGS,   /* char ** and then size_t, a list of strings */
    MRCT_LOAD_CHAR,      /* char: one letter of `words` */
    MRCT_LOAD_DURATION,  /* uint64_t, ns */
    MRCT_LOAD_RATE,      /* uint64_t, bit/s */
    MRCT_LOAD_SIZE,      /* uint32_t, bytes */
    MRCT_LOAD_SHARE,     /* uint32_t, ppm */
    MRCT_LOAD_RANGE,     /* int64_t first and then int64_t last */
    MRCT_LOAD_RANGE_INT, /* int first and then int last; an open end is INT_MAX */
    MRCT_LOAD_WORD,      /* int: one of `words` */
    MRCT_LOAD_CUSTOM,    /* `custom` reads it */
};

struct mrct_load_word {
    const char *name; /* NULL ends a table */
    int value;
};

struct mrct_load_field {
    const char *key; /* NULL ends a table */
    enum mrct_load_type type;
    size_t offset;    /* of the member in the struct */
    int64_t min, max; /* of numbers (of both ends of a range) */
    const struct mrct_load_word *words;
    int (*custom)(struct mrct_load *l, yaml_node_t *node, void *base);
    bool required;
};

/* Reads path; its root must be a map. NULL and l->yaml.err set on failure. mrc_yaml_fini(&l->yaml)
 * is due in both cases. */
yaml_node_t *mrct_load_open(struct mrct_load *l, const char *path);

/* Fills base by the table; refuses keys that are unknown, double or missing. 0 or -1. */
int mrct_load_map(struct mrct_load *l, yaml_node_t *map, const struct mrct_load_field *fields,
                  void *base);
/* One value by its field. 0 or -1. */
int mrct_load_value(struct mrct_load *l, yaml_node_t *node, const struct mrct_load_field *field,
                    void *base);

/* A map of one key, as in "- drop: {...}": its key's text and its value, or NULL. */
const char *mrct_load_single(struct mrct_load *l, yaml_node_t *map, yaml_node_t **value);
/* An array in the pool for a list's entries; NULL with the error set when the node is no list. */
void *mrct_load_array(struct mrct_load *l, yaml_node_t *list, size_t entry_size, const char *what);
/* The value of a word, or INT_MIN with the error set; the error lists the words. */
int mrct_load_word(struct mrct_load *l, const yaml_node_t *node, const char *key,
                   const struct mrct_load_word *words);

#endif
