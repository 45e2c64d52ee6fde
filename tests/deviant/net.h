/* SPDX-License-Identifier: BSD-2-Clause */
/* A conversation in which every lie has its occasion, and what one host said in it. */
#ifndef TESTS_DEVIANT_NET_H
#define TESTS_DEVIANT_NET_H

#include "harness/deviant/deviant.h"
#include "harness/fabric/fabric.h"

#define NET_FRAME_BYTES                                                                            \
    448u /* of a frame, from its start: more than headers and a path MTU of 256 */

struct net_frame {
    uint64_t at_ns;
    uint16_t plane, len;
    uint8_t bytes[NET_FRAME_BYTES];
};

/* What the watched host sent, in order, what both applications were told, and memory at the end. */
struct net_log {
    struct net_frame *frames;
    size_t count, cap;
    char *events; /* one line each */
    size_t events_len, events_cap;
    uint32_t memory; /* a digest of the responder's region */
};
void net_log_fini(struct net_log *log);

struct net_options {
    bool no_trim_nack, no_tseth, dynamic_mpr;
};

/* Runs it with the deviant (NULL: none) in its place and logs what host `watched` sends. */
void net_run(const struct mrct_deviant *deviant, unsigned watched, const struct net_options *opt,
             struct net_log *log);

#endif
