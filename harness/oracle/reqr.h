/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a requestor sent and was told, as far as a tap shows: one model per flow, fed in the order
 * of the tap. At the requestor's own tap that is the order in which it sent and got things;
 * elsewhere only the comparison of two transmissions of one PSN means something.
 *
 * Memory is bounded: one entry per PSN in a ring that grows with the window up to 2^16 entries.
 */
#ifndef MRCT_ORACLE_REQR_H
#define MRCT_ORACLE_REQR_H

#include "harness/oracle/check.h"

#define REQR_RING_MAX  65536u /* above the widest window, 255 x 128 PSNs, twice over */
#define REQR_WIMM_MAX  1024u  /* WriteImm in flight that can be counted */
#define REQR_POSTS_MAX 2048u  /* posted writes that can be followed at once */
#define REQR_EVS       4u     /* EVs remembered to know that there was a choice */

/* One PSN: what its packet carried, when it went, and what was heard of it. */
struct reqr_pkt {
    bool used;
    bool has_digest; /* crc is of the whole payload; not of a trimmed or cut packet */
    bool has_ts, tsr;
    bool acked;  /* a SACK or ACK that came said it arrived; by acked_frame at acked_ns */
    bool asked;  /* its first sending had A */
    bool nacked; /* a NACK came since it was last sent: nack_ev, nack_ns, nack_frame */
    uint8_t opcode, pad_cnt, last_rtx;
    uint16_t msn, rqmsn, last_ts;
    uint16_t sends;    /* transmissions seen */
    uint16_t retries;  /* after a NACK or a timeout, since the window last advanced */
    uint16_t timeouts; /* of them, after silence alone */
    uint32_t psn, rkey, dma_len, imm, payload_len, crc;
    uint32_t last_ev, nack_ev;
    uint32_t epoch; /* of the model when retries and timeouts were last set to 0 */
    uint32_t icrc;
    uint64_t va;
    uint64_t first_ns, last_ns, acked_ns, nack_ns;
    uint64_t passed_ns; /* when a later PSN was first reported; 0: never */
    uint64_t first_frame, last_frame, acked_frame, nack_frame;
};

/* The message that is being sent. */
struct reqr_msg {
    bool known;  /* there is one to compare with */
    bool inside; /* its Last has not been sent */
    bool whole;  /* its First was seen, so that first_va and sent are right */
    bool rqmsn_varies;
    uint16_t msn, rqmsn;
    uint32_t rkey, dma_len;
    uint64_t va, sent; /* of its first byte; bytes sent so far */
    uint64_t first_frame;
};

enum reqr_class {
    REQR_NONE,  /* not a request, or nothing to compare it with */
    REQR_FIRST, /* a PSN not sent before, at or beyond the next one */
    REQR_AGAIN, /* a PSN whose earlier transmission was seen: old */
    REQR_TWICE, /* a frame that the capture shows twice, or that was copied on the way: same bits */
    REQR_LATE,  /* below the next PSN, and no earlier transmission was seen */
};

/* Why a packet was sent again, as far as the tap can tell. */
enum reqr_reason {
    REQR_REASON_NACK,
    REQR_REASON_HOLE,    /* something sent later was reported to have arrived */
    REQR_REASON_SILENCE, /* nothing came: only its timer can have told */
};

/* Timestamps against the tap's clock. */
struct reqr_clock {
    bool set;
    uint16_t ts; /* the one measured from, sent at ns */
    uint64_t ns;
    unsigned agree, contradict;
};

/* What "before" found out about the request at hand; valid in checks and in "after". */
struct reqr_now {
    enum reqr_class class;
    enum reqr_reason reason; /* AGAIN */
    int32_t gap;             /* FIRST: PSNs passed over */
    bool stray;              /* FIRST: far ahead and, so far, alone */
    bool gap_proven;         /* the message goes on across the gap: nothing was sent in it */
    bool in_order;           /* FIRST: msg holds the state in which this packet was sent */
    bool goes_on;            /* FIRST: opcode, MSN and VA continue the message inside */
    bool has_digest;
    uint32_t crc;
    struct reqr_pkt *old;
};

/* A posted write and the message it became (events only). */
struct reqr_post {
    uint64_t wr_id, va;
    uint32_t len_bytes, rkey, imm;
    bool has_imm;
    bool done; /* its completion was reported */
    bool sent; /* last_psn is that of the message's last packet */
    uint32_t last_psn;
};

/* A run of SACKs that all ask for the whole window (a penalty of 127), in round trips: one ends
 * when something sent since it began is reported as arrived. */
struct reqr_pen {
    bool running;
    unsigned rounds;   /* whole ones so far */
    uint64_t round_ns; /* when the present one began */
    uint64_t bytes;    /* nominal sizes of first transmissions in it */
};

struct reqr_model {
    struct reqr_pkt *ring;
    uint32_t ring_len; /* a power of two */
    bool started;
    uint32_t missing;      /* PSNs whose first sending is not in the capture: a gap that nothing
                              explains, or a retransmission of what was not seen before */
    uint64_t acked_unseen; /* PSNs below next that an acknowledgement covers and that were not seen
                              being sent, first in: */
    uint64_t acked_unseen_frame;
    bool unseen_told; /* something was reported as arrived that was not seen being sent */
    bool heard;       /* a SACK, NACK or ACK came */
    uint64_t gap_ns;  /* when the newest such gap was seen, in a frame from gap_src */
    uint8_t gap_src[16];
    bool have_stray;
    uint32_t stray; /* PSN after that of a request far ahead which nothing has gone on from yet */
    uint32_t first; /* first PSN seen */
    uint32_t next;  /* PSN that comes after the highest one sent */
    uint64_t last_new_ns, last_new_frame; /* newest first transmission */
    uint64_t last_sent_ns;                /* newest transmission of any kind */

