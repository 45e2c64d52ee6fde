/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 6.2, how far a requestor may go, and what it tells its application. */
#include "harness/oracle/reqr.h"
#include "ref/endpoint/mrc_ep.h"

/* What cannot be judged of the window, said; true when nothing can. */
static bool window_unknown(struct look *l, const struct reqr_model *m)
{
    if (m->mpr == MRCT_UNKNOWN) {
        mrct_look_missing(l, "mpr");
        return true;
    }
    if (!m->heard && l->flow->fact.start_psn == MRCT_UNKNOWN) {
        mrct_look_missing(l, "start_psn");
        return true;
    }
    return false;
}

static bool sends(const struct reqr_model *m)
{
    return m != NULL && m->now.class != REQR_NONE;
}

/* Without any word from the responder its words may be what the capture lacks. */
static void judge_edge(struct look *l, const struct reqr_model *m)
{
    const uint32_t psn = l->obs->pkt.bth.psn;
    uint32_t edge;
    if (!mrct_reqr_edge(l, &edge))
        return;
    if (mrc_psn_diff(psn, edge) < 0) {
        mrct_look_pass(l);
        return;
    }
    if (!m->heard) {
        mrct_look_unsure(l, "PSN %u is beyond the window, but no SACK or ACK was seen at all", psn);
        return;
    }
    if (m->mpr_ns != 0 && l->flow->fact.dynamic_mpr == MRCT_UNKNOWN) {
        mrct_look_missing(l, "dynamic_mpr"); /* who did not agree to it pays no heed to it */
        return;
    }
    if (mrct_reqr_unsure(l))
        return;
    mrct_look_fail(l, "PSN %u is beyond %u, the edge of a window of %u PSNs above %u", psn,
                   mrc_psn_add(edge, -1), 128u * (unsigned)m->mpr, m->cack);
}

static bool is_dynamic(const struct look *l, const struct reqr_model *m)
{
    const int fact = l->flow->fact.dynamic_mpr;
    return fact == MRCT_UNKNOWN ? m->mpr_ns != 0 : fact == 1;
}

static void within_mpr(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!sends(m) || is_dynamic(l, m) || window_unknown(l, m))
        return;
    judge_edge(l, m);
}

/* On a shrink retransmissions beyond the edge wait, which new requests must too. */
static void within_dynamic_mpr(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!sends(m) || !is_dynamic(l, m) || m->now.class != REQR_FIRST || window_unknown(l, m))
        return;
    judge_edge(l, m);
}

/* Only a window that was told smaller can lie below what was sent before. */
static void rtx_waits_for_window(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (!sends(m) || m->now.class != REQR_AGAIN || !is_dynamic(l, m) || m->mpr_ns == 0 ||
        window_unknown(l, m))
        return;
    judge_edge(l, m);
}

static void wimm_limit(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const int max = l->flow->fact.max_wimm;
    if (m == NULL || m->now.class != REQR_FIRST || !mrct_op_has_imm(l->obs->pkt.bth.opcode))
        return;
    if (max == MRCT_UNKNOWN) {
        mrct_look_missing(l, "max_wimm");
        return;
    }
    if (max >= (int)REQR_WIMM_MAX || m->wimm_count + 1 <= (unsigned)max) {
        mrct_look_pass(l);
        return;
    }
    if (!m->heard)
        mrct_look_unsure(l, "no SACK or ACK was seen at all");
    else if (!mrct_reqr_unsure(l))
        mrct_look_fail(l, "this is the %uth WriteImm in flight, the responder tracks %d",
                       m->wimm_count + 1, max);
}

/* ---- what the application sees ---- */

static bool posted_differently(const struct reqr_post *p, const struct reqr_msg *g, bool has_imm,
                               uint32_t imm)
{
    return p->va != g->va || p->rkey != g->rkey || p->len_bytes != g->dma_len ||
           p->has_imm != has_imm || (has_imm && p->imm != imm);
}

