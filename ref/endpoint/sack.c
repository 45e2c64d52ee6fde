/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliability SACK: when the responder owes one (section 7.5.2), and what it says. */
#include "ref/endpoint/ep_int.h"

#define BITMAP_BITS     64u
#define RCVD_BYTES_UNIT 256u
#define ECN_CE          3u

bool mrc_pkt_ce(const struct mrc_pkt *p)
{
    return p->ecn == ECN_CE || p->inner_ecn == ECN_CE; /* Q21 a: either header's mark */
}

/* A request without TSETH: 0, no use for an RTT. */
uint16_t mrc_pkt_timestamp(const struct mrc_pkt *p)
{
    return MRC_PKT_HAS(p, TSETH) ? p->tseth.tx_timestamp : 0;
}

static struct mrc_ctrl from_trigger(const struct mrc_pkt *p)
{
    return (struct mrc_ctrl){
        .kind = MRC_CTRL_SACK,
        .m = mrc_pkt_ce(p) ? MRC_M_SKIP_ONCE : MRC_M_NONE,
        .rtx = p->bth.rtx,
        .timestamp = mrc_pkt_timestamp(p),
        .stamped = MRC_PKT_HAS(p, TSETH),
        .entropy = p->ev,
        .psn = p->bth.psn,
    };
}

static void send_for_request(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p)
{
    const struct mrc_ctrl c = from_trigger(p);
    qp->rsp.sack_trigger = 0; /* any SACK for a request */
    mrc_ctrl_push(ep, qp, &c);
}

void mrc_sack_new(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p)
{
    const uint32_t least = ep->cfg.sack_min_pkt_bytes;
    qp->rsp.sack_trigger += p->payload_len > least ? p->payload_len : least;
    const bool passed = qp->rsp.sack_trigger > ep->cfg.sack_gen_threshold_bytes;
    if (passed || p->bth.a || p->bth.rtx || mrc_pkt_ce(p))
        send_for_request(ep, qp, p);
}

void mrc_sack_dup(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p)
{
    send_for_request(ep, qp, p);
}

void mrc_sack_probe(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p)
{
    struct mrc_ctrl c = from_trigger(p);
    c.pr = true;
    c.rtx = false;
    c.probe_id = p->peth.probe_id;
    c.timestamp = p->peth.tx_timestamp;
    c.stamped = true;
    mrc_ctrl_push(ep, qp, &c);
}

/* First sequence of the bitmap: the highest received is covered where one bitmap can. */
static uint64_t bitmap_base(const struct mrc_rsp *r)
{
    const uint64_t low = r->max_rcv - (BITMAP_BITS - 1);
    return low > r->rcv_nxt ? low : r->rcv_nxt;
}

static uint64_t bitmap_from(const struct mrc_rsp *r, uint64_t base)
{
    uint64_t map = 0;
    for (unsigned i = 0; i < BITMAP_BITS && base + i <= r->max_rcv; i++)
        if (mrc_bit(r->bits, (base + i) & r->mask))
            map |= UINT64_C(1) << i;
    return map;
}

static int16_t psn_offset(uint32_t psn, uint32_t cack)
{
    const int32_t d = mrc_psn_diff(psn, cack);
    return (int16_t)(d > INT16_MAX ? INT16_MAX : d < INT16_MIN ? INT16_MIN : d);
}

void mrc_sack_fill(const struct mrc_qp *qp, const struct mrc_ctrl *c, struct mrc_pkt *p)
{
    const struct mrc_rsp *r = &qp->rsp;
    const uint32_t cack = mrc_seq_psn(r->rcv_nxt - 1);
    const uint64_t base = bitmap_base(r);
    p->present |= UINT32_C(1) << MRC_HDR_SETH | UINT32_C(1) << MRC_HDR_CC_STATE;
    p->bth.rtx = c->rtx;
    p->seth.m = c->m;
    p->seth.pr = c->pr;
    if (c->pr)
        p->seth.probe_id = c->probe_id;
    else
        p->seth.ack_psn_offset = psn_offset(c->psn, cack);
    p->seth.entropy = c->entropy;
    p->seth.spdcid = (uint16_t)qp->qpn;
    p->seth.dpdcid = (uint16_t)qp->peer.qpn;
    p->seth.cack_psn = cack;
    p->seth.mpr = qp->dynamic_mpr ? (uint8_t)(r->window / MRC_MPR_UNIT) : 0;
    p->seth.sack_offset = (int16_t)(base - (r->rcv_nxt - 1));
    p->seth.sack_bitmap = bitmap_from(r, base);
    p->cc_state.tx_timestamp = c->timestamp;
    p->cc_state.ooo_count = (uint16_t)r->ooo_count;
    p->cc_state.r_c = r->restore_cwnd;
    p->cc_state.rcv_cwnd_pen = r->cwnd_pen;
    p->cc_state.rcvd_bytes =
        (uint32_t)((r->rcvd_bytes + RCVD_BYTES_UNIT - 1) / RCVD_BYTES_UNIT) & MRC_PSN_MASK;
}
