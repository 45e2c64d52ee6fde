/* SPDX-License-Identifier: BSD-2-Clause */
/* What m successes in n runs say of the share of runs that succeed: Wilson's score interval. */
#ifndef MRCT_CASES_INTERVAL_H
#define MRCT_CASES_INTERVAL_H

#include "harness/oracle/finding.h"

struct mrct_interval {
    uint32_t low_ppm, high_ppm; /* parts per million; rounded outwards */
};

/* n > 0, m <= n; confidence is 90, 95 or 99 per cent. */
struct mrct_interval mrct_interval_wilson(unsigned m, unsigned n, int confidence);

/* PASS when all of the interval is at the wanted share or above, FAIL when all of it is below, else
 * INCONCLUSIVE: n runs cannot tell. */
enum mrct_verdict mrct_interval_verdict(struct mrct_interval i, uint32_t share_ppm);

#endif
