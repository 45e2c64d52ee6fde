/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other end of the agent protocol: answers for a device in this process, in virtual time or on
 * ports of its own. The reference agent is this over the reference endpoint or a deviant.
 */
#ifndef MRCT_DUT_AGENT_SERVER_H
#define MRCT_DUT_AGENT_SERVER_H

#include "harness/dut/agent_io.h"
#include "harness/dut/agent_msg.h"

struct mrct_agent_service {
    const char *name, *version, *firmware; /* of the device */
    const char *const *capabilities;       /* NULL-terminated */
    /* NULL: memory, or a configuration that it refuses. */
    struct mrct_dut *(*make)(void *user, const struct mrc_ep_config *cfg, uint64_t seed);
    bool (*knows)(void *user, const char *case_id);
    /* A device with ports of its own, or NULL: virtual time alone. cfg's addresses are those that
     * the harness uses for it. Between two requests attend() lets it move until `fd` is readable,
     * and now_ns() is the clock that its calls are given. */
    struct mrct_dut *(*make_live)(void *user, const struct mrc_ep_config *cfg, uint64_t seed);
    void (*attend)(void *user, int fd);
    uint64_t (*now_ns)(void *user);
    unsigned live_ports; /* that it has; 0: as many as are wanted */
    void *user;
};

struct mrct_agent_server;
struct mrct_agent_server *mrct_agent_server_new(const struct mrct_agent_service *service);
void mrct_agent_server_free(struct mrct_agent_server *s);
/* The answer to one line, a text with its newline that the caller frees; NULL: no memory. *bye is
 * set when the line ends the session. */
char *mrct_agent_server_answer(struct mrct_agent_server *s, const char *line, size_t len,
                               bool *bye);

/* Answers until "bye" or the end of the input. 0, or -1 when the way failed: see io->err. */
int mrct_agent_serve(const struct mrct_agent_service *service, struct mrct_agent_io *io);

#endif
