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

/* A look at the end of such a run, for mrct_run_config.look: each QP's writes ended in order and
 * with the status that is due, none but a refused write ended a QP, and every QP is at rest. */
bool mrct_swarm_look(struct mrct_run *run, char *words, size_t cap);

/* What was drawn, as one line: printed with a seed that failed. */
void mrct_swarm_describe(const struct mrct_case *c, char *buf, size_t cap);

#endif
