/* SPDX-License-Identifier: BSD-2-Clause */
/* The responder model's memory: arrivals, past states, and what is known of each PSN. */
#include "harness/oracle/resp.h"
#include <stdlib.h>
#include <string.h>

#define RING_FIRST 256u
#define PSNS_FIRST 512u
#define KEEP_BELOW 512 /* PSNs below cack that are still asked for */

int mrct_resp_rings_init(struct resp_model *m)
{
    m->arrivals_cap = m->states_cap = RING_FIRST;
    m->psns_cap = PSNS_FIRST;
    m->heads_cap = RESP_SLOTS_MIN;
    m->arrivals = calloc(m->arrivals_cap, sizeof(*m->arrivals));
    m->links = calloc(m->arrivals_cap, sizeof(*m->links));
    m->heads = calloc(m->heads_cap, sizeof(*m->heads));
    m->states = calloc(m->states_cap, sizeof(*m->states));
    m->psns = calloc(m->psns_cap, sizeof(*m->psns));
    if (m->keep_imms)
        m->imms = calloc(RESP_IMMS_MAX, sizeof(*m->imms));
    const bool all = m->arrivals != NULL && m->links != NULL && m->heads != NULL &&
                     m->states != NULL && m->psns != NULL;
    return all && (m->imms != NULL || !m->keep_imms) ? 0 : -1;
}

void mrct_resp_rings_fini(struct resp_model *m)
{
    free(m->arrivals);
    free(m->links);
    free(m->heads);
    free(m->states);
    free(m->psns);
    free(m->imms);
    for (unsigned k = 0; k < DUTY_KINDS; k++)
        free(m->duties[k].duties);
}

/* ---- arrivals ---- */

struct arrival *mrct_resp_arrival(const struct resp_model *m, uint64_t seq)
{
    if (seq == 0 || seq > m->last_seq || seq + m->arrivals_cap <= m->last_seq)
        return NULL;
    return &m->arrivals[seq & (m->arrivals_cap - 1)];
}

struct arrival_walk mrct_resp_walk(const struct resp_model *m, uint32_t psn)
{
    return (struct arrival_walk){.key = psn, .seq = m->heads[psn & (m->heads_cap - 1)]};
}

struct arrival_walk mrct_resp_walk_probes(const struct resp_model *m, uint16_t probe_id)
{
    return (struct arrival_walk){.key = probe_id, .seq = m->probe_heads[probe_id & 255u]};
}

struct arrival *mrct_resp_walk_next(const struct resp_model *m, struct arrival_walk *w)
{
    while (w->looks < RESP_CHAIN_MAX && w->seq != 0 && w->seq + m->arrivals_cap > m->last_seq) {
        const size_t at = w->seq & (m->arrivals_cap - 1);
        const struct arrival_link k = m->links[at];
        w->looks++;
        w->seq = k.back == 0 || k.back > w->seq ? 0 : w->seq - k.back;
        if (k.key == w->key)
            return &m->arrivals[at];
    }
    return NULL;
}

/* Twice as many chains, so that one holds few PSNs: each goes on as two that have what came so far
 * in common. */
static void heads_grow(struct resp_model *m)
{
    const size_t size = m->heads_cap * sizeof(*m->heads);
    uint64_t *const wider = realloc(m->heads, 2 * size);
    if (wider == NULL)
        return;
    memcpy(wider + m->heads_cap, wider, size);
    m->heads = wider;
    m->heads_cap *= 2;
}

static void arrivals_grow(struct resp_model *m)
{
    const size_t cap = 2 * m->arrivals_cap;
    struct arrival *const bigger = calloc(cap, sizeof(*bigger));
    struct arrival_link *const links = calloc(cap, sizeof(*links));
    if (bigger == NULL || links == NULL) {
        free(bigger);
        free(links);
        return; /* the oldest is forgotten a little sooner */
    }
    for (size_t i = 0; i < m->arrivals_cap; i++) {
        bigger[m->arrivals[i].seq & (cap - 1)] = m->arrivals[i];
        links[m->arrivals[i].seq & (cap - 1)] = m->links[i];
    }
    free(m->arrivals);
    free(m->links);
    m->arrivals = bigger;
    m->links = links;
    m->arrivals_cap = cap;
    if (cap > m->heads_cap)
        heads_grow(m);
}

struct arrival *mrct_resp_arrival_add(struct resp_model *m, uint32_t key, bool probe,
                                      uint64_t now_ns, uint64_t keep_ns)
{
    const uint64_t seq = m->last_seq + 1;
    const struct arrival *const oldest = &m->arrivals[seq & (m->arrivals_cap - 1)];
    if (m->arrivals_cap < RESP_ARRIVALS_MAX && oldest->seq != 0 &&
        now_ns - oldest->time_ns <= keep_ns)
        arrivals_grow(m);
    struct arrival *const slot = &m->arrivals[seq & (m->arrivals_cap - 1)];
    uint64_t *const head =
        probe ? &m->probe_heads[key & 255u] : &m->heads[key & (m->heads_cap - 1)];
    const uint64_t back = *head == 0 ? 0 : seq - *head;
    slot->seq = seq;
    /* One further back than can be told has left the ring as well. */
    m->links[seq & (m->arrivals_cap - 1)] =
        (struct arrival_link){.key = key, .back = back < UINT32_MAX ? (uint32_t)back : UINT32_MAX};
    *head = seq;
    m->last_seq = seq;
    return slot;
}

