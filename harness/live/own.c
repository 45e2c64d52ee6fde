/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/own.h"

#include "harness/live/ports.h"
#include "harness/live/station.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RING     1024u
#define GIVE_MAX 256u                /* frames of a port until its ring is looked at again */
#define TURNS    16u                 /* until a request is looked for */
#define REST_NS  UINT64_C(100000000) /* at most, without a frame or a deadline */
#define NS_S     UINT64_C(1000000000)

struct mrct_own {
    struct mrct_station station;
    struct mrc_wire_config wire;
    struct mrc_net_port *port[MRC_EP_PORTS_MAX];
    unsigned ports;
    uint64_t base_ns; /* of the device's time */
};

struct mrct_own *mrct_own_new(const char *const *ifname, unsigned ports, char *err, size_t err_cap)
{
    struct mrct_own *const o = calloc(1, sizeof *o);
    if (o == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        return NULL;
    }
    o->ports = ports;
    o->base_ns = mrc_net_now_ns();
    for (unsigned p = 0; p < ports; p++) {
        const struct mrc_net_port_config c = {
            .ifname = ifname[p], .rx_slots = RING, .promiscuous = true};
        o->port[p] = mrc_net_port_open(&c, err, err_cap);
        if (o->port[p] == NULL) {
            mrct_own_free(o);
            return NULL;
        }
    }
    return o;
}

void mrct_own_free(struct mrct_own *o)
{
    if (o == NULL)
        return;
    for (unsigned p = 0; p < o->ports; p++)
        mrc_net_port_free(o->port[p]);
    free(o);
}

void mrct_own_take(struct mrct_own *o, struct mrct_dut *dut, const struct mrc_wire_config *wire,
                   unsigned ports)
{
    mrct_ports_sweep(o->port, o->ports);
    o->wire = *wire;
    o->station = (struct mrct_station){.dut = dut,
                                       .planes = ports < o->ports ? ports : o->ports,
                                       .port = o->port,
                                       .wire = &o->wire};
}

uint64_t mrct_own_now(const struct mrct_own *o)
{
    return mrc_net_now_ns() - o->base_ns;
}

static unsigned turn(struct mrct_own *o)
{
    struct mrct_dut *const d = o->station.dut;
    unsigned moved = mrct_station_take(&o->station, mrct_own_now(o));
    if (d->ops->deadline(d) <= mrct_own_now(o)) {
        d->ops->tick(d, mrct_own_now(o));
        moved++;
    }
    const uint64_t all = (UINT64_C(1) << o->station.planes) - 1;
    for (unsigned n = 1, i = 0; n > 0 && i < GIVE_MAX; i++) {
        n = mrct_station_give(&o->station, mrct_own_now(o), all);
        moved += n;
    }
    return moved;
}

/* Waits for fd, a frame or the deadline. True when fd is ready. */
static bool wait_for(struct mrct_own *o, int fd, bool at_once)
{
    struct pollfd p[MRC_EP_PORTS_MAX + 1] = {{.fd = fd, .events = POLLIN}};
    const uint64_t now_ns = mrct_own_now(o);
    const uint64_t due_ns = o->station.dut->ops->deadline(o->station.dut);
    uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    wait_ns = at_once ? 0 : wait_ns < REST_NS ? wait_ns : REST_NS;
    for (unsigned i = 0; i < o->station.planes; i++)
        p[i + 1] = (struct pollfd){.fd = mrc_net_port_fd(o->port[i]), .events = POLLIN};
    const struct timespec t = {.tv_sec = (time_t)(wait_ns / NS_S),
                               .tv_nsec = (long)(wait_ns % NS_S)};
    return ppoll(p, o->station.planes + 1, &t, NULL) > 0 && p[0].revents != 0;
}

void mrct_own_attend(struct mrct_own *o, int fd)
{
    bool moved = false;
    do {
        moved = false;
        for (unsigned i = 0; i < TURNS; i++)
            moved = turn(o) > 0 || moved;
    } while (!wait_for(o, fd, moved));
}
