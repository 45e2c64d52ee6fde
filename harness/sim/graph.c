/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network told link by link. Routes are static, by destination switch and then port: a switch
 * knows for each switch that has hosts the ports on shortest paths to it. A switch's tier is its
 * distance to the next host, which says where in an EV it reads and what its links are counted as.
 */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>

#define FAR     UINT32_MAX
#define EV_BITS 32u

static const struct mrct_scene_graph *graph_of(const struct mrct_sim *sim)
{
    return &sim->scene->topology.graph;
}

static void set_port(struct mrct_sim *sim, uint32_t id, const struct mrct_graph_link *l,
                     unsigned to, unsigned plane)
{
    sim->ports[id] = (struct sim_port){
        .ps_per_byte_q8 = (uint32_t)(UINT64_C(8000000000000) * 256 / l->link.rate_bps),
        .rate_bps = l->link.rate_bps,
        .latency_ns = (uint32_t)l->link.latency_ns,
        .limit_data =
            l->queue_bytes > 0 ? l->queue_bytes : sim->scene->queues.limit_bytes[MRCT_CLASS_DATA],
        .to = l->end[to].id,
        .loss_ev = MRCT_SIM_ALL,
        .loss_to = MRCT_SIM_ALL,
        .to_host = l->end[to].host,
        .plane = (uint8_t)plane,
    };
}

static void make_switches(struct mrct_sim *sim)
{
    const struct mrct_scene_graph *const g = graph_of(sim);
    uint32_t next = sim->host_count * sim->planes;
    for (uint32_t w = 0; w < sim->switch_count; w++) {
        uint32_t degree = 0;
        for (size_t i = 0; i < g->link_count; i++)
            for (unsigned e = 0; e < 2; e++)
                degree += !g->links[i].end[e].host && g->links[i].end[e].id == w;
        sim->switches[w] = (struct sim_switch){
            .seed = (uint32_t)mrct_rng_next(&sim->rng),
            .index = w,
            .wrong_host = SIM_NONE,
            .field_at = UINT8_MAX,
            .down_first = next,
            .down_count = degree,
            .up_first = next + degree,
        };
        next += degree;
    }
}

/* Ports of nodes in the order of their links; used: ports so far, switches behind hosts. */
static void join_ports(struct mrct_sim *sim, uint32_t *used)
{
    const struct mrct_scene_graph *const g = graph_of(sim);
    for (size_t i = 0; i < g->link_count; i++) {
        const struct mrct_graph_link *const l = &g->links[i];
        uint32_t id[2], plane = 0;
        for (unsigned e = 0; e < 2; e++) {
            const uint32_t node = l->end[e].id + (l->end[e].host ? 0 : sim->host_count);
            const uint32_t first = l->end[e].host ? l->end[e].id * sim->planes
                                                  : sim->switches[l->end[e].id].down_first;
            plane = l->end[e].host ? used[node] : plane;
            id[e] = first + used[node]++;
        }
        for (unsigned e = 0; e < 2; e++) {
            set_port(sim, id[e], l, 1 - e, plane);
            sim->graph->reverse[id[e]] = id[1 - e];
        }
    }
}

/* ---- tiers ---- */

static bool lower_tier(struct mrct_sim *sim, uint32_t w)
{
    unsigned least = sim->switches[w].tier;
    for (uint32_t i = 0; i < sim->switches[w].down_count; i++) {
        const struct sim_port *const p = &sim->ports[sim->switches[w].down_first + i];
        const unsigned by = p->to_host ? 0 : sim->switches[p->to].tier + 1u;
        least = by < least ? by : least;
    }
    const bool changed = least < sim->switches[w].tier;
    sim->switches[w].tier = (uint8_t)least;
    return changed;
}

