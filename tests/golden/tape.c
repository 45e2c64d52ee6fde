/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/golden/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker sends the calls of everybody else here (--wrap). */
struct mrct_oracle *__real_mrct_oracle_new(const struct mrct_oracle_config *cfg);
struct mrct_oracle *__wrap_mrct_oracle_new(const struct mrct_oracle_config *cfg);
void __real_mrct_oracle_free(struct mrct_oracle *o);
void __wrap_mrct_oracle_free(struct mrct_oracle *o);
void __real_mrct_oracle_frame(struct mrct_oracle *o, const struct mrct_obs *obs);
void __wrap_mrct_oracle_frame(struct mrct_oracle *o, const struct mrct_obs *obs);
void __real_mrct_oracle_event(struct mrct_oracle *o, const struct mrct_event *ev);
void __wrap_mrct_oracle_event(struct mrct_oracle *o, const struct mrct_event *ev);
void __real_mrct_oracle_clock(struct mrct_oracle *o, uint64_t now_ns);
void __wrap_mrct_oracle_clock(struct mrct_oracle *o, uint64_t now_ns);
void __real_mrct_oracle_end(struct mrct_oracle *o, uint64_t now_ns);
void __wrap_mrct_oracle_end(struct mrct_oracle *o, uint64_t now_ns);

static struct tapes *recording; /* a call of the oracle carries no user of ours */

static void *need(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "golden: out of memory\n");
        exit(3);
    }
    return p;
}

/* ---- facts ---- */

static void copy_facts(struct mrct_facts *to, const struct mrct_facts *from)
{
    mrct_facts_init(to);
    to->path_mtu = from->path_mtu;
    to->have_ports = from->have_ports;
    to->have_dscp = from->have_dscp;
    to->have_tap = from->have_tap;
    to->wire = from->wire;
    to->tap = from->tap;
    for (size_t h = 0; h < from->host_count; h++) {
        const struct mrct_fact_host *const host = &from->hosts[h];
        const int index = mrct_facts_add_host(to, host->name);
        for (size_t a = 0; a < host->addr_count; a++)
            mrct_facts_add_addr(to, index, host->addrs[a].is_v6, host->addrs[a].ip,
                                host->addrs[a].plane);
    }
    for (size_t q = 0; q < from->qp_count; q++) {
        const struct mrct_fact_qp *const qp = &from->qps[q];
        *(struct mrct_fact_qp *)need(mrct_facts_add_qp(to, qp->host, qp->peer_host)) = *qp;
    }
}

static void lower(int *fact, int by)
{
    if (*fact != MRCT_UNKNOWN && *fact >= by)
        *fact -= by;
}

/* What an honest host did is a breach by these: each limit is met, or passed by one. */
static void tighten(struct mrct_facts *f)
{
    for (size_t q = 0; q < f->qp_count; q++) {
        struct mrct_fact_qp *const qp = &f->qps[q];
        lower(&qp->mpr, 1);
        lower(&qp->max_wimm, 1);
        lower(&qp->timeout, -1);
        lower(&qp->linear_cnt, 1);
        lower(&qp->exp_cnt, 1);
        lower(&qp->ev_min_active, -1);
        qp->sack_threshold /= 2;
    }
}

/* ---- recording ---- */

void tapes_init(struct tapes *t)
{
    *t = (struct tapes){.list = NULL};
    mrct_pool_init(&t->pool);
}

void tapes_fini(struct tapes *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->list[i].steps);
        mrct_facts_fini(&t->list[i].facts);
    }
    free(t->list);
    mrct_pool_fini(&t->pool);
}

void tapes_record(struct tapes *t)
{
    recording = t;
}

static struct tape *tape_of(const struct mrct_oracle *o)
{
    for (size_t i = recording != NULL ? recording->count : 0; i > 0; i--) {
        if (recording->list[i - 1].oracle == o)
            return &recording->list[i - 1];
    }
    return NULL;
}

/* What comes after the last frame kept is not kept either. */
static void add(struct tape *t, struct tape_step s)
{
    if (t == NULL || t->full)
        return;
    t->full = s.kind == TAPE_FRAME && ++t->frames == TAPE_FRAMES_MAX;
    if (t->count == t->cap) {
        t->cap = t->cap != 0 ? 2 * t->cap : 64;
        t->steps = need(realloc(t->steps, t->cap * sizeof *t->steps));
    }
    t->steps[t->count++] = s;
}

struct mrct_oracle *__wrap_mrct_oracle_new(const struct mrct_oracle_config *cfg)
{
    struct mrct_oracle *const o = __real_mrct_oracle_new(cfg);
    if (recording == NULL || cfg->disabled_check != NULL)
        return o;
    if (recording->count == recording->cap) {
        recording->cap = recording->cap != 0 ? 2 * recording->cap : 4;
        recording->list = need(realloc(recording->list, recording->cap * sizeof(struct tape)));
    }
    struct tape *const t = &recording->list[recording->count++];
    *t = (struct tape){.cfg = *cfg, .oracle = o};
    t->cfg.side = NULL;
    if (cfg->facts != NULL)
        copy_facts(&t->facts, cfg->facts);
    else
        mrct_facts_init(&t->facts);
    recording->last = NULL;
    return o;
}

