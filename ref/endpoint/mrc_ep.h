/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference endpoint: MRC 1.0 as a pure state machine. Time (ns, never going back) and frames
 * go in, frames and events come out. It reads no clock, opens no socket, draws random numbers from
 * its seed alone, and allocates nothing per packet. All memory but the registered regions is its
 * own.
 *
 * A node has ports (counted from 0 here; port = plane), QPs, and registered regions. A QP is
 * requestor and responder at once. QP 0x2 is the node itself.
 */
#ifndef MRC_ENDPOINT_MRC_EP_H
#define MRC_ENDPOINT_MRC_EP_H

#include "ref/wire/pkt.h"

#define MRC_EP_PORTS_MAX 16u
#define MRC_TIME_NEVER   UINT64_MAX

struct mrc_cc_profile;
struct mrc_ep;

/* One error list for all calls; mrc_ep_strerror() has the words. */
enum mrc_ep_error {
    MRC_EP_OK = 0,
    MRC_EP_EINVAL = -1, /* an argument out of range, or posting in a wrong state */
    MRC_EP_ENOMEM = -2, /* the allocator refused */
    MRC_EP_ENOENT = -3, /* no such QP or region */
    MRC_EP_EFULL = -4,  /* queue full: post again after a completion */
    MRC_EP_ESTATE = -5, /* the QP's state does not allow the call */
    MRC_EP_E2BIG = -6,  /* more than a format holds */
    MRC_EP_EBUSY = -7,  /* in use */
};
const char *mrc_ep_strerror(int err);

/* Injected allocator; NULL members mean malloc and free. */
struct mrc_alloc {
    void *(*alloc)(void *user, size_t size_bytes);
    void (*free)(void *user, void *p);
    void *user;
};

/* An address as the endpoint puts it into frames. */
struct mrc_addr {
    bool is_v6;
    uint8_t ip[16]; /* IPv4 in the first 4 bytes */
    uint8_t mac[6];
};

struct mrc_ev {
    uint32_t value; /* the EV as sent */
    uint8_t port;   /* own port it leaves by, from 0 */
};

/* States of an EV, Figure 5. Only a GOOD one carries data. */
enum mrc_ev_state { MRC_EV_GOOD, MRC_EV_SKIP, MRC_EV_ASSUMED_BAD, MRC_EV_DENIED, MRC_EV_STATES };
const char *mrc_ev_state_str(enum mrc_ev_state s);

/* Why an EV changed its state. */
enum mrc_ev_cause {
    MRC_EV_BY_SKIP_ONCE,    /* SACK with M = SKIP_ONCE */
    MRC_EV_BY_ALWAYS_SKIP,  /* SACK with M = ALWAYS_SKIP */
    MRC_EV_BY_TRIM,         /* NACK TRIMMED */
    MRC_EV_BY_TIMEOUT,      /* a packet timed out on it */
    MRC_EV_BY_LOSS,         /* too many packets were lost on it */
    MRC_EV_BY_ROTATION,     /* the rotation passed over it once */
    MRC_EV_BY_SKIP_TIMEOUT, /* it was in SKIP long enough */
    MRC_EV_BY_PROBE,        /* a probe was answered */
    MRC_EV_BY_CONTROLLER,
    MRC_EV_CAUSES
};
const char *mrc_ev_cause_str(enum mrc_ev_cause c);

/* Settings of the EVs' states and probes, one set an endpoint. */
struct mrc_ev_config {
    char q11_probe_skip;       /* reading of Q11: 'a' to SKIP, 'b' to GOOD */
    char q25_scope;            /* reading of Q25: 'a' a state per QP, 'b' per profile */
    uint64_t skip_timeout_ns;  /* an EV leaves SKIP after this at the latest; default 1 ms */
    uint64_t probe_ns;         /* from ASSUMED_BAD to the first probe, doubled after each one
                                  without an answer that helps; 0, the default: the QP's timeout */
    uint64_t probe_max_ns;     /* longest interval between two; default 100 ms */
    uint8_t loss_limit;        /* holes on an EV, less an eighth for each delivery, that make it
                                  ASSUMED_BAD; 0, the default: holes never do; <= 31 */
    uint64_t reverse_probe_ns; /* a QP that receives and has sent nothing that was SACKed for this
                                  long sends an EV Probe on a random EV, to find one for its
                                  answers; about an RTT. 0, the default: never. Such probes take
                                  ids from 0x8000 on and a place of probes_max */
    unsigned events_max;       /* EV events waiting at most; default 256 */
};

