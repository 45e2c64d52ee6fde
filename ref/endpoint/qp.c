/* SPDX-License-Identifier: BSD-2-Clause */
/* A QP's life: RESET, INIT, RTR, RTS, ERROR (section 10). */
#include "ref/endpoint/ep_int.h"
#include <string.h>

/* Sequence numbers start here plus the first PSN: room to look back without going below 0. */
#define SEQ_ORIGIN (UINT64_C(1) << 32)
/* Room that a window which may change at run time has to grow. */
#define DYNAMIC_ROOM 4u
#define MPR_MAX      255u
#define QUEUE_MAX    32768u

void mrc_qp_attr_default(struct mrc_qp_attr *attr)
{
    *attr = (struct mrc_qp_attr){
        .max_wimm_dest = 32,
        .mpr_dest = 8,
        .timeout = 7,
        .linear_cnt = 7,
        .exp_cnt = 7,
        .exp_ceiling_ns = UINT64_C(1000000000),
        .cwnd_bytes = 256u * 1024u,
        .sq_depth = 256,
        .rq_depth = 256,
    };
}

static bool attr_ok(const struct mrc_ep *ep, const struct mrc_qp_attr *a)
{
    return a->qpn <= MRC_PSN_MASK && (a->qpn == 0 || a->qpn > MRC_NODE_QPN) &&
           a->start_psn <= MRC_PSN_MASK && a->max_wimm_dest >= 32 &&
           a->max_wimm_dest < MRC_SLOT_NIL && a->mpr_dest >= 8 && a->timeout <= 24 &&
           a->linear_cnt <= 7 && a->exp_cnt <= 25 && (a->cc || a->cwnd_bytes >= 1) &&
           a->rcv_cwnd_pen <= MRC_CWND_PEN_MAX && a->sq_depth >= 1 && a->sq_depth <= QUEUE_MAX &&
           a->rq_depth >= 1 && a->rq_depth <= QUEUE_MAX &&
           (a->qpn == 0 || !mrc_qp_find(ep, a->qpn));
}

static uint32_t choose_qpn(struct mrc_ep *ep)
{
    while (ep->qpn_next <= MRC_NODE_QPN || mrc_qp_find(ep, ep->qpn_next))
        ep->qpn_next = (ep->qpn_next + 1) & MRC_PSN_MASK;
    return ep->qpn_next++;
}

static int init_send_queue(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_req *r = &qp->req;
    const uint32_t n = mrc_pow2_at_least(qp->attr.sq_depth);
    r->sq = mrc_ep_alloc(ep, n, sizeof *r->sq);
    r->sq_mask = n - 1;
    r->sq_depth = qp->attr.sq_depth;
    r->snd_una = r->snd_nxt = r->ack_una = SEQ_ORIGIN + qp->attr.start_psn;
    r->out_head = r->out_tail = MRC_SLOT_NIL;
    r->ev_wait_ns = MRC_TIME_NEVER;
    return r->sq ? MRC_EP_OK : MRC_EP_ENOMEM;
}

static int init_responder(struct mrc_ep *ep, struct mrc_qp *qp)
{
    struct mrc_rsp *r = &qp->rsp;
    const uint32_t rq = mrc_pow2_at_least(qp->attr.rq_depth);
    r->window = qp->attr.mpr_dest * MRC_MPR_UNIT;
    r->mask = mrc_pow2_at_least(r->window) - 1;
    r->rq_mask = rq - 1;
    r->rq_depth = qp->attr.rq_depth;
    r->refuse_seq = MRC_SEQ_NIL;
    r->bits = mrc_ep_alloc(ep, ((size_t)r->mask + 1) / 64, sizeof *r->bits);
    r->flags = mrc_ep_alloc(ep, (size_t)r->mask + 1, sizeof *r->flags);
    r->rq = mrc_ep_alloc(ep, rq, sizeof *r->rq);
    const int err = mrc_wimm_init(ep, r, qp->attr.max_wimm_dest);
    return r->bits && r->flags && r->rq ? err : MRC_EP_ENOMEM;
}

