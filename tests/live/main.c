/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/live/suites.h"

int main(void)
{
    SRunner *const sr = srunner_create(suite_small());
    srunner_add_suite(sr, suite_relay());
    /* Each test in a process of its own: its namespace is gone with it. */
    srunner_set_fork_status(sr, CK_FORK);
    srunner_run_all(sr, CK_NORMAL);
    const int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? 0 : 1;
}
