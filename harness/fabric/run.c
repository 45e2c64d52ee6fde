/* SPDX-License-Identifier: BSD-2-Clause */
/* The run: time goes from event to event, and a dut that will not let it go on is found out. */
#include "harness/fabric/internal.h"

/* Calls of tick() at one instant, and calls in a row with no frame moving, that only a dut whose
 * timers are broken can want. */
#define STUCK_TICKS_MAX 10000u
#define IDLE_TICKS_MAX  1000000u

void mrct_fab_schedule(struct mrct_fab *fab, enum mrct_fabq_kind kind, uint64_t at_ns, uint64_t arg,
                       struct mrct_fab_pkt *pkt)
{
    const struct mrct_fabq_event ev = {.at_ns = at_ns, .arg = arg, .pkt = pkt, .kind = kind};
    if (mrct_fabq_push(&fab->queue, &ev) != 0)
        fab->error = "no memory for an event";
    else
        fab->live_events += kind != MRCT_FABQ_LINK;
}

int mrct_fab_wake(struct mrct_fab *fab, uint64_t at_ns)
{
    if (at_ns < fab->now_ns)
        return -1;
    mrct_fab_schedule(fab, MRCT_FABQ_WAKE, at_ns, 0, NULL);
    return fab->error == NULL ? 0 : -1;
}

static bool frame_possible(const struct mrc_frame *f)
{
    return f->hdr_len > 0 && f->hdr_len <= MRC_FRAME_HDR_MAX && f->payload_len <= MRC_PAYLOAD_MAX &&
           f->pad_len <= 3 && (f->payload_len == 0 || f->payload != NULL);
}

/* Takes all that a host can send now; true when it sent. */
static bool pump(struct mrct_fab *fab, unsigned host)
{
    struct mrct_fab_host *const h = &fab->host[host];
    bool sent = false;
    while (h->port_free_mask != 0 && fab->error == NULL) {
        const int port = h->dut->ops->output(h->dut, fab->now_ns, h->port_free_mask, &fab->out);
        if (port < 0)
            break;
        if (port >= (int)fab->cfg.planes || (h->port_free_mask >> port & 1u) == 0) {
            fab->error = "a device sent on a port that was not free";
        } else if (!frame_possible(&fab->out)) {
            fab->error = "a device handed over a frame of impossible lengths";
        } else {
            mrct_fab_send(fab, host, (unsigned)port);
            sent = true;
        }
    }
    return sent;
}

/* Until nobody has anything more to send at this instant: each round makes a port busy. */
static void settle(struct mrct_fab *fab, void (*step)(void *user, uint64_t now_ns), void *user)
{
    for (bool first = true; fab->error == NULL; first = false) {
        bool sent = pump(fab, 0);
        sent |= pump(fab, 1);
        if (sent)
            fab->idle_ticks = 0;
        if (!sent && !first)
            return;
        if (step != NULL)
            step(user, fab->now_ns);
    }
}

static void handle(struct mrct_fab *fab, const struct mrct_fabq_event *ev)
{
    switch (ev->kind) {
    case MRCT_FABQ_ARRIVE:
        fab->idle_ticks = 0;
        mrct_fab_arrive(fab, ev->pkt);
        break;
    case MRCT_FABQ_PORT_FREE:
        fab->host[ev->arg / MRC_EP_PORTS_MAX].port_free_mask |= UINT64_C(1)
                                                                << ev->arg % MRC_EP_PORTS_MAX;
        break;
    case MRCT_FABQ_FLUSH:
        mrct_fab_flush(fab, ev->arg);
        break;
    case MRCT_FABQ_LINK:
        mrct_fab_links_change(fab, (size_t)ev->arg);
        break;
    case MRCT_FABQ_WAKE:
        break;
    }
    fab->live_events -= ev->kind != MRCT_FABQ_LINK;
}

static uint64_t deadline(const struct mrct_fab *fab, unsigned host)
{
    const struct mrct_dut *const d = fab->host[host].dut;
    return d->ops->deadline(d);
}

