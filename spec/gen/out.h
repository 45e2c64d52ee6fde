/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output that is whole or not there: files are made in memory, written beside their place, and
 * moved there only when all of them were written.
 */
#ifndef SPECGEN_OUT_H
#define SPECGEN_OUT_H

#include <stddef.h>
#include <stdio.h>

#define GEN_OUT_MAX 8u

struct gen_out_file {
    const char *name; /* within the directory; not owned */
    FILE *stream;     /* into text */
    char *text;
    size_t len;
};

struct gen_out {
    const char *dir;
    struct gen_out_file files[GEN_OUT_MAX];
    size_t count;
};

void gen_out_init(struct gen_out *o, const char *dir);
/* A stream for the file's text, or NULL when memory fails. Closed by commit or fini. */
FILE *gen_out_open(struct gen_out *o, const char *name);
/* Writes all files. Returns 0, or -1 with a sentence in err and none of them changed. */
int gen_out_commit(struct gen_out *o, char *err, size_t err_cap);
void gen_out_fini(struct gen_out *o);

#endif
