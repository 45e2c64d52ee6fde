/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of the go-back-N endpoint. */
#ifndef MRCT_SIM_RC_INT_H
#define MRCT_SIM_RC_INT_H

#include "harness/sim/dcqcn.h"
#include "harness/sim/rc.h"

/* Opcodes of a Reliable Connection. */
enum rc_opcode {
    RC_WRITE_FIRST = 0x06,
    RC_WRITE_MIDDLE,
    RC_WRITE_LAST,
    RC_WRITE_LAST_IMM,
    RC_WRITE_ONLY,
    RC_WRITE_ONLY_IMM,
    RC_ACK = 0x11,
    RC_CNP = 0x81, /* RoCEv2: congestion notification */
};

#define RC_SYN_ACK 0x1Fu /* AETH: without credits */
#define RC_SYN_NAK 0x60u /* PSN sequence error */

struct rc_msg {
    uint64_t wr_id, first; /* sequence number of its first packet */
    uint32_t len_bytes, packets;
    bool has_imm;
};

/* Sequence numbers are counted in 64 bits here; a PSN is their low 24. */
struct rc_qp {
    uint32_t qpn, entropy;
    uint8_t port;
    bool failed;
    struct mrc_addr addr;
    /* requestor */
    struct rc_msg *sq; /* ring of sq_depth, the oldest not acknowledged at sq_head */
    uint32_t sq_depth, sq_head, sq_count;
    uint32_t sq_at;         /* message, from sq_head, that nxt lies in */
    uint64_t una, nxt, top; /* oldest not acknowledged, next to send, one behind all ever sent */
    uint64_t end;           /* one behind all posted */
    uint64_t pace_ns;       /* nothing leaves before */
    uint64_t timer_ns;      /* retransmission timer; MRC_TIME_NEVER */
    unsigned timeouts;      /* in a row */
    struct dcqcn cc;
    /* responder */
    uint64_t expected; /* sequence number */
    bool nak_sent;     /* for the gap before us */
    bool owes_ack, owes_nak, owes_cnp;
    uint64_t cnp_ns; /* none before */
    struct mrc_qp_counters count;
};

struct sim_rc {
    struct sim_rc_config c;
    struct mrc_addr addr[MRC_EP_PORTS_MAX];
    uint64_t bps[MRC_EP_PORTS_MAX];
    struct rc_qp *qps;
    unsigned qp_count, turn; /* turn: the QP that is asked first for a packet */
    unsigned owing;          /* QPs that owe a control packet */
    uint64_t ports_up;
    uint64_t now_ns;             /* of the last look for a packet */
    struct mrc_ep_event *events; /* ring */
    uint32_t event_cap, event_head, event_count;
};

struct rc_qp *sim_rc_qp(const struct sim_rc *rc, uint32_t qpn); /* NULL: none */
void sim_rc_event(struct sim_rc *rc, const struct mrc_ep_event *ev);
void sim_rc_fail(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns);
/* Something was acknowledged, or sent: when the timer runs out. */
void sim_rc_arm(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns);
/* Back to a sequence number: the next packet is that one. */
void sim_rc_rewind(struct rc_qp *q, uint64_t seq);

#endif
