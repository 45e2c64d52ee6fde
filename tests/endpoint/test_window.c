/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds a requestor back: PSN window, congestion window, WriteImm in flight, queue depth. */
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_fini(&rig);
}

/* Takes all that host 0 would send now; the last packet in *last. */
static unsigned take_all(struct mrc_pkt *last)
{
    unsigned n = 0;
    struct mrc_pkt p;
    while (rig_take(&rig, 0, &p)) {
        *last = p;
        n++;
    }
    return n;
}

/* A SACK to host 0: all up to cack, and a bitmap right above it. */
static void sack(uint32_t cack, uint64_t bitmap, uint8_t mpr)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_SACK, cack, &p);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = cack;
    p.seth.sack_offset = 1;
    p.seth.sack_bitmap = bitmap;
    p.seth.mpr = mpr;
    rig_inject(&rig, 0, 0, &p);
}

static void ack(uint32_t psn)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_ACK, psn, &p);
    p.present |= 1u << MRC_HDR_AETH;
    p.aeth.syndrome = MRC_SYN_ACK;
    rig_inject(&rig, 0, 0, &p);
}

/* REQ-6.2-03 REQ-7.4-18: never beyond cack + MPR x 128, and the last one before it asks. */
START_TEST(mpr)
{
    struct mrc_pkt p;
    rig.host[0].attr.cwnd_bytes = 1u << 30;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 4u << 20);
    ck_assert_uint_eq(take_all(&p), 1024);
    ck_assert_uint_eq(p.bth.psn, 99 + 1024);
    ck_assert_uint_eq(p.bth.a, 1);
    sack(99 + 10, 0, 0);
    ck_assert_uint_eq(take_all(&p), 10);
    ck_assert_uint_eq(p.bth.psn, 99 + 1034);
    sack(99 + 10, 0xFF0, 0); /* holes known, nothing moves */
    ck_assert_uint_eq(take_all(&p), 0);
}
END_TEST

/* REQ-6.2-04: what SACKs carry counts when both sides have dynamic MPR. */
START_TEST(dynamic_mpr)
{
    struct mrc_pkt p;
    rig.host[0].attr.cwnd_bytes = 1u << 30;
    rig.host[0].attr.dynamic_mpr = rig.host[1].attr.dynamic_mpr = _i == 0;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 4u << 20);
    ck_assert_uint_eq(take_all(&p), 1024);
    sack(99 + 100, 0, 4); /* 512 from now on: 924 are out, so nothing new */
    ck_assert_uint_eq(take_all(&p), _i == 0 ? 0 : 100);
    sack(99 + 900, 0, 4);
    ck_assert_uint_eq(take_all(&p), _i == 0 ? 512 - 124 : 800);
    sack(99 + 901, 0, 12); /* grown beyond the first value */
    if (_i == 0)
        ck_assert_uint_eq(take_all(&p), 12 * 128 - 511);
}
END_TEST

/* With dynamic MPR a lost packet beyond a shrunk window waits. */
START_TEST(retransmission_waits_for_a_shrunk_window)
{
    struct mrc_pkt p;
    rig.host[0].attr.cwnd_bytes = 1u << 30;
    rig.host[0].attr.dynamic_mpr = rig.host[1].attr.dynamic_mpr = true;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 200 * 1024);
    ck_assert_uint_eq(take_all(&p), 200);
    sack(99, 0, 1);
    mrc_ep_tick(rig.host[0].ep, rig.now_ns += 1024 << 7);
    ck_assert_uint_eq(take_all(&p), 128);
    ck_assert_uint_eq(p.bth.psn, 99 + 128);
    sack(99 + 30, 0, 1);
    ck_assert_uint_eq(take_all(&p), 30);
    ck_assert_uint_eq(p.bth.psn, 99 + 158);
    ck_assert_uint_eq(p.bth.rtx, 1);
}
END_TEST

