/* SPDX-License-Identifier: BSD-2-Clause */
/* A node's inside. */
#ifndef MRC_NET_NODE_INT_H
#define MRC_NET_NODE_INT_H

#include "ref/net/merge.h"
#include "ref/net/neigh.h"
#include "ref/net/node.h"

#include <ev.h>

#define MRC_NET_ASKS_MAX 64u

/* A neighbour asked for and not heard of yet. */
struct mrc_net_ask {
    struct mrc_addr addr;
    unsigned port;
    unsigned tries; /* questions sent; 0: the entry is free */
};

struct mrc_net_node;

struct mrc_net_plane {
    struct mrc_net_node *node;
    unsigned index;
    struct mrc_net_port *port;
    struct mrc_addr addr;
    bool kernels;                 /* the kernel owns the address */
    int sinks[MRC_UDP_PORTS_MAX]; /* UDP sockets that keep the kernel quiet, -1: none */
    struct mrc_neigh_table neigh;
    bool up;
    bool blocked; /* the kernel's buffer is full: wait until writable */
    ev_io io;
};

struct mrc_net_node {
    struct mrc_net_node_config cfg;
    struct ev_loop *loop;
    struct mrc_ep *ep;
    unsigned ports;
    struct mrc_net_plane plane[MRC_EP_PORTS_MAX];
    struct mrc_net_ask ask[MRC_NET_ASKS_MAX];
    struct mrc_net_stamps stamps;
    struct mrc_net_merge merge;
    struct mrc_net_node_counters count;
    uint64_t last_work_ns;
    int link_fd, timer_fd;
    ev_io link_io, timer_io;
    ev_timer ask_timer, sync_timer;
    ev_idle idle; /* active while the loop spins */
};

/* node_addr.c: addresses, and who answers for them. Returns 0, or -1 with a sentence. */
int mrc_net_plane_own(struct mrc_net_node *n, unsigned i, char *err, size_t err_cap);
int mrc_net_plane_quiet(struct mrc_net_node *n, struct mrc_net_plane *pl, char *err, size_t cap);
void mrc_net_plane_unquiet(struct mrc_net_plane *pl);

/* node_neigh.c: a frame that is no MRC packet may be a neighbour's. True when it was. */
bool mrc_net_node_neighbour(struct mrc_net_node *n, struct mrc_net_plane *pl, const uint8_t *bytes,
                            size_t len);
void mrc_net_node_ask_due(struct ev_loop *loop, ev_timer *w, int revents);

/* node_round.c: one turn; returns how much was done. */
unsigned mrc_net_node_round(struct mrc_net_node *n, uint64_t now_ns);

#endif
