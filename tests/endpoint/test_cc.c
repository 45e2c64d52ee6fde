/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion control in a closed loop (section 8): two endpoints in virtual time and one bottleneck
 * between them, with a queue that marks, trims or drops. The figures are those of the model, not of
 * any network.
 */
#include "ref/endpoint/inspect.h"
#include "ref/endpoint/trace.h"
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <string.h>

#define BASE_RTT  11000u
#define TARGET    8250u
#define LINE_RATE 90e9

static struct rig rig;

/* The bottleneck: data of host 0 in one queue. */
static struct {
    double bytes_per_ns;
    uint64_t mark_ns, trim_ns, drop_ns; /* queueing delay above which it does so; 0: never */
    uint64_t busy_ns;                   /* free again */
    uint64_t worst_ns, worst_late_ns;   /* longest delay; of the later half */
    uint64_t late_ns;
    uint64_t bytes; /* through it after late_ns */
} net;

static struct mrc_cc_profile profile;

static void bottleneck(struct rig *r, struct rig_frame *f, void *user)
{
    (void)user;
    if (f->from != 0 || !mrc_op_is_write(f->pkt.bth.opcode))
        return;
    const uint64_t wait = net.busy_ns > r->now_ns ? net.busy_ns - r->now_ns : 0;
    if (wait > net.worst_ns)
        net.worst_ns = wait;
    if (r->now_ns >= net.late_ns && wait > net.worst_late_ns)
        net.worst_late_ns = wait;
    f->mark_ce = net.mark_ns && wait > net.mark_ns;
    if (net.drop_ns && wait > net.drop_ns) {
        f->drop = true;
        return;
    }
    if (net.trim_ns && wait > net.trim_ns) {
        f->trim = MRC_TRIM_TRIMMED;
        return; /* trimmed ones pass the others by */
    }
    const uint32_t size = f->pkt.nominal_len;
    net.busy_ns = r->now_ns + wait + (uint64_t)(size / net.bytes_per_ns);
    f->delay_ns = net.busy_ns - r->now_ns;
    if (r->now_ns >= net.late_ns)
        net.bytes += size;
}

static void setup(void)
{
    rig_init(&rig);
    memset(&net, 0, sizeof net);
    rig.hook = bottleneck;
    net.bytes_per_ns = 20e9 / 8 / 1e9;
    mrc_cc_profile_default(&profile);
    profile.line_rate_bps = LINE_RATE;
    profile.base_rtt_ns = BASE_RTT;
    rig.host[0].attr.cc = &profile;
    rig.host[0].attr.mpr_dest = rig.host[1].attr.mpr_dest = 32;
    rig.host[0].attr.timeout = rig.host[1].attr.timeout = 12;
}

static void teardown(void)
{
    rig_fini(&rig);
}

static struct mrc_qp_inspection look(uint32_t qpn)
{
    struct mrc_qp_inspection in;
    ck_assert_int_eq(mrc_qp_inspect(rig.host[0].ep, qpn, &in), MRC_EP_OK);
    return in;
}

static void run_transfer(unsigned writes, uint64_t late_ns)
{
    net.late_ns = rig.now_ns + late_ns;
    for (unsigned i = 0; i < writes; i++)
        ck_assert_int_eq(rig_write(&rig, 0, i, 0, 0, 4u << 20), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, writes);
}

/* REQ-8-01: marks and delays keep the queue near the target, and the link busy. */
START_TEST(bounded_queue)
{
    net.mark_ns = TARGET / 2;
    rig_start(&rig);
    const uint64_t late = 1000000;
    run_transfer(3, late);
    const double busy = (double)net.bytes / net.bytes_per_ns / (double)(net.busy_ns - net.late_ns);
    ck_assert_uint_le(net.worst_late_ns, 3 * TARGET);
    ck_assert_double_ge(busy, 0.9);
    ck_assert_uint_eq(rig_counters(&rig, 0)->tx_rtx, 0);
}
END_TEST

/* The same without control: the queue is as long as the window lets it be. */
START_TEST(unbounded_without)
{
    profile.algorithm = "off";
    net.mark_ns = TARGET / 2;
    rig_start(&rig);
    ck_assert_str_eq(look(0x22).cc_name, "off");
    run_transfer(1, 200000);
    ck_assert_uint_gt(net.worst_late_ns, 20 * TARGET);
}
END_TEST