/* Settings of the node's own operations: Port Status Updates and EV Probes. */
struct mrc_node_config {
    char q10_port_bit;    /* reading of Q10: port 1 is bit 0 ('a') or 1 ('b') of the mask */
    char q17_repeat;      /* reading of Q17: 'a' repeated until answered, 'b' sent once */
    uint64_t update_ns;   /* wait before the first repeat, doubled each time; default 100 us */
    uint8_t update_tries; /* sendings at most under Q17 a; 1..16, default 8 */
    unsigned probes_max;  /* EV Probes under way at most; default 64, <= 4096 */
};

struct mrc_ep_config {
    struct mrc_wire_config wire;
    unsigned ports;                              /* 1..MRC_EP_PORTS_MAX */
    struct mrc_addr port_addr[MRC_EP_PORTS_MAX]; /* own address on each port */
    unsigned qps_max;                            /* QPs this node can hold, >= 1 */
    unsigned mrs_max;                            /* regions this node can hold, >= 1 */
    uint16_t path_mtu;                           /* 256, 512, 1024, 2048 or 4096 bytes */
    uint16_t dest_port;                          /* UDP destination port sent (Q1) */
    bool vlan;                                   /* tag frames with vlan_tci */
    uint16_t vlan_tci;
    bool send_tseth;       /* requests carry TSETH */
    uint16_t tseth_every;  /* with send_tseth: one request in so many by its PSN carries it; 0 and
                              1: every one */
    uint64_t svc_delay_ns; /* service time of this responder: its answers wait that long */
    char q20_svc_time;     /* reading of Q20, with the attribute svc_time: 'a' the reflected
                              timestamp is advanced by the service time, 'b' (default) not told */
    bool ecn_capable;      /* requests are sent ECT(0) */
    bool trimmable;        /* requests go TRIMMABLE, else NO_TRIM */
    uint32_t sack_gen_threshold_bytes; /* section 7.5.2; default 16384 */
    uint32_t sack_min_pkt_bytes;       /* least a packet adds; default 1024 */
    uint32_t reorder_margin_psn;       /* a hole is lost when the SACK shows that a packet sent
                                          this many sendings later arrived; default 16 */
    char q2_oor;                       /* reading of Q2: 'a' drop, 'b' NACK above the window */
    char q26_trim_dup;                 /* reading of Q26: 'a' NACK, 'b' SACK, 'c' nothing */
    uint8_t wimm_nak_syndrome;         /* Q9; default 0x61 */
    uint16_t pkey;                     /* partition key sent and demanded; default 0xFFFF */
    unsigned ctrl_queue_len;           /* SACK, NACK and ACK waiting at most; 0: by qps_max */
    unsigned placed_events_max;        /* placement events waiting at most; default 1024 */
    struct mrc_ev_config ev;
    struct mrc_node_config node;
    struct mrc_alloc alloc;
};

/* Sets every member to its documented default; ports, addresses are left zero for the caller. */
void mrc_ep_config_default(struct mrc_ep_config *cfg);

/* NULL and *err (may be NULL) set on a bad configuration or when memory fails; nothing leaks. */
struct mrc_ep *mrc_ep_new(const struct mrc_ep_config *cfg, uint64_t seed, int *err);
void mrc_ep_free(struct mrc_ep *ep);

/* ---- frames and time ---- */

/* A frame arrived at a port. f and its payload are the caller's again on return. */
void mrc_ep_input(struct mrc_ep *ep, uint64_t now_ns, unsigned port, const struct mrc_frame *f);

/*
 * A frame to QP qpn will come in: asks the cache for what mrc_ep_input() will touch then. For who
 * serves thousands of endpoints and knows the next frames: steps 0 to 4, each some time after the
 * one before it, whose memory it follows. Changes nothing; any qpn will do.
 */
void mrc_ep_warm(const struct mrc_ep *ep, uint32_t qpn, unsigned step);

/*
 * The next frame to send, if any: fills *out (payload points into the registered region) and
 * returns the port, one whose bit is set in port_free_mask; or -1 when there is nothing for the
 * free ports.
 */
int mrc_ep_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t port_free_mask,
                  struct mrc_frame *out);

/* When it wants mrc_ep_tick() next, absolute ns; MRC_TIME_NEVER when no timer runs. */
uint64_t mrc_ep_deadline(const struct mrc_ep *ep);
void mrc_ep_tick(struct mrc_ep *ep, uint64_t now_ns);

