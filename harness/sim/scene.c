/* SPDX-License-Identifier: BSD-2-Clause */
/* A scene's defaults, and its YAML from the top. */
#include "harness/sim/scene_parts.h"
#include "harness/sim/sim_priv.h"

#include <stdio.h>
#include <string.h>

#define SECOND       INT64_C(1000000000)
#define USID_INDICES 1023u

const char *const mrct_scene_cc_names[] = {"nscc", "fixed", "off", "dcqcn"};

static const char *const work_names[] = {
    [MRCT_WORK_STREAM] = "stream",     [MRCT_WORK_PERMUTATION] = "permutation",
    [MRCT_WORK_INCAST] = "incast",     [MRCT_WORK_RING] = "ring",
    [MRCT_WORK_ALLTOALL] = "alltoall", [MRCT_WORK_ALLREDUCE] = "allreduce",
};

const char *mrct_sim_work_str(enum mrct_sim_work w)
{
    return work_names[w];
}

bool mrct_scene_is_graph(const struct mrct_scene *s)
{
    return s->topology.graph.host_count > 0;
}

unsigned mrct_scene_hosts(const struct mrct_scene *s)
{
    if (mrct_scene_is_graph(s))
        return (unsigned)s->topology.graph.host_count;
    return s->topology.t0 * s->topology.hosts_per_t0;
}

void mrct_scene_default(struct mrct_scene *s)
{
    *s = (struct mrct_scene){
        .seed = 1,
        .limit_ns = SECOND,
        .hash_flow_label = true,
        .topology = {.planes = 1, .t0 = 1, .pods = 1, .hosts_per_t0 = 2},
        .queues = {.limit_bytes = {256 << 10, 256 << 10, 256 << 10},
                   .strict = true,
                   .weight = {4, 2, 1},
                   .ecn_min_bytes = 50 << 10,
                   .ecn_max_bytes = 200 << 10,
                   .ecn_ppm = 1000000,
                   .ecn = true,
                   .trim = true},
        .endpoint = {.mtu = 4096,
                     .evs = 128,
                     .mpr = 8,
                     .timeout = 8,
                     .linear_cnt = 7,
                     .exp_cnt = 7,
                     .reorder_margin = 64,
                     .ip_version = 6,
                     .cwnd_bytes = 256 << 10,
                     .trim_nack = true},
    };
    for (unsigned i = 0; i < MRCT_TIERS; i++)
        s->topology.link[i] =
            (struct mrct_scene_link){.rate_bps = UINT64_C(100000000000), .latency_ns = 500};
    mrct_pool_init(&s->pool);
}

void mrct_scene_seed(struct mrct_scene *s, uint64_t seed)
{
    s->seed = seed;
    if (s->against != NULL)
        s->against->seed = seed;
}

void mrct_scene_fini(struct mrct_scene *s)
{
    mrct_pool_fini(&s->pool);
}

#define LINK(m) offsetof(struct mrct_scene_link, m)

static const struct mrct_load_field link_fields[] = {
    {.key = "rate",
     .type = MRCT_LOAD_RATE,
     .offset = LINK(rate_bps),
     .min = 1000000,
     .max = INT64_C(100000000000000)},
    {.key = "latency",
     .type = MRCT_LOAD_DURATION,
     .offset = LINK(latency_ns),
     .min = 1,
     .max = SECOND},
    {.key = NULL},
};

static int load_nic(struct mrct_load *l, yaml_node_t *n, void *base)
{
    return mrct_load_map(l, n, link_fields,
                         &((struct mrct_scene_topology *)base)->link[MRCT_TIER_NIC]);
}

static int load_t0_t1(struct mrct_load *l, yaml_node_t *n, void *base)
{
    return mrct_load_map(l, n, link_fields,
                         &((struct mrct_scene_topology *)base)->link[MRCT_TIER_T0_T1]);
}

static int load_t1_t2(struct mrct_load *l, yaml_node_t *n, void *base)
{
    return mrct_load_map(l, n, link_fields,
                         &((struct mrct_scene_topology *)base)->link[MRCT_TIER_T1_T2]);
}

#define TOPO(m) offsetof(struct mrct_scene_topology, m)
#define NUMBER(k, m, lo, hi)                                                                       \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_U32, .offset = (m), .min = (lo), .max = (hi)                 \
    }

static const struct mrct_load_field topology_fields[] = {
    NUMBER("planes", TOPO(planes), 1, MRCT_SIM_PLANES_MAX),
    NUMBER("t0", TOPO(t0), 1, 1024),
    NUMBER("t1", TOPO(t1), 0, 1024),
    NUMBER("t2", TOPO(t2), 0, 1024),
    NUMBER("pods", TOPO(pods), 1, 1024),
    NUMBER("hosts_per_t0", TOPO(hosts_per_t0), 1, 1024),
    {.key = "nic", .type = MRCT_LOAD_CUSTOM, .custom = load_nic},
    {.key = "t0_t1", .type = MRCT_LOAD_CUSTOM, .custom = load_t0_t1},
    {.key = "t1_t2", .type = MRCT_LOAD_CUSTOM, .custom = load_t1_t2},
    {.key = NULL},
};

static const struct mrct_load_field graph_fields[] = {
    {.key = "graph", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_graph},
    {.key = NULL},
};

static const char *topology_wrong(const struct mrct_scene_topology *t)
{
    if (t->t0 > 1 && t->t1 == 0)
        return "more than one T0 switch needs T1 switches above";
    if (t->t2 > 0 && (t->t0 % t->pods != 0 || t->t1 % t->pods != 0))
        return "T0 and T1 switches do not divide evenly into the pods";
    if (t->t2 > 0 && (t->t1 == 0 || t->t2 % (t->t1 / t->pods) != 0))
        return "T2 switches do not divide evenly among the T1 switches of a pod";
    if (t->t2 == 0 && t->pods > 1)
        return "pods need T2 switches above them";
    return (uint64_t)t->t0 * t->hosts_per_t0 < 2 ? "a network has at least two hosts" : NULL;
}

