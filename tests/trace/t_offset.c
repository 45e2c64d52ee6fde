/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks of two points: one conversation, as a second point would have seen it. */
#include "harness/trace/capture.h"
#include "harness/trace/offset.h"
#include "harness/trace/pcapng.h"
#include "tests/trace/suites.h"

#include <string.h>

#define FIRST "tests/data/conversations/honest-loss-requestor.pcap"

static char err[400];

/* Writes what the far end sees: requests come later, answers were sent earlier; each way takes at
 * least way_ns, and some frames take longer. */
static const char *second_point(int64_t offset_ns, int64_t way_ns, bool answers)
{
    struct mrct_capture_frame f;
    struct mrct_pcapng w;
    struct mrc_wire_config cfg;
    const char *const path = scratch_path("second.pcapng");
    mrc_wire_config_default(&cfg);
    struct mrct_capture *const c = mrct_capture_open(FIRST, err, sizeof(err));
    ck_assert_msg(c != NULL, "%s", err);
    ck_assert_int_eq(mrct_pcapng_open(&w, path, err, sizeof(err)), 0);
    mrct_pcapng_iface(&w, "far", "");
    while (mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME) {
        struct mrc_pkt p;
        mrc_pkt_decode(&cfg, f.bytes, f.cap_len, f.wire_len, false, &p);
        const bool forth = mrc_op_is_write(p.bth.opcode);
        const int64_t way = way_ns + (int64_t)(f.frame_no % 5) * 300;
        const struct mrct_pcapng_frame out = {
            .time_ns = (uint64_t)((int64_t)f.time_ns + (forth ? way : -way) - offset_ns),
            .bytes = f.bytes,
            .cap_len = f.cap_len,
            .wire_len = f.wire_len};
        if (forth || answers)
            mrct_pcapng_frame(&w, &out);
    }
    mrct_capture_close(c);
    ck_assert_int_eq(mrct_pcapng_commit(&w, err, sizeof(err)), 0);
    return path;
}

static struct mrct_offset estimate(const char *path)
{
    struct mrct_offset o;
    struct mrc_wire_config cfg;
    mrc_wire_config_default(&cfg);
    ck_assert_int_eq(mrct_offset_estimate(FIRST, path, &cfg, &o, err, sizeof(err)), 0);
    return o;
}

START_TEST(finds_the_offset_whatever_its_sign)
{
    static const int64_t offsets[] = {0, 5000000, -5000000, 123456789012};
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        const struct mrct_offset o = estimate(second_point(offsets[i], 2000, true));
        ck_assert(o.known && !o.one_way);
        ck_assert_uint_gt(o.pairs, 80);
        const int64_t off = o.offset_ns - offsets[i];
        ck_assert_int_lt(off < 0 ? -off : off, 700); /* some parts have no short way back */
        ck_assert_uint_ge(o.delay_ns, 2000);
        ck_assert_uint_lt(o.delay_ns, 2700);
    }
}
END_TEST

START_TEST(says_when_all_went_one_way)
{
    const struct mrct_offset o = estimate(second_point(1000000, 2000, false));
    ck_assert(o.known && o.one_way);
    ck_assert_int_eq(o.offset_ns, 1000000 - 2000);
}
END_TEST

START_TEST(knows_nothing_of_strangers)
{
    ck_assert(!estimate("tests/data/conversations/honest-clean-requestor.pcap").known);
}
END_TEST

Suite *trace_offset_suite(void)
{
    Suite *const s = suite_create("offset");
    TCase *const t = tcase_create("offset");
    tcase_set_timeout(t, 0);
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_test(t, finds_the_offset_whatever_its_sign);
    tcase_add_test(t, says_when_all_went_one_way);
    tcase_add_test(t, knows_nothing_of_strangers);
    suite_add_tcase(s, t);
    return s;
}
