/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_REPORT_SUITES_H
#define TESTS_REPORT_SUITES_H

#include <check.h>

Suite *report_result_suite(void);
Suite *report_escape_suite(void);
Suite *report_writers_suite(void);

#endif
