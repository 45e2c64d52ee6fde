/* SPDX-License-Identifier: BSD-2-Clause */
/* A responder's window that changes while packets are in flight. */
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <stdlib.h>

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
    for (unsigned h = 0; h < 2; h++) {
        rig.host[h].attr.cwnd_bytes = 1u << 30;
        rig.host[h].attr.dynamic_mpr = true;
        rig.host[h].cfg.q2_oor = 'b';
    }
}

static void teardown(void)
{
    rig_fini(&rig);
}

static int set_mpr(uint8_t mpr)
{
    return mrc_qp_set_mpr(rig.host[1].ep, rig.host[1].qpn, rig.now_ns, mpr);
}

/* A one-packet write to host 1. */
static void request(uint32_t psn)
{
    struct mrc_pkt p;
    static const uint8_t byte = 7;
    rig_packet(&rig, 1, MRC_OP_WRITE_ONLY, psn, &p);
    p.present |= 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH;
    p.reth.va = RIG_VA + psn;
    p.reth.rkey = rig.host[1].mr.rkey;
    p.reth.dma_len = 1;
    p.payload = &byte;
    p.payload_len = 1;
    rig_inject(&rig, 1, 0, &p);
}

static unsigned taken(uint8_t opcode, struct mrc_pkt *last)
{
    struct mrc_pkt p;
    unsigned n = 0;
    while (rig_take(&rig, 1, &p))
        if (p.bth.opcode == opcode) {
            *last = p;
            n++;
        }
    return n;
}

START_TEST(refuses_what_cannot_be)
{
    rig.host[1].attr.dynamic_mpr = _i != 0;
    rig_start(&rig);
    ck_assert_int_eq(set_mpr(9), _i != 0 ? MRC_EP_OK : MRC_EP_ESTATE);
    if (_i != 0)
        ck_assert_int_eq(set_mpr(0), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_qp_set_mpr(rig.host[1].ep, 0x777, rig.now_ns, 9), MRC_EP_ENOENT);
}
END_TEST

/* REQ-7.5.2-13 and Table 7-12: the SACK's mpr is the window at its sending. */
START_TEST(sacks_carry_the_current_value)
{
    static const uint8_t values[] = {8, 255, 3, 40, 1};
    struct mrc_pkt p;
    rig_start(&rig);
    for (unsigned i = 0; i < sizeof values; i++) {
        ck_assert_int_eq(set_mpr(values[i]), MRC_EP_OK);
        request(99); /* an old duplicate: a SACK for sure */
        ck_assert_uint_eq(taken(MRC_OP_SACK, &p), 1);
        ck_assert_uint_eq(p.seth.mpr, values[i]);
    }
}
END_TEST

/* REQ-6.3.1-04 REQ-6.3.1-05: the edge moves at once, in both directions. */
START_TEST(edge_moves_at_once)
{
    struct mrc_pkt p;
    rig_start(&rig);
    request(100 + 1024);
    ck_assert_uint_eq(taken(MRC_OP_NACK, &p), 1);
    ck_assert_uint_eq(p.neth.nack_reason, MRC_NACK_PSN_OOR_WINDOW);
    ck_assert_int_eq(set_mpr(9), MRC_EP_OK);
    request(100 + 1024);
    ck_assert_uint_eq(rig_info(&rig, 1).ooo_count, 1);
    ck_assert_int_eq(set_mpr(2), MRC_EP_OK);
    request(100 + 256);
    ck_assert_uint_eq(taken(MRC_OP_NACK, &p), 1);
    ck_assert_uint_eq(p.neth.nack_psn, 100 + 256);
    request(100 + 255);
    ck_assert_uint_eq(rig_info(&rig, 1).ooo_count, 2);
}
END_TEST

/* What had arrived beyond the new edge stays arrived: a copy of it is a duplicate (REQ-7.5.2-05).
 */
START_TEST(shrinking_forgets_nothing)
{
    struct mrc_pkt p;
    rig_start(&rig);
    request(100 + 900);
    (void)taken(MRC_OP_SACK, &p);
    ck_assert_int_eq(set_mpr(1), MRC_EP_OK);
    request(100 + 900);
    ck_assert_uint_eq(taken(MRC_OP_SACK, &p), 1);
    ck_assert_uint_eq(p.cc_state.ooo_count, 1);
    ck_assert_uint_eq(rig_counters(&rig, 1)->rx_dup, 1);
    ck_assert_uint_eq(rig_counters(&rig, 1)->tx_nack, 0);
}
END_TEST

