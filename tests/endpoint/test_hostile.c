/* SPDX-License-Identifier: BSD-2-Clause */
/* A peer, or the network, may put anything into a frame: nothing breaks, what is impossible is
 * counted, and an honest transfer goes on. */
#include "ref/endpoint/rng.h"
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

static uint64_t dropped(enum mrc_drop why)
{
    return rig_counters(&rig, 0)->drop[why];
}

static void start_sending(unsigned packets)
{
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, packets * 1024);
    for (unsigned i = 0; i < packets; i++)
        ck_assert(rig_take(&rig, 0, &p));
}

struct told {
    int32_t cack;    /* relative to 100 */
    int32_t trigger; /* ack_psn_offset */
    int32_t base;    /* sack_offset */
    uint64_t bitmap;
    uint8_t m;
    enum mrc_drop drop;
};

static void sack(const struct told *t)
{
    rig_packet(&rig, 0, MRC_OP_SACK, mrc_psn_add(100, t->cack), &p);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = p.bth.psn;
    p.seth.ack_psn_offset = (int16_t)t->trigger;
    p.seth.sack_offset = (int16_t)t->base;
    p.seth.sack_bitmap = t->bitmap;
    p.seth.m = t->m;
    rig_inject(&rig, 0, 0, &p);
}

#define TOP (UINT64_C(1) << 63)

/* Ten packets, 100 .. 109, are out. */
static const struct told lies[] = {
    {10, 0, 1, 0, 0, MRC_DROP_BAD_SACK},        {11, 0, 1, 0, 0, MRC_DROP_BAD_SACK},
    {1 << 22, 0, 1, 0, 0, MRC_DROP_BAD_SACK},   {-1, 11, 1, 0, 0, MRC_DROP_BAD_SACK},
    {-1, 0, 1, 1u << 10, 0, MRC_DROP_BAD_SACK}, {-1, 0, 1, TOP, 0, MRC_DROP_BAD_SACK},
    {-1, 0, 30000, 1, 0, MRC_DROP_BAD_SACK},    {9, 0, 32767, TOP, 0, MRC_DROP_BAD_SACK},
    {-2000, 0, 1, 0, 0, MRC_DROP_STALE},        {-(1 << 23), 0, 1, 0, 0, MRC_DROP_STALE},
    {5, 0, 1, 0, 3, MRC_DROP_CODE_POINT},       {-1, 32767, 1, 0, 0, MRC_DROP_BAD_SACK},
};
#define LIES ((int)(sizeof lies / sizeof lies[0]))

START_TEST(impossible_sack)
{
    start_sending(10);
    const struct mrc_qp_info before = rig_info(&rig, 0);
    sack(&lies[_i]);
    ck_assert_uint_eq(dropped(lies[_i].drop), 1);
    const struct mrc_qp_info after = rig_info(&rig, 0);
    ck_assert_uint_eq(before.snd_una, after.snd_una);
    ck_assert_uint_eq(before.outstanding, after.outstanding);
    ck_assert_uint_eq(before.lost, after.lost);
    ck_assert_int_eq(before.inflight_bytes, after.inflight_bytes);
    ck_assert_uint_eq(before.deadline_ns, after.deadline_ns);
}
END_TEST

/* Odd, and harmless: older state, bits at and below cack_psn, far triggers in the past. */
static const struct told oddities[] = {
    {-1, 0, 1, 0, 0, 0},        {-10, 0, 1, 0, 0, 0},     {4, -32768, 1, 0, 0, 0},
    {4, 0, -32768, 0, 0, 0},    {4, 0, -10, 0x3FF, 0, 0}, {4, 0, 1, 1, 0, 0},
    {-1, 0, -32768, TOP, 0, 0}, {-1, 10, 1, 0x3FF, 2, 0},
};
#define ODDITIES ((int)(sizeof oddities / sizeof oddities[0]))

START_TEST(odd_sack)
{
    start_sending(10);
    sack(&oddities[_i]);
    ck_assert_uint_eq(dropped(MRC_DROP_BAD_SACK), 0);
    static const struct told end = {9, 0, 1, 0, 0, 0};
    sack(&end);
    ck_assert_uint_eq(rig_info(&rig, 0).outstanding, 0);
    ck_assert_int_eq(rig_info(&rig, 0).inflight_bytes, 0);
}
END_TEST

