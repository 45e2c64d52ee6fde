/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A SACK at the requestor: what has arrived, what that makes a loss, and the news for congestion
 * control. A peer may say anything: nothing is believed of packets that were never sent.
 */
#include "ref/endpoint/ep_int.h"

#define RCVD_BYTES_UNIT 256u

/* A SACK in sequence numbers. */
struct sack {
    uint64_t una;  /* cack_psn + 1 */
    uint64_t base; /* of bit 0 */
    uint64_t bitmap;
    uint64_t trigger; /* request that triggered it; MRC_SEQ_NIL: a probe did */
};

static enum mrc_drop read_sack(const struct mrc_req *r, const struct mrc_pkt *p, struct sack *s)
{
    const struct mrc_seth *h = &p->seth;
    if (h->m > MRC_M_ALWAYS_SKIP)
        return MRC_DROP_CODE_POINT; /* Q23 a */
    const uint64_t cack = mrc_seq_near(r->snd_una - 1, h->cack_psn);
    s->una = cack + 1;
    s->bitmap = h->sack_bitmap;
    s->base = cack + (uint64_t)(int64_t)h->sack_offset;
    s->trigger = h->pr ? MRC_SEQ_NIL : cack + (uint64_t)(int64_t)h->ack_psn_offset;
    const uint64_t top = s->bitmap ? s->base + 63 - (uint64_t)__builtin_clzll(s->bitmap) : cack;
    if (s->una > r->snd_nxt || top >= r->snd_nxt)
        return MRC_DROP_BAD_SACK;
    if (!h->pr && s->trigger >= r->snd_nxt)
        return MRC_DROP_BAD_SACK;
    if (s->una + r->slot_mask + 1 < r->snd_una)
        return MRC_DROP_STALE;
    return MRC_DROP_REASONS;
}

/* Only a sending that the SACK surely speaks of tells how far arrivals have come. */
static void note_sending(struct mrc_req *r, const struct mrc_tx_slot *t)
{
    if (r->acked_tx_valid && (int32_t)(t->tx_no - r->acked_tx) <= 0)
        return;
    r->acked_tx = t->tx_no;
    r->acked_tx_valid = true;
}

uint32_t mrc_req_arrived(const struct mrc_ep *ep, struct mrc_qp *qp, uint64_t seq)
{
    struct mrc_req *r = &qp->req;
    struct mrc_tx_slot *t = mrc_slot(r, seq);
    uint32_t size = 0;
    if (t->flags & MRC_SLOT_SENT) {
        mrc_out_remove(r, (uint16_t)(seq & r->slot_mask));
        size = mrc_req_size(ep, &r->sq[t->sq], seq);
    } else if (t->flags & MRC_SLOT_LOST) {
        mrc_lost_remove(r, seq);
    }
    if (t->tries == 0 && !(t->flags & MRC_SLOT_SACKED)) {
        note_sending(r, t);
        mrc_ev_delivered(ep, qp, t->ev);
    }
    t->flags = (uint8_t)((t->flags & MRC_SLOT_ACKREQ) | MRC_SLOT_SACKED);
    return size;
}

uint64_t mrc_req_advance(const struct mrc_ep *ep, struct mrc_qp *qp, uint64_t una)
{
    uint64_t bytes = 0;
    if (una <= qp->req.snd_una)
        return 0;
    for (; qp->req.snd_una < una; qp->req.snd_una++)
        bytes += mrc_req_arrived(ep, qp, qp->req.snd_una);
    mrc_retry_progress(qp);
    return bytes;
}

static uint64_t take_bitmap(const struct mrc_ep *ep, struct mrc_qp *qp, const struct sack *s)
{
    uint64_t bytes = 0;
    for (uint64_t left = s->bitmap; left; left &= left - 1) {
        const uint64_t seq = s->base + (uint64_t)__builtin_ctzll(left);
        if (seq >= qp->req.snd_una)
            bytes += mrc_req_arrived(ep, qp, seq);
    }
    /* what triggered it has arrived, though the bitmap may stand elsewhere */
    if (s->trigger != MRC_SEQ_NIL && s->trigger >= qp->req.snd_una)
        bytes += mrc_req_arrived(ep, qp, s->trigger);
    return bytes;
}

/* The slot of the trigger, if its memory still is that packet's. */
static struct mrc_tx_slot *trigger_slot(struct mrc_req *r, const struct sack *s)
{
    if (s->trigger == MRC_SEQ_NIL || s->trigger >= r->snd_nxt ||
        s->trigger + r->slot_mask + 1 < r->snd_nxt)
        return NULL;
    struct mrc_tx_slot *t = mrc_slot(r, s->trigger);
    return t->tx_no != 0 ? t : NULL; /* 0: from before the first packet */
}

