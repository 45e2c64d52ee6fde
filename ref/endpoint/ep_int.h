/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The endpoint's inside: its structs and the calls between its files. PSNs are kept as 64-bit
 * sequence numbers (the low 24 bits are the PSN), so that nothing here ever wraps; the wire's
 * 24 bits become a sequence number once, where a packet comes in.
 */
#ifndef MRC_ENDPOINT_EP_INT_H
#define MRC_ENDPOINT_EP_INT_H

#include "ref/endpoint/cc.h"
#include "ref/endpoint/ev.h"
#include "ref/endpoint/mrc_ep.h"
#include "ref/endpoint/node.h"
#include "ref/endpoint/rng.h"
#include "ref/endpoint/trace.h"

#define MRC_NODE_QPN     2u
#define MRC_PSN_MASK     0xFFFFFFu
#define MRC_MPR_UNIT     128u
#define MRC_SLOT_NIL     0xFFFFu
#define MRC_HEAP_NIL     UINT32_MAX
#define MRC_SEQ_NIL      UINT64_MAX
#define MRC_RQMSN_UNUSED 0u
#define MRC_PKEY_DEFAULT 0xFFFFu
#define MRC_CWND_PEN_MAX 127u

struct mrc_qp;

/* ---- events: one list per endpoint through entries that exist anyway ---- */

enum mrc_ev_owner {
    MRC_OWNER_SQE,
    MRC_OWNER_RQE,
    MRC_OWNER_QP,
    MRC_OWNER_PLACED,
    MRC_OWNER_EV,
    MRC_OWNER_PROBE
};

/* Embedded first in whatever can become an event. */
struct mrc_ev_node {
    struct mrc_ev_node *next;
    uint64_t time_ns; /* of the event */
    uint32_t qpn;
    uint8_t owner;  /* enum mrc_ev_owner: what the node is embedded in */
    uint8_t status; /* enum mrc_wc_status */
    bool queued;    /* in the list now */
};

/* A posted write, from post to the poll of its completion. */
struct mrc_sqe {
    struct mrc_ev_node node;
    uint64_t wr_id;
    const uint8_t *local; /* source bytes, the application's */
    uint64_t va;          /* remote address of its first byte */
    uint64_t first_seq;   /* of its first packet; valid once begun */
    uint32_t len_bytes;
    uint32_t npkts; /* packets it is cut into */
    uint32_t rkey;
    uint32_t imm;
    uint16_t msn;   /* METH.MSN: messages posted before it */
    uint16_t rqmsn; /* METH.RQMSN: WriteImm before it; MRC_RQMSN_UNUSED without immediate */
    bool has_imm;
    bool begun; /* its first packet has been sent */
};

/* A posted receive, from post to the poll of its completion. */
struct mrc_rqe {
    struct mrc_ev_node node;
    uint64_t wr_id;
    uint32_t imm;
    uint32_t len_bytes;
};

/* A placement event; from a pool, so that a slow reader costs no allocation. */
struct mrc_placed {
    struct mrc_ev_node node;
    uint64_t va;
    uint32_t len_bytes;
    uint32_t psn;
};

/* An EV event; from a pool. */
struct mrc_ev_note {
    struct mrc_ev_node node;
    uint64_t profile;
    struct mrc_ev ev;
    uint16_t drops;
    uint8_t state, cause;
};

/* An EV Probe, from its call to the poll of its event. */
struct mrc_open_probe {
    struct mrc_ev_node node;
    struct mrc_addr to;
    struct mrc_ev ev;
    uint16_t id;
    uint8_t state; /* enum mrc_probe_state */
    uint64_t sent_ns, until_ns;
    uint64_t rtt_ns; /* DONE */
    uint32_t qpn;    /* for the reverse set of this QP, without an event; 0: for the controller */
    uint16_t index;  /* of the EV, when for a QP */
};

/* Reverse set: the EV that control packets take on each plane. */
struct mrc_rev {
    uint32_t ev[MRC_EP_PORTS_MAX];
    uint8_t age[MRC_EP_PORTS_MAX]; /* packets seen since the plane's EV was chosen */
    uint32_t ports;                /* planes that have one, bit = port */
    uint8_t next;                  /* plane to try first */
    uint64_t due_ns;               /* a QP that only receives probes an EV then */
};

/* ---- requestor ---- */

