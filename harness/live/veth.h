/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interfaces that nobody has to take away again: veth pairs in a network namespace without a name,
 * which the kernel removes with the last process in it, however that ends.
 */
#ifndef MRCT_LIVE_VETH_H
#define MRCT_LIVE_VETH_H

#include <net/if.h>
#include <stddef.h>

/*
 * This process goes into a network namespace of its own, for good; its interfaces there have no
 * IPv6 addresses unless they are given some. Needs root, or the right to make user namespaces.
 * Returns 0, or -1 with one sentence in err.
 */
int mrct_veth_alone(char *err, size_t err_cap);

/* A pair a-b of that MTU, both up and with a carrier on return. 0, or -1 with one sentence. */
int mrct_veth_pair(const char *a, const char *b, unsigned mtu, char *err, size_t err_cap);

#endif
