/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Q3 leaves open which half of an EV stands in the source port and which in the flow label. Where
 * nobody chose a reading, answers show the device's: the entropy of the first SACK or NACK that
 * fits one reading alone decides for all, and from then on is read as that says.
 */
#include "harness/oracle/core.h"
#include "harness/oracle/resp.h"

#define QUESTION 3

static uint32_t swapped(uint32_t ev)
{
    return ev << 16 | ev >> 16;
}

/* The entropy field, and the PSN of the request that it is of; NULL: there is none. */
static uint32_t *entropy_of(struct mrc_pkt *p, uint32_t *psn)
{
    if (MRC_PKT_HAS(p, SETH)) {
        *psn = mrc_psn_add(p->seth.cack_psn, p->seth.ack_psn_offset);
        return &p->seth.entropy;
    }
    if (!MRC_PKT_HAS(p, NETH))
        return NULL;
    *psn = p->neth.nack_psn;
    return &p->neth.entropy;
}

static enum halves judge(const struct resp_model *m, uint32_t psn, uint32_t entropy)
{
    bool other = false;
    struct arrival_walk w = mrct_resp_walk(m, psn);
    for (const struct arrival *a; (a = mrct_resp_walk_next(m, &w)) != NULL;) {
        if (a->ev == entropy)
            return a->ev == swapped(entropy) ? HALVES_UNKNOWN : HALVES_AS_READ;
        other = other || a->ev == swapped(entropy);
    }
    return other ? HALVES_SWAPPED : HALVES_UNKNOWN;
}

const struct mrct_obs *mrct_halves_read(const struct look *l, struct mrct_obs *mine)
{
    struct mrct_oracle *const o = l->o;
    const bool answer = l->kind == KIND_SACK || l->kind == KIND_NACK;
    uint32_t psn = 0;
    if (!answer || o->halves == HALVES_AS_READ || o->cfg.strict ||
        mrct_look_reading_chosen(l, QUESTION) || l->flow == NULL || l->flow->resp == NULL)
        return l->obs;
    *mine = *l->obs;
    uint32_t *const entropy = entropy_of(&mine->pkt, &psn);
    if (entropy == NULL)
        return l->obs;
    const bool probe = MRC_PKT_HAS(&mine->pkt, SETH) && mine->pkt.seth.pr != 0;
    if (o->halves == HALVES_UNKNOWN && !probe && !l->icrc_bad)
        o->halves = judge(l->flow->resp, psn, *entropy);
    if (o->halves != HALVES_SWAPPED)
        return l->obs;
    *entropy = swapped(*entropy);
    return mine;
}
