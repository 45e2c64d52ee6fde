/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/net/link.h"

#include "ref/net/clock.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool ask(int fd, unsigned long request, const char *name, struct ifreq *r)
{
    memset(r, 0, sizeof *r);
    memcpy(r->ifr_name, name, IF_NAMESIZE);
    return ioctl(fd, request, r) == 0;
}

static bool read_all(int fd, struct mrc_net_link *link)
{
    struct ifreq r;
    if (!ask(fd, SIOCGIFINDEX, link->name, &r))
        return false;
    const unsigned index = (unsigned)r.ifr_ifindex;
    if (!ask(fd, SIOCGIFHWADDR, link->name, &r))
        return false;
    link->is_ether = r.ifr_hwaddr.sa_family == ARPHRD_ETHER;
    memcpy(link->mac, r.ifr_hwaddr.sa_data, sizeof link->mac);
    if (!ask(fd, SIOCGIFMTU, link->name, &r))
        return false;
    link->mtu = (unsigned)r.ifr_mtu;
    if (!ask(fd, SIOCGIFFLAGS, link->name, &r))
        return false;
    link->enabled = (r.ifr_flags & IFF_UP) != 0;
    link->up = link->enabled && (r.ifr_flags & IFF_RUNNING) != 0;
    link->index = index;
    return true;
}

int mrc_net_link_read(struct mrc_net_link *link)
{
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    link->index = 0;
    link->up = false;
    const bool found = fd >= 0 && read_all(fd, link);
    if (fd >= 0)
        close(fd);
    return found ? 0 : -1;
}

static bool is_addr(const struct sockaddr *sa, const struct mrc_addr *addr)
{
    if (sa->sa_family == AF_INET6 && addr->is_v6)
        return memcmp(&((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, addr->ip, 16) ==
               0;
    return sa->sa_family == AF_INET && !addr->is_v6 &&
           memcmp(&((const struct sockaddr_in *)(const void *)sa)->sin_addr, addr->ip, 4) == 0;
}

bool mrc_net_link_has_addr(const struct mrc_net_link *link, const struct mrc_addr *addr)
{
    struct ifaddrs *list;
    bool found = false;
    if (getifaddrs(&list) != 0)
        return false;
    for (const struct ifaddrs *i = list; i != NULL && !found; i = i->ifa_next)
        found = i->ifa_addr != NULL && strcmp(i->ifa_name, link->name) == 0 &&
                is_addr(i->ifa_addr, addr);
    freeifaddrs(list);
    return found;
}

void mrc_net_link_settle(struct mrc_net_link *link, uint64_t patience_ns)
{
    const int news = mrc_net_link_watch();
    const uint64_t until_ns = mrc_net_now_ns() + patience_ns;
    uint64_t now_ns = until_ns - patience_ns;
    /* Read after the watch began: what changes from then on is news. */
    while (news >= 0 && mrc_net_link_read(link) == 0 && link->enabled && !link->up &&
           now_ns < until_ns) {
        struct pollfd fd = {.fd = news, .events = POLLIN};
        (void)poll(&fd, 1, (int)((until_ns - now_ns) / 1000000u + 1u));
        mrc_net_link_drain(news);
        now_ns = mrc_net_now_ns();
    }
    if (news >= 0)
        close(news);
}

int mrc_net_link_watch(void)
{
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    const struct sockaddr_nl all = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
    if (fd >= 0 && bind(fd, (const struct sockaddr *)(const void *)&all, sizeof all) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

void mrc_net_link_drain(int fd)
{
    char buf[8192];
    while (recv(fd, buf, sizeof buf, 0) > 0) {
    }
}

int mrc_net_addr_parse(const char *text, struct mrc_addr *addr)
{
    memset(addr, 0, sizeof *addr);
    addr->is_v6 = strchr(text, ':') != NULL;
    return inet_pton(addr->is_v6 ? AF_INET6 : AF_INET, text, addr->ip) == 1 ? 0 : -1;
}

const char *mrc_net_addr_str(const struct mrc_addr *addr, char buf[46])
{
    return inet_ntop(addr->is_v6 ? AF_INET6 : AF_INET, addr->ip, buf, 46);
}

bool mrc_net_addr_same_ip(const struct mrc_addr *a, const struct mrc_addr *b)
{
    return a->is_v6 == b->is_v6 && memcmp(a->ip, b->ip, a->is_v6 ? 16 : 4) == 0;
}

static int hex_digit(char c)
{
    const char *const digits = "0123456789abcdef";
    const char *const at = c == '\0' ? NULL : strchr(digits, tolower((unsigned char)c));
    return at == NULL ? -1 : (int)(at - digits);
}

int mrc_net_mac_parse(const char *text, uint8_t mac[6])
{
    if (strlen(text) != 17)
        return -1;
    for (unsigned i = 0; i < 6; i++, text += 3) {
        const int high = hex_digit(text[0]), low = hex_digit(text[1]);
        if (high < 0 || low < 0 || text[2] != (i < 5 ? ':' : '\0'))
            return -1;
        mac[i] = (uint8_t)(16 * high + low);
    }
    return 0;
}

const char *mrc_net_mac_str(const uint8_t mac[6], char buf[18])
{
    snprintf(buf, 18, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
             mac[5]);
    return buf;
}
