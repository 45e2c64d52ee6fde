/* SPDX-License-Identifier: BSD-2-Clause */
/* Crafted frames: what a step lets a host send that its endpoint would not. */
#include "harness/cases/run_priv.h"

#include <string.h>

#define HDR(h) (UINT32_C(1) << MRC_HDR_##h)

/* Timestamp of now in units of 128 ns, as TSR 0 says. */
static uint16_t stamp(uint64_t now_ns)
{
    return (uint16_t)(now_ns / 128);
}

static void set_carrier(const struct mrct_run *r, const struct mrct_step *s, uint8_t dscp,
                        struct mrc_pkt *p)
{
    const struct mrct_case_host *const h = &r->c->host[s->host];
    const struct mrct_run_node *const n = &r->node[s->host];
    struct mrc_addr from;
    struct mrc_addr to;
    mrct_run_address(r, s->host, s->inject.plane, &from);
    mrct_run_address(r, 1 - s->host, s->inject.plane, &to);
    memcpy(p->eth.src, from.mac, sizeof p->eth.src);
    memcpy(p->eth.dst, to.mac, sizeof p->eth.dst);
    p->present |= HDR(ETH) | HDR(UDP) | HDR(BTH);
    if (h->vlan) {
        p->present |= HDR(VLAN);
        p->vlan_count = 1;
        p->vlan[0].tci = MRCT_RUN_VLAN_TCI;
    }
    p->ev = n->evs[s->inject.plane * h->evs + s->inject.ev].value;
    uint32_t label = 0;
    mrc_ev_to_fields(&r->wire, p->ev, &p->udp.src_port, &label);
    p->udp.dst_port = h->dest_port;
    p->is_v6 = h->ip6;
    const bool forward = s->inject.kind == MRCT_INJECT_WRITE || s->inject.kind == MRCT_INJECT_PROBE;
    const uint8_t ecn = forward && h->ecn ? 2 : 0;
    p->dscp = dscp;
    p->ecn = ecn;
    if (h->ip6) {
        p->present |= HDR(IPV6);
        p->ip6 = (struct mrc_ipv6){
            .version = 6, .dscp = dscp, .ecn = ecn, .flow_label = label, .hop_limit = 64};
        memcpy(p->ip6.src, from.ip, sizeof p->ip6.src);
        memcpy(p->ip6.dst, to.ip, sizeof p->ip6.dst);
    } else {
        p->present |= HDR(IPV4);
        p->ip4 = (struct mrc_ipv4){
            .version = 4, .ihl = 5, .dscp = dscp, .ecn = ecn, .flags = 2, .ttl = 64};
        memcpy(p->ip4.src, from.ip, sizeof p->ip4.src);
        memcpy(p->ip4.dst, to.ip, sizeof p->ip4.dst);
    }
    p->bth.pkey = 0xFFFF;
    p->bth.tver = (uint8_t)s->inject.tver;
    p->bth.a = s->inject.ack_req;
}

/* The step's PSN on the wire, counted from the first one of the flow that `from` sends. */
static uint32_t wire_psn(const struct mrct_run *r, unsigned from, const struct mrct_step *s)
{
    return mrc_psn_add(r->node[from].qp[s->qp - 1].start_psn, (int32_t)s->inject.psn);
}

static uint16_t low16(uint32_t qpn)
{
    return (uint16_t)qpn;
}

static void set_probe(const struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns,
                      struct mrc_pkt *p)
{
    const uint32_t own = r->node[s->host].qp[s->qp - 1].qpn;
    const uint32_t peer = r->node[1 - s->host].qp[s->qp - 1].qpn;
    p->present |= HDR(PETH);
    p->bth.opcode = MRC_OP_PROBE;
    p->bth.dest_qp = peer;
    p->peth = (struct mrc_peth){.probe_id = s->inject.id,
                                .spdcid = low16(own),
                                .dpdcid = low16(peer),
                                .tx_timestamp = stamp(now_ns),
                                .ftype = 1};
}

static void set_ep_request(const struct mrct_step *s, uint64_t now_ns, struct mrc_pkt *p)
{
    const bool status = s->inject.kind == MRCT_INJECT_PORT_STATUS;
    p->present |= HDR(ERTH);
    p->bth.opcode = MRC_OP_EP_REQUEST;
    p->bth.dest_qp = 2;
    p->bth.psn = s->inject.id;
    p->erth = (struct mrc_erth){.op = status ? MRC_EP_OP_PORT_STATUS : MRC_EP_OP_EV_PROBE,
                                .port_status_mask = status ? s->inject.port_mask : 0,
                                .tx_timestamp = stamp(now_ns),
                                .ftype = 1};
}

/* A whole one-packet message into bytes of the target region that no posted write uses. */
static void set_write(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns,
                      struct mrc_pkt *p, uint8_t *payload)
{
    struct mrct_run_memory *const m = &r->node[1 - s->host].mem;
    p->present |= HDR(METH) | HDR(RETH);
    p->bth.opcode = MRC_OP_WRITE_ONLY;
    p->bth.dest_qp = r->node[1 - s->host].qp[s->qp - 1].qpn;
    p->bth.psn = wire_psn(r, s->host, s);
    if (r->c->host[s->host].tseth) {
        p->present |= HDR(TSETH);
        p->bth.ts = 1;
        p->tseth = (struct mrc_tseth){.tx_timestamp = stamp(now_ns), .ftype = 1};
    }
    p->reth = (struct mrc_reth){
        .va = m->target.va + m->used, .rkey = m->target.rkey, .dma_len = s->inject.size};
    m->used += s->inject.size;
    for (uint32_t i = 0; i < s->inject.size; i++) {
        payload[i] = (uint8_t)mrct_rng_next(&r->rng);
    }
    p->payload = payload;
    p->payload_len = s->inject.size;
}

