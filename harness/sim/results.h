/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files that make results. */
#ifndef MRCT_SIM_RESULTS_H
#define MRCT_SIM_RESULTS_H

#include "harness/sim/sim_priv.h"

/* count, min, mean, p50, p99, p99.9, max; sorts the values. */
json_t *sim_distribution(double *values, size_t n);

#endif
