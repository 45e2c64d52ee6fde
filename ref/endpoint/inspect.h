/* SPDX-License-Identifier: BSD-2-Clause */
/* A QP's whole state in one call, as a struct or as JSON: for tests, reports, and whoever wonders
 * why nothing moves. Nothing is allocated and nothing changes. */
#ifndef MRC_ENDPOINT_INSPECT_H
#define MRC_ENDPOINT_INSPECT_H

#include "ref/endpoint/cc.h"
#include "ref/endpoint/mrc_ep.h"

struct mrc_qp_inspection {
    uint32_t qpn, peer_qpn;
    struct mrc_qp_info info; /* states, windows, retries, next timer */
    struct mrc_qp_counters count;

    /* requestor */
    uint32_t sq_depth, sq_used; /* posted and not polled; bytes and packets are in info */
    uint32_t sq_unsent;         /* writes of which not all packets were sent once */
    uint32_t wimm_max;          /* WriteImm in flight that the peer tracks */
    uint64_t timeout_ns;        /* of a packet sent now */
    uint64_t ev_wait_ns;        /* a retransmission waits for another EV until then, or NEVER */
    uint64_t oldest_sent_ns;    /* last sending of the packet longest in flight; or NEVER */

    /* responder */
    uint32_t rq_depth, rq_used;
    uint32_t rcv_window_psn; /* PSNs above cack_psn that are taken */
    uint32_t sack_trigger_bytes;
    uint32_t wimm_stashed; /* immediates that wait for what comes before them */
    uint8_t cwnd_pen;      /* what its SACKs ask for */
    bool restore_cwnd;

    /* congestion control */
    const char *cc_name;   /* static */
    uint64_t cc_share_id;  /* 0: a controller of its own */
    uint32_t cc_members;   /* QPs that use it */
    uint64_t cc_out_bytes; /* in flight by the own books, of all of them */
    uint64_t qp_out_bytes; /* of this QP */
    struct mrc_cc_view cc; /* the algorithm's inside; 0 where it has none */

    unsigned ev_count;      /* EVs of the QP */
    uint32_t reverse_ports; /* planes that have an EV for control packets, bit = port */
    uint32_t reverse_ev[MRC_EP_PORTS_MAX];
};

/* ENOENT: no such QP. */
int mrc_qp_inspect(const struct mrc_ep *ep, uint32_t qpn, struct mrc_qp_inspection *out);

/*
 * The same and the EV table as one JSON object, ended by NUL, into a buffer of `size` bytes.
 * Returns its length without the NUL, as snprintf() does: a length >= size was cut, and size 0 only
 * asks for it (buf may be NULL then). ENOENT: no such QP. Times are ns, null for NEVER; PSNs 24
 * bits.
 */
int64_t mrc_qp_inspect_json(const struct mrc_ep *ep, uint32_t qpn, char *buf, size_t size);

#endif