/* ---- states ---- */

const struct resp_state *mrct_resp_state(const struct resp_model *m, uint64_t number)
{
    return &m->states[number & (m->states_cap - 1)];
}

/* Least number of a state that is still kept and comparable. */
static uint64_t oldest_state(const struct resp_model *m)
{
    const uint64_t kept = m->last_state < m->states_cap ? 0 : m->last_state - m->states_cap + 1;
    return kept > m->first_state ? kept : m->first_state;
}

void mrct_resp_state_add(struct resp_model *m)
{
    if (m->last_state + 1 >= m->states_cap && m->states_cap < RESP_STATES_MAX &&
        m->states_cap < m->arrivals_cap) {
        struct resp_state *const bigger = calloc(2 * m->states_cap, sizeof(*bigger));
        if (bigger != NULL) {
            const uint64_t from = oldest_state(m);
            for (uint64_t i = from; i <= m->last_state; i++)
                bigger[i & (2 * m->states_cap - 1)] = *mrct_resp_state(m, i);
            if (m->last_state >= m->states_cap && from > m->first_state)
                m->first_state = from;
            free(m->states);
            m->states = bigger;
            m->states_cap *= 2;
        }
    }
    m->last_state++;
    m->states[m->last_state & (m->states_cap - 1)] = m->now;
}

bool mrct_resp_state_at(const struct resp_model *m, uint64_t time_ns, uint64_t *number)
{
    const uint64_t kept = m->last_seq < m->arrivals_cap ? 1 : m->last_seq - m->arrivals_cap + 1;
    uint64_t a = kept, b = m->last_seq + 1; /* least seq that came later lies in [a, b] */
    while (a < b) {
        const uint64_t mid = a + (b - a) / 2;
        if (m->arrivals[mid & (m->arrivals_cap - 1)].time_ns > time_ns)
            b = mid;
        else
            a = mid + 1;
    }
    if (a == kept && kept > 1)
        return false;
    *number = a == 1 ? 0 : m->arrivals[(a - 1) & (m->arrivals_cap - 1)].state;
    return *number >= oldest_state(m);
}

/* ---- PSNs ---- */

static bool psns_grow(struct resp_model *m)
{
    if (m->psns_cap >= RESP_PSNS_MAX)
        return false;
    const size_t cap = 2 * m->psns_cap;
    struct psn_info *const bigger = calloc(cap, sizeof(*bigger));
    if (bigger == NULL)
        return false;
    for (size_t i = 0; i < m->psns_cap; i++)
        if (m->psns[i].psn != 0)
            bigger[(size_t)m->psns[i].psn & (cap - 1)] = m->psns[i];
    free(m->psns);
    m->psns = bigger;
    m->psns_cap = cap;
    return true;
}

struct psn_info *mrct_resp_psn_make(struct resp_model *m, resp_psn psn)
{
    for (;;) {
        struct psn_info *const i = &m->psns[(size_t)psn & (m->psns_cap - 1)];
        if (i->psn == psn)
            return i;
        const bool needed = i->psn != 0 && i->psn > m->now.cack - KEEP_BELOW;
        if (needed && psns_grow(m))
            continue;
        if (needed && psn > m->now.cack + RESP_WINDOW_MAX)
            return NULL; /* a stray far away takes nobody's place */
        *i = (struct psn_info){.psn = psn, .state = RESP_NEVER};
        return i;
    }
}

uint64_t mrct_resp_arrived(const struct resp_model *m, resp_psn psn)
{
    const struct psn_info *const i = mrct_resp_psn(m, psn);
    if (i != NULL && i->state != RESP_NEVER)
        return i->state;
    return psn <= m->now.cack ? 0 : RESP_NEVER;
}

/* ---- the state advances ---- */

/* cack passes psn: a message may be complete, immediate data may be due. */
static void pass(struct resp_model *m, struct psn_info *i)
{
    if (mrct_resp_ends_message(i->opcode))
        m->done++;
    i->done = m->done;
    if (!mrct_resp_has_imm(i->opcode))
        return;
    m->wimms++;
    if (!m->keep_imms)
        return;
    if (m->imm_count == RESP_IMMS_MAX) {
        m->imms_lost++;
        return;
    }
    m->imms[(m->imm_head + m->imm_count++) & (RESP_IMMS_MAX - 1)] = i->imm;
}

