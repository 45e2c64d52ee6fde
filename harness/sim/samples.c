/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues and goodput over time: a row a sample, kept as sums, so that a packet only adds. */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>
#include <string.h>

static int grow(struct mrct_sim *sim)
{
    const size_t cap = sim->sample_cap > 0 ? 2 * sim->sample_cap : 256;
    struct sim_sample *const more = realloc(sim->samples, cap * sizeof *more);
    if (more == NULL)
        return -1;
    sim->samples = more;
    for (size_t w = 0; w < sim->scene->work_count; w++) {
        uint64_t *const row = realloc(sim->works[w].sampled, cap * sizeof *row);
        if (row == NULL)
            return -1;
        sim->works[w].sampled = row;
    }
    sim->sample_cap = cap;
    return 0;
}

void sim_depth_fold(struct mrct_sim *sim)
{
    for (unsigned t = 0; t < MRCT_TIERS; t++)
        for (unsigned d = 0; d < 2; d++)
            if (sim->depth.bytes[t][d] > sim->depth_max.bytes[t][d])
                sim->depth_max.bytes[t][d] = sim->depth.bytes[t][d];
    memset(&sim->depth, 0, sizeof sim->depth);
}

void sim_sample(struct mrct_sim *sim)
{
    if (sim->sample_count == sim->sample_cap && grow(sim) != 0) {
        sim_fail(sim, "no memory for samples");
        return;
    }
    const size_t i = sim->sample_count++;
    const struct mrct_sim_account *const a = &sim->account;
    sim->samples[i] = (struct sim_sample){
        .at_ns = sim->now_ns,
        .depth = sim->depth,
        .marked = a->marked,
        .trimmed = a->trimmed,
        .dropped = a->dropped_queue + a->dropped_link + a->dropped_fault + a->dropped_route +
                   a->srv6_spent + a->srv6_foreign,
    };
    sim_depth_fold(sim);
    sim_link_queues_sample(sim);
    for (size_t w = 0; w < sim->scene->work_count; w++)
        sim->works[w].sampled[i] = sim->works[w].delivered_bytes;
    sim_schedule(sim, sim->now_ns + sim->scene->sample_ns, SIM_SAMPLE, 0, NULL);
}
