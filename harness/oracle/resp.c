/* SPDX-License-Identifier: BSD-2-Clause */
/* The responder model: takes in what comes, one packet at a time, and notes what it calls for. */
#include "harness/oracle/resp.h"
#include "harness/oracle/core.h"
#include <stdlib.h>
#include <string.h>

static int resp_init(struct mrct_oracle *o, struct flow *f)
{
    struct resp_model *const m = calloc(1, sizeof(*m));
    if (m == NULL)
        return -1;
    f->resp = m;
    m->keep_imms = o->cfg.have_events;
    m->owes_unseen = f->tap != MRCT_TAP_RESPONDER;
    if (mrct_resp_rings_init(m) != 0)
        return -1;
    m->came = ARRIVAL_UNSURE;
    m->readings = (1u << RESP_READINGS) - 1;
    m->window = m->window_max = f->fact.mpr > 0 ? f->fact.mpr * 128 : RESP_WINDOW_MAX;
    if (f->fact.mpr <= 0)
        m->window = RESP_WINDOW_MIN;
    if (f->fact.dynamic_mpr == 1)
        m->window_max = RESP_WINDOW_MAX;
    if (f->fact.start_psn >= 0) {
        m->synced = true;
        m->start = (resp_psn)(f->fact.start_psn & 0xFFFFFF) + (INT64_C(1) << 24);
        m->now.cack = m->now.max_rcv = m->start - 1;
        m->highest_sent = m->start - 1;
        m->states[0] = m->now;
    }
    return 0;
}

static void resp_fini(struct flow *f)
{
    if (f->resp == NULL)
        return;
    mrct_resp_rings_fini(f->resp);
    free(f->resp->doubts);
    free(f->resp);
    f->resp = NULL;
}

/* ---- what came ---- */

static enum arrival_class class_of_broken(enum mrc_wire_error err)
{
    return err == MRC_WIRE_BAD_OPCODE || err == MRC_WIRE_BAD_TVER ? ARRIVAL_UNKNOWN
                                                                  : ARRIVAL_MISFIT;
}

static enum arrival_class class_of_trimmed(const struct resp_model *m, resp_psn psn)
{
    if (!m->synced)
        return ARRIVAL_TRIMMED;
    return mrct_resp_arrived(m, psn) != RESP_NEVER ? ARRIVAL_TRIM_DUP : ARRIVAL_TRIMMED;
}

static bool is_size(const struct look *l, uint32_t len)
{
    if (l->facts->path_mtu != MRCT_UNKNOWN)
        return len == (uint32_t)l->facts->path_mtu;
    return len >= 256 && len <= 4096 && (len & (len - 1)) == 0;
}

/* Whether a message without bytes is taken, Q15 leaves open. */
static bool is_empty_message(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    const bool only = p->bth.opcode == MRC_OP_WRITE_ONLY || p->bth.opcode == MRC_OP_WRITE_ONLY_IMM;
    return only && p->payload_len == 0 && p->reth.dma_len == 0;
}

/* A request whose payload is not what its opcode and its DMA length call for (5.1). */
static bool lengths_misfit(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    const uint32_t most = l->facts->path_mtu != MRCT_UNKNOWN ? (uint32_t)l->facts->path_mtu : 4096u;
    if (!mrc_op_is_write(p->bth.opcode) || !MRC_PKT_HAS(p, RETH) || is_empty_message(l))
        return false;
    switch (p->bth.opcode) {
    case MRC_OP_WRITE_FIRST:
        return !is_size(l, p->payload_len) || p->reth.dma_len <= p->payload_len;
    case MRC_OP_WRITE_MIDDLE:
        return !is_size(l, p->payload_len);
    case MRC_OP_WRITE_ONLY:
    case MRC_OP_WRITE_ONLY_IMM:
        return p->payload_len != p->reth.dma_len || p->payload_len > most;
    default:
        return p->payload_len == 0 || p->payload_len > most;
    }
}

