/* SPDX-License-Identifier: BSD-2-Clause */
/* The requestor's model, messages: which one a first transmission belongs to, and its totals. */
#include "harness/oracle/reqr.h"

bool mrct_op_starts(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_FIRST || opcode == MRC_OP_WRITE_ONLY ||
           opcode == MRC_OP_WRITE_ONLY_IMM;
}

bool mrct_op_ends(uint8_t opcode)
{
    return opcode != MRC_OP_WRITE_FIRST && opcode != MRC_OP_WRITE_MIDDLE;
}

bool mrct_op_has_imm(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST_IMM || opcode == MRC_OP_WRITE_ONLY_IMM;
}

/* Whether the packet is what would have come next had no PSN been passed over. Where that holds no
 * packet was sent in the gap: another packet of this message would have moved the address on,
 * another message the MSN. */
static bool nothing_between(const struct reqr_model *m, const struct mrc_pkt *k)
{
    const struct reqr_msg *const g = &m->msg;
    if (!g->known)
        return false;
    if (!g->inside)
        return mrct_op_starts(k->bth.opcode) && m->have_msn &&
               k->meth.msn == (uint16_t)(m->last_msn + 1);
    return g->whole && !mrct_op_starts(k->bth.opcode) && k->meth.msn == g->msn &&
           k->reth.va == g->va + g->sent;
}

void mrct_reqr_message_before(struct reqr_model *m, const struct look *l)
{
    struct reqr_now *const now = &m->now;
    const struct mrc_pkt *const k = &l->obs->pkt;
    const struct reqr_msg *const g = &m->msg;
    now->gap_proven = now->gap > 0 && nothing_between(m, k);
    now->in_order = g->known && (now->gap == 0 || now->gap_proven);
    /* A packet with the address and MSN that continue the message belongs to it, whatever its
     * opcode says. */
    now->goes_on = now->in_order && g->inside &&
                   (!mrct_op_starts(k->bth.opcode) ||
                    (g->whole && k->meth.msn == g->msn && k->reth.va == g->va + g->sent));
}

static void begin(struct reqr_model *m, const struct look *l)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    m->msg = (struct reqr_msg){.known = true,
                               .inside = true,
                               .whole = mrct_op_starts(k->bth.opcode),
                               .msn = k->meth.msn,
                               .rqmsn = k->meth.rqmsn,
                               .rkey = k->reth.rkey,
                               .dma_len = k->reth.dma_len,
                               .va = k->reth.va,
                               .first_frame = l->obs->frame_no};
    m->have_msn = true;
    m->last_msn = k->meth.msn;
}

static void wimm_sent(struct reqr_model *m, uint32_t psn)
{
    if (m->wimm_count == REQR_WIMM_MAX) { /* beyond what can be counted: forget the oldest */
        m->wimm_head = (m->wimm_head + 1) % REQR_WIMM_MAX;
        m->wimm_count--;
    }
    m->wimm[(m->wimm_head + m->wimm_count) % REQR_WIMM_MAX] = psn;
    m->wimm_count++;
}

static void end(struct reqr_model *m, const struct look *l)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    m->msg.inside = false;
    mrct_reqr_post_sent(m, k->bth.psn);
    if (!mrct_op_has_imm(k->bth.opcode))
        return;
    wimm_sent(m, k->bth.psn);
    /* One deviating packet must not spoil the count for the messages to come. */
    m->last_rqmsn = m->msg.whole ? m->msg.rqmsn : k->meth.rqmsn;
    m->have_rqmsn = true;
}

void mrct_reqr_message(struct reqr_model *m, const struct look *l)
{
    const struct mrc_pkt *const k = &l->obs->pkt;
    const bool lost_track = m->now.gap > 0 && !m->now.gap_proven;
    if (lost_track)
        m->have_rqmsn = false; /* messages with immediate data may have gone unseen */
    if (!m->now.goes_on)
        begin(m, l);
    if (k->meth.rqmsn != m->msg.rqmsn)
        m->msg.rqmsn_varies = true;
    m->msg.sent += k->payload_len;
    if (m->pmtu == 0 && !mrct_op_ends(k->bth.opcode))
        m->pmtu = k->payload_len;
    if (mrct_op_ends(k->bth.opcode))
        end(m, l);
}
