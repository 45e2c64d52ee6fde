/* SPDX-License-Identifier: BSD-2-Clause */
/* Text from outside is valid UTF-8 without control characters afterwards, whatever it was. */
#include "harness/trace/text.h"
#include "tests/trace/suites.h"

#include <string.h>

#define BAD "\xEF\xBF\xBD" /* U+FFFD */

static const struct {
    const char *text, *clean;
} pairs[] = {
    {"", ""},
    {"plain\ttext\nhere", "plain\ttext\nhere"},
    {"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"},
    {"a\x01"
     "b\x7F"
     "c",
     "a" BAD "b" BAD "c"},
    {"\xC2\x85", BAD}, /* a control character of Latin 1 */
    {"\xFFz", BAD "z"},
    {"\x80z", BAD "z"}, /* nothing before it */
    {"\xC3z", BAD "z"}, /* nothing after it */
    {"\xE2\x82", BAD BAD},
    {"\xC0\xAF", BAD},         /* overlong */
    {"\xED\xA0\x80", BAD},     /* a surrogate */
    {"\xEF\xBF\xBE", BAD},     /* no character */
    {"\xF4\x90\x80\x80", BAD}, /* beyond the last */
};

START_TEST(cleans)
{
    char buf[100];
    const size_t len = mrct_text_clean(pairs[_i].text, buf, sizeof(buf));
    ck_assert_str_eq(buf, pairs[_i].clean);
    ck_assert_uint_eq(len, strlen(pairs[_i].clean));
}
END_TEST

START_TEST(cuts_between_characters)
{
    char buf[6];
    for (size_t cap = 1; cap <= sizeof(buf); cap++) {
        const size_t len = mrct_text_clean("a\xE2\x82\xAC"
                                           "b",
                                           buf, cap);
        ck_assert_uint_eq(len, cap <= 1 ? 0 : cap < 5 ? 1 : cap - 1);
        ck_assert_uint_eq(strlen(buf), len);
    }
}
END_TEST

Suite *trace_text_suite(void)
{
    Suite *const s = suite_create("text");
    TCase *const t = tcase_create("text");
    tcase_add_loop_test(t, cleans, 0, (int)(sizeof(pairs) / sizeof(pairs[0])));
    tcase_add_test(t, cuts_between_characters);
    suite_add_tcase(s, t);
    return s;
}
