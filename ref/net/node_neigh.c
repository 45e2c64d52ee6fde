/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours of a node: answers to who asks, and questions until they are answered. */
#include "ref/net/node_int.h"

#define TRIES 50u /* questions, one each turn of the timer */

static void put(struct mrc_net_plane *pl, const uint8_t *frame, size_t len)
{
    if (mrc_net_port_room(pl->port) == 0)
        return; /* who asks asks again */
    mrc_net_port_put_bytes(pl->port, frame, len);
    mrc_net_port_flush(pl->port);
}

static void send_question(struct mrc_net_node *n, struct mrc_net_ask *a)
{
    uint8_t frame[MRC_NEIGH_FRAME_MAX];
    struct mrc_net_plane *const pl = &n->plane[a->port];
    a->tries++;
    put(pl, frame, mrc_neigh_ask(frame, &pl->addr, &a->addr));
}

static void told(struct mrc_net_node *n, struct mrc_net_ask *a, bool found)
{
    const struct mrc_net_ask was = *a;
    a->tries = 0;
    if (n->cfg.on_neighbour != NULL)
        n->cfg.on_neighbour(n->cfg.user, was.port, &was.addr, found);
}

static void settle(struct mrc_net_node *n, struct mrc_net_plane *pl)
{
    for (unsigned i = 0; i < MRC_NET_ASKS_MAX; i++) {
        struct mrc_net_ask *const a = &n->ask[i];
        if (a->tries > 0 && a->port == pl->index && mrc_neigh_find(&pl->neigh, &a->addr))
            told(n, a, true);
    }
}

bool mrc_net_node_neighbour(struct mrc_net_node *n, struct mrc_net_plane *pl, const uint8_t *bytes,
                            size_t len)
{
    uint8_t frame[MRC_NEIGH_FRAME_MAX];
    struct mrc_neigh_msg m;
    const enum mrc_neigh_kind kind = mrc_neigh_parse(bytes, len, &m);
    if (kind == MRC_NEIGH_NONE)
        return false;
    n->count.rx_neighbour++;
    const bool for_us = kind == MRC_NEIGH_ASKED && mrc_net_addr_same_ip(&m.target, &pl->addr);
    if (for_us && !pl->kernels)
        put(pl, frame, mrc_neigh_answer(frame, &pl->addr, &m.from));
    if (for_us || kind == MRC_NEIGH_TOLD) {
        mrc_neigh_learn(&pl->neigh, &m.from, false);
        settle(n, pl);
    }
    return true;
}

void mrc_net_node_fix_neighbour(struct mrc_net_node *n, unsigned port, const struct mrc_addr *addr)
{
    mrc_neigh_learn(&n->plane[port].neigh, addr, true);
    settle(n, &n->plane[port]);
}

bool mrc_net_node_lookup(struct mrc_net_node *n, unsigned port, struct mrc_addr *addr)
{
    if (mrc_neigh_find(&n->plane[port].neigh, addr))
        return true;
    for (unsigned i = 0; i < MRC_NET_ASKS_MAX; i++) {
        struct mrc_net_ask *const a = &n->ask[i];
        if (a->tries > 0)
            continue;
        *a = (struct mrc_net_ask){.addr = *addr, .port = port};
        send_question(n, a);
        ev_timer_start(n->loop, &n->ask_timer);
        return false;
    }
    return false;
}

void mrc_net_node_ask_due(struct ev_loop *loop, ev_timer *w, int revents)
{
    struct mrc_net_node *const n = w->data;
    unsigned left = 0;
    (void)revents;
    for (unsigned i = 0; i < MRC_NET_ASKS_MAX; i++) {
        struct mrc_net_ask *const a = &n->ask[i];
        if (a->tries >= TRIES)
            told(n, a, false);
        else if (a->tries > 0)
            send_question(n, a);
        left += a->tries > 0;
    }
    if (left == 0)
        ev_timer_stop(loop, w);
}
