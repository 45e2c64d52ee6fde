/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events in the order of their time; those of one time in the order they were put in. A wheel with
 * a slot a nanosecond holds what is due soon, which is nearly everything; a heap holds the rest.
 * Both ends cost the same however many events there are. Events are their owner's and are in the
 * wheel at most once; nothing is allocated but for the heap, when it grows.
 */
#ifndef MRCT_SIM_WHEEL_H
#define MRCT_SIM_WHEEL_H

#include <stddef.h>
#include <stdint.h>

struct mrct_sim_event {
    struct mrct_sim_event *next; /* of its slot */
    uint64_t at_ns;
    uint32_t kind; /* the owner's */
    uint32_t arg;  /* the owner's */
};

struct mrct_wheel_slot {
    struct mrct_sim_event *first, *last;
};

struct mrct_wheel_far {
    uint64_t at_ns, seq;
    struct mrct_sim_event *ev;
};

struct mrct_wheel {
    struct mrct_wheel_slot *slots;
    uint64_t *used[3];          /* a bit a slot; a bit a word of that; and once more */
    uint64_t now_ns;            /* time of the event taken last */
    uint64_t near;              /* events in slots */
    struct mrct_wheel_far *far; /* four-way heap */
    size_t far_len, far_cap;
    uint64_t far_seq;
};

int mrct_wheel_init(
    struct mrct_wheel *w); /* 0, or -1 when memory fails; fini is due in both cases */
void mrct_wheel_fini(struct mrct_wheel *w);
/* ev->at_ns is not before w->now_ns. Returns 0, or -1 when memory fails. */
int mrct_wheel_push(struct mrct_wheel *w, struct mrct_sim_event *ev);
/* Time of the event that is due first; UINT64_MAX when there is none. */
uint64_t mrct_wheel_next_ns(const struct mrct_wheel *w);
/* Takes it; there must be one. */
struct mrct_sim_event *mrct_wheel_pop(struct mrct_wheel *w);

#endif
