/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reports of a run. Each is written from struct mrct_result_run and the generated tables of
 * requirements alone, so the same result gives the same bytes: no clock, no path, no host. Errors
 * of a stream are left to whoever opened it.
 */
#ifndef MRCT_REPORT_REPORT_H
#define MRCT_REPORT_REPORT_H

#include "harness/report/result.h"
#include "harness/trace/record.h"
#include <stdio.h>

/* JUnit XML: a suite per section. FAIL is a failure; ERROR and INCONCLUSIVE are errors of that
 * type, since neither may look like a success; NOT APPLICABLE is skipped. */
void mrct_report_junit(const struct mrct_result_run *run, FILE *out);

/* TAP version 14: a point per case, its findings as YAML diagnostics. */
void mrct_report_tap(const struct mrct_result_run *run, FILE *out);

/* JSON, schema "mrct-report/1" (docs/reference/report-json.md). Returns 0, or -1 when memory fails
 * or the stream does. */
int mrct_report_json(const struct mrct_result_run *run, FILE *out);

/* One HTML page that needs nothing else. Captures are linked by their name, as files beside it. */
void mrct_report_html(const struct mrct_result_run *run, FILE *out);

/* The style sheet of the page, for pages beside it. */
void mrct_report_style(FILE *out);

/*
 * Writes junit.xml, report.tap, report.json and report.html into dir, each whole or not at all.
 * Returns 0, or -1 with one sentence in err.
 */
int mrct_report_write(const struct mrct_result_run *run, const char *dir, char *err,
                      size_t err_cap);
/* Makes dir and what is missing above it. Returns 0, or -1 with one sentence in err. */
int mrct_report_make_dir(const char *dir, char *err, size_t err_cap);

/* The words of a finding as a comment on a frame of a capture:
 * "FAIL REQ-7.5.2-03 (host2): why [MUST: the requirement's sentence]". */
void mrct_report_comment(const struct mrct_finding *f, char *buf, size_t cap);
/* Puts every finding on the frames it names: in full on the first, short on the others. Returns 0,
 * or -1 when memory fails; a frame the record does not have is passed over. */
int mrct_report_annotate(struct mrct_record *r, const struct mrct_finding *f);

/* The command that runs everything again: run->replay, or made in buf from seed, strictness and
 * readings. */
const char *mrct_report_replay(const struct mrct_result_run *run, char *buf, size_t cap);

#endif
