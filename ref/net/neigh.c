/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/net/neigh.h"

#include <string.h>

#define ETHERTYPE_ARP 0x0806u
#define ARP_LEN       28u
#define ARP_REQUEST   1u
#define ARP_REPLY     2u
#define ICMPV6        58u
#define ND_SOLICIT    135u
#define ND_ADVERTISE  136u
#define ND_LEN        24u /* without options */
#define ND_OPT_LEN    8u
#define OPT_SOURCE    1u
#define OPT_TARGET    2u
#define HOPS          255u /* a neighbour message that was routed is a forged one */
#define FLAG_SOLICIT  0x40u
#define FLAG_OVERRIDE 0x20u

static const uint8_t everyone[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

static unsigned get16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

/* The ICMPv6 checksum of a message of len bytes behind the IPv6 header at ip; 0 when it holds. */
static unsigned checksum(const uint8_t *ip, size_t len)
{
    uint32_t sum = (uint32_t)len + ICMPV6;
    for (size_t i = 8; i < 40; i += 2)
        sum += get16(ip + i);
    for (size_t i = 0; i + 1 < len; i += 2)
        sum += get16(ip + 40 + i);
    if (len % 2 != 0)
        sum += (uint32_t)ip[40 + len - 1] << 8;
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return ~sum & 0xFFFF;
}

static enum mrc_neigh_kind parse_arp(const uint8_t *p, size_t len, struct mrc_neigh_msg *m)
{
    static const uint8_t head[6] = {0, 1, 0x08, 0, 6, 4};
    if (len < ARP_LEN || memcmp(p, head, sizeof head) != 0)
        return MRC_NEIGH_NONE;
    memcpy(m->from.mac, p + 8, 6);
    memcpy(m->from.ip, p + 14, 4);
    memcpy(m->target.ip, p + 24, 4);
    const unsigned op = get16(p + 6);
    return op == ARP_REQUEST ? MRC_NEIGH_ASKED : op == ARP_REPLY ? MRC_NEIGH_TOLD : MRC_NEIGH_NONE;
}

/* The link-layer address among the options. */
static bool find_option(const uint8_t *p, size_t len, unsigned type, uint8_t mac[6])
{
    for (size_t at = 0; at + ND_OPT_LEN <= len && p[at + 1] != 0; at += 8 * (size_t)p[at + 1]) {
        if (p[at] == type && p[at + 1] == 1) {
            memcpy(mac, p + at + 2, 6);
            return true;
        }
    }
    return false;
}

static bool is_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static enum mrc_neigh_kind parse_nd(const uint8_t *ip, size_t len, struct mrc_neigh_msg *m)
{
    if (len < 40 + ND_LEN || ip[6] != ICMPV6 || ip[7] != HOPS)
        return MRC_NEIGH_NONE;
    const size_t size = get16(ip + 4);
    const uint8_t *const msg = ip + 40;
    if (size < ND_LEN || size > len - 40 || msg[1] != 0 || checksum(ip, size) != 0)
        return MRC_NEIGH_NONE;
    m->from.is_v6 = m->target.is_v6 = true;
    if (msg[0] == ND_SOLICIT) {
        memcpy(m->from.ip, ip + 8, 16);
        memcpy(m->target.ip, msg + 8, 16);
        const bool told = find_option(msg + ND_LEN, size - ND_LEN, OPT_SOURCE, m->from.mac);
        return told || is_zero(m->from.ip, 16) ? MRC_NEIGH_ASKED : MRC_NEIGH_NONE;
    }
    memcpy(m->from.ip, msg + 8, 16);
    if (msg[0] != ND_ADVERTISE ||
        !find_option(msg + ND_LEN, size - ND_LEN, OPT_TARGET, m->from.mac))
        return MRC_NEIGH_NONE;
    return MRC_NEIGH_TOLD;
}

enum mrc_neigh_kind mrc_neigh_parse(const uint8_t *bytes, size_t len, struct mrc_neigh_msg *m)
{
    size_t at = MRC_ETH_LEN;
    memset(m, 0, sizeof *m);
    if (len < at + MRC_VLAN_LEN)
        return MRC_NEIGH_NONE;
    unsigned type = get16(bytes + 12);
    if (type == MRC_ETHERTYPE_VLAN) {
        type = get16(bytes + 16);
        at += MRC_VLAN_LEN;
    }
    if (type == ETHERTYPE_ARP)
        return parse_arp(bytes + at, len - at, m);
    return type == MRC_ETHERTYPE_IPV6 ? parse_nd(bytes + at, len - at, m) : MRC_NEIGH_NONE;
}

static size_t write_arp(uint8_t *buf, const struct mrc_addr *own, const uint8_t to[6],
                        const struct mrc_addr *target, unsigned op)
{
    static const uint8_t head[6] = {0, 1, 0x08, 0, 6, 4};
    uint8_t *const p = buf + MRC_ETH_LEN;
    memset(buf, 0, MRC_ETH_LEN + ARP_LEN);
    memcpy(buf, to, 6);
    memcpy(buf + 6, own->mac, 6);
    put16(buf + 12, ETHERTYPE_ARP);
    memcpy(p, head, sizeof head);
    put16(p + 6, op);
    memcpy(p + 8, own->mac, 6);
    memcpy(p + 14, own->ip, 4);
    if (op == ARP_REPLY)
        memcpy(p + 18, target->mac, 6);
    memcpy(p + 24, target->ip, 4);
    return MRC_ETH_LEN + ARP_LEN;
}

struct nd_words {
    unsigned type, flags, option;
    const uint8_t *to_mac, *to_ip, *about; /* about: the target of the message */
};

static size_t write_nd(uint8_t *buf, const struct mrc_addr *own, const struct nd_words *w)
{
    uint8_t *const ip = buf + MRC_ETH_LEN;
    uint8_t *const msg = ip + 40;
    memset(buf, 0, MRC_NEIGH_FRAME_MAX);
    memcpy(buf, w->to_mac, 6);
    memcpy(buf + 6, own->mac, 6);
    put16(buf + 12, MRC_ETHERTYPE_IPV6);
    ip[0] = 0x60;
    put16(ip + 4, ND_LEN + ND_OPT_LEN);
    ip[6] = ICMPV6;
    ip[7] = HOPS;
    memcpy(ip + 8, own->ip, 16);
    memcpy(ip + 24, w->to_ip, 16);
    msg[0] = (uint8_t)w->type;
    msg[4] = (uint8_t)w->flags;
    memcpy(msg + 8, w->about, 16);
    msg[ND_LEN] = (uint8_t)w->option;
    msg[ND_LEN + 1] = 1;
    memcpy(msg + ND_LEN + 2, own->mac, 6);
    put16(msg + 2, checksum(ip, ND_LEN + ND_OPT_LEN));
    return MRC_ETH_LEN + 40 + ND_LEN + ND_OPT_LEN;
}

size_t mrc_neigh_ask(uint8_t buf[MRC_NEIGH_FRAME_MAX], const struct mrc_addr *own,
                     const struct mrc_addr *target)
{
    if (!target->is_v6)
        return write_arp(buf, own, everyone, target, ARP_REQUEST);
    /* The solicited-node group of the target. */
    uint8_t ip[16] = {0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF};
    uint8_t mac[6] = {0x33, 0x33, 0xFF};
    memcpy(ip + 13, target->ip + 13, 3);
    memcpy(mac + 3, target->ip + 13, 3);
    const struct nd_words w = {ND_SOLICIT, 0, OPT_SOURCE, mac, ip, target->ip};
    return write_nd(buf, own, &w);
}

size_t mrc_neigh_answer(uint8_t buf[MRC_NEIGH_FRAME_MAX], const struct mrc_addr *own,
                        const struct mrc_addr *asker)
{
    static const uint8_t all_nodes[16] = {0xFF, 0x02, [15] = 1};
    static const uint8_t all_nodes_mac[6] = {0x33, 0x33, 0, 0, 0, 1};
    if (!asker->is_v6)
        return write_arp(buf, own, asker->mac, asker, ARP_REPLY);
    const bool nameless = is_zero(asker->ip, 16);
    const struct nd_words w = {ND_ADVERTISE,
                               nameless ? FLAG_OVERRIDE : FLAG_SOLICIT | FLAG_OVERRIDE,
                               OPT_TARGET,
                               nameless ? all_nodes_mac : asker->mac,
                               nameless ? all_nodes : asker->ip,
                               own->ip};
    return write_nd(buf, own, &w);
}

static bool same_ip(const struct mrc_addr *a, const struct mrc_addr *b)
{
    return a->is_v6 == b->is_v6 && memcmp(a->ip, b->ip, a->is_v6 ? 16 : 4) == 0;
}

static bool put_entry(struct mrc_neigh_table *t, unsigned i, const struct mrc_addr *who, bool fixed)
{
    if (t->fixed[i] && !fixed)
        return true;
    t->known[i] = *who;
    t->fixed[i] = fixed;
    return true;
}

bool mrc_neigh_learn(struct mrc_neigh_table *t, const struct mrc_addr *who, bool fixed)
{
    for (unsigned i = 0; i < t->count; i++)
        if (same_ip(&t->known[i], who))
            return put_entry(t, i, who, fixed);
    if (t->count < MRC_NEIGH_MAX)
        return put_entry(t, t->count++, who, fixed);
    for (unsigned n = 0; n < MRC_NEIGH_MAX; n++) {
        const unsigned i = t->next;
        t->next = (t->next + 1) % MRC_NEIGH_MAX;
        if (!t->fixed[i])
            return put_entry(t, i, who, fixed);
    }
    return false;
}

bool mrc_neigh_find(const struct mrc_neigh_table *t, struct mrc_addr *addr)
{
    for (unsigned i = 0; i < t->count; i++) {
        if (same_ip(&t->known[i], addr)) {
            memcpy(addr->mac, t->known[i].mac, sizeof addr->mac);
            return true;
        }
    }
    return false;
}
