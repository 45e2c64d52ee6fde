/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MRCT_TESTS_LIVE_SUITES_H
#define MRCT_TESTS_LIVE_SUITES_H

#include "harness/live/relay.h"
#include <check.h>

Suite *suite_small(void);
Suite *suite_relay(void);

/*
 * A network namespace for this test's process alone, with veth pairs a0-f0 and f1-b0: the far ends
 * of a fabric of one plane between f0 and f1. False, with a sentence printed, where that is not
 * possible: the test then has nothing to look at.
 */
bool live_alone(void);

#endif
