/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames that make no sense, in any order: the oracle stays whole and within its bounds. Run under
 * the sanitizers this is worth most. */
#include "tests/oracle/mirror.h"
#include "tests/oracle/suites.h"
#include <string.h>

#define FRAMES 30000u

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static uint32_t pick_psn(const struct mirror *m, uint64_t *s)
{
    const uint64_t r = next_random(s);
    const int32_t near = (int32_t)(r >> 8 & 0xFFF);
    const int32_t far = (int32_t)(r >> 8 & 0xFFFFFF) - 0x800000;
    return mrc_psn_add(m->start, (r & 7) != 0 ? near : far);
}

static struct mrc_pkt sack_of_anything(const struct mirror *m, uint64_t *s)
{
    struct mrc_pkt p = talk_sack(pick_psn(m, s), next_random(s));
    p.seth.ack_psn_offset = (int16_t)next_random(s);
    p.seth.sack_offset = (int16_t)next_random(s);
    p.seth.pr = next_random(s) & 1;
    p.seth.probe_id = (uint16_t)(next_random(s) & 3);
    p.seth.m = (uint8_t)(next_random(s) & 3);
    p.seth.mpr = (uint8_t)next_random(s);
    p.seth.cc_type = (next_random(s) & 7) == 0;
    p.seth.entropy = (uint32_t)next_random(s);
    p.cc_state.ooo_count = (uint16_t)(next_random(s) & 0x7FFF);
    p.cc_state.rcvd_bytes = (uint32_t)(next_random(s) & 0xFFFFFF);
    return p;
}

static struct mrc_pkt request_of_anything(const struct mirror *m, uint64_t *s)
{
    struct mrc_pkt p = mirror_imm(m, 0, (uint32_t)(next_random(s) & 3));
    p.bth.opcode = (uint8_t)(MRC_OP_WRITE_FIRST + next_random(s) % 6);
    p.bth.psn = pick_psn(m, s);
    p.bth.a = next_random(s) & 1;
    p.bth.rtx = next_random(s) & 1;
    p.ecn = (uint8_t)(next_random(s) & 3);
    p.reth.va = next_random(s);
    p.trim = (next_random(s) & 7) == 0 ? MRC_TRIM_TRIMMED : MRC_TRIM_NONE;
    p.icrc_state = (next_random(s) & 7) == 0 ? MRC_ICRC_WRONG : MRC_ICRC_VALID;
    return p;
}

static struct mrc_pkt anything(const struct mirror *m, uint64_t *s)
{
    const struct mrc_pkt of = request_of_anything(m, s);
    switch (next_random(s) % 8) {
    case 0:
        return sack_of_anything(m, s);
    case 1:
        return mirror_nack(&of, (uint8_t)(next_random(s) & 0x1F));
    case 2:
        return talk_ack(pick_psn(m, s), (uint32_t)next_random(s) & 0xFFFFFF, MRC_SYN_ACK);
    case 3:
        return talk_probe((uint16_t)(next_random(s) & 3));
    default:
        return of;
    }
}

static void event_of_anything(struct mirror *m, uint64_t *s)
{
    const struct mrct_event ev = {
        .kind = (enum mrct_event_kind)(next_random(s) % (MRCT_EVENT_MEM_CHECK + 1)),
        .va = next_random(s),
        .len_bytes = (uint32_t)next_random(s),
        .psn = next_random(s) % 2 == 0 ? pick_psn(m, s) : UINT32_MAX,
        .imm = (uint32_t)(next_random(s) & 3),
        .ok = next_random(s) & 1};
    if (ev.kind != MRCT_EVENT_QP_ERROR) /* it would end the story */
        mirror_event(m, &ev);
}

START_TEST(stays_whole)
{
    static struct mirror m;
    uint64_t seed = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(_i + 1);
    mirror_init(&m, 0xFFFFFA);
    m.t.cfg.have_events = true;
    if (_i % 2 != 0)
        talk_qp(&m.t)->dynamic_mpr = 1;
    if (_i % 3 == 0)
        m.t.cfg.tap = MRCT_TAP_REQUESTOR;
    if (_i % 4 == 0)
        talk_qp(&m.t)->start_psn = MRCT_UNKNOWN;
    mirror_begin(&m);
    for (unsigned i = 0; i < FRAMES; i++) {
        const struct mrc_pkt p = anything(&m, &seed);
        if ((next_random(&seed) & 15) == 0)
            talk_broken(&m.t, &p, (enum mrc_wire_error)(next_random(&seed) % MRC_WIRE_ERRORS));
        else
            talk_frame(&m.t, &p);
        if ((next_random(&seed) & 7) == 0)
            event_of_anything(&m, &seed);
        talk_wait(&m.t, next_random(&seed) % 3000);
    }
    mirror_end(&m, NULL);
}
END_TEST

/* More hosts and QPs than are followed: what is beyond is left unpaired. */
START_TEST(strangers_have_bounds)
{
    static struct mirror m;
    mirror_init(&m, 100);
    m.t.facts.qp_count = 0;
    mirror_begin(&m);
    struct mrc_pkt p = mirror_request(&m, 0);
    for (uint32_t i = 0; i < 6000; i++) {
        p.bth.dest_qp = i;
        p.ip6.src[15] = (uint8_t)i;
        p.ip6.src[14] = (uint8_t)(i >> 8);
        talk_frame(&m.t, &p);
    }
    mirror_end(&m, NULL);
    talk_holds(&m.t, "sack-on-rtx");
}
END_TEST

Suite *oracle_hostile_suite(void)
{
    Suite *const s = suite_create("hostile");
    TCase *const t = tcase_create("hostile");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, stays_whole, 0, 12);
    tcase_add_test(t, strangers_have_bounds);
    suite_add_tcase(s, t);
    return s;
}
