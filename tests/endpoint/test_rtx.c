/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.4: what is taken for lost, how it is sent again, timeouts and retries. */
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

#define BASE_NS (UINT64_C(1024) << 7) /* timeout 7 */

/* Drops data packets of host 0 with this PSN, the first `times` sendings of it. */
struct black {
    uint32_t psn;
    unsigned times;
    bool all;         /* every data packet, whatever its PSN */
    bool acks, sacks; /* of host 1, too */
};

static void black_hook(struct rig *r, struct rig_frame *f, void *user)
{
    struct black *b = user;
    const uint8_t op = f->pkt.bth.opcode;
    (void)r;
    if (mrc_op_is_write(op) && f->from == 0 && (b->all || f->pkt.bth.psn == b->psn) && b->times) {
        f->drop = true;
        b->times--;
    }
    f->drop = f->drop || (b->acks && op == MRC_OP_ACK) || (b->sacks && op == MRC_OP_SACK);
}

static const struct rig_log *sending(uint32_t psn, unsigned n)
{
    for (unsigned i = 0; i < rig.log_len; i++) {
        const struct rig_log *l = &rig.log[i];
        if (l->from == 0 && mrc_op_is_write(l->pkt.bth.opcode) && l->pkt.bth.psn == psn && n-- == 0)
            return l;
    }
    return NULL;
}

static void start(struct black *b)
{
    rig.hook = black_hook;
    rig.user = b;
    rig_start(&rig);
}

/* REQ-7.4-01 REQ-7.4-03 REQ-7.4-04 REQ-7.4-06 REQ-7.4-07 REQ-9-03: the same packet, sent anew. */
static void assert_retransmission(const struct mrc_pkt *a, const struct mrc_pkt *b)
{
    ck_assert_uint_eq(a->bth.rtx, 0);
    ck_assert_uint_eq(b->bth.rtx, 1);
    ck_assert_uint_eq(a->bth.opcode, b->bth.opcode);
    ck_assert_uint_eq(a->reth.va, b->reth.va);
    ck_assert_uint_eq(a->reth.rkey, b->reth.rkey);
    ck_assert_uint_eq(a->reth.dma_len, b->reth.dma_len);
    ck_assert_uint_eq(a->meth.msn, b->meth.msn);
    ck_assert_uint_eq(a->meth.rqmsn, b->meth.rqmsn);
    ck_assert_uint_eq(a->payload_len, b->payload_len);
    ck_assert_uint_ne(a->ev, b->ev);
    ck_assert_uint_ne(a->tseth.tx_timestamp, b->tseth.tx_timestamp);
    ck_assert_uint_eq(a->dscp, 4);
    ck_assert_uint_eq(b->dscp, 8);
    ck_assert(b->bth.a || !a->bth.a);
}

/* REQ-7.4-08 REQ-7.4-09: one hole, seen in a SACK, mended without a timeout, and nothing else. */
START_TEST(hole)
{
    struct black b = {.psn = 110, .times = 1};
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 100 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert(rig_same(&rig, 0, 0, 0, 100 * 1024));
    ck_assert_uint_eq(rig_count(&rig, 0, -1), 101);
    ck_assert_uint_eq(rig_counters(&rig, 0)->holes, 1);
    ck_assert_uint_eq(rig_counters(&rig, 0)->timeouts, 0);
    assert_retransmission(&sending(110, 0)->pkt, &sending(110, 1)->pkt);
    ck_assert_uint_lt(sending(110, 1)->time_ns, sending(110, 0)->time_ns + BASE_NS);
}
END_TEST

/* Lost a second time: later arrivals tell of that, too. */
START_TEST(hole_twice)
{
    struct black b = {.psn = 110, .times = 2};
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 600 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert_uint_eq(rig_counters(&rig, 0)->holes, 2);
    ck_assert_uint_eq(rig_counters(&rig, 0)->timeouts, 0);
    ck_assert_uint_eq(rig_count(&rig, 0, -1), 602);
}
END_TEST

/* Q4: reordering within the margin is no loss. */
static void reorder_hook(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    (void)user;
    f->delay_ns = f->from == 0 && f->nth % 20 == 0 ? 1200 : 0; /* a dozen packets late */
}

START_TEST(reordering_is_no_loss)
{
    rig.hook = reorder_hook;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 500 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert_uint_eq(rig_count(&rig, 0, -1), 500);
}
END_TEST

