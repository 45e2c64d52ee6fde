/* SPDX-License-Identifier: BSD-2-Clause */
/* A responder that is short of something, and what the two sides make of it. */
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"

static struct rig rig;

static const enum mrc_nack_reason reasons[] = {MRC_NACK_NO_BITMAP, MRC_NACK_NO_PKT_BUFFER,
                                               MRC_NACK_NO_RESOURCE};

static void setup(void)
{
    rig_init(&rig);
    rig_start(&rig);
}

static void teardown(void)
{
    rig_fini(&rig);
}

static int force(enum mrc_nack_reason reason, uint32_t count)
{
    return mrc_qp_force_nack(rig.host[1].ep, rig.host[1].qpn, reason, count);
}

/* REQ-7.5-10 REQ-7.5-09 REQ-7.4-10, Table 7-3 (NO_BITMAP, NO_PKT_BUFFER, NO_RESOURCE): nothing of
 * the request is kept, it is sent again and then arrives. */
START_TEST(each_reason_is_retransmitted)
{
    ck_assert_int_eq(force(reasons[_i], 3), MRC_EP_OK);
    rig_write(&rig, 0, 1, 0, 0, 10 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert(rig_same(&rig, 0, 0, 0, 10 * 1024));
    ck_assert_uint_eq(rig_count(&rig, 1, MRC_OP_NACK), 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct mrc_pkt *const p = &rig_find(&rig, 1, MRC_OP_NACK, i)->pkt;
        ck_assert_uint_eq(p->neth.nack_reason, reasons[_i]);
        ck_assert_uint_eq(p->neth.nack_psn, 100 + i);
    }
    ck_assert_uint_eq(rig_counters(&rig, 0)->tx_rtx, 3);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_refused, 3);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_new, 10);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_dup, 0);
}
END_TEST

/* Nothing is placed, counted or noted of a refused request. */
START_TEST(refused_leaves_no_trace)
{
    struct mrc_pkt p;
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    rig_packet(&rig, 1, MRC_OP_WRITE_ONLY, 100, &p);
    p.present |= 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH;
    p.bth.a = 1;
    p.reth.va = RIG_VA + RIG_MEM - 4;
    p.reth.rkey = rig.host[1].mr.rkey;
    p.reth.dma_len = 4;
    p.payload = bytes;
    p.payload_len = 4;
    ck_assert_int_eq(force(MRC_NACK_NO_BITMAP, 1), MRC_EP_OK);
    rig_inject(&rig, 1, 0, &p);
    const struct mrc_qp_info info = rig_info(&rig, 1);
    ck_assert_uint_eq(info.epsn, 100);
    ck_assert_uint_eq(info.rcvd_bytes, 0);
    ck_assert_uint_eq(rig.host[1].mem[RIG_MEM - 4], 0);
    struct mrc_pkt out;
    ck_assert(rig_take(&rig, 1, &out));
    ck_assert_uint_eq(out.bth.opcode, MRC_OP_NACK);
    ck_assert(!rig_take(&rig, 1, &out)); /* no SACK, no ACK */
    rig_inject(&rig, 1, 0, &p);          /* only one was to be refused */
    ck_assert_uint_eq(rig_info(&rig, 1).epsn, 101);
}
END_TEST

/* A duplicate needs nothing new, so it is not refused. */
START_TEST(duplicates_are_not_refused)
{
    rig_write(&rig, 0, 1, 0, 0, 1024);
    rig_run(&rig, RIG_FOREVER);
    const struct rig_log *const sent = rig_find(&rig, 0, -1, 0);
    ck_assert_int_eq(force(MRC_NACK_NO_RESOURCE, 1), MRC_EP_OK);
    struct mrc_pkt p = sent->pkt;
    p.payload = rig.host[0].mem;
    rig_inject(&rig, 1, sent->port, &p);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_dup, 1);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_refused, 0);
}
END_TEST

