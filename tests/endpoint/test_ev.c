/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 9.3, Figure 5: the states of EVs, every edge of them, and who carries data. */
#include "ref/endpoint/rng.h"
#include "ref/endpoint/trace.h"
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

static struct mrc_ev_info infos[RIG_PORTS * 8];

static unsigned query(void)
{
    const int n = mrc_ev_query_array(rig.host[0].ep, 0x22, 0, infos, RIG_PORTS * 8);
    ck_assert_int_ge(n, 1);
    return (unsigned)n;
}

static const struct mrc_ev_info *info_of(uint32_t value)
{
    const unsigned n = query();
    for (unsigned i = 0; i < n; i++)
        if (infos[i].ev.value == value)
            return &infos[i];
    ck_abort_msg("no EV %x", value);
    return NULL;
}

static enum mrc_ev_state state_of(uint32_t value)
{
    return info_of(value)->state;
}

static unsigned active(int port)
{
    unsigned sum = 0;
    const unsigned n = query();
    for (unsigned i = 0; i < n; i++)
        sum += infos[i].active && (port < 0 || infos[i].ev.port == port);
    return sum;
}

/* A SACK from the peer that acknowledges nothing new and speaks of an EV. */
static void sack(uint32_t ev, uint8_t m)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_SACK, 99, &p);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = 99;
    p.seth.entropy = ev;
    p.seth.m = m;
    p.seth.sack_offset = 1;
    rig_inject(&rig, 0, 0, &p);
}

static void probe_sack(uint16_t id, uint32_t ev, uint8_t m)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_SACK, 99, &p);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = 99;
    p.seth.entropy = ev;
    p.seth.m = m;
    p.seth.pr = 1;
    p.seth.probe_id = id;
    p.seth.sack_offset = 1;
    rig_inject(&rig, 0, 0, &p);
}

static void nack(uint32_t psn, uint8_t reason, uint32_t ev)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_NACK, psn, &p);
    p.present |= 1u << MRC_HDR_NETH;
    p.neth.nack_psn = psn;
    p.neth.nack_reason = reason;
    p.neth.entropy = ev;
    p.neth.cc_type = 2;
    rig_inject(&rig, 0, 0, &p);
}

/* The next data frame of host 0, probes passed by. */
static bool take_data(struct mrc_pkt *p)
{
    while (rig_take(&rig, 0, p))
        if (mrc_op_is_write(p->bth.opcode))
            return true;
    return false;
}

static bool take_probe(struct mrc_pkt *p)
{
    while (rig_take(&rig, 0, p))
        if (p->bth.opcode == MRC_OP_PROBE)
            return true;
    return false;
}

static void start_writing(void)
{
    struct mrc_pkt p;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024 * 1024);
    ck_assert(take_data(&p));
}

static void deny(uint32_t i, enum mrc_ev_state s)
{
    ck_assert_int_eq(mrc_ev_set_state(rig.host[0].ep, 0x22, rig.now_ns, rig.evs[i], s), MRC_EP_OK);
}

/* Lets the first probe of an EV in ASSUMED_BAD come due and takes it. */
static void due_probe(struct mrc_pkt *p)
{
    const uint64_t at = mrc_ep_deadline(rig.host[0].ep);
    ck_assert_uint_ne(at, MRC_TIME_NEVER);
    rig.now_ns = at;
    mrc_ep_tick(rig.host[0].ep, at);
    ck_assert(take_probe(p));
}

/* ---- GOOD, SKIP ---- */

/* REQ-9.3-08, GOOD to SKIP to GOOD: out for this round, in again in the next. */
START_TEST(skip_once)
{
    struct mrc_pkt p;
    unsigned seen = 0;
    start_writing();
    sack(rig.evs[5].value, MRC_M_SKIP_ONCE);
    ck_assert_int_eq(state_of(rig.evs[5].value), MRC_EV_SKIP);
    for (unsigned i = 0; i < 15; i++) {
        ck_assert(take_data(&p));
        ck_assert_uint_ne(p.ev, rig.evs[5].value);
    }
    for (unsigned i = 0; i < 17; i++) {
        ck_assert(take_data(&p));
        seen += p.ev == rig.evs[5].value;
    }
    ck_assert_uint_ge(seen, 1);
    ck_assert_int_eq(state_of(rig.evs[5].value), MRC_EV_GOOD);
}
END_TEST

