/* SPDX-License-Identifier: BSD-2-Clause */
/* Times, copies, delays, packets held back, links. */
#include "tests/fabric/fake.h"

#include <string.h>

static void one_rule(struct pair *t, const struct mrct_fault_rule *r, unsigned packets)
{
    struct mrct_fab_config cfg;
    pair_config(&cfg);
    pair_new(t, &cfg, 1);
    ck_assert_int_eq(mrct_fab_add_rule(t->fab, r), 0);
    pair_send_many(t, 0, packets);
    pair_run(t);
}

static void arrived_as(const struct pair *t, const uint32_t *psn, unsigned n)
{
    ck_assert_uint_eq(t->host[1]->gots, n);
    for (unsigned i = 0; i < n; i++)
        ck_assert_msg(t->host[1]->got[i].p.bth.psn == psn[i], "packet %u is PSN %u, not %u", i,
                      t->host[1]->got[i].p.bth.psn, psn[i]);
}

START_TEST(serialisation_and_latency)
{
    struct mrct_fab_config cfg;
    struct mrc_pkt p;
    struct pair t;
    pair_config(&cfg);
    cfg.rate_bps = UINT64_C(10000000000);
    cfg.latency_ns = 777;
    cfg.latency_step_ns = 1000;
    cfg.paths = 4;
    pair_new(&t, &cfg, 1);
    for (uint32_t ev = 0; ev < 2; ev++) {
        fake_request(&p, ev, ev + 1, fake_bytes, 200);
        (void)fake_send(t.host[0], 5000, 0, &p);
    }
    pair_run(&t);
    const uint64_t frame = 14 + 40 + 8 + 12 + 4 + 4 + 16 + 200 + 4 + 24;
    const uint64_t ser = (frame * 8 + 9) / 10; /* 10 bits a ns */
    ck_assert_uint_eq(t.host[1]->got[0].at_ns, 5000 + ser + 777 + 1000);
    ck_assert_uint_eq(t.host[1]->got[1].at_ns, 5000 + 2 * ser + 777 + 2000);
    pair_free(&t);
}
END_TEST

START_TEST(planes_are_busy_each_for_itself)
{
    struct mrct_fab_config cfg;
    struct mrc_pkt p;
    struct pair t;
    pair_config(&cfg);
    cfg.planes = 3;
    pair_new(&t, &cfg, 1);
    for (uint32_t i = 0; i < 3; i++) {
        fake_request(&p, i, 0, fake_bytes, 200);
        (void)fake_send(t.host[0], 5000, i, &p);
    }
    pair_run(&t);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(t.host[1]->got[i].at_ns, t.host[1]->got[0].at_ns);
        ck_assert_uint_eq(t.host[1]->got[i].port, i);
    }
    pair_free(&t);
}
END_TEST

START_TEST(duplicates)
{
    /* The copies come 1001 and 2002 ns after it: just after PSN 2, and after PSN 3. */
    static const uint32_t psn[] = {0, 1, 2, 1, 3, 1};
    struct mrct_fab_account a;
    struct mrct_fault_rule r;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_DUPLICATE;
    r.match.nth_first = r.match.nth_last = 2;
    r.arg = 2;
    r.arg_ns = 1001;
    one_rule(&t, &r, 4);
    arrived_as(&t, psn, 6);
    mrct_fab_account_get(t.fab, &a);
    ck_assert_uint_eq(a.duplicated, 2);
    ck_assert_uint_eq(a.delivered, 6);
    ck_assert_uint_eq(t.host[1]->got[5].first_byte, 0x42);
    pair_free(&t);
}
END_TEST

START_TEST(delays)
{
    static const uint32_t psn[] = {1, 2, 0, 3};
    struct mrct_fault_rule r;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_DELAY;
    r.match.nth_first = r.match.nth_last = 1;
    r.arg_ns = 2500;
    one_rule(&t, &r, 4);
    arrived_as(&t, psn, 4);
    pair_free(&t);
}
END_TEST

