/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel knows of a network interface, and news of its coming and going. */
#ifndef MRC_NET_LINK_H
#define MRC_NET_LINK_H

#include "ref/endpoint/mrc_ep.h"

#include <net/if.h>

struct mrc_net_link {
    char name[IF_NAMESIZE];
    unsigned index; /* 0: there is no interface of that name now */
    uint8_t mac[6]; /* the interface's own */
    unsigned mtu;   /* bytes of an IP packet */
    bool enabled;   /* switched on */
    bool up;        /* switched on and with a carrier */
    bool is_ether;  /* else it carries no Ethernet frames */
};

/* Reads the interface called link->name. Returns 0, or -1 when there is none (index is 0). */
int mrc_net_link_read(struct mrc_net_link *link);

/* Reads it again until it is up, if it is switched on, for patience_ns at most: the kernel notices
 * a carrier late, and until then sends nothing. */
void mrc_net_link_settle(struct mrc_net_link *link, uint64_t patience_ns);

/* True when the kernel itself answers for that address on the interface. */
bool mrc_net_link_has_addr(const struct mrc_net_link *link, const struct mrc_addr *addr);

/* A non-blocking netlink socket that becomes readable when some interface changes; -1: errno. */
int mrc_net_link_watch(void);
/* Takes all news off it; what changed is for mrc_net_link_read() to say. */
void mrc_net_link_drain(int fd);

/*
 * An address of its IPv4 or IPv6 text; the MAC is zero. Returns 0 or -1. And back: buf is returned,
 * and has room for 46 bytes.
 */
int mrc_net_addr_parse(const char *text, struct mrc_addr *addr);
const char *mrc_net_addr_str(const struct mrc_addr *addr, char buf[46]);
bool mrc_net_addr_same_ip(const struct mrc_addr *a, const struct mrc_addr *b);

/* "02:00:00:00:00:01"; buf has room for 18 bytes. */
int mrc_net_mac_parse(const char *text, uint8_t mac[6]);
const char *mrc_net_mac_str(const uint8_t mac[6], char buf[18]);

#endif
