/* SPDX-License-Identifier: BSD-2-Clause */
/* Encapsulations, lengths, trimming, ICRC and configuration, one by one. */
#include "ref/wire/icrc.h"
#include "ref/wire/print.h"
#include "tests/wire/golden.h"

#include <string.h>

#define WRITE_LINE                                                                                 \
    "ev 0x12345678 dscp 4 ect0: MRC WRITE_ONLY qp 0x11 psn 5 ts 9 msn 1 rqmsn 0 va 0x1000 "        \
    "rkey 0x22 dma 61 len 61"

static struct mrc_wire_config cfg;

static void setup(void)
{
    mrc_wire_config_default(&cfg);
}

static void read_line(const char *line, struct mrc_pkt *p)
{
    char err[200] = "";
    ck_assert_msg(mrc_print_parse_line(&cfg, line, p, err, sizeof err) == 0, "%s: %s", line, err);
}

/* Bytes of a packet with lengths made right. */
static size_t bytes_of(const struct mrc_pkt *p, uint8_t buf[MRC_FRAME_MAX])
{
    struct mrc_frame f;
    ck_assert_int_eq(mrc_pkt_encode(&cfg, p, &f), 0);
    const size_t n = mrc_frame_gather(&cfg, &f, buf, MRC_FRAME_MAX);
    ck_assert_uint_gt(n, 0);
    return n;
}

static enum mrc_wire_error decode(const uint8_t *bytes, size_t n, struct mrc_pkt *p)
{
    return mrc_pkt_decode(&cfg, bytes, n, n, true, p);
}

static const char *const carriers[] = {
    "IP 10.1.0.1 > 10.2.0.1 " WRITE_LINE,
    "IP6 fd00::1 > fd00::2 " WRITE_LINE,
    "vlan 0x64 IP 10.1.0.1 > 10.2.0.1 " WRITE_LINE,
    "qinq 0x1 vlan 0x64 IP6 fd00::1 > fd00::2 " WRITE_LINE,
    "IP6 fd00::1 > fd00::2 srv6 fcbb:bb00:20:10:22:: " WRITE_LINE,
    "vlan 0x64 IP6 fd00::1 > fd00::2 srv6 fcbb:bb00:20:: srh fcbb:bb00:30:31:: from fd00::9 "
    "port 4971 " WRITE_LINE,
};

START_TEST(carriers_round_trip)
{
    for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++) {
        struct mrc_pkt p, q;
        char line[MRC_PRINT_LINE_MAX];
        uint8_t buf[MRC_FRAME_MAX];
        for (cfg.q3_ev = 'a'; cfg.q3_ev <= 'b'; cfg.q3_ev++) {
            for (cfg.q6_icrc = 'a'; cfg.q6_icrc <= 'b'; cfg.q6_icrc++) {
                read_line(carriers[i], &p);
                const size_t n = bytes_of(&p, buf);
                ck_assert_int_eq(decode(buf, n, &q), MRC_WIRE_OK);
                ck_assert_int_eq(q.icrc_state, MRC_ICRC_VALID);
                if (q.is_v6) {
                    (void)mrc_print_line(&q, MRC_WIRE_OK, line, sizeof line);
                    ck_assert_str_eq(line, carriers[i]);
                }
                /* Padding of short frames and an FCS lie behind the IP length. */
                memset(buf + n, 0xEE, 8);
                ck_assert_int_eq(decode(buf, n + 8, &q), MRC_WIRE_OK);
                ck_assert_uint_eq(q.wire_len, n);
            }
        }
    }
}
END_TEST

/* The readings of Q6 differ exactly in SRv6 mode. */
START_TEST(icrc_readings)
{
    for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++) {
        struct mrc_pkt p, q;
        uint8_t buf[MRC_FRAME_MAX];
        setup();
        read_line(carriers[i], &p);
        const size_t n = bytes_of(&p, buf);
        cfg.q6_icrc = 'b';
        ck_assert_int_eq(decode(buf, n, &q), p.has_outer ? MRC_WIRE_BAD_ICRC : MRC_WIRE_OK);
    }
}
END_TEST

/* Another way to the same CRC: bit by bit. */
static uint32_t slow_crc(uint32_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++) {
        crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return crc;
}

