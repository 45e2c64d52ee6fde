/* SPDX-License-Identifier: BSD-2-Clause */
/* What must hold of a drawn run when it has come to rest. */
#include "harness/cases/swarm_priv.h"

#include <inttypes.h>
#include <stdio.h>

struct look_end {
    struct mrct_run *run;
    char *words;
    size_t cap;
};

/* Causes in both directions: each of them ends the QP on both sides. */
static unsigned ends_of(const struct mrct_run *r, unsigned qp)
{
    return mrct_swarm_ends(r->c, 0, qp) | mrct_swarm_ends(r->c, 1, qp);
}

static bool refused(const struct mrct_run_write *w)
{
    return w->target != MRCT_TARGET_GOOD;
}

/*
 * The statuses that may end the writes of one direction of a QP: success, then the one that failed,
 * then what was flushed. A NAK can get lost, and a responder in ERROR answers no more: then the
 * retries are used up, truly. An unexpected event may be told of a packet ahead of others, whose
 * writes are flushed. `before`: a mask of 1 << status of the writes before.
 */
static bool status_fits(const struct mrct_run_write *w, unsigned here, unsigned any,
                        unsigned before)
{
    const bool after = (before & ~(1u << MRC_WC_SUCCESS)) != 0;
    const bool after_error = (before & ~(1u << MRC_WC_SUCCESS | 1u << MRC_WC_FLUSHED)) != 0;
    switch (w->status) {
    case MRC_WC_SUCCESS:
        return !after && !refused(w);
    case MRC_WC_REMOTE_ACCESS:
        return !after && refused(w);
    case MRC_WC_REMOTE_INVALID:
        return !after && (here & MRCT_END_WIMM) != 0;
    case MRC_WC_REMOTE_OP:
        return !after_error && (here & (MRCT_END_RQ_EMPTY | MRCT_END_UNEXP)) != 0;
    case MRC_WC_RETRY_EXCEEDED:
        return !after && any != 0;
    case MRC_WC_FLUSHED:
        return any != 0;
    case MRC_WC_LOCAL_RQ_EMPTY:
    case MRC_WC_LOCAL_ACCESS:
    case MRC_WC_LOCAL_WIMM_LIMIT:
    case MRC_WC_LOCAL_UNEXP_EVENT:
        break;
    }
    return false;
}

static bool writes_fit(const struct look_end *l, unsigned host, unsigned qp)
{
    const struct mrct_run *const r = l->run;
    const unsigned here = mrct_swarm_ends(r->c, host, qp);
    const unsigned any = ends_of(r, qp);
    unsigned before = 0;
    for (size_t i = 0; i < r->write_count; i++) {
        const struct mrct_run_write *const w = &r->writes[i];
        if (w->host != host || w->qp != qp || !w->done) {
            continue;
        }
        if (!status_fits(w, here, any, before)) {
            (void)snprintf(l->words, l->cap,
                           "write %" PRIu64 " of host%u ended with '%s'%s%s, QP %u", w->wr_id,
                           host + 1, mrc_wc_status_str(w->status),
                           before > 1u << MRC_WC_SUCCESS ? " behind one that had failed" : "",
                           any != 0 ? "" : ", and nothing was to end it", qp + 1);
            return false;
        }
        before |= 1u << w->status;
    }
    return true;
}

/* Each WriteImm that is done has delivered its immediate; that they come in order was watched. */
static bool immediates_fit(const struct look_end *l, unsigned host, unsigned qp)
{
    const struct mrct_run *const r = l->run;
    for (size_t i = r->node[host].qp[qp].next_imm; i < r->write_count; i++) {
        const struct mrct_run_write *const w = &r->writes[i];
        if (w->host == host || w->qp != qp || !w->has_imm || !w->done ||
            w->status != MRC_WC_SUCCESS) {
            continue;
        }
        (void)snprintf(l->words, l->cap,
                       "write %" PRIu64 " of host%u is done and its immediate never came", w->wr_id,
                       w->host + 1);
        return false;
    }
    return true;
}

/* What keeps a QP from being at rest, in words; NULL: nothing does. */
static const char *unrest(const struct mrct_dut *d, uint32_t qpn)
{
    struct mrc_qp_info i;
    if (d->ops->qp_info(d, qpn, &i) != MRC_EP_OK)
        return "the QP is gone";
    if (i.outstanding != 0)
        return "packets are in flight";
    if (i.lost != 0)
        return "packets wait for retransmission";
    if (i.inflight_bytes != 0)
        return "bytes in flight are not zero";
    if (i.wimm_inflight != 0)
        return "WriteImm in flight are not zero";
    if (i.state == MRC_QP_RTS && (i.snd_una != i.snd_nxt || i.ack_una != i.snd_nxt))
        return "not all is acknowledged";
    if (i.state == MRC_QP_RTS && i.ooo_count != 0)
        return "the responder waits for packets below others";
    return NULL;
}

static bool at_rest(const struct look_end *l, unsigned host, unsigned qp)
{
    const struct mrct_run_node *const n = &l->run->node[host];
    const char *const why = unrest(n->dut, n->qp[qp].qpn);
    /* A QP whose peer is in ERROR keeps what it was sent. */
    if (why == NULL || ends_of(l->run, qp) != 0) {
        return true;
    }
    (void)snprintf(l->words, l->cap, "QP %u of host%u is not at rest: %s", qp + 1, host + 1, why);
    return false;
}

/* The causes by which a QP may end with a status; `here`: as requestor, `there`: as responder. */
static unsigned causes(enum mrc_wc_status status, unsigned here, unsigned there)
{
    switch (status) {
    case MRC_WC_RETRY_EXCEEDED:
        return here | there;
    case MRC_WC_REMOTE_ACCESS:
        return here & MRCT_END_REFUSED;
    case MRC_WC_REMOTE_INVALID:
        return here & MRCT_END_WIMM;
    case MRC_WC_REMOTE_OP:
        return here & (MRCT_END_RQ_EMPTY | MRCT_END_UNEXP);
    case MRC_WC_LOCAL_RQ_EMPTY:
        return there & MRCT_END_RQ_EMPTY;
    case MRC_WC_LOCAL_ACCESS:
        return there & MRCT_END_REFUSED;
    case MRC_WC_LOCAL_WIMM_LIMIT:
        return there & MRCT_END_WIMM;
    case MRC_WC_LOCAL_UNEXP_EVENT:
        return there & MRCT_END_UNEXP;
    case MRC_WC_SUCCESS:
    case MRC_WC_FLUSHED:
        break;
    }
    return 0;
}

static bool error_fits(const struct look_end *l, unsigned host, unsigned qp)
{
    const int error = l->run->node[host].qp[qp].error;
    if (error < 0 || causes((enum mrc_wc_status)error, mrct_swarm_ends(l->run->c, host, qp),
                            mrct_swarm_ends(l->run->c, 1 - host, qp)) != 0) {
        return true;
    }
    (void)snprintf(l->words, l->cap, "QP %u of host%u ended with '%s', for which there is no cause",
                   qp + 1, host + 1, mrc_wc_status_str((enum mrc_wc_status)error));
    return false;
}

bool mrct_swarm_look(struct mrct_run *run, char *words, size_t cap)
{
    const struct look_end l = {.run = run, .words = words, .cap = cap};
    for (unsigned host = 0; host < 2; host++) {
        for (unsigned qp = 0; qp < run->c->qps; qp++) {
            if (!error_fits(&l, host, qp) || !writes_fit(&l, host, qp) ||
                !immediates_fit(&l, host, qp) || !at_rest(&l, host, qp)) {
                return false;
            }
        }
    }
    return true;
}
