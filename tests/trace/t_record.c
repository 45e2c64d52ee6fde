/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording frames and writing pcapng: read back by libpcap, and block by block. */
#include "harness/trace/capture.h"
#include "harness/trace/record.h"
#include "tests/trace/suites.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FRAMES 500u

static char err[400];

/* Frame n: (n * 7) % 300 bytes, each n plus its index. */
static uint32_t make_frame(uint64_t n, uint8_t *bytes)
{
    const uint32_t len = (uint32_t)(n * 7 % 300);
    for (uint32_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(n + i);
    return len;
}

static uint64_t time_of(uint64_t n)
{
    return n * UINT64_C(1000000007);
}

static struct mrct_record *filled(uint32_t snap_len)
{
    uint8_t bytes[300];
    struct mrct_record *const r = mrct_record_new(snap_len);
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(mrct_record_iface(r, "host1 plane 0", "requestor"), 0);
    ck_assert_int_eq(mrct_record_iface(r, "host2 plane 0", ""), 1);
    for (uint64_t n = 1; n <= FRAMES; n++) {
        const uint32_t len = make_frame(n, bytes);
        const enum mrct_dir dir = (enum mrct_dir)(n % 3);
        ck_assert_uint_eq(
            mrct_record_append(r, time_of(n), (int)(n % 2), dir, bytes, len, len + 10), n);
    }
    return r;
}

START_TEST(is_read_back_by_libpcap)
{
    struct mrct_capture_frame f;
    uint8_t bytes[300];
    struct mrct_record *const r = filled(0);
    ck_assert_int_eq(mrct_record_comment(r, 3, "FAIL REQ-1: one"), 0);
    ck_assert_int_eq(mrct_record_write(r, scratch_path("a.pcapng"), err, sizeof(err)), 0);
    struct mrct_capture *const c = mrct_capture_open(scratch_path("a.pcapng"), err, sizeof(err));
    ck_assert_ptr_nonnull(c);
    for (uint64_t n = 1; n <= FRAMES; n++) {
        const uint32_t len = make_frame(n, bytes);
        ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_FRAME);
        ck_assert_uint_eq(f.time_ns, time_of(n));
        ck_assert_uint_eq(f.cap_len, len);
        ck_assert_uint_eq(f.wire_len, len + 10);
        ck_assert_int_eq(memcmp(f.bytes, bytes, len), 0);
    }
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_END);
    mrct_capture_close(c);
    mrct_record_free(r);
}
END_TEST

