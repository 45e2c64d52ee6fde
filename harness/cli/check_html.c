/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of a judged capture: verdicts, findings, statistics and plots, in one file that needs no
 * network. */
#include "harness/cli/check_run.h"

#include "gen/mrc_req.h"
#include "gen/report_assets.h"
#include "harness/cli/check_cover.h"
#include "harness/report/escape.h"
#include "harness/report/html_parts.h"
#include "harness/stats/stats.h"
#include <inttypes.h>
#include <string.h>

#define FINDINGS_SHOWN 50u /* of one requirement */

static void put_frames(const struct mrct_finding *f, FILE *out)
{
    if (f->frame_count == 0)
        fputs("no frame", out);
    for (unsigned k = 0; k < f->frame_count; k++)
        fprintf(out, "%s%" PRIu64, k == 0 ? "frame " : ", ", f->frames[k]);
}

static void put_requirement(const struct mrct_check_result *r, const struct mrct_req_result *q,
                            const struct mrct_check_show *show, FILE *out)
{
    const struct mrc_requirement *const req = mrc_requirement_find(q->requirement);
    const bool met = mrct_check_met(q);
    size_t at = 0;
    fputs("<tr><td>", out);
    if (met)
        mrct_html_badge(out, mrct_check_verdict(q));
    else
        fputs("<span class=\"tag\">never reached</span>", out);
    fprintf(out, "</td><td><code>%s</code></td><td>", q->requirement);
    mrct_html_text(out, req != NULL ? req->text : "");
    unsigned n = 0;
    for (size_t i = 0; i < r->findings.count && n < FINDINGS_SHOWN; i++) {
        const struct mrct_finding *const f = &r->findings.list[i];
        if (strcmp(f->requirement, q->requirement) != 0)
            continue;
        fputs(n++ == 0 ? "<ul class=\"found\">" : "", out);
        fprintf(out, "<li><b>%s</b> ", mrct_finding_kind_str(f->kind));
        put_frames(f, out);
        fputs(": ", out);
        mrct_html_text(out, f->why);
        fputs("</li>", out);
    }
    fputs(n > 0 ? "</ul>" : "", out);
    const char *const id = met ? NULL : mrct_check_cases_next(show->cases, q->requirement, &at);
    if (id != NULL) {
        fputs(" <span class=\"meta\">Case ", out);
        mrct_html_text(out, id);
        fputs(" reaches it.</span>", out);
    }
    fprintf(out, "</td><td class=\"num\">%" PRIu64 "</td></tr>\n", q->exercised);
}

static void put_requirements(const struct mrct_check_result *r, const struct mrct_check_show *show,
                             FILE *out)
{
    static const char head[] = "<tr><th>Verdict</th><th>Requirement</th><th>Sentence</th>"
                               "<th class=\"num\">Exercised</th></tr>\n";
    fprintf(out,
            "<h2 class=\"part\" id=\"requirements\">Requirements met</h2>\n"
            "<div class=\"card plain\"><table>%s",
            head);
    for (int v = MRCT_ERROR; v >= MRCT_PASS; v--)
        for (size_t i = 0; i < r->req_count; i++)
            if (mrct_check_met(&r->reqs[i]) && mrct_check_verdict(&r->reqs[i]) == (unsigned)v)
                put_requirement(r, &r->reqs[i], show, out);
    fprintf(out,
            "</table></div>\n<details class=\"card plain\"><summary>Never reached</summary>"
            "<table>%s",
            head);
    for (size_t i = 0; i < r->req_count; i++)
        if (!mrct_check_met(&r->reqs[i]))
            put_requirement(r, &r->reqs[i], show, out);
    fputs("</table></details>\n", out);
}

static void put_header(const struct mrct_check_result *r, FILE *out)
{
    enum mrct_verdict worst = MRCT_PASS;
    size_t met = 0;
    for (size_t i = 0; i < r->req_count; i++)
        if (mrct_check_met(&r->reqs[i])) {
            met++;
            worst = mrct_verdict_worse(worst, mrct_check_verdict(&r->reqs[i]));
        }
    fputs("<header><div class=\"wrap\"><div class=\"top\"><div><div class=\"kind\">MRC capture"
          "</div><h1>",
          out);
    mrct_html_text(out, r->file);
    fprintf(out, "</h1><p class=\"sum\">%" PRIu64 " frames, %" PRIu64 " of them MRC, over ",
            r->frames, r->mrc);
    mrct_escape_seconds(out, r->last_ns - r->first_ns);
    fprintf(out, " s; %zu of %zu requirements met</p></div><div class=\"stamp %s\">%s</div></div>",
            met, r->req_count, mrct_html_class(worst), mrct_verdict_str(worst));
    fputs("</div></header>\n", out);
}