static void check_hole(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq)
{
    const struct mrc_req *r = &qp->req;
    const struct mrc_tx_slot *t = mrc_slot(r, seq);
    if (!(t->flags & MRC_SLOT_SENT))
        return;
    const int32_t later = (int32_t)(r->acked_tx - t->tx_no);
    if (later < 0 || (uint32_t)later < ep->cfg.reorder_margin_psn)
        return;
    ep->count.holes++;
    qp->count.holes++;
    mrc_ev_lost(ep, qp, now_ns, mrc_slot_ev(qp, t));
    mrc_rtx_loss(ep, qp, seq, now_ns, MRC_CAUSE_HOLE);
}

/* Zeros below the highest bit, and the packet that cack_psn waits for (Q4: only with a margin). */
static void find_holes(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct sack *s)
{
    const struct mrc_req *r = &qp->req;
    if (!r->acked_tx_valid)
        return;
    if (r->snd_una < r->snd_nxt)
        check_hole(ep, qp, now_ns, r->snd_una);
    if (!s->bitmap)
        return;
    const uint64_t below_top = (UINT64_C(1) << (63 - __builtin_clzll(s->bitmap))) - 1;
    for (uint64_t left = ~s->bitmap & below_top; left; left &= left - 1) {
        const uint64_t seq = s->base + (uint64_t)__builtin_ctzll(left);
        if (seq > r->snd_una)
            check_hole(ep, qp, now_ns, seq);
    }
}

/* Of two SACKs with the same cack_psn the one that counts more bytes is the newer. */
static bool older_window(const struct mrc_req *r, const struct sack *s, uint32_t rcvd_bytes)
{
    if (s->una != r->cack_of_mpr)
        return s->una < r->cack_of_mpr;
    return mrc_psn_diff(rcvd_bytes, r->rcvd_of_mpr) < 0;
}

/* A late SACK must not bring back an older window. The slots bound what may be in flight, whatever
 * the peer allows. */
static void take_mpr(struct mrc_ep *ep, struct mrc_qp *qp, const struct sack *s,
                     const struct mrc_pkt *p)
{
    struct mrc_req *r = &qp->req;
    const uint32_t psns = p->seth.mpr * MRC_MPR_UNIT;
    if (!qp->dynamic_mpr || psns == 0 || older_window(r, s, p->cc_state.rcvd_bytes))
        return;
    const uint32_t before = r->mpr;
    r->mpr = psns <= r->slot_mask + 1 ? psns : r->slot_mask + 1;
    mrc_trace(ep, qp, MRC_TRACE_MPR, MRC_CAUSE_SACK, before, r->mpr);
    r->cack_of_mpr = s->una;
    r->rcvd_of_mpr = p->cc_state.rcvd_bytes;
}

static uint64_t newly_received(struct mrc_req *r, uint32_t rcvd_bytes)
{
    const int32_t step = mrc_psn_diff(rcvd_bytes, r->rcvd_bytes);
    if (step <= 0)
        return 0;
    r->rcvd_bytes = rcvd_bytes;
    return (uint64_t)step * RCVD_BYTES_UNIT;
}

static void tell_cc(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_pkt *p,
                    struct mrc_cc_sack *cc)
{
    cc->ce_marked = p->seth.m == MRC_M_SKIP_ONCE;
    if (cc->has_cc_state) {
        cc->newly_rcvd_bytes = newly_received(&qp->req, p->cc_state.rcvd_bytes);
        cc->rcv_cwnd_pen = p->cc_state.rcv_cwnd_pen;
        cc->restore_cwnd = p->cc_state.r_c;
    }
    mrc_cc_sacked(ep, qp, cc);
}

void mrc_req_sack(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, const struct mrc_pkt *p)
{
    struct mrc_req *r = &qp->req;
    struct sack s;
    const enum mrc_drop drop = read_sack(r, p, &s);
    if (drop != MRC_DROP_REASONS) {
        ep->count.drop[drop]++;
        return;
    }
    struct mrc_cc_sack cc = {.now_ns = now_ns};
    const uint64_t una_before = r->snd_una;
    const struct mrc_tx_slot *trigger = trigger_slot(r, &s);
    cc.has_cc_state = p->seth.cc_type == 0; /* Q18 a */
    cc.rtt_valid = cc.has_cc_state && mrc_rtt_sample(ep, trigger, s.trigger, p->bth.rtx,
                                                     p->cc_state.tx_timestamp, &cc.rtt_ns);
    cc.acked_bytes = mrc_req_advance(ep, qp, s.una);
    cc.acked_bytes += take_bitmap(ep, qp, &s);
    const int took = trigger ? mrc_slot_ev(qp, trigger) : -1;
    if (trigger && mrc_rtt_unambiguous(trigger, p->bth.rtx)) {
        note_sending(r, trigger);
        if (took >= 0 && p->seth.m == MRC_M_NONE)
            mrc_rev_learn(ep, qp, qp->evs.list[took].port, qp->evs.list[took].value);
    }
    mrc_ev_marked(ep, qp, now_ns, took, p);
    if (cc.acked_bytes > 0 || r->snd_una != una_before) {
        r->stall_ns = now_ns;
        r->asks = 0;
    }
    take_mpr(ep, qp, &s, p);
    tell_cc(ep, qp, p, &cc);
    find_holes(ep, qp, now_ns, &s);
}
