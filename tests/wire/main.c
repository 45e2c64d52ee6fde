/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/wire/golden.h"

int main(void)
{
    SRunner *const sr = srunner_create(suite_golden());
    srunner_add_suite(sr, suite_print());
    srunner_add_suite(sr, suite_codec());
    srunner_add_suite(sr, suite_robust());
    srunner_add_suite(sr, suite_frame());
    srunner_add_suite(sr, suite_like());
    srunner_run_all(sr, CK_NORMAL);
    const int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? 0 : 1;
}
