/* SPDX-License-Identifier: BSD-2-Clause */
/* Which judge a frame belongs to, by a look at its addresses: both directions of a pair of hosts
 * go to the same one. */
#ifndef MRCT_CLI_CHECK_PEEK_H
#define MRCT_CLI_CHECK_PEEK_H

#include "harness/trace/capture.h"
#include "harness/trace/facts.h"

#define MRCT_PEEK_PAIRS 64u

/* Pairs whose judge was worked out before: frames come from few pairs in turn. */
struct mrct_peek {
    const struct mrct_facts *facts; /* not owned */
    unsigned judges;
    struct mrct_peek_pair {
        uint64_t addr[4]; /* source and destination */
        uint8_t version;  /* of IP; 0: none */
        unsigned owner;
    } pairs[MRCT_PEEK_PAIRS];
};

/* 0..judges-1; 0 for what has no addresses. p begins with its facts and judges set, the rest 0. */
unsigned mrct_peek_owner(struct mrct_peek *p, const struct mrct_capture_frame *f);

#endif