/* A small fixed window by name: no packet beyond it. */
START_TEST(fixed_by_name)
{
    profile = (struct mrc_cc_profile){.algorithm = "fixed", .cwnd_bytes = 20000};
    rig_start(&rig);
    ck_assert_str_eq(look(0x22).cc_name, "fixed");
    run_transfer(1, 0);
    ck_assert_uint_le(net.worst_ns, (uint64_t)(21200 / net.bytes_per_ns));
}
END_TEST

/* Names and values that are none. */
START_TEST(bad_profiles)
{
    struct mrc_qp_attr attr;
    struct mrc_cc_profile bad[7];
    for (unsigned i = 0; i < 7; i++)
        bad[i] = profile;
    bad[0].algorithm = "reno";
    bad[1].line_rate_bps = 0;
    bad[2].base_rtt_ns = 0;
    bad[3].qa_gate = 32;
    bad[4].max_md_jump = 1.5;
    bad[5].q22_avg = 'c';
    bad[6] = (struct mrc_cc_profile){.algorithm = "fixed"};
    rig_start(&rig);
    attr = rig.host[0].attr;
    attr.qpn = 0;
    for (unsigned i = 0; i < 7; i++) {
        attr.cc = &bad[i];
        ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &attr), MRC_EP_EINVAL);
    }
    bad[0].algorithm = "uet-1.0-nscc";
    attr.cc = &bad[0];
    ck_assert_int_gt(mrc_qp_create(rig.host[0].ep, &attr), 2);
}
END_TEST

/* Values of a profile reach the algorithm. */
START_TEST(profile_values)
{
    profile.max_cwnd_bytes = 40000;
    rig_start(&rig);
    ck_assert_double_eq_tol(look(0x22).cc.max_wnd_bytes, 40000, 1);
    ck_assert_uint_eq(look(0x22).cc.base_rtt_ns, BASE_RTT);
    ck_assert_uint_eq(rig_info(&rig, 0).cwnd_bytes, 40000);
}
END_TEST

/* An algorithm from outside: one packet at a time. */
static bool alone_valid(const struct mrc_cc_profile *p)
{
    return p->cwnd_bytes == 0;
}
static void alone_init(struct mrc_cc *cc, const struct mrc_cc_profile *p, uint64_t now_ns)
{
    (void)p;
    (void)now_ns;
    cc->cwnd_bytes = 1;
}
static bool alone_can_send(const struct mrc_cc *cc)
{
    return cc->out_bytes == 0;
}
static void alone_on_send(struct mrc_cc *cc, uint64_t now_ns, uint32_t size)
{
    (void)cc;
    (void)now_ns;
    (void)size;
}
static void alone_on_sack(struct mrc_cc *cc, const struct mrc_cc_sack *s)
{
    (void)cc;
    (void)s;
}
static void alone_on_nack(struct mrc_cc *cc, const struct mrc_cc_nack *n)
{
    (void)cc;
    (void)n;
}

START_TEST(from_outside)
{
    static const struct mrc_cc_ops ops = {
        .name = "alone",
        .size_bytes = sizeof(struct mrc_cc),
        .valid = alone_valid,
        .init = alone_init,
        .can_send = alone_can_send,
        .on_send = alone_on_send,
        .on_sack = alone_on_sack,
        .on_nack = alone_on_nack,
        .on_loss = alone_on_send,
    };
    profile = (struct mrc_cc_profile){.ops = &ops};
    rig_start(&rig);
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, 64 * 1024), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert_uint_eq(net.worst_ns, 0);
}
END_TEST

/* A second QP beside the rig's. */
static uint32_t second_qp(void)
{
    int64_t qpn[2];
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_qp_attr attr = rig.host[h].attr;
        attr.qpn = 0x40 + h;
        qpn[h] = mrc_qp_create(rig.host[h].ep, &attr);
        ck_assert_int_eq(qpn[h], 0x40 + h);
    }
    for (unsigned h = 0; h < 2; h++) {
        const struct rig_host *o = &rig.host[1 - h];
        struct mrc_qp_peer peer = {.qpn = (uint32_t)qpn[1 - h],
                                   .start_psn = o->attr.start_psn,
                                   .max_wimm_dest = o->attr.max_wimm_dest,
                                   .mpr_dest = o->attr.mpr_dest,
                                   .trim_nack = o->attr.trim_nack};
        memcpy(peer.addr, o->cfg.port_addr, sizeof peer.addr);
        ck_assert_int_eq(mrc_qp_connect(rig.host[h].ep, (uint32_t)qpn[h], &peer), MRC_EP_OK);
    }
    return (uint32_t)qpn[0];
}

