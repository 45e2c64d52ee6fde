/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/spread.h"

/* The first 2 * SUB values have a bucket each; then every power of two has SUB of them. */
static unsigned bucket_of(uint64_t ns)
{
    unsigned shift = 0;
    while (ns >> shift >= UINT64_C(2) * MRCT_SPREAD_SUB)
        shift++;
    return shift * MRCT_SPREAD_SUB + (unsigned)(ns >> shift);
}

static uint64_t top_of(unsigned bucket)
{
    if (bucket < 2u * MRCT_SPREAD_SUB)
        return bucket;
    const unsigned shift = bucket / MRCT_SPREAD_SUB - 1u;
    const uint64_t head = bucket - shift * MRCT_SPREAD_SUB;
    return ((head + 1u) << shift) - 1u;
}

void mrct_spread_add(struct mrct_spread *s, uint64_t ns)
{
    const unsigned at = bucket_of(ns);
    s->bucket[at < MRCT_SPREAD_BUCKETS ? at : MRCT_SPREAD_BUCKETS - 1u]++;
    s->count++;
    s->max_ns = ns > s->max_ns ? ns : s->max_ns;
}

uint64_t mrct_spread_at(const struct mrct_spread *s, unsigned per_mille)
{
    const uint64_t wanted = (s->count * per_mille + 999u) / 1000u;
    uint64_t seen = 0;
    for (unsigned i = 0; i < MRCT_SPREAD_BUCKETS && s->count > 0; i++) {
        seen += s->bucket[i];
        if (seen >= wanted && seen > 0)
            return top_of(i) < s->max_ns ? top_of(i) : s->max_ns;
    }
    return s->max_ns;
}
