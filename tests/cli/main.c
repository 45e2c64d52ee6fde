/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/cli/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *r = srunner_create(cli_coverage_suite());
    srunner_add_suite(r, cli_check_suite());
    srunner_add_suite(r, cli_damage_suite());
    srunner_add_suite(r, cli_carriers_suite());
    srunner_add_suite(r, cli_interrupt_suite());
    srunner_add_suite(r, cli_memory_suite());
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
