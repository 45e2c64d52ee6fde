/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/suites.h"

Suite *oracle_responder_suite(void)
{
    return suite_create("responder");
}
