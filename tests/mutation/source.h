/* SPDX-License-Identifier: BSD-2-Clause */
/* A C file, the places in it that can be changed, and the copy in which each has a switch. */
#ifndef TESTS_MUTATION_SOURCE_H
#define TESTS_MUTATION_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes [start, end) of the file. A comparison's operator is [op, op + op_len). */
struct place {
    size_t start, end;
    size_t left_end, op, op_len, right; /* of a comparison; op_len 0: a constant */
};

struct source {
    const char *path; /* of the caller */
    char *text;
    size_t len;
    struct place *places;
    size_t count, cap;
};

/* 0, or -1 with a sentence on stderr and nothing to free. */
int source_read(struct source *s, const char *path);
void source_fini(struct source *s);

/* Notes a place; what is no plain comparison or constant there (a macro hides it) is passed over.
 */
void source_add_comparison(struct source *s, size_t start, size_t end, size_t left_end,
                           size_t right);
void source_add_constant(struct source *s, size_t start, size_t end);

/* DIR/NAME for writing, folders made; NULL with a sentence on stderr. */
FILE *source_open(const char *dir, const char *name);
/* Writes DIR/path and a row of the table for each mutant; *id is that of the next one. 0 or -1. */
int source_write(struct source *s, const char *dir, FILE *table, unsigned *id);

#endif