/* REQ-7.4-18: cwnd > inflight, and A on the packet that closes it. */
START_TEST(congestion_window)
{
    struct mrc_pkt p;
    const uint32_t size = 8 + 12 + 4 + 4 + 16 + 1024 + 4 + 40;
    rig.host[0].attr.cwnd_bytes = 10 * size + 1;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 4u << 20);
    ck_assert_uint_eq(take_all(&p), 11);
    ck_assert_uint_eq(p.bth.a, 1);
    ck_assert_int_eq(rig_info(&rig, 0).inflight_bytes, 11 * size);
    sack(101, 0x2, 0); /* 100, 101 and 103 */
    ck_assert_int_eq(rig_info(&rig, 0).inflight_bytes, 8 * size);
    ck_assert_uint_eq(take_all(&p), 3);
    sack(101, 0x2, 0); /* told twice, counted once */
    ck_assert_int_eq(rig_info(&rig, 0).inflight_bytes, 11 * size);
}
END_TEST

/* REQ-6.2-13: WriteImm in flight never exceed the peer's limit; a transport ACK makes room. */
START_TEST(wimm_limit)
{
    struct mrc_pkt p;
    rig_start(&rig);
    for (uint32_t i = 0; i < 40; i++)
        rig_write_imm(&rig, 0, i, 0, 0, 10, i);
    ck_assert_uint_eq(take_all(&p), 32);
    ck_assert_uint_eq(p.bth.a, 1);
    sack(110, 0, 0);
    ck_assert_uint_eq(take_all(&p), 0); /* a SACK completes nothing: REQ-6.2-15 */
    ck_assert_uint_eq(rig_info(&rig, 0).wimm_inflight, 32);
    ack(104);
    ck_assert_uint_eq(take_all(&p), 5);
    ck_assert_uint_eq(p.meth.rqmsn, 36);
}
END_TEST

START_TEST(send_queue_depth)
{
    struct mrc_ep_event ev;
    rig.host[0].attr.sq_depth = 3;
    rig_start(&rig);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(rig_write(&rig, 0, i, 0, 0, 10), MRC_EP_OK);
    ck_assert_int_eq(rig_write(&rig, 0, 9, 0, 0, 10), MRC_EP_EFULL);
    struct mrc_pkt p;
    ck_assert_uint_eq(take_all(&p), 3);
    ack(101);
    ck_assert_int_eq(rig_write(&rig, 0, 9, 0, 0, 10), MRC_EP_EFULL); /* nobody polled */
    ck_assert(mrc_ep_poll_event(rig.host[0].ep, &ev));
    ck_assert_uint_eq(ev.wr_id, 0);
    ck_assert_int_eq(rig_write(&rig, 0, 9, 0, 0, 10), MRC_EP_OK);
    ck_assert_int_eq(rig_write(&rig, 0, 9, 0, 0, 10), MRC_EP_EFULL);
}
END_TEST

START_TEST(what_cannot_be_posted)
{
    struct mrc_write w = {.wr_id = 1, .len_bytes = 0};
    rig_start(&rig);
    w.local = rig.host[0].mem;
    ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, 0x22, 0, &w), MRC_EP_EINVAL); /* Q15 */
    w.len_bytes = 1;
    w.local = NULL;
    ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, 0x22, 0, &w), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, 0x23, 0, &w), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_qp_post_recv(rig.host[0].ep, 0x23, 0), MRC_EP_ENOENT);
}
END_TEST

/* The largest message has more packets than a PSN has values for half a circle. */
START_TEST(largest_message)
{
    struct mrc_pkt p;
    rig.host[0].cfg.path_mtu = rig.host[1].cfg.path_mtu = 256;
    rig_start(&rig);
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, UINT32_MAX), MRC_EP_OK);
    ck_assert(rig_take(&rig, 0, &p));
    ck_assert_uint_eq(p.bth.opcode, MRC_OP_WRITE_FIRST);
    ck_assert_uint_eq(p.reth.dma_len, UINT32_MAX);
}
END_TEST

TCase *tcase_window(void)
{
    TCase *tc = tcase_create("window");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, mpr);
    tcase_add_loop_test(tc, dynamic_mpr, 0, 2);
    tcase_add_test(tc, retransmission_waits_for_a_shrunk_window);
    tcase_add_test(tc, congestion_window);
    tcase_add_test(tc, wimm_limit);
    tcase_add_test(tc, send_queue_depth);
    tcase_add_test(tc, what_cannot_be_posted);
    tcase_add_test(tc, largest_message);
    return tc;
}
