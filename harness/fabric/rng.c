/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/fabric/rng.h"

void mrct_rng_init(struct mrct_rng *r, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++) {
        seed += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        r->s[i] = z ^ (z >> 31);
    }
}

static uint64_t rotl(uint64_t x, unsigned k)
{
    return (x << k) | (x >> (64u - k));
}

uint64_t mrct_rng_next(struct mrct_rng *r)
{
    uint64_t *s = r->s;
    const uint64_t out = rotl(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return out;
}

uint32_t mrct_rng_below(struct mrct_rng *r, uint32_t n)
{
    /* The product's low half tells the few values that would make some results likelier. */
    const uint32_t floor = (0u - n) % n;
    for (;;) {
        const uint64_t m = (mrct_rng_next(r) >> 32) * n;
        if ((uint32_t)m >= floor)
            return (uint32_t)(m >> 32);
    }
}