/* REQ-9.3-08, section 11.2.2: a packet sent brings back one EV at most. */
START_TEST(one_restored_per_packet)
{
    struct mrc_pkt p;
    start_writing();
    for (unsigned i = 0; i < 16; i++)
        sack(rig.evs[i].value, MRC_M_SKIP_ONCE);
    const struct mrc_ep_counters *c = rig_counters(&rig, 0);
    ck_assert_uint_eq(c->ev_to[MRC_EV_SKIP], 16);
    for (uint64_t i = 1; i <= 150; i++) {
        ck_assert(take_data(&p));
        ck_assert_uint_le(c->ev_to[MRC_EV_GOOD], i);
    }
    ck_assert_uint_eq(c->ev_to[MRC_EV_GOOD], 16);
}
END_TEST

/* SKIP to GOOD (Figure 5): by a time-out, too. */
START_TEST(skip_times_out)
{
    struct mrc_pkt p;
    rig.host[0].cfg.ev.skip_timeout_ns = 50000;
    start_writing();
    for (unsigned i = 0; i < 8; i++)
        sack(rig.evs[i].value, MRC_M_SKIP_ONCE);
    rig.now_ns += 60000;
    ck_assert(take_data(&p));
    for (unsigned i = 0; i < 8; i++)
        ck_assert_int_eq(state_of(rig.evs[i].value), MRC_EV_GOOD);
}
END_TEST

/* REQ-9.3-09, GOOD to SKIP, and REQ-9.3-05: TRIMMED alone of all NACKs blames the path. */
static const uint8_t reasons[] = {MRC_NACK_TRIMMED,     MRC_NACK_TRIMMED_LASTHOP,
                                  MRC_NACK_NO_BITMAP,   MRC_NACK_NO_PKT_BUFFER,
                                  MRC_NACK_NO_RESOURCE, MRC_NACK_PSN_OOR_WINDOW};
START_TEST(nack_and_the_ev)
{
    struct mrc_pkt p;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    ck_assert(take_data(&p));
    nack(100, reasons[_i], p.ev);
    ck_assert_int_eq(state_of(p.ev), _i == 0 ? MRC_EV_SKIP : MRC_EV_GOOD);
}
END_TEST

/* ---- to ASSUMED_BAD ---- */

/* REQ-9.3-06, GOOD and SKIP to ASSUMED_BAD */
START_TEST(always_skip)
{
    struct mrc_pkt p;
    start_writing();
    if (_i == 1)
        sack(rig.evs[3].value, MRC_M_SKIP_ONCE); /* from SKIP, too */
    sack(rig.evs[3].value, MRC_M_ALWAYS_SKIP);
    ck_assert_int_eq(state_of(rig.evs[3].value), MRC_EV_ASSUMED_BAD);
    sack(rig.evs[3].value, MRC_M_NONE); /* of data sent before: proves nothing */
    sack(rig.evs[3].value, MRC_M_SKIP_ONCE);
    ck_assert_int_eq(state_of(rig.evs[3].value), MRC_EV_ASSUMED_BAD);
    for (unsigned i = 0; i < 100; i++) {
        ck_assert(take_data(&p));
        ck_assert_uint_ne(p.ev, rig.evs[3].value);
    }
}
END_TEST

/* REQ-9.3-12, GOOD to ASSUMED_BAD */
START_TEST(timeout_makes_bad)
{
    struct mrc_pkt p;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    ck_assert(take_data(&p));
    rig.now_ns = mrc_ep_deadline(rig.host[0].ep);
    mrc_ep_tick(rig.host[0].ep, rig.now_ns);
    ck_assert_int_eq(state_of(p.ev), MRC_EV_ASSUMED_BAD);
    ck_assert_uint_eq(info_of(p.ev)->drop_count, 1);
}
END_TEST

