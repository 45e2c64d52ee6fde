/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix and its cells as pages. */
#include "harness/report/matrix.h"

#include "gen/report_assets.h"
#include "harness/report/html_parts.h"

#include <string.h>

static const char style[] =
    "table.matrix{border-collapse:collapse;margin:18px 0}\n"
    "table.matrix th{font-weight:600;padding:6px 10px;text-align:left}\n"
    "table.matrix thead th{vertical-align:bottom}\n"
    "table.matrix thead th span{writing-mode:vertical-rl;transform:rotate(180deg)}\n"
    "table.matrix td{border:2px solid var(--page);padding:0;min-width:74px;text-align:center;"
    "background:var(--vb)}\n"
    "table.matrix td a{display:block;padding:8px 6px;color:var(--v);font-weight:650}\n"
    "table.matrix td small{display:block;font-weight:400}\n"
    "table.list{border-collapse:collapse;width:100%;background:var(--card)}\n"
    "table.list td,table.list th{border-bottom:1px solid var(--line);padding:6px 10px;"
    "text-align:left;vertical-align:top}\n";

static const char *text_of(const json_t *o, const char *key)
{
    const char *const text = json_string_value(json_object_get(o, key));
    return text != NULL ? text : "";
}

static const char *name_of(const json_t *cell, const char *side)
{
    return text_of(json_object_get(cell, side), "name");
}

static void open_page(FILE *out, const char *kind, const char *title, enum mrct_verdict v)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    mrct_html_text(out, title);
    fprintf(out,
            "</title>\n<style>\n%s%s</style></head>\n<body>\n<header><div class=\"wrap\">"
            "<div class=\"top\"><div><div class=\"kind\">%s</div>",
            mrct_report_css, style, kind);
    mrct_html_element(out, "h1", NULL, title);
    fprintf(out, "</div><div class=\"stamp %s\">%s</div></div>\n", mrct_html_class(v),
            mrct_verdict_str(v));
}

static void write_fact(FILE *out, const char *term, const char *text)
{
    fprintf(out, "<div><dt>%s</dt>", term);
    mrct_html_element(out, "dd", NULL, text);
    fputs("</div>\n", out);
}

static void write_origin(const json_t *o, FILE *out)
{
    char text[40];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(o, "seed")));
    write_fact(out, "Seed", text);
    write_fact(out, "Suite", text_of(o, "suite"));
    snprintf(text, sizeof text, "%.12s", text_of(o, "spec_hash"));
    write_fact(out, "Specification data", text);
}

static void close_page(FILE *out)
{
    fputs("</main>\n<footer class=\"wrap\">The same seed gives the same report.</footer>\n"
          "</body></html>\n",
          out);
}

/* ---- the matrix ---- */

static void write_cell(const json_t *cell, FILE *out)
{
    const enum mrct_verdict v = mrct_matrix_verdict(cell);
    const json_t *const n = json_object_get(cell, "counts");
    char words[2000];
    mrct_matrix_words(cell, words, sizeof words);
    fprintf(out, "<td class=\"%s\" title=\"", mrct_html_class(v));
    mrct_html_text(out, words);
    fputs("\"><a", out);
    if (json_is_true(json_object_get(cell, "page"))) {
        fputs(" href=\"cells/", out);
        mrct_html_text(out, name_of(cell, "requestor"));
        fputs("--", out);
        mrct_html_text(out, name_of(cell, "responder"));
        fputs("/index.html\"", out);
    }
    fprintf(out, ">%s<small>%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT "</small></a></td>",
            mrct_verdict_str(v), json_integer_value(json_object_get(n, "passed")),
            json_integer_value(json_object_get(n, "passed")) +
                json_integer_value(json_object_get(n, "failed")) +
                json_integer_value(json_object_get(n, "inconclusive")) +
                json_integer_value(json_object_get(n, "errors")));
}

