/* SPDX-License-Identifier: BSD-2-Clause */
/* The go-back-N endpoint that stands in for RoCEv2: two of them, and a wire that a test bends. */
#include "harness/sim/dcqcn.h"
#include "harness/sim/rc_int.h"
#include "harness/sim/sim_priv.h"
#include "tests/sim/suites.h"

#include <string.h>

#define MTU     1024u
#define TIMEOUT UINT64_C(10000)
#define QPN     17u

struct pair {
    struct mrc_wire_config wire;
    struct sim_rc *end[2];
    uint64_t now_ns;
    unsigned writes; /* seen on the wire */
    unsigned lose;   /* the write of this number is lost, from 1; 0: none */
    bool lose_all, mark;
    struct mrc_ep_event last[2];
    unsigned events[2];
};

static void begin(struct pair *p, bool dcqcn, uint32_t cwnd, bool v6)
{
    *p = (struct pair){0};
    mrc_wire_config_default(&p->wire);
    struct mrc_addr addr[2] = {{.is_v6 = v6, .ip = {10, 1}}, {.is_v6 = v6, .ip = {10, 2}}};
    for (int i = 0; i < 2; i++) {
        const uint64_t bps = UINT64_C(100000000000);
        const struct sim_rc_config c = {.wire = &p->wire,
                                        .ports = 1,
                                        .qps_max = 1,
                                        .mtu = MTU,
                                        .dcqcn = dcqcn,
                                        .cwnd_bytes = cwnd,
                                        .timeout_ns = TIMEOUT,
                                        .retries = 2,
                                        .port_addr = &addr[i],
                                        .port_bps = &bps};
        p->end[i] = sim_rc_new(&c);
        ck_assert_ptr_nonnull(p->end[i]);
        const struct sim_rc_peer q = {
            .qpn = QPN, .entropy = 0x12345, .sq_depth = 2, .addr = addr[1 - i]};
        ck_assert_int_eq(sim_rc_connect(p->end[i], &q), MRC_EP_OK);
    }
}

static void end(struct pair *p)
{
    sim_rc_free(p->end[0]);
    sim_rc_free(p->end[1]);
}

static int post(struct pair *p, uint32_t bytes, bool imm)
{
    const struct mrc_write w = {.wr_id = bytes, .len_bytes = bytes, .has_imm = imm};
    return sim_rc_post(p->end[0], QPN, p->now_ns, &w);
}

/* One frame of an end, if it has any, to the other. */
static bool carry(struct pair *p, unsigned from)
{
    struct mrc_frame f;
    if (sim_rc_output(p->end[from], p->now_ns, 1, &f) < 0)
        return false;
    const bool v6 = f.hdr[12] == 0x86;
    const uint8_t opcode = f.hdr[14 + (v6 ? 40 : 20) + 8];
    if (sim_rc_is_write(opcode)) {
        if (++p->writes == p->lose || p->lose_all)
            return true;
        if (p->mark)
            f.hdr[15] |= v6 ? 0x30 : 0x03;
    }
    (void)sim_rc_input(p->end[1 - from], p->now_ns, &f);
    return true;
}

static void events(struct pair *p)
{
    for (unsigned i = 0; i < 2; i++) {
        struct mrc_ep_event ev;
        while (sim_rc_poll(p->end[i], &ev)) {
            p->last[i] = ev;
            p->events[i]++;
        }
    }
}

/* Until nothing moves; a microsecond a round. */
static void run(struct pair *p, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        while (carry(p, 0))
            ;
        while (carry(p, 1))
            ;
        events(p);
        p->now_ns += 1000;
        for (unsigned e = 0; e < 2; e++)
            if (sim_rc_deadline(p->end[e]) <= p->now_ns)
                sim_rc_tick(p->end[e], p->now_ns);
    }
}

static struct mrc_qp_counters count(const struct pair *p, unsigned e)
{
    struct mrc_qp_counters c;
    ck_assert(sim_rc_counters(p->end[e], QPN, &c));
    return c;
}

