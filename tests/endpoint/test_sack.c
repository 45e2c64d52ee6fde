/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.5.2: every trigger of a SACK, and every field of it. */
#include "tests/endpoint/play.h"
#include "tests/endpoint/suites.h"

static struct rig rig;
static struct mrc_pkt p;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_fini(&rig);
}

/* Nominal size of play_request()'s packet: UDP length + 40. */
#define NOMINAL (8u + 12 + 4 + 4 + 16 + 1024 + 4 + 40)

/* REQ-7.5.2-04: 16 packets of 1024 reach the threshold, the 17th passes it. */
START_TEST(threshold)
{
    rig_start(&rig);
    for (int n = 0; n < 16; n++)
        play_send(&rig, n);
    play_expect_nothing(&rig);
    play_send(&rig, 16);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.cack_psn, 116);
    ck_assert_uint_eq(p.bth.psn, 116); /* REQ-7-01 */
    ck_assert_int_eq(p.seth.ack_psn_offset, 0);
    ck_assert_int_eq(p.seth.sack_offset, 1);
    ck_assert_uint_eq(p.seth.sack_bitmap, 0);
    for (int n = 17; n < 33; n++)
        play_send(&rig, n);
    play_expect_nothing(&rig); /* counted from 0 again */
    play_send(&rig, 33);
    play_expect(&rig, MRC_OP_SACK, &p);
    play_expect_nothing(&rig);
}
END_TEST

/* A packet of few bytes counts as 1024, and a configured threshold is obeyed. */
START_TEST(threshold_of_small_packets)
{
    rig.host[1].cfg.sack_gen_threshold_bytes = 2048;
    rig_start(&rig);
    for (int n = 0; n < 3; n++) {
        play_expect_nothing(&rig);
        play_request(&rig, n, &p);
        p.payload_len = p.reth.dma_len = 1;
        rig_inject(&rig, 1, 0, &p);
    }
    play_expect(&rig, MRC_OP_SACK, &p);
}
END_TEST

/* REQ-7.5.2-01 and REQ-7.5.2-07 .. 09: A; the SACK is the trigger's mirror. */
START_TEST(ack_request)
{
    rig_start(&rig);
    play_send(&rig, 0);
    play_send_ask(&rig, 1);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.entropy, 0xA0011001);
    ck_assert_uint_eq(p.bth.rtx, 0);
    ck_assert_uint_eq(p.cc_state.tx_timestamp, 7001);
    ck_assert_uint_eq(p.seth.m, MRC_M_NONE);
    ck_assert_uint_eq(p.seth.pr, 0);
    ck_assert_uint_eq(p.seth.cc_type, 0);
    ck_assert_uint_eq(p.seth.mpr, 0); /* REQ-7.5.2-22 */
    ck_assert_uint_eq(p.seth.spdcid, 0x11);
    ck_assert_uint_eq(p.seth.dpdcid, 0x22);
    ck_assert_uint_eq(p.ecn, 0);
    play_expect(&rig, MRC_OP_ACK, &p);
    play_expect_nothing(&rig);
}
END_TEST

/* REQ-7.5.2-02 REQ-7.5.2-11 REQ-7.5.2-12 */
START_TEST(congestion_mark)
{
    rig_start(&rig);
    play_request(&rig, 0, &p);
    p.ip6.ecn = 3;
    rig_inject(&rig, 1, 0, &p);
    play_send_ask(&rig, 1);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.m, MRC_M_SKIP_ONCE);
    ck_assert_uint_eq(p.seth.entropy, 0xA0001000);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.m, MRC_M_NONE);
}
END_TEST

/* REQ-7.5.2-03 REQ-7.5.2-08 */
START_TEST(retransmission)
{
    rig_start(&rig);
    play_send(&rig, 1);
    play_request(&rig, 0, &p);
    p.bth.rtx = 1;
    rig_inject(&rig, 1, 0, &p);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.bth.rtx, 1);
    ck_assert_uint_eq(p.seth.cack_psn, 101);
    ck_assert_int_eq(p.seth.ack_psn_offset, -1);
    play_expect_nothing(&rig);
}
END_TEST

