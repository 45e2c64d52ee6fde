/* SPDX-License-Identifier: BSD-2-Clause */
/* The cases of a run, each with what was seen and how to see it again. */
#include "harness/report/html_parts.h"

#include "harness/report/escape.h"
#include <inttypes.h>

static bool wants_attention(const struct mrct_result_case *c)
{
    return c->verdict != MRCT_PASS && c->verdict != MRCT_NOT_APPLICABLE;
}

static void write_term(FILE *out, const char *term, const char *cls, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "<dt>%s</dt>", term);
    mrct_html_element(out, "dd", cls, text);
    fputc('\n', out);
}

static void write_code(FILE *out, const char *term, const char *text)
{
    if (text[0] == '\0')
        return;
    fprintf(out, "<dt>%s</dt><dd>", term);
    mrct_html_element(out, "code", NULL, text);
    fputs("</dd>\n", out);
}

/* A capture lies beside the page; "./" keeps a name with a colon from being taken for a scheme. */
static void write_capture(FILE *out, const char *name)
{
    if (name[0] == '\0')
        return;
    fputs("<dt>Capture</dt><dd><a href=\"./", out);
    mrct_html_text(out, name);
    fputs("\">", out);
    mrct_html_text(out, name);
    fputs("</a></dd>\n", out);
}

static void write_facts(const struct mrct_result_case *c, FILE *out)
{
    fputs("<dl>\n", out);
    write_term(out, "Purpose", NULL, c->purpose);
    if (c->verdict != MRCT_PASS)
        write_term(out, "Why", "why", c->why);
    write_term(out, "Section", NULL, c->section);
    write_term(out, "Possible problems", NULL, c->problems);
    fprintf(out, "<dt>Seed</dt><dd>%" PRIu64 "</dd>\n<dt>Virtual time</dt><dd>", c->seed);
    mrct_escape_seconds(out, c->virtual_ns);
    fprintf(out, " s, %" PRIu64 " frames</dd>\n", c->frames);
    write_capture(out, c->capture);
    write_code(out, "Replay", c->replay);
    fputs("</dl>\n", out);
}

static void write_notes(const struct mrct_result_case *c, FILE *out)
{
    if (c->note_count == 0)
        return;
    fputs("<h4>What was done</h4><ul class=\"notes\">\n", out);
    for (size_t i = 0; i < c->note_count; i++)
        mrct_html_element(out, "li", NULL, c->notes[i]);
    fputs("</ul>\n", out);
}

static void write_reqs(const struct mrct_result_case *c, FILE *out)
{
    if (c->req_count == 0)
        return;
    fputs("<h4>Requirements</h4><div class=\"chips\">\n", out);
    for (size_t i = 0; i < c->req_count; i++) {
        const struct mrct_result_req *const r = &c->reqs[i];
        mrct_html_link_open(out, "req", r->id, mrct_html_class(r->verdict));
        mrct_html_text(out, r->id);
        fprintf(out, " %s &middot; seen %" PRIu64 "</a>\n", mrct_verdict_str(r->verdict),
                r->exercised);
    }
    fputs("</div>\n", out);
}

static void write_finding(const struct mrct_result_finding *r, FILE *out)
{
    const struct mrct_finding *const f = &r->f;
    fprintf(out, "<tr class=\"%s\"><td>", mrct_html_class(mrct_html_kind(f->kind)));
    mrct_html_element(out, "span", "badge", mrct_finding_kind_str(f->kind));
    fputs("</td><td>", out);
    mrct_html_link_open(out, "req", f->requirement, NULL);
    mrct_html_text(out, f->requirement);
    fputs("</a></td><td>", out);
    fputs(f->frame_count == 0 ? "none" : "", out);
    for (unsigned i = 0; i < f->frame_count; i++)
        fprintf(out, "%s%" PRIu64, i == 0 ? "" : ", ", f->frames[i]);
    fputs("</td><td>", out);
    mrct_html_text(out, f->host);
    fputs("<br><span class=\"meta\">", out);
    mrct_html_text(out, r->tap);
    fputs(" tap, ", out);
    mrct_escape_seconds(out, f->time_ns);
    fputs(" s</span></td><td>", out);
    mrct_html_text(out, f->why);
    fputs("</td></tr>\n", out);
}

static void write_findings(const struct mrct_result_case *c, FILE *out)
{
    if (c->finding_count == 0)
        return;
    fputs("<h4>Findings</h4><table class=\"findings\"><thead><tr><th class=\"c-kind\">Verdict</th>"
          "<th>Requirement</th><th>Frames</th><th>Who</th><th>What was seen</th></tr></thead>"
          "<tbody>\n",
          out);
    for (int kind = MRCT_FINDING_FAIL; kind <= MRCT_FINDING_INCONCLUSIVE; kind++)
        for (size_t i = 0; i < c->finding_count; i++)
            if ((int)c->findings[i].f.kind == kind)
                write_finding(&c->findings[i], out);
    fputs("</tbody></table>\n", out);
}

static void write_case(const struct mrct_result_case *c, FILE *out)
{
    const char *const cls = mrct_html_class(c->verdict);
    fputs("<details id=\"case-", out);
    mrct_html_text(out, c->id);
    fprintf(out, "\" class=\"case card %s\" data-v=\"%s\"%s>\n<summary><span>", cls, cls,
            wants_attention(c) ? " open" : "");
    mrct_html_badge(out, c->verdict);
    fputs("</span>", out);
    mrct_html_element(out, "b", NULL, c->id);
    mrct_html_element(out, "span", "title", c->title);
    fprintf(out, "<span class=\"meta\">%" PRIu64 " frames</span></summary>\n<div class=\"body\">\n",
            c->frames);
    write_facts(c, out);
    write_findings(c, out);
    write_reqs(c, out);
    write_notes(c, out);
    fputs("</div></details>\n", out);
}

void mrct_html_attention(const struct mrct_result_run *run, FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < run->case_count; i++)
        n += wants_attention(&run->cases[i]) ? 1 : 0;
    if (n == 0)
        return;
    fprintf(out, "<div class=\"card attention\"><h2>%zu of %zu cases did not pass</h2><ul>\n", n,
            run->case_count);
    for (size_t i = 0; i < run->case_count; i++) {
        const struct mrct_result_case *const c = &run->cases[i];
        if (!wants_attention(c))
            continue;
        fputs("<li><span>", out);
        mrct_html_badge(out, c->verdict);
        fputs("</span><span>", out);
        mrct_html_link_open(out, "case", c->id, NULL);
        mrct_html_text(out, c->id);
        fputs("</a><br>", out);
        mrct_html_text(out, c->why);
        fputs("</span></li>\n", out);
    }
    fputs("</ul></div>\n", out);
}

void mrct_html_cases(const struct mrct_result_run *run, FILE *out)
{
    fputs("<div class=\"group\"><h2 class=\"part\" id=\"cases\">Cases</h2>\n<p class=\"lead\">Each "
          "opens on what was done and seen. Frame numbers count in the capture of the case, whose "
          "comments stand on the same frames.</p>\n",
          out);
    for (size_t i = 0; i < run->case_count; i++)
        write_case(&run->cases[i], out);
    fputs("</div>\n", out);
}
