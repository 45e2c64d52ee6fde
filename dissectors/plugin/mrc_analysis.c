/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Done once per frame, in the order of the capture. */
#include "mrc_plugin.h"

#include <string.h>

#define MSNS_KEPT 32768 /* of 65536: an older message of the same number is another one */

/* Negative numbers and 0 are keys too. */
static void *key(int64_t n)
{
    return GINT_TO_POINTER((int)n);
}

static struct mrc_data *data_at(const struct mrc_stream *s, int32_t rel)
{
    return (struct mrc_data *)wmem_map_lookup(s->pkts, key(rel));
}

/* The one among the sendings that a report tells of: by entropy value and timestamp. */
static struct mrc_send *sending_of(const struct mrc_data *d, uint32_t ev, uint16_t ts)
{
    for (struct mrc_send *s = d->last; s; s = s->before) {
        if (s->ev == ev && (!s->has_ts || s->ts == ts)) {
            return s;
        }
    }
    return NULL;
}

static void outstanding(struct mrc_stream *s, struct mrc_data *d, bool out)
{
    if (d->out != out) {
        d->out = out;
        s->in_flight += out ? 1u : (uint32_t)-1;
    }
}

static bool starts_message(uint8_t op)
{
    return op == MRC_OP_WRITE_FIRST || op == MRC_OP_WRITE_ONLY || op == MRC_OP_WRITE_ONLY_IMM;
}

static void note_message(const struct mrc_packet *p, struct mrc_stream *s, struct mrc_result *r)
{
    const uint8_t op = p->bth.opcode;
    struct mrc_message *m = (struct mrc_message *)wmem_map_lookup(s->msgs, key(p->meth.msn));
    if (m && (r->rel - m->rel > MSNS_KEPT || m->rel - r->rel > MSNS_KEPT)) {
        m = NULL;
    }
    if (!MRC_HAS(p, RETH)) {
        r->message = m;
        return;
    }
    if (starts_message(op) && (!m || m->rel != r->rel)) {
        m = wmem_new0(wmem_file_scope(), struct mrc_message);
        m->first = p->frame;
        m->rel = r->rel;
        m->va = p->reth.va;
        m->len = p->reth.dma_len;
        wmem_map_insert(s->msgs, key(p->meth.msn), m);
    }
    r->message = m;
    if (!m) {
        return;
    }
    if (op != MRC_OP_WRITE_FIRST && op != MRC_OP_WRITE_MIDDLE && m->last == 0) {
        m->last = p->frame;
    }
    if (p->reth.va >= m->va && p->reth.va - m->va <= UINT32_MAX) {
        r->has_offset = true;
        r->offset = (uint32_t)(p->reth.va - m->va);
    }
}

static struct mrc_told *told(const struct mrc_stream *s, uint32_t ev)
{
    return (struct mrc_told *)wmem_map_lookup(s->evs, GUINT_TO_POINTER(ev));
}

static void note_ev(const struct mrc_packet *p, struct mrc_stream *s, struct mrc_result *r)
{
    struct mrc_told *const t = told(s, p->ev);
    if (t && t->state != MRC_EV_GOOD) {
        r->ev_state = t->state;
        r->ev_told_in = t->frame;
        if (t->state == MRC_EV_SKIP) {
            t->state = MRC_EV_GOOD; /* it is skipped once */
        }
    }
}

static void again(const struct mrc_packet *p, struct mrc_result *r, const struct mrc_data *d)
{
    struct mrc_send *const before = d->last;
    const bool has_ts = MRC_HAS(p, TSETH);
    if (before->ev == p->ev && before->rtx == p->bth.rtx && before->has_ts == has_ts &&
        (!has_ts || before->ts == p->tseth.tx_timestamp)) {
        r->duplicate = before->frame;
        return;
    }
    r->retransmission = before->frame;
    r->delay = r->now - before->now;
    r->reason = d->nacked ? 1 : d->hole ? 2 : 3;
    before->again_in = p->frame;
}

static void note_send(const struct mrc_packet *p, struct mrc_result *r, struct mrc_data *d)
{
    struct mrc_send *const s = wmem_new0(wmem_file_scope(), struct mrc_send);
    s->before = d->last;
    s->frame = p->frame;
    s->now = r->now;
    s->ev = p->ev;
    s->rtx = p->bth.rtx;
    s->has_ts = MRC_HAS(p, TSETH);
    s->ts = s->has_ts ? p->tseth.tx_timestamp : 0;
    d->last = s;
    if (!d->first) {
        d->first = s;
    }
    d->nacked = false;
}

