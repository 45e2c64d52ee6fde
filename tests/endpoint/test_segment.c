/* SPDX-License-Identifier: BSD-2-Clause */
/* What a requestor puts into its packets: sections 5.1, 6 and 6.2, classes of section 9. */
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <string.h>

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_fini(&rig);
}

static const struct mrc_pkt *sent(unsigned n)
{
    const struct rig_log *l = rig_find(&rig, 0, -1, n);
    ck_assert_ptr_nonnull(l);
    return &l->pkt;
}

/* REQ-6-07 REQ-6.2-01 REQ-6.2-02 REQ-6.2-05 REQ-6.2-06 REQ-6.2-07 REQ-6.2-08 REQ-6.2-09 */
START_TEST(long_message)
{
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0x123, 4 * 1024 + 77);
    rig_run(&rig, RIG_FOREVER);
    static const uint8_t op[] = {MRC_OP_WRITE_FIRST, MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_MIDDLE,
                                 MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_LAST};
    ck_assert_uint_eq(rig_count(&rig, 0, -1), 5);
    for (unsigned i = 0; i < 5; i++) {
        const struct mrc_pkt *p = sent(i);
        ck_assert_uint_eq(p->bth.opcode, op[i]);
        ck_assert_uint_eq(p->bth.psn, 100 + i);
        ck_assert_uint_eq(p->bth.dest_qp, 0x11);
        ck_assert_uint_eq(p->bth.rtx, 0);
        ck_assert_uint_eq(p->payload_len, i < 4 ? 1024 : 77);
        ck_assert_uint_eq(p->bth.pad_cnt, i < 4 ? 0 : 3);
        ck_assert_uint_eq(p->reth.va, RIG_VA + 0x123 + i * 1024u);
        ck_assert_uint_eq(p->reth.dma_len, 4 * 1024 + 77);
        ck_assert_uint_eq(p->reth.rkey, rig.host[1].mr.rkey);
        ck_assert_uint_eq(p->meth.msn, 0);
        ck_assert_uint_eq(p->tseth.ftype, 1);
        ck_assert_uint_eq(p->dscp, 4);
        ck_assert_uint_eq(p->ecn, 2);
        ck_assert_uint_eq(p->udp.dst_port, 4791);
        ck_assert_uint_eq(p->bth.a, i == 4); /* REQ-7.4-17 */
    }
}
END_TEST

/* REQ-6.2-10 REQ-6.2-11 REQ-6.2-12: MSN per message, RQMSN per message with immediate. */
START_TEST(message_numbers)
{
    rig_start(&rig);
    for (uint64_t i = 0; i < 8; i++)
        mrc_qp_post_recv(rig.host[1].ep, rig.host[1].qpn, i);
    rig_write(&rig, 0, 1, 0, 0, 10);
    rig_write_imm(&rig, 0, 2, 0, 0, 3000, 77);
    rig_write(&rig, 0, 3, 0, 0, 10);
    rig_write_imm(&rig, 0, 4, 0, 0, 10, 78);
    rig_run(&rig, RIG_FOREVER);
    static const struct {
        uint8_t op;
        uint16_t msn, rqmsn;
    } want[] = {
        {MRC_OP_WRITE_ONLY, 0, 0},     {MRC_OP_WRITE_FIRST, 1, 0}, {MRC_OP_WRITE_MIDDLE, 1, 0},
        {MRC_OP_WRITE_LAST_IMM, 1, 0}, {MRC_OP_WRITE_ONLY, 2, 0},  {MRC_OP_WRITE_ONLY_IMM, 3, 1},
    };
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_uint_eq(sent(i)->bth.opcode, want[i].op);
        ck_assert_uint_eq(sent(i)->meth.msn, want[i].msn);
        ck_assert_uint_eq(sent(i)->meth.rqmsn, want[i].rqmsn);
    }
    ck_assert_uint_eq(sent(3)->immdt.imm, 77);
    ck_assert_uint_eq(sent(5)->immdt.imm, 78);
}
END_TEST

/* REQ-9-02 REQ-9-04: classes and ECN as configured. */
START_TEST(without_trimming_ecn_timestamp)
{
    rig.host[0].cfg.trimmable = false;
    rig.host[0].cfg.ecn_capable = false;
    rig.host[0].cfg.send_tseth = false;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 5000);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_uint_eq(sent(i)->dscp, 0);
        ck_assert_uint_eq(sent(i)->ecn, 0);
        ck_assert_uint_eq(sent(i)->bth.ts, 0);
        ck_assert(!MRC_PKT_HAS(sent(i), TSETH));
    }
    const struct rig_log *sack = rig_find(&rig, 1, MRC_OP_SACK, 0);
    ck_assert_uint_eq(sack->pkt.cc_state.tx_timestamp, 0); /* REQ-7.5.2-10 */
}
END_TEST

/* REQ-6-16: timestamps count 128 ns. */
START_TEST(timestamps_follow_time)
{
    rig.now_ns = 1280000;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 100000);
    rig_run(&rig, RIG_FOREVER);
    for (unsigned i = 0; i < rig_count(&rig, 0, -1); i++) {
        const struct rig_log *l = rig_find(&rig, 0, -1, i);
        ck_assert_uint_eq(l->pkt.tseth.tx_timestamp, (uint16_t)(l->time_ns / 128));
        ck_assert_uint_eq(l->pkt.tseth.tsr, 0);
    }
}
END_TEST

