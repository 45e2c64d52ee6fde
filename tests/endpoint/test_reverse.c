/* SPDX-License-Identifier: BSD-2-Clause */
/* The reverse set: on which EVs the answers go, and how they are kept fresh. */
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

/* Different EVs that host 1's SACKs took, and by how many ports. */
static unsigned sack_evs(unsigned from, unsigned *ports)
{
    uint32_t seen[64];
    unsigned n = 0, mask = 0;
    for (unsigned i = from; i < rig.log_len; i++) {
        const struct rig_log *l = &rig.log[i];
        if (l->from != 1 || l->pkt.bth.opcode != MRC_OP_SACK)
            continue;
        unsigned k = 0;
        while (k < n && seen[k] != l->pkt.ev)
            k++;
        if (k == n && n < 64)
            seen[n++] = l->pkt.ev;
        mask |= 1u << l->port;
    }
    *ports = (unsigned)__builtin_popcount(mask);
    return n;
}

/* REQ-9.3-17: at least one EV a plane, and all planes take turns. */
START_TEST(one_a_plane)
{
    unsigned ports;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 400000);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(sack_evs(0, &ports), RIG_PORTS);
    ck_assert_uint_eq(ports, RIG_PORTS);
    ck_assert_uint_eq(rig_count(&rig, 1, MRC_OP_EP_REQUEST), 0); /* off by default */
}
END_TEST

/* Data of its own that is SACKed brings new EVs into the set. */
START_TEST(fresh_from_data_sacks)
{
    unsigned ports;
    rig_start(&rig);
    for (unsigned h = 0; h < 2; h++)
        for (unsigned i = 0; i < 8; i++)
            rig_write(&rig, h, i, 0, 1u << 20, 1000000);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_ge(sack_evs(0, &ports), RIG_PORTS + 2);
}
END_TEST

/* REQ-9.3-18: a QP that only receives: one EV Probe each interval, on EVs of its own, no event; and
 * the set follows the answers. */
START_TEST(probes_when_only_receiving)
{
    unsigned ports;
    rig.host[1].cfg.ev.reverse_probe_ns = 20000;
    rig_start(&rig);
    const uint64_t start = rig.now_ns;
    for (unsigned i = 0; i < 8; i++)
        rig_write(&rig, 0, i, 0, 0, 500000);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 8);
    const unsigned n = rig_count(&rig, 1, MRC_OP_EP_REQUEST);
    ck_assert_uint_ge(n, 10);
    ck_assert_uint_le(n, (rig.now_ns - start) / 20000 + 1);
    for (unsigned i = 1; i < n; i++) {
        const struct rig_log *a = rig_find(&rig, 1, MRC_OP_EP_REQUEST, i - 1);
        const struct rig_log *b = rig_find(&rig, 1, MRC_OP_EP_REQUEST, i);
        ck_assert_uint_ge(b->time_ns - a->time_ns + 1000, 20000);
        ck_assert_uint_eq(b->pkt.erth.op, MRC_EP_OP_EV_PROBE);
        ck_assert_uint_ge(b->pkt.bth.psn, 0x8000);
    }
    ck_assert_uint_eq(rig_events_of(&rig, 1, MRC_EVENT_PROBE), 0);
    ck_assert_uint_gt(sack_evs(0, &ports), RIG_PORTS + 2);
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[1].ep), MRC_TIME_NEVER);
}
END_TEST

/* A QP that sends, too, learns from its SACKs and probes less. */
START_TEST(sender_need_not_probe)
{
    rig.host[1].cfg.ev.reverse_probe_ns = 200000;
    rig_start(&rig);
    for (unsigned h = 0; h < 2; h++)
        rig_write(&rig, h, 1, 0, 1u << 20, 1000000);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_le(rig_count(&rig, 1, MRC_OP_EP_REQUEST), 1);
}
END_TEST

static void dead_ev(struct rig *r, struct rig_frame *f, void *user)
{
    f->drop = f->from == 1 && f->pkt.ev == r->evs[*(const unsigned *)user].value;
}

/* The EV of the set that is dead is given up once a probe on it stays unanswered. */
START_TEST(dead_one_is_left)
{
    unsigned ev = 1; /* the first of plane 1, which the set begins with */
    rig.host[1].attr.ev_count = 8;
    rig.host[1].cfg.ev.reverse_probe_ns = 10000;
    rig.hook = dead_ev;
    rig.user = &ev;
    rig_start(&rig);
    for (unsigned i = 0; i < 60; i++)
        rig_write(&rig, 0, i, 0, 0, 100000);
    rig_run(&rig, RIG_FOREVER);
    const unsigned mark = rig.log_len;
    for (unsigned i = 0; i < 40; i++) {
        rig_write(&rig, 0, 100 + i, 0, 0, 10000);
        rig_run(&rig, RIG_FOREVER);
    }
    unsigned on_dead = 0, on_plane = 0;
    for (unsigned i = mark; i < rig.log_len; i++) {
        const struct rig_log *l = &rig.log[i];
        if (l->from != 1 || l->pkt.bth.opcode == MRC_OP_EP_REQUEST)
            continue;
        on_dead += l->pkt.ev == rig.evs[1].value;
        on_plane += l->port == 1;
    }
    ck_assert_uint_eq(on_dead, 0);
    ck_assert_uint_ge(on_plane, 5);
}
END_TEST

/* An EV that turns bad for data, or is denied, carries no answers either. */
START_TEST(withdrawn_one_is_left)
{
    unsigned ports;
    rig_start(&rig);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(
            mrc_ev_set_state(rig.host[1].ep, 0x11, rig.now_ns, rig.evs[i], MRC_EV_DENIED), 0);
    rig_write(&rig, 0, 1, 0, 0, 400000);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(sack_evs(0, &ports), RIG_PORTS);
    ck_assert_uint_eq(ports, RIG_PORTS);
    for (unsigned i = 0; i < rig.log_len; i++)
        for (unsigned k = 0; k < 4; k++)
            ck_assert(rig.log[i].from == 0 || rig.log[i].pkt.ev != rig.evs[k].value);
}
END_TEST

TCase *tcase_reverse(void)
{
    TCase *tc = tcase_create("reverse");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, one_a_plane);
    tcase_add_test(tc, fresh_from_data_sacks);
    tcase_add_test(tc, probes_when_only_receiving);
    tcase_add_test(tc, sender_need_not_probe);
    tcase_add_test(tc, dead_one_is_left);
    tcase_add_test(tc, withdrawn_one_is_left);
    return tc;
}
