/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections 6.3, 6.3.1 and 7.5: window, placement, refusals, NACKs, transport ACK and NAK. */
#include "tests/endpoint/play.h"
#include "tests/endpoint/suites.h"
#include <string.h>

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

static uint64_t dropped(enum mrc_drop why)
{
    return rig_counters(&rig, 1)->drop[why];
}

/* REQ-6.3.1-01: placed at once, whatever is missing before it; nothing else changes. */
START_TEST(placed_at_once)
{
    rig_start(&rig);
    uint8_t before[2048];
    memcpy(before, rig.host[1].mem + 1023 * 1024, 1024);
    play_send(&rig, 1000);
    ck_assert(rig_same(&rig, 0, 1000 * 1024, 1000 * 1024, 1024));
    ck_assert_int_eq(memcmp(before, rig.host[1].mem + 1023 * 1024, 1024), 0);
    ck_assert(!rig_same(&rig, 0, 999 * 1024, 999 * 1024, 1024));
    ck_assert(!rig_same(&rig, 0, 1001 * 1024, 1001 * 1024, 1024));
}
END_TEST

START_TEST(placement_events)
{
    struct mrc_ep_event ev;
    rig_start(&rig);
    play_send(&rig, 0);
    ck_assert(!mrc_ep_poll_event(rig.host[1].ep, &ev));
    mrc_ep_placement_events(rig.host[1].ep, true);
    play_send(&rig, 2);
    play_send(&rig, 2);
    ck_assert(mrc_ep_poll_event(rig.host[1].ep, &ev));
    ck_assert_int_eq(ev.kind, MRC_EVENT_PLACED);
    ck_assert_uint_eq(ev.va, RIG_VA + 2048);
    ck_assert_uint_eq(ev.len_bytes, 1024);
    ck_assert_uint_eq(ev.psn, 102);
    ck_assert(!mrc_ep_poll_event(rig.host[1].ep, &ev));
    play_send(&rig, 1);
    for (int n = 3; n < 1030; n++)
        play_send(&rig, n);
    ck_assert_uint_eq(dropped(MRC_DROP_PLACED_FULL), 4);
}
END_TEST

/* REQ-6.3.1-02: what was overwritten meanwhile stays overwritten. */
START_TEST(duplicate_not_placed)
{
    rig_start(&rig);
    play_send(&rig, 0);
    play_send(&rig, 2);
    memset(rig.host[1].mem, 0x5A, 4096);
    play_send(&rig, 0);
    play_send(&rig, 2);
    for (int i = 0; i < 4096; i++)
        ck_assert_uint_eq(rig.host[1].mem[i], 0x5A);
}
END_TEST

/* REQ-6.3.1-04 REQ-6.3.1-05, Q2: above the window, PSN_OOR_WINDOW. */
START_TEST(above_the_window)
{
    rig.host[1].cfg.q2_oor = _i == 0 ? 'b' : 'a';
    rig_start(&rig);
    play_request(&rig, 1024, &p);
    p.bth.a = 1;
    rig_inject(&rig, 1, 0, &p);
    if (_i == 0) {
        struct mrc_pkt n;
        play_expect(&rig, MRC_OP_NACK, &n);
        ck_assert_uint_eq(n.neth.nack_reason, MRC_NACK_PSN_OOR_WINDOW);
        ck_assert_uint_eq(n.neth.nack_psn, 1124);
        ck_assert_uint_eq(n.bth.psn, 1124);
        ck_assert_uint_eq(n.neth.entropy, 0xA4001400);
        ck_assert_uint_eq(n.neth.tx_timestamp, 8024);
    }
    play_expect_nothing(&rig);
    ck_assert(!rig_same(&rig, 0, 1024 * 1024, 1024 * 1024, 1024));
    ck_assert_uint_eq(dropped(MRC_DROP_WINDOW), 1);
    play_send(&rig, 1023); /* the last inside */
    ck_assert_uint_eq(rig_info(&rig, 1).max_rcv, 1123);
}
END_TEST

/* REQ-6.3.1-07: half the PSN circle below the expected one is a duplicate; the one beyond it is
 * nothing. */
