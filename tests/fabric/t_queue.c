/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/fabric/queue.h"
#include "harness/fabric/rng.h"
#include "tests/fabric/fake.h"

START_TEST(in_order_of_time_then_of_coming)
{
    struct mrct_fabq q = {0};
    struct mrct_rng r;
    uint64_t last_at = 0, last_arg = 0;
    mrct_rng_init(&r, 7);
    ck_assert_ptr_null(mrct_fabq_top(&q));
    for (uint64_t i = 0; i < 5000; i++) {
        const struct mrct_fabq_event ev = {.at_ns = mrct_rng_below(&r, 50), .arg = i};
        ck_assert_int_eq(mrct_fabq_push(&q, &ev), 0);
    }
    for (unsigned i = 0; i < 5000; i++) {
        const struct mrct_fabq_event ev = mrct_fabq_pop(&q);
        ck_assert(i == 0 || ev.at_ns > last_at || (ev.at_ns == last_at && ev.arg > last_arg));
        last_at = ev.at_ns;
        last_arg = ev.arg;
    }
    ck_assert_ptr_null(mrct_fabq_top(&q));
    mrct_fabq_fini(&q);
}
END_TEST

START_TEST(random_numbers_are_even_and_repeat)
{
    struct mrct_rng a, b;
    unsigned count[6] = {0};
    mrct_rng_init(&a, 42);
    mrct_rng_init(&b, 42);
    for (unsigned i = 0; i < 60000; i++) {
        const uint32_t n = mrct_rng_below(&a, 6);
        ck_assert_uint_eq(n, mrct_rng_below(&b, 6));
        count[n]++;
    }
    for (unsigned i = 0; i < 6; i++)
        ck_assert(count[i] > 9500 && count[i] < 10500);
    mrct_rng_init(&b, 43);
    ck_assert_uint_ne(mrct_rng_next(&a), mrct_rng_next(&b));
}
END_TEST

Suite *suite_queue(void)
{
    Suite *const s = suite_create("fabric queue");
    TCase *const tc = tcase_create("queue");
    tcase_add_test(tc, in_order_of_time_then_of_coming);
    tcase_add_test(tc, random_numbers_are_even_and_repeat);
    suite_add_tcase(s, tc);
    return s;
}