static void lossy(struct rig *r, struct rig_frame *f, void *user)
{
    (void)user;
    f->drop = f->from == 0 && f->pkt.ev == r->evs[6].value && f->nth % 2 == 0 &&
              mrc_op_is_write(f->pkt.bth.opcode);
}

/* REQ-9.3-13, GOOD to ASSUMED_BAD by other bad-path detection: one EV that loses much is withdrawn,
 * and a backup of its plane goes in; off, it stays. */
START_TEST(losses_make_bad)
{
    rig.host[0].attr.ev_count = RIG_PORTS * 8;
    rig.host[0].attr.ev_active = RIG_PORTS * 7;
    rig.host[0].cfg.ev.loss_limit = _i == 0 ? 2 : 0;
    rig.host[0].cfg.ev.probe_ns = UINT64_C(1000000000);
    rig.hook = lossy;
    rig_start(&rig);
    for (unsigned i = 0; i < 4; i++)
        rig_write(&rig, 0, i, 0, 0, 1024 * 1024);
    rig_run(&rig, UINT64_C(500000000));
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_SEND_DONE), 4);
    const struct mrc_ev_info *i = info_of(rig.evs[6].value);
    if (i->drop_count == 0)
        return; /* it was the backup */
    ck_assert_int_eq(i->state, _i == 0 ? MRC_EV_ASSUMED_BAD : MRC_EV_GOOD);
    ck_assert_uint_eq(active(2), 7);
}
END_TEST

/* ---- out of ASSUMED_BAD, and DENIED ---- */

/* REQ-9.3-07, ASSUMED_BAD to GOOD or SKIP: a probe's answer with M = NONE, SKIP_ONCE under both
 * readings of Q11, ALWAYS_SKIP. */
START_TEST(probe_answers)
{
    static const uint8_t marks[] = {MRC_M_NONE, MRC_M_SKIP_ONCE, MRC_M_SKIP_ONCE,
                                    MRC_M_ALWAYS_SKIP};
    static const enum mrc_ev_state then[] = {MRC_EV_GOOD, MRC_EV_SKIP, MRC_EV_GOOD,
                                             MRC_EV_ASSUMED_BAD};
    struct mrc_pkt p;
    rig.host[0].cfg.ev.q11_probe_skip = _i == 2 ? 'b' : 'a';
    rig_start(&rig);
    sack(rig.evs[9].value, MRC_M_ALWAYS_SKIP);
    due_probe(&p);
    ck_assert_uint_eq(p.ev, rig.evs[9].value);
    ck_assert_uint_eq(p.peth.tx_timestamp, (uint16_t)(rig.now_ns / 128));
    ck_assert_uint_eq(p.dscp, 4); /* TRIMMABLE */
    ck_assert_uint_eq(active(-1), 15);
    probe_sack(p.peth.probe_id, p.ev, marks[_i]);
    ck_assert_int_eq(state_of(p.ev), then[_i]);
    ck_assert_uint_eq(active(-1), then[_i] == MRC_EV_ASSUMED_BAD ? 15 : 16);
}
END_TEST

/* REQ-9.3-07: unanswered probes come at doubled intervals, up to the ceiling, without end. */
START_TEST(probe_back_off)
{
    struct mrc_pkt p;
    rig.host[0].cfg.ev.probe_ns = 100 * 1024;
    rig.host[0].cfg.ev.probe_max_ns = 900 * 1024;
    rig_start(&rig);
    sack(rig.evs[9].value, MRC_M_ALWAYS_SKIP);
    uint64_t last = rig.now_ns;
    uint16_t ids[6];
    for (unsigned i = 0; i < 6; i++) {
        const uint64_t want = i < 4 ? (UINT64_C(102400) << i) : UINT64_C(921600);
        due_probe(&p);
        ck_assert_uint_ge(rig.now_ns - last, want);
        ck_assert_uint_le(rig.now_ns - last, want + 2048);
        last = rig.now_ns;
        ids[i] = p.peth.probe_id;
        ck_assert(i == 0 || ids[i] != ids[i - 1]);
    }
}
END_TEST

