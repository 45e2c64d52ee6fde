/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/escape.h"
#include "tests/report/suites.h"

#include <stdlib.h>

#define BAD "\xEF\xBF\xBD"

enum notation { MARKUP, YAML, LINE, TAP_LINE };

static const struct {
    enum notation notation;
    const char *text, *wanted;
} rows[] = {
    {MARKUP, "<b a=\"x\" c='y'>&</b>", "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;&lt;/b&gt;"},
    {MARKUP, "]]> --> &amp;", "]]&gt; --&gt; &amp;amp;"},
    {MARKUP, "a\nb\tc\x01\xff", "a&#10;b&#9;c" BAD BAD},
    {MARKUP, "\xC3\xA4", "\xC3\xA4"},
    {MARKUP, NULL, ""},
    {YAML, "say \"x\" \\ y", "\"say \\\"x\\\" \\\\ y\""},
    {YAML, "a\nb\tc\x1b", "\"a\\nb\\tc" BAD "\""},
    {YAML, NULL, "\"\""},
    {LINE, "a\nb # \\ \x1b[31m", "a b # \\ " BAD "[31m"},
    {LINE, NULL, ""},
    {TAP_LINE, "a # SKIP \\ b\nok 2", "a \\# SKIP \\\\ b ok 2"},
};

START_TEST(escapes)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    switch (rows[_i].notation) {
    case MARKUP:
        mrct_escape_markup(out, rows[_i].text);
        break;
    case YAML:
        mrct_escape_yaml(out, rows[_i].text);
        break;
    case LINE:
    case TAP_LINE:
        mrct_escape_line(out, rows[_i].text, rows[_i].notation == TAP_LINE);
        break;
    }
    fclose(out);
    ck_assert_str_eq(text, rows[_i].wanted);
    free(text);
}
END_TEST

START_TEST(prints_seconds)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    mrct_escape_seconds(out, 0);
    fputc(' ', out);
    mrct_escape_seconds(out, UINT64_C(1000000001));
    fputc(' ', out);
    mrct_escape_seconds(out, UINT64_MAX);
    fclose(out);
    ck_assert_str_eq(text, "0.000000000 1.000000001 18446744073.709551615");
    free(text);
}
END_TEST

Suite *report_escape_suite(void)
{
    Suite *const s = suite_create("escape");
    TCase *const t = tcase_create("escape");
    tcase_add_loop_test(t, escapes, 0, (int)(sizeof(rows) / sizeof(rows[0])));
    tcase_add_test(t, prints_seconds);
    suite_add_tcase(s, t);
    return s;
}