/* ---- the node ---- */

/*
 * An own port went down or came up; all are up at first. Nothing leaves by a port that is down, and
 * every peer node is told in a Port Status Update, as is one that a QP is connected to later. When
 * a port comes up, EVs of it in ASSUMED_BAD are probed at once.
 */
int mrc_ep_port_set(struct mrc_ep *ep, uint64_t now_ns, unsigned port, bool up);
/* Ports of the QP's peer that it told to be down, bit = port from 0. ENOENT; else *ports is set. */
int mrc_ep_peer_down(const struct mrc_ep *ep, uint32_t qpn, uint32_t *ports);

/* An EV Probe: does `to` answer on this EV, and how soon? The answer is an MRC_EVENT_PROBE. */
struct mrc_ev_probe {
    struct mrc_addr to; /* the other node's address on the plane ev.port */
    struct mrc_ev ev;
    uint16_t id;         /* not one that is under way (EINVAL) */
    uint64_t timeout_ns; /* >= 1: without an answer until then it has failed */
};
/* EFULL: probes_max are under way, or their events were not taken. */
int mrc_ep_probe(struct mrc_ep *ep, uint64_t now_ns, const struct mrc_ev_probe *probe);

/* ---- memory regions ---- */

enum { MRC_MR_REMOTE_WRITE = 1u };
struct mrc_mr {
    uint8_t *mem; /* the application's memory; outlives the registration */
    uint64_t va;  /* address under which peers write to it */
    uint64_t len_bytes;
    uint32_t rkey;   /* set by mrc_ep_register() */
    uint32_t access; /* MRC_MR_x */
};
int mrc_ep_register(struct mrc_ep *ep, struct mrc_mr *mr);
int mrc_ep_deregister(struct mrc_ep *ep, uint32_t rkey);

/* ---- QPs ---- */

enum mrc_qp_state { MRC_QP_RESET, MRC_QP_INIT, MRC_QP_RTR, MRC_QP_RTS, MRC_QP_ERROR };
const char *mrc_qp_state_str(enum mrc_qp_state s);

/* Own side's attributes, Table 10-1 and the retry settings. */
struct mrc_qp_attr {
    uint32_t qpn;           /* wanted QPN, or 0: the endpoint chooses */
    uint32_t start_psn;     /* first PSN this side sends */
    uint16_t max_wimm_dest; /* WriteImm in flight that this responder tracks; >= 32 */
    uint8_t mpr_dest;       /* this responder's PSN window, units of 128 PSNs; >= 8 */
    bool dynamic_mpr;
    bool trim_nack; /* this responder sends TRIMMED NACKs */
    bool svc_time;
    uint8_t timeout;                 /* 1.024 us x 2^timeout, <= 24 */
    uint8_t linear_cnt;              /* <= 7 */
    uint8_t exp_cnt;                 /* <= 25; 25 = for ever */
    uint64_t exp_ceiling_ns;         /* longest backed-off timeout */
    uint32_t cwnd_bytes;             /* fixed congestion window, used while cc is NULL */
    const struct mrc_cc_profile *cc; /* CC profile (cc.h); copied. NULL: "fixed" with cwnd_bytes */
    uint8_t rcv_cwnd_pen;     /* penalty that this responder's SACKs ask for at the start, 0..127 */
    bool restore_cwnd;        /* r_c of its SACKs at the start */
    uint64_t ev_profile;      /* EVs of this profile (mrc_profile.h); 0: evs, and what follows */
    const struct mrc_ev *evs; /* explicit EV list; copied */
    unsigned ev_count;        /* >= 1, <= 32768 */
    unsigned ev_active;       /* EVs of the list in use at a time, as many on each plane, chosen
                                 at random; the others are backups. 0, the default: all */
    unsigned ev_min_active;   /* with this few active no further one is taken for bad without a
                                 backup; 0, the default: a quarter of the active, >= 1 */
    unsigned ev_events;       /* MRC_EV_EVENT_x: which EV events are wanted; default none */
    unsigned sq_depth;        /* posted writes at most, default 256 */
    unsigned rq_depth;        /* posted receives at most, default 256 */
};
void mrc_qp_attr_default(struct mrc_qp_attr *attr);

