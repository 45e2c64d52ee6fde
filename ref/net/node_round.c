/* SPDX-License-Identifier: BSD-2-Clause */
/* One turn of a node: frames in, timers, events, frames out. */
#include "ref/net/node_int.h"

#define RX_BATCH 64u  /* frames in before some may go out */
#define TX_BATCH 256u /* frames out before the rings are looked at again */

static void take(struct mrc_net_node *n, struct mrc_net_plane *pl, uint64_t now_ns,
                 const struct mrc_net_rx *rx)
{
    struct mrc_frame f;
    mrc_net_stamps_at(&n->stamps, rx->sec, rx->nsec, now_ns);
    if (mrc_frame_parse(&n->cfg.ep.wire, rx->bytes, rx->len, &f) == 0)
        mrc_ep_input(n->ep, now_ns, pl->index, &f);
    else if (!mrc_net_node_neighbour(n, pl, rx->bytes, rx->len))
        n->count.rx_no_frame++;
}

/* Planes keep step: a frame is taken in the order in which it arrived at any of them. */
static unsigned frames_in(struct mrc_net_node *n, uint64_t now_ns)
{
    const struct mrc_net_rx *rx;
    struct mrc_net_port *port[MRC_EP_PORTS_MAX];
    unsigned done = 0;
    for (unsigned i = 0; i < n->ports; i++)
        port[i] = n->plane[i].port;
    for (; done < RX_BATCH; done++) {
        const int p = mrc_net_merge_next(&n->merge, port, n->ports, &rx);
        if (p < 0)
            break;
        take(n, &n->plane[p], now_ns, rx);
        mrc_net_merge_done(&n->merge, port[p], (unsigned)p);
    }
    return done;
}

static unsigned tell_events(struct mrc_net_node *n)
{
    struct mrc_ep_event ev;
    unsigned done = 0;
    while (mrc_ep_poll_event(n->ep, &ev)) {
        done++;
        if (n->cfg.on_event != NULL)
            n->cfg.on_event(n->cfg.user, &ev);
    }
    return done;
}

static uint64_t free_ports(const struct mrc_net_node *n)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < n->ports; i++)
        if (n->plane[i].up && !n->plane[i].blocked && mrc_net_port_room(n->plane[i].port) > 0)
            mask |= UINT64_C(1) << i;
    return mask;
}

static void flush(struct mrc_net_node *n)
{
    for (unsigned i = 0; i < n->ports; i++)
        n->plane[i].blocked = !mrc_net_port_flush(n->plane[i].port);
}

static unsigned frames_out(struct mrc_net_node *n)
{
    struct mrc_frame f;
    unsigned done = 0;
    flush(n);
    uint64_t mask = free_ports(n);
    while (mask != 0 && done < TX_BATCH) {
        /* The frame's timestamp says when it is sent, not when this turn began. */
        const int port = mrc_ep_output(n->ep, mrc_net_now_ns(), mask, &f);
        if (port < 0)
            break;
        struct mrc_net_port *const p = n->plane[port].port;
        mrc_net_port_put(p, &n->cfg.ep.wire, &f);
        done++;
        if (mrc_net_port_room(p) == 0) {
            n->plane[port].blocked = !mrc_net_port_flush(p);
            mask = free_ports(n);
        }
    }
    flush(n);
    return done;
}

unsigned mrc_net_node_round(struct mrc_net_node *n, uint64_t now_ns)
{
    n->count.rounds++;
    unsigned done = frames_in(n, now_ns);
    if (mrc_ep_deadline(n->ep) <= now_ns) {
        mrc_ep_tick(n->ep, now_ns);
        done++;
    }
    /* Before frames go out: an application that looks at what arrived does so before the peer can
     * hear that it did. */
    done += tell_events(n);
    return done + frames_out(n);
}
