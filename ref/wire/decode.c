/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to struct. Positions are offsets from the start of the frame: by lengths in headers they
 * may lie beyond what was captured, so a pointer is made of one only after take() proved it.
 */
#include "ref/wire/chain.h"
#include "ref/wire/icrc.h"
#include "ref/wire/pkt.h"

#include <string.h>

/* A decode in progress. */
struct walk {
    const struct mrc_wire_config *cfg;
    const uint8_t *bytes;
    size_t cap;      /* bytes there */
    size_t wire_len; /* bytes the frame had on the wire, >= cap */
    size_t pos;      /* next header */
    size_t limit;    /* where headers must end: of the IP packet less its ICRC, once known */
    size_t ip_off;   /* IP header that carries UDP */
    size_t ip_end;   /* end of the IP packet by its length */
    size_t udp_end;  /* end of the datagram by the UDP length */
    bool trimmed;    /* shorter than sent: pad and ICRC are gone */
};

static void mark(struct mrc_pkt *p, enum mrc_hdr_id id, size_t off)
{
    p->present |= UINT32_C(1) << id;
    p->off[id] = (uint16_t)off;
}

/* What a header means that is not there whole: not captured, or never part of the frame. */
static enum mrc_wire_error missing(const struct walk *w, size_t len)
{
    return w->pos + len > w->wire_len ? MRC_WIRE_NOT_MRC : MRC_WIRE_CUT;
}

static enum mrc_wire_error walk_link(struct walk *w, struct mrc_pkt *p, unsigned *type)
{
    const uint8_t *const end = w->bytes + w->cap;
    if (mrc_eth_decode(w->bytes, end, &p->eth) == 0) {
        return missing(w, MRC_ETH_LEN);
    }
    mark(p, MRC_HDR_ETH, 0);
    w->pos = MRC_ETH_LEN;
    *type = p->eth.ethertype;
    while (*type == MRC_ETHERTYPE_VLAN || *type == MRC_ETHERTYPE_QINQ) {
        if (p->vlan_count == 2) {
            return MRC_WIRE_NOT_MRC;
        }
        struct mrc_vlan *const v = &p->vlan[p->vlan_count];
        if (mrc_vlan_decode(w->bytes + w->pos, end, v) == 0) {
            return missing(w, MRC_VLAN_LEN);
        }
        if (p->vlan_count++ == 0) {
            mark(p, MRC_HDR_VLAN, w->pos);
        }
        w->pos += MRC_VLAN_LEN;
        *type = v->ethertype;
    }
    return MRC_WIRE_OK;
}

static enum mrc_wire_error walk_ip4(struct walk *w, struct mrc_pkt *p)
{
    const uint8_t *const end = w->bytes + w->cap;
    struct mrc_ipv4 *const ip = &p->ip4;
    if (mrc_ipv4_decode(w->bytes + w->pos, end, ip) == 0) {
        return missing(w, MRC_IPV4_LEN);
    }
    const size_t len = 4 * (size_t)ip->ihl;
    if (ip->version != 4 || len < MRC_IPV4_LEN || ip->total_len < len ||
        ip->protocol != MRC_IP_PROTO_UDP || ip->frag_off != 0 || (ip->flags & 1) != 0) {
        return MRC_WIRE_NOT_MRC;
    }
    if (w->cap - w->pos < len) {
        return missing(w, len);
    }
    memcpy(p->ip4_opt, w->bytes + w->pos + MRC_IPV4_LEN, len - MRC_IPV4_LEN);
    mark(p, MRC_HDR_IPV4, w->pos);
    p->dscp = p->inner_dscp = ip->dscp;
    p->ecn = p->inner_ecn = ip->ecn;
    w->ip_off = w->pos;
    w->ip_end = w->pos + ip->total_len;
    w->pos += len;
    return MRC_WIRE_OK;
}

static enum mrc_wire_error read_ip6(struct walk *w, struct mrc_ipv6 *ip)
{
    if (mrc_ipv6_decode(w->bytes + w->pos, w->bytes + w->cap, ip) == 0) {
        return missing(w, MRC_IPV6_LEN);
    }
    return ip->version == 6 ? MRC_WIRE_OK : MRC_WIRE_NOT_MRC;
}

