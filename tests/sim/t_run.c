/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole runs: every work ends, every packet is accounted for, and the same seed gives the same. */
#include "harness/sim/sim_priv.h"
#include "tests/sim/suites.h"

#include <stdlib.h>
#include <string.h>

#define TWO_TIERS "title: t\ntopology: {planes: 2, t0: 4, t1: 4, hosts_per_t0: 4}\nlimit: 50ms\n"

static const char *const forwardings[] = {"ecmp", "structured", "srv6"};

START_TEST(a_permutation_fills_the_network)
{
    char yaml[400];
    (void)snprintf(yaml, sizeof yaml,
                   TWO_TIERS "forwarding: %s\ntraffic:\n  - permutation: {size: 1MiB}\n",
                   forwardings[_i]);
    json_t *const r = results_of(yaml);
    ck_assert_double_eq(number(r, "works/permutation/done"), 16);
    ck_assert_double_eq(number(r, "works/permutation/failed"), 0);
    ck_assert_double_gt(number(r, "works/permutation/jain"), 0.95);
    /* 200 Gb/s a host, less headers and the first and last round trip. */
    ck_assert_double_gt(number(r, "works/permutation/flow_goodput_bps/min"), 100e9);
    ck_assert_double_lt(number(r, "works/permutation/flow_goodput_bps/max"), 194e9);
    ck_assert_double_eq(number(r, "packets/dropped_route"), 0);
    ck_assert_double_eq(number(r, "packets/srv6_foreign") + number(r, "packets/srv6_spent"), 0);
    json_decref(r);
}
END_TEST

START_TEST(three_tiers_reach_every_host)
{
    char yaml[400];
    (void)snprintf(yaml, sizeof yaml,
                   "title: t\n"
                   "topology: {planes: 2, t0: 4, t1: 4, t2: 4, pods: 2, hosts_per_t0: 2}\n"
                   "limit: 50ms\nforwarding: %s\n"
                   "traffic:\n  - alltoall: {size: 64KiB}\n",
                   forwardings[_i]);
    json_t *const r = results_of(yaml);
    ck_assert_double_eq(number(r, "works/alltoall/done"), 56);
    ck_assert_double_eq(number(r, "packets/dropped_route"), 0);
    ck_assert_double_eq(number(r, "works/alltoall/retransmissions"), 0);
    ck_assert_double_eq(number(r, "packets/srv6_foreign") + number(r, "packets/srv6_spent"), 0);
    json_decref(r);
}
END_TEST

/* Every T2 carries what goes from pod to pod, by its own EVs. */
START_TEST(evs_of_three_tiers_take_every_way)
{
    struct mrct_scene s;
    char err[300];
    scene_of(&s, "title: t\ntopology: {t0: 4, t1: 4, t2: 6, pods: 2, hosts_per_t0: 2}\n"
                 "forwarding: srv6\nlimit: 50ms\n"
                 "traffic:\n  - stream: {size: 1MiB, from: 0, to: 7}\n");
    struct mrct_sim *const sim = mrct_sim_new(&s, err, sizeof err);
    ck_assert_ptr_nonnull(sim);
    ck_assert_int_eq(mrct_sim_run(sim, NULL, NULL, err, sizeof err), 0);
    for (uint32_t i = 0; i < 6; i++) {
        const struct sim_switch *const w = &sim->switches[sim_switch_id(sim, 0, 2, i)];
        ck_assert_uint_gt(sim->ports[w->down_first + 1].packets, 20);
    }
    ck_assert_uint_eq(mrct_sim_account(sim)->dropped_route, 0);
    mrct_sim_free(sim);
    mrct_scene_fini(&s);
}
END_TEST

START_TEST(an_incast_shares_its_last_hop)
{
    json_t *const r = results_of(TWO_TIERS "traffic:\n"
                                           "  - incast: {size: 1MiB, from: 4..11, to: 0}\n");
    ck_assert_double_eq(number(r, "works/incast/done"), 8);
    ck_assert_double_gt(number(r, "works/incast/jain"), 0.95);
    ck_assert_double_gt(number(r, "works/incast/goodput_bps"), 150e9);
    ck_assert_double_lt(number(r, "works/incast/goodput_bps"), 200e9);
    json_decref(r);
}
END_TEST

