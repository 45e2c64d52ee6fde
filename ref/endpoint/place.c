/* SPDX-License-Identifier: BSD-2-Clause */
/* Payload into memory: lengths that a request must have, and the region it is allowed to write. */
#include "ref/endpoint/ep_int.h"
#include <string.h>

/* What section 5.1 asks of each opcode's payload. */
struct shape {
    bool full; /* exactly one path MTU, else 1..PMTU */
    bool only; /* the whole message */
    bool first;
};
static const struct shape shapes[] = {
    [0] = {.full = true, .first = true},
    [MRC_OP_WRITE_MIDDLE - MRC_OP_WRITE_FIRST] = {.full = true},
    [MRC_OP_WRITE_LAST - MRC_OP_WRITE_FIRST] = {0},
    [MRC_OP_WRITE_LAST_IMM - MRC_OP_WRITE_FIRST] = {0},
    [MRC_OP_WRITE_ONLY - MRC_OP_WRITE_FIRST] = {.only = true},
    [MRC_OP_WRITE_ONLY_IMM - MRC_OP_WRITE_FIRST] = {.only = true},
};

bool mrc_place_lengths_ok(const struct mrc_ep *ep, const struct mrc_pkt *p)
{
    const struct shape *s = &shapes[p->bth.opcode - MRC_OP_WRITE_FIRST];
    const uint32_t mtu = ep->cfg.path_mtu;
    if (p->payload_len < 1 || p->payload_len > mtu)
        return false; /* Q15 a: sizes start at 1 */
    if (s->full && p->payload_len != mtu)
        return false;
    if (s->only && p->reth.dma_len != p->payload_len)
        return false;
    return !s->first || p->reth.dma_len > mtu;
}

/* The earliest refusal in send order is the one the requestor hears of. */
void mrc_refuse(struct mrc_qp *qp, uint64_t seq, uint8_t syndrome, enum mrc_wc_status status)
{
    struct mrc_rsp *r = &qp->rsp;
    if (r->refuse_seq != MRC_SEQ_NIL && r->refuse_seq < seq)
        return;
    r->refuse_seq = seq;
    r->refuse_syndrome = syndrome;
    r->refuse_status = (uint8_t)status;
}

void mrc_place(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t seq,
               const struct mrc_pkt *p)
{
    uint8_t *const to = mrc_mr_resolve(ep, p->reth.rkey, p->reth.va, p->payload_len);
    if (!to) {
        mrc_refuse(qp, seq, MRC_SYN_REMOTE_ACCESS, MRC_WC_LOCAL_ACCESS);
        return;
    }
    if (to != p->payload) /* they are the same where a simulation shares one memory */
        memcpy(to, p->payload, p->payload_len);
    mrc_event_placed(ep, qp, now_ns, p->reth.va, p->payload_len, p->bth.psn);
}
