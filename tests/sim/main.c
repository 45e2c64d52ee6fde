/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/suites.h"

int main(void)
{
    SRunner *const sr = srunner_create(suite_wheel());
    srunner_add_suite(sr, suite_scene());
    srunner_add_suite(sr, suite_port());
    srunner_add_suite(sr, suite_run());
    srunner_add_suite(sr, suite_faults());
    srunner_add_suite(sr, suite_results());
    srunner_add_suite(sr, suite_rc());
    srunner_add_suite(sr, suite_graph());
    srunner_add_suite(sr, suite_watch());
    srunner_run_all(sr, CK_NORMAL);
    const int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? 0 : 1;
}
