/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/oracle/gaps.h"
#include "harness/oracle/core.h"
#include "harness/oracle/reqr.h"
#include <stdlib.h>

#define UNIT_BYTES   256u /* of rcvd_bytes */
#define MANY_MIN     3u   /* unseen PSNs that are believed even if no count of bytes speaks */
#define ONE_SIDE_MIN 8u   /* frames of one direction before the other's silence means something */

static int init(struct mrct_oracle *o, struct flow *f)
{
    (void)o;
    f->gaps = calloc(1, sizeof(*f->gaps));
    return f->gaps != NULL ? 0 : -1;
}

static void fini(struct flow *f)
{
    free(f->gaps);
    f->gaps = NULL;
}

/* No packet of it came, whole or broken. */
static bool unseen(const struct resp_model *m, resp_psn psn)
{
    const struct psn_info *const i = mrct_resp_psn(m, psn);
    return mrct_resp_arrived(m, psn) == RESP_NEVER && (i == NULL || i->causes == 0);
}

static void claim(struct gap_model *g, resp_psn psn, uint64_t frame)
{
    for (unsigned i = 0; i < g->count; i++)
        if (g->claimed[i] == psn)
            return;
    if (g->count == GAPS_CLAIMS) {
        g->full = true;
        return;
    }
    g->claimed[g->count] = psn;
    g->frames[g->count++] = frame;
}

static void claim_cumulative(struct gap_model *g, const struct resp_model *m, uint64_t frame)
{
    for (resp_psn p = m->now.cack + 1; p <= m->view.cack && !g->full; p++)
        if (unseen(m, p))
            claim(g, p, frame);
}

/* A SACK shows no more bytes than had come before it, by the default reading of Q12. */
static bool counts_more(const struct resp_model *m, const struct mrc_pkt *p)
{
    const uint32_t most = (uint32_t)((m->now.total[0] + UNIT_BYTES - 1) / UNIT_BYTES);
    return MRC_PKT_HAS(p, CC_STATE) && p->seth.cc_type == 0 &&
           (int32_t)((p->cc_state.rcvd_bytes - most) << 8) > 0;
}

/* A later SACK takes a claim back: its bit is 0, or cack stops right before it. */
static bool takes_back(const struct resp_model *m, const struct mrc_seth *s, resp_psn psn)
{
    const resp_psn bit = psn - (m->view.cack + s->sack_offset);
    return psn == m->view.cack + 1 || (psn > m->view.cack && s->sack_bitmap != 0 && bit >= 0 &&
                                       bit < 64 && ((s->sack_bitmap >> bit) & 1u) == 0);
}

static void retract(struct gap_model *g, const struct resp_model *m, const struct mrc_seth *s)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < g->count; i++) {
        if (takes_back(m, s, g->claimed[i]))
            continue;
        g->claimed[kept] = g->claimed[i];
        g->frames[kept++] = g->frames[i];
    }
    g->count = kept;
}

/* Something of that PSN came, trimmed for instance, or there would be no answer to it. */
static void note_named(struct look *l)
{
    struct gap_model *const g = l->flow->gaps;
    const struct resp_view *const v = &l->flow->resp->view;
    if (l->flow->tap != MRCT_TAP_RESPONDER || v->trigger != NULL || v->forgotten ||
        g->named_count == GAPS_CLAIMS)
        return;
    g->named[g->named_count] = v->trigger_psn;
    g->named_frames[g->named_count++] = l->obs->frame_no;
}

static void after(struct look *l)
{
    struct gap_model *const g = l->flow->gaps;
    const struct resp_model *const m = l->flow->resp;
    if (l->to_responder) {
        g->requests++;
        return;
    }
    g->controls++;
    if (l->icrc_bad || m == NULL)
        return;
    if (l->kind == KIND_NACK || (l->kind == KIND_SACK && !l->obs->pkt.seth.pr))
        note_named(l);
    if (!m->synced || m->dead)
        return;
    if (l->kind == KIND_SACK) {
        retract(g, m, &l->obs->pkt.seth);
        g->more_counted |= counts_more(m, &l->obs->pkt);
    }
    if (m->view.cack_beyond)
        claim_cumulative(g, m, l->obs->frame_no);
    if (m->view.false_psn != 0)
        claim(g, m->view.false_psn, l->obs->frame_no);
}

