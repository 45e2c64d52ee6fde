/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/endpoint/suites.h"
#include <stdlib.h>

int main(void)
{
    TCase *(*const cases[])(void) = {
        tcase_segment,     tcase_window,   tcase_sack,  tcase_responder, tcase_rtx,
        tcase_nak,         tcase_hostile,  tcase_node,  tcase_transfer,  tcase_determinism,
        tcase_mpr,         tcase_shortage, tcase_ev,    tcase_port,      tcase_profile,
        tcase_profile_ctl, tcase_reverse,  tcase_nscc,  tcase_cc,        tcase_trace,
        tcase_rtt,         tcase_memory,   tcase_sched, tcase_errors};
    Suite *s = suite_create("endpoint");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        suite_add_tcase(s, cases[i]());
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
