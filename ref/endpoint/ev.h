/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QP's EVs inside the endpoint: the rotation, the state of each EV, and what is due for it.
 * Selection and every transition cost the same for 4 EVs and for 400; nothing is allocated after
 * the QP is made. Beside the list, an EV takes 18 bytes.
 */
#ifndef MRC_ENDPOINT_EV_H
#define MRC_ENDPOINT_EV_H

#include "ref/endpoint/mrc_ep.h"
#include "ref/endpoint/rng.h"

#define MRC_EV_NIL       0xFFFFu
#define MRC_EV_COUNT_MAX 0x8000u
/* Back-off steps of the probes to an EV in ASSUMED_BAD: each doubles the interval. */
#define MRC_EV_LEVELS 12u

struct mrc_qp;

/* One EV of a list. */
struct mrc_ev_entry {
    uint32_t value; /* as given */
    uint32_t wire;  /* as a peer can reflect it: on IPv4 half of it (Q19) */
    uint8_t port;   /* own port it leaves by */
    uint8_t age;    /* how often another EV took this place, modulo 256 */
};

/* What changes about an EV. */
struct mrc_ev_rec {
    uint32_t due;        /* SKIP: time-out; ASSUMED_BAD: next probe; units of 1.024 us */
    uint16_t pos;        /* its place in the order */
    uint16_t prev, next; /* neighbours in the one list that its state puts it into */
    uint16_t drops;      /* packets lost on it, saturating */
    uint8_t state;       /* enum mrc_ev_state */
    uint8_t level;       /* ASSUMED_BAD: probes sent, up to MRC_EV_LEVELS - 1 */
    uint8_t score;       /* rises with a loss, falls with each delivery */
    uint8_t spare;
};

struct mrc_ev_fifo {
    uint16_t head, tail; /* index of an EV, or MRC_EV_NIL */
};

/*
 * order[] is a permutation of all EVs: the active part in front, GOOD and SKIP, walked from front
 * to back and drawn anew in some of the rounds; behind it backups, and those in ASSUMED_BAD and
 * DENIED.
 */
struct mrc_evs {
    /* what the next packet needs */
    struct mrc_ev_entry *list;
    struct mrc_ev_rec *rec;
    uint16_t *order;
    uint64_t *places;      /* bitmaps of the places that hold an active GOOD EV: ev_places.c */
    uint32_t ports;        /* ports some EV leaves by, bit = port */
    uint32_t good_ports;   /* ports some active GOOD EV leaves by */
    uint32_t active_ports; /* ports some active EV leaves by */
    uint16_t count;        /* >= 1 */
    uint16_t active;       /* length of the active part */
    uint16_t pos;          /* next place in the order, < active unless that is 0 */
    uint16_t skipped;      /* EVs in SKIP */
    uint16_t bad;          /* EVs in ASSUMED_BAD */
    uint16_t promoted;     /* backup that came into use by the change at hand; MRC_EV_NIL: none */
    uint8_t rounds;        /* whole rounds until the order is drawn anew; 0: this round draws */
    bool draws;            /* shared by QPs: every round draws, or they would walk in step */

    /* what news of an EV need */
    uint16_t *by_wire;  /* hash table from wire value to index; MRC_EV_NIL: free */
    uint32_t wire_mask; /* its size - 1 */
    uint8_t distinct;   /* different wire values, counted up to 3 */
    uint8_t index_bits; /* bits that hold an index: low ones of a probe_id */
    bool srh;           /* the segment counts */
    bool borrowed;      /* list and by_wire are a profile's */
    uint16_t probe_no;  /* probes sent */
    uint16_t min_active;
    const uint8_t (*outer)[32]; /* SRv6: outer destination and segment of each; NULL: none */
    uint16_t good_on[MRC_EP_PORTS_MAX];
    uint16_t active_on[MRC_EP_PORTS_MAX];
    uint16_t wanted_on[MRC_EP_PORTS_MAX];        /* active ones that a plane should have */
    struct mrc_ev_fifo backup[MRC_EP_PORTS_MAX]; /* GOOD, not active */
    struct mrc_ev_fifo probe[MRC_EV_LEVELS];     /* ASSUMED_BAD, by level, the next due first */
    struct mrc_ev_fifo skip[MRC_EP_PORTS_MAX];   /* SKIP, the next due first */
    uint64_t profile;                            /* its profile's id; 0: a list of the QP's own */
    uint32_t events;                             /* MRC_EV_EVENT_x */
};

/* ---- ev_list.c: the list, made, shared, searched ---- */
int mrc_evs_init(struct mrc_ep *ep, struct mrc_evs *evs, const struct mrc_ev *list, unsigned count,
                 unsigned active, unsigned min_active);
/* The EVs of a profile's table with states of the QP's own; or, `with_states`, nothing of its own.
 */
int mrc_evs_share(struct mrc_ep *ep, struct mrc_evs *evs, struct mrc_evs *table, unsigned active,
                  unsigned min_active, bool with_states);