static enum mrc_wire_error walk_srh(struct walk *w, struct mrc_pkt *p)
{
    if (mrc_srh_decode(w->bytes + w->pos, w->bytes + w->cap, &p->srh) == 0) {
        return missing(w, MRC_SRH_LEN);
    }
    if (p->srh.routing_type != 4 || p->srh.hdr_ext_len < 2 ||
        p->srh.next_hdr != MRC_IP_PROTO_IPV6) {
        return MRC_WIRE_NOT_MRC;
    }
    mark(p, MRC_HDR_SRH, w->pos);
    w->pos += 8u + 8u * (size_t)p->srh.hdr_ext_len;
    return w->pos > w->cap ? missing(w, 0) : MRC_WIRE_OK;
}

/* The outer header of SRv6 mode, already read into p->ip6; then the inner one. */
static enum mrc_wire_error walk_srv6(struct walk *w, struct mrc_pkt *p, size_t *outer_end)
{
    p->outer_ip6 = p->ip6;
    p->has_outer = true;
    p->outer_off = (uint16_t)w->pos;
    w->pos += MRC_IPV6_LEN;
    *outer_end = w->pos + p->outer_ip6.payload_len;
    enum mrc_wire_error err = MRC_WIRE_OK;
    if (p->outer_ip6.next_hdr == MRC_IP_PROTO_ROUTING) {
        err = walk_srh(w, p);
    }
    return err != MRC_WIRE_OK ? err : read_ip6(w, &p->ip6);
}

static enum mrc_wire_error walk_ip6(struct walk *w, struct mrc_pkt *p)
{
    struct mrc_ipv6 *const ip = &p->ip6;
    enum mrc_wire_error err = read_ip6(w, ip);
    size_t outer_end = SIZE_MAX;
    if (err == MRC_WIRE_OK &&
        (ip->next_hdr == MRC_IP_PROTO_IPV6 || ip->next_hdr == MRC_IP_PROTO_ROUTING)) {
        err = walk_srv6(w, p, &outer_end);
    }
    if (err != MRC_WIRE_OK) {
        return err;
    }
    if (ip->next_hdr != MRC_IP_PROTO_UDP) {
        return MRC_WIRE_NOT_MRC;
    }
    mark(p, MRC_HDR_IPV6, w->pos);
    p->is_v6 = true;
    p->inner_dscp = ip->dscp;
    p->inner_ecn = ip->ecn;
    p->dscp = p->has_outer ? p->outer_ip6.dscp : ip->dscp;
    p->ecn = p->has_outer ? p->outer_ip6.ecn : ip->ecn;
    w->ip_off = w->pos;
    w->pos += MRC_IPV6_LEN;
    w->ip_end = w->pos + ip->payload_len;
    if (w->ip_end > outer_end) {
        w->ip_end = outer_end;
    }
    return MRC_WIRE_OK;
}

static bool port_is_mrc(const struct mrc_wire_config *cfg, uint16_t port)
{
    for (unsigned i = 0; i < cfg->udp_port_count && i < MRC_UDP_PORTS_MAX; i++) {
        if (cfg->udp_ports[i] == port) {
            return true;
        }
    }
    return false;
}

static enum mrc_trim trim_of(const struct mrc_wire_config *cfg, uint8_t dscp)
{
    return dscp == cfg->dscp[MRC_DSCP_TRIMMED]           ? MRC_TRIM_TRIMMED
           : dscp == cfg->dscp[MRC_DSCP_TRIMMED_LASTHOP] ? MRC_TRIM_LASTHOP
                                                         : MRC_TRIM_NONE;
}

