/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/cases/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *const r = srunner_create(cases_units_suite());
    srunner_add_suite(r, cases_load_suite());
    srunner_add_suite(r, cases_plan_suite());
    srunner_add_suite(r, cases_verdict_suite());
    srunner_add_suite(r, cases_run_suite());
    srunner_add_suite(r, cases_liars_suite());
    srunner_add_suite(r, cases_script_suite());
    srunner_add_suite(r, cases_golden_suite());
    srunner_add_suite(r, cases_script_mutants_suite());
    srunner_add_suite(r, cases_claims_suite());
    srunner_add_suite(r, cases_swarm_suite());
    srunner_add_suite(r, cases_phases_suite());
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
