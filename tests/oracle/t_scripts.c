/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks at the edges of their limits, by section: edges_*.c. */
#include "tests/oracle/script.h"
#include "tests/oracle/suites.h"

extern const struct script_part edges_07, edges_07_3, edges_07_4, edges_07_5, edges_07_5_2,
    edges_07_5_2_state, edges_08_09, edges_09_3, edges_requestor, edges_responder;

const struct script_part *const script_parts[] = {
    &edges_07,           &edges_07_3,  &edges_07_4, &edges_07_5,      &edges_07_5_2,
    &edges_07_5_2_state, &edges_08_09, &edges_09_3, &edges_requestor, &edges_responder,
};
const size_t script_part_count = sizeof script_parts / sizeof script_parts[0];

/* All rows of a part in one test: what is wrong is printed, row by row. */
START_TEST(edges)
{
    const struct script_part *const part = script_parts[_i];
    unsigned wrong = 0;
    for (size_t i = 0; i < part->count; i++)
        wrong += !script_holds(&part->rows[i]);
    ck_assert_msg(wrong == 0, "%s: %u rows are not as told", part->name, wrong);
}
END_TEST

Suite *oracle_scripts_suite(void)
{
    Suite *const s = suite_create("scripts");
    TCase *const c = tcase_create("scripts");
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, edges, 0, (int)script_part_count);
    suite_add_tcase(s, c);
    return s;
}