/*
 * SRv6 mode: how the outer destination of a packet is made of its EV, one template a destination.
 * Locator and uSIDs stand one after the other; the first 6 uSIDs fit the outer address, further
 * ones go into a routing header behind the locator again. The plane (the port, from 0) is written
 * into the bits plane_shift .. of every uSID, the uplink (the low bits of the EV's value) into bits
 * uplink_shift .. of the uSID number tier1. Where more tiers stand above, `more` says which further
 * bits of the value go where.
 */
struct mrc_srv6_field {
    uint8_t usid;        /* its number */
    uint8_t shift, bits; /* in it */
    uint8_t value_shift; /* of the EV's value: from this bit on */
};
struct mrc_srv6_template {
    uint8_t locator[4];
    uint16_t usid[12];  /* as for plane 0 and uplink 0: T0, T1, T0, destination */
    uint8_t usid_count; /* 0: no SRv6 by template */
    uint8_t tier1;      /* index of the T1 switch's */
    uint8_t plane_shift, plane_bits;
    uint8_t uplink_shift, uplink_bits;
    struct mrc_srv6_field more[3];
    uint8_t more_count;
};
/* The outer destination, and the further segment (true when there is one). */
bool mrc_srv6_addresses(const struct mrc_srv6_template *t, unsigned plane, uint32_t uplink,
                        uint8_t first[16], uint8_t second[16]);

/* What the peer told out of band. */
struct mrc_qp_peer {
    uint32_t qpn;
    uint32_t start_psn;                     /* first PSN the peer sends */
    struct mrc_addr addr[MRC_EP_PORTS_MAX]; /* the peer's address on each plane */
    uint16_t max_wimm_dest;
    uint8_t mpr_dest;
    bool dynamic_mpr;
    bool trim_nack;
    bool svc_time;
    struct mrc_srv6_template srv6; /* for packets to it; needs IPv6 on all ports */
};

/* Creates a QP in INIT; returns its QPN (> 2), or a negative mrc_ep_error. */
int64_t mrc_qp_create(struct mrc_ep *ep, const struct mrc_qp_attr *attr);
/* INIT -> RTR -> RTS with the peer's attributes. */
int mrc_qp_connect(struct mrc_ep *ep, uint32_t qpn, const struct mrc_qp_peer *peer);
int mrc_qp_destroy(struct mrc_ep *ep, uint32_t qpn);
enum mrc_qp_state mrc_qp_state(const struct mrc_ep *ep, uint32_t qpn);

struct mrc_write {
    uint64_t wr_id;
    const uint8_t *local; /* source bytes; untouched until the completion */
    uint32_t len_bytes;   /* 1 .. 2^32-1 */
    uint64_t remote_va;
    uint32_t rkey;
    bool has_imm;
    uint32_t imm;
};
int mrc_qp_post_write(struct mrc_ep *ep, uint32_t qpn, uint64_t now_ns, const struct mrc_write *w);
int mrc_qp_post_recv(struct mrc_ep *ep, uint32_t qpn, uint64_t wr_id);

/*
 * The responder's window from now on, 1..255 units of 128 PSNs; each SACK tells the peer. Growing
 * beyond every size so far allocates. MRC_EP_ESTATE unless both sides have dynamic_mpr.
 */
int mrc_qp_set_mpr(struct mrc_ep *ep, uint32_t qpn, uint64_t now_ns, uint8_t mpr);

/*
 * Makes the responder turn requests away: the next `count` new ones of a QP (0 ends it), or by
 * chance `ppm` of a million of every QP. reason: NO_BITMAP, NO_PKT_BUFFER, NO_RESOURCE, or
 * UNEXP_EVENT, which also ends the QP.
 */
int mrc_qp_force_nack(struct mrc_ep *ep, uint32_t qpn, enum mrc_nack_reason reason, uint32_t count);
int mrc_ep_shortage(struct mrc_ep *ep, enum mrc_nack_reason reason, uint32_t ppm);

/* ---- what the application sees ---- */

