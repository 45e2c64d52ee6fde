/* SPDX-License-Identifier: BSD-2-Clause */
/* What befalls links and switches, when it begins and when it ends. */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>

#define MILLION 1000000u

static const struct mrct_scene_fault *scene_of(const struct mrct_sim *sim,
                                               const struct sim_fault *f)
{
    return &sim->scene->faults[f->scene];
}

static uint32_t q8_of(uint64_t rate_bps)
{
    return (uint32_t)(UINT64_C(8000000000000) * 256 / rate_bps);
}

static void set_trouble(struct sim_port *p)
{
    p->troubled = p->downs > 0 || p->loss_ppm > 0;
}

/* A host sees its own link: the sending end at its NIC says which. */
static void tell_host(struct mrct_sim *sim, uint32_t port, bool up)
{
    const uint32_t host = port / sim->planes;
    if (port >= sim->host_count * sim->planes)
        return;
    sim_watch_port(sim, host, port % sim->planes, up);
    if (sim->hosts[host].rc != NULL)
        sim_rc_port_set(sim->hosts[host].rc, port % sim->planes, up);
    else
        (void)mrc_ep_port_set(sim->hosts[host].ep, sim->now_ns, port % sim->planes, up);
    sim_host_settle(sim, host);
}

static void turn_down(struct mrct_sim *sim, const struct sim_fault *f, bool on)
{
    const bool seen = !scene_of(sim, f)->unseen;
    for (size_t i = 0; i < f->port_count; i++) {
        struct sim_port *const p = &sim->ports[f->ports[i]];
        p->downs += on ? 1u : UINT32_MAX;
        p->epoch += on;
        set_trouble(p);
        if (on)
            sim_port_flush(sim, f->ports[i]);
    }
    for (size_t i = 0; i < f->port_count && seen; i++)
        if (sim->ports[f->ports[i]].downs == on)
            tell_host(sim, f->ports[i], !on);
}

static void turn_gray(struct mrct_sim *sim, const struct sim_fault *f, bool on)
{
    for (size_t i = 0; i < f->switch_count; i++) {
        sim->switches[f->switches[i]].grays += on ? 1u : UINT32_MAX;
        sim->switches[f->switches[i]].gray_by = (uint32_t)(f - sim->faults);
    }
}

static void turn_loss(struct mrct_sim *sim, const struct sim_fault *f, bool on)
{
    for (size_t i = 0; i < f->port_count; i++) {
        struct sim_port *const p = &sim->ports[f->ports[i]];
        p->loss_ppm = on ? scene_of(sim, f)->loss_ppm : 0;
        p->loss_ev = scene_of(sim, f)->ev;
        p->loss_to = scene_of(sim, f)->to;
        p->loss_by = (uint32_t)(f - sim->faults);
        set_trouble(p);
    }
}

static void turn_slow(struct mrct_sim *sim, const struct sim_fault *f, bool on)
{
    for (size_t i = 0; i < f->port_count; i++) {
        struct sim_port *const p = &sim->ports[f->ports[i]];
        p->ps_per_byte_q8 = q8_of(on ? scene_of(sim, f)->rate_bps : p->rate_bps);
    }
}

static void turn_misroute(struct mrct_sim *sim, const struct sim_fault *f, bool on)
{
    for (size_t i = 0; i < f->switch_count; i++) {
        struct sim_switch *const w = &sim->switches[f->switches[i]];
        const uint32_t ports = w->down_count + w->up_count;
        w->wrong_host = on ? (uint32_t)scene_of(sim, f)->to_host : SIM_NONE;
        w->wrong_port = w->down_first + (uint32_t)scene_of(sim, f)->port % ports;
        w->wrong_by = (uint32_t)(f - sim->faults);
    }
}

static void (*const turns[])(struct mrct_sim *, const struct sim_fault *, bool) = {
    [MRCT_SIM_DOWN] = turn_down, [MRCT_SIM_GRAY] = turn_gray, [MRCT_SIM_REBOOT] = turn_down,
    [MRCT_SIM_LOSS] = turn_loss, [MRCT_SIM_SLOW] = turn_slow, [MRCT_SIM_MISROUTE] = turn_misroute,
};

