/* SPDX-License-Identifier: BSD-2-Clause */
/* A port's inside. */
#ifndef MRC_NET_PORT_INT_H
#define MRC_NET_PORT_INT_H

#include "ref/net/port.h"

#include <linux/virtio_net.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define MRC_NET_NOTE_LEN sizeof(struct virtio_net_hdr)

/* A frame on its way out. */
struct mrc_net_tx {
    uint8_t hdr[MRC_FRAME_HDR_MAX];
    uint8_t tail[8];     /* pad and ICRC */
    struct iovec iov[4]; /* the kernel's notes, with giants; headers, payload, tail */
};

struct mrc_net_port {
    struct mrc_net_port_config cfg;
    uint16_t udp_ports[MRC_UDP_PORTS_MAX];
    struct mrc_net_link link;
    int fd; /* -1 while the interface is gone */

    uint8_t *ring; /* mapped; NULL while it is gone */
    size_t ring_len;
    uint32_t block_len, slot_len; /* bytes */
    uint32_t slots, per_block;    /* slots in all, and in a block */
    uint32_t rx_next;             /* slot that the next frame comes in */
    uint32_t rx_kept;             /* slots before it that were not given back */
    bool rx_losing;               /* the kernel said that it lost some since the last count */
    uint8_t *giant;               /* notes and bytes of the one in hand, or NULL */

    struct mrc_net_tx *tx;  /* tx_slots of them */
    struct mmsghdr *msgs;   /* one each */
    uint32_t tx_head, tx_n; /* oldest one queued, and how many */
    struct mrc_net_port_counters count;
};

/* port_open.c: the socket and its ring. Returns 0, or -1 with a sentence. */
int mrc_net_port_attach(struct mrc_net_port *p, char *err, size_t err_cap);
void mrc_net_port_detach(struct mrc_net_port *p);
void mrc_net_port_ring_losses(struct mrc_net_port *p);

#endif
