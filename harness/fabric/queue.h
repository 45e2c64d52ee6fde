/* SPDX-License-Identifier: BSD-2-Clause */
/* Events in the order of their time; those of one time in the order they were put in. */
#ifndef MRCT_FABRIC_QUEUE_H
#define MRCT_FABRIC_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mrct_fab_pkt;

enum mrct_fabq_kind {
    MRCT_FABQ_ARRIVE,    /* pkt reaches the host at its other end */
    MRCT_FABQ_PORT_FREE, /* arg: host * MRC_EP_PORTS_MAX + port */
    MRCT_FABQ_FLUSH,     /* arg: serial of a packet that may still be held back */
    MRCT_FABQ_LINK,      /* arg: index into the links' timeline */
    MRCT_FABQ_WAKE,      /* step() is due */
};

struct mrct_fabq_event {
    uint64_t at_ns;
    uint64_t seq; /* set by push */
    uint64_t arg;
    struct mrct_fab_pkt *pkt;
    enum mrct_fabq_kind kind;
};

/* A binary heap; in place, zeroed by the owner to start with. */
struct mrct_fabq {
    struct mrct_fabq_event *heap;
    size_t len, cap;
    uint64_t next_seq;
};

void mrct_fabq_fini(struct mrct_fabq *q);
/* Returns 0, or -1 when memory fails. */
int mrct_fabq_push(struct mrct_fabq *q, const struct mrct_fabq_event *ev);
/* The event that is due first; NULL when there is none. */
const struct mrct_fabq_event *mrct_fabq_top(const struct mrct_fabq *q);
/* Takes it; the queue must not be empty. */
struct mrct_fabq_event mrct_fabq_pop(struct mrct_fabq *q);

#endif
