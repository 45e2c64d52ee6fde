/* SPDX-License-Identifier: BSD-2-Clause */
/* The suites of this program, one a file. */
#ifndef MRCT_TESTS_DUT_SUITES_H
#define MRCT_TESTS_DUT_SUITES_H

#include <check.h>

Suite *manifest_suite(void);

#endif
