/* SPDX-License-Identifier: BSD-2-Clause */
/* The checksum that a device completes, and how times are spread. */
#include "harness/live/checksum.h"
#include "harness/live/spread.h"
#include "tests/live/suites.h"
#include <string.h>

/* An Ethernet frame of UDP over IPv4, 10.0.0.1:1 to 10.0.0.2:2, payload "abc". */
static const uint8_t udp4[] = {2,
                               0,
                               0,
                               0,
                               0,
                               2,
                               2,
                               0,
                               0,
                               0,
                               0,
                               1,
                               8,
                               0,
                               /* IPv4 */ 0x45,
                               0,
                               0,
                               31,
                               0,
                               0,
                               0,
                               0,
                               64,
                               17,
                               0,
                               0,
                               10,
                               0,
                               0,
                               1,
                               10,
                               0,
                               0,
                               2,
                               /* UDP */ 0,
                               1,
                               0,
                               2,
                               0,
                               11,
                               0,
                               0,
                               'a',
                               'b',
                               'c'};
#define AT_UDP 34u

static uint32_t fold(uint32_t s)
{
    while (s > 0xFFFF)
        s = (s & 0xFFFF) + (s >> 16);
    return s;
}

/* What a receiver adds up: 0xFFFF when the checksum is right. */
static uint32_t seen(const uint8_t *b, size_t len, uint32_t pseudo)
{
    for (size_t i = AT_UDP; i < len; i++)
        pseudo += i % 2 == 0 ? (uint32_t)b[i] << 8 : b[i];
    return fold(pseudo);
}

START_TEST(a_checksum_is_completed)
{
    uint8_t b[100] = {0};
    const size_t len = sizeof udp4;
    memcpy(b, udp4, len);
    const uint32_t pseudo = fold(0x0A00 + 0x0001 + 0x0A00 + 0x0002 + 17 + 11);
    b[AT_UDP + 6] = (uint8_t)(pseudo >> 8);
    b[AT_UDP + 7] = (uint8_t)pseudo;
    ck_assert(mrct_checksum_complete(b, sizeof b)); /* with bytes behind the packet */
    ck_assert_uint_eq(seen(b, len, pseudo), 0xFFFF);
    ck_assert_int_eq(memcmp(b, udp4, AT_UDP + 6), 0);
}
END_TEST

START_TEST(what_is_no_such_frame_is_left_alone)
{
    uint8_t b[100] = {0};
    for (size_t len = 0; len < sizeof udp4; len++) {
        memcpy(b, udp4, sizeof udp4);
        ck_assert(!mrct_checksum_complete(b, len));
        ck_assert_int_eq(memcmp(b, udp4, sizeof udp4), 0);
    }
    memcpy(b, udp4, sizeof udp4);
    b[23] = 1; /* ICMP */
    ck_assert(!mrct_checksum_complete(b, sizeof b));
    b[12] = 0x08;
    b[13] = 0x06; /* ARP */
    ck_assert(!mrct_checksum_complete(b, sizeof b));
}
END_TEST

START_TEST(a_spread_is_right_to_a_thirty_second)
{
    static struct mrct_spread s;
    ck_assert_uint_eq(mrct_spread_at(&s, 500), 0);
    for (uint64_t i = 1; i <= 1000; i++)
        mrct_spread_add(&s, i * 1000);
    ck_assert_uint_eq(s.count, 1000);
    ck_assert_uint_eq(s.max_ns, 1000000);
    for (unsigned k = 1; k <= 1000; k++) {
        const uint64_t at = mrct_spread_at(&s, k), right = k * UINT64_C(1000);
        ck_assert_uint_ge(at, right);
        ck_assert_uint_le(at, right + right / 32 + 1);
    }
    mrct_spread_add(&s, UINT64_MAX);
    ck_assert_uint_eq(mrct_spread_at(&s, 1000), UINT64_MAX);
}
END_TEST

Suite *suite_small(void)
{
    Suite *const s = suite_create("small parts");
    TCase *const t = tcase_create("small parts");
    tcase_add_test(t, a_checksum_is_completed);
    tcase_add_test(t, what_is_no_such_frame_is_left_alone);
    tcase_add_test(t, a_spread_is_right_to_a_thirty_second);
    suite_add_tcase(s, t);
    return s;
}
