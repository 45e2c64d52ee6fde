/* SPDX-License-Identifier: BSD-2-Clause */
/* Every report of one run that has all verdicts and hostile text in it. */
#include "harness/report/escape.h"
#include "harness/report/term.h"
#include "tests/report/markup.h"
#include "tests/report/sample.h"
#include "tests/report/suites.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A report may hold letters, line ends and UTF-8: no escape that a terminal or a parser obeys. */
static void expect_clean(const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        ck_assert_msg((unsigned char)*p >= 0x20 || *p == '\n', "control character at %zu",
                      (size_t)(p - text));
    ck_assert_ptr_null(strstr(text, "\xff"));
    ck_assert_ptr_null(strstr(text, "\xc0"));
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = strstr(text, what); p != NULL; p = strstr(p + 1, what))
        n++;
    return n;
}

START_TEST(junit_is_well_formed)
{
    char *const xml = sample_text(mrct_report_junit, sample_run());
    expect_clean(xml);
    ck_assert_str_eq(markup_fault(xml, false), "");
    ck_assert_uint_eq(count(xml, "<testcase "), 5);
    ck_assert_uint_eq(count(xml, "<testsuite "), 2);
    ck_assert_uint_eq(count(xml, "<failure "), 1);
    ck_assert_uint_eq(count(xml, "<error "), 2); /* INCONCLUSIVE must not look like a success */
    ck_assert_uint_eq(count(xml, "type=\"INCONCLUSIVE\""), 1);
    ck_assert_uint_eq(count(xml, "type=\"ERROR\""), 1);
    ck_assert_uint_eq(count(xml, "<skipped "), 1);
    ck_assert_ptr_nonnull(strstr(xml, "tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"1\""));
    ck_assert_ptr_nonnull(strstr(xml, "mrct certify sack-bitmap-base --seed 7 --strict"));
    free(xml);
}
END_TEST

/* With the real parser too, where the machine has one. */
START_TEST(junit_satisfies_xmllint)
{
    if (system("command -v xmllint >/dev/null 2>&1") != 0)
        return;
    FILE *const lint = popen("xmllint --noout - 2>&1", "w");
    ck_assert_ptr_nonnull(lint);
    mrct_report_junit(sample_run(), lint);
    ck_assert_int_eq(pclose(lint), 0);
}
END_TEST

START_TEST(tap_says_what_was_found)
{
    char *const tap = sample_text(mrct_report_tap, sample_run());
    expect_clean(tap);
    ck_assert_int_eq(strncmp(tap, "TAP version 14\n1..5\n", 20), 0);
    ck_assert_uint_eq(count(tap, "\nok "), 2);
    ck_assert_uint_eq(count(tap, "\nnot ok "), 3);
    ck_assert_uint_eq(count(tap, " # SKIP TRIM_NACK is not declared"), 1);
    ck_assert_uint_eq(count(tap, "\n  ---\n"), 5);
    ck_assert_uint_eq(count(tap, "\n  ...\n"), 5);
    free(tap);
}
END_TEST

START_TEST(tap_of_nothing_is_no_success)
{
    const struct mrct_result_run none = {.device = "x"};
    char *const tap = sample_text(mrct_report_tap, &none);
    ck_assert_ptr_nonnull(strstr(tap, "1..0"));
    ck_assert_ptr_null(strstr(tap, "\nok"));
    free(tap);
}
END_TEST

static const char *text_at(const json_t *o, const char *key)
{
    const char *const text = json_string_value(json_object_get(o, key));
    ck_assert_ptr_nonnull(text);
    return text;
}

static json_int_t int_at(const json_t *o, const char *key)
{
    const json_t *const n = json_object_get(o, key);
    ck_assert(json_is_integer(n));
    return json_integer_value(n);
}

static void expect_failed_case(const json_t *c)
{
    const json_t *const f = json_array_get(json_object_get(c, "findings"), 0);
    ck_assert_str_eq(text_at(c, "verdict"), "FAIL");
    ck_assert_str_eq(text_at(c, "seed"), "18446744073709551612");
    ck_assert_str_eq(text_at(c, "capture"), "sack-bitmap-base.pcapng");
    ck_assert_uint_eq(json_array_size(json_object_get(c, "findings")), 3);
    ck_assert_str_eq(text_at(f, "verdict"), "FAIL");
    ck_assert_str_eq(text_at(f, "tap"), "responder");
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(f, "frames"), 0)), 31);
    ck_assert_ptr_nonnull(strstr(text_at(f, "why"), "<script>alert('x')</script> & \"q\""));
}