static bool on_request(const struct mrc_packet *p, uint32_t from, uint32_t to, struct mrc_result *r)
{
    struct mrc_stream *const s = mrc_flows_request(from, to, p->bth.dest_qp, p->bth.psn);
    if (!s) {
        return false;
    }
    r->stream = s;
    r->has_rel = true;
    r->rel = mrc_stream_rel(s, p->bth.psn);
    struct mrc_data *d = data_at(s, r->rel);
    if (d) {
        again(p, r, d);
    } else {
        d = wmem_new0(wmem_file_scope(), struct mrc_data);
        wmem_map_insert(s->pkts, key(r->rel), d);
        r->original_unseen = p->bth.rtx == 1;
    }
    r->data = d;
    s->low = s->has_top && s->low < r->rel ? s->low : r->rel;
    s->top = s->has_top && s->top > r->rel ? s->top : r->rel;
    s->has_top = true;
    note_ev(p, s, r);
    if (r->duplicate == 0) {
        note_send(p, r, d);
        if (d->acked == 0) {
            outstanding(s, d, true);
        }
    }
    r->send = d->last;
    r->has_in_flight = true;
    r->in_flight = s->in_flight;
    note_message(p, s, r);
    return true;
}

static void append(wmem_array_t **list, int32_t rel)
{
    if (!*list) {
        *list = wmem_array_new(wmem_file_scope(), sizeof(int32_t));
    }
    wmem_array_append_one(*list, rel);
}

static void acknowledge(const struct mrc_packet *p, struct mrc_stream *s, struct mrc_result *r,
                        int32_t rel)
{
    struct mrc_data *const d = data_at(s, rel);
    if (!d || d->acked != 0) {
        return;
    }
    d->acked = p->frame;
    d->acked_now = r->now;
    outstanding(s, d, false);
    append(&r->acked, rel);
    r->filled += d->hole;
}

static int32_t advance(const struct mrc_packet *p, struct mrc_stream *s, struct mrc_result *r,
                       uint32_t psn)
{
    const int32_t rel = mrc_stream_rel(s, psn);
    const int32_t to = rel < s->top ? rel : s->top;
    for (int32_t at = s->has_cack ? s->cack + 1 : s->low; at <= to; at++) {
        acknowledge(p, s, r, at);
    }
    s->cack = s->has_cack && s->cack > rel ? s->cack : rel;
    s->has_cack = true;
    return rel;
}

static void on_bitmap(const struct mrc_packet *p, struct mrc_stream *s, struct mrc_result *r,
                      int32_t cack)
{
    const int32_t base = cack + p->seth.sack_offset;
    const uint64_t bits = p->seth.sack_bitmap;
    for (int i = 0; i < 64; i++) {
        if ((bits >> i & 1) != 0 && base + i <= s->top) {
            acknowledge(p, s, r, base + i);
        }
    }
    for (int i = 0; i < 63 && bits >> i > 1; i++) {
        struct mrc_data *const d = data_at(s, base + i);
        if (d && d->acked == 0 && !d->hole && (bits >> i & 1) == 0) {
            d->hole = true;
            append(&r->holes, base + i);
        }
    }
}

/* Which packet a SACK or NACK answers; and the RTT, where the sending is sure. */
static struct mrc_data *find_trigger(const struct mrc_stream *s, struct mrc_result *r, int32_t rel,
                                     uint32_t ev, uint16_t ts)
{
    struct mrc_data *const d = data_at(s, rel);
    if (!d) {
        return NULL;
    }
    const struct mrc_send *const sent = sending_of(d, ev, ts);
    r->trigger = sent ? sent->frame : d->last->frame;
    if (sent && sent->has_ts) {
        r->has_rtt = true;
        r->rtt = r->now - sent->now;
    }
    return d;
}

static void verdict(struct mrc_stream *s, struct mrc_result *r, uint32_t ev,
                    enum mrc_ev_state state)
{
    struct mrc_told *t = told(s, ev);
    r->has_verdict = true;
    r->verdict = state;
    if (!t) {
        t = wmem_new0(wmem_file_scope(), struct mrc_told);
        wmem_map_insert(s->evs, GUINT_TO_POINTER(ev), t);
    }
    t->state = state;
    t->frame = r->frame;
}

static void answered(struct mrc_result *r, struct mrc_asked *a, uint32_t frame, uint16_t ts)
{
    r->answers = a->frame;
    r->has_answer_time = true;
    r->answer_time = r->now - a->now;
    if (a->answered == 0) {
        a->answered = frame;
    }
    if (a->ts == ts) {
        r->has_rtt = true;
        r->rtt = r->answer_time;
    }
}

static bool on_sack(const struct mrc_packet *p, uint32_t from, uint32_t to, struct mrc_result *r)
{
    const struct mrc_seth *const h = &p->seth;
    const int32_t probe_id = h->pr ? (int32_t)h->probe_id : -1;
    struct mrc_stream *const s =
        mrc_flows_control(from, to, p->bth.dest_qp, h->cack_psn, h->spdcid, probe_id);
    if (!s) {
        return false;
    }
    r->stream = s;
    if (h->m == MRC_M_SKIP_ONCE || h->m == MRC_M_ALWAYS_SKIP) {
        verdict(s, r, h->entropy, h->m == MRC_M_SKIP_ONCE ? MRC_EV_SKIP : MRC_EV_BAD);
    }
    if (probe_id >= 0) {
        struct mrc_asked *const a =
            (struct mrc_asked *)wmem_map_lookup(s->probes, key(probe_id + 1));
        const struct mrc_told *const t = told(s, h->entropy);
        if (a) {
            answered(r, a, p->frame, p->cc_state.tx_timestamp);
        }
        if (h->m == MRC_M_NONE && t && t->state != MRC_EV_GOOD) {
            verdict(s, r, h->entropy, MRC_EV_GOOD);
        }
    }
    if (!s->has_first || !s->has_top) {
        return true;
    }
    r->has_rel = true;
    r->rel = mrc_stream_rel(s, h->cack_psn);
    if (probe_id < 0) {
        find_trigger(s, r, r->rel + h->ack_psn_offset, h->entropy, p->cc_state.tx_timestamp);
    }
    on_bitmap(p, s, r, advance(p, s, r, h->cack_psn));
    r->has_in_flight = true;
    r->in_flight = s->in_flight;
    return true;
}

