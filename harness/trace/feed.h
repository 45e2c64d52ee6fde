/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All frames of a run, whatever they come from: one capture, a ring of files one after the other
 * (put in the order of their first frames), a live interface, or captures of several points merged
 * by time. Interfaces of all of them have one numbering.
 */
#ifndef MRCT_TRACE_FEED_H
#define MRCT_TRACE_FEED_H

#include "harness/trace/capture.h"
#include "harness/trace/order.h"

struct mrct_feed_config {
    const char *const *files; /* file_count paths; "-" is standard input */
    size_t file_count;
    const char *live;         /* an interface instead of files, or NULL */
    bool merge;               /* by time, else one after the other */
    const int64_t *offset_ns; /* merge: added to the times of each file; NULL for none */
    enum mrct_order_mode order;
    size_t window;                     /* of MRCT_ORDER_SORT, frames */
    const volatile sig_atomic_t *stop; /* ends what waits for frames once it is not 0; or NULL */
};

struct mrct_feed;

/* An interface of the feed: that of a capture, and which file brought it. */
struct mrct_feed_iface {
    const char *name, *description, *comment; /* "" when not given */
    const char *file;
    size_t file_index; /* into files, as given */
    uint16_t link;
    uint64_t frames; /* that came from it so far */
    bool have_counts;
    uint64_t received, dropped;         /* sums over a ring; good after the end */
    uint64_t dropped_iface, dropped_os; /* of dropped, where counts tell them apart */
    uint32_t snap_len;                  /* bytes, 0: none told */
};

/* Returns NULL with one sentence in err when a file cannot be opened. cfg's files outlive the feed.
 */
struct mrct_feed *mrct_feed_open(const struct mrct_feed_config *cfg, char *err, size_t err_cap);
void mrct_feed_close(struct mrct_feed *f); /* NULL is allowed */

/* The next frame; frame_no counts on over files, or in merged order. CUT does not end a ring: the
 * next file is read, and mrct_feed_warnings() counts it. */
enum mrct_capture_state mrct_feed_next(struct mrct_feed *f, struct mrct_capture_frame *out);

/* Reads no more, before the end: counts are summed up as far as they go. */
void mrct_feed_stop(struct mrct_feed *f);

size_t mrct_feed_iface_count(const struct mrct_feed *f);
const struct mrct_feed_iface *mrct_feed_iface(const struct mrct_feed *f, size_t i);
/* What times did, over all files. */
struct mrct_order_seen mrct_feed_seen(const struct mrct_feed *f);
/* Bytes read of all files, and their sum; 0 when nobody knows. */
void mrct_feed_progress(const struct mrct_feed *f, uint64_t *done, uint64_t *total);

/* Sentences: of BAD, and of each file that was cut. */
const char *mrct_feed_message(const struct mrct_feed *f);
size_t mrct_feed_warnings(const struct mrct_feed *f);
const char *mrct_feed_warning(const struct mrct_feed *f, size_t i);

/* Whether the files can be read twice: all are regular files, or packed ones. */
bool mrct_feed_rereadable(const struct mrct_feed_config *cfg);

#endif
