/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/trace/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *const r = srunner_create(trace_capture_suite());
    srunner_add_suite(r, trace_facts_suite());
    srunner_add_suite(r, trace_reader_suite());
    srunner_add_suite(r, trace_offset_suite());
    srunner_add_suite(r, trace_record_suite());
    srunner_add_suite(r, trace_text_suite());
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
