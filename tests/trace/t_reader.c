/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything else that is read: pcapng, packed files, other links, tunnels, rings and disorder. */
#include "harness/trace/decap.h"
#include "harness/trace/feed.h"
#include "harness/trace/link.h"
#include "harness/trace/pcapng.h"
#include "tests/trace/suites.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static char err[400];

/* ---- pcapng, made block by block in either byte order ---- */

struct maker {
    uint8_t bytes[4096];
    size_t len;
    bool big;
};

static void put(struct maker *m, uint64_t v, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        m->bytes[m->len++] = (uint8_t)(v >> 8 * (m->big ? size - 1 - i : i));
}

static size_t begin(struct maker *m, uint32_t type)
{
    const size_t at = m->len;
    put(m, type, 4);
    put(m, 0, 4);
    return at;
}

static void end(struct maker *m, size_t at)
{
    const uint32_t len = (uint32_t)(m->len - at) + 4;
    put(m, len, 4);
    const size_t keep = m->len;
    m->len = at + 4;
    put(m, len, 4);
    m->len = keep;
}

static void section(struct maker *m)
{
    const size_t at = begin(m, 0x0A0D0D0A);
    put(m, 0x1A2B3C4D, 4);
    put(m, 1, 2);
    put(m, 0, 2);
    put(m, UINT64_MAX, 8);
    end(m, at);
}

static void interface(struct maker *m, unsigned link, const char *name, unsigned resol)
{
    const size_t at = begin(m, 1);
    put(m, link, 2);
    put(m, 0, 2);
    put(m, 0, 4);
    put(m, 2, 2); /* if_name */
    put(m, 4, 2);
    memcpy(m->bytes + m->len, name, 4);
    m->len += 4;
    put(m, 9, 2); /* if_tsresol */
    put(m, 1, 2);
    put(m, resol, 1);
    put(m, 0, 3);
    put(m, 0, 4);
    end(m, at);
}

static void frame(struct maker *m, uint32_t iface, uint64_t units, uint64_t dropped)
{
    const size_t at = begin(m, 6);
    put(m, iface, 4);
    put(m, units >> 32, 4);
    put(m, units & 0xFFFFFFFF, 4);
    put(m, 14, 4);
    put(m, 60, 4);
    for (unsigned i = 0; i < 16; i++)
        put(m, i < 14 ? i : 0, 1);
    if (dropped > 0) {
        put(m, 4, 2); /* epb_dropcount */
        put(m, 8, 2);
        put(m, dropped, 8);
        put(m, 0, 4);
    }
    end(m, at);
}

static void statistics(struct maker *m, uint32_t iface, uint64_t dropped)
{
    const size_t at = begin(m, 5);
    put(m, iface, 4);
    put(m, 0, 8);
    put(m, 7, 2); /* isb_osdrop */
    put(m, 8, 2);
    put(m, dropped, 8);
    put(m, 0, 4);
    end(m, at);
}

static void whole(struct maker *m, bool big)
{
    *m = (struct maker){.big = big};
    section(m);
    interface(m, 1, "eth0", 9);
    interface(m, 1, "eth1", 6);
    frame(m, 0, UINT64_C(5000000007), 0);
    frame(m, 1, UINT64_C(6000000), 3);
    statistics(m, 0, 12);
    section(m); /* interfaces are numbered anew */
    interface(m, 1, "eth2", 0x80 | 10);
    frame(m, 0, 7 * 1024 + 512, 0);
}

START_TEST(reads_pcapng_of_either_byte_order)
{
    static const uint64_t times[] = {5000000007, 6000000000, 7500000000};
    struct maker m;
    struct mrct_capture_frame f;
    whole(&m, _i == 1);
    struct mrct_capture *const c =
        mrct_capture_open(scratch_file("a.pcapng", m.bytes, m.len), err, sizeof(err));
    ck_assert_msg(c != NULL, "%s", err);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_FRAME);
        ck_assert_uint_eq(f.time_ns, times[i]);
        ck_assert_uint_eq(f.iface, i);
        ck_assert_uint_eq(f.cap_len, 14);
        ck_assert_uint_eq(f.wire_len, 60);
        ck_assert_uint_eq(f.dropped_before, i == 1 ? 3 : 0);
        ck_assert_uint_eq(f.bytes[13], 13);
    }
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_END);
    ck_assert_uint_eq(mrct_capture_iface_count(c), 3);
    ck_assert_str_eq(mrct_capture_iface(c, 2)->name, "eth2");
    ck_assert_uint_eq(mrct_capture_iface(c, 0)->dropped, 12);
    ck_assert_uint_eq(mrct_capture_iface(c, 1)->dropped, 3);
    mrct_capture_close(c);
}
END_TEST

