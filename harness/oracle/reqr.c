/* SPDX-License-Identifier: BSD-2-Clause */
/* The requestor's model: a ring of what was sent, and what each request is in that light. */
#include "harness/oracle/reqr.h"
#include <isa-l/crc.h>
#include <stdlib.h>
#include <string.h>

#define RING_FIRST 64u
#define GAP_FAR    128 /* PSNs passed over at once that one packet alone does not prove */

static struct reqr_pkt *slot(const struct reqr_model *m, uint32_t psn)
{
    return &m->ring[psn & (m->ring_len - 1)];
}

static int reqr_init(struct mrct_oracle *o, struct flow *f)
{
    (void)o;
    struct reqr_model *const m = calloc(1, sizeof *m);
    if (m == NULL)
        return -1;
    m->ring_len = RING_FIRST;
    m->ring = calloc(m->ring_len, sizeof *m->ring);
    if (m->ring == NULL) {
        free(m);
        return -1;
    }
    m->mpr = m->mpr_before = f->fact.mpr;
    f->reqr = m;
    return 0;
}

static void reqr_fini(struct flow *f)
{
    if (f->reqr == NULL)
        return;
    free(f->reqr->posts);
    free(f->reqr->ring);
    free(f->reqr);
    f->reqr = NULL;
}

/* Doubles the ring rather than forget a packet that may still be in flight. */
static bool grow(struct reqr_model *m)
{
    const uint32_t len = m->ring_len * 2;
    struct reqr_pkt *const ring = calloc(len, sizeof *ring);
    if (ring == NULL)
        return false; /* the oldest entries are overwritten: fewer comparisons, no wrong ones */
    for (uint32_t i = 0; i < m->ring_len; i++) {
        const struct reqr_pkt *const p = &m->ring[i];
        if (p->used)
            ring[p->psn & (len - 1)] = *p;
    }
    free(m->ring);
    m->ring = ring;
    m->ring_len = len;
    return true;
}

static void start(struct reqr_model *m, uint32_t psn)
{
    m->started = true;
    m->first = psn;
    m->next = psn;
    m->cack = mrc_psn_add(psn, -1);
}

static uint32_t digest(const struct mrct_obs *obs, bool *have)
{
    const struct mrc_pkt *const p = &obs->pkt;
    *have = p->trim == MRC_TRIM_NONE && obs->cap_len >= obs->wire_len &&
            (p->payload_len == 0 || p->payload != NULL);
    if (!*have || p->payload_len == 0)
        return 0;
    return crc32_gzip_refl(0, p->payload, p->payload_len);
}

/* How long before a sending a report may have come and still be its reason or the next one's. */
static uint64_t slack_ns(const struct look *l)
{
    const uint64_t half = mrct_reqr_timeout_ns(l) / 2;
    return half != 0 && half < l->cfg->reaction_ns ? half : l->cfg->reaction_ns;
}

static enum reqr_reason why_again(const struct look *l, const struct reqr_model *m,
                                  const struct reqr_pkt *old)
{
    if (old->nacked)
        return REQR_REASON_NACK;
    /* A report that came shortly before the last sending may have been read after it. */
    if (m->have_max && mrc_psn_diff(m->max_arrived, old->psn) > 0 &&
        m->last_report_ns + slack_ns(l) >= old->last_ns)
        return REQR_REASON_HOLE;
    /* A lower PSN that was sent again after this one has arrived: order of sending tells as well.
     * Of two frames of one moment the tap need not know which was the first. */
    if (m->arrived_sent_frame != 0 && m->arrived_sent_frame != old->last_frame &&
        m->arrived_sent_ns + 2 * l->obs->time_err_ns >= old->last_ns)
        return REQR_REASON_HOLE;
    return REQR_REASON_SILENCE;
}

/* Frames at the sender's own tap left it as they are; elsewhere a wrong ICRC says nothing. */
static bool counts(const struct look *l)
{
    return l->kind == KIND_REQUEST && l->to_responder && MRC_PKT_HAS(&l->obs->pkt, METH) &&
           MRC_PKT_HAS(&l->obs->pkt, RETH) && (!l->icrc_bad || l->sent_at_tap);
}

/* The same bits again, EV and timestamp with them: a retransmission would have changed some. Where
 * there is no timestamp and no other EV the two must have been captured at once. */
static bool same_frame(const struct look *l, const struct reqr_model *m, const struct reqr_pkt *old)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (k->bth.rtx != old->last_rtx || k->ev != old->last_ev || k->icrc != old->icrc ||
        k->icrc_state != MRC_ICRC_VALID)
        return false;
    return MRC_PKT_HAS(k, TSETH) || m->ev_count > 1 || l->now_ns - old->last_ns < 1000;
}

