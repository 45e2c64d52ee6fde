/* SPDX-License-Identifier: BSD-2-Clause */
/* Known failures, PICS and PIXIT: what is read, what is refused, and what contradicts. */
#include "harness/cases/claims.h"
#include "tests/cases/suites.h"

#include <string.h>

static struct mrct_plan plan;
static struct mrct_claims claims;
static char err[700];

static void setup(void)
{
    scratch_setup();
    (void)scratch_case("one/first", "traffic: [{write: {size: 1}}]\n");
    (void)scratch_case("one/second", "traffic: [{write: {size: 1}}]\n");
    ck_assert_int_eq(mrct_plan_load(&plan, scratch_path(""), err, sizeof err), 0);
}

static void teardown(void)
{
    mrct_plan_fini(&plan);
    scratch_teardown();
}

static int load(const char *text)
{
    return mrct_claims_load(&claims, scratch_file("device.txt", text), &plan, err, sizeof err);
}

START_TEST(knows_dates)
{
    ck_assert_int_eq(mrct_known_date("2027-01-31"), 20270131);
    ck_assert_int_eq(mrct_known_date("2028-02-29"), 20280229);
    static const char *const bad[] = {"2027-02-29", "2027-13-01", "2027-00-01",  "2027-01-00",
                                      "2027-1-1",   "27-01-31",   "2027-01-31x", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_int_eq(mrct_known_date(bad[i]), 0);
    }
    ck_assert_int_eq(mrct_known_day(0), 19700101);
    ck_assert_int_eq(mrct_known_day(1801353599), 20270130);
    ck_assert_int_eq(mrct_known_day(1801353600), 20270131);
}
END_TEST

/* ---- known failures over made-up results ---- */

#define ENTRY "name: nic\nfirmware: 1.2.3\nknown_failures:\n  - "
static const struct {
    const char *entry;
    enum mrct_verdict verdict;
    const char *found; /* requirement of a finding, or NULL */
    bool known;
    const char *problem; /* words of it, or NULL */
} rows[] = {
    {"{case: one/first, reason: r, expires: 2027-01-31}", MRCT_FAIL, "REQ-7.4-01", true, NULL},
    {"{case: one/first, reason: r, expires: 2027-01-30}", MRCT_FAIL, "REQ-7.4-01", true, NULL},
    {"{case: one/first, reason: r, expires: 2027-01-29}", MRCT_FAIL, "REQ-7.4-01", false,
     "line 4 (one/first) has expired: it held until 2027-01-29"},
    {"{case: one/first, reason: r, expires: 2027-01-31}", MRCT_PASS, NULL, false,
     "unexpected pass"},
    {"{case: one/first, reason: r, expires: 2027-01-31}", MRCT_INCONCLUSIVE, NULL, false, NULL},
    {"{case: one/first, reason: r, expires: 2027-01-31}", MRCT_NOT_APPLICABLE, NULL, false, NULL},
    {"{case: one/first, reason: r, firmware: '1.2*', expires: 2027-01-31}", MRCT_FAIL, NULL, true,
     NULL},
    {"{case: one/first, reason: r, firmware: '1.3*', expires: 2027-01-31}", MRCT_FAIL, NULL, false,
     NULL},
    {"{case: one/first, reason: r, firmware: '1.3*', expires: 2027-01-31}", MRCT_PASS, NULL, false,
     NULL},
    {"{case: one/first, requirement: REQ-7.4-01, reason: r, expires: 2027-01-31}", MRCT_FAIL,
     "REQ-7.4-01", true, NULL},
    {"{case: one/first, requirement: REQ-7.4-01, reason: r, expires: 2027-01-31}", MRCT_FAIL,
     "REQ-7.4-03", false, "unexpected pass"},
    {"{case: one/first, requirement: REQ-7.4-01, reason: r, expires: 2027-01-31}", MRCT_FAIL, NULL,
     false, "unexpected pass"},
    {"{case: 'one/*', reason: r, expires: 2027-01-31}", MRCT_FAIL, NULL, true, NULL},
};

