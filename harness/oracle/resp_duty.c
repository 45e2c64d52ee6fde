/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a responder owes, and since when. A duty is done when its own answer is seen, and may be met
 * by something that can stand for it (a later SACK, an ACK for more), if that came in time. It is
 * judged when the reaction time that the configuration allows is proven to be over.
 *
 * A capture that ends sooner than that still says how fast this device is: what is open for far
 * longer than it ever took to answer was left undone (config own_pace). A device that coalesces or
 * has a service time shows that in its pace.
 */
#include "harness/oracle/resp.h"
#include <inttypes.h>
#include <stdlib.h>

/* Times its slowest answer that a device is given, by how many were measured: were its delays
 * spread evenly up to some limit, it would be accused once in ten million. No fewer than four
 * count. */
static const unsigned pace_factors[] = {0, 0, 0, 0, 64, 32, 16, 12, 8};
#define PACE_FACTORS   (sizeof(pace_factors) / sizeof(pace_factors[0]))
#define ONE_ANSWER_MAX 40u   /* duties that one answer may meet */
#define PACE_FLOOR_NS  2000u /* no device is held to less */

static struct duty *duty_at(const struct duty_ring *r, size_t i)
{
    return &r->duties[(r->head + i) & (r->cap - 1)];
}

static bool ring_grow(struct duty_ring *r)
{
    const size_t cap = r->cap != 0 ? 2 * r->cap : 16;
    struct duty *const bigger = cap <= DUTIES_MAX ? calloc(cap, sizeof(*bigger)) : NULL;
    if (bigger == NULL)
        return false;
    for (size_t i = 0; i < r->count; i++)
        bigger[i] = *duty_at(r, i);
    free(r->duties);
    *r = (struct duty_ring){.duties = bigger, .cap = cap, .count = r->count, .lost = r->lost};
    return true;
}

void mrct_duty_add(struct look *l, enum duty_kind kind, uint64_t seq, resp_psn psn)
{
    struct resp_model *const m = l->flow->resp;
    struct duty_ring *const r = &m->duties[kind];
    if (m->dead || m->owes_unseen)
        return;
    l->flow->stirred = true;
    if (r->count == r->cap && !ring_grow(r)) {
        r->lost++;
        return;
    }
    *duty_at(r, r->count++) = (struct duty){.seq = seq,
                                            .answers = m->answers,
                                            .since_ns = l->now_ns,
                                            .frame_no = l->obs != NULL ? l->obs->frame_no : 0,
                                            .psn = psn,
                                            .fate = DUTY_OPEN};
}

uint64_t mrct_duty_next_ns(const struct resp_model *m, uint64_t reaction_ns)
{
    uint64_t next_ns = UINT64_MAX;
    for (unsigned k = 0; k < DUTY_KINDS && !m->owes_unseen; k++) {
        const struct duty_ring *const r = &m->duties[k];
        if (r->count == 0)
            continue;
        const struct duty *const head = duty_at(r, 0);
        if (head->fate != DUTY_OPEN)
            return 0;
        if (head->since_ns + reaction_ns < next_ns)
            next_ns = head->since_ns + reaction_ns;
    }
    return next_ns;
}

void mrct_duty_done(struct resp_model *m, enum duty_kind kind, uint64_t seq)
{
    struct duty_ring *const r = &m->duties[kind];
    for (size_t i = 0; i < r->count; i++)
        if (duty_at(r, i)->seq == seq && duty_at(r, i)->fate != DUTY_DONE) {
            duty_at(r, i)->fate = DUTY_DONE;
            return;
        }
}

void mrct_duty_met_all(struct resp_model *m, enum duty_kind kind, uint64_t now_ns)
{
    struct duty_ring *const r = &m->duties[kind];
    /* Duties stand in order of time: behind the last open one, all older ones were met before. */
    for (size_t i = r->count; i > 0; i--) {
        struct duty *const d = duty_at(r, i - 1);
        if (d->fate == DUTY_MET_LATER)
            return;
        if (d->fate == DUTY_OPEN) {
            d->fate = DUTY_MET_LATER;
            d->met_ns = now_ns;
        }
    }
}

