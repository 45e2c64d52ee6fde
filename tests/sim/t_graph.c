/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks told link by link: routes, ports, rates and queues are those of the file. */
#include "harness/sim/sim_priv.h"
#include "tests/sim/suites.h"

#include <stdio.h>
#include <string.h>

/* Two racks over three switches between them, one of them a hop further. */
#define NODES "    hosts: [a, b, c, d]\n    switches: [left, right, up, far1, far2]\n"
#define LINKS                                                                                      \
    "    links:\n"                                                                                 \
    "      - {ends: [a, left]}\n"                                                                  \
    "      - {ends: [left, b], latency: 1us}\n"                                                    \
    "      - {ends: [c, right]}\n"                                                                 \
    "      - {ends: [d, right]}\n"                                                                 \
    "      - {ends: [left, up], rate: 50gbps, queue: 64KiB}\n"                                     \
    "      - {ends: [up, right]}\n"                                                                \
    "      - {ends: [left, far1]}\n"                                                               \
    "      - {ends: [far1, far2]}\n"                                                               \
    "      - {ends: [far2, right]}\n"
#define NET "title: t\ntopology:\n  graph:\n" NODES LINKS
#define ONE "traffic:\n  - stream: {size: 1MiB, from: 0, to: 2}\n"

static struct mrct_scene scene;

static struct mrct_sim *sim_of(const char *yaml)
{
    char err[300];
    scene_of(&scene, yaml);
    struct mrct_sim *const sim = mrct_sim_new(&scene, err, sizeof err);
    if (sim == NULL)
        ck_abort_msg("%s", err);
    return sim;
}

static void end(struct mrct_sim *sim)
{
    mrct_sim_free(sim);
    mrct_scene_fini(&scene);
}

static void run(struct mrct_sim *sim)
{
    char err[300];
    ck_assert_int_eq(mrct_sim_run(sim, NULL, NULL, err, sizeof err), 0);
}

/* The port from one node to another, switches by their number; there is one. */
static const struct sim_port *port_to(const struct mrct_sim *sim, uint32_t sw, bool host,
                                      uint32_t to)
{
    const struct sim_switch *const w = &sim->switches[sw];
    for (uint32_t i = 0; i < w->down_count; i++) {
        const struct sim_port *const p = &sim->ports[w->down_first + i];
        if (p->to_host == host && p->to == to)
            return p;
    }
    ck_abort_msg("no such port");
    return NULL;
}

enum { LEFT, RIGHT, UP, FAR1, FAR2 };

START_TEST(packets_take_shortest_paths)
{
    struct mrct_sim *const sim = sim_of(NET ONE);
    run(sim);
    ck_assert_uint_eq(mrct_sim_account(sim)->dropped_route, 0);
    ck_assert_uint_gt(port_to(sim, LEFT, false, UP)->packets, 250);
    ck_assert_uint_eq(port_to(sim, LEFT, false, FAR1)->packets, 0);
    ck_assert_uint_eq(port_to(sim, LEFT, true, 1)->packets, 0);
    ck_assert_uint_eq(sim->flows[0].finished, 1);
    end(sim);
}
END_TEST

START_TEST(links_have_their_own_rate_latency_and_queue)
{
    struct mrct_sim *const sim = sim_of(NET ONE);
    const struct sim_port *const up = port_to(sim, LEFT, false, UP);
    ck_assert_uint_eq(up->ps_per_byte_q8, 160u * 256u);
    ck_assert_uint_eq(up->limit_data, 64u << 10);
    ck_assert_uint_eq(port_to(sim, UP, false, LEFT)->ps_per_byte_q8, 160u * 256u);
    ck_assert_uint_eq(port_to(sim, UP, false, RIGHT)->limit_data, 256u << 10);
    ck_assert_uint_eq(port_to(sim, LEFT, true, 1)->latency_ns, 1000);
    run(sim);
    /* 50 Gb/s less headers and the first and last round trip. */
    const double bps = 8e9 * 1048576 / (double)(sim->flows[0].end_ns - sim->flows[0].first_ns);
    ck_assert_double_gt(bps, 42e9);
    ck_assert_double_lt(bps, 49e9);
    end(sim);
}
END_TEST