static enum arrival_class class_of(const struct look *l, resp_psn psn)
{
    const struct resp_model *const m = l->flow->resp;
    if (l->kind == KIND_BROKEN)
        return class_of_broken(l->obs->err);
    if (l->icrc_bad)
        return ARRIVAL_BAD_ICRC;
    if (m->have_pkey && ((l->obs->pkt.bth.pkey ^ m->pkey) & 0x7FFFu) != 0)
        return ARRIVAL_PKEY;
    if (l->kind == KIND_PROBE)
        return ARRIVAL_PROBE;
    if (l->obs->pkt.trim != MRC_TRIM_NONE)
        return class_of_trimmed(m, psn);
    if (lengths_misfit(l))
        return ARRIVAL_MISFIT;
    if (!m->synced)
        return ARRIVAL_UNSURE;
    if (psn <= m->now.cack)
        return ARRIVAL_OLD;
    if (psn > m->now.cack + m->window_max)
        return ARRIVAL_BEYOND;
    return mrct_resp_arrived(m, psn) != RESP_NEVER ? ARRIVAL_DUP : ARRIVAL_NEW;
}

/* Written into its place at once: a copy of what was just put together has to wait for it. */
static struct arrival *add_arrival(struct look *l, enum arrival_class cls)
{
    struct resp_model *const m = l->flow->resp;
    const struct mrc_pkt *const p = &l->obs->pkt;
    const bool probe = l->kind == KIND_PROBE && MRC_PKT_HAS(p, PETH);
    const bool ts = MRC_PKT_HAS(p, TSETH);
    const bool by_id = cls == ARRIVAL_PROBE;
    const uint32_t key = !by_id ? p->bth.psn : probe ? p->peth.probe_id : 0;
    struct arrival *const a = mrct_resp_arrival_add(m, key, by_id, l->now_ns, l->cfg->reaction_ns);
    *a = (struct arrival){.seq = a->seq,
                          .state = m->last_state,
                          .frame_no = l->obs->frame_no,
                          .time_ns = l->now_ns,
                          .va = MRC_PKT_HAS(p, RETH) ? p->reth.va : 0,
                          .psn = p->bth.psn,
                          .ev = p->ev,
                          .payload_len = p->payload_len,
                          .nominal_len = p->nominal_len,
                          .probe_id = probe ? p->peth.probe_id : 0,
                          .ts = probe ? p->peth.tx_timestamp
                                : ts  ? p->tseth.tx_timestamp
                                      : 0,
                          .tsr = probe ? p->peth.tsr : ts && p->tseth.tsr,
                          .has_ts = probe || ts,
                          .opcode = p->bth.opcode,
                          .cls = (uint8_t)cls,
                          .trim = (uint8_t)p->trim & 3u,
                          .ack_req = p->bth.a,
                          .rtx = p->bth.rtx,
                          .ce = p->ecn == 3,
                          .ce_any = p->ecn == 3 || p->inner_ecn == 3};
    return a;
}

static uint8_t cause_of(enum arrival_class cls)
{
    switch (cls) {
    case ARRIVAL_TRIMMED:
        return CAUSE_TRIMMED;
    case ARRIVAL_BEYOND:
        return CAUSE_BEYOND;
    case ARRIVAL_BAD_ICRC:
        return CAUSE_BAD_ICRC;
    case ARRIVAL_UNKNOWN:
        return CAUSE_UNKNOWN;
    case ARRIVAL_MISFIT:
        return CAUSE_MISFIT;
    case ARRIVAL_PKEY:
        return CAUSE_PKEY;
    case ARRIVAL_NEW:
    case ARRIVAL_DUP:
    case ARRIVAL_OLD:
    case ARRIVAL_UNSURE:
    case ARRIVAL_PROBE:
    case ARRIVAL_TRIM_DUP:
        break;
    }
    return 0;
}

