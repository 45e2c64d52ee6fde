/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run shows in a terminal: a line per case as it goes, and the summary at its end. */
#ifndef MRCT_REPORT_TERM_H
#define MRCT_REPORT_TERM_H

#include "harness/report/result.h"
#include <stdio.h>

struct mrct_term {
    FILE *out;      /* results */
    FILE *progress; /* the running case, overwritten in place; NULL when nobody watches */
    bool colour;
    size_t total, done; /* cases */
};

/*
 * Colour only where out is a terminal and neither NO_COLOR nor TERM=dumb says otherwise; progress
 * only where standard error is one.
 */
void mrct_term_init(struct mrct_term *t, FILE *out, size_t total);

/* Observer of a run: call start before and done after each case. */
void mrct_term_start(struct mrct_term *t, const char *case_id);
void mrct_term_done(struct mrct_term *t, const struct mrct_result_case *c);

/* The table of requirements, what did not pass with its replay command, and the counts, last line
 * "N passed, N failed, N inconclusive, N not applicable, N errors". */
void mrct_term_summary(const struct mrct_term *t, const struct mrct_result_run *run);

/* A verdict's colour sequences, "" when colour is off. */
const char *mrct_term_paint(const struct mrct_term *t, enum mrct_verdict v);
const char *mrct_term_plain(const struct mrct_term *t);

#endif