START_TEST(applies_known_failures)
{
    char text[300];
    (void)snprintf(text, sizeof text, ENTRY "%s\n", rows[_i].entry);
    ck_assert_msg(load(text) == 0, "%s", err);
    struct mrct_result_finding finding = {
        .f = {.requirement = rows[_i].found, .kind = MRCT_FINDING_FAIL}};
    struct mrct_result_case cases[2] = {{.id = "one/first", .verdict = rows[_i].verdict},
                                        {.id = "one/second", .verdict = MRCT_PASS}};
    cases[0].findings = &finding;
    cases[0].finding_count = rows[_i].found != NULL;
    struct mrct_result_run run = {.cases = cases, .case_count = 2};
    ck_assert_int_eq(mrct_known_apply(&claims.known, &run, claims.firmware, 20270130, &claims.pool),
                     0);
    ck_assert_int_eq(cases[0].known != NULL, rows[_i].known);
    ck_assert_uint_eq(run.problem_count, rows[_i].problem != NULL);
    if (rows[_i].problem != NULL) {
        ck_assert_msg(strstr(run.problems[0], rows[_i].problem) != NULL, "%s", run.problems[0]);
    }
    const bool fails =
        rows[_i].problem != NULL || (rows[_i].verdict == MRCT_FAIL && !rows[_i].known);
    ck_assert_int_eq(mrct_result_exit_status(&run) == MRCT_EXIT_FAIL, fails);
    mrct_claims_fini(&claims);
}
END_TEST

/* ---- what is refused ---- */

static const struct {
    const char *text, *words;
} bad[] = {
    {"nam: x\n", "nam"},
    {"capabilities: [flying]\n", ":1: capabilities: 'flying' is none that cases ask for"},
    {"capabilities: [tseth, tseth]\n", "'tseth' stands there twice"},
    {"pics: {roles: [switch]}\n", "roles: requestor and responder were expected"},
    {"pics: {roles: []}\n", "requestor, responder or both"},
    {"pics: {requirements: {REQ-1-99: yes}}\n", "there is no requirement 'REQ-1-99'"},
    {"pics: {requirements: {REQ-7.4-01: perhaps}}\n", "yes, no, n/a or \"?\" was expected"},
    {"pixit: {colour: red}\n", "'colour' is no parameter of the proforma"},
    {"pixit: {path_mtu: 9000}\n", "path_mtu: a number of 256 to 4096 was expected"},
    {"pixit: {trim_nack: 3}\n", "trim_nack: true or false was expected"},
    {"pixit: {clock_error: 3}\n", "clock_error: a time like 2us was expected"},
    {"known_failures: [{case: one/first, reason: r}]\n", "'expires' is missing"},
    {"known_failures: [{case: one/first, expires: 2027-01-31}]\n", "'reason' is missing"},
    {"known_failures: [{case: one/third, reason: r, expires: 2027-01-31}]\n",
     "'one/third' is none of the 2 cases"},
    {"known_failures: [{case: one/first, reason: r, expires: soon}]\n",
     "a date like 2027-01-31 was expected"},
    {"known_failures: [{case: one/first, requirement: X, reason: r, expires: 2027-01-31}]\n",
     "there is no 'X'"},
};

START_TEST(refuses_what_it_does_not_know)
{
    ck_assert_int_eq(load(bad[_i].text), -1);
    ck_assert_msg(strstr(err, bad[_i].words) != NULL, "%s", err);
    ck_assert_ptr_nonnull(strstr(err, "device.txt:"));
}
END_TEST

/* ---- the review ---- */

static char said[2000];

static void say(void *user, const char *words)
{
    (void)user;
    const size_t used = strlen(said);
    (void)snprintf(said + used, sizeof said - used, "%s\n", words);
}

