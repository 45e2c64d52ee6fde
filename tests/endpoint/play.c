/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/endpoint/play.h"

void play_request(const struct rig *r, int n, struct mrc_pkt *p)
{
    rig_packet(r, 1, MRC_OP_WRITE_ONLY, mrc_psn_add(100, n), p);
    p->present |= 1u << MRC_HDR_METH | 1u << MRC_HDR_TSETH | 1u << MRC_HDR_RETH;
    p->ip6.dscp = 4;
    p->ip6.ecn = 2;
    p->bth.ts = 1;
    p->udp.src_port = (uint16_t)(0xA000 + (n & 0xFFF));
    p->ip6.flow_label = (uint32_t)(0x1000 + (n & 0xFFF));
    p->tseth.tx_timestamp = (uint16_t)(7000 + n);
    p->tseth.ftype = 1;
    p->meth.msn = (uint16_t)n;
    p->reth.va = RIG_VA + 1024u * (uint64_t)(int64_t)n;
    p->reth.rkey = r->host[1].mr.rkey;
    p->reth.dma_len = 1024;
    p->payload = r->host[0].mem + 1024 * (n & 0xFFF);
    p->payload_len = 1024;
}

void play_part(const struct rig *r, int n, struct mrc_pkt *p)
{
    play_request(r, n, p);
    p->bth.opcode = n == 0 ? MRC_OP_WRITE_FIRST : MRC_OP_WRITE_MIDDLE;
    p->reth.dma_len = 1u << 20;
    p->meth.msn = 0;
}

void play_send(struct rig *r, int n)
{
    struct mrc_pkt p;
    play_request(r, n, &p);
    rig_inject(r, 1, 0, &p);
}

void play_send_ask(struct rig *r, int n)
{
    struct mrc_pkt p;
    play_request(r, n, &p);
    p.bth.a = 1;
    rig_inject(r, 1, 0, &p);
}

void play_trimmed(struct rig *r, const struct mrc_pkt *p, bool last)
{
    struct mrc_pkt cut = *p;
    struct mrc_frame f;
    cut.ip6.dscp = r->host[1].cfg.wire.dscp[last ? MRC_DSCP_TRIMMED_LASTHOP : MRC_DSCP_TRIMMED];
    ck_assert_int_eq(mrc_pkt_encode(&r->host[1].cfg.wire, &cut, &f), 0);
    const unsigned ip = 14;
    const unsigned len = f.hdr_len - ip - 40;
    f.payload = NULL;
    f.payload_len = 0;
    f.pad_len = 0;
    f.icrc_state = MRC_ICRC_ABSENT;
    f.hdr[ip + 4] = (uint8_t)(len >> 8);
    f.hdr[ip + 5] = (uint8_t)len;
    mrc_ep_input(r->host[1].ep, r->now_ns, 0, &f);
}

void play_expect(struct rig *r, uint8_t opcode, struct mrc_pkt *p)
{
    ck_assert(rig_take(r, 1, p));
    ck_assert_uint_eq(p->bth.opcode, opcode);
    ck_assert_uint_eq(p->dscp, 46); /* REQ-9-01 */
    ck_assert_uint_eq(p->payload_len, 0);
    ck_assert_uint_eq(p->bth.dest_qp, opcode == MRC_OP_EP_RESPONSE ? 2 : 0x22);
}

void play_expect_nothing(struct rig *r)
{
    struct mrc_pkt p;
    ck_assert(!rig_take(r, 1, &p));
}