static void release(struct mrc_ep *ep, struct mrc_qp *qp)
{
    mrc_qpcc_release(ep, qp);
    mrc_ev_profile_leave(qp);
    mrc_evs_fini(ep, &qp->evs);
    mrc_ep_dealloc(ep, qp->req.sq);
    mrc_ep_dealloc(ep, qp->req.slots);
    mrc_ep_dealloc(ep, qp->req.lost_bits);
    mrc_ep_dealloc(ep, qp->rsp.bits);
    mrc_ep_dealloc(ep, qp->rsp.flags);
    mrc_ep_dealloc(ep, qp->rsp.rq);
    mrc_ep_dealloc(ep, qp->rsp.stash);
    mrc_ep_dealloc(ep, qp->rsp.stash_of);
    mrc_ep_dealloc(ep, qp);
}

static int init_evs(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_qp_attr *attr)
{
    if (attr->ev_profile)
        return mrc_ev_profile_use(ep, qp, attr->ev_profile);
    qp->evs.events = attr->ev_events;
    return mrc_evs_init(ep, &qp->evs, attr->evs, attr->ev_count, attr->ev_active,
                        attr->ev_min_active);
}

static int init_qp(struct mrc_ep *ep, struct mrc_qp *qp, const struct mrc_qp_attr *attr)
{
    qp->attr = *attr;
    qp->attr.evs = NULL;
    qp->node.owner = MRC_OWNER_QP;
    qp->timer_ns = MRC_TIME_NEVER;
    qp->heap_pos = MRC_HEAP_NIL;
    qp->trim_nack = attr->trim_nack;
    qp->attr.cc = NULL;
    qp->rsp.cwnd_pen = attr->rcv_cwnd_pen;
    qp->rsp.restore_cwnd = attr->restore_cwnd;
    int err = mrc_qpcc_create(ep, qp, attr);
    if (err == MRC_EP_OK)
        err = init_evs(ep, qp, attr);
    if (err == MRC_EP_OK)
        err = init_send_queue(ep, qp);
    if (err == MRC_EP_OK)
        err = init_responder(ep, qp);
    return err;
}

static void set_state(struct mrc_ep *ep, struct mrc_qp *qp, enum mrc_qp_state state,
                      enum mrc_trace_cause cause)
{
    mrc_trace(ep, qp, MRC_TRACE_QP_STATE, cause, qp->state, state);
    qp->state = state;
}

int64_t mrc_qp_create(struct mrc_ep *ep, const struct mrc_qp_attr *attr)
{
    if (!attr_ok(ep, attr))
        return MRC_EP_EINVAL;
    if (ep->qp_count >= ep->cfg.qps_max)
        return MRC_EP_EFULL;
    struct mrc_qp *qp = mrc_ep_alloc(ep, 1, sizeof *qp);
    if (!qp)
        return MRC_EP_ENOMEM;
    const int err = init_qp(ep, qp, attr);
    if (err != MRC_EP_OK) {
        release(ep, qp);
        return err;
    }
    qp->qpn = attr->qpn ? attr->qpn : choose_qpn(ep);
    qp->node.qpn = qp->qpn;
    set_state(ep, qp, MRC_QP_INIT, MRC_CAUSE_CALL);
    mrc_qp_table_add(ep, qp);
    return qp->qpn;
}

static void free_window(struct mrc_ep *ep, struct mrc_qp *qp)
{
    mrc_ep_dealloc(ep, qp->req.slots);
    mrc_ep_dealloc(ep, qp->req.lost_bits);
    qp->req.slots = NULL;
    qp->req.lost_bits = NULL;
}