/* All marked as arrived, yet cack_psn never moves: the oldest goes out again, then the QP ends. */
START_TEST(cack_stands_still)
{
    rig.host[0].attr.linear_cnt = 2;
    rig.host[0].attr.exp_cnt = 1;
    start_sending(10);
    static const struct told all = {-1, 10, 1, 0x3FF, 0, 0};
    sack(&all);
    ck_assert_uint_eq(rig_info(&rig, 0).outstanding, 0);
    unsigned again = 0;
    while (mrc_ep_deadline(rig.host[0].ep) != MRC_TIME_NEVER) {
        rig.now_ns = mrc_ep_deadline(rig.host[0].ep);
        mrc_ep_tick(rig.host[0].ep, rig.now_ns);
        while (rig_take(&rig, 0, &p)) {
            ck_assert_uint_eq(p.bth.psn, 100);
            again++;
            sack(&all);
        }
    }
    ck_assert_uint_eq(again, 3);
    ck_assert_int_eq(rig_info(&rig, 0).state, MRC_QP_ERROR);
}
END_TEST

static void ack(uint32_t psn, uint8_t syndrome)
{
    rig_packet(&rig, 0, MRC_OP_ACK, psn, &p);
    p.present |= 1u << MRC_HDR_AETH;
    p.aeth.syndrome = syndrome;
    rig_inject(&rig, 0, 0, &p);
}

START_TEST(impossible_ack)
{
    struct mrc_ep_event ev;
    start_sending(10);
    ack(110, 0x1F);
    ack(5000, 0x1F);
    ack(110, 0x62);
    ck_assert_uint_eq(dropped(MRC_DROP_BAD_ACK), 3);
    ack(99, 0x1F);
    ack(99, 0x61);
    ack(mrc_psn_add(100, -(1 << 22)), 0x61);
    ck_assert_uint_eq(dropped(MRC_DROP_STALE), 3);
    ack(105, 0x60); /* REQ-7-10: no such NAK, and no RNR */
    ack(105, 0x20);
    ck_assert_uint_eq(dropped(MRC_DROP_CODE_POINT), 2);
    ck_assert_uint_eq(rig_info(&rig, 0).snd_una, 100);
    ck_assert(!mrc_ep_poll_event(rig.host[0].ep, &ev));
    ack(109, 0x05); /* an ACK, whatever its unused credits say */
    ck_assert(mrc_ep_poll_event(rig.host[0].ep, &ev));
    ck_assert_int_eq(ev.status, MRC_WC_SUCCESS);
}
END_TEST

static void nack(uint32_t psn, uint8_t reason)
{
    rig_packet(&rig, 0, MRC_OP_NACK, psn, &p);
    p.present |= 1u << MRC_HDR_NETH;
    p.neth.nack_reason = reason;
    p.neth.nack_psn = psn;
    rig_inject(&rig, 0, 0, &p);
}

START_TEST(impossible_nack)
{
    start_sending(10);
    nack(110, MRC_NACK_TRIMMED);
    nack(1 << 22, MRC_NACK_UNEXP_EVENT);
    ck_assert_uint_eq(dropped(MRC_DROP_BAD_NACK), 2);
    nack(99, MRC_NACK_TRIMMED);
    nack(99, MRC_NACK_UNEXP_EVENT);
    ck_assert_uint_eq(dropped(MRC_DROP_STALE), 2);
    nack(105, 3);
    nack(105, 0);
    nack(105, 0xFF);
    ck_assert_uint_eq(dropped(MRC_DROP_CODE_POINT), 3);
    ck_assert_uint_eq(rig_info(&rig, 0).outstanding, 10);
    ck_assert_int_eq(rig_info(&rig, 0).state, MRC_QP_RTS);
}
END_TEST

/* Answers to a QP that was never connected, and requests to a QP that is not there yet. */
START_TEST(unconnected)
{
    rig_start(&rig);
    rig.host[0].attr.qpn = 0x77;
    ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), 0x77);
    rig_packet(&rig, 0, MRC_OP_ACK, 100, &p);
    p.present |= 1u << MRC_HDR_AETH;
    p.bth.dest_qp = 0x77;
    rig_inject(&rig, 0, 0, &p);
    ck_assert_uint_eq(dropped(MRC_DROP_QP_STATE), 1);
    ck_assert_int_eq(mrc_qp_state(rig.host[0].ep, 0x77), MRC_QP_INIT);
}
END_TEST

/* ---- random frames beside an honest transfer ---- */

static uint32_t near_or_far(struct mrc_rng *rng, uint32_t psn)
{
    const uint32_t r = mrc_rng_below(rng, 4);
    if (r == 0)
        return (uint32_t)mrc_rng_next(rng) & 0xFFFFFF;
    return mrc_psn_add(psn, (int32_t)mrc_rng_below(rng, 200) - 100);
}

