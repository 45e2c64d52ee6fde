/* SPDX-License-Identifier: BSD-2-Clause */
/* Round-trip samples: which SACKs give one, service time, and requests without a timestamp. */
#include "ref/endpoint/inspect.h"
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"

#define BASE_RTT 50000u /* configured: longer than the real one, so that each sample shows */

static struct rig rig;
static struct mrc_cc_profile profile;

static void setup(void)
{
    rig_init(&rig);
    mrc_cc_profile_default(&profile);
    profile.base_rtt_ns = BASE_RTT;
    rig.host[0].attr.cc = &profile;
    rig.host[0].attr.timeout = 14;
}

static void teardown(void)
{
    rig_fini(&rig);
}

static uint64_t base_rtt(void)
{
    struct mrc_qp_inspection in;
    ck_assert_int_eq(mrc_qp_inspect(rig.host[0].ep, 0x22, &in), MRC_EP_OK);
    return in.cc.base_rtt_ns;
}

/* Host 0 sends n packets, which nobody receives. */
static void send_away(unsigned n)
{
    struct mrc_pkt p;
    rig_start(&rig);
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, n * 1024), MRC_EP_OK);
    while (rig_take(&rig, 0, &p))
        ;
}

/* A SACK triggered by PSN 100 + n, which reflects the time t_ns; only all below n has arrived. */
static void sack(int n, uint64_t t_ns, bool rtx)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_SACK, 99, &p);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.bth.rtx = rtx;
    p.seth.cack_psn = 99;
    p.seth.sack_offset = 1;
    p.seth.ack_psn_offset = (int16_t)(n + 1);
    p.seth.sack_bitmap = UINT64_C(1) << n;
    p.cc_state.tx_timestamp = (uint16_t)(t_ns / 128);
    rig_inject(&rig, 0, 0, &p);
}

/* REQ-8-07: never sent again and RTX clear. */
START_TEST(plain)
{
    send_away(4);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += 7000;
    sack(2, sent, false);
    ck_assert_uint_ge(base_rtt(), 7000 - 128);
    ck_assert_uint_le(base_rtt(), 7000 + 128);
}
END_TEST

/* REQ-8-07: RTX set for a packet that was never sent again. */
START_TEST(rtx_of_first)
{
    send_away(4);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += 7000;
    sack(2, sent, true);
    ck_assert_uint_eq(base_rtt(), BASE_RTT);
}
END_TEST

/* PSN 100 is NACKed and sent again, `times` times. */
static void again(unsigned times)
{
    struct mrc_pkt p;
    for (unsigned i = 0; i < times; i++) {
        rig_packet(&rig, 0, MRC_OP_NACK, 100, &p);
        p.present |= 1u << MRC_HDR_NETH;
        p.bth.rtx = i > 0;
        p.neth.nack_reason = MRC_NACK_NO_RESOURCE;
        p.neth.nack_psn = 100;
        p.neth.cc_type = 2;
        rig_inject(&rig, 0, 0, &p); /* reflects 0: no sample in it */
        rig.now_ns += 1000;
        ck_assert(rig_take(&rig, 0, &p));
        ck_assert_uint_eq(p.bth.psn, 100);
        ck_assert_uint_eq(p.bth.rtx, 1);
    }
}

/* REQ-8-07: sent again once: only the SACK with RTX tells which sending it was. */
START_TEST(sent_twice)
{
    rig.now_ns += 20u * 1000 * 1000; /* far from where a 0 could pass for a time */
    send_away(4);
    again(1);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += 9000;
    sack(0, sent - 1000, false);
    ck_assert_uint_eq(base_rtt(), BASE_RTT);
    sack(0, sent, true);
    ck_assert_uint_le(base_rtt(), 9000 + 128);
}
END_TEST

/* REQ-8-07: sent again twice: nothing tells. */
START_TEST(sent_thrice)
{
    rig.now_ns += 20u * 1000 * 1000;
    send_away(4);
    again(2);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += 9000;
    sack(0, sent, true);
    sack(0, sent, false);
    ck_assert_uint_eq(base_rtt(), BASE_RTT);
}
END_TEST

/* A NACK of a first sending is a sample too. */
START_TEST(of_a_nack)
{
    struct mrc_pkt p;
    send_away(4);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += 6000;
    rig_packet(&rig, 0, MRC_OP_NACK, 101, &p);
    p.present |= 1u << MRC_HDR_NETH;
    p.neth.nack_reason = MRC_NACK_NO_RESOURCE;
    p.neth.nack_psn = 101;
    p.neth.cc_type = 2;
    p.neth.tx_timestamp = (uint16_t)(sent / 128);
    rig_inject(&rig, 0, 0, &p);
    ck_assert_uint_le(base_rtt(), 6000 + 128);
}
END_TEST

/* 16 bits of 128 ns wrap after 8.4 ms: what is older is no sample, and what never was, is none. */
START_TEST(wrapped)
{
    send_away(4);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += UINT64_C(65536) * 128 + 5000;
    sack(1, sent, false);
    ck_assert_uint_eq(base_rtt(), BASE_RTT);
}
END_TEST

