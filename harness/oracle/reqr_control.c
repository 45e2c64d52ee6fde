/* SPDX-License-Identifier: BSD-2-Clause */
/* The requestor's model, what it was told: SACKs, NACKs, transport ACKs and NAKs. */
#include "harness/oracle/reqr.h"

#define PENALTY_ALL 127u

/* A report of a PSN that was never sent is the responder's fault, or the capture lacks the request;
 * it is no news of what was sent. */
static bool was_sent(struct reqr_model *m, uint32_t psn)
{
    if (!m->started)
        return false;
    if (mrc_psn_diff(psn, m->next) < 0)
        return true;
    m->unseen_told = true;
    return false;
}

static void note_arrived(struct reqr_model *m, const struct reqr_pkt *p)
{
    if (p->last_ns < m->arrived_sent_ns || p->last_frame <= m->arrived_sent_frame)
        return;
    m->arrived_sent_ns = p->last_ns;
    m->arrived_sent_frame = p->last_frame;
}

static void mark(struct reqr_model *m, const struct look *l, uint32_t psn)
{
    struct reqr_pkt *const p = mrct_reqr_find(m, psn);
    if (p == NULL || p->acked)
        return;
    note_arrived(m, p);
    p->acked = true;
    p->acked_ns = l->now_ns;
    p->acked_frame = l->obs->frame_no;
    if (m->opened_ns == 0)
        m->opened_ns = l->now_ns;
}

static void reported(struct reqr_model *m, const struct look *l, uint32_t psn)
{
    if (m->have_max && mrc_psn_diff(psn, m->max_arrived) <= 0)
        return;
    const uint32_t from = m->have_max ? m->max_arrived : mrc_psn_add(m->first, -1);
    int32_t steps = mrc_psn_diff(psn, from);
    if (steps > (int32_t)m->ring_len)
        steps = (int32_t)m->ring_len;
    for (int32_t i = 1; i <= steps; i++) {
        struct reqr_pkt *const p = mrct_reqr_find(m, mrc_psn_add(psn, -i));
        if (p != NULL && p->passed_ns == 0)
            p->passed_ns = l->now_ns;
    }
    m->have_max = true;
    m->max_arrived = psn;
}

/* Both ends agree that it was sent, so the capture lacks it. */
static void note_unseen(struct reqr_model *m, const struct look *l, uint32_t psn)
{
    if (mrct_reqr_find(m, psn) != NULL)
        return;
    if (m->acked_unseen++ == 0)
        m->acked_unseen_frame = l->obs->frame_no;
}

static void wimm_done(struct reqr_model *m)
{
    while (m->wimm_count > 0 && mrc_psn_diff(m->wimm[m->wimm_head], m->cack) <= 0) {
        m->wimm_head = (m->wimm_head + 1) % REQR_WIMM_MAX;
        m->wimm_count--;
    }
}

static void advance(struct reqr_model *m, const struct look *l, uint32_t cack)
{
    int32_t steps = mrc_psn_diff(cack, m->cack);
    if (steps <= 0 || !was_sent(m, cack))
        return;
    if (steps > (int32_t)m->ring_len)
        steps = (int32_t)m->ring_len;
    for (int32_t i = 0; i < steps; i++) {
        const uint32_t psn = mrc_psn_add(cack, -i);
        note_unseen(m, l, psn);
        mark(m, l, psn);
    }
    m->cack = cack;
    m->cack_ns = l->now_ns;
    m->cack_frame = l->obs->frame_no;
    m->epoch++;
    reported(m, l, cack);
    wimm_done(m);
}

/* The window of a SACK that is not older than the one before it; of two with the same cack_psn the
 * one that counts more bytes is the newer. */
static void take_mpr(struct reqr_model *m, const struct look *l, bool newer)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    const int32_t bytes = mrc_psn_diff(k->cc_state.rcvd_bytes, m->mpr_rcvd);
    if (l->flow->fact.dynamic_mpr == 0 || k->seth.mpr == 0)
        return;
    if (!newer && !(k->seth.cack_psn == m->cack && bytes >= 0))
        return;
    m->mpr_rcvd = k->cc_state.rcvd_bytes;
    if (m->mpr == k->seth.mpr)
        return;
    m->mpr_before = m->mpr;
    m->mpr_ns = l->now_ns;
    m->mpr = k->seth.mpr;
}