/* Several at once: each has its own schedule, and all of them come. */
START_TEST(probes_of_many)
{
    rig_start(&rig);
    for (unsigned i = 0; i < 12; i++) {
        sack(rig.evs[i].value, MRC_M_ALWAYS_SKIP);
        rig.now_ns += 3000;
    }
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_count(&rig, 0, MRC_OP_PROBE), 12);
    for (unsigned i = 0; i < 16; i++)
        ck_assert_int_eq(state_of(rig.evs[i].value), MRC_EV_GOOD);
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[0].ep), MRC_TIME_NEVER);
}
END_TEST

/* REQ-9.3-16, GOOD, SKIP and ASSUMED_BAD to DENIED, DENIED to GOOD */
START_TEST(denied)
{
    struct mrc_pkt p;
    start_writing();
    if (_i == 1)
        sack(rig.evs[4].value, MRC_M_SKIP_ONCE);
    if (_i == 2)
        sack(rig.evs[4].value, MRC_M_ALWAYS_SKIP);
    deny(4, MRC_EV_DENIED);
    sack(rig.evs[4].value, MRC_M_NONE);
    sack(rig.evs[4].value, MRC_M_ALWAYS_SKIP);
    probe_sack(4, rig.evs[4].value, MRC_M_NONE);
    ck_assert_int_eq(state_of(rig.evs[4].value), MRC_EV_DENIED);
    for (unsigned i = 0; i < 60; i++) {
        ck_assert(take_data(&p));
        ck_assert_uint_ne(p.ev, rig.evs[4].value);
    }
    deny(4, MRC_EV_GOOD);
    ck_assert_int_eq(state_of(rig.evs[4].value), MRC_EV_GOOD);
    ck_assert_uint_eq(active(-1), 16);
}
END_TEST

/* REQ-9.3-16: the controller also frees from ASSUMED_BAD; what it may not set, and what there is
 * not. */
START_TEST(controller_calls)
{
    enum mrc_ev_state s;
    const struct mrc_ev none = {.value = 77, .port = 0};
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    sack(rig.evs[4].value, MRC_M_ALWAYS_SKIP);
    deny(4, MRC_EV_GOOD);
    ck_assert_int_eq(mrc_ev_query_state(ep, 0x22, rig.evs[4], &s), MRC_EP_OK);
    ck_assert_int_eq(s, MRC_EV_GOOD);
    ck_assert_int_eq(mrc_ev_set_state(ep, 0x22, 0, rig.evs[4], MRC_EV_SKIP), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ev_set_state(ep, 0x22, 0, none, MRC_EV_GOOD), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ev_set_state(ep, 0x23, 0, rig.evs[4], MRC_EV_GOOD), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ev_query_state(ep, 0x22, none, &s), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ev_query_array(ep, 0x23, 0, infos, 4), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ev_query_array(ep, 0x22, 14, infos, 4), 2);
    for (int i = -1; i <= (int)MRC_EV_STATES; i++)
        ck_assert_ptr_nonnull(mrc_ev_state_str((enum mrc_ev_state)i));
    for (int i = -1; i <= (int)MRC_EV_CAUSES; i++)
        ck_assert_ptr_nonnull(mrc_ev_cause_str((enum mrc_ev_cause)i));
}
END_TEST

/* ---- the active part ---- */

/* REQ-9.3-03: as many on each plane, others for another seed. */
START_TEST(equal_numbers_per_plane)
{
    rig.host[0].attr.ev_count = RIG_PORTS * 8;
    rig.host[0].attr.ev_active = 20;
    rig_start(&rig);
    for (int port = 0; port < (int)RIG_PORTS; port++)
        ck_assert_uint_eq(active(port), 5);
    ck_assert_uint_eq(active(-1), 20);
}
END_TEST