START_TEST(writes_what_it_reads)
{
    static const uint8_t bytes[14] = {0};
    const struct mrct_pcapng_iface iface = {
        .name = "eth0", .description = "NIC", .comment = "requestor", .link = 1, .snap_len = 96};
    const struct mrct_pcapng_counts counts = {.received = 100, .dropped_iface = 2, .dropped_os = 7};
    const struct mrct_pcapng_frame frame_out = {
        .time_ns = 5, .bytes = bytes, .cap_len = 14, .wire_len = 60, .dropped_before = 3};
    const char *const path = scratch_file("b.pcapng", bytes, sizeof(bytes));
    struct mrct_pcapng w;
    struct mrct_capture_frame f;
    ck_assert_int_eq(mrct_pcapng_open(&w, path, err, sizeof(err)), 0);
    ck_assert_uint_eq(mrct_pcapng_iface_add(&w, &iface), 0);
    mrct_pcapng_frame(&w, &frame_out);
    mrct_pcapng_counts(&w, 0, 5, &counts);
    ck_assert_int_eq(mrct_pcapng_commit(&w, err, sizeof(err)), 0);
    struct mrct_capture *const c = mrct_capture_open(path, err, sizeof(err));
    ck_assert_msg(c != NULL, "%s", err);
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_FRAME);
    ck_assert_uint_eq(f.dropped_before, 3);
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_END);
    const struct mrct_capture_iface *const i = mrct_capture_iface(c, 0);
    ck_assert_str_eq(i->comment, "requestor");
    ck_assert_uint_eq(i->snap_len, 96);
    ck_assert(i->have_counts);
    ck_assert_uint_eq(i->received, 100);
    ck_assert_uint_eq(i->dropped_iface, 2);
    ck_assert_uint_eq(i->dropped_os, 7);
    ck_assert_uint_eq(i->dropped, 9);
    mrct_capture_close(c);
}
END_TEST

/* However a file ends or is damaged, it is read as far as it goes and nothing else happens. */
START_TEST(survives_every_cut_and_byte)
{
    struct maker m;
    struct mrct_capture_frame f;
    whole(&m, false);
    for (size_t n = 0; n < 2 * m.len; n++) {
        uint8_t bytes[sizeof(m.bytes)];
        memcpy(bytes, m.bytes, m.len);
        if (n >= m.len)
            bytes[n - m.len] ^= 0xFF;
        struct mrct_capture *const c = mrct_capture_open(
            scratch_file("b.pcapng", bytes, n < m.len ? n : m.len), err, sizeof(err));
        uint64_t frames = 0;
        while (c != NULL && mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME)
            frames++;
        ck_assert_uint_le(frames, 3);
        mrct_capture_close(c);
    }
}
END_TEST

static struct mrct_capture *open_packed(bool zstd, const uint8_t *bytes, size_t len, size_t less)
{
    static uint8_t packed[8192];
    size_t n;
    if (zstd) {
        n = ZSTD_compress(packed, sizeof(packed), bytes, len, 3);
    } else {
        gzFile gz = gzopen(scratch_path("p.gz"), "wb");
        ck_assert_int_eq(gzwrite(gz, bytes, (unsigned)len), (int)len);
        gzclose(gz);
        size_t got;
        char *const text = scratch_read(scratch_path("p.gz"), &got);
        memcpy(packed, text, got);
        free(text);
        n = got;
    }
    return mrct_capture_open(scratch_file("packed", packed, n - less), err, sizeof(err));
}

START_TEST(reads_packed_files)
{
    struct maker m;
    struct mrct_capture_frame f;
    whole(&m, false);
    struct mrct_capture *c = open_packed(_i == 1, m.bytes, m.len, 0);
    ck_assert_msg(c != NULL, "%s", err);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_FRAME);
    ck_assert_int_eq(mrct_capture_next(c, &f), MRCT_CAPTURE_END);
    mrct_capture_close(c);
    c = open_packed(_i == 1, m.bytes, m.len, 12);
    while (c != NULL && mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME)
        ;
    if (c != NULL)
        ck_assert_int_eq(mrct_capture_state(c), MRCT_CAPTURE_CUT);
    mrct_capture_close(c);
}
END_TEST

/* ---- links ---- */