START_TEST(messages_complete_in_order)
{
    struct pair p;
    begin(&p, false, 64 * MTU, _i == 0);
    ck_assert_int_eq(post(&p, 3 * MTU + 1, true), MRC_EP_OK);
    ck_assert_int_eq(post(&p, 1, false), MRC_EP_OK);
    ck_assert_int_eq(post(&p, 1, false), MRC_EP_EFULL);
    run(&p, 3);
    ck_assert_uint_eq(p.events[0], 2);
    ck_assert_uint_eq(p.events[1], 1);
    ck_assert_int_eq(p.last[0].kind, MRC_EVENT_SEND_DONE);
    ck_assert_uint_eq(p.last[0].wr_id, 1);
    ck_assert_int_eq(p.last[1].kind, MRC_EVENT_RECV_IMM);
    ck_assert_uint_eq(count(&p, 0).tx_data, 5);
    ck_assert_uint_eq(count(&p, 0).tx_rtx, 0);
    ck_assert_uint_eq(count(&p, 1).rx_new, 5);
    end(&p);
}
END_TEST

START_TEST(a_gap_goes_back_to_it)
{
    struct pair p;
    begin(&p, false, 64 * MTU, true);
    p.lose = 3;
    ck_assert_int_eq(post(&p, 10 * MTU, false), MRC_EP_OK);
    run(&p, 3);
    ck_assert_uint_eq(p.events[0], 1);
    ck_assert_uint_eq(count(&p, 0).tx_rtx, 8); /* the third, and all behind it */
    ck_assert_uint_eq(count(&p, 0).holes, 1);
    ck_assert_uint_eq(count(&p, 0).timeouts, 0);
    ck_assert_uint_eq(count(&p, 1).tx_nak, 1); /* one a gap, for seven packets */
    ck_assert_uint_eq(count(&p, 1).rx_new, 10);
    end(&p);
}
END_TEST

/* Nothing comes behind it that shows the gap; so it is when the packet is lost a second time. */
START_TEST(a_lost_tail_times_out)
{
    struct pair p;
    begin(&p, false, 64 * MTU, true);
    p.lose = 10;
    ck_assert_int_eq(post(&p, 10 * MTU, false), MRC_EP_OK);
    run(&p, 5);
    ck_assert_uint_eq(p.events[0], 0);
    run(&p, 20);
    ck_assert_uint_eq(p.events[0], 1);
    ck_assert_uint_eq(count(&p, 0).timeouts, 1);
    ck_assert_uint_eq(count(&p, 0).tx_rtx, 1); /* what was acknowledged stays behind */
    end(&p);
}
END_TEST

START_TEST(a_dead_path_is_an_error)
{
    struct pair p;
    begin(&p, false, 64 * MTU, true);
    p.lose_all = true;
    ck_assert_int_eq(post(&p, MTU, false), MRC_EP_OK);
    run(&p, 50);
    ck_assert_uint_eq(p.events[0], 1);
    ck_assert_int_eq(p.last[0].kind, MRC_EVENT_QP_ERROR);
    ck_assert_int_eq(p.last[0].status, MRC_WC_RETRY_EXCEEDED);
    ck_assert_uint_eq(p.writes, 3);
    ck_assert_int_eq(post(&p, MTU, false), MRC_EP_ESTATE);
    end(&p);
}
END_TEST

START_TEST(a_window_holds_back)
{
    struct pair p;
    begin(&p, false, 4 * MTU, true);
    ck_assert_int_eq(post(&p, 100 * MTU, false), MRC_EP_OK);
    while (carry(&p, 0))
        ;
    ck_assert_uint_eq(p.writes, 4);
    sim_rc_port_set(p.end[0], 0, false);
    run(&p, 2);
    ck_assert_uint_eq(p.writes, 4);
    end(&p);
}
END_TEST

