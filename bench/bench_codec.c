/* SPDX-License-Identifier: BSD-2-Clause */
/* What one packet costs the codec: decoding and encoding headers, gathering 4 KiB with its ICRC,
 * beside a plain copy of the same bytes and zlib's CRC over them. */
#include "bench/bench.h"
#include "ref/wire/pkt.h"
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { ROUNDS = 7, HEADERS = 1000000, FRAMES = 100000 };

struct job {
    struct mrc_wire_config cfg;
    struct mrc_pkt pkt;
    struct mrc_frame frame;
    uint8_t payload[MRC_PAYLOAD_MAX];
    uint8_t bytes[MRC_FRAME_MAX];
    size_t len;
};

static void make_packet(struct job *j)
{
    memset(j, 0, sizeof *j);
    mrc_wire_config_default(&j->cfg);
    struct mrc_pkt *p = &j->pkt;
    p->present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_IPV6 | 1u << MRC_HDR_UDP | 1u << MRC_HDR_BTH |
                 1u << MRC_HDR_METH | 1u << MRC_HDR_TSETH | 1u << MRC_HDR_RETH;
    p->is_v6 = true;
    p->eth.ethertype = 0x86DD;
    p->ip6.version = 6;
    p->ip6.dscp = j->cfg.dscp[MRC_DSCP_TRIMMABLE];
    p->ip6.next_hdr = 17;
    p->ip6.hop_limit = 64;
    p->udp.src_port = 12345;
    p->udp.dst_port = 4791;
    p->bth.opcode = MRC_OP_WRITE_MIDDLE;
    p->bth.pkey = 0xFFFF;
    p->bth.dest_qp = 17;
    p->bth.ts = 1;
    p->bth.psn = 1000;
    p->tseth.ftype = 1;
    p->reth.dma_len = 1u << 20;
    p->payload = j->payload;
    p->payload_len = sizeof j->payload;
    mrc_pkt_encode(&j->cfg, p, &j->frame);
    j->len = mrc_frame_gather(&j->cfg, &j->frame, j->bytes, sizeof j->bytes);
}

static void encode(void *arg)
{
    struct job *j = arg;
    for (int i = 0; i < HEADERS; i++) {
        j->pkt.bth.psn = (uint32_t)i & 0xFFFFFFu;
        bench_use((uint64_t)mrc_pkt_encode(&j->cfg, &j->pkt, &j->frame));
    }
}

static void decode_frame(void *arg)
{
    struct job *j = arg;
    struct mrc_pkt p;
    for (int i = 0; i < HEADERS; i++) {
        bench_use(mrc_pkt_decode_frame(&j->cfg, &j->frame, &p));
    }
}

static void decode_bytes(void *arg)
{
    struct job *j = arg;
    struct mrc_pkt p;
    for (int i = 0; i < FRAMES; i++) {
        bench_use(mrc_pkt_decode(&j->cfg, j->bytes, j->len, j->len, true, &p));
    }
}

static void gather(void *arg)
{
    struct job *j = arg;
    for (int i = 0; i < FRAMES; i++) {
        bench_use(mrc_frame_gather(&j->cfg, &j->frame, j->bytes, sizeof j->bytes));
    }
}

static void copy(void *arg)
{
    struct job *j = arg;
    for (int i = 0; i < FRAMES; i++) {
        memcpy(j->bytes + MRC_FRAME_HDR_MAX, j->payload, sizeof j->payload);
        bench_use(j->bytes[MRC_FRAME_HDR_MAX]);
    }
}

static void zlib_crc(void *arg)
{
    struct job *j = arg;
    for (int i = 0; i < FRAMES; i++) {
        bench_use(crc32(0, j->payload, sizeof j->payload));
    }
}

int main(void)
{
    static struct job j;
    make_packet(&j);
    const struct {
        const char *what;
        void (*fn)(void *);
        int count;
    } rows[] = {
        {"encode headers", encode, HEADERS},
        {"decode headers (frame in the suite)", decode_frame, HEADERS},
        {"decode and verify the ICRC, 4 KiB", decode_bytes, FRAMES},
        {"gather and make the ICRC, 4 KiB", gather, FRAMES},
        {"memcpy of 4 KiB", copy, FRAMES},
        {"zlib crc32 of 4 KiB", zlib_crc, FRAMES},
    };
    double ns[sizeof rows / sizeof rows[0]];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ns[i] = bench_best_s(ROUNDS, rows[i].fn, &j) * 1e9 / rows[i].count;
    }
    puts("codec, CPU time a packet                     ns    x zlib crc32 of 4 KiB");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf("  %-38s %7.1f    %6.3f\n", rows[i].what, ns[i], ns[i] / ns[5]);
    }
    return 0;
}
