/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/fabric/fake.h"

int main(void)
{
    SRunner *const sr = srunner_create(suite_queue());
    srunner_add_suite(sr, suite_rules());
    srunner_add_suite(sr, suite_acts());
    srunner_add_suite(sr, suite_corrupt());
    srunner_add_suite(sr, suite_ways());
    srunner_add_suite(sr, suite_chance());
    srunner_add_suite(sr, suite_broken());
    srunner_add_suite(sr, suite_endpoint());
    srunner_run_all(sr, CK_NORMAL);
    const int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? 0 : 1;
}
