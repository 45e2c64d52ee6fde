/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts from made-up results: one thing wrong at a time, and what outweighs what. */
#include "harness/cases/verdict.h"
#include "tests/cases/suites.h"

#include <string.h>

static const char *requirements[] = {"REQ-7.5.2-02", "REQ-7.5.2-07"};
static struct mrct_case_rule rules[1];
static struct mrct_expect_frames frames[1];
static struct mrct_case c;
static uint64_t hits[1], exercised[2], seen[1];
static struct mrct_tally t;
static struct mrct_result_req reqs[2];
static struct mrct_result_finding findings[4];
static struct mrct_result_case out;

/* A case of three writes and two immediates for a responder, all of it well. */
static void setup(void)
{
    mrct_case_init(&c);
    memset(rules, 0, sizeof rules);
    strcpy(rules[0].rule.name, "mark");
    rules[0].hits_min = 2;
    frames[0] = (struct mrct_expect_frames){
        .host = 1, .opcode = MRC_OP_SACK, .retransmission = -1, .min = 2, .max = 5};
    c.device = MRCT_DEVICE_RESPONDER;
    c.requirements = requirements;
    c.requirement_count = 2;
    c.rules = rules;
    c.rule_count = 1;
    c.expect.frames = frames;
    c.expect.frame_count = 1;
    hits[0] = 2;
    exercised[0] = 3;
    exercised[1] = 1;
    seen[0] = 4;
    t = (struct mrct_tally){.rule_hits = hits,
                            .exercised = exercised,
                            .frames = seen,
                            .writes = 3,
                            .immediates = 2,
                            .immediates_posted = 2,
                            .qp_error = {-1, -1}};
    t.done[MRC_WC_SUCCESS] = 3;
    out = (struct mrct_result_case){.reqs = reqs, .findings = findings};
}

static void teardown(void)
{
    mrct_case_fini(&c);
}

static void add(enum mrct_finding_kind kind, const char *requirement, const char *host,
                uint64_t time_ns)
{
    struct mrct_finding *const f = &findings[out.finding_count++].f;
    *f = (struct mrct_finding){
        .requirement = requirement, .kind = kind, .host = host, .time_ns = time_ns};
    strcpy(f->why, "so it is");
}

static void expect(enum mrct_verdict v, const char *why)
{
    mrct_verdict_case(&c, &t, &out);
    ck_assert_str_eq(mrct_verdict_str(out.verdict), mrct_verdict_str(v));
    ck_assert_str_eq(out.why, why);
}

START_TEST(passes)
{
    expect(MRCT_PASS, "");
    ck_assert_uint_eq(out.req_count, 2);
    ck_assert_int_eq(out.reqs[0].verdict, MRCT_PASS);
    ck_assert_uint_eq(out.reqs[0].exercised, 3);
}
END_TEST

START_TEST(warnings_pass)
{
    add(MRCT_FINDING_WARN, "REQ-7.5.2-02", "host2", 1);
    add(MRCT_FINDING_INCONCLUSIVE, "REQ-7.5.2-02", "host2", 1);
    expect(MRCT_PASS, "");
}
END_TEST

START_TEST(device_fails)
{
    add(MRCT_FINDING_FAIL, "REQ-7.5.2-07", "host2", 9);
    add(MRCT_FINDING_FAIL, "REQ-6-11", "host2", 5);
    expect(MRCT_FAIL, "REQ-6-11: so it is");
    ck_assert_int_eq(out.reqs[0].verdict, MRCT_PASS);
    ck_assert_int_eq(out.reqs[1].verdict, MRCT_FAIL);
}
END_TEST

START_TEST(a_guilty_peer_is_our_fault)
{
    add(MRCT_FINDING_FAIL, "REQ-7.4-01", "host1", 5);
    expect(MRCT_ERROR, "the reference peer broke REQ-7.4-01: so it is");
}
END_TEST

START_TEST(a_peer_misled_by_the_device_is_not)
{
    add(MRCT_FINDING_FAIL, "REQ-7.4-01", "host1", 5);
    add(MRCT_FINDING_FAIL, "REQ-7.5.2-07", "host2", 4);
    expect(MRCT_FAIL, "REQ-7.5.2-07: so it is");
}
END_TEST