static void set_link_tiers(struct mrct_sim *sim, uint32_t w)
{
    const struct sim_switch *const s = &sim->switches[w];
    for (uint32_t i = 0; i < s->down_count; i++) {
        struct sim_port *const p = &sim->ports[s->down_first + i];
        if (p->to_host)
            continue;
        const struct sim_switch *const to = &sim->switches[p->to];
        const unsigned upper = to->tier > s->tier ? to->tier : s->tier;
        p->tier = upper > 1 ? MRCT_TIER_T1_T2 : MRCT_TIER_T0_T1;
        p->upward = to->tier != s->tier ? to->tier > s->tier : p->to > w;
    }
}

static void set_tiers(struct mrct_sim *sim)
{
    for (uint32_t w = 0; w < sim->switch_count; w++)
        sim->switches[w].tier = UINT8_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t w = 0; w < sim->switch_count; w++)
            changed = lower_tier(sim, w) || changed;
    }
    for (uint32_t w = 0; w < sim->switch_count; w++)
        set_link_tiers(sim, w);
    for (uint32_t i = 0; i < sim->host_count * sim->planes; i++)
        sim->ports[i].upward = true;
}

/* ---- routes ---- */

/* Ports of w on shortest paths, by the hops to the destination of every switch. */
static int add_route(struct mrct_sim *sim, uint32_t w, uint32_t edge, const uint32_t *hops)
{
    struct sim_graph *const g = sim->graph;
    const struct sim_switch *const s = &sim->switches[w];
    struct sim_route *const r = &g->routes[(size_t)w * sim->switch_count + edge];
    r->first = g->next_count;
    for (uint32_t i = 0; i < s->down_count && hops[w] != FAR; i++) {
        const struct sim_port *const p = &sim->ports[s->down_first + i];
        if (p->to_host || hops[p->to] == FAR || hops[p->to] + 1 != hops[w])
            continue;
        if (g->next_count == g->next_cap) {
            const uint32_t cap = g->next_cap > 0 ? 2 * g->next_cap : 256;
            uint32_t *const more = realloc(g->next, cap * sizeof *more);
            if (more == NULL)
                return -1;
            g->next = more;
            g->next_cap = cap;
        }
        g->next[g->next_count++] = s->down_first + i;
        r->count++;
    }
    return 0;
}

/* Hops to the destination, breadth first; order: of the switches as they were reached. */
static void measure(const struct mrct_sim *sim, uint32_t edge, uint32_t *hops, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < sim->switch_count; w++)
        hops[w] = FAR;
    hops[edge] = 0;
    order[n++] = edge;
    for (uint32_t k = 0; k < n; k++) {
        const struct sim_switch *const s = &sim->switches[order[k]];
        for (uint32_t i = 0; i < s->down_count; i++) {
            const struct sim_port *const p = &sim->ports[s->down_first + i];
            if (p->to_host || hops[p->to] != FAR)
                continue;
            hops[p->to] = hops[order[k]] + 1;
            order[n++] = p->to;
        }
    }
}

/* Bits that a tier needs of an EV. */
static unsigned width_of(const struct mrct_sim *sim, unsigned tier)
{
    unsigned most = 1;
    for (uint32_t w = 0; w < sim->switch_count; w++)
        for (uint32_t e = 0; sim->switches[w].tier == tier && e < sim->switch_count; e++) {
            const unsigned n = sim->graph->routes[(size_t)w * sim->switch_count + e].count;
            most = n > most ? n : most;
        }
    return sim_bits_for(most);
}

static void set_fields(struct mrct_sim *sim)
{
    unsigned at = 0;
    for (unsigned tier = 0; at <= EV_BITS && tier <= EV_BITS; tier++) {
        for (uint32_t w = 0; w < sim->switch_count; w++)
            if (sim->switches[w].tier == tier)
                sim->switches[w].field_at = (uint8_t)at;
        at += width_of(sim, tier);
    }
}