static void to_ipv4(struct rig_host *h, uint8_t n)
{
    for (unsigned i = 0; i < RIG_PORTS; i++) {
        h->cfg.port_addr[i].is_v6 = false;
        memset(h->cfg.port_addr[i].ip, 0, 16);
        h->cfg.port_addr[i].ip[0] = 10;
        h->cfg.port_addr[i].ip[1] = (uint8_t)i;
        h->cfg.port_addr[i].ip[3] = n;
    }
}

START_TEST(ipv4_and_vlan)
{
    to_ipv4(&rig.host[0], 1);
    to_ipv4(&rig.host[1], 2);
    rig.host[0].cfg.vlan = rig.host[1].cfg.vlan = true;
    rig.host[0].cfg.vlan_tci = 0x2064;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 5, 6, 7777);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert(rig_same(&rig, 0, 5, 6, 7777));
    const struct mrc_pkt *p = sent(0);
    ck_assert(!p->is_v6);
    ck_assert_uint_eq(p->vlan_count, 1);
    ck_assert_uint_eq(p->vlan[0].tci, 0x2064);
    ck_assert_uint_eq(p->ev & 0xFFFF, 0); /* Q19 a */
    ck_assert_uint_eq(p->ip4.dst[3], 2);
}
END_TEST

/* Each port has its own address at both ends. */
START_TEST(addresses_follow_the_port)
{
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 50000);
    rig_run(&rig, RIG_FOREVER);
    for (unsigned i = 0; i < rig.log_len; i++) {
        const struct rig_log *l = &rig.log[i];
        ck_assert_uint_eq(l->pkt.ip6.dst[7], l->port + 1);
        ck_assert_uint_eq(l->pkt.ip6.src[7], l->port + 1);
        ck_assert_uint_eq(l->pkt.ip6.dst[15], 2 - l->from);
        ck_assert_uint_eq(l->pkt.ip6.src[15], l->from + 1);
    }
}
END_TEST

/* A round of the rotation uses every EV once; the order changes now and then. */
START_TEST(rotation)
{
    rig.host[0].attr.cwnd_bytes = 1u << 30;
    rig.host[0].attr.mpr_dest = rig.host[1].attr.mpr_dest = 100;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024 * 16 * 64);
    rig_run(&rig, RIG_FOREVER);
    unsigned changes = 0;
    for (unsigned round = 0; round < 64; round++) {
        uint32_t seen = 0;
        for (unsigned i = 0; i < 16; i++) {
            const struct rig_log *l = rig_find(&rig, 0, -1, 16 * round + i);
            const uint32_t n = l->pkt.ev & 0xFFFF;
            ck_assert_uint_lt(n, 16);
            ck_assert_uint_eq(l->port, n % 4);
            seen |= 1u << n;
            if (round > 0)
                changes += rig_find(&rig, 0, -1, 16 * (round - 1) + i)->pkt.ev != l->pkt.ev;
        }
        ck_assert_uint_eq(seen, 0xFFFF);
    }
    ck_assert_uint_gt(changes, 16);
    ck_assert_uint_lt(changes, 63 * 16 / 2); /* now and then, not always */
}
END_TEST

/* A port that is never free is passed over and holds up nothing. */
START_TEST(busy_port_is_passed_over)
{
    rig.port_mask = 0x5;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 300000);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    for (unsigned i = 0; i < rig.log_len; i++)
        ck_assert(rig.log[i].port == 0 || rig.log[i].port == 2);
}
END_TEST

START_TEST(no_free_port_no_frame)
{
    struct mrc_frame f;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 3000);
    ck_assert_int_eq(mrc_ep_output(rig.host[0].ep, 1000, 0, &f), -1);
    ck_assert_int_eq(mrc_ep_output(rig.host[0].ep, 1000, 0xF0, &f), -1);
    ck_assert_int_eq(mrc_ep_output(rig.host[0].ep, 1000, 0x8, &f), 3);
}
END_TEST

/* The payload is the application's memory itself, not a copy. */
START_TEST(payload_is_referenced)
{
    struct mrc_frame f;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 64, 0, 3000);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_ge(mrc_ep_output(rig.host[0].ep, 1000, 0xF, &f), 0);
        ck_assert_ptr_eq(f.payload, rig.host[0].mem + 64 + i * 1024u);
        ck_assert_int_eq(f.icrc_state, MRC_ICRC_DEFERRED);
    }
}
END_TEST

TCase *tcase_segment(void)
{
    TCase *tc = tcase_create("segment");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, long_message);
    tcase_add_test(tc, message_numbers);
    tcase_add_test(tc, without_trimming_ecn_timestamp);
    tcase_add_test(tc, timestamps_follow_time);
    tcase_add_test(tc, ipv4_and_vlan);
    tcase_add_test(tc, addresses_follow_the_port);
    tcase_add_test(tc, rotation);
    tcase_add_test(tc, busy_port_is_passed_over);
    tcase_add_test(tc, no_free_port_no_frame);
    tcase_add_test(tc, payload_is_referenced);
    return tc;
}
