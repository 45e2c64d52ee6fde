/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the results is drawn: goodput beside what papers report, queues, what befell packets. */
#include "harness/sim/plot.h"

#include <string.h>

#define LINKS_DRAWN 8u

static double value(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

/* One key of a group of every sample, as a line. */
static void add_series(struct sim_plot *p, const json_t *samples, const char *group,
                       const char *name, const char *suffix, double scale)
{
    struct sim_line *const l = sim_plot_add(p, name, suffix, json_array_size(samples));
    for (size_t i = 0; l != NULL && i < l->count; i++) {
        const json_t *const s = json_array_get(samples, i);
        l->x_us[i] = value(s, "at_ns") / 1e3;
        l->y[i] = value(json_object_get(s, group), name) * scale;
    }
}

static bool any(const json_t *samples, const char *group, const char *name)
{
    for (size_t i = 0; i < json_array_size(samples); i++)
        if (value(json_object_get(json_array_get(samples, i), group), name) > 0)
            return true;
    return false;
}

/* All keys of a group; always: also those that are 0 throughout. */
static void add_group(struct sim_plot *p, const json_t *results, const char *group, bool always,
                      const char *suffix, double scale)
{
    const json_t *const samples = json_object_get(results, "samples");
    const char *name = NULL;
    json_t *v = NULL;
    json_object_foreach(json_object_get(json_array_get(samples, 0), group), name, v)
    {
        if (always || any(samples, group, name))
            add_series(p, samples, group, name, suffix, scale);
    }
}

/* A level, or two, from the beginning of a phase to its end. */
static void add_reported(struct sim_plot *p, const json_t *r)
{
    static const char *const ends[] = {"low_bps", "high_bps"};
    if (json_object_get(r, "low_bps") == NULL)
        return;
    const bool one = value(r, "low_bps") == value(r, "high_bps");
    for (unsigned e = 0; e < (one ? 1u : 2u); e++) {
        struct sim_line *const l = sim_plot_add(p, json_string_value(json_object_get(r, "what")),
                                                one      ? ""
                                                : e == 0 ? " (from)"
                                                         : " (to)",
                                                2);
        if (l == NULL)
            return;
        l->dashed = true;
        l->x_us[0] = value(r, "from_ns") / 1e3;
        l->x_us[1] = value(r, "to_ns") / 1e3;
        l->y[0] = l->y[1] = value(r, ends[e]) / 1e9;
    }
}

static void draw_goodput(const json_t *results, FILE *out)
{
    struct sim_plot p = {.title = "Goodput, Gb/s; dashed: what the paper reports"};
    const json_t *const against = json_object_get(results, "against");
    const json_t *const reported = json_object_get(results, "reported");
    char suffix[80] = "";
    if (json_array_size(reported) == 0)
        p.title = "Goodput, Gb/s";
    if (against != NULL)
        (void)snprintf(suffix, sizeof suffix, ", %s",
                       json_string_value(json_object_get(against, "name")));
    add_group(&p, results, "goodput_bps", true, "", 1e-9);
    add_group(&p, against, "goodput_bps", true, suffix, 1e-9);
    for (size_t i = 0; i < json_array_size(reported); i++)
        add_reported(&p, json_array_get(reported, i));
    sim_plot_draw(&p, out);
}

static void draw_group(const json_t *results, const char *title, const char *group, double scale,
                       FILE *out)
{
    struct sim_plot p = {.title = title};
    add_group(&p, results, group, false, "", scale);
    sim_plot_draw(&p, out);
}

/* ---- queues by link ---- */

static double deepest(const json_t *link)
{
    return value(link, "max_bytes");
}

/* The deepest that is not among those taken already. */
static const json_t *next_link(const json_t *queues, const json_t *const *taken, size_t n)
{
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(queues); i++) {
        const json_t *const q = json_array_get(queues, i);
        bool had = false;
        for (size_t k = 0; k < n; k++)
            had = had || taken[k] == q;
        if (!had && (best == NULL || deepest(q) > deepest(best)))
            best = q;
    }
    return best;
}

/* What is not listed is 0. */
static void add_link(struct sim_plot *p, const json_t *q, double interval_ns, double end_ns)
{
    const json_t *const at = json_object_get(q, "at_ns"), *const bytes =
                                                              json_object_get(q, "bytes");
    struct sim_line *const l = sim_plot_add(p, json_string_value(json_object_get(q, "link")), "",
                                            (size_t)(end_ns / interval_ns) + 1);
    if (l == NULL)
        return;
    for (size_t i = 0; i < l->count; i++)
        l->x_us[i] = (double)i * interval_ns / 1e3;
    for (size_t i = 0; i < json_array_size(at); i++) {
        const size_t k = (size_t)(json_number_value(json_array_get(at, i)) / interval_ns + 0.5);
        if (k < l->count)
            l->y[k] = json_number_value(json_array_get(bytes, i)) / 1024;
    }
}

static void draw_links(const json_t *results, FILE *out)
{
    const json_t *const links = json_object_get(results, "link_queues");
    const json_t *const queues = json_object_get(links, "links");
    const json_t *taken[LINKS_DRAWN];
    struct sim_plot p = {.title = "Data queues of the links with the deepest, KiB"};
    for (size_t n = 0; n < LINKS_DRAWN; n++) {
        taken[n] = next_link(queues, taken, n);
        if (taken[n] == NULL)
            break;
        add_link(&p, taken[n], value(links, "interval_ns"), value(results, "time_ns"));
    }
    sim_plot_draw(&p, out);
}

void sim_plots(const json_t *results, FILE *out)
{
    if (json_array_size(json_object_get(results, "samples")) == 0)
        return;
    draw_goodput(results, out);
    draw_group(results, "Deepest data queue by tier, KiB", "queue_bytes", 1.0 / 1024, out);
    draw_links(results, out);
    draw_group(results, "Packets a sample", "packets", 1, out);
}