/* REQ-7.3-01 REQ-7.3-02 REQ-7.3-08 .. 10: probes, and they do not touch the counter. */
START_TEST(probe)
{
    rig_start(&rig);
    for (int n = 0; n < 10; n++)
        play_send(&rig, n);
    rig_packet(&rig, 1, MRC_OP_PROBE, 0, &p);
    p.present |= 1u << MRC_HDR_PETH;
    p.ip6.ecn = _i == 0 ? 2 : 3;
    p.peth.probe_id = 0xBEEF;
    p.peth.tx_timestamp = 4321;
    p.udp.src_port = 0x1111;
    p.ip6.flow_label = 0x2222;
    rig_inject(&rig, 1, 0, &p);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.pr, 1);
    ck_assert_uint_eq(p.seth.probe_id, 0xBEEF);
    ck_assert_uint_eq(p.seth.m, _i == 0 ? MRC_M_NONE : MRC_M_SKIP_ONCE);
    ck_assert_uint_eq(p.seth.entropy, 0x11112222);
    ck_assert_uint_eq(p.cc_state.tx_timestamp, 4321);
    ck_assert_uint_eq(p.seth.cack_psn, 109);
    for (int n = 10; n < 17; n++)
        play_send(&rig, n);
    play_expect(&rig, MRC_OP_SACK, &p);
}
END_TEST

/* REQ-7.5.2-05 REQ-6.3.1-03 REQ-7.5.2-20: duplicates inside and below the window. */
START_TEST(duplicates)
{
    rig_start(&rig);
    play_send(&rig, 0);
    play_send(&rig, 5);
    play_expect_nothing(&rig);
    play_send(&rig, 5);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_int_eq(p.seth.ack_psn_offset, 5);
    ck_assert_uint_eq(p.cc_state.rcvd_bytes, (2 * NOMINAL + 255) / 256);
    play_expect_nothing(&rig);
    play_send(&rig, 0);
    play_send(&rig, 0);
    for (int i = 0; i < 2; i++) {
        play_expect(&rig, MRC_OP_SACK, &p);
        ck_assert_int_eq(p.seth.ack_psn_offset, 0);
        play_expect(&rig, MRC_OP_ACK, &p);
        ck_assert_uint_eq(p.bth.psn, 100);
        ck_assert_uint_eq(p.aeth.msn, 1);
    }
    play_expect_nothing(&rig);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_dup, 3);
}
END_TEST

/* REQ-7.5.2-04: a duplicate's SACK sets the counter to 0, too: any SACK for a request does. */
START_TEST(every_sack_resets_the_counter)
{
    rig_start(&rig);
    for (int n = 0; n < 16; n++)
        play_send(&rig, n);
    play_send(&rig, 3);
    play_expect(&rig, MRC_OP_SACK, &p);
    play_expect(&rig, MRC_OP_ACK, &p);
    for (int n = 16; n < 32; n++)
        play_send(&rig, n);
    play_expect_nothing(&rig);
    play_send(&rig, 32);
    play_expect(&rig, MRC_OP_SACK, &p);
}
END_TEST

/* REQ-7.5.2-13 .. 18: the window's picture. */
START_TEST(bitmap)
{
    rig_start(&rig);
    static const int arrived[] = {0, 1, 3, 4, 7, 40};
    for (unsigned i = 0; i < 5; i++)
        play_send(&rig, arrived[i]);
    play_send_ask(&rig, arrived[5]);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.cack_psn, 101);
    ck_assert_int_eq(p.seth.sack_offset, 1);
    ck_assert_uint_eq(p.seth.sack_bitmap, UINT64_C(1) << 38 | 0x26);
    ck_assert_int_eq(p.seth.ack_psn_offset, 39);
    ck_assert_uint_eq(p.cc_state.ooo_count, 4);
    play_expect_nothing(&rig); /* no transport ACK: REQ-6.3-01 */
}
END_TEST