void __wrap_mrct_oracle_free(struct mrct_oracle *o)
{
    struct tape *const t = o != NULL ? tape_of(o) : NULL;
    if (t != NULL)
        t->oracle = NULL;
    __real_mrct_oracle_free(o);
}

/* The payload stands behind the copy. */
static const struct mrct_obs *copy_obs(struct tapes *t, const struct mrct_obs *obs)
{
    if (obs == t->last && obs->frame_no == t->last_copy->frame_no)
        return t->last_copy;
    const struct mrc_pkt *const p = &obs->pkt;
    const bool whole = MRC_PKT_HAS(p, BTH) && p->payload != NULL;
    const size_t len = whole ? p->payload_len : 0;
    struct mrct_obs *const copy = need(mrct_pool_alloc(&t->pool, sizeof *copy + len));
    *copy = *obs;
    if (whole)
        copy->pkt.payload = memcpy(copy + 1, p->payload, len);
    t->last = obs;
    t->last_copy = copy;
    return copy;
}

void __wrap_mrct_oracle_frame(struct mrct_oracle *o, const struct mrct_obs *obs)
{
    struct tape *const t = tape_of(o);
    if (t != NULL && !t->full)
        add(t, (struct tape_step){.kind = TAPE_FRAME, .obs = copy_obs(recording, obs)});
    __real_mrct_oracle_frame(o, obs);
}

void __wrap_mrct_oracle_event(struct mrct_oracle *o, const struct mrct_event *ev)
{
    struct tape *const t = tape_of(o);
    if (t != NULL) {
        struct mrct_event *const copy = need(mrct_pool_alloc(&recording->pool, sizeof *copy));
        *copy = *ev;
        copy->host = need(mrct_pool_strdup(&recording->pool, ev->host));
        if (ev->why != NULL)
            copy->why = need(mrct_pool_strdup(&recording->pool, ev->why));
        add(t, (struct tape_step){.kind = TAPE_EVENT, .event = copy});
    }
    __real_mrct_oracle_event(o, ev);
}

void __wrap_mrct_oracle_clock(struct mrct_oracle *o, uint64_t now_ns)
{
    add(tape_of(o), (struct tape_step){.kind = TAPE_CLOCK, .now_ns = now_ns});
    __real_mrct_oracle_clock(o, now_ns);
}

void __wrap_mrct_oracle_end(struct mrct_oracle *o, uint64_t now_ns)
{
    add(tape_of(o), (struct tape_step){.kind = TAPE_END, .now_ns = now_ns});
    __real_mrct_oracle_end(o, now_ns);
}

/* ---- playing ---- */

static enum mrct_tap tap_of(const struct tape *t, const struct tape_way *way)
{
    if (way->elsewhere)
        return MRCT_TAP_MIDDLE;
    if (way->opposite && t->cfg.tap != MRCT_TAP_MIDDLE)
        return t->cfg.tap == MRCT_TAP_REQUESTOR ? MRCT_TAP_RESPONDER : MRCT_TAP_REQUESTOR;
    return t->cfg.tap;
}

/* Which ones: of no pattern, and always the same. */
static bool is_missing(const struct tape_way *way, size_t step)
{
    return way->lost != 0 && (step * UINT64_C(2654435761) >> 7) % way->lost == 0;
}

static void play_step(struct mrct_oracle *o, const struct tape_way *way, const struct tape_step *s,
                      size_t index)
{
    switch (s->kind) {
    case TAPE_FRAME:
        if (!is_missing(way, index) && (!way->one_way || mrc_op_is_write(s->obs->pkt.bth.opcode)))
            __real_mrct_oracle_frame(o, s->obs);
        break;
    case TAPE_EVENT:
        if (!way->no_events)
            __real_mrct_oracle_event(o, s->event);
        break;
    case TAPE_CLOCK:
        __real_mrct_oracle_clock(o, s->now_ns);
        break;
    case TAPE_END:
        __real_mrct_oracle_end(o, s->now_ns);
        break;
    }
}

struct mrct_oracle *tape_play(const struct tape *t, const struct tape_way *way,
                              struct mrct_facts *facts,
                              void (*on_finding)(void *user, const struct mrct_finding *f),
                              void *user)
{
    struct mrct_oracle_config cfg = t->cfg;
    mrct_facts_init(facts);
    if (!way->no_facts)
        copy_facts(facts, &t->facts);
    if (way->tight)
        tighten(facts);
    cfg.facts = facts;
    cfg.tap = tap_of(t, way);
    cfg.strict = cfg.strict && !way->lenient;
    cfg.have_events = cfg.have_events && !way->no_events;
    cfg.complete = cfg.complete && way->lost == 0 && !way->one_way;
    cfg.on_finding = on_finding;
    cfg.user = user;
    struct mrct_oracle *const o = need(__real_mrct_oracle_new(&cfg));
    for (size_t i = 0; i < t->count; i++)
        play_step(o, way, &t->steps[i], i);
    if (t->full)
        __real_mrct_oracle_end(o, t->steps[t->count - 1].obs->time_ns);
    return o;
}