/* REQ-9.3-15: within some rounds an EV no longer follows the one that it followed in the first. */
START_TEST(order_drawn_anew)
{
    enum { ROUNDS = 12 };
    struct mrc_pkt p;
    uint32_t order[ROUNDS * RIG_PORTS * 8];
    unsigned moved = 0;
    start_writing();
    const unsigned evs = query();
    for (unsigned i = 0; i < ROUNDS * evs; i++) {
        ck_assert(take_data(&p));
        order[i] = p.ev;
    }
    for (unsigned i = evs; i + 1 < ROUNDS * evs; i++)
        for (unsigned first = 0; first + 1 < evs; first++)
            moved += order[first] == order[i] && order[first + 1] != order[i + 1];
    ck_assert_uint_gt(moved, evs); /* more than the seams between rounds */
}
END_TEST

/* REQ-9.3-13: a backup of the same plane takes over; when there is none, the plane has one less. */
START_TEST(backup_of_the_plane)
{
    rig.host[0].attr.ev_count = RIG_PORTS * 4;
    rig.host[0].attr.ev_active = RIG_PORTS * 3;
    rig_start(&rig);
    for (unsigned gone = 1; gone <= 3; gone++) {
        query();
        unsigned i = 0;
        while (!infos[i].active || infos[i].ev.port != 1)
            i++;
        sack(infos[i].ev.value, MRC_M_ALWAYS_SKIP);
        ck_assert_uint_eq(active(1), 4 - gone);
        ck_assert_uint_eq(active(0), 3);
        ck_assert_uint_eq(active(-1), 9 + 4 - gone);
    }
    rig_run(&rig, RIG_FOREVER); /* probes bring them back */
    ck_assert_uint_eq(active(1), 3);
    ck_assert_uint_eq(active(-1), 12);
}
END_TEST

static struct mrc_trace_event moves[8];
static unsigned move_count;

static void on_move(void *user, const struct mrc_trace_event *e)
{
    (void)user;
    if ((e->kind == MRC_TRACE_EV_ACTIVE || e->kind == MRC_TRACE_REVERSE) && move_count < 8)
        moves[move_count++] = *e;
}

/* The backup that comes into use, and what control packets take from then on, are told. */
START_TEST(withdrawal_is_traced)
{
    rig.host[0].attr.ev_count = RIG_PORTS * 4;
    rig.host[0].attr.ev_active = RIG_PORTS * 3;
    rig_start(&rig);
    move_count = 0;
    mrc_ep_set_trace(rig.host[0].ep, on_move, NULL);
    deny(1, MRC_EV_DENIED); /* the first of port 1: answers go by it */
    deny(1, MRC_EV_GOOD);
    query();
    unsigned i = 0;
    while (!infos[i].active || infos[i].ev.port != 2)
        i++;
    sack(infos[i].ev.value, MRC_M_ALWAYS_SKIP);
    unsigned reverse = 0, active = 0;
    for (unsigned k = 0; k < move_count; k++) {
        reverse += moves[k].kind == MRC_TRACE_REVERSE && moves[k].port == 1 &&
                   moves[k].cause == MRC_CAUSE_CALL && moves[k].from == rig.evs[1].value &&
                   moves[k].to == moves[k].ev && moves[k].to != moves[k].from;
        active += moves[k].kind == MRC_TRACE_EV_ACTIVE && moves[k].port == 2 &&
                  moves[k].cause == MRC_CAUSE_BAD_PATH && moves[k].to == 1 &&
                  info_of(moves[k].ev)->active;
    }
    ck_assert_uint_eq(reverse, 1);
    ck_assert_uint_eq(active, 1);
}
END_TEST

/* REQ-9.3-14: at ev_min_active no further EV is taken for bad, but with a backup, and by the
 * controller. */
START_TEST(min_active)
{
    rig.host[0].attr.ev_min_active = 13;
    rig_start(&rig);
    for (unsigned i = 0; i < 16; i++)
        sack(rig.evs[i].value, MRC_M_ALWAYS_SKIP);
    ck_assert_uint_eq(active(-1), 13);
    ck_assert_uint_eq(rig_counters(&rig, 0)->ev_to[MRC_EV_ASSUMED_BAD], 3);
    for (unsigned i = 0; i < 16; i++)
        deny(i, MRC_EV_DENIED);
    ck_assert_uint_eq(active(-1), 0);
    rig_write(&rig, 0, 1, 0, 0, 1024);
    struct mrc_pkt p;
    ck_assert(!take_data(&p)); /* only GOOD EVs carry data */
    deny(7, MRC_EV_GOOD);
    ck_assert(take_data(&p));
    ck_assert_uint_eq(p.ev, rig.evs[7].value);
}
END_TEST

