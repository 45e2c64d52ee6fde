/* SPDX-License-Identifier: BSD-2-Clause */
/* The oracle itself: which row sees which frame, in which order, and what became of it all. */
#include "harness/oracle/lane.h"
#include <stdlib.h>
#include <string.h>

#define REACTION_DEFAULT_NS UINT64_C(10000000) /* 10 ms: slower than any device under service */

void mrct_oracle_config_default(struct mrct_oracle_config *cfg)
{
    *cfg = (struct mrct_oracle_config){.tap = MRCT_TAP_MIDDLE,
                                       .complete = true,
                                       .own_pace = true,
                                       .reaction_ns = REACTION_DEFAULT_NS};
}

/* ---- rows ---- */

static size_t count_rows(void)
{
    size_t n = 0;
    for (size_t t = 0; t < mrct_check_table_count; t++)
        n += mrct_check_tables[t]->count;
    return n;
}

size_t mrct_oracle_checks(struct mrct_check_info *out, size_t cap)
{
    size_t n = 0;
    for (size_t t = 0; t < mrct_check_table_count; t++)
        for (size_t i = 0; i < mrct_check_tables[t]->count; i++, n++) {
            const struct check *const c = &mrct_check_tables[t]->rows[i];
            if (n < cap)
                out[n] = (struct mrct_check_info){c->name, c->requirement, c->file, c->line};
        }
    return n;
}

size_t mrct_oracle_traits(struct mrct_check_trait *out, size_t cap)
{
    size_t n = 0;
    for (size_t t = 0; t < mrct_check_table_count; t++)
        for (size_t i = 0; i < mrct_check_tables[t]->count; i++, n++) {
            const struct check *const c = &mrct_check_tables[t]->rows[i];
            if (n < cap)
                out[n] = (struct mrct_check_trait){
                    .name = c->name,
                    .requirement = c->requirement,
                    .needs_complete = (c->flags & CHECK_NEEDS_COMPLETE) != 0,
                    .needs_order = c->scope != SCOPE_FRAME,
                    .of_flows = c->on_frame != NULL && c->scope == SCOPE_FLOW ? c->want : 0};
        }
    return n;
}

/* Where each row may say "holds", and what it counts then. */
static void fill_passes(struct mrct_oracle *o)
{
    static const unsigned bits[] = {[MRCT_TAP_MIDDLE] = 1u << MRC_REQ_TAP_MIDDLE,
                                    [MRCT_TAP_REQUESTOR] = 1u << MRC_REQ_TAP_REQUESTOR,
                                    [MRCT_TAP_RESPONDER] = 1u << MRC_REQ_TAP_RESPONDER};
    for (size_t i = 0; i < o->row_count; i++) {
        const struct mrc_requirement *const r = o->reqs[i];
        o->passes[i].exercised = r != NULL ? &o->results[o->result_of[i]].exercised : &o->spare;
        for (unsigned t = 0; t < 3; t++)
            o->passes[i].taps |= r == NULL || (r->taps & bits[t]) != 0 ? 1u << t : 0;
    }
}

/* A result for each requirement that has a row, in the generated order. */
static void fill_results(struct mrct_oracle *o)
{
    for (size_t r = 0; r < mrc_requirement_count; r++) {
        bool has_row = false;
        for (size_t i = 0; i < o->row_count; i++) {
            if (o->reqs[i] != &mrc_requirements[r])
                continue;
            o->result_of[i] = o->result_count;
            has_row = true;
        }
        if (has_row)
            o->results[o->result_count++].requirement = mrc_requirements[r].id;
    }
}

/* Rows stand about as their requirements do, so the look begins at that of the row before. */
static const struct mrc_requirement *find_after(const struct mrc_requirement *before,
                                                const char *id)
{
    const size_t from = before != NULL ? (size_t)(before - mrc_requirements) : 0;
    for (size_t i = from; i < from + mrc_requirement_count; i++) {
        const struct mrc_requirement *const r = &mrc_requirements[i % mrc_requirement_count];
        if (strcmp(r->id, id) == 0)
            return r;
    }
    return NULL;
}

static void add_row(struct mrct_oracle *o, const struct check *c)
{
    const size_t n = o->row_count;
    o->reqs[n] = find_after(n > 0 ? o->reqs[n - 1] : NULL, c->requirement);
    o->rows[o->row_count++] = c;
}

