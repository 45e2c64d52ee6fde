/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What carries a packet: a UDP dissector sees no IP header, so the bytes before it are looked at.
 */
#include "mrc_plugin.h"

#include <string.h>
#include <wsutil/crc32.h>

static uint8_t at8(const struct mrc_carrier *c, int off)
{
    return tvb_get_guint8(c->frame, off);
}

static int find_v4(const struct mrc_carrier *c)
{
    for (int ihl = 5; ihl <= 15; ihl++) {
        const int off = c->base - 4 * ihl;
        if (off >= 0 && at8(c, off) == 0x40 + ihl && at8(c, off + 9) == 17) {
            return off;
        }
    }
    return -1;
}

/* Outer IPv6 header in front of the inner one, and the SRH between them. */
static void find_outer(struct mrc_carrier *c)
{
    const int off = c->ip;
    if (off >= 40 && at8(c, off - 40) >> 4 == 6 && at8(c, off - 34) == 41) {
        c->outer = off - 40;
        return;
    }
    for (int words = 2; words <= 32; words++) {
        const int srh = off - 8 - 8 * words;
        if (srh < 40) {
            return;
        }
        if (at8(c, srh) == 41 && at8(c, srh + 1) == words && at8(c, srh + 2) == 4 &&
            at8(c, srh - 40) >> 4 == 6 && at8(c, srh - 34) == 43) {
            c->outer = srh - 40;
            c->srh = srh;
            return;
        }
    }
}

static void class_of(const struct mrc_carrier *c, int off, uint8_t *dscp, uint8_t *ecn)
{
    const unsigned class = c->is_v6 ? (tvb_get_ntohs(c->frame, off) >> 4) & 0xFFu : at8(c, off + 1);
    *dscp = (uint8_t)(class >> 2);
    *ecn = (uint8_t)(class & 3);
}

static void read_v6(struct mrc_carrier *c)
{
    c->ip = c->base - 40;
    c->have_ip = true;
    c->flow_label = tvb_get_ntoh24(c->frame, c->ip + 1) & 0xFFFFFu;
    c->ip_end = tvb_get_ntohs(c->frame, c->ip + 4);
    class_of(c, c->ip, &c->inner_dscp, &c->inner_ecn);
    c->dscp = c->inner_dscp;
    c->ecn = c->inner_ecn;
    find_outer(c);
    if (c->outer >= 0) {
        const int end = c->outer + 40 + tvb_get_ntohs(c->frame, c->outer + 4) - c->base;
        class_of(c, c->outer, &c->dscp, &c->ecn);
        c->ip_end = end < c->ip_end ? end : c->ip_end;
    }
}

static void read_v4(struct mrc_carrier *c)
{
    c->ip = find_v4(c);
    if (c->ip >= 0) {
        c->have_ip = true;
        class_of(c, c->ip, &c->dscp, &c->ecn);
        c->ip_end = tvb_get_ntohs(c->frame, c->ip + 2) - (c->base - c->ip);
    }
}

void mrc_carrier_read(struct mrc_carrier *c, tvbuff_t *tvb, packet_info *pinfo)
{
    memset(c, 0, sizeof *c);
    c->base = tvb_raw_offset(tvb);
    c->ip = c->outer = c->srh = -1;
    c->is_v6 = pinfo->net_src.type == AT_IPv6;
    c->ip_end = c->wire_len = (int)tvb_reported_length(tvb);
    tvbuff_t *const ds = tvb_get_ds_tvb(tvb);
    /* A reassembled datagram stands alone. */
    if (!ds || c->base < 20) {
        return;
    }
    c->frame = ds;
    c->wire_len = (int)tvb_reported_length(ds) - c->base;
    if (!c->is_v6) {
        read_v4(c);
    } else if (c->base >= 40 && at8(c, c->base - 40) >> 4 == 6 && at8(c, c->base - 34) == 17) {
        read_v6(c);
    }
}

uint32_t mrc_carrier_ev(const struct mrc_carrier *c, uint16_t src_port)
{
    const uint32_t flow = c->is_v6 ? c->flow_label & 0xFFFFu : 0;
    return mrc_prefs.ev_reading == 0 ? (uint32_t)src_port << 16 | flow : flow << 16 | src_port;
}

/* Adds a part of the frame, with some of its bytes as ones. */
static uint32_t add(uint32_t crc, const uint8_t *from, int len, const uint8_t *mask, int mask_len)
{
    uint8_t head[64];
    const int copied = len < mask_len ? len : mask_len;
    for (int i = 0; i < copied; i++) {
        head[i] = from[i] | mask[i];
    }
    crc = ~crc32_ccitt_seed(head, (guint)copied, crc);
    return len > copied ? ~crc32_ccitt_seed(from + copied, (guint)(len - copied), crc) : crc;
}

uint32_t mrc_carrier_icrc(const struct mrc_carrier *c, int end)
{
    static const uint8_t ones[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint8_t v6[8] = {0x0F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0xFF};
    static const uint8_t v4[12] = {0, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0, 0xFF, 0xFF};
    static const uint8_t udp[13] = {[6] = 0xFF, [7] = 0xFF, [12] = 0xFF};
    const uint8_t *const bytes = tvb_get_ptr(c->frame, 0, end);
    uint32_t crc = ~crc32_ccitt_seed(ones, sizeof ones, 0xFFFFFFFFu);
    if (c->outer >= 0 && mrc_prefs.icrc_reading == 1) {
        crc = add(crc, bytes + c->outer, c->ip - c->outer, v6, sizeof v6);
    }
    if (c->is_v6) {
        crc = add(crc, bytes + c->ip, c->base - c->ip, v6, sizeof v6);
    } else {
        crc = add(crc, bytes + c->ip, c->base - c->ip, v4, sizeof v4);
    }
    return ~add(crc, bytes + c->base, end - c->base, udp, sizeof udp);
}