static enum mrc_wire_error walk_udp(struct walk *w, struct mrc_pkt *p)
{
    if (w->pos + MRC_UDP_LEN > w->ip_end) {
        return MRC_WIRE_NOT_MRC;
    }
    if (mrc_udp_decode(w->bytes + w->pos, w->bytes + w->cap, &p->udp) == 0) {
        return missing(w, MRC_UDP_LEN);
    }
    if (!port_is_mrc(w->cfg, p->udp.dst_port)) {
        return MRC_WIRE_NOT_MRC;
    }
    mark(p, MRC_HDR_UDP, w->pos);
    w->udp_end = w->pos + p->udp.length;
    w->pos += MRC_UDP_LEN;
    if (w->pos >= w->ip_end) {
        return MRC_WIRE_NOT_MRC; /* no opcode, so nothing that says it is MRC */
    }
    if (w->pos >= w->cap) {
        return missing(w, 1);
    }
    if (w->bytes[w->pos] >> 5 != 6) {
        return MRC_WIRE_NOT_MRC;
    }
    p->trim = trim_of(w->cfg, p->dscp);
    p->ev = mrc_ev_from_fields(w->cfg, p->udp.src_port, p->is_v6 ? p->ip6.flow_label : 0, p->is_v6);
    p->nominal_len = p->udp.length + 40u;
    p->wire_len = (uint32_t)w->ip_end;
    return MRC_WIRE_OK;
}

/* A trimmed class alone may say more in UDP than IP has. */
static enum mrc_wire_error judge_lengths(struct walk *w, const struct mrc_pkt *p)
{
    w->trimmed = p->trim != MRC_TRIM_NONE && w->udp_end > w->ip_end;
    w->limit = w->trimmed ? w->ip_end : w->ip_end - 4;
    if (w->ip_end > w->wire_len) {
        return MRC_WIRE_CUT;
    }
    if (w->udp_end > w->ip_end && !w->trimmed) {
        return MRC_WIRE_BAD_UDP_LEN;
    }
    return w->udp_end < w->ip_end ? MRC_WIRE_BAD_UDP_SHORT : MRC_WIRE_OK;
}

_Static_assert(MRC_WIRE_SHORT_EETH - MRC_WIRE_SHORT_BTH == MRC_HDR_EETH - MRC_HDR_BTH,
               "SHORT errors stand in the order of the headers");

static enum mrc_wire_error take(struct walk *w, struct mrc_pkt *p, enum mrc_hdr_id id)
{
    const size_t end = w->limit < w->cap ? w->limit : w->cap;
    const size_t len = mrc_hdrs[id].len;
    if (w->pos + len > w->limit) {
        return (enum mrc_wire_error)((unsigned)MRC_WIRE_SHORT_BTH + (unsigned)id - MRC_HDR_BTH);
    }
    if (w->pos + len > end || mrc_chain_decode_one(id, w->bytes + w->pos, w->bytes + end, p) == 0) {
        return MRC_WIRE_CUT;
    }
    mark(p, id, w->pos);
    w->pos += len;
    return MRC_WIRE_OK;
}

/* Trimming must leave METH and TSETH (section 9); what lies behind may be gone. */
static bool may_be_trimmed_away(const struct walk *w, enum mrc_hdr_id id)
{
    return w->trimmed && (id == MRC_HDR_RETH || id == MRC_HDR_IMMDT);
}

static enum mrc_wire_error walk_payload(const struct walk *w, struct mrc_pkt *p)
{
    const size_t pad = p->bth.pad_cnt;
    const size_t left = w->limit > w->pos ? w->limit - w->pos : 0;
    if (w->trimmed) {
        const size_t sent_end = w->udp_end > 4 + pad ? w->udp_end - 4 - pad : 0;
        const size_t sent = sent_end > w->pos ? sent_end - w->pos : 0;
        p->payload_len = (uint32_t)(left < sent ? left : sent);
    } else if (pad > left) {
        return MRC_WIRE_BAD_PAD;
    } else {
        p->payload_len = (uint32_t)(left - pad);
    }
    if (p->payload_len > 0 && w->pos + p->payload_len <= w->cap) {
        p->payload = w->bytes + w->pos;
    }
    p->complete = true;
    return MRC_WIRE_OK;
}