static int rows_init(struct mrct_oracle *o)
{
    const size_t n = count_rows();
    o->rows = calloc(n + 1, sizeof(const struct check *));
    o->reqs = calloc(n + 1, sizeof(const struct mrc_requirement *));
    o->result_of = calloc(n + 1, sizeof(*o->result_of));
    o->results = calloc(n + 1, sizeof(*o->results));
    o->said = mrct_said_new(n);
    o->passes = calloc(n + 1, sizeof(*o->passes));
    if (o->passes == NULL || o->rows == NULL || o->reqs == NULL || o->result_of == NULL ||
        o->results == NULL || o->said == NULL)
        return -1;
    for (size_t t = 0; t < mrct_check_table_count; t++)
        for (size_t i = 0; i < mrct_check_tables[t]->count; i++)
            add_row(o, &mrct_check_tables[t]->rows[i]);
    fill_results(o);
    fill_passes(o);
    return 0;
}

static int list_add(struct row_list *l, size_t cap, size_t row, const struct check *c, bool steady)
{
    if (l->rows == NULL) {
        l->rows = calloc(cap, sizeof(*l->rows));
        l->calls = calloc(cap, sizeof(*l->calls));
        if (l->rows == NULL || l->calls == NULL)
            return -1;
    }
    l->calls[l->count] = (struct row_call){.on_frame = c->on_frame,
                                           .check = c,
                                           .row = (uint32_t)row,
                                           .sees_bad_icrc = c->scope == SCOPE_FRAME ||
                                                            (c->flags & CHECK_SEES_BAD_ICRC) != 0,
                                           .steady = steady};
    l->rows[l->count++] = (uint32_t)row;
    return 0;
}

static bool is_disabled(const struct mrct_oracle *o, const struct check *c)
{
    return o->cfg.disabled_check != NULL && strcmp(o->cfg.disabled_check, c->name) == 0;
}

static int list_row(struct mrct_oracle *o, const struct check *c, size_t row)
{
    const bool steady = mrct_lane_is_steady(c);
    int rc = 0;
    if (is_disabled(o, c))
        return 0;
    for (unsigned k = 0; k < KIND_COUNT; k++)
        if (c->on_frame != NULL && (c->want & WANT(k)) != 0)
            rc |= list_add(&o->by[c->scope][k], o->row_count, row, c, steady);
    if (c->on_frame != NULL && (c->want & WANT(KIND_REQUEST)) != 0 && !steady)
        rc |= list_add(&o->lively[c->scope], o->row_count, row, c, steady);
    if (c->on_event != NULL)
        rc |= list_add(&o->on_event, o->row_count, row, c, steady);
    if (c->on_end != NULL)
        rc |= list_add(&o->on_end[c->scope], o->row_count, row, c, steady);
    return rc;
}

static int lists_init(struct mrct_oracle *o)
{
    int rc = 0;
    size_t row = 0;
    for (size_t t = 0; t < mrct_check_table_count; t++)
        for (size_t i = 0; i < mrct_check_tables[t]->count; i++)
            rc |= list_row(o, &mrct_check_tables[t]->rows[i], row++);
    return rc;
}

static void list_models(struct mrct_oracle *o)
{
    struct model_calls *const q = &o->qp_models;
    for (size_t i = 0; i < mrct_model_count && i < MODELS_MAX; i++) {
        const struct model_ops *const m = mrct_models[i];
        if (m->of_nodes)
            continue;
        if (m->before != NULL)
            q->before[q->before_count++] = m->before;
        if (m->after != NULL)
            q->after[q->after_count++] = m->after;
    }
}

/* ---- life ---- */

struct mrct_oracle *mrct_oracle_new(const struct mrct_oracle_config *cfg)
{
    struct mrct_oracle *const o = calloc(1, sizeof(*o));
    if (o == NULL)
        return NULL;
    o->cfg = *cfg;
    o->complete = cfg->complete;
    mrct_facts_init(&o->no_facts);
    if (o->cfg.facts == NULL)
        o->cfg.facts = &o->no_facts;
    if (rows_init(o) != 0 || lists_init(o) != 0 || mrct_flows_init(o) != 0) {
        mrct_oracle_free(o);
        return NULL;
    }
    list_models(o);
    return o;
}

static void free_list(struct row_list *l)
{
    free(l->rows);
    free(l->calls);
}

void mrct_oracle_free(struct mrct_oracle *o)
{
    if (o == NULL)
        return;
    mrct_flows_fini(o);
    mrct_lanes_fini(o);
    for (unsigned s = 0; s < 3; s++) {
        free_list(&o->lively[s]);
        for (unsigned k = 0; k < KIND_COUNT; k++)
            free_list(&o->by[s][k]);
        free_list(&o->on_end[s]);
    }
    free_list(&o->on_event);
    free(o->passes);
    free(o->rows);
    free(o->reqs);
    free(o->result_of);
    free(o->results);
    free(o->said);
    mrct_facts_fini(&o->no_facts);
    free(o);
}