static int load_topology(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene *const s = base;
    if (mrc_yaml_get(&l->yaml, n, "graph") != NULL)
        return mrct_load_map(l, n, graph_fields, &s->topology);
    if (mrct_load_map(l, n, topology_fields, &s->topology) != 0)
        return -1;
    const char *const wrong = topology_wrong(&s->topology);
    return wrong == NULL ? 0 : mrc_yaml_fail(&l->yaml, n, "topology: %s", wrong);
}

static int load_watch(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene *const s = base;
    return mrct_scene_numbers(l, n, "watch", 0, MRCT_SIM_HOSTS_MAX, &s->watch, &s->watch_count);
}

#define SCENE(m) offsetof(struct mrct_scene, m)

static const struct mrct_load_word forwarding_words[] = {{"ecmp", MRCT_FORWARD_ECMP},
                                                         {"structured", MRCT_FORWARD_STRUCTURED},
                                                         {"srv6", MRCT_FORWARD_SRV6},
                                                         {NULL, 0}};

int mrct_scene_later(struct mrct_load *l, yaml_node_t *n, void *base)
{
    (void)l;
    (void)n;
    (void)base;
    return 0;
}

static const struct mrct_load_field scene_fields[] = {
    {.key = "title", .type = MRCT_LOAD_STRING, .offset = SCENE(title), .required = true},
    {.key = "seed", .type = MRCT_LOAD_I64, .offset = SCENE(seed), .max = INT64_MAX},
    {.key = "limit",
     .type = MRCT_LOAD_DURATION,
     .offset = SCENE(limit_ns),
     .min = 1,
     .max = 3600 * SECOND},
    {.key = "sample", .type = MRCT_LOAD_DURATION, .offset = SCENE(sample_ns), .max = SECOND},
    {.key = "topology", .type = MRCT_LOAD_CUSTOM, .custom = load_topology, .required = true},
    {.key = "forwarding",
     .type = MRCT_LOAD_WORD,
     .offset = SCENE(forwarding),
     .words = forwarding_words},
    {.key = "hash_flow_label", .type = MRCT_LOAD_BOOL, .offset = SCENE(hash_flow_label)},
    {.key = "queues", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_queues},
    {.key = "endpoint", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_endpoint},
    {.key = "paper", .type = MRCT_LOAD_STRING, .offset = SCENE(paper)},
    {.key = "faults", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_faults},
    {.key = "reported", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_reported},
    {.key = "watch", .type = MRCT_LOAD_CUSTOM, .custom = load_watch},
    {.key = "phases", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_phases},
    {.key = "expect", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_expects},
    {.key = "traffic", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_traffic, .required = true},
    {.key = "against", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_later},
    {.key = NULL},
};

/* Its bits hold an index from 1, of T0 switches and ports; a pod and a place from 1, of T1; two
 * places from 1, of T2. */
static bool usids_are_short(const struct mrct_scene_topology *t)
{
    const struct sim_usid_widths w = sim_usid_widths(t);
    return t->t0 > USID_INDICES || t->hosts_per_t0 > USID_INDICES ||
           t->pods << w.t1 > USID_INDICES + 1 || w.t1 + w.t2 > SIM_USID_BITS;
}

static int verify(struct mrct_load *l, yaml_node_t *root, struct mrct_scene *s)
{
    for (size_t i = 0; i < s->watch_count; i++)
        if (s->watch[i] >= mrct_scene_hosts(s))
            return mrc_yaml_fail(&l->yaml, mrc_yaml_get(&l->yaml, root, "watch"),
                                 "watch: there is no host %lld (of %u)", (long long)s->watch[i],
                                 mrct_scene_hosts(s));
    if (s->forwarding == MRCT_FORWARD_SRV6 && mrct_scene_is_graph(s))
        return mrc_yaml_fail(&l->yaml, mrc_yaml_get(&l->yaml, root, "forwarding"),
                             "forwarding: srv6 by templates needs planes and tiers, not a graph");
    if (s->forwarding == MRCT_FORWARD_SRV6 && usids_are_short(&s->topology))
        return mrc_yaml_fail(&l->yaml, mrc_yaml_get(&l->yaml, root, "forwarding"),
                             "forwarding: a uSID counts no more than %u switches or ports",
                             USID_INDICES);
    if (mrct_scene_verify_endpoint(l, mrc_yaml_get(&l->yaml, root, "endpoint"), s) != 0 ||
        mrct_scene_verify_traffic(l, s) != 0 || mrct_scene_verify_faults(l, s) != 0 ||
        mrct_scene_verify_reported(l, s) != 0)
        return -1;
    yaml_node_t *const against = mrc_yaml_get(&l->yaml, root, "against");
    return against != NULL ? mrct_scene_against(l, against, s) : 0;
}

int mrct_scene_load(struct mrct_scene *s, const char *path, char *err, size_t err_cap)
{
    mrct_scene_default(s);
    struct mrct_load l = {.pool = &s->pool, .user = s};
    yaml_node_t *const root = mrct_load_open(&l, path);
    s->path = mrct_pool_strdup(&s->pool, path);
    int rc = root != NULL ? mrct_load_map(&l, root, scene_fields, s) : -1;
    if (rc == 0)
        rc = verify(&l, root, s);
    if (rc != 0)
        (void)snprintf(err, err_cap, "%s", l.yaml.err);
    mrc_yaml_fini(&l.yaml);
    return rc;
}
