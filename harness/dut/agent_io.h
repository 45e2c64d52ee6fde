/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines to and from an agent: a process that is started here, or one that listens on TCP. Whatever
 * it does, nobody waits for it longer than the patience, and when this process dies the agent and
 * all that it started die too.
 */
#ifndef MRCT_DUT_AGENT_IO_H
#define MRCT_DUT_AGENT_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mrct_agent_io;
struct mrct_agent_io_ops {
    /* len bytes, the newline among them. 0, or -1 with io->err set. */
    int (*send)(struct mrct_agent_io *io, const char *bytes, size_t len);
    /* The next line without its newline, good until the next call. 0, or -1 with io->err set. */
    int (*recv)(struct mrct_agent_io *io, const char **line, size_t *len);
    /* True when recv() would not wait; *fd (may be NULL) is what becomes readable otherwise. */
    bool (*ready)(const struct mrct_agent_io *io, int *fd);
    /* Lets the other side end by itself for a moment, then ends it. */
    void (*free)(struct mrct_agent_io *io);
};
/* Embed first in a way's own struct. */
struct mrct_agent_io {
    const struct mrct_agent_io_ops *ops;
    char err[300]; /* why the latest call failed: "ended by signal 11", "no answer in 10 s", ... */
};

/*
 * Starts argv (NULL-terminated; found on the PATH) in folder (NULL: here) with its standard error
 * going to err_fd (-1: to ours). NULL with a sentence in err.
 */
struct mrct_agent_io *mrct_agent_spawn(const char *const *argv, const char *folder, int err_fd,
                                       uint64_t patience_ns, char *err, size_t err_cap);
/* "HOST:PORT", an IPv6 address in brackets. NULL with a sentence in err. */
struct mrct_agent_io *mrct_agent_connect(const char *address, uint64_t patience_ns, char *err,
                                         size_t err_cap);
/* Lines over descriptors that are open already; both are closed with it. NULL: no memory. */
struct mrct_agent_io *mrct_agent_fds(int in, int out, uint64_t patience_ns);

#endif
