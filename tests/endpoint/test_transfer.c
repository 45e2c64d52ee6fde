/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes from end to end: sizes, both directions, loss, duplication, reordering, wrapped PSNs. */
#include "ref/endpoint/rng.h"
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

static const uint32_t sizes[] = {1,    2,    3,     4,     5,      255,     256,    1023,
                                 1024, 1025, 2047,  2048,  2049,   4095,    4096,   4097,
                                 5000, 9999, 65536, 65537, 300001, 1048576, 5000001};
#define SIZES ((int)(sizeof sizes / sizeof sizes[0]))

START_TEST(every_size)
{
    rig.fill_bytes = sizes[_i] > 500000 ? RIG_MEM : 1u << 20;
    rig_start(&rig);
    ck_assert_int_eq(rig_write(&rig, 0, 9, 17, 333, sizes[_i]), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert(rig_same(&rig, 0, 17, 333, sizes[_i]));
    const uint32_t pkts = (sizes[_i] + 1023) / 1024;
    ck_assert_uint_eq(rig_count(&rig, 0, -1), pkts);
    ck_assert_uint_eq(rig_info(&rig, 1).epsn, 100 + pkts);
    ck_assert_uint_eq(rig_info(&rig, 1).msn, 1);
}
END_TEST

static const uint16_t mtus[] = {256, 512, 1024, 2048, 4096};

START_TEST(every_mtu)
{
    rig.host[0].cfg.path_mtu = rig.host[1].cfg.path_mtu = mtus[_i];
    rig_start(&rig);
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_int_eq(rig_write(&rig, 0, i, i * 20000, i * 20000, 3u * mtus[_i] + i - 3),
                         MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 8);
    for (uint32_t i = 0; i < 8; i++)
        ck_assert(rig_same(&rig, 0, i * 20000, i * 20000, 3u * mtus[_i] + i - 3));
}
END_TEST

START_TEST(both_directions)
{
    rig_start(&rig);
    for (uint32_t i = 0; i < 20; i++) {
        ck_assert_int_eq(rig_write(&rig, 0, i, i * 30000, (1u << 22) + i * 30000, 29999), 0);
        ck_assert_int_eq(rig_write(&rig, 1, i, i * 30000, (1u << 22) + i * 30000, 29998), 0);
    }
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 20);
    rig_assert_settled(&rig, 1, 20);
    for (uint32_t i = 0; i < 20; i++) {
        ck_assert(rig_same(&rig, 0, i * 30000, (1u << 22) + i * 30000, 29999));
        ck_assert(rig_same(&rig, 1, i * 30000, (1u << 22) + i * 30000, 29998));
    }
}
END_TEST

/* The sequence starts shortly before the wrap of 24 bits; loss and reordering around it. */
static void lose_some(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    (void)user;
    f->drop = f->nth % 17 == 3;
    f->delay_ns = f->nth % 5 == 0 ? 3000 : 0;
}

START_TEST(psn_wraps)
{
    rig.host[0].attr.start_psn = 0xFFFFFFu - (uint32_t)_i;
    rig.hook = lose_some;
    rig_start(&rig);
    for (uint32_t i = 0; i < 10; i++)
        ck_assert_int_eq(rig_write(&rig, 0, i, i * 50000, i * 50000, 40000), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 10);
    ck_assert_uint_lt(rig_info(&rig, 0).snd_nxt, 1000);
    for (uint32_t i = 0; i < 10; i++)
        ck_assert(rig_same(&rig, 0, i * 50000, i * 50000, 40000));
}
END_TEST

/* Everything at once, drawn from a seed. */
struct storm {
    struct mrc_rng rng;
    uint32_t loss, dup, late, ce, trim, corrupt; /* per mille */
};

static bool hit(struct storm *s, uint32_t per_mille)
{
    return mrc_rng_below(&s->rng, 1000) < per_mille;
}

static void storm_hook(struct rig *r, struct rig_frame *f, void *user)
{
    struct storm *s = user;
    (void)r;
    f->drop = hit(s, s->loss);
    f->copies = hit(s, s->dup) ? 1 + mrc_rng_below(&s->rng, 2) : 0;
    f->delay_ns = hit(s, s->late) ? mrc_rng_below(&s->rng, 40000) : 0;
    const bool data = mrc_op_is_write(f->pkt.bth.opcode);
    f->mark_ce = data && hit(s, s->ce);
    if (data && hit(s, s->trim))
        f->trim = hit(s, 500) ? MRC_TRIM_TRIMMED : MRC_TRIM_LASTHOP;
    else if (hit(s, s->corrupt))
        f->flip_byte = (int)(f->pkt.off[MRC_HDR_BTH] +
                             mrc_rng_below(&s->rng, f->pkt.wire_len - f->pkt.off[MRC_HDR_BTH]));
}

