/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/plan.h"
#include "tests/cases/suites.h"

#include <stdio.h>
#include <string.h>

static void write_case(const char *id, const char *device, const char *requirements,
                       const char *more)
{
    char name[100];
    char text[700];
    (void)snprintf(name, sizeof name, "%s.yaml", id);
    (void)snprintf(text, sizeof text,
                   "id: %s\ntitle: t\npurpose: p\nrequirements: [%s]\ndevice: %s\n"
                   "traffic: []\n%s",
                   id, requirements, device, more);
    (void)scratch_file(name, text);
}

static struct mrct_plan plan;

static void setup(void)
{
    char err[700] = "";
    scratch_setup();
    write_case("sack/on-ce", "responder", "REQ-7.5.2-02", "");
    write_case("sack/on-a", "responder", "REQ-7.5.2-01", "positive: sack/on-ce\n");
    write_case("message/one", "both", "REQ-5.1-01, REQ-7.5.2-01", "");
    write_case("timeout/linear", "requestor", "REQ-7.4-12", "");
    (void)scratch_file("deviants/liar.yaml", "not: a case\n");
    (void)scratch_file("sack/notes.txt", "no case either\n");
    (void)scratch_file("README", "nor this\n");
    const int rc = mrct_plan_load(&plan, scratch_path(""), err, sizeof err);
    ck_assert_msg(rc == 0, "%s", err);
}

static void teardown(void)
{
    mrct_plan_fini(&plan);
    scratch_teardown();
}

START_TEST(loads_in_the_order_of_ids)
{
    static const char *const ids[] = {"message/one", "sack/on-a", "sack/on-ce", "timeout/linear"};
    ck_assert_uint_eq(plan.count, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(plan.cases[i].id, ids[i]);
        ck_assert(plan.taken[i]);
    }
    ck_assert_ptr_eq(mrct_plan_find(&plan, "sack/on-ce"), &plan.cases[2]);
    ck_assert_ptr_null(mrct_plan_find(&plan, "sack/on"));
}
END_TEST

#define ANY (-1)
static const struct {
    const char *globs[3], *section, *requirement;
    int role;
    const char *taken; /* one letter a case, in order */
} selections[] = {
    {{NULL}, NULL, NULL, ANY, "1111"},
    {{"sack/on-ce"}, NULL, NULL, ANY, "0010"},
    {{"sack/*"}, NULL, NULL, ANY, "0110"},
    {{"sack/on-?", "timeout/*"}, NULL, NULL, ANY, "0101"},
    {{"*"}, NULL, NULL, ANY, "1111"},
    {{"none"}, NULL, NULL, ANY, "0000"},
    {{NULL}, "sack", NULL, ANY, "0110"},
    {{NULL}, "7.5.2", NULL, ANY, "1110"},
    {{NULL}, "7.5", NULL, ANY, "0000"},
    {{NULL}, NULL, "REQ-7.5.2-01", ANY, "1100"},
    {{NULL}, NULL, NULL, MRCT_DEVICE_REQUESTOR, "1001"},
    {{NULL}, NULL, NULL, MRCT_DEVICE_RESPONDER, "1110"},
    {{"sack/*"}, NULL, "REQ-7.5.2-01", MRCT_DEVICE_RESPONDER, "0100"},
};

START_TEST(selects)
{
    struct mrct_selection s = {.globs = selections[_i].globs,
                               .section = selections[_i].section,
                               .requirement = selections[_i].requirement,
                               .role = selections[_i].role};
    while (s.globs[s.glob_count] != NULL) {
        s.glob_count++;
    }
    const size_t n = mrct_plan_select(&plan, &s);
    size_t want = 0;
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(plan.taken[i], selections[_i].taken[i] == '1');
        want += selections[_i].taken[i] == '1';
    }
    ck_assert_uint_eq(n, want);
}
END_TEST

START_TEST(one_bad_case_is_an_error)
{
    char err[700] = "";
    struct mrct_plan bad;
    (void)scratch_file("sack/broken.yaml", "id: sack/broken\ncolour: red\n");
    ck_assert_int_eq(mrct_plan_load(&bad, scratch_path(""), err, sizeof err), -1);
    ck_assert_ptr_nonnull(strstr(err, "sack/broken.yaml:2: unknown key 'colour'"));
    ck_assert_ptr_null(bad.cases);
}
END_TEST

START_TEST(twins_exist)
{
    char err[700] = "";
    struct mrct_plan bad;
    write_case("sack/lonely", "both", "REQ-6-01", "positive: sack/away\n");
    ck_assert_int_eq(mrct_plan_load(&bad, scratch_path(""), err, sizeof err), -1);
    ck_assert_ptr_nonnull(strstr(err, "positive: there is no case 'sack/away'"));
}
END_TEST

START_TEST(directory)
{
    char buf[600];
    char err[700] = "";
    struct mrct_plan none;
    ck_assert_int_eq(mrct_plan_dir(scratch_path("sack"), buf, sizeof buf), 0);
    ck_assert_str_eq(buf, scratch_path("sack"));
    ck_assert_int_eq(mrct_plan_dir(scratch_path("README"), buf, sizeof buf), -1);
    ck_assert_int_eq(mrct_plan_dir(scratch_path("away"), buf, sizeof buf), -1);
    ck_assert_int_eq(mrct_plan_load(&none, scratch_path("away"), err, sizeof err), -1);
    ck_assert_ptr_nonnull(strstr(err, "away: No such file or directory"));
}
END_TEST

Suite *cases_plan_suite(void)
{
    Suite *const s = suite_create("plan");
    TCase *const t = tcase_create("plan");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, loads_in_the_order_of_ids);
    tcase_add_loop_test(t, selects, 0, (int)(sizeof selections / sizeof selections[0]));
    tcase_add_test(t, one_bad_case_is_an_error);
    tcase_add_test(t, twins_exist);
    tcase_add_test(t, directory);
    suite_add_tcase(s, t);
    return s;
}