enum {
    MRC_SLOT_SENT = 1u,    /* in flight: in the list of outstanding packets, timer running */
    MRC_SLOT_LOST = 2u,    /* declared lost: waits for retransmission */
    MRC_SLOT_SACKED = 4u,  /* known arrived, cack_psn not yet there */
    MRC_SLOT_ACKREQ = 8u,  /* was sent with A */
    MRC_SLOT_NACKED = 16u, /* a NACK named nack_ev since its last sending */
};

/* A packet between its first sending and the moment that cack_psn covers it; ring by sequence. */
struct mrc_tx_slot {
    uint64_t sent_ns;    /* last sending; while LOST: when it was declared so */
    uint32_t tx_no;      /* number of its last sending, counted over all sendings of the QP */
    uint32_t nack_ev;    /* wire value not to be used for the next retransmission */
    uint16_t sq;         /* entry of the send queue it belongs to */
    uint16_t ev;         /* EV of its last sending, index into the list */
    uint16_t prev, next; /* outstanding list, in order of sending */
    uint8_t flags;       /* MRC_SLOT_x */
    uint8_t tries;       /* retransmissions so far, saturating */
    uint8_t epoch;       /* mrc_req.retry_epoch when its timer started */
    uint8_t cause;       /* enum mrc_trace_cause: why it was taken for lost last */
    uint8_t ev_age;      /* age of that place in the list then: another EV may stand there now */
    uint16_t level;      /* mrc_req.retry when its timer started */
};

struct mrc_req {
    /* send queue: free-running counters, entry = counter & sq_mask */
    struct mrc_sqe *sq;
    uint32_t sq_mask, sq_depth;
    uint32_t sq_polled;     /* oldest entry whose completion was not taken yet */
    uint32_t sq_done;       /* oldest entry not completed */
    uint32_t sq_send;       /* entry being cut into packets */
    uint32_t sq_tail;       /* next free one */
    uint16_t msn_next;      /* METH.MSN of the next message posted */
    uint16_t rqmsn_next;    /* METH.RQMSN of the next WriteImm posted */
    uint32_t wimm_inflight; /* WriteImm begun and not completed */
    uint32_t wimm_max;      /* peer's MAX_WIMM_DEST */

    /* window */
    struct mrc_tx_slot *slots; /* slot = seq & slot_mask */
    uint32_t slot_mask;
    uint32_t mpr;     /* peer's window now, PSNs; <= slot_mask + 1 */
    uint64_t snd_una; /* oldest sequence not known arrived: the peer's cack_psn + 1 */
    uint64_t snd_nxt; /* next new sequence */
    uint64_t ack_una; /* oldest sequence that no transport ACK covers */
    uint32_t out_count;
    uint16_t out_head, out_tail; /* outstanding list */

    /* loss */
    uint64_t *lost_bits; /* bit = seq & slot_mask */
    uint32_t lost_count;
    uint64_t lost_min; /* oldest lost sequence; meaningful while lost_count > 0 */
    uint32_t tx_no;    /* number of the last sending */
    uint32_t acked_tx; /* latest sending known arrived, without doubt */
    bool acked_tx_valid;
    uint64_t ev_wait_ns; /* a retransmission waits for another EV's port until then; or NEVER */

    /* retries */
    uint32_t retry;      /* retry counter of the connection (Q7) */
    uint8_t retry_epoch; /* counts resets of retry */
    bool solicit;        /* all is SACKed, no transport ACK came: send one packet again */
    uint8_t asks;        /* probes that asked for a SACK since there was progress */
    uint64_t asked_ns;   /* when the last one did */
    uint64_t stall_ns;   /* since when nothing is in flight although not all is acknowledged */

    uint32_t rcvd_bytes;  /* last rcvd_bytes of a SACK, 24 bits */
    uint64_t cack_of_mpr; /* sequence cack_psn + 1 of the SACK that set mpr */
    uint32_t rcvd_of_mpr; /* its rcvd_bytes, 24 bits */
};

/* ---- responder ---- */

enum {
    MRC_RX_END = 1u, /* last packet of a message */
    MRC_RX_IMM = 2u, /* carries an immediate, stashed */
    MRC_RX_ACKREQ = 4u,
};

/* An immediate that waits until all before it has arrived. */
struct mrc_stash {
    uint32_t imm;
    uint32_t len_bytes; /* of its message */
    uint16_t next_free;
};