/* REQ-8-08: blocked ports are passed over: the rotation goes on by the free ones. */
START_TEST(blocked_port)
{
    struct mrc_pkt p;
    start_writing();
    rig.port_mask = 1u << 2;
    for (unsigned i = 0; i < 20; i++) {
        ck_assert(take_data(&p));
        ck_assert_uint_eq(p.ip6.src[7], 3);
    }
    for (unsigned i = 2; i < 16; i += 4)
        deny(i, MRC_EV_DENIED);
    ck_assert(!take_data(&p));
}
END_TEST

/* REQ-9.3-02: a list that names one plane after the other, and ports that become free in just the
 * other order: passing over those that are busy must not pass over the same EVs for ever. */
START_TEST(busy_ports_in_step)
{
    unsigned uses[RIG_PORTS * 8] = {0}, total = 0;
    struct mrc_pkt p;
    rig.host[0].attr.ev_count = RIG_PORTS * 8;
    rig.host[0].attr.cwnd_bytes = 1u << 30;
    for (uint32_t i = 0; i < RIG_PORTS * 8; i++)
        rig.evs[i] = (struct mrc_ev){.value = 0x10000 * (i + 1) + i, .port = (uint8_t)(i / 8)};
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, RIG_MEM);
    for (rig.port_mask = 8; take_data(&p); total++) {
        uses[p.ev & 0xFFFF]++;
        rig.port_mask = rig.port_mask > 1 ? rig.port_mask / 2 : 8;
    }
    ck_assert_uint_eq(total, 1024);
    for (unsigned i = 0; i < RIG_PORTS * 8; i++)
        ck_assert_uint_ge(uses[i] * 16, 1024 / (RIG_PORTS * 8));
}
END_TEST

/* ---- events ---- */

/* REQ-9.3-20 */
START_TEST(events)
{
    rig.host[0].attr.ev_events = _i & 3;
    rig_start(&rig);
    sack(rig.evs[1].value, MRC_M_SKIP_ONCE); /* not visible */
    sack(rig.evs[2].value, MRC_M_ALWAYS_SKIP);
    rig_run(&rig, RIG_FOREVER);
    const unsigned bad = (_i & MRC_EV_EVENT_ASSUMED_BAD) != 0;
    const unsigned good = (_i & MRC_EV_EVENT_GOOD) != 0;
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_EV), bad + good);
    if (bad) {
        const struct mrc_ep_event *e = rig_event_of(&rig, 0, MRC_EVENT_EV, 0);
        ck_assert_int_eq(e->ev_state, MRC_EV_ASSUMED_BAD);
        ck_assert_int_eq(e->ev_cause, MRC_EV_BY_ALWAYS_SKIP);
        ck_assert_uint_eq(e->ev.value, rig.evs[2].value);
        ck_assert_uint_eq(e->ev.port, rig.evs[2].port);
        ck_assert_uint_eq(e->profile, 0);
        ck_assert_uint_eq(e->qpn, 0x22);
    }
    if (good) {
        const struct mrc_ep_event *e = rig_event_of(&rig, 0, MRC_EVENT_EV, bad);
        ck_assert_int_eq(e->ev_state, MRC_EV_GOOD);
        ck_assert_int_eq(e->ev_cause, MRC_EV_BY_PROBE);
    }
}
END_TEST

START_TEST(events_not_taken)
{
    rig.host[0].cfg.ev.events_max = 2;
    rig.host[0].attr.ev_events = MRC_EV_EVENT_ASSUMED_BAD;
    rig_start(&rig);
    for (unsigned i = 0; i < 3; i++)
        sack(rig.evs[i].value, MRC_M_ALWAYS_SKIP);
    ck_assert_uint_eq(rig_counters(&rig, 0)->drop[MRC_DROP_EV_FULL], 1);
    ck_assert_int_eq(mrc_qp_destroy(rig.host[0].ep, 0x22), MRC_EP_OK);
    struct mrc_ep_event e;
    ck_assert(!mrc_ep_poll_event(rig.host[0].ep, &e));
}
END_TEST

