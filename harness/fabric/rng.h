/* SPDX-License-Identifier: BSD-2-Clause */
/* The harness's random numbers: xoshiro256**, seeded through splitmix64. The same on every machine.
 */
#ifndef MRCT_FABRIC_RNG_H
#define MRCT_FABRIC_RNG_H

#include <stdint.h>

struct mrct_rng {
    uint64_t s[4];
};

void mrct_rng_init(struct mrct_rng *r, uint64_t seed);
uint64_t mrct_rng_next(struct mrct_rng *r);
/* 0 .. n-1, evenly; n >= 1. */
uint32_t mrct_rng_below(struct mrct_rng *r, uint32_t n);

#endif
