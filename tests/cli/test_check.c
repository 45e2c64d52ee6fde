/* SPDX-License-Identifier: BSD-2-Clause */
/* What mrct check makes of findings, conversations and results, without a capture. */
#include "harness/cli/check.h"
#include "tests/cli/suites.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void add(struct mrct_findings *f, const char *requirement, uint64_t frame, const char *why)
{
    struct mrct_finding one = {.requirement = requirement,
                               .check = "c",
                               .kind = MRCT_FINDING_FAIL,
                               .frames = {frame},
                               .frame_count = frame == 0 ? 0 : 1};
    char host[8] = "h1"; /* gone when this returns: the list must keep its own */
    one.host = host;
    snprintf(one.why, sizeof(one.why), "%s", why);
    mrct_findings_add(f, &one);
    memset(host, 'x', sizeof(host));
}

START_TEST(sorts_by_frame_then_requirement_then_arrival)
{
    static const char *const wanted[] = {"a", "b", "c", "d", "e", "f"};
    struct mrct_findings f = {0};
    add(&f, "REQ-2", 0, "f");
    add(&f, "REQ-2", 7, "d");
    add(&f, "REQ-1", 7, "b");
    add(&f, "REQ-1", 7, "c");
    add(&f, "REQ-9", 3, "a");
    add(&f, "REQ-1", 70, "e");
    mrct_findings_sort(&f);
    ck_assert(!f.failed);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_str_eq(f.list[i].why, wanted[i]);
        ck_assert_str_eq(f.list[i].host, "h1");
    }
    ck_assert_uint_eq(f.host_count, 1);
    mrct_findings_fini(&f);
}
END_TEST

START_TEST(keeps_many_in_order)
{
    struct mrct_findings f = {0};
    char why[16];
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(why, sizeof(why), "%u", i);
        add(&f, "REQ-1", 1 + i % 10, why);
    }
    mrct_findings_sort(&f);
    for (unsigned i = 1; i < 1000; i++) {
        const struct mrct_finding *const a = &f.list[i - 1], *const b = &f.list[i];
        ck_assert_uint_le(a->frames[0], b->frames[0]);
        if (a->frames[0] == b->frames[0])
            ck_assert_int_lt(atoi(a->why), atoi(b->why));
    }
    mrct_findings_fini(&f);
}
END_TEST

static const struct {
    uint64_t mrc;
    struct mrct_req_result a, b; /* counts: exercised, failed, warned, inconclusive */
    int status;
} statuses[] = {
    {0, {"A", 0, 0, 0, 0}, {"B", 0, 0, 0, 0}, MRCT_EXIT_NOTHING},
    {9, {"A", 0, 0, 0, 0}, {"B", 0, 0, 0, 0}, MRCT_EXIT_NOTHING},
    {9, {"A", 5, 0, 0, 0}, {"B", 1, 0, 1, 0}, MRCT_EXIT_PASS},
    {9, {"A", 5, 0, 0, 0}, {"B", 0, 0, 0, 1}, MRCT_EXIT_INCONCLUSIVE},
    {9, {"A", 5, 0, 0, 2}, {"B", 1, 0, 0, 0}, MRCT_EXIT_INCONCLUSIVE},
    {9, {"A", 5, 1, 0, 0}, {"B", 0, 0, 0, 1}, MRCT_EXIT_FAIL},
    {9, {"A", 0, 0, 0, 3}, {"B", 1, 1, 0, 1}, MRCT_EXIT_FAIL},
};

START_TEST(gives_the_exit_status)
{
    const struct mrct_req_result reqs[2] = {statuses[_i].a, statuses[_i].b};
    const struct mrct_check_result r = {.mrc = statuses[_i].mrc, .reqs = reqs, .req_count = 2};
    ck_assert_int_eq(mrct_check_status(&r), statuses[_i].status);
}
END_TEST

START_TEST(prints_findings_as_json)
{
    struct mrct_check_result r = {.frames = 12};
    char *text = NULL;
    size_t len = 0;
    add(&r.findings, "REQ-1", 7, "it said \"no\" \xff");
    FILE *const out = open_memstream(&text, &len);
    ck_assert_int_eq(mrct_check_json(&r, out), 0);
    fclose(out);
    json_t *const root = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(root);
    ck_assert_uint_eq(json_object_size(root), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "frames")), 12);
    const json_t *const f = json_array_get(json_object_get(root, "findings"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(f, "requirement")), "REQ-1");
    ck_assert_str_eq(json_string_value(json_object_get(f, "verdict")), "FAIL");
    ck_assert_str_eq(json_string_value(json_object_get(f, "why")), "it said \"no\" \xEF\xBF\xBD");
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(f, "frames"), 0)), 7);
    json_decref(root);
    free(text);
    mrct_findings_fini(&r.findings);
}
END_TEST

static void see(struct mrct_talks *t, const struct mrct_facts *f, unsigned host, uint32_t qp,
                uint8_t opcode, uint32_t psn)
{
    struct mrc_pkt p;
    memset(&p, 0, sizeof(p));
    p.present = UINT32_C(1) << MRC_HDR_BTH;
    p.ip4.src[2] = (uint8_t)(host >> 8);
    p.ip4.src[3] = (uint8_t)host;
    p.bth.opcode = opcode;
    p.bth.dest_qp = qp;
    p.bth.psn = psn;
    mrct_talks_frame(t, f, &p);
}

