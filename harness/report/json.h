/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON that more than one command writes. */
#ifndef MRCT_REPORT_JSON_H
#define MRCT_REPORT_JSON_H

#include "harness/oracle/finding.h"
#include <jansson.h>
#include <stdio.h>

/* Any text as a JSON string: valid UTF-8, no control characters. NULL when memory fails. */
json_t *mrct_json_text(const char *text);

/* A finding: requirement, verdict, frames, why, check, host, tap (left out when NULL), time_ns.
 * NULL when memory fails. */
json_t *mrct_json_finding(const struct mrct_finding *f, const char *tap);

/* Writes a value, indented, keys in the order in which they were set, and a newline. Returns 0, or
 * -1 when the value is NULL or the stream fails. */
int mrct_json_write(json_t *value, FILE *out);

#endif
