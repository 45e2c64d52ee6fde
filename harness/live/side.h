/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One side of a fabric between real interfaces: the ports that face a host, one a plane, dressed as
 * the device that a fabric drives. What comes in at a port is what this device "sends"; what the
 * fabric delivers to it leaves by the port. So the fabric of virtual time carries real frames.
 *
 * Frames that are not MRC never enter the fabric: they wait their turn and pass as they are.
 */
#ifndef MRCT_LIVE_SIDE_H
#define MRCT_LIVE_SIDE_H

#include "harness/dut/dut.h"
#include "harness/fabric/fabric.h"
#include "ref/net/port.h"

struct mrct_side;

/* A frame passing the port of a side's plane: in (from the host), or out (to it). stamp_ns: when
 * the kernel had it, or when it was queued. bytes are good during the call. */
typedef void (*mrct_side_watch)(void *user, unsigned side, unsigned plane, bool in,
                                uint64_t stamp_ns, const uint8_t *bytes, size_t len);

struct mrct_side_config {
    unsigned index; /* 0 or 1: the host it faces */
    unsigned planes;
    struct mrct_fab *fab;
    struct mrc_net_port *const *port; /* planes of them, not owned */
    const struct mrc_wire_config *wire;
    unsigned batch;                  /* frames of a plane taken in one turn at most, >= 1 */
    struct mrc_net_port *const *far; /* the other side's ports: a payload that still lies in their
                                        rings is sent from there; NULL: all is copied */
    bool at_once;     /* each frame delivered is sent at once, so that planes keep step */
    bool in_step;     /* frames enter in the order in which they came at any plane: one whose
                         plane is busy holds up the others */
    uint64_t hold_ns; /* with it: a frame enters so long after its stamp, so that the kernel has
                         shown the earlier ones of all planes; 0: at once */
    bool all_enter;   /* frames that are not MRC enter the fabric too, as long as they fit */
    mrct_side_watch watch; /* NULL: nobody */
    void *user;
};

/* Bytes of which the codec makes no packet, as a frame that keeps them as they are: split anywhere,
 * with their ICRC where one ends them. They must fit a frame. */
bool mrct_side_fits(const struct mrc_net_rx *rx);
void mrct_side_as_it_is(const struct mrc_wire_config *wire, const struct mrc_net_rx *rx,
                        struct mrc_frame *f);

/* Per plane. in = mrc + others; out = delivered + others_out. */
struct mrct_side_counters {
    uint64_t in, in_bytes; /* frames that the port gave */
    uint64_t mrc;          /* of them: handed to the fabric */
    uint64_t others;       /* and those that were not MRC */
    uint64_t others_cut;   /* of these: not passed on: the plane's link is down, or leads nowhere */
    uint64_t delivered;    /* frames of the fabric that were queued at this port */
    uint64_t others_out;   /* others of the far side that were queued here */
};

/* Attaches itself to the fabric; NULL when memory fails. mrct_side_free() gives it back. */
struct mrct_side *mrct_side_new(const struct mrct_side_config *cfg);
void mrct_side_free(struct mrct_side *s); /* NULL is fine */

/* A turn begins: each plane may give `batch` frames. now_ns turns stamps into the fabric's time. */
void mrct_side_begin(struct mrct_side *s, struct mrc_net_stamps *stamps, uint64_t base_ns);
/* Passes what is not MRC and stands first in a ring to the far side; call when the fabric has
 * delivered all that came before. Returns how many. */
unsigned mrct_side_pass_others(struct mrct_side *s, struct mrct_side *far);
/* The same where nobody is at the far side: they end here, counted as cut. */
unsigned mrct_side_drop_others(struct mrct_side *s);
/* Sends what is queued. Waits while the kernel's buffer is full: nothing is dropped for that. */
void mrct_side_flush(struct mrct_side *s);
/* Frames taken in this turn, and the oldest one's stamp in fabric time; for added latency. */
unsigned mrct_side_taken(const struct mrct_side *s, const uint64_t **stamps);

const struct mrct_side_counters *mrct_side_counters(const struct mrct_side *s, unsigned plane);
/* How long after its stamp a frame was taken at most. */
uint64_t mrct_side_late(const struct mrct_side *s);
/* True when a frame waits at the plane's port to be taken. */
bool mrct_side_waiting(const struct mrct_side *s, unsigned plane);
/* The interface vanished or returned: the ring's frame that was looked at is gone. */
void mrct_side_forget(struct mrct_side *s, unsigned plane);

#endif
