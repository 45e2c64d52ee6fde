/* SPDX-License-Identifier: BSD-2-Clause */
/* The go-back-N endpoint's packets: what a QP sends next, and how it looks. */
#include "harness/sim/rc_int.h"

#include "harness/fabric/fabric.h"

#include <string.h>

#define ROCE_PORT    4791u
#define HOP_LIMIT    64u
#define ECT0         2u
#define ACK_EVERY    8u         /* packets, beside the last of a message */
#define FLIGHT_MAX   (1u << 22) /* packets: half of the PSNs that can be told apart */
#define CNP_RESERVED 16u

static const uint8_t zeros[MRC_PAYLOAD_MAX];

static void start(const struct sim_rc *rc, const struct rc_qp *q, uint8_t opcode, uint64_t seq,
                  struct mrc_pkt *p)
{
    const struct mrc_addr *const from = &rc->addr[q->port];
    const bool control = opcode == RC_ACK || opcode == RC_CNP;
    const uint8_t dscp = rc->c.wire->dscp[control ? MRC_DSCP_CONTROL : MRC_DSCP_NO_TRIM];
    const uint8_t ecn = control ? 0 : ECT0;
    uint16_t port = 0;
    uint32_t label = 0;
    mrc_ev_to_fields(rc->c.wire, q->entropy, &port, &label);
    *p = (struct mrc_pkt){.is_v6 = from->is_v6};
    p->present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_UDP | 1u << MRC_HDR_BTH |
                 1u << (from->is_v6 ? MRC_HDR_IPV6 : MRC_HDR_IPV4);
    memcpy(p->eth.src, from->mac, 6);
    memcpy(p->eth.dst, q->addr.mac, 6);
    if (from->is_v6) {
        p->ip6 = (struct mrc_ipv6){.dscp = dscp, .ecn = ecn, .flow_label = label};
        p->ip6.hop_limit = HOP_LIMIT;
        memcpy(p->ip6.src, from->ip, 16);
        memcpy(p->ip6.dst, q->addr.ip, 16);
    } else {
        p->ip4 = (struct mrc_ipv4){.dscp = dscp, .ecn = ecn, .ttl = HOP_LIMIT};
        memcpy(p->ip4.src, from->ip, 4);
        memcpy(p->ip4.dst, q->addr.ip, 4);
    }
    p->udp.src_port = port;
    p->udp.dst_port = ROCE_PORT;
    p->bth = (struct mrc_bth){
        .opcode = opcode, .pkey = 0xFFFF, .dest_qp = q->qpn, .psn = (uint32_t)seq & 0xFFFFFFu};
}

static uint8_t opcode_of(const struct rc_msg *m, uint64_t i)
{
    const bool last = i + 1 == m->packets;
    if (m->packets == 1)
        return m->has_imm ? RC_WRITE_ONLY_IMM : RC_WRITE_ONLY;
    if (last)
        return m->has_imm ? RC_WRITE_LAST_IMM : RC_WRITE_LAST;
    return i == 0 ? RC_WRITE_FIRST : RC_WRITE_MIDDLE;
}

static void build_write(const struct sim_rc *rc, const struct rc_qp *q, struct mrc_frame *out)
{
    const struct rc_msg *const m = &q->sq[(q->sq_head + q->sq_at) % q->sq_depth];
    const uint64_t i = q->nxt - m->first;
    const bool last = i + 1 == m->packets;
    struct mrc_pkt p;
    start(rc, q, opcode_of(m, i), q->nxt, &p);
    p.bth.a = last || q->nxt % ACK_EVERY == ACK_EVERY - 1;
    if (i == 0) {
        p.present |= 1u << MRC_HDR_RETH;
        p.reth.dma_len = m->len_bytes;
    }
    if (last && m->has_imm)
        p.present |= 1u << MRC_HDR_IMMDT;
    p.payload = zeros;
    p.payload_len = last ? m->len_bytes - (uint32_t)i * rc->c.mtu : rc->c.mtu;
    (void)mrc_pkt_encode(rc->c.wire, &p, out);
}

static bool may_send(const struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns, uint64_t ports)
{
    if (q->nxt == q->end || q->failed || (ports >> q->port & 1) == 0)
        return false;
    if (q->nxt - q->una >= FLIGHT_MAX)
        return false;
    if (!rc->c.dcqcn)
        return q->nxt == q->una || (q->nxt - q->una + 1) * rc->c.mtu <= rc->c.cwnd_bytes;
    return q->pace_ns <= now_ns;
}

static void sent(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns, const struct mrc_frame *f)
{
    q->count.tx_data += q->nxt == q->top;
    q->count.tx_rtx += q->nxt < q->top;
    const struct rc_msg *const m = &q->sq[(q->sq_head + q->sq_at) % q->sq_depth];
    q->nxt++;
    if (q->nxt == m->first + m->packets)
        q->sq_at++;
    q->top = q->nxt > q->top ? q->nxt : q->top;
    if (q->timer_ns == MRC_TIME_NEVER)
        sim_rc_arm(rc, q, now_ns);
    if (!rc->c.dcqcn)
        return;
    dcqcn_advance(&q->cc, now_ns);
    const double bits = 8.0 * (double)(mrc_frame_wire_len(f) + MRCT_FAB_FRAMING);
    q->pace_ns = (q->pace_ns > now_ns ? q->pace_ns : now_ns) +
                 (q->cc.current < q->cc.line ? (uint64_t)(bits * 1e9 / q->cc.current) : 0);
}

/* Acknowledgements and notifications go first. */
static bool control(struct sim_rc *rc, struct rc_qp *q, struct mrc_frame *out)
{
    struct mrc_pkt p;
    if (q->owes_cnp) {
        start(rc, q, RC_CNP, 0, &p);
        p.payload = zeros;
        p.payload_len = CNP_RESERVED;
        q->owes_cnp = false;
    } else {
        start(rc, q, RC_ACK, q->owes_nak ? q->expected : q->expected - 1, &p);
        p.present |= 1u << MRC_HDR_AETH;
        p.aeth.syndrome = q->owes_nak ? RC_SYN_NAK : RC_SYN_ACK;
        q->count.tx_ack += !q->owes_nak;
        q->count.tx_nak += q->owes_nak;
        q->owes_ack = q->owes_nak = false;
    }
    rc->owing -= !q->owes_cnp && !q->owes_ack && !q->owes_nak;
    (void)mrc_pkt_encode(rc->c.wire, &p, out);
    return true;
}

int sim_rc_output(struct sim_rc *rc, uint64_t now_ns, uint64_t port_free_mask,
                  struct mrc_frame *out)
{
    const uint64_t ports = port_free_mask & rc->ports_up;
    rc->now_ns = now_ns;
    for (unsigned i = 0; i < rc->qp_count && rc->owing > 0; i++) {
        struct rc_qp *const q = &rc->qps[i];
        if ((q->owes_ack || q->owes_nak || q->owes_cnp) && (ports >> q->port & 1) != 0 &&
            control(rc, q, out))
            return q->port;
    }
    for (unsigned i = 0; i < rc->qp_count; i++) {
        struct rc_qp *const q = &rc->qps[(rc->turn + i) % rc->qp_count];
        if (!may_send(rc, q, now_ns, ports))
            continue;
        build_write(rc, q, out);
        sent(rc, q, now_ns, out);
        rc->turn = (rc->turn + i + 1) % rc->qp_count;
        return q->port;
    }
    return -1;
}