/* ---- models ---- */

int mrct_models_init(struct mrct_oracle *o, struct flow *f)
{
    for (size_t i = 0; i < mrct_model_count; i++)
        if (mrct_models[i]->of_nodes == f->is_node && mrct_models[i]->init(o, f) != 0)
            return -1;
    return 0;
}

void mrct_models_fini(struct flow *f)
{
    for (size_t i = 0; i < mrct_model_count; i++)
        if (mrct_models[i]->of_nodes == f->is_node)
            mrct_models[i]->fini(f);
}

enum model_call { MODEL_BEFORE, MODEL_AFTER, MODEL_EVENT };

static void call_models(struct look *l, enum model_call what)
{
    for (size_t i = 0; i < mrct_model_count; i++) {
        const struct model_ops *const m = mrct_models[i];
        if (m->of_nodes != l->flow->is_node || (l->kind == KIND_BROKEN && !m->sees_broken))
            continue;
        void (*const call)(struct look *) = what == MODEL_BEFORE  ? m->before
                                            : what == MODEL_AFTER ? m->after
                                                                  : m->on_event;
        if (call != NULL)
            call(l);
    }
}

/* ---- frames ---- */

static enum frame_kind kind_of(const struct mrct_obs *obs)
{
    if (obs->err != MRC_WIRE_OK && obs->err != MRC_WIRE_BAD_ICRC)
        return KIND_BROKEN;
    switch ((enum mrc_opcode)obs->pkt.bth.opcode) {
    case MRC_OP_ACK:
        return KIND_ACK;
    case MRC_OP_EP_REQUEST:
        return KIND_EP_REQUEST;
    case MRC_OP_EP_RESPONSE:
        return KIND_EP_RESPONSE;
    case MRC_OP_SACK:
        return KIND_SACK;
    case MRC_OP_NACK:
        return KIND_NACK;
    case MRC_OP_PROBE:
        return KIND_PROBE;
    case MRC_OP_WRITE_FIRST:
    case MRC_OP_WRITE_MIDDLE:
    case MRC_OP_WRITE_LAST:
    case MRC_OP_WRITE_LAST_IMM:
    case MRC_OP_WRITE_ONLY:
    case MRC_OP_WRITE_ONLY_IMM:
        break;
    }
    return KIND_REQUEST;
}

void mrct_rows_show(struct look *l, const struct row_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct row_call *const c = &list->calls[i];
        if (l->icrc_bad && !c->sees_bad_icrc)
            continue;
        l->row = c->row;
        l->check = c->check;
        l->blame = NULL;
        l->silence = 0;
        c->on_frame(l);
    }
    l->check = NULL;
}

/* A frame that belongs to no flow leaves the checks of its kind without an answer, once. */
static void say_unpaired(struct look *l)
{
    struct mrct_oracle *const o = l->o;
    o->unpaired++;
    if (l->icrc_bad || l->kind == KIND_BROKEN || (o->unpaired_said & WANT(l->kind)) != 0)
        return;
    o->unpaired_said |= WANT(l->kind);
    const struct row_list *const list = &o->by[SCOPE_FLOW][l->kind];
    for (size_t i = 0; i < list->count; i++) {
        l->row = list->rows[i];
        l->check = o->rows[l->row];
        mrct_look_unsure(l, "this frame cannot be paired with a QP: the facts qpn and peer_qpn "
                            "would tell");
    }
    l->check = NULL;
}

static uint64_t proven_time(const struct mrct_oracle *o, uint64_t err_ns)
{
    return o->now_ns > err_ns ? o->now_ns - err_ns : 0;
}

static void look_at(struct look *l)
{
    struct mrct_oracle *const o = l->o;
    if (l->flow != NULL) {
        mrct_dues_run(o, l->flow, proven_time(o, l->obs->time_err_ns));
        call_models(l, MODEL_BEFORE);
    }
    mrct_rows_show(l, &o->by[SCOPE_FRAME][l->kind]);
    if (l->flow == NULL) {
        say_unpaired(l);
        return;
    }
    if (l->kind != KIND_BROKEN)
        mrct_rows_show(l, &o->by[l->flow->is_node ? SCOPE_NODE : SCOPE_FLOW][l->kind]);
    call_models(l, MODEL_AFTER);
    if (l->kind == KIND_REQUEST && !l->icrc_bad) {
        l->flow->have_psn = true;
        l->flow->last_psn = l->obs->pkt.bth.psn;
    }
}

