/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.4, what a retransmission looks like: the same packet, but for RTX, EV and timestamp. */
#include "harness/oracle/reqr.h"
#include <stdlib.h>

#define RTX_FEW         4u /* retransmissions from which a habit can be read */
#define TS_UNIT_NS(tsr) ((tsr) ? 1000u : 128u)
#define TS_WRAP_UNITS   65536u

/* The model when the request at hand repeats one that was seen, else NULL. */
static const struct reqr_model *again(const struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    return m != NULL && m->now.class == REQR_AGAIN ? m : NULL;
}

static void rtx_set(struct look *l)
{
    const struct reqr_model *const m = again(l);
    if (m == NULL)
        return;
    if (!l->obs->pkt.bth.rtx)
        mrct_look_fail(l, "PSN %u was sent in frame %llu and is sent again without RTX",
                       l->obs->pkt.bth.psn, (unsigned long long)m->now.old->last_frame);
    else
        mrct_look_pass(l);
}

/* A PSN that continues the row with RTX may be the retransmission of a packet that the capture
 * lacks: when it was asked for, or when its timer could have run out. */
static bool may_be_again(const struct look *l, const struct reqr_model *m)
{
    if ((m->now.gap > 0 && !m->now.gap_proven) || m->unseen_told)
        return true;
    const uint64_t timeout_ns = mrct_reqr_timeout_ns(l);
    return m->last_new_frame != 0 && timeout_ns != 0 &&
           l->now_ns - m->last_new_ns >= timeout_ns - timeout_ns / 16;
}

static void rtx_clear_on_first(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || m->now.class != REQR_FIRST)
        return;
    if (!l->obs->pkt.bth.rtx)
        mrct_look_pass(l);
    else if (may_be_again(l, m))
        mrct_look_unsure(l, "the first sending of PSN %u may be missing in the capture",
                         l->obs->pkt.bth.psn);
    else
        mrct_look_fail(l, "PSN %u was not sent before and has RTX", l->obs->pkt.bth.psn);
}

struct difference {
    const char *what; /* NULL: none */
    uint64_t now, before;
};

static struct difference compare(const struct mrc_pkt *k, const struct reqr_pkt *old)
{
    const uint32_t imm = MRC_PKT_HAS(k, IMMDT) ? k->immdt.imm : old->imm;
    if (k->bth.opcode != old->opcode)
        return (struct difference){"opcode", k->bth.opcode, old->opcode};
    if (k->reth.va != old->va)
        return (struct difference){"VA", k->reth.va, old->va};
    if (k->reth.rkey != old->rkey)
        return (struct difference){"R_Key", k->reth.rkey, old->rkey};
    if (k->reth.dma_len != old->dma_len)
        return (struct difference){"DMALen", k->reth.dma_len, old->dma_len};
    if (k->meth.msn != old->msn)
        return (struct difference){"MSN", k->meth.msn, old->msn};
    if (k->meth.rqmsn != old->rqmsn)
        return (struct difference){"RQMSN", k->meth.rqmsn, old->rqmsn};
    if (imm != old->imm)
        return (struct difference){"immediate", imm, old->imm};
    return (struct difference){.what = NULL};
}

static void rtx_same_headers(struct look *l)
{
    const struct reqr_model *const m = again(l);
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (m == NULL)
        return;
    const struct reqr_pkt *const old = m->now.old;
    struct difference d = compare(k, old);
    if (d.what == NULL && m->now.has_digest && old->has_digest &&
        k->payload_len != old->payload_len)
        d = (struct difference){"payload length", k->payload_len, old->payload_len};
    if (d.what != NULL)
        mrct_look_fail(l, "PSN %u is sent again with %s 0x%llx, was 0x%llx in frame %llu", old->psn,
                       d.what, (unsigned long long)d.now, (unsigned long long)d.before,
                       (unsigned long long)old->first_frame);
    else
        mrct_look_pass(l);
}

static void rtx_same_payload(struct look *l)
{
    const struct reqr_model *const m = again(l);
    if (m == NULL || !m->now.has_digest || !m->now.old->has_digest ||
        l->obs->pkt.payload_len != m->now.old->payload_len)
        return;
    if (m->now.crc != m->now.old->crc)
        mrct_look_fail(l, "PSN %u is sent again with other payload than in frame %llu",
                       m->now.old->psn, (unsigned long long)m->now.old->first_frame);
    else
        mrct_look_pass(l);
}

/* Whether the requestor has been using any EV but this one. */
static bool has_choice(const struct reqr_model *m, uint32_t ev)
{
    for (unsigned i = 0; i < m->ev_count; i++)
        if (m->evs[i] != ev)
            return true;
    return false;
}

