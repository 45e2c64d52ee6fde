/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MRCT_CLI_AGENT_LISTEN_H
#define MRCT_CLI_AGENT_LISTEN_H

#include "harness/dut/agent_server.h"

/* Answers on "HOST:PORT" (":PORT": on every address), each session in a process of its own, until
 * killed. The port that was taken is printed when 0 was asked for. Returns an exit status. */
int mrct_agent_listen(const struct mrct_agent_service *service, const char *address);

#endif
