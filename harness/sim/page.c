/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as one HTML page: what was expected beside what the paper reports, plots, tables. */
#include "harness/sim/page.h"

#include "harness/report/escape.h"
#include "harness/sim/plot.h"

#include <string.h>

static const char style[] =
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:right;"
    "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}"
    ".fail{color:#b00020;font-weight:bold}.ok{color:#1b5e20}svg{display:block;margin:1em 0}"
    ".key{font-size:13px;margin:-.5em 0 1em 70px}.key span{margin-right:1.5em}"
    "blockquote{border-left:4px solid #bbb;margin:1em 0;padding:.2em 1em;color:#555}";

static void text(FILE *out, const char *s)
{
    mrct_escape_markup(out, s != NULL ? s : "");
}

static double value(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static void expectations(const json_t *r, FILE *out)
{
    size_t i = 0;
    json_t *e = NULL;
    if (json_array_size(json_object_get(r, "expect")) == 0)
        return;
    fputs("<h2>Expected</h2><table><tr><th>what</th><th>at least</th><th>at most</th>"
          "<th>came out</th><th></th></tr>\n",
          out);
    json_array_foreach(json_object_get(r, "expect"), i, e)
    {
        const bool passed = json_is_true(json_object_get(e, "passed"));
        static const char *const columns[] = {"min", "max", "value"};
        fputs("<tr><td>", out);
        text(out, json_string_value(json_object_get(e, "what")));
        for (size_t c = 0; c < 3; c++) {
            const json_t *const v = json_object_get(e, columns[c]);
            if (json_is_number(v))
                fprintf(out, "</td><td>%.6g", json_number_value(v));
            else
                fputs("</td><td>", out);
        }
        fprintf(out, "</td><td class=\"%s\">%s</td></tr>\n", passed ? "ok" : "fail",
                passed ? "ok" : "FAIL");
    }
    fputs("</table>\n", out);
}

static void figure(double v, FILE *out)
{
    if (v >= 1e9)
        fprintf(out, "%.4g Gb/s", v / 1e9);
    else
        fprintf(out, "%.4g", v);
}

/* What papers report, beside ours. */
static void reported(const json_t *r, FILE *out)
{
    size_t i = 0;
    json_t *e = NULL;
    if (json_array_size(json_object_get(r, "reported")) == 0)
        return;
    fputs("<h2>Beside the papers</h2><table><tr><th>what</th><th>reported</th><th>here</th></tr>\n",
          out);
    json_array_foreach(json_object_get(r, "reported"), i, e)
    {
        const bool one = value(e, "low") == value(e, "high");
        fputs("<tr><td>", out);
        text(out, json_string_value(json_object_get(e, "what")));
        fputs("</td><td>", out);
        figure(value(e, "low"), out);
        if (!one)
            fputs(" to ", out);
        if (!one)
            figure(value(e, "high"), out);
        fputs(json_is_true(json_object_get(e, "estimate")) ? " (an estimate)</td><td>"
                                                           : "</td><td>",
              out);
        if (json_is_number(json_object_get(e, "ours")))
            figure(value(e, "ours"), out);
        else
            fputs("not run here", out);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void works(const json_t *r, const char *title, FILE *out)
{
    const char *name = NULL;
    json_t *w = NULL;
    fputs("<h2>", out);
    text(out, title);
    fputs("</h2><table><tr><th>name</th><th>flows</th><th>done</th><th>Gb/s</th>"
          "<th>Jain</th><th>flow time p50 us</th><th>p99</th><th>p99.9</th>"
          "<th>retransmissions</th></tr>\n",
          out);
    json_object_foreach(json_object_get(r, "works"), name, w)
    {
        const json_t *const fct = json_object_get(w, "fct_ns");
        fputs("<tr><td>", out);
        text(out, name);
        fprintf(out,
                "</td><td>%.0f</td><td>%.0f</td><td>%.2f</td><td>%.4f</td><td>%.1f</td>"
                "<td>%.1f</td><td>%.1f</td><td>%.0f</td></tr>\n",
                value(w, "flows"), value(w, "done"), value(w, "goodput_bps") / 1e9,
                value(w, "jain"), value(fct, "p50") / 1e3, value(fct, "p99") / 1e3,
                value(fct, "p99.9") / 1e3, value(w, "retransmissions"));
    }
    fputs("</table>\n", out);
}

static void object_table(const json_t *o, const char *title, FILE *out)
{
    const char *key = NULL;
    json_t *v = NULL;
    fprintf(out, "<h2>%s</h2><table>\n", title);
    json_object_foreach((json_t *)o, key, v)
    {
        fputs("<tr><td>", out);
        text(out, key);
        fprintf(out, "</td><td>%.0f</td></tr>\n", json_number_value(v));
    }
    fputs("</table>\n", out);
}

static void faults(const json_t *r, FILE *out)
{
    size_t i = 0;
    json_t *f = NULL;
    if (json_array_size(json_object_get(r, "faults")) == 0)
        return;
    fputs("<h2>Faults</h2><table><tr><th>name</th><th>kind</th><th>from us</th><th>to us</th>"
          "<th>links</th><th>packets hit</th></tr>\n",
          out);
    json_array_foreach(json_object_get(r, "faults"), i, f)
    {
        const json_t *const end = json_object_get(f, "end_ns");
        fputs("<tr><td>", out);
        text(out, json_string_value(json_object_get(f, "name")));
        fprintf(out, "</td><td>%s</td><td>%.1f</td><td>",
                json_string_value(json_object_get(f, "kind")), value(f, "at_ns") / 1e3);
        if (end != NULL)
            fprintf(out, "%.1f", json_number_value(end) / 1e3);
        fprintf(out, "</td><td>%.0f</td><td>%.0f</td></tr>\n", value(f, "links"), value(f, "hits"));
    }
    fputs("</table>\n", out);
}

void mrct_sim_html(const json_t *results, FILE *out)
{
    const char *const title = json_string_value(json_object_get(results, "title"));
    const json_t *const against = json_object_get(results, "against");
    const char *const paper = json_string_value(json_object_get(results, "paper"));
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    text(out, title);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style);
    text(out, title);
    fprintf(out, "</h1>\n<p>%.0f hosts, %.0f switches, seed %.0f, %.3f ms of virtual time.</p>\n",
            value(results, "hosts"), value(results, "switches"), value(results, "seed"),
            value(results, "time_ns") / 1e6);
    if (paper != NULL) {
        fputs("<p>The paper reports:</p><blockquote>", out);
        text(out, paper);
        fputs("</blockquote>\n", out);
    }
    expectations(results, out);
    reported(results, out);
    sim_plots(results, out);
    works(results, "Workloads", out);
    if (against != NULL)
        works(against, json_string_value(json_object_get(against, "name")), out);
    faults(results, out);
    object_table(json_object_get(results, "packets"), "Packets", out);
    object_table(json_object_get(results, "queue_max_bytes"), "Deepest data queues, bytes", out);
    fputs("</body></html>\n", out);
}