enum mrc_ep_event_kind {
    MRC_EVENT_SEND_DONE, /* a write completed; status says how */
    MRC_EVENT_RECV_IMM,  /* immediate data arrived with its receive completion */
    MRC_EVENT_QP_ERROR,  /* the QP went to ERROR; status says why */
    MRC_EVENT_PLACED,    /* bytes placed: only when placement events are switched on */
    MRC_EVENT_EV,        /* an EV changed its state: only those that ev_events asks for */
    MRC_EVENT_PROBE,     /* an EV Probe was answered, or was not in time */
};
/* Which changes of an EV's state are told: to GOOD from ASSUMED_BAD or DENIED; to ASSUMED_BAD. */
enum { MRC_EV_EVENT_GOOD = 1u, MRC_EV_EVENT_ASSUMED_BAD = 2u };
/* Posted receives of a QP that goes to ERROR are released without an event. */
enum mrc_wc_status {
    MRC_WC_SUCCESS,
    MRC_WC_RETRY_EXCEEDED,    /* "retry counter exceeded" */
    MRC_WC_REMOTE_ACCESS,     /* NAK 0x62 */
    MRC_WC_REMOTE_INVALID,    /* NAK 0x61 or the Q9 syndrome */
    MRC_WC_REMOTE_OP,         /* NAK 0x63 or NACK UNEXP_EVENT */
    MRC_WC_FLUSHED,           /* the QP was in ERROR */
    MRC_WC_LOCAL_RQ_EMPTY,    /* responder: nothing posted in the RQ */
    MRC_WC_LOCAL_ACCESS,      /* responder: it refused an access */
    MRC_WC_LOCAL_WIMM_LIMIT,  /* responder: more WriteImm in flight than it tracks */
    MRC_WC_LOCAL_UNEXP_EVENT, /* responder: it told of an unexpected event */
};
const char *mrc_wc_status_str(enum mrc_wc_status s);

struct mrc_ep_event {
    enum mrc_ep_event_kind kind;
    enum mrc_wc_status status;
    uint64_t time_ns;
    uint32_t qpn;
    uint64_t wr_id;             /* SEND_DONE: of the write; RECV_IMM: of the receive */
    uint32_t imm;               /* RECV_IMM */
    uint64_t va;                /* PLACED */
    uint32_t len_bytes;         /* PLACED; RECV_IMM: bytes of the message */
    uint32_t psn;               /* PLACED: of the packet */
    uint64_t profile;           /* EV: id of its profile, 0 for a QP's own list */
    struct mrc_ev ev;           /* EV */
    enum mrc_ev_state ev_state; /* EV: the state it has now */
    enum mrc_ev_cause ev_cause; /* EV: why */
    uint32_t drop_count;        /* EV: packets lost on it so far */
    uint16_t probe_id;          /* PROBE; ev is the EV probed; RETRY_EXCEEDED: no answer in time */
    uint64_t rtt_ns;            /* PROBE: from its sending to the answer */
};
/* Takes the oldest event; false when there is none. A write's or a receive's queue entry is free
 * for the next post only after its event was taken. */
bool mrc_ep_poll_event(struct mrc_ep *ep, struct mrc_ep_event *ev);
/* Placement events cost a queue entry a packet; off by default. */
void mrc_ep_placement_events(struct mrc_ep *ep, bool on);

/* ---- looking inside, for tests and reports ---- */

/* Why a frame, or what it said, was ignored; beside the decoder's own reasons. */
enum mrc_drop {
    MRC_DROP_ADDRESS,     /* not addressed to this port */
    MRC_DROP_PKEY,        /* another partition */
    MRC_DROP_NO_QP,       /* no such QP, or an opcode that its QP number cannot have */
    MRC_DROP_QP_STATE,    /* the QP is not connected, or in ERROR */
    MRC_DROP_LENGTH,      /* payload or message length against 5.1 */
    MRC_DROP_WINDOW,      /* PSN outside the window */
    MRC_DROP_TRIMMED,     /* trimmed, and the capability is off */
    MRC_DROP_BAD_SACK,    /* a SACK that speaks of PSNs never sent */
    MRC_DROP_BAD_NACK,    /* a NACK for a PSN not in flight */
    MRC_DROP_BAD_ACK,     /* a transport ACK or NAK for a PSN not in flight */
    MRC_DROP_STALE,       /* an older state than one already known; normal with reordering */
    MRC_DROP_CODE_POINT,  /* a reserved code point (Q23) */
    MRC_DROP_CTRL_FULL,   /* own SACK, NACK or ACK not sent: too many waiting */
    MRC_DROP_PLACED_FULL, /* a placement event not reported: nobody took the earlier ones */
    MRC_DROP_EV_FULL,     /* an EV event not reported: nobody took the earlier ones */
    MRC_DROP_REASONS
};
const char *mrc_drop_str(enum mrc_drop d);

