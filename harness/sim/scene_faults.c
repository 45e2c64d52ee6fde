/* SPDX-License-Identifier: BSD-2-Clause */
/* What befalls the network of a scene. */
#include "harness/sim/scene_parts.h"

#include <inttypes.h>
#include <string.h>

static const char *const fault_names[] = {
    [MRCT_SIM_DOWN] = "down", [MRCT_SIM_GRAY] = "gray", [MRCT_SIM_REBOOT] = "reboot",
    [MRCT_SIM_LOSS] = "loss", [MRCT_SIM_SLOW] = "slow", [MRCT_SIM_MISROUTE] = "misroute",
};

const char *mrct_sim_fault_str(enum mrct_sim_fault_kind k)
{
    return fault_names[k];
}

static const struct mrct_load_word tier_words[] = {
    {"nic", MRCT_TIER_NIC}, {"t0_t1", MRCT_TIER_T0_T1}, {"t1_t2", MRCT_TIER_T1_T2}, {NULL, 0}};

#define F(m) offsetof(struct mrct_scene_fault, m)
#define TIME(k, m)                                                                                 \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_DURATION, .offset = (m), .max = INT64_C(1000000000000)       \
    }
#define INDEX(k, m)                                                                                \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_I64, .offset = (m), .min = 0, .max = MRCT_SIM_HOSTS_MAX      \
    }
#define WHEN                                                                                       \
    {.key = "name", .type = MRCT_LOAD_STRING, .offset = F(name)}, TIME("at", F(at_ns)),            \
        TIME("for", F(for_ns)), TIME("every", F(every_ns)),                                        \
        {.key = "count", .type = MRCT_LOAD_U32, .offset = F(count), .min = 1, .max = 1 << 20},     \
        INDEX("plane", F(plane))
#define SWITCHES                                                                                   \
    INDEX("t0", F(t0)), INDEX("t1", F(t1)), INDEX("t2", F(t2)),                                    \
    {                                                                                              \
        .key = "switch", .type = MRCT_LOAD_STRING, .offset = F(sw)                                 \
    }
#define LINKS                                                                                      \
    INDEX("host", F(host)), SWITCHES,                                                              \
        {.key = "link", .type = MRCT_LOAD_STRINGS, .offset = F(between)},                          \
    {                                                                                              \
        .key = "tier", .type = MRCT_LOAD_WORD, .offset = F(tier), .words = tier_words              \
    }

static const struct mrct_load_field down_fields[] = {
    WHEN,
    LINKS,
    {.key = "unseen", .type = MRCT_LOAD_BOOL, .offset = F(unseen)},
    {.key = NULL},
};
static const struct mrct_load_field switch_fields[] = {WHEN, SWITCHES, {.key = NULL}};
static const struct mrct_load_field loss_fields[] = {
    WHEN,
    LINKS,
    {.key = "share", .type = MRCT_LOAD_SHARE, .offset = F(loss_ppm), .required = true},
    {.key = "ev", .type = MRCT_LOAD_I64, .offset = F(ev), .min = 0, .max = UINT32_MAX},
    INDEX("to", F(to)),
    {.key = NULL},
};
static const struct mrct_load_field slow_fields[] = {
    WHEN,
    LINKS,
    {.key = "rate",
     .type = MRCT_LOAD_RATE,
     .offset = F(rate_bps),
     .min = 1000000,
     .max = INT64_C(100000000000000),
     .required = true},
    {.key = NULL},
};
static const struct mrct_load_field misroute_fields[] = {
    WHEN,
    SWITCHES,
    {.key = "host",
     .type = MRCT_LOAD_I64,
     .offset = F(to_host),
     .min = 0,
     .max = MRCT_SIM_HOSTS_MAX,
     .required = true},
    {.key = "port",
     .type = MRCT_LOAD_I64,
     .offset = F(port),
     .min = 0,
     .max = 4096,
     .required = true},
    {.key = NULL},
};

static const struct mrct_load_field *const fields_of[] = {
    [MRCT_SIM_DOWN] = down_fields,     [MRCT_SIM_GRAY] = switch_fields,
    [MRCT_SIM_REBOOT] = switch_fields, [MRCT_SIM_LOSS] = loss_fields,
    [MRCT_SIM_SLOW] = slow_fields,     [MRCT_SIM_MISROUTE] = misroute_fields,
};

static int load_fault(struct mrct_load *l, yaml_node_t *item, struct mrct_scene_fault *f)
{
    yaml_node_t *value = NULL;
    const char *const key = mrct_load_single(l, item, &value);
    *f = (struct mrct_scene_fault){.kind = MRCT_SIM_FAULTS,
                                   .count = 1,
                                   .plane = MRCT_SIM_ALL,
                                   .host = MRCT_SIM_ALL,
                                   .t0 = MRCT_SIM_ALL,
                                   .t1 = MRCT_SIM_ALL,
                                   .t2 = MRCT_SIM_ALL,
                                   .tier = MRCT_SIM_ALL,
                                   .ev = MRCT_SIM_ALL,
                                   .to = MRCT_SIM_ALL,
                                   .to_host = MRCT_SIM_ALL,
                                   .line = mrc_yaml_line(item)};
    for (int k = 0; k < MRCT_SIM_FAULTS; k++)
        if (key != NULL && strcmp(key, fault_names[k]) == 0)
            f->kind = (enum mrct_sim_fault_kind)k;
    if (f->kind == MRCT_SIM_FAULTS)
        return mrc_yaml_fail(&l->yaml, item,
                             "faults: one of down, gray, reboot, loss, slow, misroute and its map "
                             "were expected");
    if (mrct_load_map(l, value, fields_of[f->kind], f) != 0)
        return -1;
    if (f->count > 1 && f->every_ns == 0 && f->tier == MRCT_SIM_ALL)
        return mrc_yaml_fail(&l->yaml, value, "count: the same links would fail at the same time");
    if (f->every_ns > 0 && f->tier == MRCT_SIM_ALL && f->for_ns >= f->every_ns)
        return mrc_yaml_fail(&l->yaml, value, "every: it is not longer than for");
    if (f->name == NULL)
        f->name = mrct_pool_strdup(l->pool, key);
    return f->name != NULL ? 0 : mrc_yaml_fail(&l->yaml, value, "out of memory");
}

