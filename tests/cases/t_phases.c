/* SPDX-License-Identifier: BSD-2-Clause */
/* Preamble, body and postamble; pace; a case that is run many times, and what m of n says. */
#include "harness/cases/interval.h"
#include "tests/cases/stage.h"
#include "tests/cases/suites.h"

#include <stdio.h>
#include <string.h>

/* Where (m/n - p)^2 n = z^2 p (1 - p), found by bisection elsewhere. */
START_TEST(knows_wilsons_interval)
{
    static const struct {
        unsigned m, n;
        int confidence;
        uint32_t low_ppm, high_ppm;
    } rows[] = {
        {10, 10, 95, 722467, 1000000}, {0, 10, 95, 0, 277533},        {5, 10, 95, 236593, 763407},
        {18, 20, 95, 698966, 972134},  {30, 30, 95, 886486, 1000000}, {5, 10, 90, 269271, 730729},
        {5, 10, 99, 184225, 815775},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct mrct_interval x =
            mrct_interval_wilson(rows[i].m, rows[i].n, rows[i].confidence);
        ck_assert_uint_le(x.low_ppm > rows[i].low_ppm ? x.low_ppm - rows[i].low_ppm
                                                      : rows[i].low_ppm - x.low_ppm,
                          2);
        ck_assert_uint_le(x.high_ppm > rows[i].high_ppm ? x.high_ppm - rows[i].high_ppm
                                                        : rows[i].high_ppm - x.high_ppm,
                          2);
    }
    const struct mrct_interval i = {.low_ppm = 400000, .high_ppm = 600000};
    ck_assert_int_eq(mrct_interval_verdict(i, 400000), MRCT_PASS);
    ck_assert_int_eq(mrct_interval_verdict(i, 400001), MRCT_INCONCLUSIVE);
    ck_assert_int_eq(mrct_interval_verdict(i, 600000), MRCT_INCONCLUSIVE);
    ck_assert_int_eq(mrct_interval_verdict(i, 600001), MRCT_FAIL);
}
END_TEST

#define PLAIN "traffic: [{write: {size: 20000}}]\n"
static const struct {
    const char *more;
    enum mrct_verdict verdict;
    const char *why; /* words of it */
} rows[] = {
    {"preamble: [{write: {size: 100}}]\n" PLAIN, MRCT_PASS, ""},
    {"preamble: [{write: {size: 100}}]\npostamble: [{write: {size: 100, count: 2}}]\n" PLAIN,
     MRCT_PASS, ""},
    /* Expectations are those of the traffic alone. */
    {"preamble: [{write: {size: 100}}]\npostamble: [{write: {size: 100}}]\n"
     "expect: {writes: {success: 1}}\n" PLAIN,
     MRCT_PASS, ""},
    {"preamble: [{write: {size: 100}}]\nlinks: [{at: 0, plane: 0, state: down}]\n"
     "options: {timeout: 4, linear_cnt: 1, exp_cnt: 1}\n" PLAIN,
     MRCT_INCONCLUSIVE, "the preamble failed: 0 of its 1 writes completed with success"},
    {"preamble: [{write: {size: 100, target: wrong_rkey}}]\n" PLAIN, MRCT_INCONCLUSIVE,
     "the preamble failed: 0 of its 1 writes completed with success"},
    {"postamble: [{write: {size: 100, target: wrong_rkey}}]\n"
     "expect: {qp_error: {host1: remote_access, host2: local_access}}\n" PLAIN,
     MRCT_INCONCLUSIVE, "the postamble failed: 0 of its 1 writes completed with success"},
    {"preamble: [{write: {size: 100}}]\ntraffic: [{write: {size: 9, at: 100us}}]\n"
     "expect: {time: 100us..120us}\n",
     MRCT_PASS, ""},
    {"expect: {time: ..1us}\n" PLAIN, MRCT_FAIL, "the traffic took "},
    {"expect: {time: 1ms..}\n" PLAIN, MRCT_FAIL, "due were 1000000 or more ns"},
    {"expect: {time: 1ms.., margin: 1ms}\n" PLAIN, MRCT_PASS, ""},
    {"expect: {goodput: 10gbps}\n" PLAIN, MRCT_PASS, ""},
    {"expect: {goodput: 90gbps}\n" PLAIN, MRCT_FAIL, "Mbit/s, due were 90000 Mbit/s"},
    {"repeat: {runs: 20, share: 50%}\n" PLAIN, MRCT_PASS, ""},
    {"repeat: {runs: 20, share: 50%}\nexpect: {time: ..1us}\n" PLAIN, MRCT_FAIL,
     "0 of 20 runs passed; with 95% confidence 0.0% to 16.1% do, 50.0% are wanted: the traffic "
     "took "},
    /* Chance decides each run: neither enough to pass nor to fail. */
    {"repeat: {runs: 20, share: 50%}\nexpect: {time: ..8us}\nrandom: {loss: 3%}\n" PLAIN,
     MRCT_INCONCLUSIVE, " of 20 runs passed; with 95% confidence "},
};

