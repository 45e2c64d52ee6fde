/* SPDX-License-Identifier: BSD-2-Clause */
/* The requirements of a run, by section. */
#include "harness/report/html_parts.h"

#include "harness/report/words.h"
#include <inttypes.h>
#include <string.h>

static const char head[] =
    "<table class=\"reqs\"><thead><tr><th class=\"c-verdict\">Verdict</th>"
    "<th class=\"c-id\">Requirement</th><th>Sentence</th>"
    "<th class=\"c-num num\">Exercised</th><th class=\"c-cases\">Cases</th></tr></thead><tbody>\n";

static void write_cases(const struct mrct_result_run *run, const char *id, FILE *out)
{
    for (size_t i = 0; i < run->case_count; i++) {
        const struct mrct_result_case *const c = &run->cases[i];
        for (size_t k = 0; k < c->req_count; k++) {
            if (strcmp(c->reqs[k].id, id) != 0)
                continue;
            mrct_html_link_open(out, "case", c->id, mrct_html_class(c->reqs[k].verdict));
            mrct_html_text(out, c->id);
            fputs("</a>", out);
            break;
        }
    }
}

static void write_sentence(const struct mrct_result_run *run, const struct mrct_words *w, FILE *out)
{
    const size_t warned = mrct_result_count_findings(run, MRCT_FINDING_WARN, w->id);
    fputs("<td>", out);
    mrct_html_text(out, w->text);
    fputs("<br><span class=\"meta\">", out);
    mrct_html_text(out, w->level);
    if (w->table[0] != '\0') {
        fputs(" &middot; table ", out);
        mrct_html_text(out, w->table);
    }
    if (w->evidence[0] != '\0') {
        fputs(" &middot; <span class=\"tag\" title=\"", out);
        mrct_html_text(out, mrct_words_evidence(w->evidence[0]));
        fputs("\">evidence ", out);
        mrct_html_text(out, w->evidence);
        fputs("</span>", out);
    }
    fputs("</span>", out);
    if (warned > 0)
        fprintf(out, " <span class=\"warned\">%zu %s</span>", warned,
                warned == 1 ? "warning" : "warnings");
    fputs("</td>", out);
}

static void write_row(const struct mrct_result_run *run, const struct mrct_result_req *r, FILE *out)
{
    const struct mrct_words w = mrct_words_of(r->id);
    fputs("<tr id=\"req-", out);
    mrct_html_text(out, r->id);
    fprintf(out, "\" data-v=\"%s\"><td>", mrct_html_class(r->verdict));
    mrct_html_badge(out, r->verdict);
    fputs("</td><td class=\"id\">", out);
    mrct_html_text(out, r->id);
    fputs("</td>", out);
    write_sentence(run, &w, out);
    fprintf(out, "<td class=\"num\">%" PRIu64 "</td><td class=\"cases\">", r->exercised);
    write_cases(run, r->id, out);
    fputs("</td></tr>\n", out);
}

static bool in_section(const struct mrct_result_run *run, size_t i, const char *section)
{
    return strcmp(mrct_words_of(run->reqs[i].id).section, section) == 0;
}

static void write_section_counts(const struct mrct_result_run *run, const char *section, FILE *out)
{
    struct mrct_result_counts n = {{0}};
    const char *comma = "";
    for (size_t i = 0; i < run->req_count; i++)
        if (in_section(run, i, section))
            n.n[run->reqs[i].verdict]++;
    fputs("<small>", out);
    for (size_t v = 0; v < MRCT_VERDICTS; v++) {
        if (n.n[v] == 0)
            continue;
        fprintf(out, "%s%zu %s", comma, n.n[v], mrct_verdict_str((enum mrct_verdict)v));
        comma = ", ";
    }
    fputs("</small>", out);
}

static void write_section(const struct mrct_result_run *run, const struct mrct_words *of, FILE *out)
{
    const char *const section = of->section;
    fputs("<div class=\"group\"><h3>", out);
    mrct_html_text(out, section[0] == '\0' ? "Other" : section);
    fputs(" ", out);
    mrct_html_text(out, of->title);
    write_section_counts(run, section, out);
    fputs("</h3><div class=\"card\">", out);
    fputs(head, out);
    for (size_t i = 0; i < run->req_count; i++)
        if (in_section(run, i, section))
            write_row(run, &run->reqs[i], out);
    fputs("</tbody></table></div></div>\n", out);
}

void mrct_html_requirements(const struct mrct_result_run *run, FILE *out)
{
    fputs(
        "<h2 class=\"part\" id=\"requirements\">Requirements</h2>\n<p class=\"lead\">One sentence "
        "each, in the suite&#39;s own words, with how often its condition was seen on the wire and "
        "could be judged.</p>\n",
        out);
    for (size_t i = 0; i < run->req_count; i++) {
        const struct mrct_words w = mrct_words_of(run->reqs[i].id);
        size_t first = 0;
        while (!in_section(run, first, w.section))
            first++;
        if (first == i)
            write_section(run, &w, out);
    }
}
