/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every change of state inside an endpoint as an event with its cause, for the timelines of reports
 * and for tests. One function per endpoint is told, synchronously, in the order in which things
 * happen; without one, an event costs one branch. The function must not call the endpoint.
 */
#ifndef MRC_ENDPOINT_TRACE_H
#define MRC_ENDPOINT_TRACE_H

#include <stdint.h>

struct mrc_ep;

/* What changed; `from` and `to` of the event are read accordingly. */
enum mrc_trace_kind {
    MRC_TRACE_QP_STATE,  /* enum mrc_qp_state */
    MRC_TRACE_SCHED,     /* enum mrc_sched_state */
    MRC_TRACE_EV_STATE,  /* state of an EV; ev and port say which */
    MRC_TRACE_EV_VALUE,  /* another EV took the place of one: from value to value */
    MRC_TRACE_EV_ACTIVE, /* a backup EV came into use for one that was withdrawn; 0 to 1 */
    MRC_TRACE_REVERSE,   /* what control packets of a port take: from EV to EV */
    MRC_TRACE_PORT,      /* an own port (qpn 0), or one of a peer's that qpn and all other QPs to it
                            see: 0 down, 1 up */
    MRC_TRACE_CWND,      /* congestion window, bytes */
    MRC_TRACE_LOST,      /* packet psn, last sent on EV ev, is taken for lost; 0 to 0 */
    MRC_TRACE_RTX,       /* packet psn is sent again: from EV to EV, the latter on port */
    MRC_TRACE_TIMER,     /* the QP's timer starts, stops or has run out: ns at which it fires,
                            MRC_TIME_NEVER: none; that it moves ahead is not told */
    MRC_TRACE_MPR,       /* the requestor's window, PSNs */
    MRC_TRACE_PENALTY,   /* the penalty that the own responder asks for, 0..127 */
    MRC_TRACE_KINDS
};

/* Why it changed. */
enum mrc_trace_cause {
    MRC_CAUSE_NONE,
    MRC_CAUSE_CALL,        /* the application or the controller said so */
    MRC_CAUSE_SEND,        /* a packet was sent */
    MRC_CAUSE_SACK,        /* a SACK */
    MRC_CAUSE_ACK,         /* a transport ACK */
    MRC_CAUSE_NAK,         /* a transport NAK */
    MRC_CAUSE_NACK,        /* a NACK; of a packet: it was NACKed */
    MRC_CAUSE_HOLE,        /* of a packet: later ones arrived */
    MRC_CAUSE_TIMEOUT,     /* its timer ran out */
    MRC_CAUSE_STALL,       /* nothing in flight and no acknowledgement */
    MRC_CAUSE_RETRY_LIMIT, /* the retries were used up */
    MRC_CAUSE_REFUSED,     /* own responder: a request that it had to refuse */
    MRC_CAUSE_MARK,        /* a SACK or NACK told of congestion on the path (SKIP_ONCE, TRIMMED) */
    MRC_CAUSE_BAD_PATH,    /* a SACK told of a bad path (ALWAYS_SKIP) */
    MRC_CAUSE_PROBE,       /* a probe was answered */
    MRC_CAUSE_ROTATION,    /* the rotation passed over it */
    MRC_CAUSE_PORT,        /* an own port went down or came up */
    MRC_CAUSE_PEER_PORT,   /* the peer told that one did */
    MRC_CAUSES
};

struct mrc_trace_event {
    enum mrc_trace_kind kind;
    enum mrc_trace_cause cause;
    uint64_t time_ns; /* the endpoint's time */
    uint32_t qpn;     /* 0: of the node */
    uint64_t from, to;
    uint32_t psn;  /* LOST, RTX: 24 bits */
    uint32_t ev;   /* value as configured, where kind speaks of an EV */
    uint16_t port; /* where kind speaks of a port or an EV; from 0 */
};

typedef void (*mrc_trace_fn)(void *user, const struct mrc_trace_event *e);

/* fn NULL: nobody is told any more. */
void mrc_ep_set_trace(struct mrc_ep *ep, mrc_trace_fn fn, void *user);

/* Words for reports; "?" outside the lists. Static. */
const char *mrc_trace_kind_str(enum mrc_trace_kind kind);
const char *mrc_trace_cause_str(enum mrc_trace_cause cause);

#endif
