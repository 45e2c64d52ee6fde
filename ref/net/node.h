/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference endpoint on real interfaces: a node drives one endpoint and its ports from a libev
 * loop. Port i of the endpoint is interface i; an interface is a plane.
 *
 * Who owns an address. An address that the kernel has on the interface is the kernel's: the node
 * uses the interface's MAC, the kernel answers ARP and neighbour discovery for it, and the node
 * holds a UDP socket on each MRC port that throws all away, lest the kernel answer "port
 * unreachable". Any other address is the node's own: it answers for it from a MAC of its own (the
 * interface's with two bits changed, taken promiscuously), so that the kernel sees frames for
 * another host and leaves them alone; this is also faster, as they never climb the kernel's stack.
 * Without an address the node takes the IPv6 link-local one of that MAC.
 *
 * The loop spins for busy_poll_us after the last frame, then sleeps until a ring, a timer or the
 * application wakes it.
 */
#ifndef MRC_NET_NODE_H
#define MRC_NET_NODE_H

#include "ref/net/port.h"

struct ev_loop;
struct mrc_net_node;

struct mrc_net_node_port {
    const char *ifname;
    struct mrc_addr addr; /* the MAC is chosen by the node */
    bool has_addr;        /* false: the link-local one of its MAC */
};

struct mrc_net_node_config {
    struct mrc_ep_config ep; /* ports and port_addr are set by the node */
    uint64_t seed;
    unsigned ports;
    struct mrc_net_node_port port[MRC_EP_PORTS_MAX];
    uint32_t busy_poll_us;
    uint32_t rx_slots; /* 0: the port's default */
    bool qdisc_bypass; /* see port.h */
    /* An event of the endpoint; it may post. */
    void (*on_event)(void *user, const struct mrc_ep_event *ev);
    /* A neighbour that was looked up is known, or (found = false) did not answer. */
    void (*on_neighbour)(void *user, unsigned port, const struct mrc_addr *addr, bool found);
    void *user;
};

struct mrc_net_node_counters {
    uint64_t rounds, wakeups, spins; /* turns of the loop; sleeps ended; turns that found nothing */
    uint64_t rx_no_frame;            /* frames that the codec takes for no MRC packet */
    uint64_t rx_neighbour;           /* ARP and neighbour messages */
    uint64_t link_down, link_up;     /* changes seen */
};

/* NULL, with a sentence in err. The loop must outlive the node. */
struct mrc_net_node *mrc_net_node_new(struct ev_loop *loop, const struct mrc_net_node_config *cfg,
                                      char *err, size_t err_cap);
void mrc_net_node_free(struct mrc_net_node *n);

struct mrc_ep *mrc_net_node_ep(struct mrc_net_node *n);
const struct mrc_addr *mrc_net_node_addr(const struct mrc_net_node *n, unsigned port);
struct mrc_net_port *mrc_net_node_port(struct mrc_net_node *n, unsigned port);
/* Whether the kernel owns the port's address. */
bool mrc_net_node_addr_is_kernels(const struct mrc_net_node *n, unsigned port);
const struct mrc_net_node_counters *mrc_net_node_counters(const struct mrc_net_node *n);
/* Stamps of frames against the node's clock; see clock.h. */
const struct mrc_net_stamps *mrc_net_node_stamps(const struct mrc_net_node *n);

/* A neighbour that is not asked for. */
void mrc_net_node_fix_neighbour(struct mrc_net_node *n, unsigned port, const struct mrc_addr *addr);
/*
 * Fills in addr->mac when it is known, and returns true. Else it asks for it, several times, and
 * on_neighbour tells how it went.
 */
bool mrc_net_node_lookup(struct mrc_net_node *n, unsigned port, struct mrc_addr *addr);

/* The application called the endpoint outside of on_event: look for work. */
void mrc_net_node_kick(struct mrc_net_node *n);

#endif
