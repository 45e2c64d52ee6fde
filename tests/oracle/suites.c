/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/suites.h"

const struct oracle_suite oracle_suites[] = {
    {"core", oracle_core_suite},
    {"responder", oracle_responder_suite},
    {"innocent", oracle_innocent_suite},
    {"hostile", oracle_hostile_suite},
    {"formats", oracle_formats_suite},
    {"requestor", oracle_requestor_suite},
    {"recovery", oracle_recovery_suite},
    {"penalty", oracle_penalty_suite},
    {"application", oracle_application_suite},
    {"edges", oracle_edges_suite},
    {"evs", oracle_evs_suite},
    {"control", oracle_control_suite},
    {"conversations", oracle_conversations_suite},
    {"scripts", oracle_scripts_suite},
};
const size_t oracle_suite_count = sizeof oracle_suites / sizeof oracle_suites[0];