/* REQ-7.5-11 REQ-7.4-11, UNEXP_EVENT: an unexpected event is not tried again; both QPs end and say
 * so. */
START_TEST(unexpected_event_is_fatal)
{
    ck_assert_int_eq(force(MRC_NACK_UNEXP_EVENT, 1), MRC_EP_OK);
    rig_write(&rig, 0, 1, 0, 0, 2048);
    rig_write(&rig, 0, 2, 0, 0, 2048);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_SEND_DONE, 0)->status, MRC_WC_REMOTE_OP);
    ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_SEND_DONE, 1)->status, MRC_WC_FLUSHED);
    ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_QP_ERROR, 0)->status, MRC_WC_REMOTE_OP);
    ck_assert_int_eq(rig_event_of(&rig, 1, MRC_EVENT_QP_ERROR, 0)->status,
                     MRC_WC_LOCAL_UNEXP_EVENT);
    ck_assert_str_eq(mrc_wc_status_str(MRC_WC_LOCAL_UNEXP_EVENT), "unexpected event");
    ck_assert_uint_eq(rig_count(&rig, 1, MRC_OP_NACK), 1);
    ck_assert_uint_eq(rig_counters(&rig, 0)->tx_rtx, 0);
}
END_TEST

/* Section 7.4: recoverable NACKs share the one retry counter: shortage without end is fatal. */
START_TEST(shortage_without_end_uses_up_the_retries)
{
    ck_assert_int_eq(force(MRC_NACK_NO_PKT_BUFFER, UINT32_MAX), MRC_EP_OK);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_SEND_DONE, 0)->status, MRC_WC_RETRY_EXCEEDED);
    ck_assert_uint_eq(rig_count(&rig, 1, MRC_OP_NACK), 1 + 7 + 7);
    ck_assert_int_eq(rig_info(&rig, 1).state, MRC_QP_RTS);
}
END_TEST

START_TEST(by_rate)
{
    ck_assert_int_eq(mrc_ep_shortage(rig.host[1].ep, reasons[_i % 3], 100000), MRC_EP_OK);
    rig_write(&rig, 0, 1, 0, 0, 1u << 20);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert(rig_same(&rig, 0, 0, 0, 1u << 20));
    const uint64_t refused = rig_counters(&rig, 1)->rx_refused;
    ck_assert_uint_gt(refused, 60); /* 10 % of 1024 and of what is sent again */
    ck_assert_uint_lt(refused, 180);
    ck_assert_int_eq(mrc_ep_shortage(rig.host[1].ep, reasons[_i % 3], 0), MRC_EP_OK);
    rig_write(&rig, 0, 2, 0, 0, 1u << 20);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_refused, refused);
}
END_TEST

START_TEST(refuses_other_reasons)
{
    ck_assert_int_eq(force(MRC_NACK_TRIMMED, 1), MRC_EP_EINVAL);
    ck_assert_int_eq(force(MRC_NACK_PSN_OOR_WINDOW, 1), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ep_shortage(rig.host[1].ep, MRC_NACK_TRIMMED, 1), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ep_shortage(rig.host[1].ep, MRC_NACK_NO_BITMAP, 1000001), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_qp_force_nack(rig.host[1].ep, 0x777, MRC_NACK_NO_BITMAP, 1),
                     MRC_EP_ENOENT);
}
END_TEST

TCase *tcase_shortage(void)
{
    TCase *tc = tcase_create("shortage");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, each_reason_is_retransmitted, 0, 3);
    tcase_add_test(tc, refused_leaves_no_trace);
    tcase_add_test(tc, duplicates_are_not_refused);
    tcase_add_test(tc, unexpected_event_is_fatal);
    tcase_add_test(tc, shortage_without_end_uses_up_the_retries);
    tcase_add_loop_test(tc, by_rate, 0, 3);
    tcase_add_test(tc, refuses_other_reasons);
    return tc;
}
