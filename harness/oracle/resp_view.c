/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a control packet claims, against what came: which arrival triggered it, which of the
 * responder's states it may show, and whether it calls arrived what is not.
 */
#include "harness/oracle/resp.h"

/* ---- the trigger ---- */

struct wanted {
    uint32_t ev;
    uint16_t ts;
    bool rtx, marked; /* marked: a SACK with M not NONE */
    bool has_ts;      /* the control packet's timestamp means something */
    bool trimmed;     /* a NACK that speaks of trimming */
    bool nack;
    bool unsure; /* start_psn is not known: a trimmed request may be a duplicate */
};

/* How well an arrival fits; 0 is best. */
static unsigned misfit(const struct wanted *w, const struct arrival *a)
{
    const bool is_trim = a->cls == ARRIVAL_TRIMMED || a->cls == ARRIVAL_TRIM_DUP;
    const bool counts = a->cls <= ARRIVAL_PROBE || (w->nack && a->cls <= ARRIVAL_BEYOND) ||
                        a->cls == ARRIVAL_TRIM_DUP || (w->unsure && a->cls == ARRIVAL_TRIMMED);
    unsigned bad = counts ? 0 : 64;
    bad += w->nack && w->trimmed != is_trim ? 32 : 0;
    bad += a->ev != w->ev ? 16 : 0;
    bad += w->has_ts && a->has_ts && a->ts != w->ts ? 8 : 0;
    bad += a->rtx != w->rtx ? 4 : 0;
    bad += !w->nack && a->ce_any != w->marked ? 2 : 0;
    return bad;
}

struct best {
    const struct arrival *trigger;
    unsigned misfit;
    uint64_t lo; /* least state of all that fit as well */
    unsigned as_good;
    bool forgotten;
};

static void consider(struct best *b, const struct arrival *a, unsigned bad)
{
    if (b->trigger == NULL || bad < b->misfit) {
        *b = (struct best){.trigger = a, .misfit = bad, .lo = a->state, .as_good = 1};
        return;
    }
    if (bad > b->misfit)
        return;
    b->as_good++;
    b->lo = a->state < b->lo ? a->state : b->lo;
    /* The chain runs backwards: of equals, the oldest that still waits is answered. */
    const bool waits = a->wants_answer && !a->answered;
    const bool best_waits = b->trigger->wants_answer && !b->trigger->answered;
    if (waits || !best_waits)
        b->trigger = a;
}

static struct best find_trigger(const struct resp_model *m, struct arrival_walk walk,
                                const struct wanted *w)
{
    struct best b = {0};
    for (const struct arrival *a; (a = mrct_resp_walk_next(m, &walk)) != NULL;)
        consider(&b, a, misfit(w, a));
    b.forgotten = walk.seq != 0;
    return b;
}

/*
 * A host with several ports need not take frames in the order in which they came to different
 * ports: what came to another one shortly before the trigger may not count yet.
 */
static bool may_lag(const struct look *l, uint64_t *lo)
{
    const struct resp_model *const m = l->flow->resp;
    const uint64_t came_ns = m->view.trigger->time_ns, slack_ns = l->cfg->reaction_ns;
    uint64_t state;
    if (!m->several_ports)
        return true;
    if (!mrct_resp_state_at(m, came_ns > slack_ns ? came_ns - slack_ns : 0, &state))
        return false;
    *lo = state < *lo ? state : *lo;
    return true;
}

static void view_trigger(const struct look *l, struct resp_view *v, const struct best *b,
                         const struct wanted *w)
{
    const struct resp_model *const m = l->flow->resp;
    v->trigger = b->trigger;
    v->many = b->as_good > 1;
    v->forgotten = b->forgotten;
    v->hi = m->last_state;
    v->lo = m->first_state;
    if (b->trigger == NULL)
        return;
    v->lo = b->lo;
    v->ev_ok = b->trigger->ev == w->ev;
    v->ts_ok = !b->trigger->has_ts || b->trigger->ts == w->ts;
    v->rtx_ok = b->trigger->rtx == w->rtx;
    v->exact = may_lag(l, &v->lo) && m->synced && b->trigger->seq > m->murky_seq &&
               v->lo >= m->first_state;
}

/* ---- claims ---- */

static enum arrival_class class_of_cause(uint8_t cause)
{
    switch (cause) {
    case CAUSE_TRIMMED:
        return ARRIVAL_TRIMMED;
    case CAUSE_BAD_ICRC:
        return ARRIVAL_BAD_ICRC;
    case CAUSE_MISFIT:
        return ARRIVAL_MISFIT;
    case CAUSE_UNKNOWN:
        return ARRIVAL_UNKNOWN;
    case CAUSE_PKEY:
        return ARRIVAL_PKEY;
    default:
        return ARRIVAL_BEYOND;
    }
}