/* Oldest hole first. */
START_TEST(oldest_first)
{
    struct black b = {.all = true, .times = 5};
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 60 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_le(sending(100 + i, 1)->time_ns, sending(101 + i, 1)->time_ns);
}
END_TEST

/* REQ-7.4-12 .. 14: back-off of one packet in a black hole, to the nanosecond. */
START_TEST(backoff)
{
    struct black b = {.psn = 100, .times = 12};
    rig.host[0].attr.linear_cnt = (uint8_t)_i;
    rig.host[0].attr.exp_cnt = 25;
    rig.host[0].attr.exp_ceiling_ns = 20 * BASE_NS;
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 10);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    const unsigned linear = _i > 1 ? (unsigned)_i : 1;
    uint64_t wait = BASE_NS;
    for (unsigned n = 1; n <= 12; n++) {
        if (n > linear)
            wait = 2 * wait < 20 * BASE_NS ? 2 * wait : 20 * BASE_NS;
        ck_assert_uint_eq(sending(100, n)->time_ns - sending(100, n - 1)->time_ns, wait);
        ck_assert_uint_eq(sending(100, n)->pkt.bth.rtx, 1);
    }
}
END_TEST

/* REQ-7.4-15 REQ-7.4-16: no more than linear_cnt + exp_cnt retries, then ERROR and flush. */
START_TEST(retry_limit)
{
    struct black b = {.all = true, .times = 1000000};
    rig.host[0].attr.linear_cnt = 3;
    rig.host[0].attr.exp_cnt = 2;
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, (uint32_t)(1 + 1024 * 10 * _i));
    rig_write(&rig, 0, 2, 0, 0, 10);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_ptr_nonnull(sending(100, 5));
    ck_assert_ptr_null(sending(100, 6));
    ck_assert_int_eq(rig_info(&rig, 0).state, MRC_QP_ERROR);
    ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_QP_ERROR, 0)->status, MRC_WC_RETRY_EXCEEDED);
    const struct mrc_ep_event *first = rig_event_of(&rig, 0, MRC_EVENT_SEND_DONE, 0);
    ck_assert_int_eq(first->status, MRC_WC_RETRY_EXCEEDED);
    ck_assert_uint_eq(first->wr_id, 1);
    ck_assert_uint_eq(first->time_ns - sending(100, 5)->time_ns, 8 * BASE_NS);
    ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_SEND_DONE, 1)->status, MRC_WC_FLUSHED);
    ck_assert_int_eq(rig_write(&rig, 0, 3, 0, 0, 10), MRC_EP_ESTATE);
    ck_assert_int_eq(mrc_qp_post_recv(rig.host[0].ep, 0x22, 0), MRC_EP_ESTATE);
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[0].ep), MRC_TIME_NEVER);
}
END_TEST

/* Q7 a: progress of cack_psn gives all retries back. */
START_TEST(progress_resets_the_counter)
{
    struct black b = {.psn = 100, .times = 3};
    rig.host[0].attr.linear_cnt = 3;
    rig.host[0].attr.exp_cnt = 0;
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 10);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    b = (struct black){.psn = 101, .times = 3};
    rig_write(&rig, 0, 2, 0, 0, 10);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 2);
    ck_assert_uint_eq(rig_info(&rig, 0).retries, 0);
}
END_TEST

/* A burst lost in one go is one retry, not one a packet. */
START_TEST(burst_is_one_retry)
{
    struct black b = {.all = true, .times = 40};
    rig.host[0].attr.linear_cnt = 1;
    rig.host[0].attr.exp_cnt = 0;
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 40 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert_uint_eq(rig_counters(&rig, 0)->timeouts, 40);
}
END_TEST

/* A transport ACK that was lost: one request again, with A, and its duplicate brings the ACK. */
START_TEST(lost_transport_ack)
{
    struct black b = {.acks = true};
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 3000);
    rig_run(&rig, rig.now_ns + 3 * BASE_NS + BASE_NS / 2);
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_SEND_DONE), 0);
    ck_assert_uint_eq(rig_count(&rig, 0, -1), 3 + 3);
    ck_assert_ptr_nonnull(sending(102, 3));
    ck_assert_uint_eq(sending(102, 3)->pkt.bth.a, 1);
    ck_assert_uint_eq(sending(102, 3)->pkt.bth.rtx, 1);
    b.acks = false;
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
}
END_TEST

