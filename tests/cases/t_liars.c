/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/liars.h"
#include "tests/cases/suites.h"

#include <stdio.h>
#include <string.h>

static const char good[] = "name: rtx-not-set\n"
                           "breaks: REQ-7.4-01\n"
                           "what: Retransmissions go out with RTX = 0.\n"
                           "role: requestor\n"
                           "cases: [a/b]\n"
                           "follows:\n"
                           "  - {requirement: REQ-7.4-02, reason: \"it follows\"}\n";

START_TEST(loads)
{
    char err[700] = "";
    struct mrct_liar l;
    const int rc = mrct_liar_load(&l, scratch_file("d.yaml", good), err, sizeof err);
    ck_assert_msg(rc == 0, "%s", err);
    ck_assert_str_eq(l.breaks, "REQ-7.4-01");
    ck_assert_int_eq(l.role, MRCT_DEVICE_REQUESTOR);
    ck_assert_uint_eq(l.case_count, 1);
    ck_assert_uint_eq(l.follow_count, 1);
    ck_assert_str_eq(l.follows[0].requirement, "REQ-7.4-02");
    ck_assert_str_eq(l.deviant->name, "rtx-not-set");
    mrct_pool_fini(&l.pool);
}
END_TEST

static const struct {
    const char *text, *sentence;
} faults[] = {
    {"name: x\n", ":1: the key 'breaks' is missing"},
    {"name: nobody\nbreaks: REQ-6-01\nwhat: w\nrole: requestor\ncases: [a/b]\n",
     ":1: name: there is no deviant 'nobody'"},
    {"name: rtx-not-set\nbreaks: REQ-6-01\nwhat: w\nrole: requestor\ncases: [a/b]\n",
     ":2: breaks: the deviant itself says REQ-7.4-01"},
    {"name: rtx-not-set\nbreaks: REQ-9999-01\n",
     ":2: breaks: 'REQ-9999-01' is no known requirement"},
    {"name: rtx-not-set\nbreaks: REQ-7.4-01\nwhat: w\nrole: requestor\ncases: []\n",
     ":5: cases: at least one id was expected"},
    {"name: rtx-not-set\nfollows: [{requirement: REQ-6-01}]\n", ":2: the key 'reason' is missing"},
    {"name: rtx-not-set\nrole: both\n", ":2: role: 'both' is none of requestor, responder"},
};

START_TEST(refuses)
{
    char err[700] = "";
    char want[900];
    struct mrct_liar l;
    const char *const path = scratch_file("d.yaml", faults[_i].text);
    ck_assert_int_eq(mrct_liar_load(&l, path, err, sizeof err), -1);
    (void)snprintf(want, sizeof want, "%s%s", path, faults[_i].sentence);
    ck_assert_str_eq(err, want);
}
END_TEST

START_TEST(every_deviant_has_a_file)
{
    char err[700] = "";
    struct mrct_plan plan;
    struct mrct_liars l;
    (void)scratch_case("a/b", "traffic: []\n");
    (void)scratch_file("deviants/d.yaml", good);
    ck_assert_int_eq(mrct_plan_load(&plan, scratch_path("."), err, sizeof err), 0);
    ck_assert_int_eq(mrct_liars_load(&l, scratch_path("."), &plan, err, sizeof err), -1);
    ck_assert_ptr_nonnull(strstr(err, "has no file"));
    mrct_plan_fini(&plan);
}
END_TEST

START_TEST(its_cases_exist)
{
    char err[700] = "";
    struct mrct_plan plan;
    struct mrct_liars l;
    (void)scratch_case("a/c", "traffic: []\n");
    (void)scratch_file("deviants/d.yaml", good);
    ck_assert_int_eq(mrct_plan_load(&plan, scratch_path("."), err, sizeof err), 0);
    ck_assert_int_eq(mrct_liars_load(&l, scratch_path("."), &plan, err, sizeof err), -1);
    ck_assert_ptr_nonnull(strstr(err, "d.yaml: cases: there is no case 'a/b'"));
    mrct_plan_fini(&plan);
}
END_TEST