static uint32_t get32(const char *p)
{
    const uint8_t *const b = (const uint8_t *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Lengths around each block agree, blocks fill the file, and each kind stands as often as it must.
 */
START_TEST(is_made_of_whole_blocks)
{
    struct mrct_record *const r = filled(0);
    size_t len, at = 0, sections = 0, ifaces = 0, packets = 0;
    ck_assert_int_eq(mrct_record_write(r, scratch_path("a.pcapng"), err, sizeof(err)), 0);
    char *const file = scratch_read(scratch_path("a.pcapng"), &len);
    while (at < len) {
        const uint32_t type = get32(file + at), size = get32(file + at + 4);
        ck_assert_uint_eq(size % 4, 0);
        ck_assert_uint_le(at + size, len);
        ck_assert_uint_eq(get32(file + at + size - 4), size);
        sections += type == 0x0A0D0D0A;
        ifaces += type == 1;
        packets += type == 6;
        at += size;
    }
    ck_assert_uint_eq(sections, 1);
    ck_assert_uint_eq(ifaces, 2);
    ck_assert_uint_eq(packets, FRAMES);
    free(file);
    mrct_record_free(r);
}
END_TEST

/* The comment option's code, length, text and padding. */
static bool has_comment(const char *file, size_t len, const char *text)
{
    const size_t text_len = strlen(text);
    char option[300] = {1, 0, (char)text_len, 0};
    memcpy(option + 4, text, text_len);
    return memmem(file, len, option, 4 + ((text_len + 3) & ~(size_t)3)) != NULL;
}

START_TEST(keeps_comments_in_order_and_clean)
{
    struct mrct_record *const r = filled(0);
    char big[5000];
    size_t len;
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    ck_assert_int_eq(mrct_record_comment(r, 1, "first"), 0);
    ck_assert_int_eq(mrct_record_comment(r, 1, "second\x01\xff"), 0);
    ck_assert_int_eq(mrct_record_comment(r, FRAMES, "last"), 0);
    ck_assert_int_eq(mrct_record_comment(r, 2, big), 0);
    ck_assert_int_eq(mrct_record_comment(r, 0, "no such frame"), -1);
    ck_assert_int_eq(mrct_record_comment(r, FRAMES + 1, "no such frame"), -1);
    ck_assert_int_eq(mrct_record_write(r, scratch_path("a.pcapng"), err, sizeof(err)), 0);
    char *const file = scratch_read(scratch_path("a.pcapng"), &len);
    ck_assert(has_comment(file, len, "first"));
    ck_assert(has_comment(file, len, "second\xEF\xBF\xBD\xEF\xBF\xBD"));
    ck_assert(has_comment(file, len, "last"));
    ck_assert_uint_lt((uintptr_t)memmem(file, len, "first", 5),
                      (uintptr_t)memmem(file, len, "second", 6));
    ck_assert_ptr_null(memmem(file, len, "no such frame", 13));
    free(file);
    mrct_record_free(r);
}
END_TEST

START_TEST(writes_the_same_bytes_again)
{
    size_t len_a, len_b;
    struct mrct_record *const r = filled(0);
    ck_assert_int_eq(mrct_record_write(r, scratch_path("a"), err, sizeof(err)), 0);
    ck_assert_int_eq(mrct_record_write(r, scratch_path("b"), err, sizeof(err)), 0);
    char *const a = scratch_read(scratch_path("a"), &len_a);
    char *const b = scratch_read(scratch_path("b"), &len_b);
    ck_assert_uint_eq(len_a, len_b);
    ck_assert_mem_eq(a, b, len_a);
    free(a);
    free(b);
    mrct_record_free(r);
}
END_TEST

START_TEST(keeps_no_more_than_the_snap_length)
{
    struct mrct_pcapng_frame f;
    struct mrct_record *const r = filled(64);
    ck_assert_int_eq(mrct_record_get(r, 20, &f), 0);
    ck_assert_uint_eq(f.cap_len, 64);
    ck_assert_uint_eq(f.wire_len, 150);
    ck_assert_int_eq(f.dir, MRCT_DIR_OUT);
    ck_assert_int_eq(mrct_record_get(r, 0, &f), -1);
    ck_assert_int_eq(mrct_record_get(r, FRAMES + 1, &f), -1);
    ck_assert_uint_eq(mrct_record_append(r, 0, 2, MRCT_DIR_IN, (const uint8_t *)"", 0, 0), 0);
    mrct_record_free(r);
}
END_TEST

START_TEST(leaves_nothing_half_written)
{
    struct mrct_outfile o;
    size_t len;
    scratch_file("a", "before", 6);
    ck_assert_int_eq(mrct_outfile_open(&o, scratch_path("a"), err, sizeof(err)), 0);
    fputs("half", o.file);
    mrct_outfile_abort(&o);
    char *text = scratch_read(scratch_path("a"), &len);
    ck_assert_str_eq(text, "before");
    free(text);
    ck_assert_uint_eq(scratch_count(), 1);
    ck_assert_int_eq(mrct_outfile_open(&o, scratch_path("a"), err, sizeof(err)), 0);
    fputs("after", o.file);
    ck_assert_int_eq(mrct_outfile_commit(&o, err, sizeof(err)), 0);
    text = scratch_read(scratch_path("a"), &len);
    ck_assert_str_eq(text, "after");
    free(text);
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(says_why_it_cannot_write)
{
    struct mrct_outfile o;
    ck_assert_int_eq(mrct_outfile_open(&o, scratch_path("none/a"), err, sizeof(err)), -1);
    ck_assert_ptr_nonnull(strstr(err, "none/a: cannot write: No such file"));
    struct stat st;
    if (stat("/dev/full", &st) != 0)
        return;
    struct mrct_record *const r = filled(0);
    ck_assert_int_eq(mrct_record_write(r, "/dev/full", err, sizeof(err)), -1);
    ck_assert_ptr_nonnull(strstr(err, "/dev/full: cannot write"));
    mrct_record_free(r);
}
END_TEST

Suite *trace_record_suite(void)
{
    Suite *const s = suite_create("record");
    TCase *const t = tcase_create("record");
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_test(t, is_read_back_by_libpcap);
    tcase_add_test(t, is_made_of_whole_blocks);
    tcase_add_test(t, keeps_comments_in_order_and_clean);
    tcase_add_test(t, writes_the_same_bytes_again);
    tcase_add_test(t, keeps_no_more_than_the_snap_length);
    tcase_add_test(t, leaves_nothing_half_written);
    tcase_add_test(t, says_why_it_cannot_write);
    suite_add_tcase(s, t);
    return s;
}