static bool on_ack(const struct mrc_packet *p, uint32_t from, uint32_t to, struct mrc_result *r)
{
    struct mrc_stream *const s = mrc_flows_control(from, to, p->bth.dest_qp, p->bth.psn, -1, -1);
    if (!s || !s->has_top) {
        return false;
    }
    r->stream = s;
    r->has_rel = true;
    r->rel = mrc_stream_rel(s, p->bth.psn);
    if (p->aeth.syndrome == MRC_SYN_ACK) {
        advance(p, s, r, p->bth.psn);
    }
    r->has_in_flight = true;
    r->in_flight = s->in_flight;
    return true;
}

static bool on_nack(const struct mrc_packet *p, uint32_t from, uint32_t to, struct mrc_result *r)
{
    const struct mrc_neth *const h = &p->neth;
    struct mrc_stream *const s =
        mrc_flows_control(from, to, p->bth.dest_qp, h->nack_psn, h->spdcid, -1);
    if (!s || !s->has_top) {
        return false;
    }
    r->stream = s;
    r->has_rel = true;
    r->rel = mrc_stream_rel(s, h->nack_psn);
    struct mrc_data *const d = find_trigger(s, r, r->rel, h->entropy, h->tx_timestamp);
    if (d && d->acked == 0) {
        struct mrc_send *const sent = sending_of(d, h->entropy, h->tx_timestamp);
        d->nacked = true;
        if (sent) {
            sent->nacked_in = p->frame;
        }
        outstanding(s, d, false);
    }
    if (h->nack_reason == MRC_NACK_TRIMMED) {
        verdict(s, r, h->entropy, MRC_EV_SKIP);
    }
    r->has_in_flight = true;
    r->in_flight = s->in_flight;
    return true;
}

static bool on_probe(const struct mrc_packet *p, uint32_t from, uint32_t to, struct mrc_result *r)
{
    struct mrc_stream *const s = mrc_flows_probe(from, to, p->bth.dest_qp);
    r->stream = s;
    note_ev(p, s, r);
    r->asked = wmem_new0(wmem_file_scope(), struct mrc_asked);
    r->asked->frame = p->frame;
    r->asked->now = r->now;
    r->asked->ts = p->peth.tx_timestamp;
    wmem_map_insert(s->probes, key((int64_t)p->peth.probe_id + 1), r->asked);
    return true;
}

static bool on_endpoint_request(const struct mrc_packet *p, uint32_t from, uint32_t to,
                                struct mrc_result *r)
{
    r->asked = mrc_flows_asked(from, to, p->bth.psn & 0xFFFF, true);
    r->asked->frame = p->frame;
    r->asked->now = r->now;
    r->asked->ts = p->erth.tx_timestamp;
    return true;
}

static bool on_endpoint_response(const struct mrc_packet *p, uint32_t from, uint32_t to,
                                 struct mrc_result *r)
{
    struct mrc_asked *const a = mrc_flows_asked(to, from, p->bth.psn & 0xFFFF, false);
    if (a) {
        answered(r, a, p->frame, p->eeth.tx_timestamp);
    }
    return true;
}

static bool dispatch(const struct mrc_packet *p, uint32_t from, uint32_t to, struct mrc_result *r)
{
    if (p->is_request) {
        return MRC_HAS(p, METH) && on_request(p, from, to, r);
    }
    return MRC_HAS(p, CC_STATE) ? on_sack(p, from, to, r)
           : MRC_HAS(p, AETH)   ? on_ack(p, from, to, r)
           : MRC_HAS(p, NETH)   ? on_nack(p, from, to, r)
           : MRC_HAS(p, PETH)   ? on_probe(p, from, to, r)
           : MRC_HAS(p, ERTH)   ? on_endpoint_request(p, from, to, r)
           : MRC_HAS(p, EETH)   ? on_endpoint_response(p, from, to, r)
                                : false;
}

struct mrc_result *mrc_analyse(const struct mrc_packet *p, packet_info *pinfo)
{
    struct mrc_result *const r = wmem_new0(wmem_file_scope(), struct mrc_result);
    r->frame = p->frame;
    r->now = (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs;
    const uint32_t from = mrc_flows_host(&pinfo->net_src), to = mrc_flows_host(&pinfo->net_dst);
    return dispatch(p, from, to, r) ? r : NULL;
}
