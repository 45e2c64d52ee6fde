/* SPDX-License-Identifier: BSD-2-Clause */
/* QPs by number: open addressing with linear probing, half empty at least. */
#include "ref/endpoint/ep_int.h"

static uint32_t home(const struct mrc_ep *ep, uint32_t qpn)
{
    return (qpn * UINT32_C(2654435761)) >> 7 & ep->qp_mask;
}

const void *mrc_qp_home(const struct mrc_ep *ep, uint32_t qpn)
{
    return &ep->qp_table[home(ep, qpn)];
}

struct mrc_qp *mrc_qp_find(const struct mrc_ep *ep, uint32_t qpn)
{
    for (uint32_t i = home(ep, qpn); ep->qp_table[i].qp; i = (i + 1) & ep->qp_mask)
        if (ep->qp_table[i].qpn == qpn)
            return ep->qp_table[i].qp;
    return NULL;
}

void mrc_qp_table_add(struct mrc_ep *ep, struct mrc_qp *qp)
{
    uint32_t i = home(ep, qp->qpn);
    while (ep->qp_table[i].qp)
        i = (i + 1) & ep->qp_mask;
    ep->qp_table[i] = (struct mrc_qp_ref){.qp = qp, .qpn = qp->qpn};
    ep->qp_count++;
    qp->all_next = ep->all;
    if (ep->all)
        ep->all->all_prev = qp;
    ep->all = qp;
}

/* Entries behind the gap move into it, so that no tombstones are needed. */
static void close_gap(struct mrc_ep *ep, uint32_t gap)
{
    ep->qp_table[gap] = (struct mrc_qp_ref){0};
    for (uint32_t i = (gap + 1) & ep->qp_mask; ep->qp_table[i].qp; i = (i + 1) & ep->qp_mask) {
        const uint32_t h = home(ep, ep->qp_table[i].qpn);
        if (((i - h) & ep->qp_mask) >= ((i - gap) & ep->qp_mask)) {
            ep->qp_table[gap] = ep->qp_table[i];
            ep->qp_table[i] = (struct mrc_qp_ref){0};
            gap = i;
        }
    }
}

void mrc_qp_table_remove(struct mrc_ep *ep, struct mrc_qp *qp)
{
    uint32_t i = home(ep, qp->qpn);
    while (ep->qp_table[i].qp != qp)
        i = (i + 1) & ep->qp_mask;
    close_gap(ep, i);
    ep->qp_count--;
    if (qp->all_prev)
        qp->all_prev->all_next = qp->all_next;
    else
        ep->all = qp->all_next;
    if (qp->all_next)
        qp->all_next->all_prev = qp->all_prev;
}
