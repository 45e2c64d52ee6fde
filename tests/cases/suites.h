/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CASES_SUITES_H
#define TESTS_CASES_SUITES_H

#include <check.h>

Suite *cases_units_suite(void);
Suite *cases_load_suite(void);
Suite *cases_plan_suite(void);
Suite *cases_verdict_suite(void);
Suite *cases_run_suite(void);
Suite *cases_liars_suite(void);
Suite *cases_script_suite(void);
Suite *cases_golden_suite(void);
Suite *cases_script_mutants_suite(void);
Suite *cases_claims_suite(void);
Suite *cases_swarm_suite(void);
Suite *cases_phases_suite(void);

/* A folder of the test's own: made by the first, removed with all in it by the second. */
void scratch_setup(void);
void scratch_teardown(void);
/* "FOLDER/name", in one of a few static buffers. */
const char *scratch_path(const char *name);
/* Writes text to a file of that name ("sub/name.yaml" makes sub) and returns its path. */
const char *scratch_file(const char *name, const char *text);

/* A case that loads, with `more` behind it. */
const char *scratch_case(const char *id, const char *more);

#endif
