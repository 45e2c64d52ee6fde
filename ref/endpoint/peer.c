/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nodes at the other end. A node is known by its address on each plane, so that what it says of
 * its ports reaches all QPs to it at once, however many there are.
 */
#include "ref/endpoint/ep_int.h"
#include <string.h>

static size_t ip_len(bool is_v6)
{
    return is_v6 ? 16 : 4;
}

/* Each plane has a table of its own, since a peer has one link a plane. */
static size_t bucket(const struct mrc_ep *ep, unsigned plane, const uint8_t *ip, bool is_v6)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < ip_len(is_v6); i++)
        h = (h ^ ip[i]) * UINT64_C(0x100000001B3);
    return (size_t)plane * ((size_t)ep->peer_mask + 1) + ((h ^ h >> 32) & ep->peer_mask);
}

static bool has_ip(const struct mrc_peer *p, unsigned plane, const uint8_t *ip, bool is_v6)
{
    return p->addr[plane].is_v6 == is_v6 && memcmp(p->addr[plane].ip, ip, ip_len(is_v6)) == 0;
}

struct mrc_peer *mrc_peer_at(const struct mrc_ep *ep, unsigned plane, const uint8_t *ip, bool is_v6,
                             const struct mrc_peer *from)
{
    struct mrc_peer *p = from ? from->chain[plane] : ep->peer_table[bucket(ep, plane, ip, is_v6)];
    while (p && !has_ip(p, plane, ip, is_v6))
        p = p->chain[plane];
    return p;
}

static bool same_node(const struct mrc_ep *ep, const struct mrc_peer *p, const struct mrc_addr *a)
{
    for (unsigned i = 0; i < ep->cfg.ports; i++)
        if (!has_ip(p, i, a[i].ip, a[i].is_v6))
            return false;
    return true;
}

static struct mrc_peer *find(const struct mrc_ep *ep, const struct mrc_addr *a)
{
    struct mrc_peer *p = mrc_peer_at(ep, 0, a[0].ip, a[0].is_v6, NULL);
    while (p && !same_node(ep, p, a))
        p = mrc_peer_at(ep, 0, a[0].ip, a[0].is_v6, p);
    return p;
}

/* A plane that the peer has no address on is in no chain. */
static bool has_plane(const struct mrc_peer *p, unsigned plane)
{
    uint8_t any = 0;
    for (size_t i = 0; i < ip_len(p->addr[plane].is_v6); i++)
        any |= p->addr[plane].ip[i];
    return any != 0;
}

static void link_peer(struct mrc_ep *ep, struct mrc_peer *p)
{
    for (unsigned i = 0; i < ep->cfg.ports; i++) {
        if (!has_plane(p, i))
            continue;
        struct mrc_peer **head = &ep->peer_table[bucket(ep, i, p->addr[i].ip, p->addr[i].is_v6)];
        p->chain[i] = *head;
        *head = p;
    }
    p->all_next = ep->peers;
    if (ep->peers)
        ep->peers->all_prev = p;
    ep->peers = p;
}

static void unlink_peer(struct mrc_ep *ep, struct mrc_peer *p)
{
    for (unsigned i = 0; i < ep->cfg.ports; i++) {
        if (!has_plane(p, i))
            continue;
        struct mrc_peer **at = &ep->peer_table[bucket(ep, i, p->addr[i].ip, p->addr[i].is_v6)];
        while (*at != p)
            at = &(*at)->chain[i];
        *at = p->chain[i];
    }
    if (p->all_prev)
        p->all_prev->all_next = p->all_next;
    else
        ep->peers = p->all_next;
    if (p->all_next)
        p->all_next->all_prev = p->all_prev;
}

static struct mrc_peer *make(struct mrc_ep *ep, const struct mrc_addr *a)
{
    struct mrc_peer *p = mrc_ep_alloc(ep, 1, sizeof *p);
    if (!p)
        return NULL;
    memcpy(p->addr, a, sizeof p->addr);
    link_peer(ep, p);
    return p;
}

int mrc_peer_join(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_peer *p = find(ep, qp->peer.addr);
    const bool met = p != NULL;
    if (!met)
        p = make(ep, qp->peer.addr);
    if (!p)
        return MRC_EP_ENOMEM;
    qp->peer_node = p;
    qp->peer_next = p->qps;
    if (p->qps)
        p->qps->peer_prev = qp;
    p->qps = qp;
    if (!met && ep->ports_down != 0)
        mrc_port_greet(ep, p);
    return MRC_EP_OK;
}

void mrc_peer_leave(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_peer *p = qp->peer_node;
    if (!p)
        return;
    if (qp->peer_prev)
        qp->peer_prev->peer_next = qp->peer_next;
    else
        p->qps = qp->peer_next;
    if (qp->peer_next)
        qp->peer_next->peer_prev = qp->peer_prev;
    qp->peer_node = NULL;
    if (p->qps)
        return;
    mrc_port_forget(ep, p);
    unlink_peer(ep, p);
    mrc_ep_dealloc(ep, p);
}
