/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A case drawn from a seed: topology, rates, options of both sides, traffic and random faults. The
 * honest endpoint must come through each with nothing to blame it for.
 */
#ifndef MRCT_CASES_SWARM_H
#define MRCT_CASES_SWARM_H

#include "harness/cases/run.h"

/* Fills c (device on both sides) from seed, and the readings of open questions that its hosts
 * follow and the oracle has to be told, for mrct_run_config.reading. 0, or -1 when memory fails;
 * mrct_case_fini() after 0. */
int mrct_swarm_draw(struct mrct_case *c, char reading[MRCT_QUESTIONS_MAX], uint64_t seed);

/* Draws and runs a seed with all the swarm's watches, as mrct_run_case() does; c must outlive out.
 * cfg->seed, reading, watch and look are set. 0, or -1 when memory fails. */
int mrct_swarm_run(struct mrct_run_config *cfg, struct mrct_case *c, uint64_t seed,
                   struct mrct_pool *pool, struct mrct_result_case *out);

/*
 * A look at each packet that leaves a host, for mrct_run_config.watch, by what its device shows of
 * itself: data goes by GOOD EVs in use only, the window was open, and nothing leaves by a port that
 * is down.
 */
bool mrct_swarm_watch(struct mrct_run *run, const struct mrct_watch *w, char *words, size_t cap);

/* A look at the end of such a run, for mrct_run_config.look: each QP's writes ended in order and
 * with the status that is due, none ended in ERROR without a cause, and every QP is at rest. */
bool mrct_swarm_look(struct mrct_run *run, char *words, size_t cap);

/* What was drawn, as one line: printed with a seed that failed. */
void mrct_swarm_describe(const struct mrct_case *c, char *buf, size_t cap);

#endif
