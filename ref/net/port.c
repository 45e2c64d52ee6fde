/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames in and out of a port. */
#include "ref/net/port.h"

#include "ref/net/port_int.h"
#include <errno.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/types.h>

#define BATCH 64u /* frames of one system call at most */

int mrc_net_port_fd(const struct mrc_net_port *p)
{
    return p->fd;
}

const struct mrc_net_link *mrc_net_port_link(const struct mrc_net_port *p)
{
    return &p->link;
}

/* ---- in ---- */

static struct tpacket2_hdr *slot_at(const struct mrc_net_port *p, uint32_t i)
{
    const size_t off =
        (size_t)(i / p->per_block) * p->block_len + (size_t)(i % p->per_block) * p->slot_len;
    return (struct tpacket2_hdr *)(void *)(p->ring + off);
}

void mrc_net_port_ring_losses(struct mrc_net_port *p)
{
    struct tpacket_stats s;
    socklen_t len = sizeof s;
    if (p->fd >= 0 && getsockopt(p->fd, SOL_PACKET, PACKET_STATISTICS, &s, &len) == 0)
        p->count.rx_ring_full += s.tp_drops;
    p->rx_losing = false;
}

const struct mrc_net_port_counters *mrc_net_port_counters(struct mrc_net_port *p)
{
    mrc_net_port_ring_losses(p);
    return &p->count;
}

const struct mrc_net_port_counters *mrc_net_port_peek(const struct mrc_net_port *p)
{
    return &p->count;
}

/* The kernel takes a VLAN tag out of the frame; the wire had it. Moves the addresses forward. */
static uint8_t *put_tag_back(uint8_t *bytes, const struct tpacket2_hdr *h)
{
    const uint16_t tpid =
        (h->tp_status & TP_STATUS_VLAN_TPID_VALID) ? h->tp_vlan_tpid : MRC_ETHERTYPE_VLAN;
    uint8_t *const at = bytes - MRC_VLAN_LEN;
    memmove(at, bytes, 12);
    at[12] = (uint8_t)(tpid >> 8);
    at[13] = (uint8_t)tpid;
    at[14] = (uint8_t)(h->tp_vlan_tci >> 8);
    at[15] = (uint8_t)h->tp_vlan_tci;
    return at;
}

void mrc_net_port_rx_done(struct mrc_net_port *p)
{
    __atomic_store_n(&slot_at(p, p->rx_next)->tp_status, (uint32_t)TP_STATUS_KERNEL,
                     __ATOMIC_RELEASE);
    p->rx_next = p->rx_next + 1 == p->slots ? 0 : p->rx_next + 1;
    if (p->rx_kept > 0)
        p->rx_kept++; /* it lies among those */
}

/* The ring holds the beginning of a giant, the socket's queue all of it. */
static bool take_giant(struct mrc_net_port *p, const struct tpacket2_hdr *h, struct mrc_net_rx *rx)
{
    const ssize_t n = recv(p->fd, p->giant, MRC_NET_NOTE_LEN + MRC_NET_GIANT_MAX, MSG_DONTWAIT);
    if (n != (ssize_t)(MRC_NET_NOTE_LEN + h->tp_len)) {
        p->count.rx_cut++;
        return false;
    }
    *rx = (struct mrc_net_rx){.bytes = p->giant + MRC_NET_NOTE_LEN,
                              .len = h->tp_len,
                              .sec = h->tp_sec,
                              .nsec = h->tp_nsec,
                              .offload = p->giant};
    p->count.rx_giants++;
    p->count.rx_frames++;
    p->count.rx_bytes += rx->len;
    return true;
}

static bool is_giant(const struct mrc_net_port *p, const struct tpacket2_hdr *h)
{
    return p->cfg.giants && h->tp_len > h->tp_snaplen && (h->tp_status & TP_STATUS_COPY) != 0;
}