/* The last arrival of psn that the responder should not have counted. */
static const struct arrival *wrong_arrival(const struct resp_model *m, resp_psn psn, uint8_t cause)
{
    struct arrival_walk w = mrct_resp_walk(m, (uint32_t)psn & 0xFFFFFFu);
    for (const struct arrival *a; (a = mrct_resp_walk_next(m, &w)) != NULL;)
        if (a->cls == class_of_cause(cause))
            return a;
    return NULL;
}

static uint8_t lowest_bit(uint8_t bits)
{
    return (uint8_t)(bits & -bits);
}

/*
 * psn is called arrived and is not. When a packet of it came that must not count, that is the
 * fault; it is noted, and from here on the PSN is taken as the responder takes it, so that one
 * fault is told once. Returns false when nothing explains it.
 */
static bool concede(struct resp_model *m, struct resp_view *v, resp_psn psn)
{
    const struct psn_info *const i = mrct_resp_psn(m, psn);
    if (i == NULL || i->causes == 0)
        return false;
    const uint8_t cause = lowest_bit(i->causes);
    const struct arrival *const a = wrong_arrival(m, psn, cause);
    v->causes |= cause;
    v->cause_psn = psn;
    v->cause_frame = a != NULL ? a->frame_no : 0;
    if (a == NULL)
        return true;
    mrct_resp_accept(m, psn, a, 0);
    if (m->murky_seq < m->last_seq)
        m->murky_seq = m->last_seq;
    v->exact = false;
    v->hi = m->last_state;
    return true;
}

static bool may_concede(const struct resp_model *m, resp_psn psn)
{
    const struct psn_info *const i = mrct_resp_psn(m, psn);
    return i != NULL && i->causes != 0;
}

/* Everything up to psn is called arrived. */
static void claim_up_to(struct resp_model *m, struct resp_view *v, resp_psn psn)
{
    if (psn <= m->now.cack)
        return;
    if (psn > m->now.max_rcv + RESP_WINDOW_MAX) {
        v->cack_beyond = true;
        return;
    }
    for (resp_psn p = m->now.cack + 1; p <= psn && !v->cack_beyond; p++)
        if (mrct_resp_arrived(m, p) == RESP_NEVER && !may_concede(m, p))
            v->cack_beyond = true;
    while (!v->cack_beyond && m->now.cack < psn)
        if (!concede(m, v, m->now.cack + 1))
            break;
}

/* One bitmap: all PSNs whose bit is 1 are called arrived. */
static void claim_bitmap(struct resp_model *m, struct resp_view *v, const struct mrc_seth *s)
{
    const resp_psn base = v->cack + s->sack_offset;
    for (unsigned i = 0; i < 64; i++)
        if (((s->sack_bitmap >> i) & 1u) != 0 && base + i > m->now.cack &&
            mrct_resp_arrived(m, base + i) == RESP_NEVER && !may_concede(m, base + i)) {
            v->false_psn = base + i;
            return; /* the bitmap as such is wrong: nothing of it is believed */
        }
    for (unsigned i = 0; i < 64; i++)
        if (((s->sack_bitmap >> i) & 1u) != 0 && base + i > m->now.cack &&
            mrct_resp_arrived(m, base + i) == RESP_NEVER)
            concede(m, v, base + i);
}

/* The SACK itself answers a packet that must not be answered. */
static void claim_trigger(struct resp_view *v)
{
    const struct arrival *const a = v->trigger;
    if (a == NULL || !v->ev_ok)
        return;
    uint8_t cause = 0;
    switch ((enum arrival_class)a->cls) {
    case ARRIVAL_TRIMMED:
        cause = CAUSE_TRIMMED;
        break;
    case ARRIVAL_BAD_ICRC:
        cause = CAUSE_BAD_ICRC;
        break;
    case ARRIVAL_UNKNOWN:
        cause = CAUSE_UNKNOWN;
        break;
    case ARRIVAL_MISFIT:
        cause = CAUSE_MISFIT;
        break;
    case ARRIVAL_PKEY:
        cause = CAUSE_PKEY;
        break;
    case ARRIVAL_NEW:
    case ARRIVAL_DUP:
    case ARRIVAL_OLD:
    case ARRIVAL_UNSURE:
    case ARRIVAL_PROBE:
    case ARRIVAL_TRIM_DUP:
    case ARRIVAL_BEYOND:
        return;
    }
    v->answers_it = true;
    v->causes |= cause;
    v->cause_frame = a->frame_no;
    v->cause_psn = a->psn;
}