struct mrc_rsp {
    uint64_t rcv_nxt;   /* ePSN = cack_psn + 1 */
    uint64_t done_nxt;  /* all below it was carried out; stays behind once the QP failed */
    uint64_t max_rcv;   /* highest sequence received; rcv_nxt - 1 when none above */
    uint32_t window;    /* max_psn_range: PSNs above cack_psn that are taken */
    uint32_t mask;      /* ring size - 1 */
    uint64_t *bits;     /* received, by seq & mask */
    uint8_t *flags;     /* MRC_RX_x, by seq & mask */
    uint16_t *stash_of; /* stash entry of a packet with MRC_RX_IMM, by seq & mask */
    uint32_t ooo_count;
    uint32_t msn;          /* messages completed, 24 bits */
    uint64_t rcvd_bytes;   /* total of nominal sizes */
    uint32_t sack_trigger; /* bytes since the last SACK for a request */
    uint8_t cwnd_pen;      /* penalty in SACKs, 0..127 */
    bool restore_cwnd;     /* r_c in SACKs */
    bool ack_queued;       /* a coalesced transport ACK waits in the control queue */

    struct mrc_stash *stash;
    uint16_t stash_free; /* head of the free list */
    uint32_t stash_used, stash_max;

    /* receive queue: free-running counters, entry = counter & rq_mask */
    struct mrc_rqe *rq;
    uint32_t rq_mask, rq_depth;
    uint32_t rq_polled, rq_head, rq_tail;

    /* refusal: takes effect once all before it has arrived */
    uint64_t refuse_seq; /* MRC_SEQ_NIL: none */
    uint8_t refuse_syndrome;
    uint8_t refuse_status; /* enum mrc_wc_status for the own application */

    /* forced shortage: the next short_count new requests get a NACK */
    uint8_t short_reason; /* enum mrc_nack_reason */
    uint32_t short_count;
};

/* ---- QP ---- */

/* A congestion controller, of one QP or of several. */
struct mrc_qpcc {
    struct mrc_cc *cc;
    struct mrc_qp *line_head, *line_tail; /* QPs that wait for the window to open */
    uint32_t members;
    bool listed;
    struct mrc_qpcc *next;         /* in its bucket, while listed */
    struct mrc_addr peer;          /* on the first port; the key, with share_id */
    struct mrc_cc_profile profile; /* algorithm is NULL: cc->ops has it */
};

/* In front stands what every packet touches, in few lines of a cache; behind it what few do. */
struct mrc_qp {
    struct mrc_ev_node node; /* the QP_ERROR event */
    uint32_t qpn;
    enum mrc_qp_state state;
    /* ready ring: QPs that could send a packet now but for a free port */
    struct mrc_qp *ready_next, *ready_prev;
    uint64_t ready_no;    /* turns are given by this number, the lowest first */
    uint32_t ready_ports; /* it can use, as it came into the ring */
    uint8_t ready_group;  /* the ring, index into mrc_ep.ready */
    /* timers */
    uint64_t timer_ns; /* when it really wants to be called; MRC_TIME_NEVER */
    uint32_t heap_pos; /* MRC_HEAP_NIL: not in the heap */
    bool in_line;
    bool served;                          /* it sent something since it came into the ring */
    uint8_t sched;                        /* enum mrc_sched_state, as last noted */
    bool trim_nack;                       /* own TRIM_NACK attribute */
    bool dynamic_mpr;                     /* both sides have it */
    struct mrc_qp *line_next, *line_prev; /* at the controller, while in_line */
    struct mrc_qpcc *qpcc;
    uint64_t cc_out_bytes; /* in flight of this QP, as the controller was told */
    struct mrc_req req;
    struct mrc_rsp rsp;
    struct mrc_ev_set *ev_set;          /* its EV profile; NULL: a list of its own */
    struct mrc_qp *set_next, *set_prev; /* QPs of the same profile */
    struct mrc_rev rev;
    struct mrc_evs *shared_evs; /* those of the profile (Q25 b); NULL: own */
    struct mrc_evs evs;         /* own EVs; see mrc_qp_evs(). evs.list is right in either case */
    struct mrc_qp_counters count;
    struct mrc_peer *peer_node;           /* NULL: not connected */
    struct mrc_qp *peer_next, *peer_prev; /* QPs to the same node */
    struct mrc_qp_peer peer;
    struct mrc_qp_attr attr;            /* evs is NULL: the list is in evs */
    struct mrc_qp *all_next, *all_prev; /* every QP of the endpoint, for mrc_ep_free() */
};