void mrc_evs_fini(struct mrc_ep *ep, struct mrc_evs *evs);
/* The EV that a peer reflected; last (or -1): the one that the packet took. -1: none, or not sure.
 */
int mrc_ev_of_wire(const struct mrc_evs *evs, int last, uint32_t wire);
/* The EV of this value and port, on IPv6; -1: none. */
int mrc_ev_index(const struct mrc_evs *evs, uint32_t value, unsigned port);

/* ---- ev_places.c: places of the order by the port of the EV that stands there ---- */
bool mrc_places_init(struct mrc_ep *ep, struct mrc_evs *evs); /* false: no memory */
bool mrc_places_has(const struct mrc_evs *evs, unsigned port, uint16_t place);
void mrc_places_add(struct mrc_evs *evs, unsigned port, uint16_t place);
void mrc_places_remove(struct mrc_evs *evs, unsigned port, uint16_t place);
/* First place from `from` on for one of the ports, all of which have a row; MRC_EV_NIL: none. */
uint16_t mrc_places_next(const struct mrc_evs *evs, uint32_t ports, uint16_t from);

/* ---- ev.c: the rotation ---- */
struct mrc_evs *mrc_qp_evs(struct mrc_qp *qp);
/* The next EV of the rotation whose port is free; EVs on other ports are passed over. -1: none. */
int mrc_ev_next(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports);
/* The same for a retransmission: not `last` if another exists, and never `named` if another exists.
 * strict false: any EV on a free port rather than none. */
int mrc_ev_next_rtx(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                    uint16_t last, const uint32_t *named, bool strict);

/* Another EV by the same port at place i of a list. */
void mrc_evs_rename(struct mrc_ep *ep, struct mrc_evs *evs, uint16_t i, uint32_t value);

/* ---- ev_profile.c ---- */
struct mrc_ev_set;
int mrc_ev_profile_use(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t id);
void mrc_ev_profile_leave(struct mrc_qp *qp);
void mrc_ev_profile_regroup(struct mrc_ep *ep,
                            struct mrc_ev_set *set); /* see mrc_sched_regroup() */
void mrc_ev_profile_destroy_all(struct mrc_ep *ep);  /* no QP is left */

/* ---- srv6.c: the outer header of a packet, where there is one ---- */
void mrc_ev_encap(const struct mrc_qp *qp, unsigned port, uint32_t value, struct mrc_pkt *p);
/* The same for a packet of the node itself, by its destination. */
void mrc_node_encap(struct mrc_ep *ep, unsigned port, struct mrc_pkt *p);

/* ---- ev_state.c: the edges of Figure 5 ---- */
enum mrc_ev_state mrc_ev_state_of(const struct mrc_evs *evs, uint16_t i);
void mrc_ev_skip(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                 enum mrc_ev_cause why);
void mrc_ev_assume_bad(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                       enum mrc_ev_cause why);
/* From ASSUMED_BAD, or from DENIED when the controller says so. */
void mrc_ev_restore(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                    enum mrc_ev_cause why);
void mrc_ev_deny(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns);
/* The same of a table, without a word to anybody. false: the state was so already. */
bool mrc_evs_deny(struct mrc_evs *evs, uint16_t i);
bool mrc_evs_allow(struct mrc_evs *evs, uint16_t i); /* to GOOD, from ASSUMED_BAD and DENIED */
/* Another EV took the place: GOOD from any state, its losses forgotten. */
bool mrc_evs_renew(struct mrc_evs *evs, uint16_t i);
void mrc_ev_unskip(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                   enum mrc_ev_cause why);
void mrc_ev_expire_skips(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns);
/* Takes the EV whose probe is due, and puts it back one level up. -1: none is due. */
int mrc_ev_probe_due(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns);
/* Ports came back: their EVs in ASSUMED_BAD are due now. */
void mrc_ev_probe_soon(struct mrc_qp *qp, uint64_t now_ns, uint32_t ports);
uint64_t mrc_ev_deadline(const struct mrc_ep *ep, const struct mrc_qp *qp);
void mrc_evs_swap(struct mrc_evs *evs, uint16_t a, uint16_t b); /* two places of the order */
/* Puts an EV into the lists that its state asks for, when the table is made. */
void mrc_evs_file(struct mrc_evs *evs, uint16_t i);

/* ---- ev_news.c: what the peer's answers and silence say of EVs ---- */
void mrc_ev_marked(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int last,
                   const struct mrc_pkt *sack);
void mrc_ev_nacked(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int last,
                   const struct mrc_pkt *nack);
/* i -1: on an EV that is no more */
void mrc_ev_timed_out(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int i);
void mrc_ev_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, int i);
void mrc_ev_delivered(const struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i);
/* Every transition passes here: counters, and the controller's event. */
void mrc_ev_changed(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, enum mrc_ev_state from,
                    uint64_t now_ns, enum mrc_ev_cause why);

#endif
