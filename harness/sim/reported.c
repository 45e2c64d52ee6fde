/* SPDX-License-Identifier: BSD-2-Clause */
/* What papers report of an experiment, beside what came out here. */
#include "harness/sim/expect.h"

#include <string.h>

static const struct mrct_scene_phase *phase_of(const struct mrct_scene *s, const char *name)
{
    for (size_t i = 0; name != NULL && i < s->phase_count; i++)
        if (strcmp(s->phases[i].name, name) == 0)
            return &s->phases[i];
    return NULL;
}

/* A rate, which can stand in the plot of goodput: reported as it is, or as a share of another. */
static void set_level(json_t *o, const struct mrct_scene *s, const struct mrct_scene_reported *r,
                      double over)
{
    const struct mrct_scene_phase *const phase = phase_of(s, r->phase);
    if (phase == NULL || r->value == NULL || strstr(r->value, "goodput_bps") == NULL)
        return;
    json_object_set_new(o, "from_ns", json_integer((json_int_t)phase->from_ns));
    json_object_set_new(o, "to_ns", json_integer((json_int_t)phase->to_ns));
    json_object_set_new(o, "low_bps", json_real(r->is[0] * over));
    json_object_set_new(o, "high_bps", json_real(r->is[1] * over));
}

static json_t *one(const struct mrct_scene *s, const struct mrct_scene_reported *r,
                   const json_t *results)
{
    json_t *const o = json_object();
    double v = 0, over = 1;
    json_object_set_new(o, "what", json_string(r->what));
    json_object_set_new(o, "low", json_real(r->is[0]));
    json_object_set_new(o, "high", json_real(r->is[1]));
    json_object_set_new(o, "estimate", json_boolean(r->estimate));
    const bool known = r->value != NULL && mrct_sim_value(results, r->value, &v) &&
                       (r->over == NULL || (mrct_sim_value(results, r->over, &over) && over != 0));
    json_object_set_new(o, "ours", known ? json_real(v / over) : json_null());
    if (known)
        set_level(o, s, r, over);
    return o;
}

void mrct_sim_reported(const struct mrct_scene *s, json_t *results)
{
    if (s->reported_count == 0)
        return;
    json_t *const list = json_array();
    for (size_t i = 0; i < s->reported_count; i++)
        json_array_append_new(list, one(s, &s->reported[i], results));
    json_object_set_new(results, "reported", list);
}
