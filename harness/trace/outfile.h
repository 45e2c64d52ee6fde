/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that is there whole or not at all: written under another name in the same folder and
 * renamed when complete. What is no regular file (a terminal, a pipe, /dev/null) is written
 * directly.
 */
#ifndef MRCT_TRACE_OUTFILE_H
#define MRCT_TRACE_OUTFILE_H

#include <stddef.h>
#include <stdio.h>

struct mrct_outfile {
    FILE *file; /* write here; errors may be left to commit */
    char *path; /* owned */
    char *temp; /* owned; NULL when written directly */
};

/* Returns 0, or -1 with one sentence in err. path "-" is standard output. */
int mrct_outfile_open(struct mrct_outfile *o, const char *path, char *err, size_t err_cap);
/* Flushes, closes and renames. Returns 0, or -1 with one sentence in err and no file left behind.
 */
int mrct_outfile_commit(struct mrct_outfile *o, char *err, size_t err_cap);
/* Gives the file up; what stood under its name before is untouched. */
void mrct_outfile_abort(struct mrct_outfile *o);

#endif
