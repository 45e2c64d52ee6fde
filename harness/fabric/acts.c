/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a switch does to a packet: mark, reclassify, trim. It sees the outermost IP header alone, so
 * in SRv6 mode the inner one stays as sent.
 */
#include "harness/fabric/acts.h"
#include "harness/fabric/fabric.h"

#define IPV6_LEN 40u
#define ECN_CE   3u

/* Offset of the outermost IP header; 0 when the frame has none. */
static size_t outer_ip(const struct mrc_pkt *p)
{
    if (!p->has_outer && !MRC_PKT_HAS(p, IPV4) && !MRC_PKT_HAS(p, IPV6))
        return 0;
    return MRC_ETH_LEN + (size_t)p->vlan_count * MRC_VLAN_LEN;
}

static bool outer_is_v6(const struct mrc_pkt *p)
{
    return p->has_outer || p->is_v6;
}

static void put16(uint8_t *p, size_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

/* Puts the right checksum into the IPv4 header at `at`. */
static void mend(struct mrc_frame *f, size_t at)
{
    uint8_t *const ip = f->hdr + at;
    const size_t len = (size_t)(ip[0] & 0xFu) * 4;
    if (len < MRC_IPV4_LEN || at + len > f->hdr_len)
        return;
    put16(ip + 10, 0);
    uint32_t sum = 0;
    for (size_t i = 0; i < len; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    while (sum > 0xFFFFu)
        sum = (sum & 0xFFFFu) + (sum >> 16);
    put16(ip + 10, ~sum & 0xFFFFu);
}

void mrct_act_fix_ipv4(struct mrc_frame *f, const struct mrc_pkt *p)
{
    if (MRC_PKT_HAS(p, IPV4))
        mend(f, p->off[MRC_HDR_IPV4]);
}

/* The traffic class byte (DSCP and ECN) of the outermost IP header. */
static uint8_t class_get(const struct mrc_frame *f, bool v6, size_t at)
{
    if (!v6)
        return f->hdr[at + 1];
    return (uint8_t)(((f->hdr[at] & 0xFu) << 4) | (f->hdr[at + 1] >> 4));
}

static void class_set(struct mrc_frame *f, bool v6, size_t at, unsigned tc)
{
    if (v6) {
        f->hdr[at] = (uint8_t)((f->hdr[at] & 0xF0u) | (tc >> 4 & 0xFu));
        f->hdr[at + 1] = (uint8_t)((f->hdr[at + 1] & 0xFu) | (tc & 0xFu) << 4);
    } else {
        f->hdr[at + 1] = (uint8_t)tc;
        mend(f, at);
    }
}

bool mrct_act_mark_ce_at(struct mrc_frame *f, size_t ip_at, bool v6)
{
    const uint8_t tc = class_get(f, v6, ip_at);
    if ((tc & 3u) == 0)
        return false;
    class_set(f, v6, ip_at, tc | ECN_CE);
    return true;
}

bool mrct_act_mark_ce(struct mrc_frame *f, const struct mrc_pkt *p)
{
    const size_t at = outer_ip(p);
    return at != 0 && mrct_act_mark_ce_at(f, at, outer_is_v6(p));
}

bool mrct_act_dscp(struct mrc_frame *f, const struct mrc_pkt *p, uint8_t dscp)
{
    const size_t at = outer_ip(p);
    const bool v6 = outer_is_v6(p);
    if (at == 0)
        return false;
    class_set(f, v6, at, (unsigned)dscp << 2 | (class_get(f, v6, at) & 3u));
    return true;
}

static bool trimmable(const struct mrc_wire_config *wire, const struct mrc_pkt *p)
{
    return p->dscp == wire->dscp[MRC_DSCP_TRIMMABLE] ||
           p->dscp == wire->dscp[MRC_DSCP_TRIMMABLE_RETX];
}

/* Keeps `keep` bytes of what follows the headers. */
static void cut(struct mrc_frame *f, size_t keep)
{
    f->pad_len = keep > f->payload_len ? (uint8_t)(keep - f->payload_len) : 0;
    if (keep < f->payload_len)
        f->payload_len = (uint32_t)keep;
    f->icrc_state = MRC_ICRC_ABSENT;
    f->icrc = 0;
}

bool mrct_act_trim(const struct mrc_wire_config *wire, struct mrc_frame *f, const struct mrc_pkt *p,
                   bool last_hop)
{
    const size_t at = outer_ip(p);
    if (at == 0 || !MRC_PKT_HAS(p, UDP) || !trimmable(wire, p) || f->icrc_state == MRC_ICRC_ABSENT)
        return false;
    const size_t min_end = (size_t)p->off[MRC_HDR_UDP] + MRCT_FAB_MIN_TRIM;
    const size_t keep = min_end > f->hdr_len ? min_end - f->hdr_len : 0;
    if (keep >= (size_t)f->payload_len + f->pad_len)
        return false; /* nothing but the ICRC would go: too short to be worth a trim */
    cut(f, keep);
    const size_t ip_end = (size_t)f->hdr_len + f->payload_len + f->pad_len - at;
    if (outer_is_v6(p))
        put16(f->hdr + at + 4, ip_end - IPV6_LEN);
    else
        put16(f->hdr + at + 2, ip_end);
    return mrct_act_dscp(f, p, wire->dscp[last_hop ? MRC_DSCP_TRIMMED_LASTHOP : MRC_DSCP_TRIMMED]);
}
