/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/units.h"
#include "tests/cases/suites.h"

#include <stddef.h>

struct quantity {
    const char *text;
    int rc;
    uint64_t value;
};

static const struct quantity durations[] = {
    {"0", 0, 0},
    {"0us", 0, 0},
    {"250ns", 0, 250},
    {"10us", 0, 10000},
    {"2.5ms", 0, 2500000},
    {"1s", 0, 1000000000},
    {"1.000000001s", 0, 1000000001},
    {"0.5ns", -1, 0},
    {"10", -1, 0},
    {"10 us", -1, 0},
    {"us", -1, 0},
    {"-1us", -1, 0},
    {"1.us", -1, 0},
    {".5us", -1, 0},
    {"10uss", -1, 0},
    {"", -1, 0},
    {"99999999999999999999s", -1, 0},
    {"18446744073s", -1, 0},
};

START_TEST(duration)
{
    const struct quantity *const q = &durations[_i];
    uint64_t v = 77;
    ck_assert_int_eq(mrct_units_duration(q->text, &v), q->rc);
    ck_assert_uint_eq(v, q->rc == 0 ? q->value : 77);
}
END_TEST

static const struct quantity sizes[] = {
    {"1", 0, 1},         {"512B", 0, 512},     {"64KiB", 0, 65536},
    {"1.5KiB", 0, 1536}, {"3MiB", 0, 3145728}, {"2GiB", 0, UINT64_C(2147483648)},
    {"1.1", -1, 0},      {"64kb", -1, 0},      {"KiB", -1, 0},
    {"0x10", -1, 0},
};

START_TEST(size)
{
    const struct quantity *const q = &sizes[_i];
    uint64_t v = 77;
    ck_assert_int_eq(mrct_units_size(q->text, &v), q->rc);
    ck_assert_uint_eq(v, q->rc == 0 ? q->value : 77);
}
END_TEST

static const struct quantity shares[] = {
    {"0", 0, 0},          {"1%", 0, 10000},  {"0.5%", 0, 5000},   {"200ppm", 0, 200},
    {"100%", 0, 1000000}, {"100.1%", -1, 0}, {"0.00001%", -1, 0}, {"5", -1, 0},
};

START_TEST(share)
{
    const struct quantity *const q = &shares[_i];
    uint32_t v = 77;
    ck_assert_int_eq(mrct_units_share(q->text, &v), q->rc);
    ck_assert_uint_eq(v, q->rc == 0 ? q->value : 77);
}
END_TEST

START_TEST(rate)
{
    uint64_t v = 0;
    ck_assert_int_eq(mrct_units_rate("100gbps", &v), 0);
    ck_assert_uint_eq(v, UINT64_C(100000000000));
    ck_assert_int_eq(mrct_units_rate("2.5gbps", &v), 0);
    ck_assert_uint_eq(v, UINT64_C(2500000000));
    ck_assert_int_eq(mrct_units_rate("100", &v), -1);
    ck_assert_int_eq(mrct_units_rate("100Gb", &v), -1);
}
END_TEST

static const struct {
    const char *text;
    int rc;
    int64_t first, last;
} ranges[] = {
    {"7", 0, 7, 7},     {"3..5", 0, 3, 5},  {"3..", 0, 3, INT64_MAX},  {"-4..-2", 0, -4, -2},
    {"5..3", -1, 0, 0}, {"..3", -1, 0, 0},  {"3...5", -1, 0, 0},       {"3-5", -1, 0, 0},
    {"", -1, 0, 0},     {"3..x", -1, 0, 0}, {"0x10..0x12", 0, 16, 18},
};

START_TEST(range)
{
    int64_t first = 77;
    int64_t last = 77;
    ck_assert_int_eq(mrct_units_range(ranges[_i].text, &first, &last), ranges[_i].rc);
    ck_assert_int_eq(first, ranges[_i].rc == 0 ? ranges[_i].first : 77);
    ck_assert_int_eq(last, ranges[_i].rc == 0 ? ranges[_i].last : 77);
}
END_TEST

START_TEST(integer)
{
    int64_t v = 77;
    ck_assert_int_eq(mrct_units_int("0xFFFFFF", &v), 0);
    ck_assert_int_eq(v, 0xFFFFFF);
    ck_assert_int_eq(mrct_units_int("010", &v), 0);
    ck_assert_int_eq(v, 10);
    ck_assert_int_eq(mrct_units_int("+1", &v), -1);
    ck_assert_int_eq(mrct_units_int(" 1", &v), -1);
    ck_assert_int_eq(mrct_units_int("1 ", &v), -1);
    ck_assert_int_eq(mrct_units_int("99999999999999999999", &v), -1);
    ck_assert_int_eq(v, 10);
}
END_TEST

START_TEST(boolean)
{
    bool v = false;
    ck_assert_int_eq(mrct_units_bool("true", &v), 0);
    ck_assert(v);
    ck_assert_int_eq(mrct_units_bool("no", &v), 0);
    ck_assert(!v);
    ck_assert_int_eq(mrct_units_bool("1", &v), -1);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *cases_units_suite(void)
{
    Suite *const s = suite_create("units");
    TCase *const t = tcase_create("units");
    tcase_add_loop_test(t, duration, 0, ROWS(durations));
    tcase_add_loop_test(t, size, 0, ROWS(sizes));
    tcase_add_loop_test(t, share, 0, ROWS(shares));
    tcase_add_loop_test(t, range, 0, ROWS(ranges));
    tcase_add_test(t, rate);
    tcase_add_test(t, integer);
    tcase_add_test(t, boolean);
    suite_add_tcase(s, t);
    return s;
}
