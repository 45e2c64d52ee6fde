/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of a requestor's EVs: how often each was used, and what was told of it. */
#include "harness/oracle/path.h"
#include "harness/oracle/core.h"
#include "harness/oracle/resp.h"
#include <stdlib.h>
#include <string.h>

#define PATH_EVS_FIRST 32u

static unsigned planes_of(const struct mrct_facts *f, int host)
{
    uint32_t seen = 0;
    unsigned n = 0;
    if (host < 0)
        return 0;
    for (size_t i = 0; i < f->hosts[host].addr_count; i++) {
        const int plane = f->hosts[host].addrs[i].plane;
        if (plane < 0 || plane >= (int)PATH_PLANES || (seen >> plane & 1u) != 0)
            continue;
        seen |= UINT32_C(1) << plane;
        n++;
    }
    return seen == (UINT32_C(1) << n) - 1 ? n : 0;
}

static int path_init(struct mrct_oracle *o, struct flow *f)
{
    struct path_model *const m = calloc(1, sizeof *m);
    (void)o;
    f->path = m;
    return m != NULL ? 0 : -1;
}

static void path_fini(struct flow *f)
{
    if (f->path == NULL)
        return;
    free(f->path->evs);
    free(f->path);
    f->path = NULL;
}

int mrct_path_plane(const struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    const struct mrct_facts *const f = l->facts;
    const size_t len = p->is_v6 ? 16 : 4;
    uint8_t src[16] = {0};
    memcpy(src, p->is_v6 ? p->ip6.src : p->ip4.src, len);
    const int host = mrct_facts_host_of(f, p->is_v6, src);
    if (host < 0)
        return MRCT_UNKNOWN;
    for (size_t i = 0; i < f->hosts[host].addr_count; i++) {
        const struct mrct_fact_addr *const a = &f->hosts[host].addrs[i];
        if (a->is_v6 == p->is_v6 && memcmp(a->ip, src, len) == 0)
            return a->plane < (int)PATH_PLANES ? a->plane : MRCT_UNKNOWN;
    }
    return MRCT_UNKNOWN;
}

static uint32_t slot_of(const struct path_model *m, uint32_t ev, int plane)
{
    uint32_t at = (ev * UINT32_C(0x9E3779B1) >> 16) + (uint32_t)(plane + 1);
    for (;; at++) {
        const struct path_ev *const e = &m->evs[at & (m->cap - 1)];
        if (!e->used || (e->ev == ev && e->plane == plane))
            return at & (m->cap - 1);
    }
}

struct path_ev *mrct_path_find(const struct path_model *m, uint32_t ev, int plane)
{
    if (m->evs == NULL)
        return NULL;
    struct path_ev *const e = &m->evs[slot_of(m, ev, plane)];
    return e->used ? e : NULL;
}

static bool answered_here(const struct path_model *m, uint32_t ev, uint64_t since_ns)
{
    for (unsigned i = 0; i < PATH_ANSWERS; i++)
        if (m->answers[i].ev == ev && m->answers[i].ns >= since_ns && m->answers[i].ns != 0)
            return true;
    /* What was forgotten may have been one. */
    return m->answer_count > PATH_ANSWERS &&
           m->answers[m->answer_count % PATH_ANSWERS].ns >= since_ns;
}

bool mrct_path_answered(const struct look *l, uint32_t ev, uint64_t since_ns)
{
    const struct flow *const own = l->flow;
    for (size_t i = 0; i < l->o->flow_count; i++) {
        const struct flow *const f = l->o->flows[i];
        if (f->path != NULL && strcmp(f->requestor, own->requestor) == 0 &&
            strcmp(f->responder, own->responder) == 0 && answered_here(f->path, ev, since_ns))
            return true;
    }
    return false;
}

/* A report names an EV and no plane: the one entry that has it, or NULL. */
static struct path_ev *named(const struct path_model *m, uint32_t ev)
{
    struct path_ev *found = NULL;
    if (m->evs == NULL)
        return NULL;
    for (int plane = MRCT_UNKNOWN; plane < (int)PATH_PLANES; plane++) {
        struct path_ev *const e = mrct_path_find(m, ev, plane);
        if (e != NULL && found != NULL)
            return NULL;
        found = e != NULL ? e : found;
    }
    return found;
}