START_TEST(tells_conversations_apart)
{
    static const uint8_t addrs[2][4] = {{0, 0, 0, 1}, {0, 0, 0, 2}};
    struct mrct_talks t = {0};
    struct mrct_facts f;
    mrct_facts_init(&f);
    ck_assert_int_eq(mrct_facts_add_host(&f, "two planes"), 0);
    ck_assert_int_eq(mrct_facts_add_addr(&f, 0, false, addrs[0], 0), 0);
    ck_assert_int_eq(mrct_facts_add_addr(&f, 0, false, addrs[1], 1), 0);
    see(&t, &f, 1, 5, MRC_OP_WRITE_ONLY, 0);
    see(&t, &f, 2, 5, MRC_OP_WRITE_ONLY, 0xFFFFFF); /* the same host by its other address */
    see(&t, &f, 1, 5, MRC_OP_WRITE_ONLY, 3);
    see(&t, &f, 1, 6, MRC_OP_SACK, 3);
    see(&t, &f, 3, 5, MRC_OP_NACK, 3);
    ck_assert_uint_eq(t.count, 3);
    ck_assert_str_eq(t.list[0].from, "two planes");
    ck_assert_uint_eq(t.list[0].requests, 3);
    ck_assert_uint_eq(t.list[0].psn_first, 0xFFFFFF);
    ck_assert_uint_eq(t.list[0].psn_last, 3);
    ck_assert_uint_eq(t.list[1].sacks, 1);
    ck_assert_str_eq(t.list[2].from, "0.0.0.3");
    ck_assert_uint_eq(t.list[2].nacks, 1);
    mrct_talks_fini(&t);
    mrct_facts_fini(&f);
}
END_TEST

START_TEST(keeps_no_more_conversations_than_it_may)
{
    struct mrct_talks t = {0};
    struct mrct_facts f;
    mrct_facts_init(&f);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < MRCT_TALKS_MAX + 10; i++)
            see(&t, &f, i, 5, MRC_OP_ACK, 0);
    ck_assert_uint_eq(t.count, MRCT_TALKS_MAX);
    ck_assert_uint_eq(t.beyond, 20);
    ck_assert_uint_eq(t.list[MRCT_TALKS_MAX - 1].acks, 2);
    mrct_talks_fini(&t);
    mrct_facts_fini(&f);
}
END_TEST

START_TEST(takes_readings)
{
    char reading[MRCT_QUESTIONS_MAX] = {0}, text[100], err[300];
    ck_assert_int_eq(mrct_cli_reading(reading, "Q9=b", err, sizeof(err)), 0);
    ck_assert_int_eq(mrct_cli_reading(reading, "Q2=a,q3=B", err, sizeof(err)), 0);
    mrct_cli_reading_str(reading, text, sizeof(text));
    ck_assert_str_eq(text, "Q2=a,Q3=b,Q9=b");
    static const char *const bad[] = {"",     "Q",     "Q2",    "Q2=",   "Q2=z", "Q2=ab",
                                      "Q0=a", "Q99=a", "Q2=a,", ",Q2=a", "2=a",  "Q2=a;Q3=a"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(mrct_cli_reading(reading, bad[i], err, sizeof(err)) == -1, "%s", bad[i]);
    struct mrc_wire_config wire;
    mrc_wire_config_default(&wire);
    mrct_cli_reading_wire(reading, &wire);
    ck_assert_int_eq(wire.q3_ev, 'b');
    ck_assert_int_eq(wire.q6_icrc, 'a');
}
END_TEST

START_TEST(takes_numbers)
{
    uint64_t n = 0;
    ck_assert(mrct_cli_u64("0", 0, 9, &n) && n == 0);
    ck_assert(mrct_cli_u64("0x10", 0, 99, &n) && n == 16);
    ck_assert(mrct_cli_u64("010", 0, 99, &n) && n == 10);
    ck_assert(mrct_cli_u64("18446744073709551615", 0, UINT64_MAX, &n) && n == UINT64_MAX);
    static const char *const bad[] = {"",
                                      " 1",
                                      "+1",
                                      "-1",
                                      "1 ",
                                      "1k",
                                      "x",
                                      "100",
                                      "18446744073709551616",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!mrct_cli_u64(bad[i], 0, 99, &n), "%s", bad[i]);
}
END_TEST

Suite *cli_check_suite(void)
{
    Suite *const s = suite_create("check");
    TCase *const t = tcase_create("check");
    tcase_add_test(t, sorts_by_frame_then_requirement_then_arrival);
    tcase_add_test(t, keeps_many_in_order);
    tcase_add_loop_test(t, gives_the_exit_status, 0, (int)(sizeof(statuses) / sizeof(statuses[0])));
    tcase_add_test(t, prints_findings_as_json);
    tcase_add_test(t, tells_conversations_apart);
    tcase_add_test(t, keeps_no_more_conversations_than_it_may);
    tcase_add_test(t, takes_readings);
    tcase_add_test(t, takes_numbers);
    suite_add_tcase(s, t);
    return s;
}
