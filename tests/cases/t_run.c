/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole runs: the same seed gives the same run, a missed stimulus proves nothing, a lie is seen. */
#include "harness/cases/swarm.h"
#include "tests/cases/stage.h"
#include "tests/cases/suites.h"

#include <stdio.h>
#include <string.h>

static void verdict(enum mrct_verdict v, const char *why)
{
    ck_assert_msg(stage.r.verdict == v, "%s: %s", mrct_verdict_str(stage.r.verdict), stage.r.why);
    ck_assert_str_eq(stage.r.why, why);
}

START_TEST(a_plain_write_passes)
{
    stage.cfg.replay = "mrct certify --seed 1";
    stage_run("traffic:\n  - write: {size: 10000, count: 3}\n");
    verdict(MRCT_PASS, "");
    ck_assert_str_eq(stage.r.replay, "mrct certify --seed 1 --case t/run");
    ck_assert_uint_eq(stage.r.seed, mrct_run_case_seed(1, "t/run"));
    ck_assert_uint_gt(stage.r.frames, 60);
    ck_assert_uint_eq(stage.r.finding_count, 0);
    ck_assert_uint_eq(stage.r.note_count, 1);
}
END_TEST

START_TEST(a_fault_that_never_met_its_packet)
{
    stage_run("traffic:\n  - write: {size: 3000}\nfaults:\n"
              "  - drop: {name: far, direction: requests, psn: 500}\n");
    verdict(MRCT_INCONCLUSIVE, "the fault 'far' met 0 packets where 1 were wanted");
    ck_assert_str_eq(stage.r.notes[0], "fault 'far': 0 packets");
}
END_TEST

START_TEST(a_step_that_never_starts)
{
    stage_run("traffic:\n  - write: {size: 3000}\n  - write: {size: 10, at: 3ms}\nlimit: 1ms\n"
              "expect: {writes: any}\n");
    verdict(MRCT_PASS, "");
    ck_assert_uint_eq(stage.r.virtual_ns, 1000000);
}
END_TEST

START_TEST(an_expectation_not_met)
{
    stage_run("traffic:\n  - write: {size: 3000, target: wrong_rkey}\n");
    verdict(MRCT_FAIL, "0 of 1 writes completed with success");
}
END_TEST

START_TEST(a_capability_not_declared)
{
    static const char *const lacks[] = {"vlan", NULL};
    stage.cfg.lacks = lacks;
    stage_run("capabilities: [vlan]\ntraffic:\n  - write: {size: 3000}\n");
    verdict(MRCT_NOT_APPLICABLE, "the device does not declare 'vlan'");
    ck_assert_uint_eq(stage.r.req_count, 1);
    ck_assert_int_eq(stage.r.reqs[0].verdict, MRCT_NOT_APPLICABLE);
}
END_TEST

START_TEST(an_output_folder_that_is_not)
{
    stage.cfg.out_dir = scratch_path("away");
    stage_run("traffic:\n  - write: {size: 30}\n");
    ck_assert_int_eq(stage.r.verdict, MRCT_ERROR);
    ck_assert_ptr_nonnull(strstr(stage.r.why, "t-run.pcapng"));
    ck_assert_str_eq(stage.r.capture, "");
}
END_TEST

static uint64_t frames_of_seed(uint64_t seed)
{
    struct mrct_case one;
    struct mrct_result_case result;
    ck_assert_int_eq(mrct_swarm_run(&stage.cfg, &one, seed, &stage.pool, &result), 0);
    ck_assert_msg(result.verdict == MRCT_PASS, "seed %llu: %s", (unsigned long long)seed,
                  result.why);
    mrct_case_fini(&one);
    return result.frames * 1000003u + result.virtual_ns;
}

START_TEST(a_seed_repeats)
{
    mrct_case_init(&stage.c);
    const uint64_t first = frames_of_seed(1000 + (uint64_t)_i);
    ck_assert_uint_eq(frames_of_seed(1000 + (uint64_t)_i), first);
}
END_TEST

