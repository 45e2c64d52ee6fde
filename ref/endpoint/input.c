/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames in: what is not fit to be looked at is dropped and counted; the rest goes by its opcode.
 */
#include "ref/endpoint/ep_int.h"
#include "ref/endpoint/warm.h"
#include <string.h>

/* What an opcode is for. */
enum target {
    TO_NOBODY,
    TO_RESPONDER, /* a request to a QP */
    TO_REQUESTOR, /* an answer to a QP */
    TO_NODE,      /* QP 0x2 */
};

static enum target target_of(uint8_t opcode)
{
    if (mrc_op_is_write(opcode) || opcode == MRC_OP_PROBE)
        return TO_RESPONDER;
    if (opcode == MRC_OP_SACK || opcode == MRC_OP_NACK || opcode == MRC_OP_ACK)
        return TO_REQUESTOR;
    return opcode == MRC_OP_EP_REQUEST || opcode == MRC_OP_EP_RESPONSE ? TO_NODE : TO_NOBODY;
}

static bool addressed_to(const struct mrc_ep *ep, unsigned port, const struct mrc_pkt *p)
{
    const struct mrc_addr *own = &ep->cfg.port_addr[port];
    if (p->is_v6 != own->is_v6)
        return false;
    return memcmp(p->is_v6 ? p->ip6.dst : p->ip4.dst, own->ip, p->is_v6 ? 16 : 4) == 0;
}

/* Only a trimmed request may come without an ICRC: nobody trims answers, probes and endpoint
 * operations, whatever their class says. */
static bool intact(const struct mrc_pkt *p)
{
    if (p->icrc_state == MRC_ICRC_WRONG)
        return false;
    return p->icrc_state != MRC_ICRC_ABSENT ||
           (p->trim != MRC_TRIM_NONE && mrc_op_is_write(p->bth.opcode));
}

static void to_responder(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns,
                         const struct mrc_pkt *p)
{
    if (p->bth.opcode != MRC_OP_PROBE)
        mrc_rsp_request(ep, qp, now_ns, p);
    else if (p->trim == MRC_TRIM_NONE)
        mrc_rsp_probe(ep, qp, p);
}

static void to_requestor(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns,
                         const struct mrc_pkt *p)
{
    if (p->bth.opcode == MRC_OP_SACK) {
        ep->cause = MRC_CAUSE_SACK;
        mrc_req_sack(ep, qp, now_ns, p);
    } else if (p->bth.opcode == MRC_OP_NACK) {
        ep->cause = MRC_CAUSE_NACK;
        mrc_req_nack(ep, qp, now_ns, p);
    } else {
        ep->cause = MRC_CAUSE_ACK;
        mrc_req_ack(ep, qp, now_ns, p);
    }
}

static enum mrc_drop dispatch(struct mrc_ep *ep, uint64_t now_ns, unsigned port,
                              const struct mrc_pkt *p)
{
    const enum target target = target_of(p->bth.opcode);
    if (!addressed_to(ep, port, p))
        return MRC_DROP_ADDRESS;
    if (p->bth.pkey != ep->cfg.pkey)
        return MRC_DROP_PKEY;
    if ((target == TO_NODE) != (p->bth.dest_qp == MRC_NODE_QPN) || target == TO_NOBODY)
        return MRC_DROP_NO_QP;
    if (target == TO_NODE) {
        if (p->bth.opcode == MRC_OP_EP_REQUEST)
            mrc_node_request(ep, now_ns, port, p);
        else
            mrc_node_response(ep, now_ns, port, p);
        return MRC_DROP_REASONS;
    }
    struct mrc_qp *qp = mrc_qp_find(ep, p->bth.dest_qp);
    if (!qp)
        return MRC_DROP_NO_QP;
    if (target == TO_RESPONDER)
        mrc_warm_request(qp);
    else
        mrc_warm_answer(qp);
    if (qp->state != MRC_QP_RTS)
        return MRC_DROP_QP_STATE;
    if (target == TO_RESPONDER)
        to_responder(ep, qp, now_ns, p);
    else
        to_requestor(ep, qp, now_ns, p);
    mrc_qp_settle(ep, qp);
    return MRC_DROP_REASONS;
}

void mrc_ep_input(struct mrc_ep *ep, uint64_t now_ns, unsigned port, const struct mrc_frame *f)
{
    struct mrc_pkt p;
    ep->now_ns = now_ns;
    ep->cause = MRC_CAUSE_NONE;
    ep->count.rx_frames++;
    if (port >= ep->cfg.ports)
        return;
    enum mrc_wire_error err = mrc_pkt_decode_frame(&ep->cfg.wire, f, &p);
    if (err == MRC_WIRE_OK && !intact(&p))
        err = MRC_WIRE_BAD_ICRC;
    ep->count.rx_wire[err]++;
    if (err != MRC_WIRE_OK)
        return;
    const enum mrc_drop drop = dispatch(ep, now_ns, port, &p);
    if (drop != MRC_DROP_REASONS)
        ep->count.drop[drop]++;
}
