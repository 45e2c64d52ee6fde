/* SPDX-License-Identifier: BSD-2-Clause */
/* Trials between two ports of this host. */
#include "harness/live/preflight.h"

#include <poll.h>
#include <string.h>

#define PATIENCE_NS UINT64_C(500000000) /* for a packet that may be lost, on a loaded machine */

struct ends {
    struct mrc_net_port *port[2];
    struct mrc_net_stamps *stamps;
};

/* The next frame out of a port within the patience; 0: none. */
static size_t next_frame(struct ends *e, unsigned at, uint64_t until_ns, uint8_t *bytes,
                         uint64_t *stamp_ns)
{
    struct pollfd fd = {.fd = mrc_net_port_fd(e->port[at]), .events = POLLIN};
    struct mrc_net_rx rx;
    while (!mrc_net_port_rx(e->port[at], &rx)) {
        const uint64_t now_ns = mrc_net_now_ns();
        if (now_ns >= until_ns)
            return 0;
        (void)poll(&fd, 1, (int)((until_ns - now_ns) / 1000000u) + 1);
    }
    const size_t len = rx.len <= MRC_FRAME_MAX ? rx.len : MRC_FRAME_MAX;
    memcpy(bytes, rx.bytes, len);
    *stamp_ns = mrc_net_stamps_at(e->stamps, rx.sec, rx.nsec, mrc_net_now_ns());
    mrc_net_port_rx_done(e->port[at]);
    return len;
}

/* What is no packet of ours belongs to somebody else on the wire; a trial that is long over too. */
static bool is_same(const uint8_t *sent, size_t len, const uint8_t *got, size_t got_len)
{
    /* Ethernet, IPv6 and UDP; then the QP and the PSN of BTH. */
    enum { BTH = 14 + 40 + 8 };
    return got_len >= BTH + 12 && len >= BTH + 12 && memcmp(sent + BTH + 5, got + BTH + 5, 7) == 0;
}

static size_t carry(void *user, unsigned from, const uint8_t *sent, size_t len, uint8_t *bytes,
                    uint64_t *sent_ns, uint64_t *stamp_ns)
{
    struct ends *const e = user;
    const uint64_t sent_before = mrc_net_port_peek(e->port[from])->tx_frames;
    mrc_net_stamps_sync(e->stamps);
    mrc_net_port_put_bytes(e->port[from], sent, len);
    *sent_ns = mrc_net_now_ns();
    (void)mrc_net_port_flush(e->port[from]);
    size_t got = 0;
    if (mrc_net_port_peek(e->port[from])->tx_frames == sent_before)
        return 0; /* too long for the interface, or it is down */
    do {
        got = next_frame(e, 1 - from, *sent_ns + PATIENCE_NS, bytes, stamp_ns);
    } while (got > 0 && !is_same(sent, len, bytes, got));
    return got;
}

void mrct_preflight_ports(struct mrc_net_port *const port[2], const struct mrc_wire_config *wire,
                          uint16_t path_mtu, struct mrc_net_stamps *stamps,
                          struct mrct_preflight *result)
{
    struct ends e = {.port = {port[0], port[1]}, .stamps = stamps};
    struct mrct_preflight_way way = {
        .carry = carry, .user = &e, .wire = wire, .path_mtu = path_mtu, .stamps = stamps};
    for (unsigned i = 0; i < 2; i++)
        memcpy(way.mac[i], mrc_net_port_link(port[i])->mac, sizeof way.mac[i]);
    mrct_preflight_plane(&way, result);
}
