/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where cases are run on real sockets: veth pairs in a network namespace of this process alone, two
 * a plane. The devices of a case sit on the outer ends, its fabric on the inner ones:
 *
 *     host 1's device = h1pN ~ f1pN = fabric = f2pN ~ h2pN = host 2's device
 *
 * All of it runs in one thread, at the pace of the real clock; but that clock stands still while
 * nobody had a chance to act: while the machine gave this process no time, or the kernel still had
 * a frame in its hands. So a loaded machine makes a run longer, and nothing in it late.
 */
#ifndef MRCT_LIVE_STAGE_H
#define MRCT_LIVE_STAGE_H

#include "harness/live/preflight.h"
#include "harness/live/side.h"

struct mrct_stage;

/* A case's time goes on by that much at a turn, at most, while something moves; and how late
 * whoever is part of a case may act: the turns from a frame's time until it has passed the fabric.
 */
#define MRCT_STAGE_STEP_NS        10u
#define MRCT_STAGE_CLOCK_ERROR_NS (UINT64_C(5) * MRCT_STAGE_STEP_NS)

/* Puts this process into its namespace, for good. NULL, with a sentence in err. */
struct mrct_stage *mrct_stage_new(char *err, size_t err_cap);
void mrct_stage_free(struct mrct_stage *s); /* NULL is fine */

/*
 * Sets a case up: fab's hosts become the inner ports, `dut` the devices on the outer ones. fab was
 * made with keep_bytes. What is left of the case before is thrown away. 0, or -1 with a sentence.
 */
int mrct_stage_enter(struct mrct_stage *s, struct mrct_fab *fab, unsigned planes,
                     const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                     size_t err_cap);

/*
 * Looks at the wires of so many planes, between cases: result[host][plane] of the way between the
 * host's device and the fabric. 0, or -1 with a sentence when they could not be made.
 */
int mrct_stage_preflight(struct mrct_stage *s, unsigned planes, uint16_t path_mtu,
                         struct mrct_preflight result[2][MRC_EP_PORTS_MAX], char *err,
                         size_t err_cap);

/*
 * Plays until limit_ns of the case's time, or until all came to rest; step is called whenever a
 * device may have moved. Returns the time reached. err: a sentence when the stage itself failed (a
 * ring was full, the kernel lost a frame), else "".
 */
uint64_t mrct_stage_play(struct mrct_stage *s, uint64_t limit_ns,
                         void (*step)(void *user, uint64_t now_ns), void *user, char *err,
                         size_t err_cap);

struct mrct_stage_times {
    uint64_t played_ns; /* time of all cases so far */
    uint64_t stood_ns;  /* and how long the clock stood still in between */
    uint64_t frames;    /* that passed a socket */
};
void mrct_stage_times(const struct mrct_stage *s, struct mrct_stage_times *t);

#endif
