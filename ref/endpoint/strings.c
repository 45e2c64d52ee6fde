/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for the endpoint's code numbers. */
#include "ref/endpoint/mrc_ep.h"

const char *mrc_ep_strerror(int err)
{
    static const char *const words[] = {
        "no error",
        "argument out of range",
        "out of memory",
        "no such QP or region",
        "queue or table full",
        "not possible in the QP's state",
        "more than the format holds",
        "in use",
    };
    const int n = (int)(sizeof words / sizeof words[0]);
    return err <= 0 && -err < n ? words[-err] : "unknown error";
}

const char *mrc_wc_status_str(enum mrc_wc_status s)
{
    switch (s) {
    case MRC_WC_SUCCESS:
        return "success";
    case MRC_WC_RETRY_EXCEEDED:
        return "retry counter exceeded";
    case MRC_WC_REMOTE_ACCESS:
        return "remote access error";
    case MRC_WC_REMOTE_INVALID:
        return "remote invalid request";
    case MRC_WC_REMOTE_OP:
        return "remote operational error";
    case MRC_WC_FLUSHED:
        return "flushed";
    case MRC_WC_LOCAL_RQ_EMPTY:
        return "receive queue empty";
    case MRC_WC_LOCAL_ACCESS:
        return "access refused";
    case MRC_WC_LOCAL_WIMM_LIMIT:
        return "too many WriteImm in flight";
    case MRC_WC_LOCAL_UNEXP_EVENT:
        return "unexpected event";
    }
    return "unknown status";
}

const char *mrc_ev_state_str(enum mrc_ev_state s)
{
    static const char *const words[MRC_EV_STATES] = {
        [MRC_EV_GOOD] = "GOOD",
        [MRC_EV_SKIP] = "SKIP",
        [MRC_EV_ASSUMED_BAD] = "ASSUMED_BAD",
        [MRC_EV_DENIED] = "DENIED",
    };
    return (unsigned)s < MRC_EV_STATES ? words[s] : "unknown state";
}

const char *mrc_ev_cause_str(enum mrc_ev_cause c)
{
    static const char *const words[MRC_EV_CAUSES] = {
        [MRC_EV_BY_SKIP_ONCE] = "SACK with SKIP_ONCE",
        [MRC_EV_BY_ALWAYS_SKIP] = "SACK with ALWAYS_SKIP",
        [MRC_EV_BY_TRIM] = "NACK TRIMMED",
        [MRC_EV_BY_TIMEOUT] = "packet timed out",
        [MRC_EV_BY_LOSS] = "packets lost",
        [MRC_EV_BY_ROTATION] = "rotation passed over it",
        [MRC_EV_BY_SKIP_TIMEOUT] = "SKIP timed out",
        [MRC_EV_BY_PROBE] = "probe answered",
        [MRC_EV_BY_CONTROLLER] = "controller",
    };
    return (unsigned)c < MRC_EV_CAUSES ? words[c] : "unknown cause";
}

const char *mrc_drop_str(enum mrc_drop d)
{
    static const char *const words[MRC_DROP_REASONS] = {
        [MRC_DROP_ADDRESS] = "address",
        [MRC_DROP_PKEY] = "partition key",
        [MRC_DROP_NO_QP] = "no such QP",
        [MRC_DROP_QP_STATE] = "QP state",
        [MRC_DROP_LENGTH] = "length",
        [MRC_DROP_WINDOW] = "outside the PSN window",
        [MRC_DROP_TRIMMED] = "trimmed without the capability",
        [MRC_DROP_BAD_SACK] = "impossible SACK",
        [MRC_DROP_BAD_NACK] = "impossible NACK",
        [MRC_DROP_BAD_ACK] = "impossible transport ACK",
        [MRC_DROP_STALE] = "stale",
        [MRC_DROP_CODE_POINT] = "reserved code point",
        [MRC_DROP_CTRL_FULL] = "control queue full",
        [MRC_DROP_PLACED_FULL] = "placement event queue full",
        [MRC_DROP_EV_FULL] = "EV event queue full",
    };
    return (unsigned)d < MRC_DROP_REASONS ? words[d] : "unknown reason";
}

const char *mrc_qp_state_str(enum mrc_qp_state s)
{
    switch (s) {
    case MRC_QP_RESET:
        return "RESET";
    case MRC_QP_INIT:
        return "INIT";
    case MRC_QP_RTR:
        return "RTR";
    case MRC_QP_RTS:
        return "RTS";
    case MRC_QP_ERROR:
        return "ERROR";
    }
    return "?";
}

const char *mrc_sched_state_str(enum mrc_sched_state s)
{
    switch (s) {
    case MRC_SCHED_IDLE:
        return "IDLE";
    case MRC_SCHED_ACTIVE:
        return "ACTIVE";
    case MRC_SCHED_READY:
        return "READY";
    case MRC_SCHED_PENDING:
        return "PENDING";
    }
    return "?";
}
