/* SPDX-License-Identifier: BSD-2-Clause */
/* Which stretches of time the results of a scene speak of, and what is expected of them. */
#include "harness/sim/scene_parts.h"

#include <stdlib.h>

#define SECONDS INT64_C(1000000000000)

#define P(m) offsetof(struct mrct_scene_phase, m)

static const struct mrct_load_field phase_fields[] = {
    {.key = "name", .type = MRCT_LOAD_STRING, .offset = P(name), .required = true},
    {.key = "from",
     .type = MRCT_LOAD_DURATION,
     .offset = P(from_ns),
     .max = SECONDS,
     .required = true},
    {.key = "to", .type = MRCT_LOAD_DURATION, .offset = P(to_ns), .max = SECONDS, .required = true},
    {.key = NULL},
};

int mrct_scene_phases(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_scene *const s = base;
    s->phases = mrct_load_array(l, node, sizeof *s->phases, "phases");
    if (s->phases == NULL)
        return -1;
    for (size_t i = 0; i < mrc_yaml_count(node); i++, s->phase_count++) {
        yaml_node_t *const item = mrc_yaml_item(&l->yaml, node, i);
        if (mrct_load_map(l, item, phase_fields, &s->phases[i]) != 0)
            return -1;
        if (s->phases[i].to_ns <= s->phases[i].from_ns)
            return mrc_yaml_fail(&l->yaml, item, "phases: to is not after from");
    }
    return 0;
}

static int load_number(struct mrct_load *l, yaml_node_t *n, const char *key, double *v, bool *has)
{
    const char *const text = mrc_yaml_text(n);
    char *end = NULL;
    if (text != NULL)
        *v = strtod(text, &end);
    if (text == NULL || end == text || *end != '\0')
        return mrc_yaml_fail(&l->yaml, n, "%s: a number was expected", key);
    *has = true;
    return 0;
}

static int load_min(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_expect *const e = base;
    return load_number(l, n, "min", &e->min, &e->has_min);
}

static int load_max(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_expect *const e = base;
    return load_number(l, n, "max", &e->max, &e->has_max);
}

#define E(m) offsetof(struct mrct_scene_expect, m)

static const struct mrct_load_field expect_fields[] = {
    {.key = "what", .type = MRCT_LOAD_STRING, .offset = E(what), .required = true},
    {.key = "value", .type = MRCT_LOAD_STRING, .offset = E(value), .required = true},
    {.key = "over", .type = MRCT_LOAD_STRING, .offset = E(over)},
    {.key = "min", .type = MRCT_LOAD_CUSTOM, .custom = load_min},
    {.key = "max", .type = MRCT_LOAD_CUSTOM, .custom = load_max},
    {.key = NULL},
};

int mrct_scene_expects(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_scene *const s = base;
    s->expects = mrct_load_array(l, node, sizeof *s->expects, "expect");
    if (s->expects == NULL)
        return -1;
    for (size_t i = 0; i < mrc_yaml_count(node); i++, s->expect_count++) {
        yaml_node_t *const item = mrc_yaml_item(&l->yaml, node, i);
        struct mrct_scene_expect *const e = &s->expects[i];
        e->line = mrc_yaml_line(item);
        if (mrct_load_map(l, item, expect_fields, e) != 0)
            return -1;
        if (!e->has_min && !e->has_max)
            return mrc_yaml_fail(&l->yaml, item, "expect: min or max was expected");
    }
    return 0;
}
