/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the page that holds tables and plots. */
#include "harness/stats/stats_priv.h"

#include <inttypes.h>

#define ROWS_MAX 200u

static void cell(uint64_t v, FILE *out)
{
    fprintf(out, "<td class=\"num\">%" PRIu64 "</td>", v);
}

/* Empty without a sample. */
static void cell_us(const struct stats_rtt *r, unsigned percent, FILE *out)
{
    const uint64_t ns = mrct_rtt_quantile(r, percent);
    fputs("<td class=\"num\">", out);
    if (r->count > 0)
        fprintf(out, "%" PRIu64 ".%" PRIu64, ns / 1000, ns % 1000 / 100);
    fputs("</td>", out);
}

/* Names are of facts and addresses; the facts are not to be trusted either. */
static void text(const char *s, FILE *out)
{
    for (; *s != '\0'; s++)
        if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else if ((unsigned char)*s >= 0x20)
            fputc(*s, out);
}

static void title(const struct stats_flow *f, FILE *out)
{
    text(f->from, out);
    fputs(" &rarr; ", out);
    text(f->to, out);
    fprintf(out, " QP 0x%" PRIx32, f->dest_qp);
    if (f->tap != MRCT_TAP_MIDDLE)
        fprintf(out, " (%s's tap)", mrct_tap_str(f->tap));
}

static void flows(const struct mrct_stats *s, FILE *out)
{
    fputs("<div class=\"card plain\"><table><tr><th>Connection</th><th class=\"num\">Packets</th>"
          "<th class=\"num\">Bytes</th><th class=\"num\">Goodput Gbit/s</th>"
          "<th class=\"num\">Again</th><th class=\"num\">Marked</th><th class=\"num\">Trimmed</th>"
          "<th class=\"num\">SACK</th><th class=\"num\">NACK</th><th class=\"num\">RTT p50 us</th>"
          "<th class=\"num\">p99</th><th class=\"num\">In flight, most</th></tr>\n",
          out);
    for (size_t i = 0; i < s->flow_count && i < ROWS_MAX; i++) {
        const struct stats_flow *const f = &s->flows[i];
        fputs("<tr><td>", out);
        title(f, out);
        fputs("</td>", out);
        cell(f->packets, out);
        cell(f->bytes, out);
        fprintf(out, "<td class=\"num\">%.3f</td>", mrct_stats_goodput(f) / 1e9);
        cell(f->retransmitted, out);
        cell(f->marked, out);
        cell(f->trimmed, out);
        cell(f->sacks, out);
        cell(f->nacks, out);
        cell_us(&f->rtt, 50, out);
        cell_us(&f->rtt, 99, out);
        cell(f->flight_max, out);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void reorder(const struct stats_flow *f, FILE *out)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < STATS_REORDER; i++)
        all += f->reorder[i];
    if (all == 0)
        return;
    fputs(
        "<h4>Reordering of new packets</h4><table><tr><th>Behind by PSNs</th>"
        "<th class=\"num\">Packets</th><th>Behind by us</th><th class=\"num\">Packets</th></tr>\n",
        out);
    for (unsigned i = 0; i < STATS_REORDER; i++) {
        if (f->reorder[i] == 0 && f->reorder_time[i] == 0)
            continue;
        const uint64_t low = UINT64_C(1) << i;
        fprintf(out, "<tr><td>%" PRIu64 " to %" PRIu64 "</td>", low, 2 * low - 1);
        cell(f->reorder[i], out);
        fprintf(out, "<td>%s%" PRIu64 " to %" PRIu64 "</td>", i == 0 ? "below or " : "", low,
                2 * low - 1);
        cell(f->reorder_time[i], out);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void ev_table(const struct stats_flow *f, FILE *out)
{
    fputs("<details><summary>Table of entropy values</summary><table><tr><th>EV</th>"
          "<th class=\"num\">Packets</th><th class=\"num\">Bytes</th><th class=\"num\">Again</th>"
          "<th class=\"num\">Lost</th><th class=\"num\">Marked</th><th class=\"num\">Trimmed</th>"
          "<th class=\"num\">RTT p50 us</th><th class=\"num\">p99</th></tr>\n",
          out);
    for (size_t i = 0; i < f->ev_count; i++) {
        const struct stats_ev *const e = &f->evs[i];
        fprintf(out, "<tr><td><code>0x%08" PRIx32 "</code></td>", e->ev);
        cell(e->packets, out);
        cell(e->bytes, out);
        cell(e->retransmitted, out);
        cell(e->lost, out);
        cell(e->marked, out);
        cell(e->trimmed, out);
        cell_us(&e->rtt, 50, out);
        cell_us(&e->rtt, 99, out);
        fputs("</tr>\n", out);
    }
    fputs("</table></details>\n", out);
}

static void flow(const struct stats_flow *f, FILE *out)
{
    fputs("<div class=\"card plain stat\"><h3>", out);
    title(f, out);
    fputs("</h3>\n", out);
    mrct_stats_svg_sequence(f, out);
    mrct_stats_svg_evs(f, out);
    mrct_stats_svg_rtt(f, out);
    reorder(f, out);
    ev_table(f, out);
    fputs("</div>\n", out);
}

void mrct_stats_html(const struct mrct_stats *s, FILE *out)
{
    fputs("<h2 class=\"part\" id=\"connections\">Connections</h2>\n", out);
    flows(s, out);
    for (size_t i = 0; i < s->flow_count && i < STATS_DRAWN; i++)
        flow(&s->flows[i], out);
}
