/* SPDX-License-Identifier: BSD-2-Clause */
/* Transport NAKs from end to end, immediates and their order, completion. */
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

static int status_of(unsigned h, enum mrc_ep_event_kind kind, unsigned n)
{
    const struct mrc_ep_event *e = rig_event_of(&rig, h, kind, n);
    ck_assert_ptr_nonnull(e);
    return (int)e->status;
}

/* REQ-6.3-04: the writes before the refused one are done, it fails, those after are flushed. */
START_TEST(remote_access_error)
{
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 5000);
    rig.host[1].mr.rkey ^= 1;
    rig_write(&rig, 0, 2, 0, 8000, 5000);
    rig.host[1].mr.rkey ^= 1;
    rig_write(&rig, 0, 3, 0, 16000, 5000);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(status_of(0, MRC_EVENT_SEND_DONE, 0), MRC_WC_SUCCESS);
    ck_assert_int_eq(status_of(0, MRC_EVENT_SEND_DONE, 1), MRC_WC_REMOTE_ACCESS);
    ck_assert_int_eq(status_of(0, MRC_EVENT_SEND_DONE, 2), MRC_WC_FLUSHED);
    ck_assert_int_eq(status_of(0, MRC_EVENT_QP_ERROR, 0), MRC_WC_REMOTE_ACCESS);
    ck_assert_int_eq(status_of(1, MRC_EVENT_QP_ERROR, 0), MRC_WC_LOCAL_ACCESS);
    ck_assert(rig_same(&rig, 0, 0, 0, 5000));
}
END_TEST

/* REQ-6.3-10: nothing posted for an immediate: ERROR, and no RNR. */
START_TEST(receive_queue_empty)
{
    rig_start(&rig);
    mrc_qp_post_recv(rig.host[1].ep, rig.host[1].qpn, 70);
    rig_write_imm(&rig, 0, 1, 0, 0, 10, 5);
    rig_write_imm(&rig, 0, 2, 0, 0, 10, 6);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_events_of(&rig, 1, MRC_EVENT_RECV_IMM), 1);
    ck_assert_int_eq(status_of(1, MRC_EVENT_QP_ERROR, 0), MRC_WC_LOCAL_RQ_EMPTY);
    ck_assert_int_eq(status_of(0, MRC_EVENT_QP_ERROR, 0), MRC_WC_REMOTE_OP);
    ck_assert_int_eq(status_of(0, MRC_EVENT_SEND_DONE, 1), MRC_WC_REMOTE_OP);
}
END_TEST

/* Q9: a requestor that does not know the limit runs into it while the first WriteImm is missing. */
static void first_late(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    (void)user;
    if (f->from == 0 && f->pkt.bth.psn == 100 && !f->pkt.bth.rtx)
        f->drop = true;
}

/* REQ-6.3-11 REQ-6.3-12 */
START_TEST(wimm_limit_exceeded)
{
    rig.host[1].cfg.wimm_nak_syndrome = _i == 0 ? 0x61 : 0x6F;
    rig.host[0].cfg.wimm_nak_syndrome = rig.host[1].cfg.wimm_nak_syndrome;
    rig.hook = first_late;
    rig_start(&rig);
    for (unsigned h = 0; h < 2; h++)
        mrc_qp_destroy(rig.host[h].ep, rig.host[h].qpn);
    ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), 0x22);
    ck_assert_int_eq(mrc_qp_create(rig.host[1].ep, &rig.host[1].attr), 0x11);
    rig.host[1].attr.max_wimm_dest = 200; /* what host 0 is told; 32 is the truth */
    rig_connect(&rig);
    for (uint64_t i = 0; i < 64; i++)
        mrc_qp_post_recv(rig.host[1].ep, rig.host[1].qpn, i);
    for (uint32_t i = 0; i < 40; i++)
        rig_write_imm(&rig, 0, i, 0, 0, 10, i);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(status_of(1, MRC_EVENT_QP_ERROR, 0), MRC_WC_LOCAL_WIMM_LIMIT);
    ck_assert_int_eq(status_of(0, MRC_EVENT_QP_ERROR, 0), MRC_WC_REMOTE_INVALID);
    ck_assert_uint_eq(rig_events_of(&rig, 1, MRC_EVENT_RECV_IMM), 33);
    const struct rig_log *nak = rig_find(&rig, 1, MRC_OP_ACK, rig_count(&rig, 1, MRC_OP_ACK) - 1);
    ck_assert_uint_eq(nak->pkt.aeth.syndrome, rig.host[1].cfg.wimm_nak_syndrome);
}
END_TEST

/* REQ-6.3-08 REQ-6.3-09 REQ-6.3-13 REQ-6.3-14: immediates in the order of sending, though they
 * arrive in any. */
static void shuffle(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    (void)user;
    f->delay_ns = (f->nth * 7919u) % 13 * 400;
    f->drop = f->nth % 11 == 4;
    f->copies = f->nth % 5 == 1;
}

