/* SPDX-License-Identifier: BSD-2-Clause */
/* What the loader refuses, in one sentence with file and line; and helpers of the other tests. */
#include "harness/sim/expect.h"
#include "tests/sim/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int scene_load(struct mrct_scene *s, const char *yaml, char *err, size_t cap)
{
    char path[] = "/tmp/mrct-scene-XXXXXX";
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, yaml, strlen(yaml)), (ssize_t)strlen(yaml));
    close(fd);
    char words[600] = "";
    const int rc = mrct_scene_load(s, path, words, sizeof words);
    unlink(path);
    /* What stands behind the path. */
    const char *const at = strncmp(words, path, strlen(path)) == 0 ? words + strlen(path) : words;
    (void)snprintf(err, cap, "%s", at);
    return rc;
}

void scene_of(struct mrct_scene *s, const char *yaml)
{
    char err[600];
    if (scene_load(s, yaml, err, sizeof err) != 0)
        ck_abort_msg("refused: %s", err);
}

json_t *results_of(const char *yaml)
{
    struct mrct_scene s;
    char err[300];
    scene_of(&s, yaml);
    struct mrct_sim *const sim = mrct_sim_new(&s, err, sizeof err);
    if (sim == NULL || mrct_sim_run(sim, NULL, NULL, err, sizeof err) != 0)
        ck_abort_msg("%s", err);
    const struct mrct_sim_account *const a = mrct_sim_account(sim);
    ck_assert_uint_eq(a->sent, a->delivered + a->in_flight + a->dropped_queue + a->dropped_link +
                                   a->dropped_fault + a->dropped_route + a->srv6_spent +
                                   a->srv6_foreign);
    json_t *const r = mrct_sim_json(sim);
    mrct_sim_free(sim);
    mrct_scene_fini(&s);
    return r;
}

double number(json_t *results, const char *path)
{
    double v = 0;
    if (!mrct_sim_value(results, path, &v))
        ck_abort_msg("no number at %s", path);
    return v;
}

#define NET "title: t\ntopology: {t0: 2, t1: 2, hosts_per_t0: 2}\n"

static const struct {
    const char *yaml, *error;
} bad[] = {
    {"title: t\n", ":1: the key 'topology' is missing"},
    {"title: t\ntopology: {t0: 2, hosts_per_t0: 2}\ntraffic: []\n",
     ":2: topology: more than one T0 switch needs T1 switches above"},
    {"title: t\ntopology: {t0: 1, hosts_per_t0: 1}\ntraffic: []\n",
     ":2: topology: a network has at least two hosts"},
    {"title: t\ntopology: {planes: 17}\n", ":2: planes: 17 is not in 1..16"},
    {"title: t\ntopology: {t0: 4, t1: 4, t2: 3, pods: 2}\n",
     ":2: topology: T2 switches do not divide evenly among the T1 switches of a pod"},
    {"title: t\ntopology: {t0: 4, t1: 4, pods: 2}\n",
     ":2: topology: pods need T2 switches above them"},
    {NET "traffic: []\n", ":3: traffic: at least one was expected"},
    {NET "traffic:\n  - flood: {size: 1}\n",
     ":4: traffic: one of stream, permutation, incast, ring, alltoall, allreduce and its map were "
     "expected"},
    {NET "traffic:\n  - incast: {size: 1KiB, from: 1..3, to: 4}\n",
     ":4: incast: there is no host 4 (of 4)"},
    {NET "traffic:\n  - incast: {size: 1KiB, from: 1..3, to: 2}\n",
     ":4: incast: host 2 sends to itself"},
    {NET "traffic:\n  - stream: {size: 1KiB, from: 1..3, to: 0}\n",
     ":4: stream: 3 hosts send and 1 receive"},
    {NET "traffic:\n  - stream: {size: lots, from: 1, to: 0}\n",
     ":4: size: 'lots' is not a size like 512, 64KiB or 3MiB"},
    {NET "traffic:\n  - permutation: {size: 1KiB, shift: 4}\n",
     ":4: shift: every host would send to itself"},
    {NET "traffic:\n  - permutation: {size: 1KiB}\n  - permutation: {size: 1KiB}\n",
     ":5: traffic: two are named 'permutation'"},
    {NET "queues: {ecn: {min: 2KiB, max: 1KiB}}\n", ":3: ecn: min is above max"},
    {NET "endpoint: {ip: 4}\nforwarding: srv6\ntraffic:\n  - permutation: {size: 1KiB}\n",
     ":3: ip: forwarding by srv6 needs IPv6"},
    {NET "endpoint: {cc: reno}\n", ":3: cc: 'reno' is none of nscc, fixed, off, dcqcn"},
};

START_TEST(bad_scenes_are_refused_with_their_line)
{
    struct mrct_scene s;
    char err[600];
    ck_assert_int_eq(scene_load(&s, bad[_i].yaml, err, sizeof err), -1);
    mrct_scene_fini(&s);
    ck_assert_str_eq(err, bad[_i].error);
}
END_TEST

/* 10 bits of a uSID: a T0; a pod and a place there; two places. */
static const struct {
    const char *topology;
    int loads;
} usids[] = {
    {"{t0: 1023, t1: 1, hosts_per_t0: 1}", 0},
    {"{t0: 1024, t1: 1, hosts_per_t0: 1}", -1},
    {"{t0: 32, t1: 992, t2: 961, pods: 32, hosts_per_t0: 1}", 0},
    {"{t0: 33, t1: 1023, t2: 31, pods: 33, hosts_per_t0: 1}", -1},
    {"{t0: 2, t1: 62, t2: 992, pods: 2, hosts_per_t0: 1}", -1},
};

START_TEST(a_usid_counts_so_far)
{
    struct mrct_scene s;
    char yaml[300], err[600] = "";
    (void)snprintf(yaml, sizeof yaml,
                   "title: t\ntopology: %s\nforwarding: srv6\ntraffic:\n"
                   "  - permutation: {size: 1KiB}\n",
                   usids[_i].topology);
    ck_assert_int_eq(scene_load(&s, yaml, err, sizeof err), usids[_i].loads);
    mrct_scene_fini(&s);
    if (usids[_i].loads != 0)
        ck_assert_str_eq(err, ":3: forwarding: a uSID counts no more than 1023 switches or ports");
}
END_TEST

START_TEST(defaults_are_filled_in)
{
    struct mrct_scene s;
    scene_of(&s, NET "traffic:\n  - permutation: {size: 1KiB}\n");
    ck_assert_uint_eq(mrct_scene_hosts(&s), 4);
    ck_assert_uint_eq(s.topology.link[MRCT_TIER_T0_T1].rate_bps, UINT64_C(100000000000));
    ck_assert_int_eq(s.works[0].last, 3);
    ck_assert_uint_eq(s.works[0].messages, 1);
    ck_assert_str_eq(s.works[0].name, "permutation");
    ck_assert(s.queues.strict && s.queues.trim && s.queues.ecn && !s.queues.ecn_last_hop);
    mrct_scene_fini(&s);
}
END_TEST

Suite *suite_scene(void)
{
    Suite *const s = suite_create("scene");
    TCase *const t = tcase_create("scene");
    tcase_add_loop_test(t, bad_scenes_are_refused_with_their_line, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_loop_test(t, a_usid_counts_so_far, 0, (int)(sizeof usids / sizeof usids[0]));
    tcase_add_test(t, defaults_are_filled_in);
    suite_add_tcase(s, t);
    return s;
}