static void set_nack(const struct mrct_run *r, const struct mrct_step *s, struct mrc_pkt *p)
{
    const uint32_t own = r->node[s->host].qp[s->qp - 1].qpn;
    const uint32_t peer = r->node[1 - s->host].qp[s->qp - 1].qpn;
    const uint32_t psn = wire_psn(r, 1 - s->host, s);
    p->present |= HDR(NETH);
    p->bth.opcode = MRC_OP_NACK;
    p->bth.dest_qp = peer;
    p->bth.psn = psn;
    p->neth = (struct mrc_neth){.nack_reason = s->inject.reason,
                                .entropy = r->node[1 - s->host].evs[0].value,
                                .spdcid = low16(own),
                                .dpdcid = low16(peer),
                                .nack_psn = psn,
                                .cc_type = 2};
}

static void set_headers(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns,
                        struct mrc_pkt *p, uint8_t *payload)
{
    const uint8_t *const dscp = r->wire.dscp;
    const uint8_t request =
        dscp[r->c->host[s->host].trimmable ? MRC_DSCP_TRIMMABLE : MRC_DSCP_NO_TRIM];
    set_carrier(r, s, s->inject.kind == MRCT_INJECT_NACK ? dscp[MRC_DSCP_CONTROL] : request, p);
    switch (s->inject.kind) {
    case MRCT_INJECT_PROBE:
        set_probe(r, s, now_ns, p);
        break;
    case MRCT_INJECT_EV_PROBE:
    case MRCT_INJECT_PORT_STATUS:
        set_ep_request(s, now_ns, p);
        break;
    case MRCT_INJECT_WRITE:
        set_write(r, s, now_ns, p, payload);
        break;
    case MRCT_INJECT_NACK:
        set_nack(r, s, p);
        break;
    }
    if (s->inject.opcode >= 0) {
        p->bth.opcode = (uint8_t)s->inject.opcode;
    }
}

static void put16(uint8_t *p, size_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static size_t get16(const uint8_t *p)
{
    return (size_t)p[0] << 8 | p[1];
}

/* Ends the packet inside its headers: payload and `cut` bytes of header go, the lengths say so, and
 * the ICRC that follows is right. IPv6 only, so that no header checksum stands in the way. */
static int cut_headers(const struct mrc_pkt *p, unsigned cut, struct mrc_frame *f)
{
    const size_t ip = 14u + 4u * p->vlan_count;
    const size_t udp = ip + MRC_IPV6_LEN;
    const size_t gone = cut + f->payload_len + f->pad_len;
    if (!p->is_v6 || udp + MRC_UDP_LEN + cut > f->hdr_len) {
        return -1;
    }
    put16(f->hdr + ip + 4, get16(f->hdr + ip + 4) - gone);
    put16(f->hdr + udp + 4, get16(f->hdr + udp + 4) - gone);
    f->hdr_len = (uint16_t)(f->hdr_len - cut);
    f->payload = NULL;
    f->payload_len = 0;
    f->pad_len = 0;
    return 0;
}

/* A wrong ICRC is one bit away from the right one. */
static int spoil_icrc(const struct mrct_run *r, struct mrc_frame *f)
{
    uint8_t bytes[MRC_FRAME_MAX];
    const size_t len = mrc_frame_gather(&r->wire, f, bytes, sizeof bytes);
    if (len < 4) {
        return -1;
    }
    f->icrc = ((uint32_t)bytes[len - 4] | (uint32_t)bytes[len - 3] << 8 |
               (uint32_t)bytes[len - 2] << 16 | (uint32_t)bytes[len - 1] << 24) ^
              0x00010000u;
    f->icrc_state = MRC_ICRC_WRONG;
    return 0;
}

int mrct_run_inject(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    struct mrc_frame *const f = mrct_pool_alloc(&r->own, sizeof *f);
    uint8_t *const payload = mrct_pool_alloc(&r->own, s->inject.size + 1u);
    struct mrc_pkt *const p = mrct_pool_alloc(&r->own, sizeof *p);
    if (f == NULL || payload == NULL || p == NULL) {
        return mrct_run_fault(r, "out of memory");
    }
    set_headers(r, s, now_ns, p, payload);
    if (mrc_pkt_encode(&r->wire, p, f) != 0) {
        return mrct_run_fault(r, "the packet of line %d could not be built", s->line);
    }
    if (s->inject.cut > 0 && cut_headers(p, (unsigned)s->inject.cut, f) != 0) {
        return mrct_run_fault(r, "the packet of line %d cannot be cut like that", s->line);
    }
    if (s->inject.bad_icrc && spoil_icrc(r, f) != 0) {
        return mrct_run_fault(r, "the packet of line %d could not be spoilt", s->line);
    }
    if (mrct_gate_add(r->node[s->host].gate, s->inject.plane, f) != 0) {
        return mrct_run_fault(r, "out of memory");
    }
    return 0;
}
