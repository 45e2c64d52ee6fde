/* SPDX-License-Identifier: BSD-2-Clause */
/* The generated tables are what the project's own files say, and sane. */
#include "gen/mrc_req.h"
#include "spec/load/spec.h"
#include "tests/req/suites.h"

#include <stdio.h>
#include <string.h>

START_TEST(ids_are_sorted_and_unique)
{
    ck_assert_uint_gt(mrc_requirement_count, 80);
    for (size_t i = 1; i < mrc_requirement_count; i++) {
        const char *a = mrc_requirements[i - 1].id, *b = mrc_requirements[i].id;
        ck_assert_msg(mrc_spec_id_compare(a, b) < 0, "%s does not stand before %s", a, b);
    }
}
END_TEST

START_TEST(each_has_a_check_or_a_reason)
{
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const struct mrc_requirement *r = &mrc_requirements[i];
        ck_assert_msg((r->checks[0] != NULL) != (r->not_checked_why != NULL), "%s", r->id);
        for (size_t k = 0; r->checks[k]; k++) {
            ck_assert_ptr_eq(mrc_requirement_of_check(r->checks[k]), r);
        }
    }
    ck_assert_ptr_null(mrc_requirement_of_check("no-such-check"));
}
END_TEST

/* One sentence: a capital first, a period last, and none in between that a space follows. */
START_TEST(texts_are_sentences)
{
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const char *t = mrc_requirements[i].text;
        ck_assert_msg(t[0] >= 'A' && t[0] <= 'Z', "%s", mrc_requirements[i].id);
        ck_assert_msg(t[strlen(t) - 1] == '.', "%s", mrc_requirements[i].id);
        ck_assert_msg(strstr(t, ". ") == NULL, "%s", mrc_requirements[i].id);
    }
}
END_TEST

START_TEST(fields_are_in_range)
{
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const struct mrc_requirement *r = &mrc_requirements[i];
        char prefix[40];
        (void)snprintf(prefix, sizeof prefix, "REQ-%s-", r->section);
        ck_assert_msg(strncmp(r->id, prefix, strlen(prefix)) == 0, "%s", r->id);
        ck_assert_uint_ne(r->taps, 0);
        ck_assert_uint_lt(r->taps, 8);
        ck_assert_ptr_nonnull(strchr("CSUI", r->evidence));
        ck_assert_int_gt(r->line, 1);
        ck_assert_int_eq(r->question != 0, r->reading_verdicts != NULL);
        ck_assert_int_eq(r->question != 0, mrc_question_find(r->question) != NULL);
    }
}
END_TEST

START_TEST(find_by_id)
{
    const struct mrc_requirement *r = mrc_requirement_find("REQ-7.5.2-02");
    ck_assert_ptr_nonnull(r);
    ck_assert_str_eq(r->checks[0], "sack-on-ce");
    ck_assert_str_eq(mrc_req_level_str(r->level), "MUST");
    ck_assert_str_eq(mrc_req_role_str(r->role), "responder");
    ck_assert_uint_eq(r->taps, 1u << MRC_REQ_TAP_RESPONDER);
    ck_assert_ptr_null(mrc_requirement_find("REQ-7.5.2-99"));
    ck_assert_ptr_null(mrc_requirement_find(""));
}
END_TEST

START_TEST(questions_are_whole)
{
    ck_assert_uint_eq(mrc_question_count, 27);
    for (size_t i = 0; i < mrc_question_count; i++) {
        const struct mrc_question *q = &mrc_questions[i];
        ck_assert_int_eq(q->number, (int)i + 1);
        ck_assert_uint_ge(q->reading_count, 2);
        const size_t at = (size_t)(q->default_reading - 'a');
        ck_assert_uint_lt(at, q->reading_count);
        ck_assert_int_eq(q->readings[at].id, q->default_reading);
    }
    ck_assert_int_eq(mrc_question_find(2)->default_reading, 'b');
    ck_assert_ptr_null(mrc_question_find(0));
}
END_TEST

/* A role, a level and the rest come out of the files as they stand in them. */
START_TEST(tables_equal_the_files)
{
    struct mrc_spec s;
    ck_assert_int_eq(mrc_spec_load(&s, "spec/requirements", "spec/questions.yaml"), 0);
    ck_assert_int_eq(mrc_spec_hash_file(&s, "spec/wire.yaml"), 0);
    ck_assert_uint_eq(s.req_count, mrc_requirement_count);
    ck_assert_uint_eq(s.question_count, mrc_question_count);
    for (size_t i = 0; i < s.req_count; i++) {
        const struct mrc_spec_requirement *f = &s.reqs[i];
        const struct mrc_requirement *r = &mrc_requirements[i];
        ck_assert_str_eq(r->id, f->id);
        ck_assert_str_eq(r->text, f->text);
        ck_assert_str_eq(r->file, f->file);
        ck_assert_int_eq(r->line, f->line);
        ck_assert_str_eq(mrc_req_level_str(r->level), mrc_spec_levels[f->level]);
        ck_assert_str_eq(mrc_req_role_str(r->role), mrc_spec_roles[f->role]);
        ck_assert_int_eq(r->needs_events, f->needs_events);
        ck_assert_uint_eq(r->taps, f->taps);
    }
    char hash[20];
    (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s.hash);
    ck_assert_str_eq(mrc_spec_hash, hash);
    mrc_spec_fini(&s);
}
END_TEST

Suite *req_tables_suite(void)
{
    TCase *t = tcase_create("tables");
    tcase_add_test(t, ids_are_sorted_and_unique);
    tcase_add_test(t, each_has_a_check_or_a_reason);
    tcase_add_test(t, texts_are_sentences);
    tcase_add_test(t, fields_are_in_range);
    tcase_add_test(t, find_by_id);
    tcase_add_test(t, questions_are_whole);
    tcase_add_test(t, tables_equal_the_files);
    Suite *s = suite_create("generated tables");
    suite_add_tcase(s, t);
    return s;
}
