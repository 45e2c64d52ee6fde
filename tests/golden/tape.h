/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an oracle was told, kept so that it can be told again: what it was asked to be, the facts,
 * frames, events and the end. The program is linked so that each call of an oracle comes by here.
 */
#ifndef TESTS_GOLDEN_TAPE_H
#define TESTS_GOLDEN_TAPE_H

#include "harness/cases/pool.h"
#include "harness/oracle/oracle.h"

#define TAPE_FRAMES_MAX 1500u /* of a tape; what comes later is not kept */

struct tape_step {
    enum { TAPE_FRAME, TAPE_EVENT, TAPE_CLOCK, TAPE_END } kind;
    const struct mrct_obs *obs;
    const struct mrct_event *event;
    uint64_t now_ns;
};

struct tape {
    struct mrct_oracle_config cfg; /* on_finding and side are not kept */
    struct mrct_facts facts;
    struct tape_step *steps;
    size_t count, cap;
    uint64_t frames;
    bool full;                        /* more came: the end is that of the last frame kept */
    const struct mrct_oracle *oracle; /* while it lives */
};

/* The oracles of one run, in the order in which they were made. */
struct tapes {
    struct tape *list;
    size_t count, cap;
    struct mrct_pool pool;       /* frames and events */
    const struct mrct_obs *last; /* the caller's, and its copy: several oracles see one frame */
    const struct mrct_obs *last_copy;
};

void tapes_init(struct tapes *t);
void tapes_fini(struct tapes *t);
/* From here on every oracle that is made, and what it is told, goes on these tapes; NULL ends it.
 */
void tapes_record(struct tapes *t);

/* How a tape is played again: as it was, or as somebody would see it who knows or sees less. */
struct tape_way {
    const char *name;
    bool lenient; /* not strict */
    bool no_events;
    bool no_facts;
    bool one_way;   /* requests alone */
    bool elsewhere; /* the tap stands between the hosts */
    bool opposite;  /* the tap stands at the other host */
    bool tight;     /* the facts allow less than they did */
    unsigned lost;  /* one frame of so many is missing; 0: none */
};

/* Plays a tape; the caller hears each finding, and reads the results before the oracle is freed. */
struct mrct_oracle *tape_play(const struct tape *t, const struct tape_way *way,
                              struct mrct_facts *facts,
                              void (*on_finding)(void *user, const struct mrct_finding *f),
                              void *user);
#endif
