/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/veth.h"

#include "ref/net/link.h"
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int sorry(char *err, size_t cap, const char *what)
{
    (void)snprintf(err, cap, "%s: %s", what, strerror(errno));
    return -1;
}

/* The kernel's own IPv6 would talk on every interface; where it cannot be told so, it is heard and
 * passed over. */
static void hush(const char *path)
{
    FILE *const f = fopen(path, "we");
    if (f != NULL) {
        (void)fputs("1\n", f);
        (void)fclose(f);
    }
}

int mrct_veth_alone(char *err, size_t err_cap)
{
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return sorry(err, err_cap, "no network namespace of its own (root is needed)");
    hush("/proc/sys/net/ipv6/conf/all/disable_ipv6");
    hush("/proc/sys/net/ipv6/conf/default/disable_ipv6");
    return 0;
}

/* ---- a request to the kernel ---- */

struct request {
    struct nlmsghdr head;
    struct ifinfomsg link;
    char room[512];
};

static void *end_of(struct request *q)
{
    return (char *)q + NLMSG_ALIGN(q->head.nlmsg_len);
}

/* Adds an attribute; len 0 begins one that holds others, and ends with end_nest(). */
static struct rtattr *add(struct request *q, unsigned short type, const void *data, size_t len)
{
    struct rtattr *const a = end_of(q);
    a->rta_type = type;
    a->rta_len = (unsigned short)RTA_LENGTH(len);
    if (len > 0)
        memcpy(RTA_DATA(a), data, len);
    q->head.nlmsg_len = NLMSG_ALIGN(q->head.nlmsg_len) + RTA_ALIGN(a->rta_len);
    return a;
}

static void end_nest(struct request *q, struct rtattr *a)
{
    a->rta_len = (unsigned short)((char *)end_of(q) - (char *)a);
}

static void add_end(struct request *q, const char *name, unsigned mtu)
{
    (void)add(q, IFLA_IFNAME, name, strlen(name) + 1);
    (void)add(q, IFLA_MTU, &mtu, sizeof mtu);
}

static void make_request(struct request *q, const char *a, const char *b, unsigned mtu)
{
    *q = (struct request){
        .head = {.nlmsg_len = NLMSG_LENGTH(sizeof q->link),
                 .nlmsg_type = RTM_NEWLINK,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL},
        .link = {.ifi_family = AF_UNSPEC},
    };
    add_end(q, a, mtu);
    struct rtattr *const info = add(q, IFLA_LINKINFO, NULL, 0);
    (void)add(q, IFLA_INFO_KIND, "veth", 4);
    struct rtattr *const data = add(q, IFLA_INFO_DATA, NULL, 0);
    struct rtattr *const peer = add(q, VETH_INFO_PEER, &q->link, sizeof q->link);
    add_end(q, b, mtu);
    end_nest(q, peer);
    end_nest(q, data);
    end_nest(q, info);
}

/* Sends it and waits for the answer; errno says what the kernel did not like. */
static int ask(int fd, const struct request *q)
{
    struct {
        struct nlmsghdr head;
        struct nlmsgerr result;
        char room[1024];
    } answer;
    if (send(fd, q, q->head.nlmsg_len, 0) < 0)
        return -1;
    if (recv(fd, &answer, sizeof answer, 0) < (ssize_t)NLMSG_LENGTH(sizeof answer.result))
        return -1;
    errno = -answer.result.error;
    return answer.result.error == 0 ? 0 : -1;
}

/* Neither end can be switched on before both are there. */
static int switch_on(const char *name)
{
    struct ifreq r = {0};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
    int rc = fd < 0 ? -1 : ioctl(fd, SIOCGIFFLAGS, &r);
    if (rc == 0) {
        r.ifr_flags = (short)(r.ifr_flags | IFF_UP);
        rc = ioctl(fd, SIOCSIFFLAGS, &r);
    }
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

/* A carrier takes the kernel some time, and what is sent before is lost. */
static int await_carrier(const char *name, int news)
{
    struct mrc_net_link link = {0};
    (void)snprintf(link.name, sizeof link.name, "%s", name);
    while (mrc_net_link_read(&link) == 0 && !link.up) {
        struct pollfd fd = {.fd = news, .events = POLLIN};
        if (poll(&fd, 1, 100) < 0)
            return -1;
        mrc_net_link_drain(news);
    }
    return link.index != 0 ? 0 : -1;
}

static int make_pair(int fd, int news, const char *a, const char *b, unsigned mtu)
{
    struct request q;
    make_request(&q, a, b, mtu);
    if (ask(fd, &q) != 0 || switch_on(a) != 0 || switch_on(b) != 0)
        return -1;
    return await_carrier(a, news) != 0 ? -1 : await_carrier(b, news);
}

int mrct_veth_pair(const char *a, const char *b, unsigned mtu, char *err, size_t err_cap)
{
    char what[80];
    const int news = mrc_net_link_watch();
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    (void)snprintf(what, sizeof what, "no pair of interfaces %s-%s", a, b);
    const int rc = fd < 0 || news < 0 || strlen(a) >= IF_NAMESIZE || strlen(b) >= IF_NAMESIZE ||
                           make_pair(fd, news, a, b, mtu) != 0
                       ? sorry(err, err_cap, what)
                       : 0;
    if (fd >= 0)
        (void)close(fd);
    if (news >= 0)
        (void)close(news);
    return rc;
}
