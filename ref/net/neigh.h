/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Neighbours: ARP for IPv4, neighbour discovery for IPv6, as far as an end host without a kernel's
 * stack behind it needs them: to ask for a MAC address, and to answer who asks for its own.
 */
#ifndef MRC_NET_NEIGH_H
#define MRC_NET_NEIGH_H

#include "ref/endpoint/mrc_ep.h"

#define MRC_NEIGH_FRAME_MAX 96u
#define MRC_NEIGH_MAX       64u

enum mrc_neigh_kind {
    MRC_NEIGH_NONE,  /* neither ARP nor a neighbour message, or a damaged one */
    MRC_NEIGH_ASKED, /* who has `target`? `from` wants to know; an IPv6 host that makes sure of its
                        own address asks with from.ip all zero */
    MRC_NEIGH_TOLD,  /* `from` says where it is */
};
struct mrc_neigh_msg {
    struct mrc_addr from;   /* with its MAC */
    struct mrc_addr target; /* ASKED; the MAC is zero */
};

/* Reads a frame, untagged or with one VLAN tag. */
enum mrc_neigh_kind mrc_neigh_parse(const uint8_t *bytes, size_t len, struct mrc_neigh_msg *m);

/* Writes a question of `own` for target's MAC, or the answer of `own` to who asked. Returns the
 * number of bytes. */
size_t mrc_neigh_ask(uint8_t buf[MRC_NEIGH_FRAME_MAX], const struct mrc_addr *own,
                     const struct mrc_addr *target);
size_t mrc_neigh_answer(uint8_t buf[MRC_NEIGH_FRAME_MAX], const struct mrc_addr *own,
                        const struct mrc_addr *asker);

/* Who is where, on one port. Nothing expires: an answer replaces what was known, but never a
 * neighbour that the user fixed. */
struct mrc_neigh_table {
    struct mrc_addr known[MRC_NEIGH_MAX];
    bool fixed[MRC_NEIGH_MAX];
    unsigned count, next; /* entries, and the one to be replaced when all are taken */
};
/* False: all entries are fixed ones. */
bool mrc_neigh_learn(struct mrc_neigh_table *t, const struct mrc_addr *who, bool fixed);
/* Fills in addr->mac; false when it is not known. */
bool mrc_neigh_find(const struct mrc_neigh_table *t, struct mrc_addr *addr);

#endif