static void random_control(struct mrc_rng *rng, struct mrc_pkt *k)
{
    static const uint8_t op[] = {MRC_OP_SACK, MRC_OP_NACK};
    const uint32_t una = rig_info(&rig, 0).snd_una;
    rig_packet(&rig, 0, op[mrc_rng_below(rng, 2)], near_or_far(rng, una), k);
    k->present |= k->bth.opcode == MRC_OP_SACK ? 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE
                                               : 1u << MRC_HDR_NETH;
    k->bth.rtx = mrc_rng_below(rng, 2) != 0;
    k->seth.cack_psn = k->bth.psn;
    k->seth.m = (uint8_t)mrc_rng_below(rng, 4);
    k->seth.pr = mrc_rng_below(rng, 4) == 0;
    k->seth.ack_psn_offset = k->seth.pr ? 0 : (int16_t)mrc_rng_next(rng);
    k->seth.sack_offset = (int16_t)(mrc_rng_below(rng, 3) ? 1 : mrc_rng_next(rng));
    k->seth.sack_bitmap = mrc_rng_next(rng) & mrc_rng_next(rng);
    k->seth.mpr = (uint8_t)mrc_rng_next(rng);
    k->seth.cc_type = mrc_rng_below(rng, 4) == 0;
    k->cc_state.rcvd_bytes = (uint32_t)mrc_rng_next(rng) & 0xFFFFFF;
    k->neth.nack_psn = k->bth.psn;
    k->neth.nack_reason = (uint8_t)mrc_rng_below(rng, 0x18); /* none that ends the QP */
    k->neth.entropy = (uint32_t)mrc_rng_next(rng);
}

/* Lies about what arrived can cost data; they must not cost the endpoint. */
START_TEST(random_control_frames)
{
    struct mrc_rng rng;
    struct mrc_pkt k;
    mrc_rng_seed(&rng, (uint64_t)_i);
    rig.host[0].attr.exp_cnt = 25;
    rig.host[0].attr.dynamic_mpr = rig.host[1].attr.dynamic_mpr = _i % 2 != 0;
    rig_start(&rig);
    for (uint32_t i = 0; i < 10; i++)
        rig_write(&rig, 0, i, 0, 0, 60000);
    for (unsigned i = 0; i < 3000; i++) {
        random_control(&rng, &k);
        rig_inject(&rig, 0, 0, &k);
        rig_run(&rig, rig.now_ns + mrc_rng_below(&rng, 400));
    }
    rig_run(&rig, rig.now_ns + UINT64_C(60000000000));
    const struct mrc_qp_info info = rig_info(&rig, 0);
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_SEND_DONE), 10);
    ck_assert_uint_eq(info.outstanding, 0);
    ck_assert_uint_eq(info.lost, 0);
    ck_assert_int_eq(info.inflight_bytes, 0);
}
END_TEST

/* Bytes of real frames, bits of them turned, no ICRC asked for: whatever decodes is handled. */
START_TEST(random_bits)
{
    struct mrc_rng rng;
    struct mrc_frame f, g;
    mrc_rng_seed(&rng, 1000 + (uint64_t)_i);
    rig_start(&rig);
    for (unsigned h = 0; h < 2; h++)
        for (uint32_t i = 0; i < 20; i++)
            rig_write(&rig, h, i, 0, 0, 30000);
    for (unsigned i = 0; i < 20000; i++) {
        const unsigned h = i & 1;
        const int port = mrc_ep_output(rig.host[h].ep, rig.now_ns += 100, 0xF, &f);
        mrc_ep_tick(rig.host[h].ep, rig.now_ns);
        if (port < 0)
            continue;
        g = f;
        for (unsigned n = mrc_rng_below(&rng, 4); n > 0; n--)
            g.hdr[54 + mrc_rng_below(&rng, g.hdr_len - 54u)] ^=
                (uint8_t)(1u << mrc_rng_below(&rng, 8));
        g.icrc_state = MRC_ICRC_VALID;
        mrc_ep_input(rig.host[1 - h].ep, rig.now_ns, (unsigned)port, &g);
    }
}
END_TEST

TCase *tcase_hostile(void)
{
    TCase *tc = tcase_create("hostile");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, impossible_sack, 0, LIES);
    tcase_add_loop_test(tc, odd_sack, 0, ODDITIES);
    tcase_add_test(tc, cack_stands_still);
    tcase_add_test(tc, impossible_ack);
    tcase_add_test(tc, impossible_nack);
    tcase_add_test(tc, unconnected);
    tcase_add_loop_test(tc, random_control_frames, 0, 20);
    tcase_add_loop_test(tc, random_bits, 0, 20);
    return tc;
}
