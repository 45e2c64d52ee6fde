/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/fabric/rng.h"
#include "harness/sim/wheel.h"
#include "tests/sim/suites.h"

static void push(struct mrct_wheel *w, uint64_t at_ns, uint32_t arg)
{
    ck_assert_int_eq(mrct_wheel_push(w, at_ns, (struct mrct_wheel_entry){.arg = arg}), 0);
}

START_TEST(events_of_one_time_keep_their_order)
{
    struct mrct_arena arena = {0};
    struct mrct_wheel w;
    struct mrct_wheel_entry e;
    ck_assert_int_eq(mrct_wheel_init(&w, &arena), 0);
    for (uint32_t i = 0; i < 64; i++)
        push(&w, 1000 + i % 4, i);
    ck_assert(!mrct_wheel_take(&w, 999, &e));
    for (uint32_t i = 0; i < 64; i++) {
        ck_assert(mrct_wheel_take(&w, 1000 + i / 16, &e));
        ck_assert_uint_eq(w.now_ns, 1000 + i / 16);
        ck_assert_uint_eq(e.arg, i % 16 * 4 + i / 16);
    }
    ck_assert(!mrct_wheel_take(&w, UINT64_MAX, &e));
    mrct_wheel_fini(&w);
    mrct_arena_fini(&arena);
}
END_TEST

/* Steps from none to far beyond what the slots hold; what is due is found by brute force. */
START_TEST(the_first_is_taken_first)
{
    enum { LIVE = 50 };
    uint64_t due[LIVE];
    struct mrct_arena arena = {0};
    struct mrct_wheel w;
    struct mrct_wheel_entry e;
    struct mrct_rng rng;
    mrct_rng_init(&rng, 7);
    ck_assert_int_eq(mrct_wheel_init(&w, &arena), 0);
    static const uint32_t range[] = {3, 1000, 100000, 3000000};
    uint64_t n = 0;
    for (uint32_t i = 0; i < LIVE; i++, n++) {
        due[i] = mrct_rng_below(&rng, range[n % 4]);
        push(&w, due[i], i);
    }
    for (unsigned round = 0; round < 20000; round++) {
        struct mrct_wheel_entry ahead;
        while (_i == 1 && mrct_wheel_look(&w, 16, &ahead))
            continue;
        if (!mrct_wheel_take(&w, UINT64_MAX, &e))
            ck_abort_msg("nothing is left");
        for (uint32_t k = 0; k < LIVE; k++)
            if (due[k] < w.now_ns)
                ck_abort_msg("entry %u is late", k);
        if (due[e.arg] != w.now_ns)
            ck_abort_msg("entry %u is early", e.arg);
        due[e.arg] = w.now_ns + mrct_rng_below(&rng, range[n % 4]);
        n++;
        if (mrct_wheel_push(&w, due[e.arg], (struct mrct_wheel_entry){.arg = e.arg}) != 0)
            ck_abort_msg("no memory");
    }
    mrct_wheel_fini(&w);
    mrct_arena_fini(&arena);
}
END_TEST

/* What the cursor passes is what is taken, in that order, when nothing is put in between. */
START_TEST(the_cursor_is_ahead)
{
    struct mrct_arena arena = {0};
    struct mrct_wheel w;
    struct mrct_wheel_entry e, ahead;
    ck_assert_int_eq(mrct_wheel_init(&w, &arena), 0);
    for (uint32_t i = 0; i < 1000; i++)
        push(&w, 5 + i / 9 * 3, i);
    uint32_t looked = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        while (mrct_wheel_look(&w, 20, &ahead))
            ck_assert_uint_eq(ahead.arg, looked++);
        ck_assert_uint_le(looked, i + 20);
        ck_assert(looked == i + 20 || looked == 1000);
        ck_assert_uint_eq(mrct_wheel_passed(&w, 3)->arg, looked - 4);
        ck_assert(mrct_wheel_take(&w, UINT64_MAX, &e));
        ck_assert_uint_eq(e.arg, i);
    }
    mrct_wheel_fini(&w);
    mrct_arena_fini(&arena);
}
END_TEST

Suite *suite_wheel(void)
{
    Suite *const s = suite_create("wheel");
    TCase *const t = tcase_create("wheel");
    tcase_add_test(t, events_of_one_time_keep_their_order);
    tcase_add_loop_test(t, the_first_is_taken_first, 0, 2);
    tcase_add_test(t, the_cursor_is_ahead);
    suite_add_tcase(s, t);
    return s;
}
