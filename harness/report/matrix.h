/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interop matrix: rows are devices as host1, columns as host2. Written from the JSON of the
 * matrix and of its cells alone; what devices say is escaped.
 */
#ifndef MRCT_REPORT_MATRIX_H
#define MRCT_REPORT_MATRIX_H

#include "harness/report/result.h"
#include "harness/report/term.h"

#include <jansson.h>
#include <stdio.h>

/* The verdict that a cell or a case of JSON carries; ERROR for anything else. */
enum mrct_verdict mrct_matrix_verdict(const json_t *o);

/* "no-sack-on-ce broke REQ-7.5.2-03 in 2 cases; ..." of a cell, or its reason; "" when it passed.
 */
void mrct_matrix_words(const json_t *cell, char *buf, size_t cap);

/* The table, a line for every cell that did not pass, and the counts. */
void mrct_matrix_term(const struct mrct_term *t, const json_t *matrix);
/* index.html of the matrix; pages: cells have pages of their own to link to. */
void mrct_matrix_html(const json_t *matrix, FILE *out);
/* index.html of a cell, beside its captures and logs. */
void mrct_matrix_cell_html(const json_t *cell, FILE *out);

#endif
