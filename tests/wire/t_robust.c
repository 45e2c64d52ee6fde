/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes may come: every truncation of every golden frame, and random mutations of them, in
 * buffers of exactly their length so that a sanitizer sees the first byte read too far.
 * MRCT_LONG=1: ten million mutations; MRCT_QUICK=1: few.
 */
#include "ref/wire/icrc.h"
#include "ref/wire/print.h"
#include "tests/wire/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_EVERY 7u /* truncations: printing is slow, and its steps are the headers */

static uint8_t *exact_copy(const uint8_t *bytes, size_t len)
{
    uint8_t *const copy = malloc(len);
    ck_assert(copy != NULL || len == 0);
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

/* The texts of whatever was decoded fit, and reading them touches nothing else. */
static void print_both(const struct mrc_pkt *p, enum mrc_wire_error err)
{
    static char text[MRC_PRINT_FULL_MAX];
    ck_assert_uint_lt(mrc_print_line(p, err, text, sizeof text), MRC_PRINT_LINE_MAX);
    ck_assert_uint_lt(mrc_print_full(p, err, text, sizeof text), sizeof text);
}

/* The frame itself ended early: it can be no packet. */
static void truncated_on_wire(const struct mrc_wire_config *cfg, const struct golden_frame *f,
                              size_t len)
{
    struct mrc_pkt p;
    struct mrc_frame frame;
    uint8_t *const bytes = exact_copy(f->bytes, len);
    const enum mrc_wire_error err = mrc_pkt_decode(cfg, bytes, len, len, true, &p);
    ck_assert_msg(err == MRC_WIRE_CUT || err == MRC_WIRE_NOT_MRC, "%s at %zu: %s", f->name, len,
                  mrc_wire_error_str(err));
    ck_assert_int_eq(mrc_frame_parse(cfg, bytes, len, &frame), -1);
    if (len % TEXT_EVERY == 0) {
        print_both(&p, err);
    }
    free(bytes);
}

/* The capture ended early: fine as long as the headers are there. */
static void truncated_by_snap(const struct mrc_wire_config *cfg, const struct golden_frame *f,
                              size_t len, const struct mrc_pkt *whole, enum mrc_wire_error want)
{
    struct mrc_pkt p;
    uint8_t *const bytes = exact_copy(f->bytes, len);
    const enum mrc_wire_error err = mrc_pkt_decode(cfg, bytes, len, f->len, true, &p);
    const enum mrc_wire_error then = want == MRC_WIRE_BAD_ICRC ? MRC_WIRE_OK : want;
    ck_assert_msg(err == then || (len < whole->hdr_end + 12u && err == MRC_WIRE_CUT),
                  "%s at %zu: %s", f->name, len, mrc_wire_error_str(err));
    if (err == MRC_WIRE_OK) {
        ck_assert_uint_ge(len, whole->hdr_end);
        ck_assert_uint_eq(p.present, whole->present);
        ck_assert_uint_eq(p.payload_len, whole->payload_len);
        ck_assert_int_eq(p.icrc_state, MRC_ICRC_ABSENT);
        ck_assert(!p.payload || len >= whole->hdr_end + whole->payload_len);
    }
    if (len % TEXT_EVERY == 0) {
        print_both(&p, err);
    }
    free(bytes);
}

START_TEST(every_truncation)
{
    struct golden g;
    struct mrc_wire_config cfg;
    golden_load(&g);
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < g.count; i++) {
        const struct golden_frame *const f = &g.frames[i];
        struct mrc_pkt whole;
        const enum mrc_wire_error err =
            mrc_pkt_decode(&cfg, f->bytes, f->len, f->len, true, &whole);
        for (size_t len = 0; len < f->len; len++) {
            truncated_on_wire(&cfg, f, len);
            truncated_by_snap(&cfg, f, len, &whole, err);
        }
    }
    golden_free(&g);
}
END_TEST

/* ---- mutations ---- */

struct chance {
    uint64_t state;
};

