/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folded Clos for each plane: T0 switches with hosts below, T1 above, and T2 above groups of both
 * where there are two T1 tiers' worth of hosts. Routes are static: down where the destination lies
 * below, else any port up.
 */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>

struct shape {
    const struct mrct_scene_topology *t;
    unsigned pods, t0_pod, t1_pod; /* groups, and switches of one */
    unsigned t2_group;             /* T2 switches that a T1 reaches */
    unsigned per_plane;            /* switches */
};

static struct shape shape_of(const struct mrct_scene_topology *t)
{
    struct shape s = {.t = t, .pods = t->t2 > 0 ? t->pods : 1};
    s.t0_pod = t->t0 / s.pods;
    s.t1_pod = t->t1 / s.pods;
    s.t2_group = t->t2 > 0 ? t->t2 / s.t1_pod : 0;
    s.per_plane = t->t0 + t->t1 + t->t2;
    return s;
}

static unsigned downs(const struct shape *s, unsigned tier)
{
    return tier == 0 ? s->t->hosts_per_t0 : tier == 1 ? s->t0_pod : s->pods;
}

static unsigned ups(const struct shape *s, unsigned tier)
{
    return tier == 0 ? s->t1_pod : tier == 1 ? s->t2_group : 0;
}

static uint32_t switch_id(const struct shape *s, unsigned plane, unsigned tier, unsigned index)
{
    const unsigned before = tier == 0 ? 0 : tier == 1 ? s->t->t0 : s->t->t0 + s->t->t1;
    return plane * s->per_plane + before + index;
}

/* The switch at the other end of port i of the `up` or down ports. */
static unsigned neighbour(const struct shape *s, unsigned tier, unsigned index, bool up, unsigned i)
{
    if (tier == 0)
        return index / s->t0_pod * s->t1_pod + i;
    if (tier == 1 && up)
        return index % s->t1_pod * s->t2_group + i;
    if (tier == 1)
        return index / s->t1_pod * s->t0_pod + i;
    return i * s->t1_pod + index / s->t2_group;
}

static void set_port(struct mrct_sim *sim, uint32_t id, enum mrct_sim_tier tier, unsigned plane,
                     bool to_host, bool upward, uint32_t to)
{
    const struct mrct_scene_link *const l = &sim->scene->topology.link[tier];
    sim->ports[id] = (struct sim_port){
        .ev = {.kind = tier == MRCT_TIER_NIC && !to_host ? SIM_NIC_FREE : SIM_PORT_FREE, .arg = id},
        .ps_per_byte_q8 = (uint32_t)(UINT64_C(8000000000000) * 256 / l->rate_bps),
        .latency_ns = (uint32_t)l->latency_ns,
        .to = to,
        .to_host = to_host,
        .upward = upward,
        .tier = (uint8_t)tier,
        .plane = (uint8_t)plane,
    };
    sim->group_ports[id] = id;
    sim->groups[id] = (struct sim_group){id, 1};
}

static void route_switch(struct mrct_sim *sim, const struct shape *s, struct sim_switch *w,
                         uint32_t up_group)
{
    for (unsigned e = 0; e < s->t->t0; e++) {
        const unsigned pod = e / s->t0_pod;
        const bool below = w->tier == 2 || (w->tier == 1 && w->index / s->t1_pod == pod);
        const unsigned port = w->tier == 2 ? pod : e % s->t0_pod;
        w->route[e] = below ? w->down_first + port : up_group;
    }
    sim->groups[up_group] = (struct sim_group){w->up_first, w->up_count};
}