START_TEST(far_below)
{
    rig_start(&rig);
    play_request(&rig, 0, &p);
    p.bth.psn = mrc_psn_add(100, -(1 << 23) + 1);
    rig_inject(&rig, 1, 0, &p);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_int_eq(p.seth.ack_psn_offset, INT16_MIN);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.bth.psn, 99);
    play_request(&rig, 0, &p);
    p.bth.psn = mrc_psn_add(100, -(1 << 23));
    rig_inject(&rig, 1, 0, &p);
    play_expect_nothing(&rig);
    ck_assert_uint_eq(dropped(MRC_DROP_WINDOW), 1);
}
END_TEST

/* REQ-7.5-01 REQ-7.5-02 REQ-7.5-04 .. 08: TRIMMED and TRIMMED_LASTHOP. */
START_TEST(trimmed)
{
    rig_start(&rig);
    play_request(&rig, 4, &p);
    p.bth.rtx = 1;
    play_trimmed(&rig, &p, _i == 1);
    struct mrc_pkt n;
    play_expect(&rig, MRC_OP_NACK, &n);
    ck_assert_uint_eq(n.neth.nack_reason, _i == 1 ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED);
    ck_assert_uint_eq(n.neth.nack_psn, 104);
    ck_assert_uint_eq(n.bth.psn, 104);
    ck_assert_uint_eq(n.bth.rtx, 1);
    ck_assert_uint_eq(n.neth.entropy, 0xA0041004);
    ck_assert_uint_eq(n.neth.tx_timestamp, 7004);
    ck_assert_uint_eq(n.neth.cc_type, 2);
    ck_assert_uint_eq(n.neth.spdcid, 0x11);
    ck_assert_uint_eq(n.neth.dpdcid, 0x22);
    play_expect_nothing(&rig);
    ck_assert_uint_eq(rig_info(&rig, 1).rcvd_bytes, 0);
    ck_assert_uint_eq(rig_info(&rig, 1).ooo_count, 0);
}
END_TEST

/* REQ-7.5-03 */
START_TEST(trimmed_without_capability)
{
    rig.host[1].attr.trim_nack = false;
    rig_start(&rig);
    play_request(&rig, 4, &p);
    play_trimmed(&rig, &p, false);
    play_expect_nothing(&rig); /* REQ-7.5-03 */
    ck_assert_uint_eq(dropped(MRC_DROP_TRIMMED), 1);
}
END_TEST

/* REQ-7.5-12, Q26: a trimmed one whose PSN has arrived. */
START_TEST(trimmed_again)
{
    rig.host[1].cfg.q26_trim_dup = (char)('a' + _i);
    rig_start(&rig);
    play_send(&rig, 4);
    play_request(&rig, 4, &p);
    play_trimmed(&rig, &p, false);
    if (_i == 0)
        play_expect(&rig, MRC_OP_NACK, &p);
    else if (_i == 1)
        play_expect(&rig, MRC_OP_SACK, &p);
    play_expect_nothing(&rig);
}
END_TEST

/* REQ-6.3-07, section 5.1: what each opcode may carry. */
static const struct {
    uint8_t op;
    uint32_t payload, dma_len;
} misfits[] = {
    {MRC_OP_WRITE_FIRST, 1023, 5000},    {MRC_OP_WRITE_FIRST, 1025, 5000},
    {MRC_OP_WRITE_FIRST, 1024, 1024},    {MRC_OP_WRITE_MIDDLE, 1000, 5000},
    {MRC_OP_WRITE_LAST, 0, 5000},        {MRC_OP_WRITE_LAST, 1025, 5000},
    {MRC_OP_WRITE_LAST_IMM, 1025, 5000}, {MRC_OP_WRITE_ONLY, 0, 0},
    {MRC_OP_WRITE_ONLY, 10, 11},         {MRC_OP_WRITE_ONLY, 1025, 1025},
    {MRC_OP_WRITE_ONLY_IMM, 0, 0},
};
#define MISFITS ((int)(sizeof misfits / sizeof misfits[0]))

