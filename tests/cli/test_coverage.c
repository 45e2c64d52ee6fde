/* SPDX-License-Identifier: BSD-2-Clause */
/* Each kind of gap in a coverage that has none without it. */
#include "harness/cli/coverage.h"
#include "tests/cli/suites.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char *const none[] = {NULL}, *const one[] = {"one", NULL},
                         *const two[] = {"two", "three", NULL};

/* A copy of what has no gap, for a test to spoil. */
struct scene {
    struct mrc_requirement reqs[3];
    struct mrct_check_info checks[4];
    struct mrct_cov_case cases[2];
    struct mrct_cov_deviant deviants[3];
    struct mrct_cov_input in;
    struct mrct_cov_gap gaps[16];
    size_t gap_count;
};
static struct scene s;

static void set_up(void)
{
    static const char *const first[] = {"REQ-1-01"}, *const both[] = {"REQ-1-02", "REQ-1-01"};
    s = (struct scene){
        .reqs = {{.id = "REQ-1-01", .checks = one, .file = "a.yaml", .line = 3},
                 {.id = "REQ-1-02", .checks = two, .file = "a.yaml", .line = 9},
                 {.id = "REQ-1-03",
                  .checks = none,
                  .file = "b.yaml",
                  .line = 4,
                  .not_checked_why = "It is not seen."}},
        .checks = {{"one", "REQ-1-01", "c.c", 10},
                   {"two", "REQ-1-02", "c.c", 20},
                   {"three", "REQ-1-02", "c.c", 30}},
        .cases = {{"x/first", "cases/x/first.yaml", first, 1},
                  {"x/both", "cases/x/both.yaml", both, 2}},
        .deviants = {{"liar", "REQ-1-01"}, {"thief", "REQ-1-02"}},
    };
    s.in = (struct mrct_cov_input){s.reqs, 3, s.checks, 3, s.cases, 2, s.deviants, 2};
    s.gap_count = 0;
}

static void keep(void *user, const struct mrct_cov_gap *g)
{
    ck_assert_ptr_eq(user, &s);
    ck_assert_uint_lt(s.gap_count, COUNT(s.gaps));
    s.gaps[s.gap_count++] = *g;
}

static struct mrct_cov_counts compare(void)
{
    return mrct_cov_compare(&s.in, keep, &s);
}

static void expect_gap(size_t i, enum mrct_cov_gap_kind kind, const char *id, const char *name,
                       const char *file, int line)
{
    ck_assert_uint_lt(i, s.gap_count);
    const struct mrct_cov_gap *g = &s.gaps[i];
    ck_assert_int_eq(g->kind, kind);
    ck_assert_str_eq(g->requirement, id);
    ck_assert_pstr_eq(g->name, name);
    ck_assert_pstr_eq(g->file, file);
    ck_assert_int_eq(g->line, line);
}

START_TEST(a_reason_explains_a_gap)
{
    const struct mrct_cov_counts n = compare();
    ck_assert_uint_eq(n.requirements, 3);
    ck_assert_uint_eq(n.checked, 2);
    ck_assert_uint_eq(n.with_case, 2);
    ck_assert_uint_eq(n.with_deviant, 2);
    ck_assert_uint_eq(n.explained, 1);
    ck_assert_uint_eq(n.gaps, 0);
    expect_gap(0, MRCT_GAP_NOT_CHECKED, "REQ-1-03", NULL, "b.yaml", 4);
    ck_assert_str_eq(s.gaps[0].why, "It is not seen.");
}
END_TEST

START_TEST(check_that_is_not_in_the_oracle)
{
    s.in.check_count = 2;
    const struct mrct_cov_counts n = compare();
    ck_assert_uint_eq(n.gaps, 1);
    ck_assert_uint_eq(n.checked, 1);
    expect_gap(0, MRCT_GAP_CHECK_MISSING, "REQ-1-02", "three", "a.yaml", 9);
}
END_TEST

START_TEST(check_of_another_requirement)
{
    s.checks[0].requirement = "REQ-1-02";
    ck_assert_uint_eq(compare().gaps, 2);
    expect_gap(0, MRCT_GAP_CHECK_MISSING, "REQ-1-01", "one", "a.yaml", 3);
    expect_gap(2, MRCT_GAP_CHECK_UNKNOWN, "REQ-1-02", "one", "c.c", 10);
}
END_TEST

