/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folded Clos for each plane: T0 switches with hosts below, T1 above, and T2 above groups of both
 * where there are two T1 tiers' worth of hosts. Routes are static: down where the destination lies
 * below, else any port up.
 */
#include "harness/sim/sim_priv.h"

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
        .ps_per_byte_q8 = (uint32_t)(UINT64_C(8000000000000) * 256 / l->rate_bps),
        .rate_bps = l->rate_bps,
        .latency_ns = (uint32_t)l->latency_ns,
        .limit_data = sim->scene->queues.limit_bytes[MRCT_CLASS_DATA],
        .to = to,
        .loss_ev = MRCT_SIM_ALL,
        .loss_to = MRCT_SIM_ALL,
        .to_host = to_host,
        .upward = upward,
        .tier = (uint8_t)tier,
        .plane = (uint8_t)plane,
    };
}

/* What lies below: contiguous T0 switches, as many behind each port down. */
static void set_below(const struct shape *s, struct sim_switch *w)
{
    w->edge_first = w->tier == 0 ? w->index : w->tier == 1 ? w->index / s->t1_pod * s->t0_pod : 0;
    w->edge_count = w->tier == 0 ? 1 : w->tier == 1 ? s->t0_pod : s->t->t0;
    w->edge_step = w->tier == 2 ? s->t0_pod : 1;
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
        .usid = sim_usid_of(s->t, tier, plane, index),
        .wrong_host = SIM_NONE,
        .down_first = *next_port,
        .down_count = downs(s, tier),
        .up_first = *next_port + downs(s, tier),
        .up_count = ups(s, tier),
        .field_at = (uint8_t)(tier == 0 ? 0 : sim_bits_for(ups(s, 0))),
    };
    for (unsigned i = 0; i < w->down_count; i++) {
        const uint32_t below =
            tier == 0 ? index * s->t->hosts_per_t0 + i
                      : switch_id(s, plane, tier - 1, neighbour(s, tier, index, false, i));
        set_port(sim, w->down_first + i, (enum mrct_sim_tier)tier, plane, tier == 0, false, below);
    }
    for (unsigned i = 0; i < w->up_count; i++)
        set_port(sim, w->up_first + i, (enum mrct_sim_tier)(tier + 1), plane, false, true,
                 switch_id(s, plane, tier + 1, neighbour(s, tier, index, true, i)));
    set_below(s, w);
    *next_port += w->down_count + w->up_count;
}

static void count_all(struct mrct_sim *sim, const struct shape *s)
{
    const unsigned tiers[] = {s->t->t0, s->t->t1, s->t->t2};
    sim->planes = s->t->planes;
    sim->host_count = s->t->t0 * s->t->hosts_per_t0;
    sim->switch_count = s->per_plane * sim->planes;
    sim->port_count = sim->host_count * sim->planes;
    for (unsigned tier = 0; tier < 3; tier++)
        sim->port_count += sim->planes * tiers[tier] * (downs(s, tier) + ups(s, tier));
}

uint64_t sim_link_rtt_ns(const struct mrct_scene *s, uint64_t latency_ns, uint64_t rate_bps)
{
    const uint64_t bits = (s->endpoint.mtu + 200u + 150u) * UINT64_C(8000000000);
    return 2 * latency_ns + bits / rate_bps;
}

static uint64_t longest_rtt_ns(const struct mrct_scene *s)
{
    const struct mrct_scene_topology *const t = &s->topology;
    const unsigned links[MRCT_TIERS] = {2, t->t1 > 0 && t->t0 > 1 ? 2 : 0, t->t2 > 0 ? 2 : 0};
    uint64_t rtt = 0;
    for (unsigned i = 0; i < MRCT_TIERS; i++)
        rtt += links[i] * sim_link_rtt_ns(s, t->link[i].latency_ns, t->link[i].rate_bps);
    return rtt;
}

static int planes_and_tiers(struct mrct_sim *sim)
{
    const struct shape s = shape_of(&sim->scene->topology);
    count_all(sim, &s);
    sim->ports = mrct_arena_alloc(&sim->arena, sim->port_count * sizeof *sim->ports);
    sim->switches = mrct_arena_alloc(&sim->arena, sim->switch_count * sizeof *sim->switches);
    if (!sim->ports || !sim->switches)
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
    sim->base_rtt_ns = longest_rtt_ns(sim->scene);
    return 0;
}

int sim_topology(struct mrct_sim *sim)
{
    const uint64_t told_ns = sim->scene->endpoint.base_rtt_ns;
    const int rc = mrct_scene_is_graph(sim->scene) ? sim_graph(sim) : planes_and_tiers(sim);
    sim->base_rtt_ns = told_ns > 0 ? told_ns : sim->base_rtt_ns;
    return rc;
}

uint32_t sim_switch_id(const struct mrct_sim *sim, unsigned plane, unsigned tier, uint32_t index)
{
    const struct shape s = shape_of(&sim->scene->topology);
    return switch_id(&s, plane, tier, index);
}

uint32_t sim_nic_port(const struct mrct_sim *sim, uint32_t host, unsigned plane)
{
    return host * sim->planes + plane;
}

uint32_t sim_host_port(const struct mrct_sim *sim, uint32_t host, unsigned plane)
{
    if (sim->graph != NULL)
        return sim->graph->reverse[sim_nic_port(sim, host, plane)];
    const unsigned below = sim->scene->topology.hosts_per_t0;
    const uint32_t edge = sim->ports[sim_nic_port(sim, host, plane)].to;
    return sim->switches[edge].down_first + host % below;
}
