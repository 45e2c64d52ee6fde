/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files that play the applications. */
#ifndef MRCT_SIM_WORKS_H
#define MRCT_SIM_WORKS_H

#include "harness/sim/sim_priv.h"

/* A flow of a work, all from its scene; the pointer is good until the next call. NULL: noted. */
struct sim_flow *sim_flow_add(struct mrct_sim *sim, uint32_t work, uint32_t src, uint32_t dst);
/* Posts what its depth allows. */
void sim_flow_post(struct mrct_sim *sim, struct sim_flow *f);
void sim_flow_finish(struct mrct_sim *sim, struct sim_flow *f);

/* collective.c: works in steps. A host's next step begins when it has sent its own and received
 * that of its neighbour. */
int sim_collective(struct mrct_sim *sim, uint32_t work);
void sim_collective_start(struct mrct_sim *sim, struct sim_flow *f);
void sim_collective_sent(struct mrct_sim *sim, struct sim_flow *f);
void sim_collective_received(struct mrct_sim *sim, struct sim_flow *f);

#endif