START_TEST(a_peer_misled_by_the_case_is_not)
{
    c.host[1].told_mpr = 16;
    add(MRCT_FINDING_FAIL, "REQ-7.4-01", "host1", 5);
    expect(MRCT_PASS, "");
}
END_TEST

START_TEST(blame)
{
    static const struct {
        enum mrct_case_device device;
        const char *host;
        enum mrct_blame blame;
    } rows[] = {
        {MRCT_DEVICE_REQUESTOR, "host1", MRCT_BLAME_DEVICE},
        {MRCT_DEVICE_REQUESTOR, "host2", MRCT_BLAME_PEER},
        {MRCT_DEVICE_RESPONDER, "host1", MRCT_BLAME_PEER},
        {MRCT_DEVICE_RESPONDER, "host2", MRCT_BLAME_DEVICE},
        {MRCT_DEVICE_BOTH, "host1", MRCT_BLAME_DEVICE},
        {MRCT_DEVICE_BOTH, "host2", MRCT_BLAME_DEVICE},
        {MRCT_DEVICE_BOTH, "sender or path", MRCT_BLAME_PATH},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct mrct_finding f = {.host = rows[i].host};
        c.device = rows[i].device;
        ck_assert_int_eq(mrct_verdict_blame(&c, &f), rows[i].blame);
    }
}
END_TEST

START_TEST(our_fault_outweighs_all)
{
    t.fault = "the account does not balance";
    add(MRCT_FINDING_FAIL, "REQ-7.5.2-07", "host2", 4);
    hits[0] = 0;
    expect(MRCT_ERROR, "the account does not balance");
}
END_TEST

START_TEST(a_run_that_was_ended_proves_nothing)
{
    t.stopped = "too many frames";
    t.done[MRC_WC_SUCCESS] = 1;
    expect(MRCT_INCONCLUSIVE, "too many frames");
    add(MRCT_FINDING_FAIL, "REQ-7.5.2-02", "host2", 5);
    expect(MRCT_FAIL, "REQ-7.5.2-02: so it is");
}
END_TEST

/* What the oracle found is of a silence that may be the agent's, not the device's. */
START_TEST(a_broken_agent_proves_nothing)
{
    t.broken = "the agent ended";
    add(MRCT_FINDING_FAIL, "REQ-7.5.2-02", "host2", 5);
    add(MRCT_FINDING_WARN, "REQ-7.5.2-02", "host2", 6);
    expect(MRCT_INCONCLUSIVE, "the agent ended");
    for (size_t i = 0; i < out.finding_count; i++)
        ck_assert_int_eq(out.findings[i].f.kind, MRCT_FINDING_INCONCLUSIVE);
    for (size_t i = 0; i < out.req_count; i++)
        ck_assert_int_ne(out.reqs[i].verdict, MRCT_FAIL);
}
END_TEST

START_TEST(what_an_agent_declines_proves_nothing)
{
    t.unsupported = "it cannot";
    add(MRCT_FINDING_FAIL, "REQ-7.5.2-02", "host2", 5);
    expect(MRCT_NOT_APPLICABLE, "it cannot");
    ck_assert_int_eq(out.findings[0].f.kind, MRCT_FINDING_INCONCLUSIVE);
    for (size_t i = 0; i < out.req_count; i++)
        ck_assert_int_eq(out.reqs[i].verdict, MRCT_NOT_APPLICABLE);
}
END_TEST

START_TEST(a_missed_stimulus_proves_nothing)
{
    hits[0] = 1;
    t.done[MRC_WC_SUCCESS] = 2; /* what follows from it is not held against the device */
    expect(MRCT_INCONCLUSIVE, "the fault 'mark' met 1 packets where 2 were wanted");
}
END_TEST

START_TEST(but_excuses_no_wrong_memory)
{
    hits[0] = 1;
    t.memory_wrong = "a byte is wrong";
    expect(MRCT_FAIL, "a byte is wrong");
    c.expect.memory = false;
    expect(MRCT_INCONCLUSIVE, "the fault 'mark' met 1 packets where 2 were wanted");
}
END_TEST

