/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MRCT_SIM_PLOT_H
#define MRCT_SIM_PLOT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define SIM_PLOT_LINES 12u

/* One line of a plot: values over time, or what a paper reports, which is dashed and stands from
 * its first to its last point. */
struct sim_line {
    const char *name, *suffix; /* suffix: "" or what the line belongs to */
    double *x_us, *y;          /* made by malloc() */
    size_t count;
    bool dashed;
};

struct sim_plot {
    const char *title; /* with the unit of y */
    struct sim_line line[SIM_PLOT_LINES];
    size_t count;
};

/* A further line with room for n points; NULL: no more lines or memory. */
struct sim_line *sim_plot_add(struct sim_plot *p, const char *name, const char *suffix, size_t n);
/* As SVG within a page, with its key; nothing when no line was added. Frees the lines. */
void sim_plot_draw(struct sim_plot *p, FILE *out);

/* plots.c: those of the results: goodput beside what papers report, queues, what befell packets. */
void sim_plots(const json_t *results, FILE *out);

#endif
