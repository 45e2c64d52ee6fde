/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/escape.h"
#include "harness/report/report.h"

#include <inttypes.h>

static void key(FILE *out, const char *name, const char *text)
{
    fprintf(out, "  %s: ", name);
    mrct_escape_yaml(out, text);
    fputc('\n', out);
}

static void write_finding(const struct mrct_result_finding *r, FILE *out)
{
    const struct mrct_finding *const f = &r->f;
    fputs("    - {requirement: ", out);
    mrct_escape_yaml(out, f->requirement);
    fprintf(out, ", verdict: %s, frames: [", mrct_finding_kind_str(f->kind));
    for (unsigned i = 0; i < f->frame_count; i++)
        fprintf(out, "%s%" PRIu64, i == 0 ? "" : ", ", f->frames[i]);
    fputs("], why: ", out);
    mrct_escape_yaml(out, f->why);
    fputs("}\n", out);
}

static void write_case(const struct mrct_result_case *c, size_t number, FILE *out)
{
    const bool ok = c->verdict == MRCT_PASS || c->verdict == MRCT_NOT_APPLICABLE;
    fprintf(out, "%s %zu - ", ok ? "ok" : "not ok", number);
    mrct_escape_line(out, c->id, 1);
    fputs(" ", out);
    mrct_escape_line(out, c->title, 1);
    if (c->verdict == MRCT_NOT_APPLICABLE) {
        fputs(" # SKIP ", out);
        mrct_escape_line(out, c->why, 1);
    }
    fputs("\n  ---\n", out);
    key(out, "verdict", mrct_verdict_str(c->verdict));
    if (c->verdict != MRCT_PASS)
        key(out, "message", c->why);
    key(out, "replay", c->replay);
    fputs(c->finding_count > 0 ? "  findings:\n" : "", out);
    for (size_t i = 0; i < c->finding_count; i++)
        write_finding(&c->findings[i], out);
    fputs("  ...\n", out);
}

void mrct_report_tap(const struct mrct_result_run *run, FILE *out)
{
    fprintf(out, "TAP version 14\n1..%zu", run->case_count);
    fputs(run->case_count == 0 ? " # SKIP no case matched\n" : "\n", out);
    fputs("# device ", out);
    mrct_escape_line(out, run->device, 0);
    fprintf(out, ", seed %" PRIu64 "\n", run->seed);
    for (size_t i = 0; i < run->case_count; i++)
        write_case(&run->cases[i], i + 1, out);
}