START_TEST(judges_phases_and_pace)
{
    stage_run(rows[_i].more);
    ck_assert_msg(stage.r.verdict == rows[_i].verdict && strstr(stage.r.why, rows[_i].why) != NULL,
                  "%s: %s", mrct_verdict_str(stage.r.verdict), stage.r.why);
    ck_assert_int_eq(stage.r.verdict == MRCT_PASS, stage.r.why[0] == '\0');
}
END_TEST

START_TEST(asks_how_far_the_clock_errs)
{
    stage.cfg.clock_error_ns = 500;
    stage_run("expect: {time: ..1ms, margin: 500ns}\n" PLAIN);
    ck_assert_msg(stage.r.verdict == MRCT_PASS, "%s", stage.r.why);
    stage.cfg.clock_error_ns = 501;
    stage_run("expect: {time: ..1ms, margin: 500ns}\n" PLAIN);
    ck_assert_int_eq(stage.r.verdict, MRCT_INCONCLUSIVE);
    ck_assert_str_eq(stage.r.why,
                     "the harness's own clock may err by 501 ns, the margin is 500 ns");
    stage_run(PLAIN);
    ck_assert_int_eq(stage.r.verdict, MRCT_PASS);
}
END_TEST

/* A requirement that is broken in one run of many fails the case: chance is no excuse. */
START_TEST(one_broken_requirement_is_enough)
{
    stage.cfg.deviant = mrct_deviant_find("rtx-not-set");
    ck_assert_ptr_nonnull(stage.cfg.deviant);
    stage_run("repeat: {runs: 40, share: 10%}\nrandom: {loss: 0.5%}\n" PLAIN);
    ck_assert_int_eq(stage.r.verdict, MRCT_FAIL);
    ck_assert_msg(strncmp(stage.r.why, "REQ-7.4-01: ", 12) == 0, "%s", stage.r.why);
    ck_assert_uint_ge(stage.r.finding_count, 1);
}
END_TEST

static const struct {
    const char *more, *words;
} bad[] = {
    {"repeat: {runs: 10, share: 90%}\n" PLAIN, "10 runs that all pass show a share of 7224"},
    {"repeat: {runs: 10}\n" PLAIN, "'share' is missing"},
    {"repeat: {runs: 10, share: 10%, confidence: 50%}\n" PLAIN, "is none of 90%, 95%, 99%"},
    {"preamble: [{write: {size: 1, at: 1us}}]\n" PLAIN, "only the traffic itself has times"},
    {"expect: {time: 10us}\n" PLAIN, "a range like 10us..200us was expected"},
    {"expect: {time: 2us..1us}\n" PLAIN, "a range like 10us..200us was expected"},
    {"preamble: [{write: {size: 1}}]\nscript: |\n  0 post write len 3\n",
     "a script says 'preamble'"},
};

START_TEST(refuses_what_cannot_be)
{
    const int rc = mrct_case_load(&stage.c, scratch_case("t/run", bad[_i].more), "t/run", stage.err,
                                  sizeof stage.err);
    ck_assert_int_eq(rc, -1);
    ck_assert_msg(strstr(stage.err, bad[_i].words) != NULL, "%s", stage.err);
    mrct_case_init(&stage.c);
}
END_TEST

Suite *cases_phases_suite(void)
{
    Suite *const s = suite_create("phases");
    TCase *const t = tcase_create("phases");
    tcase_add_checked_fixture(t, stage_setup, stage_teardown);
    tcase_add_test(t, knows_wilsons_interval);
    tcase_add_loop_test(t, judges_phases_and_pace, 0, sizeof rows / sizeof rows[0]);
    tcase_add_test(t, asks_how_far_the_clock_errs);
    tcase_add_test(t, one_broken_requirement_is_enough);
    tcase_add_loop_test(t, refuses_what_cannot_be, 0, sizeof bad / sizeof bad[0]);
    suite_add_tcase(s, t);
    return s;
}