START_TEST(json_keeps_its_schema)
{
    json_error_t e;
    char *const text = sample_json(sample_run());
    json_t *const root = json_loads(text, JSON_REJECT_DUPLICATES, &e);
    ck_assert_msg(root != NULL, "%s", e.text);
    expect_clean(text);
    ck_assert_str_eq(text_at(root, "schema"), "mrct-report/1");
    ck_assert_str_eq(text_at(root, "seed"), "7");
    ck_assert_str_eq(text_at(root, "reading"), "Q2=b");
    ck_assert_str_eq(text_at(root, "replay"), "mrct certify --seed 7 --strict --reading Q2=b");
    ck_assert_str_eq(text_at(root, "verdict"), "ERROR");
    ck_assert_int_eq(int_at(root, "exit_status"), 3);
    const json_t *const counts = json_object_get(root, "counts");
    ck_assert_int_eq(int_at(json_object_get(counts, "cases"), "NOT APPLICABLE"), 1);
    ck_assert_int_eq(int_at(json_object_get(counts, "findings"), "WARN"), 1);
    const json_t *const cases = json_object_get(root, "cases");
    ck_assert_uint_eq(json_array_size(cases), 5);
    expect_failed_case(json_array_get(cases, MRCT_FAIL));
    const json_t *const req = json_array_get(json_object_get(root, "requirements"), 0);
    ck_assert_uint_gt(strlen(text_at(req, "text")), 0);
    ck_assert_str_eq(text_at(req, "level"), "MUST");
    ck_assert(json_is_array(json_object_get(req, "cases")));
    json_decref(root);
    free(text);
}
END_TEST

START_TEST(html_is_whole_and_harmless)
{
    char *const html = sample_text(mrct_report_html, sample_run());
    expect_clean(html);
    ck_assert_str_eq(markup_fault(html, true), "");
    ck_assert_ptr_null(strstr(html, "<script>alert"));
    ck_assert_uint_eq(count(html, "<script>"), 1);
    ck_assert_uint_eq(count(html, "<details "), 5);
    ck_assert_ptr_nonnull(strstr(html, "href=\"./sack-bitmap-base.pcapng\""));
    ck_assert_ptr_nonnull(
        strstr(html, "<code>mrct certify --seed 7 --strict --reading Q2=b</code>"));
    free(html);
}
END_TEST

/* Nothing is fetched: no scheme, no protocol-relative address, no import. */
START_TEST(html_needs_nothing_else)
{
    char *const html = sample_text(mrct_report_html, sample_run());
    static const char *const none[] = {"http:", "https:", "src=", "@import",
                                       "url(",  "\"//",   "<link"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        ck_assert_msg(strstr(html, none[i]) == NULL, "%s", none[i]);
    free(html);
}
END_TEST

START_TEST(html_links_lead_somewhere)
{
    char *const html = sample_text(mrct_report_html, sample_run());
    size_t links = 0;
    for (const char *p = strstr(html, "href=\"#"); p != NULL; p = strstr(p + 1, "href=\"#")) {
        char id[200];
        const char *const start = p + strlen("href=\"#");
        const size_t len = strcspn(start, "\"");
        snprintf(id, sizeof(id), "id=\"%.*s\"", (int)len, start);
        ck_assert_msg(strstr(html, id) != NULL, "%s leads nowhere", id);
        links++;
    }
    ck_assert_uint_gt(links, 20);
    free(html);
}
END_TEST

static void write_term(const struct mrct_result_run *run, FILE *out)
{
    struct mrct_term t = {.out = out, .total = run->case_count};
    for (size_t i = 0; i < run->case_count; i++) {
        mrct_term_start(&t, run->cases[i].id);
        mrct_term_done(&t, &run->cases[i]);
    }
    mrct_term_summary(&t, run);
}

START_TEST(terminal_ends_on_the_counts)
{
    static const char last[] = "\n1 passed, 1 failed, 1 inconclusive, 1 not applicable, 1 errors\n";
    char *const text = sample_text(write_term, sample_run());
    expect_clean(text);
    ck_assert_uint_gt(strlen(text), strlen(last));
    ck_assert_str_eq(text + strlen(text) - strlen(last), last);
    ck_assert_uint_eq(count(text, "mrct certify sack-bitmap-base --seed 7 --strict"), 1);
    free(text);
}
END_TEST

START_TEST(writes_the_same_bytes_again)
{
    static void (*const writers[])(const struct mrct_result_run *, FILE *) = {
        mrct_report_junit, mrct_report_tap, mrct_report_html, write_term};
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        char *const a = sample_text(writers[i], sample_run());
        char *const b = sample_text(writers[i], sample_run());
        ck_assert_str_eq(a, b);
        free(a);
        free(b);
    }
    char *const a = sample_json(sample_run());
    char *const b = sample_json(sample_run());
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
}
END_TEST