START_TEST(bitmap_moves_with_the_highest)
{
    rig_start(&rig);
    play_send(&rig, 10);
    play_send_ask(&rig, 64);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.cack_psn, 99);
    ck_assert_int_eq(p.seth.sack_offset, 2);
    ck_assert_uint_eq(p.seth.sack_bitmap, UINT64_C(1) << 63 | 1u << 9);
    play_send_ask(&rig, 1023);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_int_eq(p.seth.sack_offset, 1023 - 63 + 1);
    ck_assert_uint_eq(p.seth.sack_bitmap, UINT64_C(1) << 63);
    ck_assert_uint_eq(p.cc_state.ooo_count, 3);
}
END_TEST

/* REQ-7.5.2-19 REQ-7.5.2-21: UDP length + 40 a packet, units of 256 rounded up. */
START_TEST(received_bytes)
{
    rig_start(&rig);
    uint64_t total = 0;
    for (int n = 0; n < 600; n++) {
        play_request(&rig, n, &p);
        p.bth.a = 1;
        p.payload_len = p.reth.dma_len = (uint32_t)(n + 1);
        rig_inject(&rig, 1, 0, &p);
        total += 8 + 12 + 4 + 4 + 16 + ((uint32_t)(n + 1 + 3) & ~3u) + 4 + 40;
        play_expect(&rig, MRC_OP_SACK, &p);
        ck_assert_uint_eq(p.cc_state.rcvd_bytes, (total + 255) / 256);
        play_expect(&rig, MRC_OP_ACK, &p);
    }
}
END_TEST

START_TEST(mpr_when_dynamic)
{
    rig.host[0].attr.dynamic_mpr = rig.host[1].attr.dynamic_mpr = true;
    rig.host[1].attr.mpr_dest = 11;
    rig_start(&rig);
    play_send_ask(&rig, 0);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.mpr, 11);
}
END_TEST

/* Before the first request cack_psn is the first PSN less one. */
START_TEST(before_the_first)
{
    rig_start(&rig);
    play_send_ask(&rig, 1);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.cack_psn, 99);
    ck_assert_int_eq(p.seth.ack_psn_offset, 2);
    ck_assert_uint_eq(p.seth.sack_bitmap, 2);
}
END_TEST

/* Control packets take turns over the planes and stay on few EVs. */
START_TEST(reverse_set)
{
    unsigned ports = 0, changed = 0;
    uint32_t last[RIG_PORTS] = {0};
    struct mrc_frame f;
    struct mrc_pkt s;
    rig_start(&rig);
    for (int n = 0; n < 500; n++) {
        play_request(&rig, n, &p);
        p.bth.a = 1;
        rig_inject(&rig, 1, 0, &p);
        for (int k = 0; k < 2; k++) {
            const int port = mrc_ep_output(rig.host[1].ep, rig.now_ns, ~UINT64_C(0), &f);
            ck_assert_int_ge(port, 0);
            mrc_pkt_decode_frame(&rig.host[1].cfg.wire, &f, &s);
            changed += last[port] != s.ev;
            last[port] = s.ev;
            ports |= 1u << port;
        }
    }
    ck_assert_uint_eq(ports, 0xF);
    ck_assert_uint_le(changed, 4 + 500 / 64 + 1);
}
END_TEST

TCase *tcase_sack(void)
{
    TCase *tc = tcase_create("sack");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, threshold);
    tcase_add_test(tc, threshold_of_small_packets);
    tcase_add_test(tc, ack_request);
    tcase_add_test(tc, congestion_mark);
    tcase_add_test(tc, retransmission);
    tcase_add_loop_test(tc, probe, 0, 2);
    tcase_add_test(tc, duplicates);
    tcase_add_test(tc, every_sack_resets_the_counter);
    tcase_add_test(tc, bitmap);
    tcase_add_test(tc, bitmap_moves_with_the_highest);
    tcase_add_test(tc, received_bytes);
    tcase_add_test(tc, mpr_when_dynamic);
    tcase_add_test(tc, before_the_first);
    tcase_add_test(tc, reverse_set);
    return tc;
}
