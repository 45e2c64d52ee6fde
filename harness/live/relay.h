/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric between real interfaces: pairs of them, one pair a plane, with the fabric's rules,
 * chances and timeline between. Of itself it drops and reorders nothing, and its counters show it.
 */
#ifndef MRCT_LIVE_RELAY_H
#define MRCT_LIVE_RELAY_H

#include "harness/live/side.h"
#include "harness/live/spread.h"

struct mrct_relay;

struct mrct_relay_config {
    struct mrct_fab_config fab; /* planes of it; rate and latency are added to the wire's own */
    uint64_t seed;
    const char *ifname[2][MRC_EP_PORTS_MAX]; /* by side, plane */
    const char *capture[2]; /* pcapng of what passes the ports that face this host, or NULL */
    uint32_t ring;          /* frames that a receive ring holds; 0: 1024 */
    uint32_t busy_poll_us;  /* spins that long after the last frame */
    bool qdisc_bypass;      /* see ref/net/port.h */
};

/* NULL, with a sentence in err. */
struct mrct_relay *mrct_relay_new(const struct mrct_relay_config *cfg, char *err, size_t err_cap);
void mrct_relay_free(struct mrct_relay *r);
/* For rules, flows and links: the timeline begins with the first turn. */
struct mrct_fab *mrct_relay_fab(struct mrct_relay *r);

/* One turn: takes what came, up to a batch of each interface, and sends what is due. Returns how
 * many frames it took. */
unsigned mrct_relay_turn(struct mrct_relay *r);
/* Looks at the interfaces anew: they may have come or gone. */
void mrct_relay_look(struct mrct_relay *r);
/* Turns until stop_fd is readable (-1: never), or for_ns are over (MRC_TIME_NEVER: not by time).
 * Returns 0, or -1 with a sentence. */
int mrct_relay_run(struct mrct_relay *r, int stop_fd, uint64_t for_ns, char *err, size_t err_cap);
/* Finishes the capture. Returns 0, or -1 with a sentence. */
int mrct_relay_close(struct mrct_relay *r, char *err, size_t err_cap);

struct mrct_relay_sum {
    uint64_t in, out;            /* frames taken from interfaces, and given to them */
    uint64_t others, others_cut; /* not MRC; of these not passed on while a link was down */
    uint64_t vanished;           /* could not leave: the interface was down or gone */
    uint64_t own_ring, own_long, own_refused; /* lost by the fabric itself: the ring was full, the
                                                 frame too long, the kernel would not take it */
    uint64_t link_news;                       /* times that an interface came, went or changed */
    uint64_t elapsed_ns;
    struct mrct_fab_account fab;
};
void mrct_relay_sum(struct mrct_relay *r, struct mrct_relay_sum *sum);
/* Every frame accounted for; else false, with a sentence. */
bool mrct_relay_balanced(struct mrct_relay *r, char *why, size_t cap);
/* Frames that the fabric itself lost: what was seen behind it proves nothing then. */
uint64_t mrct_relay_own_losses(const struct mrct_relay_sum *sum);

const struct mrct_side_counters *mrct_relay_side(const struct mrct_relay *r, unsigned side,
                                                 unsigned plane);
const struct mrc_net_port_counters *mrct_relay_port(struct mrct_relay *r, unsigned side,
                                                    unsigned plane);
/* Time from the kernel's stamp on arrival until the frame had left, of frames that no fault held
 * up. */
const struct mrct_spread *mrct_relay_added(const struct mrct_relay *r);
const struct mrc_net_stamps *mrct_relay_stamps(const struct mrct_relay *r);

#endif