/* What must not count may yet be called arrived: note that it came. */
static void note_cause(struct resp_model *m, resp_psn psn, enum arrival_class cls)
{
    if (!m->synced || psn <= m->now.cack || psn > m->now.cack + RESP_STRAY_MAX)
        return;
    struct psn_info *const i = mrct_resp_psn_make(m, psn);
    m->any_cause = true;
    if (i != NULL && i->state == RESP_NEVER)
        i->causes |= cause_of(cls);
}

static void note_ack_request(struct resp_model *m, const struct arrival *a, resp_psn psn)
{
    if (psn > m->high_ack_req) {
        m->high_ack_req = psn;
        m->high_ack_frame = a->frame_no;
    }
}

static bool is_request_taken(enum arrival_class cls)
{
    return cls <= ARRIVAL_UNSURE;
}

/* Duties of SACKs: each trigger of section 7.5.2 that this request is. */
static void owe_sacks(struct look *l, struct arrival *a, resp_psn psn)
{
    struct resp_model *const m = l->flow->resp;
    const enum arrival_class cls = (enum arrival_class)a->cls;
    if (a->ack_req)
        mrct_duty_add(l, DUTY_SACK_ACK_REQ, a->seq, psn);
    if (a->ce)
        mrct_duty_add(l, DUTY_SACK_CE, a->seq, psn);
    if (a->rtx)
        mrct_duty_add(l, DUTY_SACK_RTX, a->seq, psn);
    if (cls == ARRIVAL_DUP || cls == ARRIVAL_OLD)
        mrct_duty_add(l, DUTY_SACK_DUP, a->seq, psn);
    a->wants_answer = a->ack_req || a->ce || a->rtx || cls == ARRIVAL_DUP || cls == ARRIVAL_OLD;
    m->trigger_cnt += a->payload_len > 1024 ? a->payload_len : 1024;
    const int64_t threshold = l->flow->fact.sack_threshold;
    if (threshold >= 0 && m->trigger_cnt > (uint64_t)threshold) {
        mrct_duty_add(l, DUTY_SACK_THRESHOLD, a->seq, psn);
        m->trigger_cnt = 0;
    }
}

/* The transport ACK: due once cack has reached the highest PSN that asked for one. */
static void owe_ack(struct look *l, uint64_t seq)
{
    struct resp_model *const m = l->flow->resp;
    struct duty_ring *const r = &m->duties[DUTY_ACK];
    const bool pending = r->count != 0;
    if (m->high_ack_req == 0 || m->now.cack < m->high_ack_req || m->acked >= m->high_ack_req)
        return;
    if (pending) {
        const struct duty *const last = &r->duties[(r->head + r->count - 1) & (r->cap - 1)];
        if (last->psn == m->high_ack_req)
            return;
    }
    mrct_duty_add(l, DUTY_ACK, seq, m->high_ack_req);
}

static void note_dup_va(struct resp_model *m, const struct arrival *a)
{
    const uint64_t end = a->va + a->payload_len;
    if (!m->any_dup_va || a->va < m->dup_va_lo)
        m->dup_va_lo = a->va;
    if (!m->any_dup_va || end > m->dup_va_hi)
        m->dup_va_hi = end;
    m->any_dup_va = true;
}

/* From here on the responder may have taken less than what came. */
static void lose_window(struct resp_model *m)
{
    m->window_moved = true;
    m->murky_seq = RESP_NEVER;
    mrct_duty_drop(m, DUTY_ACK);
    mrct_duty_drop(m, DUTY_OLD_ACK);
    mrct_duty_drop(m, DUTY_IMM);
}

