/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the HTML page; private to the report writers. */
#ifndef MRCT_REPORT_HTML_PARTS_H
#define MRCT_REPORT_HTML_PARTS_H

#include "harness/report/result.h"
#include <stdio.h>

const char *mrct_html_class(enum mrct_verdict v); /* of the style sheet: "pass", "na", ... */
enum mrct_verdict mrct_html_kind(enum mrct_finding_kind k); /* a finding in a verdict's colour */

void mrct_html_text(FILE *out, const char *text);
/* <tag class="CLASS">text</tag>; cls NULL for none. */
void mrct_html_element(FILE *out, const char *tag, const char *cls, const char *text);
void mrct_html_badge(FILE *out, enum mrct_verdict v);
/* <a href="#PREFIX-id" class="CLASS">id */
void mrct_html_link_open(FILE *out, const char *prefix, const char *id, const char *cls);

/* The cases that did not pass, as links; nothing when all did. */
void mrct_html_attention(const struct mrct_result_run *run, FILE *out);
void mrct_html_requirements(const struct mrct_result_run *run, FILE *out);
void mrct_html_cases(const struct mrct_result_run *run, FILE *out);

#endif
