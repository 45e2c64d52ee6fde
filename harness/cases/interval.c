/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/interval.h"

#include <math.h>

#define MILLION 1e6

/* Quantiles of the normal distribution, two-sided. */
static double quantile(int confidence)
{
    return confidence == 90 ? 1.6448536269514722
                            : (confidence == 99 ? 2.5758293035489004 : 1.9599639845400545);
}

struct mrct_interval mrct_interval_wilson(unsigned m, unsigned n, int confidence)
{
    const double z = quantile(confidence);
    const double runs = n;
    const double p = m / runs;
    const double scale = 1 + z * z / runs;
    const double middle = (p + z * z / (2 * runs)) / scale;
    const double half = z * sqrt(p * (1 - p) / runs + z * z / (4 * runs * runs)) / scale;
    const double low = floor((middle - half) * MILLION);
    const double high = ceil((middle + half) * MILLION);
    return (struct mrct_interval){
        .low_ppm = m == 0 || low < 0 ? 0 : (uint32_t)low,
        .high_ppm = m == n || high > MILLION ? (uint32_t)MILLION : (uint32_t)high,
    };
}

enum mrct_verdict mrct_interval_verdict(struct mrct_interval i, uint32_t share_ppm)
{
    if (i.low_ppm >= share_ppm) {
        return MRCT_PASS;
    }
    return i.high_ppm < share_ppm ? MRCT_FAIL : MRCT_INCONCLUSIVE;
}
