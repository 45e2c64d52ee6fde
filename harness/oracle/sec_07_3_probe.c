/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 7.3: Reliability Probes and their SACKs; Endpoint Requests and their Responses. */
#include "harness/oracle/resp.h"
#include <stdlib.h>

/* ---- Reliability Probes ---- */

#define PROBE_WORDS "no SACK for a Reliability Probe"

/* REQ-7.3-01 */
static void probe_answered(struct look *l)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, DUTY_PROBE, false, PROBE_WORDS);
}

static void probe_answered_end(struct look *l)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, DUTY_PROBE, true, PROBE_WORDS);
}

/* REQ-7.3-02 */
static void probe_id(struct look *l)
{
    const struct resp_view *const v = &l->flow->resp->view;
    if (!l->obs->pkt.seth.pr)
        return;
    if (v->trigger != NULL)
        mrct_look_pass(l);
    else if (v->forgotten)
        mrct_look_unsure(l, "the probe may have come too long ago");
    else
        mrct_look_fail(l, "probe_id %u, of which no probe came", l->obs->pkt.seth.probe_id);
}

/* ---- REQ-7.3-08 .. 10: what the SACK says of its probe ---- */

/* The probe, where the id names just one. */
static const struct arrival *sure_probe(const struct look *l)
{
    const struct resp_view *const v = &l->flow->resp->view;
    if (!l->obs->pkt.seth.pr || !mrct_look_can_decide(l) || v->many)
        return NULL;
    return v->trigger;
}

static void fail_with_probe(struct look *l, const struct arrival *a, const char *what,
                            uint32_t said, uint32_t expected)
{
    const uint64_t frames[2] = {l->obs->frame_no, a->frame_no};
    mrct_look_fail_at(l, frames, 2, "%s is 0x%x, for a probe with 0x%x", what, said, expected);
}

static void probe_entropy(struct look *l)
{
    const struct arrival *const a = sure_probe(l);
    if (a == NULL)
        return;
    if (l->flow->resp->view.ev_ok)
        mrct_look_pass(l);
    else
        fail_with_probe(l, a, "the entropy", l->obs->pkt.seth.entropy, a->ev);
}

static void probe_timestamp(struct look *l)
{
    const struct arrival *const a = sure_probe(l);
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (a == NULL || !MRC_PKT_HAS(p, CC_STATE) || p->seth.cc_type != 0)
        return;
    switch (mrct_resp_time_echo(l, a, p->cc_state.tx_timestamp)) {
    case TIME_ECHO_OK:
        mrct_look_pass(l);
        return;
    case TIME_ECHO_UNSURE:
        mrct_look_missing(l, "svc_time");
        return;
    case TIME_ECHO_WRONG:
        fail_with_probe(l, a, "the timestamp", p->cc_state.tx_timestamp, a->ts);
        return;
    }
}

static void probe_mark(struct look *l)
{
    const struct arrival *const a = sure_probe(l);
    const uint8_t m = l->obs->pkt.seth.m;
    if (a == NULL || !a->ce)
        return;
    if (m == MRC_M_SKIP_ONCE || m == MRC_M_ALWAYS_SKIP)
        mrct_look_pass(l);
    else
        fail_with_probe(l, a, "M", m, MRC_M_SKIP_ONCE);
}

/* ---- Endpoint Requests: which are open, by id ---- */

#define NODE_REQUESTS 1024u /* power of two; low and high bits of the id choose the slot */

#define NODE_REPEATS 16u /* timestamps kept of a request that is repeated with its id */

struct node_request {
    bool used;
    uint16_t id;
    uint16_t ts[NODE_REPEATS]; /* a ring; the newest is the last of `count` */
    uint32_t count;
    uint8_t op;
    uint64_t frame_no;
};
struct node_model {
    struct node_request requests[NODE_REQUESTS];
};

