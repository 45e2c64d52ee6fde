/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for RoCEv2, to compare with: a Reliable Connection that goes back N. A QP has one path
 * (one port, one UDP source port and flow label), packets in PSN order, one NAK a gap,
 * retransmission of all from the gap on or from the oldest after a timeout, and DCQCN by ECN marks
 * or a fixed window. What is left out: PFC, reads, atomics, sends, path migration, adaptive
 * retransmission, DCQCN's byte counter. Bytes are not placed: nobody looks at them.
 *
 * Shaped as the reference endpoint's calls are: time (ns) and frames go in, frames and events come
 * out. PSNs begin at 0 and count in 24 bits.
 */
#ifndef MRCT_SIM_RC_H
#define MRCT_SIM_RC_H

#include "ref/endpoint/mrc_ep.h"

struct sim_rc;

struct sim_rc_config {
    const struct mrc_wire_config *wire; /* outlives the endpoint */
    unsigned ports, qps_max;
    uint16_t mtu;
    bool dcqcn;                       /* else a window of cwnd_bytes */
    uint32_t cwnd_bytes;              /* >= 1 */
    uint64_t timeout_ns;              /* of the oldest packet not acknowledged */
    unsigned retries;                 /* timeouts in a row that a QP survives */
    const struct mrc_addr *port_addr; /* copied */
    const uint64_t *port_bps;         /* copied */
};

/* NULL: no memory. */
struct sim_rc *sim_rc_new(const struct sim_rc_config *c);
void sim_rc_free(struct sim_rc *rc); /* NULL is fine */

struct sim_rc_peer {
    uint32_t qpn;         /* both ends' */
    unsigned port;        /* that all its packets take */
    uint32_t entropy;     /* as an EV: source port and flow label */
    unsigned sq_depth;    /* messages posted at most */
    struct mrc_addr addr; /* of the other end, on that port */
};
/* Connects a QP; 0 or an mrc_ep_error. */
int sim_rc_connect(struct sim_rc *rc, const struct sim_rc_peer *p);
/* As mrc_qp_post_write(); no bytes move but their lengths do. */
int sim_rc_post(struct sim_rc *rc, uint32_t qpn, uint64_t now_ns, const struct mrc_write *w);

/* True: a write that was expected next, and is taken. */
bool sim_rc_input(struct sim_rc *rc, uint64_t now_ns, const struct mrc_frame *f);
/* The port, or -1. */
int sim_rc_output(struct sim_rc *rc, uint64_t now_ns, uint64_t port_free_mask,
                  struct mrc_frame *out);
uint64_t sim_rc_deadline(const struct sim_rc *rc);
void sim_rc_tick(struct sim_rc *rc, uint64_t now_ns);
bool sim_rc_poll(struct sim_rc *rc, struct mrc_ep_event *ev);
void sim_rc_port_set(struct sim_rc *rc, unsigned port, bool up);
/* holes: gaps told by NAKs. False: no such QP. */
bool sim_rc_counters(const struct sim_rc *rc, uint32_t qpn, struct mrc_qp_counters *out);
/* RoCEv2's writes, beside mrc_op_is_write(). */
bool sim_rc_is_write(uint8_t opcode);

#endif