void mrct_resp_accept(struct resp_model *m, resp_psn psn, const struct arrival *a, uint32_t imm)
{
    struct psn_info *i = mrct_resp_psn_make(m, psn);
    if (i == NULL)
        return;
    i->state = m->last_state + 1;
    i->opcode = a->opcode;
    i->nominal_len = a->nominal_len;
    i->payload_len = a->payload_len;
    i->imm = imm;
    i->refused = false;
    m->now.total[0] += a->nominal_len;
    m->now.total[1] += a->payload_len;
    m->now.total[2] += a->payload_len > 1024 ? a->payload_len : 1024;
    m->now.ooo++;
    if (psn > m->now.max_rcv)
        m->now.max_rcv = psn;
    for (i = mrct_resp_psn(m, m->now.cack + 1); i != NULL && i->state != RESP_NEVER;
         i = mrct_resp_psn(m, m->now.cack + 1)) {
        m->now.cack++;
        m->now.ooo--;
        pass(m, i);
    }
    mrct_resp_state_add(m);
}

/* Immediates and their receive completions that cack passed from psn on are due no more. */
static void take_back_imms(struct resp_model *m, resp_psn psn)
{
    struct duty_ring *const r = &m->duties[DUTY_IMM];
    for (resp_psn p = m->now.cack; p >= psn; p--) {
        const struct psn_info *const i = mrct_resp_psn(m, p);
        if (i == NULL || !mrct_resp_has_imm(i->opcode))
            continue;
        m->wimms -= m->wimms > 0;
        m->imm_count -= m->imm_count > 0;
        r->count -= r->count > 0;
    }
}

void mrct_resp_refuse(struct resp_model *m, resp_psn psn)
{
    struct psn_info *const i = mrct_resp_psn(m, psn);
    if (i == NULL)
        m->murky_seq = RESP_NEVER; /* so long ago that nobody knows what was built on it */
    if (i == NULL || i->state == RESP_NEVER)
        return;
    i->state = RESP_NEVER;
    i->refused = true;
    m->now.total[0] -= i->nominal_len;
    m->now.total[1] -= i->payload_len;
    m->now.total[2] -= i->payload_len > 1024 ? i->payload_len : 1024;
    if (psn <= m->now.cack) {
        take_back_imms(m, psn);
        /* What was passed counts as above again; messages and immediates are counted anew. */
        const resp_psn was = m->now.cack;
        m->now.cack = psn - 1;
        m->now.ooo += (uint32_t)(was - psn);
        const struct psn_info *const before = mrct_resp_psn(m, psn - 1);
        m->done = before != NULL ? before->done : m->done;
        m->murky_seq = RESP_NEVER;
    } else {
        m->now.ooo--;
        if (m->murky_seq != RESP_NEVER)
            m->murky_seq = m->last_seq;
    }
    mrct_resp_state_add(m);
    m->first_state = m->last_state;
}

/* ---- looking claims up ---- */

static void clip(const struct resp_model *m, uint64_t *lo, uint64_t *hi)
{
    const uint64_t oldest = oldest_state(m);
    *lo = *lo < oldest ? oldest : *lo;
    *hi = *hi > m->last_state ? m->last_state : *hi;
}

/* Least number in [lo, hi + 1) from which cack >= want; cack never falls among comparable ones. */
static uint64_t first_cack_from(const struct resp_model *m, uint64_t lo, uint64_t hi, resp_psn want)
{
    uint64_t a = lo, b = hi + 1;
    while (a < b) {
        const uint64_t mid = a + (b - a) / 2;
        if (mrct_resp_state(m, mid)->cack >= want)
            b = mid;
        else
            a = mid + 1;
    }
    return a;
}

bool mrct_resp_states_of_cack(const struct resp_model *m, resp_psn cack, uint64_t *lo, uint64_t *hi)
{
    clip(m, lo, hi);
    if (*lo > *hi)
        return false;
    const uint64_t from = first_cack_from(m, *lo, *hi, cack);
    const uint64_t to = first_cack_from(m, *lo, *hi, cack + 1);
    *lo = from;
    *hi = to - 1;
    return from < to;
}

/* While cack stands still, each new arrival adds one. */
bool mrct_resp_has_ooo(const struct resp_model *m, uint64_t lo, uint64_t hi, uint32_t ooo)
{
    return lo <= hi && ooo >= mrct_resp_state(m, lo)->ooo && ooo <= mrct_resp_state(m, hi)->ooo;
}

static uint64_t units_of(uint64_t bytes)
{
    return (bytes + 255) / 256;
}

bool mrct_resp_has_bytes(const struct resp_model *m, uint64_t lo, uint64_t hi, unsigned reading,
                         uint32_t units)
{
    clip(m, &lo, &hi);
    if (lo > hi)
        return false;
    const uint64_t low = units_of(mrct_resp_state(m, lo)->total[reading]);
    const uint64_t want = low + ((units - (uint32_t)low) & 0xFFFFFFu);
    uint64_t a = lo, b = hi + 1;
    while (a < b) {
        const uint64_t mid = a + (b - a) / 2;
        if (units_of(mrct_resp_state(m, mid)->total[reading]) >= want)
            b = mid;
        else
            a = mid + 1;
    }
    return a <= hi && units_of(mrct_resp_state(m, a)->total[reading]) == want;
}
