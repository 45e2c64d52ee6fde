/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of mrct swarm: one seed, and a crew that runs many. */
#ifndef MRCT_CLI_SWARM_H
#define MRCT_CLI_SWARM_H

#include "harness/report/result.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct mrct_swarm_order {
    uint64_t first, last; /* seeds */
    unsigned jobs;        /* threads, >= 1 */
    const char *out_dir;  /* where captures go, or NULL */
    bool verbose;         /* tell of seeds that passed, too */
};

/* What became of one seed. */
struct mrct_swarm_seed {
    uint64_t seed;
    bool run;                    /* false: memory failed */
    enum mrct_verdict verdict;   /* of the run */
    uint64_t frames, virtual_ns; /* that passed the taps; until it came to rest */
    uint64_t fails, warns;       /* findings of that kind */
    char *text;                  /* what is to be printed, or NULL; heap */
    json_t *failure;             /* of a seed that did not pass, else NULL */
};

void mrct_swarm_seed_run(const struct mrct_swarm_order *o, uint64_t seed,
                         struct mrct_swarm_seed *out);
void mrct_swarm_seed_fini(struct mrct_swarm_seed *s);

/* Runs all seeds on the order's threads and hands each to take() in their order, in the caller's
 * thread. 0, or -1 when no thread could be made. */
int mrct_swarm_crew(const struct mrct_swarm_order *o,
                    void (*take)(void *user, const struct mrct_swarm_seed *s), void *user);

#endif
