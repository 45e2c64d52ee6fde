/* SPDX-License-Identifier: BSD-2-Clause */
/* The scripted peer as a device of a run: what it is told out of band goes nowhere, and its frames
 * are the player's. */
#ifndef MRCT_CASES_SCRIPT_DUT_H
#define MRCT_CASES_SCRIPT_DUT_H

#include "harness/cases/script_play.h"
#include "harness/dut/dut.h"

/* NULL: no memory. It takes no part in anything before it has a player. */
struct mrct_dut *mrct_scripted_new(const struct mrc_wire_config *wire);
/* The player stays the caller's and is freed after the device. */
void mrct_scripted_set(struct mrct_dut *d, struct mrct_player *player);

#endif