START_TEST(transport_ack_never_comes)
{
    struct black b = {.acks = true};
    rig.host[0].attr.linear_cnt = 2;
    rig.host[0].attr.exp_cnt = 1;
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 3000);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(rig_info(&rig, 0).state, MRC_QP_ERROR);
    ck_assert_uint_eq(rig_count(&rig, 0, -1), 3 + 3);
}
END_TEST

/* Transport ACKs alone carry cack_psn, too. */
START_TEST(no_sack_comes)
{
    struct black b = {.sacks = true};
    start(&b);
    rig_write(&rig, 0, 1, 0, 0, 1024 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert(rig_same(&rig, 0, 0, 0, 1024 * 1024));
}
END_TEST

/* ---- NACKs ---- */

static void nack(uint32_t psn, uint8_t reason, uint32_t entropy, bool rtx)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_NACK, psn, &p);
    p.present |= 1u << MRC_HDR_NETH;
    p.bth.rtx = rtx;
    p.neth.nack_reason = reason;
    p.neth.nack_psn = psn;
    p.neth.entropy = entropy;
    p.neth.cc_type = 2;
    rig_inject(&rig, 0, 0, &p);
}

static unsigned take_all(struct mrc_pkt *last)
{
    unsigned n = 0;
    memset(last, 0, sizeof *last);
    struct mrc_pkt p;
    while (rig_take(&rig, 0, &p)) {
        *last = p;
        n++;
    }
    return n;
}

static const uint8_t recoverable[] = {MRC_NACK_TRIMMED,     MRC_NACK_TRIMMED_LASTHOP,
                                      MRC_NACK_NO_BITMAP,   MRC_NACK_NO_PKT_BUFFER,
                                      MRC_NACK_NO_RESOURCE, MRC_NACK_PSN_OOR_WINDOW};

/* REQ-7.4-10 REQ-7.4-05: again at once, on another EV than the one named. */
START_TEST(nack_retransmits)
{
    struct mrc_pkt p, q;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 10 * 1024);
    ck_assert_uint_eq(take_all(&p), 10);
    rig.now_ns += 1000;
    nack(104, recoverable[_i], p.ev, false);
    ck_assert_uint_eq(take_all(&q), 1);
    ck_assert_uint_eq(q.bth.psn, 104);
    ck_assert_uint_eq(q.bth.rtx, 1);
    ck_assert_uint_ne(q.ev, p.ev);
    ck_assert_uint_eq(rig_info(&rig, 0).retries, 1);
    nack(104, recoverable[_i], p.ev, false); /* of the first sending: late news */
    ck_assert_uint_eq(take_all(&q), 0);
    nack(104, recoverable[_i], q.ev, true);
    ck_assert_uint_eq(take_all(&q), 1);
    ck_assert_uint_eq(rig_info(&rig, 0).retries, 2);
}
END_TEST

/* Over many draws, the EV named is never taken while there is another. */
START_TEST(nacked_ev_avoided)
{
    struct mrc_pkt p, q;
    rig.host[0].attr.ev_count = 2 + (unsigned)_i;
    rig.host[0].attr.exp_cnt = 25;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    ck_assert_uint_eq(take_all(&p), 1);
    for (unsigned i = 0; i < 300; i++) {
        nack(100, MRC_NACK_TRIMMED, p.ev, i > 0);
        ck_assert_uint_eq(take_all(&q), 1);
        ck_assert_uint_ne(q.ev, p.ev);
        p = q;
    }
}
END_TEST

/* Two EVs on two ports and the wrong port free: it waits, though not for ever. */
START_TEST(nacked_ev_and_busy_port)
{
    struct mrc_pkt p;
    rig.host[0].attr.ev_count = rig.host[0].attr.ev_min_active = 2;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    rig.port_mask = 1;
    ck_assert_uint_eq(take_all(&p), 1);
    nack(100, MRC_NACK_TRIMMED, p.ev, false);
    ck_assert_uint_eq(take_all(&p), 0);
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[0].ep), rig.now_ns + BASE_NS);
    rig_write(&rig, 0, 2, 0, 0, 1024); /* new data goes on meanwhile */
    ck_assert_uint_eq(take_all(&p), 1);
    ck_assert_uint_eq(p.bth.psn, 101);
    if (_i == 0) {
        rig.port_mask = 3;
        ck_assert_uint_eq(take_all(&p), 1);
        ck_assert_uint_eq(p.ev, rig.evs[1].value);
    } else {
        mrc_ep_tick(rig.host[0].ep, rig.now_ns += BASE_NS);
        ck_assert_uint_ge(take_all(&p), 1);
    }
}
END_TEST

