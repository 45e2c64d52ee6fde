/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/checksum.h"

#define ETH_LEN   14u
#define TYPE_IP4  0x0800u
#define TYPE_IP6  0x86DDu
#define TYPE_VLAN 0x8100u
#define TYPE_QINQ 0x88A8u

static unsigned get16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* Where the transport header begins, its protocol, and where the IP packet ends; 0: no IP. */
static size_t transport_at(const uint8_t *b, size_t len, unsigned *protocol, size_t *end)
{
    size_t at = ETH_LEN - 2;
    while (at + 4 <= len && (get16(b + at) == TYPE_VLAN || get16(b + at) == TYPE_QINQ))
        at += 4;
    if (at + 2 + 40 > len)
        return 0;
    const unsigned type = get16(b + at);
    const uint8_t *const ip = b + at + 2;
    at += 2;
    if (type == TYPE_IP4) {
        *protocol = ip[9];
        *end = at + get16(ip + 2);
        return at + (size_t)(ip[0] & 0xFu) * 4;
    }
    *protocol = ip[6];
    *end = at + 40 + get16(ip + 4);
    return type == TYPE_IP6 ? at + 40 : 0;
}

bool mrct_checksum_complete(uint8_t *bytes, size_t len)
{
    enum { TCP = 6, UDP = 17 };
    unsigned protocol = 0;
    size_t end = 0;
    const size_t at = transport_at(bytes, len, &protocol, &end);
    const size_t field = at + (protocol == TCP ? 16u : 6u);
    if (at == 0 || (protocol != TCP && protocol != UDP) || end > len || field + 2 > end)
        return false;
    uint32_t sum = 0;
    for (size_t i = at; i + 1 < end; i += 2)
        sum += get16(bytes + i);
    if ((end - at) % 2 != 0)
        sum += (uint32_t)bytes[end - 1] << 8;
    while (sum > 0xFFFFu)
        sum = (sum & 0xFFFFu) + (sum >> 16);
    sum = ~sum & 0xFFFFu;
    if (protocol == UDP && sum == 0)
        sum = 0xFFFFu; /* zero would say that there is none */
    bytes[field] = (uint8_t)(sum >> 8);
    bytes[field + 1] = (uint8_t)sum;
    return true;
}