/* b to c is the longest: 1,000 + 3 x 500 ns one way, and the bits of each link. */
START_TEST(the_longest_path_gives_the_round_trip)
{
    struct mrct_sim *const sim = sim_of(NET ONE);
    const uint64_t bits = UINT64_C(8) * (4096 + 350); /* per Gb/s: ns */
    ck_assert_uint_eq(sim->base_rtt_ns, 2 * 2500 + 3 * (bits / 100) + bits / 50);
    end(sim);
}
END_TEST

START_TEST(tiers_are_distances_to_hosts)
{
    struct mrct_sim *const sim = sim_of(NET ONE);
    static const uint8_t tiers[] = {0, 0, 1, 1, 1};
    for (unsigned w = 0; w < 5; w++)
        ck_assert_uint_eq(sim->switches[w].tier, tiers[w]);
    ck_assert(port_to(sim, LEFT, false, UP)->upward);
    ck_assert(!port_to(sim, UP, false, LEFT)->upward);
    ck_assert_uint_eq(port_to(sim, LEFT, false, UP)->tier, MRCT_TIER_T0_T1);
    end(sim);
}
END_TEST

/* Two ports a host, on switches of its own; two ways between the racks of each plane. */
#define PLANES                                                                                     \
    "title: t\ntopology:\n  graph:\n"                                                              \
    "    hosts: [a, b]\n"                                                                          \
    "    switches: [a0, a1, b0, b1, m, n]\n"                                                       \
    "    links:\n"                                                                                 \
    "      - {ends: [a, a0]}\n      - {ends: [a, a1]}\n"                                           \
    "      - {ends: [b, b0]}\n      - {ends: [b, b1]}\n"                                           \
    "      - {ends: [a0, m]}\n      - {ends: [a0, n]}\n      - {ends: [a1, m]}\n"                  \
    "      - {ends: [b0, m]}\n      - {ends: [b0, n]}\n      - {ends: [b1, m]}\n"

static const char *const forwardings[] = {"ecmp", "structured"};

START_TEST(ports_are_planes_and_equal_paths_share)
{
    char yaml[1500];
    (void)snprintf(yaml, sizeof yaml,
                   PLANES "forwarding: %s\ntraffic:\n  - stream: {size: 1MiB, from: 0, to: 1}\n",
                   forwardings[_i]);
    struct mrct_sim *const sim = sim_of(yaml);
    ck_assert_uint_eq(sim->planes, 2);
    run(sim);
    ck_assert_uint_eq(mrct_sim_account(sim)->dropped_route, 0);
    const uint64_t m = port_to(sim, 0, false, 4)->packets, n = port_to(sim, 0, false, 5)->packets;
    ck_assert_uint_gt(m, 30);
    ck_assert_uint_gt(n, 30);
    ck_assert_uint_gt(port_to(sim, 1, false, 4)->packets, 100);
    /* What left by a port came in by the peer's port of that number. */
    ck_assert_uint_ge(sim->ports[0].packets, m + n);
    ck_assert_uint_eq(port_to(sim, 2, true, 1)->packets,
                      port_to(sim, 4, false, 2)->packets + port_to(sim, 5, false, 2)->packets);
    end(sim);
}
END_TEST

/* Explicit EVs: with one bit of theirs, a tier-0 switch chooses between two. */
START_TEST(structured_evs_choose_by_their_first_bits)
{
    struct mrct_sim *const sim =
        sim_of(PLANES "forwarding: structured\ntraffic:\n"
                      "  - stream: {size: 256KiB, from: 0, to: 1, evs: [0x80000000, 0]}\n");
    run(sim);
    ck_assert_uint_eq(port_to(sim, 0, false, 4)->packets, 0);
    ck_assert_uint_gt(port_to(sim, 0, false, 5)->packets, 20);
    end(sim);
}
END_TEST