START_TEST(steps_that_never_started)
{
    t.steps_left = 2;
    expect(MRCT_INCONCLUSIVE, "2 steps of the traffic never started");
}
END_TEST

START_TEST(not_exercised)
{
    exercised[1] = 0;
    expect(MRCT_INCONCLUSIVE, "REQ-7.5.2-07 was not exercised: its condition was never seen");
    ck_assert_int_eq(out.reqs[1].verdict, MRCT_INCONCLUSIVE);
}
END_TEST

START_TEST(writes)
{
    t.done[MRC_WC_SUCCESS] = 2;
    expect(MRCT_FAIL, "2 of 3 writes had completed when all had come to rest");
    t.cut_off = true;
    expect(MRCT_FAIL, "2 of 3 writes had completed at the end of the case's time");
    t.done[MRC_WC_FLUSHED] = 1;
    expect(MRCT_FAIL, "2 of 3 writes completed with success");
    c.expect.all_success = false;
    c.expect.done_min[MRC_WC_SUCCESS] = 2;
    c.expect.done_max[MRC_WC_SUCCESS] = 2;
    expect(MRCT_FAIL, "1 writes completed with 'flushed', due were 0");
    c.expect.done_max[MRC_WC_FLUSHED] = 5;
    expect(MRCT_PASS, "");
    c.expect.done_min[MRC_WC_SUCCESS] = 3;
    c.expect.done_max[MRC_WC_SUCCESS] = 9;
    expect(MRCT_FAIL, "2 writes completed with 'success', due were 3 to 9");
}
END_TEST

START_TEST(immediates)
{
    t.immediates = 1;
    expect(MRCT_FAIL, "1 immediates were delivered, due were 2");
    c.expect.imm_min = 0;
    c.expect.imm_max = 1;
    expect(MRCT_PASS, "");
    t.imm_wrong = "the wrong one came";
    expect(MRCT_FAIL, "the wrong one came");
}
END_TEST

START_TEST(qp_errors)
{
    t.qp_error[0] = MRC_WC_RETRY_EXCEEDED;
    expect(MRCT_FAIL, "the QP of host1 went to ERROR with 'retry counter exceeded', none was due");
    c.expect.qp_error[0] = MRC_WC_RETRY_EXCEEDED;
    expect(MRCT_PASS, "");
    t.qp_error[0] = -1;
    expect(MRCT_FAIL, "the QP of host1 did not go to ERROR, 'retry counter exceeded' was due");
    t.qp_error[0] = MRC_WC_FLUSHED;
    expect(MRCT_FAIL, "the QP of host1 went to ERROR with 'flushed', "
                      "'retry counter exceeded' was due");
}
END_TEST

START_TEST(expected_frames)
{
    seen[0] = 1;
    expect(MRCT_FAIL, "host2 sent 1 packets 'SACK', due were 2 to 5");
    seen[0] = 6;
    expect(MRCT_FAIL, "host2 sent 6 packets 'SACK', due were 2 to 5");
}
END_TEST

Suite *cases_verdict_suite(void)
{
    Suite *const s = suite_create("verdict");
    TCase *const tc = tcase_create("verdict");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, passes);
    tcase_add_test(tc, warnings_pass);
    tcase_add_test(tc, device_fails);
    tcase_add_test(tc, a_guilty_peer_is_our_fault);
    tcase_add_test(tc, a_peer_misled_by_the_device_is_not);
    tcase_add_test(tc, a_peer_misled_by_the_case_is_not);
    tcase_add_test(tc, blame);
    tcase_add_test(tc, our_fault_outweighs_all);
    tcase_add_test(tc, a_run_that_was_ended_proves_nothing);
    tcase_add_test(tc, a_broken_agent_proves_nothing);
    tcase_add_test(tc, what_an_agent_declines_proves_nothing);
    tcase_add_test(tc, a_missed_stimulus_proves_nothing);
    tcase_add_test(tc, but_excuses_no_wrong_memory);
    tcase_add_test(tc, steps_that_never_started);
    tcase_add_test(tc, not_exercised);
    tcase_add_test(tc, writes);
    tcase_add_test(tc, immediates);
    tcase_add_test(tc, qp_errors);
    tcase_add_test(tc, expected_frames);
    suite_add_tcase(s, tc);
    return s;
}
