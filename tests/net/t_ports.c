/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports on a veth pair: what leaves one end is in the ring of the other. */
#include "ref/net/port.h"
#include "tests/net/suites.h"
#include <poll.h>
#include <string.h>

static struct mrc_net_port *open_port(const char *name, uint32_t slots, uint32_t frame_max)
{
    char err[200] = "";
    const struct mrc_net_port_config cfg = {
        .ifname = name, .rx_slots = slots, .frame_max = frame_max, .promiscuous = true};
    struct mrc_net_port *const p = mrc_net_port_open(&cfg, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    return p;
}

/* The next frame of the test's own EtherType; the kernel talks too. Waits for it. */
static void next(struct mrc_net_port *p, struct mrc_net_rx *rx)
{
    struct pollfd fd = {.fd = mrc_net_port_fd(p), .events = POLLIN};
    for (;;) {
        while (!mrc_net_port_rx(p, rx))
            ck_assert_int_ge(poll(&fd, 1, -1), 0);
        const size_t at = rx->bytes[12] == 0x81 ? 16 : 12;
        if (rx->bytes[at] == 0x88 && rx->bytes[at + 1] == 0xB5)
            return;
        mrc_net_port_rx_done(p);
    }
}

static size_t make(uint8_t *frame, size_t len, bool tagged, uint8_t number)
{
    memset(frame, number, len);
    memset(frame, 0x02, 12);
    frame[12] = tagged ? 0x81 : 0x88;
    frame[13] = tagged ? 0x00 : 0xB5;
    if (tagged) {
        frame[14] = 0xA1;
        frame[15] = 0x23;
        frame[16] = 0x88;
        frame[17] = 0xB5;
    }
    return len;
}

START_TEST(frames_arrive_whole_and_in_order)
{
    uint8_t frame[9000];
    struct mrc_net_rx rx;
    if (!net_alone(9000))
        return;
    struct mrc_net_port *const a = open_port("a", 64, 9216), *const b = open_port("b", 64, 9216);
    static const size_t lens[] = {60, 61, 256, 257, 1514, 9000};
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned tagged = 0; tagged < 2; tagged++) {
            const size_t len = make(frame, lens[i], tagged != 0, (uint8_t)(0x40 + i));
            mrc_net_port_put_bytes(a, frame, len);
            ck_assert(mrc_net_port_flush(a));
            next(b, &rx);
            ck_assert_uint_eq(rx.len, len);
            ck_assert_mem_eq(rx.bytes, frame, len);
            mrc_net_port_rx_done(b);
        }
    }
    ck_assert_uint_eq(mrc_net_port_counters(a)->tx_frames, 12);
    ck_assert_uint_eq(mrc_net_port_counters(b)->rx_ring_full, 0);
    mrc_net_port_free(a);
    mrc_net_port_free(b);
}
END_TEST

START_TEST(a_stamp_lies_between_sending_and_reading)
{
    uint8_t frame[100];
    struct mrc_net_rx rx;
    struct mrc_net_stamps s = {0};
    if (!net_alone(1500))
        return;
    struct mrc_net_port *const a = open_port("a", 64, 0), *const b = open_port("b", 64, 0);
    mrc_net_stamps_sync(&s);
    for (unsigned i = 0; i < 100; i++) {
        mrc_net_port_put_bytes(a, frame, make(frame, sizeof frame, false, 1));
        const uint64_t before = mrc_net_now_ns();
        mrc_net_port_flush(a);
        next(b, &rx);
        const uint64_t at = mrc_net_stamps_at(&s, rx.sec, rx.nsec, mrc_net_now_ns());
        mrc_net_port_rx_done(b);
        ck_assert_uint_ge(at + s.error_ns + 1000, before);
    }
    mrc_net_port_free(a);
    mrc_net_port_free(b);
}
END_TEST

START_TEST(a_full_ring_is_told)
{
    uint8_t frame[100];
    struct mrc_net_rx rx;
    if (!net_alone(1500))
        return;
    struct mrc_net_port *const a = open_port("a", 64, 0), *const b = open_port("b", 16, 0);
    for (unsigned i = 0; i < 200; i++) {
        mrc_net_port_put_bytes(a, frame, make(frame, sizeof frame, false, 1));
        ck_assert(mrc_net_port_flush(a));
    }
    uint64_t got = 0;
    while (mrc_net_port_rx(b, &rx)) {
        got++;
        mrc_net_port_rx_done(b);
    }
    const struct mrc_net_port_counters *const c = mrc_net_port_counters(b);
    ck_assert_uint_gt(c->rx_ring_full, 0);
    ck_assert_uint_ge(got + c->rx_ring_full, 200);
    ck_assert_uint_eq(mrc_net_port_counters(a)->tx_frames, 200);
    mrc_net_port_free(a);
    mrc_net_port_free(b);
}
END_TEST