static void add_switch(struct mrct_sim *sim, const struct shape *s, unsigned plane, unsigned tier,
                       unsigned index, uint32_t *next_port)
{
    const uint32_t id = switch_id(s, plane, tier, index);
    struct sim_switch *const w = &sim->switches[id];
    *w = (struct sim_switch){
        .seed = (uint32_t)mrct_rng_next(&sim->rng),
        .index = index,
        .tier = (uint8_t)tier,
        .plane = (uint8_t)plane,
        .usid = SIM_USID(tier, plane, index),
        .down_first = *next_port,
        .down_count = downs(s, tier),
        .up_first = *next_port + downs(s, tier),
        .up_count = ups(s, tier),
        .route = sim->routes + (size_t)id * s->t->t0,
    };
    for (unsigned i = 0; i < w->down_count; i++) {
        const uint32_t below =
            tier == 0 ? index * s->t->hosts_per_t0 + i
                      : switch_id(s, plane, tier - 1, neighbour(s, tier, index, false, i));
        set_port(sim, w->down_first + i, (enum mrct_sim_tier)tier, plane, tier == 0, false, below);
        if (tier == 0)
            sim->attach[below * sim->planes + plane] =
                (struct sim_attach){index, w->down_first + i};
    }
    for (unsigned i = 0; i < w->up_count; i++)
        set_port(sim, w->up_first + i, (enum mrct_sim_tier)(tier + 1), plane, false, true,
                 switch_id(s, plane, tier + 1, neighbour(s, tier, index, true, i)));
    route_switch(sim, s, w, sim->port_count + id);
    *next_port += w->down_count + w->up_count;
}

static void count_all(struct mrct_sim *sim, const struct shape *s)
{
    const unsigned tiers[] = {s->t->t0, s->t->t1, s->t->t2};
    sim->planes = s->t->planes;
    sim->host_count = s->t->t0 * s->t->hosts_per_t0;
    sim->edges = s->t->t0;
    sim->switch_count = s->per_plane * sim->planes;
    sim->port_count = sim->host_count * sim->planes;
    for (unsigned tier = 0; tier < 3; tier++)
        sim->port_count += sim->planes * tiers[tier] * (downs(s, tier) + ups(s, tier));
    sim->group_count = sim->port_count + sim->switch_count;
}

static void *array(size_t n, size_t size)
{
    return calloc(n > 0 ? n : 1, size);
}

/* A full packet there and a short one back over the longest path, without waiting. */
static uint64_t longest_rtt_ns(const struct mrct_scene *s)
{
    const struct mrct_scene_topology *const t = &s->topology;
    const unsigned links[MRCT_TIERS] = {2, t->t1 > 0 && t->t0 > 1 ? 2 : 0, t->t2 > 0 ? 2 : 0};
    const uint64_t bits = (s->endpoint.mtu + 200u + 150u) * UINT64_C(8000000000);
    uint64_t rtt = 0;
    for (unsigned i = 0; i < MRCT_TIERS; i++)
        rtt += links[i] * (2 * t->link[i].latency_ns + bits / t->link[i].rate_bps);
    return rtt;
}

int sim_topology(struct mrct_sim *sim)
{
    const struct shape s = shape_of(&sim->scene->topology);
    count_all(sim, &s);
    sim->ports = array(sim->port_count, sizeof *sim->ports);
    sim->attach = array((size_t)sim->host_count * sim->planes, sizeof *sim->attach);
    sim->switches = array(sim->switch_count, sizeof *sim->switches);
    sim->groups = array(sim->group_count, sizeof *sim->groups);
    sim->group_ports = array(sim->port_count, sizeof *sim->group_ports);
    sim->routes = array((size_t)sim->switch_count * sim->edges, sizeof *sim->routes);
    if (!sim->ports || !sim->attach || !sim->switches || !sim->groups || !sim->group_ports ||
        !sim->routes)
        return -1;
    const unsigned tiers[] = {s.t->t0, s.t->t1, s.t->t2};
    uint32_t next_port = sim->host_count * sim->planes;
    for (unsigned plane = 0; plane < sim->planes; plane++)
        for (unsigned tier = 0; tier < 3; tier++)
            for (unsigned i = 0; i < tiers[tier]; i++)
                add_switch(sim, &s, plane, tier, i, &next_port);
    for (uint32_t h = 0; h < sim->host_count; h++)
        for (unsigned plane = 0; plane < sim->planes; plane++)
            set_port(sim, h * sim->planes + plane, MRCT_TIER_NIC, plane, false, true,
                     switch_id(&s, plane, 0, h / s.t->hosts_per_t0));
    sim->base_rtt_ns = sim->scene->endpoint.base_rtt_ns > 0 ? sim->scene->endpoint.base_rtt_ns
                                                            : longest_rtt_ns(sim->scene);
    return 0;
}