/* Doubles the table, from a small one on: most flows use few EVs, and there may be many flows. */
static bool grow(struct path_model *m)
{
    struct path_model wider = {.cap = m->cap != 0 ? 2 * m->cap : PATH_EVS_FIRST};
    wider.evs = calloc(wider.cap, sizeof *wider.evs);
    if (wider.evs == NULL)
        return false;
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->evs[i].used)
            wider.evs[slot_of(&wider, m->evs[i].ev, m->evs[i].plane)] = m->evs[i];
    free(m->evs);
    m->evs = wider.evs;
    m->cap = wider.cap;
    return true;
}

static struct path_ev *make(struct path_model *m, uint32_t ev, int plane)
{
    struct path_ev *e = mrct_path_find(m, ev, plane);
    if (e != NULL)
        return e;
    if (2 * m->ev_count >= m->cap && (m->cap == 2 * PATH_EVS || !grow(m))) {
        m->full = true;
        return NULL;
    }
    e = &m->evs[slot_of(m, ev, plane)];
    *e = (struct path_ev){.used = true, .ev = ev, .plane = plane};
    m->ev_count++;
    if (plane >= 0)
        m->evs_on[plane]++;
    return e;
}

/* ---- what is sent ---- */

static void count_ports(const struct look *l, struct path_model *m, int plane)
{
    if (!m->told_ports || l->now_ns <= m->told_ns + l->cfg->reaction_ns)
        return;
    m->since_told++;
    if (plane >= 0)
        m->since_on[plane]++;
}

static void learn_planes(const struct look *l, struct path_model *m)
{
    const struct flow *const f = l->flow;
    const unsigned own = f->from_facts ? planes_of(l->facts, f->fact.host) : 0;
    m->planes = own != 0 && planes_of(l->facts, f->fact.peer_host) == own ? own : 0;
}

static void take_silence(struct look *l, struct path_model *m)
{
    struct path_ev *const e = m->silent;
    if (e == NULL || e->late)
        return;
    e->late = true;
    e->late_probed = false;
    e->late_ns = l->now_ns;
    e->late_frame = l->obs->frame_no;
    e->late_total = m->total;
    m->late_count++;
}

static void take_request(struct look *l, struct path_model *m)
{
    const struct reqr_now *const now = &l->flow->reqr->now;
    const uint32_t ev = l->obs->pkt.ev;
    const int plane = mrct_path_plane(l);
    if (now->class == REQR_NONE || now->class == REQR_TWICE)
        return;
    m->any_again = m->any_again || now->class != REQR_FIRST;
    m->any_loss = m->any_loss || (now->class != REQR_FIRST && now->reason != REQR_REASON_NACK);
    take_silence(l, m);
    struct path_ev *const e = make(m, ev, plane);
    if (m->total++ == 0)
        learn_planes(l, m);
    if (plane < 0)
        m->plane_unknown = true;
    else
        m->total_on[plane]++;
    count_ports(l, m, plane);
    const bool repeats = m->total > 1 && ev == m->last_ev && !m->probe_between;
    m->repeats += repeats;
    if (plane >= 0)
        m->repeats_on[plane] += repeats;
    m->last_ev = ev;
    m->probe_between = false;
    if (e == NULL)
        return;
    e->uses++;
    e->last_use = m->total;
}

static void take_probe(struct look *l, struct path_model *m)
{
    struct path_ev *const e = mrct_path_find(m, l->obs->pkt.ev, mrct_path_plane(l));
    m->probe_between = true;
    if (e == NULL)
        return;
    e->probed = e->probed || e->bad;
    e->late_probed = e->late_probed || e->late;
}

/* Which sending timed out is known only until the request at hand has taken its place. */
static void path_before(struct look *l)
{
    struct path_model *const m = l->flow->path;
    const struct reqr_now *const now = &l->flow->reqr->now;
    m->silent = NULL;
    if (l->kind == KIND_REQUEST && l->to_responder && l->flow->tap == MRCT_TAP_REQUESTOR &&
        now->class == REQR_AGAIN && now->reason == REQR_REASON_SILENCE &&
        !now->old->acked) /* one that arrived is sent again to have its ACK once more */
        m->silent = named(m, now->old->last_ev);
}

