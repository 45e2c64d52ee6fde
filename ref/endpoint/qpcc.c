/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QP congestion controllers (section 8): each QP has one, its own or one that it shares with other
 * QPs to the same peer whose profile has the same share_id. Here the requestor's news reach the
 * algorithm, and the requestor's own books are kept beside the algorithm's.
 */
#include "ref/endpoint/ep_int.h"
#include <string.h>

/* The algorithm's state follows the controller in one piece of memory. */
#define STATE_OFFSET ((sizeof(struct mrc_qpcc) + 15) & ~(size_t)15)

int mrc_qpcc_create(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_qp_attr *attr)
{
    struct mrc_cc_profile profile = {.algorithm = "fixed", .cwnd_bytes = attr->cwnd_bytes};
    if (attr->cc)
        profile = *attr->cc;
    if (profile.mtu_bytes == 0)
        profile.mtu_bytes = ep->cfg.path_mtu;
    const struct mrc_cc_ops *ops = mrc_cc_find(&profile);
    if (!ops)
        return MRC_EP_EINVAL;
    uint8_t *mem = mrc_ep_alloc(ep, 1, STATE_OFFSET + ops->size_bytes);
    if (!mem)
        return MRC_EP_ENOMEM;
    struct mrc_qpcc *c = (struct mrc_qpcc *)(void *)mem;
    c->cc = (struct mrc_cc *)(void *)(mem + STATE_OFFSET);
    c->cc->ops = ops;
    c->profile = profile;
    c->profile.algorithm = NULL; /* the caller's string */
    c->members = 1;
    qp->qpcc = c;
    ops->init(c->cc, &profile, ep->now_ns);
    return MRC_EP_OK;
}

static uint32_t bucket_of(const struct mrc_ep *ep, uint64_t share_id, const struct mrc_addr *peer)
{
    uint64_t h = share_id * UINT64_C(0x9E3779B97F4A7C15);
    for (unsigned i = 0; i < sizeof peer->ip; i++)
        h = (h ^ peer->ip[i]) * UINT64_C(0x100000001B3);
    return (uint32_t)(h >> 32) & ep->qp_mask;
}

static bool same_peer(const struct mrc_addr *a, const struct mrc_addr *b)
{
    return a->is_v6 == b->is_v6 && memcmp(a->ip, b->ip, a->is_v6 ? 16 : 4) == 0;
}

void mrc_qpcc_connect(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_qpcc *own = qp->qpcc;
    const uint64_t id = own->profile.share_id;
    own->peer = qp->peer.addr[0];
    if (id == 0)
        return;
    struct mrc_qpcc **bucket = &ep->qpcc_table[bucket_of(ep, id, &own->peer)];
    for (struct mrc_qpcc *c = *bucket; c; c = c->next)
        if (c->profile.share_id == id && same_peer(&c->peer, &own->peer)) {
            c->members++;
            qp->qpcc = c;
            mrc_ep_dealloc(ep, own);
            return;
        }
    own->next = *bucket;
    *bucket = own;
    own->listed = true;
}

static void unlist(struct mrc_ep *ep, struct mrc_qpcc *c)
{
    struct mrc_qpcc **p = &ep->qpcc_table[bucket_of(ep, c->profile.share_id, &c->peer)];
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
}

void mrc_qpcc_release(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_qpcc *c = qp->qpcc;
    qp->qpcc = NULL;
    if (!c || --c->members > 0)
        return;
    if (c->listed)
        unlist(ep, c);
    mrc_ep_dealloc(ep, c);
}

/* What follows any news: the books' zero, and the trace. */
static void settle(struct mrc_ep *ep, const struct mrc_qp *qp, uint64_t cwnd_before)
{
    struct mrc_cc *cc = qp->qpcc->cc;
    if (cc->out_bytes == 0 && cc->ops->on_idle)
        cc->ops->on_idle(cc);
    mrc_trace(ep, qp, MRC_TRACE_CWND, (enum mrc_trace_cause)ep->cause, cwnd_before, cc->cwnd_bytes);
}

static void leave_flight(struct mrc_qp *qp, uint64_t bytes)
{
    qp->cc_out_bytes -= bytes;
    qp->qpcc->cc->out_bytes -= bytes;
}

void mrc_cc_sent(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint32_t size_bytes)
{
    struct mrc_cc *cc = qp->qpcc->cc;
    const uint64_t before = cc->cwnd_bytes;
    qp->served = true;
    qp->cc_out_bytes += size_bytes;
    cc->out_bytes += size_bytes;
    cc->ops->on_send(cc, now_ns, size_bytes);
    settle(ep, qp, before);
}

void mrc_cc_sacked(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_cc_sack *sack)
{
    struct mrc_cc *cc = qp->qpcc->cc;
    const uint64_t before = cc->cwnd_bytes;
    leave_flight(qp, sack->acked_bytes);
    cc->ops->on_sack(cc, sack);
    settle(ep, qp, before);
}

void mrc_cc_nacked(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_cc_nack *nack)
{
    struct mrc_cc *cc = qp->qpcc->cc;
    const uint64_t before = cc->cwnd_bytes;
    leave_flight(qp, nack->size_bytes);
    cc->ops->on_nack(cc, nack);
    settle(ep, qp, before);
}

void mrc_cc_lost(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint32_t size_bytes)
{
    struct mrc_cc *cc = qp->qpcc->cc;
    const uint64_t before = cc->cwnd_bytes;
    leave_flight(qp, size_bytes);
    cc->ops->on_loss(cc, now_ns, size_bytes);
    settle(ep, qp, before);
}

void mrc_cc_forget(struct mrc_ep *ep, struct mrc_qp *qp)
{
    if (!qp->qpcc)
        return;
    struct mrc_cc *cc = qp->qpcc->cc;
    const uint64_t before = cc->cwnd_bytes;
    const uint64_t bytes = qp->cc_out_bytes;
    leave_flight(qp, bytes);
    if (cc->ops->on_forget)
        cc->ops->on_forget(cc, bytes);
    settle(ep, qp, before);
}

bool mrc_cc_open(const struct mrc_qp *qp)
{
    return qp->qpcc->cc->ops->can_send(qp->qpcc->cc);
}

/* A window smaller than what triggers a SACK at the responder needs to be asked for (rule 7 of
 * section 6.2's requestor); of a shared window, this QP's part. */
bool mrc_cc_asks(const struct mrc_ep *ep, const struct mrc_qp *qp)
{
    const struct mrc_qpcc *c = qp->qpcc;
    return c->cc->by_sacks && c->cc->cwnd_bytes / c->members <=
                                  (uint64_t)ep->cfg.sack_gen_threshold_bytes + c->profile.mtu_bytes;
}