START_TEST(icrc_bit_by_bit)
{
    static const size_t v6_masked[] = {1, 2, 3, 7, 46, 47, 52};
    struct mrc_pkt p;
    uint8_t buf[MRC_FRAME_MAX], copy[MRC_FRAME_MAX];
    read_line(carriers[1], &p);
    const size_t n = bytes_of(&p, buf);
    memcpy(copy, buf, n);
    copy[14] |= 0x0F;
    for (size_t i = 0; i < sizeof v6_masked / sizeof v6_masked[0]; i++) {
        copy[14 + v6_masked[i]] = 0xFF;
    }
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8; i++) {
        crc = slow_crc(crc, 0xFF);
    }
    for (size_t i = 14; i < n - 4; i++) {
        crc = slow_crc(crc, copy[i]);
    }
    crc = ~crc;
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(buf[n - 4 + i], (uint8_t)(crc >> 8 * i));
    }
}
END_TEST

/* What may change on the way changes no ICRC; all else does. */
START_TEST(icrc_covers)
{
    for (size_t i = 0; i < 2; i++) {
        struct mrc_pkt p, q;
        uint8_t buf[MRC_FRAME_MAX];
        read_line(carriers[i], &p);
        const size_t n = bytes_of(&p, buf);
        (void)decode(buf, n, &p);
        for (size_t k = p.off[MRC_HDR_BTH] + 1u; k < n; k++) {
            buf[k] ^= 1;
            const enum mrc_wire_error err = decode(buf, n, &q);
            const bool variant = k == p.off[MRC_HDR_BTH] + 4u;
            ck_assert_msg(variant ? err == MRC_WIRE_OK : err == MRC_WIRE_BAD_ICRC, "byte %zu", k);
            buf[k] ^= 1;
        }
        const struct mrc_field *const ttl = mrc_field_find(i == 0 ? "ipv4.ttl" : "ipv6.hop_limit");
        mrc_field_set(ttl, buf + MRC_ETH_LEN, 3);
        ck_assert_int_eq(decode(buf, n, &q), MRC_WIRE_OK);
    }
}
END_TEST

static const struct {
    const char *field; /* changed in an IPv4 frame */
    uint64_t value;
    enum mrc_wire_error want;
} other_protocols[] = {
    {"eth.ethertype", 0x0806, MRC_WIRE_NOT_MRC}, {"ipv4.version", 5, MRC_WIRE_NOT_MRC},
    {"ipv4.ihl", 4, MRC_WIRE_NOT_MRC},           {"ipv4.protocol", 6, MRC_WIRE_NOT_MRC},
    {"ipv4.frag_off", 1, MRC_WIRE_NOT_MRC},      {"ipv4.flags", 1, MRC_WIRE_NOT_MRC},
    {"ipv4.total_len", 19, MRC_WIRE_NOT_MRC},    {"ipv4.total_len", 27, MRC_WIRE_NOT_MRC},
    {"ipv4.total_len", 0xFFFF, MRC_WIRE_CUT},    {"udp.dst_port", 53, MRC_WIRE_NOT_MRC},
    {"udp.length", 20, MRC_WIRE_BAD_UDP_SHORT},  {"udp.length", 9999, MRC_WIRE_BAD_UDP_LEN},
    {"bth.opcode", 0x0A, MRC_WIRE_NOT_MRC},      {"bth.opcode", 0xC0, MRC_WIRE_BAD_OPCODE},
    {"bth.tver", 1, MRC_WIRE_BAD_TVER},          {"bth.pad_cnt", 0, MRC_WIRE_OK},
};

START_TEST(refused)
{
    for (size_t i = 0; i < sizeof other_protocols / sizeof other_protocols[0]; i++) {
        const struct mrc_field *const f = mrc_field_find(other_protocols[i].field);
        struct mrc_pkt p, q;
        uint8_t buf[MRC_FRAME_MAX];
        read_line(carriers[0], &p);
        const size_t n = bytes_of(&p, buf);
        ck_assert_int_eq(decode(buf, n, &p), MRC_WIRE_OK);
        mrc_field_set(f, buf + p.off[f->hdr], other_protocols[i].value);
        struct mrc_icrc_span span = {14, 14, 34, n - 4, false};
        const uint32_t icrc = mrc_icrc_compute(buf, &span);
        for (size_t k = 0; k < 4; k++) {
            buf[n - 4 + k] = (uint8_t)(icrc >> 8 * k);
        }
        const enum mrc_wire_error err = decode(buf, n, &q);
        ck_assert_msg(err == other_protocols[i].want, "%s: %s", f->name, mrc_wire_error_str(err));
    }
}
END_TEST