const struct model_ops mrct_gap_model = {.init = init, .fini = fini, .after = after};

/* ---- at the end ---- */

/*
 * Whether a PSN that was called arrived and never seen was in truth sent. At the requestor's tap it
 * was when later ones were: both ends agree on it. Elsewhere, or beyond the last one seen, only the
 * responder's count of bytes can say so, or that there are several such PSNs.
 */
static bool existed(const struct flow *f, resp_psn psn, unsigned n)
{
    if (f->tap == MRCT_TAP_REQUESTOR && psn < f->resp->highest_sent)
        return true;
    return f->gaps->more_counted || (f->tap != MRCT_TAP_REQUESTOR && n >= MANY_MIN);
}

/* Where the first PSN is not known the responder's state is not either; the requestor's own tap
 * still knows which of the PSNs it passed over were acknowledged. */
static void sum_up_unsynced(const struct flow *f, struct mrct_gaps *sum)
{
    const struct reqr_model *const m = f->reqr;
    if (f->resp->synced || f->tap != MRCT_TAP_REQUESTOR || m->acked_unseen == 0)
        return;
    sum->missing += m->acked_unseen;
    if (sum->frame == 0 || m->acked_unseen_frame < sum->frame)
        sum->frame = m->acked_unseen_frame;
}

/* A first sending that comes later shows that there was none before: whoever named it lied. */
static bool was_first_sent_later(const struct resp_model *m, uint32_t psn)
{
    struct arrival_walk w = mrct_resp_walk(m, psn);
    for (const struct arrival *a; (a = mrct_resp_walk_next(m, &w)) != NULL;)
        if (!a->rtx)
            return true;
    return false;
}

static void sum_up_named(const struct flow *f, struct mrct_gaps *sum)
{
    const struct gap_model *const g = f->gaps;
    for (unsigned i = 0; i < g->named_count; i++) {
        if (was_first_sent_later(f->resp, g->named[i]))
            continue;
        sum->missing++;
        if (sum->frame == 0 || g->named_frames[i] < sum->frame)
            sum->frame = g->named_frames[i];
    }
}

static void sum_up(const struct flow *f, struct mrct_gaps *sum)
{
    const struct gap_model *const g = f->gaps;
    unsigned n = 0;
    sum_up_unsynced(f, sum);
    sum_up_named(f, sum);
    for (unsigned i = 0; i < g->count; i++)
        n += unseen(f->resp, g->claimed[i]);
    for (unsigned i = 0; i < g->count; i++) {
        if (!unseen(f->resp, g->claimed[i]) || !existed(f, g->claimed[i], n))
            continue;
        sum->missing++;
        sum->more |= g->full;
        if (sum->frame == 0 || g->frames[i] < sum->frame)
            sum->frame = g->frames[i];
    }
}

void mrct_oracle_gaps(const struct mrct_oracle *o, struct mrct_gaps *sum)
{
    *sum = (struct mrct_gaps){0};
    for (size_t i = 0; i < o->flow_count; i++) {
        const struct flow *const f = o->flows[i];
        if (f->is_node || f->gaps == NULL)
            continue;
        const struct gap_model *const g = f->gaps;
        sum->flows += g->requests + g->controls > 0 ? 1 : 0;
        sum->one_sided += (g->requests == 0 && g->controls >= ONE_SIDE_MIN) ||
                                  (g->controls == 0 && g->requests >= ONE_SIDE_MIN)
                              ? 1
                              : 0;
        sum_up(f, sum);
    }
    sum->cut = o->cut;
    sum->unpaired = o->unpaired;
}
