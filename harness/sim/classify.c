/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What switches look at, read from the headers once, where a packet enters the network; and the
 * addresses of hosts, which say plane and host.
 */
#include "harness/fabric/fabric.h"
#include "harness/sim/sim_priv.h"

#include <string.h>

#define ETHERTYPE_VLAN 0x8100u
#define ETHERTYPE_IPV6 0x86DDu
#define NEXT_IPV6      41u
#define NEXT_ROUTING   43u
#define HOST_BITS      20u

static const uint8_t v6_prefix[4] = {0xFD, 0x4D, 0x52, 0x43};

static uint32_t be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
    return be16(p) << 16 | be16(p + 2);
}

static void put32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

void sim_address(const struct mrct_sim *sim, uint32_t host, unsigned plane, struct mrc_addr *a)
{
    *a = (struct mrc_addr){.is_v6 = sim->scene->endpoint.ip_version == 6};
    if (a->is_v6) {
        memcpy(a->ip, v6_prefix, sizeof v6_prefix);
        a->ip[7] = (uint8_t)plane;
        put32(a->ip + 12, host + 1);
    } else {
        put32(a->ip, 10u << 24 | plane << HOST_BITS | (host + 1));
    }
    a->mac[0] = 2;
    a->mac[1] = (uint8_t)plane;
    put32(a->mac + 2, host + 1);
}

static uint32_t host_of(const struct mrct_sim *sim, const uint8_t *ip, bool v6)
{
    const uint32_t low = be32(v6 ? ip + 12 : ip);
    const uint32_t host = (v6 ? low : low & ((1u << HOST_BITS) - 1)) - 1;
    if (v6 ? memcmp(ip, v6_prefix, sizeof v6_prefix) != 0 : low >> 24 != 10)
        return SIM_NONE;
    return host < sim->host_count ? host : SIM_NONE;
}

static uint32_t mix(uint64_t x)
{
    x *= UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(x >> 32);
}

/* Behind the outer header of SRv6, and a routing header, if there are. */
static size_t inner_ip(const uint8_t *hdr, size_t at, bool *srv6)
{
    const uint8_t next = hdr[at + 6];
    *srv6 = next == NEXT_IPV6 || next == NEXT_ROUTING;
    if (next == NEXT_IPV6)
        return at + MRC_IPV6_LEN;
    if (next == NEXT_ROUTING)
        return at + MRC_IPV6_LEN + 8 + (size_t)hdr[at + MRC_IPV6_LEN + 1] * 8;
    return at;
}

/* Where its destination is attached. */
static void place(const struct mrct_sim *sim, struct sim_pkt *pkt)
{
    if (sim->graph == NULL) {
        pkt->edge = pkt->dst / sim->scene->topology.hosts_per_t0;
        pkt->local = pkt->dst % sim->scene->topology.hosts_per_t0;
    } else if (pkt->dst != SIM_NONE) {
        const struct sim_spot s = sim->graph->spots[sim_nic_port(sim, pkt->dst, pkt->plane)];
        pkt->edge = s.edge;
        pkt->local = s.local;
    }
}

void sim_classify(struct mrct_sim *sim, struct sim_pkt *pkt, unsigned plane)
{
    const uint8_t *const hdr = pkt->frame.hdr;
    size_t at = 12;
    while (be16(hdr + at) == ETHERTYPE_VLAN)
        at += 4;
    pkt->v6 = be16(hdr + at) == ETHERTYPE_IPV6;
    at += 2;
    pkt->ip_at = (uint8_t)at;
    const uint32_t tc = pkt->v6 ? be16(hdr + at) >> 4 & 0xFFu : hdr[at + 1];
    const size_t ip = pkt->v6 ? inner_ip(hdr, at, &pkt->srv6) : at;
    pkt->srv6 = pkt->v6 && pkt->srv6;
    const size_t udp = ip + (pkt->v6 ? MRC_IPV6_LEN : (size_t)(hdr[ip] & 0xFu) * 4);
    const uint8_t *const src = hdr + ip + (pkt->v6 ? 8 : 12);
    const uint8_t *const dst = hdr + ip + (pkt->v6 ? 24 : 16);
    const uint32_t label = pkt->v6 ? be32(hdr + ip) & 0xFFFFFu : 0;
    pkt->cls = sim->class_of[tc >> 2];
    pkt->plane = (uint8_t)plane;
    pkt->hops = 0;
    pkt->dst = host_of(sim, dst, pkt->v6);
    place(sim, pkt);
    pkt->entropy = mrc_ev_from_fields(&sim->wire, (uint16_t)be16(hdr + udp), label, pkt->v6);
    const uint64_t ends = (uint64_t)be32(src + (pkt->v6 ? 12 : 0)) << 32 | pkt->dst;
    const uint64_t ports =
        (uint64_t)be32(hdr + udp) << 20 | (sim->scene->hash_flow_label ? label : 0);
    pkt->hash = mix(ends ^ ((uint64_t)mix(ports) << 16));
    pkt->qpn = be32(hdr + udp + MRC_UDP_LEN + 4) & 0xFFFFFFu;
    pkt->request =
        mrc_op_is_write(hdr[udp + MRC_UDP_LEN]) || sim_rc_is_write(hdr[udp + MRC_UDP_LEN]);
    pkt->len = (uint32_t)mrc_frame_wire_len(&pkt->frame) + MRCT_FAB_FRAMING;
}