START_TEST(seeds_of_cases)
{
    mrct_case_init(&stage.c);
    ck_assert_uint_ne(mrct_run_case_seed(1, "a/b"), mrct_run_case_seed(1, "a/c"));
    ck_assert_uint_ne(mrct_run_case_seed(1, "a/b"), mrct_run_case_seed(2, "a/b"));
    ck_assert_uint_eq(mrct_run_case_seed(1, "a/b"), mrct_run_case_seed(1, "a/b"));
}
END_TEST

START_TEST(a_lie_is_seen_and_commented)
{
    stage.cfg.deviant = mrct_deviant_find("rtx-not-set");
    ck_assert_ptr_nonnull(stage.cfg.deviant);
    stage.cfg.out_dir = scratch_path(".");
    stage_run("traffic:\n  - write: {size: 30000}\nfaults:\n"
              "  - drop: {direction: requests, psn: 3, nth: 1}\n");
    ck_assert_int_eq(stage.r.verdict, MRCT_FAIL);
    ck_assert_str_eq(stage.r.findings[0].f.requirement, "REQ-7.4-01");
    ck_assert_str_eq(stage.r.findings[0].tap, "requestor");
    ck_assert_str_eq(stage.r.findings[0].f.host, "host1");
    ck_assert_str_eq(stage.r.capture, "t-run.pcapng");
    char bytes[4096];
    bool commented = false;
    FILE *const f = fopen(scratch_path("t-run.pcapng"), "rb");
    ck_assert_ptr_nonnull(f);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, f)) > 0;) {
        commented = commented || memmem(bytes, n, "FAIL REQ-7.4-01", 15) != NULL;
    }
    (void)fclose(f);
    ck_assert(commented);
}
END_TEST

START_TEST(sums_over_cases)
{
    mrct_case_init(&stage.c);
    struct mrct_result_req one[] = {{"REQ-6-01", MRCT_PASS, 3}, {"REQ-6-02", MRCT_INCONCLUSIVE, 0}};
    struct mrct_result_req two[] = {{"REQ-6-01", MRCT_INCONCLUSIVE, 0}, {"REQ-6-02", MRCT_PASS, 1}};
    struct mrct_result_finding bad = {
        .f = {.requirement = "REQ-6-11", .kind = MRCT_FINDING_FAIL, .host = "host1"}};
    struct mrct_result_case cases[] = {
        {.reqs = one, .req_count = 2},
        {.reqs = two, .req_count = 2, .verdict = MRCT_FAIL, .findings = &bad, .finding_count = 1}};
    struct mrct_result_run whole = {.cases = cases, .case_count = 2};
    ck_assert_int_eq(mrct_run_sum_requirements(&whole, &stage.pool), 0);
    ck_assert_uint_eq(whole.req_count, 3);
    ck_assert_str_eq(whole.reqs[0].id, "REQ-6-01");
    ck_assert(whole.reqs[0].verdict == MRCT_PASS && whole.reqs[0].exercised == 3);
    ck_assert_int_eq(whole.reqs[1].verdict, MRCT_PASS);
    ck_assert_str_eq(whole.reqs[2].id, "REQ-6-11");
    ck_assert_int_eq(whole.reqs[2].verdict, MRCT_FAIL);
}
END_TEST

Suite *cases_run_suite(void)
{
    Suite *const s = suite_create("run");
    TCase *const t = tcase_create("run");
    tcase_add_checked_fixture(t, stage_setup, stage_teardown);
    tcase_add_test(t, a_plain_write_passes);
    tcase_add_test(t, a_fault_that_never_met_its_packet);
    tcase_add_test(t, a_step_that_never_starts);
    tcase_add_test(t, an_expectation_not_met);
    tcase_add_test(t, a_capability_not_declared);
    tcase_add_test(t, an_output_folder_that_is_not);
    tcase_add_loop_test(t, a_seed_repeats, 0, 10);
    tcase_add_test(t, seeds_of_cases);
    tcase_add_test(t, a_lie_is_seen_and_commented);
    tcase_add_test(t, sums_over_cases);
    suite_add_tcase(s, t);
    return s;
}