static void take_request(struct look *l, struct arrival *a, resp_psn psn)
{
    struct resp_model *const m = l->flow->resp;
    const enum arrival_class cls = (enum arrival_class)a->cls;
    const struct mrc_pkt *const p = &l->obs->pkt;
    /* Whether the responder takes it depends on what is not known: then it owes nothing for it. */
    const resp_psn sure = m->window_moved ? m->told : m->now.cack;
    const bool beyond = cls != ARRIVAL_UNSURE && psn > sure + m->window;
    const bool unsure = beyond || (cls == ARRIVAL_NEW && is_empty_message(l));
    if (unsure)
        lose_window(m);
    if (cls == ARRIVAL_NEW) {
        const uint64_t wimms = m->wimms;
        const size_t imms = m->imm_count;
        mrct_resp_accept(m, psn, a, MRC_PKT_HAS(p, IMMDT) ? p->immdt.imm : 0);
        for (size_t i = imms; i < m->imm_count && !m->window_moved; i++)
            mrct_duty_add(l, DUTY_IMM, a->seq, m->now.cack);
        if (m->wimms != wimms)
            m->last_wimm_ns = l->now_ns;
    } else {
        m->dup_bytes += a->nominal_len;
        note_dup_va(m, a);
    }
    a->state = m->last_state;
    if (unsure)
        return;
    owe_sacks(l, a, psn);
    if (cls == ARRIVAL_OLD && !m->window_moved)
        mrct_duty_add(l, DUTY_OLD_ACK, a->seq, psn);
    if (!m->synced || m->window_moved)
        return;
    if (a->ack_req && cls != ARRIVAL_OLD) {
        /* A higher one replaces what was owed: one ACK may stand for all so far. */
        if (psn > m->high_ack_req)
            mrct_duty_met_all(m, DUTY_ACK, l->now_ns);
        note_ack_request(m, a, psn);
    }
    owe_ack(l, a->seq);
}

static void note_port(struct resp_model *m, const struct mrc_pkt *p)
{
    if (!m->have_port)
        memcpy(m->port_ip, p->is_v6 ? p->ip6.dst : p->ip4.dst, p->is_v6 ? 16 : 4);
    m->have_port = true;
    if (p->is_v6 ? memcmp(m->port_ip, p->ip6.dst, 16) != 0 : memcmp(m->port_ip, p->ip4.dst, 4) != 0)
        m->several_ports = true;
}

static void take_forward(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (!MRC_PKT_HAS(p, BTH))
        return;
    const resp_psn psn = mrct_resp_extend(m, p->bth.psn);
    const enum arrival_class cls = m->came; /* as resp_before() found */
    m->seen[cls]++;
    note_port(m, p);
    if (l->kind == KIND_REQUEST && !l->icrc_bad && m->synced && psn > m->highest_sent)
        m->highest_sent = psn;
    struct arrival *const a = add_arrival(l, cls);
    if (m->dead)
        return;
    if (is_request_taken(cls)) {
        take_request(l, a, psn);
    } else if (cls == ARRIVAL_PROBE) {
        a->wants_answer = true;
        mrct_duty_add(l, DUTY_PROBE, a->seq, a->probe_id);
    } else {
        note_cause(m, psn, cls);
    }
    if (cls == ARRIVAL_TRIMMED || cls == ARRIVAL_TRIM_DUP)
        m->dup_bytes += a->nominal_len;
    a->wants_answer |= cls == ARRIVAL_TRIMMED || cls == ARRIVAL_BEYOND;
    /* Above the window what is trimmed may be dropped like any other (Q2 a). */
    if (cls == ARRIVAL_TRIMMED && m->synced && psn <= m->now.cack + m->window)
        mrct_duty_add(l, DUTY_TRIM_NACK, a->seq, psn);
    if (cls == ARRIVAL_BEYOND)
        mrct_duty_add(l, DUTY_BEYOND_NACK, a->seq, psn);
}

/* ---- what the responder said ---- */

static void die(struct resp_model *m)
{
    m->dead = true;
    m->murky_seq = RESP_NEVER;
    mrct_resp_excuse(m, 0);
    mrct_duty_drop_all(m);
}

