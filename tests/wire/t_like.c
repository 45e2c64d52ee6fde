/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a frame as one like another gives what decoding it gives, whichever bit differs. */
#include "ref/wire/icrc.h"
#include "ref/wire/like.h"
#include "tests/wire/golden.h"

#include <string.h>

static struct mrc_wire_config cfg;

static struct mrc_pkt request(bool v6, bool ts, uint32_t payload_len)
{
    static const uint8_t payload[MRC_PAYLOAD_MAX] = {1, 2, 3};
    struct mrc_pkt p;
    memset(&p, 0, sizeof p);
    p.present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_UDP | 1u << MRC_HDR_BTH | 1u << MRC_HDR_METH |
                1u << MRC_HDR_RETH | (v6 ? 1u << MRC_HDR_IPV6 : 1u << MRC_HDR_IPV4) |
                (ts ? 1u << MRC_HDR_TSETH : 0);
    p.is_v6 = v6;
    p.ip4.ihl = 5;
    p.ip4.ttl = 64;
    p.ip6.hop_limit = 64;
    p.udp.src_port = 0xC001;
    p.udp.dst_port = cfg.udp_ports[0];
    p.bth.opcode = MRC_OP_WRITE_ONLY;
    p.bth.ts = ts;
    p.bth.psn = 77;
    p.bth.pkey = 0xFFFF;
    p.reth.dma_len = payload_len;
    p.tseth.ftype = 1;
    p.payload = payload;
    p.payload_len = payload_len;
    return p;
}

static size_t bytes_of(const struct mrc_pkt *p, uint8_t bytes[MRC_FRAME_MAX])
{
    struct mrc_frame f;
    ck_assert_int_eq(mrc_pkt_encode(&cfg, p, &f), 0);
    return mrc_frame_gather(&cfg, &f, bytes, MRC_FRAME_MAX);
}

/* Puts the right ICRC behind changed bytes, where there still is one. */
static void mend(uint8_t *bytes, size_t len)
{
    struct mrc_icrc_span span;
    if (!mrc_icrc_find_span(bytes, len - 4, false, &span))
        return;
    const uint32_t icrc = mrc_icrc_compute(bytes, &span);
    for (unsigned i = 0; i < 4; i++)
        bytes[len - 4 + i] = (uint8_t)(icrc >> 8 * i);
}

/* Whether the frame is read as one like; if so it must be what decoding says. */
static bool read_like(const struct mrc_like *t, const struct mrc_pkt *first, const uint8_t *bytes,
                      size_t len, enum mrc_wire_error *err)
{
    struct mrc_pkt whole, like = *first;
    memset(&whole, 0, sizeof whole);
    *err = mrc_pkt_decode(&cfg, bytes, len, len, true, &whole);
    if (!mrc_like_decode(t, &cfg, bytes, len, len, &like))
        return false;
    ck_assert_int_eq(*err, MRC_WIRE_OK);
    ck_assert_mem_eq(&whole, &like, sizeof whole);
    return true;
}

static void try_all_bits(bool v6, bool ts, uint32_t payload_len)
{
    uint8_t bytes[MRC_FRAME_MAX];
    struct mrc_pkt p = request(v6, ts, payload_len), first;
    struct mrc_like t;
    enum mrc_wire_error err;
    unsigned like = 0;
    const size_t len = bytes_of(&p, bytes);
    memset(&first, 0, sizeof first);
    ck_assert_int_eq(mrc_pkt_decode(&cfg, bytes, len, len, true, &first), MRC_WIRE_OK);
    ck_assert(mrc_like_learn(&t, bytes, len, len, &first));
    ck_assert(read_like(&t, &first, bytes, len, &err));
    for (size_t i = 0; i < 8 * (size_t)first.hdr_end + 64; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        /* A wrong ICRC is no longer like it, but where the ICRC does not look. */
        if (read_like(&t, &first, bytes, len, &err) != (err == MRC_WIRE_OK && i / 8 > 13))
            ck_assert_int_eq(err, MRC_WIRE_OK); /* a field that is not followed */
        mend(bytes, len);
        like += read_like(&t, &first, bytes, len, &err);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        mend(bytes, len);
    }
    /* Source port, A, PSN, MSN, RETH and the payload's first bytes; EV and timestamp of theirs. */
    ck_assert_uint_eq(like, 16u + 1 + 24 + 16 + 128 + 64 + (v6 ? 16 : 32) + (ts ? 16 : 0));
    ck_assert(!mrc_like_decode(&t, &cfg, bytes, len - 1, len, &first));
}

START_TEST(like_is_decoded)
{
    mrc_wire_config_default(&cfg);
    for (unsigned i = 0; i < 8; i++)
        try_all_bits((i & 1) != 0, (i & 2) != 0, (i & 4) != 0 ? 1024 : 40);
}
END_TEST

START_TEST(like_refuses)
{
    uint8_t bytes[MRC_FRAME_MAX];
    struct mrc_like t;
    mrc_wire_config_default(&cfg);
    for (unsigned i = 0; i < 4; i++) {
        struct mrc_pkt p = request(true, true, 40), d;
        size_t cut = 0;
        if (i == 0) {
            p.bth.opcode = MRC_OP_WRITE_ONLY_IMM;
            p.present |= 1u << MRC_HDR_IMMDT;
        }
        size_t len = bytes_of(&p, bytes);
        bytes[len - 1] ^= i == 1; /* a wrong ICRC */
        bytes[15] = (uint8_t)(bytes[15] |
                              (i == 2 ? cfg.dscp[MRC_DSCP_TRIMMED] << 6 : 0)); /* a trimmed class */
        bytes[14] |= i == 2 ? cfg.dscp[MRC_DSCP_TRIMMED] >> 2 : 0;
        cut = i == 3 ? 8 : 0; /* cut by a snap length */
        mrc_pkt_decode(&cfg, bytes, len - cut, len, true, &d);
        ck_assert_msg(!mrc_like_learn(&t, bytes, len - cut, len, &d), "case %u", i);
    }
}
END_TEST

Suite *suite_like(void)
{
    Suite *const s = suite_create("like");
    TCase *const t = tcase_create("like");
    tcase_add_test(t, like_is_decoded);
    tcase_add_test(t, like_refuses);
    suite_add_tcase(s, t);
    return s;
}
