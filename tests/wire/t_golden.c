/* SPDX-License-Identifier: BSD-2-Clause */
/* Golden frames decode to the expected fields and reasons, and encode back to the same bytes. */
#include "tests/wire/golden.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* Headers in which a golden field's JSON name is looked up: any present one that has it. */
static bool field_value(const struct mrc_pkt *p, const uint8_t *bytes, const char *key,
                        int64_t *value)
{
    for (size_t i = 0; i < mrc_field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[i];
        if (!f->json || strcmp(f->json, key) != 0 || !(p->present & UINT32_C(1) << f->hdr) ||
            !mrc_field_applies(f, bytes + p->off[f->hdr])) {
            continue;
        }
        const uint64_t raw = mrc_field_get(f, bytes + p->off[f->hdr]);
        *value = f->is_signed && f->bit_width == 16 ? (int16_t)raw : (int64_t)raw;
        return true;
    }
    return false;
}

static void check_address(const struct golden_frame *f, const json_t *want, const uint8_t *got)
{
    uint8_t addr[16];
    ck_assert_int_eq(inet_pton(AF_INET6, json_string_value(want), addr), 1);
    ck_assert_msg(memcmp(addr, got, 16) == 0, "%s: address", f->name);
}

static void check_field(const struct golden_frame *f, const struct mrc_pkt *p, const char *key,
                        const json_t *want)
{
    int64_t got = 0;
    if (strcmp(key, "srv6") == 0) {
        ck_assert(p->has_outer);
        check_address(f, want, p->outer_ip6.dst);
        return;
    }
    if (strcmp(key, "srh") == 0) {
        ck_assert(MRC_PKT_HAS(p, SRH));
        check_address(f, want, p->srh.segment);
        return;
    }
    if (strcmp(key, "payload_len") == 0) {
        got = p->payload_len;
    } else if (strcmp(key, "ev") == 0) {
        got = p->ev;
    } else if (strcmp(key, "trimmed") == 0) {
        got = p->trim != MRC_TRIM_NONE;
    } else {
        const bool found = field_value(p, f->bytes, key, &got);
        ck_assert_msg(found == !json_is_null(want), "%s: %s is%s there", f->name, key,
                      found ? "" : " not");
    }
    ck_assert_msg(json_is_null(want) || got == golden_number(want), "%s: %s is %lld", f->name, key,
                  (long long)got);
}

START_TEST(fields_and_reasons)
{
    struct golden g;
    struct mrc_wire_config cfg;
    golden_load(&g);
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < g.count; i++) {
        const struct golden_frame *const f = &g.frames[i];
        struct mrc_pkt p;
        const enum mrc_wire_error err = mrc_pkt_decode(&cfg, f->bytes, f->len, f->len, true, &p);
        const char *const want = golden_malformed(f) ? f->why : "ok";
        ck_assert_msg(strcmp(mrc_wire_error_str(err), want) == 0, "%s: %s", f->name,
                      mrc_wire_error_str(err));
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)(uintptr_t)f->fields, key, value)
        {
            check_field(f, &p, key, value);
        }
        ck_assert_uint_eq(p.wire_len, f->len);
    }
    golden_free(&g);
}
END_TEST

static void check_bytes(const struct mrc_wire_config *cfg, const struct golden_frame *f,
                        const struct mrc_frame *frame, const char *how)
{
    uint8_t buf[MRC_FRAME_MAX];
    const size_t n = mrc_frame_gather(cfg, frame, buf, sizeof buf);
    ck_assert_msg(n == f->len, "%s %s: %zu bytes of %zu", f->name, how, n, f->len);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(buf[i] == f->bytes[i], "%s %s: byte %zu is %02x, not %02x", f->name, how, i,
                      buf[i], f->bytes[i]);
    }
    ck_assert_uint_eq(mrc_frame_gather(cfg, frame, buf, n - 1), 0);
}

START_TEST(encode_back)
{
    struct golden g;
    struct mrc_wire_config cfg;
    golden_load(&g);
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < g.count; i++) {
        const struct golden_frame *const f = &g.frames[i];
        struct mrc_pkt p;
        struct mrc_frame frame;
        const enum mrc_wire_error err = mrc_pkt_decode(&cfg, f->bytes, f->len, f->len, true, &p);
        if (err != MRC_WIRE_OK && err != MRC_WIRE_BAD_ICRC) {
            ck_assert_int_eq(mrc_frame_parse(&cfg, f->bytes, f->len, &frame), -1);
            continue;
        }
        ck_assert_int_eq(mrc_pkt_encode_raw(&cfg, &p, &frame), 0);
        check_bytes(&cfg, f, &frame, "raw");
        ck_assert_int_eq(mrc_frame_parse(&cfg, f->bytes, f->len, &frame), 0);
        check_bytes(&cfg, f, &frame, "parsed");
        if (p.trim == MRC_TRIM_NONE && err == MRC_WIRE_OK) {
            ck_assert_int_eq(mrc_pkt_encode(&cfg, &p, &frame), 0);
            check_bytes(&cfg, f, &frame, "encoded");
        }
    }
    golden_free(&g);
}
END_TEST

/* A frame inside the suite decodes to what its bytes decode to. */
START_TEST(decode_frame_agrees)
{
    struct golden g;
    struct mrc_wire_config cfg;
    golden_load(&g);
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < g.count; i++) {
        const struct golden_frame *const f = &g.frames[i];
        struct mrc_frame frame;
        struct mrc_pkt a, b;
        if (mrc_frame_parse(&cfg, f->bytes, f->len, &frame) != 0) {
            continue;
        }
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        const enum mrc_wire_error ea = mrc_pkt_decode(&cfg, f->bytes, f->len, f->len, true, &a);
        const enum mrc_wire_error eb = mrc_pkt_decode_frame(&cfg, &frame, &b);
        ck_assert_int_eq(ea, eb);
        if (a.payload_len > 0) {
            ck_assert_ptr_nonnull(b.payload);
            ck_assert_int_eq(memcmp(a.payload, b.payload, a.payload_len), 0);
        }
        a.payload = b.payload = NULL;
        a.icrc_expected = b.icrc_expected = 0;
        a.icrc_head = b.icrc_head = 0;
        a.has_icrc_head = b.has_icrc_head = false;
        a.icrc = b.icrc = 0;
        ck_assert_msg(memcmp(&a, &b, sizeof a) == 0, "%s", f->name);
    }
    golden_free(&g);
}
END_TEST

Suite *suite_golden(void)
{
    Suite *const s = suite_create("golden");
    TCase *const t = tcase_create("frames");
    tcase_add_test(t, fields_and_reasons);
    tcase_add_test(t, encode_back);
    tcase_add_test(t, decode_frame_agrees);
    suite_add_tcase(s, t);
    return s;
}
