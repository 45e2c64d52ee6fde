/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies about the end of a QP, and in what the application is told of its work. */
#include "harness/deviant/lies.h"

/* ---- the requestor's completions ---- */

struct held {
    bool any, over;
    struct mrc_ep_event ev;
};

/* The first completion is told after the second. */
static bool completions_swapped_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                      struct mrc_ep_event *ev)
{
    struct held *const s = qp->state;
    if (ev->kind != MRC_EVENT_SEND_DONE || s->over)
        return true;
    if (!s->any) {
        s->any = true;
        s->ev = *ev;
        return false;
    }
    s->over = true;
    mrct_liar_tell(l, &s->ev);
    return true;
}
const struct mrct_liar_hooks mrct_lie_completions_swapped = {sizeof(struct held),
                                                             .event = completions_swapped_event};

static bool completion_twice_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                   struct mrc_ep_event *ev)
{
    (void)qp;
    if (ev->kind == MRC_EVENT_SEND_DONE)
        mrct_liar_tell(l, ev);
    return true;
}
const struct mrct_liar_hooks mrct_lie_completion_twice = {.event = completion_twice_event};

static bool completion_missing_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                     struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    return ev->kind != MRC_EVENT_SEND_DONE || ev->status != MRC_WC_SUCCESS;
}
const struct mrct_liar_hooks mrct_lie_completion_missing = {.event = completion_missing_event};

static bool flush_missing_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    return ev->kind != MRC_EVENT_SEND_DONE || ev->status != MRC_WC_FLUSHED;
}
const struct mrct_liar_hooks mrct_lie_flush_missing = {.event = flush_missing_event};

/* ---- what a NAK brings about ---- */

static bool is_error(const struct mrc_ep_event *ev, enum mrc_wc_status why)
{
    return ev->kind == MRC_EVENT_QP_ERROR && ev->status == why;
}

static bool nak_untold_event(struct mrct_liar *l, struct mrct_liar_qp *qp, struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    return !is_error(ev, MRC_WC_REMOTE_ACCESS);
}
const struct mrct_liar_hooks mrct_lie_nak_untold = {.event = nak_untold_event};

static bool empty_rq_untold_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                  struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    return !is_error(ev, MRC_WC_LOCAL_RQ_EMPTY);
}
const struct mrct_liar_hooks mrct_lie_empty_rq_untold = {.event = empty_rq_untold_event};

static bool wimm_excess_untold_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                     struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    return !is_error(ev, MRC_WC_LOCAL_WIMM_LIMIT);
}
const struct mrct_liar_hooks mrct_lie_wimm_excess_untold = {.event = wimm_excess_untold_event};

static bool nak_cause_event(struct mrct_liar *l, struct mrct_liar_qp *qp, struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    if (ev->status == MRC_WC_REMOTE_ACCESS)
        ev->status = MRC_WC_REMOTE_OP;
    return true;
}
const struct mrct_liar_hooks mrct_lie_nak_cause = {.event = nak_cause_event};

static bool is_nak(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_ACK) && !mrct_liar_is_ack(io);
}

/* Long after the NAK, the last request once more. */
#define NAK_IGNORED_NS UINT64_C(20000000)

struct last_request {
    bool have;
    unsigned port;
    struct mrc_frame f;
};

static enum mrct_liar_do nak_ignored_out(struct mrct_liar_io *io)
{
    struct last_request *const s = io->state;
    if (mrct_liar_is_request(io))
        *s = (struct last_request){true, io->port, *io->f};
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do nak_ignored_in(struct mrct_liar_io *io)
{
    const struct last_request *const s = io->state;
    if (is_nak(io) && s->have)
        mrct_liar_send(io->liar, io->now_ns + NAK_IGNORED_NS, s->port, &s->f);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_nak_ignored = {sizeof(struct last_request),
                                                     .in = nak_ignored_in, .out = nak_ignored_out};

static void gives_up_early_attr(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    attr->linear_cnt = 0;
    attr->exp_cnt = 1;
}
const struct mrct_liar_hooks mrct_lie_gives_up_early = {.attr = gives_up_early_attr};

/* The counter of retries is each packet's own: progress of others does not set it back. */
#define PSNS 4096u

struct retries {
    bool told;
    uint8_t of[PSNS];
};

static enum mrct_liar_do retries_per_packet_out(struct mrct_liar_io *io)
{
    struct retries *const s = io->state;
    if (!mrct_liar_is_rtx(io) || s->told ||
        ++s->of[io->p->bth.psn % PSNS] <= io->qp->attr.linear_cnt + io->qp->attr.exp_cnt)
        return MRCT_LIAR_PASS;
    const struct mrc_ep_event ev = {.kind = MRC_EVENT_QP_ERROR,
                                    .status = MRC_WC_RETRY_EXCEEDED,
                                    .time_ns = io->now_ns,
                                    .qpn = io->qp->qpn};
    s->told = true;
    mrct_liar_tell(io->liar, &ev);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_retries_per_packet = {sizeof(struct retries),
                                                            .out = retries_per_packet_out};

/* ---- the responder in ERROR ---- */

struct after {
    bool error, have;
    unsigned port;
    struct mrc_frame sack;
};

static bool answers_in_error_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                   struct mrc_ep_event *ev)
{
    struct after *const s = qp->state;
    (void)l;
    s->error = s->error || ev->kind == MRC_EVENT_QP_ERROR;
    return true;
}

static enum mrct_liar_do answers_in_error_out(struct mrct_liar_io *io)
{
    struct after *const s = io->state;
    if (mrct_liar_is_sack(io)) {
        s->have = true;
        s->port = io->port;
        s->sack = *io->f;
    }
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do answers_in_error_in(struct mrct_liar_io *io)
{
    struct after *const s = io->state;
    if (s->error && s->have && io->err == MRC_WIRE_OK)
        mrct_liar_send(io->liar, io->now_ns, s->port, &s->sack);
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_answers_in_error = {
    sizeof(struct after), .in = answers_in_error_in, .out = answers_in_error_out,
    .event = answers_in_error_event};

static enum mrct_liar_do wimm_excess_silent_out(struct mrct_liar_io *io)
{
    return is_nak(io) ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_wimm_excess_silent = {.out = wimm_excess_silent_out};

/* ---- the responder's receives ---- */

/* The harness counts them from 1: each odd one changes places with the next. */
static bool receives_swapped_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                   struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    if (ev->kind == MRC_EVENT_RECV_IMM)
        ev->wr_id = ((ev->wr_id - 1) ^ 1u) + 1;
    return true;
}
const struct mrct_liar_hooks mrct_lie_receives_swapped = {.event = receives_swapped_event};

static bool receive_length_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                 struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    if (ev->kind == MRC_EVENT_RECV_IMM)
        ev->len_bytes++;
    return true;
}
const struct mrct_liar_hooks mrct_lie_receive_length = {.event = receive_length_event};