static struct arrival *answered_arrival(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    const struct arrival *const t = m->view.trigger;
    return t != NULL ? mrct_resp_arrival(m, t->seq) : NULL;
}

static const enum duty_kind sack_duties[] = {DUTY_SACK_ACK_REQ, DUTY_SACK_CE, DUTY_SACK_RTX,
                                             DUTY_SACK_DUP};

static void sack_settles(struct look *l, struct arrival *a)
{
    struct resp_model *const m = l->flow->resp;
    const bool own = a != NULL && m->view.ev_ok;
    if (own && a->cls == ARRIVAL_TRIMMED)
        mrct_duty_done(m, DUTY_TRIM_NACK, a->seq); /* answered wrongly: REQ-7.5-08 tells */
    if (own && (a->wants_answer || !m->view.many))
        mrct_pace_sample(m, PACE_SACK, l->now_ns - a->time_ns);
    for (size_t i = 0; i < sizeof(sack_duties) / sizeof(sack_duties[0]); i++) {
        if (own)
            mrct_duty_done(m, sack_duties[i], a->seq);
        /* A coalesced SACK stands for what came before it; for a mark only if it tells of one. */
        if (sack_duties[i] != DUTY_SACK_CE || l->obs->pkt.seth.m != MRC_M_NONE)
            mrct_duty_met_all(m, sack_duties[i], l->now_ns);
    }
    mrct_duty_met_all(m, DUTY_SACK_THRESHOLD, l->now_ns);
    m->trigger_cnt = 0;
}

/* Which readings of Q12 the responder can have: those that its rcvd_bytes fit so far. */
static void narrow_readings(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    const struct mrc_pkt *const p = &l->obs->pkt;
    uint8_t fit = 0;
    if (!m->view.exact || !MRC_PKT_HAS(p, CC_STATE) || p->seth.cc_type != 0)
        return;
    for (unsigned r = 0; r < RESP_READINGS; r++)
        if (mrct_resp_has_bytes(m, m->view.lo, m->view.hi, r, p->cc_state.rcvd_bytes))
            fit |= (uint8_t)(1u << r);
    if ((m->readings & fit) != 0)
        m->readings &= fit;
}

/* What came and must not count is missed: who calls it arrived later had it from another packet. */
static void note_missed(struct resp_model *m, const struct mrc_seth *s)
{
    struct psn_info *const next = mrct_resp_psn(m, m->view.cack + 1);
    if (next != NULL && next->causes != 0)
        next->missed = true;
    for (unsigned i = 0; i < 64 && s->sack_bitmap != 0; i++) {
        const resp_psn psn = m->view.cack + s->sack_offset + i;
        struct psn_info *const info =
            ((s->sack_bitmap >> i) & 1u) == 0 && psn > m->view.cack ? mrct_resp_psn(m, psn) : NULL;
        if (info != NULL && info->causes != 0)
            info->missed = true;
    }
}

static void after_sack(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    const struct mrc_seth *const s = &l->obs->pkt.seth;
    struct arrival *const a = answered_arrival(l);
    if (a != NULL)
        a->answered = true;
    m->last_mpr = s->mpr;
    narrow_readings(l);
    if (m->any_cause)
        note_missed(m, s);
    if (!s->pr) {
        sack_settles(l, a);
        return;
    }
    if (a != NULL) {
        mrct_pace_sample(m, PACE_SACK, l->now_ns - a->time_ns);
        mrct_duty_done(m, DUTY_PROBE, a->seq);
    } else {
        mrct_duty_met_all(m, DUTY_PROBE, l->now_ns); /* an answer with another id */
    }
}

/* NACK reasons that say of a whole packet that it was not kept. */
static bool takes_back(uint8_t reason)
{
    return reason != MRC_NACK_TRIMMED && reason != MRC_NACK_TRIMMED_LASTHOP;
}