static void post(uint32_t qpn, uint64_t wr_id, uint32_t len)
{
    const struct mrc_write w = {.wr_id = wr_id,
                                .local = rig.host[0].mem,
                                .len_bytes = len,
                                .remote_va = RIG_VA,
                                .rkey = rig.host[1].mr.rkey};
    ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, qpn, rig.now_ns, &w), MRC_EP_OK);
}

static unsigned sent_to(uint32_t peer_qpn)
{
    unsigned n = 0;
    for (unsigned i = 0; i < rig.log_len; i++)
        n += rig.log[i].from == 0 && mrc_op_is_write(rig.log[i].pkt.bth.opcode) &&
             rig.log[i].pkt.bth.dest_qp == peer_qpn;
    return n;
}

/* REQ-8-05: two QPs share a window evenly and never have more than it in flight together. */
START_TEST(shared_window)
{
    profile.share_id = 9;
    net.mark_ns = TARGET / 2;
    rig_start(&rig);
    const uint32_t other = second_qp();
    ck_assert_uint_eq(look(0x22).cc_members, 2);
    post(0x22, 1, 4u << 20);
    post(other, 2, 4u << 20);
    for (uint64_t t = rig.now_ns; t < 1000000; t += 5000) {
        rig_run(&rig, t);
        const struct mrc_qp_inspection a = look(0x22), b = look(other);
        ck_assert_uint_eq(a.info.cwnd_bytes, b.info.cwnd_bytes);
        ck_assert_uint_eq(a.cc_out_bytes, a.qp_out_bytes + b.qp_out_bytes);
    }
    const unsigned a = sent_to(0x11), b = sent_to(0x41);
    ck_assert_uint_gt(a, 500);
    ck_assert_uint_le(a > b ? a - b : b - a, (a + b) / 20);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 2);
    ck_assert_int_eq(look(0x22).info.inflight_bytes, 0);
}
END_TEST

/* Other ids and other peers do not share; a shared controller outlives either of its QPs. */
START_TEST(sharing_ends)
{
    profile.share_id = 9;
    rig_start(&rig);
    const uint32_t other = second_qp();
    post(0x22, 1, 1u << 20);
    post(other, 2, 1u << 20);
    rig_run(&rig, rig.now_ns + 20000);
    ck_assert_uint_gt(look(other).cc_out_bytes, look(other).qp_out_bytes);
    ck_assert_int_eq(mrc_qp_destroy(rig.host[0].ep, 0x22), MRC_EP_OK);
    ck_assert_uint_eq(look(other).cc_members, 1);
    ck_assert_uint_eq(look(other).cc_out_bytes, look(other).qp_out_bytes);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_SEND_DONE), 1);
    ck_assert_uint_eq(look(other).cc_out_bytes, 0);
}
END_TEST

START_TEST(own_windows)
{
    rig_start(&rig); /* share_id 0 */
    const uint32_t other = second_qp();
    ck_assert_uint_eq(look(other).cc_members, 1);
    ck_assert_uint_eq(look(0x22).cc_members, 1);
}
END_TEST

/* Many QPs behind a window of few packets: each gets its turn, whoever waits longest first. */
START_TEST(line_of_qps)
{
    profile = (struct mrc_cc_profile){.algorithm = "fixed", .cwnd_bytes = 1500, .share_id = 3};
    rig_start(&rig);
    const uint32_t other = second_qp();
    post(0x22, 1, 64u << 10);
    post(other, 2, 64u << 10);
    rig_run(&rig, rig.now_ns + 400000);
    const unsigned a = sent_to(0x11), b = sent_to(0x41);
    ck_assert_uint_gt(a, 4);
    ck_assert_uint_le(a > b ? a - b : b - a, 2);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 2);
}
END_TEST

/* What the trace tells of the window. */
static struct {
    double least_factor; /* least to / from of one change by a NACK */
    uint64_t least;
    unsigned n;
} moves;

static void on_move(void *user, const struct mrc_trace_event *e)
{
    (void)user;
    if (e->kind != MRC_TRACE_CWND)
        return;
    moves.n++;
    if (e->to < moves.least)
        moves.least = e->to;
    if (e->cause == MRC_CAUSE_NACK && (double)e->to / (double)e->from < moves.least_factor)
        moves.least_factor = (double)e->to / (double)e->from;
}

static void overload(bool disable_qa)
{
    memset(&moves, 0, sizeof moves);
    moves.least_factor = 1;
    moves.least = UINT64_MAX;
    profile.disable_qa = disable_qa;
    net.trim_ns = 4000;
    net.bytes_per_ns = 1e9 / 8 / 1e9;
    rig_start(&rig);
    mrc_ep_set_trace(rig.host[0].ep, on_move, NULL);
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, 256 * 1024), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert_uint_gt(rig_counters(&rig, 0)->nacked, 0);
}