/* Devices count probes and updates apart, each from a round number on. */
static unsigned slot_of(uint16_t id)
{
    return (id ^ (unsigned)id >> 6) & (NODE_REQUESTS - 1);
}

static int node_init(struct mrct_oracle *o, struct flow *f)
{
    (void)o;
    f->node = calloc(1, sizeof(*f->node));
    return f->node != NULL ? 0 : -1;
}

static void node_fini(struct flow *f)
{
    free(f->node);
    f->node = NULL;
}

static void node_after(struct look *l)
{
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (l->kind != KIND_EP_REQUEST || l->icrc_bad)
        return;
    const uint16_t id = (uint16_t)(p->bth.psn & 0xFFFFu);
    struct node_request *const r = &l->flow->node->requests[slot_of(id)];
    if (!r->used || r->id != id || r->op != p->erth.op)
        *r = (struct node_request){.used = true, .id = id, .op = p->erth.op};
    r->ts[r->count++ % NODE_REPEATS] = p->erth.tx_timestamp;
    r->frame_no = l->obs->frame_no;
}

const struct model_ops mrct_node_model = {
    .of_nodes = true, .init = node_init, .fini = node_fini, .after = node_after};

static const struct node_request *request_of(const struct look *l)
{
    const uint16_t id = (uint16_t)(l->obs->pkt.bth.psn & 0xFFFFu);
    const struct node_request *const r = &l->flow->node->requests[slot_of(id)];
    return r->used && r->id == id ? r : NULL;
}

static bool has_id(const struct due *d, const void *arg)
{
    return d->a == *(const uint64_t *)arg;
}

/* One to a data QP is nobody's to answer. */
static bool is_to_node(const struct look *l)
{
    return l->obs->pkt.bth.dest_qp == 2;
}

/* REQ-7.3-03 */
static void ev_probe_answered(struct look *l)
{
    const uint64_t id = l->obs->pkt.bth.psn & 0xFFFFu;
    if (!mrct_look_can_decide(l))
        return;
    if (l->kind == KIND_EP_REQUEST) {
        if (l->obs->pkt.erth.op == MRC_EP_OP_EV_PROBE && is_to_node(l))
            mrct_look_due(l, mrct_look_reaction(l), id, 0);
        return;
    }
    for (unsigned n = mrct_look_due_drop(l, has_id, &id); n > 0; n--)
        mrct_look_pass(l);
}

static void ev_probe_overdue(struct look *l, const struct due *d)
{
    mrct_look_fail(l, "no Endpoint Response to the EV Probe with id %u", (unsigned)d->a);
}

/* REQ-7.3-07 */
static void port_status_answered(struct look *l)
{
    const uint64_t id = l->obs->pkt.bth.psn & 0xFFFFu;
    if (!mrct_look_can_decide(l))
        return;
    if (l->kind == KIND_EP_REQUEST) {
        if (l->obs->pkt.erth.op == MRC_EP_OP_PORT_STATUS && is_to_node(l))
            mrct_look_due(l, mrct_look_reaction(l), id, 0);
        return;
    }
    for (unsigned n = mrct_look_due_drop(l, has_id, &id); n > 0; n--)
        mrct_look_pass(l);
}

static void port_status_overdue(struct look *l, const struct due *d)
{
    mrct_look_fail(l, "no Endpoint Response to the Port Status Update with id %u", (unsigned)d->a);
}

/* REQ-7.3-06: under either reading of Q5 the operation stands in one of two places. */
static void response_op(struct look *l)
{
    const struct node_request *const r = request_of(l);
    const struct mrc_eeth *const e = &l->obs->pkt.eeth;
    if (!mrct_look_can_decide(l) || r == NULL || e->op > MRC_EP_OP_EV_PROBE)
        return;
    const uint8_t other = e->rsvd0 & 3u;
    if (e->op == r->op)
        mrct_look_pass(l);
    else if (other == r->op)
        mrct_look_fail(l, "operation %u stands where the other reading of Q5 has it", r->op);
    else
        mrct_look_fail_any_reading(l, "operation %u in the response to a request of operation %u",
                                   e->op, r->op);
}

