/* SPDX-License-Identifier: BSD-2-Clause */
/* Where devices with ports of their own meet: the fabric between the interfaces that their
 * manifests name, in real time. */
#ifndef MRCT_CLI_GROUND_H
#define MRCT_CLI_GROUND_H

#include "harness/cases/run.h"
#include "harness/cli/devices.h"

/*
 * Runs a case there. at: the device of host1 and of host2 where it has ports of its own, at least
 * one; NULL: that host's device is in this process, as cfg says. What cannot be played so is NOT
 * APPLICABLE, with the reason.
 */
void mrct_ground_run(const struct mrct_run_config *cfg, const struct mrct_device *const at[2],
                     const struct mrct_case *c, struct mrct_pool *pool,
                     struct mrct_result_case *out);

#endif
