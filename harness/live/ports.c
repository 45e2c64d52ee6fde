/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/ports.h"

#include <inttypes.h>
#include <stdio.h>

void mrct_ports_sweep(struct mrc_net_port *const *port, unsigned n)
{
    struct mrc_net_rx rx;
    for (unsigned p = 0; p < n; p++)
        while (mrc_net_port_rx(port[p], &rx))
            mrc_net_port_rx_done(port[p]);
}

void mrct_ports_add_losses(struct mrc_net_port *const *port, unsigned n,
                           struct mrc_net_port_counters *sum)
{
    for (unsigned p = 0; p < n; p++) {
        const struct mrc_net_port_counters *const c = mrc_net_port_counters(port[p]);
        sum->rx_ring_full += c->rx_ring_full;
        sum->rx_cut += c->rx_cut;
        sum->tx_refused += c->tx_refused;
        sum->tx_down += c->tx_down;
    }
}

void mrct_ports_tell_losses(const struct mrc_net_port_counters *was,
                            const struct mrc_net_port_counters *is, char *err, size_t err_cap)
{
    const uint64_t full = is->rx_ring_full - was->rx_ring_full;
    const uint64_t cut = is->rx_cut - was->rx_cut;
    const uint64_t refused = is->tx_refused - was->tx_refused;
    const uint64_t down = is->tx_down - was->tx_down;
    if (full + cut + refused + down > 0)
        (void)snprintf(err, err_cap,
                       "the harness lost frames: %" PRIu64 " in a full ring, %" PRIu64
                       " too long, %" PRIu64 " refused by the kernel, %" PRIu64
                       " while an interface was down",
                       full, cut, refused, down);
}
