/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/print.h"
#include "ref/wire/reader.h"

#include <string.h>

/* Payload of a packet that was read from text: its bytes are not in the line. */
static const uint8_t zeros[MRC_PAYLOAD_MAX];

/* "none", or "101-103,105": PSNs within the 64 that the bitmap can name. */
static int read_sack(struct mrc_reader *r, const struct mrc_seth *h, uint64_t *bitmap)
{
    const uint32_t base = mrc_psn_add(h->cack_psn, h->sack_offset);
    const char *s = r->sack, *const end = r->sack + r->sack_len;
    r->tok = s;
    *bitmap = 0;
    if (r->sack_len == 4 && memcmp(s, "none", 4) == 0) {
        return 0;
    }
    while (s < end) {
        const char *stop = s;
        while (stop < end && *stop != ',') {
            stop++;
        }
        const char *const dash = memchr(s, '-', (size_t)(stop - s));
        uint64_t from, to;
        if (mrc_reader_convert(r, s, (size_t)((dash ? dash : stop) - s), 0, 0xFFFFFF, &from) != 0) {
            return -1;
        }
        to = from;
        if (dash &&
            mrc_reader_convert(r, dash + 1, (size_t)(stop - dash - 1), 0, 0xFFFFFF, &to) != 0) {
            return -1;
        }
        const int32_t first = mrc_psn_diff((uint32_t)from, base);
        const int32_t last = mrc_psn_diff((uint32_t)to, base);
        if (first < 0 || last > 63 || last < first) {
            return mrc_reader_fail(r, "PSNs %llu to %llu are not within the 64 from %u on",
                                   (unsigned long long)from, (unsigned long long)to, base);
        }
        *bitmap |= (UINT64_MAX >> (63 - (last - first))) << first;
        s = stop + 1;
    }
    return 0;
}

static int decode_headers(struct mrc_reader *r)
{
    struct mrc_pkt *const p = r->p;
    if (!r->have_pad) {
        mrc_field_set(mrc_field_find("bth.pad_cnt"), r->hdr[MRC_HDR_BTH],
                      (4 - p->payload_len % 4) % 4);
    }
    for (unsigned id = MRC_HDR_BTH; id < MRC_HDR_COUNT; id++) {
        if (p->present & MRC_BIT(id)) {
            (void)mrc_chain_decode_one((enum mrc_hdr_id)id, r->hdr[id],
                                       r->hdr[id] + sizeof r->hdr[id], p);
        }
    }
    return r->sack ? read_sack(r, &p->seth, &p->seth.sack_bitmap) : 0;
}

static void set_lengths(struct mrc_pkt *p, bool have_udp, uint32_t mrc_len)
{
    const bool trimmed = p->icrc_state == MRC_ICRC_ABSENT;
    const uint32_t whole = MRC_UDP_LEN + mrc_len + p->payload_len + p->bth.pad_cnt + 4;
    const uint32_t left = trimmed ? MRC_UDP_LEN + mrc_len + p->payload_len : whole;
    if (!have_udp) {
        p->udp.length = (uint16_t)whole;
    }
    p->ip4.total_len = (uint16_t)(MRC_IPV4_LEN + left);
    p->ip6.payload_len = (uint16_t)left;
    if (p->has_outer) {
        const uint32_t srh = MRC_PKT_HAS(p, SRH) ? MRC_SRH_LEN : 0;
        p->outer_ip6.payload_len = (uint16_t)(MRC_IPV6_LEN + srh + left);
        p->ip6.payload_len = trimmed ? p->udp.length : (uint16_t)left; /* as it was sent */
    }
}

