/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/report/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *const r = srunner_create(report_result_suite());
    srunner_add_suite(r, report_escape_suite());
    srunner_add_suite(r, report_writers_suite());
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