/* ---- control queue: SACK, NACK, ACK, NAK waiting to be sent ahead of data ---- */

enum mrc_ctrl_kind {
    MRC_CTRL_NONE,
    MRC_CTRL_SACK,
    MRC_CTRL_NACK,
    MRC_CTRL_ACK,
    MRC_CTRL_NAK,
    MRC_CTRL_PROBE
};

struct mrc_ctrl {
    uint32_t qpn;
    uint8_t kind;       /* enum mrc_ctrl_kind */
    uint8_t m;          /* SACK */
    bool rtx;           /* SACK, NACK: RTX of the trigger */
    bool pr;            /* SACK: answers a probe */
    bool coalesced;     /* ACK: stands for every request with A so far */
    bool stamped;       /* SACK, NACK: the trigger had a timestamp */
    uint8_t code;       /* NACK: reason; NAK: syndrome */
    uint16_t timestamp; /* reflected */
    uint16_t probe_id;  /* SACK with pr; PROBE */
    uint16_t ev;        /* PROBE: index of its EV */
    uint32_t entropy;   /* of the trigger */
    uint32_t psn;       /* of the trigger; NAK: of the request refused */
    uint32_t msn;       /* NAK: messages completed before it */
    uint64_t born_ns;   /* when its trigger came */
};

/* An Endpoint Response waiting; leaves by the port its request came in. */
struct mrc_node_rsp {
    struct mrc_addr to;
    uint32_t ev;
    uint16_t id, timestamp;
    uint8_t op, port;
};
#define MRC_NODE_QUEUE 64u

struct mrc_mr_slot {
    struct mrc_mr mr;
    bool used;
};

/* An entry of the timers' heap. */
struct mrc_timer {
    uint64_t at_ns; /* never later than the QP's timer_ns */
    struct mrc_qp *qp;
};

/* An entry of the table of QPs: with the number at hand a search touches no other QP. */
struct mrc_qp_ref {
    struct mrc_qp *qp; /* NULL: free */
    uint32_t qpn;
};

/* A ring of READY QPs that can use the same ports, so that a free port finds one of them without
 * looking at the others. */
struct mrc_ready {
    uint32_t ports;      /* by which they have active EVs; of the last ring: one of them at least */
    struct mrc_qp *head; /* served next; NULL: the ring is free for any ports */
};
#define MRC_READY_RINGS 17u

struct mrc_ep {
    struct mrc_ep_config cfg;
    struct mrc_rng rng;
    struct mrc_ep_counters count;
    uint64_t now_ns; /* latest time handed in */
    uint8_t cause;   /* enum mrc_trace_cause: what is being worked on */

    /* QPs by number: open addressing, linear probing */
    struct mrc_qp_ref *qp_table;
    uint32_t qp_mask;
    uint32_t qp_count;
    struct mrc_qpcc **qpcc_table; /* shared controllers by id and peer; qp_mask + 1 buckets */
    uint32_t qpn_next;            /* next number to try for a QP that asks for none */
    struct mrc_qp *all;           /* every QP */
    struct mrc_ready ready[MRC_READY_RINGS];
    unsigned ready_rings;   /* the rings from this one on are free */
    uint32_t ready_count;   /* QPs in all of them */
    uint64_t ready_no;      /* the latest turn given */
    struct mrc_timer *heap; /* four-way heap by at_ns */
    uint32_t heap_len;

    struct mrc_mr_slot *mrs;
    uint32_t mr_next; /* slot to try first */

    uint32_t short_ppm; /* forced shortage, of a million new requests */
    uint8_t short_reason;

    struct mrc_ctrl *ctrl; /* ring by counter & ctrl_mask */
    uint32_t ctrl_mask, ctrl_head, ctrl_tail;
    struct mrc_node_rsp node_q[MRC_NODE_QUEUE];
    uint32_t node_head, node_tail;

    struct mrc_ev_node *ev_first, *ev_last;
    struct mrc_placed *placed_pool;
    struct mrc_ev_node *placed_free;
    bool placed_on;
    struct mrc_ev_note *note_pool;
    struct mrc_ev_node *note_free;
    struct mrc_ev_set *ev_sets; /* EV profiles */
    uint32_t ports_down;        /* own ports that are down, bit = port */