static void rtx_avoids_nacked_ev(struct look *l)
{
    const struct reqr_model *const m = again(l);
    if (m == NULL || m->now.reason != REQR_REASON_NACK)
        return;
    const struct reqr_pkt *const old = m->now.old;
    /* Decided before the NACK was read, as far as clocks can tell. */
    if (l->now_ns < old->nack_ns + 2 * l->obs->time_err_ns || !has_choice(m, old->nack_ev))
        return;
    if (l->obs->pkt.ev == old->nack_ev)
        mrct_look_fail(l, "PSN %u goes again by EV 0x%08X, which the NACK in frame %llu named",
                       old->psn, old->nack_ev, (unsigned long long)old->nack_frame);
    else
        mrct_look_pass(l);
}

/* One EV may come round again by chance; a requestor that always keeps it does not rotate. */
static void rtx_fresh_ev(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || m->rtx_count < RTX_FEW || m->ev_count < REQR_EVS)
        return;
    if (m->rtx_same_ev == m->rtx_count) {
        const uint64_t frame = m->rtx_same_ev_frame;
        mrct_look_fail_at(l, &frame, 1,
                          "all %u retransmissions went by the EV of the sending before",
                          m->rtx_count);
    } else {
        mrct_look_pass(l);
    }
}

static void rtx_fresh_timestamp(struct look *l)
{
    const struct reqr_model *const m = again(l);
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (m == NULL || !m->now.old->has_ts || !MRC_PKT_HAS(k, TSETH) ||
        m->now.old->tsr != (k->tseth.tsr != 0))
        return;
    const struct reqr_pkt *const old = m->now.old;
    const uint64_t unit_ns = TS_UNIT_NS(k->tseth.tsr);
    const uint64_t units = (l->now_ns - old->last_ns) / unit_ns;
    const uint64_t blur = 2 + 2 * l->obs->time_err_ns / unit_ns;
    const uint64_t off = units % TS_WRAP_UNITS;
    if (off <= blur || off >= TS_WRAP_UNITS - blur)
        return; /* the clock may read the same again */
    if (k->tseth.tx_timestamp == old->last_ts)
        mrct_look_fail(l,
                       "PSN %u is sent again after %llu units of time with timestamp %u as before",
                       old->psn, (unsigned long long)units, old->last_ts);
    else
        mrct_look_pass(l);
}

#define UNIT_SPAN_NS     100000u  /* least span over which the unit is read */
#define UNIT_SPAN_MAX_NS 4000000u /* below half of the timestamp's wrap */
#define UNIT_SAMPLES     3u       /* this many must contradict, and none agree */

/* Whether two timestamps lie apart by the time between them, within a quarter. */
static bool unit_holds(uint64_t span_ns, uint16_t units)
{
    const int64_t off_ns = (int64_t)units * TS_UNIT_NS(0) - (int64_t)span_ns;
    return (uint64_t)llabs(off_ns) <= span_ns / 4 + 2000;
}

static void timestamp_unit(struct look *l)
{
    struct reqr_model *const m = l->flow->reqr;
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (m == NULL || m->now.class != REQR_FIRST || !MRC_PKT_HAS(k, TSETH) || k->tseth.tsr)
        return;
    struct reqr_clock *const c = &m->clock;
    const uint64_t span_ns = l->now_ns - c->ns;
    if (!c->set || span_ns > UNIT_SPAN_MAX_NS) {
        *c = (struct reqr_clock){true, k->tseth.tx_timestamp, l->now_ns, c->agree, c->contradict};
        return;
    }
    if (span_ns < UNIT_SPAN_NS + 8 * l->obs->time_err_ns)
        return;
    if (unit_holds(span_ns, (uint16_t)(k->tseth.tx_timestamp - c->ts))) {
        c->agree++;
        mrct_look_pass(l);
    } else if (++c->contradict >= UNIT_SAMPLES && c->agree == 0) {
        mrct_look_fail(l, "timestamps %u and %u lie %llu ns apart, not so many units of 128 ns",
                       c->ts, k->tseth.tx_timestamp, (unsigned long long)span_ns);
    }
    *c = (struct reqr_clock){true, k->tseth.tx_timestamp, l->now_ns, c->agree, c->contradict};
}

#define FLOW(check_, req, fn, end_)                                                                \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FLOW, .want = WANT(KIND_REQUEST),   \
        .on_frame = (fn), .on_end = (end_), CHECK_HERE                                             \
    }

static const struct check rows[] = {
    FLOW("rtx-set", "REQ-7.4-01", rtx_set, NULL),
    FLOW("rtx-clear-on-first", "REQ-7.4-02", rtx_clear_on_first, NULL),
    FLOW("rtx-same-headers", "REQ-7.4-03", rtx_same_headers, NULL),
    FLOW("rtx-same-payload", "REQ-7.4-04", rtx_same_payload, NULL),
    FLOW("rtx-avoids-nacked-ev", "REQ-7.4-05", rtx_avoids_nacked_ev, NULL),
    FLOW("rtx-fresh-ev", "REQ-7.4-06", NULL, rtx_fresh_ev),
    FLOW("rtx-fresh-timestamp", "REQ-7.4-07", rtx_fresh_timestamp, NULL),
    FLOW("timestamp-unit", "REQ-6-16", timestamp_unit, NULL),
};
const struct check_table mrct_checks_sec_07_4_again = CHECK_TABLE(rows);
