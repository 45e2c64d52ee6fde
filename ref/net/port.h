/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network interface as a port: a packet socket with a memory-mapped receive ring (TPACKET_V2: a
 * frame is there as soon as it arrived, where V3 holds it back until its block is full or a
 * millisecond is over) and batched sending (sendmmsg, gathered from where the bytes lie).
 *
 * Frames are taken and given whole, from the Ethernet header on. What the kernel does beside is
 * none of this file's business: see node.h on who owns an address.
 */
#ifndef MRC_NET_PORT_H
#define MRC_NET_PORT_H

#include "ref/net/clock.h"
#include "ref/net/link.h"

#define MRC_NET_JUMBO_MAX 9216u

struct mrc_net_port_config {
    const char *ifname;
    const uint16_t *udp_ports; /* taken as MRC; NULL: no filter, everything is taken */
    unsigned udp_port_count;   /* <= MRC_UDP_PORTS_MAX */
    uint32_t frame_max;        /* longest frame taken whole, bytes; 0: MRC_FRAME_MAX */
    uint32_t rx_slots;         /* frames that the receive ring holds; 0: 1024 */
    uint32_t tx_slots;         /* frames queued and not sent; 0: 64; <= 1024 */
    uint32_t busy_poll_us;     /* the kernel polls the device that long (SO_BUSY_POLL); 0: never */
    bool promiscuous;          /* take frames of all MAC addresses */
    bool giants;               /* take longer frames whole too: those that a sender left for its
                                  device to cut (segmentation offload) */
    bool qdisc_bypass;         /* send past queueing discipline and capture programs: faster, and
                                  unseen on this host */
};

struct mrc_net_port_counters {
    uint64_t rx_frames, rx_bytes; /* taken out of the ring */
    uint64_t rx_ring_full;        /* lost: the ring had no room */
    uint64_t rx_cut;              /* longer than frame_max: dropped */
    uint64_t rx_giants;           /* longer than frame_max: taken whole */
    uint64_t tx_frames, tx_bytes;
    uint64_t tx_refused; /* lost: the kernel would not take them (too long, no memory) */
    uint64_t tx_down;    /* lost: the interface was down or gone */
    uint64_t tx_waits;   /* times that the kernel's buffer was full and frames waited */
    uint64_t tx_calls;   /* system calls that sent something */
};

/* A frame in the ring. bytes are good until mrc_net_port_rx_done(). */
struct mrc_net_rx {
    const uint8_t *bytes;
    uint32_t len;
    uint32_t sec, nsec;     /* the kernel's stamp, time of day; clock.h turns it */
    bool checksum_due;      /* the sender left the UDP or TCP checksum to its device, and there was
                               none: the field holds the sum of the pseudo header alone */
    const uint8_t *offload; /* of a giant: how it is to be cut, in the kernel's words; else NULL */
};
#define MRC_NET_GIANT_MAX (1u << 18)

struct mrc_net_port;

/* NULL, with a sentence in err, when the interface is not there, or the kernel refuses. An
 * interface that is switched on and has no carrier yet is waited for, 1.5 s at most. */
struct mrc_net_port *mrc_net_port_open(const struct mrc_net_port_config *cfg, char *err,
                                       size_t err_cap);
void mrc_net_port_free(struct mrc_net_port *p);

/* Readable when the ring holds a frame; -1 while the interface is gone. */
int mrc_net_port_fd(const struct mrc_net_port *p);
const struct mrc_net_link *mrc_net_port_link(const struct mrc_net_port *p);

/*
 * Looks at the interface again after news of it: it may have gone down, come up, or vanished and
 * returned under its name. Returns true when mrc_net_port_fd() may have changed.
 */
bool mrc_net_port_refresh(struct mrc_net_port *p);

/* The next frame of the ring, or false. Each is given back before the next is asked for. */
bool mrc_net_port_rx(struct mrc_net_port *p, struct mrc_net_rx *rx);
void mrc_net_port_rx_done(struct mrc_net_port *p);
/*
 * Goes on to the next frame without giving this one back: its bytes stay until
 * mrc_net_port_rx_release(), which gives back all that were kept. mrc_net_port_holds() is true for
 * an address in the ring.
 */
void mrc_net_port_rx_keep(struct mrc_net_port *p);
void mrc_net_port_rx_release(struct mrc_net_port *p);
bool mrc_net_port_holds(const struct mrc_net_port *p, const void *at);
/* True when the ring holds a frame. */
bool mrc_net_port_rx_ready(const struct mrc_net_port *p);

/* Frames that may be queued now. */
unsigned mrc_net_port_room(const struct mrc_net_port *p);
/*
 * Queues a frame; there must be room. Headers are copied; the payload is read while it is flushed,
 * a deferred ICRC is computed at once. False: the frame cannot be sent by this codec.
 */
bool mrc_net_port_put(struct mrc_net_port *p, const struct mrc_wire_config *wire,
                      const struct mrc_frame *f);
/* The same for bytes as they are; up to MRC_FRAME_HDR_MAX of them are copied. */
void mrc_net_port_put_bytes(struct mrc_net_port *p, const uint8_t *bytes, size_t len);
/*
 * Sends a giant as it came, with its offload, behind what is queued. False: the kernel's buffer is
 * full, try again when the fd is writable. Both ports were opened with giants.
 */
bool mrc_net_port_send_giant(struct mrc_net_port *p, const struct mrc_net_rx *rx);
/*
 * Sends what is queued. Returns true when nothing is left; false: the kernel's buffer is full, the
 * fd will be writable. Frames that the kernel refuses are dropped and counted.
 */
bool mrc_net_port_flush(struct mrc_net_port *p);

/* Counters so far; asks the kernel for what the ring lost. */
const struct mrc_net_port_counters *mrc_net_port_counters(struct mrc_net_port *p);
/* The same as of the last time that the kernel was asked: no system call. */
const struct mrc_net_port_counters *mrc_net_port_peek(const struct mrc_net_port *p);

#endif
