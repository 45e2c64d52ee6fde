/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/oracle/lane.h"
#include "harness/oracle/app.h"
#include "harness/oracle/path.h"
#include "harness/trace/capture.h"
#include <stdlib.h>
#include <string.h>

/*
 * Steady checks. What they say of a plain request (is_plain) rests on its header as far as that is
 * the same in all that are like it, on the facts, on where the tap is, and on the state of the flow
 * that calm_of() tells.
 */
static const char *const steady[] = {
    /* one frame alone */
    "opcode-listed",
    "tver-zero",
    "headers-complete",
    "udp-length-fits",
    "udp-length-covers",
    "pad-within-payload",
    "pad-to-four",
    "first-middle-full-mtu",
    "only-length-matches",
    "last-only-length-bounded",
    "first-length-exceeds-payload",
    "icrc-correct",
    "icrc-srv6-inner",
    "bth-reserved-zero",
    "tseth-ftype-one",
    "tseth-reserved-zero",
    "message-not-empty",
    "dest-qp-agreed",
    "request-dscp",
    "rtx-dscp",
    "request-ect",
    "request-not-marked",
    "no-trimmed-class",
    "flow-label-high-zero",
    /* what goes on in order: CALM needs no more than the class of the request */
    "psn-consecutive",
    "psn-starts-as-agreed",
    "message-order",
    "va-advances",
    "dma-length-constant",
    "rkey-constant",
    "message-length-adds-up",
    "msn-constant",
    "msn-counts",
    "rqmsn-constant",
    "rqmsn-counts",
    "wimm-limit",
    "messages-as-posted",
    "probe-takes-no-psn",
    "ack-request-before-idle",
    /* what is no retransmission */
    "rtx-set",
    "rtx-clear-on-first",
    "rtx-same-headers",
    "rtx-same-payload",
    "rtx-avoids-nacked-ev",
    "rtx-fresh-timestamp",
    "hole-retransmitted",
    "selective-retransmission",
    "nack-retransmitted",
    "timeout-linear",
    "timeout-exponential",
    "retry-limit",
    "retries-begin-anew",
    "rtx-waits-for-window",
    /* the window, by what is known of it */
    "within-mpr",
    "within-dynamic-mpr",
    /* errors, events, penalties and withdrawn EVs, of which a calm flow has none */
    "unexp-event-fatal",
    "no-request-after-nak",
    "no-request-after-error",
    "silent-in-error",
    "penalty-obeyed",
    "bad-ev-not-used",
    "late-ev-not-used",
    "down-plane-not-used",
    "empty-rq-ends-qp",
    "wimm-excess-naked",
    "wimm-excess-ends-qp",
    "payload-placed",
    "duplicate-not-placed",
    "immediate-not-early",
    /* what is owed, when none of it is over or settled */
    "sack-on-ack-request",
    "sack-on-ce",
    "sack-on-rtx",
    "sack-on-threshold",
    "sack-on-duplicate",
    "transport-ack-due",
    "immediate-once-in-order",
    "old-duplicate-acked",
    "beyond-window-nacked",
    "probe-answered",
    "trimmed-nacked",
    "below-window-not-nacked",
};

bool mrct_lane_is_steady(const struct check *c)
{
    for (size_t i = 0; i < sizeof(steady) / sizeof(steady[0]); i++)
        if (strcmp(c->name, steady[i]) == 0)
            return true;
    return false;
}

/* ---- what is calm, and what is plain ---- */

enum {
    CALM = 1,
    CALM_HEARD = 2,
    CALM_MPR_KNOWN = 4,
    CALM_MPR_SET = 8,
    CALM_MPR_TOLD = 16,
    CALM_SYNCED = 32,
    CALM_DEAD = 64,
    CALM_MURKY = 128,
    CALM_TRIMMED = 256,
};

static uint32_t bit(bool is, uint32_t value)
{
    return is ? value : 0;
}

/* The state that steady checks look at; 0 where something is the matter with the flow. */
static uint32_t calm_of(const struct flow *f)
{
    const struct reqr_model *const q = f->reqr;
    const struct resp_model *const p = f->resp;
    const struct path_model *const e = f->path;
    const struct app_model *const a = f->app;
    if (q->fatal || q->qp_error || q->pen.running || q->probes != 0 || a->nak_counts ||
        a->responder_error || a->excess || e->bad_count != 0 || e->late_count != 0 || e->down != 0)
        return 0;
    return CALM | bit(q->heard, CALM_HEARD) | bit(q->mpr != MRCT_UNKNOWN, CALM_MPR_KNOWN) |
           bit(q->mpr > 0, CALM_MPR_SET) | bit(q->mpr_ns != 0, CALM_MPR_TOLD) |
           bit(p->synced, CALM_SYNCED) | bit(p->dead, CALM_DEAD) |
           bit(p->murky_seq == RESP_NEVER, CALM_MURKY) |
           bit(p->seen[ARRIVAL_TRIMMED] != 0, CALM_TRIMMED);
}

