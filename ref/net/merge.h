/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of several ports in the order in which they arrived, by the kernel's stamps: a host that
 * empties one ring after the other would see its planes out of step, and another order than a tap.
 */
#ifndef MRC_NET_MERGE_H
#define MRC_NET_MERGE_H

#include "ref/net/port.h"

/* True when a's stamp is before b's. */
bool mrc_net_rx_earlier(const struct mrc_net_rx *a, const struct mrc_net_rx *b);

/* Zeroed to begin with. */
struct mrc_net_merge {
    struct mrc_net_rx rx[MRC_EP_PORTS_MAX]; /* first frame of each ring that was looked at */
    uint32_t have;                          /* bit = port: it was */
};

/* The port whose first frame is the oldest, and the frame; -1: all rings are empty. NULL entries of
 * port are passed over. */
int mrc_net_merge_next(struct mrc_net_merge *m, struct mrc_net_port *const *port, unsigned ports,
                       const struct mrc_net_rx **rx);
/* Gives that frame back. */
void mrc_net_merge_done(struct mrc_net_merge *m, struct mrc_net_port *port, unsigned index);
/* The port's ring is another now (mrc_net_port_refresh() said so). */
void mrc_net_merge_forget(struct mrc_net_merge *m, unsigned index);

#endif
