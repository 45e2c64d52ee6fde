/* SPDX-License-Identifier: BSD-2-Clause */
/* One fault at a time in files that are good without it: the message, to the letter. */
#include "spec/load/spec.h"
#include "tests/req/scratch.h"
#include "tests/req/suites.h"

#include <stdlib.h>
#include <string.h>

struct fault {
    const char *find, *replace;
    const char *message; /* without the file's name, from the line on */
};

/* clang-format off */
static const struct fault in_requirements[] = {
    {"REQ-3.1-01", "REQ-3.1-02",
     "20: id 'REQ-3.1-02' stands already at req/a.yaml:5"},
    {"REQ-3.1-02", "REQ-3.2-02",
     "5: expected an id of the form REQ-3.1-NN, found 'REQ-3.2-02'"},
    {"REQ-3.1-02", "REQ-3.1-2",
     "5: expected an id of the form REQ-3.1-NN, found 'REQ-3.1-2'"},
    {"REQ-3.1-02", "RULE-3.1-02",
     "5: expected an id of the form REQ-3.1-NN, found 'RULE-3.1-02'"},
    {"    level: SHOULD\n", "    levle: SHOULD\n",
     "21: unknown key 'levle'"},
    {"level: MUST NOT", "level: SHALL",
     "6: expected one of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY as level, found 'SHALL'"},
    {"level: MUST NOT", "level: [MUST]",
     "6: expected one of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY as level, found 'no text'"},
    {"role: any", "role: switch",
     "22: expected one of any, requestor, responder, node as role, found 'switch'"},
    {"evidence: S", "evidence: Q",
     "23: expected one of C, S, U, I as evidence, found 'Q'"},
    {"twice.", "twice",
     "10: expected a sentence that ends with a period as the text of REQ-3.1-02"},
    {"    text: Something is so.\n", "",
     "20: 'text' is missing"},
    {"text: Something is so.", "text: \"\"",
     "24: 'text' must be a text"},
    {"[requestor]", "[cable]",
     "25: expected one of requestor, responder, middle as tap, found 'cable'"},
    {"    taps: [requestor]\n", "",
     "20: 'taps' is missing"},
    {"[responder, middle]", "[middle, middle]",
     "13: 'middle' stands twice in 'taps'"},
    {"decided_by: frames", "decided_by: luck",
     "26: expected one of frames, events as decided_by, found 'luck'"},
    {"[mpr, start_psn]", "[mpr, speed]",
     "15: expected one of path_mtu, udp_ports, dscp, hosts, qpn, peer_qpn, start_psn, mpr, "
     "max_wimm, trim_nack, svc_time, dynamic_mpr, timeout, linear_cnt, exp_cnt, exp_ceiling_ns, "
     "sack_threshold, ev_min_active as fact, found 'speed'"},
    {"TRIM_NACK", "TRIMMING",
     "16: expected one of TRIM_NACK, DYNAMIC_MPR, SVC_TIME as capability, found 'TRIMMING'"},
    {"question: Q2", "question: Q9",
     "17: expected the id of an open question, found 'Q9'"},
    {"    question: Q2\n", "",
     "17: 'reading_verdicts' stands without a 'question'"},
    {"    reading_verdicts: {a: pass, b: fail, c: pass}\n", "",
     "5: expected 'reading_verdicts' with a verdict for each of the 3 readings of Q2"},
    {"b: fail, c: pass", "b: fail",
     "18: expected 'reading_verdicts' with a verdict for each of the 3 readings of Q2"},
    {"c: pass", "d: pass",
     "18: expected a verdict for reading 'c' of Q2"},
    {"c: pass", "c: perhaps",
     "18: expected one of pass, fail as verdict, found 'perhaps'"},
    {"twice]", "Twice]",
     "19: expected a check's name of small letters, digits and single hyphens, found 'Twice'"},
    {"twice]", "-twice]",
     "19: expected a check's name of small letters, digits and single hyphens, found '-twice'"},
    {"[nothing-happens, twice]", "[twice, twice]",
     "19: 'twice' stands twice in 'checks'"},
    {"not_checked_why: It does not show.", "checks: [twice]",
     "20: check 'twice' of REQ-3.1-01 is named already by REQ-3.1-02 at req/a.yaml:5"},
    {"    not_checked_why: It does not show.\n", "",
     "20: REQ-3.1-01 needs either 'checks' or 'not_checked_why'"},
    {"checks: [nothing", "not_checked_why: So.\n    checks: [nothing",
     "5: REQ-3.1-02 needs either 'checks' or 'not_checked_why'"},
    {"[mpr, start_psn]", "[]",
     "15: expected a list of 1 to 8 in 'facts'"},
    {"[mpr, start_psn]", "mpr",
     "15: expected a list of 1 to 8 in 'facts'"},
    {"section: \"3.1\"", "section: \"3..1\"",
     "2: expected a section number such as 7.5.2, found '3..1'"},
    {"title: Examples\n", "",
     "2: 'title' is missing"},
    {"requirements:", "requirement:",
     "4: unknown key 'requirement'"},
    {"[responder, middle]", "[responder, middle",
     "14: did not find expected ',' or ']'"},
    {"    role: any\n", "    role: any\n    role: any\n",
     "23: key 'role' given twice"},
};
static const struct fault in_questions[] = {
    {"id: Q1", "id: Q3",
     "3: expected question Q1 here, found 'Q3'"},
    {"id: Q1", "id: X1",
     "3: expected an id from Q1 to Q63, found 'X1'"},
    {"id: Q1", "id: Q01",
     "3: expected an id from Q1 to Q63, found 'Q01'"},
    {"id: Q1", "id: Q64",
     "3: expected an id from Q1 to Q63, found 'Q64'"},
    {"default: a", "default: d",
     "8: expected a reading of Q1 as its default, found 'd'"},
    {"      b: That.\n", "",
     "6: expected 2 to 4 readings in 'Q1'"},
    {"      a: This.\n      b: That.\n", "      b: That.\n      a: This.\n",
     "6: expected reading 'a', found 'b'"},
    {"    text: Which?\n", "",
     "3: 'text' is missing"},
    {"note:", "nota:",
     "16: unknown key 'nota'"},
    {"questions:\n", "question:\n",
     "2: unknown key 'question'"},
    {"a: This.", "a: \"\"",
     "6: expected the text of reading 'a'"},
    {"    default: c\n", "",
     "9: 'default' is missing"},
};
/* clang-format on */

