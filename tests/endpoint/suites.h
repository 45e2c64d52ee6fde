/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ENDPOINT_SUITES_H
#define TESTS_ENDPOINT_SUITES_H

#include <check.h>

TCase *tcase_segment(void);
TCase *tcase_window(void);
TCase *tcase_sack(void);
TCase *tcase_responder(void);
TCase *tcase_rtx(void);
TCase *tcase_nak(void);
TCase *tcase_hostile(void);
TCase *tcase_node(void);
TCase *tcase_transfer(void);
TCase *tcase_determinism(void);
TCase *tcase_ev(void);
TCase *tcase_port(void);
TCase *tcase_profile(void);
TCase *tcase_profile_ctl(void);
TCase *tcase_sched(void);
TCase *tcase_errors(void);
TCase *tcase_reverse(void);
TCase *tcase_mpr(void);
TCase *tcase_shortage(void);
TCase *tcase_memory(void);
TCase *tcase_nscc(void);
TCase *tcase_cc(void);
TCase *tcase_trace(void);
TCase *tcase_rtt(void);

#endif