START_TEST(a_mark_slows_its_sender)
{
    struct pair p;
    begin(&p, true, 0, true);
    p.mark = true;
    ck_assert_int_eq(post(&p, 20 * MTU, false), MRC_EP_OK);
    run(&p, 1);
    const struct rc_qp *const q = sim_rc_qp(p.end[0], QPN);
    ck_assert_double_eq(q->cc.current, 50e9); /* alpha is 1 at first; one CNP in 50 us */
    p.mark = false;
    ck_assert_int_eq(post(&p, 100 * MTU, false), MRC_EP_OK);
    const unsigned before = p.writes;
    run(&p, 5);
    /* 1,106 bytes with all headers at 50 Gb/s: 177 ns; a round sends what is due. */
    ck_assert_uint_ge(p.writes - before, 4);
    ck_assert_uint_le(p.writes - before, 6);
    end(&p);
}
END_TEST

START_TEST(a_rate_comes_back)
{
    struct dcqcn d;
    dcqcn_init(&d, 100e9);
    dcqcn_cnp(&d, 1000);
    ck_assert_double_eq(d.current, 50e9);
    dcqcn_advance(&d, 55999);
    ck_assert_double_eq(d.current, 50e9);
    dcqcn_advance(&d, 56000);
    ck_assert_double_eq(d.current, 75e9); /* half of the way */
    const double alpha = d.alpha;
    dcqcn_cnp(&d, 57000);
    ck_assert_double_eq(d.target, 75e9);
    ck_assert_double_eq(d.current, 75e9 * (1 - alpha / 2));
    dcqcn_advance(&d, 20000000);
    ck_assert_double_eq(d.current, 100e9);
    ck_assert_double_lt(d.alpha, 0.5);
    ck_assert_uint_eq(d.raise_ns, UINT64_MAX);
}
END_TEST

/* ---- in a network ---- */

#define NET                                                                                        \
    "title: t\ntopology: {planes: 2, t0: 2, t1: 2, hosts_per_t0: 4}\n"                             \
    "endpoint: {transport: rc, cc: %s}\nlimit: 50ms\n"

static const char *const ccs[] = {"dcqcn", "fixed"};

START_TEST(every_work_ends)
{
    char yaml[700];
    (void)snprintf(yaml, sizeof yaml,
                   NET "queues: {trim: false, ecn: {last_hop: true}}\ntraffic:\n"
                       "  - permutation: {size: 256KiB, qps: 2}\n"
                       "  - incast: {size: 128KiB, from: 1..7, to: 0}\n"
                       "  - allreduce: {size: 256KiB}\n"
                       "  - alltoall: {size: 16KiB}\n"
                       "faults:\n  - loss: {plane: 0, share: 0.1%%}\n",
                   ccs[_i]);
    json_t *const r = results_of(yaml);
    ck_assert_double_eq(number(r, "works/permutation/done"), 16);
    ck_assert_double_eq(number(r, "works/incast/done"), 7);
    ck_assert_double_eq(number(r, "works/allreduce/done"), 8);
    ck_assert_double_eq(number(r, "works/alltoall/done"), 56);
    ck_assert_double_gt(number(r, "works/permutation/retransmissions") +
                            number(r, "works/incast/retransmissions"),
                        0);
    json_decref(r);
}
END_TEST

/* Two QPs on two planes of 100 Gb/s, and goodput that counts nothing twice. */
START_TEST(qps_go_round_the_planes_and_bytes_count_once)
{
    char yaml[500], err[300];
    struct mrct_scene s;
    (void)snprintf(yaml, sizeof yaml,
                   NET "traffic:\n  - stream: {size: 1MiB, from: 0, to: 4, qps: 2}\n"
                       "faults:\n  - loss: {host: 0, share: 1%%}\n",
                   ccs[_i]);
    scene_of(&s, yaml);
    struct mrct_sim *const sim = mrct_sim_new(&s, err, sizeof err);
    ck_assert_ptr_nonnull(sim);
    ck_assert_int_eq(mrct_sim_run(sim, NULL, NULL, err, sizeof err), 0);
    for (unsigned p = 0; p < 2; p++)
        ck_assert_uint_gt(sim->ports[sim_nic_port(sim, 0, p)].packets, 256);
    ck_assert_uint_gt(mrct_sim_account(sim)->payload_bytes, 2u << 20);
    ck_assert_uint_eq(sim->works[0].delivered_bytes, 2u << 20);
    mrct_sim_free(sim);
    mrct_scene_fini(&s);
}
END_TEST

