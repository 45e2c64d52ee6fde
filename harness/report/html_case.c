/* SPDX-License-Identifier: BSD-2-Clause */
/* The cases of a run, each with what was seen and how to see it again. */
#include "harness/report/html_parts.h"

#include "harness/report/escape.h"
#include "harness/report/words.h"
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

/* A file lies beside the page; "./" keeps a name with a colon from being taken for a scheme. */
static void write_file(FILE *out, const char *term, const char *name)
{
    if (name[0] == '\0')
        return;
    fprintf(out, "<dt>%s</dt><dd><a href=\"./", term);
    mrct_html_text(out, name);
    fputs("\">", out);
    mrct_html_text(out, name);
    fputs("</a></dd>\n", out);
}

static void write_facts(const struct mrct_result_case *c, FILE *out)
{
    fputs("<dl>\n", out);
    if (c->verdict != MRCT_PASS)
        write_term(out, "Why", "why", c->why);
    write_term(out, "Runs", NULL, c->repeated);
    write_term(out, "Open questions", "why", c->readings);
    write_term(out, "Known failure", NULL, c->known);
    write_term(out, "Purpose", NULL, c->purpose);
    write_term(out, "Section", NULL, c->section);
    write_term(out, "Possible problems", NULL, c->problems);
    fprintf(out, "<dt>Seed</dt><dd>%" PRIu64 "</dd>\n<dt>Virtual time</dt><dd>", c->seed);
    mrct_escape_seconds(out, c->virtual_ns);
    fprintf(out, " s, %" PRIu64 " frames</dd>\n", c->frames);
    write_file(out, "Capture", c->capture);
    write_file(out, "Description", c->page);
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

/* The finding that a reader looks at first: the earliest FAIL, or NULL. */
static const struct mrct_finding *first_fail(const struct mrct_result_case *c)
{
    const struct mrct_finding *first = NULL;
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct mrct_finding *const f = &c->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL && (first == NULL || f->time_ns < first->time_ns))
            first = f;
    }
    return first;
}

/* Which sentence, on which packet. */
static void write_broken(const struct mrct_result_case *c, const struct mrct_finding *f, FILE *out)
{
    const struct mrct_words w = mrct_words_of(f->requirement);
    fputs("<br><q>", out);
    mrct_html_text(out, w.text);
    fputs("</q> <span class=\"meta\">", out);
    mrct_html_text(out, w.level);
    fputs(", ", out);
    mrct_html_link_open(out, "req", w.id, NULL);
    mrct_html_text(out, w.id);
    fputs("</a>, section ", out);
    mrct_html_text(out, w.section);
    if (f->frame_count > 0)
        fprintf(out, "; frame <b>%" PRIu64 "</b>", f->frames[0]);
    if (c->capture[0] != '\0') {
        fputs(f->frame_count > 0 ? " of <a href=\"./" : "; <a href=\"./", out);
        mrct_html_text(out, c->capture);
        fputs("\">", out);
        mrct_html_text(out, c->capture);
        fputs("</a>", out);
    }
    fputs("</span>", out);
}

static void write_attention(const struct mrct_result_case *c, FILE *out)
{
    const struct mrct_finding *const f = first_fail(c);
    fputs("<li><span>", out);
    mrct_html_badge(out, c->verdict);
    fputs("</span><span>", out);
    mrct_html_link_open(out, "case", c->id, NULL);
    mrct_html_text(out, c->id);
    fputs("</a><br>", out);
    mrct_html_text(out, c->why);
    if (c->known != NULL) {
        fputs(" <span class=\"warned\">", out);
        mrct_html_text(out, c->known);
        fputs("</span>", out);
    }
    if (f != NULL)
        write_broken(c, f, out);
    if (c->readings[0] != '\0') {
        fputs("<br>", out);
        mrct_html_text(out, c->readings);
    }
    if (c->replay[0] != '\0') {
        fputs("<br>", out);
        mrct_html_element(out, "code", NULL, c->replay);
    }
    fputs("</span></li>\n", out);
}

void mrct_html_attention(const struct mrct_result_run *run, FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < run->case_count; i++)
        n += wants_attention(&run->cases[i]) ? 1 : 0;
    if (n == 0 && run->problem_count == 0)
        return;
    fputs("<div class=\"card attention\">", out);
    if (n > 0)
        fprintf(out, "<h2>%zu of %zu cases did not pass</h2>", n, run->case_count);
    fputs("<ul>\n", out);
    for (size_t i = 0; i < run->problem_count; i++) {
        fputs("<li><span>", out);
        mrct_html_badge(out, MRCT_FAIL);
        fputs("</span>", out);
        mrct_html_element(out, "span", NULL, run->problems[i]);
        fputs("</li>\n", out);
    }
    for (size_t i = 0; i < run->case_count; i++)
        if (wants_attention(&run->cases[i]))
            write_attention(&run->cases[i], out);
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
