/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults hit what they name, for as long as they say, and traffic goes on without it. */
#include "tests/sim/suites.h"

#include <stdio.h>
#include <string.h>

static const char net[] =
    "title: t\n"
    "topology: {planes: 2, t0: 2, t1: 4, hosts_per_t0: 2}\n"
    "endpoint: {loss_limit: 2, timeout: 5, reverse_probe: 5us}\n"
    "limit: 20ms\n"
    "traffic:\n"
    "  - stream: {size: 64KiB, from: 0, to: 2, qps: 2, depth: 4, stop: 600us}\n"
    "phases:\n"
    "  - {name: before, from: 50us, to: 200us}\n"
    "  - {name: during, from: 250us, to: 400us}\n"
    "  - {name: after, from: 500us, to: 600us}\n"
    "faults:\n  - %s\n";

static json_t *with(const char *fault)
{
    char yaml[1000];
    (void)snprintf(yaml, sizeof yaml, net, fault);
    json_t *const r = results_of(yaml);
    ck_assert_double_eq(number(r, "works/stream/failed"), 0);
    ck_assert_double_eq(number(r, "works/stream/done"), 2);
    return r;
}

static double during(json_t *r)
{
    return number(r, "phases/during/all_goodput_bps") / number(r, "phases/before/all_goodput_bps");
}

static double after(json_t *r)
{
    return number(r, "phases/after/all_goodput_bps") / number(r, "phases/before/all_goodput_bps");
}

/* What halves a host's rate while it lasts. */
static const char *const halves[] = {
    "down: {host: 0, plane: 1, at: 200us, for: 200us}",
    "down: {host: 2, plane: 0, at: 200us, for: 200us}",
    "down: {plane: 1, at: 200us, for: 200us}",
    "reboot: {t0: 1, plane: 1, at: 200us, for: 200us}",
};

START_TEST(half_of_the_ports_are_gone)
{
    json_t *const r = with(halves[_i]);
    ck_assert_double_gt(during(r), 0.40);
    ck_assert_double_lt(during(r), 0.60);
    ck_assert_double_gt(after(r), 0.8);
    ck_assert_double_gt(number(r, "faults/0/links"), 0);
    json_decref(r);
}
END_TEST

START_TEST(a_slow_link_is_slow)
{
    json_t *const r = with("slow: {host: 0, rate: 25gbps, at: 200us, for: 200us}");
    ck_assert_double_eq(number(r, "faults/0/links"), 2);
    ck_assert_double_gt(during(r), 0.22);
    ck_assert_double_lt(during(r), 0.30);
    ck_assert_double_gt(after(r), 0.9);
    json_decref(r);
}
END_TEST

START_TEST(a_gray_switch_loses_while_its_links_are_up)
{
    json_t *const r = with("gray: {t1: 2, at: 200us}");
    ck_assert_double_gt(number(r, "faults/0/hits"), 0);
    ck_assert_double_eq(number(r, "packets/dropped_link"), 0);
    ck_assert_double_gt(number(r, "packets/dropped_fault"), 0);
    ck_assert_double_gt(after(r), 0.5);
    json_decref(r);
}
END_TEST

START_TEST(a_link_loses_its_share)
{
    json_t *const r = with("loss: {t0: 0, t1: 1, share: 50%, at: 0, for: 1us}");
    json_t *const all = with("loss: {host: 0, plane: 0, share: 100%, at: 0, for: 5us}");
    ck_assert_double_eq(number(r, "faults/0/links"), 2);
    ck_assert_double_ge(number(all, "faults/0/hits"), 10);
    ck_assert_double_eq(number(all, "faults/0/hits"), number(all, "packets/dropped_fault"));
    json_decref(r);
    json_decref(all);
}
END_TEST

/* The EV is the header's; others are not touched. */
START_TEST(an_ev_loses_alone)
{
    char yaml[1200];
    (void)snprintf(yaml, sizeof yaml, net, "loss: {share: 100%, ev: 7}");
    char *const at = strstr(yaml, "qps: 2, ");
    memcpy(at, "evs: 7, ", 8);
    struct mrct_scene s;
    scene_of(&s, yaml);
    ck_assert_uint_eq(s.works[0].ev_count, 1);
    mrct_scene_fini(&s);
    json_t *const other = with("loss: {share: 100%, ev: 7}");
    ck_assert_double_eq(number(other, "faults/0/hits"), 0);
    json_decref(other);
}
END_TEST

START_TEST(a_wrong_entry_leads_astray)
{
    /* Up again from a T1 is down to the other T0, which sends it up: until no hop is left. */
    json_t *const r = with("misroute: {t1: 0, host: 2, port: 0, at: 200us}");
    ck_assert_double_gt(number(r, "faults/0/hits"), 0);
    ck_assert_double_gt(after(r), 0.5);
    json_decref(r);
}
END_TEST

static const struct {
    const char *fault, *error;
} bad[] = {
    {"fire: {at: 0}",
     ":12: faults: one of down, gray, reboot, loss, slow, misroute and its map were "
     "expected"},
    {"down: {host: 4}", ":12: down: there is no host 4 (of 4)"},
    {"gray: {plane: 1}", ":12: gray: one switch was expected (t0, t1 or t2)"},
    {"down: {t0: 0, t2: 0}", ":12: down: there is no T2 switch 0 (of 0)"},
    {"loss: {t0: 0}", ":12: the key 'share' is missing"},
    {"down: {host: 1, count: 3}", ":12: count: the same links would fail at the same time"},
    {"down: {host: 1, every: 5us, for: 5us}", ":12: every: it is not longer than for"},
    {"down: {host: 1, tier: nic}", ":12: down: tier draws links at random, others name them"},
    {"down: {plane: 2}", ":12: down: there is no plane 2 (of 2)"},
};

START_TEST(faults_that_cannot_be_are_refused)
{
    char yaml[1000], err[600];
    struct mrct_scene s;
    (void)snprintf(yaml, sizeof yaml, net, bad[_i].fault);
    ck_assert_int_eq(scene_load(&s, yaml, err, sizeof err), -1);
    mrct_scene_fini(&s);
    ck_assert_str_eq(err, bad[_i].error);
}
END_TEST

Suite *suite_faults(void)
{
    Suite *const s = suite_create("faults");
    TCase *const t = tcase_create("faults");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, half_of_the_ports_are_gone, 0, (int)(sizeof halves / sizeof halves[0]));
    tcase_add_test(t, a_slow_link_is_slow);
    tcase_add_test(t, a_gray_switch_loses_while_its_links_are_up);
    tcase_add_test(t, a_link_loses_its_share);
    tcase_add_test(t, an_ev_loses_alone);
    tcase_add_test(t, a_wrong_entry_leads_astray);
    tcase_add_loop_test(t, faults_that_cannot_be_are_refused, 0, (int)(sizeof bad / sizeof bad[0]));
    suite_add_tcase(s, t);
    return s;
}
