/* SPDX-License-Identifier: BSD-2-Clause */
/* The go-back-N endpoint: making it, its QPs, timers and events. */
#include "harness/sim/rc_int.h"

#include <stdlib.h>
#include <string.h>

struct sim_rc *sim_rc_new(const struct sim_rc_config *c)
{
    struct sim_rc *const rc = calloc(1, sizeof *rc);
    if (rc == NULL)
        return NULL;
    rc->c = *c;
    rc->qps = calloc(c->qps_max + 1u, sizeof *rc->qps);
    if (rc->qps == NULL) {
        free(rc);
        return NULL;
    }
    rc->ports_up = UINT64_MAX;
    for (unsigned p = 0; p < c->ports; p++) {
        rc->addr[p] = c->port_addr[p];
        rc->bps[p] = c->port_bps[p];
    }
    return rc;
}

void sim_rc_free(struct sim_rc *rc)
{
    if (rc == NULL)
        return;
    for (unsigned i = 0; i < rc->qp_count; i++)
        free(rc->qps[i].sq);
    free(rc->qps);
    free(rc->events);
    free(rc);
}

/* QPs are connected in the order of their numbers. */
struct rc_qp *sim_rc_qp(const struct sim_rc *rc, uint32_t qpn)
{
    unsigned low = 0, high = rc->qp_count;
    while (low < high) {
        const unsigned mid = (low + high) / 2;
        if (rc->qps[mid].qpn < qpn)
            low = mid + 1;
        else
            high = mid;
    }
    return low < rc->qp_count && rc->qps[low].qpn == qpn ? &rc->qps[low] : NULL;
}

/* Events are taken after each call, which completes at most what a QP has posted. */
static int room_for_events(struct sim_rc *rc, unsigned more)
{
    struct mrc_ep_event *const events =
        realloc(rc->events, (rc->event_cap + more) * sizeof *events);
    if (events == NULL)
        return MRC_EP_ENOMEM;
    rc->events = events;
    rc->event_cap += more;
    return MRC_EP_OK;
}

int sim_rc_connect(struct sim_rc *rc, const struct sim_rc_peer *p)
{
    if (rc->qp_count == rc->c.qps_max ||
        (rc->qp_count > 0 && p->qpn <= rc->qps[rc->qp_count - 1].qpn))
        return MRC_EP_EINVAL;
    struct rc_qp *const q = &rc->qps[rc->qp_count];
    *q = (struct rc_qp){.qpn = p->qpn,
                        .entropy = p->entropy,
                        .port = (uint8_t)p->port,
                        .addr = p->addr,
                        .sq_depth = p->sq_depth,
                        .timer_ns = MRC_TIME_NEVER};
    q->sq = calloc(p->sq_depth, sizeof *q->sq);
    if (q->sq == NULL || room_for_events(rc, p->sq_depth + 2) != MRC_EP_OK) {
        free(q->sq);
        return MRC_EP_ENOMEM;
    }
    dcqcn_init(&q->cc, (double)rc->bps[p->port]);
    rc->qp_count++;
    return MRC_EP_OK;
}

int sim_rc_post(struct sim_rc *rc, uint32_t qpn, uint64_t now_ns, const struct mrc_write *w)
{
    struct rc_qp *const q = sim_rc_qp(rc, qpn);
    if (q == NULL)
        return MRC_EP_ENOENT;
    if (q->failed)
        return MRC_EP_ESTATE;
    if (q->sq_count == q->sq_depth)
        return MRC_EP_EFULL;
    const uint32_t packets = (w->len_bytes + rc->c.mtu - 1) / rc->c.mtu;
    q->sq[(q->sq_head + q->sq_count++) % q->sq_depth] = (struct rc_msg){.wr_id = w->wr_id,
                                                                        .first = q->end,
                                                                        .len_bytes = w->len_bytes,
                                                                        .packets = packets,
                                                                        .has_imm = w->has_imm};
    q->end += packets;
    q->pace_ns = q->pace_ns > now_ns ? q->pace_ns : now_ns;
    return MRC_EP_OK;
}

/* ---- time ---- */

void sim_rc_arm(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns)
{
    q->timer_ns = q->una < q->top ? now_ns + rc->c.timeout_ns : MRC_TIME_NEVER;
}

void sim_rc_rewind(struct rc_qp *q, uint64_t seq)
{
    q->nxt = seq;
    q->sq_at = 0;
    while (q->sq_at < q->sq_count) {
        const struct rc_msg *const m = &q->sq[(q->sq_head + q->sq_at) % q->sq_depth];
        if (seq < m->first + m->packets)
            break;
        q->sq_at++;
    }
}

uint64_t sim_rc_deadline(const struct sim_rc *rc)
{
    uint64_t least = MRC_TIME_NEVER;
    for (unsigned i = 0; i < rc->qp_count; i++) {
        const struct rc_qp *const q = &rc->qps[i];
        least = q->timer_ns < least ? q->timer_ns : least;
        /* What might have gone already waits for its port. */
        if (rc->c.dcqcn && q->nxt < q->end && !q->failed && q->pace_ns > rc->now_ns &&
            q->pace_ns < least)
            least = q->pace_ns;
    }
    return least;
}

void sim_rc_tick(struct sim_rc *rc, uint64_t now_ns)
{
    rc->now_ns = now_ns;
    for (unsigned i = 0; i < rc->qp_count; i++) {
        struct rc_qp *const q = &rc->qps[i];
        if (q->timer_ns > now_ns)
            continue;
        q->count.timeouts++;
        if (++q->timeouts > rc->c.retries) {
            sim_rc_fail(rc, q, now_ns);
            continue;
        }
        sim_rc_rewind(q, q->una);
        sim_rc_arm(rc, q, now_ns);
    }
}

/* ---- events ---- */

void sim_rc_event(struct sim_rc *rc, const struct mrc_ep_event *ev)
{
    if (rc->event_count < rc->event_cap)
        rc->events[(rc->event_head + rc->event_count++) % rc->event_cap] = *ev;
}

bool sim_rc_poll(struct sim_rc *rc, struct mrc_ep_event *ev)
{
    if (rc->event_count == 0)
        return false;
    *ev = rc->events[rc->event_head];
    rc->event_head = (rc->event_head + 1) % rc->event_cap;
    rc->event_count--;
    return true;
}

void sim_rc_fail(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns)
{
    q->failed = true;
    q->timer_ns = MRC_TIME_NEVER;
    sim_rc_event(rc, &(struct mrc_ep_event){.kind = MRC_EVENT_QP_ERROR,
                                            .status = MRC_WC_RETRY_EXCEEDED,
                                            .time_ns = now_ns,
                                            .qpn = q->qpn});
}

void sim_rc_port_set(struct sim_rc *rc, unsigned port, bool up)
{
    const uint64_t bit = UINT64_C(1) << port;
    rc->ports_up = up ? rc->ports_up | bit : rc->ports_up & ~bit;
}

bool sim_rc_counters(const struct sim_rc *rc, uint32_t qpn, struct mrc_qp_counters *out)
{
    const struct rc_qp *const q = sim_rc_qp(rc, qpn);
    if (q != NULL)
        *out = q->count;
    return q != NULL;
}
