/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric between veth pairs: this process holds the far ends, and makes its turns. */
#include "harness/live/veth.h"
#include "ref/wire/print.h"
#include "tests/live/suites.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool live_alone(void)
{
    char err[200];
    if (mrct_veth_alone(err, sizeof err) == 0 &&
        mrct_veth_pair("a0", "f0", 9000, err, sizeof err) == 0 &&
        mrct_veth_pair("f1", "b0", 9000, err, sizeof err) == 0)
        return true;
    printf("SKIP: %s\n", err);
    return false;
}

/* ---- a fabric and its far ends ---- */

struct bed {
    struct mrc_wire_config wire;
    struct mrct_relay *relay;
    struct mrct_fab *fab;
    struct mrc_net_port *end[2];
};

static struct mrc_net_port *open_port(const char *name)
{
    char err[200];
    const struct mrc_net_port_config c = {.ifname = name,
                                          .frame_max = MRC_NET_JUMBO_MAX,
                                          .rx_slots = 512,
                                          .tx_slots = 512,
                                          .promiscuous = true};
    struct mrc_net_port *const p = mrc_net_port_open(&c, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    return p;
}

static void bed_open(struct bed *b, uint32_t ring)
{
    char err[200];
    struct mrct_relay_config c = {.seed = 1, .ring = ring, .ifname = {{"f0"}, {"f1"}}};
    mrct_fab_config_default(&c.fab);
    c.fab.planes = 1;
    c.fab.paths = 1;
    c.fab.rate_bps = 0;
    c.fab.latency_ns = c.fab.latency_step_ns = 0;
    b->wire = c.fab.wire;
    b->relay = mrct_relay_new(&c, err, sizeof err);
    ck_assert_msg(b->relay != NULL, "%s", err);
    b->fab = mrct_relay_fab(b->relay);
    b->end[0] = open_port("a0");
    b->end[1] = open_port("b0");
}

static void bed_close(struct bed *b)
{
    char why[200] = "";
    ck_assert_msg(mrct_relay_balanced(b->relay, why, sizeof why), "%s", why);
    mrct_relay_free(b->relay);
    mrc_net_port_free(b->end[0]);
    mrc_net_port_free(b->end[1]);
}

static uint64_t came_in(struct bed *b)
{
    struct mrct_relay_sum s;
    mrct_relay_sum(b->relay, &s);
    return s.in + s.own_ring;
}

/* Turns until the fabric has taken, or lost, so many frames in all. */
static void turn_until(struct bed *b, uint64_t frames)
{
    while (came_in(b) < frames)
        (void)mrct_relay_turn(b->relay);
}

/* A request of so many bytes with that PSN. Returns its length. */
static size_t request(const struct bed *b, uint32_t psn, unsigned len, uint8_t bytes[MRC_FRAME_MAX])
{
    char line[400], err[200];
    struct mrc_pkt p;
    struct mrc_frame f;
    (void)snprintf(line, sizeof line,
                   "IP6 fd00::1 > fd00::2 ev 0x1234c001 ect0 dscp %u: MRC WRITE_ONLY qp 0x11 psn "
                   "%u va 0x1000 rkey 0x1 dma %u len %u",
                   b->wire.dscp[MRC_DSCP_TRIMMABLE], psn, len, len);
    ck_assert_msg(mrc_print_parse_line(&b->wire, line, &p, err, sizeof err) == 0, "%s: %s", line,
                  err);
    ck_assert_int_eq(mrc_pkt_encode(&b->wire, &p, &f), 0);
    return mrc_frame_gather(&b->wire, &f, bytes, MRC_FRAME_MAX);
}

/* A frame that is no MRC: EtherType 0x88B5. */
static size_t other(uint8_t number, size_t len, uint8_t *bytes)
{
    memset(bytes, number, len);
    memset(bytes, 2, 12);
    bytes[12] = 0x88;
    bytes[13] = 0xB5;
    return len;
}

static void send_bytes(struct bed *b, unsigned end, const uint8_t *bytes, size_t len)
{
    mrc_net_port_put_bytes(b->end[end], bytes, len);
    ck_assert(mrc_net_port_flush(b->end[end]));
}

static void send_requests(struct bed *b, uint32_t first, unsigned n)
{
    uint8_t bytes[MRC_FRAME_MAX];
    for (unsigned i = 0; i < n; i++)
        send_bytes(b, 0, bytes, request(b, first + i, 200, bytes));
}

/* The next frame at an end; waits for it. */
static void next(struct bed *b, unsigned end, struct mrc_net_rx *rx)
{
    struct pollfd fd = {.fd = mrc_net_port_fd(b->end[end]), .events = POLLIN};
    while (!mrc_net_port_rx(b->end[end], rx))
        ck_assert_int_ge(poll(&fd, 1, -1), 0);
}

static void expect_bytes(struct bed *b, unsigned end, const uint8_t *bytes, size_t len)
{
    struct mrc_net_rx rx;
    next(b, end, &rx);
    ck_assert_uint_eq(rx.len, len);
    ck_assert_mem_eq(rx.bytes, bytes, len);
    mrc_net_port_rx_done(b->end[end]);
}

static uint32_t next_psn(struct bed *b, unsigned end)
{
    struct mrc_net_rx rx;
    struct mrc_pkt p;
    next(b, end, &rx);
    ck_assert_int_eq(mrc_pkt_decode(&b->wire, rx.bytes, rx.len, rx.len, true, &p), MRC_WIRE_OK);
    mrc_net_port_rx_done(b->end[end]);
    return p.bth.psn;
}

static void add_rule(struct bed *b, enum mrct_fault_act act, int first, int last, int64_t arg)
{
    struct mrct_fault_rule r;
    mrct_fault_rule_init(&r);
    r.act = act;
    r.arg = arg;
    r.match.nth_first = first;
    r.match.nth_last = last;
    ck_assert_int_ge(mrct_fab_add_rule(b->fab, &r), 0);
}

/* ---- tests ---- */

START_TEST(everything_passes_whole_and_in_order)
{
    static uint8_t bytes[24][MRC_NET_JUMBO_MAX];
    size_t len[24];
    struct bed b;
    if (!live_alone())
        return;
    bed_open(&b, 64);
    for (unsigned end = 0; end < 2; end++) {
        for (unsigned i = 0; i < 24; i++) {
            static const size_t lens[] = {60, 1514, 9014};
            len[i] = i % 4 == 3 ? other((uint8_t)i, lens[i / 4 % 3], bytes[i])
                                : request(&b, i, i % 4 == 2 ? 4096 : i + 1, bytes[i]);
            if (i % 5 == 4)
                bytes[i][len[i] - 1] ^= 1; /* a wrong ICRC is none of the fabric's business */
            send_bytes(&b, end, bytes[i], len[i]);
        }
        turn_until(&b, (end + 1) * 24u);
        for (unsigned i = 0; i < 24; i++)
            expect_bytes(&b, 1 - end, bytes[i], len[i]);
    }
    const struct mrct_side_counters *const c = mrct_relay_side(b.relay, 0, 0);
    ck_assert_uint_eq(c->in, 24);
    ck_assert_uint_eq(c->mrc, 18);
    ck_assert_uint_eq(c->others, 6);
    ck_assert_uint_eq(mrct_relay_added(b.relay)->count, 48);
    bed_close(&b);
}
END_TEST

START_TEST(rules_do_what_they_do_in_virtual_time)
{
    struct bed b;
    struct mrct_relay_sum s;
    if (!live_alone())
        return;
    bed_open(&b, 64);
    add_rule(&b, MRCT_ACT_DROP, 2, 3, 0);
    add_rule(&b, MRCT_ACT_DUPLICATE, 3, 3, 1); /* of those that were not dropped */
    add_rule(&b, MRCT_ACT_REORDER, 4, 4, 2);
    send_requests(&b, 100, 8);
    turn_until(&b, 8);
    static const uint32_t all[] = {100, 103, 104, 104, 106, 107, 105};
    for (unsigned i = 0; i < 7; i++)
        ck_assert_uint_eq(next_psn(&b, 1), all[i]);
    mrct_relay_sum(b.relay, &s);
    ck_assert_uint_eq(s.fab.dropped_rule, 2);
    ck_assert_uint_eq(s.fab.duplicated, 1);
    ck_assert_uint_eq(s.in + 1 - 2, s.out);
    bed_close(&b);
}
END_TEST

START_TEST(a_psn_counts_from_the_first_that_is_seen)
{
    struct bed b;
    struct mrct_fault_rule r;
    if (!live_alone())
        return;
    bed_open(&b, 64);
    mrct_fault_rule_init(&r);
    r.match.psn_first = r.match.psn_last = 2;
    ck_assert_int_ge(mrct_fab_add_rule(b.fab, &r), 0);
    send_requests(&b, 0xFFFFFF, 1);
    send_requests(&b, 0, 3);
    turn_until(&b, 4);
    ck_assert_uint_eq(next_psn(&b, 1), 0xFFFFFF);
    ck_assert_uint_eq(next_psn(&b, 1), 0);
    ck_assert_uint_eq(next_psn(&b, 1), 2);
    bed_close(&b);
}
END_TEST

START_TEST(a_link_that_is_down_carries_nothing)
{
    struct bed b;
    struct mrct_relay_sum s;
    uint8_t bytes[60];
    if (!live_alone())
        return;
    bed_open(&b, 64);
    ck_assert_int_eq(mrct_fab_link(b.fab, 0, -1, 0, -1, false), 0);
    send_requests(&b, 0, 3);
    send_bytes(&b, 1, bytes, other(1, sizeof bytes, bytes));
    turn_until(&b, 4);
    mrct_relay_sum(b.relay, &s);
    ck_assert_uint_eq(s.fab.dropped_link, 3);
    ck_assert_uint_eq(s.others_cut, 1);
    ck_assert_uint_eq(s.out, 0);
    ck_assert_uint_eq(mrct_relay_own_losses(&s), 0);
    bed_close(&b);
}
END_TEST

START_TEST(a_full_ring_is_told)
{
    struct bed b;
    struct mrct_relay_sum s;
    if (!live_alone())
        return;
    bed_open(&b, 16);
    send_requests(&b, 0, 100);
    turn_until(&b, 100);
    mrct_relay_sum(b.relay, &s);
    ck_assert_uint_gt(s.own_ring, 0);
    ck_assert_uint_eq(s.in + s.own_ring, 100);
    ck_assert_uint_eq(mrct_relay_own_losses(&s), s.own_ring);
    bed_close(&b);
}
END_TEST

START_TEST(an_interface_may_vanish_and_return)
{
    struct bed b;
    struct mrct_relay_sum s;
    char err[200];
    if (!live_alone())
        return;
    bed_open(&b, 64);
    send_requests(&b, 0, 1);
    turn_until(&b, 1);
    ck_assert_uint_eq(next_psn(&b, 1), 0);
    if (system("ip link del f1") != 0) { /* NOLINT: a test's own fixed command */
        puts("SKIP: iproute2 is missing");
        return;
    }
    mrct_relay_look(b.relay);
    send_requests(&b, 1, 1);
    turn_until(&b, 2);
    mrct_relay_sum(b.relay, &s);
    ck_assert_uint_eq(s.vanished, 1);
    ck_assert_uint_eq(mrct_relay_own_losses(&s), 0);
    ck_assert_msg(mrct_veth_pair("f1", "b0", 9000, err, sizeof err) == 0, "%s", err);
    mrct_relay_look(b.relay);
    ck_assert(mrc_net_port_refresh(b.end[1]));
    send_requests(&b, 2, 1);
    turn_until(&b, 3);
    ck_assert_uint_eq(next_psn(&b, 1), 2);
    mrct_relay_sum(b.relay, &s);
    ck_assert_uint_eq(s.link_news, 2);
    bed_close(&b);
}
END_TEST

Suite *suite_relay(void)
{
    Suite *const s = suite_create("relay");
    TCase *const t = tcase_create("relay");
    tcase_add_test(t, everything_passes_whole_and_in_order);
    tcase_add_test(t, rules_do_what_they_do_in_virtual_time);
    tcase_add_test(t, a_psn_counts_from_the_first_that_is_seen);
    tcase_add_test(t, a_link_that_is_down_carries_nothing);
    tcase_add_test(t, a_full_ring_is_told);
    tcase_add_test(t, an_interface_may_vanish_and_return);
    suite_add_tcase(s, t);
    return s;
}
