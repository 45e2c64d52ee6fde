/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fabric's files share. Nobody outside harness/fabric includes this. */
#ifndef MRCT_FABRIC_INTERNAL_H
#define MRCT_FABRIC_INTERNAL_H

#include "harness/fabric/acts.h"
#include "harness/fabric/fabric.h"
#include "harness/fabric/queue.h"
#include "harness/fabric/rng.h"

/* A packet under way. */
struct mrct_fab_pkt {
    struct mrct_fab_pkt *next; /* of the free list, or of a host's list of those held back */
    uint64_t serial;           /* of this packet, copies have their own; names it in FLUSH events */
    struct mrc_frame frame;
    uint8_t *owned;       /* pool buffer that frame.payload points into; NULL: the sender's bytes */
    unsigned dir;         /* host it came from */
    unsigned plane, path; /* way it goes */
    uint32_t dest_qp;     /* BTH.DestQP as sent; UINT32_MAX when it has no BTH */
    uint64_t link_epoch;  /* of its way when it set out: a change since means it was lost */
    uint64_t hold_flush_ns; /* held back on arrival no longer than this */
    uint32_t hold_past;     /* packets that must pass first; 0: not to be held */
};

/* Slabs of packets and of payload buffers; both are taken and given back, never freed singly. */
struct mrct_fab_slab {
    struct mrct_fab_slab *next;
};
struct mrct_fab_pool {
    struct mrct_fab_slab *slabs;
    struct mrct_fab_pkt *pkts; /* free ones */
    void *bufs; /* free buffers of MRC_FRAME_MAX bytes, linked through their first bytes */
    uint64_t pkts_out, bufs_out;
};
struct mrct_fab_pkt *mrct_fabpool_pkt(struct mrct_fab_pool *p);            /* NULL: no memory */
uint8_t *mrct_fabpool_buf(struct mrct_fab_pool *p);                        /* NULL: no memory */
void mrct_fabpool_give(struct mrct_fab_pool *p, struct mrct_fab_pkt *pkt); /* with its buffer */
void mrct_fabpool_fini(struct mrct_fab_pool *p);

struct mrct_fab_flow {
    unsigned from;
    int64_t src_qp; /* -1: not known */
    uint32_t dest_qp, start_psn;
};

struct mrct_fab_rule {
    struct mrct_fault_rule r;
    const struct mrc_field *field; /* CORRUPT of a field */
    int64_t seen;                  /* packets that matched all but the n-th */
};

struct mrct_fab_link_change {
    int host, path;
    unsigned plane;
    bool up;
};

struct mrct_fab_links {
    bool *path_down;      /* [host][plane][path] */
    uint64_t *path_epoch; /* times it went down */
    bool nic_down[MRCT_FAB_HOSTS][MRC_EP_PORTS_MAX];
    uint64_t nic_epoch[MRCT_FAB_HOSTS][MRC_EP_PORTS_MAX];
    struct mrct_fab_link_change *changes; /* the timeline; events name them by index */
    size_t change_count, change_cap;
};

struct mrct_fab_host {
    struct mrct_dut *dut;
    uint64_t port_free_mask;
    struct mrct_fab_pkt *held; /* arrived, waiting for others to pass; in order of arrival */
};

struct mrct_fab {
    struct mrct_fab_config cfg;
    uint64_t now_ns;
    struct mrct_fabq queue;
    uint64_t live_events; /* of the queue, those that keep a run going: all but LINK */
    struct mrct_rng rng;
    struct mrct_fab_pool pool;
    struct mrct_fab_host host[MRCT_FAB_HOSTS];
    struct mrct_fab_links links;
    struct mrct_fab_rule *rules;
    size_t rule_count;
    struct mrct_fab_flow *flows;
    size_t flow_count, flow_cap;
    mrct_fab_tap tap;
    void *tap_user;
    mrct_fab_chance chance;
    void *chance_user;
    int chance_seen[2]; /* packets of each direction that chance has looked at */
    struct mrct_fab_account account;
    uint64_t next_serial;
    uint64_t idle_ticks;  /* ticks since a frame last moved */
    uint64_t stuck_ticks; /* ticks since time last moved */
    const char *error;
    struct mrc_frame out; /* the frame a dut fills */
    struct mrc_pkt seen;  /* the same, decoded */
    uint8_t bytes[MRC_FRAME_MAX];
};

/* Puts an event into the queue; sets fab->error when memory fails. */
void mrct_fab_schedule(struct mrct_fab *fab, enum mrct_fabq_kind kind, uint64_t at_ns, uint64_t arg,
                       struct mrct_fab_pkt *pkt);

/* links.c */
int mrct_fab_links_init(struct mrct_fab *fab);
void mrct_fab_links_fini(struct mrct_fab *fab);
void mrct_fab_links_change(struct mrct_fab *fab, size_t index);
bool mrct_fab_links_up(const struct mrct_fab *fab, unsigned plane, unsigned path);
uint64_t mrct_fab_links_epoch(const struct mrct_fab *fab, unsigned plane, unsigned path);

/* rules.c: does rule i hit this packet now? Counts its n-th. */
bool mrct_fab_rule_hits(struct mrct_fab *fab, size_t i, const struct mrct_fab_pkt *pkt);

/* corrupt.c: flips bits of a packet; false when it has no such field or bit. */
struct mrct_corruption {
    const struct mrc_field *field; /* NULL: bit */
    uint64_t mask;
    uint32_t bit; /* from the first byte of BTH */
    bool mend;
};
bool mrct_fab_corrupt(struct mrct_fab *fab, struct mrct_fab_pkt *pkt,
                      const struct mrct_corruption *c);
/* A random bit of what the ICRC covers; which one. */
bool mrct_fab_corrupt_random(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, uint32_t *bit);

/* faults.c: what becomes of a packet between leaving one host and arriving at the other. */
struct mrct_fate {
    bool dropped;
    uint32_t copies;        /* further ones */
    uint64_t copy_apart_ns; /* between one and the next */
    uint64_t delay_ns;
};
void mrct_fab_fate(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, struct mrct_fate *fate);

/* way.c */
void mrct_fab_send(struct mrct_fab *fab, unsigned host, unsigned port);
void mrct_fab_arrive(struct mrct_fab *fab, struct mrct_fab_pkt *pkt);
void mrct_fab_flush(struct mrct_fab *fab, uint64_t serial);

#endif
