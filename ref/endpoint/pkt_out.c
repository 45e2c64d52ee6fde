/* SPDX-License-Identifier: BSD-2-Clause */
/* What all packets of the endpoint have in common: Ethernet to UDP, and the BTH. */
#include "ref/endpoint/ep_int.h"
#include <string.h>

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86DDu
#define ETHERTYPE_VLAN 0x8100u
#define PROTO_UDP      17u
#define HOP_LIMIT      64u
#define ECT0           2u
#define TSETH_UNIT_NS  128u

#define HAS(hdr) (UINT32_C(1) << MRC_HDR_##hdr)

uint16_t mrc_timestamp(uint64_t now_ns)
{
    return (uint16_t)(now_ns / TSETH_UNIT_NS);
}

static void set_ethernet(const struct mrc_ep *ep, struct mrc_pkt *p, unsigned port,
                         const struct mrc_addr *to)
{
    const uint16_t type = to->is_v6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;
    memcpy(p->eth.dst, to->mac, sizeof p->eth.dst);
    memcpy(p->eth.src, ep->cfg.port_addr[port].mac, sizeof p->eth.src);
    p->present |= HAS(ETH);
    p->eth.ethertype = type;
    if (ep->cfg.vlan) {
        p->present |= HAS(VLAN);
        p->vlan_count = 1;
        p->eth.ethertype = ETHERTYPE_VLAN;
        p->vlan[0].tci = ep->cfg.vlan_tci;
        p->vlan[0].ethertype = type;
    }
}

static void set_ip(const struct mrc_ep *ep, struct mrc_pkt *p, unsigned port,
                   const struct mrc_addr *to)
{
    const struct mrc_addr *from = &ep->cfg.port_addr[port];
    p->is_v6 = to->is_v6;
    if (to->is_v6) {
        p->present |= HAS(IPV6);
        p->ip6.version = 6;
        p->ip6.dscp = p->dscp;
        p->ip6.ecn = p->ecn;
        p->ip6.next_hdr = PROTO_UDP;
        p->ip6.hop_limit = HOP_LIMIT;
        memcpy(p->ip6.src, from->ip, 16);
        memcpy(p->ip6.dst, to->ip, 16);
    } else {
        p->present |= HAS(IPV4);
        p->ip4.version = 4;
        p->ip4.ihl = 5;
        p->ip4.dscp = p->dscp;
        p->ip4.ecn = p->ecn;
        p->ip4.flags = 2; /* don't fragment */
        p->ip4.ttl = HOP_LIMIT;
        p->ip4.protocol = PROTO_UDP;
        memcpy(p->ip4.src, from->ip, 4);
        memcpy(p->ip4.dst, to->ip, 4);
    }
}

static void set_udp(const struct mrc_ep *ep, struct mrc_pkt *p, uint32_t ev)
{
    uint16_t src_port;
    uint32_t flow_label;
    mrc_ev_to_fields(&ep->cfg.wire, ev, &src_port, &flow_label);
    p->present |= HAS(UDP);
    p->udp.src_port = src_port;
    p->udp.dst_port = ep->cfg.dest_port;
    p->ip6.flow_label = flow_label;
    p->ev = ev;
}

void mrc_pkt_begin(const struct mrc_ep *ep, struct mrc_pkt *p, unsigned port,
                   const struct mrc_addr *to, uint32_t ev, enum mrc_dscp_class cls)
{
    memset(p, 0, sizeof *p);
    p->dscp = p->inner_dscp = ep->cfg.wire.dscp[cls];
    p->ecn = p->inner_ecn = cls != MRC_DSCP_CONTROL && ep->cfg.ecn_capable ? ECT0 : 0;
    set_ethernet(ep, p, port, to);
    set_ip(ep, p, port, to);
    set_udp(ep, p, ev);
}

void mrc_pkt_bth(const struct mrc_ep *ep, struct mrc_pkt *p, uint8_t opcode, uint32_t dest_qp,
                 uint32_t psn)
{
    p->present |= HAS(BTH);
    p->bth.opcode = opcode;
    p->bth.pkey = ep->cfg.pkey;
    p->bth.dest_qp = dest_qp;
    p->bth.psn = psn & MRC_PSN_MASK;
}
