/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Works in steps, as collectives are: ring, pairwise all-to-all, ring all-reduce. In step k a rank
 * sends one message and receives one; it goes on when both are done.
 */
#include "harness/sim/works.h"

#include <stdlib.h>

static bool pairwise(const struct mrct_sim *sim, uint32_t work)
{
    return sim->scene->works[work].kind == MRCT_WORK_ALLTOALL;
}

/* A flow for each rank, or for each rank and step. */
static struct sim_flow *flow_of(struct mrct_sim *sim, uint32_t work, uint32_t rank, uint32_t step)
{
    const struct sim_work *const w = &sim->works[work];
    const uint32_t i = pairwise(sim, work) ? rank * w->steps + step : rank;
    return &sim->flows[w->flow_first + i];
}

static uint32_t source_of(const struct mrct_sim *sim, uint32_t work, uint32_t rank, uint32_t step)
{
    const uint32_t n = sim->works[work].ranks;
    return (rank + n - (pairwise(sim, work) ? step + 1 : 1)) % n;
}

static uint32_t steps_of(const struct mrct_scene_work *w, uint32_t ranks)
{
    if (w->kind == MRCT_WORK_ALLTOALL)
        return ranks - 1;
    return w->kind == MRCT_WORK_ALLREDUCE ? 2 * (ranks - 1) : w->steps;
}

int sim_collective(struct mrct_sim *sim, uint32_t work)
{
    const struct mrct_scene_work *const w = &sim->scene->works[work];
    struct sim_work *const own = &sim->works[work];
    const uint32_t n = (uint32_t)(w->last - w->first + 1);
    own->ranks = n;
    own->steps = steps_of(w, n);
    own->step = calloc(n, sizeof *own->step);
    if (own->step == NULL)
        return -1;
    const uint32_t per_rank = pairwise(sim, work) ? own->steps : 1;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t k = 0; k < per_rank; k++) {
            struct sim_flow *const f = sim_flow_add(sim, work, (uint32_t)w->first + r,
                                                    (uint32_t)w->first + (r + k + 1) % n);
            if (f == NULL)
                return -1;
            f->rank = r;
            f->chained = true;
            f->messages = 0;
            f->depth = 1;
            if (w->kind == MRCT_WORK_ALLREDUCE)
                f->size_bytes = (w->size_bytes + n - 1) / n;
        }
    return 0;
}

static void post_step(struct mrct_sim *sim, uint32_t work, uint32_t rank)
{
    struct sim_flow *const f = flow_of(sim, work, rank, sim->works[work].step[rank]);
    f->messages = f->posted + 1;
    if (f->posted == 0)
        f->first_ns = sim->now_ns;
    sim_flow_post(sim, f);
}

/* Did both messages of its step go through? Then it is at the next. */
static void advance(struct mrct_sim *sim, uint32_t work, uint32_t rank)
{
    struct sim_work *const w = &sim->works[work];
    while (w->step[rank] < w->steps) {
        const uint32_t k = w->step[rank], n = pairwise(sim, work) ? 1 : k + 1;
        if (flow_of(sim, work, rank, k)->done < n ||
            flow_of(sim, work, source_of(sim, work, rank, k), k)->received < n)
            return;
        if (++w->step[rank] < w->steps)
            post_step(sim, work, rank);
    }
}

/* The flows of a rank share its beginning. */
void sim_collective_start(struct mrct_sim *sim, struct sim_flow *f)
{
    if (f == flow_of(sim, f->work, f->rank, 0))
        post_step(sim, f->work, f->rank);
}

void sim_collective_sent(struct mrct_sim *sim, struct sim_flow *f)
{
    if (pairwise(sim, f->work) || f->done == sim->works[f->work].steps)
        sim_flow_finish(sim, f);
    advance(sim, f->work, f->rank);
}

void sim_collective_received(struct mrct_sim *sim, struct sim_flow *f)
{
    const uint32_t host = f->dst;
    f->received++;
    const uint32_t first = (uint32_t)sim->scene->works[f->work].first;
    advance(sim, f->work, host - first);
}
