/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The node inside the endpoint: the nodes that its QPs talk to, what they told of their ports, what
 * they are still to be told of the own ports, and EV Probes under way.
 */
#ifndef MRC_ENDPOINT_NODE_H
#define MRC_ENDPOINT_NODE_H

#include "ref/endpoint/mrc_ep.h"

/* Repeats of a Port Status Update: each waits twice as long as the one before. */
#define MRC_UPDATE_TRIES_MAX 16u

struct mrc_qp;

/* A peer node; QPs to the same addresses share it. */
struct mrc_peer {
    struct mrc_addr addr[MRC_EP_PORTS_MAX];
    struct mrc_peer *chain[MRC_EP_PORTS_MAX]; /* of the hash table, by plane */
    struct mrc_peer *all_next, *all_prev;
    struct mrc_qp *qps;  /* those connected to it */
    uint32_t down;       /* its ports that it told to be down, bit = port */
    bool heard;          /* it told of its ports at all */
    uint16_t id, old_id; /* of its latest update, and of the one before */

    /* the update it is to be told: in the list of its number of tries, by time */
    struct mrc_peer *due_next, *due_prev;
    uint64_t due_ns;
    uint16_t update_id;
    uint8_t tries;
    uint8_t plane; /* to try first */
    bool open;     /* not answered yet */
};

struct mrc_peer_list {
    struct mrc_peer *head, *tail;
};

/* An EV Probe from its call to the poll of its event. */
enum mrc_probe_state { MRC_PROBE_FREE, MRC_PROBE_WAITS, MRC_PROBE_SENT, MRC_PROBE_DONE };

/* ---- peer.c ---- */
int mrc_peer_join(struct mrc_ep *ep, struct mrc_qp *qp);
void mrc_peer_leave(struct mrc_ep *ep, struct mrc_qp *qp);
/* The first peer, from `from` on in the chain (NULL: its start), that has this address there. */
struct mrc_peer *mrc_peer_at(const struct mrc_ep *ep, unsigned plane, const uint8_t *ip, bool is_v6,
                             const struct mrc_peer *from);

/* ---- port.c ---- */
void mrc_port_status(struct mrc_ep *ep, uint64_t now_ns, unsigned plane, const struct mrc_pkt *p);
void mrc_port_answered(struct mrc_ep *ep, unsigned plane, const struct mrc_pkt *p);
void mrc_port_greet(struct mrc_ep *ep, struct mrc_peer *peer); /* a new one, some port being down */
void mrc_port_forget(struct mrc_ep *ep, struct mrc_peer *peer);
int mrc_port_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t free_ports, struct mrc_frame *out);
uint64_t mrc_port_deadline(const struct mrc_ep *ep);

/* ---- ev_probe.c ---- */
int mrc_ev_probe_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t free_ports,
                        struct mrc_frame *out);
void mrc_ev_probe_answered(struct mrc_ep *ep, uint64_t now_ns, unsigned plane,
                           const struct mrc_pkt *p);
/* An EV Probe of the endpoint's own, for a QP's reverse set; none when the table is full. */
void mrc_ev_probe_reverse(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns);
void mrc_ev_probe_tick(struct mrc_ep *ep, uint64_t now_ns);

#endif
