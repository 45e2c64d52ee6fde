/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The oracle only watches: frames at one tap, and application events where someone supplies them.
 * It serves a simulated run, a live run and somebody else's capture alike. One oracle judges one
 * tap.
 */
#ifndef MRCT_ORACLE_ORACLE_H
#define MRCT_ORACLE_ORACLE_H

#include "harness/oracle/finding.h"
#include "harness/trace/facts.h"
#include "harness/trace/obs.h"

struct mrct_oracle;
struct mrct_capture_frame; /* harness/trace/capture.h */

/* Reading taken of each open question; index = number of the question (1..). 0 = its default. */
#define MRCT_QUESTIONS_MAX 64u

/* Between which hosts the tap saw its first connection: it tells which host a tap "at the
 * requestor" stands beside. An oracle that sees all frames finds it by itself. */
struct mrct_tap_side {
    bool known, is_v6;
    uint8_t requestor[16], responder[16]; /* addresses */
};

/* PSNs so near that both may be of one QP: about the widest window apart. */
static inline bool mrct_psn_near(uint32_t a, uint32_t b)
{
    const int32_t d = mrc_psn_diff(a, b);
    return d > -32768 && d < 32768;
}

struct mrct_oracle_config {
    const struct mrct_facts *facts; /* may be all unknown; outlives the oracle */
    enum mrct_tap tap;
    bool strict;      /* S and U evidence fail, and the readings chosen are binding */
    bool have_events; /* application events will be supplied */
    bool complete;    /* nothing is missing from the tap (a run's own tap, counters
                         clean); default true, a reader that knows of lost or cut
                         frames clears it */
    bool own_pace;    /* also judge what a device left undone by the pace that it
                         showed in the same capture, when that is long past; default
                         true. reaction_ns alone is used when false */
    bool thorough;    /* mrct_oracle_quick() takes nothing: every check sees every frame */
    char reading[MRCT_QUESTIONS_MAX];
    uint64_t reaction_ns;             /* time a device may take to react; default by
                                         mrct_oracle_config_default() */
    const char *disabled_check;       /* NULL, or the name of a check that is switched off */
    const struct mrct_tap_side *side; /* NULL, or read by mrct_oracle_new() */
    /* Called once per finding, in the order in which they are proven: what was left undone comes
     * later than the frame it stands on. f is the oracle's. */
    void (*on_finding)(void *user, const struct mrct_finding *f);
    void *user;
};
void mrct_oracle_config_default(struct mrct_oracle_config *cfg);

struct mrct_oracle *mrct_oracle_new(const struct mrct_oracle_config *cfg);
void mrct_oracle_free(struct mrct_oracle *o);
void mrct_oracle_frame(struct mrct_oracle *o, const struct mrct_obs *obs);
/*
 * The quick way, of the same effect: judges a frame that is like one remembered, an undamaged
 * request of the same connection, opcode and length. Returns what was decoded of it, the oracle's
 * and good until the next call; NULL, having done nothing, when it is not like any: then it is to
 * be decoded and handed to mrct_oracle_frame(), and after that mrct_oracle_remember() may remember
 * it.
 */
const struct mrct_obs *mrct_oracle_quick(struct mrct_oracle *o, const struct mrct_capture_frame *f);
void mrct_oracle_remember(struct mrct_oracle *o, const struct mrct_capture_frame *f,
                          const struct mrct_obs *obs);
/* Kinds of frame (as in mrct_check_trait.of_flows) of which one belonged to no flow: for each,
 * every check that looks at it was inconclusive once. */
uint32_t mrct_oracle_unpaired(const struct mrct_oracle *o);
/* Tells the time without a frame: another oracle of the same tap saw one. */
void mrct_oracle_clock(struct mrct_oracle *o, uint64_t now_ns);
void mrct_oracle_event(struct mrct_oracle *o, const struct mrct_event *ev);
/* The end of what can be seen; what was still awaited is judged. Call once. */
void mrct_oracle_end(struct mrct_oracle *o, uint64_t now_ns);

/* After the end: what became of one requirement at this tap. */
struct mrct_req_result {
    const char *requirement;
    uint64_t exercised; /* times its condition was seen and could be judged */
    uint64_t failed, warned, inconclusive;
};
/* One per requirement that has a check, in the order of the generated table. */
size_t mrct_oracle_results(const struct mrct_oracle *o, const struct mrct_req_result **results);

/*
 * After the end: what the capture must have missed, by what its own frames say. A run that sees any
 * of it takes back what was proven by absence: mrct_check_trait.needs_complete.
 */
struct mrct_gaps {
    uint64_t flows;     /* connections seen */
    uint64_t missing;   /* requests that were acknowledged, and are not in the capture */
    bool more;          /* and others, uncounted */
    uint64_t frame;     /* first frame that shows it; 0: none */
    uint64_t one_sided; /* connections of which one direction alone was seen */
    uint64_t cut;       /* frames whose headers the snap length cut */
    uint64_t unpaired;  /* frames that belong to no connection */
};
void mrct_oracle_gaps(const struct mrct_oracle *o, struct mrct_gaps *sum);

/* The checks this oracle has, for the coverage report: name, requirement, file and line. */
struct mrct_check_info {
    const char *name, *requirement, *file;
    int line;
};
/* Fills out with the first cap of them and returns how many there are. */
size_t mrct_oracle_checks(struct mrct_check_info *out, size_t cap);

/* What whoever sums up several oracles, or a capture with holes, must know of each check. */
struct mrct_check_trait {
    const char *name, *requirement;
    bool needs_complete; /* proves something by what is not there */
    bool needs_order;    /* looks at more than one frame */
    uint32_t of_flows;   /* kinds of frame that it looks at in their flow, a bit each */
};
size_t mrct_oracle_traits(struct mrct_check_trait *out, size_t cap);

#endif
