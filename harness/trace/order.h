/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames in the order of their times. A capture of several queues or hands may hold neighbours in
 * the wrong order, which sorting within a window mends; a clock that was set back while it was
 * taken may not be sorted, but goes on from where it stood.
 */
#ifndef MRCT_TRACE_ORDER_H
#define MRCT_TRACE_ORDER_H

#include "harness/trace/capture.h"

enum mrct_order_mode {
    MRCT_ORDER_AS_IS, /* as the file has them; only counted */
    MRCT_ORDER_SORT,  /* sorted within a window; what comes too late for it keeps its place */
    MRCT_ORDER_STEPS, /* a time before the last one is a step of the clock: later times are moved */
};

/* What times did, as the file has them. */
struct mrct_order_seen {
    uint64_t frames;
    uint64_t backward; /* frames earlier than the one before */
    uint64_t below;    /* frames earlier than the latest time before */
    uint64_t back_max_ns;
    uint64_t late; /* SORT: too late for the window */
    uint64_t ties; /* SORT: of the same time as the one before, so that their order is a guess */
};

#define MRCT_ORDER_FRAMES ((size_t)65536) /* the window: so many frames */
#define MRCT_ORDER_BYTES  ((size_t)64 << 20)
#define MRCT_ORDER_SMALL  ((size_t)1024) /* the window of what cannot be read twice, frames */

struct mrct_order;
struct mrct_order *mrct_order_new(enum mrct_order_mode mode, size_t window_frames);
void mrct_order_free(struct mrct_order *o); /* NULL is allowed */

/* The next frame of c in order, with the number that c gave it. CUT and BAD come when all frames
 * before are out. */
enum mrct_capture_state mrct_order_next(struct mrct_order *o, struct mrct_capture *c,
                                        struct mrct_capture_frame *f);
const struct mrct_order_seen *mrct_order_seen(const struct mrct_order *o);

/* Which mode a capture needs, from what AS_IS saw of all of it. */
enum mrct_order_mode mrct_order_needed(const struct mrct_order_seen *seen);

#endif