struct mrc_ep_counters {
    uint64_t rx_frames;                /* frames handed to mrc_ep_input() */
    uint64_t rx_wire[MRC_WIRE_ERRORS]; /* by what the decoder said; MRC_WIRE_OK: accepted there */
    uint64_t drop[MRC_DROP_REASONS];
    uint64_t rx_new, rx_dup, rx_trimmed; /* requests: accepted, arrived before, trimmed */
    uint64_t rx_refused;                 /* requests turned away for want of something */
    uint64_t tx_data, tx_rtx;            /* requests sent the first time, and again */
    uint64_t tx_sack, tx_nack, tx_ack, tx_nak, tx_node;
    uint64_t timeouts, holes, nacked; /* packets declared lost, by how */
    uint64_t tx_probe;                /* Reliability Probes sent */
    uint64_t tx_ev_probe;             /* EV Probes sent */
    uint64_t tx_port_status;          /* Port Status Updates sent */
    uint64_t ev_to[MRC_EV_STATES];    /* EVs that changed to a state */
};
const struct mrc_ep_counters *mrc_ep_counters_get(const struct mrc_ep *ep);

/* The same of one QP. */
struct mrc_qp_counters {
    uint64_t tx_data, tx_rtx;
    uint64_t timeouts, holes, nacked;
    uint64_t rx_new, rx_dup, rx_trimmed;
    uint64_t tx_sack, tx_nack, tx_ack, tx_nak;
};

/* The responder's penalty for the peer's window from the next SACK on (section 7.5.1): pen 0..127,
 * 64 in all SACKs of a round trip halves it; restore: the window of before may come back when the
 * penalty ends. */
int mrc_qp_set_penalty(struct mrc_ep *ep, uint32_t qpn, uint8_t pen, bool restore);

/* The scheduler's states of a QP (Figure 4). */
enum mrc_sched_state {
    MRC_SCHED_IDLE,    /* nothing to send, nothing in flight */
    MRC_SCHED_ACTIVE,  /* data queued, window closed */
    MRC_SCHED_READY,   /* data queued, window open */
    MRC_SCHED_PENDING, /* in flight, nothing queued */
};
const char *mrc_sched_state_str(enum mrc_sched_state s);

/* A QP's windows and timers. PSNs have 24 bits. */
struct mrc_qp_info {
    enum mrc_qp_state state;
    enum mrc_sched_state sched;
    uint32_t snd_una, snd_nxt;  /* oldest PSN not known arrived; next new PSN */
    uint32_t ack_una;           /* oldest PSN no transport ACK covers */
    uint32_t lost, outstanding; /* packets waiting for retransmission; in flight */
    uint32_t retries;           /* retry counter of the connection */
    uint32_t mpr_psn;           /* requestor's PSN window now, PSNs */
    uint32_t wimm_inflight;     /* WriteImm begun and not completed */
    uint64_t cwnd_bytes;
    int64_t inflight_bytes;
    uint64_t deadline_ns;   /* next timer, or MRC_TIME_NEVER */
    uint32_t epsn, max_rcv; /* responder: next PSN expected; highest received */
    uint32_t ooo_count;     /* responder: received above cack_psn */
    uint32_t msn;           /* responder: messages completed, 24 bits */
    uint64_t rcvd_bytes;    /* responder: total of nominal sizes, bytes */
};
/*
 * The QP's EVs, for a controller; states belong to the QP or to its profile (Q25). ENOENT: no such
 * QP, or it has no such EV. set: state GOOD or DENIED (EINVAL else): DENIED from any state, GOOD
 * from DENIED and ASSUMED_BAD; of SKIP and GOOD it changes nothing.
 */
int mrc_ev_set_state(struct mrc_ep *ep, uint32_t qpn, uint64_t now_ns, struct mrc_ev ev,
                     enum mrc_ev_state state);
int mrc_ev_query_state(const struct mrc_ep *ep, uint32_t qpn, struct mrc_ev ev,
                       enum mrc_ev_state *state);
struct mrc_ev_info {
    struct mrc_ev ev;
    enum mrc_ev_state state;
    bool active;         /* in the rotation; else a backup, or withdrawn */
    uint32_t drop_count; /* packets lost on it so far, saturates at 65535 */
};
/* Fills up to `room` entries from the `first` of the list on; returns how many, or ENOENT. */
int mrc_ev_query_array(const struct mrc_ep *ep, uint32_t qpn, unsigned first,
                       struct mrc_ev_info *out, unsigned room);

int mrc_qp_info_get(const struct mrc_ep *ep, uint32_t qpn, struct mrc_qp_info *info);

#endif