static int alloc_window(struct mrc_ep *ep, struct mrc_qp *qp, uint32_t units)
{
    struct mrc_req *r = &qp->req;
    const uint32_t n = mrc_pow2_at_least(units * MRC_MPR_UNIT);
    r->slots = mrc_ep_alloc(ep, n, sizeof *r->slots);
    r->lost_bits = mrc_ep_alloc(ep, n / 64, sizeof *r->lost_bits);
    if (!r->slots || !r->lost_bits) {
        free_window(ep, qp);
        return MRC_EP_ENOMEM;
    }
    r->slot_mask = n - 1;
    return MRC_EP_OK;
}

static bool peer_ok(const struct mrc_ep *ep, const struct mrc_qp_peer *peer)
{
    if (peer->qpn <= MRC_NODE_QPN || peer->qpn > MRC_PSN_MASK || peer->start_psn > MRC_PSN_MASK ||
        peer->mpr_dest < 1 || !mrc_srv6_template_ok(&peer->srv6))
        return false;
    for (unsigned i = 0; i < ep->cfg.ports; i++)
        if (peer->addr[i].is_v6 != ep->cfg.port_addr[i].is_v6 ||
            (peer->srv6.usid_count > 0 && !peer->addr[i].is_v6))
            return false;
    return true;
}

int mrc_qp_connect(struct mrc_ep *ep, uint32_t qpn, const struct mrc_qp_peer *peer)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    if (qp->state != MRC_QP_INIT)
        return MRC_EP_ESTATE;
    if (!peer_ok(ep, peer))
        return MRC_EP_EINVAL;
    const bool dynamic = qp->attr.dynamic_mpr && peer->dynamic_mpr;
    const uint32_t room = peer->mpr_dest * (dynamic ? DYNAMIC_ROOM : 1u);
    int err = alloc_window(ep, qp, room < MPR_MAX ? room : MPR_MAX);
    if (err != MRC_EP_OK)
        return err;
    qp->peer = *peer;
    qp->dynamic_mpr = dynamic;
    qp->req.mpr = peer->mpr_dest * MRC_MPR_UNIT;
    qp->req.wimm_max = peer->max_wimm_dest;
    qp->rsp.rcv_nxt = qp->rsp.done_nxt = SEQ_ORIGIN + peer->start_psn;
    qp->rsp.max_rcv = qp->rsp.rcv_nxt - 1;
    mrc_rev_init(qp);
    err = mrc_peer_join(ep, qp);
    if (err != MRC_EP_OK) {
        free_window(ep, qp);
        return err;
    }
    mrc_qpcc_connect(ep, qp);
    set_state(ep, qp, MRC_QP_RTR, MRC_CAUSE_CALL);
    set_state(ep, qp, MRC_QP_RTS, MRC_CAUSE_CALL); /* nothing happens in between here */
    mrc_sched_update(ep, qp);
    return MRC_EP_OK;
}

int mrc_qp_destroy(struct mrc_ep *ep, uint32_t qpn)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    mrc_event_purge(ep, qpn);
    mrc_ctrl_purge(ep, qpn);
    mrc_cc_forget(ep, qp);
    mrc_sched_remove(ep, qp);
    mrc_timer_set(ep, qp, MRC_TIME_NEVER);
    mrc_qp_table_remove(ep, qp);
    mrc_peer_leave(ep, qp);
    set_state(ep, qp, MRC_QP_RESET, MRC_CAUSE_CALL);
    release(ep, qp);
    return MRC_EP_OK;
}

enum mrc_qp_state mrc_qp_state(const struct mrc_ep *ep, uint32_t qpn)
{
    const struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    return qp ? qp->state : MRC_QP_RESET;
}

static void flush_sends(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns,
                        enum mrc_wc_status why, uint32_t blamed_sq)
{
    struct mrc_req *r = &qp->req;
    for (uint32_t i = r->sq_done; i != r->sq_tail; i++)
        mrc_event_push(ep, &r->sq[i & r->sq_mask].node, now_ns,
                       i == blamed_sq ? why : MRC_WC_FLUSHED);
    r->sq_done = r->sq_send = r->sq_tail;
    r->out_head = r->out_tail = MRC_SLOT_NIL;
    r->out_count = r->lost_count = r->wimm_inflight = 0;
    r->ev_wait_ns = MRC_TIME_NEVER;
    r->solicit = false;
    r->snd_una = r->ack_una = r->snd_nxt;
    mrc_cc_forget(ep, qp);
}

