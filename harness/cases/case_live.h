/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases on devices that have ports and a clock of their own. Such a device reacts when its machine
 * lets it: what a case says by exact times cannot be said there, and timers must not be so short
 * that a busy machine looks like a loss.
 */
#ifndef MRCT_CASES_CASE_LIVE_H
#define MRCT_CASES_CASE_LIVE_H

#include "harness/cases/case.h"

/* Whose device has ports of its own. */
struct mrct_case_live {
    bool own[2];
    unsigned planes[2];             /* that lead to it; with own */
    const struct mrc_addr *addr[2]; /* its addresses by plane, or NULL: any will do */
};

/* NULL, or a sentence (static) on why the case cannot be played there. */
const char *mrct_case_not_live(const struct mrct_case *c, const struct mrct_case_live *live);

/* The case with timers for real time: a copy that refers to what c owns. *quiet_ns is how long
 * nothing must move until it is over. */
void mrct_case_slowed(const struct mrct_case *c, struct mrct_case *slow, uint64_t *quiet_ns);

#endif
