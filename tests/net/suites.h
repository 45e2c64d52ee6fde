/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MRC_TESTS_NET_SUITES_H
#define MRC_TESTS_NET_SUITES_H

#include <check.h>
#include <stdbool.h>

Suite *suite_neighbours(void);
Suite *suite_filter(void);
Suite *suite_ports(void);
Suite *suite_merge(void);
Suite *suite_nodes(void);

/*
 * A network namespace for this test's process alone, with a veth pair a-b of the given MTU, both
 * up. It vanishes with the process. False, with a sentence printed, where that is not possible:
 * the test then has nothing to look at.
 */
bool net_alone(unsigned mtu);
/* Both ends up, and ready to carry frames: a carrier takes the kernel some time. */
void net_up(void);
/* Runs an ip command; aborts the test when it fails. */
void net_ip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
