/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket of a port: its ring, its filter, and its life with an interface that comes and goes.
 */
#include "ref/net/filter.h"
#include "ref/net/port_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RX_SLOTS    1024u
#define TX_SLOTS    64u
#define SLOTS_MAX   65536u
#define TX_MAX      1024u
#define BLOCK_LEN   65536u
#define RESERVE     16u /* room in front of a frame, for a VLAN tag to be put back */
#define QUEUE_BYTES (16 * 1024 * 1024)
#define CARRIER_NS  UINT64_C(1500000000) /* the kernel looks at carriers once a second */
#define SEND_BYTES  (4 * 1024 * 1024)    /* the kernel doubles it */

static uint32_t align16(size_t n)
{
    return (uint32_t)((n + 15u) & ~(size_t)15u);
}

static int say(char *err, size_t cap, const char *name, const char *what)
{
    snprintf(err, cap, "%s: %s: %s", name, what, strerror(errno));
    return -1;
}

static int set_int(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value);
}

static int set_filter(const struct mrc_net_port *p)
{
    struct sock_filter prog[MRC_NET_FILTER_MAX];
    if (p->cfg.udp_ports == NULL)
        return 0;
    /* One byte more than is wanted, so that a longer frame is known for what it is. */
    const size_t n =
        mrc_net_filter_make(prog, p->udp_ports, p->cfg.udp_port_count, p->cfg.frame_max + 1);
    const struct sock_fprog filter = {.len = (unsigned short)n, .filter = prog};
    return setsockopt(p->fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

static int set_promiscuous(const struct mrc_net_port *p)
{
    const struct packet_mreq m = {.mr_ifindex = (int)p->link.index, .mr_type = PACKET_MR_PROMISC};
    if (!p->cfg.promiscuous)
        return 0;
    return setsockopt(p->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &m, sizeof m);
}

/* Neighbours are asked for by multicast, which a device need not pass on unasked. */
static void set_multicast(const struct mrc_net_port *p)
{
    const struct packet_mreq m = {.mr_ifindex = (int)p->link.index, .mr_type = PACKET_MR_ALLMULTI};
    setsockopt(p->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &m, sizeof m);
}

static int make_ring(struct mrc_net_port *p)
{
    const uint32_t head = align16(sizeof(struct tpacket2_hdr)) +
                          align16(sizeof(struct sockaddr_ll)) + 16u + RESERVE + 16u;
    p->slot_len = head + align16(p->cfg.frame_max + 1);
    p->block_len = BLOCK_LEN;
    p->per_block = p->block_len / p->slot_len;
    const uint32_t blocks = (p->cfg.rx_slots + p->per_block - 1) / p->per_block;
    p->slots = blocks * p->per_block;
    p->rx_next = 0;
    const struct tpacket_req req = {.tp_block_size = p->block_len,
                                    .tp_block_nr = blocks,
                                    .tp_frame_size = p->slot_len,
                                    .tp_frame_nr = p->slots};
    if (setsockopt(p->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof req) != 0)
        return -1;
    p->ring_len = (size_t)blocks * p->block_len;
    p->ring = mmap(NULL, p->ring_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, p->fd, 0);
    if (p->ring == MAP_FAILED) {
        p->ring = NULL;
        return -1;
    }
    return 0;
}

/* A frame that does not fit a slot is kept whole in the socket's own queue, with notes of how it is
 * to be cut. */
static int set_giants(const struct mrc_net_port *p)
{
    if (!p->cfg.giants)
        return 0;
    if (set_int(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, QUEUE_BYTES) != 0)
        set_int(p->fd, SOL_SOCKET, SO_RCVBUF, QUEUE_BYTES);
    return set_int(p->fd, SOL_PACKET, PACKET_VNET_HDR, 1) == 0
               ? set_int(p->fd, SOL_PACKET, PACKET_COPY_THRESH, 1)
               : -1;
}

/* What the kernel may be too old for, or the device too simple: asked for, and done without. */
static void set_wishes(const struct mrc_net_port *p)
{
    set_int(p->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
    if (p->cfg.qdisc_bypass)
        set_int(p->fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1);
    if (set_int(p->fd, SOL_SOCKET, SO_SNDBUFFORCE, SEND_BYTES) != 0)
        set_int(p->fd, SOL_SOCKET, SO_SNDBUF, SEND_BYTES);
    if (p->cfg.busy_poll_us > 0) {
        set_int(p->fd, SOL_SOCKET, SO_BUSY_POLL, (int)p->cfg.busy_poll_us);
        set_int(p->fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, 1);
    }
}

static int set_up(struct mrc_net_port *p, char *err, size_t cap)
{
    const char *const name = p->link.name;
    if (set_int(p->fd, SOL_PACKET, PACKET_VERSION, TPACKET_V2) != 0)
        return say(err, cap, name, "the kernel has no ring of version 2");
    if (set_int(p->fd, SOL_PACKET, PACKET_RESERVE, RESERVE) != 0)
        return say(err, cap, name, "no room can be reserved in the ring");
    if (set_filter(p) != 0)
        return say(err, cap, name, "the filter was refused");
    if (set_giants(p) != 0)
        return say(err, cap, name, "the kernel gives no frames whole that it has not cut yet");
    set_wishes(p);
    if (make_ring(p) != 0)
        return say(err, cap, name, "no receive ring");
    const struct sockaddr_ll to = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(ETH_P_ALL),
                                   .sll_ifindex = (int)p->link.index};
    if (bind(p->fd, (const struct sockaddr *)(const void *)&to, sizeof to) != 0)
        return say(err, cap, name, "binding to the interface");
    set_multicast(p);
    if (set_promiscuous(p) != 0)
        return say(err, cap, name, "promiscuous mode");
    return 0;
}

int mrc_net_port_attach(struct mrc_net_port *p, char *err, size_t cap)
{
    if (mrc_net_link_read(&p->link) != 0) {
        snprintf(err, cap, "%s: there is no such network interface", p->link.name);
        return -1;
    }
    if (!p->link.is_ether) {
        snprintf(err, cap, "%s: carries no Ethernet frames", p->link.name);
        return -1;
    }
    /* Protocol 0: nothing arrives before filter, ring and interface are set. */
    p->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (p->fd < 0)
        return say(err, cap, p->link.name, "a raw socket needs root or CAP_NET_RAW");
    if (set_up(p, err, cap) != 0) {
        mrc_net_port_detach(p);
        return -1;
    }
    return 0;
}

void mrc_net_port_detach(struct mrc_net_port *p)
{
    if (p->fd >= 0)
        mrc_net_port_ring_losses(p);
    if (p->ring != NULL)
        munmap(p->ring, p->ring_len);
    if (p->fd >= 0)
        close(p->fd);
    p->ring = NULL;
    p->rx_kept = 0;
    p->fd = -1;
}

static bool take_config(struct mrc_net_port *p, const struct mrc_net_port_config *cfg)
{
    p->cfg = *cfg;
    p->fd = -1;
    if (p->cfg.frame_max == 0)
        p->cfg.frame_max = MRC_FRAME_MAX;
    if (p->cfg.rx_slots == 0)
        p->cfg.rx_slots = RX_SLOTS;
    if (p->cfg.tx_slots == 0)
        p->cfg.tx_slots = TX_SLOTS;
    if (strlen(cfg->ifname) >= sizeof p->link.name || p->cfg.frame_max > MRC_NET_JUMBO_MAX ||
        p->cfg.rx_slots > SLOTS_MAX || p->cfg.tx_slots > TX_MAX ||
        p->cfg.udp_port_count > MRC_UDP_PORTS_MAX)
        return false;
    snprintf(p->link.name, sizeof p->link.name, "%s", cfg->ifname);
    for (unsigned i = 0; cfg->udp_ports != NULL && i < cfg->udp_port_count; i++)
        p->udp_ports[i] = cfg->udp_ports[i];
    p->cfg.ifname = p->link.name;
    return true;
}

static bool make_queue(struct mrc_net_port *p)
{
    static const struct virtio_net_hdr plain; /* nothing is left to a device */
    p->tx = calloc(p->cfg.tx_slots, sizeof *p->tx);
    p->msgs = calloc(p->cfg.tx_slots, sizeof *p->msgs);
    if (p->tx == NULL || p->msgs == NULL)
        return false;
    for (uint32_t i = 0; i < p->cfg.tx_slots; i++) {
        p->tx[i].iov[0] = (struct iovec){.iov_base = (void *)&plain, .iov_len = sizeof plain};
        p->msgs[i].msg_hdr.msg_iov = &p->tx[i].iov[p->cfg.giants ? 0 : 1];
    }
    p->giant = p->cfg.giants ? malloc(MRC_NET_NOTE_LEN + MRC_NET_GIANT_MAX) : NULL;
    return !p->cfg.giants || p->giant != NULL;
}

struct mrc_net_port *mrc_net_port_open(const struct mrc_net_port_config *cfg, char *err,
                                       size_t err_cap)
{
    struct mrc_net_port *const p = calloc(1, sizeof *p);
    if (p == NULL) {
        snprintf(err, err_cap, "%s: out of memory", cfg->ifname);
        return NULL;
    }
    const bool good = take_config(p, cfg);
    bool open = false;
    if (!good)
        snprintf(err, err_cap, "%s: name, ring or frame size out of range", cfg->ifname);
    else if (!make_queue(p))
        snprintf(err, err_cap, "%s: out of memory", cfg->ifname);
    else
        open = mrc_net_port_attach(p, err, err_cap) == 0;
    if (open) {
        mrc_net_link_settle(&p->link, CARRIER_NS);
        return p;
    }
    mrc_net_port_free(p);
    return NULL;
}

void mrc_net_port_free(struct mrc_net_port *p)
{
    if (p == NULL)
        return;
    mrc_net_port_detach(p);
    free(p->giant);
    free(p->tx);
    free(p->msgs);
    free(p);
}

bool mrc_net_port_refresh(struct mrc_net_port *p)
{
    char err[160];
    const unsigned index = p->link.index;
    mrc_net_link_read(&p->link);
    if (p->link.index != 0 && p->link.index == index && p->fd >= 0)
        return false;
    const int fd = p->fd;
    mrc_net_port_detach(p);
    if (p->link.index != 0)
        mrc_net_port_attach(p, err, sizeof err);
    return fd >= 0 || p->fd >= 0;
}
