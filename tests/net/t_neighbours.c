/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/net/clock.h"
#include "ref/net/link.h"
#include "ref/net/neigh.h"
#include "tests/net/suites.h"
#include <string.h>

static struct mrc_addr at(const char *ip, uint8_t last)
{
    struct mrc_addr a;
    ck_assert_int_eq(mrc_net_addr_parse(ip, &a), 0);
    const uint8_t mac[6] = {2, 0, 0, 0, 0, last};
    memcpy(a.mac, mac, 6);
    return a;
}

static void question_and_answer(const char *own_ip, const char *other_ip)
{
    uint8_t frame[MRC_NEIGH_FRAME_MAX], cut[MRC_NEIGH_FRAME_MAX];
    struct mrc_neigh_msg m;
    const struct mrc_addr own = at(own_ip, 1), other = at(other_ip, 2);
    size_t len = mrc_neigh_ask(frame, &own, &other);
    ck_assert_int_eq(mrc_neigh_parse(frame, len, &m), MRC_NEIGH_ASKED);
    ck_assert(mrc_net_addr_same_ip(&m.target, &other));
    ck_assert(mrc_net_addr_same_ip(&m.from, &own));
    ck_assert_mem_eq(m.from.mac, own.mac, 6);
    len = mrc_neigh_answer(frame, &other, &m.from);
    ck_assert_mem_eq(frame, own.mac, 6);
    ck_assert_int_eq(mrc_neigh_parse(frame, len, &m), MRC_NEIGH_TOLD);
    ck_assert(mrc_net_addr_same_ip(&m.from, &other));
    ck_assert_mem_eq(m.from.mac, other.mac, 6);
    for (size_t n = 0; n < len; n++) {
        memcpy(cut, frame, n);
        ck_assert_int_eq(mrc_neigh_parse(cut, n, &m), MRC_NEIGH_NONE);
    }
}

START_TEST(arp_asks_and_answers)
{
    question_and_answer("192.0.2.1", "192.0.2.2");
}
END_TEST

START_TEST(nd_asks_and_answers)
{
    question_and_answer("fd00::1", "fd00::2");
}
END_TEST

START_TEST(a_damaged_or_routed_neighbour_message_is_ignored)
{
    uint8_t frame[MRC_NEIGH_FRAME_MAX];
    struct mrc_neigh_msg m;
    const struct mrc_addr own = at("fd00::1", 1), other = at("fd00::2", 2);
    const size_t len = mrc_neigh_ask(frame, &own, &other);
    for (size_t i = 22; i < len; i++) { /* from the source address on all is under the checksum */
        frame[i] ^= 0x10;
        ck_assert_int_eq(mrc_neigh_parse(frame, len, &m), MRC_NEIGH_NONE);
        frame[i] ^= 0x10;
    }
    frame[21] = 254; /* hop limit */
    ck_assert_int_eq(mrc_neigh_parse(frame, len, &m), MRC_NEIGH_NONE);
}
END_TEST

START_TEST(who_makes_sure_of_its_address_is_answered_to_all)
{
    uint8_t frame[MRC_NEIGH_FRAME_MAX];
    struct mrc_neigh_msg m;
    const uint8_t all[6] = {0x33, 0x33, 0, 0, 0, 1};
    const struct mrc_addr own = at("fd00::1", 1), nobody = at("::", 9);
    const size_t len = mrc_neigh_answer(frame, &own, &nobody);
    ck_assert_mem_eq(frame, all, 6);
    ck_assert_int_eq(mrc_neigh_parse(frame, len, &m), MRC_NEIGH_TOLD);
}
END_TEST