START_TEST(puts_ethernet_in_place_of_other_links)
{
    static const struct {
        unsigned link, header;
        uint8_t bytes[24];
    } rows[] = {
        {MRCT_LINK_SLL, 16, {0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 0x86, 0xDD, 0x60}},
        {MRCT_LINK_SLL2, 20, {0x86, 0xDD, 0, 0, 0, 0, 0, 1, 0, 1,   0,
                              6,    1,    2, 3, 4, 5, 6, 0, 0, 0x60}},
        {MRCT_LINK_RAW, 0, {0x60}},
        {MRCT_LINK_IPV6, 0, {0x60}},
    };
    uint8_t view[MRCT_LINK_VIEW_MAX];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mrct_link_frame f = {rows[i].bytes, rows[i].header + 4, 100};
        mrct_link_view(rows[i].link, &f, view);
        ck_assert_uint_eq(f.cap_len, 18);
        ck_assert_uint_eq(f.wire_len, 114 - rows[i].header);
        ck_assert_uint_eq(f.bytes[12], 0x86);
        ck_assert_uint_eq(f.bytes[13], 0xDD);
        ck_assert_uint_eq(f.bytes[14], 0x60);
        for (uint32_t len = 0; len < rows[i].header; len++) {
            struct mrct_link_frame cut = {rows[i].bytes, len, len};
            mrct_link_view(rows[i].link, &cut, view);
            ck_assert_uint_eq(cut.cap_len, 14);
            ck_assert_uint_eq(cut.bytes[12], 0);
        }
    }
    ck_assert(!mrct_link_is_read(105));
}
END_TEST

/* ---- tunnels ---- */

#define INNER 0xAA, 0xBB, 0xCC

static const uint8_t vxlan[] = {
    0,    0, 0,    0,    0, 0,  0, 0, 0,  0,  0, 0, 0x81, 0, 0, 5, 0x08, 0, /* one tag */
    0x45, 0, 0,    39,   0, 0,  0, 0, 64, 17, 0, 0, 1,    1, 1, 1, 2,    2,
    2,    2, /* 39: 3 bytes inside */
    0xC0, 0, 0x12, 0xB5, 0, 19, 0, 0, 8,  0,  0, 0, 0,    0, 1, 0, INNER};
static const uint8_t erspan2[] = {0, 0,    0, 0,    0,  0, 0, 0, 0,    0,  0,    0,    0x08,
                                  0, 0x45, 0, 0,    39, 0, 0, 0, 0,    64, 47,   0,    0,
                                  1, 1,    1, 1,    2,  2, 2, 2, 0x10, 0,  0x88, 0xBE, 0,
                                  0, 0,    1, 0x10, 1,  0, 1, 0, 0,    0,  0,    INNER};
static const uint8_t erspan1[] = {0, 0,    0, 0, 0,  0, 0, 0, 0, 0,  0,    0,    0x08,
                                  0, 0x45, 0, 0, 27, 0, 0, 0, 0, 64, 47,   0,    0,
                                  1, 1,    1, 1, 2,  2, 2, 2, 0, 0,  0x88, 0xBE, INNER};
static const uint8_t erspan3[] = {
    0,    0,  0,  0, 0, 0,    0, 0, 0,    0, 0, 0, 0x86, 0xDD, 0x60, 0, 0,    0, 0,
    31,   47, 64, 1, 1, 1,    1, 1, 1,    1, 1, 1, 1,    1,    1,    1, 1,    1, 1,
    2,    2,  2,  2, 2, 2,    2, 2, 2,    2, 2, 2, 2,    2,    2,    2, 0x10, 0, 0x22,
    0xEB, 0,  0,  0, 1, 0x20, 1, 0, 1,    0, 0, 0, 0,    0,    0,    0, 1, /* subheader: */
    0,    0,  0,  0, 0, 0,    0, 0, INNER};

static const struct {
    const uint8_t *bytes;
    size_t len;
    enum mrct_tunnel tunnel;
} tunnels[] = {{vxlan, sizeof(vxlan), MRCT_TUNNEL_VXLAN},
               {erspan2, sizeof(erspan2), MRCT_TUNNEL_ERSPAN},
               {erspan1, sizeof(erspan1), MRCT_TUNNEL_ERSPAN},
               {erspan3, sizeof(erspan3), MRCT_TUNNEL_ERSPAN}};

START_TEST(takes_frames_out_of_tunnels)
{
    const size_t len = tunnels[_i].len;
    struct mrct_inner in = {0};
    ck_assert_int_eq(mrct_decap(tunnels[_i].bytes, (uint32_t)len, (uint32_t)len, &in),
                     tunnels[_i].tunnel);
    ck_assert_uint_eq(in.cap_len, 3);
    ck_assert_uint_eq(in.wire_len, 3);
    ck_assert_uint_eq(in.bytes[0], 0xAA);
    /* An FCS behind the packet belongs to the outer frame. */
    uint8_t *const more = calloc(1, len + 4);
    memcpy(more, tunnels[_i].bytes, len);
    ck_assert_int_eq(mrct_decap(more, (uint32_t)len + 4, (uint32_t)len + 4, &in),
                     tunnels[_i].tunnel);
    ck_assert_uint_eq(in.wire_len, 3);
    free(more);
    for (size_t n = 0; n < len - 3; n++) { /* in memory of just that size */
        uint8_t *const cut = malloc(n + 1);
        memcpy(cut, tunnels[_i].bytes, n);
        ck_assert_int_eq(mrct_decap(cut, (uint32_t)n, (uint32_t)len, &in), MRCT_TUNNEL_NONE);
        free(cut);
    }
}
END_TEST

