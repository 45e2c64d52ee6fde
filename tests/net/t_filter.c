/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel itself runs the filter, in front of a local datagram socket: no privileges needed. */
#include "ref/net/filter.h"
#include "ref/net/neigh.h"
#include "tests/net/suites.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SNAP 300u

static int pair[2];

static void open_pair(void)
{
    static const uint16_t ports[] = {4791, 4971};
    struct sock_filter prog[MRC_NET_FILTER_MAX];
    const size_t n = mrc_net_filter_make(prog, ports, 2, SNAP);
    const struct sock_fprog f = {.len = (unsigned short)n, .filter = prog};
    ck_assert_uint_gt(n, 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    ck_assert_int_eq(setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_FILTER, &f, sizeof f), 0);
}

static void close_pair(void)
{
    close(pair[0]);
    close(pair[1]);
}

/* Bytes that come through, 0 for none. */
static ssize_t through(const uint8_t *bytes, size_t len)
{
    uint8_t buf[1024];
    (void)!send(pair[0], bytes, len, 0); /* a refused datagram may be an error of the sender */
    const ssize_t n = recv(pair[1], buf, sizeof buf, MSG_DONTWAIT);
    return n < 0 ? 0 : n;
}

static const uint8_t zero[64];

struct frame {
    uint8_t b[512];
    size_t len;
};

static void v6(struct frame *f, unsigned tag, unsigned next, unsigned dport, size_t len)
{
    memset(f, 0, sizeof *f);
    const size_t at = tag ? 18 : 14;
    f->b[12] = tag ? (uint8_t)(tag >> 8) : 0x86;
    f->b[13] = tag ? (uint8_t)tag : 0xDD;
    f->b[at - 2] = 0x86;
    f->b[at - 1] = 0xDD;
    f->b[at] = 0x60;
    f->b[at + 6] = (uint8_t)next;
    f->b[at + 42] = (uint8_t)(dport >> 8);
    f->b[at + 43] = (uint8_t)dport;
    f->len = len;
}

static void v4(struct frame *f, unsigned ihl, unsigned fragment, unsigned proto, unsigned dport)
{
    memset(f, 0, sizeof *f);
    f->b[12] = 0x08;
    f->b[14] = (uint8_t)(0x40 | ihl);
    f->b[20] = (uint8_t)(fragment >> 8);
    f->b[21] = (uint8_t)fragment;
    f->b[23] = (uint8_t)proto;
    f->b[14 + 4 * ihl + 2] = (uint8_t)(dport >> 8);
    f->b[14 + 4 * ihl + 3] = (uint8_t)dport;
    f->len = 120;
}

START_TEST(mrc_over_ipv6_comes_through)
{
    struct frame f;
    v6(&f, 0, 17, 4791, 200);
    ck_assert_int_eq(through(f.b, f.len), 200);
    v6(&f, 0, 17, 4971, 500);
    ck_assert_int_eq(through(f.b, f.len), SNAP);
    v6(&f, 0x8100, 17, 4791, 200);
    ck_assert_int_eq(through(f.b, f.len), 200);
    v6(&f, 0x88A8, 17, 4791, 200);
    ck_assert_int_eq(through(f.b, f.len), 200);
    v6(&f, 0, 17, 4792, 200);
    ck_assert_int_eq(through(f.b, f.len), 0);
    v6(&f, 0, 6, 4791, 200);
    ck_assert_int_eq(through(f.b, f.len), 0);
}
END_TEST

START_TEST(mrc_over_ipv4_comes_through)
{
    struct frame f;
    v4(&f, 5, 0, 17, 4791);
    ck_assert_int_eq(through(f.b, f.len), 120);
    v4(&f, 5, 0x4000, 17, 4791); /* don't fragment */
    ck_assert_int_eq(through(f.b, f.len), 120);
    v4(&f, 8, 0, 17, 4971);
    ck_assert_int_eq(through(f.b, f.len), 120);
    v4(&f, 5, 0x0010, 17, 4791); /* a later fragment has no ports */
    ck_assert_int_eq(through(f.b, f.len), 0);
    v4(&f, 5, 0, 6, 4791);
    ck_assert_int_eq(through(f.b, f.len), 0);
    v4(&f, 5, 0, 17, 53);
    ck_assert_int_eq(through(f.b, f.len), 0);
}
END_TEST

START_TEST(srv6_and_neighbours_come_through)
{
    struct frame f;
    uint8_t ask[MRC_NEIGH_FRAME_MAX];
    v6(&f, 0, 41, 0, 200);
    ck_assert_int_eq(through(f.b, f.len), 200);
    v6(&f, 0, 43, 0, 200);
    ck_assert_int_eq(through(f.b, f.len), 200);
    v6(&f, 0, 58, 0, 200); /* an echo request */
    f.b[54] = 128;
    ck_assert_int_eq(through(f.b, f.len), 0);
    const struct mrc_addr six = {.is_v6 = true}, four = {.is_v6 = false};
    ck_assert_int_gt(through(ask, mrc_neigh_ask(ask, &six, &six)), 0);
    ck_assert_int_gt(through(ask, mrc_neigh_answer(ask, &six, &six)), 0);
    ck_assert_int_gt(through(ask, mrc_neigh_ask(ask, &four, &four)), 0);
}
END_TEST

START_TEST(short_and_foreign_frames_do_not)
{
    struct frame f;
    v6(&f, 0, 17, 4791, 200);
    for (size_t n = 1; n < 58; n++)
        ck_assert_int_eq(through(f.b, n), 0);
    ck_assert_int_eq(through(f.b, 58), 58);
    ck_assert_int_eq(through(zero, sizeof zero), 0);
}
END_TEST

START_TEST(too_many_ports_are_refused)
{
    struct sock_filter prog[MRC_NET_FILTER_MAX];
    uint16_t ports[17] = {0};
    ck_assert_uint_le(mrc_net_filter_make(prog, ports, 16, SNAP), MRC_NET_FILTER_MAX);
    ck_assert_uint_gt(mrc_net_filter_make(prog, ports, 16, SNAP), 0);
    ck_assert_uint_eq(mrc_net_filter_make(prog, ports, 17, SNAP), 0);
}
END_TEST

Suite *suite_filter(void)
{
    Suite *const s = suite_create("filter");
    TCase *const tc = tcase_create("filter");
    tcase_add_checked_fixture(tc, open_pair, close_pair);
    tcase_add_test(tc, mrc_over_ipv6_comes_through);
    tcase_add_test(tc, mrc_over_ipv4_comes_through);
    tcase_add_test(tc, srv6_and_neighbours_come_through);
    tcase_add_test(tc, short_and_foreign_frames_do_not);
    tcase_add_test(tc, too_many_ports_are_refused);
    suite_add_tcase(s, tc);
    return s;
}
