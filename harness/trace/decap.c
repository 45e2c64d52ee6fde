/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/decap.h"

enum {
    ETH_LEN = 14,
    TYPE_IPV4 = 0x0800,
    TYPE_IPV6 = 0x86DD,
    TYPE_VLAN = 0x8100,
    TYPE_QINQ = 0x88A8,
    TYPE_QINQ_OLD = 0x9100,
    TYPE_TEB = 0x6558,    /* Ethernet over GRE */
    TYPE_ERSPAN = 0x88BE, /* I and II */
    TYPE_ERSPAN_III = 0x22EB,
    PROTO_UDP = 17,
    PROTO_GRE = 47,
    PORT_VXLAN = 4789,
    PORT_VXLAN_OLD = 8472,
    VXLAN_HAS_VNI = 0x08,
    GRE_CHECKSUM = 0x8000,
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    TAGS_MAX = 4,
};

/* A frame being walked: pos is the next header, always within cap. */
struct walk {
    const uint8_t *bytes;
    size_t cap, pos, end; /* end: of the outer packet by its IP length */
    unsigned type;
};

static bool have(const struct walk *w, size_t len)
{
    return w->cap - w->pos >= len;
}

static unsigned get16(const struct walk *w, size_t at)
{
    return (unsigned)w->bytes[w->pos + at] << 8 | w->bytes[w->pos + at + 1];
}

static bool walk_link(struct walk *w)
{
    if (!have(w, ETH_LEN))
        return false;
    w->type = get16(w, 12);
    w->pos = ETH_LEN;
    for (unsigned i = 0; i < TAGS_MAX; i++) {
        if (w->type != TYPE_VLAN && w->type != TYPE_QINQ && w->type != TYPE_QINQ_OLD)
            return true;
        if (!have(w, 4))
            return false;
        w->type = get16(w, 2);
        w->pos += 4;
    }
    return false;
}

static void limit(struct walk *w, size_t len)
{
    if (w->pos + len < w->end)
        w->end = w->pos + len;
}

/* Behind the IP header; the protocol it carries, or -1. A fragment carries nothing whole. */
static int walk_ip4(struct walk *w)
{
    if (!have(w, 20) || w->bytes[w->pos] >> 4 != 4 || (get16(w, 6) & 0x3FFF) != 0)
        return -1;
    const size_t len = 4 * (size_t)(w->bytes[w->pos] & 15);
    const int proto = w->bytes[w->pos + 9];
    if (len < 20 || !have(w, len))
        return -1;
    limit(w, get16(w, 2));
    w->pos += len;
    return proto;
}

static int walk_ip6(struct walk *w)
{
    if (!have(w, 40) || w->bytes[w->pos] >> 4 != 6)
        return -1;
    const int proto = w->bytes[w->pos + 6];
    limit(w, 40 + (size_t)get16(w, 4));
    w->pos += 40;
    return proto;
}

bool mrct_decap_port(unsigned udp_dst_port)
{
    return udp_dst_port == PORT_VXLAN || udp_dst_port == PORT_VXLAN_OLD;
}

static enum mrct_tunnel walk_vxlan(struct walk *w)
{
    if (!have(w, 16) || !mrct_decap_port(get16(w, 2)) ||
        (w->bytes[w->pos + 8] & VXLAN_HAS_VNI) == 0)
        return MRCT_TUNNEL_NONE;
    w->pos += 16;
    return MRCT_TUNNEL_VXLAN;
}

/* Bytes of the ERSPAN header at pos: I has none, III may carry 8 more for its platform. */
static size_t erspan_len(const struct walk *w, unsigned type, bool sequenced)
{
    if (type == TYPE_ERSPAN)
        return sequenced ? 8 : 0;
    return have(w, 12) && (w->bytes[w->pos + 11] & 1) != 0 ? 20 : 12;
}

static enum mrct_tunnel walk_gre(struct walk *w)
{
    if (!have(w, 4) || (get16(w, 0) & 7) != 0) /* version 0 alone */
        return MRCT_TUNNEL_NONE;
    const unsigned flags = get16(w, 0), type = get16(w, 2);
    const bool sequenced = (flags & GRE_SEQUENCE) != 0;
    size_t len = 4;
    len += (flags & GRE_CHECKSUM) != 0 ? 4 : 0;
    len += (flags & GRE_KEY) != 0 ? 4 : 0;
    len += sequenced ? 4 : 0;
    if ((type != TYPE_TEB && type != TYPE_ERSPAN && type != TYPE_ERSPAN_III) || !have(w, len))
        return MRCT_TUNNEL_NONE;
    w->pos += len;
    if (type == TYPE_TEB)
        return MRCT_TUNNEL_GRE;
    const size_t more = erspan_len(w, type, sequenced);
    if (!have(w, more))
        return MRCT_TUNNEL_NONE;
    w->pos += more;
    return MRCT_TUNNEL_ERSPAN;
}

static enum mrct_tunnel decap_one(struct mrct_inner *f)
{
    struct walk w = {.bytes = f->bytes, .cap = f->cap_len, .end = f->wire_len};
    if (!walk_link(&w))
        return MRCT_TUNNEL_NONE;
    const int proto = w.type == TYPE_IPV4 ? walk_ip4(&w) : w.type == TYPE_IPV6 ? walk_ip6(&w) : -1;
    const enum mrct_tunnel tunnel = proto == PROTO_UDP   ? walk_vxlan(&w)
                                    : proto == PROTO_GRE ? walk_gre(&w)
                                                         : MRCT_TUNNEL_NONE;
    if (tunnel == MRCT_TUNNEL_NONE || w.end < w.pos)
        return MRCT_TUNNEL_NONE;
    const size_t wire = w.end - w.pos, cap = w.cap - w.pos;
    *f = (struct mrct_inner){w.bytes + w.pos, (uint32_t)(cap < wire ? cap : wire), (uint32_t)wire};
    return tunnel;
}

enum mrct_tunnel mrct_decap(const uint8_t *bytes, uint32_t cap_len, uint32_t wire_len,
                            struct mrct_inner *inner)
{
    struct mrct_inner f = {bytes, cap_len, wire_len};
    enum mrct_tunnel outermost = MRCT_TUNNEL_NONE;
    for (unsigned depth = 0; depth < MRCT_DECAP_DEPTH; depth++) {
        const enum mrct_tunnel t = decap_one(&f);
        if (t == MRCT_TUNNEL_NONE)
            break;
        if (outermost == MRCT_TUNNEL_NONE)
            outermost = t;
    }
    if (outermost != MRCT_TUNNEL_NONE)
        *inner = f;
    return outermost;
}