START_TEST(before_it_was_sent)
{
    send_away(4);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += 5000;
    sack(1, sent - 10000, false);
    ck_assert_uint_eq(base_rtt(), BASE_RTT);
}
END_TEST

/* REQ-6-20: without TSETH no sample; mixed, those of the packets that had one. */
START_TEST(unstamped)
{
    rig.host[0].cfg.send_tseth = false;
    send_away(4);
    rig.now_ns += 5000;
    sack(1, rig.now_ns - 5000, false);
    ck_assert_uint_eq(base_rtt(), BASE_RTT);
}
END_TEST

START_TEST(mixed)
{
    rig.host[0].cfg.tseth_every = 4; /* PSNs 100 and 104 of these */
    send_away(6);
    const uint64_t sent = rig.now_ns;
    rig.now_ns += 5000;
    sack(3, sent, false);
    ck_assert_uint_eq(base_rtt(), BASE_RTT);
    sack(4, sent, false);
    ck_assert_uint_le(base_rtt(), 5000 + 128);
}
END_TEST

/* REQ-6.2-02: a packet that is sent again has a TSETH if its first sending had one. */
static void drop_some(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    (void)user;
    f->drop = f->from == 0 && f->nth < 40 && f->nth % 5 == 2;
}

START_TEST(mixed_again)
{
    rig.host[0].cfg.tseth_every = 3;
    rig.hook = drop_some;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 128 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert(rig_same(&rig, 0, 0, 0, 128 * 1024));
    unsigned with = 0, without = 0;
    for (unsigned i = 0; rig_find(&rig, 0, -1, i); i++) {
        const struct mrc_pkt *p = &rig_find(&rig, 0, -1, i)->pkt;
        ck_assert_uint_eq(p->bth.ts, p->bth.psn % 3 == 0);
        with += p->bth.ts;
        without += !p->bth.ts;
    }
    ck_assert_uint_gt(with, 40);
    ck_assert_uint_gt(without, 80);
    ck_assert_uint_gt(rig_counters(&rig, 0)->tx_rtx, 5);
}
END_TEST

/* ---- service time ---- */

static const struct mrc_pkt *first_sack(uint64_t *late_ns)
{
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    const struct rig_log *req = rig_find(&rig, 0, -1, 0);
    const struct rig_log *ans = rig_find(&rig, 1, MRC_OP_SACK, 0);
    *late_ns = ans->time_ns - req->time_ns - RIG_LATENCY;
    return &ans->pkt;
}

static uint16_t reflected_later(const struct mrc_pkt *ans)
{
    return (uint16_t)(ans->cc_state.tx_timestamp -
                      rig_find(&rig, 0, -1, 0)->pkt.tseth.tx_timestamp);
}

static void serve(bool told, char reading)
{
    rig.host[1].cfg.svc_delay_ns = 12800;
    rig.host[1].cfg.q20_svc_time = reading;
    rig.host[1].attr.svc_time = told;
}

/* Q20 a: the responder takes its time out of the sample. */
START_TEST(service_time_told)
{
    uint64_t late;
    serve(true, 'a');
    const struct mrc_pkt *ans = first_sack(&late);
    ck_assert_uint_ge(late, 12800);
    ck_assert_uint_eq(reflected_later(ans), 100);
    ck_assert_uint_le(base_rtt(), 2 * RIG_LATENCY + 512);
}
END_TEST

/* Q20 b, and without the attribute: the sample holds it. */
START_TEST(service_time_not_told)
{
    uint64_t late;
    serve(true, 'b');
    const struct mrc_pkt *ans = first_sack(&late);
    ck_assert_uint_ge(late, 12800);
    ck_assert_uint_eq(reflected_later(ans), 0);
    ck_assert_uint_ge(base_rtt(), 2 * RIG_LATENCY + 12800 - 128);
}
END_TEST

START_TEST(service_time_without_attribute)
{
    uint64_t late;
    serve(false, 'a');
    ck_assert_uint_eq(reflected_later(first_sack(&late)), 0);
    ck_assert_uint_ge(late, 12800);
}
END_TEST

/* Nothing was stamped: nothing is advanced (REQ-7.5.2-10). */
START_TEST(service_time_of_nothing)
{
    uint64_t late;
    serve(true, 'a');
    rig.host[0].cfg.send_tseth = false;
    ck_assert_uint_eq(first_sack(&late)->cc_state.tx_timestamp, 0);
}
END_TEST

TCase *tcase_rtt(void)
{
    TCase *tc = tcase_create("round-trip samples");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, plain);
    tcase_add_test(tc, rtx_of_first);
    tcase_add_test(tc, sent_twice);
    tcase_add_test(tc, sent_thrice);
    tcase_add_test(tc, of_a_nack);
    tcase_add_test(tc, wrapped);
    tcase_add_test(tc, before_it_was_sent);
    tcase_add_test(tc, unstamped);
    tcase_add_test(tc, mixed);
    tcase_add_test(tc, mixed_again);
    tcase_add_test(tc, service_time_told);
    tcase_add_test(tc, service_time_not_told);
    tcase_add_test(tc, service_time_without_attribute);
    tcase_add_test(tc, service_time_of_nothing);
    return tc;
}