/* Switches trim requests. Anything else in a trimmed class without an ICRC that fits proves no more
 * than one with a wrong ICRC. */
static bool unproven(const struct mrct_obs *obs)
{
    return obs->err == MRC_WIRE_OK && obs->pkt.trim != MRC_TRIM_NONE &&
           obs->pkt.icrc_state == MRC_ICRC_ABSENT && !mrc_op_is_write(obs->pkt.bth.opcode);
}

void mrct_oracle_frame(struct mrct_oracle *o, const struct mrct_obs *obs)
{
    o->frames++;
    if (obs->time_ns > o->now_ns)
        o->now_ns = obs->time_ns;
    if (obs->err == MRC_WIRE_NOT_MRC) {
        o->not_mrc++;
        return;
    }
    if (obs->err == MRC_WIRE_CUT) {
        o->cut++;
        o->complete = false;
        return;
    }
    struct look l = {.o = o,
                     .cfg = &o->cfg,
                     .facts = o->cfg.facts,
                     .obs = obs,
                     .now_ns = o->now_ns,
                     .kind = kind_of(obs),
                     .icrc_bad = obs->err == MRC_WIRE_BAD_ICRC || unproven(obs)};
    mrct_flow_pair(o, &l);
    struct mrct_obs mine;
    l.obs = mrct_halves_read(&l, &mine);
    o->paired = l.flow;
    look_at(&l);
    if (l.flow != NULL)
        l.flow->stirred = true;
    /* What nodes say and what ends a QP matters to other flows as well. */
    if (l.kind != KIND_REQUEST && l.kind != KIND_SACK &&
        (l.kind != KIND_ACK || obs->pkt.aeth.syndrome != MRC_SYN_ACK))
        o->stir++;
}

uint32_t mrct_oracle_unpaired(const struct mrct_oracle *o)
{
    return o->unpaired_said;
}

void mrct_oracle_clock(struct mrct_oracle *o, uint64_t now_ns)
{
    if (now_ns > o->now_ns)
        o->now_ns = now_ns;
}

/* ---- events and the end ---- */

void mrct_oracle_event(struct mrct_oracle *o, const struct mrct_event *ev)
{
    struct flow *of[2];
    if (ev->time_ns > o->now_ns)
        o->now_ns = ev->time_ns;
    o->stir++;
    mrct_flow_of_event(o, ev, of);
    for (unsigned side = 0; side < 2; side++) {
        if (of[side] == NULL)
            continue;
        struct look l = {.o = o,
                         .cfg = &o->cfg,
                         .facts = o->cfg.facts,
                         .flow = of[side],
                         .ev = ev,
                         .ev_at_requestor = side == 0,
                         .kind = KIND_COUNT,
                         .now_ns = o->now_ns};
        mrct_dues_run(o, l.flow, o->now_ns);
        call_models(&l, MODEL_EVENT);
        for (size_t i = 0; i < o->on_event.count; i++) {
            l.row = o->on_event.rows[i];
            l.check = o->rows[l.row];
            l.blame = NULL;
            l.silence = 0;
            l.check->on_event(&l);
        }
    }
}

static void end_rows(struct mrct_oracle *o, struct flow *f, const struct row_list *list)
{
    struct look l = {.o = o, .cfg = &o->cfg, .facts = o->cfg.facts, .flow = f, .now_ns = o->now_ns};
    for (size_t i = 0; i < list->count; i++) {
        l.row = list->rows[i];
        l.check = o->rows[l.row];
        l.blame = NULL;
        l.silence = 0;
        l.check->on_end(&l);
    }
}

void mrct_oracle_end(struct mrct_oracle *o, uint64_t now_ns)
{
    if (now_ns > o->now_ns)
        o->now_ns = now_ns;
    mrct_lanes_settle(o);
    end_rows(o, NULL, &o->on_end[SCOPE_FRAME]);
    for (size_t i = 0; i < o->flow_count; i++) {
        struct flow *const f = o->flows[i];
        mrct_dues_run(o, f, o->now_ns);
        end_rows(o, f, &o->on_end[f->is_node ? SCOPE_NODE : SCOPE_FLOW]);
    }
}

size_t mrct_oracle_results(const struct mrct_oracle *o, const struct mrct_req_result **results)
{
    *results = o->results;
    return o->result_count;
}
