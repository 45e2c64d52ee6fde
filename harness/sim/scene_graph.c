/* SPDX-License-Identifier: BSD-2-Clause */
/* A topology that is told link by link. */
#include "harness/sim/scene_parts.h"

#include <string.h>

#define HOSTS_MAX    1024u
#define SWITCHES_MAX 1024u
#define LETTERS      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define GIB          INT64_C(1073741824)
#define SECOND       INT64_C(1000000000)

#define G(m) offsetof(struct mrct_scene_graph, m)
#define L(m) offsetof(struct mrct_graph_link, m)

bool mrct_scene_graph_node(const struct mrct_scene_graph *g, const char *name,
                           struct mrct_graph_node *out)
{
    for (size_t i = 0; i < g->host_count + g->switch_count; i++) {
        const bool host = i < g->host_count;
        const size_t id = host ? i : i - g->host_count;
        if (strcmp(host ? g->hosts[id] : g->switches[id], name) == 0) {
            *out = (struct mrct_graph_node){host, (uint32_t)id};
            return true;
        }
    }
    return false;
}

static const struct mrct_load_field link_fields[] = {
    {.key = "ends", .type = MRCT_LOAD_STRINGS, .offset = L(names), .required = true},
    {.key = "rate",
     .type = MRCT_LOAD_RATE,
     .offset = L(link.rate_bps),
     .min = 1000000,
     .max = INT64_C(100000000000000)},
    {.key = "latency",
     .type = MRCT_LOAD_DURATION,
     .offset = L(link.latency_ns),
     .min = 1,
     .max = SECOND},
    {.key = "queue", .type = MRCT_LOAD_SIZE, .offset = L(queue_bytes), .min = 1, .max = GIB},
    {.key = NULL},
};

static int load_link(struct mrct_load *l, yaml_node_t *item, const struct mrct_scene_graph *g,
                     struct mrct_graph_link *k)
{
    *k = (struct mrct_graph_link){.link = {.rate_bps = UINT64_C(100000000000), .latency_ns = 500},
                                  .line = mrc_yaml_line(item)};
    if (mrct_load_map(l, item, link_fields, k) != 0)
        return -1;
    if (k->name_count != 2)
        return mrc_yaml_fail(&l->yaml, item, "ends: two names were expected, not %zu",
                             k->name_count);
    for (unsigned i = 0; i < 2; i++)
        if (!mrct_scene_graph_node(g, k->names[i], &k->end[i]))
            return mrc_yaml_fail(&l->yaml, item, "ends: there is no host or switch '%s'",
                                 k->names[i]);
    if (strcmp(k->names[0], k->names[1]) == 0)
        return mrc_yaml_fail(&l->yaml, item, "ends: '%s' is joined to itself", k->names[0]);
    if (k->end[0].host && k->end[1].host)
        return mrc_yaml_fail(&l->yaml, item, "ends: two hosts need a switch between them");
    return 0;
}

static int load_links(struct mrct_load *l, yaml_node_t *n, struct mrct_scene_graph *g)
{
    g->links = mrct_load_array(l, n, sizeof *g->links, "links");
    if (g->links == NULL)
        return -1;
    for (size_t i = 0; i < mrc_yaml_count(n); i++, g->link_count++)
        if (load_link(l, mrc_yaml_item(&l->yaml, n, i), g, &g->links[i]) != 0)
            return -1;
    return 0;
}

/* Links name nodes, which may stand behind them in the file. */
static const struct mrct_load_field node_fields[] = {
    {.key = "hosts", .type = MRCT_LOAD_STRINGS, .offset = G(hosts), .required = true},
    {.key = "switches", .type = MRCT_LOAD_STRINGS, .offset = G(switches), .required = true},
    {.key = "links", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_later, .required = true},
    {.key = NULL},
};

