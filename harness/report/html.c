/* SPDX-License-Identifier: BSD-2-Clause */
/* One HTML page: its frame, head, totals and legend. */
#include "harness/report/report.h"

#include "gen/report_assets.h"
#include "harness/report/escape.h"
#include "harness/report/html_parts.h"
#include "harness/report/words.h"
#include <inttypes.h>

/* In the order in which a reader wants to see them. */
static const enum mrct_verdict shown[MRCT_VERDICTS] = {MRCT_FAIL, MRCT_ERROR, MRCT_INCONCLUSIVE,
                                                       MRCT_NOT_APPLICABLE, MRCT_PASS};

static const char *const meanings[MRCT_VERDICTS] = {
    [MRCT_PASS] = "The condition was seen and the device did as it must.",
    [MRCT_NOT_APPLICABLE] = "The device does not declare the capability.",
    [MRCT_INCONCLUSIVE] = "The condition could not be provoked or seen; the reason says which.",
    [MRCT_FAIL] = "The device broke a requirement, on the frames named.",
    [MRCT_ERROR] = "The harness failed. Never counted against the device.",
};

const char *mrct_html_class(enum mrct_verdict v)
{
    static const char *const classes[MRCT_VERDICTS] = {
        [MRCT_PASS] = "pass", [MRCT_NOT_APPLICABLE] = "na", [MRCT_INCONCLUSIVE] = "inc",
        [MRCT_FAIL] = "fail", [MRCT_ERROR] = "err",
    };
    return classes[v];
}

enum mrct_verdict mrct_html_kind(enum mrct_finding_kind k)
{
    return k == MRCT_FINDING_FAIL ? MRCT_FAIL : MRCT_INCONCLUSIVE;
}

void mrct_html_text(FILE *out, const char *text)
{
    mrct_escape_markup(out, text);
}

void mrct_html_element(FILE *out, const char *tag, const char *cls, const char *text)
{
    fprintf(out, "<%s", tag);
    if (cls != NULL)
        fprintf(out, " class=\"%s\"", cls);
    fputc('>', out);
    mrct_escape_markup(out, text);
    fprintf(out, "</%s>", tag);
}

void mrct_html_badge(FILE *out, enum mrct_verdict v)
{
    fprintf(out, "<span class=\"badge %s\">%s</span>", mrct_html_class(v), mrct_verdict_str(v));
}

void mrct_html_link_open(FILE *out, const char *prefix, const char *id, const char *cls)
{
    fprintf(out, "<a href=\"#%s-", prefix);
    mrct_escape_markup(out, id);
    fputc('"', out);
    if (cls != NULL)
        fprintf(out, " class=\"%s\"", cls);
    fputc('>', out);
}

static void write_fact(FILE *out, const char *term, const char *text)
{
    fprintf(out, "<div><dt>%s</dt>", term);
    mrct_html_element(out, "dd", NULL, text);
    fputs("</div>\n", out);
}

static void write_known_fact(FILE *out, const char *term, const char *text)
{
    if (text != NULL && text[0] != '\0')
        write_fact(out, term, text);
}

static void write_facts(const struct mrct_result_run *run, FILE *out)
{
    const bool reading = run->reading != NULL && run->reading[0] != '\0';
    char text[400];
    fputs("<dl>\n", out);
    snprintf(text, sizeof(text), "%" PRIu64, run->seed);
    write_fact(out, "Seed", text);
    snprintf(text, sizeof(text), "mrct %s", run->suite_version);
    write_fact(out, "Suite", text);
    write_known_fact(out, "Device version", run->device_version);
    write_known_fact(out, "Firmware", run->firmware);
    write_known_fact(out, "PICS", run->pics_hash);
    write_known_fact(out, "PIXIT", run->pixit_hash);
    snprintf(text, sizeof(text), "%.12s", run->spec_hash);
    fputs("<div><dt>Specification data</dt><dd title=\"", out);
    mrct_html_text(out, run->spec_hash);
    fputs("\">", out);
    mrct_html_text(out, text);
    fputs("</dd></div>\n", out);
    write_fact(out, "Mode", run->strict ? "strict" : "normal");
    write_fact(out, "Readings of open questions", reading ? run->reading : "defaults");
    fputs("</dl>\n", out);
    fputs("<div class=\"replay\"><span>Run it again</span>", out);
    mrct_html_element(out, "code", NULL, mrct_report_replay(run, text, sizeof(text)));
    fputs("</div>\n", out);
}

/* What was found of the network before the cases, behind a click. */
static void write_network(const struct mrct_result_run *run, FILE *out)
{
    if (run->network_count == 0)
        return;
    fputs("<details><summary>The network before the cases</summary><ul>\n", out);
    for (size_t i = 0; i < run->network_count; i++)
        mrct_html_element(out, "li", NULL, run->network[i]);
    fputs("</ul></details>\n", out);
}