    /* peer nodes by address on each plane */
    struct mrc_peer **peer_table;
    uint32_t peer_mask;
    struct mrc_peer *peers;                             /* every one */
    struct mrc_peer_list updates[MRC_UPDATE_TRIES_MAX]; /* to be told of ports, by tries */
    uint32_t update_count;                              /* in those lists */
    uint16_t update_id;                                 /* of the next update */

    struct mrc_open_probe *probes;
    unsigned probes_open;  /* waiting or sent */
    uint16_t own_probe_id; /* of the next probe for a reverse set */
    uint64_t probe_due_ns; /* when the first of them has failed; MRC_TIME_NEVER */

    mrc_trace_fn trace_fn; /* NULL: nobody listens */
    void *trace_user;
};

/* ---- alloc.c ---- */
void *mrc_ep_alloc(struct mrc_ep *ep, size_t n, size_t size); /* zeroed; NULL on failure */
void mrc_ep_dealloc(struct mrc_ep *ep, void *p);
uint32_t mrc_pow2_at_least(uint32_t n);

/* ---- trace.c: called only while somebody listens ---- */
void mrc_trace_emit(struct mrc_ep *ep, const struct mrc_qp *qp, enum mrc_trace_kind kind,
                    enum mrc_trace_cause cause, uint64_t from, uint64_t to);
void mrc_trace_emit_ev(struct mrc_ep *ep, struct mrc_qp *qp, enum mrc_trace_kind kind, uint16_t ev,
                       enum mrc_trace_cause cause, uint64_t from, uint64_t to);
void mrc_trace_emit_packet(struct mrc_ep *ep, struct mrc_qp *qp, enum mrc_trace_kind kind,
                           uint64_t seq, enum mrc_trace_cause cause, uint16_t from_ev,
                           uint16_t to_ev);

static inline bool mrc_traced(const struct mrc_ep *ep)
{
    return __builtin_expect(ep->trace_fn != NULL, 0);
}
/* qp NULL: an own port; else one of its peer's. */
void mrc_trace_emit_reverse(struct mrc_ep *ep, const struct mrc_qp *qp, unsigned port,
                            enum mrc_trace_cause cause, uint32_t from, uint32_t to);
void mrc_trace_emit_port(struct mrc_ep *ep, const struct mrc_qp *qp, unsigned port,
                         enum mrc_trace_cause cause, bool up);
/* A value of a QP (NULL: of the node) changed; silent when it did not. */
static inline void mrc_trace(struct mrc_ep *ep, const struct mrc_qp *qp, enum mrc_trace_kind kind,
                             enum mrc_trace_cause cause, uint64_t from, uint64_t to)
{
    if (mrc_traced(ep) && from != to)
        mrc_trace_emit(ep, qp, kind, cause, from, to);
}
/* The state of the EV at index ev of the QP's list changed. */
static inline void mrc_trace_ev(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t ev,
                                enum mrc_trace_cause cause, unsigned from, unsigned to)
{
    if (mrc_traced(ep) && from != to)
        mrc_trace_emit_ev(ep, qp, MRC_TRACE_EV_STATE, ev, cause, from, to);
}

/* ---- qp_table.c ---- */
/* Where a search for qpn begins. */
const void *mrc_qp_home(const struct mrc_ep *ep, uint32_t qpn);
struct mrc_qp *mrc_qp_find(const struct mrc_ep *ep, uint32_t qpn);
void mrc_qp_table_add(struct mrc_ep *ep, struct mrc_qp *qp);
void mrc_qp_table_remove(struct mrc_ep *ep, struct mrc_qp *qp);

/* ---- qp.c ---- */
/* To ERROR: all that is posted is flushed and the event raised. The write at counter blamed_sq of
 * the send queue gets `why` as its status; sq_tail: none does. */
void mrc_qp_fail(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, enum mrc_wc_status why,
                 uint32_t blamed_sq);

/* ---- sched.c ---- */
/* Puts the QP into the ready ring or takes it out, as its state says. */
void mrc_sched_update(struct mrc_ep *ep, struct mrc_qp *qp);
void mrc_sched_remove(struct mrc_ep *ep, struct mrc_qp *qp);
/* The ports that the QP can use may have changed: another ring, if it is READY. */
void mrc_sched_regroup(struct mrc_ep *ep, struct mrc_qp *qp);
/* The READY QP whose turn it is of those that can use a free port; NULL: none. */
struct mrc_qp *mrc_sched_next(const struct mrc_ep *ep, uint32_t free_ports);
/* It had its turn: the others of its ring come first. */
void mrc_sched_served(struct mrc_ep *ep, struct mrc_qp *qp);
enum mrc_sched_state mrc_sched_state(const struct mrc_qp *qp);