/* The first finding of a requirement that says it was broken, and how many there are. */
static const struct mrct_finding *first_of(const struct mrct_check_result *r, const char *id,
                                           size_t *count)
{
    const struct mrct_finding *first = NULL;
    *count = 0;
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct mrct_finding *const f = &r->findings.list[i];
        if (f->kind == MRCT_FINDING_INCONCLUSIVE || strcmp(f->requirement, id) != 0)
            continue;
        first = first != NULL ? first : f;
        ++*count;
    }
    return first;
}

static void put_one_broken(const struct mrct_finding *f, size_t count, FILE *out)
{
    const struct mrc_requirement *const req = mrc_requirement_find(f->requirement);
    fputs("<li><span>", out);
    fprintf(out, "<span class=\"badge %s\">%s</span>", mrct_html_class(mrct_html_kind(f->kind)),
            mrct_finding_kind_str(f->kind));
    fputs("</span><span><q>", out);
    mrct_html_text(out, req != NULL ? req->text : "");
    fprintf(out, "</q> <span class=\"meta\">%s, %s</span><br><b>",
            req != NULL ? mrc_req_level_str(req->level) : "", f->requirement);
    put_frames(f, out);
    fputs("</b>: ", out);
    mrct_html_text(out, f->why);
    if (count > 1)
        fprintf(out, " <span class=\"meta\">and %zu more</span>", count - 1);
    fputs("</span></li>\n", out);
}

/* What a reader looks for first: which sentence was broken, at which frame. */
static void put_broken(const struct mrct_check_result *r, FILE *out)
{
    bool any = false;
    for (int kind = MRCT_FINDING_FAIL; kind <= MRCT_FINDING_WARN; kind++)
        for (size_t i = 0; i < r->req_count; i++) {
            size_t count = 0;
            const struct mrct_finding *const f = first_of(r, r->reqs[i].requirement, &count);
            if (f == NULL || (int)f->kind != kind)
                continue;
            fputs(any ? "" : "<div class=\"card attention\"><ul>\n", out);
            any = true;
            put_one_broken(f, count, out);
        }
    fputs(any ? "</ul></div>\n" : "", out);
}

static void put_health(const struct mrct_check_result *r, FILE *out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const mem = open_memstream(&text, &len);
    if (mem == NULL)
        return;
    mrct_check_text_health(r, mem);
    fclose(mem);
    fputs("<h2 class=\"part\">The capture itself</h2><pre class=\"card plain\">", out);
    const char *const body = strncmp(text, "\nthe capture itself\n", 20) == 0 ? text + 20 : text;
    mrct_html_text(out, body);
    fputs("</pre>\n", out);
    free(text);
}

/* What the common style sheet does not have. */
static const char more_css[] =
    ".plain{padding:14px 18px;margin:0 0 18px;overflow-x:auto}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:5px 10px 5px 0;vertical-align:top;"
    "border-bottom:1px solid var(--line);overflow-wrap:normal}"
    "th{font-size:12px;color:var(--soft);font-weight:600}"
    ".num{text-align:right;font-variant-numeric:tabular-nums}"
    ".found{margin:4px 0 0;padding-left:18px;color:var(--soft)}"
    "svg{width:100%;height:auto;display:block}svg text{fill:var(--soft);font:11px system-ui,"
    "sans-serif}.grid{stroke:var(--line);stroke-width:1}.legend-row{display:flex;gap:18px;"
    "flex-wrap:wrap;font-size:13px;color:var(--soft);margin:0 0 8px}"
    ".legend-row i{display:inline-block;width:10px;height:10px;border-radius:50%;"
    "margin-right:6px}.stat h3{margin:0 0 6px;font-size:16px}summary{cursor:pointer;"
    "font-weight:600}";

void mrct_check_html(const struct mrct_check_result *r, const struct mrct_check_show *show,
                     FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
          "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    mrct_html_text(out, r->file);
    fprintf(out, ": MRC capture</title>\n<style>\n%s%s</style></head>\n<body>\n", mrct_report_css,
            more_css);
    put_header(r, out);
    fputs("<main class=\"wrap\">\n", out);
    put_broken(r, out);
    put_health(r, out);
    if (show->statistics != NULL)
        mrct_stats_html(show->statistics, out);
    put_requirements(r, show, out);
    fputs("</main>\n<footer class=\"wrap\">Written by mrct " MRCT_VERSION
          " check. The same capture gives the same page.</footer></body></html>\n",
          out);
}
