/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/station.h"

#include "harness/live/side.h"
#include <poll.h>

#define BATCH   64u
#define WAIT_MS 20

unsigned mrct_station_take(struct mrct_station *s, uint64_t now_ns)
{
    const struct mrc_net_rx *rx;
    unsigned n = 0;
    for (; n < BATCH; n++) {
        const int p = mrc_net_merge_next(&s->merge, s->port, s->planes, &rx);
        struct mrc_frame f;
        if (p < 0)
            break;
        const bool parsed = mrc_frame_parse(s->wire, rx->bytes, rx->len, &f) == 0;
        if (!parsed && mrct_side_fits(rx))
            mrct_side_as_it_is(s->wire, rx, &f); /* what it is is the device's to say */
        if (parsed || mrct_side_fits(rx))
            s->dut->ops->input(s->dut, now_ns, (unsigned)p, &f);
        mrc_net_merge_done(&s->merge, s->port[p], (unsigned)p);
        s->got[p]++;
    }
    return n;
}

static void flush(struct mrc_net_port *port)
{
    while (!mrc_net_port_flush(port)) {
        struct pollfd fd = {.fd = mrc_net_port_fd(port), .events = POLLOUT};
        (void)poll(&fd, 1, WAIT_MS);
    }
}

unsigned mrct_station_give(struct mrct_station *s, uint64_t now_ns, uint64_t plane_mask)
{
    struct mrc_frame f;
    unsigned n = 0;
    while (plane_mask != 0) {
        const int port = s->dut->ops->output(s->dut, now_ns, plane_mask, &f);
        if (port < 0 || port >= (int)s->planes)
            break;
        plane_mask &= ~(UINT64_C(1) << port);
        if (!mrc_net_port_put(s->port[port], s->wire, &f))
            continue;
        flush(s->port[port]); /* before the device may change the bytes */
        s->sent[port]++;
        n++;
    }
    return n;
}