/* ---- everything at once ---- */

struct storm {
    struct mrc_rng rng;
    unsigned data;
};

/* REQ-9.3-05 .. 09 and 12: marks, trims and drops at random; no data packet leaves on an EV that is
 * not GOOD. */
static void storm_hook(struct rig *r, struct rig_frame *f, void *user)
{
    struct storm *s = user;
    if (f->from != 0)
        return;
    if (mrc_op_is_write(f->pkt.bth.opcode)) {
        ck_assert_int_eq(state_of(f->pkt.ev), MRC_EV_GOOD);
        s->data++;
        if (mrc_rng_below(&s->rng, 12) == 0)
            f->trim = MRC_TRIM_TRIMMED;
    }
    f->drop = mrc_rng_below(&s->rng, 25) == 0;
    f->mark_ce = mrc_rng_below(&s->rng, 4) == 0;
    if (mrc_rng_below(&s->rng, 40) == 0) {
        const struct mrc_ev ev = r->evs[mrc_rng_below(&s->rng, 24)];
        const enum mrc_ev_state to = mrc_rng_below(&s->rng, 2) ? MRC_EV_GOOD : MRC_EV_DENIED;
        mrc_ev_set_state(r->host[0].ep, 0x22, r->now_ns, ev, to);
    }
}

START_TEST(storm)
{
    struct storm s = {.data = 0};
    mrc_rng_seed(&s.rng, (uint64_t)_i);
    rig.host[0].attr.ev_count = RIG_PORTS * 7;
    rig.host[0].attr.ev_active = RIG_PORTS * 5;
    rig.host[0].attr.exp_cnt = 25;
    rig.host[0].cfg.ev.loss_limit = 2;
    rig.hook = storm_hook;
    rig.user = &s;
    rig_start(&rig);
    for (unsigned i = 0; i < 8; i++)
        rig_write(&rig, 0, i, i << 17, i << 17, 1u << 17);
    rig_run(&rig, UINT64_C(20000000000));
    rig.hook = NULL;
    for (unsigned i = 0; i < RIG_PORTS * 7; i++)
        deny(i, MRC_EV_GOOD);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 8);
    ck_assert(rig_same(&rig, 0, 0, 0, 8u << 17));
    for (int port = 0; port < (int)RIG_PORTS; port++)
        ck_assert_uint_eq(active(port), 5);
}
END_TEST

TCase *tcase_ev(void)
{
    TCase *tc = tcase_create("ev");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, skip_once);
    tcase_add_test(tc, one_restored_per_packet);
    tcase_add_test(tc, skip_times_out);
    tcase_add_loop_test(tc, nack_and_the_ev, 0, 6);
    tcase_add_loop_test(tc, always_skip, 0, 2);
    tcase_add_test(tc, timeout_makes_bad);
    tcase_add_loop_test(tc, losses_make_bad, 0, 2);
    tcase_add_loop_test(tc, probe_answers, 0, 4);
    tcase_add_test(tc, probe_back_off);
    tcase_add_test(tc, probes_of_many);
    tcase_add_loop_test(tc, denied, 0, 3);
    tcase_add_test(tc, controller_calls);
    tcase_add_test(tc, equal_numbers_per_plane);
    tcase_add_test(tc, order_drawn_anew);
    tcase_add_test(tc, backup_of_the_plane);
    tcase_add_test(tc, min_active);
    tcase_add_test(tc, blocked_port);
    tcase_add_test(tc, busy_ports_in_step);
    tcase_add_test(tc, withdrawal_is_traced);
    tcase_add_loop_test(tc, events, 0, 4);
    tcase_add_test(tc, events_not_taken);
    tcase_add_loop_test(tc, storm, 0, 8);
    return tc;
}
