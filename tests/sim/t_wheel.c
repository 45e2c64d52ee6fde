/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/fabric/rng.h"
#include "harness/sim/wheel.h"
#include "tests/sim/suites.h"

#define EVENTS 4000u

START_TEST(events_of_one_time_keep_their_order)
{
    struct mrct_wheel w;
    struct mrct_sim_event ev[64] = {0};
    ck_assert_int_eq(mrct_wheel_init(&w), 0);
    for (uint32_t i = 0; i < 64; i++) {
        ev[i].at_ns = 1000 + i % 4;
        ev[i].arg = i;
        ck_assert_int_eq(mrct_wheel_push(&w, &ev[i]), 0);
    }
    for (uint32_t i = 0; i < 64; i++) {
        ck_assert_uint_eq(mrct_wheel_next_ns(&w), 1000 + i / 16);
        ck_assert_uint_eq(mrct_wheel_pop(&w)->arg, i % 16 * 4 + i / 16);
    }
    ck_assert_uint_eq(mrct_wheel_next_ns(&w), UINT64_MAX);
    mrct_wheel_fini(&w);
}
END_TEST

/* Steps from a few ns to far beyond what the slots hold, again and again. */
START_TEST(time_never_goes_back)
{
    static struct mrct_sim_event ev[EVENTS];
    struct mrct_wheel w;
    struct mrct_rng rng;
    mrct_rng_init(&rng, 7);
    ck_assert_int_eq(mrct_wheel_init(&w), 0);
    uint64_t pushed = 0, popped = 0, last_ns = 0;
    while (popped < 20 * EVENTS) {
        while (pushed - popped < EVENTS && pushed < 20 * EVENTS) {
            struct mrct_sim_event *const e = &ev[pushed % EVENTS];
            if (pushed >= EVENTS && popped <= pushed - EVENTS)
                break;
            const uint32_t range = pushed % 3 == 0 ? 10 : pushed % 3 == 1 ? 100000 : 3000000;
            e->at_ns = w.now_ns + mrct_rng_below(&rng, range);
            e->arg = 1;
            ck_assert_int_eq(mrct_wheel_push(&w, e), 0);
            pushed++;
        }
        /* The array is used in rounds: all of a round is taken before the next. */
        while (popped < pushed) {
            const uint64_t next_ns = mrct_wheel_next_ns(&w);
            const struct mrct_sim_event *const e = mrct_wheel_pop(&w);
            ck_assert_uint_eq(e->at_ns, next_ns);
            ck_assert_uint_ge(e->at_ns, last_ns);
            last_ns = e->at_ns;
            popped++;
        }
    }
    ck_assert_uint_gt(last_ns, 19 * UINT64_C(2000000));
    mrct_wheel_fini(&w);
}
END_TEST

Suite *suite_wheel(void)
{
    Suite *const s = suite_create("wheel");
    TCase *const t = tcase_create("wheel");
    tcase_add_test(t, events_of_one_time_keep_their_order);
    tcase_add_test(t, time_never_goes_back);
    suite_add_tcase(s, t);
    return s;
}