void mrct_duty_done_psn(struct resp_model *m, enum duty_kind kind, resp_psn psn, bool above)
{
    struct duty_ring *const r = &m->duties[kind];
    for (size_t i = 0; i < r->count; i++)
        if (duty_at(r, i)->psn == psn || (above && duty_at(r, i)->psn > psn))
            duty_at(r, i)->fate = DUTY_DONE;
}

void mrct_duty_done_first(struct resp_model *m, enum duty_kind kind)
{
    struct duty_ring *const r = &m->duties[kind];
    for (size_t i = 0; i < r->count; i++)
        if (duty_at(r, i)->fate == DUTY_OPEN) {
            duty_at(r, i)->fate = DUTY_DONE;
            return;
        }
}

void mrct_duty_drop(struct resp_model *m, enum duty_kind kind)
{
    m->duties[kind].count = 0;
}

void mrct_duty_drop_all(struct resp_model *m)
{
    for (unsigned k = 0; k < DUTY_KINDS; k++)
        mrct_duty_drop(m, (enum duty_kind)k);
}

void mrct_pace_sample(struct resp_model *m, enum pace_kind kind, uint64_t ns)
{
    m->pace[kind].samples++;
    if (ns > m->pace[kind].max_ns)
        m->pace[kind].max_ns = ns;
}

/* Its own kind of answers where enough were measured, else all kinds together. An ACK covers what
 * came last and does not name what it answers, so that it may look quick: it may take as long as a
 * SACK. */
static struct pace pace_for(const struct resp_model *m, enum duty_kind kind)
{
    const bool is_ack = kind == DUTY_ACK || kind == DUTY_OLD_ACK;
    const struct pace own = m->pace[is_ack ? PACE_ACK : PACE_SACK];
    const struct pace other = m->pace[is_ack ? PACE_SACK : PACE_ACK];
    const uint64_t max_ns = own.max_ns > other.max_ns ? own.max_ns : other.max_ns;
    if (own.samples >= PACE_FACTORS - 1)
        return (struct pace){.samples = own.samples, .max_ns = is_ack ? max_ns : own.max_ns};
    return (struct pace){.samples = own.samples + other.samples, .max_ns = max_ns};
}

/* Time after which it counts as left undone. */
static uint64_t allowed_ns(const struct look *l, enum duty_kind kind)
{
    if (kind == DUTY_IMM || !l->cfg->own_pace)
        return l->cfg->reaction_ns;
    const struct pace p = pace_for(l->flow->resp, kind);
    const unsigned factor = pace_factors[p.samples < PACE_FACTORS ? p.samples : PACE_FACTORS - 1];
    if (factor == 0)
        return l->cfg->reaction_ns;
    const uint64_t slow = factor * p.max_ns;
    const uint64_t ns = slow > PACE_FLOOR_NS ? slow : PACE_FLOOR_NS;
    return ns < l->cfg->reaction_ns ? ns : l->cfg->reaction_ns;
}

/* Not a word since immediate data came: with no receive posted the QP goes to ERROR in silence. */
static bool maybe_in_error(const struct resp_model *m)
{
    return m->wimms != 0 && m->last_sign_ns <= m->last_wimm_ns;
}

/* Nobody said that there is such a QP, and it never said so itself: a node answers only for its
 * own. */
static bool maybe_no_qp(const struct look *l)
{
    return !l->flow->from_facts && l->flow->resp->last_sign_ns == 0;
}

/* Whether it answers in this way at all. */
static bool answers_so(const struct resp_model *m, enum duty_kind kind)
{
    switch (kind) {
    case DUTY_ACK:
    case DUTY_OLD_ACK:
        return m->pace[PACE_ACK].samples > 0;
    case DUTY_TRIM_NACK:
    case DUTY_BEYOND_NACK:
        return m->nacks > 0;
    case DUTY_PROBE:
        return m->probe_answers > 0;
    case DUTY_SACK_ACK_REQ:
    case DUTY_SACK_CE:
    case DUTY_SACK_RTX:
    case DUTY_SACK_THRESHOLD:
    case DUTY_SACK_DUP:
        return m->pace[PACE_SACK].samples > 0;
    case DUTY_IMM:
    case DUTY_KINDS:
        break;
    }
    return false;
}