    /* told by the responder */
    uint32_t cack; /* highest cumulative PSN that came */
    uint64_t cack_ns, cack_frame;
    bool have_ack;
    uint32_t ack_psn; /* highest PSN of a transport ACK */
    bool have_max;
    uint32_t max_arrived;     /* highest PSN reported as arrived or as refused */
    uint64_t last_report_ns;  /* newest SACK or NACK */
    uint64_t arrived_sent_ns; /* when the latest sending that was reported as arrived was sent: */
    uint64_t arrived_sent_frame;
    uint64_t read_ns;   /* what came until then was read: a retransmission shows it */
    uint64_t rtx_of_ns; /* first sending of the newest packet that was sent again for a hole or
                           silence, which happened at rtx_ns */
    uint64_t rtx_ns;
    unsigned rtx_count, rtx_same_ev; /* retransmissions; those by the EV of the sending before */
    uint64_t rtx_same_ev_frame;      /* the newest of them */
    uint64_t opened_ns;              /* first news since the newest first transmission; 0: none */
    uint32_t epoch;                  /* counts advances of cack */
    int mpr;                         /* units of 128 PSNs, or MRCT_UNKNOWN */
    int mpr_before;                  /* before the newest change, at mpr_ns */
    uint64_t mpr_ns;
    uint32_t mpr_rcvd; /* rcvd_bytes of the SACK that said so */
    bool fatal;        /* a NAK or UNEXP_EVENT came: fatal_ns, fatal_frame, fatal_why */
    uint64_t fatal_ns, fatal_frame;
    const char *fatal_why;
    int fatal_syndrome; /* of the NAK, or 0 */

    /* messages */
    struct reqr_msg msg;
    bool have_msn, have_rqmsn;
    uint16_t last_msn, last_rqmsn;
    uint32_t pmtu;          /* payload of the first First or Middle; 0: none yet */
    uint32_t evs[REQR_EVS]; /* EVs last used, distinct */
    unsigned ev_count;
    unsigned probes;              /* since the newest request */
    uint32_t wimm[REQR_WIMM_MAX]; /* last PSN of each WriteImm in flight, oldest first */
    unsigned wimm_head, wimm_count;

    /* events */
    struct reqr_post *posts; /* ring of REQR_POSTS_MAX, or NULL before the first */
    unsigned post_head, post_count, post_unsent; /* oldest, all, those not sent yet */
    bool posts_lost;                             /* more than the ring holds */
    bool more_posted; /* at the newest first transmission more was posted than sent */
    bool qp_error;
    uint64_t qp_error_ns;
    int qp_error_status;

    struct reqr_pen pen;
    struct reqr_clock clock;
    /* retries that only a timer can have caused: before their time, the first of these; in time */
    unsigned early_count, timely_count;
    uint64_t early_frame, early_gap_ns;
    uint32_t early_psn;
    struct reqr_now now;
};

/* Whether the frame at hand is a request that was sent: a copy of one was not. */
static inline bool mrct_reqr_is_sending(const struct reqr_model *m)
{
    return m->now.class != REQR_NONE && m->now.class != REQR_TWICE;
}

/* The entry of a PSN, or NULL when it was not seen or has left the ring. */
static inline struct reqr_pkt *mrct_reqr_find(const struct reqr_model *m, uint32_t psn)
{
    struct reqr_pkt *const p = &m->ring[psn & (m->ring_len - 1)];
    return p->used && p->psn == psn ? p : NULL;
}

/* First PSN beyond the window as the requestor knows it at now_ns, the reaction to a shrink
 * considered; false when the MPR is not known. */
bool mrct_reqr_edge(const struct look *l, uint32_t *edge);

/* Whether the request at hand fills a gap that it was sent too late for. */
bool mrct_reqr_out_of_order(const struct look *l);

/* Says that the check at hand cannot decide because the capture misses frames; true if so. */
bool mrct_reqr_unsure(struct look *l);

/* The timeout of the flow's facts in ns, or 0 when it is not known. */
uint64_t mrct_reqr_timeout_ns(const struct look *l);

/* Parts of the model, in files of their own. */
void mrct_reqr_control(struct look *l, struct reqr_model *m); /* reqr_control.c */
void mrct_reqr_event(struct look *l);                         /* reqr_events.c */
void mrct_reqr_post_sent(struct reqr_model *m, uint32_t last_psn);
struct reqr_post *mrct_reqr_post(const struct reqr_model *m, uint64_t wr_id); /* or NULL */
void mrct_reqr_message(struct reqr_model *m, const struct look *l);           /* reqr_message.c */
void mrct_reqr_message_before(struct reqr_model *m, const struct look *l);
bool mrct_op_starts(uint8_t opcode);
bool mrct_op_ends(uint8_t opcode);
bool mrct_op_has_imm(uint8_t opcode);

#endif