START_TEST(a_frame_too_long_is_counted)
{
    uint8_t frame[1400];
    struct mrc_net_rx rx;
    if (!net_alone(1500))
        return;
    struct mrc_net_port *const a = open_port("a", 64, 0), *const b = open_port("b", 64, 1000);
    mrc_net_port_put_bytes(a, frame, make(frame, 1001, false, 1));
    mrc_net_port_flush(a);
    mrc_net_port_put_bytes(a, frame, make(frame, 1000, false, 2));
    mrc_net_port_flush(a);
    next(b, &rx);
    ck_assert_uint_eq(rx.bytes[20], 2);
    ck_assert_uint_eq(mrc_net_port_counters(b)->rx_cut, 1);
    mrc_net_port_rx_done(b);
    make(frame, 1400, false, 3);
    mrc_net_port_put_bytes(b, frame, 1400);
    mrc_net_port_flush(b);
    mrc_net_port_free(a);
    mrc_net_port_free(b);
}
END_TEST

START_TEST(an_interface_goes_and_returns)
{
    uint8_t frame[100];
    struct mrc_net_rx rx;
    if (!net_alone(1500))
        return;
    struct mrc_net_port *const a = open_port("a", 64, 0);
    struct mrc_net_port *b = open_port("b", 64, 0);
    net_ip("link set dev a down");
    mrc_net_port_refresh(a);
    ck_assert(!mrc_net_port_link(a)->up);
    mrc_net_port_put_bytes(a, frame, make(frame, sizeof frame, false, 1));
    ck_assert(mrc_net_port_flush(a));
    ck_assert_uint_eq(mrc_net_port_counters(a)->tx_down, 1);
    mrc_net_port_free(b);
    net_ip("link del dev a");
    ck_assert(mrc_net_port_refresh(a));
    ck_assert_int_eq(mrc_net_port_fd(a), -1);
    ck_assert(!mrc_net_port_rx(a, &rx));
    mrc_net_port_put_bytes(a, frame, sizeof frame);
    ck_assert(mrc_net_port_flush(a));
    ck_assert_uint_eq(mrc_net_port_counters(a)->tx_down, 2);
    net_ip("link add name a type veth peer name b");
    net_up();
    ck_assert(mrc_net_port_refresh(a));
    ck_assert(mrc_net_port_link(a)->up);
    b = open_port("b", 64, 0);
    mrc_net_port_put_bytes(b, frame, make(frame, sizeof frame, false, 5));
    mrc_net_port_flush(b);
    next(a, &rx);
    ck_assert_uint_eq(rx.bytes[20], 5);
    mrc_net_port_free(a);
    mrc_net_port_free(b);
}
END_TEST

START_TEST(what_is_no_port_is_named)
{
    char err[200] = "";
    const struct mrc_net_port_config cfg = {.ifname = "none-such"};
    ck_assert_ptr_null(mrc_net_port_open(&cfg, err, sizeof err));
    ck_assert_str_eq(err, "none-such: there is no such network interface");
    const struct mrc_net_port_config lo = {.ifname = "lo"};
    ck_assert_ptr_null(mrc_net_port_open(&lo, err, sizeof err));
    const struct mrc_net_port_config large = {.ifname = "lo", .frame_max = 10000};
    ck_assert_ptr_null(mrc_net_port_open(&large, err, sizeof err));
    ck_assert_str_eq(err, "lo: name, ring or frame size out of range");
}
END_TEST

START_TEST(an_icrc_is_the_same_gathered_or_where_it_lies)
{
    uint8_t payload[777], bytes[MRC_FRAME_MAX];
    struct mrc_wire_config wire;
    struct mrc_pkt p = {.present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_IPV6 | 1u << MRC_HDR_UDP |
                                   1u << MRC_HDR_BTH | 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH,
                        .is_v6 = true};
    struct mrc_frame f, back;
    mrc_wire_config_default(&wire);
    p.eth.ethertype = 0x86DD;
    p.udp.dst_port = 4791;
    p.bth.opcode = MRC_OP_WRITE_ONLY;
    p.payload = payload;
    for (p.payload_len = 1; p.payload_len < sizeof payload; p.payload_len += 31) {
        memset(payload, (int)p.payload_len, sizeof payload);
        ck_assert_int_eq(mrc_pkt_encode(&wire, &p, &f), 0);
        const uint32_t icrc = mrc_frame_icrc(&wire, &f);
        const size_t len = mrc_frame_gather(&wire, &f, bytes, sizeof bytes);
        ck_assert_int_eq(mrc_frame_parse(&wire, bytes, len, &back), 0);
        ck_assert_int_eq(back.icrc_state, MRC_ICRC_VALID);
        ck_assert_uint_eq(back.icrc, icrc);
    }
}
END_TEST

Suite *suite_ports(void)
{
    Suite *const s = suite_create("ports");
    TCase *const tc = tcase_create("ports");
    tcase_add_test(tc, frames_arrive_whole_and_in_order);
    tcase_add_test(tc, a_stamp_lies_between_sending_and_reading);
    tcase_add_test(tc, a_full_ring_is_told);
    tcase_add_test(tc, a_frame_too_long_is_counted);
    tcase_add_test(tc, an_interface_goes_and_returns);
    tcase_add_test(tc, what_is_no_port_is_named);
    tcase_add_test(tc, an_icrc_is_the_same_gathered_or_where_it_lies);
    suite_add_tcase(s, tc);
    return s;
}
