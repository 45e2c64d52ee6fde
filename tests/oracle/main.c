/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *const r = srunner_create(NULL);
    for (size_t i = 0; i < oracle_suite_count; i++)
        srunner_add_suite(r, oracle_suites[i].make());
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