START_TEST(immediates_in_order)
{
    rig.hook = shuffle;
    rig_start(&rig);
    for (uint64_t i = 0; i < 100; i++)
        mrc_qp_post_recv(rig.host[1].ep, rig.host[1].qpn, 500 + i);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_int_eq(rig_write_imm(&rig, 0, i, 0, 0, 1 + i * 100, 0xF0000000 + i), 0);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 100);
    ck_assert_uint_eq(rig_events_of(&rig, 1, MRC_EVENT_RECV_IMM), 100);
    for (uint32_t i = 0; i < 100; i++) {
        const struct mrc_ep_event *e = rig_event_of(&rig, 1, MRC_EVENT_RECV_IMM, i);
        ck_assert_uint_eq(e->imm, 0xF0000000 + i);
        ck_assert_uint_eq(e->wr_id, 500 + i);
        ck_assert_uint_eq(e->len_bytes, 1 + i * 100);
        ck_assert_int_eq(e->status, MRC_WC_SUCCESS);
    }
}
END_TEST

START_TEST(receive_queue_depth)
{
    rig.host[1].attr.rq_depth = 2;
    rig_start(&rig);
    for (uint64_t i = 0; i < 2; i++)
        ck_assert_int_eq(mrc_qp_post_recv(rig.host[1].ep, 0x11, i), MRC_EP_OK);
    ck_assert_int_eq(mrc_qp_post_recv(rig.host[1].ep, 0x11, 9), MRC_EP_EFULL);
    rig_write_imm(&rig, 0, 1, 0, 0, 10, 5);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(mrc_qp_post_recv(rig.host[1].ep, 0x11, 9), MRC_EP_OK);
}
END_TEST

/* Two QPs share a node: one that fails leaves the other alone. */
START_TEST(one_qp_fails_alone)
{
    rig_start(&rig);
    struct mrc_qp_peer peer = {.qpn = 99, .start_psn = 1, .max_wimm_dest = 32, .mpr_dest = 8};
    for (unsigned i = 0; i < MRC_EP_PORTS_MAX; i++)
        peer.addr[i] = rig.host[1].cfg.port_addr[i];
    rig.host[0].attr.qpn = 0;
    rig.host[0].attr.linear_cnt = rig.host[0].attr.exp_cnt = 1;
    const int64_t other = mrc_qp_create(rig.host[0].ep, &rig.host[0].attr);
    ck_assert_int_gt(other, 2);
    ck_assert_int_eq(mrc_qp_connect(rig.host[0].ep, (uint32_t)other, &peer), MRC_EP_OK);
    const struct mrc_write w = {.wr_id = 7, .local = rig.host[0].mem, .len_bytes = 5000};
    ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, (uint32_t)other, rig.now_ns, &w), 0);
    rig_write(&rig, 0, 1, 0, 0, 500000);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(mrc_qp_state(rig.host[0].ep, (uint32_t)other), MRC_QP_ERROR);
    ck_assert_int_eq(rig_info(&rig, 0).state, MRC_QP_RTS);
    ck_assert(rig_same(&rig, 0, 0, 0, 500000));
    ck_assert_uint_eq(rig_counters(&rig, 1)->drop[MRC_DROP_NO_QP],
                      5 * 3 + rig_counters(&rig, 0)->tx_probe);
}
END_TEST

static void request(uint32_t psn, uint32_t rkey, bool ask)
{
    static const uint8_t byte = 1;
    struct mrc_pkt p;
    rig_packet(&rig, 1, MRC_OP_WRITE_ONLY, psn, &p);
    p.present |= 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH;
    p.bth.a = ask;
    p.reth.va = RIG_VA;
    p.reth.rkey = rkey;
    p.reth.dma_len = 1;
    p.payload = &byte;
    p.payload_len = 1;
    rig_inject(&rig, 1, 0, &p);
}

/* REQ-6.3-01: an ACK that waited when a later request was refused does not cover that request,
 * though a SACK says that it has arrived. */
START_TEST(waiting_ack_covers_no_refused_request)
{
    struct mrc_pkt p;
    unsigned acks = 0, naks = 0;
    rig_start(&rig);
    request(102, rig.host[1].mr.rkey, false);
    request(100, rig.host[1].mr.rkey, true);
    request(101, 1, false);
    while (rig_take(&rig, 1, &p)) {
        if (p.bth.opcode == MRC_OP_SACK)
            ck_assert_uint_eq(p.seth.cack_psn, 102);
        if (p.bth.opcode != MRC_OP_ACK)
            continue;
        ck_assert_uint_eq(p.bth.psn, p.aeth.syndrome == MRC_SYN_ACK ? 100 : 101);
        acks += p.aeth.syndrome == MRC_SYN_ACK;
        naks += p.aeth.syndrome == MRC_SYN_REMOTE_ACCESS;
    }
    ck_assert_uint_eq(acks, 1);
    ck_assert_uint_eq(naks, 1);
}
END_TEST

TCase *tcase_nak(void)
{
    TCase *tc = tcase_create("nak");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, remote_access_error);
    tcase_add_test(tc, receive_queue_empty);
    tcase_add_loop_test(tc, wimm_limit_exceeded, 0, 2);
    tcase_add_test(tc, immediates_in_order);
    tcase_add_test(tc, receive_queue_depth);
    tcase_add_test(tc, one_qp_fails_alone);
    tcase_add_test(tc, waiting_ack_covers_no_refused_request);
    return tc;
}
