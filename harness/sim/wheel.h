/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events in the order of their time; those of one time in the order they were put in. What is due
 * soon, which is nearly everything, stands in buckets of 64 ns as it came; when its bucket's turn
 * comes it is spread over 64 slots of a nanosecond, which are few enough to stay in the cache. A
 * heap holds what is due later. All ends cost the same however many events there are. Nothing is
 * allocated once there is room for as many as a run needs at a time.
 */
#ifndef MRCT_SIM_WHEEL_H
#define MRCT_SIM_WHEEL_H

#include "harness/sim/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What happens, to what; the owner's words. kind < 256. */
struct mrct_wheel_entry {
    void *what;
    uint32_t kind, arg;
};

#define MRCT_WHEEL_CHUNK 31u
struct mrct_wheel_chunk {
    struct mrct_wheel_chunk *next;
    uint64_t count;
    struct mrct_wheel_entry entry[MRCT_WHEEL_CHUNK]; /* kind: with the ns of the bucket above it */
};

struct mrct_wheel_bucket {
    struct mrct_wheel_chunk *first, *last;
};

struct mrct_wheel_slot {
    struct mrct_wheel_entry *entry;
    uint32_t len, cap;
};

/* A bucket spread out. */
struct mrct_wheel_open {
    uint64_t number; /* of the bucket: time / 64 */
    uint64_t used;   /* a bit a slot that has entries */
    bool is_open;
    struct mrct_wheel_slot slot[64]; /* of a nanosecond */
};

struct mrct_wheel_far {
    uint64_t at_ns, seq;
    struct mrct_wheel_entry entry;
};

#define MRCT_WHEEL_AHEAD 32u /* a power of two */

struct mrct_wheel {
    uint64_t now_ns; /* time of the event taken last */
    unsigned now;    /* open[now] is taken from; the other one is looked into */
    uint32_t taken;  /* entries taken of the first used slot of open[now] */
    struct mrct_wheel_open open[2];
    struct mrct_wheel_bucket *buckets;
    uint64_t *used, summary; /* a bit a bucket that is not empty; a bit a word of that */
    struct mrct_wheel_chunk *spare;
    struct mrct_arena *arena;
    struct mrct_wheel_far *far; /* four-way heap */
    size_t far_len, far_cap;
    uint64_t far_seq;
    /* Looking ahead: the entries that a cursor, some events before the one taken, passed last. */
    bool looking;                 /* false: the cursor starts anew */
    unsigned cursor, cursor_slot; /* in open[cursor] */
    uint32_t cursor_i;
    uint64_t lead; /* at least so many entries lie between */
    uint64_t passed;
    struct mrct_wheel_entry ahead[MRCT_WHEEL_AHEAD];
};

/* 0, or -1 when memory fails; fini is due in both cases. The arena outlives the wheel. */
int mrct_wheel_init(struct mrct_wheel *w, struct mrct_arena *arena);
void mrct_wheel_fini(struct mrct_wheel *w);
/* at_ns is not before w->now_ns. Returns 0, or -1 when memory fails. */
int mrct_wheel_push(struct mrct_wheel *w, uint64_t at_ns, struct mrct_wheel_entry entry);
/* Takes the event that is due first and tells its time in w->now_ns; false: none is until then. */
bool mrct_wheel_take(struct mrct_wheel *w, uint64_t until_ns, struct mrct_wheel_entry *out);
/*
 * The entry that the cursor passes next, some `lead` events before it is taken, for who wants to
 * have memory at hand by then; false: it is far enough ahead. Entries that are put in behind the
 * cursor are passed over. The entry passed k calls ago is mrct_wheel_passed(w, k).
 */
bool mrct_wheel_look(struct mrct_wheel *w, uint64_t lead, struct mrct_wheel_entry *out);
static inline const struct mrct_wheel_entry *mrct_wheel_passed(const struct mrct_wheel *w,
                                                               uint64_t k)
{
    return &w->ahead[(w->passed - 1 - k) & (MRCT_WHEEL_AHEAD - 1)];
}

#endif
