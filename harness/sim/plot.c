/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines over time as SVG. */
#include "harness/sim/plot.h"

#include "harness/report/escape.h"

#include <stdlib.h>

#define WIDTH  840.0
#define HEIGHT 240.0
#define LEFT   70.0
#define RIGHT  30.0
#define BOTTOM 30.0
#define TOP    30.0
#define TICKS  4

static const char *const colours[SIM_PLOT_LINES] = {"#1565c0", "#c62828", "#2e7d32", "#6a1b9a",
                                                    "#ef6c00", "#00838f", "#4e342e", "#546e7a",
                                                    "#ad1457", "#9e9d24", "#283593", "#000000"};

struct sim_line *sim_plot_add(struct sim_plot *p, const char *name, const char *suffix, size_t n)
{
    if (p->count == SIM_PLOT_LINES)
        return NULL;
    struct sim_line *const l = &p->line[p->count];
    *l = (struct sim_line){.name = name, .suffix = suffix};
    l->x_us = calloc(n + 1, sizeof *l->x_us);
    l->y = calloc(n + 1, sizeof *l->y);
    if (l->x_us == NULL || l->y == NULL) {
        free(l->x_us);
        free(l->y);
        return NULL;
    }
    l->count = n;
    p->count++;
    return l;
}

static double most(const struct sim_plot *p, bool time)
{
    double m = 0;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->line[i].count; k++) {
            const double v = time ? p->line[i].x_us[k] : p->line[i].y[k];
            m = v > m ? v : m;
        }
    return m > 0 ? m : 1;
}

static void axes(const char *title, double top, double end_us, FILE *out)
{
    fprintf(out, "<text x=\"%.0f\" y=\"16\" font-weight=\"bold\">", LEFT);
    mrct_escape_markup(out, title);
    fputs("</text>\n", out);
    for (int t = 0; t <= TICKS; t++) {
        const double y = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * t / TICKS;
        const double x = LEFT + (WIDTH - LEFT - RIGHT) * t / TICKS;
        fprintf(out,
                "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>"
                "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.4g us</text>\n",
                LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, top * t / TICKS, x, HEIGHT - 8,
                end_us * t / TICKS);
    }
}

static void draw_line(const struct sim_line *l, const char *colour, double top, double end_us,
                      FILE *out)
{
    fprintf(out, "<polyline fill=\"none\" stroke-width=\"%s\" stroke=\"%s\"%s points=\"",
            l->dashed ? "3" : "1.5", colour, l->dashed ? " stroke-dasharray=\"8 5\"" : "");
    for (size_t i = 0; i < l->count; i++)
        fprintf(out, "%.1f,%.1f ", LEFT + (WIDTH - LEFT - RIGHT) * l->x_us[i] / end_us,
                HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * l->y[i] / top);
    fputs("\"/>\n", out);
}

static void key(const struct sim_plot *p, FILE *out)
{
    fputs("<p class=\"key\">", out);
    for (size_t i = 0; i < p->count; i++) {
        const struct sim_line *const l = &p->line[i];
        fprintf(out, "<span style=\"color:%s\">%s ", colours[i], l->dashed ? "- -" : "&#8212;");
        mrct_escape_markup(out, l->name);
        mrct_escape_markup(out, l->suffix);
        fputs("</span> ", out);
    }
    fputs("</p>\n", out);
}

void sim_plot_draw(struct sim_plot *p, FILE *out)
{
    if (p->count == 0)
        return;
    const double top = most(p, false), end_us = most(p, true);
    fprintf(out,
            "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-size=\"11\" "
            "font-family=\"sans-serif\" xmlns=\"http://www.w3.org/2000/svg\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    axes(p->title, top, end_us, out);
    for (size_t i = 0; i < p->count; i++)
        draw_line(&p->line[i], colours[i], top, end_us, out);
    fputs("</svg>\n", out);
    key(p, out);
    for (size_t i = 0; i < p->count; i++) {
        free(p->line[i].x_us);
        free(p->line[i].y);
    }
}