static void look_for_calm(struct mrct_oracle *o, struct flow *f)
{
    f->stirred = false;
    f->stir = o->stir;
    f->calm = calm_of(f);
    f->calm_until_ns = mrct_duty_next_ns(f->resp, o->cfg.reaction_ns);
}

/* A packet that begins a message in its turn. */
static bool begins(const struct reqr_model *m, const struct mrc_pkt *k)
{
    const bool only = k->bth.opcode == MRC_OP_WRITE_ONLY;
    return !m->msg.inside && !m->now.goes_on && m->have_msn &&
           k->meth.msn == (uint16_t)(m->last_msn + 1) &&
           (only ? k->reth.dma_len == k->payload_len : k->reth.dma_len > k->payload_len);
}

/* A packet that goes on with its message as it must. */
static bool continues(const struct reqr_model *m, const struct mrc_pkt *k)
{
    const struct reqr_msg *const g = &m->msg;
    const uint64_t sum = g->sent + k->payload_len;
    return m->now.goes_on && g->whole && k->reth.va == g->va + g->sent &&
           k->reth.dma_len == g->dma_len && k->reth.rkey == g->rkey && k->meth.msn == g->msn &&
           k->meth.rqmsn == g->rqmsn &&
           (mrct_op_ends(k->bth.opcode) ? sum == g->dma_len : sum < g->dma_len);
}

/* A first sending, in order, whole, inside the window, that wakes nothing. */
static bool is_plain(const struct look *l)
{
    const struct flow *const f = l->flow;
    const struct reqr_model *const m = f->reqr;
    const struct mrc_pkt *const k = &l->obs->pkt;
    uint32_t edge;
    if (m->now.class != REQR_FIRST || m->now.gap != 0 || !m->now.in_order || k->reth.dma_len == 0 ||
        l->now_ns > f->calm_until_ns)
        return false;
    if (mrct_op_starts(k->bth.opcode) ? !begins(m, k) : !continues(m, k))
        return false;
    if (mrc_psn_add(m->cack, 1) == k->bth.psn && l->now_ns > m->cack_ns + l->cfg->reaction_ns)
        return false; /* after an idle time */
    return !mrct_reqr_edge(l, &edge) || mrc_psn_diff(k->bth.psn, edge) < 0;
}

/* ---- what the steady checks say ---- */

static void settle(struct lane *n)
{
    for (unsigned i = 0; i < n->add_count && n->times != 0; i++)
        *n->adds[i] += n->times;
    n->times = 0;
}

static bool note_adds(struct lane *n, uint64_t *counter, uint64_t grown)
{
    for (; grown > 0; grown--) {
        if (n->add_count == LANE_ADDS)
            return false;
        n->adds[n->add_count++] = counter;
    }
    return true;
}

/* Shows a frame to all checks of a list, and notes what the steady ones add to which counter. False
 * where they do more than count. */
static bool show_noting(struct look *l, struct lane *n, const struct row_list *list)
{
    struct mrct_oracle *const o = l->o;
    bool ok = true;
    for (size_t i = 0; i < list->count; i++) {
        struct row_list one = {.calls = &list->calls[i], .count = 1};
        const uint32_t row = list->calls[i].row;
        struct mrct_req_result spare = {0};
        struct mrct_req_result *const r =
            o->reqs[row] != NULL ? &o->results[o->result_of[row]] : &spare;
        const struct mrct_req_result was = *r;
        const uint64_t findings = o->findings;
        mrct_rows_show(l, &one);
        if (!list->calls[i].steady)
            continue;
        ok = ok && o->findings == findings && r->failed == was.failed && r->warned == was.warned &&
             note_adds(n, &r->exercised, r->exercised - was.exercised) &&
             note_adds(n, &r->inconclusive, r->inconclusive - was.inconclusive);
    }
    return ok;
}

static void show_and_note(struct look *l, struct lane *n)
{
    struct mrct_oracle *const o = l->o;
    settle(n);
    n->add_count = 0;
    n->came = (uint8_t)l->flow->resp->came;
    const bool frame = show_noting(l, n, &o->by[SCOPE_FRAME][KIND_REQUEST]);
    const bool flow = show_noting(l, n, &o->by[SCOPE_FLOW][KIND_REQUEST]);
    n->calm = frame && flow ? l->flow->calm : 0;
}

static void show_all(struct look *l)
{
    mrct_rows_show(l, &l->o->by[SCOPE_FRAME][KIND_REQUEST]);
    mrct_rows_show(l, &l->o->by[SCOPE_FLOW][KIND_REQUEST]);
}

