/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal to the swarm: how a run is drawn, and what is due of it. */
#ifndef MRCT_CASES_SWARM_PRIV_H
#define MRCT_CASES_SWARM_PRIV_H

#include "harness/cases/run_priv.h"
#include "harness/cases/swarm.h"

static inline uint32_t mrct_draw_between(struct mrct_rng *r, uint32_t lo, uint32_t hi)
{
    return lo + mrct_rng_below(r, hi - lo + 1);
}

static inline bool mrct_draw_one_in(struct mrct_rng *r, uint32_t n)
{
    return mrct_rng_below(r, n) == 0;
}

/* swarm_hosts.c: options of both hosts, and the readings that they follow. */
void mrct_draw_hosts(struct mrct_rng *r, struct mrct_case *c, char reading[MRCT_QUESTIONS_MAX]);

/* swarm_steps.c: traffic, and what befalls the hosts meanwhile; links that fail. 0, or -1 when
 * memory fails. */
int mrct_draw_steps(struct mrct_rng *r, struct mrct_case *c);

/* All links go down for good. */
bool mrct_swarm_all_die(const struct mrct_case *c);
/* Immediates that requests of host `from` carry on a QP (from 0). */
uint32_t mrct_swarm_immediates(const struct mrct_case *c, unsigned from, unsigned qp);

/* Why a QP of a drawn case may end in ERROR, though both sides are honest. */
enum mrct_swarm_end {
    MRCT_END_REFUSED = 1u,  /* a write that the responder has to refuse */
    MRCT_END_RQ_EMPTY = 2u, /* more immediates than receives */
    MRCT_END_WIMM = 4u,     /* the requestor was told a limit of WriteImm that does not hold */
    MRCT_END_UNEXP = 8u,    /* the responder is made to tell of an unexpected event */
    MRCT_END_DEAD = 16u,    /* all links go down for good */
    MRCT_END_SHORT = 32u,   /* requests are turned away by chance, and retries come to an end */
};
/* Those of a QP (from 0) by which requests of host `from` may end it: a mask of MRCT_END_x. */
unsigned mrct_swarm_ends(const struct mrct_case *c, unsigned from, unsigned qp);

#endif
