/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretches of time: what the network and the works did between two moments. */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>

int sim_phases(struct mrct_sim *sim)
{
    sim->phases = calloc(sim->scene->phase_count + 1, sizeof *sim->phases);
    if (sim->phases == NULL)
        return -1;
    for (size_t i = 0; i < sim->scene->phase_count; i++) {
        for (unsigned end = 0; end < 2; end++) {
            sim->phases[i].delivered[end] =
                calloc(sim->scene->work_count, sizeof *sim->phases[i].delivered[end]);
            if (sim->phases[i].delivered[end] == NULL)
                return -1;
        }
        sim_schedule(sim, sim->scene->phases[i].from_ns, SIM_PHASE, (uint32_t)(2 * i), NULL);
        sim_schedule(sim, sim->scene->phases[i].to_ns, SIM_PHASE, (uint32_t)(2 * i + 1), NULL);
    }
    return 0;
}

void sim_phases_fini(struct mrct_sim *sim)
{
    for (size_t i = 0; sim->phases != NULL && i < sim->scene->phase_count; i++) {
        free(sim->phases[i].delivered[0]);
        free(sim->phases[i].delivered[1]);
    }
    free(sim->phases);
}

void sim_phase_note(struct mrct_sim *sim, uint32_t arg)
{
    struct sim_phase *const p = &sim->phases[arg / 2];
    const unsigned end = arg & 1u;
    p->at[end] = sim->account;
    for (size_t w = 0; w < sim->scene->work_count; w++)
        p->delivered[end][w] = sim->works[w].delivered_bytes;
    if (end == 0)
        p->began = true;
    else
        p->ended = true;
}

static void set(json_t *o, const char *key, uint64_t v)
{
    json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *phase_json(const struct mrct_sim *sim, size_t i)
{
    const struct sim_phase *const p = &sim->phases[i];
    const struct mrct_scene_phase *const s = &sim->scene->phases[i];
    const struct mrct_sim_account *const a = &p->at[0], *const b = &p->at[1];
    json_t *const o = json_object();
    set(o, "from_ns", s->from_ns);
    set(o, "to_ns", s->to_ns);
    set(o, "data_sent", b->data_sent - a->data_sent);
    set(o, "data_delivered", b->data_delivered - a->data_delivered);
    set(o, "marked", b->marked - a->marked);
    set(o, "trimmed", b->trimmed - a->trimmed);
    set(o, "lost", b->data_lost - a->data_lost);
    json_t *const rates = json_object();
    double all = 0;
    for (size_t w = 0; w < sim->scene->work_count; w++) {
        const double bps = (double)(p->delivered[1][w] - p->delivered[0][w]) * 8e9 /
                           (double)(s->to_ns - s->from_ns);
        json_object_set_new(rates, sim->scene->works[w].name, json_real(bps));
        all += bps;
    }
    json_object_set_new(o, "goodput_bps", rates);
    json_object_set_new(o, "all_goodput_bps", json_real(all));
    return o;
}

/* Phases that ended; of one that the run did not reach nothing can be said. */
json_t *sim_phases_json(const struct mrct_sim *sim)
{
    json_t *const out = json_object();
    for (size_t i = 0; i < sim->scene->phase_count; i++)
        if (sim->phases[i].began && sim->phases[i].ended)
            json_object_set_new(out, sim->scene->phases[i].name, phase_json(sim, i));
    return out;
}
