/* SPDX-License-Identifier: BSD-2-Clause */
/* Which judge a frame belongs to, by a look at its addresses: both directions of a pair of hosts
 * go to the same one. */
#ifndef MRCT_CLI_CHECK_PEEK_H
#define MRCT_CLI_CHECK_PEEK_H

#include "harness/trace/capture.h"
#include "harness/trace/facts.h"

/* 0..judges-1; 0 for what has no addresses. */
unsigned mrct_peek_owner(const struct mrct_facts *facts, const struct mrct_capture_frame *f,
                         unsigned judges);

#endif