static const char *const cuts[] = {
    "down: {link: [up, left], at: 10us, for: 50us}",
    "down: {switch: up, at: 10us, for: 50us}",
    "reboot: {switch: up, at: 10us, for: 50us}",
    "gray: {switch: up, at: 10us, for: 50us}",
    "down: {host: 0, at: 10us, for: 50us, unseen: true}",
    "down: {host: 0, plane: 0, at: 10us, for: 50us, unseen: true}",
    "misroute: {switch: up, host: 2, port: 0, at: 10us, for: 50us}",
    "loss: {link: [left, up], share: 100%, at: 10us, for: 50us}",
    "loss: {host: 0, to: 2, share: 100%, at: 10us, for: 50us}",
};

START_TEST(faults_are_named)
{
    char yaml[1500];
    (void)snprintf(yaml, sizeof yaml, NET ONE "limit: 100ms\nfaults:\n  - %s\n", cuts[_i]);
    json_t *const r = results_of(yaml);
    ck_assert_double_gt(number(r, "packets/data_lost"), 5);
    ck_assert_double_eq(number(r, "works/stream/failed"), 0);
    ck_assert_double_eq(number(r, "works/stream/done"), 1);
    json_decref(r);
}
END_TEST

/* A loss of what goes to d does not touch what goes to c by the same links. */
START_TEST(a_path_is_lost_alone)
{
    json_t *const r = results_of(NET ONE "faults:\n  - loss: {host: 0, to: 3, share: 100%}\n");
    ck_assert_double_eq(number(r, "faults/0/hits"), 0);
    json_decref(r);
}
END_TEST

START_TEST(results_bear_the_names)
{
    struct mrct_sim *const sim = sim_of(NET ONE);
    char buf[SIM_NAME_MAX];
    ck_assert_str_eq(sim_node_name(sim, true, 2, buf), "c");
    ck_assert_str_eq(sim_node_name(sim, false, FAR2, buf), "far2");
    uint32_t id = 0;
    ck_assert(!sim_port_sender(sim, sim_host_port(sim, 2, 0), &id));
    ck_assert_uint_eq(id, RIGHT);
    end(sim);
}
END_TEST

#define BAD(links) "title: t\ntopology:\n  graph:\n" NODES "    links:\n" links ONE
#define TAIL       "traffic: []\n"

