/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text into the notations of the reports. What devices and findings say is never trusted: it comes
 * out as valid UTF-8 without control characters, and can close no quote, tag or comment.
 */
#ifndef MRCT_REPORT_ESCAPE_H
#define MRCT_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* For text and for quoted attributes of XML and HTML. NULL writes nothing. */
void mrct_escape_markup(FILE *out, const char *text);

/* A double-quoted YAML scalar, quotes included (TAP's diagnostics). NULL is "". */
void mrct_escape_yaml(FILE *out, const char *text);

/* One line of plain text (TAP descriptions, the terminal): newlines become spaces; with tap set
 * '#' and '\\' are escaped as TAP asks. NULL writes nothing. */
void mrct_escape_line(FILE *out, const char *text, int tap);

/* Nanoseconds as "S.NNNNNNNNN" seconds, without floating point. */
void mrct_escape_seconds(FILE *out, uint64_t ns);

#endif