/* Of the longest path to the hosts of a switch; rtt[]: of each switch to it. */
static uint64_t longest_ns(const struct mrct_sim *sim, uint32_t edge, const uint32_t *hops,
                           const uint32_t *order, uint64_t *rtt)
{
    uint64_t nic[2] = {0, 0}; /* slowest link to a host here, and on the way */
    rtt[edge] = 0;
    for (uint32_t k = 0; k < sim->switch_count; k++) {
        const uint32_t w = order[k];
        if (k > 0 && hops[w] == 0)
            break; /* the rest was not reached */
        const struct sim_switch *const s = &sim->switches[w];
        uint64_t host = 0, to = 0;
        for (uint32_t i = 0; i < s->down_count; i++) {
            const struct sim_port *const p = &sim->ports[s->down_first + i];
            const uint64_t own = sim_link_rtt_ns(sim->scene, p->latency_ns, p->rate_bps);
            if (p->to_host)
                host = own > host ? own : host;
            else if (hops[p->to] != FAR && hops[p->to] + 1 == hops[w])
                to = own + rtt[p->to] > to ? own + rtt[p->to] : to;
        }
        rtt[w] = to;
        nic[0] = w == edge ? host : nic[0];
        nic[1] = host > 0 && to + host > nic[1] ? to + host : nic[1];
    }
    return nic[0] + nic[1];
}

static int make_routes(struct mrct_sim *sim)
{
    const size_t n = sim->switch_count;
    uint32_t *const hops = calloc(n + 1, sizeof *hops), *const order = calloc(n + 1, sizeof *order);
    uint64_t *const rtt = calloc(n + 1, sizeof *rtt);
    int rc = hops != NULL && order != NULL && rtt != NULL ? 0 : -1;
    for (uint32_t e = 0; rc == 0 && e < n; e++) {
        if (sim->switches[e].tier != 0)
            continue; /* no host there */
        for (uint32_t k = 0; k < n; k++)
            order[k] = e;
        measure(sim, e, hops, order);
        for (uint32_t w = 0; rc == 0 && w < n; w++)
            rc = add_route(sim, w, e, hops);
        const uint64_t longest = longest_ns(sim, e, hops, order, rtt);
        sim->base_rtt_ns = longest > sim->base_rtt_ns ? longest : sim->base_rtt_ns;
    }
    free(hops);
    free(order);
    free(rtt);
    return rc;
}

static void set_spots(struct mrct_sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count * sim->planes; i++) {
        const uint32_t edge = sim->ports[i].to;
        sim->graph->spots[i] =
            (struct sim_spot){edge, sim->graph->reverse[i] - sim->switches[edge].down_first};
    }
}

int sim_graph(struct mrct_sim *sim)
{
    const struct mrct_scene_graph *const g = graph_of(sim);
    sim->planes = sim->scene->topology.planes;
    sim->host_count = (uint32_t)g->host_count;
    sim->switch_count = (uint32_t)g->switch_count;
    sim->port_count = 2 * (uint32_t)g->link_count;
    struct sim_graph *const own = calloc(1, sizeof *own);
    sim->graph = own;
    if (own == NULL)
        return -1;
    const size_t switches = sim->switch_count, nics = (size_t)sim->host_count * sim->planes;
    uint32_t *const used = calloc(g->host_count + switches, sizeof *used);
    sim->ports = mrct_arena_alloc(&sim->arena, sim->port_count * sizeof *sim->ports);
    sim->switches = mrct_arena_alloc(&sim->arena, switches * sizeof *sim->switches);
    own->routes = mrct_arena_alloc(&sim->arena, switches * switches * sizeof *own->routes);
    own->spots = mrct_arena_alloc(&sim->arena, nics * sizeof *own->spots);
    own->reverse = mrct_arena_alloc(&sim->arena, sim->port_count * sizeof *own->reverse);
    int rc =
        used && sim->ports && sim->switches && own->routes && own->spots && own->reverse ? 0 : -1;
    if (rc == 0) {
        make_switches(sim);
        join_ports(sim, used);
        set_tiers(sim);
        set_spots(sim);
        rc = make_routes(sim);
    }
    free(used);
    if (rc == 0)
        set_fields(sim);
    return rc;
}

void sim_graph_fini(struct mrct_sim *sim)
{
    if (sim->graph != NULL)
        free(sim->graph->next);
    free(sim->graph);
}