static void write_header(const struct mrct_result_run *run, FILE *out)
{
    const struct mrct_result_counts n = mrct_result_count_cases(run);
    const enum mrct_verdict v = mrct_result_verdict(run);
    fputs("<header><div class=\"wrap\"><div class=\"top\"><div>"
          "<div class=\"kind\">MRC 1.0 conformance report</div>",
          out);
    mrct_html_element(out, "h1", NULL, run->device);
    fprintf(out, "<p class=\"sum\">%zu of %zu cases passed, %zu requirements in scope</p></div>",
            n.n[MRCT_PASS], run->case_count, run->req_count);
    fprintf(out, "<div class=\"stamp %s\">%s</div></div>\n", mrct_html_class(v),
            run->case_count == 0 ? "NO CASE" : mrct_verdict_str(v));
    write_facts(run, out);
    write_network(run, out);
    fputs("</div></header>\n", out);
}

static void write_total(const char *title, const struct mrct_result_counts *n, FILE *out)
{
    fprintf(out, "<div class=\"card\"><h2>%s</h2><div class=\"bar\">", title);
    for (size_t i = 0; i < MRCT_VERDICTS; i++)
        if (n->n[shown[i]] > 0)
            fprintf(out, "<i class=\"%s\" style=\"flex:%zu\"></i>", mrct_html_class(shown[i]),
                    n->n[shown[i]]);
    fputs("</div><ul>\n", out);
    for (size_t i = 0; i < MRCT_VERDICTS; i++)
        fprintf(out, "<li class=\"%s%s\"><b>%zu</b><span>%s</span></li>\n",
                mrct_html_class(shown[i]), n->n[shown[i]] == 0 ? " zero" : "", n->n[shown[i]],
                mrct_verdict_str(shown[i]));
    fputs("</ul></div>\n", out);
}

static void write_totals(const struct mrct_result_run *run, FILE *out)
{
    const struct mrct_result_counts cases = mrct_result_count_cases(run);
    const struct mrct_result_counts reqs = mrct_result_count_reqs(run);
    fputs("<div class=\"totals\">\n", out);
    write_total("Cases", &cases, out);
    write_total("Requirements", &reqs, out);
    fputs("</div>\n", out);
}

static void write_filter(FILE *out)
{
    fputs("<nav><div class=\"row\">"
          "<button type=\"button\" data-want=\"\" aria-pressed=\"true\">All</button>\n",
          out);
    for (size_t i = 0; i < MRCT_VERDICTS; i++)
        fprintf(out,
                "<button type=\"button\" data-want=\"%s\" aria-pressed=\"false\">%s</button>\n",
                mrct_html_class(shown[i]), mrct_verdict_str(shown[i]));
    fputs(
        "<input id=\"words\" type=\"search\" placeholder=\"Find a requirement, a case or a word\" "
        "aria-label=\"Find\">\n<span class=\"links\"><a href=\"#requirements\">Requirements</a>"
        "<a href=\"#cases\">Cases</a><a href=\"#legend\">Legend</a></span></div></nav>\n"
        "<p id=\"none\" hidden>Nothing matches.</p>\n",
        out);
}

static void write_legend(FILE *out)
{
    static const char evidences[] = "CISU";
    fputs("<h2 class=\"part\" id=\"legend\">Legend</h2>\n<div class=\"legend\"><div class=\"card\">"
          "<dl>\n",
          out);
    for (size_t i = 0; i < MRCT_VERDICTS; i++) {
        fputs("<dt>", out);
        mrct_html_badge(out, shown[i]);
        fprintf(out, "</dt><dd>%s</dd>\n", meanings[shown[i]]);
    }
    fputs("</dl></div><div class=\"card\"><dl>\n", out);
    for (size_t i = 0; evidences[i] != '\0'; i++)
        fprintf(out, "<dt><span class=\"tag\">evidence %c</span></dt><dd>%s</dd>\n", evidences[i],
                mrct_words_evidence(evidences[i]));
    fputs("</dl><p class=\"meta\">MUST and MUST NOT fail, SHOULD warns. What rests on evidence S "
          "or U "
          "alone warns, and fails only in strict mode.</p></div></div>\n",
          out);
}

void mrct_report_style(FILE *out)
{
    fputs(mrct_report_css, out);
}

void mrct_report_html(const struct mrct_result_run *run, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    mrct_html_text(out, run->device);
    fputs(": MRC conformance report</title>\n<style>\n", out);
    fputs(mrct_report_css, out);
    fputs("</style></head>\n<body>\n", out);
    write_header(run, out);
    fputs("<main class=\"wrap\">\n", out);
    mrct_html_attention(run, out);
    write_totals(run, out);
    write_filter(out);
    mrct_html_requirements(run, out);
    mrct_html_cases(run, out);
    write_legend(out);
    fputs("</main>\n<footer class=\"wrap\">Written by mrct ", out);
    mrct_html_text(out, run->suite_version);
    fputs(". The same seed gives the same report.</footer>\n<script>\n", out);
    fputs(mrct_report_js, out);
    fputs("</script>\n</body></html>\n", out);
}