START_TEST(the_table_learns_replaces_and_keeps_what_is_fixed)
{
    struct mrc_neigh_table t = {0};
    struct mrc_addr a = at("fd00::1", 1), moved = at("fd00::1", 7);
    ck_assert(!mrc_neigh_find(&t, &a));
    ck_assert(mrc_neigh_learn(&t, &a, false));
    ck_assert(mrc_neigh_learn(&t, &moved, false));
    ck_assert(mrc_neigh_find(&t, &a));
    ck_assert_uint_eq(a.mac[5], 7);
    struct mrc_addr fixed = at("fd00::2", 2), other = at("fd00::2", 9);
    ck_assert(mrc_neigh_learn(&t, &fixed, true));
    ck_assert(mrc_neigh_learn(&t, &other, false));
    for (unsigned i = 0; i < 3 * MRC_NEIGH_MAX; i++) {
        struct mrc_addr one = at("192.0.2.0", (uint8_t)i);
        one.ip[3] = (uint8_t)i;
        ck_assert(mrc_neigh_learn(&t, &one, false));
        ck_assert(mrc_neigh_find(&t, &one));
    }
    ck_assert(mrc_neigh_find(&t, &other));
    ck_assert_uint_eq(other.mac[5], 2);
}
END_TEST

START_TEST(addresses_and_their_texts)
{
    static const char *const bad_macs[] = {"",
                                           "02:00:00:00:00",
                                           "02:00:00:00:00:0g",
                                           "02-00-00-00-00-01",
                                           "02:00:00:00:00:01:02",
                                           "2:0:0:0:0:1:2:3:4"};
    struct mrc_addr a;
    uint8_t mac[6];
    char text[46];
    ck_assert_int_eq(mrc_net_addr_parse("FD00:0::1", &a), 0);
    ck_assert(a.is_v6);
    ck_assert_str_eq(mrc_net_addr_str(&a, text), "fd00::1");
    ck_assert_int_eq(mrc_net_addr_parse("192.0.2.7", &a), 0);
    ck_assert_str_eq(mrc_net_addr_str(&a, text), "192.0.2.7");
    ck_assert_int_ne(mrc_net_addr_parse("192.0.2", &a), 0);
    ck_assert_int_ne(mrc_net_addr_parse("", &a), 0);
    ck_assert_int_eq(mrc_net_mac_parse("02:aB:00:00:00:ff", mac), 0);
    ck_assert_str_eq(mrc_net_mac_str(mac, text), "02:ab:00:00:00:ff");
    for (unsigned i = 0; i < sizeof bad_macs / sizeof bad_macs[0]; i++)
        ck_assert_int_ne(mrc_net_mac_parse(bad_macs[i], mac), 0);
}
END_TEST

START_TEST(stamps_become_times_of_the_clock)
{
    struct mrc_net_stamps s = {.offset_ns = INT64_C(5000000000)};
    ck_assert_uint_eq(mrc_net_stamps_at(&s, 7, 30, UINT64_C(9000000000)), UINT64_C(2000000030));
    ck_assert_uint_eq(s.latest_ns, UINT64_C(6999999970));
    ck_assert_uint_eq(mrc_net_stamps_at(&s, 7, 30, 100), 100); /* not in the future */
    ck_assert_uint_eq(mrc_net_stamps_at(&s, 1, 0, 100), 100);  /* before the clock began */
    memset(&s, 0, sizeof s);
    mrc_net_stamps_sync(&s);
    mrc_net_stamps_sync(&s);
    ck_assert_uint_eq(s.syncs, 2);
    ck_assert_uint_gt(s.error_ns, 0);
    ck_assert_uint_ge(s.error_ns, s.step_ns);
    const uint64_t now = mrc_net_now_ns();
    ck_assert_uint_ge(mrc_net_now_ns(), now);
}
END_TEST

Suite *suite_neighbours(void)
{
    Suite *const s = suite_create("neighbours");
    TCase *const tc = tcase_create("neighbours");
    tcase_add_test(tc, arp_asks_and_answers);
    tcase_add_test(tc, nd_asks_and_answers);
    tcase_add_test(tc, a_damaged_or_routed_neighbour_message_is_ignored);
    tcase_add_test(tc, who_makes_sure_of_its_address_is_answered_to_all);
    tcase_add_test(tc, the_table_learns_replaces_and_keeps_what_is_fixed);
    tcase_add_test(tc, addresses_and_their_texts);
    tcase_add_test(tc, stamps_become_times_of_the_clock);
    suite_add_tcase(s, tc);
    return s;
}
