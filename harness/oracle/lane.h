/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The quick way through the oracle. Most frames of a capture are whole requests that go on, in
 * order, with what their connection sent before, while nothing else is the matter with it: plain
 * ones. The models take such a frame in like any other, but of most checks the answer to it is
 * known beforehand: the same as to the plain frame before. These checks are called steady; what
 * they said of one plain frame is noted and counted for those that follow.
 *
 * lane.c lists the steady checks and what their answers rest on. A check that it does not list sees
 * every frame. mrct_oracle_config.thorough shows every frame to every check; a test holds both ways
 * against each other on all captures that the tests have.
 */
#ifndef MRCT_ORACLE_LANE_H
#define MRCT_ORACLE_LANE_H

#include "harness/oracle/core.h"
#include "ref/wire/like.h"

/* Requests that can be remembered, by connection and opcode; a power of two. */
#define LANES 1024u
/* Counters that the steady checks add to for one frame. */
#define LANE_ADDS 128u

struct lane {
    struct mrc_like like;
    struct mrct_obs obs;
    struct flow *flow;
    const char *sender;
    bool sent_at_tap, seen_at_receiver;

    uint32_t calm; /* what the steady checks say while the flow is so; 0: not noted */
    uint8_t came;  /* and the request is so: enum arrival_class */
    unsigned add_count;
    uint64_t *adds[LANE_ADDS]; /* each grows by one with each plain frame */
    uint64_t times;            /* plain frames that are not yet added */
};

/* Whether a row's answer to a plain frame is always that to the one before. */
bool mrct_lane_is_steady(const struct check *c);

#endif
