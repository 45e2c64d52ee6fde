/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts and exit statuses: what is worse, what counts, and what nothing at all means. */
#include "harness/report/result.h"
#include "tests/report/suites.h"

static struct mrct_result_case cases[4];

static struct mrct_result_run run_of(const enum mrct_verdict *v, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cases[i] = (struct mrct_result_case){.id = "x", .section = "7", .verdict = v[i]};
    return (struct mrct_result_run){.cases = cases, .case_count = count};
}

static const struct {
    enum mrct_verdict cases[4];
    size_t count;
    int status;
    enum mrct_verdict verdict;
} rows[] = {
    {{MRCT_PASS}, 0, 4, MRCT_NOT_APPLICABLE},
    {{MRCT_PASS}, 1, 0, MRCT_PASS},
    {{MRCT_NOT_APPLICABLE}, 1, 0, MRCT_NOT_APPLICABLE},
    {{MRCT_PASS, MRCT_NOT_APPLICABLE}, 2, 0, MRCT_PASS},
    {{MRCT_PASS, MRCT_INCONCLUSIVE, MRCT_NOT_APPLICABLE}, 3, 5, MRCT_INCONCLUSIVE},
    {{MRCT_FAIL, MRCT_INCONCLUSIVE, MRCT_PASS}, 3, 1, MRCT_FAIL},
    {{MRCT_INCONCLUSIVE, MRCT_FAIL, MRCT_PASS}, 3, 1, MRCT_FAIL},
    {{MRCT_ERROR, MRCT_FAIL, MRCT_INCONCLUSIVE, MRCT_PASS}, 4, 3, MRCT_ERROR},
    {{MRCT_PASS, MRCT_INCONCLUSIVE, MRCT_FAIL, MRCT_ERROR}, 4, 3, MRCT_ERROR},
    {{MRCT_INCONCLUSIVE, MRCT_ERROR}, 2, 3, MRCT_ERROR},
};

START_TEST(gives_the_exit_status)
{
    const struct mrct_result_run run = run_of(rows[_i].cases, rows[_i].count);
    ck_assert_int_eq(mrct_result_exit_status(&run), rows[_i].status);
    ck_assert_int_eq(mrct_result_verdict(&run), rows[_i].verdict);
}
END_TEST

/* A warning changes no verdict and no status. */
START_TEST(lets_warnings_pass)
{
    static const enum mrct_verdict pass[] = {MRCT_PASS};
    struct mrct_result_finding warn = {.f = {.requirement = "R", .kind = MRCT_FINDING_WARN}};
    const struct mrct_result_run run = run_of(pass, 1);
    cases[0].findings = &warn;
    cases[0].finding_count = 1;
    ck_assert_int_eq(mrct_result_exit_status(&run), 0);
    ck_assert_uint_eq(mrct_result_count_findings(&run, MRCT_FINDING_WARN, NULL), 1);
    ck_assert_uint_eq(mrct_result_count_findings(&run, MRCT_FINDING_WARN, "R"), 1);
    ck_assert_uint_eq(mrct_result_count_findings(&run, MRCT_FINDING_WARN, "other"), 0);
    ck_assert_uint_eq(mrct_result_count_findings(&run, MRCT_FINDING_FAIL, NULL), 0);
}
END_TEST

START_TEST(counts_by_verdict)
{
    const struct mrct_result_run run = run_of(rows[7].cases, rows[7].count);
    const struct mrct_result_counts n = mrct_result_count_cases(&run);
    ck_assert_uint_eq(n.n[MRCT_PASS], 1);
    ck_assert_uint_eq(n.n[MRCT_FAIL], 1);
    ck_assert_uint_eq(n.n[MRCT_ERROR], 1);
    ck_assert_uint_eq(n.n[MRCT_INCONCLUSIVE], 1);
    ck_assert_uint_eq(n.n[MRCT_NOT_APPLICABLE], 0);
}
END_TEST

/* Of any two the worse, whichever comes first. */
START_TEST(never_softens)
{
    for (int a = MRCT_PASS; a <= MRCT_ERROR; a++)
        for (int b = MRCT_PASS; b <= MRCT_ERROR; b++) {
            const enum mrct_verdict w =
                mrct_verdict_worse((enum mrct_verdict)a, (enum mrct_verdict)b);
            ck_assert_int_eq(w, a > b ? a : b);
        }
}
END_TEST

Suite *report_result_suite(void)
{
    Suite *const s = suite_create("result");
    TCase *const t = tcase_create("result");
    tcase_add_loop_test(t, gives_the_exit_status, 0, (int)(sizeof(rows) / sizeof(rows[0])));
    tcase_add_test(t, lets_warnings_pass);
    tcase_add_test(t, counts_by_verdict);
    tcase_add_test(t, never_softens);
    suite_add_tcase(s, t);
    return s;
}