static void set_carrier(struct mrc_reader *r)
{
    struct mrc_pkt *const p = r->p;
    uint32_t flow;
    const uint8_t inner_dscp = r->have_inner_dscp ? p->inner_dscp : p->dscp;
    const uint8_t inner_ecn = r->have_inner_ecn ? p->inner_ecn : p->ecn;
    mrc_ev_to_fields(r->cfg, r->ev, &p->udp.src_port, &flow);
    flow |= (uint32_t)r->flow_high << 16;
    p->ip6.version = 6;
    p->ip6.dscp = inner_dscp;
    p->ip6.ecn = inner_ecn;
    p->ip6.flow_label = flow;
    p->ip6.next_hdr = MRC_IP_PROTO_UDP;
    p->ip6.hop_limit = 64;
    p->outer_ip6.version = 6;
    p->outer_ip6.dscp = p->dscp;
    p->outer_ip6.ecn = p->ecn;
    p->outer_ip6.hop_limit = 64;
    p->outer_ip6.next_hdr = MRC_PKT_HAS(p, SRH) ? MRC_IP_PROTO_ROUTING : MRC_IP_PROTO_IPV6;
    p->srh.next_hdr = MRC_IP_PROTO_IPV6;
    p->srh.hdr_ext_len = 2;
    p->srh.routing_type = 4;
    p->srh.segments_left = 1;
    p->ip4.version = 4;
    p->ip4.ihl = 5;
    p->ip4.flags = 2;
    p->ip4.ttl = 64;
    p->ip4.dscp = p->dscp;
    p->ip4.ecn = p->ecn;
    p->ip4.protocol = MRC_IP_PROTO_UDP;
    const uint16_t type = p->is_v6 ? MRC_ETHERTYPE_IPV6 : MRC_ETHERTYPE_IPV4;
    *(p->vlan_count > 0 ? &p->vlan[p->vlan_count - 1].ethertype : &p->eth.ethertype) = type;
}

/* All that follows from what was read; then the decoder fills in the rest. */
static int finish(struct mrc_reader *r)
{
    struct mrc_pkt *const p = r->p;
    struct mrc_frame f;
    set_carrier(r);
    if (decode_headers(r) != 0) {
        return -1;
    }
    uint32_t mrc_len = 0;
    for (unsigned id = MRC_HDR_BTH; id < MRC_HDR_COUNT; id++) {
        mrc_len += p->present & MRC_BIT(id) ? mrc_hdrs[id].len : 0u;
    }
    set_lengths(p, r->have_udp, mrc_len);
    p->payload = p->payload_len > 0 ? zeros : NULL;
    if (mrc_pkt_encode_raw(r->cfg, p, &f) != 0) {
        return mrc_reader_fail(r, "the headers are longer than %u bytes", MRC_FRAME_HDR_MAX);
    }
    if (!p->is_v6) {
        uint8_t *const ip = f.hdr + MRC_ETH_LEN + (size_t)p->vlan_count * MRC_VLAN_LEN;
        mrc_ipv4_mend_checksum(ip, MRC_IPV4_LEN);
    }
    const enum mrc_wire_error err = mrc_pkt_decode_frame(r->cfg, &f, p);
    r->tok = r->line;
    if (err == MRC_WIRE_NOT_MRC || err == MRC_WIRE_CUT) {
        return mrc_reader_fail(r, "not taken for a whole MRC packet: opcode, port or length");
    }
    if (p->payload_len > 0) {
        p->payload = zeros;
    }
    return 0;
}

int mrc_print_parse_line(const struct mrc_wire_config *cfg, const char *line, struct mrc_pkt *p,
                         char *err, size_t err_cap)
{
    struct mrc_reader r = {.cfg = cfg, .line = line, .at = line, .tok = line, .p = p};
    r.err = err;
    r.err_cap = err_cap;
    memset(p, 0, sizeof *p);
    p->present = MRC_BIT(MRC_HDR_ETH) | MRC_BIT(MRC_HDR_UDP);
    p->udp.dst_port = MRC_UDP_PORT_ROCEV2;
    p->icrc_state = MRC_ICRC_DEFERRED;
    if (mrc_reader_head(&r) != 0 || mrc_reader_body(&r) != 0) {
        return -1;
    }
    return finish(&r);
}
