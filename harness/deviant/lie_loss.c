/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies about what is sent again when: holes, NACKs, timeouts, errors. */
#include "harness/deviant/lies.h"

#define PSNS             4096u
#define TIMER_UNIT       UINT64_C(1024) /* ns; the timeout is this times 2^timeout */
#define ERROR_TO_REQUEST 1000u          /* ns from the error to the request that must not come */
#define TIMESTAMP_UNIT   128u           /* ns */

/* The QP must outlive what it does not send: else its error excuses it. */
static void retries_without_end(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    attr->exp_cnt = 25;
}

struct hole {
    bool known;
    uint32_t psn;
};

static enum mrct_liar_do hole_kept_out(struct mrct_liar_io *io)
{
    struct hole *const s = io->state;
    if (!mrct_liar_is_rtx(io))
        return MRCT_LIAR_PASS;
    if (!s->known)
        *s = (struct hole){true, io->p->bth.psn};
    return s->psn == io->p->bth.psn ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_hole_kept = {sizeof(struct hole), .attr = retries_without_end,
                                                   .out = hole_kept_out};

/* ---- PSNs that NACKs named ---- */

struct nacked {
    bool used[PSNS];
    uint32_t psn[PSNS];
};

static enum mrct_liar_do nack_ignored_in(struct mrct_liar_io *io)
{
    struct nacked *const s = io->state;
    if (mrct_liar_is_nack(io)) {
        const uint32_t psn = io->p->neth.nack_psn;
        s->used[psn % PSNS] = true;
        s->psn[psn % PSNS] = psn;
    }
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do nack_ignored_out(struct mrct_liar_io *io)
{
    const struct nacked *const s = io->state;
    const uint32_t psn = io->p->bth.psn;
    const bool named = s->used[psn % PSNS] && s->psn[psn % PSNS] == psn;
    return mrct_liar_is_rtx(io) && named ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_nack_ignored = {
    sizeof(struct nacked), .attr = retries_without_end, .in = nack_ignored_in,
    .out = nack_ignored_out};

static enum mrct_liar_do unexp_event_ignored_in(struct mrct_liar_io *io)
{
    return mrct_liar_is_nack(io) && io->p->neth.nack_reason == MRC_NACK_UNEXP_EVENT
               ? MRCT_LIAR_SWALLOW
               : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_unexp_event_ignored = {.in = unexp_event_ignored_in};

/* ---- go back N ---- */

#define SENT      1024u /* requests remembered */
#define BACK_MOST 64u   /* sent again at one time */

struct sent {
    bool used[SENT];
    uint32_t psn[SENT];
    struct mrc_frame frame[SENT];
    uint32_t highest;
    bool any, went_back;
    uint32_t went_back_to;
};

/* What changes in a request that is sent again: RTX, EV, timestamp, class. */
static void as_retransmission(struct mrct_liar_io *io)
{
    const struct mrc_ep_config *const cfg = &io->liar->cfg;
    struct mrc_pkt *const p = io->p;
    p->bth.rtx = 1;
    if (MRC_PKT_HAS(p, TSETH))
        p->tseth.tx_timestamp = (uint16_t)(io->now_ns / TIMESTAMP_UNIT);
    p->ip6.dscp = p->ip4.dscp =
        cfg->wire.dscp[cfg->trimmable ? MRC_DSCP_TRIMMABLE_RETX : MRC_DSCP_NO_TRIM];
    /* Its addresses are those of its old port: the new EV brings those of its own. */
    io->port = UINT32_MAX;
    mrct_liar_use_ev(io, mrct_liar_next_ev(io->qp));
}

/* The frame as it was, with RTX and on the next EV. */
static void send_again(struct mrct_liar_io *io, const struct mrc_frame *was)
{
    struct mrc_pkt p;
    struct mrc_frame f = *was;
    struct mrct_liar_io again = *io;
    if (mrc_pkt_decode_frame(&io->liar->cfg.wire, &f, &p) != MRC_WIRE_OK)
        return;
    again.p = &p;
    again.f = &f;
    as_retransmission(&again);
    mrct_liar_send_pkt(io->liar, io->now_ns, again.port, &p, MRCT_LIAR_CHANGED);
}

static void go_back(struct mrct_liar_io *io)
{
    struct sent *const s = io->state;
    const uint32_t from = io->p->bth.psn;
    if (s->went_back && s->went_back_to == from)
        return;
    s->went_back = true;
    s->went_back_to = from;
    for (int32_t i = 1; i <= (int32_t)BACK_MOST; i++) {
        const uint32_t psn = mrc_psn_add(from, i);
        if (mrc_psn_diff(psn, s->highest) > 0)
            return;
        if (s->used[psn % SENT] && s->psn[psn % SENT] == psn)
            send_again(io, &s->frame[psn % SENT]);
    }
}

static enum mrct_liar_do go_back_n_out(struct mrct_liar_io *io)
{
    struct sent *const s = io->state;
    if (mrct_liar_is_rtx(io))
        go_back(io);
    if (mrct_liar_is_first(io)) {
        const uint32_t psn = io->p->bth.psn;
        s->used[psn % SENT] = true;
        s->psn[psn % SENT] = psn;
        s->frame[psn % SENT] = *io->f;
        if (!s->any || mrc_psn_diff(psn, s->highest) > 0)
            s->highest = psn;
        s->any = true;
    }
    return MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_go_back_n = {sizeof(struct sent), .out = go_back_n_out};

/* ---- timers ---- */

static void timeout_halved_attr(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    if (attr->timeout > 0)
        attr->timeout--;
}
const struct mrct_liar_hooks mrct_lie_timeout_halved = {.attr = timeout_halved_attr};

static void backoff_flat_attr(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr)
{
    (void)cfg;
    attr->exp_ceiling_ns = TIMER_UNIT << attr->timeout;
}
const struct mrct_liar_hooks mrct_lie_backoff_flat = {.attr = backoff_flat_attr};

const struct mrct_liar_hooks mrct_lie_retry_limit_ignored = {.attr = retries_without_end};

static bool retry_exceeded_silent_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                        struct mrc_ep_event *ev)
{
    (void)l;
    (void)qp;
    return ev->status != MRC_WC_RETRY_EXCEEDED;
}
const struct mrct_liar_hooks mrct_lie_retry_exceeded_silent = {.event =
                                                                   retry_exceeded_silent_event};

static enum mrct_liar_do no_a_before_idle_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_first(io) || io->p->bth.a == 0)
        return MRCT_LIAR_PASS;
    io->p->bth.a = 0;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_no_a_before_idle = {.out = no_a_before_idle_out};

/* ---- after the end ---- */

struct last_sent {
    bool known;
    unsigned port;
    struct mrc_pkt p;
};

static enum mrct_liar_do request_after_error_out(struct mrct_liar_io *io)
{
    struct last_sent *const s = io->state;
    if (mrct_liar_is_request(io))
        *s = (struct last_sent){true, io->port, *io->p};
    return MRCT_LIAR_PASS;
}

static bool request_after_error_event(struct mrct_liar *l, struct mrct_liar_qp *qp,
                                      struct mrc_ep_event *ev)
{
    struct last_sent *const s = qp->state;
    if (ev->kind == MRC_EVENT_QP_ERROR && s->known) {
        struct mrc_frame f;
        struct mrct_liar_io io = {.liar = l,
                                  .qp = qp,
                                  .now_ns = ev->time_ns + ERROR_TO_REQUEST,
                                  .port = s->port,
                                  .p = &s->p,
                                  .f = &f};
        s->known = false;
        as_retransmission(&io);
        mrct_liar_send_pkt(l, io.now_ns, io.port, &s->p, MRCT_LIAR_CHANGED);
    }
    return true;
}
const struct mrct_liar_hooks mrct_lie_request_after_error = {
    sizeof(struct last_sent), .out = request_after_error_out, .event = request_after_error_event};
