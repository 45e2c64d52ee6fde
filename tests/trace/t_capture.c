/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading captures: both byte orders and resolutions, and every way a file can be wrong. */
#include "harness/trace/capture.h"
#include "tests/trace/suites.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A pcap header and one record of 4 bytes, 3 s and 5 units after 1970. */
#define HEADER(magic0, magic1, magic2, magic3, link)                                               \
    magic0, magic1, magic2, magic3, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, link, 0, \
        0, 0
#define RECORD 3, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0, 60, 0, 0, 0, 1, 2, 3, 4

static const uint8_t micro[] = {HEADER(0xD4, 0xC3, 0xB2, 0xA1, 1), RECORD, RECORD};
static const uint8_t nano[] = {HEADER(0x4D, 0x3C, 0xB2, 0xA1, 1), RECORD, RECORD};
static const uint8_t wireless[] = {HEADER(0x4D, 0x3C, 0xB2, 0xA1, 105), RECORD};
#define RECORD_LEN (sizeof((uint8_t[]){RECORD}))

static char err[400];

static struct mrct_capture *open_bytes(const void *bytes, size_t len)
{
    err[0] = '\0';
    return mrct_capture_open(scratch_file("capture", bytes, len), err, sizeof(err));
}

static void expect_frames(const uint8_t *bytes, size_t len, uint64_t time_ns)
{
    struct mrct_capture_frame f;
    struct mrct_capture *const c = open_bytes(bytes, len);
    ck_assert_ptr_nonnull(c);
    for (uint64_t n = 1; n <= 2; n++) {
        ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_FRAME);
        ck_assert_uint_eq(f.frame_no, n);
        ck_assert_uint_eq(f.time_ns, time_ns);
        ck_assert_uint_eq(f.cap_len, 4);
        ck_assert_uint_eq(f.wire_len, 60);
        ck_assert_mem_eq(f.bytes, "\1\2\3\4", 4);
    }
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_END);
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_END);
    ck_assert_str_eq(mrct_capture_message(c), "");
    mrct_capture_close(c);
}

START_TEST(reads_microseconds)
{
    expect_frames(micro, sizeof(micro), UINT64_C(3000005000));
}
END_TEST

START_TEST(reads_nanoseconds)
{
    expect_frames(nano, sizeof(nano), UINT64_C(3000000005));
}
END_TEST

/* A file may end anywhere; whole records before that are good, and one sentence is said. */
START_TEST(reads_a_cut_file_as_far_as_it_goes)
{
    struct mrct_capture_frame f;
    for (size_t len = 25; len < sizeof(nano); len++) {
        struct mrct_capture *const c = open_bytes(nano, len);
        const uint64_t whole = (len - 24) / RECORD_LEN;
        uint64_t n = 0;
        ck_assert_ptr_nonnull(c);
        while (mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME)
            n++;
        ck_assert_uint_eq(n, whole);
        const bool clean = (len - 24) % RECORD_LEN == 0;
        ck_assert_int_eq(mrct_capture_state(c), clean ? MRCT_CAPTURE_END : MRCT_CAPTURE_CUT);
        ck_assert_int_eq(strstr(mrct_capture_message(c), "is cut inside") == NULL, clean);
        mrct_capture_close(c);
    }
}
END_TEST

START_TEST(refuses_a_damaged_record)
{
    struct mrct_capture_frame f;
    uint8_t bad[sizeof(nano)];
    memcpy(bad, nano, sizeof(bad));
    memset(bad + 24 + RECORD_LEN + 8, 0xFF, 4); /* captured length of the second record */
    struct mrct_capture *const c = open_bytes(bad, sizeof(bad));
    ck_assert_ptr_nonnull(c);
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_FRAME);
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_BAD);
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_BAD);
    ck_assert_ptr_nonnull(strstr(mrct_capture_message(c), "damaged after frame 1"));
    mrct_capture_close(c);
}
END_TEST

START_TEST(refuses_what_is_no_capture)
{
    static const char text[] = "no capture, just a text of some length\n";
    ck_assert_ptr_null(open_bytes(text, sizeof(text)));
    ck_assert_ptr_nonnull(strstr(err, "is no pcap or pcapng capture"));
    ck_assert_ptr_null(open_bytes("", 0));
    ck_assert_ptr_nonnull(strstr(err, "is no pcap or pcapng capture"));
    ck_assert_ptr_null(open_bytes(wireless, sizeof(wireless)));
    ck_assert_ptr_nonnull(strstr(err, "only Ethernet"));
    ck_assert_ptr_null(mrct_capture_open(scratch_path("missing"), err, sizeof(err)));
    ck_assert_ptr_nonnull(strstr(err, "No such file"));
    ck_assert_ptr_null(mrct_capture_open(scratch_path(""), err, sizeof(err)));
    ck_assert_ptr_nonnull(strstr(err, "is a directory"));
    ck_assert_ptr_null(strchr(err, '\n'));
}
END_TEST

Suite *trace_capture_suite(void)
{
    Suite *const s = suite_create("capture");
    TCase *const t = tcase_create("capture");
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_test(t, reads_microseconds);
    tcase_add_test(t, reads_nanoseconds);
    tcase_add_test(t, reads_a_cut_file_as_far_as_it_goes);
    tcase_add_test(t, refuses_a_damaged_record);
    tcase_add_test(t, refuses_what_is_no_capture);
    suite_add_tcase(s, t);
    return s;
}