static const struct {
    const char *text, *words; /* NULL: nothing contradicts */
} reviews[] = {
    {"capabilities: [trimming, trim_nack]\n", NULL},
    {"capabilities: [trimming]\n", "'trimming' is declared and 'trim_nack' is not"},
    {"capabilities: [trim_nack]\n", "'trim_nack' is declared and 'trimming' is not"},
    {"pics: {requirements: {REQ-7.4-01: yes}}\n", NULL},
    {"pics: {requirements: {REQ-7.4-01: no}}\n", "REQ-7.4-01 is MUST and is answered no"},
    {"pics: {requirements: {REQ-7.4-01: n/a}}\n", "REQ-7.4-01 is MUST and is answered n/a"},
    {"pics: {roles: [responder], requirements: {REQ-7.4-01: n/a}}\n", NULL},
    {"pics: {roles: [responder], requirements: {REQ-7.4-01: yes}}\n", "no role of this device"},
    {"pics: {requirements: {REQ-7.4-05: no}}\n", NULL}, /* SHOULD NOT */
    {"capabilities: [tseth]\npics: {requirements: {REQ-7.5-01: yes}}\n",
     "its capability 'trim_nack' is not declared"},
    {"capabilities: [tseth]\npics: {requirements: {REQ-7.5-01: no}}\n", NULL},
    {"capabilities: [tseth]\npixit: {trim_nack: true}\n", "'trim_nack' is not declared"},
    {"capabilities: [dynamic_mpr]\npixit: {dynamic_mpr: false}\n", "'dynamic_mpr' is declared"},
    {"capabilities: [dynamic_mpr]\npixit: {dynamic_mpr: true, max_wimm: 32}\n",
     "'max_wimm: 32', and the capability 'write_imm' is not declared"},
};

START_TEST(finds_contradictions)
{
    said[0] = '\0';
    ck_assert_msg(load(reviews[_i].text) == 0, "%s", err);
    const struct mrct_claims_review sum = mrct_claims_review(&claims, say, NULL);
    ck_assert_msg((sum.contradictions > 0) == (reviews[_i].words != NULL), "%s", said);
    ck_assert_msg(reviews[_i].words == NULL || strstr(said, reviews[_i].words) != NULL, "%s", said);
    struct mrct_result_run run = {.case_count = 0};
    ck_assert_int_eq(mrct_claims_apply(&claims, &run, &claims.pool), 0);
    ck_assert_uint_eq(run.problem_count, sum.contradictions);
    mrct_claims_fini(&claims);
}
END_TEST

/* The proforma reads back, all of it open and none of it wrong; layout does not change a hash. */
START_TEST(makes_a_proforma)
{
    FILE *const f = fopen(scratch_path("proforma.txt"), "wb");
    ck_assert_ptr_nonnull(f);
    mrct_claims_proforma(f, "1");
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_msg(mrct_claims_load(&claims, scratch_path("proforma.txt"), &plan, err, sizeof err) ==
                      0,
                  "%s", err);
    const struct mrct_claims_review sum = mrct_claims_review(&claims, say, NULL);
    ck_assert_uint_eq(sum.contradictions, 0);
    ck_assert_uint_gt(sum.open, 150);
    ck_assert_uint_eq(strlen(claims.pics_hash), 16);
    mrct_claims_fini(&claims);
    char hash[17];
    ck_assert_int_eq(load("pixit: {path_mtu: 512, mpr: 8}\n"), 0);
    strcpy(hash, claims.pixit_hash);
    mrct_claims_fini(&claims);
    ck_assert_int_eq(load("# words\npixit:\n  path_mtu: 512\n  mpr: 8\n"), 0);
    ck_assert_str_eq(hash, claims.pixit_hash);
    mrct_claims_fini(&claims);
    ck_assert_int_eq(load("pixit: {path_mtu: 512, mpr: 9}\n"), 0);
    ck_assert_str_ne(hash, claims.pixit_hash);
    ck_assert_str_eq(claims.pics_hash, "");
    mrct_claims_fini(&claims);
}
END_TEST

Suite *cases_claims_suite(void)
{
    Suite *const s = suite_create("claims");
    TCase *const t = tcase_create("claims");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, knows_dates);
    tcase_add_loop_test(t, applies_known_failures, 0, sizeof rows / sizeof rows[0]);
    tcase_add_loop_test(t, refuses_what_it_does_not_know, 0, sizeof bad / sizeof bad[0]);
    tcase_add_loop_test(t, finds_contradictions, 0, sizeof reviews / sizeof reviews[0]);
    tcase_add_test(t, makes_a_proforma);
    suite_add_tcase(s, t);
    return s;
}
