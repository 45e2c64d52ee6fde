/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/endpoint/rng.h"

void mrc_rng_seed(struct mrc_rng *rng, uint64_t seed)
{
    rng->state = seed;
}

uint64_t mrc_rng_next(struct mrc_rng *rng)
{
    rng->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = rng->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Multiply and shift: no division, and a bias below n / 2^32 that no test can see. */
uint32_t mrc_rng_below(struct mrc_rng *rng, uint32_t n)
{
    return (uint32_t)(((mrc_rng_next(rng) >> 32) * n) >> 32);
}
