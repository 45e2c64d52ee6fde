/* SPDX-License-Identifier: BSD-2-Clause */
/* Struct to headers. Every write goes through an encoder that knows where the buffer ends. */
#include "ref/wire/chain.h"
#include "ref/wire/pkt.h"

#include <string.h>

/* Where the next header goes; p is NULL once something did not fit. */
struct out {
    uint8_t *p;
    const uint8_t *end;
};

static void advance(struct out *o, size_t n)
{
    if (n == 0) {
        o->p = NULL;
    } else {
        o->p += n;
    }
}

#define PUT(o, hdr, value)                                                                         \
    do {                                                                                           \
        if ((o)->p) {                                                                              \
            advance((o), mrc_##hdr##_encode((value), (o)->p, (o)->end));                           \
        }                                                                                          \
    } while (0)

static bool has(const struct mrc_pkt *p, enum mrc_hdr_id id)
{
    return (p->present & (UINT32_C(1) << id)) != 0;
}

/* Bytes of all MRC headers from the BTH on. */
static size_t mrc_headers_len(const struct mrc_pkt *p)
{
    size_t len = 0;
    for (uint32_t mask = p->present >> MRC_HDR_BTH << MRC_HDR_BTH; mask != 0; mask &= mask - 1) {
        const unsigned id = (unsigned)__builtin_ctz(mask);
        len += id < MRC_HDR_COUNT ? mrc_hdrs[id].len : 0;
    }
    return len;
}

static void put_ip4(struct out *o, const struct mrc_ipv4 *ip, const uint8_t *options)
{
    PUT(o, ipv4, ip);
    const size_t len = ip->ihl > 5 ? 4 * ((size_t)ip->ihl - 5) : 0;
    if (!o->p || len == 0) {
        return;
    }
    if (len > 40 || (size_t)(o->end - o->p) < len) {
        o->p = NULL;
        return;
    }
    memcpy(o->p, options, len);
    o->p += len;
}

static void put_carrier(struct out *o, const struct mrc_pkt *p)
{
    PUT(o, eth, &p->eth);
    for (unsigned i = 0; i < p->vlan_count && i < 2; i++) {
        PUT(o, vlan, &p->vlan[i]);
    }
    if (p->has_outer) {
        PUT(o, ipv6, &p->outer_ip6);
        if (has(p, MRC_HDR_SRH)) {
            PUT(o, srh, &p->srh);
        }
    }
    if (has(p, MRC_HDR_IPV6)) {
        PUT(o, ipv6, &p->ip6);
    } else if (has(p, MRC_HDR_IPV4)) {
        put_ip4(o, &p->ip4, p->ip4_opt);
    }
    if (has(p, MRC_HDR_UDP)) {
        PUT(o, udp, &p->udp);
    }
}

/* All headers as they stand; payload and pad by their lengths. */
static int put_all(const struct mrc_pkt *p, struct mrc_frame *f)
{
    if (p->payload_len > MRC_PAYLOAD_MAX || (p->payload_len > 0 && !p->payload)) {
        return -1;
    }
    struct out o = {f->hdr, f->hdr + sizeof f->hdr};
    put_carrier(&o, p);
    for (uint32_t mask = p->present >> MRC_HDR_BTH << MRC_HDR_BTH; mask != 0 && o.p;
         mask &= mask - 1) {
        advance(&o, mrc_chain_encode_one((enum mrc_hdr_id)__builtin_ctz(mask), p, o.p, o.end));
    }
    if (!o.p) {
        return -1;
    }
    f->hdr_len = (uint16_t)(o.p - f->hdr);
    f->pad_len = 0;
    f->payload_len = p->payload_len;
    f->payload = p->payload_len > 0 ? p->payload : NULL;
    f->icrc_state = MRC_ICRC_DEFERRED;
    f->icrc = 0;
    return 0;
}

int mrc_pkt_encode_raw(const struct mrc_wire_config *cfg, const struct mrc_pkt *p,
                       struct mrc_frame *f)
{
    (void)cfg;
    if (put_all(p, f) != 0) {
        return -1;
    }
    if (p->icrc_state == MRC_ICRC_ABSENT) {
        f->icrc_state = MRC_ICRC_ABSENT;
        return 0;
    }
    f->pad_len = has(p, MRC_HDR_BTH) ? p->bth.pad_cnt & 3 : 0;
    if (p->icrc_state == MRC_ICRC_WRONG) {
        f->icrc_state = MRC_ICRC_WRONG;
        f->icrc = p->icrc;
    }
    return 0;
}

void mrc_ipv4_mend_checksum(uint8_t *ip, size_t len)
{
    uint32_t sum = 0;
    ip[10] = ip[11] = 0;
    for (size_t i = 0; i + 1 < len; i += 2) {
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    }
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    ip[10] = (uint8_t)(~sum >> 8);
    ip[11] = (uint8_t)~sum;
}

static void put16(uint8_t *p, size_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

/* Mends lengths and links of an IPv6 header at ip with what follows of next bytes. */
static void mend_ip6(uint8_t *ip, uint8_t next_hdr, size_t next)
{
    ip[0] = (uint8_t)(0x60 | (ip[0] & 0x0F));
    put16(ip + 4, next);
    ip[6] = next_hdr;
}

/* The outer header and the SRH, if any; returns the inner header. */
static uint8_t *mend_outer(const struct mrc_pkt *p, uint8_t *ip, size_t inner_len)
{
    if (!p->has_outer) {
        return ip;
    }
    if (!has(p, MRC_HDR_SRH)) {
        mend_ip6(ip, MRC_IP_PROTO_IPV6, inner_len);
        return ip + MRC_IPV6_LEN;
    }
    mend_ip6(ip, MRC_IP_PROTO_ROUTING, inner_len + MRC_SRH_LEN);
    uint8_t *const srh = ip + MRC_IPV6_LEN;
    srh[0] = MRC_IP_PROTO_IPV6;
    srh[1] = 2; /* one segment */
    srh[2] = 4; /* segment routing */
    return srh + MRC_SRH_LEN;
}

/* EtherTypes of the link headers; returns the first IP header. A tag of another kind stays. */
static uint8_t *mend_link(const struct mrc_pkt *p, uint8_t *hdr)
{
    uint8_t *type = hdr + 12;
    for (unsigned i = 0; i < p->vlan_count && i < 2; i++) {
        const unsigned was = (unsigned)type[0] << 8 | type[1];
        if (was != MRC_ETHERTYPE_QINQ) {
            put16(type, MRC_ETHERTYPE_VLAN);
        }
        type += MRC_VLAN_LEN;
    }
    put16(type, has(p, MRC_HDR_IPV6) ? MRC_ETHERTYPE_IPV6 : MRC_ETHERTYPE_IPV4);
    return type + 2;
}

int mrc_pkt_encode(const struct mrc_wire_config *cfg, const struct mrc_pkt *p, struct mrc_frame *f)
{
    (void)cfg;
    if (!has(p, MRC_HDR_ETH) || !has(p, MRC_HDR_UDP) || !has(p, MRC_HDR_BTH) ||
        has(p, MRC_HDR_IPV4) == has(p, MRC_HDR_IPV6) || (p->has_outer && !has(p, MRC_HDR_IPV6)) ||
        put_all(p, f) != 0) {
        return -1;
    }
    f->pad_len = (uint8_t)((4 - p->payload_len % 4) % 4);
    const size_t udp_len = MRC_UDP_LEN + mrc_headers_len(p) + p->payload_len + f->pad_len + 4;
    uint8_t *const ip = mend_outer(p, mend_link(p, f->hdr), MRC_IPV6_LEN + udp_len);
    uint8_t *udp = ip + MRC_IPV6_LEN;
    if (has(p, MRC_HDR_IPV6)) {
        mend_ip6(ip, MRC_IP_PROTO_UDP, udp_len);
    } else {
        const size_t ip_len = p->ip4.ihl > 5 ? 4 * (size_t)p->ip4.ihl : MRC_IPV4_LEN;
        ip[0] = (uint8_t)(0x40 | ip_len / 4);
        put16(ip + 2, ip_len + udp_len);
        ip[9] = MRC_IP_PROTO_UDP;
        mrc_ipv4_mend_checksum(ip, ip_len);
        udp = ip + ip_len;
    }
    put16(udp + 4, udp_len);
    uint8_t *const bth = udp + MRC_UDP_LEN;
    bth[1] = (uint8_t)((bth[1] & 0xCF) | f->pad_len << 4);
    return 0;
}
