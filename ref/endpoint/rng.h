/* SPDX-License-Identifier: BSD-2-Clause */
/* The endpoint's own random numbers (splitmix64): the same seed gives the same run, everywhere. */
#ifndef MRC_ENDPOINT_RNG_H
#define MRC_ENDPOINT_RNG_H

#include <stdint.h>

struct mrc_rng {
    uint64_t state;
};

void mrc_rng_seed(struct mrc_rng *rng, uint64_t seed);
uint64_t mrc_rng_next(struct mrc_rng *rng);
/* Uniform in 0..n-1, n >= 1. */
uint32_t mrc_rng_below(struct mrc_rng *rng, uint32_t n);

#endif
