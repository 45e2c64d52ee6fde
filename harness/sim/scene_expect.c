/* SPDX-License-Identifier: BSD-2-Clause */
/* Which stretches of time the results of a scene speak of, and what is expected of them. */
#include "harness/sim/scene_parts.h"

#include <stdlib.h>
#include <string.h>

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

#define R(m) offsetof(struct mrct_scene_reported, m)

/* A number, or two in a list. */
static int load_is(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_reported *const r = base;
    const bool list = n->type == YAML_SEQUENCE_NODE;
    bool has = false;
    if (list && mrc_yaml_count(n) != 2)
        return mrc_yaml_fail(&l->yaml, n, "is: a number, or two in a list, were expected");
    for (unsigned i = 0; i < 2; i++)
        if (load_number(l, list ? mrc_yaml_item(&l->yaml, n, i) : n, "is", &r->is[i], &has) != 0)
            return -1;
    return r->is[0] <= r->is[1] ? 0 : mrc_yaml_fail(&l->yaml, n, "is: the first is the larger");
}

static const struct mrct_load_field reported_fields[] = {
    {.key = "what", .type = MRCT_LOAD_STRING, .offset = R(what), .required = true},
    {.key = "is", .type = MRCT_LOAD_CUSTOM, .custom = load_is, .required = true},
    {.key = "value", .type = MRCT_LOAD_STRING, .offset = R(value)},
    {.key = "over", .type = MRCT_LOAD_STRING, .offset = R(over)},
    {.key = "phase", .type = MRCT_LOAD_STRING, .offset = R(phase)},
    {.key = "estimate", .type = MRCT_LOAD_BOOL, .offset = R(estimate)},
    {.key = NULL},
};

int mrct_scene_reported(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_scene *const s = base;
    s->reported = mrct_load_array(l, node, sizeof *s->reported, "reported");
    if (s->reported == NULL)
        return -1;
    for (size_t i = 0; i < mrc_yaml_count(node); i++, s->reported_count++) {
        yaml_node_t *const item = mrc_yaml_item(&l->yaml, node, i);
        s->reported[i].line = mrc_yaml_line(item);
        if (mrct_load_map(l, item, reported_fields, &s->reported[i]) != 0)
            return -1;
    }
    return 0;
}

int mrct_scene_verify_reported(struct mrct_load *l, const struct mrct_scene *s)
{
    for (size_t i = 0; i < s->reported_count; i++) {
        const char *const phase = s->reported[i].phase;
        bool known = phase == NULL;
        for (size_t k = 0; k < s->phase_count; k++)
            known = known || strcmp(s->phases[k].name, phase) == 0;
        if (!known)
            return mrct_scene_fail_line(l, s->reported[i].line, "reported: there is no phase '%s'",
                                        phase);
    }
    return 0;
}
