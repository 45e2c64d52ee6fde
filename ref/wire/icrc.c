/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/icrc.h"

#include "gen/mrc_wire.h"
#include <isa-l.h>
#include <string.h>

#define LRH_LEN    8u  /* the absent local route header counts as ones */
#define IP_MAX     60u /* longest IP header: IPv4 with all options */
#define MASKED_MAX (LRH_LEN + IP_MAX + MRC_UDP_LEN + 5u) /* up to and with BTH byte 4 */
/* Up to so many bytes are put in a row and read at once: two short runs of a CRC cost more. */
#define ROW_MAX (MASKED_MAX + 192u)

static void mask_ip6(uint8_t *ip)
{
    ip[0] |= 0x0F; /* traffic class */
    ip[1] = 0xFF;  /* traffic class, flow label */
    ip[2] = 0xFF;
    ip[3] = 0xFF;
    ip[7] = 0xFF; /* hop limit */
}

static void mask_ip4(uint8_t *ip)
{
    ip[1] = 0xFF;  /* TOS */
    ip[8] = 0xFF;  /* TTL */
    ip[10] = 0xFF; /* checksum */
    ip[11] = 0xFF;
}

/* The outer header, and what follows it up to the inner one as it is. */
static uint32_t cover_outer(uint32_t crc, const uint8_t *bytes, const struct mrc_icrc_span *span)
{
    uint8_t outer[MRC_IPV6_LEN];
    memcpy(outer, bytes + span->outer, sizeof outer);
    mask_ip6(outer);
    crc = crc32_gzip_refl(crc, outer, sizeof outer);
    return crc32_gzip_refl(crc, bytes + span->outer + sizeof outer,
                           span->ip - span->outer - sizeof outer);
}

/* Masks what stands at `at`, a copy from the IP header on of `copied` bytes. */
static void mask_row(uint8_t *at, size_t copied, const struct mrc_icrc_span *span)
{
    const size_t ip_len = span->udp - span->ip;
    const size_t bth_off = ip_len + MRC_UDP_LEN;
    if (span->is_v6) {
        mask_ip6(at);
    } else {
        mask_ip4(at);
    }
    at[ip_len + 6] = 0xFF; /* UDP checksum */
    at[ip_len + 7] = 0xFF;
    if (copied >= bth_off + 5) {
        at[bth_off + 4] = 0xFF; /* variant part of the BTH */
    }
}

/* The CRC of the first copied bytes from the IP header on, and of what is read before them. */
static uint32_t cover_row(const uint8_t *bytes, const struct mrc_icrc_span *span, size_t copied)
{
    uint8_t row[ROW_MAX];
    memset(row, 0xFF, LRH_LEN);
    uint32_t crc = 0;
    uint8_t *at = row + LRH_LEN;
    if (span->outer != span->ip) {
        crc = cover_outer(crc32_gzip_refl(crc, row, LRH_LEN), bytes, span);
        at = row;
    }
    memcpy(at, bytes + span->ip, copied);
    mask_row(at, copied, span);
    return crc32_gzip_refl(crc, row, (uint64_t)(at - row) + copied);
}

uint32_t mrc_icrc_compute(const uint8_t *bytes, const struct mrc_icrc_span *span)
{
    const size_t masked = span->udp - span->ip + MRC_UDP_LEN + 5;
    const size_t total = span->end - span->ip;
    const size_t copied = total <= ROW_MAX - LRH_LEN ? total : masked;
    const uint32_t crc = cover_row(bytes, span, copied);
    return mrc_icrc_extend(crc, bytes + span->ip + copied, total - copied);
}

uint32_t mrc_icrc_compute_split(const uint8_t *bytes, const struct mrc_icrc_span *span,
                                size_t split, uint32_t *head)
{
    *head = cover_row(bytes, span, split - span->ip);
    return mrc_icrc_extend(*head, bytes + split, span->end - split);
}

uint32_t mrc_icrc_extend(uint32_t icrc, const uint8_t *bytes, size_t len)
{
    return len == 0 ? icrc : crc32_gzip_refl(icrc, bytes, len);
}

static unsigned ethertype_at(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* Offset of the inner IPv6 header behind the outer one at off, or 0 when there is none. */
static size_t inner_offset(const uint8_t *bytes, size_t len, size_t off)
{
    size_t next = off + MRC_IPV6_LEN;
    if (bytes[off + 6] == MRC_IP_PROTO_ROUTING) {
        if (len < next + 8 || bytes[next] != MRC_IP_PROTO_IPV6) {
            return 0;
        }
        next += 8 + 8 * (size_t)bytes[next + 1];
    } else if (bytes[off + 6] != MRC_IP_PROTO_IPV6) {
        return 0;
    }
    return len >= next + MRC_IPV6_LEN ? next : 0;
}

static bool find_v6(const uint8_t *bytes, size_t len, size_t off, bool outer_too,
                    struct mrc_icrc_span *span)
{
    if (len < off + MRC_IPV6_LEN) {
        return false;
    }
    const size_t inner = inner_offset(bytes, len, off);
    span->ip = inner ? inner : off;
    span->outer = outer_too ? off : span->ip;
    span->udp = span->ip + MRC_IPV6_LEN;
    span->is_v6 = true;
    return bytes[span->ip + 6] == MRC_IP_PROTO_UDP;
}

static bool find_v4(const uint8_t *bytes, size_t len, size_t off, struct mrc_icrc_span *span)
{
    if (len < off + MRC_IPV4_LEN || (bytes[off] & 0x0F) < 5) {
        return false;
    }
    span->ip = off;
    span->outer = off;
    span->udp = off + 4 * (size_t)(bytes[off] & 0x0F);
    span->is_v6 = false;
    return bytes[off + 9] == MRC_IP_PROTO_UDP;
}

bool mrc_icrc_find_span(const uint8_t *bytes, size_t len, bool outer_too,
                        struct mrc_icrc_span *span)
{
    size_t off = MRC_ETH_LEN;
    if (len < off) {
        return false;
    }
    unsigned type = ethertype_at(bytes + 12);
    while (type == MRC_ETHERTYPE_VLAN || type == MRC_ETHERTYPE_QINQ) {
        if (len < off + MRC_VLAN_LEN) {
            return false;
        }
        type = ethertype_at(bytes + off + 2);
        off += MRC_VLAN_LEN;
    }
    const bool found = type == MRC_ETHERTYPE_IPV6   ? find_v6(bytes, len, off, outer_too, span)
                       : type == MRC_ETHERTYPE_IPV4 ? find_v4(bytes, len, off, span)
                                                    : false;
    span->end = len;
    return found && len >= span->udp + MRC_UDP_LEN;
}
