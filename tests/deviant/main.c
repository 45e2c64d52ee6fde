/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/deviant/suites.h"

int main(void)
{
    SRunner *const sr = srunner_create(suite_lies());
    srunner_run_all(sr, CK_NORMAL);
    const int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? 0 : 1;
}
