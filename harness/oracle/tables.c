/* SPDX-License-Identifier: BSD-2-Clause */
/* All check tables, in the order in which they see a frame: formats first, then the requestor's
 * duties, then the responder's. A new section file adds its line here. */
#include "harness/oracle/check.h"

extern const struct check_table mrct_checks_sec_06_3_responder;
extern const struct check_table mrct_checks_sec_07_5_sack;
extern const struct check_table mrct_checks_sec_07_3_nack;
extern const struct check_table mrct_checks_sec_07_5_ack;
extern const struct check_table mrct_checks_sec_06_5_probe;

const struct check_table *const mrct_check_tables[] = {
    &mrct_checks_sec_06_3_responder, &mrct_checks_sec_07_5_sack,  &mrct_checks_sec_07_3_nack,
    &mrct_checks_sec_07_5_ack,       &mrct_checks_sec_06_5_probe,
};
const size_t mrct_check_table_count = sizeof(mrct_check_tables) / sizeof(mrct_check_tables[0]);
