/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines over time as SVG, made of the samples in the results. */
#include "harness/sim/plot.h"

#include "harness/report/escape.h"

#include <stdbool.h>
#include <string.h>

#define WIDTH  840.0
#define HEIGHT 240.0
#define LEFT   70.0
#define BOTTOM 30.0
#define TOP    30.0
#define SERIES 8u
#define TICKS  4

static const char *const colours[SERIES] = {"#1565c0", "#c62828", "#2e7d32", "#6a1b9a",
                                            "#ef6c00", "#00838f", "#4e342e", "#546e7a"};

struct plot {
    const json_t *samples;
    const char *title, *group; /* group: object of a sample that holds the series; NULL: itself */
    double scale;              /* of values, to the unit of the title */
    const char *keys[SERIES];
    size_t count;
};

static const json_t *group_of(const struct plot *p, size_t i)
{
    const json_t *const s = json_array_get(p->samples, i);
    return p->group != NULL ? json_object_get(s, p->group) : s;
}

static double at(const struct plot *p, size_t series, size_t i)
{
    return json_number_value(json_object_get(group_of(p, i), p->keys[series])) * p->scale;
}

static double time_us(const struct plot *p, size_t i)
{
    return json_number_value(json_object_get(json_array_get(p->samples, i), "at_ns")) / 1e3;
}

/* The series that a group has, as far as they are drawn; none that is 0 throughout. */
static void find_series(struct plot *p)
{
    const char *key = NULL;
    json_t *v = NULL;
    json_object_foreach((json_t *)group_of(p, 0), key, v)
    {
        bool any = p->group != NULL && strcmp(p->group, "goodput_bps") == 0;
        p->keys[p->count] = key;
        for (size_t i = 0; i < json_array_size(p->samples) && !any; i++)
            any = at(p, p->count, i) > 0;
        p->count += any;
        if (p->count == SERIES)
            return;
    }
}

static double most(const struct plot *p)
{
    double m = 0;
    for (size_t s = 0; s < p->count; s++)
        for (size_t i = 0; i < json_array_size(p->samples); i++)
            m = at(p, s, i) > m ? at(p, s, i) : m;
    return m > 0 ? m : 1;
}

static void axes(const struct plot *p, double top, double end_us, FILE *out)
{
    fprintf(out, "<text x=\"%.0f\" y=\"16\" font-weight=\"bold\">", LEFT);
    mrct_escape_markup(out, p->title);
    fputs("</text>\n", out);
    for (int t = 0; t <= TICKS; t++) {
        const double y = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * t / TICKS;
        const double x = LEFT + (WIDTH - LEFT - 10) * t / TICKS;
        fprintf(out,
                "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>"
                "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.4g us</text>\n",
                LEFT, WIDTH - 10, y, y, LEFT - 6, y + 4, top * t / TICKS, x, HEIGHT - 8,
                end_us * t / TICKS);
    }
}

static void series(const struct plot *p, size_t s, double top, double end_us, FILE *out)
{
    fprintf(out, "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"",
            colours[s]);
    for (size_t i = 0; i < json_array_size(p->samples); i++)
        fprintf(out, "%.1f,%.1f ", LEFT + (WIDTH - LEFT - 10) * time_us(p, i) / end_us,
                HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * at(p, s, i) / top);
    fprintf(out, "\"/>\n<text x=\"%.0f\" y=\"16\" fill=\"%s\">", LEFT + 230 + 75 * (double)s,
            colours[s]);
    mrct_escape_markup(out, p->keys[s]);
    fputs("</text>\n", out);
}

static void draw(struct plot *p, FILE *out)
{
    const size_t n = json_array_size(p->samples);
    find_series(p);
    if (p->count == 0)
        return;
    const double top = most(p), end_us = time_us(p, n - 1);
    fprintf(out,
            "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-size=\"11\" "
            "font-family=\"sans-serif\" xmlns=\"http://www.w3.org/2000/svg\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    axes(p, top, end_us, out);
    for (size_t s = 0; s < p->count; s++)
        series(p, s, top, end_us, out);
    fputs("</svg>\n", out);
}

void sim_plots(const json_t *results, FILE *out)
{
    const json_t *const samples = json_object_get(results, "samples");
    struct plot plots[] = {
        {.title = "Goodput, Gb/s", .group = "goodput_bps", .scale = 1e-9},
        {.title = "Deepest data queue, KiB", .group = "queue_bytes", .scale = 1.0 / 1024},
        {.title = "Packets a sample", .group = "packets", .scale = 1},
    };
    for (size_t i = 0; i < sizeof plots / sizeof plots[0] && json_array_size(samples) > 0; i++) {
        plots[i].samples = samples;
        draw(&plots[i], out);
    }
}