/* A corrupted packet is not blamed for what it seems to say. */
START_TEST(icrc_before_meaning)
{
    struct mrc_pkt p, q;
    uint8_t buf[MRC_FRAME_MAX];
    read_line(carriers[1], &p);
    const size_t n = bytes_of(&p, buf);
    buf[14 + 40 + 8] = 0xC0; /* opcode */
    ck_assert_int_eq(decode(buf, n, &q), MRC_WIRE_BAD_ICRC);
    ck_assert_int_eq(mrc_pkt_decode(&cfg, buf, n, n, false, &q), MRC_WIRE_BAD_OPCODE);
    ck_assert_int_eq(q.icrc_state, MRC_ICRC_DEFERRED);
}
END_TEST

/* Trimming may leave less than RETH, never less than TSETH; only a trimmed class may be short. */
START_TEST(trimmed)
{
    struct mrc_pkt p, q;
    uint8_t buf[MRC_FRAME_MAX];
    read_line("IP6 fd00::1 > fd00::2 " WRITE_LINE, &p);
    const size_t n = bytes_of(&p, buf);
    const size_t hdrs = 14 + 40;
    const size_t least = hdrs + 8 + 12 + 4 + 4;
    for (size_t len = hdrs + 9; len + 4 < n; len++) {
        mrc_field_set(mrc_field_find("ipv6.payload_len"), buf + 14, len - hdrs);
        mrc_field_set(mrc_field_find("ipv6.dscp"), buf + 14, 4);
        ck_assert_int_eq(decode(buf, len, &q), MRC_WIRE_BAD_UDP_LEN);
        mrc_field_set(mrc_field_find("ipv6.dscp"), buf + 14, 16);
        const enum mrc_wire_error err = decode(buf, len, &q);
        ck_assert_msg((err == MRC_WIRE_OK) == (len >= least), "%zu: %s", len,
                      mrc_wire_error_str(err));
        ck_assert_int_eq(q.icrc_state, MRC_ICRC_ABSENT);
        ck_assert_int_eq(q.trim, MRC_TRIM_LASTHOP);
        if (err == MRC_WIRE_OK) {
            struct mrc_frame f;
            ck_assert_int_eq(MRC_PKT_HAS(&q, RETH), len >= least + 16);
            ck_assert_uint_eq(q.payload_len, MRC_PKT_HAS(&q, RETH) && len - least - 16 < 61
                                                 ? len - least - 16
                                             : MRC_PKT_HAS(&q, RETH) ? 61u
                                                                     : 0u);
            ck_assert_int_eq(mrc_frame_parse(&cfg, buf, len, &f), 0);
            ck_assert_uint_eq(mrc_frame_wire_len(&f), len);
            ck_assert_int_eq(mrc_pkt_decode_frame(&cfg, &f, &q), MRC_WIRE_OK);
            ck_assert_uint_eq(mrc_frame_gather(&cfg, &f, buf, sizeof buf), len);
        }
    }
}
END_TEST

START_TEST(ip4_options_and_checksum)
{
    struct mrc_pkt p, q;
    uint8_t buf[MRC_FRAME_MAX];
    read_line(carriers[0], &p);
    p.ip4.ihl = 8;
    for (size_t i = 0; i < 12; i++) {
        p.ip4_opt[i] = (uint8_t)(i + 1);
    }
    const size_t n = bytes_of(&p, buf);
    ck_assert_int_eq(decode(buf, n, &q), MRC_WIRE_OK);
    ck_assert_uint_eq(q.ip4.ihl, 8);
    ck_assert_int_eq(memcmp(q.ip4_opt, p.ip4_opt, 12), 0);
    uint32_t sum = 0;
    for (size_t i = 0; i < 32; i += 2) {
        sum += (uint32_t)buf[14 + i] << 8 | buf[15 + i];
    }
    ck_assert_uint_eq((sum & 0xFFFF) + (sum >> 16), 0xFFFF);
}
END_TEST

