/* SPDX-License-Identifier: BSD-2-Clause */
/* The one-line notation and back, and the full text. */
#include "ref/wire/print.h"
#include "tests/wire/golden.h"

#include <stdio.h>
#include <string.h>

/* Bytes from the UDP header on: what the line says, without addresses and link. */
static void check_same_headers(const char *line, const struct mrc_wire_config *cfg,
                               const struct mrc_pkt *a, const struct mrc_pkt *b)
{
    struct mrc_frame fa, fb;
    ck_assert_int_eq(mrc_pkt_encode_raw(cfg, a, &fa), 0);
    ck_assert_int_eq(mrc_pkt_encode_raw(cfg, b, &fb), 0);
    const size_t na = (size_t)fa.hdr_len - a->off[MRC_HDR_UDP];
    const size_t nb = (size_t)fb.hdr_len - b->off[MRC_HDR_UDP];
    ck_assert_msg(na == nb, "%s", line);
    ck_assert_msg(memcmp(fa.hdr + a->off[MRC_HDR_UDP], fb.hdr + b->off[MRC_HDR_UDP], na) == 0, "%s",
                  line);
    ck_assert_msg(a->ev == b->ev && a->dscp == b->dscp && a->ecn == b->ecn &&
                      a->inner_dscp == b->inner_dscp && a->inner_ecn == b->inner_ecn &&
                      a->payload_len == b->payload_len && a->trim == b->trim &&
                      a->has_outer == b->has_outer,
                  "%s", line);
}

START_TEST(round_trip)
{
    struct golden g;
    struct mrc_wire_config cfg;
    golden_load(&g);
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < g.count; i++) {
        const struct golden_frame *const f = &g.frames[i];
        struct mrc_pkt p, q;
        char line[MRC_PRINT_LINE_MAX], again[MRC_PRINT_LINE_MAX], err[200] = "";
        const enum mrc_wire_error e = mrc_pkt_decode(&cfg, f->bytes, f->len, f->len, true, &p);
        const size_t n = mrc_print_line(&p, e, line, sizeof line);
        ck_assert_uint_lt(n, sizeof line);
        ck_assert_uint_eq(n, strlen(line));
        if (e != MRC_WIRE_OK) {
            ck_assert_ptr_nonnull(strstr(line, f->why));
            if (e != MRC_WIRE_BAD_ICRC) {
                continue;
            }
        }
        ck_assert_msg(mrc_print_parse_line(&cfg, line, &q, err, sizeof err) == 0, "%s: %s", line,
                      err);
        (void)mrc_print_line(&q, e, again, sizeof again);
        ck_assert_str_eq(line, again);
        check_same_headers(line, &cfg, &p, &q);
    }
    golden_free(&g);
}
END_TEST

/* The line of the notation's description. */
START_TEST(example)
{
    static const char line[] = "IP6 fd00::1 > fd00::2 ev 0x304e0be4 dscp 4 ect0: MRC WRITE_MIDDLE "
                               "qp 0x11 psn 111 A RTX ts 1234 msn 3 rqmsn 0 va 0x10992 "
                               "rkey 0x1234 dma 5000 len 256";
    struct mrc_wire_config cfg;
    struct mrc_pkt p;
    struct mrc_frame f;
    char again[MRC_PRINT_LINE_MAX], err[200];
    uint8_t buf[MRC_FRAME_MAX];
    mrc_wire_config_default(&cfg);
    ck_assert_int_eq(mrc_print_parse_line(&cfg, line, &p, err, sizeof err), 0);
    ck_assert_uint_eq(p.bth.psn, 111);
    ck_assert_uint_eq(p.tseth.tx_timestamp, 1234);
    ck_assert_uint_eq(p.reth.dma_len, 5000);
    ck_assert_uint_eq(p.ev, 0x304e0be4);
    ck_assert_int_eq(p.ecn, MRC_ECN_ECT0);
    (void)mrc_print_line(&p, MRC_WIRE_OK, again, sizeof again);
    ck_assert_str_eq(line, again);
    ck_assert_int_eq(mrc_pkt_encode(&cfg, &p, &f), 0);
    const size_t n = mrc_frame_gather(&cfg, &f, buf, sizeof buf);
    ck_assert_uint_eq(n, 14 + 40 + 8 + 12 + 4 + 4 + 16 + 256 + 4);
    ck_assert_int_eq(mrc_pkt_decode(&cfg, buf, n, n, true, &p), MRC_WIRE_OK);
}
END_TEST

