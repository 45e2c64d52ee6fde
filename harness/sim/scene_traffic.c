/* SPDX-License-Identifier: BSD-2-Clause */
/* What the hosts of a scene do. */
#include "harness/sim/scene_parts.h"

#include "harness/cases/units.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NUMBERS_MAX 65536u

int mrct_scene_fail_line(struct mrct_load *l, int line, const char *fmt, ...)
{
    char words[300];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    (void)snprintf(l->yaml.err, sizeof l->yaml.err, "%s:%d: %s", l->yaml.path, line, words);
    return -1;
}

static int one_range(struct mrct_load *l, const yaml_node_t *n, const char *key, int64_t min,
                     int64_t max, int64_t ends[2])
{
    const char *const text = mrc_yaml_text(n);
    if (text == NULL || mrct_units_range(text, &ends[0], &ends[1]) != 0)
        return mrc_yaml_fail(&l->yaml, n, "%s: a number or a range like 3..5 was expected", key);
    if (ends[1] == INT64_MAX)
        ends[1] = max;
    if (ends[0] < min || ends[1] > max || ends[0] > ends[1])
        return mrc_yaml_fail(&l->yaml, n, "%s: %s is not in %" PRId64 "..%" PRId64, key, text, min,
                             max);
    return 0;
}

int mrct_scene_numbers(struct mrct_load *l, yaml_node_t *node, const char *key, int64_t min,
                       int64_t max, int64_t **out, size_t *count)
{
    const bool list = node->type == YAML_SEQUENCE_NODE;
    const size_t items = list ? mrc_yaml_count(node) : 1;
    int64_t ends[2] = {0, 0};
    size_t total = 0;
    for (size_t i = 0; i < items; i++) {
        if (one_range(l, list ? mrc_yaml_item(&l->yaml, node, i) : node, key, min, max, ends) != 0)
            return -1;
        total += (size_t)(ends[1] - ends[0] + 1);
        if (total > NUMBERS_MAX)
            return mrc_yaml_fail(&l->yaml, node, "%s: more than %u of them", key, NUMBERS_MAX);
    }
    *out = mrct_pool_alloc(l->pool, (total > 0 ? total : 1) * sizeof **out);
    if (*out == NULL)
        return mrc_yaml_fail(&l->yaml, node, "out of memory");
    *count = 0;
    for (size_t i = 0; i < items; i++) {
        (void)one_range(l, list ? mrc_yaml_item(&l->yaml, node, i) : node, key, min, max, ends);
        for (int64_t v = ends[0]; v <= ends[1]; v++)
            (*out)[(*count)++] = v;
    }
    return 0;
}

static int load_from(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_work *const w = base;
    return mrct_scene_numbers(l, n, "from", 0, MRCT_SIM_HOSTS_MAX, &w->from, &w->from_count);
}

static int load_to(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_work *const w = base;
    return mrct_scene_numbers(l, n, "to", 0, MRCT_SIM_HOSTS_MAX, &w->to, &w->to_count);
}

static int load_evs(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_work *const w = base;
    return mrct_scene_numbers(l, n, "evs", 0, UINT32_MAX, &w->evs, &w->ev_count);
}

#define W(m) offsetof(struct mrct_scene_work, m)
#define NUMBER(k, m, lo, hi)                                                                       \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_U32, .offset = (m), .min = (lo), .max = (hi)                 \
    }
#define TIME(k, m)                                                                                 \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_DURATION, .offset = (m), .max = INT64_C(1000000000000)       \
    }
#define COMMON                                                                                     \
    {.key = "name", .type = MRCT_LOAD_STRING, .offset = W(name)},                                  \
        {.key = "size",                                                                            \
         .type = MRCT_LOAD_SIZE,                                                                   \
         .offset = W(size_bytes),                                                                  \
         .min = 1,                                                                                 \
         .max = UINT32_MAX,                                                                        \
         .required = true},                                                                        \
        TIME("start", W(start_ns))
#define FLOWS                                                                                      \
    NUMBER("messages", W(messages), 1, 1 << 30), NUMBER("depth", W(depth), 1, 4096),               \
        NUMBER("qps", W(qps), 1, 4096), TIME("stop", W(stop_ns)),                                  \
    {                                                                                              \
        .key = "evs", .type = MRCT_LOAD_CUSTOM, .custom = load_evs                                 \
    }
#define HOSTS                                                                                      \
    {                                                                                              \
        .key = "hosts", .type = MRCT_LOAD_RANGE, .offset = W(first), .max = MRCT_SIM_HOSTS_MAX     \
    }

static const struct mrct_load_field pair_fields[] = {
    COMMON,
    FLOWS,
    {.key = "from", .type = MRCT_LOAD_CUSTOM, .custom = load_from, .required = true},
    {.key = "to", .type = MRCT_LOAD_CUSTOM, .custom = load_to, .required = true},
    {.key = NULL},
};
static const struct mrct_load_field permutation_fields[] = {
    COMMON,
    FLOWS,
    HOSTS,
    {.key = "shift", .type = MRCT_LOAD_I64, .offset = W(shift), .min = 1, .max = 1 << 20},
    {.key = NULL},
};
static const struct mrct_load_field ring_fields[] = {
    COMMON,
    HOSTS,
    NUMBER("steps", W(steps), 1, 1 << 20),
    {.key = NULL},
};
static const struct mrct_load_field collective_fields[] = {COMMON, HOSTS, {.key = NULL}};

