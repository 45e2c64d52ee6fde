/* SPDX-License-Identifier: BSD-2-Clause */
/* How times are spread: counts in buckets a thirty-second of their size wide, in fixed memory. */
#ifndef MRCT_LIVE_SPREAD_H
#define MRCT_LIVE_SPREAD_H

#include <stdint.h>

#define MRCT_SPREAD_SUB     32u
#define MRCT_SPREAD_BUCKETS (60u * MRCT_SPREAD_SUB)

struct mrct_spread {
    uint64_t count, max_ns;
    uint64_t bucket[MRCT_SPREAD_BUCKETS];
};

void mrct_spread_add(struct mrct_spread *s, uint64_t ns);
/* The time that so many of a thousand do not exceed, at most 1/32 too long; 0: nothing was added.
 */
uint64_t mrct_spread_at(const struct mrct_spread *s, unsigned per_mille);

#endif