/* Growing beyond the first size keeps what waits, immediates too. */
START_TEST(growing_keeps_what_waits)
{
    rig_start(&rig);
    for (unsigned i = 0; i < 40; i++)
        ck_assert_int_eq(mrc_qp_post_recv(rig.host[1].ep, rig.host[1].qpn, i), MRC_EP_OK);
    for (uint32_t psn = 101; psn < 131; psn++) {
        struct mrc_pkt p;
        static const uint8_t byte = 7;
        rig_packet(&rig, 1, MRC_OP_WRITE_ONLY_IMM, psn, &p);
        p.present |= 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH | 1u << MRC_HDR_IMMDT;
        p.reth.va = RIG_VA;
        p.reth.rkey = rig.host[1].mr.rkey;
        p.reth.dma_len = 1;
        p.immdt.imm = psn;
        p.payload = &byte;
        p.payload_len = 1;
        rig_inject(&rig, 1, 0, &p);
    }
    ck_assert_int_eq(set_mpr(200), MRC_EP_OK);
    request(100 + 200 * 128 - 1);
    ck_assert_uint_eq(rig_info(&rig, 1).ooo_count, 31);
    request(100);
    ck_assert_uint_eq(rig_info(&rig, 1).epsn, 131);
    rig_run(&rig, rig.now_ns + 1);
    ck_assert_uint_eq(rig_events_of(&rig, 1, MRC_EVENT_RECV_IMM), 30);
    for (unsigned i = 0; i < 30; i++)
        ck_assert_uint_eq(rig_event_of(&rig, 1, MRC_EVENT_RECV_IMM, i)->imm, 101 + i);
}
END_TEST

static void *refuse(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

static bool refusing;

static void *maybe(void *user, size_t size)
{
    return refusing ? refuse(user, size) : malloc(size);
}

static void give_back(void *user, void *p)
{
    (void)user;
    free(p);
}

START_TEST(growing_without_memory_changes_nothing)
{
    struct mrc_pkt p;
    refusing = false;
    rig.host[1].cfg.alloc = (struct mrc_alloc){maybe, give_back, NULL};
    rig_start(&rig);
    refusing = true;
    ck_assert_int_eq(set_mpr(9), MRC_EP_ENOMEM);
    request(100 + 1024);
    ck_assert_uint_eq(taken(MRC_OP_NACK, &p), 1);
    ck_assert_int_eq(set_mpr(7), MRC_EP_OK); /* shrinking needs none */
}
END_TEST

/* ---- two endpoints: the window changes under traffic ---- */

struct plan {
    unsigned every; /* frames of host 0 between two changes */
    uint32_t state;
    uint32_t cack; /* highest told to host 0 so far */
    uint8_t mpr;
};

static void change(struct rig *r, struct rig_frame *f, void *user)
{
    struct plan *const p = user;
    if (f->from == 0 && f->nth % p->every == 0) {
        p->state = p->state * 1664525u + 1013904223u;
        p->mpr = (uint8_t)(1 + (p->state >> 24) % 32);
        ck_assert_int_eq(mrc_qp_set_mpr(r->host[1].ep, r->host[1].qpn, r->now_ns, p->mpr),
                         MRC_EP_OK);
    }
    f->drop = f->from == 0 && f->nth % 97 == 0;
}

/* REQ-6.2-04: everything arrives and the books close, whatever the window does meanwhile. */
START_TEST(window_moves_under_traffic)
{
    struct plan plan = {.every = 3 + 40u * (unsigned)_i, .state = (uint32_t)_i, .mpr = 8};
    rig.host[1].cfg.q2_oor = _i % 2 ? 'a' : 'b';
    rig.host[0].attr.exp_cnt = 25;
    rig_start(&rig);
    rig.hook = change;
    rig.user = &plan;
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(rig_write(&rig, 0, i, i << 20, i << 20, 1u << 19), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 4);
    for (unsigned i = 0; i < 4; i++)
        ck_assert(rig_same(&rig, 0, i << 20, i << 20, 1u << 19));
}
END_TEST

/* Of two SACKs with one cack_psn the one that counts more bytes is the newer: a late one does not
 * bring the old window back. */
START_TEST(late_sack_brings_no_old_window_back)
{
    struct mrc_pkt p;
    rig_start(&rig);
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, 300 * 1024), MRC_EP_OK);
    while (rig_take(&rig, 0, &p))
        continue;
    static const struct {
        uint32_t bytes;
        uint8_t mpr;
    } told[] = {{20, 2}, {10, 8}, {21, 3}};
    static const uint32_t psns[] = {256, 256, 384};
    for (unsigned i = 0; i < 3; i++) {
        rig_packet(&rig, 0, MRC_OP_SACK, 99, &p);
        p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
        p.seth.cack_psn = 99;
        p.seth.mpr = told[i].mpr;
        p.cc_state.rcvd_bytes = told[i].bytes;
        rig_inject(&rig, 0, 0, &p);
        ck_assert_uint_eq(rig_info(&rig, 0).mpr_psn, psns[i]);
    }
}
END_TEST

TCase *tcase_mpr(void)
{
    TCase *tc = tcase_create("dynamic window");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, refuses_what_cannot_be, 0, 2);
    tcase_add_test(tc, sacks_carry_the_current_value);
    tcase_add_test(tc, edge_moves_at_once);
    tcase_add_test(tc, shrinking_forgets_nothing);
    tcase_add_test(tc, growing_keeps_what_waits);
    tcase_add_test(tc, growing_without_memory_changes_nothing);
    tcase_add_loop_test(tc, window_moves_under_traffic, 0, 6);
    tcase_add_test(tc, late_sack_brings_no_old_window_back);
    return tc;
}