/* REQ-6.3-07 */
START_TEST(lengths)
{
    rig_start(&rig);
    play_request(&rig, 0, &p);
    p.bth.opcode = misfits[_i].op;
    p.bth.a = 1;
    p.payload_len = misfits[_i].payload;
    p.reth.dma_len = misfits[_i].dma_len;
    if (p.bth.opcode == MRC_OP_WRITE_LAST_IMM || p.bth.opcode == MRC_OP_WRITE_ONLY_IMM)
        p.present |= 1u << MRC_HDR_IMMDT;
    rig_inject(&rig, 1, 0, &p);
    play_expect_nothing(&rig);
    ck_assert_uint_eq(dropped(MRC_DROP_LENGTH), 1);
    ck_assert_uint_eq(rig_info(&rig, 1).max_rcv, 99);
}
END_TEST

/* REQ-6.3-06 REQ-6.3-18 and the other checks of a packet before its PSN is looked at. */
START_TEST(not_for_us)
{
    rig_start(&rig);
    play_request(&rig, 0, &p);
    p.bth.pkey = 0x7FFF;
    rig_inject(&rig, 1, 0, &p);
    ck_assert_uint_eq(dropped(MRC_DROP_PKEY), 1);
    play_request(&rig, 0, &p);
    p.bth.dest_qp = 0x12;
    rig_inject(&rig, 1, 0, &p);
    p.bth.dest_qp = 2;
    rig_inject(&rig, 1, 0, &p);
    ck_assert_uint_eq(dropped(MRC_DROP_NO_QP), 2);
    play_request(&rig, 0, &p);
    rig_inject(&rig, 1, 1, &p); /* the address is port 0's */
    ck_assert_uint_eq(dropped(MRC_DROP_ADDRESS), 1);
    rig_inject(&rig, 1, 99, &p); /* no such port */
    play_request(&rig, 0, &p);
    p.bth.tver = 1;
    rig_inject(&rig, 1, 0, &p);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_wire[MRC_WIRE_BAD_TVER], 1);
    play_request(&rig, 0, &p);
    p.bth.opcode = 0xD2;
    rig_inject(&rig, 1, 0, &p);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_wire[MRC_WIRE_BAD_OPCODE], 1);
    play_expect_nothing(&rig);
    ck_assert_uint_eq(rig_info(&rig, 1).max_rcv, 99);
}
END_TEST

/* REQ-6.3-05 */
START_TEST(wrong_icrc)
{
    struct mrc_frame f;
    rig_start(&rig);
    play_request(&rig, 0, &p);
    p.bth.a = 1;
    mrc_pkt_encode(&rig.host[0].cfg.wire, &p, &f);
    f.icrc_state = _i == 0 ? MRC_ICRC_WRONG : MRC_ICRC_ABSENT;
    mrc_ep_input(rig.host[1].ep, rig.now_ns, 0, &f);
    play_expect_nothing(&rig);
    ck_assert_uint_eq(rig_info(&rig, 1).max_rcv, 99);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_new, 0);
}
END_TEST

/* REQ-6.3-03: one ACK for all up to cack, when cack reaches one that asked. */
START_TEST(coalesced_ack)
{
    rig_start(&rig);
    play_send_ask(&rig, 1);
    play_send_ask(&rig, 2);
    play_expect(&rig, MRC_OP_SACK, &p);
    play_expect(&rig, MRC_OP_SACK, &p);
    play_expect_nothing(&rig);
    play_send(&rig, 0);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.bth.psn, 102);
    ck_assert_uint_eq(p.aeth.syndrome, 0x1F); /* REQ-7-09 */
    ck_assert_uint_eq(p.aeth.msn, 3);         /* REQ-6.3-02 */
    play_expect_nothing(&rig);
}
END_TEST

/* REQ-6.3-02 */
START_TEST(msn_counts_whole_messages)
{
    rig_start(&rig);
    for (int n = 0; n < 3; n++) {
        play_part(&rig, n, &p);
        p.bth.a = 1;
        rig_inject(&rig, 1, 0, &p);
        play_expect(&rig, MRC_OP_SACK, &p);
        play_expect(&rig, MRC_OP_ACK, &p);
        ck_assert_uint_eq(p.aeth.msn, 0);
    }
    play_part(&rig, 3, &p);
    p.bth.opcode = MRC_OP_WRITE_LAST;
    p.bth.a = 1;
    rig_inject(&rig, 1, 0, &p);
    play_expect(&rig, MRC_OP_SACK, &p);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.aeth.msn, 1);
}
END_TEST