/* A single packet far ahead is a stray, no gap in the capture: unless the next one goes on from it
 * nothing that was sent is measured by it. */
static bool is_stray(struct reqr_model *m, uint32_t psn)
{
    const bool goes_on = m->have_stray && psn == m->stray;
    m->have_stray = !goes_on;
    m->stray = mrc_psn_add(psn, 1);
    return !goes_on;
}

static void classify(struct look *l, struct reqr_model *m)
{
    struct reqr_now *const now = &m->now;
    const uint32_t psn = l->obs->pkt.bth.psn;
    const int32_t diff = mrc_psn_diff(psn, m->next);
    now->old = mrct_reqr_find(m, psn);
    if (diff >= 0) {
        now->old = NULL;
        now->class = REQR_FIRST;
        now->gap = diff;
        mrct_reqr_message_before(m, l);
        now->stray = diff > GAP_FAR && !now->gap_proven && is_stray(m, psn);
    } else if (now->old != NULL && same_frame(l, m, now->old)) {
        now->class = REQR_TWICE;
    } else if (now->old != NULL) {
        now->class = REQR_AGAIN;
        now->reason = why_again(l, m, now->old);
    } else {
        now->class = REQR_LATE;
    }
}

static void reqr_before(struct look *l)
{
    struct reqr_model *const m = l->flow->reqr;
    memset(&m->now, 0, sizeof m->now);
    if (!counts(l))
        return;
    const struct mrc_bth *const bth = &l->obs->pkt.bth;
    if (!m->started) {
        const int64_t agreed = l->flow->fact.start_psn;
        /* A capture that begins with a retransmission began in the middle. */
        if (bth->rtx && !(l->cfg->complete && agreed == (int64_t)bth->psn))
            return;
        start(m, bth->psn);
    }
    m->now.crc = digest(l->obs, &m->now.has_digest);
    classify(l, m);
}

static void fill(struct reqr_pkt *p, const struct look *l, const struct reqr_now *now)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    memset(p, 0, sizeof *p);
    p->used = true;
    p->psn = k->bth.psn;
    p->opcode = k->bth.opcode;
    p->pad_cnt = k->bth.pad_cnt;
    p->asked = k->bth.a != 0;
    p->msn = k->meth.msn;
    p->rqmsn = k->meth.rqmsn;
    p->va = k->reth.va;
    p->rkey = k->reth.rkey;
    p->dma_len = k->reth.dma_len;
    p->imm = k->immdt.imm;
    p->payload_len = k->payload_len;
    p->has_digest = now->has_digest;
    p->crc = now->crc;
    p->first_ns = l->now_ns;
    p->first_frame = l->obs->frame_no;
}

static void sent(struct reqr_pkt *p, const struct look *l)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (p->sends < UINT16_MAX)
        p->sends++;
    p->last_ns = l->now_ns;
    p->last_frame = l->obs->frame_no;
    p->last_ev = k->ev;
    p->last_rtx = k->bth.rtx;
    p->has_ts = MRC_PKT_HAS(k, TSETH);
    p->last_ts = k->tseth.tx_timestamp;
    p->tsr = k->tseth.tsr;
    p->icrc = k->icrc;
    p->nacked = false;
}

static void note_ev(struct reqr_model *m, uint32_t ev)
{
    for (unsigned i = 0; i < m->ev_count; i++)
        if (m->evs[i] == ev)
            return;
    if (m->ev_count < REQR_EVS) {
        m->evs[m->ev_count++] = ev;
        return;
    }
    memmove(&m->evs[0], &m->evs[1], sizeof m->evs - sizeof m->evs[0]);
    m->evs[REQR_EVS - 1] = ev;
}

/* Retries since the window last advanced; what was sent again for a hole is none. */
static void count_retry(struct reqr_model *m, struct reqr_pkt *p)
{
    if (p->epoch != m->epoch) {
        p->epoch = m->epoch;
        p->retries = p->timeouts = 0;
    }
    if (m->now.reason == REQR_REASON_HOLE || p->retries == UINT16_MAX)
        return;
    p->retries++;
    if (m->now.reason == REQR_REASON_SILENCE)
        p->timeouts++;
}

/* What its sender must have read by now, since it is what made it send this. */
static void note_again(struct look *l, struct reqr_model *m, const struct reqr_pkt *old)
{
    uint64_t read_ns = 0;
    if (m->now.reason == REQR_REASON_NACK)
        read_ns = old->nack_ns;
    else if (m->now.reason == REQR_REASON_HOLE && old->passed_ns >= old->last_ns)
        read_ns = old->passed_ns;
    if (read_ns > m->read_ns)
        m->read_ns = read_ns;
    m->rtx_count++;
    if (old->last_ev == l->obs->pkt.ev) {
        m->rtx_same_ev++;
        m->rtx_same_ev_frame = l->obs->frame_no;
    }
    if (m->now.reason != REQR_REASON_NACK && old->first_ns >= m->rtx_of_ns) {
        m->rtx_of_ns = old->first_ns;
        m->rtx_ns = l->now_ns;
    }
}

