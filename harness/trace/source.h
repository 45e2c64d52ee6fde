/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of a capture, in order: a file, standard input, either of them packed with gzip or zstd
 * (told by their first bytes). A reader asks for so many bytes in a row and skips what it is done
 * with; memory is one buffer of the longest row asked for, whatever the length of the file.
 *
 * A plain file is read into the buffer rather than mapped: a file that another process cuts short
 * would kill a reader of its map, and bench_read shows no gain that would pay for that.
 */
#ifndef MRCT_TRACE_SOURCE_H
#define MRCT_TRACE_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mrct_source {
    const uint8_t *at, *end; /* what is there and not yet skipped */
    uint64_t taken;          /* bytes of the file read so far, packed ones when it is packed */
    uint64_t size;           /* of the file, or 0 when unknown (a pipe) */
    const volatile sig_atomic_t *stop; /* NULL, or: not 0 ends a read that waits */
    struct mrct_source_priv *priv;
};

/* Returns 0, or -1 with one sentence in err; "-" is standard input. */
int mrct_source_open(struct mrct_source *s, const char *path, char *err, size_t err_cap);
void mrct_source_close(struct mrct_source *s);

/* Reads on until n bytes stand in a row; NULL when the source ends before, or fails. */
const uint8_t *mrct_source_fill(struct mrct_source *s, size_t n);

/* n bytes in a row at s->at, good until the next call; NULL when there are no more so many. */
static inline const uint8_t *mrct_source_need(struct mrct_source *s, size_t n)
{
    return (size_t)(s->end - s->at) >= n ? s->at : mrct_source_fill(s, n);
}

/* n must have been needed before. */
static inline void mrct_source_skip(struct mrct_source *s, size_t n)
{
    s->at += n;
}

/* Why the source failed (an unreadable disk, a packed file that is damaged): one sentence without
 * the file's name, or NULL when it simply ended. */
const char *mrct_source_failure(const struct mrct_source *s);
/* True when the packed data ended in its middle. */
bool mrct_source_was_cut(const struct mrct_source *s);

#endif