static void show(struct look *l, struct lane *n)
{
    struct flow *const f = l->flow;
    if (f->stirred || f->stir != l->o->stir)
        look_for_calm(l->o, f);
    if (f->calm == 0 || !is_plain(l)) {
        show_all(l);
        f->stirred = true;
        return;
    }
    if (n->calm != f->calm || n->came != l->flow->resp->came) {
        show_and_note(l, n);
        return;
    }
    n->times++;
    mrct_rows_show(l, &l->o->lively[SCOPE_FRAME]);
    mrct_rows_show(l, &l->o->lively[SCOPE_FLOW]);
}

/* ---- the frames ---- */

/* Where the lane of a frame is, by its QP, addresses and opcode; LANES where it can have none. */
static size_t slot_of(const uint8_t *b, size_t len)
{
    uint32_t qp, src;
    if (len < 14 + 40 + 8 + 12)
        return LANES;
    const unsigned type = (unsigned)b[12] << 8 | b[13];
    const size_t ip = type == MRC_ETHERTYPE_VLAN ? 18 : 14;
    const bool v6 = b[ip] >> 4 == 6;
    const size_t bth = ip + (v6 ? 40 : 20) + 8;
    memcpy(&qp, b + bth + 4, sizeof(qp));
    memcpy(&src, b + ip + (v6 ? 20 : 12), sizeof(src));
    const uint32_t h = (qp ^ src * UINT32_C(0x85EBCA6B) ^ b[bth]) * UINT32_C(0x9E3779B1);
    return h >> 22;
}

const struct mrct_obs *mrct_oracle_quick(struct mrct_oracle *o, const struct mrct_capture_frame *f)
{
    const size_t slot = o->lanes != NULL ? slot_of(f->bytes, f->cap_len) : LANES;
    struct lane *const n = slot < LANES ? o->lanes[slot] : NULL;
    if (n == NULL || !mrc_like_decode(&n->like, &o->cfg.facts->wire, f->bytes, f->cap_len,
                                      f->wire_len, &n->obs.pkt))
        return NULL;
    n->obs.time_ns = f->time_ns;
    n->obs.frame_no = f->frame_no;
    o->frames++;
    if (f->time_ns > o->now_ns)
        o->now_ns = f->time_ns;
    struct flow *const flow = n->flow;
    struct look l = {.o = o,
                     .cfg = &o->cfg,
                     .facts = o->cfg.facts,
                     .flow = flow,
                     .obs = &n->obs,
                     .now_ns = o->now_ns,
                     .kind = KIND_REQUEST,
                     .to_responder = true,
                     .sent_at_tap = n->sent_at_tap,
                     .seen_at_receiver = n->seen_at_receiver,
                     .sender = n->sender};
    flow->frames++;
    mrct_dues_run(o, flow, o->now_ns);
    const struct model_calls *const m = &o->qp_models;
    for (unsigned i = 0; i < m->before_count; i++)
        m->before[i](&l);
    show(&l, n);
    for (unsigned i = 0; i < m->after_count; i++)
        m->after[i](&l);
    flow->have_psn = true;
    flow->last_psn = n->obs.pkt.bth.psn;
    return &n->obs;
}

static struct lane *lane_at(struct mrct_oracle *o, size_t slot)
{
    if (o->lanes == NULL)
        o->lanes = calloc(LANES, sizeof(struct lane *));
    if (o->lanes == NULL)
        return NULL;
    if (o->lanes[slot] == NULL)
        o->lanes[slot] = calloc(1, sizeof(struct lane));
    return o->lanes[slot];
}

void mrct_oracle_remember(struct mrct_oracle *o, const struct mrct_capture_frame *f,
                          const struct mrct_obs *obs)
{
    struct mrc_like like;
    struct flow *const flow = o->paired;
    const size_t slot = slot_of(f->bytes, f->cap_len);
    if (o->cfg.thorough || o->cfg.have_events || flow == NULL || flow->is_node || slot == LANES ||
        obs->err != MRC_WIRE_OK || obs->time_err_ns != 0 || obs->pkt.bth.rtx != 0 ||
        !mrc_like_learn(&like, f->bytes, f->cap_len, f->wire_len, &obs->pkt))
        return;
    struct lane *const n = lane_at(o, slot);
    if (n == NULL)
        return;
    settle(n);
    *n = (struct lane){.like = like,
                       .obs = *obs,
                       .flow = flow,
                       .sent_at_tap = flow->tap == MRCT_TAP_REQUESTOR,
                       .seen_at_receiver = flow->tap == MRCT_TAP_RESPONDER,
                       .sender = flow->requestor};
}

void mrct_lanes_settle(struct mrct_oracle *o)
{
    for (size_t i = 0; i < LANES && o->lanes != NULL; i++)
        if (o->lanes[i] != NULL)
            settle(o->lanes[i]);
}

void mrct_lanes_fini(struct mrct_oracle *o)
{
    for (size_t i = 0; i < LANES && o->lanes != NULL; i++)
        free(o->lanes[i]);
    free(o->lanes);
}
