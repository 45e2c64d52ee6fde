/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ports and switches a fault of the scene means. */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>

/* Does the sending end of a link belong to this end of the fault? */
struct end {
    bool host;
    uint32_t id; /* host or switch */
};

static struct end sender_of(const struct mrct_sim *sim, uint32_t port)
{
    struct end e;
    e.host = sim_port_sender(sim, port, &e.id);
    return e;
}

static bool named(const struct mrct_sim *sim, const struct mrct_scene_fault *f, struct end e)
{
    for (unsigned i = 0; i < f->ends; i++)
        if (f->end[i].host == e.host && f->end[i].id == e.id)
            return true;
    if (e.host)
        return f->host == (int64_t)e.id;
    const struct sim_switch *const w = &sim->switches[e.id];
    if (sim->graph != NULL)
        return false;
    const int64_t wanted[] = {f->t0, f->t1, f->t2};
    return wanted[w->tier] == (int64_t)w->index;
}

/* Ends that the fault names: a link is meant when it has as many of them. */
static int names(const struct mrct_scene_fault *f)
{
    return (int)f->ends + (f->host >= 0) + (f->t0 >= 0) + (f->t1 >= 0) + (f->t2 >= 0);
}

static bool means_port(const struct mrct_sim *sim, const struct mrct_scene_fault *f, uint32_t port)
{
    const struct sim_port *const p = &sim->ports[port];
    if (f->plane >= 0 && f->plane != p->plane)
        return false;
    const struct end to = {p->to_host, p->to};
    const int hit = named(sim, f, sender_of(sim, port)) + named(sim, f, to);
    return hit == names(f);
}

/* The port at the other end of a link. */
static uint32_t reverse(const struct mrct_sim *sim, uint32_t port)
{
    if (sim->graph != NULL)
        return sim->graph->reverse[port];
    const struct sim_port *const p = &sim->ports[port];
    const struct end from = sender_of(sim, port);
    if (p->to_host)
        return sim_nic_port(sim, p->to, p->plane);
    const struct sim_switch *const w = &sim->switches[p->to];
    for (uint32_t i = 0; i < w->down_count + w->up_count; i++) {
        const struct sim_port *const q = &sim->ports[w->down_first + i];
        if (q->to == from.id && q->to_host == from.host)
            return w->down_first + i;
    }
    return port;
}

static int draw_link(struct mrct_sim *sim, const struct mrct_scene_fault *s, struct sim_fault *f)
{
    uint32_t count = 0, chosen = 0;
    for (uint32_t i = 0; i < sim->port_count; i++) {
        const struct sim_port *const p = &sim->ports[i];
        if (p->tier != s->tier || !p->upward || (s->plane >= 0 && s->plane != p->plane))
            continue;
        if (mrct_rng_below(&sim->rng, ++count) == 0)
            chosen = i;
    }
    f->ports = calloc(2, sizeof *f->ports);
    if (f->ports == NULL)
        return -1;
    if (count == 0)
        return 0;
    f->ports[0] = chosen;
    f->ports[1] = reverse(sim, chosen);
    f->port_count = 2;
    return 0;
}

static int find_links(struct mrct_sim *sim, const struct mrct_scene_fault *s, struct sim_fault *f)
{
    f->ports = calloc(sim->port_count, sizeof *f->ports);
    if (f->ports == NULL)
        return -1;
    for (uint32_t i = 0; i < sim->port_count; i++)
        if (means_port(sim, s, i))
            f->ports[f->port_count++] = i;
    return 0;
}

static int find_switches(struct mrct_sim *sim, const struct mrct_scene_fault *s,
                         struct sim_fault *f)
{
    f->switches = calloc(sim->switch_count, sizeof *f->switches);
    if (f->switches == NULL)
        return -1;
    for (uint32_t i = 0; i < sim->switch_count; i++)
        if ((s->plane < 0 || s->plane == sim->switches[i].plane) &&
            named(sim, s, (struct end){false, i}))
            f->switches[f->switch_count++] = i;
    return 0;
}

int sim_fault_place(struct mrct_sim *sim, struct sim_fault *f)
{
    const struct mrct_scene_fault *const s = &sim->scene->faults[f->scene];
    if (s->kind == MRCT_SIM_GRAY || s->kind == MRCT_SIM_MISROUTE)
        return find_switches(sim, s, f);
    if ((s->tier != MRCT_SIM_ALL ? draw_link(sim, s, f) : find_links(sim, s, f)) != 0)
        return -1;
    if (f->port_count > 0)
        return 0;
    sim_fail(sim, "%s:%d: %s means no link of this network",
             sim->scene->path != NULL ? sim->scene->path : "scene", s->line,
             mrct_sim_fault_str(s->kind));
    return -1;
}
