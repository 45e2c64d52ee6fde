/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TRACE_SUITES_H
#define TESTS_TRACE_SUITES_H

#include <check.h>
#include <stddef.h>

Suite *trace_capture_suite(void);
Suite *trace_facts_suite(void);
Suite *trace_reader_suite(void);
Suite *trace_offset_suite(void);
Suite *trace_record_suite(void);
Suite *trace_text_suite(void);

/* A folder of the test's own: made by the first, removed with its files by the second. */
void scratch_setup(void);
void scratch_teardown(void);
/* "FOLDER/name", in one of a few static buffers. */
const char *scratch_path(const char *name);
/* Writes len bytes to a file of that name and returns its path. */
const char *scratch_file(const char *name, const void *bytes, size_t len);
/* All of a file, to be freed. */
char *scratch_read(const char *path, size_t *len);
/* Number of files in the folder. */
size_t scratch_count(void);

#endif
