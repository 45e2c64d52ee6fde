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

/* The address fields of the IP header that carries UDP, and what follows that header. */
struct pair {
    const uint8_t *src, *dst, *rest;
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
        *a = (struct pair){p + 8, p + 24, p + IP6_LEN, true, p[6]};
        p += IP6_LEN;
        if (a->next == NEXT_ROUTING) {
            if (end - p < 8)
                return false;
            const size_t len = 8 + 8 * (size_t)p[1], left = (size_t)(end - p);
            a->next = p[0];
            a->rest = p += len < left ? len : left;
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
    const size_t ihl = 4 * (size_t)(p[0] & 15), left = (size_t)(end - p);
    *a = (struct pair){p + 12, p + 16, p + (ihl < left ? ihl : left), false, p[9]};
    return true;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 29;
}

/* A number of the host, the same for all of its addresses where facts know them. */
static uint64_t host_number(const struct mrct_facts *facts, bool is_v6, const uint64_t addr[2])
{
    const uint8_t *const ip = (const uint8_t *)addr;
    const int host = facts->host_count > 0 ? mrct_facts_host_of(facts, is_v6, ip) : -1;
    if (host >= 0)
        return mix((uint64_t)host + 1);
    return mix(addr[0] ^ mix(addr[1] + (is_v6 ? 1 : 0)));
}

static unsigned owner(struct mrct_peek *k, const struct pair *a)
{
    uint64_t addr[4] = {0};
    memcpy(addr, a->src, a->is_v6 ? 16 : 4);
    memcpy(addr + 2, a->dst, a->is_v6 ? 16 : 4);
    const uint64_t h = (addr[0] ^ addr[1] ^ addr[2] ^ addr[3]) * UINT64_C(0x9E3779B97F4A7C15);
    struct mrct_peek_pair *const seen = &k->pairs[h >> 58];
    const uint8_t version = a->is_v6 ? 6 : 4;
    if (seen->version == version && memcmp(seen->addr, addr, sizeof(addr)) == 0)
        return seen->owner;
    const uint64_t both =
        host_number(k->facts, a->is_v6, addr) + host_number(k->facts, a->is_v6, addr + 2);
    *seen = (struct mrct_peek_pair){.version = version, .owner = (unsigned)(mix(both) % k->judges)};
    memcpy(seen->addr, addr, sizeof(addr));
    return seen->owner;
}

/* Only these can carry a frame; most frames are spared the look. */
static bool may_carry(const struct pair *a, const uint8_t *end)
{
    return a->next == NEXT_GRE ||
           (a->next == NEXT_UDP && end - a->rest >= 4 && mrct_decap_port(get16(a->rest + 2)));
}

unsigned mrct_peek_owner(struct mrct_peek *p, const struct mrct_capture_frame *f)
{
    struct pair a;
    struct mrct_inner inner;
    if (!pair_of(f->bytes, f->cap_len, &a))
        return 0;
    if (may_carry(&a, f->bytes + f->cap_len) &&
        mrct_decap(f->bytes, f->cap_len, f->wire_len, &inner) != MRCT_TUNNEL_NONE &&
        !pair_of(inner.bytes, inner.cap_len, &a))
        return 0;
    return owner(p, &a);
}