/* Own frames come back on old kernels; a frame that was too long is of no use. */
static bool wanted(struct mrc_net_port *p, struct tpacket2_hdr *h)
{
    const size_t off =
        ((sizeof *h + TPACKET_ALIGNMENT - 1) / TPACKET_ALIGNMENT) * TPACKET_ALIGNMENT;
    const void *const at = (const uint8_t *)h + off;
    const struct sockaddr_ll *const from = at;
    if (from->sll_pkttype == PACKET_OUTGOING)
        return false;
    if (h->tp_snaplen == h->tp_len && h->tp_len <= p->cfg.frame_max)
        return true;
    p->count.rx_cut++;
    return false;
}

void mrc_net_port_rx_keep(struct mrc_net_port *p)
{
    p->rx_next = p->rx_next + 1 == p->slots ? 0 : p->rx_next + 1;
    p->rx_kept++;
}

/* A slot among them may have been given back already (a frame that was not wanted): the kernel
 * cannot have come round to it, since it fills them in order. */
void mrc_net_port_rx_release(struct mrc_net_port *p)
{
    for (; p->rx_kept > 0; p->rx_kept--) {
        const uint32_t back =
            p->rx_next >= p->rx_kept ? p->rx_next - p->rx_kept : p->slots + p->rx_next - p->rx_kept;
        __atomic_store_n(&slot_at(p, back)->tp_status, (uint32_t)TP_STATUS_KERNEL,
                         __ATOMIC_RELEASE);
    }
}

bool mrc_net_port_holds(const struct mrc_net_port *p, const void *at)
{
    const uintptr_t from = (uintptr_t)p->ring, x = (uintptr_t)at;
    return p->ring != NULL && x >= from && x - from < p->ring_len;
}

bool mrc_net_port_rx_ready(const struct mrc_net_port *p)
{
    return p->ring != NULL && p->rx_kept < p->slots &&
           (__atomic_load_n(&slot_at(p, p->rx_next)->tp_status, __ATOMIC_ACQUIRE) &
            TP_STATUS_USER) != 0;
}

bool mrc_net_port_rx(struct mrc_net_port *p, struct mrc_net_rx *rx)
{
    if (p->ring == NULL)
        return false;
    while (p->rx_kept < p->slots) { /* what was kept is not read again */
        struct tpacket2_hdr *const h = slot_at(p, p->rx_next);
        const uint32_t status = __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE);
        if ((status & TP_STATUS_USER) == 0)
            return false;
        if ((status & TP_STATUS_LOSING) != 0 && !p->rx_losing)
            p->rx_losing = true;
        if (is_giant(p, h)) {
            if (take_giant(p, h, rx))
                return true;
            mrc_net_port_rx_done(p);
            continue;
        }
        if (!wanted(p, h)) {
            mrc_net_port_rx_done(p);
            continue;
        }
        uint8_t *bytes = (uint8_t *)h + h->tp_mac;
        rx->len = h->tp_snaplen;
        if ((status & TP_STATUS_VLAN_VALID) != 0) {
            bytes = put_tag_back(bytes, h);
            rx->len += MRC_VLAN_LEN;
        }
        rx->bytes = bytes;
        rx->offload = NULL;
        rx->sec = h->tp_sec;
        rx->nsec = h->tp_nsec;
        rx->checksum_due = (status & TP_STATUS_CSUMNOTREADY) != 0;
        p->count.rx_frames++;
        p->count.rx_bytes += rx->len;
        return true;
    }
    return false;
}

/* ---- out ---- */

static bool is_down(int error)
{
    return error == ENETDOWN || error == ENXIO || error == ENODEV || error == EBADF;
}

unsigned mrc_net_port_room(const struct mrc_net_port *p)
{
    return p->cfg.tx_slots - p->tx_n;
}

/* The next free slot, counted as used. */
static struct mrc_net_tx *next_slot(struct mrc_net_port *p)
{
    return &p->tx[(p->tx_head + p->tx_n++) % p->cfg.tx_slots];
}