static void expect_error(const char *path, const char *message)
{
    struct mrc_spec s;
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), -1);
    ck_assert_uint_ge(s.error_count, 1);
    ck_assert_int_eq(strncmp(s.errors[0], path, strlen(path)), 0);
    ck_assert_int_eq(s.errors[0][strlen(path)], ':');
    ck_assert_str_eq(s.errors[0] + strlen(path) + 1, message);
    mrc_spec_fini(&s);
}

/* The fault is put into the file at path; the other one is left good. */
static void try_fault(const struct fault *f, const char *path, const char *other)
{
    char *reqs = scratch_read("tests/data/spec/requirements.yaml");
    char *questions = scratch_read("tests/data/spec/questions.yaml");
    const bool in_question = strcmp(path, "q.yaml") == 0;
    char *bad = scratch_replace(in_question ? questions : reqs, f->find, f->replace);
    scratch_enter();
    scratch_write(path, bad);
    scratch_write(other, in_question ? reqs : questions);
    expect_error(path, f->message);
    scratch_leave();
    free(bad);
    free(reqs);
    free(questions);
}

START_TEST(requirement_faults)
{
    try_fault(&in_requirements[_i], "req/a.yaml", "q.yaml");
}
END_TEST

START_TEST(question_faults)
{
    try_fault(&in_questions[_i], "q.yaml", "req/a.yaml");
}
END_TEST

START_TEST(all_errors_are_listed)
{
    char *good = scratch_read("tests/data/spec/requirements.yaml");
    char *one = scratch_replace(good, "level: MUST NOT", "level: SHALL");
    char *two = scratch_replace(one, "role: any", "role: switch");
    char *questions = scratch_read("tests/data/spec/questions.yaml");
    scratch_enter();
    scratch_write("req/a.yaml", two);
    scratch_write("req/b.yaml", good);
    scratch_write("q.yaml", questions);
    struct mrc_spec s;
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), -1);
    ck_assert_uint_eq(s.error_count, 3);
    ck_assert_ptr_nonnull(strstr(s.errors[0], "req/a.yaml:6: "));
    ck_assert_ptr_nonnull(strstr(s.errors[1], "req/a.yaml:22: "));
    ck_assert_str_eq(s.errors[2], "req/b.yaml:2: section 3.1 has a file already: req/a.yaml");
    mrc_spec_fini(&s);
    scratch_leave();
    free(good);
    free(one);
    free(two);
    free(questions);
}
END_TEST

START_TEST(files_that_are_not_there)
{
    struct mrc_spec s;
    scratch_enter();
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), -1);
    ck_assert_uint_eq(s.error_count, 2);
    ck_assert_str_eq(s.errors[0], "q.yaml: No such file or directory");
    ck_assert_str_eq(s.errors[1], "req: no .yaml file in it");
    mrc_spec_fini(&s);
    ck_assert_int_eq(mrc_spec_load(&s, "nowhere", "q.yaml"), -1);
    ck_assert_str_eq(s.errors[1], "nowhere: No such file or directory");
    mrc_spec_fini(&s);
    scratch_write("q.yaml", "");
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), -1);
    ck_assert_str_eq(s.errors[0], "q.yaml: empty file");
    mrc_spec_fini(&s);
    scratch_leave();
}
END_TEST

Suite *req_loader_errors_suite(void)
{
    TCase *t = tcase_create("one fault each");
    tcase_add_loop_test(t, requirement_faults, 0,
                        (int)(sizeof in_requirements / sizeof in_requirements[0]));
    tcase_add_loop_test(t, question_faults, 0, (int)(sizeof in_questions / sizeof in_questions[0]));
    tcase_add_test(t, all_errors_are_listed);
    tcase_add_test(t, files_that_are_not_there);
    Suite *s = suite_create("loader's errors");
    suite_add_tcase(s, t);
    return s;
}
