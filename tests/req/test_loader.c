/* SPDX-License-Identifier: BSD-2-Clause */
/* What the loader makes of good files. */
#include "spec/load/spec.h"
#include "tests/req/scratch.h"
#include "tests/req/suites.h"

#include <stdlib.h>
#include <string.h>

static char *good, *questions;

static void set_up(void)
{
    good = scratch_read("tests/data/spec/requirements.yaml");
    questions = scratch_read("tests/data/spec/questions.yaml");
    scratch_enter();
    scratch_write("req/a.yaml", good);
    scratch_write("q.yaml", questions);
}

static void tear_down(void)
{
    scratch_leave();
    free(good);
    free(questions);
}

START_TEST(every_field_is_read)
{
    struct mrc_spec s;
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), 0);
    ck_assert_uint_eq(s.error_count, 0);
    ck_assert_uint_eq(s.req_count, 2);
    const struct mrc_spec_requirement *r = &s.reqs[1]; /* sorted: -01 stands first */
    ck_assert_str_eq(s.reqs[0].id, "REQ-3.1-01");
    ck_assert_str_eq(s.reqs[0].not_checked_why, "It does not show.");
    ck_assert_ptr_null(s.reqs[0].checks[0]);
    ck_assert_ptr_null(s.reqs[0].question);
    ck_assert_str_eq(r->id, "REQ-3.1-02");
    ck_assert_str_eq(r->section, "3.1");
    ck_assert_str_eq(r->title, "Examples");
    ck_assert_str_eq(r->table, "3-4");
    ck_assert_str_eq(r->text, "Nothing happens, twice.");
    ck_assert_str_eq(r->file, "req/a.yaml");
    ck_assert_int_eq(r->line, 5);
    ck_assert_str_eq(mrc_spec_levels[r->level], "MUST NOT");
    ck_assert_str_eq(mrc_spec_roles[r->role], "responder");
    ck_assert_int_eq(r->evidence, 'C');
    ck_assert_uint_eq(r->taps, 6);
    ck_assert_int_eq(r->needs_events, true);
    ck_assert_str_eq(r->facts[1], "start_psn");
    ck_assert_ptr_null(r->facts[2]);
    ck_assert_str_eq(r->capability, "TRIM_NACK");
    ck_assert_str_eq(r->question->id, "Q2");
    ck_assert_str_eq(r->reading_verdicts, "a=pass b=fail c=pass");
    ck_assert_str_eq(r->checks[1], "twice");
    ck_assert_ptr_null(r->checks[2]);
    ck_assert_uint_eq(s.question_count, 2);
    ck_assert_int_eq(s.questions[1].default_reading, 'c');
    ck_assert_uint_eq(s.questions[1].reading_count, 3);
    ck_assert_str_eq(s.questions[1].readings[2].text, "Three.");
    ck_assert_str_eq(s.questions[1].note, "A note.");
    mrc_spec_fini(&s);
}
END_TEST

START_TEST(files_come_in_order_of_sections)
{
    char *t = scratch_replace(good, "section: \"3.1\"", "section: \"3\"");
    char *u = scratch_replace(t, "REQ-3.1-02", "REQ-3-02");
    char *v = scratch_replace(u, "REQ-3.1-01", "REQ-3-10");
    char *w = scratch_replace(v, "[nothing-happens, twice]", "[other]");
    scratch_write("req/b.yaml", w);
    struct mrc_spec s;
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), 0);
    ck_assert_uint_eq(s.req_count, 4);
    ck_assert_str_eq(s.reqs[0].id, "REQ-3-02");
    ck_assert_str_eq(s.reqs[1].id, "REQ-3-10");
    ck_assert_str_eq(s.reqs[2].id, "REQ-3.1-01");
    mrc_spec_fini(&s);
    free(t);
    free(u);
    free(v);
    free(w);
}
END_TEST

START_TEST(hash_changes_with_any_byte)
{
    struct mrc_spec s;
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), 0);
    const uint64_t before = s.hash;
    mrc_spec_fini(&s);
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), 0);
    ck_assert_uint_eq(s.hash, before);
    ck_assert_int_eq(mrc_spec_hash_file(&s, "q.yaml"), 0);
    ck_assert_uint_ne(s.hash, before);
    mrc_spec_fini(&s);
    char *t = scratch_replace(good, "Examples", "Example");
    scratch_write("req/a.yaml", t);
    ck_assert_int_eq(mrc_spec_load(&s, "req", "q.yaml"), 0);
    ck_assert_uint_ne(s.hash, before);
    mrc_spec_fini(&s);
    free(t);
}
END_TEST

START_TEST(ids_compare_by_number)
{
    ck_assert_int_lt(mrc_spec_id_compare("REQ-6-99", "REQ-6.2-01"), 0);
    ck_assert_int_lt(mrc_spec_id_compare("REQ-6.3-09", "REQ-6.3.1-01"), 0);
    ck_assert_int_lt(mrc_spec_id_compare("REQ-9-01", "REQ-10-01"), 0);
    ck_assert_int_gt(mrc_spec_id_compare("REQ-7.5.2-10", "REQ-7.5.2-09"), 0);
    ck_assert_int_eq(mrc_spec_id_compare("REQ-7-01", "REQ-7-01"), 0);
}
END_TEST

Suite *req_loader_suite(void)
{
    TCase *t = tcase_create("good files");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, every_field_is_read);
    tcase_add_test(t, files_come_in_order_of_sections);
    tcase_add_test(t, hash_changes_with_any_byte);
    tcase_add_test(t, ids_compare_by_number);
    Suite *s = suite_create("loader");
    suite_add_tcase(s, t);
    return s;
}
