/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/mutation.h"

#include "harness/report/escape.h"

static const char style[] =
    "<style>body{font:14px/1.45 system-ui,sans-serif;margin:2em;color:#1d2433;background:#fff}"
    "table{border-collapse:collapse}th,td{padding:1px 4px;text-align:left}"
    "th.c{writing-mode:vertical-rl;transform:rotate(180deg);font:11px monospace;padding:4px 0}"
    "thead th{position:sticky;top:0;background:#fff;vertical-align:bottom}"
    "th.r{position:sticky;left:0;background:#fff;font:12px monospace;white-space:nowrap}"
    "td.x{width:11px;min-width:11px;height:15px;padding:0;border:1px solid #fff;background:#f2f3f5}"
    "td.n{background:#2e8b57}td.o{background:#e0a030}td.a{background:#d8dbe2}td.e{background:#"
    "c0392b}"
    "td.l{box-shadow:inset 0 0 0 2px #14213d}.k td{padding:2px 10px 2px 0}.bad{color:#c0392b}"
    "div.m{overflow:auto;max-height:80vh;border:1px solid #d8dbe2}"
    "i{display:inline-block;width:11px;height:11px;margin:0 4px 0 14px}</style>";

static const char legend[] =
    "<p><i style=\"background:#2e8b57\"></i>found first: the requirement that it breaks"
    "<i style=\"background:#e0a030\"></i>found first: another"
    "<i style=\"background:#d8dbe2\"></i>nothing was found: the case does not provoke it"
    "<i style=\"background:#c0392b\"></i>the run went wrong"
    "<i style=\"box-shadow:inset 0 0 0 2px #14213d\"></i>a case of the deviant's file: must catch "
    "it</p>\n";

static const char *cell_class(const struct mrct_matrix_cell *c)
{
    static const char *const plain[] = {[MRCT_LIAR_NAMED] = "x n",
                                        [MRCT_LIAR_UNEXPLAINED] = "x n",
                                        [MRCT_LIAR_MISNAMED] = "x o",
                                        [MRCT_LIAR_ALIVE] = "x a",
                                        [MRCT_LIAR_HARNESS] = "x e"};
    static const char *const listed[] = {[MRCT_LIAR_NAMED] = "x n l",
                                         [MRCT_LIAR_UNEXPLAINED] = "x n l",
                                         [MRCT_LIAR_MISNAMED] = "x o l",
                                         [MRCT_LIAR_ALIVE] = "x a l",
                                         [MRCT_LIAR_HARNESS] = "x e l"};
    if (!c->run)
        return "x";
    return c->listed ? listed[c->end] : plain[c->end];
}

static void write_row(const struct mrct_matrix *m, size_t i, FILE *out)
{
    const struct mrct_liar *const l = &m->liars->list[i];
    fputs("<tr><th class=r title=\"", out);
    mrct_escape_markup(out, l->what);
    fprintf(out, "\">%s</th><th class=r>%s</th>", l->breaks, l->name);
    for (size_t k = 0; k < m->plan->count; k++) {
        const struct mrct_matrix_cell *const c = mrct_matrix_cell(m, i, k);
        fprintf(out, "<td class=\"%s\"", cell_class(c));
        if (c->run && c->end != MRCT_LIAR_ALIVE)
            fprintf(out, " title=\"%s: %s\"", m->plan->cases[k].id,
                    c->first != NULL ? c->first : "the case's own expectation");
        fputs("></td>", out);
    }
    fputs("</tr>\n", out);
}

static void write_matrix(const struct mrct_matrix *m, FILE *out)
{
    fputs("<h2>Requirement, deviant, case</h2>\n", out);
    fputs(legend, out);
    fputs("<div class=m><table><thead><tr><th>Requirement</th><th>Deviant</th>", out);
    for (size_t k = 0; k < m->plan->count; k++)
        fprintf(out, "<th class=c>%s</th>", m->plan->cases[k].id);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < m->liars->count; i++)
        write_row(m, m->order[i], out);
    fputs("</tbody></table></div>\n", out);
}

static void write_checks(const struct mrct_matrix *m, FILE *out)
{
    fputs("<h2>Each check, switched off</h2>\n<table class=k><thead><tr><th>Check</th>"
          "<th>Requirement</th><th>Without it its deviant is</th><th>Deviant</th><th>Case</th></tr>"
          "</thead><tbody>\n",
          out);
    for (size_t i = 0; i < m->check_count; i++) {
        const struct mrct_matrix_check *const c = &m->checks[i];
        fprintf(out, "<tr><td>%s</td><td>%s</td><td%s>%s</td><td>%s</td><td>%s</td></tr>\n",
                c->name, c->requirement, c->proof >= MRCT_PROOF_NONE ? " class=bad" : "",
                mrct_mutation_proof_str(c->proof), c->liar != NULL ? c->liar->name : "",
                c->in != NULL ? c->in->id : "");
    }
    fputs("</tbody></table>\n", out);
}

void mrct_mutation_html(const struct mrct_matrix *m, FILE *out)
{
    fputs("<!doctype html>\n<html lang=en><meta charset=utf-8><title>Which case catches which "
          "liar</title>\n",
          out);
    fputs(style, out);
    fprintf(out,
            "\n<h1>Which case catches which liar</h1>\n<p>%zu deviants, %zu killed, %zu by the "
            "named requirement. %zu checks; %zu of them, switched off, let a deviant pass under "
            "their name, and %zu of these let it go free altogether.</p>\n",
            m->deviants, m->killed, m->named, m->check_count, m->proven, m->free);
    write_matrix(m, out);
    write_checks(m, out);
    fputs("</html>\n", out);
}