static struct mrc_ep_event next_event(unsigned h)
{
    struct mrc_ep_event ev;
    ck_assert(mrc_ep_poll_event(rig.host[h].ep, &ev));
    return ev;
}

/* REQ-6.3-04: key, bounds and permission. */
static void spoil(struct mrc_pkt *k, int how)
{
    if (how == 0)
        k->reth.rkey ^= 1;
    else if (how == 1)
        k->reth.rkey = 0;
    else if (how == 2)
        k->reth.rkey = UINT32_MAX;
    else if (how == 3)
        k->reth.va = RIG_VA - 1;
    else if (how == 4)
        k->reth.va = RIG_VA + RIG_MEM - 1023;
    else
        k->reth.va = UINT64_MAX - 10;
}

START_TEST(access_refused)
{
    rig_start(&rig);
    play_request(&rig, 0, &p);
    spoil(&p, _i);
    rig_inject(&rig, 1, 0, &p);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.aeth.syndrome, MRC_SYN_REMOTE_ACCESS);
    ck_assert_uint_eq(p.bth.psn, 100);
    ck_assert_uint_eq(p.aeth.msn, 0);
    play_expect_nothing(&rig);
    ck_assert_int_eq(rig_info(&rig, 1).state, MRC_QP_ERROR);
    const struct mrc_ep_event ev = next_event(1);
    ck_assert_int_eq(ev.kind, MRC_EVENT_QP_ERROR);
    ck_assert_int_eq(ev.status, MRC_WC_LOCAL_ACCESS);
    play_send_ask(&rig, 1);
    play_expect_nothing(&rig);
    ck_assert_uint_eq(dropped(MRC_DROP_QP_STATE), 1);
}
END_TEST

/* REQ-6.3-04 */
START_TEST(region_without_permission)
{
    struct mrc_mr mr;
    rig_start(&rig);
    mr = rig.host[1].mr;
    mr.access = 0;
    ck_assert_int_eq(mrc_ep_register(rig.host[1].ep, &mr), MRC_EP_OK);
    play_request(&rig, 0, &p);
    p.reth.rkey = mr.rkey;
    rig_inject(&rig, 1, 0, &p);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.aeth.syndrome, MRC_SYN_REMOTE_ACCESS);
    ck_assert(!rig_same(&rig, 0, 0, 0, 1024));
}
END_TEST

/* REQ-6.3-15 REQ-6.3-16: the refusal waits for what comes before it, and the first in order counts.
 */
START_TEST(refusal_in_order)
{
    rig_start(&rig);
    play_request(&rig, 3, &p);
    p.reth.rkey ^= 1;
    rig_inject(&rig, 1, 0, &p);
    play_request(&rig, 2, &p);
    p.reth.rkey ^= 1;
    rig_inject(&rig, 1, 0, &p);
    play_send(&rig, 4);
    play_send(&rig, 1);
    play_expect_nothing(&rig);
    ck_assert_int_eq(rig_info(&rig, 1).state, MRC_QP_RTS);
    play_send(&rig, 0);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.aeth.syndrome, MRC_SYN_REMOTE_ACCESS);
    ck_assert_uint_eq(p.bth.psn, 102);
    ck_assert_uint_eq(p.aeth.msn, 2);
    play_expect_nothing(&rig);
}
END_TEST

/* A SACK that was due is sent all the same: reliability had accepted the packet. */
START_TEST(sack_before_nak)
{
    rig_start(&rig);
    play_request(&rig, 0, &p);
    p.reth.rkey ^= 1;
    p.bth.a = 1;
    rig_inject(&rig, 1, 0, &p);
    play_expect(&rig, MRC_OP_SACK, &p);
    ck_assert_uint_eq(p.seth.cack_psn, 100);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.aeth.syndrome, MRC_SYN_REMOTE_ACCESS);
}
END_TEST

/* REQ-7.3-03 REQ-7.3-04 REQ-7-07 REQ-7-08: QP 0x2. */
static void ask_node(uint8_t op, uint16_t id)
{
    rig_packet(&rig, 1, MRC_OP_EP_REQUEST, id, &p);
    p.present |= 1u << MRC_HDR_ERTH;
    p.bth.dest_qp = 2;
    p.erth.op = op;
    p.erth.tx_timestamp = 999;
    p.udp.src_port = 0xAB;
    p.ip6.flow_label = 0xCD;
    rig_inject(&rig, 1, 0, &p);
}

