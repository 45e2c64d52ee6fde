/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ORACLE_SUITES_H
#define TESTS_ORACLE_SUITES_H

#include <check.h>
#include <stddef.h>

Suite *oracle_application_suite(void);
Suite *oracle_conversations_suite(void);
Suite *oracle_core_suite(void);
Suite *oracle_hostile_suite(void);
Suite *oracle_innocent_suite(void);
Suite *oracle_edges_suite(void);
Suite *oracle_evs_suite(void);
Suite *oracle_gaps_suite(void);
Suite *oracle_control_suite(void);
Suite *oracle_formats_suite(void);
Suite *oracle_penalty_suite(void);
Suite *oracle_recovery_suite(void);
Suite *oracle_requestor_suite(void);
Suite *oracle_responder_suite(void);
Suite *oracle_scripts_suite(void);

/* All of them. */
struct oracle_suite {
    const char *name;
    Suite *(*make)(void);
};
extern const struct oracle_suite oracle_suites[];
extern const size_t oracle_suite_count;

#endif
