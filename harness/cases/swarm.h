/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A case drawn from a seed: topology, rates, options of both sides, traffic and random faults. The
 * honest endpoint must come through each with nothing to blame it for.
 */
#ifndef MRCT_CASES_SWARM_H
#define MRCT_CASES_SWARM_H

#include "harness/cases/run.h"

/* Fills c (device on both sides) from seed. 0, or -1 when memory fails; mrct_case_fini() after 0.
 */
int mrct_swarm_draw(struct mrct_case *c, uint64_t seed);

/* What was drawn, as one line: printed with a seed that failed. */
void mrct_swarm_describe(const struct mrct_case *c, char *buf, size_t cap);

#endif
