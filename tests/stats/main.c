/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of a conversation made by hand: what is counted, and that two halves make a whole. */
#include "harness/stats/stats_priv.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct mrct_facts facts;
static struct mrct_stats *s;

static void setup(void)
{
    mrct_facts_init(&facts);
    s = mrct_stats_new(&facts);
    ck_assert_ptr_nonnull(s);
}

static void teardown(void)
{
    mrct_stats_free(s);
    mrct_facts_fini(&facts);
}

static struct mrct_obs packet(uint64_t time_ns, uint8_t op, bool forth)
{
    static uint64_t number;
    struct mrct_obs o;
    memset(&o, 0, sizeof(o));
    o.time_ns = time_ns;
    o.frame_no = ++number;
    o.wire_len = 1000;
    o.pkt.present =
        UINT32_C(1) << MRC_HDR_BTH | UINT32_C(1) << MRC_HDR_IPV4 | UINT32_C(1) << MRC_HDR_UDP;
    o.pkt.bth.opcode = op;
    o.pkt.bth.dest_qp = forth ? 7 : 9;
    o.pkt.ip4.src[3] = forth ? 1 : 2;
    o.pkt.ip4.dst[3] = forth ? 2 : 1;
    return o;
}

static void request(uint64_t time_ns, uint32_t psn, uint32_t ev, bool rtx)
{
    struct mrct_obs o = packet(time_ns, MRC_OP_WRITE_ONLY, true);
    o.pkt.bth.psn = psn;
    o.pkt.bth.rtx = rtx;
    o.pkt.ev = ev;
    o.pkt.payload_len = 800;
    mrct_stats_frame(s, &o, MRCT_TAP_REQUESTOR);
}

static void sack(uint64_t time_ns, uint32_t cack, uint32_t ev, uint8_t m)
{
    struct mrct_obs o = packet(time_ns, MRC_OP_SACK, false);
    o.pkt.present |= UINT32_C(1) << MRC_HDR_SETH;
    o.pkt.seth.cack_psn = cack;
    o.pkt.seth.entropy = ev;
    o.pkt.seth.m = m;
    mrct_stats_frame(s, &o, MRCT_TAP_REQUESTOR);
}

START_TEST(counts_a_conversation)
{
    request(1000, 0xFFFFFE, 10, false);
    request(2000, 0xFFFFFF, 11, false);
    request(3000, 1, 12, false); /* 0 comes after it: one PSN behind */
    request(4000, 0, 11, false);
    sack(9000, 0xFFFFFE, 10, MRC_M_NONE);
    sack(10000, 0xFFFFFE, 12, MRC_M_SKIP_ONCE);
    request(11000, 0xFFFFFF, 10, true);
    ck_assert_uint_eq(s->flow_count, 1);
    const struct stats_flow *const f = &s->flows[0];
    ck_assert_uint_eq(f->packets, 7);
    ck_assert_uint_eq(f->sacks, 2);
    ck_assert_int_eq(f->reply_qp, 9);
    ck_assert_uint_eq(f->retransmitted, 1);
    ck_assert_uint_eq(f->new_payload_bytes, 3200);
    ck_assert_uint_eq(f->reorder[0], 1);
    ck_assert_int_eq(f->high, 3); /* past the wrap */
    ck_assert_uint_eq(f->rtt.count, 1);
    ck_assert_uint_eq(f->rtt.min_ns, 8000);
    ck_assert_uint_eq(f->ev_count, 3);
    ck_assert_uint_eq(f->evs[1].lost, 1); /* 0xFFFFFF went by EV 11 */
    ck_assert_uint_eq(f->evs[0].retransmitted, 1);
    ck_assert_uint_eq(f->evs[2].skips, 1);
    ck_assert_uint_eq(f->flight_max, 3);
    ck_assert_uint_eq(s->host_count, 2);
    ck_assert_double_eq_tol(mrct_stats_goodput(f), 3200 * 8 / 10e-6, 1);
}
END_TEST

START_TEST(quantiles_are_near)
{
    struct stats_rtt r = {0};
    for (uint64_t i = 1; i <= 1000; i++)
        mrct_rtt_add(&r, i * 1000);
    const uint64_t p50 = mrct_rtt_quantile(&r, 50), p99 = mrct_rtt_quantile(&r, 99);
    ck_assert(p50 >= 500000 && p50 <= 500000 * 5 / 4);
    ck_assert(p99 >= 990000 && p99 <= 1000000);
    ck_assert_uint_eq(mrct_rtt_quantile(&(struct stats_rtt){0}, 50), 0);
}
END_TEST

START_TEST(memory_does_not_grow_with_the_length)
{
    for (uint32_t i = 0; i < 200000; i++)
        request(i * 100, i & 0xFFFFFF, i % 1000, false);
    ck_assert_uint_eq(s->flow_count, 1);
    ck_assert_uint_le(s->flows[0].sequence.count, STATS_POINTS_MAX);
    ck_assert_uint_ge(s->flows[0].sequence.count, STATS_POINTS_MAX / 2);
    ck_assert_uint_eq(s->flows[0].ev_count, STATS_EVS_MAX);
    ck_assert_uint_gt(s->flows[0].evs_beyond, 0);
}
END_TEST

START_TEST(writes_valid_json_and_markup)
{
    char *text = NULL;
    size_t len = 0;
    request(1000, 1, 10, false);
    request(2000, 2, 11, false);
    sack(5000, 2, 11, MRC_M_NONE);
    mrct_stats_end(s);
    json_t *const j = mrct_stats_json(s);
    ck_assert_uint_eq(json_array_size(json_object_get(j, "connections")), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(j, "hosts")), 2);
    json_decref(j);
    FILE *const out = open_memstream(&text, &len);
    mrct_stats_html(s, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "<svg"));
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("stats");
    TCase *const t = tcase_create("stats");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, counts_a_conversation);
    tcase_add_test(t, quantiles_are_near);
    tcase_add_test(t, memory_does_not_grow_with_the_length);
    tcase_add_test(t, writes_valid_json_and_markup);
    suite_add_tcase(suite, t);
    SRunner *const r = srunner_create(suite);
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