void sim_fault_turn(struct mrct_sim *sim, uint32_t fault, bool on)
{
    const struct sim_fault *const f = &sim->faults[fault];
    turns[scene_of(sim, f)->kind](sim, f, on);
}

static bool lost(struct mrct_sim *sim, const struct sim_port *p, const struct sim_pkt *pkt)
{
    return p->loss_ppm > 0 && (p->loss_ev == MRCT_SIM_ALL || p->loss_ev == pkt->entropy) &&
           (p->loss_to == MRCT_SIM_ALL || p->loss_to == pkt->dst) &&
           mrct_rng_below(&sim->rng, MILLION) < p->loss_ppm;
}

bool sim_fault_passes(struct mrct_sim *sim, const struct sim_port *p, struct sim_pkt *pkt)
{
    if (p->downs > 0 || pkt->epoch != p->epoch) {
        sim_drop(sim, pkt, &sim->account.dropped_link);
        return false;
    }
    if (!lost(sim, p, pkt))
        return true;
    sim->faults[p->loss_by].hits++;
    sim_drop(sim, pkt, &sim->account.dropped_fault);
    return false;
}

/* ---- the timeline ---- */

static int add(struct mrct_sim *sim, uint32_t scene, uint64_t at_ns)
{
    if (sim->fault_count == sim->fault_cap) {
        const size_t cap = sim->fault_cap > 0 ? 2 * sim->fault_cap : 16;
        struct sim_fault *const more = realloc(sim->faults, cap * sizeof *more);
        if (more == NULL)
            return -1;
        sim->faults = more;
        sim->fault_cap = cap;
    }
    const uint64_t for_ns = sim->scene->faults[scene].for_ns;
    sim->faults[sim->fault_count++] = (struct sim_fault){
        .scene = scene, .at_ns = at_ns, .end_ns = for_ns > 0 ? at_ns + for_ns : UINT64_MAX};
    return sim_fault_place(sim, &sim->faults[sim->fault_count - 1]);
}

int sim_faults(struct mrct_sim *sim)
{
    for (uint32_t i = 0; i < sim->scene->fault_count; i++) {
        const struct mrct_scene_fault *const f = &sim->scene->faults[i];
        for (uint32_t k = 0; k < f->count; k++)
            if (add(sim, i, f->at_ns + k * f->every_ns) != 0)
                return -1;
    }
    for (size_t i = 0; i < sim->fault_count; i++) {
        sim_schedule(sim, sim->faults[i].at_ns, SIM_FAULT, (uint32_t)i, NULL);
        if (sim->faults[i].end_ns != UINT64_MAX)
            sim_schedule(sim, sim->faults[i].end_ns, SIM_FAULT, (uint32_t)i, sim);
    }
    return 0;
}

void sim_faults_fini(struct mrct_sim *sim)
{
    for (size_t i = 0; i < sim->fault_count; i++) {
        free(sim->faults[i].ports);
        free(sim->faults[i].switches);
    }
    free(sim->faults);
}

json_t *sim_faults_json(const struct mrct_sim *sim)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < sim->fault_count; i++) {
        const struct sim_fault *const f = &sim->faults[i];
        json_t *const o = json_object();
        json_object_set_new(o, "name", json_string(scene_of(sim, f)->name));
        json_object_set_new(o, "kind", json_string(mrct_sim_fault_str(scene_of(sim, f)->kind)));
        json_object_set_new(o, "at_ns", json_integer((json_int_t)f->at_ns));
        if (f->end_ns != UINT64_MAX)
            json_object_set_new(o, "end_ns", json_integer((json_int_t)f->end_ns));
        json_object_set_new(o, "links", json_integer((json_int_t)f->port_count / 2));
        json_object_set_new(o, "hits", json_integer((json_int_t)f->hits));
        json_array_append_new(list, o);
    }
    return list;
}