static const struct {
    const char *yaml, *error;
} bad[] = {
    {"title: t\ntopology:\n  graph: {hosts: [a, b], switches: [s]}\n",
     ":3: the key 'links' is missing"},
    {"title: t\ntopology: {planes: 2, graph: {hosts: [a, b], switches: [s], links: []}}\n",
     ":2: unknown key 'planes'; known here: graph"},
    {BAD("      - {ends: [a, left, b]}\n"), ":7: ends: two names were expected, not 3"},
    {BAD("      - {ends: [a, lft]}\n"), ":7: ends: there is no host or switch 'lft'"},
    {BAD("      - {ends: [a, left]}\n      - {ends: [up, up]}\n"),
     ":8: ends: 'up' is joined to itself"},
    {BAD("      - {ends: [a, b]}\n"), ":7: ends: two hosts need a switch between them"},
    {BAD("      - {ends: [a, left], rate: 0gbps}\n"), ":7: rate: 0gbps is not in "
                                                      "1000000..100000000000000"},
    {BAD("      - {ends: [a, left]}\n      - {ends: [b, left]}\n"),
     ":4: graph: host 'c' has no link"},
    {BAD("      - {ends: [a, left]}\n      - {ends: [b, left]}\n      - {ends: [a, up]}\n"),
     ":4: graph: host 'b' has 1 links and 'a' has 2: all hosts have as many ports"},
    {BAD("      - {ends: [a, left]}\n      - {ends: [b, left]}\n      - {ends: [c, right]}\n"
         "      - {ends: [d, right]}\n      - {ends: [up, right]}\n"),
     ":4: graph: no path joins port 0 of 'c' to that of 'a'"},
    {"title: t\ntopology:\n  graph: {hosts: [a, b, a], switches: [s], links: []}\n",
     ":3: graph: two are named 'a'"},
    {"title: t\ntopology:\n  graph: {hosts: [a], switches: [s], links: []}\n",
     ":3: hosts: a network has at least two"},
    {"title: t\ntopology:\n  graph: {hosts: [a, 'b,c'], switches: [s], links: []}\n",
     ":3: graph: 'b,c' is no name of letters, digits, '.', '_' and '-'"},
    {NET ONE "forwarding: srv6\n",
     ":18: forwarding: srv6 by templates needs planes and tiers, not a graph"},
    {NET "traffic:\n  - stream: {size: 1KiB, from: 0, to: 4}\n",
     ":17: stream: there is no host 4 (of 4)"},
    {NET ONE "faults:\n  - down: {link: [a, nobody]}\n",
     ":19: down: there is no host or switch 'nobody'"},
    {NET ONE "faults:\n  - gray: {switch: a}\n", ":19: gray: there is no switch 'a'"},
    {NET ONE "faults:\n  - down: {link: [a]}\n", ":19: down: link: two names alone were expected"},
    {NET ONE "faults:\n  - down: {t0: 0}\n",
     ":19: down: a graph has no t0, t1 and t2: name the switch or the link"},
    {NET ONE "faults:\n  - down: {plane: 0}\n", ":19: down: plane is a port of a host in a graph"},
    {NET ONE "faults:\n  - gray: {at: 0}\n", ":19: gray: one switch was expected (switch)"},
    {"title: t\ntopology: {hosts_per_t0: 2}\n" ONE "faults:\n  - down: {switch: up}\n",
     ":4: stream: there is no host 2 (of 2)"},
    {"title: t\ntopology: {hosts_per_t0: 3}\n" ONE "faults:\n  - down: {switch: up}\n",
     ":6: down: switch and link are names of a graph"},
};

START_TEST(graphs_that_cannot_be_are_refused)
{
    struct mrct_scene s;
    char err[600];
    ck_assert_int_eq(scene_load(&s, bad[_i].yaml, err, sizeof err), -1);
    mrct_scene_fini(&s);
    ck_assert_str_eq(err, bad[_i].error);
}
END_TEST

/* Neighbours that are none mean no link, which the network itself finds. */
START_TEST(a_link_that_is_not_there_is_told)
{
    struct mrct_scene s;
    char err[300];
    scene_of(&s, NET ONE "faults:\n  - down: {link: [left, right]}\n");
    ck_assert_ptr_null(mrct_sim_new(&s, err, sizeof err));
    mrct_scene_fini(&s);
    ck_assert_ptr_nonnull(strstr(err, ":19: down means no link of this network"));
}
END_TEST

Suite *suite_graph(void)
{
    Suite *const s = suite_create("graph");
    TCase *const t = tcase_create("graph");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, packets_take_shortest_paths);
    tcase_add_test(t, links_have_their_own_rate_latency_and_queue);
    tcase_add_test(t, the_longest_path_gives_the_round_trip);
    tcase_add_test(t, tiers_are_distances_to_hosts);
    tcase_add_loop_test(t, ports_are_planes_and_equal_paths_share, 0, 2);
    tcase_add_test(t, structured_evs_choose_by_their_first_bits);
    tcase_add_loop_test(t, faults_are_named, 0, (int)(sizeof cuts / sizeof cuts[0]));
    tcase_add_test(t, a_path_is_lost_alone);
    tcase_add_test(t, results_bear_the_names);
    tcase_add_loop_test(t, graphs_that_cannot_be_are_refused, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(t, a_link_that_is_not_there_is_told);
    suite_add_tcase(s, t);
    return s;
}