/* REQ-8-03: a path that delivers next to nothing and trims: quick adapt in one step. */
START_TEST(quick_adapt)
{
    overload(false);
    ck_assert_double_lt(moves.least_factor, 0.5);
}
END_TEST

START_TEST(no_quick_adapt)
{
    overload(true);
    ck_assert_double_gt(moves.least_factor, 0.5);
}
END_TEST

/* REQ-8-04 REQ-8-06: a penalty of 64 in the SACKs of a round trip takes at least half the window,
 * 127 all but a packet; with r_c the window of before comes back when it ends. */
static void penalize(uint8_t pen, bool restore, uint64_t *before, uint64_t *during, uint64_t *after)
{
    net.bytes_per_ns = 100; /* no bottleneck */
    rig_start(&rig);
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, 4u << 20), MRC_EP_OK);
    rig_run(&rig, rig.now_ns + 60000);
    *before = rig_info(&rig, 0).cwnd_bytes;
    ck_assert_int_eq(mrc_qp_set_penalty(rig.host[1].ep, 0x11, pen, false), MRC_EP_OK);
    rig_run(&rig, rig.now_ns + 3 * BASE_RTT);
    *during = rig_info(&rig, 0).cwnd_bytes;
    ck_assert_int_eq(mrc_qp_set_penalty(rig.host[1].ep, 0x11, 0, restore), MRC_EP_OK);
    rig_run(&rig, rig.now_ns + 3 * BASE_RTT);
    *after = rig_info(&rig, 0).cwnd_bytes;
}

START_TEST(penalty_halves)
{
    uint64_t before, during, after;
    penalize(64, true, &before, &during, &after);
    ck_assert_uint_le(during, before / 2);
    ck_assert_uint_ge(after, before * 9 / 10);
}
END_TEST

START_TEST(penalty_of_all)
{
    uint64_t before, during, after;
    penalize(127, false, &before, &during, &after);
    ck_assert_uint_le(during, 2 * 1200);
    ck_assert_uint_ge(during, 1024);
    ck_assert_uint_lt(after, before / 2);
    ck_assert_double_eq_tol(look(0x22).cc.saved_cwnd_bytes, (double)before, (double)before / 10);
}
END_TEST

START_TEST(penalty_range)
{
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[1].ep;
    ck_assert_int_eq(mrc_qp_set_penalty(ep, 0x11, 128, false), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_qp_set_penalty(ep, 0x99, 1, false), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_qp_set_penalty(ep, 0x11, 127, true), MRC_EP_OK);
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, 1024), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    const struct rig_log *sack = rig_find(&rig, 1, MRC_OP_SACK, 0);
    ck_assert_uint_eq(sack->pkt.cc_state.rcv_cwnd_pen, 127);
    ck_assert_uint_eq(sack->pkt.cc_state.r_c, 1);
}
END_TEST

/* Random loss: the books come out even, whatever was taken for lost and was not. */
static void lossy(struct rig *r, struct rig_frame *f, void *user)
{
    (void)user;
    bottleneck(r, f, NULL);
    f->drop = f->nth % 17 == 3;
    if (f->nth % 13 == 5)
        f->delay_ns += 40000; /* late enough to be taken for lost */
}

START_TEST(books_even_out)
{
    rig.hook = lossy;
    rig_start(&rig);
    run_transfer(2, 0);
    ck_assert_uint_gt(rig_counters(&rig, 0)->holes, 50);
    ck_assert_uint_gt(rig_counters(&rig, 1)->rx_dup, 10);
    ck_assert_uint_eq(look(0x22).cc_out_bytes, 0);
}
END_TEST

TCase *tcase_cc(void)
{
    TCase *tc = tcase_create("congestion control");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, bounded_queue);
    tcase_add_test(tc, unbounded_without);
    tcase_add_test(tc, fixed_by_name);
    tcase_add_test(tc, bad_profiles);
    tcase_add_test(tc, profile_values);
    tcase_add_test(tc, from_outside);
    tcase_add_test(tc, shared_window);
    tcase_add_test(tc, sharing_ends);
    tcase_add_test(tc, own_windows);
    tcase_add_test(tc, line_of_qps);
    tcase_add_test(tc, quick_adapt);
    tcase_add_test(tc, no_quick_adapt);
    tcase_add_test(tc, penalty_halves);
    tcase_add_test(tc, penalty_of_all);
    tcase_add_test(tc, penalty_range);
    tcase_add_test(tc, books_even_out);
    return tc;
}
