/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/escape.h"
#include "harness/report/report.h"

#include <inttypes.h>
#include <string.h>

static const char *element_of(enum mrct_verdict v)
{
    switch (v) {
    case MRCT_PASS:
        return NULL;
    case MRCT_NOT_APPLICABLE:
        return "skipped";
    case MRCT_FAIL:
        return "failure";
    case MRCT_INCONCLUSIVE:
    case MRCT_ERROR:
        break;
    }
    return "error";
}

static void attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    mrct_escape_markup(out, text);
    fputc('"', out);
}

static void write_finding(const struct mrct_result_finding *r, FILE *out)
{
    const struct mrct_finding *const f = &r->f;
    fprintf(out, "%s ", mrct_finding_kind_str(f->kind));
    mrct_escape_markup(out, f->requirement);
    fputs(f->frame_count > 0 ? " frames" : "", out);
    for (unsigned i = 0; i < f->frame_count; i++)
        fprintf(out, " %" PRIu64, f->frames[i]);
    fputs(": ", out);
    mrct_escape_markup(out, f->why);
    fputc('\n', out);
}

static void write_outcome(const struct mrct_result_case *c, const char *element, FILE *out)
{
    fprintf(out, "      <%s", element);
    attribute(out, "message", c->why);
    if (c->verdict != MRCT_NOT_APPLICABLE)
        attribute(out, "type", mrct_verdict_str(c->verdict));
    fputs(">", out);
    for (size_t i = 0; i < c->finding_count; i++)
        write_finding(&c->findings[i], out);
    fputs("replay: ", out);
    mrct_escape_markup(out, c->replay);
    fprintf(out, "\n</%s>\n", element);
}

static void write_case(const struct mrct_result_case *c, FILE *out)
{
    const char *const element = element_of(c->verdict);
    fputs("    <testcase", out);
    attribute(out, "name", c->id);
    attribute(out, "classname", c->section);
    fputs(" time=\"", out);
    mrct_escape_seconds(out, c->virtual_ns);
    fputs("\">\n", out);
    if (element != NULL)
        write_outcome(c, element, out);
    fputs("    </testcase>\n", out);
}

static void write_counts(const struct mrct_result_counts *n, FILE *out)
{
    size_t total = 0;
    for (size_t v = 0; v < MRCT_VERDICTS; v++)
        total += n->n[v];
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", total,
            n->n[MRCT_FAIL], n->n[MRCT_ERROR] + n->n[MRCT_INCONCLUSIVE], n->n[MRCT_NOT_APPLICABLE]);
}

static void write_section(const struct mrct_result_run *run, const char *section, FILE *out)
{
    struct mrct_result_counts counts = {{0}};
    for (size_t i = 0; i < run->case_count; i++)
        if (strcmp(run->cases[i].section, section) == 0)
            counts.n[run->cases[i].verdict]++;
    fputs("  <testsuite", out);
    attribute(out, "name", section);
    write_counts(&counts, out);
    fputs(">\n    <properties>\n", out);
    fprintf(out, "      <property name=\"seed\" value=\"%" PRIu64 "\"/>\n      <property",
            run->seed);
    attribute(out, "name", "device");
    attribute(out, "value", run->device);
    fputs("/>\n    </properties>\n", out);
    for (size_t i = 0; i < run->case_count; i++)
        if (strcmp(run->cases[i].section, section) == 0)
            write_case(&run->cases[i], out);
    fputs("  </testsuite>\n", out);
}

/* True when no earlier case has the section of case i. */
static bool first_of_section(const struct mrct_result_run *run, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(run->cases[k].section, run->cases[i].section) == 0)
            return false;
    return true;
}

void mrct_report_junit(const struct mrct_result_run *run, FILE *out)
{
    const struct mrct_result_counts counts = mrct_result_count_cases(run);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mrct\"", out);
    write_counts(&counts, out);
    fputs(">\n", out);
    for (size_t i = 0; i < run->case_count; i++)
        if (first_of_section(run, i))
            write_section(run, run->cases[i].section, out);
    fputs("</testsuites>\n", out);
}