static enum mrc_wire_error walk_mrc(struct walk *w, struct mrc_pkt *p)
{
    enum mrc_wire_error err = take(w, p, MRC_HDR_BTH);
    if (err != MRC_WIRE_OK) {
        return err;
    }
    if (p->bth.tver != MRC_TVER_MRC1) {
        return MRC_WIRE_BAD_TVER;
    }
    const struct mrc_chain *const chain = mrc_opcode_chain(p->bth.opcode);
    if (!chain) {
        return MRC_WIRE_BAD_OPCODE;
    }
    uint32_t mask = chain->required | (p->bth.ts ? chain->optional : 0);
    for (; mask != 0; mask &= mask - 1) {
        const enum mrc_hdr_id id = (enum mrc_hdr_id)__builtin_ctz(mask);
        err = take(w, p, id);
        if (err != MRC_WIRE_OK) {
            if (err == MRC_WIRE_CUT || !may_be_trimmed_away(w, id)) {
                return err;
            }
            w->limit = w->pos; /* the rest of a header is no payload */
            break;
        }
    }
    return walk_payload(w, p);
}

static void start(struct walk *w, struct mrc_pkt *p)
{
    p->present = 0;
    p->outer_off = 0;
    p->hdr_end = 0;
    p->vlan_count = 0;
    p->is_v6 = false;
    p->complete = false;
    p->has_outer = false;
    p->trim = MRC_TRIM_NONE;
    p->dscp = p->ecn = p->inner_dscp = p->inner_ecn = 0;
    p->ev = 0;
    p->icrc_state = MRC_ICRC_ABSENT;
    p->icrc = p->icrc_expected = p->icrc_head = 0;
    p->has_icrc_head = false;
    p->wire_len = (uint32_t)w->wire_len;
    p->payload_len = p->nominal_len = 0;
    p->payload = NULL;
    p->bth.pad_cnt = 0;
}

/* Everything up to UDP; what is not OK here has no ICRC to look at. */
static enum mrc_wire_error walk_carrier(struct walk *w, struct mrc_pkt *p)
{
    start(w, p);
    unsigned type = 0;
    enum mrc_wire_error err = walk_link(w, p, &type);
    if (err == MRC_WIRE_OK) {
        err = type == MRC_ETHERTYPE_IPV6   ? walk_ip6(w, p)
              : type == MRC_ETHERTYPE_IPV4 ? walk_ip4(w, p)
                                           : MRC_WIRE_NOT_MRC;
    }
    if (err == MRC_WIRE_OK) {
        err = walk_udp(w, p);
    }
    return err == MRC_WIRE_OK ? judge_lengths(w, p) : err;
}

/* Nothing may be asked of the ICRC of a trimmed packet, even if it seems whole. */
static void forgive_trimmed(struct mrc_pkt *p)
{
    if (p->icrc_state == MRC_ICRC_WRONG && p->trim != MRC_TRIM_NONE) {
        p->icrc_state = MRC_ICRC_ABSENT;
    }
}

/* Where the payload is long a CRC of its own costs as much as the ICRC, of which it is a part. */
static uint32_t compute_icrc(const struct walk *w, const struct mrc_icrc_span *span,
                             struct mrc_pkt *p)
{
    p->has_icrc_head = p->payload_len >= MRC_ICRC_HEAD_PAYLOAD && p->payload == w->bytes + w->pos &&
                       w->pos - span->ip <= MRC_FRAME_HDR_MAX;
    return p->has_icrc_head ? mrc_icrc_compute_split(w->bytes, span, w->pos, &p->icrc_head)
                            : mrc_icrc_compute(w->bytes, span);
}