static void source_of(const struct mrc_pkt *k, uint8_t ip[16])
{
    memset(ip, 0, 16);
    memcpy(ip, k->is_v6 ? k->ip6.src : k->ip4.src, k->is_v6 ? 16 : 4);
}

/* Two ports of a host, and the clocks of a tap, may show two frames in the wrong order. */
bool mrct_reqr_out_of_order(const struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    uint8_t src[16];
    source_of(&l->obs->pkt, src);
    return m->now.class == REQR_LATE && !l->obs->pkt.bth.rtx &&
           mrc_psn_diff(l->obs->pkt.bth.psn, m->first) > 0 && m->missing > 0 &&
           memcmp(src, m->gap_src, sizeof src) == 0 &&
           l->now_ns > m->gap_ns + 2 * l->obs->time_err_ns;
}

static void take_first(struct look *l, struct reqr_model *m)
{
    const uint32_t psn = l->obs->pkt.bth.psn;
    if (m->now.stray)
        return;
    struct reqr_pkt *p = slot(m, psn);
    while (p->used && !p->acked && m->ring_len < REQR_RING_MAX && grow(m))
        p = slot(m, psn);
    if (m->now.gap > 0 && !m->now.gap_proven) {
        m->missing += (uint32_t)m->now.gap;
        m->gap_ns = l->now_ns;
        source_of(&l->obs->pkt, m->gap_src);
    }
    fill(p, l, &m->now);
    p->epoch = m->epoch;
    sent(p, l);
    mrct_reqr_message(m, l);
    m->more_posted = m->post_unsent > 0 || m->posts_lost;
    m->next = mrc_psn_add(psn, 1);
    m->last_new_ns = l->now_ns;
    m->last_new_frame = l->obs->frame_no;
    m->opened_ns = 0;
}

static void take_late(struct look *l, struct reqr_model *m)
{
    const uint32_t psn = l->obs->pkt.bth.psn;
    if (!l->obs->pkt.bth.rtx && m->missing > 0 && mrc_psn_diff(psn, m->first) > 0)
        m->missing--; /* it is here after all */
    struct reqr_pkt *const p = slot(m, psn);
    if (p->used && mrc_psn_diff(p->psn, psn) > 0)
        return; /* its place in the ring was given to a newer one */
    fill(p, l, &m->now);
    sent(p, l);
}

static void reqr_after(struct look *l)
{
    struct reqr_model *const m = l->flow->reqr;
    if (!l->to_responder) {
        if (!l->icrc_bad)
            mrct_reqr_control(l, m);
        return;
    }
    if (l->kind == KIND_PROBE && m->probes < UINT32_MAX)
        m->probes++;
    switch (m->now.class) {
    case REQR_NONE:
    case REQR_TWICE:
        return;
    case REQR_FIRST:
        take_first(l, m);
        m->pen.bytes += l->obs->pkt.nominal_len;
        break;
    case REQR_AGAIN:
        note_again(l, m, m->now.old);
        count_retry(m, m->now.old);
        sent(m->now.old, l);
        break;
    case REQR_LATE:
        take_late(l, m);
        break;
    }
    m->probes = 0;
    m->last_sent_ns = l->now_ns;
    note_ev(m, l->obs->pkt.ev);
}

bool mrct_reqr_unsure(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const bool gap =
        l->obs != NULL && m->now.class == REQR_FIRST && m->now.gap > 0 && !m->now.gap_proven;
    if (m->missing == 0 && !gap)
        return false;
    mrct_look_unsure(l, "the capture misses frames that the requestor sent");
    return true;
}

uint64_t mrct_reqr_timeout_ns(const struct look *l)
{
    const int t = l->flow->fact.timeout;
    return t < 0 || t > 24 ? 0 : UINT64_C(1024) << (unsigned)t;
}

bool mrct_reqr_edge(const struct look *l, uint32_t *edge)
{
    const struct reqr_model *const m = l->flow->reqr;
    int mpr = m->mpr;
    if (mpr <= 0)
        return false;
    if (m->mpr_before > mpr && l->now_ns <= m->mpr_ns + l->cfg->reaction_ns)
        mpr = m->mpr_before;
    *edge = mrc_psn_add(m->cack, mpr * 128 + 1);
    return true;
}

const struct model_ops mrct_reqr_model = {
    .init = reqr_init,
    .fini = reqr_fini,
    .before = reqr_before,
    .after = reqr_after,
    .on_event = mrct_reqr_event,
};
