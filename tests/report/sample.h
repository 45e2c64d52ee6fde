/* SPDX-License-Identifier: BSD-2-Clause */
/* A made-up run with every verdict and with text that tries to break out of each notation. */
#ifndef TESTS_REPORT_SAMPLE_H
#define TESTS_REPORT_SAMPLE_H

#include "harness/report/report.h"

/* What a hostile device might say. */
#define SAMPLE_EVIL "<script>alert('x')</script> & \"q\" ]]> --> \\ # \x01\x1b[31m \xff\xc0\xaf end"

/* Fills a run of its own static memory; good until the next call. */
struct mrct_result_run *sample_run(void);

/* Everything a writer put out, NUL-terminated; to be freed. */
char *sample_text(void (*write)(const struct mrct_result_run *run, FILE *out),
                  const struct mrct_result_run *run);
char *sample_json(const struct mrct_result_run *run);

#endif
