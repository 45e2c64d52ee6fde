/* SPDX-License-Identifier: BSD-2-Clause */
/* JUnit XML of a judged capture: a suite, a test case a requirement that was met. */
#include "harness/cli/check.h"
#include "harness/cli/check_run.h"

#include "gen/mrc_req.h"
#include "harness/report/escape.h"
#include <inttypes.h>
#include <string.h>

#define FINDINGS_SHOWN 20u

static void put_findings(const struct mrct_check_result *r, const char *id, FILE *out)
{
    unsigned n = 0;
    for (size_t i = 0; i < r->findings.count && n < FINDINGS_SHOWN; i++) {
        const struct mrct_finding *const f = &r->findings.list[i];
        if (strcmp(f->requirement, id) != 0)
            continue;
        n++;
        fprintf(out, "%s", mrct_finding_kind_str(f->kind));
        for (unsigned k = 0; k < f->frame_count; k++)
            fprintf(out, "%s%" PRIu64, k == 0 ? " frame " : ", ", f->frames[k]);
        fputs(": ", out);
        mrct_escape_markup(out, f->why);
        fputc('\n', out);
    }
}

static void put_case(const struct mrct_check_result *r, const struct mrct_req_result *q, FILE *out)
{
    const struct mrc_requirement *const req = mrc_requirement_find(q->requirement);
    const enum mrct_verdict v = mrct_check_verdict(q);
    const char *const element = v == MRCT_FAIL ? "failure" : "error";
    fprintf(out, "    <testcase name=\"%s\" classname=\"%s\"", q->requirement,
            req != NULL ? req->section : "");
    if (v == MRCT_PASS) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s type=\"%s\" message=\"", element, mrct_verdict_str(v));
    mrct_escape_markup(out, req != NULL ? req->text : "");
    fputs("\">", out);
    put_findings(r, q->requirement, out);
    fprintf(out, "</%s>\n    </testcase>\n", element);
}

void mrct_check_junit(const struct mrct_check_result *r, FILE *out)
{
    size_t by[MRCT_VERDICTS] = {0}, met = 0;
    for (size_t i = 0; i < r->req_count; i++)
        if (mrct_check_met(&r->reqs[i])) {
            met++;
            by[mrct_check_verdict(&r->reqs[i])]++;
        }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mrct check\">\n"
            "  <testsuite name=\"capture\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
            "skipped=\"0\">\n",
            met, by[MRCT_FAIL], by[MRCT_INCONCLUSIVE]);
    for (size_t i = 0; i < r->req_count; i++)
        if (mrct_check_met(&r->reqs[i]))
            put_case(r, &r->reqs[i], out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
