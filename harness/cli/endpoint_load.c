/* SPDX-License-Identifier: BSD-2-Clause */
/* What is sent, cut into messages, and how long they took. */
#include "harness/cli/endpoint.h"

#include <stdlib.h>

uint64_t mrct_live_message_len(const struct mrct_live_load *l, uint64_t i)
{
    if (!l->is_file || i + 1 < l->messages)
        return l->message_bytes;
    return l->total_bytes - i * l->message_bytes;
}

uint64_t mrct_live_message_offset(const struct mrct_live_load *l, uint64_t i)
{
    return l->is_file ? i * l->message_bytes : (i % l->slots) * l->message_bytes;
}

uint64_t mrct_live_room(const struct mrct_live_load *l)
{
    const uint64_t n = l->is_file ? l->total_bytes : l->slots * l->message_bytes;
    return n == 0 ? 1 : n;
}

uint8_t *mrct_live_pattern(uint64_t seed, uint64_t message_bytes)
{
    const size_t words = (size_t)(message_bytes + MRCT_LIVE_PATTERN_TURN) / 8 + 1;
    uint64_t *const p = malloc(words * 8);
    uint64_t x = seed;
    for (size_t i = 0; p != NULL && i < words; i++) { /* splitmix64 */
        x += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t z = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        p[i] = z ^ (z >> 31);
    }
    return (uint8_t *)p;
}

static unsigned bucket_of(uint64_t ns)
{
    if (ns < 8)
        return (unsigned)ns;
    const unsigned power = 63u - (unsigned)__builtin_clzll(ns);
    return power * 8u + (unsigned)((ns >> (power - 3)) & 7u);
}

static uint64_t bucket_end(unsigned b)
{
    const unsigned power = b / 8u;
    return power < 3 ? b : ((UINT64_C(8) + b % 8u + 1) << (power - 3)) - 1;
}

void mrct_live_times_add(struct mrct_live_times *t, uint64_t ns)
{
    t->bucket[bucket_of(ns)]++;
    t->count++;
    t->sum_ns += ns;
    t->max_ns = ns > t->max_ns ? ns : t->max_ns;
}

uint64_t mrct_live_times_at(const struct mrct_live_times *t, double q)
{
    const double want = q * (double)t->count;
    uint64_t seen = 0;
    for (unsigned b = 0; b < sizeof t->bucket / sizeof t->bucket[0]; b++) {
        seen += t->bucket[b];
        if (seen > 0 && (double)seen >= want) {
            const uint64_t end = bucket_end(b);
            return end < t->max_ns ? end : t->max_ns;
        }
    }
    return 0;
}
