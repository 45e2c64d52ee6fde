/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a capture for benchmarks and for the test of bounded memory: honest conversations of short
 * WRITEs, a SACK and a transport ACK for every 30 of them, seen at the requestors.
 *
 *     gen_capture FILE FRAMES FRAME_BYTES CONNECTIONS
 */
#include "ref/wire/pkt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND           32u /* frames of one connection in a row: requests, a SACK, an ACK */
#define START_NS        UINT64_C(1700000000000000000)
#define GAP_NS          100u
#define HEADERS_LEN     (14u + 40u + 8u + 12u + 4u + 4u + 16u + 4u) /* Ethernet to ICRC of a WRITE */
#define CONNECTIONS_MAX 4096u

struct connection {
    uint32_t psn, msn, sent_bytes;
};

struct gen {
    FILE *out;
    struct mrc_wire_config cfg;
    uint64_t now_ns;
    uint32_t payload_len;
    uint8_t payload[MRC_PAYLOAD_MAX];
    struct connection *conns;
};

static void put_record(struct gen *g, const struct mrc_pkt *p)
{
    struct mrc_frame f;
    uint8_t bytes[MRC_FRAME_MAX];
    if (mrc_pkt_encode(&g->cfg, p, &f) != 0)
        return;
    const uint32_t len = (uint32_t)mrc_frame_gather(&g->cfg, &f, bytes, sizeof(bytes));
    const uint32_t head[4] = {(uint32_t)(g->now_ns / 1000000000),
                              (uint32_t)(g->now_ns % 1000000000), len, len};
    fwrite(head, sizeof(head), 1, g->out);
    fwrite(bytes, len, 1, g->out);
    g->now_ns += GAP_NS;
}

static struct mrc_pkt packet(struct gen *g, unsigned conn, uint8_t opcode, bool request)
{
    struct mrc_pkt p;
    memset(&p, 0, sizeof(p));
    p.present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_IPV6 | 1u << MRC_HDR_UDP | 1u << MRC_HDR_BTH;
    p.is_v6 = true;
    p.eth.dst[5] = request ? 2 : 1;
    p.eth.src[5] = request ? 1 : 2;
    p.ip6.hop_limit = 64;
    p.ip6.dscp = g->cfg.dscp[request ? MRC_DSCP_TRIMMABLE : MRC_DSCP_CONTROL];
    p.ip6.ecn = 2;
    for (unsigned side = 0; side < 2; side++) {
        uint8_t *const ip = side == 0 ? p.ip6.src : p.ip6.dst;
        ip[0] = 0xFD;
        ip[6] = (uint8_t)(conn >> 8);
        ip[7] = (uint8_t)conn;
        ip[15] = (side == 0) == request ? 1 : 2;
    }
    p.udp.src_port = (uint16_t)(0xC000 + g->conns[conn].psn % 8);
    p.udp.dst_port = g->cfg.udp_ports[0];
    p.bth.opcode = opcode;
    p.bth.tver = MRC_TVER_MRC1;
    p.bth.pkey = 0xFFFF;
    p.bth.dest_qp = request ? 0x100 + conn : 0x2000 + conn;
    return p;
}

static void request(struct gen *g, unsigned conn, bool last)
{
    struct connection *const c = &g->conns[conn];
    struct mrc_pkt p = packet(g, conn, MRC_OP_WRITE_ONLY, true);
    p.present |= 1u << MRC_HDR_METH | 1u << MRC_HDR_TSETH | 1u << MRC_HDR_RETH;
    p.bth.psn = c->psn;
    p.bth.ts = 1;
    p.bth.a = last;
    p.meth.msn = (uint16_t)c->msn;
    p.tseth.tx_timestamp = (uint16_t)(g->now_ns / 128);
    p.tseth.ftype = 1;
    p.reth.va = UINT64_C(0x100000) + c->sent_bytes;
    p.reth.rkey = 0x1234;
    p.reth.dma_len = g->payload_len;
    p.payload = g->payload;
    p.payload_len = g->payload_len;
    c->psn = mrc_psn_add(c->psn, 1);
    c->msn = (c->msn + 1) & 0xFFFF;
    c->sent_bytes += g->payload_len;
    put_record(g, &p);
}

static void sack(struct gen *g, unsigned conn)
{
    const struct connection *const c = &g->conns[conn];
    const uint32_t cack = mrc_psn_add(c->psn, -1);
    struct mrc_pkt p = packet(g, conn, MRC_OP_SACK, false);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.bth.psn = cack;
    p.seth.cack_psn = cack;
    p.seth.spdcid = (uint16_t)(0x100 + conn);
    p.seth.dpdcid = (uint16_t)(0x2000 + conn);
    p.seth.entropy = 0xC000;
    p.seth.mpr = 8;
    p.seth.cc_type = 2;
    p.cc_state.tx_timestamp = (uint16_t)((g->now_ns - 2 * GAP_NS) / 128);
    p.cc_state.rcvd_bytes = c->sent_bytes / 256;
    put_record(g, &p);
}

static void transport_ack(struct gen *g, unsigned conn)
{
    const struct connection *const c = &g->conns[conn];
    struct mrc_pkt p = packet(g, conn, MRC_OP_ACK, false);
    p.present |= 1u << MRC_HDR_AETH;
    p.bth.psn = mrc_psn_add(c->psn, -1);
    p.aeth.syndrome = MRC_SYN_ACK;
    p.aeth.msn = c->msn;
    put_record(g, &p);
}

static void one_round(struct gen *g, unsigned conn, uint64_t left)
{
    const unsigned n = left < ROUND ? (unsigned)left : ROUND;
    for (unsigned i = 0; i + 2 < n; i++)
        request(g, conn, i + 3 == n);
    if (n >= 2)
        sack(g, conn);
    transport_ack(g, conn);
}

static void generate(struct gen *g, uint64_t frames, unsigned conns)
{
    static const uint32_t header[6] = {0xA1B23C4D, 2 | 4 << 16, 0, 0, 65535, 1};
    fwrite(header, sizeof(header), 1, g->out);
    for (unsigned i = 0; i < sizeof(g->payload); i++)
        g->payload[i] = (uint8_t)(i * 7);
    for (uint64_t n = 0, round = 0; n < frames; n += ROUND, round++)
        one_round(g, (unsigned)(round % conns), frames - n);
}

int main(int argc, char **argv)
{
    static struct gen g;
    const uint64_t frames = argc == 5 ? strtoull(argv[2], NULL, 0) : 0;
    const unsigned long len = argc == 5 ? strtoul(argv[3], NULL, 0) : 0;
    const unsigned long conns = argc == 5 ? strtoul(argv[4], NULL, 0) : 0;
    if (frames == 0 || len < HEADERS_LEN + 4 || len > HEADERS_LEN + MRC_PAYLOAD_MAX + 2 ||
        conns == 0 || conns > CONNECTIONS_MAX) {
        fputs("usage: gen_capture FILE FRAMES FRAME_BYTES CONNECTIONS\n", stderr);
        return 2;
    }
    mrc_wire_config_default(&g.cfg);
    g.payload_len = (uint32_t)(len - HEADERS_LEN) & ~UINT32_C(3); /* 4,096 in 4,200 */
    g.now_ns = START_NS;
    g.conns = calloc(conns, sizeof(*g.conns));
    g.out = fopen(argv[1], "wb");
    if (g.conns == NULL || g.out == NULL) {
        perror(argv[1]);
        return 2;
    }
    generate(&g, frames, (unsigned)conns);
    const bool bad = ferror(g.out) != 0;
    free(g.conns);
    return fclose(g.out) != 0 || bad ? 2 : 0;
}