START_TEST(encode_refuses)
{
    struct mrc_pkt p;
    struct mrc_frame f;
    read_line(carriers[1], &p);
    p.payload_len = MRC_PAYLOAD_MAX + 1;
    ck_assert_int_eq(mrc_pkt_encode(&cfg, &p, &f), -1);
    ck_assert_int_eq(mrc_pkt_encode_raw(&cfg, &p, &f), -1);
    p.payload_len = 5;
    p.payload = NULL;
    ck_assert_int_eq(mrc_pkt_encode(&cfg, &p, &f), -1);
    p.payload_len = 0;
    p.present &= ~(UINT32_C(1) << MRC_HDR_UDP);
    ck_assert_int_eq(mrc_pkt_encode(&cfg, &p, &f), -1);
    /* All headers there are do not fit. */
    memset(&p, 0, sizeof p);
    p.present = UINT32_MAX >> (32 - MRC_HDR_COUNT);
    p.has_outer = true;
    p.vlan_count = 2;
    ck_assert_int_eq(mrc_pkt_encode_raw(&cfg, &p, &f), -1);
}
END_TEST

/* Headers that run on into the payload reference decode as they would from bytes. */
START_TEST(header_in_payload)
{
    struct mrc_pkt p, q;
    struct mrc_frame f;
    read_line("IP6 fd00::1 > fd00::2 " WRITE_LINE, &p);
    ck_assert_int_eq(mrc_pkt_encode(&cfg, &p, &f), 0);
    f.hdr[14 + 40 + 8] = MRC_OP_SACK;
    ck_assert_int_eq(mrc_pkt_decode_frame(&cfg, &f, &q), MRC_WIRE_OK);
    ck_assert(MRC_PKT_HAS(&q, SETH) && MRC_PKT_HAS(&q, CC_STATE) && !MRC_PKT_HAS(&q, RETH));
    ck_assert_uint_eq(q.payload_len, 61 - 12);
    ck_assert_ptr_eq(q.payload, f.payload + 12);
}
END_TEST

START_TEST(ev_readings)
{
    uint16_t port;
    uint32_t label;
    mrc_ev_to_fields(&cfg, 0xAABBCCDD, &port, &label);
    ck_assert_uint_eq(port, 0xAABB);
    ck_assert_uint_eq(label, 0xCCDD);
    ck_assert_uint_eq(mrc_ev_from_fields(&cfg, 0xAABB, 0xFCCDD, true), 0xAABBCCDD);
    ck_assert_uint_eq(mrc_ev_from_fields(&cfg, 0xAABB, 0xFCCDD, false), 0xAABB0000);
    cfg.q3_ev = 'b';
    mrc_ev_to_fields(&cfg, 0xAABBCCDD, &port, &label);
    ck_assert_uint_eq(port, 0xCCDD);
    ck_assert_uint_eq(label, 0xAABB);
    ck_assert_uint_eq(mrc_ev_from_fields(&cfg, 0xCCDD, 0xFAABB, true), 0xAABBCCDD);
    ck_assert_uint_eq(mrc_ev_from_fields(&cfg, 0xCCDD, 0, false), 0xCCDD);
}
END_TEST

START_TEST(error_words)
{
    for (unsigned e = 0; e < MRC_WIRE_ERRORS; e++) {
        ck_assert_ptr_nonnull(mrc_wire_error_str((enum mrc_wire_error)e));
        for (unsigned o = 0; o < e; o++) {
            ck_assert_str_ne(mrc_wire_error_str((enum mrc_wire_error)e),
                             mrc_wire_error_str((enum mrc_wire_error)o));
        }
    }
}
END_TEST

Suite *suite_frame(void)
{
    Suite *const s = suite_create("frame");
    TCase *const t = tcase_create("carriers");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, carriers_round_trip);
    tcase_add_test(t, icrc_readings);
    tcase_add_test(t, icrc_bit_by_bit);
    tcase_add_test(t, icrc_covers);
    tcase_add_test(t, refused);
    tcase_add_test(t, icrc_before_meaning);
    tcase_add_test(t, trimmed);
    tcase_add_test(t, ip4_options_and_checksum);
    tcase_add_test(t, encode_refuses);
    tcase_add_test(t, header_in_payload);
    tcase_add_test(t, ev_readings);
    tcase_add_test(t, error_words);
    suite_add_tcase(s, t);
    return s;
}