/* The sending that a SACK answers has arrived, though its PSN may have been known before. */
static void take_trigger(struct reqr_model *m, const struct look *l)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    const uint32_t psn = mrc_psn_add(k->seth.cack_psn, k->seth.ack_psn_offset);
    const struct reqr_pkt *const p = k->seth.pr != 0 ? NULL : mrct_reqr_find(m, psn);
    if (p != NULL && (p->sends > 1) == (k->bth.rtx != 0))
        note_arrived(m, p);
}

static void take_penalty(struct reqr_model *m, const struct look *l)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    struct reqr_pen *const pen = &m->pen;
    if (!MRC_PKT_HAS(k, CC_STATE) || k->seth.cc_type != 0 ||
        k->cc_state.rcv_cwnd_pen != PENALTY_ALL) {
        pen->running = false;
        return;
    }
    if (pen->running && m->arrived_sent_ns < pen->round_ns)
        return;
    pen->rounds = pen->running ? pen->rounds + 1 : 0;
    pen->running = true;
    pen->round_ns = l->now_ns;
    pen->bytes = 0;
}

static void take_sack(struct reqr_model *m, const struct look *l)
{
    const struct mrc_seth *const s = &l->obs->pkt.seth;
    if (!m->started)
        return;
    take_trigger(m, l);
    const bool newer = mrc_psn_diff(s->cack_psn, m->cack) > 0;
    advance(m, l, s->cack_psn);
    const uint32_t base = mrc_psn_add(s->cack_psn, s->sack_offset);
    for (unsigned i = 0; i < 64; i++) {
        if ((s->sack_bitmap >> i & 1) == 0)
            continue;
        const uint32_t psn = mrc_psn_add(base, (int32_t)i);
        if (!was_sent(m, psn))
            continue;
        mark(m, l, psn);
        reported(m, l, psn);
    }
    take_mpr(m, l, newer);
    take_penalty(m, l);
    m->last_report_ns = l->now_ns;
}

static void stop(struct reqr_model *m, const struct look *l, const char *why, int syndrome)
{
    if (m->fatal)
        return;
    m->fatal = true;
    m->fatal_ns = l->now_ns;
    m->fatal_frame = l->obs->frame_no;
    m->fatal_why = why;
    m->fatal_syndrome = syndrome;
}

static void take_nack(struct reqr_model *m, const struct look *l)
{
    const struct mrc_neth *const n = &l->obs->pkt.neth;
    if (n->nack_reason == MRC_NACK_UNEXP_EVENT)
        stop(m, l, "NACK UNEXP_EVENT", 0);
    m->last_report_ns = l->now_ns;
    m->pen.running = false; /* what was refused makes room as well */
    if (!was_sent(m, n->nack_psn))
        return;
    /* What was refused had at least come that far: earlier ones may be missed because of it. */
    reported(m, l, n->nack_psn);
    struct reqr_pkt *const p = mrct_reqr_find(m, n->nack_psn);
    if (p == NULL)
        return;
    p->nacked = true;
    p->nack_ev = n->entropy;
    p->nack_ns = l->now_ns;
    p->nack_frame = l->obs->frame_no;
}

static void take_ack(struct reqr_model *m, const struct look *l)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (!m->started)
        return;
    uint32_t covered = k->bth.psn;
    if (k->aeth.syndrome == MRC_SYN_ACK) {
        advance(m, l, covered);
    } else {
        stop(m, l, "transport NAK", k->aeth.syndrome);
        covered = mrc_psn_add(covered, -1); /* a NAK acknowledges what lies below it */
    }
    if (mrc_psn_diff(covered, m->next) >= 0)
        return;
    if (!m->have_ack || mrc_psn_diff(covered, m->ack_psn) > 0)
        m->ack_psn = covered;
    m->have_ack = true;
}

void mrct_reqr_control(struct look *l, struct reqr_model *m)
{
    switch (l->kind) {
    case KIND_SACK:
        take_sack(m, l);
        break;
    case KIND_NACK:
        take_nack(m, l);
        break;
    case KIND_ACK:
        take_ack(m, l);
        break;
    case KIND_REQUEST:
    case KIND_PROBE:
    case KIND_EP_REQUEST:
    case KIND_EP_RESPONSE:
    case KIND_BROKEN:
    case KIND_COUNT:
        return;
    }
    m->heard = true;
}