static bool was_sent_with(const struct node_request *r, uint16_t ts)
{
    for (uint32_t i = 0; i < r->count && i < NODE_REPEATS; i++)
        if (r->ts[i] == ts)
            return true;
    return false;
}

/* REQ-7.3-04: of any of the sendings of a request that is repeated until it is answered. */
static void endpoint_timestamp(struct look *l)
{
    const struct node_request *const r = request_of(l);
    if (!mrct_look_can_decide(l) || r == NULL)
        return;
    if (was_sent_with(r, l->obs->pkt.eeth.tx_timestamp)) {
        mrct_look_pass(l);
        return;
    }
    if (r->count > NODE_REPEATS) {
        mrct_look_unsure(l, "the request was repeated more often than is followed");
        return;
    }
    const uint64_t frames[2] = {l->obs->frame_no, r->frame_no};
    mrct_look_fail_at(l, frames, 2, "timestamp %u for a request of timestamp %u",
                      l->obs->pkt.eeth.tx_timestamp, r->ts[r->count - 1]);
}

/* REQ-7.3-05 */
static void endpoint_provoked(struct look *l)
{
    if (!mrct_look_can_decide(l))
        return;
    const uint16_t id = (uint16_t)(l->obs->pkt.bth.psn & 0xFFFFu);
    const struct node_request *const r = &l->flow->node->requests[slot_of(id)];
    if (request_of(l) != NULL)
        mrct_look_pass(l);
    else if (r->used)
        mrct_look_unsure(l, "the request with id %u may have come too long ago", id);
    else
        mrct_look_fail(l, "Endpoint Response with id %u, of which no request came", id);
}

static const struct check checks[] = {
    CHECK_ROW("probe-id-echoed", "REQ-7.3-02", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = probe_id),
    CHECK_ROW("probe-answered", "REQ-7.3-01", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = probe_answered, .on_end = probe_answered_end),
    CHECK_ROW("probe-entropy-reflected", "REQ-7.3-08", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = probe_entropy),
    CHECK_ROW("probe-timestamp-reflected", "REQ-7.3-09", SCOPE_FLOW, WANT(KIND_SACK),
              CHECK_NEEDS_COMPLETE, .on_frame = probe_timestamp),
    CHECK_ROW("probe-m-on-ce", "REQ-7.3-10", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = probe_mark),
    CHECK_ROW("endpoint-response-op", "REQ-7.3-06", SCOPE_NODE, WANT(KIND_EP_RESPONSE),
              CHECK_NEEDS_COMPLETE, .on_frame = response_op),
    CHECK_ROW("port-status-answered", "REQ-7.3-07", SCOPE_NODE,
              WANT(KIND_EP_REQUEST) | WANT(KIND_EP_RESPONSE), CHECK_NEEDS_COMPLETE,
              .on_frame = port_status_answered, .on_due = port_status_overdue),
    CHECK_ROW("ev-probe-answered", "REQ-7.3-03", SCOPE_NODE,
              WANT(KIND_EP_REQUEST) | WANT(KIND_EP_RESPONSE), CHECK_NEEDS_COMPLETE,
              .on_frame = ev_probe_answered, .on_due = ev_probe_overdue),
    CHECK_ROW("endpoint-timestamp-reflected", "REQ-7.3-04", SCOPE_NODE, WANT(KIND_EP_RESPONSE),
              CHECK_NEEDS_COMPLETE, .on_frame = endpoint_timestamp),
    CHECK_ROW("endpoint-response-provoked", "REQ-7.3-05", SCOPE_NODE, WANT(KIND_EP_RESPONSE),
              CHECK_NEEDS_COMPLETE, .on_frame = endpoint_provoked),
};

const struct check_table mrct_checks_sec_07_3_probe = CHECK_TABLE(checks);