/* The state before the packet at hand holds the message, but for an Only packet's own. */
static struct reqr_msg message_of(const struct reqr_model *m, const struct mrc_pkt *k)
{
    if (m->now.goes_on)
        return m->msg;
    return (struct reqr_msg){.known = true,
                             .whole = mrct_op_starts(k->bth.opcode),
                             .va = k->reth.va,
                             .rkey = k->reth.rkey,
                             .dma_len = k->reth.dma_len};
}

static void messages_as_posted(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const struct mrc_pkt *const k = &l->obs->pkt;
    if (!l->cfg->have_events || m == NULL || m->now.class != REQR_FIRST ||
        !mrct_op_ends(k->bth.opcode) || m->posts_lost || m->missing || l->icrc_bad)
        return;
    const struct reqr_msg g = message_of(m, k);
    if (!g.whole)
        return;
    if (m->post_unsent == 0) {
        if (m->posts != NULL)
            mrct_look_fail(l, "a message is sent that was not posted");
        return;
    }
    const unsigned i = m->post_head + m->post_count - m->post_unsent;
    const struct reqr_post *const p = &m->posts[i % REQR_POSTS_MAX];
    if (posted_differently(p, &g, mrct_op_has_imm(k->bth.opcode), k->immdt.imm))
        mrct_look_fail(l,
                       "VA 0x%llx, key 0x%X, length %u; posted were VA 0x%llx, key 0x%X, length "
                       "%u, %s",
                       (unsigned long long)g.va, g.rkey, g.dma_len, (unsigned long long)p->va,
                       p->rkey, p->len_bytes, p->has_imm ? "immediate data" : "no immediate data");
    else
        mrct_look_pass(l);
}

static bool acknowledged(const struct reqr_model *m, const struct reqr_post *p)
{
    return m->have_ack && p->sent && mrc_psn_diff(m->ack_psn, p->last_psn) >= 0;
}

static void completion_after_ack(struct look *l)
{
    struct reqr_model *const m = l->flow->reqr;
    if (!l->ev_at_requestor || l->ev->kind != MRCT_EVENT_SEND_DONE || m == NULL)
        return;
    const struct reqr_post *const p = mrct_reqr_post(m, l->ev->wr_id);
    if (p != NULL && l->ev->status == MRC_WC_SUCCESS && l->flow->tap == MRCT_TAP_REQUESTOR &&
        !m->missing) {
        if (acknowledged(m, p))
            mrct_look_pass(l);
        else if (p->sent)
            mrct_look_fail_at(l, NULL, 0,
                              "write %llu is reported as done; no transport ACK covers PSN %u",
                              (unsigned long long)l->ev->wr_id, p->last_psn);
        else
            mrct_look_fail_at(l, NULL, 0, "write %llu is reported as done before it was sent",
                              (unsigned long long)l->ev->wr_id);
    }
}

#define FLOW(check_, req, fn)                                                                      \
    {                                                                                              \
        .name = (check_), .requirement = (req), .scope = SCOPE_FLOW, .want = WANT(KIND_REQUEST),   \
        .flags = CHECK_SEES_BAD_ICRC, .on_frame = (fn), CHECK_HERE                                 \
    }

static const struct check rows[] = {
    FLOW("within-mpr", "REQ-6.2-03", within_mpr),
    FLOW("within-dynamic-mpr", "REQ-6.2-04", within_dynamic_mpr),
    FLOW("rtx-waits-for-window", "REQ-6.2-20", rtx_waits_for_window),
    FLOW("wimm-limit", "REQ-6.2-13", wimm_limit),
    FLOW("messages-as-posted", "REQ-6.2-14", messages_as_posted),
    {.name = "completion-after-ack",
     .requirement = "REQ-6.2-15",
     .scope = SCOPE_FLOW,
     .on_event = completion_after_ack,
     CHECK_HERE},
};
const struct check_table mrct_checks_sec_06_2_window = CHECK_TABLE(rows);