/* Another packet of the PSN came and was not turned away: the responder has it from that one. */
static bool came_otherwise(const struct resp_model *m, uint32_t psn)
{
    struct arrival_walk w = mrct_resp_walk(m, psn);
    for (const struct arrival *a; (a = mrct_resp_walk_next(m, &w)) != NULL;)
        if (a->cls <= ARRIVAL_UNSURE && !a->refused)
            return true;
    return false;
}

/* Of copies that nothing tells apart, the one to which the next NACK belongs. */
static struct arrival *copy_of(struct resp_model *m, struct arrival *a)
{
    struct arrival_walk w = mrct_resp_walk(m, a->psn);
    for (struct arrival *b; a->refused && (b = mrct_resp_walk_next(m, &w)) != NULL;)
        if (b->ev == a->ev && b->ts == a->ts && b->rtx == a->rtx && b->cls <= ARRIVAL_UNSURE &&
            !b->refused)
            return b;
    return a;
}

/* The responder turned a packet away that it seemed to have taken: nothing was owed for it, and it
 * did not count toward the threshold. */
static void take_back(struct look *l, struct arrival *a)
{
    struct resp_model *const m = l->flow->resp;
    const resp_psn psn = mrct_resp_extend(m, a->psn);
    a->refused = true;
    mrct_resp_excuse(m, a->seq);
    m->readings = (1u << RESP_READINGS) - 1; /* some may have been ruled out by what it had not */
    mrct_duty_done_psn(m, DUTY_ACK, psn, true);
    if (m->high_ack_req == psn)
        m->high_ack_req = 0;
    for (size_t i = 0; i < sizeof(sack_duties) / sizeof(sack_duties[0]); i++)
        mrct_duty_done(m, sack_duties[i], a->seq);
    mrct_duty_drop(m, DUTY_SACK_THRESHOLD);
    m->trigger_cnt = 0;
    /* Of two copies the later may be the one that was taken, and then it was no duplicate; and what
     * lies above was not below the expected PSN. */
    mrct_duty_done_psn(m, DUTY_OLD_ACK, psn, true);
    mrct_duty_done_psn(m, DUTY_SACK_DUP, psn, false);
    /* Away from the responder nobody knows of how many copies came. */
    if (l->flow->tap == MRCT_TAP_RESPONDER && !came_otherwise(m, a->psn))
        mrct_resp_refuse(m, psn);
    else if (m->murky_seq != RESP_NEVER)
        m->murky_seq = m->last_seq;
}

static void after_nack(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    const uint8_t reason = l->obs->pkt.neth.nack_reason;
    struct arrival *const a = answered_arrival(l);
    if (reason == MRC_NACK_UNEXP_EVENT) {
        die(m);
        return;
    }
    if (a == NULL || !a->wants_answer) {
        /* It names another packet than one that asked for a NACK, but one has been sent. */
        mrct_duty_met_all(m, DUTY_TRIM_NACK, l->now_ns);
        mrct_duty_met_all(m, DUTY_BEYOND_NACK, l->now_ns);
    }
    if (a == NULL)
        return;
    a->answered = true;
    m->any_refused |= takes_back(reason);
    mrct_duty_done(m, DUTY_TRIM_NACK, a->seq);
    mrct_duty_done(m, DUTY_BEYOND_NACK, a->seq);
    mrct_pace_sample(m, PACE_SACK, l->now_ns - a->time_ns);
    if (a->cls <= ARRIVAL_UNSURE && m->view.ev_ok && takes_back(reason))
        take_back(l, copy_of(m, a));
}

static bool is_nak(uint8_t syndrome)
{
    return (syndrome & 0x60u) == 0x60u;
}

