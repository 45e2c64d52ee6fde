/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_DEVIANT_SUITES_H
#define TESTS_DEVIANT_SUITES_H

#include <check.h>

Suite *suite_lies(void);

#endif