/* ---- what is told ---- */

static void begin_watch(struct path_model *m, enum path_sign s)
{
    m->watch[s].begun = true;
    for (uint32_t i = 0; i < m->cap; i++)
        m->evs[i].base[s] = m->evs[i].uses;
}

static void take_sign(struct look *l, struct path_model *m, struct path_ev *e, enum path_sign s)
{
    struct path_watch *const w = &m->watch[s];
    if (e == NULL)
        return;
    e->signs[s]++;
    if (!w->set)
        *w =
            (struct path_watch){.set = true, .ev = e->ev, .plane = e->plane, .first_ns = l->now_ns};
    if (w->ev != e->ev || w->plane != e->plane || l->now_ns <= w->first_ns + l->cfg->reaction_ns)
        return;
    if (!w->begun)
        begin_watch(m, s);
    w->signs++;
    w->until = e->uses;
    w->frame = l->obs->frame_no;
}

static void take_answer(struct path_model *m, struct path_ev *e, uint8_t mark)
{
    if (e != NULL && e->late && e->late_probed && mark != MRC_M_ALWAYS_SKIP) {
        e->late = false;
        m->late_count--;
    }
    if (e == NULL || !e->bad || !e->probed || mark == MRC_M_ALWAYS_SKIP)
        return;
    e->bad = false;
    m->bad_count--;
    m->restored++;
}

static void note_answer(const struct look *l, struct path_model *m, struct path_ev *e)
{
    if (l->obs->pkt.seth.m == MRC_M_ALWAYS_SKIP)
        return; /* it brings nothing back */
    m->answers[m->answer_count++ % PATH_ANSWERS] =
        (struct path_answer){.ev = l->obs->pkt.seth.entropy, .ns = l->now_ns};
    if (e != NULL)
        e->answered_ns = l->now_ns;
}

static void take_sack(struct look *l, struct path_model *m)
{
    const struct mrc_seth *const s = &l->obs->pkt.seth;
    struct path_ev *const e = named(m, s->entropy);
    if (s->pr) {
        note_answer(l, m, e);
        take_answer(m, e, s->m);
        return;
    }
    m->any_mark = m->any_mark || s->m == MRC_M_SKIP_ONCE;
    m->any_always = m->any_always || s->m == MRC_M_ALWAYS_SKIP;
    if (s->m == MRC_M_SKIP_ONCE)
        take_sign(l, m, e, PATH_MARK);
    if (s->m != MRC_M_ALWAYS_SKIP || e == NULL || e->bad)
        return;
    e->bad = true;
    e->probed = false;
    e->bad_ns = l->now_ns;
    e->bad_frame = l->obs->frame_no;
    m->bad_count++;
}

static void take_nack(struct look *l, struct path_model *m)
{
    const struct mrc_neth *const n = &l->obs->pkt.neth;
    struct path_ev *const e = named(m, n->entropy);
    m->any_nack = true;
    if (n->nack_reason == MRC_NACK_TRIMMED) {
        m->any_trim = true;
        take_sign(l, m, e, PATH_TRIM);
    } else if (e != NULL && n->nack_reason != MRC_NACK_UNEXP_EVENT && e->named_frame == 0) {
        e->named_at = m->total;
        e->named_frame = l->obs->frame_no;
    }
}

static struct path_denied *find_denied(struct path_model *m, uint32_t ev, int plane)
{
    for (unsigned i = 0; i < m->denied_count; i++)
        if (m->denied[i].ev == ev && m->denied[i].plane == plane)
            return &m->denied[i];
    return NULL;
}

/* A QP may share the state with others of its host (Q25): what one is allowed all may use. */
static void take_allowed(struct look *l)
{
    for (size_t i = 0; i < l->o->flow_count; i++) {
        const struct flow *const f = l->o->flows[i];
        if (f->path == NULL || strcmp(f->requestor, l->flow->requestor) != 0)
            continue;
        struct path_denied *const d = find_denied(f->path, l->ev->ev, l->ev->plane);
        if (d != NULL)
            *d = f->path->denied[--f->path->denied_count];
    }
}

