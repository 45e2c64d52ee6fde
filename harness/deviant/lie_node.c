/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in Endpoint Responses, which the node sends for no QP. */
#include "harness/deviant/lies.h"

static enum mrct_liar_do response_op_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_EP_RESPONSE))
        return MRCT_LIAR_PASS;
    io->p->eeth.op = 3;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_response_op = {.node_out = response_op_out};

static enum mrct_liar_do response_psn_high_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_EP_RESPONSE))
        return MRCT_LIAR_PASS;
    io->p->bth.psn |= 0x010000;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_response_psn_high = {.node_out = response_psn_high_out};

static enum mrct_liar_do response_reserved_set_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_EP_RESPONSE))
        return MRCT_LIAR_PASS;
    io->p->eeth.rsvd2[5] = 1;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_response_reserved_set = {.node_out =
                                                                   response_reserved_set_out};

static enum mrct_liar_do ev_probe_unanswered_out(struct mrct_liar_io *io)
{
    const bool probe = mrct_liar_is(io, MRC_OP_EP_RESPONSE) && io->p->eeth.op == MRC_EP_OP_EV_PROBE;
    return probe ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_ev_probe_unanswered = {.node_out = ev_probe_unanswered_out};

static enum mrct_liar_do response_timestamp_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_EP_RESPONSE))
        return MRCT_LIAR_PASS;
    io->p->eeth.tx_timestamp ^= 0x4000;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_response_timestamp = {.node_out = response_timestamp_out};

static enum mrct_liar_do response_unprovoked_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_EP_RESPONSE))
        return MRCT_LIAR_PASS;
    struct mrc_pkt p = *io->p;
    p.bth.psn ^= 0x8000;
    mrct_liar_send_pkt(io->liar, io->now_ns, io->port, &p, MRCT_LIAR_CHANGED);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_response_unprovoked = {.node_out = response_unprovoked_out};

static enum mrct_liar_do response_op_other_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is(io, MRC_OP_EP_RESPONSE))
        return MRCT_LIAR_PASS;
    io->p->eeth.op ^= 1u;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_response_op_other = {.node_out = response_op_other_out};

static enum mrct_liar_do port_status_unanswered_out(struct mrct_liar_io *io)
{
    const bool status =
        mrct_liar_is(io, MRC_OP_EP_RESPONSE) && io->p->eeth.op == MRC_EP_OP_PORT_STATUS;
    return status ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_port_status_unanswered = {.node_out =
                                                                    port_status_unanswered_out};