START_TEST(another_transport_is_compared_with)
{
    struct mrct_scene s;
    scene_of(&s,
             "title: t\ntopology: {hosts_per_t0: 2}\n"
             "against: {name: RoCE, endpoint: {transport: rc, cc: dcqcn}, queues: {trim: false}}\n"
             "endpoint: {mtu: 1024}\ntraffic:\n  - stream: {size: 1KiB, from: 0, to: 1}\n"
             "watch: 0\nexpect:\n  - {what: w, value: hosts, min: 2}\n");
    ck_assert_ptr_nonnull(s.against);
    ck_assert_str_eq(s.against_name, "RoCE");
    ck_assert_int_eq(s.endpoint.transport, MRCT_TRANSPORT_MRC);
    ck_assert_int_eq(s.against->endpoint.transport, MRCT_TRANSPORT_RC);
    ck_assert_uint_eq(s.against->endpoint.mtu, 1024);
    ck_assert(s.queues.trim && !s.against->queues.trim);
    ck_assert_uint_eq(s.against->watch_count, 0);
    mrct_scene_seed(&s, 9);
    ck_assert_uint_eq(s.against->seed, 9);
    mrct_scene_fini(&s);
}
END_TEST

#define SMALL                                                                                      \
    "title: t\ntopology: {hosts_per_t0: 2}\ntraffic:\n  - stream: {size: 1, from: 0, to: 1}\n"

static const struct {
    const char *yaml, *error;
} bad[] = {
    {SMALL "endpoint: {cc: dcqcn}\n", ":5: cc: dcqcn needs the transport rc"},
    {SMALL "endpoint: {transport: rc}\n", ":5: transport: rc needs cc: dcqcn or fixed"},
    {SMALL "endpoint: {transport: rc, cc: fixed}\nwatch: 0\n",
     ":5: transport: checks watch hosts of mrc, not of rc"},
    {SMALL "endpoint: {transport: rc, cc: fixed}\nforwarding: srv6\n",
     ":5: transport: rc has no SRv6"},
    {SMALL "endpoint: {transport: tcp}\n", ":5: transport: 'tcp' is none of mrc, rc"},
    {SMALL "against: {endpoint: {transport: rc}}\n", ":5: the key 'name' is missing"},
    {SMALL "against: {name: n, endpoint: {transport: rc}}\n",
     ":5: transport: rc needs cc: dcqcn or fixed"},
    {SMALL "forwarding: srv6\nagainst: {name: n, endpoint: {ip: 4}}\n",
     ":6: ip: forwarding by srv6 needs IPv6"},
    {SMALL "forwarding: structured\nagainst: {name: n, endpoint: {ip: 4}}\n",
     ":6: ip: structured EVs have 32 bits, which needs IPv6"},
};

START_TEST(what_does_not_go_together_is_refused)
{
    struct mrct_scene s;
    char err[600];
    ck_assert_int_eq(scene_load(&s, bad[_i].yaml, err, sizeof err), -1);
    mrct_scene_fini(&s);
    ck_assert_str_eq(err, bad[_i].error);
}
END_TEST

Suite *suite_rc(void)
{
    Suite *const s = suite_create("rc");
    TCase *const t = tcase_create("rc");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, messages_complete_in_order, 0, 2);
    tcase_add_test(t, a_gap_goes_back_to_it);
    tcase_add_test(t, a_lost_tail_times_out);
    tcase_add_test(t, a_dead_path_is_an_error);
    tcase_add_test(t, a_window_holds_back);
    tcase_add_test(t, a_mark_slows_its_sender);
    tcase_add_test(t, a_rate_comes_back);
    tcase_add_loop_test(t, every_work_ends, 0, 2);
    tcase_add_loop_test(t, qps_go_round_the_planes_and_bytes_count_once, 0, 2);
    tcase_add_test(t, another_transport_is_compared_with);
    tcase_add_loop_test(t, what_does_not_go_together_is_refused, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    suite_add_tcase(s, t);
    return s;
}
