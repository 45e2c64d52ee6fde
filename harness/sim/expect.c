/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/sim/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mrct_sim_value(const json_t *results, const char *path, double *out)
{
    const json_t *at = results;
    for (const char *p = path; at != NULL && *p != '\0';) {
        char key[128];
        const size_t n = strcspn(p, "/");
        (void)snprintf(key, sizeof key, "%.*s", (int)n, p);
        at = json_is_array(at) ? json_array_get(at, (size_t)strtoul(key, NULL, 10))
                               : json_object_get(at, key);
        p += n + (p[n] == '/');
    }
    if (!json_is_number(at))
        return false;
    *out = json_number_value(at);
    return true;
}

static bool judge(const struct mrct_scene_expect *e, const json_t *results, json_t *o)
{
    double v = 0, over = 1;
    if (!mrct_sim_value(results, e->value, &v) ||
        (e->over != NULL && !mrct_sim_value(results, e->over, &over)) || over == 0) {
        json_object_set_new(o, "value", json_null());
        return false;
    }
    v /= over;
    json_object_set_new(o, "value", json_real(v));
    return (!e->has_min || v >= e->min) && (!e->has_max || v <= e->max);
}

size_t mrct_sim_expect(const struct mrct_scene *s, json_t *results)
{
    json_t *const list = json_array();
    size_t failed = 0;
    for (size_t i = 0; i < s->expect_count; i++) {
        const struct mrct_scene_expect *const e = &s->expects[i];
        json_t *const o = json_object();
        json_object_set_new(o, "what", json_string(e->what));
        const bool passed = judge(e, results, o);
        if (e->has_min)
            json_object_set_new(o, "min", json_real(e->min));
        if (e->has_max)
            json_object_set_new(o, "max", json_real(e->max));
        json_object_set_new(o, "passed", json_boolean(passed));
        json_array_append_new(list, o);
        failed += !passed;
    }
    if (s->expect_count > 0)
        json_object_set_new(results, "expect", list);
    else
        json_decref(list);
    return failed;
}
