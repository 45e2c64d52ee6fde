/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For each check of the responder a pair of stories at its tap, one honest and one with a single
 * lie: the honest one exercises the requirement and nothing fails, the lie is failed by the check.
 * Both are told with small PSNs and with PSNs that wrap.
 */
#include "tests/oracle/mirror.h"
#include "tests/oracle/pairs.h"
#include "tests/oracle/suites.h"
#include <stdio.h>
#include <string.h>

static const uint32_t starts[] = {100, 0xFFFFFF, 0xFFFFFD, 0};
#define STARTS (sizeof(starts) / sizeof(starts[0]))

/* Number of pairs, and the i-th of them. */
#define PAIRS 56u
static const struct pair *pair_at(size_t i)
{
    return i < pairs_sack_count ? &pairs_sack[i] : &pairs_rest[i - pairs_sack_count];
}

static void tell(struct mirror *m, const struct pair *p, uint32_t start, bool lie)
{
    mirror_init(m, start);
    if (p->prepare != NULL)
        p->prepare(m);
    mirror_begin(m);
    p->story(m, lie);
    mirror_end(m, p->check);
}

/* Nobody but the check, or what the pair says breaks as well. */
static void only(const struct mirror *m, const struct pair *p, const char *check)
{
    for (size_t i = 0; i < m->t.w.count; i++) {
        const struct mrct_finding *const f = &m->t.w.found[i];
        if (f->kind == MRCT_FINDING_INCONCLUSIVE ||
            (check != NULL && strcmp(f->check, check) == 0) ||
            (p->also != NULL && strcmp(f->check, p->also) == 0))
            continue;
        watch_print(&m->t.w);
        ck_abort_msg("the story of %s fails %s", p->check, f->check);
    }
}

START_TEST(honest_holds)
{
    static struct mirror m;
    const struct pair *const p = pair_at((size_t)(_i / (int)STARTS));
    tell(&m, p, starts[_i % (int)STARTS], false);
    only(&m, p, NULL);
    ck_assert_msg(m.exercised > 0, "%s is not exercised", p->check);
}
END_TEST

START_TEST(lie_fails)
{
    static struct mirror m;
    const struct pair *const p = pair_at((size_t)(_i / (int)STARTS));
    tell(&m, p, starts[_i % (int)STARTS], true);
    talk_fails(&m.t, p->check, 0);
    only(&m, p, p->check);
}
END_TEST

/* The check switched off: its lie goes unseen by it. */
START_TEST(disabled_is_silent)
{
    static struct mirror m;
    const struct pair *const p = pair_at((size_t)(_i));
    mirror_init(&m, 100);
    if (p->prepare != NULL)
        p->prepare(&m);
    m.t.cfg.disabled_check = p->check;
    mirror_begin(&m);
    p->story(&m, true);
    mirror_end(&m, p->check);
    talk_holds(&m.t, p->check);
}
END_TEST

/* Frames are missing, or nothing is known: no FAIL, whatever is told. */
START_TEST(incomplete_never_fails)
{
    static struct mirror m;
    const struct pair *const p = pair_at((size_t)(_i));
    if (p->by_presence)
        return;
    mirror_init(&m, 100);
    if (p->prepare != NULL)
        p->prepare(&m);
    m.t.cfg.complete = false;
    mirror_begin(&m);
    p->story(&m, true);
    mirror_end(&m, p->check);
    talk_holds(&m.t, p->check);
}
END_TEST

START_TEST(elsewhere_never_fails)
{
    static struct mirror m;
    const struct pair *const p = pair_at((size_t)(_i));
    if (p->everywhere)
        return;
    mirror_init(&m, 100);
    if (p->prepare != NULL)
        p->prepare(&m);
    m.t.cfg.tap = MRCT_TAP_MIDDLE;
    mirror_begin(&m);
    p->story(&m, true);
    mirror_end(&m, p->check);
    talk_holds(&m.t, p->check);
}
END_TEST

START_TEST(all_pairs_are_told)
{
    ck_assert_uint_eq(pairs_sack_count + pairs_rest_count, PAIRS);
}
END_TEST

Suite *oracle_responder_suite(void)
{
    Suite *const s = suite_create("responder");
    TCase *const t = tcase_create("pairs");
    tcase_add_test(t, all_pairs_are_told);
    tcase_add_loop_test(t, honest_holds, 0, (int)(PAIRS * STARTS));
    tcase_add_loop_test(t, lie_fails, 0, (int)(PAIRS * STARTS));
    tcase_add_loop_test(t, disabled_is_silent, 0, (int)PAIRS);
    tcase_add_loop_test(t, incomplete_never_fails, 0, (int)PAIRS);
    tcase_add_loop_test(t, elsewhere_never_fails, 0, (int)PAIRS);
    suite_add_tcase(s, t);
    return s;
}
