/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/check_peek.h"

#include "harness/trace/decap.h"
#include <string.h>

enum {
    ETH_LEN = 14,
    IP6_LEN = 40,
    TYPE_IPV4 = 0x0800,
    TYPE_IPV6 = 0x86DD,
    TYPE_VLAN = 0x8100,
    TYPE_QINQ = 0x88A8,
    NEXT_IPV6 = 41,
    NEXT_ROUTING = 43,
    NEXT_GRE = 47,
    NEXT_UDP = 17,
};

/* The address fields of the IP header that carries UDP. */
struct pair {
    const uint8_t *src, *dst;
    bool is_v6;
    unsigned next;
};

static unsigned get16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static bool pair_of_ip6(const uint8_t *p, const uint8_t *end, struct pair *a)
{
    for (unsigned depth = 0; depth < 2; depth++) {
        if (end - p < IP6_LEN)
            return false;
        *a = (struct pair){p + 8, p + 24, true, p[6]};
        p += IP6_LEN;
        if (a->next == NEXT_ROUTING) {
            if (end - p < 8)
                return false;
            a->next = p[0];
            p +=
                8 + 8 * (size_t)p[1] < (size_t)(end - p) ? 8 + 8 * (size_t)p[1] : (size_t)(end - p);
        }
        if (a->next != NEXT_IPV6)
            return true;
    }
    return true;
}

static bool pair_of(const uint8_t *p, uint32_t len, struct pair *a)
{
    const uint8_t *const end = p + len;
    if (len < ETH_LEN)
        return false;
    unsigned type = get16(p + 12);
    p += ETH_LEN;
    for (unsigned tags = 0; tags < 2 && (type == TYPE_VLAN || type == TYPE_QINQ); tags++) {
        if (end - p < 4)
            return false;
        type = get16(p + 2);
        p += 4;
    }
    if (type == TYPE_IPV6)
        return pair_of_ip6(p, end, a);
    if (type != TYPE_IPV4 || end - p < 20)
        return false;
    *a = (struct pair){p + 12, p + 16, false, p[9]};
    return true;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 29;
}

/* A number of the host, the same for all of its addresses where facts know them. */
static uint64_t host_number(const struct mrct_facts *facts, bool is_v6, const uint8_t *addr)
{
    uint8_t ip[16] = {0};
    uint64_t half[2];
    memcpy(ip, addr, is_v6 ? 16 : 4);
    const int host = facts->host_count > 0 ? mrct_facts_host_of(facts, is_v6, ip) : -1;
    if (host >= 0)
        return mix((uint64_t)host + 1);
    memcpy(half, ip, sizeof(half));
    return mix(half[0] ^ mix(half[1] + (is_v6 ? 1 : 0)));
}

static unsigned owner(const struct mrct_facts *facts, const struct pair *a, unsigned judges)
{
    const uint64_t both =
        host_number(facts, a->is_v6, a->src) + host_number(facts, a->is_v6, a->dst);
    return (unsigned)(mix(both) % judges);
}

unsigned mrct_peek_owner(const struct mrct_facts *facts, const struct mrct_capture_frame *f,
                         unsigned judges)
{
    struct pair a;
    struct mrct_inner inner;
    if (!pair_of(f->bytes, f->cap_len, &a))
        return 0;
    const bool plain = a.next == NEXT_UDP || a.next == NEXT_GRE;
    if (plain && mrct_decap(f->bytes, f->cap_len, f->wire_len, &inner) != MRCT_TUNNEL_NONE &&
        !pair_of(inner.bytes, inner.cap_len, &a))
        return 0;
    return owner(facts, &a, judges);
}
