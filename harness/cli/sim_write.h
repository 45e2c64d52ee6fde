/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that mrct sim writes, each whole or not at all. Both return an exit status, and have
 * said why when it is not 0. */
#ifndef MRCT_CLI_SIM_WRITE_H
#define MRCT_CLI_SIM_WRITE_H

#include "harness/sim/sim.h"

int mrct_sim_write_json(const json_t *results, const char *path);
/* All of them into a folder, which is made when it is not there. */
int mrct_sim_write_all(const struct mrct_sim *sim, const json_t *results, const char *dir);

#endif