static const struct mrct_load_field *const fields_of[] = {
    [MRCT_WORK_STREAM] = pair_fields,
    [MRCT_WORK_INCAST] = pair_fields,
    [MRCT_WORK_PERMUTATION] = permutation_fields,
    [MRCT_WORK_RING] = ring_fields,
    [MRCT_WORK_ALLTOALL] = collective_fields,
    [MRCT_WORK_ALLREDUCE] = collective_fields,
};

static int kind_of(struct mrct_load *l, const yaml_node_t *item, const char *key)
{
    for (int k = 0; k <= MRCT_WORK_ALLREDUCE; k++)
        if (key != NULL && strcmp(key, mrct_sim_work_str((enum mrct_sim_work)k)) == 0)
            return k;
    return mrc_yaml_fail(&l->yaml, item,
                         "traffic: one of stream, permutation, incast, ring, alltoall, allreduce "
                         "and its map were expected");
}

static int load_work(struct mrct_load *l, yaml_node_t *item, struct mrct_scene_work *w)
{
    yaml_node_t *value = NULL;
    const char *const key = mrct_load_single(l, item, &value);
    const int kind = kind_of(l, item, key);
    if (kind < 0)
        return -1;
    *w = (struct mrct_scene_work){.kind = (enum mrct_sim_work)kind,
                                  .qps = 1,
                                  .depth = 1,
                                  .steps = 1,
                                  .last = INT64_MAX,
                                  .line = mrc_yaml_line(item)};
    if (mrct_load_map(l, value, fields_of[kind], w) != 0)
        return -1;
    if (w->messages == 0 && w->stop_ns == 0)
        w->messages = 1;
    if (w->messages == 0 && w->stop_ns <= w->start_ns)
        return mrc_yaml_fail(&l->yaml, value, "stop: it is not after start");
    if (w->name == NULL)
        w->name = mrct_pool_strdup(l->pool, key);
    return w->name != NULL ? 0 : mrc_yaml_fail(&l->yaml, value, "out of memory");
}

int mrct_scene_traffic(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_scene *const s = base;
    s->works = mrct_load_array(l, node, sizeof *s->works, "traffic");
    if (s->works == NULL)
        return -1;
    const size_t n = mrc_yaml_count(node);
    if (n == 0)
        return mrc_yaml_fail(&l->yaml, node, "traffic: at least one was expected");
    for (size_t i = 0; i < n; i++) {
        yaml_node_t *const item = mrc_yaml_item(&l->yaml, node, i);
        if (load_work(l, item, &s->works[i]) != 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->works[k].name, s->works[i].name) == 0)
                return mrc_yaml_fail(&l->yaml, item, "traffic: two are named '%s'",
                                     s->works[i].name);
        s->work_count++;
    }
    return 0;
}

static int verify_pairs(struct mrct_load *l, const struct mrct_scene_work *w, int64_t hosts)
{
    const bool stream = w->kind == MRCT_WORK_STREAM;
    if (stream && w->from_count != w->to_count)
        return mrct_scene_fail_line(l, w->line, "stream: %zu hosts send and %zu receive",
                                    w->from_count, w->to_count);
    if (!stream && w->to_count != 1)
        return mrct_scene_fail_line(l, w->line, "incast: one host receives, not %zu", w->to_count);
    for (size_t i = 0; i < w->from_count; i++) {
        const int64_t to = w->to[stream ? i : 0];
        if (w->from[i] >= hosts || to >= hosts)
            return mrct_scene_fail_line(
                l, w->line, "%s: there is no host %" PRId64 " (of %" PRId64 ")",
                mrct_sim_work_str(w->kind), w->from[i] >= hosts ? w->from[i] : to, hosts);
        if (w->from[i] == to)
            return mrct_scene_fail_line(l, w->line, "%s: host %" PRId64 " sends to itself",
                                        mrct_sim_work_str(w->kind), to);
    }
    return 0;
}

static int verify_hosts(struct mrct_load *l, struct mrct_scene_work *w, int64_t hosts)
{
    if (w->last == INT64_MAX)
        w->last = hosts - 1;
    if (w->last >= hosts)
        return mrct_scene_fail_line(l, w->line, "%s: there is no host %" PRId64 " (of %" PRId64 ")",
                                    mrct_sim_work_str(w->kind), w->last, hosts);
    if (w->last <= w->first)
        return mrct_scene_fail_line(l, w->line, "%s: at least two hosts were expected",
                                    mrct_sim_work_str(w->kind));
    if (w->shift > 0 && w->shift % (w->last - w->first + 1) == 0)
        return mrct_scene_fail_line(l, w->line, "shift: every host would send to itself");
    return 0;
}

int mrct_scene_verify_traffic(struct mrct_load *l, const struct mrct_scene *s)
{
    const int64_t hosts = mrct_scene_hosts(s);
    for (size_t i = 0; i < s->work_count; i++) {
        struct mrct_scene_work *const w = &s->works[i];
        const bool pairs = w->kind == MRCT_WORK_STREAM || w->kind == MRCT_WORK_INCAST;
        if ((pairs ? verify_pairs(l, w, hosts) : verify_hosts(l, w, hosts)) != 0)
            return -1;
    }
    return 0;
}