static enum mrc_trace_cause cause_of(enum mrc_wc_status why)
{
    static const enum mrc_trace_cause causes[] = {
        [MRC_WC_SUCCESS] = MRC_CAUSE_NONE,
        [MRC_WC_RETRY_EXCEEDED] = MRC_CAUSE_RETRY_LIMIT,
        [MRC_WC_REMOTE_ACCESS] = MRC_CAUSE_NAK,
        [MRC_WC_REMOTE_INVALID] = MRC_CAUSE_NAK,
        [MRC_WC_REMOTE_OP] = MRC_CAUSE_NAK,
        [MRC_WC_FLUSHED] = MRC_CAUSE_CALL,
        [MRC_WC_LOCAL_RQ_EMPTY] = MRC_CAUSE_REFUSED,
        [MRC_WC_LOCAL_ACCESS] = MRC_CAUSE_REFUSED,
        [MRC_WC_LOCAL_WIMM_LIMIT] = MRC_CAUSE_REFUSED,
        [MRC_WC_LOCAL_UNEXP_EVENT] = MRC_CAUSE_REFUSED,
    };
    return causes[why];
}

void mrc_qp_fail(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, enum mrc_wc_status why,
                 uint32_t blamed_sq)
{
    if (qp->state == MRC_QP_ERROR)
        return;
    set_state(ep, qp, MRC_QP_ERROR, cause_of(why));
    flush_sends(ep, qp, now_ns, why, blamed_sq);
    qp->rsp.rq_tail = qp->rsp.rq_head; /* receives that waited are released */
    mrc_event_push(ep, &qp->node, now_ns, why);
    mrc_sched_remove(ep, qp);
    mrc_timer_set(ep, qp, MRC_TIME_NEVER);
}

int mrc_qp_post_recv(struct mrc_ep *ep, uint32_t qpn, uint64_t wr_id)
{
    struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    if (qp->state == MRC_QP_ERROR)
        return MRC_EP_ESTATE;
    struct mrc_rsp *r = &qp->rsp;
    if (r->rq_tail - r->rq_polled >= r->rq_depth)
        return MRC_EP_EFULL;
    r->rq[r->rq_tail++ & r->rq_mask] =
        (struct mrc_rqe){.node = {.owner = MRC_OWNER_RQE, .qpn = qpn}, .wr_id = wr_id};
    return MRC_EP_OK;
}

int mrc_qp_info_get(const struct mrc_ep *ep, uint32_t qpn, struct mrc_qp_info *info)
{
    const struct mrc_qp *qp = mrc_qp_find(ep, qpn);
    if (!qp)
        return MRC_EP_ENOENT;
    *info = (struct mrc_qp_info){
        .state = qp->state,
        .sched = mrc_sched_state(qp),
        .snd_una = mrc_seq_psn(qp->req.snd_una),
        .snd_nxt = mrc_seq_psn(qp->req.snd_nxt),
        .ack_una = mrc_seq_psn(qp->req.ack_una),
        .lost = qp->req.lost_count,
        .outstanding = qp->req.out_count,
        .retries = qp->req.retry,
        .mpr_psn = qp->req.mpr,
        .wimm_inflight = qp->req.wimm_inflight,
        .cwnd_bytes = qp->qpcc->cc->cwnd_bytes,
        .inflight_bytes = qp->qpcc->cc->inflight_bytes,
        .deadline_ns = qp->timer_ns,
        .epsn = mrc_seq_psn(qp->rsp.rcv_nxt),
        .max_rcv = mrc_seq_psn(qp->rsp.max_rcv),
        .ooo_count = qp->rsp.ooo_count,
        .msn = qp->rsp.msn,
        .rcvd_bytes = qp->rsp.rcvd_bytes,
    };
    return MRC_EP_OK;
}
