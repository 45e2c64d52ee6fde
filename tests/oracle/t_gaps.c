/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that an answer names and that a capture, of which nothing is told, does not have. */
#include "gen/mrc_wire.h"
#include "tests/oracle/mirror.h"
#include "tests/oracle/suites.h"

#include <check.h>

/* What comes of the named request afterwards, and how many the capture is said to lack. */
static const struct {
    bool nack, comes, rtx;
    uint64_t missing;
} rows[] = {
    {false, false, false, 1}, {false, true, true, 1}, /* its answer was lost, and so it was sent
                                                         again */
    {false, true, false, 0},                          /* its first sending: there was none before */
    {true, false, false, 1},  {true, true, true, 1},  {true, true, false, 0},
};

START_TEST(named_and_never_seen)
{
    struct mirror m;
    struct mrct_gaps g;
    mirror_init(&m, 500);
    talk_qp(&m.t)->start_psn = MRCT_UNKNOWN;
    mirror_begin(&m);
    mirror_come_all(&m, 0, 3);
    struct mrc_pkt lost = mirror_request(&m, 4);
    m.got[4] = !rows[_i].nack;
    const struct mrc_pkt answer =
        rows[_i].nack ? mirror_nack(&lost, MRC_NACK_TRIMMED) : mirror_sack(&m, &lost);
    talk_frame(&m.t, &answer);
    mirror_come_all(&m, 5, 8);
    lost.bth.rtx = rows[_i].rtx;
    if (rows[_i].comes)
        mirror_come(&m, &lost);
    mrct_oracle_gaps(m.t.w.oracle, &g);
    ck_assert_uint_eq(g.missing, rows[_i].missing);
    mirror_end(&m, NULL);
}
END_TEST

Suite *oracle_gaps_suite(void)
{
    Suite *const s = suite_create("gaps");
    TCase *const c = tcase_create("what a capture lacks");
    tcase_add_loop_test(c, named_and_never_seen, 0, (int)(sizeof rows / sizeof rows[0]));
    suite_add_tcase(s, c);
    return s;
}
