/* SPDX-License-Identifier: BSD-2-Clause */
/* A node in its loop: spinning, sleeping, interfaces that go and come. */
#include "ref/net/node.h"

#include "ref/net/node_int.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_S     UINT64_C(1000000000)
#define ROUNDS_MAX   256u /* turns until the loop's other watchers are served */
#define ASK_EVERY_S  0.1
#define SYNC_EVERY_S 1.0

struct mrc_ep *mrc_net_node_ep(struct mrc_net_node *n)
{
    return n->ep;
}

const struct mrc_addr *mrc_net_node_addr(const struct mrc_net_node *n, unsigned port)
{
    return &n->plane[port].addr;
}

struct mrc_net_port *mrc_net_node_port(struct mrc_net_node *n, unsigned port)
{
    return n->plane[port].port;
}

bool mrc_net_node_addr_is_kernels(const struct mrc_net_node *n, unsigned port)
{
    return n->plane[port].kernels;
}

const struct mrc_net_node_counters *mrc_net_node_counters(const struct mrc_net_node *n)
{
    return &n->count;
}

const struct mrc_net_stamps *mrc_net_node_stamps(const struct mrc_net_node *n)
{
    return &n->stamps;
}

/* ---- sleeping and waking ---- */

static void arm_timer(struct mrc_net_node *n)
{
    const uint64_t at = mrc_ep_deadline(n->ep);
    struct itimerspec when = {0};
    if (at != MRC_TIME_NEVER) {
        when.it_value.tv_sec = (time_t)(at / NS_PER_S);
        when.it_value.tv_nsec = (long)(at % NS_PER_S);
        if (at == 0)
            when.it_value.tv_nsec = 1; /* 0 would disarm it */
    }
    timerfd_settime(n->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void watch(struct mrc_net_node *n, struct mrc_net_plane *pl, int events)
{
    const int fd = mrc_net_port_fd(pl->port);
    if (ev_is_active(&pl->io))
        ev_io_stop(n->loop, &pl->io);
    if (fd < 0 || events == 0)
        return;
    ev_io_set(&pl->io, fd, events);
    ev_io_start(n->loop, &pl->io);
}

static void go_to_sleep(struct mrc_net_node *n)
{
    ev_idle_stop(n->loop, &n->idle);
    arm_timer(n);
    for (unsigned i = 0; i < n->ports; i++)
        watch(n, &n->plane[i], n->plane[i].blocked ? EV_READ | EV_WRITE : EV_READ);
}

static void wake_up(struct mrc_net_node *n)
{
    if (ev_is_active(&n->idle))
        return;
    n->last_work_ns = mrc_net_now_ns();
    for (unsigned i = 0; i < n->ports; i++)
        watch(n, &n->plane[i], 0);
    ev_idle_start(n->loop, &n->idle);
}

void mrc_net_node_kick(struct mrc_net_node *n)
{
    wake_up(n);
}

static void on_idle(struct ev_loop *loop, ev_idle *w, int revents)
{
    struct mrc_net_node *const n = w->data;
    const uint64_t patience_ns = (uint64_t)n->cfg.busy_poll_us * 1000u;
    (void)loop;
    (void)revents;
    for (unsigned i = 0; i < ROUNDS_MAX; i++) {
        const uint64_t now_ns = mrc_net_now_ns();
        if (mrc_net_node_round(n, now_ns) > 0) {
            n->last_work_ns = now_ns;
            continue;
        }
        n->count.spins++;
        if (now_ns - n->last_work_ns >= patience_ns) {
            go_to_sleep(n);
            return;
        }
    }
}

/* An interface went down: the error waits at the socket, and would wake us for ever. */
static void clear_error(int fd)
{
    int error;
    socklen_t len = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
}

static void on_port(struct ev_loop *loop, ev_io *w, int revents)
{
    struct mrc_net_plane *const pl = w->data;
    (void)loop;
    (void)revents;
    clear_error(w->fd);
    pl->node->count.wakeups++;
    wake_up(pl->node);
}

static void on_timer(struct ev_loop *loop, ev_io *w, int revents)
{
    struct mrc_net_node *const n = w->data;
    uint64_t times;
    (void)loop;
    (void)revents;
    if (read(n->timer_fd, &times, sizeof times) < 0)
        return;
    n->count.wakeups++;
    wake_up(n);
}

static void on_sync(struct ev_loop *loop, ev_timer *w, int revents)
{
    struct mrc_net_node *const n = w->data;
    (void)loop;
    (void)revents;
    mrc_net_stamps_sync(&n->stamps);
}

/* ---- interfaces that go and come ---- */

static void note_link(struct mrc_net_node *n, struct mrc_net_plane *pl)
{
    const bool up = mrc_net_port_fd(pl->port) >= 0 && mrc_net_port_link(pl->port)->up;
    if (up == pl->up)
        return;
    pl->up = up;
    n->count.link_up += up;
    n->count.link_down += !up;
    mrc_ep_port_set(n->ep, mrc_net_now_ns(), pl->index, up);
    wake_up(n);
}

static void on_link(struct ev_loop *loop, ev_io *w, int revents)
{
    struct mrc_net_node *const n = w->data;
    (void)loop;
    (void)revents;
    mrc_net_link_drain(n->link_fd);
    for (unsigned i = 0; i < n->ports; i++) {
        struct mrc_net_plane *const pl = &n->plane[i];
        const bool was_watched = ev_is_active(&pl->io);
        if (was_watched)
            watch(n, pl, 0);
        if (mrc_net_port_refresh(pl->port))
            mrc_net_merge_forget(&n->merge, i);
        if (was_watched)
            watch(n, pl, EV_READ);
        note_link(n, pl);
    }
}

/* ---- life ---- */

static int open_plane(struct mrc_net_node *n, unsigned i, char *err, size_t cap)
{
    struct mrc_net_plane *const pl = &n->plane[i];
    const struct mrc_wire_config *const wire = &n->cfg.ep.wire;
    if (mrc_net_plane_own(n, i, err, cap) != 0)
        return -1;
    const struct mrc_net_port_config pc = {.ifname = n->cfg.port[i].ifname,
                                           .udp_ports = wire->udp_ports,
                                           .udp_port_count = wire->udp_port_count,
                                           .rx_slots = n->cfg.rx_slots,
                                           .busy_poll_us = n->cfg.busy_poll_us,
                                           .qdisc_bypass = n->cfg.qdisc_bypass,
                                           .promiscuous = !pl->kernels};
    pl->port = mrc_net_port_open(&pc, err, cap);
    if (pl->port == NULL || mrc_net_plane_quiet(n, pl, err, cap) != 0)
        return -1;
    pl->up = mrc_net_port_link(pl->port)->up;
    n->cfg.ep.port_addr[i] = pl->addr;
    return 0;
}

static int open_clocks(struct mrc_net_node *n, char *err, size_t cap)
{
    n->link_fd = mrc_net_link_watch();
    n->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (n->link_fd >= 0 && n->timer_fd >= 0)
        return 0;
    snprintf(err, cap, "no %s: %s", n->link_fd < 0 ? "news of interfaces" : "timer",
             strerror(errno));
    return -1;
}

static int open_all(struct mrc_net_node *n, char *err, size_t cap)
{
    int why = 0;
    for (unsigned i = 0; i < n->ports; i++)
        if (open_plane(n, i, err, cap) != 0)
            return -1;
    if (open_clocks(n, err, cap) != 0)
        return -1;
    n->cfg.ep.ports = n->ports;
    n->ep = mrc_ep_new(&n->cfg.ep, n->cfg.seed, &why);
    if (n->ep == NULL)
        snprintf(err, cap, "the endpoint refuses its configuration: %s", mrc_ep_strerror(why));
    return n->ep == NULL ? -1 : 0;
}

static void start(struct mrc_net_node *n)
{
    mrc_net_stamps_sync(&n->stamps);
    ev_idle_init(&n->idle, on_idle);
    ev_io_init(&n->link_io, on_link, n->link_fd, EV_READ);
    ev_io_init(&n->timer_io, on_timer, n->timer_fd, EV_READ);
    ev_timer_init(&n->ask_timer, mrc_net_node_ask_due, ASK_EVERY_S, ASK_EVERY_S);
    ev_timer_init(&n->sync_timer, on_sync, SYNC_EVERY_S, SYNC_EVERY_S);
    n->idle.data = n->link_io.data = n->timer_io.data = n;
    n->ask_timer.data = n->sync_timer.data = n;
    for (unsigned i = 0; i < n->ports; i++) {
        ev_io_init(&n->plane[i].io, on_port, mrc_net_port_fd(n->plane[i].port), EV_READ);
        n->plane[i].io.data = &n->plane[i];
        if (!n->plane[i].up)
            mrc_ep_port_set(n->ep, mrc_net_now_ns(), i, false);
    }
    ev_io_start(n->loop, &n->link_io);
    ev_io_start(n->loop, &n->timer_io);
    ev_timer_start(n->loop, &n->sync_timer);
    wake_up(n);
}

struct mrc_net_node *mrc_net_node_new(struct ev_loop *loop, const struct mrc_net_node_config *cfg,
                                      char *err, size_t err_cap)
{
    struct mrc_net_node *const n = calloc(1, sizeof *n);
    if (n == NULL || cfg->ports < 1 || cfg->ports > MRC_EP_PORTS_MAX) {
        snprintf(err, err_cap, n == NULL ? "out of memory" : "1 to 16 ports are possible");
        free(n);
        return NULL;
    }
    n->cfg = *cfg;
    n->loop = loop;
    n->ports = cfg->ports;
    n->link_fd = n->timer_fd = -1;
    for (unsigned i = 0; i < n->ports; i++) {
        n->plane[i].node = n;
        n->plane[i].index = i;
        memset(n->plane[i].sinks, 0xFF, sizeof n->plane[i].sinks);
    }
    if (open_all(n, err, err_cap) != 0) {
        mrc_net_node_free(n);
        return NULL;
    }
    start(n);
    return n;
}

static void stop(struct mrc_net_node *n)
{
    ev_idle_stop(n->loop, &n->idle);
    ev_io_stop(n->loop, &n->link_io);
    ev_io_stop(n->loop, &n->timer_io);
    ev_timer_stop(n->loop, &n->ask_timer);
    ev_timer_stop(n->loop, &n->sync_timer);
    for (unsigned i = 0; i < n->ports; i++)
        ev_io_stop(n->loop, &n->plane[i].io);
}

void mrc_net_node_free(struct mrc_net_node *n)
{
    if (n == NULL)
        return;
    if (n->ep != NULL)
        stop(n);
    for (unsigned i = 0; i < n->ports; i++) {
        mrc_net_plane_unquiet(&n->plane[i]);
        mrc_net_port_free(n->plane[i].port);
    }
    if (n->link_fd >= 0)
        close(n->link_fd);
    if (n->timer_fd >= 0)
        close(n->timer_fd);
    mrc_ep_free(n->ep);
    free(n);
}
