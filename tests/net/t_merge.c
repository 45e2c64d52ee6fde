/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of two ports come out in the order in which they arrived. */
#include "ref/net/merge.h"
#include "tests/net/suites.h"
#include <string.h>

#define FRAMES 40u

static struct mrc_net_port *open_port(const char *name)
{
    char err[200] = "";
    const struct mrc_net_port_config cfg = {.ifname = name, .rx_slots = 128, .promiscuous = true};
    struct mrc_net_port *const p = mrc_net_port_open(&cfg, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    return p;
}

START_TEST(planes_keep_step)
{
    /* Runs of one to three frames a port, so that neither turns nor halves would do. */
    static const unsigned pattern[] = {0, 1, 1, 0, 0, 0, 1, 0, 1, 1};
    struct mrc_net_merge m = {0};
    if (!net_alone(1500))
        return;
    struct mrc_net_port *port[3] = {open_port("a"), open_port("b"), NULL};
    for (unsigned i = 0; i < FRAMES; i++) {
        uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xB5, (uint8_t)i};
        struct mrc_net_port *const from = port[1 - pattern[i % 10]];
        mrc_net_port_put_bytes(from, frame, sizeof frame);
        ck_assert(mrc_net_port_flush(from));
    }
    for (unsigned i = 0; i < FRAMES;) {
        const struct mrc_net_rx *rx;
        const int p = mrc_net_merge_next(&m, port, 3, &rx);
        if (p < 0)
            continue;
        if (rx->bytes[12] == 0x88 && rx->bytes[13] == 0xB5) {
            ck_assert_uint_eq(rx->bytes[14], i);
            ck_assert_int_eq(p, (int)pattern[i % 10]);
            i++;
        }
        mrc_net_merge_done(&m, port[p], (unsigned)p);
    }
    mrc_net_port_free(port[0]);
    mrc_net_port_free(port[1]);
}
END_TEST

START_TEST(a_stamp_is_earlier_by_seconds_first)
{
    const struct mrc_net_rx a = {.sec = 1, .nsec = 9}, b = {.sec = 2, .nsec = 1}, c = {.sec = 2};
    ck_assert(mrc_net_rx_earlier(&a, &b));
    ck_assert(!mrc_net_rx_earlier(&b, &a));
    ck_assert(mrc_net_rx_earlier(&c, &b));
    ck_assert(!mrc_net_rx_earlier(&b, &b));
}
END_TEST

Suite *suite_merge(void)
{
    Suite *const s = suite_create("merge");
    TCase *const t = tcase_create("merge");
    tcase_add_test(t, planes_keep_step);
    tcase_add_test(t, a_stamp_is_earlier_by_seconds_first);
    suite_add_tcase(s, t);
    return s;
}
