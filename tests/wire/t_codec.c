/* SPDX-License-Identifier: BSD-2-Clause */
/* The generated encoders, decoders and field tables, header by header. */
#include "ref/wire/chain.h"
#include "tests/wire/golden.h"

#include <stdlib.h>
#include <string.h>

static void fill(uint8_t *bytes, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

/* Every bit of a header is in a field, so that decode and encode lose nothing. */
START_TEST(bytes_round_trip)
{
    for (unsigned id = 0; id < MRC_HDR_COUNT; id++) {
        const size_t len = mrc_hdrs[id].len;
        for (uint32_t seed = 0; seed < 200; seed++) {
            struct mrc_pkt p;
            uint8_t *const in = malloc(len), *const out = malloc(len);
            fill(in, len, seed);
            ck_assert_uint_eq(mrc_chain_decode_one((enum mrc_hdr_id)id, in, in + len, &p), len);
            ck_assert_uint_eq(mrc_chain_encode_one((enum mrc_hdr_id)id, &p, out, out + len), len);
            ck_assert_msg(memcmp(in, out, len) == 0, "%s", mrc_hdrs[id].name);
            free(in);
            free(out);
        }
    }
}
END_TEST

START_TEST(small_buffers_are_refused)
{
    for (unsigned id = 0; id < MRC_HDR_COUNT; id++) {
        for (size_t len = 0; len < mrc_hdrs[id].len; len++) {
            struct mrc_pkt p, before;
            uint8_t *const bytes = malloc(len + 1);
            memset(&p, 0x5A, sizeof p);
            memcpy(&before, &p, sizeof p);
            memset(bytes, 0xA5, len + 1);
            ck_assert_uint_eq(mrc_chain_decode_one((enum mrc_hdr_id)id, bytes, bytes + len, &p), 0);
            ck_assert_int_eq(memcmp(&before, &p, sizeof p), 0);
            ck_assert_uint_eq(mrc_chain_encode_one((enum mrc_hdr_id)id, &p, bytes, bytes + len), 0);
            for (size_t i = 0; i <= len; i++) {
                ck_assert_uint_eq(bytes[i], 0xA5);
            }
            free(bytes);
        }
    }
    struct mrc_pkt p;
    ck_assert_uint_eq(mrc_chain_decode_one(MRC_HDR_COUNT, NULL, NULL, &p), 0);
    ck_assert_uint_eq(mrc_chain_encode_one(MRC_HDR_COUNT, &p, NULL, NULL), 0);
}
END_TEST

static uint64_t mask_of(const struct mrc_field *f)
{
    return f->bit_width > 64    ? 0
           : f->bit_width == 64 ? UINT64_MAX
                                : (UINT64_C(1) << f->bit_width) - 1;
}

/* Setting a field changes that field and no other that has other bits. */
START_TEST(field_access)
{
    for (size_t i = 0; i < mrc_field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[i];
        uint8_t zero[MRC_HDR_LEN_MAX] = {0}, ones[MRC_HDR_LEN_MAX];
        memset(ones, 0xFF, sizeof ones);
        ck_assert_uint_le(f->bit_off + f->bit_width, mrc_hdrs[f->hdr].len * 8u);
        mrc_field_set(f, zero, UINT64_MAX);
        mrc_field_set(f, ones, 0);
        ck_assert_uint_eq(mrc_field_get(f, zero), mask_of(f));
        ck_assert_uint_eq(mrc_field_get(f, ones), 0);
        for (size_t k = 0; k < mrc_field_count; k++) {
            const struct mrc_field *const o = &mrc_fields[k];
            if (o->hdr == f->hdr && o->bit_off != f->bit_off) {
                ck_assert_uint_eq(mrc_field_get(o, zero), 0);
                ck_assert_uint_eq(mrc_field_get(o, ones), mask_of(o));
            }
        }
        ck_assert_ptr_eq(mrc_field_find(f->name), f);
    }
    ck_assert_ptr_null(mrc_field_find("bth.nothing"));
}
END_TEST

/* The struct's members are the table's fields: a value set in one is read in the other. */
START_TEST(members_are_fields)
{
    static const struct {
        const char *name;
        uint64_t value;
    } cases[] = {
        {"bth.psn", 0xABCDEF},
        {"bth.dest_qp", 0x123456},
        {"bth.pad_cnt", 2},
        {"bth.rtx", 1},
        {"meth.msn", 0xBEEF},
        {"reth.va", 0x1122334455667788},
        {"seth.cack_psn", 0xFEDCBA},
        {"seth.sack_bitmap", 0x8000000000000001},
        {"seth.m", 2},
        {"cc_state.rcvd_bytes", 0xA1B2C3},
        {"cc_state.ooo_count", 0x7FFF},
        {"eeth.op", 1},
        {"ipv6.flow_label", 0xFABCD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct mrc_field *const f = mrc_field_find(cases[i].name);
        struct mrc_pkt p;
        uint8_t hdr[MRC_HDR_LEN_MAX] = {0};
        memset(&p, 0, sizeof p);
        mrc_field_set(f, hdr, cases[i].value);
        (void)mrc_chain_decode_one(f->hdr, hdr, hdr + sizeof hdr, &p);
        const uint64_t got[] = {p.bth.psn,
                                p.bth.dest_qp,
                                p.bth.pad_cnt,
                                p.bth.rtx,
                                p.meth.msn,
                                p.reth.va,
                                p.seth.cack_psn,
                                p.seth.sack_bitmap,
                                p.seth.m,
                                p.cc_state.rcvd_bytes,
                                p.cc_state.ooo_count,
                                p.eeth.op,
                                p.ip6.flow_label};
        ck_assert_msg(got[i] == cases[i].value, "%s", cases[i].name);
    }
}
END_TEST

/* One place of the SETH, two meanings: PR decides, and the other member is 0. */
START_TEST(offset_or_probe)
{
    uint8_t hdr[MRC_SETH_LEN] = {0};
    struct mrc_seth h;
    memset(&h, 0, sizeof h);
    h.ack_psn_offset = -2;
    h.probe_id = 7;
    ck_assert_uint_eq(mrc_seth_encode(&h, hdr, hdr + sizeof hdr), MRC_SETH_LEN);
    ck_assert_uint_eq(mrc_seth_decode(hdr, hdr + sizeof hdr, &h), MRC_SETH_LEN);
    ck_assert_int_eq(h.ack_psn_offset, -2);
    ck_assert_uint_eq(h.probe_id, 0);
    h.pr = 1;
    h.probe_id = 7;
    (void)mrc_seth_encode(&h, hdr, hdr + sizeof hdr);
    (void)mrc_seth_decode(hdr, hdr + sizeof hdr, &h);
    ck_assert_int_eq(h.ack_psn_offset, 0);
    ck_assert_uint_eq(h.probe_id, 7);
    ck_assert(mrc_field_applies(mrc_field_find("seth.probe_id"), hdr));
    ck_assert(!mrc_field_applies(mrc_field_find("seth.ack_psn_offset"), hdr));
}
END_TEST

START_TEST(code_points)
{
    unsigned opcodes = 0;
    for (unsigned v = 0; v < 256; v++) {
        const struct mrc_chain *const chain = mrc_opcode_chain(v);
        ck_assert_int_eq(chain != NULL, mrc_opcode_str(v) != NULL);
        opcodes += chain != NULL;
        ck_assert(!chain || v >> 5 == 6);
        ck_assert(!chain || chain->payload == mrc_op_is_write((uint8_t)v));
    }
    ck_assert_uint_eq(opcodes, 12);
    ck_assert_ptr_null(mrc_opcode_chain(256));
    ck_assert_str_eq(mrc_nack_reason_str(MRC_NACK_UNEXP_EVENT), "UNEXP_EVENT");
    ck_assert_ptr_null(mrc_nack_reason_str(3));
    ck_assert_str_eq(mrc_seth_m_str(MRC_M_SKIP_ONCE), "SKIP_ONCE");
    ck_assert_ptr_null(mrc_seth_m_str(3));
    ck_assert_ptr_null(mrc_ep_op_str(2));
    ck_assert_ptr_null(mrc_syndrome_str(0x60));
    for (size_t i = 0; i < mrc_code_set_count; i++) {
        for (size_t k = 0; k < mrc_code_sets[i].count; k++) {
            const struct mrc_code *const code = &mrc_code_sets[i].codes[k];
            ck_assert_str_eq(mrc_code_name(&mrc_code_sets[i], code->value), code->name);
        }
    }
}
END_TEST

START_TEST(psn_arithmetic)
{
    ck_assert_uint_eq(mrc_psn_add(0xFFFFFF, 1), 0);
    ck_assert_uint_eq(mrc_psn_add(0, -1), 0xFFFFFF);
    ck_assert_int_eq(mrc_psn_diff(0, 0xFFFFFF), 1);
    ck_assert_int_eq(mrc_psn_diff(0xFFFFFF, 0), -1);
    ck_assert_int_eq(mrc_psn_diff(0x800000, 0), -0x800000);
    ck_assert_int_eq(mrc_psn_diff(0x7FFFFF, 0), 0x7FFFFF);
}
END_TEST

Suite *suite_codec(void)
{
    Suite *const s = suite_create("codec");
    TCase *const t = tcase_create("generated");
    tcase_add_test(t, bytes_round_trip);
    tcase_add_test(t, small_buffers_are_refused);
    tcase_add_test(t, field_access);
    tcase_add_test(t, members_are_fields);
    tcase_add_test(t, offset_or_probe);
    tcase_add_test(t, code_points);
    tcase_add_test(t, psn_arithmetic);
    suite_add_tcase(s, t);
    return s;
}
