/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/cli/generate.h"

#include "ref/wire/pkt.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define ACK_EVERY 32u
#define GAP_NS    100u

static struct mrc_pkt packet(const struct mrc_wire_config *cfg, unsigned pair, uint32_t psn,
                             bool ack)
{
    static const uint8_t payload[32] = {0};
    struct mrc_pkt p;
    memset(&p, 0, sizeof p);
    p.present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_IPV6 | 1u << MRC_HDR_UDP | 1u << MRC_HDR_BTH;
    p.present |= ack ? 1u << MRC_HDR_AETH : 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH;
    p.is_v6 = true;
    p.ip6.hop_limit = 64;
    p.ip6.ecn = 2;
    p.ip6.src[14] = p.ip6.dst[14] = (uint8_t)pair;
    p.ip6.src[15] = ack ? 2 : 1;
    p.ip6.dst[15] = ack ? 1 : 2;
    p.udp.src_port = 0xC000;
    p.udp.dst_port = cfg->udp_ports[0];
    p.bth.opcode = ack ? MRC_OP_ACK : MRC_OP_WRITE_ONLY;
    p.bth.pkey = 0xFFFF;
    p.bth.dest_qp = ack ? 0x21 : 0x11;
    p.bth.psn = psn & 0xFFFFFFu;
    p.meth.msn = (uint16_t)psn;
    p.aeth.syndrome = MRC_SYN_ACK;
    if (!ack) {
        p.reth.dma_len = p.payload_len = sizeof(payload);
        p.payload = payload;
    }
    return p;
}

static void put(FILE *out, const struct mrc_wire_config *cfg, const struct mrc_pkt *p,
                uint64_t time_ns)
{
    struct mrc_frame f;
    uint8_t bytes[MRC_FRAME_MAX];
    ck_assert_int_eq(mrc_pkt_encode(cfg, p, &f), 0);
    const uint32_t len = (uint32_t)mrc_frame_gather(cfg, &f, bytes, sizeof(bytes));
    const uint32_t head[4] = {(uint32_t)(time_ns / 1000000000), (uint32_t)(time_ns % 1000000000),
                              len, len};
    ck_assert_uint_eq(fwrite(head, sizeof(head), 1, out), 1);
    ck_assert_uint_eq(fwrite(bytes, len, 1, out), 1);
}

void cli_generate(const char *path, unsigned frames, unsigned pairs)
{
    static const uint32_t header[6] = {0xA1B23C4D, 2 | 4 << 16, 0, 0, 65535, 1};
    struct mrc_wire_config cfg;
    FILE *const out = fopen(path, "wb");
    mrc_wire_config_default(&cfg);
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(header, sizeof(header), 1, out), 1);
    for (unsigned n = 0; n < frames; n++) {
        const unsigned row = n / pairs, psn = row - row / ACK_EVERY;
        const bool ack = row % ACK_EVERY == ACK_EVERY - 1;
        const struct mrc_pkt p = packet(&cfg, n % pairs, ack ? psn - 1 : psn, ack);
        put(out, &cfg, &p, (uint64_t)n * GAP_NS);
    }
    ck_assert_int_eq(fclose(out), 0);
}