/* A bitmap as PSN ranges, over the wrap, and every single bit. */
START_TEST(sack_ranges)
{
    struct mrc_wire_config cfg;
    struct mrc_pkt p, q;
    char line[MRC_PRINT_LINE_MAX], err[200];
    mrc_wire_config_default(&cfg);
    static const char sack[] =
        "IP 10.1.0.1 > 10.2.0.1 ev 0x00010000 dscp 46: MRC SACK qp 0x22 psn 16777214 cack 16777214 "
        "off 3 entropy 0x10000 mpr 8 soff 1 sack 16777215-1,3 spdcid 0x11 dpdcid 0x22 ts 7 ooo 4 "
        "pen 0 rcvd 9";
    ck_assert_int_eq(mrc_print_parse_line(&cfg, sack, &p, err, sizeof err), 0);
    ck_assert_uint_eq(p.seth.sack_bitmap, 0x17);
    (void)mrc_print_line(&p, MRC_WIRE_OK, line, sizeof line);
    ck_assert_str_eq(line, sack);
    for (unsigned i = 0; i < 64; i++) {
        p.seth.sack_bitmap = UINT64_C(0xF0F0F0F0F0F0F0F1) << i;
        (void)mrc_print_line(&p, MRC_WIRE_OK, line, sizeof line);
        ck_assert_int_eq(mrc_print_parse_line(&cfg, line, &q, err, sizeof err), 0);
        ck_assert_uint_eq(q.seth.sack_bitmap, p.seth.sack_bitmap);
    }
}
END_TEST

static const struct {
    const char *line, *err;
} bad_lines[] = {
    {"", "column 1: expected addresses"},
    {"IP6 fd00::1 > fd00::2 ev 1 MRC ACK", "column 1: expected addresses"},
    {"IP6 fd00::1 fd00::2 ev 1: MRC ACK", "column 13: expected '>'"},
    {"IP6 fd00::g > fd00::2 ev 1: MRC ACK", "column 5: expected an IPv6"},
    {"IP 10.0.0.1 > 10.0.0.2 dscp 4: MRC ACK", "'ev' is missing"},
    {"ev 1: MRC ACK", "IP or IP6"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1 dscp 64: MRC ACK", "column 34: expected a number"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1 blue: MRC ACK", "column 29: unknown word"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1: MRC READ", "column 34: unknown opcode"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1: MRC ACK qp", "value of 'qp' is missing"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1: MRC ACK psn 16777216", "column 42: expected a number"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1: MRC ACK rkey 1", "unknown word 'rkey'"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1: MRC ACK meth.msn=1", "no field 'meth.msn'"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1: MRC SACK cack 5 soff 1 sack 4", "not within the 64"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1: MRC SACK cack 5 soff 1 sack 9-8", "not within the 64"},
    {"IP 10.0.0.1 > 10.0.0.2 ev 1 port 9: MRC ACK", "not taken for"},
    {"IP 10.0.0.1 > 10.0.0.2 srv6 fc00:: ev 1: MRC ACK", "needs IP6"},
    {"vlan 1 vlan 2 vlan 3 IP 10.0.0.1 > 10.0.0.2 ev 1: MRC ACK", "more than two tags"},
};

START_TEST(errors_name_the_column)
{
    struct mrc_wire_config cfg;
    struct mrc_pkt p;
    char err[200];
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++) {
        ck_assert_msg(mrc_print_parse_line(&cfg, bad_lines[i].line, &p, err, sizeof err) == -1,
                      "%s", bad_lines[i].line);
        ck_assert_msg(strncmp(err, "column ", 7) == 0 && strstr(err, bad_lines[i].err), "%s: %s",
                      bad_lines[i].line, err);
    }
}
END_TEST

START_TEST(full_text)
{
    struct golden g;
    struct mrc_wire_config cfg;
    static char text[MRC_PRINT_FULL_MAX];
    golden_load(&g);
    mrc_wire_config_default(&cfg);
    for (size_t i = 0; i < g.count; i++) {
        const struct golden_frame *const f = &g.frames[i];
        struct mrc_pkt p;
        const enum mrc_wire_error e = mrc_pkt_decode(&cfg, f->bytes, f->len, f->len, true, &p);
        const size_t n = mrc_print_full(&p, e, text, sizeof text);
        ck_assert_uint_lt(n, sizeof text);
        /* Each field that is there has its line. */
        for (size_t k = 0; k < mrc_field_count; k++) {
            const struct mrc_field *const field = &mrc_fields[k];
            char name[64];
            (void)snprintf(name, sizeof name, " %s ", field->name);
            const bool there = (p.present >> field->hdr & 1) != 0 &&
                               mrc_field_applies(field, f->bytes + p.off[field->hdr]);
            ck_assert_msg((strstr(text, name) != NULL) == there, "%s: %s", f->name, field->name);
        }
        char small[16];
        ck_assert_uint_eq(mrc_print_full(&p, e, small, sizeof small), n);
        ck_assert_int_eq(strncmp(small, text, sizeof small - 1), 0);
    }
    golden_free(&g);
}
END_TEST

Suite *suite_print(void)
{
    Suite *const s = suite_create("print");
    TCase *const t = tcase_create("text");
    tcase_add_test(t, round_trip);
    tcase_add_test(t, example);
    tcase_add_test(t, sack_ranges);
    tcase_add_test(t, errors_name_the_column);
    tcase_add_test(t, full_text);
    suite_add_tcase(s, t);
    return s;
}