static void draw(struct storm *s, uint64_t seed)
{
    mrc_rng_seed(&s->rng, seed);
    s->loss = mrc_rng_below(&s->rng, 80);
    s->dup = mrc_rng_below(&s->rng, 60);
    s->late = mrc_rng_below(&s->rng, 300);
    s->ce = mrc_rng_below(&s->rng, 100);
    s->trim = mrc_rng_below(&s->rng, 60);
    s->corrupt = mrc_rng_below(&s->rng, 40);
}

#define STORM_WRITES 24u
#ifndef STORM_SEEDS
#define STORM_SEEDS 60 /* a longer run defines more */
#endif

static void storm_post(struct storm *s, unsigned h, uint32_t *len)
{
    for (uint32_t i = 0; i < STORM_WRITES; i++) {
        len[i] = 1 + mrc_rng_below(&s->rng, i % 6 == 0 ? 90000 : 5000);
        const uint32_t at = i * 90000, to = (1u << 22) + at;
        ck_assert_int_eq(mrc_qp_post_recv(rig.host[h].ep, rig.host[h].qpn, 1000 + i), 0);
        if (i % 3 == 0)
            ck_assert_int_eq(rig_write_imm(&rig, h, i, at, to, len[i], 0xABC00000u + i), 0);
        else
            ck_assert_int_eq(rig_write(&rig, h, i, at, to, len[i]), 0);
    }
}

static void storm_check(unsigned h, const uint32_t *len)
{
    const unsigned other = 1 - h;
    rig_assert_settled(&rig, h, STORM_WRITES);
    for (uint32_t i = 0; i < STORM_WRITES; i++)
        ck_assert(rig_same(&rig, h, i * 90000, (1u << 22) + i * 90000, len[i]));
    ck_assert_uint_eq(rig_events_of(&rig, other, MRC_EVENT_RECV_IMM), STORM_WRITES / 3);
    for (uint32_t i = 0; i < STORM_WRITES / 3; i++) {
        const struct mrc_ep_event *e = rig_event_of(&rig, other, MRC_EVENT_RECV_IMM, i);
        ck_assert_uint_eq(e->imm, 0xABC00000u + 3 * i);
        ck_assert_uint_eq(e->wr_id, 1000 + i);
        ck_assert_uint_eq(e->len_bytes, len[3 * i]);
    }
}

START_TEST(storm)
{
    static uint32_t len[2][STORM_WRITES];
    struct storm s;
    draw(&s, (uint64_t)_i);
    for (unsigned h = 0; h < 2; h++) {
        rig.host[h].attr.start_psn = _i % 3 == 0 ? 0xFFFFFFu - 20 : 1000u * h;
        rig.host[h].attr.exp_cnt = 25;
        rig.host[h].cfg.send_tseth = _i % 4 != 1;
        rig.host[h].attr.cwnd_bytes = 10000u + 20000u * (unsigned)(_i % 7);
    }
    rig.hook = storm_hook;
    rig.user = &s;
    rig.fill_bytes = STORM_WRITES * 90000;
    rig_start(&rig);
    storm_post(&s, 0, len[0]);
    storm_post(&s, 1, len[1]);
    rig_run(&rig, RIG_FOREVER);
    storm_check(0, len[0]);
    storm_check(1, len[1]);
}
END_TEST

/* Two runs of one seed put the same bytes on the wire at the same times. */
static uint64_t fingerprint(int seed)
{
    struct storm s;
    uint32_t len[STORM_WRITES];
    rig_init(&rig);
    draw(&s, (uint64_t)seed);
    rig.hook = storm_hook;
    rig.user = &s;
    rig_start(&rig);
    storm_post(&s, 0, len);
    rig_run(&rig, RIG_FOREVER);
    uint64_t sum = 0;
    for (unsigned i = 0; i < rig.log_len; i++)
        sum = (sum ^ rig.log[i].pkt.icrc ^ rig.log[i].time_ns ^ rig.log[i].port) * 1099511628211u;
    rig_fini(&rig);
    return sum;
}

START_TEST(same_seed_same_frames)
{
    const uint64_t a = fingerprint(5);
    ck_assert_uint_eq(a, fingerprint(5));
    ck_assert_uint_ne(a, fingerprint(6));
}
END_TEST

TCase *tcase_transfer(void)
{
    TCase *tc = tcase_create("transfer");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, every_size, 0, SIZES);
    tcase_add_loop_test(tc, every_mtu, 0, 5);
    tcase_add_test(tc, both_directions);
    tcase_add_loop_test(tc, psn_wraps, 0, 12);
    tcase_add_loop_test(tc, storm, 0, STORM_SEEDS);
    return tc;
}

TCase *tcase_determinism(void)
{
    TCase *tc = tcase_create("determinism");
    tcase_add_test(tc, same_seed_same_frames);
    return tc;
}