static uint64_t draw(struct chance *c)
{
    uint64_t z = c->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static size_t below(struct chance *c, size_t n)
{
    return n == 0 ? 0 : (size_t)(draw(c) % n);
}

/* Changes bits, bytes, a field of a header, or repeats a piece of the frame over another. */
static void mutate(struct chance *c, const struct mrc_wire_config *cfg, uint8_t *bytes, size_t len)
{
    struct mrc_pkt p;
    switch (draw(c) % 4) {
    case 0:
        bytes[below(c, len)] ^= (uint8_t)(1u << draw(c) % 8);
        break;
    case 1:
        bytes[below(c, len)] = (uint8_t)draw(c);
        break;
    case 2:
        (void)mrc_pkt_decode(cfg, bytes, len, len, false, &p);
        for (unsigned tries = 0; tries < 20; tries++) {
            const struct mrc_field *const f = &mrc_fields[below(c, mrc_field_count)];
            if ((p.present >> f->hdr & 1) != 0) {
                mrc_field_set(f, bytes + p.off[f->hdr], draw(c));
                break;
            }
        }
        break;
    default: {
        const size_t n = below(c, len < 16 ? len : 16);
        memmove(bytes + below(c, len - n), bytes + below(c, len - n), n);
        break;
    }
    }
}

/* A right ICRC at the end, so that what lies behind the ICRC is reached. */
static void mend_icrc(const struct mrc_wire_config *cfg, uint8_t *bytes, size_t len)
{
    struct mrc_icrc_span span;
    if (len > 4 && mrc_icrc_find_span(bytes, len - 4, cfg->q6_icrc == 'b', &span)) {
        const uint32_t icrc = mrc_icrc_compute(bytes, &span);
        for (unsigned i = 0; i < 4; i++) {
            bytes[len - 4 + i] = (uint8_t)(icrc >> 8 * i);
        }
    }
}

/* What decodes also goes the other way. */
static void check_back(const struct mrc_wire_config *cfg, const uint8_t *bytes, size_t len,
                       const struct mrc_pkt *p, enum mrc_wire_error err)
{
    struct mrc_frame frame;
    struct mrc_pkt q;
    uint8_t buf[MRC_FRAME_MAX];
    if (mrc_frame_parse(cfg, bytes, len, &frame) != 0) {
        return;
    }
    const size_t n = mrc_frame_gather(cfg, &frame, buf, sizeof buf);
    ck_assert_uint_eq(n, p->wire_len);
    ck_assert_int_eq(memcmp(buf, bytes, n), 0);
    ck_assert_int_eq(mrc_pkt_decode_frame(cfg, &frame, &q), err);
    ck_assert_uint_eq(q.present, p->present);
    ck_assert_uint_eq(q.payload_len, p->payload_len);
    ck_assert_int_eq(q.icrc_state, p->icrc_state);
    if (p->payload_len > 0) {
        ck_assert_int_eq(memcmp(q.payload, p->payload, p->payload_len), 0);
    }
}

/* Its line reads back to the same line, and a damaged line is refused or read, nothing worse. */
static void check_line(struct chance *c, const struct mrc_wire_config *cfg, const struct mrc_pkt *p,
                       enum mrc_wire_error err)
{
    char line[MRC_PRINT_LINE_MAX], again[MRC_PRINT_LINE_MAX], why[200] = "";
    struct mrc_pkt q;
    const size_t n = mrc_print_line(p, err, line, sizeof line);
    ck_assert_uint_lt(n, sizeof line);
    ck_assert_msg(mrc_print_parse_line(cfg, line, &q, why, sizeof why) == 0, "%s: %s", line, why);
    (void)mrc_print_line(&q, err, again, sizeof again);
    ck_assert_str_eq(line, again);
    line[below(c, n)] = (char)(32 + draw(c) % 95);
    (void)mrc_print_parse_line(cfg, line, &q, why, sizeof why);
    line[below(c, n)] = '\0';
    (void)mrc_print_parse_line(cfg, line, &q, why, sizeof why);
}

static void one_mutation(struct chance *c, const struct mrc_wire_config *cfg,
                         const struct golden_frame *f)
{
    struct mrc_pkt p;
    const size_t len = draw(c) % 8 == 0 ? 1 + below(c, f->len) : f->len;
    uint8_t *const bytes = exact_copy(f->bytes, len);
    for (size_t n = 1 + below(c, 4); n > 0; n--) {
        mutate(c, cfg, bytes, len);
    }
    if (draw(c) % 4 != 0) {
        mend_icrc(cfg, bytes, len);
    }
    const size_t cap = draw(c) % 4 == 0 ? below(c, len) : len;
    uint8_t *const seen = exact_copy(bytes, cap);
    enum mrc_wire_error err = mrc_pkt_decode(cfg, seen, cap, len, true, &p);
    if (draw(c) % 32 == 0) {
        print_both(&p, err);
    }
    free(seen);
    err = mrc_pkt_decode(cfg, bytes, len, len, true, &p);
    ck_assert_uint_lt((unsigned)err, MRC_WIRE_ERRORS);
    if (err == MRC_WIRE_OK) {
        ck_assert_uint_le(p.wire_len, len);
        check_back(cfg, bytes, len, &p, err);
        if (draw(c) % 8 == 0) {
            check_line(c, cfg, &p, err);
        }
    }
    free(bytes);
}

static bool is_set(const char *name)
{
    const char *const value = getenv(name);
    return value && *value != '\0';
}

START_TEST(random_mutations)
{
    struct golden g;
    struct mrc_wire_config cfg;
    struct chance c = {20260101};
    const size_t times = is_set("MRCT_LONG") ? 10000000 : is_set("MRCT_QUICK") ? 2000 : 100000;
    golden_load(&g);
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < times; i++) {
        cfg.q6_icrc = i % 16 == 0 ? 'b' : 'a';
        cfg.q3_ev = i % 16 == 1 ? 'b' : 'a';
        one_mutation(&c, &cfg, &g.frames[below(&c, g.count)]);
    }
    golden_free(&g);
}
END_TEST

Suite *suite_robust(void)
{
    Suite *const s = suite_create("robust");
    TCase *const t = tcase_create("any bytes");
    tcase_set_timeout(t, 0);
    tcase_add_test(t, every_truncation);
    tcase_add_test(t, random_mutations);
    suite_add_tcase(s, t);
    return s;
}