static void take_denied(struct look *l, struct path_model *m)
{
    if (find_denied(m, l->ev->ev, l->ev->plane) == NULL && m->denied_count < PATH_DENIED)
        m->denied[m->denied_count++] =
            (struct path_denied){.ev = l->ev->ev, .plane = l->ev->plane, .ns = l->now_ns};
}

static void take_own_port(struct look *l, struct path_model *m)
{
    const uint32_t bit = (unsigned)l->ev->plane < PATH_PLANES ? UINT32_C(1) << l->ev->plane : 0;
    m->own_down = l->ev->ok ? m->own_down & ~bit : m->own_down | bit;
}

/* What its controller asks of EVs, and its own ports, move EVs out of the rotation, too. */
static void path_event(struct look *l)
{
    struct path_model *const m = l->flow->path;
    if (!l->ev_at_requestor)
        return;
    if (l->ev->kind == MRCT_EVENT_PORT)
        take_own_port(l, m);
    else if (l->ev->kind == MRCT_EVENT_EV_STATE && l->ev->ok)
        take_allowed(l);
    else if (l->ev->kind == MRCT_EVENT_EV_STATE)
        take_denied(l, m);
    else
        return;
    m->controlled = true;
}

bool mrct_path_shares(const struct look *l, const struct flow *f)
{
    return f == l->flow || (mrct_look_reading(l, 25) == 'b' && f->path != NULL &&
                            strcmp(f->requestor, l->flow->requestor) == 0);
}

static void path_after(struct look *l)
{
    struct path_model *const m = l->flow->path;
    if (l->icrc_bad || l->flow->tap != MRCT_TAP_REQUESTOR)
        return;
    if (l->kind == KIND_REQUEST && l->to_responder)
        take_request(l, m);
    else if (l->kind == KIND_PROBE && l->to_responder)
        take_probe(l, m);
    else if (l->kind == KIND_SACK)
        take_sack(l, m);
    else if (l->kind == KIND_NACK)
        take_nack(l, m);
}

const struct model_ops mrct_path_model = {.init = path_init,
                                          .fini = path_fini,
                                          .before = path_before,
                                          .after = path_after,
                                          .on_event = path_event};

/* ---- ports, which a node tells of for all its QPs ---- */

static int none_init(struct mrct_oracle *o, struct flow *f)
{
    (void)o;
    (void)f;
    return 0;
}

static void none_fini(struct flow *f)
{
    (void)f;
}

/* Port 1 is bit 0 or bit 1 (Q10): down is what is down either way. */
static uint32_t down_of(uint32_t mask)
{
    return ~(mask | mask >> 1) & ((UINT32_C(1) << PATH_PLANES) - 1);
}

static void tell(struct look *l, struct path_model *m, uint32_t down)
{
    if (m->told_ports && m->down == down)
        return;
    m->was_down |= m->told_ports ? m->down : 0;
    m->told_ports = true;
    m->down = down;
    m->told_ns = l->now_ns;
    m->told_frame = l->obs->frame_no;
    m->since_told = 0;
    memset(m->since_on, 0, sizeof m->since_on);
}

static bool goes(const struct flow *f, const char *from, const char *to)
{
    return strcmp(f->requestor, from) == 0 && strcmp(f->responder, to) == 0;
}

static void ports_after(struct look *l)
{
    const struct flow *const node = l->flow;
    if (l->kind != KIND_EP_REQUEST || l->icrc_bad || l->obs->pkt.erth.op != MRC_EP_OP_PORT_STATUS)
        return;
    for (size_t i = 0; i < l->o->flow_count; i++) {
        struct flow *const f = l->o->flows[i];
        if (f->path != NULL && goes(f, node->requestor, node->responder))
            f->path->told_own_ns = l->now_ns;
        if (f->is_node || !goes(f, node->responder, node->requestor))
            continue;
        if (f->path != NULL)
            tell(l, f->path, down_of(l->obs->pkt.erth.port_status_mask));
        if (f->resp != NULL)
            f->resp->port_ns = l->now_ns;
    }
}

const struct model_ops mrct_ports_model = {
    .of_nodes = true, .init = none_init, .fini = none_fini, .after = ports_after};
