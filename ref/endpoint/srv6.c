/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outer header of SRv6 mode, made for each packet. By a template (one a destination): the plane
 * is put into every uSID and the uplink into that of the upper tier, so that EV = (plane, uplink);
 * or from the bytes that a profile holds for the EV.
 */
#include "ref/endpoint/ep_int.h"
#include <string.h>

#define NEXT_IPV6     41u
#define NEXT_ROUTING  43u
#define ROUTING_SRV6  4u
#define HOP_LIMIT     64u
#define CARRIER_USIDS 6u /* of 16 bits behind a locator of 32 */

bool mrc_srv6_template_ok(const struct mrc_srv6_template *t)
{
    if (t->more_count > sizeof t->more / sizeof t->more[0])
        return false;
    for (unsigned i = 0; i < t->more_count; i++)
        if (t->more[i].usid >= t->usid_count || t->more[i].shift + t->more[i].bits > 16 ||
            t->more[i].value_shift >= 32)
            return false;
    return t->usid_count <= 2 * CARRIER_USIDS && (t->usid_count == 0 || t->tier1 < t->usid_count) &&
           t->plane_bits + t->plane_shift <= 16 && t->uplink_bits + t->uplink_shift <= 16;
}

static uint16_t deposit(uint16_t usid, unsigned shift, unsigned bits, uint32_t value)
{
    const uint32_t mask = ((UINT32_C(1) << bits) - 1) << shift;
    return (uint16_t)((usid & ~mask) | (value << shift & mask));
}

static uint16_t usid_of(const struct mrc_srv6_template *t, unsigned i, unsigned plane,
                        uint32_t uplink)
{
    uint16_t u = deposit(t->usid[i], t->plane_shift, t->plane_bits, plane);
    if (i == t->tier1)
        u = deposit(u, t->uplink_shift, t->uplink_bits, uplink);
    for (unsigned k = 0; k < t->more_count; k++)
        if (t->more[k].usid == i)
            u = deposit(u, t->more[k].shift, t->more[k].bits, uplink >> t->more[k].value_shift);
    return u;
}

bool mrc_srv6_addresses(const struct mrc_srv6_template *t, unsigned plane, uint32_t uplink,
                        uint8_t first[16], uint8_t second[16])
{
    memset(first, 0, 16);
    memset(second, 0, 16);
    memcpy(first, t->locator, sizeof t->locator);
    memcpy(second, t->locator, sizeof t->locator);
    for (unsigned i = 0; i < t->usid_count; i++) {
        uint8_t *at = i < CARRIER_USIDS ? first + 4 + (size_t)2 * i
                                        : second + 4 + (size_t)2 * (i - CARRIER_USIDS);
        const uint16_t u = usid_of(t, i, plane, uplink);
        at[0] = (uint8_t)(u >> 8);
        at[1] = (uint8_t)u;
    }
    return t->usid_count > CARRIER_USIDS;
}

static void set_outer(struct mrc_pkt *p, const uint8_t *first, const uint8_t *second)
{
    p->has_outer = true;
    p->outer_ip6 = (struct mrc_ipv6){.version = 6,
                                     .dscp = p->dscp,
                                     .ecn = p->ecn,
                                     .next_hdr = second ? NEXT_ROUTING : NEXT_IPV6,
                                     .hop_limit = HOP_LIMIT};
    memcpy(p->outer_ip6.src, p->ip6.src, 16);
    memcpy(p->outer_ip6.dst, first, 16);
    if (!second)
        return;
    p->present |= UINT32_C(1) << MRC_HDR_SRH;
    p->srh = (struct mrc_srh){
        .next_hdr = NEXT_IPV6, .hdr_ext_len = 2, .routing_type = ROUTING_SRV6, .segments_left = 1};
    memcpy(p->srh.segment, second, 16);
}

void mrc_ev_encap(const struct mrc_qp *qp, unsigned port, uint32_t value, struct mrc_pkt *p)
{
    const struct mrc_evs *evs = &qp->evs; /* what is shared of a profile is there, too */
    if (!p->is_v6)
        return;
    if (qp->peer.srv6.usid_count > 0) {
        uint8_t first[16], second[16];
        const bool two = mrc_srv6_addresses(&qp->peer.srv6, port, value, first, second);
        set_outer(p, first, two ? second : NULL);
    } else if (evs->outer) {
        const int i = mrc_ev_index(evs, value, port);
        if (i >= 0)
            set_outer(p, evs->outer[i], evs->srh ? evs->outer[i] + 16 : NULL);
    }
}

void mrc_node_encap(struct mrc_ep *ep, unsigned port, struct mrc_pkt *p)
{
    const uint8_t *dst = p->is_v6 ? p->ip6.dst : p->ip4.dst;
    const struct mrc_peer *peer = mrc_peer_at(ep, port, dst, p->is_v6, NULL);
    if (peer && peer->qps)
        mrc_ev_encap(peer->qps, port, peer->qps->rev.ev[port], p);
}
