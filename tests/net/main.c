/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/net/suites.h"

int main(void)
{
    SRunner *const sr = srunner_create(suite_neighbours());
    srunner_add_suite(sr, suite_filter());
    srunner_add_suite(sr, suite_ports());
    srunner_add_suite(sr, suite_merge());
    srunner_add_suite(sr, suite_nodes());
    /* Each test in a process of its own: its namespace is gone with it. */
    srunner_set_fork_status(sr, CK_FORK);
    srunner_run_all(sr, CK_NORMAL);
    const int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? 0 : 1;
}