static int verify_names(struct mrct_load *l, const yaml_node_t *n, const struct mrct_scene_graph *g)
{
    if (g->host_count < 2)
        return mrc_yaml_fail(&l->yaml, n, "hosts: a network has at least two");
    if (g->host_count > HOSTS_MAX || g->switch_count > SWITCHES_MAX)
        return mrc_yaml_fail(&l->yaml, n, "graph: more than %u hosts or %u switches", HOSTS_MAX,
                             SWITCHES_MAX);
    for (size_t i = 0; i < g->host_count + g->switch_count; i++) {
        const bool host = i < g->host_count;
        const char *const name = host ? g->hosts[i] : g->switches[i - g->host_count];
        struct mrct_graph_node first;
        if (strspn(name, LETTERS) != strlen(name))
            return mrc_yaml_fail(
                &l->yaml, n, "graph: '%s' is no name of letters, digits, '.', '_' and '-'", name);
        if (mrct_scene_graph_node(g, name, &first) &&
            (first.host != host || first.id + (host ? 0 : g->host_count) != i))
            return mrc_yaml_fail(&l->yaml, n, "graph: two are named '%s'", name);
    }
    return 0;
}

/* The switch that a host's port leads to, or -1. */
static int64_t attached(const struct mrct_scene_graph *g, uint32_t host, unsigned port)
{
    for (size_t i = 0; i < g->link_count; i++)
        for (unsigned e = 0; e < 2; e++)
            if (g->links[i].end[e].host && g->links[i].end[e].id == host && port-- == 0)
                return g->links[i].end[1 - e].id;
    return -1;
}

static unsigned ports_of(const struct mrct_scene_graph *g, uint32_t host)
{
    unsigned n = 0;
    while (n <= MRCT_SIM_PLANES_MAX && attached(g, host, n) >= 0)
        n++;
    return n;
}

/* Switches that links join bear one number. */
static void colour(const struct mrct_scene_graph *g, uint32_t *of)
{
    for (uint32_t i = 0; i < g->switch_count; i++)
        of[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->link_count; i++) {
            const struct mrct_graph_node *const e = g->links[i].end;
            if (e[0].host || e[1].host || of[e[0].id] == of[e[1].id])
                continue;
            const uint32_t least = of[e[0].id] < of[e[1].id] ? of[e[0].id] : of[e[1].id];
            of[e[0].id] = of[e[1].id] = least;
            changed = true;
        }
    }
}

static int verify_joined(struct mrct_load *l, const yaml_node_t *n,
                         const struct mrct_scene_graph *g, unsigned planes)
{
    uint32_t *const of = mrct_pool_alloc(l->pool, (g->switch_count + 1) * sizeof *of);
    if (of == NULL)
        return mrc_yaml_fail(&l->yaml, n, "out of memory");
    colour(g, of);
    for (unsigned p = 0; p < planes; p++)
        for (uint32_t h = 1; h < g->host_count; h++)
            if (of[attached(g, h, p)] != of[attached(g, 0, p)])
                return mrc_yaml_fail(&l->yaml, n,
                                     "graph: no path joins port %u of '%s' to that of '%s'", p,
                                     g->hosts[h], g->hosts[0]);
    return 0;
}

static int verify_ports(struct mrct_load *l, const yaml_node_t *n, const struct mrct_scene_graph *g,
                        unsigned *planes)
{
    *planes = ports_of(g, 0);
    if (*planes > MRCT_SIM_PLANES_MAX)
        return mrc_yaml_fail(&l->yaml, n, "graph: host '%s' has more than %u links", g->hosts[0],
                             MRCT_SIM_PLANES_MAX);
    for (uint32_t h = 0; h < g->host_count; h++) {
        const unsigned own = ports_of(g, h);
        if (own == 0)
            return mrc_yaml_fail(&l->yaml, n, "graph: host '%s' has no link", g->hosts[h]);
        if (own != *planes)
            return mrc_yaml_fail(&l->yaml, n,
                                 "graph: host '%s' has %u links and '%s' has %u: all hosts have "
                                 "as many ports",
                                 g->hosts[h], own, g->hosts[0], *planes);
    }
    return 0;
}

int mrct_scene_graph(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_scene_topology *const t = base;
    struct mrct_scene_graph *const g = &t->graph;
    if (mrct_load_map(l, node, node_fields, g) != 0 || verify_names(l, node, g) != 0 ||
        load_links(l, mrc_yaml_get(&l->yaml, node, "links"), g) != 0 ||
        verify_ports(l, node, g, &t->planes) != 0)
        return -1;
    return verify_joined(l, node, g, t->planes);
}