/* The same, with a queue too short for it. */
START_TEST(a_short_queue_trims_or_drops)
{
    char yaml[500];
    (void)snprintf(yaml, sizeof yaml,
                   TWO_TIERS "queues: {limits: {data: 32KiB}, trim: %s, ecn: off}\n"
                             "traffic:\n  - incast: {size: 256KiB, from: 4..11, to: 0}\n",
                   _i == 0 ? "true" : "false");
    json_t *const r = results_of(yaml);
    ck_assert_double_eq(number(r, "works/incast/done"), 8);
    ck_assert_double_gt(number(r, "works/incast/retransmissions"), 0);
    if (_i == 0) {
        ck_assert_double_gt(number(r, "packets/trimmed"), 0);
        ck_assert_double_gt(number(r, "works/incast/nacked"), 0);
        ck_assert_double_eq(number(r, "packets/dropped_queue"), 0);
    } else {
        ck_assert_double_eq(number(r, "packets/trimmed"), 0);
        ck_assert_double_gt(number(r, "packets/dropped_queue"), 0);
    }
    json_decref(r);
}
END_TEST

START_TEST(steps_wait_for_each_other)
{
    json_t *const r = results_of(TWO_TIERS "traffic:\n"
                                           "  - ring: {size: 64KiB, hosts: 0..7, steps: 5}\n"
                                           "  - allreduce: {size: 1MiB, hosts: 8..15}\n");
    ck_assert_double_eq(number(r, "works/ring/done"), 8);
    ck_assert_double_eq(number(r, "works/ring/message_ns/count"), 40);
    ck_assert_double_eq(number(r, "works/allreduce/message_ns/count"), 8 * 14);
    /* Steps one after the other take at least their messages' times. */
    ck_assert_double_ge(number(r, "works/ring/fct_ns/min"),
                        5 * number(r, "works/ring/message_ns/min") * 0.9);
    json_decref(r);
}
END_TEST

static char *text_of(const char *yaml)
{
    json_t *const r = results_of(yaml);
    char *const text = json_dumps(r, 0);
    json_decref(r);
    ck_assert_ptr_nonnull(text);
    return text;
}

START_TEST(one_seed_gives_one_result)
{
    static const char one[] =
        TWO_TIERS "seed: 5\nsample: 20us\ntraffic:\n  - permutation: {size: 256KiB}\n";
    static const char other[] =
        TWO_TIERS "seed: 6\nsample: 20us\ntraffic:\n  - permutation: {size: 256KiB}\n";
    char *const a = text_of(one), *const b = text_of(one), *const c = text_of(other);
    ck_assert_str_eq(a, b);
    ck_assert_str_ne(a, c);
    free(a);
    free(b);
    free(c);
}
END_TEST

START_TEST(samples_add_up)
{
    json_t *const r =
        results_of(TWO_TIERS "sample: 10us\ntraffic:\n"
                             "  - stream: {size: 64KiB, from: 0, to: 5, stop: 200us, depth: 4}\n");
    const json_t *const samples = json_object_get(r, "samples");
    double bytes = 0;
    for (size_t i = 0; i < json_array_size(samples); i++)
        bytes += number(json_array_get(samples, i), "goodput_bps/stream") * 10e-6 / 8;
    /* What came after the last sample is missing. */
    ck_assert_double_gt(bytes, number(r, "packets/payload_bytes") - 10e-6 * 200e9 / 8);
    ck_assert_double_le(bytes, number(r, "packets/payload_bytes") + 1);
    ck_assert_double_ge(number(r, "time_ns"), 200e3);
    json_decref(r);
}
END_TEST

Suite *suite_run(void)
{
    Suite *const s = suite_create("run");
    TCase *const t = tcase_create("run");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_permutation_fills_the_network, 0, 3);
    tcase_add_loop_test(t, three_tiers_reach_every_host, 0, 3);
    tcase_add_test(t, evs_of_three_tiers_take_every_way);
    tcase_add_test(t, an_incast_shares_its_last_hop);
    tcase_add_loop_test(t, a_short_queue_trims_or_drops, 0, 2);
    tcase_add_test(t, steps_wait_for_each_other);
    tcase_add_test(t, one_seed_gives_one_result);
    tcase_add_test(t, samples_add_up);
    suite_add_tcase(s, t);
    return s;
}