START_TEST(single_ev_is_used_again)
{
    struct mrc_pkt p;
    rig.host[0].attr.ev_count = 1;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    ck_assert_uint_eq(take_all(&p), 1);
    nack(100, MRC_NACK_TRIMMED, p.ev, false);
    ck_assert_uint_eq(take_all(&p), 1);
}
END_TEST

/* REQ-7.4-11 REQ-10-01 */
START_TEST(unexpected_event)
{
    struct mrc_pkt p;
    struct mrc_ep_event ev;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    rig_write(&rig, 0, 2, 0, 0, 3000);
    ck_assert_uint_eq(take_all(&p), 4);
    nack(102, MRC_NACK_UNEXP_EVENT, p.ev, false);
    ck_assert_uint_eq(take_all(&p), 0);
    ck_assert(mrc_ep_poll_event(rig.host[0].ep, &ev));
    ck_assert_int_eq(ev.status, MRC_WC_FLUSHED);
    ck_assert(mrc_ep_poll_event(rig.host[0].ep, &ev));
    ck_assert_int_eq(ev.status, MRC_WC_REMOTE_OP);
    ck_assert(mrc_ep_poll_event(rig.host[0].ep, &ev));
    ck_assert_int_eq(ev.kind, MRC_EVENT_QP_ERROR);
    ck_assert_int_eq(ev.status, MRC_WC_REMOTE_OP);
}
END_TEST

/* One counter, shared: NACKs alone use it up. */
START_TEST(nacks_use_up_retries)
{
    struct mrc_pkt p;
    rig.host[0].attr.linear_cnt = 2;
    rig.host[0].attr.exp_cnt = 1;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    ck_assert_uint_eq(take_all(&p), 1);
    for (unsigned i = 0; i < 3; i++) {
        nack(100, MRC_NACK_NO_PKT_BUFFER, p.ev, i > 0);
        ck_assert_uint_eq(take_all(&p), 1);
    }
    nack(100, MRC_NACK_NO_PKT_BUFFER, p.ev, true);
    ck_assert_uint_eq(take_all(&p), 0);
    ck_assert_int_eq(rig_info(&rig, 0).state, MRC_QP_ERROR);
}
END_TEST

/* A SACK that overtook the loss: what was called lost and arrived all the same is not sent again.
 */
START_TEST(lost_and_found)
{
    struct mrc_pkt p;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 5 * 1024);
    ck_assert_uint_eq(take_all(&p), 5);
    nack(102, MRC_NACK_TRIMMED, p.ev, false);
    ck_assert_uint_eq(rig_info(&rig, 0).lost, 1);
    rig_packet(&rig, 0, MRC_OP_SACK, 104, &p);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = 104;
    rig_inject(&rig, 0, 0, &p);
    ck_assert_uint_eq(rig_info(&rig, 0).lost, 0);
    ck_assert_int_eq(rig_info(&rig, 0).inflight_bytes, 0);
    ck_assert_uint_eq(take_all(&p), 0);
}
END_TEST

TCase *tcase_rtx(void)
{
    TCase *tc = tcase_create("rtx");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, hole);
    tcase_add_test(tc, hole_twice);
    tcase_add_test(tc, reordering_is_no_loss);
    tcase_add_test(tc, oldest_first);
    tcase_add_loop_test(tc, backoff, 0, 8);
    tcase_add_loop_test(tc, retry_limit, 0, 2);
    tcase_add_test(tc, progress_resets_the_counter);
    tcase_add_test(tc, burst_is_one_retry);
    tcase_add_test(tc, lost_transport_ack);
    tcase_add_test(tc, transport_ack_never_comes);
    tcase_add_test(tc, no_sack_comes);
    tcase_add_loop_test(tc, nack_retransmits, 0, 6);
    tcase_add_loop_test(tc, nacked_ev_avoided, 0, 4);
    tcase_add_loop_test(tc, nacked_ev_and_busy_port, 0, 2);
    tcase_add_test(tc, single_ev_is_used_again);
    tcase_add_test(tc, unexpected_event);
    tcase_add_test(tc, nacks_use_up_retries);
    tcase_add_test(tc, lost_and_found);
    return tc;
}