START_TEST(node)
{
    rig_start(&rig);
    ask_node((uint8_t)_i, 0xFACE);
    if (_i > 1) { /* Q23 a */
        play_expect_nothing(&rig);
        ck_assert_uint_eq(dropped(MRC_DROP_CODE_POINT), 1);
        return;
    }
    play_expect(&rig, MRC_OP_EP_RESPONSE, &p);
    ck_assert_uint_eq(p.bth.psn, 0xFACE);
    ck_assert_uint_eq(p.eeth.op, (unsigned)_i);
    ck_assert_uint_eq(p.eeth.tx_timestamp, 999);
    ck_assert_uint_eq(p.ev, 0x00AB00CD);
    ck_assert_uint_eq(p.ip6.dst[15], 1);
    play_expect_nothing(&rig);
}
END_TEST

START_TEST(node_queue_is_bounded)
{
    rig_start(&rig);
    for (uint16_t i = 0; i < 100; i++)
        ask_node(1, i);
    ck_assert_uint_eq(dropped(MRC_DROP_CTRL_FULL), 36);
    rig.port_mask = 0xE; /* the port they came in by is busy */
    play_expect_nothing(&rig);
    rig.port_mask = 0xF;
    for (uint16_t i = 0; i < 64; i++) {
        play_expect(&rig, MRC_OP_EP_RESPONSE, &p);
        ck_assert_uint_eq(p.bth.psn, i);
    }
    play_expect_nothing(&rig);
}
END_TEST

START_TEST(control_queue_is_bounded)
{
    rig.host[1].cfg.ctrl_queue_len = 16;
    rig_start(&rig);
    for (int n = 0; n < 20; n++)
        play_send_ask(&rig, n);
    ck_assert_uint_eq(dropped(MRC_DROP_CTRL_FULL), 1 + 4); /* one ACK waits, 15 SACKs with it */
    for (int n = 0; n < 16; n++)
        ck_assert(rig_take(&rig, 1, &p));
    play_expect_nothing(&rig);
    play_send_ask(&rig, 20);
    play_expect(&rig, MRC_OP_SACK, &p);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert_uint_eq(p.bth.psn, 120);
}
END_TEST

/* Control goes out before data. */
START_TEST(control_before_data)
{
    rig_start(&rig);
    rig_write(&rig, 1, 1, 0, 0, 100000);
    ck_assert(rig_take(&rig, 1, &p));
    ck_assert_uint_eq(p.bth.opcode, MRC_OP_WRITE_FIRST);
    play_send_ask(&rig, 0);
    play_expect(&rig, MRC_OP_SACK, &p);
    play_expect(&rig, MRC_OP_ACK, &p);
    ck_assert(rig_take(&rig, 1, &p));
    ck_assert_uint_eq(p.bth.opcode, MRC_OP_WRITE_MIDDLE);
}
END_TEST

TCase *tcase_responder(void)
{
    TCase *tc = tcase_create("responder");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, placed_at_once);
    tcase_add_test(tc, placement_events);
    tcase_add_test(tc, duplicate_not_placed);
    tcase_add_loop_test(tc, above_the_window, 0, 2);
    tcase_add_test(tc, far_below);
    tcase_add_loop_test(tc, trimmed, 0, 2);
    tcase_add_test(tc, trimmed_without_capability);
    tcase_add_loop_test(tc, trimmed_again, 0, 3);
    tcase_add_loop_test(tc, lengths, 0, MISFITS);
    tcase_add_test(tc, not_for_us);
    tcase_add_loop_test(tc, wrong_icrc, 0, 2);
    tcase_add_test(tc, coalesced_ack);
    tcase_add_test(tc, msn_counts_whole_messages);
    tcase_add_loop_test(tc, access_refused, 0, 6);
    tcase_add_test(tc, region_without_permission);
    tcase_add_test(tc, refusal_in_order);
    tcase_add_test(tc, sack_before_nak);
    tcase_add_loop_test(tc, node, 0, 4);
    tcase_add_test(tc, node_queue_is_bounded);
    tcase_add_test(tc, control_queue_is_bounded);
    tcase_add_test(tc, control_before_data);
    return tc;
}
