/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose address a port has, and how the kernel is kept from answering for it. */
#include "ref/net/filter.h"
#include "ref/net/node_int.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Differs from every interface's own: a local one whose other bit is turned. */
static void own_mac(const uint8_t iface[6], uint8_t mac[6])
{
    memcpy(mac, iface, 6);
    mac[0] = (uint8_t)(((iface[0] ^ 0x40u) | 0x02u) & 0xFEu);
}

static void link_local(struct mrc_addr *a)
{
    static const uint8_t prefix[8] = {0xFE, 0x80};
    a->is_v6 = true;
    memcpy(a->ip, prefix, sizeof prefix);
    memcpy(a->ip + 8, a->mac, 3);
    a->ip[8] ^= 0x02;
    a->ip[11] = 0xFF;
    a->ip[12] = 0xFE;
    memcpy(a->ip + 13, a->mac + 3, 3);
}

int mrc_net_plane_own(struct mrc_net_node *n, unsigned i, char *err, size_t err_cap)
{
    const struct mrc_net_node_port *const want = &n->cfg.port[i];
    struct mrc_net_plane *const pl = &n->plane[i];
    struct mrc_net_link link = {0};
    snprintf(link.name, sizeof link.name, "%s", want->ifname);
    if (mrc_net_link_read(&link) != 0) {
        snprintf(err, err_cap, "%s: there is no such network interface", want->ifname);
        return -1;
    }
    pl->addr = want->addr;
    pl->kernels = want->has_addr && mrc_net_link_has_addr(&link, &want->addr);
    if (pl->kernels)
        memcpy(pl->addr.mac, link.mac, 6);
    else
        own_mac(link.mac, pl->addr.mac);
    if (!want->has_addr)
        link_local(&pl->addr);
    return 0;
}

static socklen_t socket_address(const struct mrc_net_plane *pl, uint16_t port,
                                struct sockaddr_storage *to)
{
    memset(to, 0, sizeof *to);
    if (pl->addr.is_v6) {
        struct sockaddr_in6 *const a = (struct sockaddr_in6 *)(void *)to;
        a->sin6_family = AF_INET6;
        a->sin6_port = htons(port);
        memcpy(&a->sin6_addr, pl->addr.ip, 16);
        a->sin6_scope_id = mrc_net_port_link(pl->port)->index;
        return sizeof *a;
    }
    struct sockaddr_in *const a = (struct sockaddr_in *)(void *)to;
    a->sin_family = AF_INET;
    a->sin_port = htons(port);
    memcpy(&a->sin_addr, pl->addr.ip, 4);
    return sizeof *a;
}

static int open_sink(const struct mrc_net_plane *pl, uint16_t port)
{
    struct sock_filter nothing[] = {{.code = BPF_RET | BPF_K, .k = 0}};
    const struct sock_fprog filter = {.len = 1, .filter = nothing};
    struct sockaddr_storage to;
    const socklen_t len = socket_address(pl, port, &to);
    const int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0 &&
        bind(fd, (const struct sockaddr *)(const void *)&to, len) == 0)
        return fd;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

int mrc_net_plane_quiet(struct mrc_net_node *n, struct mrc_net_plane *pl, char *err, size_t cap)
{
    const struct mrc_wire_config *const wire = &n->cfg.ep.wire;
    char text[46];
    for (unsigned i = 0; pl->kernels && i < wire->udp_port_count; i++) {
        pl->sinks[i] = open_sink(pl, wire->udp_ports[i]);
        if (pl->sinks[i] < 0) {
            snprintf(err, cap, "UDP port %u of %s is taken, or cannot be: %s", wire->udp_ports[i],
                     mrc_net_addr_str(&pl->addr, text), strerror(errno));
            return -1;
        }
    }
    return 0;
}

void mrc_net_plane_unquiet(struct mrc_net_plane *pl)
{
    for (unsigned i = 0; i < MRC_UDP_PORTS_MAX; i++) {
        if (pl->sinks[i] >= 0)
            close(pl->sinks[i]);
        pl->sinks[i] = -1;
    }
}