/* ---- qpcc.c ---- */
int mrc_qpcc_create(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_qp_attr *attr);
void mrc_qpcc_connect(struct mrc_ep *ep, struct mrc_qp *qp); /* the peer is known: shares, or not */
void mrc_qpcc_release(struct mrc_ep *ep, struct mrc_qp *qp);
/* What the algorithm is told; sizes are nominal. */
void mrc_cc_sent(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint32_t size_bytes);
void mrc_cc_sacked(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_cc_sack *sack);
void mrc_cc_nacked(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_cc_nack *nack);
void mrc_cc_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint32_t size_bytes);
void mrc_cc_forget(struct mrc_ep *ep, struct mrc_qp *qp); /* nothing of the QP is in flight */
bool mrc_cc_open(const struct mrc_qp *qp);                /* the window lets a packet go */
bool mrc_cc_asks(const struct mrc_ep *ep, const struct mrc_qp *qp); /* requests should carry A */

/* ---- ask.c ---- */
uint64_t mrc_ask_deadline(const struct mrc_qp *qp);
void mrc_ask_tick(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns);

/* ---- rtt.c ---- */
/* A sample belongs to one sending without doubt: never sent again and RTX clear, or once and RTX
 * set (Karn). */
bool mrc_rtt_unambiguous(const struct mrc_tx_slot *t, bool rtx);
/* The round trip of the sending that a SACK or NACK of now tells of; false: no sample. t may be
 * NULL. To be asked before the slot is changed by the same news. */
bool mrc_rtt_sample(const struct mrc_ep *ep, const struct mrc_tx_slot *t, uint64_t seq, bool rtx,
                    uint16_t timestamp, uint64_t *rtt_ns);

/* ---- timer.c ---- */
void mrc_timer_set(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t at_ns);
struct mrc_qp *mrc_timer_due(struct mrc_ep *ep, uint64_t now_ns); /* a QP whose time has come */

/* ---- events.c ---- */
void mrc_event_push(struct mrc_ep *ep, struct mrc_ev_node *node, uint64_t now_ns,
                    enum mrc_wc_status status);
void mrc_event_purge(struct mrc_ep *ep, uint32_t qpn); /* forgets the events of a QP */
void mrc_event_placed(struct mrc_ep *ep, const struct mrc_qp *qp, uint64_t now_ns, uint64_t va,
                      uint32_t len_bytes, uint32_t psn);
void mrc_event_ev(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                  enum mrc_ev_cause why);

/* Ports over which the QP's peer can be reached, as far as either side told. */
static inline uint32_t mrc_ports_up(const struct mrc_ep *ep, const struct mrc_qp *qp)
{
    return ~(ep->ports_down | (qp->peer_node ? qp->peer_node->down : 0));
}

bool mrc_srv6_template_ok(const struct mrc_srv6_template *t);

/* ---- probe.c: Reliability Probes, sent by the requestor ---- */
void mrc_probe_ask(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns); /* for a SACK */
void mrc_probe_tick(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns);
bool mrc_probe_is_moot(const struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c);
int mrc_probe_output(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c,
                     uint64_t now_ns, uint64_t free_ports, struct mrc_frame *out);

/* ---- reverse.c ---- */
void mrc_rev_init(struct mrc_qp *qp);
/* An EV that just worked. */
void mrc_rev_learn(struct mrc_ep *ep, struct mrc_qp *qp, unsigned port, uint32_t ev);
/* an EV that does not */
void mrc_rev_avoid(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, enum mrc_trace_cause cause);
void mrc_rev_heard(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns); /* a request arrived */
void mrc_rev_probed(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint32_t value,
                    bool answered);
/* another EV at place i */
void mrc_rev_replaced(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint32_t old);

/* ---- ctrl.c ---- */
void mrc_ctrl_push(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_ctrl *c);
void mrc_ctrl_purge(struct mrc_ep *ep, uint32_t qpn); /* forgets what waits for a QP */
uint64_t mrc_ctrl_deadline(const struct mrc_ep *ep);  /* an answer has been served then */
int mrc_ctrl_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t free_ports, struct mrc_frame *out);