/* The slot holds a frame of so many pieces; with giants the kernel's notes go before each. */
static void set_pieces(struct mrc_net_port *p, struct mrc_net_tx *t, size_t pieces)
{
    p->msgs[(size_t)(t - p->tx)].msg_hdr.msg_iovlen = pieces + (p->cfg.giants ? 1 : 0);
}

bool mrc_net_port_put(struct mrc_net_port *p, const struct mrc_wire_config *wire,
                      const struct mrc_frame *f)
{
    if (f->hdr_len > MRC_FRAME_HDR_MAX)
        return false;
    size_t pieces = 1;
    struct mrc_net_tx *const t = next_slot(p);
    struct iovec *const iov = &t->iov[1];
    memcpy(t->hdr, f->hdr, f->hdr_len);
    iov[0] = (struct iovec){.iov_base = t->hdr, .iov_len = f->hdr_len};
    if (f->payload_len > 0)
        iov[pieces++] = (struct iovec){.iov_base = (void *)f->payload, .iov_len = f->payload_len};
    size_t tail = f->pad_len;
    memset(t->tail, 0, 4);
    if (f->icrc_state != MRC_ICRC_ABSENT) {
        const uint32_t icrc = mrc_frame_icrc(wire, f);
        for (unsigned i = 0; i < 4; i++)
            t->tail[tail++] = (uint8_t)(icrc >> (8 * i));
    }
    if (tail > 0)
        iov[pieces++] = (struct iovec){.iov_base = t->tail, .iov_len = tail};
    set_pieces(p, t, pieces);
    return true;
}

void mrc_net_port_put_bytes(struct mrc_net_port *p, const uint8_t *bytes, size_t len)
{
    struct mrc_net_tx *const t = next_slot(p);
    t->iov[1] = (struct iovec){.iov_base = (void *)bytes, .iov_len = len};
    if (len <= sizeof t->hdr) {
        memcpy(t->hdr, bytes, len);
        t->iov[1].iov_base = t->hdr;
    }
    set_pieces(p, t, 1);
}

bool mrc_net_port_send_giant(struct mrc_net_port *p, const struct mrc_net_rx *rx)
{
    if (!mrc_net_port_flush(p))
        return false;
    const ssize_t n =
        send(p->fd, rx->offload, MRC_NET_NOTE_LEN + rx->len, MSG_DONTWAIT); /* in a row */
    if (n >= 0) {
        p->count.tx_frames++;
        p->count.tx_bytes += rx->len;
        p->count.tx_calls++;
        return true;
    }
    if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS) {
        p->count.tx_waits++;
        return false;
    }
    if (is_down(errno))
        p->count.tx_down++;
    else
        p->count.tx_refused++;
    return true;
}

static void leave(struct mrc_net_port *p, uint32_t n)
{
    p->tx_head = (p->tx_head + n) % p->cfg.tx_slots;
    p->tx_n -= n;
}

static void sent(struct mrc_net_port *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        p->count.tx_bytes += p->msgs[(p->tx_head + i) % p->cfg.tx_slots].msg_len -
                             (p->cfg.giants ? MRC_NET_NOTE_LEN : 0);
    p->count.tx_frames += n;
    p->count.tx_calls++;
    leave(p, n);
}

/* The oldest frame was not taken. False: it may be, later. */
static bool refused(struct mrc_net_port *p, int error)
{
    if (error == EAGAIN || error == EINTR) {
        p->count.tx_waits++;
        return error == EINTR;
    }
    if (is_down(error))
        p->count.tx_down++;
    else
        p->count.tx_refused++;
    leave(p, 1);
    return true;
}

bool mrc_net_port_flush(struct mrc_net_port *p)
{
    while (p->tx_n > 0) {
        const uint32_t to_end = p->cfg.tx_slots - p->tx_head;
        uint32_t n = p->tx_n < to_end ? p->tx_n : to_end;
        n = n < BATCH ? n : BATCH;
        const int got = sendmmsg(p->fd, p->msgs + p->tx_head, n, MSG_DONTWAIT);
        if (got > 0)
            sent(p, (uint32_t)got);
        else if (!refused(p, errno))
            return false;
    }
    return true;
}
