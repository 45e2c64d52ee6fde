/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An agent in C to start from: the library speaks the protocol (docs/reference/agent-protocol.md),
 * and the device is a table of functions. Here that table is the reference endpoint's; put your own
 * in make_device(), an implementation of struct mrct_dut_ops (harness/dut/dut.h) over your stack.
 *
 * Built by `make examples` as build/examples/agent; try it with
 *     build/mrct agent-check -- build/examples/agent
 *     build/mrct certify --device examples/agent-c.yaml
 */
#include "harness/dut/agent_server.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What your device implements: cases that need anything else are not asked of it. */
static const char *const capabilities[] = {"planes", "tseth", "write_imm", NULL};

/* The folders of cases that your adapter is ready for. Be honest: what is not here is answered with
 * "unsupported", which costs nothing; a wrong yes does. */
static const char *const folders[] = {"ack/",     "format/",  "imm/",
                                      "message/", "network/", "retransmission/",
                                      "sack/",    "timeout/", NULL};

static bool knows_case(void *user, const char *case_id)
{
    (void)user;
    for (const char *const *f = folders; *f != NULL; f++)
        if (strncmp(case_id, *f, strlen(*f)) == 0)
            return true;
    return false;
}

/* A device as the case wants it; NULL when it cannot be had. It is freed when the case ends. */
static struct mrct_dut *make_device(void *user, const struct mrc_ep_config *cfg, uint64_t seed)
{
    (void)user;
    return mrct_dut_reference(cfg, seed); /* your device here */
}

int main(void)
{
    const struct mrct_agent_service service = {
        .name = "example-c",
        .version = "1",
        .firmware = "1.0",
        .capabilities = capabilities,
        .make = make_device,
        .knows = knows_case,
    };
    struct mrct_agent_io *const io = mrct_agent_fds(STDIN_FILENO, STDOUT_FILENO, UINT64_MAX);
    if (io == NULL)
        return 1;
    const int rc = mrct_agent_serve(&service, io);
    if (rc != 0)
        fprintf(stderr, "agent: %s\n", io->err);
    io->ops->free(io);
    return rc == 0 ? 0 : 1;
}
