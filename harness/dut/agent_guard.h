/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process with a guard: a parent of its own that dies with this process and takes everything down
 * that the guarded one started, in whatever process group or session.
 */
#ifndef MRCT_DUT_AGENT_GUARD_H
#define MRCT_DUT_AGENT_GUARD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mrct_guard {
    pid_t pid;     /* of the guard */
    int in, out;   /* to the process's standard input, from its standard output */
    int status_fd; /* how it ended can be read here */
    int status;    /* once it was read, else -1 */
};

/* 0, or -1 with a sentence in err: it could not be started. */
int mrct_guard_start(struct mrct_guard *g, const char *const *argv, const char *folder, int err_fd,
                     char *err, size_t err_cap);
/*
 * How the process ended, as waitpid() tells it, when that is known within wait_ms; else -1. Can be
 * asked again.
 */
int mrct_guard_status(struct mrct_guard *g, int wait_ms);
/* Ends everything that is left and waits until it is gone. in and out are not touched. */
void mrct_guard_end(struct mrct_guard *g);

#endif