static void tick_due(struct mrct_fab *fab)
{
    for (unsigned h = 0; h < MRCT_FAB_HOSTS; h++) {
        if (deadline(fab, h) > fab->now_ns)
            continue;
        fab->host[h].dut->ops->tick(fab->host[h].dut, fab->now_ns);
        if (++fab->stuck_ticks > STUCK_TICKS_MAX || ++fab->idle_ticks > IDLE_TICKS_MAX)
            fab->error = "a device's deadline passes again and again and nothing comes of it";
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When something happens next. MRC_TIME_NEVER: the run has come to rest. */
static uint64_t next_time(const struct mrct_fab *fab)
{
    const uint64_t wanted = least(deadline(fab, 0), deadline(fab, 1));
    const struct mrct_fabq_event *const ev = mrct_fabq_top(&fab->queue);
    if (ev == NULL || (fab->live_events == 0 && wanted == MRC_TIME_NEVER))
        return wanted;
    return least(wanted, ev->at_ns);
}

static void move_to(struct mrct_fab *fab, uint64_t at_ns)
{
    if (at_ns <= fab->now_ns)
        return;
    fab->now_ns = at_ns;
    fab->stuck_ticks = 0;
}

uint64_t mrct_fab_run(struct mrct_fab *fab, uint64_t until_ns,
                      void (*step)(void *user, uint64_t now_ns), void *user)
{
    if (fab->host[0].dut == NULL || fab->host[1].dut == NULL)
        fab->error = "a host has no device";
    if (fab->error == NULL)
        settle(fab, step, user);
    while (fab->error == NULL) {
        const uint64_t at_ns = next_time(fab);
        if (at_ns == MRC_TIME_NEVER)
            break;
        if (at_ns > until_ns) {
            move_to(fab, until_ns);
            break;
        }
        move_to(fab, at_ns);
        const struct mrct_fabq_event *const ev = mrct_fabq_top(&fab->queue);
        if (ev != NULL && ev->at_ns <= fab->now_ns) {
            const struct mrct_fabq_event due = mrct_fabq_pop(&fab->queue);
            handle(fab, &due);
        } else {
            tick_due(fab);
        }
        settle(fab, step, user);
    }
    return fab->now_ns;
}

/* ---- at a pace set from outside ---- */

/* The first event that is due by now_ns; false: there is none. */
static bool handle_due(struct mrct_fab *fab, uint64_t now_ns)
{
    const struct mrct_fabq_event *const ev = mrct_fabq_top(&fab->queue);
    if (ev == NULL || ev->at_ns > now_ns)
        return false;
    const struct mrct_fabq_event due = mrct_fabq_pop(&fab->queue);
    move_to(fab, due.at_ns);
    handle(fab, &due);
    return true;
}

uint64_t mrct_fab_pace(struct mrct_fab *fab, uint64_t now_ns,
                       void (*step)(void *user, uint64_t now_ns), void *user)
{
    if (fab->host[0].dut == NULL || fab->host[1].dut == NULL)
        fab->error = "a host has no device";
    bool more = true;
    while (more && fab->error == NULL) {
        more = handle_due(fab, now_ns);
        if (!more && fab->now_ns <= now_ns) {
            move_to(fab, now_ns);
            settle(fab, step, user);
            more = mrct_fab_next(fab) <= now_ns;
        } else {
            settle(fab, step, user);
        }
    }
    return fab->now_ns;
}

uint64_t mrct_fab_next(const struct mrct_fab *fab)
{
    const struct mrct_fabq_event *const ev = mrct_fabq_top(&fab->queue);
    return ev == NULL ? MRC_TIME_NEVER : ev->at_ns;
}

uint64_t mrct_fab_free_ports(const struct mrct_fab *fab, unsigned host)
{
    return fab->host[host].port_free_mask;
}

bool mrct_fab_at_rest(const struct mrct_fab *fab)
{
    return fab->live_events == 0;
}
