/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device of this process on interfaces of its own, in real time: what an agent speaks for when it
 * has ports. It moves only while it is attended.
 */
#ifndef MRCT_LIVE_OWN_H
#define MRCT_LIVE_OWN_H

#include "harness/dut/dut.h"

struct mrct_own;

/* Opens the interfaces, port i of the device each. NULL with a sentence in err. */
struct mrct_own *mrct_own_new(const char *const *ifname, unsigned ports, char *err, size_t err_cap);
void mrct_own_free(struct mrct_own *o); /* NULL is fine */

/* From now on this device (not owned) has the first ports of them; what had come for another is
 * thrown away. wire is copied. */
void mrct_own_take(struct mrct_own *o, struct mrct_dut *dut, const struct mrc_wire_config *wire,
                   unsigned ports);
/* Lets the device receive, send and react until fd is readable, or ended. */
void mrct_own_attend(struct mrct_own *o, int fd);
/* The clock that its calls are given. */
uint64_t mrct_own_now(const struct mrct_own *o);

#endif