/* ---- several files, and times ---- */

static const char *write_file(const char *name, const uint64_t *times, size_t n)
{
    struct maker m = {.big = false};
    section(&m);
    interface(&m, 1, "eth0", 9);
    for (size_t i = 0; i < n; i++)
        frame(&m, 0, times[i], 0);
    return scratch_file(name, m.bytes, m.len);
}

static void expect_times(const struct mrct_feed_config *cfg, const uint64_t *times, size_t n)
{
    struct mrct_capture_frame f;
    struct mrct_feed *const feed = mrct_feed_open(cfg, err, sizeof(err));
    ck_assert_msg(feed != NULL, "%s", err);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(mrct_feed_next(feed, &f), MRCT_CAPTURE_FRAME);
        ck_assert_uint_eq(f.time_ns, times[i]);
    }
    ck_assert_int_eq(mrct_feed_next(feed, &f), MRCT_CAPTURE_END);
    mrct_feed_close(feed);
}

START_TEST(reads_a_ring_in_the_order_of_its_frames)
{
    static const uint64_t a[] = {300, 400}, b[] = {100, 200}, all[] = {100, 200, 300, 400};
    const char *const files[] = {write_file("r0", a, 2), write_file("r1", b, 2)};
    const struct mrct_feed_config cfg = {.files = files, .file_count = 2};
    expect_times(&cfg, all, 4);
    struct mrct_capture_frame f;
    struct mrct_feed *const feed = mrct_feed_open(&cfg, err, sizeof(err));
    while (mrct_feed_next(feed, &f) == MRCT_CAPTURE_FRAME)
        ck_assert_uint_eq(f.frame_no, f.time_ns / 100);
    ck_assert_uint_eq(mrct_feed_iface_count(feed), 1); /* the same name in both */
    ck_assert_uint_eq(mrct_feed_iface(feed, 0)->frames, 4);
    mrct_feed_close(feed);
}
END_TEST

START_TEST(merges_by_time_with_an_offset)
{
    static const uint64_t a[] = {100, 300}, b[] = {1200, 1400}, all[] = {100, 200, 300, 400};
    static const int64_t offsets[] = {0, -1000};
    const char *const files[] = {write_file("m0", a, 2), write_file("m1", b, 2)};
    const struct mrct_feed_config cfg = {
        .files = files, .file_count = 2, .merge = true, .offset_ns = offsets};
    expect_times(&cfg, all, 4);
}
END_TEST

START_TEST(sorts_or_follows_the_clock)
{
    static const uint64_t a[] = {100, 300, 200, 400}, sorted[] = {100, 200, 300, 400},
                          stepped[] = {100, 300, 300, 500};
    const char *const files[] = {write_file("s0", a, 4)};
    struct mrct_feed_config cfg = {
        .files = files, .file_count = 1, .order = MRCT_ORDER_SORT, .window = 16};
    expect_times(&cfg, sorted, 4);
    cfg.order = MRCT_ORDER_STEPS;
    expect_times(&cfg, stepped, 4);
    const struct mrct_order_seen
        few = {.frames = 1000, .backward = 10, .below = 12, .back_max_ns = 5000000},
        step = {.frames = 1000, .backward = 1, .below = 400, .back_max_ns = 5000000};
    ck_assert_int_eq(mrct_order_needed(&few), MRCT_ORDER_SORT);
    ck_assert_int_eq(mrct_order_needed(&step), MRCT_ORDER_STEPS);
}
END_TEST

Suite *trace_reader_suite(void)
{
    Suite *const s = suite_create("reader");
    TCase *const t = tcase_create("reader");
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_loop_test(t, reads_pcapng_of_either_byte_order, 0, 2);
    tcase_add_test(t, writes_what_it_reads);
    tcase_add_test(t, writes_what_it_reads);
    tcase_add_test(t, survives_every_cut_and_byte);
    tcase_add_loop_test(t, reads_packed_files, 0, 2);
    tcase_add_test(t, puts_ethernet_in_place_of_other_links);
    tcase_add_loop_test(t, takes_frames_out_of_tunnels, 0,
                        (int)(sizeof(tunnels) / sizeof(tunnels[0])));
    tcase_add_test(t, reads_a_ring_in_the_order_of_its_frames);
    tcase_add_test(t, merges_by_time_with_an_offset);
    tcase_add_test(t, sorts_or_follows_the_clock);
    suite_add_tcase(s, t);
    return s;
}
