/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CLI_SUITES_H
#define TESTS_CLI_SUITES_H

#include <check.h>

Suite *cli_carriers_suite(void);
Suite *cli_check_suite(void);
Suite *cli_coverage_suite(void);
Suite *cli_damage_suite(void);
Suite *cli_interrupt_suite(void);
Suite *cli_memory_suite(void);

#endif
