/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_REQ_SUITES_H
#define TESTS_REQ_SUITES_H

#include <check.h>

Suite *req_loader_suite(void);
Suite *req_loader_errors_suite(void);
Suite *req_tables_suite(void);

#endif