static void after_ack(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    if (is_nak(l->obs->pkt.aeth.syndrome)) {
        m->said_access_nak |= l->obs->pkt.aeth.syndrome == MRC_SYN_REMOTE_ACCESS;
        die(m);
        if (l->flow->reverse != NULL && l->flow->reverse->resp != NULL)
            die(l->flow->reverse->resp); /* the requestor's QP follows into ERROR */
        return;
    }
    struct duty_ring *const r = &m->duties[DUTY_ACK];
    for (size_t i = 0; i < r->count; i++) {
        struct duty *const d = &r->duties[(r->head + i) & (r->cap - 1)];
        if (d->fate == DUTY_DONE || d->psn > m->view.cack)
            continue;
        if (d->fate == DUTY_OPEN)
            mrct_pace_sample(m, PACE_ACK, l->now_ns - d->since_ns);
        if (d->fate == DUTY_OPEN)
            d->fate = DUTY_DONE;
    }
    if (m->view.cack > m->acked)
        m->acked = m->view.cack;
    mrct_duty_met_all(m, DUTY_OLD_ACK, l->now_ns);
}

/* ---- the model's calls ---- */

/* A SACK tells of a smaller window, which may have held for some of what came before it. */
static void narrow_window(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    const int told = l->obs->pkt.seth.mpr * 128;
    if (l->flow->fact.dynamic_mpr == 0 || told == 0 || told >= m->window)
        return;
    m->window = told;
    lose_window(m);
    for (size_t i = 0; i < sizeof(sack_duties) / sizeof(sack_duties[0]); i++)
        mrct_duty_drop(m, sack_duties[i]);
    mrct_duty_drop(m, DUTY_SACK_THRESHOLD);
    mrct_duty_drop(m, DUTY_TRIM_NACK);
}

static void resp_before(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    if (l->obs->time_err_ns > m->time_err_ns)
        m->time_err_ns = l->obs->time_err_ns;
    if (l->icrc_bad && !l->to_responder)
        return;
    if (l->kind == KIND_SACK)
        narrow_window(l);
    if (l->kind == KIND_SACK)
        mrct_resp_view_sack(l);
    else if (l->kind == KIND_NACK)
        mrct_resp_view_nack(l);
    else if (l->kind == KIND_ACK)
        mrct_resp_view_ack(l);
    else if (l->to_responder &&
             (l->kind == KIND_REQUEST || l->kind == KIND_PROBE || l->kind == KIND_BROKEN))
        m->came = class_of(l, mrct_resp_extend(m, l->obs->pkt.bth.psn));
}

static void resp_after(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    if (l->to_responder) {
        if (l->kind == KIND_REQUEST || l->kind == KIND_PROBE || l->kind == KIND_BROKEN)
            take_forward(l);
        return;
    }
    if (l->icrc_bad || l->kind == KIND_BROKEN)
        return;
    m->have_pkey = true;
    m->pkey = l->obs->pkt.bth.pkey;
    if (m->view.cack > m->told)
        m->told = m->view.cack;
    if (l->kind == KIND_SACK)
        after_sack(l);
    else if (l->kind == KIND_NACK)
        after_nack(l);
    else if (l->kind == KIND_ACK)
        after_ack(l);
    m->last_sign_ns = l->now_ns;
    m->answers++;
    m->nacks += l->kind == KIND_NACK;
    m->probe_answers += l->kind == KIND_SACK && l->obs->pkt.seth.pr;
}

static void resp_event(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    if (l->ev->kind == MRCT_EVENT_QP_ERROR && !l->ev_at_requestor) {
        m->in_error = true;
        die(m);
    }
    if (l->ev->kind == MRCT_EVENT_MEM_WRITE && !l->ev_at_requestor)
        m->any_mem_write = true;
    if (l->ev->kind == MRCT_EVENT_PORT && !l->ev_at_requestor)
        m->port_ns = l->now_ns;
}

const struct model_ops mrct_resp_model = {.sees_broken = true,
                                          .init = resp_init,
                                          .fini = resp_fini,
                                          .before = resp_before,
                                          .after = resp_after,
                                          .on_event = resp_event};
