/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion control as the requestor sees it (section 8): a window, what is in flight, and one
 * call for each thing that happened. An algorithm is a table of functions; the state is embedded
 * in the QP, so that several QPs may later point at one controller. Sizes are nominal packet sizes
 * (UDP length + 40), times are ns.
 */
#ifndef MRC_ENDPOINT_CC_H
#define MRC_ENDPOINT_CC_H

#include <stdbool.h>
#include <stdint.h>

struct mrc_cc;

/* What one SACK told, or a transport ACK that was ahead of the SACKs. */
struct mrc_cc_sack {
    uint64_t now_ns;
    bool has_cc_state;         /* false: only acked_bytes means anything */
    uint64_t newly_rcvd_bytes; /* by the responder's rcvd_bytes; 0 on a backward step */
    uint64_t acked_bytes; /* by the requestor's own books: sizes of packets newly known arrived */
    bool ce_marked;       /* M was not NONE */
    bool rtt_valid;       /* the sample belongs to one sending, without doubt */
    uint64_t rtt_ns;      /* the sample, when valid */
    uint8_t rcv_cwnd_pen; /* the responder's penalty, 0..127 */
    bool restore_cwnd;    /* r_c */
};

struct mrc_cc_ops {
    const char *name;
    /* May a packet be sent now? Section 8.3.1: while cwnd > inflight. */
    bool (*can_send)(const struct mrc_cc *cc);
    void (*on_send)(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes);
    void (*on_sack)(struct mrc_cc *cc, const struct mrc_cc_sack *sack);
    /* A NACK took size_bytes out of flight; trimmed: either TRIMMED reason. */
    void (*on_nack)(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes, bool trimmed);
    /* A packet was declared lost, by a hole or a timeout. */
    void (*on_loss)(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes);
};

struct mrc_cc {
    const struct mrc_cc_ops *ops;
    uint64_t cwnd_bytes;
    int64_t inflight_bytes; /* signed: the books of some algorithms dip below 0 */
};

/* A window that never moves; inflight is kept by the requestor's own books. */
void mrc_cc_fixed_init(struct mrc_cc *cc, uint64_t cwnd_bytes);

#endif