START_TEST(check_without_requirement)
{
    s.checks[3] = (struct mrct_check_info){"stray", "REQ-9-01", "c.c", 40};
    s.in.check_count = 4;
    ck_assert_uint_eq(compare().gaps, 1);
    expect_gap(1, MRCT_GAP_CHECK_UNKNOWN, "REQ-9-01", "stray", "c.c", 40);
}
END_TEST

START_TEST(requirement_without_case)
{
    s.cases[1].requirement_count = 0;
    struct mrct_cov_counts n = compare();
    ck_assert_uint_eq(n.gaps, 1);
    ck_assert_uint_eq(n.with_case, 1);
    expect_gap(0, MRCT_GAP_NO_CASE, "REQ-1-02", NULL, "a.yaml", 9);
    s.reqs[1].no_case_why = "Nothing provokes it.";
    n = compare();
    ck_assert_uint_eq(n.gaps, 0);
    ck_assert_uint_eq(n.explained, 2);
}
END_TEST

START_TEST(requirement_without_deviant)
{
    s.in.deviant_count = 1;
    struct mrct_cov_counts n = compare();
    ck_assert_uint_eq(n.gaps, 1);
    ck_assert_uint_eq(n.with_deviant, 1);
    expect_gap(0, MRCT_GAP_NO_DEVIANT, "REQ-1-02", NULL, "a.yaml", 9);
    s.reqs[1].no_deviant_why = "Nobody lies like that.";
    ck_assert_uint_eq(compare().gaps, 0);
}
END_TEST

START_TEST(reason_out_of_date)
{
    s.reqs[0].no_case_why = "Nothing provokes it.";
    s.reqs[1].no_deviant_why = "Nobody lies like that.";
    ck_assert_uint_eq(compare().gaps, 2);
    expect_gap(0, MRCT_GAP_REASON_STALE, "REQ-1-01", "no_case_why", "a.yaml", 3);
    expect_gap(1, MRCT_GAP_REASON_STALE, "REQ-1-02", "no_deviant_why", "a.yaml", 9);
}
END_TEST

START_TEST(deviant_without_requirement)
{
    s.deviants[2] = (struct mrct_cov_deviant){"stray", "REQ-9-01"};
    s.in.deviant_count = 3;
    ck_assert_uint_eq(compare().gaps, 1);
    expect_gap(1, MRCT_GAP_DEVIANT_UNKNOWN, "REQ-9-01", "stray", NULL, 0);
}
END_TEST

START_TEST(walks_name_all)
{
    size_t i = 0;
    ck_assert_str_eq(mrct_cov_next_case(&s.in, "REQ-1-01", &i)->id, "x/first");
    ck_assert_str_eq(mrct_cov_next_case(&s.in, "REQ-1-01", &i)->id, "x/both");
    ck_assert_ptr_null(mrct_cov_next_case(&s.in, "REQ-1-01", &i));
    i = 0;
    ck_assert_str_eq(mrct_cov_next_deviant(&s.in, "REQ-1-02", &i)->name, "thief");
    ck_assert_ptr_null(mrct_cov_next_deviant(&s.in, "REQ-1-02", &i));
    ck_assert_int_eq(mrct_cov_check(&s.in, "two")->line, 20);
    ck_assert_ptr_null(mrct_cov_check(&s.in, "four"));
    ck_assert_str_eq(mrct_cov_gap_str(MRCT_GAP_NO_CASE), "no case");
}
END_TEST

Suite *cli_coverage_suite(void)
{
    TCase *t = tcase_create("coverage");
    tcase_add_checked_fixture(t, set_up, NULL);
    tcase_add_test(t, a_reason_explains_a_gap);
    tcase_add_test(t, check_that_is_not_in_the_oracle);
    tcase_add_test(t, check_of_another_requirement);
    tcase_add_test(t, check_without_requirement);
    tcase_add_test(t, requirement_without_case);
    tcase_add_test(t, requirement_without_deviant);
    tcase_add_test(t, reason_out_of_date);
    tcase_add_test(t, deviant_without_requirement);
    tcase_add_test(t, walks_name_all);
    Suite *suite = suite_create("coverage");
    suite_add_tcase(suite, t);
    return suite;
}
