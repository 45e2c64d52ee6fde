/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/endpoint/trace.h"
#include "ref/endpoint/ep_int.h"

void mrc_ep_set_trace(struct mrc_ep *ep, mrc_trace_fn fn, void *user)
{
    ep->trace_fn = fn;
    ep->trace_user = user;
}

const char *mrc_trace_kind_str(enum mrc_trace_kind kind)
{
    static const char *const words[MRC_TRACE_KINDS] = {
        [MRC_TRACE_QP_STATE] = "qp-state", [MRC_TRACE_SCHED] = "scheduler",
        [MRC_TRACE_EV_STATE] = "ev-state", [MRC_TRACE_EV_VALUE] = "ev-value",
        [MRC_TRACE_PORT] = "port",         [MRC_TRACE_CWND] = "cwnd",
        [MRC_TRACE_LOST] = "lost",         [MRC_TRACE_RTX] = "retransmission",
        [MRC_TRACE_TIMER] = "timer",       [MRC_TRACE_MPR] = "mpr",
        [MRC_TRACE_PENALTY] = "penalty",   [MRC_TRACE_EV_ACTIVE] = "ev-active",
        [MRC_TRACE_REVERSE] = "reverse",
    };
    return (unsigned)kind < MRC_TRACE_KINDS ? words[kind] : "?";
}

const char *mrc_trace_cause_str(enum mrc_trace_cause cause)
{
    static const char *const words[MRC_CAUSES] = {
        [MRC_CAUSE_NONE] = "none",
        [MRC_CAUSE_CALL] = "call",
        [MRC_CAUSE_SEND] = "send",
        [MRC_CAUSE_SACK] = "sack",
        [MRC_CAUSE_ACK] = "ack",
        [MRC_CAUSE_NAK] = "nak",
        [MRC_CAUSE_NACK] = "nack",
        [MRC_CAUSE_HOLE] = "hole",
        [MRC_CAUSE_TIMEOUT] = "timeout",
        [MRC_CAUSE_STALL] = "stall",
        [MRC_CAUSE_RETRY_LIMIT] = "retry-limit",
        [MRC_CAUSE_REFUSED] = "refused",
        [MRC_CAUSE_MARK] = "mark",
        [MRC_CAUSE_BAD_PATH] = "bad-path",
        [MRC_CAUSE_PROBE] = "probe",
        [MRC_CAUSE_ROTATION] = "rotation",
        [MRC_CAUSE_PORT] = "port",
        [MRC_CAUSE_PEER_PORT] = "peer-port",
    };
    return (unsigned)cause < MRC_CAUSES ? words[cause] : "?";
}

void mrc_trace_emit(struct mrc_ep *ep, const struct mrc_qp *qp, enum mrc_trace_kind kind,
                    enum mrc_trace_cause cause, uint64_t from, uint64_t to)
{
    const struct mrc_trace_event e = {.kind = kind,
                                      .cause = cause,
                                      .time_ns = ep->now_ns,
                                      .qpn = qp ? qp->qpn : 0,
                                      .from = from,
                                      .to = to};
    ep->trace_fn(ep->trace_user, &e);
}

void mrc_trace_emit_ev(struct mrc_ep *ep, struct mrc_qp *qp, enum mrc_trace_kind kind, uint16_t ev,
                       enum mrc_trace_cause cause, uint64_t from, uint64_t to)
{
    const struct mrc_ev_entry *entry = &mrc_qp_evs(qp)->list[ev];
    const struct mrc_trace_event e = {.kind = kind,
                                      .cause = cause,
                                      .time_ns = ep->now_ns,
                                      .qpn = qp->qpn,
                                      .from = from,
                                      .to = to,
                                      .ev = entry->value,
                                      .port = entry->port};
    ep->trace_fn(ep->trace_user, &e);
}

void mrc_trace_emit_reverse(struct mrc_ep *ep, const struct mrc_qp *qp, unsigned port,
                            enum mrc_trace_cause cause, uint32_t from, uint32_t to)
{
    const struct mrc_trace_event e = {.kind = MRC_TRACE_REVERSE,
                                      .cause = cause,
                                      .time_ns = ep->now_ns,
                                      .qpn = qp->qpn,
                                      .from = from,
                                      .to = to,
                                      .ev = to,
                                      .port = (uint16_t)port};
    if (mrc_traced(ep))
        ep->trace_fn(ep->trace_user, &e);
}

void mrc_trace_emit_port(struct mrc_ep *ep, const struct mrc_qp *qp, unsigned port,
                         enum mrc_trace_cause cause, bool up)
{
    const struct mrc_trace_event e = {.kind = MRC_TRACE_PORT,
                                      .cause = cause,
                                      .time_ns = ep->now_ns,
                                      .qpn = qp ? qp->qpn : 0,
                                      .from = !up,
                                      .to = up,
                                      .port = (uint16_t)port};
    if (mrc_traced(ep))
        ep->trace_fn(ep->trace_user, &e);
}

void mrc_trace_emit_packet(struct mrc_ep *ep, struct mrc_qp *qp, enum mrc_trace_kind kind,
                           uint64_t seq, enum mrc_trace_cause cause, uint16_t from_ev,
                           uint16_t to_ev)
{
    const struct mrc_ev_entry *to = &mrc_qp_evs(qp)->list[to_ev];
    struct mrc_trace_event e = {.kind = kind,
                                .cause = cause,
                                .time_ns = ep->now_ns,
                                .qpn = qp->qpn,
                                .psn = mrc_seq_psn(seq),
                                .ev = to->value,
                                .port = to->port};
    if (kind == MRC_TRACE_RTX) {
        e.from = mrc_qp_evs(qp)->list[from_ev].value;
        e.to = to->value;
    }
    ep->trace_fn(ep->trace_user, &e);
}
