/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the application is told, in order. Events are links through the queue entries they speak of,
 * so that none can be lost and none costs an allocation; placement events come from a pool.
 */
#include "ref/endpoint/ep_int.h"

void mrc_event_push(struct mrc_ep *ep, struct mrc_ev_node *node, uint64_t now_ns,
                    enum mrc_wc_status status)
{
    node->next = NULL;
    node->time_ns = now_ns;
    node->status = (uint8_t)status;
    node->queued = true;
    if (ep->ev_last)
        ep->ev_last->next = node;
    else
        ep->ev_first = node;
    ep->ev_last = node;
}

static void release(struct mrc_ev_node **list, struct mrc_ev_node *node)
{
    node->next = *list;
    *list = node;
}

static void placed_release(struct mrc_ep *ep, struct mrc_ev_node *node)
{
    release(&ep->placed_free, node);
}

void mrc_event_purge(struct mrc_ep *ep, uint32_t qpn)
{
    struct mrc_ev_node **link = &ep->ev_first;
    ep->ev_last = NULL;
    while (*link) {
        struct mrc_ev_node *node = *link;
        if (node->qpn != qpn) {
            ep->ev_last = node;
            link = &node->next;
            continue;
        }
        *link = node->next;
        node->queued = false;
        if (node->owner == MRC_OWNER_PLACED)
            placed_release(ep, node);
        else if (node->owner == MRC_OWNER_EV)
            release(&ep->note_free, node);
    }
}

void mrc_event_ev(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                  enum mrc_ev_cause why)
{
    const struct mrc_evs *evs = mrc_qp_evs(qp);
    struct mrc_ev_note *n = (struct mrc_ev_note *)ep->note_free;
    if (!n) {
        ep->count.drop[MRC_DROP_EV_FULL]++;
        return;
    }
    ep->note_free = n->node.next;
    n->node.qpn = qp->qpn;
    n->node.owner = MRC_OWNER_EV;
    n->profile = evs->profile;
    n->ev = (struct mrc_ev){.value = evs->list[i].value, .port = evs->list[i].port};
    n->drops = evs->rec[i].drops;
    n->state = evs->rec[i].state;
    n->cause = (uint8_t)why;
    mrc_event_push(ep, &n->node, now_ns, MRC_WC_SUCCESS);
}

void mrc_event_placed(struct mrc_ep *ep, const struct mrc_qp *qp, uint64_t now_ns, uint64_t va,
                      uint32_t len_bytes, uint32_t psn)
{
    if (!ep->placed_on)
        return;
    struct mrc_placed *p = (struct mrc_placed *)ep->placed_free;
    if (!p) {
        ep->count.drop[MRC_DROP_PLACED_FULL]++;
        return;
    }
    ep->placed_free = p->node.next;
    p->node.qpn = qp->qpn;
    p->node.owner = MRC_OWNER_PLACED;
    p->va = va;
    p->len_bytes = len_bytes;
    p->psn = psn;
    mrc_event_push(ep, &p->node, now_ns, MRC_WC_SUCCESS);
}

void mrc_ep_placement_events(struct mrc_ep *ep, bool on)
{
    ep->placed_on = on;
}

static void read_sqe(struct mrc_ep *ep, struct mrc_ev_node *node, struct mrc_ep_event *ev)
{
    const struct mrc_sqe *s = (const struct mrc_sqe *)node;
    ev->kind = MRC_EVENT_SEND_DONE;
    ev->wr_id = s->wr_id;
    ev->len_bytes = s->len_bytes;
    mrc_qp_find(ep, node->qpn)->req.sq_polled++;
}

static void read_rqe(struct mrc_ep *ep, struct mrc_ev_node *node, struct mrc_ep_event *ev)
{
    const struct mrc_rqe *r = (const struct mrc_rqe *)node;
    ev->kind = MRC_EVENT_RECV_IMM;
    ev->wr_id = r->wr_id;
    ev->imm = r->imm;
    ev->len_bytes = r->len_bytes;
    mrc_qp_find(ep, node->qpn)->rsp.rq_polled++;
}

static void read_qp(struct mrc_ep *ep, struct mrc_ev_node *node, struct mrc_ep_event *ev)
{
    (void)ep;
    (void)node;
    ev->kind = MRC_EVENT_QP_ERROR;
}

static void read_placed(struct mrc_ep *ep, struct mrc_ev_node *node, struct mrc_ep_event *ev)
{
    const struct mrc_placed *p = (const struct mrc_placed *)node;
    ev->kind = MRC_EVENT_PLACED;
    ev->va = p->va;
    ev->len_bytes = p->len_bytes;
    ev->psn = p->psn;
    placed_release(ep, node);
}

static void read_ev(struct mrc_ep *ep, struct mrc_ev_node *node, struct mrc_ep_event *ev)
{
    const struct mrc_ev_note *n = (const struct mrc_ev_note *)node;
    ev->kind = MRC_EVENT_EV;
    ev->profile = n->profile;
    ev->ev = n->ev;
    ev->ev_state = (enum mrc_ev_state)n->state;
    ev->ev_cause = (enum mrc_ev_cause)n->cause;
    ev->drop_count = n->drops;
    release(&ep->note_free, node);
}

static void read_probe(struct mrc_ep *ep, struct mrc_ev_node *node, struct mrc_ep_event *ev)
{
    struct mrc_open_probe *p = (struct mrc_open_probe *)node;
    (void)ep;
    ev->kind = MRC_EVENT_PROBE;
    ev->probe_id = p->id;
    ev->ev = p->ev;
    ev->rtt_ns = p->rtt_ns;
    p->state = MRC_PROBE_FREE;
}

bool mrc_ep_poll_event(struct mrc_ep *ep, struct mrc_ep_event *ev)
{
    static void (*const read[])(struct mrc_ep *, struct mrc_ev_node *, struct mrc_ep_event *) = {
        [MRC_OWNER_SQE] = read_sqe, [MRC_OWNER_RQE] = read_rqe,
        [MRC_OWNER_QP] = read_qp,   [MRC_OWNER_PLACED] = read_placed,
        [MRC_OWNER_EV] = read_ev,   [MRC_OWNER_PROBE] = read_probe,
    };
    struct mrc_ev_node *node = ep->ev_first;
    if (!node)
        return false;
    ep->ev_first = node->next;
    if (!ep->ev_first)
        ep->ev_last = NULL;
    node->queued = false;
    *ev = (struct mrc_ep_event){
        .status = (enum mrc_wc_status)node->status, .time_ns = node->time_ns, .qpn = node->qpn};
    read[node->owner](ep, node, ev);
    return true;
}
