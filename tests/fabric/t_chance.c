/* SPDX-License-Identifier: BSD-2-Clause */
/* Random faults: every packet accounted for, and the same seed the same bytes. */
#include "tests/fabric/fake.h"

#include <string.h>

#define PACKETS 400u

struct digest {
    uint64_t hash, frames;
};

static void mix(struct digest *d, uint64_t v)
{
    d->hash = (d->hash ^ v) * UINT64_C(0x100000001B3);
}

static void tap(void *user, unsigned host, bool out, uint64_t now_ns, unsigned plane,
                const uint8_t *bytes, size_t len)
{
    struct digest *const d = user;
    mix(d, host);
    mix(d, out);
    mix(d, now_ns);
    mix(d, plane);
    for (size_t i = 0; i < len; i++)
        mix(d, bytes[i]);
    d->frames++;
}

static void stormy(struct mrct_fab_config *cfg)
{
    pair_config(cfg);
    cfg->planes = 2;
    cfg->paths = 4;
    cfg->latency_step_ns = 150;
    cfg->loss_ppm = 50000;
    cfg->dup_ppm = 40000;
    cfg->ce_ppm = 100000;
    cfg->trim_ppm = 60000;
    cfg->corrupt_ppm = 30000;
    cfg->delay_ppm = 80000;
}

static void storm(uint64_t seed, struct digest *d, struct mrct_fab_account *a)
{
    struct mrct_fab_config cfg;
    struct mrct_fault_rule r;
    struct pair t;
    stormy(&cfg);
    pair_new(&t, &cfg, seed);
    *d = (struct digest){.hash = UINT64_C(0xCBF29CE484222325)};
    mrct_fab_set_tap(t.fab, tap, d);
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_REORDER;
    r.arg = 5;
    r.match.nth_first = 20;
    r.match.nth_last = 40;
    (void)mrct_fab_add_rule(t.fab, &r);
    (void)mrct_fab_link(t.fab, 60000, -1, 1, 1, false);
    (void)mrct_fab_link(t.fab, 90000, -1, 1, 1, true);
    for (unsigned i = 0; i < PACKETS; i++) {
        struct mrc_pkt p;
        if (i % 4 == 3)
            fake_sack(&p, i, i);
        else
            fake_request(&p, i, i, fake_bytes, 1 + i * 7 % 1024);
        (void)fake_send(t.host[i % 4 == 3], 300 * i, i % 2, &p);
    }
    pair_run(&t);
    mrct_fab_account_get(t.fab, a);
    pair_free(&t);
}

START_TEST(accounts_balance)
{
    struct mrct_fab_account sum = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct mrct_fab_account a;
        struct digest d;
        storm(seed, &d, &a);
        ck_assert_uint_eq(a.sent, PACKETS);
        ck_assert_uint_eq(d.frames, a.sent + a.delivered);
        sum.dropped_random += a.dropped_random;
        sum.dropped_link += a.dropped_link;
        sum.duplicated += a.duplicated;
        sum.marked += a.marked;
        sum.trimmed += a.trimmed;
        sum.corrupted += a.corrupted;
        sum.delayed += a.delayed;
    }
    /* 80,000 packets: each rate is met within a tenth, where all packets can suffer it. */
    ck_assert(sum.dropped_random > 3600 && sum.dropped_random < 4400);
    ck_assert(sum.duplicated > 2700 && sum.duplicated < 3400);
    ck_assert(sum.delayed > 5400 && sum.delayed < 6800);
    ck_assert(sum.marked > 5000 && sum.trimmed > 2000 && sum.corrupted > 1800);
    ck_assert_uint_gt(sum.dropped_link, 200);
}
END_TEST

START_TEST(a_seed_repeats)
{
    struct mrct_fab_account a;
    struct digest first, again, other;
    storm(11, &first, &a);
    storm(11, &again, &a);
    storm(12, &other, &a);
    ck_assert_uint_eq(first.hash, again.hash);
    ck_assert_uint_ne(first.hash, other.hash);
}
END_TEST

Suite *suite_chance(void)
{
    Suite *const s = suite_create("fabric chance");
    TCase *const tc = tcase_create("chance");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, accounts_balance);
    tcase_add_test(tc, a_seed_repeats);
    suite_add_tcase(s, tc);
    return s;
}