int mrct_scene_faults(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_scene *const s = base;
    s->faults = mrct_load_array(l, node, sizeof *s->faults, "faults");
    if (s->faults == NULL)
        return -1;
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++, s->fault_count++)
        if (load_fault(l, mrc_yaml_item(&l->yaml, node, i), &s->faults[i]) != 0)
            return -1;
    return 0;
}

static int there_is_no(struct mrct_load *l, const struct mrct_scene_fault *f, const char *what,
                       int64_t index, uint64_t of)
{
    return mrct_scene_fail_line(l, f->line, "%s: there is no %s %" PRId64 " (of %" PRIu64 ")",
                                mrct_sim_fault_str(f->kind), what, index, of);
}

static int resolve(struct mrct_load *l, const struct mrct_scene *s, struct mrct_scene_fault *f,
                   const char *name, bool host)
{
    struct mrct_graph_node *const end = &f->end[f->ends++];
    if (mrct_scene_graph_node(&s->topology.graph, name, end) && (host || !end->host))
        return 0;
    return mrct_scene_fail_line(l, f->line, "%s: there is no %sswitch '%s'",
                                mrct_sim_fault_str(f->kind), host ? "host or " : "", name);
}

/* Names are a graph's, numbers of switches those of tiers. */
static int resolve_names(struct mrct_load *l, const struct mrct_scene *s,
                         struct mrct_scene_fault *f)
{
    const char *const kind = mrct_sim_fault_str(f->kind);
    const bool graph = mrct_scene_is_graph(s);
    if (!graph && (f->sw != NULL || f->between_count > 0))
        return mrct_scene_fail_line(l, f->line, "%s: switch and link are names of a graph", kind);
    if (!graph)
        return 0;
    if (f->t0 >= 0 || f->t1 >= 0 || f->t2 >= 0)
        return mrct_scene_fail_line(
            l, f->line, "%s: a graph has no t0, t1 and t2: name the switch or the link", kind);
    if (f->between_count != 0 && (f->between_count != 2 || f->sw != NULL || f->host >= 0))
        return mrct_scene_fail_line(l, f->line, "%s: link: two names alone were expected", kind);
    if (f->plane >= 0 && f->host < 0)
        return mrct_scene_fail_line(l, f->line, "%s: plane is a port of a host in a graph", kind);
    for (size_t i = 0; i < f->between_count; i++)
        if (resolve(l, s, f, f->between[i], true) != 0)
            return -1;
    return f->sw != NULL ? resolve(l, s, f, f->sw, false) : 0;
}

static int verify_fault(struct mrct_load *l, const struct mrct_scene *s, struct mrct_scene_fault *f)
{
    const struct mrct_scene_topology *const t = &s->topology;
    const struct {
        const char *what;
        int64_t index;
        uint64_t of;
    } indices[] = {{"plane", f->plane, t->planes},
                   {"host", f->host, mrct_scene_hosts(s)},
                   {"host", f->to_host, mrct_scene_hosts(s)},
                   {"host", f->to, mrct_scene_hosts(s)},
                   {"T0 switch", f->t0, t->t0},
                   {"T1 switch", f->t1, t->t1},
                   {"T2 switch", f->t2, t->t2}};
    if (resolve_names(l, s, f) != 0)
        return -1;
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++)
        if (indices[i].index >= 0 && (uint64_t)indices[i].index >= indices[i].of)
            return there_is_no(l, f, indices[i].what, indices[i].index, indices[i].of);
    const int switches = (f->t0 >= 0) + (f->t1 >= 0) + (f->t2 >= 0) + (f->sw != NULL);
    const bool one =
        f->kind == MRCT_SIM_GRAY || f->kind == MRCT_SIM_REBOOT || f->kind == MRCT_SIM_MISROUTE;
    if (one && switches != 1)
        return mrct_scene_fail_line(l, f->line, "%s: one switch was expected (%s)",
                                    mrct_sim_fault_str(f->kind),
                                    mrct_scene_is_graph(s) ? "switch" : "t0, t1 or t2");
    if (switches > 2 || (f->t0 >= 0 && f->t2 >= 0))
        return mrct_scene_fail_line(l, f->line, "%s: those switches are no neighbours",
                                    mrct_sim_fault_str(f->kind));
    if (f->tier != MRCT_SIM_ALL && (switches > 0 || f->host >= 0 || f->between_count > 0))
        return mrct_scene_fail_line(l, f->line, "%s: tier draws links at random, others name them",
                                    mrct_sim_fault_str(f->kind));
    return 0;
}

int mrct_scene_verify_faults(struct mrct_load *l, const struct mrct_scene *s)
{
    for (size_t i = 0; i < s->fault_count; i++)
        if (verify_fault(l, s, &s->faults[i]) != 0)
            return -1;
    return 0;
}
