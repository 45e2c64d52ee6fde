/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of a device's agent that comes before any verdict of the device. */
#ifndef MRCT_CLI_FITNESS_H
#define MRCT_CLI_FITNESS_H

#include "harness/cases/plan.h"
#include "harness/cli/devices.h"
#include "harness/dut/agent_check.h"

/* Checks the agent that d's manifest names. Returns how many items were bad, or -1 with a sentence
 * when the agent cannot be reached at all. only: as in struct mrct_agent_check. */
int mrct_fitness_check(const struct mrct_device *d, const struct mrct_plan *plan, uint64_t seed,
                       const char *only,
                       void (*tell)(void *user, const char *item, const char *what,
                                    enum mrct_check_end end, const char *why),
                       void *user, char *err, size_t err_cap);

/* The same in silence: 0, or -1 with a sentence that names the first item that was bad. What the
 * device itself did not show is left to the cases. Built-in devices are fit. */
int mrct_fitness(const struct mrct_device *d, const struct mrct_plan *plan, uint64_t seed,
                 char *err, size_t err_cap);

#endif