START_TEST(reorders_past_exactly_k)
{
    struct mrct_fab_account a;
    struct mrct_fault_rule r;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_REORDER;
    r.match.psn_first = r.match.psn_last = 1;
    r.arg = _i;
    one_rule(&t, &r, 8);
    uint32_t psn[8] = {0};
    unsigned n = 1;
    for (uint32_t i = 2; i < 8; i++) {
        psn[n++] = i;
        if (n == (unsigned)_i + 1)
            psn[n++] = 1;
    }
    arrived_as(&t, psn, 8);
    mrct_fab_account_get(t.fab, &a);
    ck_assert_uint_eq(a.reordered, 1);
    pair_free(&t);
}
END_TEST

START_TEST(others_do_not_count_as_passing)
{
    static const uint32_t psn[] = {1, 2, 0};
    struct mrct_fab_config cfg;
    struct mrct_fault_rule r;
    struct mrc_pkt p;
    struct pair t;
    pair_config(&cfg);
    pair_new(&t, &cfg, 1);
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_REORDER;
    r.match.nth_first = r.match.nth_last = 1;
    r.arg = 1;
    (void)mrct_fab_add_rule(t.fab, &r);
    for (uint32_t i = 0; i < 3; i++) {
        fake_request(&p, i, 0, fake_bytes, 200);
        p.bth.dest_qp = i == 1 ? 0x99 : FAKE_QP;
        (void)fake_send(t.host[0], 1000 + i, 0, &p);
    }
    fake_sack(&p, 77, 0);
    (void)fake_send(t.host[1], 1000, 0, &p);
    pair_run(&t);
    arrived_as(&t, psn, 3);
    pair_free(&t);
}
END_TEST

START_TEST(nothing_is_held_for_ever)
{
    static const uint32_t psn[] = {0, 1, 3, 2};
    struct mrct_fault_rule r;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_REORDER;
    r.match.psn_first = r.match.psn_last = 2;
    r.arg = 100;
    r.arg_ns = _i == 0 ? 0 : 30000;
    one_rule(&t, &r, 4);
    arrived_as(&t, psn, 4);
    const uint64_t held = t.host[1]->got[3].at_ns - t.host[1]->got[2].at_ns;
    ck_assert_uint_eq(held + 1000, _i == 0 ? MRCT_REORDER_FLUSH_NS : 30000);
    pair_free(&t);
}
END_TEST

/* ---- links ---- */

/* Packets 0..7 leave at 1..8 us and take a good 2 us; planes and paths by turns. */
static void over_links(struct pair *t, int host, int plane, int path, uint64_t down, uint64_t up)
{
    struct mrct_fab_config cfg;
    pair_config(&cfg);
    cfg.planes = 2;
    cfg.paths = 2;
    pair_new(t, &cfg, 1);
    ck_assert_int_eq(mrct_fab_link(t->fab, down, host, (unsigned)plane, path, false), 0);
    ck_assert_int_eq(mrct_fab_link(t->fab, up, host, (unsigned)plane, path, true), 0);
    for (uint32_t i = 0; i < 8; i++) {
        struct mrc_pkt p;
        fake_request(&p, i, i / 2 % 2, fake_bytes, 200);
        (void)fake_send(t->host[0], 1000 * (i + 1), i % 2, &p);
    }
    pair_run(t);
}

START_TEST(links)
{
    static const struct {
        int host, plane, path;
        uint64_t down, up;
        unsigned arrive; /* bit: PSN */
    } table[] = {
        {-1, 0, -1, 3500, 5500, 0xEB}, /* in flight when it goes down: 2; sent then: 4 */
        {0, 0, -1, 3500, 5500, 0xEB},  {1, 0, -1, 3500, 5500, 0xEB},
        {1, 1, 0, 500, 100000, 0xDD},  {0, 1, 1, 500, 100000, 0x77},
        {0, 0, 1, 500, 100000, 0xBB},  {-1, 0, -1, 20000, 30000, 0xFF},
        {-1, 0, -1, 3500, 3500, 0xFB}, /* a flap loses what is in flight */
    };
    struct mrct_fab_account a;
    struct pair t;
    over_links(&t, table[_i].host, table[_i].plane, table[_i].path, table[_i].down, table[_i].up);
    unsigned got = 0;
    for (unsigned i = 0; i < t.host[1]->gots; i++)
        got |= 1u << t.host[1]->got[i].p.bth.psn;
    mrct_fab_account_get(t.fab, &a);
    ck_assert_uint_eq(a.dropped_link, 8 - (unsigned)__builtin_popcount(got));
    const unsigned want = table[_i].arrive;
    ck_assert_msg(got == want, "row %d: %x arrived, not %x", _i, got, want);
    pair_free(&t);
}
END_TEST

