/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct fabric, its parts. */
#ifndef MRCT_CLI_FABRIC_H
#define MRCT_CLI_FABRIC_H

#include "harness/cases/fabric_file.h"
#include "harness/cli/cli.h"
#include "harness/live/relay.h"

#include <net/if.h>

struct mrct_fabric_options {
    char names[2][MRC_EP_PORTS_MAX][IF_NAMESIZE]; /* by side and plane */
    unsigned planes;
    const char *faults;  /* file, or NULL */
    const char *capture; /* directory, or NULL */
    uint64_t for_ns;     /* MRC_TIME_NEVER: until a signal */
    uint64_t seed, ring, busy_poll_us;
    uint16_t udp_port; /* 0: the default ones */
    bool bypass, json;
};

/* Reads the command line; MRCT_CLI_END when there is something to do. */
int mrct_fabric_command_line(struct mrct_fabric_options *o, int argc, char **argv);

/* What became of every frame; why: NULL, or what does not add up. */
void mrct_fabric_text(const struct mrct_fabric_options *o, const struct mrct_case *faults,
                      struct mrct_relay *r, const char *why, FILE *out);
/* 0, or -1 when it could not be written. */
int mrct_fabric_json(const struct mrct_fabric_options *o, const struct mrct_case *faults,
                     struct mrct_relay *r, int status, const char *why, FILE *out);

#endif
