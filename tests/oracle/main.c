/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *const r = srunner_create(oracle_core_suite());
    srunner_add_suite(r, oracle_responder_suite());
    srunner_add_suite(r, oracle_innocent_suite());
    srunner_add_suite(r, oracle_hostile_suite());
    srunner_add_suite(r, oracle_formats_suite());
    srunner_add_suite(r, oracle_requestor_suite());
    srunner_add_suite(r, oracle_recovery_suite());
    srunner_add_suite(r, oracle_penalty_suite());
    srunner_add_suite(r, oracle_application_suite());
    srunner_add_suite(r, oracle_evs_suite());
    srunner_add_suite(r, oracle_control_suite());
    srunner_add_suite(r, oracle_conversations_suite());
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