START_TEST(bad_links_are_refused)
{
    struct mrct_fab_config cfg;
    pair_config(&cfg);
    struct mrct_fab *const fab = mrct_fab_new(&cfg, 1);
    ck_assert_int_eq(mrct_fab_link(fab, 1, 2, 0, -1, false), -1);
    ck_assert_int_eq(mrct_fab_link(fab, 1, -2, 0, -1, false), -1);
    ck_assert_int_eq(mrct_fab_link(fab, 1, 0, 1, -1, false), -1);
    ck_assert_int_eq(mrct_fab_link(fab, 1, 0, 0, 1, false), -1);
    ck_assert_int_eq(mrct_fab_link(fab, 1, 0, 0, 0, false), 0);
    mrct_fab_free(fab);
    cfg.planes = 0;
    ck_assert_ptr_null(mrct_fab_new(&cfg, 1));
    cfg.planes = MRC_EP_PORTS_MAX + 1;
    ck_assert_ptr_null(mrct_fab_new(&cfg, 1));
}
END_TEST

/* ---- when a run ends ---- */

struct steps {
    uint64_t last_ns, count;
};

static void count_step(void *user, uint64_t now_ns)
{
    struct steps *const s = user;
    ck_assert_uint_ge(now_ns, s->last_ns);
    s->last_ns = now_ns;
    s->count++;
}

START_TEST(runs_end)
{
    struct mrct_fab_account a;
    struct mrct_fab_config cfg;
    struct steps s = {0};
    struct pair t;
    pair_config(&cfg);
    pair_new(&t, &cfg, 1);
    pair_send_many(&t, 0, 4);
    ck_assert_uint_eq(mrct_fab_run(t.fab, 2500, count_step, &s), 2500);
    mrct_fab_account_get(t.fab, &a);
    ck_assert_uint_eq(a.sent, 2);
    ck_assert_uint_eq(a.in_flight, 2);
    ck_assert(mrct_fab_account_balanced(&a));
    ck_assert_int_eq(mrct_fab_wake(t.fab, 2000), -1);
    ck_assert_int_eq(mrct_fab_wake(t.fab, 90000), 0);
    ck_assert_uint_eq(mrct_fab_run(t.fab, 100000, count_step, &s), 90000);
    ck_assert_uint_eq(s.last_ns, 90000);
    ck_assert_uint_eq(mrct_fab_now(t.fab), 90000);
    ck_assert_uint_gt(s.count, 8);
    ck_assert_uint_eq(t.host[1]->gots, 4);
    pair_free(&t);
}
END_TEST

Suite *suite_ways(void)
{
    Suite *const s = suite_create("fabric ways");
    TCase *const tc = tcase_create("ways");
    tcase_add_test(tc, serialisation_and_latency);
    tcase_add_test(tc, planes_are_busy_each_for_itself);
    tcase_add_test(tc, duplicates);
    tcase_add_test(tc, delays);
    tcase_add_loop_test(tc, reorders_past_exactly_k, 1, 6);
    tcase_add_test(tc, others_do_not_count_as_passing);
    tcase_add_loop_test(tc, nothing_is_held_for_ever, 0, 2);
    tcase_add_loop_test(tc, links, 0, 8);
    tcase_add_test(tc, bad_links_are_refused);
    tcase_add_test(tc, runs_end);
    suite_add_tcase(s, tc);
    return s;
}