START_TEST(writes_all_into_a_new_folder)
{
    static const char *const names[] = {"junit.xml", "report.tap", "report.json", "report.html"};
    char dir[100], deep[120], path[200], err[300];
    snprintf(dir, sizeof(dir), "/tmp/mrct-report-test.%s%s%s", "XX", "XX", "XX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(deep, sizeof(deep), "%s/a/b", dir);
    ck_assert_msg(mrct_report_write(sample_run(), deep, err, sizeof(err)) == 0, "%s", err);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof(path), "%s/%s", deep, names[i]);
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_int_eq(rmdir(deep), 0); /* nothing else was left in it */
    snprintf(deep, sizeof(deep), "%s/a", dir);
    ck_assert_int_eq(rmdir(deep), 0);
    ck_assert_int_eq(rmdir(dir), 0);
    ck_assert_int_eq(mrct_report_write(sample_run(), "/dev/null/x", err, sizeof(err)), -1);
    ck_assert_ptr_nonnull(strstr(err, "/dev/null/x: cannot make the folder"));
    ck_assert_int_eq(mrct_report_make_dir("", err, sizeof(err)), -1);
}
END_TEST

START_TEST(comments_tell_the_requirement)
{
    char text[1024];
    struct mrct_result_run *const run = sample_run();
    const struct mrct_finding *const f = &run->cases[MRCT_FAIL].findings[0].f;
    struct mrct_record *const r = mrct_record_new(0);
    mrct_report_comment(f, text, sizeof(text));
    ck_assert_int_eq(strncmp(text, "FAIL REQ-", 9), 0);
    ck_assert_ptr_nonnull(strstr(text, " (host2): bit 3 of the bitmap"));
    ck_assert_ptr_nonnull(strstr(text, "[MUST"));
    ck_assert_int_eq(mrct_record_iface(r, "a", ""), 0);
    for (uint64_t n = 1; n <= 20; n++)
        mrct_record_append(r, n, 0, MRCT_DIR_IN, (const uint8_t *)"x", 1, 1);
    ck_assert_int_eq(mrct_report_annotate(r, f), 0); /* frame 31 is none of the record's */
    mrct_record_free(r);
}
END_TEST

Suite *report_writers_suite(void)
{
    Suite *const s = suite_create("writers");
    TCase *const t = tcase_create("writers");
    tcase_add_test(t, junit_is_well_formed);
    tcase_add_test(t, junit_satisfies_xmllint);
    tcase_add_test(t, tap_says_what_was_found);
    tcase_add_test(t, tap_of_nothing_is_no_success);
    tcase_add_test(t, json_keeps_its_schema);
    tcase_add_test(t, html_is_whole_and_harmless);
    tcase_add_test(t, html_needs_nothing_else);
    tcase_add_test(t, html_links_lead_somewhere);
    tcase_add_test(t, terminal_ends_on_the_counts);
    tcase_add_test(t, writes_the_same_bytes_again);
    tcase_add_test(t, writes_all_into_a_new_folder);
    tcase_add_test(t, comments_tell_the_requirement);
    suite_add_tcase(s, t);
    return s;
}
