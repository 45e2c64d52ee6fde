/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies in the choice of EVs and planes, and in heeding what is told of them. */
#include "harness/deviant/lies.h"

/* Place of the request's EV in the list; -1: not there. */
static int place_of(const struct mrct_liar_io *io)
{
    for (unsigned i = 0; i < io->qp->ev_count; i++)
        if (io->qp->evs[i].value == io->p->ev && io->qp->evs[i].port == io->port)
            return (int)i;
    return -1;
}

static enum mrct_liar_do take(struct mrct_liar_io *io, unsigned place)
{
    mrct_liar_use_ev(io, io->qp->evs[place]);
    return MRCT_LIAR_CHANGED;
}

struct count {
    uint64_t sent;
};

static enum mrct_liar_do ev_sticky_out(struct mrct_liar_io *io)
{
    struct count *const s = io->state;
    if (!mrct_liar_is_request(io) || io->qp->ev_count == 0)
        return MRCT_LIAR_PASS; /* EVs of a profile are not in the QP's list */
    return take(io, (unsigned)(s->sent++ / 4 % io->qp->ev_count));
}
const struct mrct_liar_hooks mrct_lie_ev_sticky = {sizeof(struct count), .out = ev_sticky_out};

static enum mrct_liar_do ev_favoured_out(struct mrct_liar_io *io)
{
    struct count *const s = io->state;
    return mrct_liar_is_request(io) && s->sent++ % 2 == 0 ? take(io, 0) : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_ev_favoured = {sizeof(struct count), .out = ev_favoured_out};

/* Of the EVs of the second plane every other one is never used. */
static enum mrct_liar_do evs_uneven_out(struct mrct_liar_io *io)
{
    const int i = mrct_liar_is_request(io) ? place_of(io) : -1;
    if (i < 1 || i % 2 == 0 || io->port != 1 || io->qp->evs[i - 1].port != 1)
        return MRCT_LIAR_PASS;
    return take(io, (unsigned)i - 1);
}
const struct mrct_liar_hooks mrct_lie_evs_uneven = {.out = evs_uneven_out};

static enum mrct_liar_do one_plane_out(struct mrct_liar_io *io)
{
    int i = mrct_liar_is_request(io) && io->port != 0 ? place_of(io) : -1;
    while (i >= 0 && io->qp->evs[i].port != 0)
        i -= (int)(io->qp->ev_count / io->liar->cfg.ports);
    return i >= 0 ? take(io, (unsigned)i) : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_one_plane = {.out = one_plane_out};

/* ---- what is told of an EV ---- */

struct named {
    bool any;
    uint32_t ev;
};

static enum mrct_liar_do nacked_withdrawn_in(struct mrct_liar_io *io)
{
    struct named *const s = io->state;
    if (mrct_liar_is_nack(io))
        *s = (struct named){true, io->p->neth.entropy};
    return MRCT_LIAR_PASS;
}

static enum mrct_liar_do nacked_withdrawn_out(struct mrct_liar_io *io)
{
    const struct named *const s = io->state;
    const int i = mrct_liar_is_request(io) && s->any && io->p->ev == s->ev ? place_of(io) : -1;
    return i >= 0 ? take(io, ((unsigned)i + 1) % io->qp->ev_count) : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_nacked_withdrawn = {
    sizeof(struct named), .in = nacked_withdrawn_in, .out = nacked_withdrawn_out};

static enum mrct_liar_do unmark(struct mrct_liar_io *io, uint8_t m)
{
    if (!mrct_liar_is_sack(io) || io->p->seth.m != m)
        return MRCT_LIAR_PASS;
    io->p->seth.m = MRC_M_NONE;
    return MRCT_LIAR_CHANGED;
}

static enum mrct_liar_do always_skip_ignored_in(struct mrct_liar_io *io)
{
    return unmark(io, MRC_M_ALWAYS_SKIP);
}
const struct mrct_liar_hooks mrct_lie_always_skip_ignored = {.in = always_skip_ignored_in};

static enum mrct_liar_do mark_ignored_in(struct mrct_liar_io *io)
{
    return unmark(io, MRC_M_SKIP_ONCE);
}
const struct mrct_liar_hooks mrct_lie_mark_ignored = {.in = mark_ignored_in};

static enum mrct_liar_do trim_ignored_in(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_nack(io) || io->p->neth.nack_reason != MRC_NACK_TRIMMED)
        return MRCT_LIAR_PASS;
    io->p->neth.nack_reason = MRC_NACK_TRIMMED_LASTHOP;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_trim_ignored = {.in = trim_ignored_in};

static enum mrct_liar_do bad_ev_unprobed_out(struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_PROBE) ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_bad_ev_unprobed = {.out = bad_ev_unprobed_out};

static enum mrct_liar_do denial_ignored_out(struct mrct_liar_io *io)
{
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    mrct_liar_use_ev(io, mrct_liar_next_ev(io->qp));
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_denial_ignored = {.out = denial_ignored_out};

/* ---- ports that the peer reports ---- */

static bool is_port_status(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_EP_REQUEST) && io->p->erth.op == MRC_EP_OP_PORT_STATUS;
}

static enum mrct_liar_do port_status_ignored_in(struct mrct_liar_io *io)
{
    if (!is_port_status(io))
        return MRCT_LIAR_PASS;
    io->p->erth.port_status_mask = UINT32_MAX;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_port_status_ignored = {.node_in = port_status_ignored_in};

const struct mrct_liar_hooks mrct_lie_replacement_ignored = {.keeps_evs = true};

static enum mrct_liar_do port_change_untold_out(struct mrct_liar_io *io)
{
    return is_port_status(io) ? MRCT_LIAR_SWALLOW : MRCT_LIAR_PASS;
}
const struct mrct_liar_hooks mrct_lie_port_change_untold = {.node_out = port_change_untold_out};

/* The node has no state of its own; its first QP keeps what was ever down. */
struct ever_down {
    uint32_t ports;
};

static enum mrct_liar_do port_up_ignored_in(struct mrct_liar_io *io)
{
    struct ever_down *const s = io->liar->qp_count != 0 ? io->liar->qps[0].state : NULL;
    if (!is_port_status(io) || s == NULL)
        return MRCT_LIAR_PASS;
    s->ports |= ~io->p->erth.port_status_mask;
    io->p->erth.port_status_mask = ~s->ports;
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_port_up_ignored = {sizeof(struct ever_down),
                                                         .node_in = port_up_ignored_in};

/* ---- an EV on which a packet timed out ---- */

#define PSNS 1024u

struct late {
    bool any;
    uint64_t sent;
    struct mrc_ev ev;
    struct mrc_ev by_psn[PSNS]; /* of the first sendings */
};

static enum mrct_liar_do late_ev_used_out(struct mrct_liar_io *io)
{
    struct late *const s = io->state;
    if (mrct_liar_is(io, MRC_OP_PROBE))
        return MRCT_LIAR_SWALLOW;
    if (!mrct_liar_is_request(io))
        return MRCT_LIAR_PASS;
    struct mrc_ev *const first = &s->by_psn[io->p->bth.psn % PSNS];
    if (mrct_liar_is_rtx(io)) {
        s->ev = s->any ? s->ev : *first;
        s->any = true;
        return MRCT_LIAR_PASS;
    }
    *first = (struct mrc_ev){.value = io->p->ev, .port = (uint8_t)io->port};
    if (!s->any || s->sent++ % 4 != 0)
        return MRCT_LIAR_PASS;
    mrct_liar_use_ev(io, s->ev);
    return MRCT_LIAR_CHANGED;
}
const struct mrct_liar_hooks mrct_lie_late_ev_used = {sizeof(struct late), .out = late_ev_used_out};