static void view_bytes(struct resp_model *m, struct resp_view *v, uint32_t rb, uint64_t frame_no)
{
    const uint64_t seq = v->trigger != NULL ? v->trigger->seq : 0;
    const int32_t step = (int32_t)((rb - m->last_rb) << 8) >> 8;
    /* Two SACKs may overtake each other on the way to the tap: only a later trigger proves it. */
    v->rb_back = m->have_rb && step < 0 && seq > m->last_rb_seq;
    if (v->rb_back || (m->have_rb && step < 0))
        return;
    m->have_rb = true;
    m->last_rb = rb;
    m->last_rb_frame = frame_no;
    m->last_rb_seq = seq > m->last_rb_seq ? seq : m->last_rb_seq;
}

void mrct_resp_view_sack(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    struct resp_view *const v = &m->view;
    const struct mrc_pkt *const p = &l->obs->pkt;
    const struct mrc_seth *const s = &p->seth;
    const bool has_state = MRC_PKT_HAS(p, CC_STATE) && s->cc_type == 0;
    const struct wanted w = {.ev = s->entropy,
                             .ts = has_state ? p->cc_state.tx_timestamp : 0,
                             .has_ts = has_state,
                             .rtx = p->bth.rtx,
                             .marked = s->m == MRC_M_SKIP_ONCE,
                             .unsure = !m->synced};
    *v = (struct resp_view){0};
    v->trigger_psn = mrc_psn_add(s->cack_psn, s->ack_psn_offset);
    const struct best b = find_trigger(
        m, s->pr ? mrct_resp_walk_probes(m, s->probe_id) : mrct_resp_walk(m, v->trigger_psn), &w);
    view_trigger(l, v, &b, &w);
    claim_trigger(v);
    v->cack = mrct_resp_extend(m, s->cack_psn);
    if (m->synced && !m->dead) {
        claim_up_to(m, v, v->cack);
        claim_bitmap(m, v, s);
    }
    if (has_state)
        view_bytes(m, v, p->cc_state.rcvd_bytes, l->obs->frame_no);
}

void mrct_resp_view_nack(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    const struct mrc_neth *const n = &l->obs->pkt.neth;
    const struct wanted w = {.ev = n->entropy,
                             .ts = n->tx_timestamp,
                             .has_ts = true,
                             .rtx = l->obs->pkt.bth.rtx,
                             .nack = true,
                             .trimmed = n->nack_reason == MRC_NACK_TRIMMED ||
                                        n->nack_reason == MRC_NACK_TRIMMED_LASTHOP};
    m->view = (struct resp_view){.trigger_psn = n->nack_psn};
    const struct best b = find_trigger(m, mrct_resp_walk(m, n->nack_psn), &w);
    view_trigger(l, &m->view, &b, &w);
    if (b.trigger != NULL && b.trigger->cls != ARRIVAL_TRIMMED)
        claim_trigger(&m->view);
}

void mrct_resp_view_ack(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    m->view = (struct resp_view){.lo = m->first_state, .hi = m->last_state};
    m->view.cack = mrct_resp_extend(m, l->obs->pkt.bth.psn);
    if (m->synced && !m->dead)
        claim_up_to(m, &m->view, m->view.cack);
}

void mrct_resp_fail_cause(struct look *l, const char *words)
{
    const struct resp_view *const v = &l->flow->resp->view;
    const uint64_t frames[2] = {l->obs->frame_no, v->cause_frame};
    const uint32_t psn = (uint32_t)v->cause_psn & 0xFFFFFFu;
    const struct psn_info *const i = mrct_resp_psn(l->flow->resp, v->cause_psn);
    if (!l->cfg->have_events && !v->answers_it && i != NULL && i->missed) {
        mrct_look_unsure(l,
                         "PSN %u was missed first and then called arrived: the capture may lack "
                         "a packet of it",
                         psn);
        return;
    }
    l->silence = v->answers_it ? 0 : (uint64_t)l->flow->id << 32 | (psn + 1);
    mrct_look_fail_at(l, frames, v->cause_frame != 0 ? 2 : 1,
                      "PSN %u is answered or called arrived, but %s", psn, words);
    l->silence = 0;
}

enum time_echo mrct_resp_time_echo(const struct look *l, const struct arrival *a, uint16_t ts)
{
    /* Q20 a: advanced by the service time, which is no more than what passed since it came. */
    const uint64_t unit_ns = a->tsr ? 1000 : 128;
    const uint64_t passed = (l->now_ns - a->time_ns) / unit_ns + 1;
    if (ts == a->ts)
        return TIME_ECHO_OK;
    if ((uint16_t)(ts - a->ts) > passed || l->flow->fact.svc_time == 0)
        return TIME_ECHO_WRONG;
    return l->flow->fact.svc_time == 1 ? TIME_ECHO_OK : TIME_ECHO_UNSURE;
}