static void write_table(const json_t *devices, const json_t *cells, FILE *out)
{
    const size_t n = json_array_size(devices);
    fputs("<table class=\"matrix\"><thead><tr><th>host1 \\ host2</th>", out);
    for (size_t b = 0; b < n; b++) {
        fputs("<th><span>", out);
        mrct_html_text(out, text_of(json_array_get(devices, b), "name"));
        fputs("</span></th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t a = 0; a < n; a++) {
        fputs("<tr>", out);
        mrct_html_element(out, "th", NULL, text_of(json_array_get(devices, a), "name"));
        for (size_t b = 0; b < n; b++)
            write_cell(json_array_get(cells, a * n + b), out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void write_broken(const json_t *cells, FILE *out)
{
    fputs("<h2 class=\"part\">What did not pass</h2>\n<table class=\"list\"><tbody>\n", out);
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *const cell = json_array_get(cells, i);
        const enum mrct_verdict v = mrct_matrix_verdict(cell);
        char words[2000];
        if (v == MRCT_PASS)
            continue;
        mrct_matrix_words(cell, words, sizeof words);
        fputs("<tr><td>", out);
        mrct_html_badge(out, v);
        fputs("</td><td>", out);
        mrct_html_text(out, name_of(cell, "requestor"));
        fputs(" &rarr; ", out);
        mrct_html_text(out, name_of(cell, "responder"));
        fputs("</td>", out);
        mrct_html_element(out, "td", NULL, words);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

void mrct_matrix_html(const json_t *matrix, FILE *out)
{
    const json_t *const cells = json_object_get(matrix, "cells");
    open_page(out, "MRC 1.0 interoperability", "Interoperability matrix",
              mrct_matrix_verdict(matrix));
    fputs("<dl>\n", out);
    write_origin(matrix, out);
    fputs(
        "</dl></div></header>\n<main class=\"wrap page\">\n<p>Rows are devices as host1, which is "
        "the requestor where a case has one; columns as host2. A cell counts the cases that "
        "passed of those that both devices can do.</p>\n",
        out);
    write_table(json_object_get(matrix, "devices"), cells, out);
    write_broken(cells, out);
    close_page(out);
}

/* ---- a cell ---- */

static void write_link(FILE *out, const char *folder, const char *file, const char *words)
{
    fprintf(out, "<a href=\"./%s", folder);
    mrct_html_text(out, file);
    fprintf(out, "\">%s</a> ", words);
}

static void write_blame(const json_t *c, FILE *out)
{
    const json_t *const blame = json_object_get(c, "blame");
    const json_t *const alone = json_object_get(c, "with_reference");
    for (size_t i = 0; i < json_array_size(blame); i++) {
        const json_t *const b = json_array_get(blame, i);
        fputs("<p><b>", out);
        mrct_html_text(out, text_of(b, "device"));
        fputs(text_of(b, "requirement")[0] != '\0' ? "</b> broke " : "</b> failed: ", out);
        mrct_html_text(out, text_of(b, "requirement"));
        fputs(": ", out);
        mrct_html_text(out, text_of(b, "why"));
        fputs("</p>", out);
    }
    for (size_t i = 0; i < json_array_size(alone); i++) {
        const json_t *const a = json_array_get(alone, i);
        fputs("<p>With the reference, ", out);
        mrct_html_text(out, text_of(a, "device"));
        fputs(": ", out);
        mrct_html_badge(out, mrct_matrix_verdict(a));
        fputs("</p>", out);
    }
}

static void write_findings(const json_t *c, FILE *out)
{
    const json_t *const list = json_object_get(c, "findings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const f = json_array_get(list, i);
        const json_t *const frames = json_object_get(f, "frames");
        fputs("<p>", out);
        mrct_html_text(out, text_of(f, "requirement"));
        fputs(" (", out);
        mrct_html_text(out, text_of(f, "host"));
        fputs("): ", out);
        mrct_html_text(out, text_of(f, "why"));
        for (size_t k = 0; k < json_array_size(frames); k++)
            fprintf(out, "%s%" JSON_INTEGER_FORMAT, k == 0 ? " Frames " : ", ",
                    json_integer_value(json_array_get(frames, k)));
        fputs("</p>", out);
    }
}

static void write_case(const json_t *c, FILE *out)
{
    const char *const capture = text_of(c, "capture");
    fputs("<tr><td>", out);
    mrct_html_badge(out, mrct_matrix_verdict(c));
    fputs("</td><td><code>", out);
    mrct_html_text(out, text_of(c, "case"));
    fputs("</code></td><td>", out);
    mrct_html_text(out, text_of(c, "title"));
    if (text_of(c, "why")[0] != '\0')
        mrct_html_element(out, "p", NULL, text_of(c, "why"));
    write_blame(c, out);
    write_findings(c, out);
    fputs("</td><td>", out);
    if (capture[0] != '\0')
        write_link(out, "", capture, "capture of both sides");
    fputs("</td></tr>\n", out);
}

void mrct_matrix_cell_html(const json_t *cell, FILE *out)
{
    const json_t *const cases = json_object_get(cell, "cases");
    char title[200], words[2000];
    snprintf(title, sizeof title, "%s, %s", name_of(cell, "requestor"), name_of(cell, "responder"));
    mrct_matrix_words(cell, words, sizeof words);
    open_page(out, "MRC 1.0 interoperability, one pair", title, mrct_matrix_verdict(cell));
    fputs("<dl>\n", out);
    write_fact(out, "host1, requestor", name_of(cell, "requestor"));
    write_fact(out, "host2, responder", name_of(cell, "responder"));
    write_origin(cell, out);
    fputs("</dl></div></header>\n<main class=\"wrap page\">\n", out);
    if (words[0] != '\0')
        mrct_html_element(out, "p", NULL, words);
    fputs("<p>", out);
    write_link(out, "", "host1.log", "log of host1");
    write_link(out, "", "host2.log", "log of host2");
    fputs("<a href=\"../../index.html\">matrix</a></p>\n<table class=\"list\"><tbody>\n", out);
    for (size_t i = 0; i < json_array_size(cases); i++)
        write_case(json_array_get(cases, i), out);
    fputs("</tbody></table>\n", out);
    close_page(out);
}