/* ---- pkt_out.c ---- */
/* Headers from Ethernet to UDP for a packet to `to` by a port; BTH with opcode, QP and PSN. */
void mrc_pkt_begin(const struct mrc_ep *ep, struct mrc_pkt *p, unsigned port,
                   const struct mrc_addr *to, uint32_t ev, enum mrc_dscp_class cls);
void mrc_pkt_bth(const struct mrc_ep *ep, struct mrc_pkt *p, uint8_t opcode, uint32_t dest_qp,
                 uint32_t psn);
uint16_t mrc_timestamp(uint64_t now_ns); /* TSR = 0: units of 128 ns */

/* ---- requestor.c ---- */
bool mrc_req_has_new(const struct mrc_qp *qp);  /* a new packet may be sent, window and all */
bool mrc_req_can_send(const struct mrc_qp *qp); /* anything may be sent now, given a free port */
bool mrc_req_wants(const struct mrc_qp *qp);    /* the same but for the congestion window */
bool mrc_req_stamped(const struct mrc_ep *ep, uint64_t seq); /* the packet carries TSETH */
bool mrc_req_unsent(const struct mrc_qp *qp); /* posted data whose packets were never sent */
int mrc_req_output(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                   struct mrc_frame *out);
enum mrc_dscp_class mrc_req_class(const struct mrc_ep *ep, bool rtx);
uint32_t mrc_req_size(const struct mrc_ep *ep, const struct mrc_sqe *s, uint64_t seq);
/* Fills *out with the request of sequence seq, on EV index ev. */
void mrc_req_build(const struct mrc_ep *ep, const struct mrc_qp *qp, const struct mrc_sqe *s,
                   uint64_t seq, uint16_t ev, bool rtx, bool ackreq, uint64_t now_ns,
                   struct mrc_frame *out);

/* ---- rtx.c ---- */
static inline struct mrc_tx_slot *mrc_slot(const struct mrc_req *r, uint64_t seq)
{
    return &r->slots[seq & r->slot_mask];
}
/* The EV that a packet takes, and took last; -1: another one stands in its place now. */
static inline void mrc_slot_take_ev(const struct mrc_qp *qp, struct mrc_tx_slot *t, uint16_t ev)
{
    t->ev = ev;
    t->ev_age = qp->evs.list[ev].age;
}
static inline int mrc_slot_ev(const struct mrc_qp *qp, const struct mrc_tx_slot *t)
{
    return qp->evs.list[t->ev].age == t->ev_age ? t->ev : -1;
}
void mrc_out_add(struct mrc_req *r, uint16_t i);
void mrc_out_remove(struct mrc_req *r, uint16_t i);
void mrc_lost_add(struct mrc_req *r, uint64_t seq);
void mrc_lost_remove(struct mrc_req *r, uint64_t seq);
bool mrc_rtx_sendable(const struct mrc_qp *qp); /* a lost packet lies inside the window */
int mrc_rtx_output(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                   struct mrc_frame *out);
/* The packet is lost: out of flight, into the queue of retransmissions. Returns its nominal size.
 */
uint32_t mrc_rtx_mark_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, uint64_t now_ns,
                           enum mrc_trace_cause cause);
/* A hole, or a timeout: the same, and congestion control hears of it. */
void mrc_rtx_loss(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, uint64_t now_ns,
                  enum mrc_trace_cause cause);
/* Notes why a packet is lost, for the trace of now and of its next sending. */
void mrc_trace_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, enum mrc_trace_cause cause);
/* Starts or restarts a packet's timer at its sending. */
void mrc_rtx_arm(struct mrc_qp *qp, struct mrc_tx_slot *slot, uint64_t now_ns);

/* ---- retry.c ---- */
uint64_t mrc_retry_wait(const struct mrc_qp *qp, uint32_t level); /* after `level` retries */
/* A packet has to be sent again. One round of such packets counts as one retry of the connection.
 * slot NULL: a round of its own. false: the retries were used up, the QP failed. */
bool mrc_retry_count(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns,
                     const struct mrc_tx_slot *slot);
void mrc_retry_progress(struct mrc_qp *qp);
uint64_t mrc_retry_deadline(const struct mrc_ep *ep, const struct mrc_qp *qp);
void mrc_retry_tick(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns);
/* Timer and ready ring after anything that may have changed them. */
void mrc_qp_settle(struct mrc_ep *ep, struct mrc_qp *qp);

