/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of a connection as inline SVG, and the part of the page that holds them. */
#include "harness/stats/stats_priv.h"

#include <inttypes.h>

#define WIDTH   1100.0
#define HEIGHT  300.0
#define LEFT    70.0
#define RIGHT   14.0
#define TOP     10.0
#define BOTTOM  28.0
#define TICKS   5u
#define COLUMNS 100u /* of the heat map */
#define ROWS    32u  /* EVs of the heat map */

static const char *const colours[] = {[STATS_SENT] = "#7aa2d6",
                                      [STATS_AGAIN] = "#d9363e",
                                      [STATS_TRIMMED] = "#e08e0b",
                                      [STATS_CACK] = "#2f9e62",
                                      [STATS_RTT] = "#5b7fd1"};

/* What a plot shows: times and values from low to high. */
struct area {
    uint64_t t0, t1;
    int64_t v0, v1;
    double height;
};

static double x_of(const struct area *a, uint64_t t)
{
    const double span = a->t1 > a->t0 ? (double)(a->t1 - a->t0) : 1;
    return LEFT + (double)(t - a->t0) / span * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct area *a, int64_t v)
{
    const double span = a->v1 > a->v0 ? (double)(a->v1 - a->v0) : 1;
    return a->height - BOTTOM - (double)(v - a->v0) / span * (a->height - TOP - BOTTOM);
}

static void open_svg(const char *label, double height, FILE *out)
{
    fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">\n", WIDTH, height,
            label);
}

static void time_axis(const struct area *a, FILE *out)
{
    for (unsigned i = 0; i <= TICKS; i++) {
        const uint64_t t = a->t0 + (a->t1 - a->t0) / TICKS * i;
        const double x = x_of(a, t);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%.1f us</text>\n",
                x, TOP, x, a->height - BOTTOM, x, a->height - 10,
                i == TICKS ? "end"
                : i == 0   ? "start"
                           : "middle",
                (double)(t - a->t0) / 1e3);
    }
}

static void value_axis(const struct area *a, double unit, const char *name, FILE *out)
{
    for (unsigned i = 0; i <= TICKS; i++) {
        const int64_t v = a->v0 + (a->v1 - a->v0) * (int64_t)i / (int64_t)TICKS;
        const double y = y_of(a, v);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.*f%s</text>\n",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4, unit > 1 ? 1 : 0, (double)v / unit,
                i == TICKS ? name : "");
    }
}

static bool bounds(const struct stats_plot *p, struct area *a)
{
    if (p->count == 0)
        return false;
    *a = (struct area){.t0 = p->points[0].time_ns,
                       .t1 = p->points[0].time_ns,
                       .v0 = p->points[0].value,
                       .v1 = p->points[0].value,
                       .height = HEIGHT};
    for (size_t i = 0; i < p->count; i++) {
        const struct stats_point *const q = &p->points[i];
        a->t0 = q->time_ns < a->t0 ? q->time_ns : a->t0;
        a->t1 = q->time_ns > a->t1 ? q->time_ns : a->t1;
        a->v0 = q->value < a->v0 ? q->value : a->v0;
        a->v1 = q->value > a->v1 ? q->value : a->v1;
    }
    return true;
}

static void dots(const struct stats_plot *p, const struct area *a, enum stats_mark mark, double r,
                 FILE *out)
{
    fprintf(out, "<g fill=\"%s\">\n", colours[mark]);
    for (size_t i = 0; i < p->count; i++)
        if (p->points[i].mark == mark)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>",
                    x_of(a, p->points[i].time_ns), y_of(a, p->points[i].value), r);
    fputs("</g>\n", out);
}

static void steps(const struct stats_plot *p, const struct area *a, FILE *out)
{
    bool any = false;
    double y = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->points[i].mark != STATS_CACK)
            continue;
        const double x = x_of(a, p->points[i].time_ns);
        if (!any)
            fputs("<path fill=\"none\" stroke-width=\"1.5\" stroke=\"#2f9e62\" d=\"", out);
        fprintf(out, any ? "L%.1f %.1f" : "M%.1f %.1f", x, any ? y : y_of(a, p->points[i].value));
        y = y_of(a, p->points[i].value);
        fprintf(out, "L%.1f %.1f", x, y);
        any = true;
    }
    fputs(any ? "\"/>\n" : "", out);
}

static void legend(const char *const *names, const enum stats_mark *marks, unsigned n, FILE *out)
{
    fputs("<div class=\"legend-row\">", out);
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "<span><i style=\"background:%s\"></i>%s</span>", colours[marks[i]], names[i]);
    fputs("</div>\n", out);
}