/* One finding of a made-up result. */
struct told {
    enum mrct_finding_kind kind;
    const char *requirement, *host;
    uint64_t time_ns;
};
#define FAIL MRCT_FINDING_FAIL

static const struct {
    enum mrct_verdict verdict;
    struct told told[3];
    enum mrct_liar_end end;
} ends[] = {
    {MRCT_PASS, {{0}}, MRCT_LIAR_ALIVE},
    {MRCT_INCONCLUSIVE, {{0}}, MRCT_LIAR_ALIVE},
    {MRCT_ERROR, {{FAIL, "REQ-7.4-01", "host1", 1}}, MRCT_LIAR_HARNESS},
    {MRCT_FAIL, {{FAIL, "REQ-7.4-01", "host1", 5}}, MRCT_LIAR_NAMED},
    {MRCT_FAIL, {{0}}, MRCT_LIAR_MISNAMED},
    {MRCT_FAIL,
     {{FAIL, "REQ-6-01", "host1", 4}, {FAIL, "REQ-7.4-01", "host1", 5}},
     MRCT_LIAR_MISNAMED},
    {MRCT_FAIL,
     {{FAIL, "REQ-7.4-02", "host1", 5}, {FAIL, "REQ-7.4-01", "host1", 5}},
     MRCT_LIAR_NAMED},
    {MRCT_FAIL,
     {{FAIL, "REQ-7.4-01", "host1", 5}, {FAIL, "REQ-6-01", "host1", 6}},
     MRCT_LIAR_UNEXPLAINED},
    {MRCT_FAIL,
     {{FAIL, "REQ-6-01", "host2", 1}, {FAIL, "REQ-7.4-01", "host1", 5}},
     MRCT_LIAR_NAMED},
    {MRCT_PASS, {{MRCT_FINDING_WARN, "REQ-7.4-01", "host1", 5}}, MRCT_LIAR_NAMED},
    {MRCT_PASS, {{MRCT_FINDING_INCONCLUSIVE, "REQ-7.4-01", "host1", 5}}, MRCT_LIAR_ALIVE},
};

START_TEST(judges)
{
    char err[700] = "";
    char words[400];
    struct mrct_liar l;
    struct mrct_case c;
    struct mrct_result_finding findings[3];
    struct mrct_result_case r = {.verdict = ends[_i].verdict, .findings = findings};
    ck_assert_int_eq(mrct_liar_load(&l, scratch_file("d.yaml", good), err, sizeof err), 0);
    mrct_case_init(&c);
    for (; r.finding_count < 3 && ends[_i].told[r.finding_count].host != NULL; r.finding_count++) {
        const struct told *const t = &ends[_i].told[r.finding_count];
        findings[r.finding_count] =
            (struct mrct_result_finding){.f = {.kind = t->kind,
                                               .requirement = t->requirement,
                                               .host = t->host,
                                               .time_ns = t->time_ns}};
    }
    ck_assert_int_eq(mrct_liar_judge(&l, &c, &r, words, sizeof words), ends[_i].end);
    ck_assert_int_eq(words[0] == '\0', ends[_i].end == MRCT_LIAR_NAMED);
    mrct_case_fini(&c);
    mrct_pool_fini(&l.pool);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *cases_liars_suite(void)
{
    Suite *const s = suite_create("liars");
    TCase *const t = tcase_create("liars");
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_test(t, loads);
    tcase_add_loop_test(t, refuses, 0, ROWS(faults));
    tcase_add_test(t, every_deviant_has_a_file);
    tcase_add_test(t, its_cases_exist);
    tcase_add_loop_test(t, judges, 0, ROWS(ends));
    suite_add_tcase(s, t);
    return s;
}
