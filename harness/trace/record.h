/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames of a run, kept in memory until their verdicts are known, then written as a pcapng
 * whose comments stand on the offending frames. Memory grows by chunks and is given back all at
 * once.
 */
#ifndef MRCT_TRACE_RECORD_H
#define MRCT_TRACE_RECORD_H

#include "harness/trace/pcapng.h"

struct mrct_record;

/* snap_len: bytes kept of a frame, 0 for all. NULL when memory fails. */
struct mrct_record *mrct_record_new(uint32_t snap_len);
void mrct_record_free(struct mrct_record *r); /* NULL is allowed */

/* Adds an interface ("host1 plane 0", "port 0 of the requestor"); returns its index from 0, or -1
 * when memory fails. */
int mrct_record_iface(struct mrct_record *r, const char *name, const char *description);

/* Copies a frame; returns its number from 1, or 0 when memory fails or iface is unknown. */
uint64_t mrct_record_append(struct mrct_record *r, uint64_t time_ns, int iface, enum mrct_dir dir,
                            const uint8_t *bytes, uint32_t cap_len, uint32_t wire_len);

uint64_t mrct_record_count(const struct mrct_record *r);

/* One frame back, without its comments; f->bytes live as long as the record. Returns 0, or -1 when
 * there is no such frame. */
int mrct_record_get(const struct mrct_record *r, uint64_t frame_no, struct mrct_pcapng_frame *f);

/* Puts a comment on a frame, after those it has; text is copied and made clean UTF-8. Returns 0, or
 * -1 when there is no such frame or memory fails. */
int mrct_record_comment(struct mrct_record *r, uint64_t frame_no, const char *text);

/* Writes everything to path. Returns 0, or -1 with one sentence in err and no file. */
int mrct_record_write(const struct mrct_record *r, const char *path, char *err, size_t err_cap);

#endif