/* Which gap between its answers it is; 0: more than one frame is lacking. */
static uint64_t silence_of(const struct look *l, enum duty_kind kind, const struct duty *d)
{
    struct resp_model *const m = l->flow->resp;
    m->unanswered = m->silent_at == d->answers ? m->unanswered + 1 : 1;
    m->silent_at = d->answers;
    return answers_so(m, kind) && m->unanswered <= ONE_ANSWER_MAX
               ? (uint64_t)l->flow->id << 32 | ((d->answers + 1) & UINT32_MAX)
               : 0;
}

static void accuse(struct look *l, enum duty_kind kind, const struct duty *d, uint64_t waited_ns,
                   const char *words)
{
    if (kind == DUTY_IMM && l->flow->resp->told < d->psn) {
        mrct_look_unsure(l, "the responder never said that it took all before the immediate: a "
                            "NACK may wait");
        return;
    }
    if (maybe_no_qp(l)) {
        mrct_look_unsure(l, "the responder never answered on this QP, so it may have none of that "
                            "number");
        return;
    }
    if (maybe_in_error(l->flow->resp)) {
        mrct_look_unsure(l, "the responder said nothing since immediate data came: its QP may be "
                            "in ERROR for want of a posted receive");
        return;
    }
    l->silence = silence_of(l, kind, d);
    mrct_look_fail_at(l, &d->frame_no, d->frame_no != 0,
                      "%s (PSN %" PRIu64 ", nothing within %" PRIu64 " ns)", words,
                      (uint64_t)d->psn & 0xFFFFFFu, waited_ns);
    l->silence = 0;
}

static void judge_one(struct look *l, enum duty_kind kind, const struct duty *d, bool at_end,
                      const char *words)
{
    /* Its port may have been down meanwhile, or its window smaller than it could tell yet; pace
     * says nothing of that. */
    const bool paced = l->flow->resp->port_ns < d->since_ns && l->flow->fact.dynamic_mpr != 1;
    const uint64_t allowed =
        (paced ? allowed_ns(l, kind) : l->cfg->reaction_ns) + 2 * l->flow->resp->time_err_ns;
    const uint64_t until = d->fate == DUTY_MET_LATER ? d->met_ns : l->now_ns;
    const uint64_t waited = until - d->since_ns;
    if (d->fate == DUTY_DONE || (d->fate == DUTY_MET_LATER && waited <= allowed))
        mrct_look_pass(l);
    else if (waited > allowed)
        accuse(l, kind, d, waited, words);
    else if (at_end)
        mrct_look_unsure(l, "the capture ends before the answer is overdue");
}

void mrct_duty_judge(struct look *l, enum duty_kind kind, bool at_end, const char *words)
{
    struct duty_ring *const r = &l->flow->resp->duties[kind];
    if (l->flow->resp->owes_unseen) {
        mrct_look_unsure(l, "what is owed is known beside the responder only");
        return;
    }
    const uint64_t err_ns = l->flow->resp->time_err_ns;
    /* Once the factor is at its least, more answers only raise what is allowed. */
    const uint64_t allowed = r->count != 0 ? allowed_ns(l, kind) : 0;
    const bool well_paced =
        !l->cfg->own_pace || pace_for(l->flow->resp, kind).samples >= PACE_FACTORS - 1;
    while (r->count != 0) {
        const struct duty d = *duty_at(r, 0);
        const bool over = l->now_ns - d.since_ns > l->cfg->reaction_ns + 2 * err_ns;
        const bool settled = d.fate == DUTY_DONE || (d.fate == DUTY_MET_LATER && well_paced &&
                                                     d.met_ns - d.since_ns <= allowed);
        if (!at_end && !over && !settled)
            break;
        r->head = (r->head + 1) & (r->cap - 1);
        r->count--;
        judge_one(l, kind, &d, at_end, words);
    }
    if (at_end && r->lost != 0)
        mrct_look_unsure(l, "more was owed at once than is followed");
}
