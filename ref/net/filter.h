/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's filter in front of a receive ring: MRC, what it travels in, and neighbours. */
#ifndef MRC_NET_FILTER_H
#define MRC_NET_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#define MRC_NET_FILTER_MAX 96u

/*
 * Writes a program that takes the first snap bytes of: UDP over IPv4 or IPv6 to one of the ports,
 * IPv6 in IPv6 with or without a routing header (SRv6), ARP, and neighbour solicitations and
 * advertisements; each with up to one VLAN tag that the kernel has left in the frame. All else is
 * refused. Returns the number of instructions, or 0 when there are too many ports.
 */
size_t mrc_net_filter_make(struct sock_filter prog[MRC_NET_FILTER_MAX], const uint16_t *ports,
                           unsigned port_count, uint32_t snap);

#endif