static void check_icrc(const struct walk *w, bool verify, struct mrc_pkt *p)
{
    if (w->trimmed || w->ip_end > w->cap) {
        return;
    }
    const uint8_t *const at = w->bytes + w->ip_end - 4;
    const struct mrc_icrc_span span = {
        .outer = p->has_outer && w->cfg->q6_icrc == 'b' ? p->outer_off : w->ip_off,
        .ip = w->ip_off,
        .udp = p->off[MRC_HDR_UDP],
        .end = w->ip_end - 4,
        .is_v6 = p->is_v6,
    };
    if (span.end < span.udp + MRC_UDP_LEN) {
        return;
    }
    p->icrc = (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
    p->icrc_state = MRC_ICRC_DEFERRED;
    if (verify) {
        p->icrc_expected = compute_icrc(w, &span, p);
        p->icrc_state = p->icrc == p->icrc_expected ? MRC_ICRC_VALID : MRC_ICRC_WRONG;
    }
    forgive_trimmed(p);
}

enum mrc_wire_error mrc_pkt_decode(const struct mrc_wire_config *cfg, const uint8_t *bytes,
                                   size_t caplen, size_t wire_len, bool verify_icrc,
                                   struct mrc_pkt *p)
{
    struct walk w = {.cfg = cfg, .bytes = bytes, .wire_len = wire_len};
    w.cap = caplen < wire_len ? caplen : wire_len;
    const enum mrc_wire_error carrier = walk_carrier(&w, p);
    enum mrc_wire_error err = carrier;
    if (carrier != MRC_WIRE_NOT_MRC && MRC_PKT_HAS(p, UDP) && w.limit != 0) {
        err = walk_mrc(&w, p);
    }
    p->hdr_end = (uint16_t)w.pos;
    if (carrier == MRC_WIRE_OK) {
        check_icrc(&w, verify_icrc, p);
    }
    return carrier != MRC_WIRE_OK            ? carrier
           : p->icrc_state == MRC_ICRC_WRONG ? MRC_WIRE_BAD_ICRC
                                             : err;
}

/* Headers and the first bytes behind them in a row, for chains that run on into the payload. */
static enum mrc_wire_error walk_split(struct walk *w, const struct mrc_frame *f, struct mrc_pkt *p,
                                      uint8_t row[MRC_FRAME_HDR_MAX + 64])
{
    const size_t more = f->payload_len < 64 ? f->payload_len : 64;
    memcpy(row, f->hdr, f->hdr_len);
    if (more > 0) {
        memcpy(row + f->hdr_len, f->payload, more);
    }
    w->bytes = row;
    w->cap = f->hdr_len + more;
    w->pos = p->off[MRC_HDR_UDP] + MRC_UDP_LEN;
    p->present &= (UINT32_C(1) << MRC_HDR_BTH) - 1;
    return walk_mrc(w, p);
}

static const uint8_t *payload_of(const struct mrc_frame *f, size_t at, size_t len)
{
    if (len == 0) {
        return NULL;
    }
    if (at >= f->hdr_len && at - f->hdr_len + len <= f->payload_len) {
        return f->payload + (at - f->hdr_len);
    }
    return at + len <= f->hdr_len ? f->hdr + at : NULL;
}

enum mrc_wire_error mrc_pkt_decode_frame(const struct mrc_wire_config *cfg,
                                         const struct mrc_frame *f, struct mrc_pkt *p)
{
    struct walk w = {.cfg = cfg, .bytes = f->hdr, .wire_len = mrc_frame_wire_len(f)};
    uint8_t row[MRC_FRAME_HDR_MAX + 64];
    w.cap = f->hdr_len <= MRC_FRAME_HDR_MAX ? f->hdr_len : MRC_FRAME_HDR_MAX;
    const enum mrc_wire_error carrier = walk_carrier(&w, p);
    enum mrc_wire_error err = carrier;
    if (carrier != MRC_WIRE_NOT_MRC && MRC_PKT_HAS(p, UDP) && w.limit != 0) {
        err = walk_mrc(&w, p);
        if (err == MRC_WIRE_CUT) {
            err = walk_split(&w, f, p, row);
        }
    }
    p->hdr_end = (uint16_t)w.pos;
    p->payload = payload_of(f, w.pos, p->payload_len);
    if (carrier != MRC_WIRE_OK) {
        return carrier;
    }
    if (!w.trimmed) {
        p->icrc_state = f->icrc_state;
        p->icrc = f->icrc_state == MRC_ICRC_VALID || f->icrc_state == MRC_ICRC_WRONG ? f->icrc : 0;
        p->icrc_expected = f->icrc_state == MRC_ICRC_VALID ? f->icrc : 0;
        forgive_trimmed(p);
    }
    return p->icrc_state == MRC_ICRC_WRONG ? MRC_WIRE_BAD_ICRC : err;
}