void mrct_stats_svg_sequence(const struct stats_flow *f, FILE *out)
{
    static const char *const names[] = {"sent", "sent again", "trimmed",
                                        "acknowledged (cack of a SACK)"};
    static const enum stats_mark marks[] = {STATS_SENT, STATS_AGAIN, STATS_TRIMMED, STATS_CACK};
    struct area a;
    if (!bounds(&f->sequence, &a))
        return;
    fputs("<h4>Sequence and time</h4>\n", out);
    legend(names, marks, 4, out);
    open_svg("PSN over time", a.height, out);
    time_axis(&a, out);
    value_axis(&a, 1, " PSN", out);
    dots(&f->sequence, &a, STATS_SENT, 1.6, out);
    steps(&f->sequence, &a, out);
    dots(&f->sequence, &a, STATS_CACK, 2.2, out);
    dots(&f->sequence, &a, STATS_TRIMMED, 3, out);
    dots(&f->sequence, &a, STATS_AGAIN, 3, out);
    fputs("</svg>\n", out);
}

void mrct_stats_svg_rtt(const struct stats_flow *f, FILE *out)
{
    struct area a;
    if (!bounds(&f->rtts, &a))
        return;
    a.v0 = 0;
    fputs("<h4>Round-trip time, as SACKs tell it</h4>\n", out);
    open_svg("RTT over time", a.height, out);
    time_axis(&a, out);
    value_axis(&a, 1000, " us", out);
    dots(&f->rtts, &a, STATS_RTT, 2, out);
    fputs("</svg>\n", out);
}

/* ---- EVs ---- */

static const char *state_colour(enum stats_ev_state s)
{
    static const char *const by_state[] = {[STATS_EV_GOOD] = "#2f9e62",
                                           [STATS_EV_SKIP] = "#e0b10b",
                                           [STATS_EV_LOST] = "#d9363e",
                                           [STATS_EV_TRIMMED] = "#e08e0b"};
    return by_state[s];
}

/* How much of an EV's packets did not get through well decides its shade. */
static void ev_row(const struct stats_flow *f, const struct stats_ev *e, const struct area *a,
                   double y, double h, FILE *out)
{
    const double trouble = e->packets == 0 ? 0
                                           : (double)(e->lost + e->trimmed + e->marked + e->skips) /
                                                 (double)e->packets;
    const double shade = trouble > 0.5 ? 1 : trouble * 2;
    fprintf(out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%08" PRIx32 "</text>"
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#d9363e\" "
            "fill-opacity=\"%.2f\"><title>EV 0x%08" PRIx32 ": %" PRIu64 " packets, %" PRIu64
            " lost, %" PRIu64 " trimmed, %" PRIu64 " marked</title></rect>\n",
            LEFT - 6, y + h - 3, e->ev, LEFT, y, WIDTH - LEFT - RIGHT, h - 1, 0.06 + 0.5 * shade,
            e->ev, e->packets, e->lost, e->trimmed, e->marked);
    for (size_t i = 0; i < f->change_count; i++)
        if (f->changes[i].ev == e->ev)
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"4\" height=\"%.1f\" fill=\"%s\"/>",
                    x_of(a, f->changes[i].time_ns), y, h - 1, state_colour(f->changes[i].state));
    fputc('\n', out);
}

void mrct_stats_svg_evs(const struct stats_flow *f, FILE *out)
{
    const size_t rows = f->ev_count < ROWS ? f->ev_count : ROWS;
    const double h = 14;
    const struct area a = {.t0 = f->first_ns,
                           .t1 = f->last_ns > f->first_ns ? f->last_ns : f->first_ns + 1,
                           .height = TOP + h * (double)rows + BOTTOM};
    if (rows == 0)
        return;
    fputs("<h4>Entropy values</h4>\n<div class=\"legend-row\"><span>a row an EV, the redder the "
          "more of its packets had trouble; what it is thought of from then on:</span>"
          "<span><i style=\"background:#2f9e62\"></i>good</span>"
          "<span><i style=\"background:#e0b10b\"></i>to be skipped</span>"
          "<span><i style=\"background:#e08e0b\"></i>trimmed</span>"
          "<span><i style=\"background:#d9363e\"></i>lost</span></div>\n",
          out);
    open_svg("state of entropy values over time", a.height, out);
    time_axis(&a, out);
    for (size_t i = 0; i < rows; i++)
        ev_row(f, &f->evs[i], &a, TOP + h * (double)i, h, out);
    fputs("</svg>\n", out);
}
