/* SPDX-License-Identifier: BSD-2-Clause */
/* A liar's own book of the requests that came in: it has to know the truth to tell it wrong. */
#include "harness/deviant/liar.h"

static struct mrct_liar_arrival *entry(const struct mrct_liar_qp *qp, uint32_t psn)
{
    return &qp->book[psn % MRCT_LIAR_BOOK];
}

const struct mrct_liar_arrival *mrct_liar_book_get(const struct mrct_liar_qp *qp, uint32_t psn)
{
    const struct mrct_liar_arrival *const a = entry(qp, psn);
    return a->flags != 0 && a->psn == psn ? a : NULL;
}

bool mrct_liar_book_has(const struct mrct_liar_qp *qp, uint32_t psn)
{
    return mrc_psn_diff(psn, qp->cack) <= 0 || mrct_liar_book_get(qp, psn) != NULL;
}

static uint8_t flags_of(const struct mrc_pkt *p, bool duplicate)
{
    unsigned flags = MRCT_ARRIVED;
    flags |= p->bth.a != 0 ? MRCT_ARRIVED_A : 0;
    flags |= p->ecn == 3 || p->inner_ecn == 3 ? MRCT_ARRIVED_CE : 0;
    flags |= p->bth.rtx != 0 ? MRCT_ARRIVED_RTX : 0;
    flags |= MRC_PKT_HAS(p, TSETH) ? MRCT_ARRIVED_TS : 0;
    flags |= duplicate ? MRCT_ARRIVED_DUP : 0;
    return (uint8_t)flags;
}

bool mrct_liar_book_note(struct mrct_liar_qp *qp, const struct mrc_pkt *p)
{
    const uint32_t psn = p->bth.psn;
    const int32_t above = mrc_psn_diff(psn, qp->cack);
    if (p->trim != MRC_TRIM_NONE || above > (int32_t)qp->attr.mpr_dest * 128)
        return false;
    const bool duplicate = mrct_liar_book_has(qp, psn);
    *entry(qp, psn) = (struct mrct_liar_arrival){psn, p->meth.msn, flags_of(p, duplicate)};
    while (mrct_liar_book_get(qp, mrc_psn_add(qp->cack, 1)) != NULL)
        qp->cack = mrc_psn_add(qp->cack, 1);
    return duplicate;
}

const struct mrct_liar_arrival *mrct_liar_trigger(const struct mrct_liar_qp *qp,
                                                  const struct mrc_pkt *p)
{
    return mrct_liar_book_get(qp, mrc_psn_add(p->seth.cack_psn, p->seth.ack_psn_offset));
}