/* ---- sack_in.c, ack_in.c ---- */
void mrc_req_sack(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p);
void mrc_req_nack(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p);
void mrc_req_ack(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p);
/* All below una has arrived. Returns the bytes that this took out of flight. */
uint64_t mrc_req_advance(const struct mrc_ep *ep, struct mrc_qp *qp, uint64_t una);
/* One packet is known arrived. Returns its nominal size if it was in flight, else 0. */
uint32_t mrc_req_arrived(const struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq);

/* ---- responder.c ---- */
void mrc_rsp_request(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns,
                     const struct mrc_pkt *p);
void mrc_rsp_probe(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p);

/* ---- shortage.c ---- */
/* A new request is turned away because something was forced to be missing; true: it was. */
bool mrc_shortage(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p);

/* ---- place.c ---- */
bool mrc_place_lengths_ok(const struct mrc_ep *ep, const struct mrc_pkt *p);
void mrc_place(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq,
               const struct mrc_pkt *p);
/* Refuses the request of seq: NAK and ERROR follow when all before it has arrived. */
void mrc_refuse(struct mrc_qp *qp, uint64_t seq, uint8_t syndrome, enum mrc_wc_status status);

/* ---- mr.c ---- */
/* The memory of va..va+len in the region of rkey, writable by a peer; NULL: no. */
uint8_t *mrc_mr_resolve(const struct mrc_ep *ep, uint32_t rkey, uint64_t va, uint32_t len_bytes);

/* ---- sack.c ---- */
/* Counts a new request and queues a SACK when section 7.5.2 asks for one. */
void mrc_sack_new(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p);
void mrc_sack_dup(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p);
void mrc_sack_probe(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p);
void mrc_sack_fill(const struct mrc_qp *qp, const struct mrc_ctrl *c, struct mrc_pkt *p);
bool mrc_pkt_ce(const struct mrc_pkt *p);
uint16_t mrc_pkt_timestamp(const struct mrc_pkt *p);

/* ---- nack.c ---- */
void mrc_nack_send(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p,
                   enum mrc_nack_reason reason);
void mrc_nack_fill(const struct mrc_qp *qp, const struct mrc_ctrl *c, struct mrc_pkt *p);

/* ---- ack.c ---- */
void mrc_ack_due(struct mrc_ep *ep, struct mrc_qp *qp); /* coalesced */
void mrc_ack_dup(struct mrc_ep *ep, struct mrc_qp *qp); /* one of its own, for a duplicate */
void mrc_nak_send(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq, uint8_t syndrome);
void mrc_ack_fill(struct mrc_qp *qp, const struct mrc_ctrl *c, struct mrc_pkt *p);

/* ---- wimm.c ---- */
int mrc_wimm_init(struct mrc_ep *ep, struct mrc_rsp *r, uint32_t max);
bool mrc_wimm_stash(struct mrc_rsp *r, uint64_t seq, uint32_t imm, uint32_t len_bytes);
/* Completes a receive with the immediate of seq; false: nothing posted. */
bool mrc_wimm_deliver(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq);

/* ---- node.c ---- */
void mrc_node_request(struct mrc_ep *ep, uint64_t now_ns, unsigned port, const struct mrc_pkt *p);
void mrc_node_response(struct mrc_ep *ep, uint64_t now_ns, unsigned port, const struct mrc_pkt *p);
int mrc_node_output(struct mrc_ep *ep, uint64_t free_ports, struct mrc_frame *out);

/* ---- time and sequence ---- */
/* The sequence near `ref` whose low 24 bits are psn. */
static inline uint64_t mrc_seq_near(uint64_t ref, uint32_t psn)
{
    return ref + (uint64_t)(int64_t)mrc_psn_diff(psn & MRC_PSN_MASK, (uint32_t)ref & MRC_PSN_MASK);
}

static inline uint32_t mrc_seq_psn(uint64_t seq)
{
    return (uint32_t)seq & MRC_PSN_MASK;
}

static inline bool mrc_bit(const uint64_t *bits, uint64_t i)
{
    return (bits[i >> 6] >> (i & 63) & 1u) != 0;
}

static inline void mrc_bit_set(uint64_t *bits, uint64_t i)
{
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

static inline void mrc_bit_clear(uint64_t *bits, uint64_t i)
{
    bits[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

#endif
