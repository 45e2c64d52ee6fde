/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The states of EVs (section 9.3, Figure 5). An EV that is withdrawn from the active part is
 * replaced by a backup of its own plane; without one the active part shrinks, down to min_active.
 * An EV that comes back fills a gap of its plane, or becomes a backup.
 *
 * Each EV stands in one list at most: SKIP in its plane's, in order of the time-outs, ASSUMED_BAD
 * in that of its back-off step (one interval a list, so that each is in order of time), a backup in
 * its plane's.
 */
#include "ref/endpoint/ep_int.h"

#define DUE_SHIFT 10u /* ns to units of 1.024 us */

/* ---- lists ---- */

static void fifo_push(struct mrc_evs *evs, struct mrc_ev_fifo *f, uint16_t i)
{
    evs->rec[i].next = MRC_EV_NIL;
    evs->rec[i].prev = f->tail;
    if (f->tail != MRC_EV_NIL)
        evs->rec[f->tail].next = i;
    else
        f->head = i;
    f->tail = i;
}

static void fifo_push_front(struct mrc_evs *evs, struct mrc_ev_fifo *f, uint16_t i)
{
    evs->rec[i].prev = MRC_EV_NIL;
    evs->rec[i].next = f->head;
    if (f->head != MRC_EV_NIL)
        evs->rec[f->head].prev = i;
    else
        f->tail = i;
    f->head = i;
}

static void fifo_remove(struct mrc_evs *evs, struct mrc_ev_fifo *f, uint16_t i)
{
    const struct mrc_ev_rec *rec = &evs->rec[i];
    if (rec->prev != MRC_EV_NIL)
        evs->rec[rec->prev].next = rec->next;
    else
        f->head = rec->next;
    if (rec->next != MRC_EV_NIL)
        evs->rec[rec->next].prev = rec->prev;
    else
        f->tail = rec->prev;
}

static bool is_active(const struct mrc_evs *evs, uint16_t i)
{
    return evs->rec[i].pos < evs->active;
}

enum mrc_ev_state mrc_ev_state_of(const struct mrc_evs *evs, uint16_t i)
{
    return (enum mrc_ev_state)evs->rec[i].state;
}

/* The list that the EV's state puts it into; NULL: none. */
static struct mrc_ev_fifo *list_of(struct mrc_evs *evs, uint16_t i)
{
    switch (mrc_ev_state_of(evs, i)) {
    case MRC_EV_GOOD:
        return is_active(evs, i) ? NULL : &evs->backup[evs->list[i].port];
    case MRC_EV_SKIP:
        return &evs->skip[evs->list[i].port];
    case MRC_EV_ASSUMED_BAD:
        return &evs->probe[evs->rec[i].level];
    case MRC_EV_DENIED:
    case MRC_EV_STATES:
        break;
    }
    return NULL;
}

static void leave_list(struct mrc_evs *evs, uint16_t i)
{
    struct mrc_ev_fifo *f = list_of(evs, i);
    if (f)
        fifo_remove(evs, f, i);
    evs->skipped = (uint16_t)(evs->skipped - (evs->rec[i].state == MRC_EV_SKIP));
    evs->bad = (uint16_t)(evs->bad - (evs->rec[i].state == MRC_EV_ASSUMED_BAD));
}

static void enter_list(struct mrc_evs *evs, uint16_t i)
{
    struct mrc_ev_fifo *f = list_of(evs, i);
    if (f)
        fifo_push(evs, f, i);
    evs->skipped = (uint16_t)(evs->skipped + (evs->rec[i].state == MRC_EV_SKIP));
    evs->bad = (uint16_t)(evs->bad + (evs->rec[i].state == MRC_EV_ASSUMED_BAD));
}

/* ---- the order and its bitmap ---- */

void mrc_evs_swap(struct mrc_evs *evs, uint16_t a, uint16_t b)
{
    const uint16_t i = evs->order[a];
    const uint16_t j = evs->order[b];
    const unsigned port_i = evs->list[i].port;
    const unsigned port_j = evs->list[j].port;
    const bool good_i = mrc_places_has(evs, port_i, a);
    const bool good_j = mrc_places_has(evs, port_j, b);
    evs->order[a] = j;
    evs->order[b] = i;
    evs->rec[j].pos = a;
    evs->rec[i].pos = b;
    if (a == b || (good_i == good_j && port_i == port_j))
        return;
    if (good_i)
        mrc_places_remove(evs, port_i, a);
    if (good_j)
        mrc_places_remove(evs, port_j, b);
    if (good_i)
        mrc_places_add(evs, port_i, b);
    if (good_j)
        mrc_places_add(evs, port_j, a);
}

static void set_good(struct mrc_evs *evs, uint16_t i)
{
    const uint8_t port = evs->list[i].port;
    mrc_places_add(evs, port, evs->rec[i].pos);
    evs->good_on[port]++;
    evs->good_ports |= UINT32_C(1) << port;
}

static void clear_good(struct mrc_evs *evs, uint16_t i)
{
    const uint8_t port = evs->list[i].port;
    if (!mrc_places_has(evs, port, evs->rec[i].pos))
        return;
    mrc_places_remove(evs, port, evs->rec[i].pos);
    if (--evs->good_on[port] == 0)
        evs->good_ports &= ~(UINT32_C(1) << port);
}

static void count_active(struct mrc_evs *evs, unsigned port, int step)
{
    evs->active_on[port] = (uint16_t)(evs->active_on[port] + step);
    if (evs->active_on[port] > 0)
        evs->active_ports |= UINT32_C(1) << port;
    else
        evs->active_ports &= ~(UINT32_C(1) << port);
}

void mrc_evs_file(struct mrc_evs *evs, uint16_t i)
{
    if (is_active(evs, i)) {
        set_good(evs, i);
        count_active(evs, evs->list[i].port, 1);
    }
    enter_list(evs, i);
}

/* ---- into the active part, and out of it ---- */

/* The EV is in no list and GOOD: into the rotation if its plane misses one, else a backup. */
static void take_back(struct mrc_evs *evs, uint16_t i)
{
    const uint8_t port = evs->list[i].port;
    evs->rec[i].state = MRC_EV_GOOD;
    evs->rec[i].score = 0;
    if (evs->active_on[port] < evs->wanted_on[port]) {
        mrc_evs_swap(evs, evs->rec[i].pos, evs->active);
        evs->active++;
        count_active(evs, port, 1);
        set_good(evs, i);
    } else {
        enter_list(evs, i);
    }
}

/* Takes an active EV out; a backup of its plane, never of another one, takes its place. */
static void withdraw(struct mrc_evs *evs, uint16_t i)
{
    const uint8_t port = evs->list[i].port;
    const uint16_t b = evs->backup[port].head;
    evs->promoted = b;
    clear_good(evs, i);
    if (b != MRC_EV_NIL) {
        fifo_remove(evs, &evs->backup[port], b);
        mrc_evs_swap(evs, evs->rec[i].pos, evs->rec[b].pos);
        set_good(evs, b);
        return;
    }
    evs->active--;
    count_active(evs, port, -1);
    mrc_evs_swap(evs, evs->rec[i].pos, evs->active);
    if (evs->pos >= evs->active)
        evs->pos = 0;
}

/* ---- time ---- */

static uint32_t due_at(uint64_t ns)
{
    return (uint32_t)(ns >> DUE_SHIFT) + 1;
}

static bool due_passed(uint32_t due, uint64_t now_ns)
{
    return (int32_t)((uint32_t)(now_ns >> DUE_SHIFT) - due) >= 0;
}

static uint64_t due_ns(uint32_t due, uint64_t now_ns)
{
    const int32_t left = (int32_t)(due - (uint32_t)(now_ns >> DUE_SHIFT));
    return left > 0 ? ((now_ns >> DUE_SHIFT) + (uint64_t)left) << DUE_SHIFT : now_ns;
}

static uint64_t probe_wait(const struct mrc_ep *ep, const struct mrc_qp *qp, uint8_t level)
{
    const uint64_t base = ep->cfg.ev.probe_ns ? ep->cfg.ev.probe_ns : mrc_retry_wait(qp, 0);
    const uint64_t most = ep->cfg.ev.probe_max_ns > base ? ep->cfg.ev.probe_max_ns : base;
    return base << level < most ? base << level : most;
}

/* ---- a table's alone ---- */

bool mrc_evs_deny(struct mrc_evs *evs, uint16_t i)
{
    if (mrc_ev_state_of(evs, i) == MRC_EV_DENIED)
        return false;
    leave_list(evs, i);
    if (is_active(evs, i))
        withdraw(evs, i);
    evs->rec[i].state = MRC_EV_DENIED;
    return true;
}

bool mrc_evs_allow(struct mrc_evs *evs, uint16_t i)
{
    const enum mrc_ev_state from = mrc_ev_state_of(evs, i);
    if (from != MRC_EV_ASSUMED_BAD && from != MRC_EV_DENIED)
        return false;
    leave_list(evs, i);
    take_back(evs, i);
    return true;
}

static void unskip(struct mrc_evs *evs, uint16_t i)
{
    leave_list(evs, i);
    evs->rec[i].state = MRC_EV_GOOD;
    set_good(evs, i);
}

bool mrc_evs_renew(struct mrc_evs *evs, uint16_t i)
{
    evs->rec[i].drops = 0;
    evs->rec[i].score = 0;
    if (mrc_ev_state_of(evs, i) != MRC_EV_SKIP)
        return mrc_evs_allow(evs, i);
    unskip(evs, i);
    return true;
}

/* ---- the edges ---- */

/* A plane got its first active EV, or lost its last one: other QPs of the profile may have to use
 * other ports (Q25 b). The QP itself is settled by whoever brought the news. */
static void others_follow(struct mrc_ep *ep, const struct mrc_qp *qp, uint32_t ports_before)
{
    if (qp->shared_evs && qp->shared_evs->active_ports != ports_before)
        mrc_ev_profile_regroup(ep, qp->ev_set);
}

void mrc_ev_skip(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                 enum mrc_ev_cause why)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const enum mrc_ev_state from = mrc_ev_state_of(evs, i);
    if (!is_active(evs, i))
        return; /* a backup carries nothing; the others are worse off */
    leave_list(evs, i);
    clear_good(evs, i);
    evs->rec[i].state = MRC_EV_SKIP;
    evs->rec[i].due = due_at(now_ns + ep->cfg.ev.skip_timeout_ns);
    enter_list(evs, i);
    if (from != MRC_EV_SKIP)
        mrc_ev_changed(ep, qp, i, from, now_ns, why);
}

void mrc_ev_unskip(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                   enum mrc_ev_cause why)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    unskip(evs, i);
    mrc_ev_changed(ep, qp, i, MRC_EV_SKIP, now_ns, why);
}

void mrc_ev_expire_skips(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    for (uint32_t left = evs->ports; left; left &= left - 1) {
        const struct mrc_ev_fifo *f = &evs->skip[__builtin_ctz(left)];
        while (f->head != MRC_EV_NIL && due_passed(evs->rec[f->head].due, now_ns))
            mrc_ev_unskip(ep, qp, f->head, now_ns, MRC_EV_BY_SKIP_TIMEOUT);
    }
}

void mrc_ev_assume_bad(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                       enum mrc_ev_cause why)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const enum mrc_ev_state from = mrc_ev_state_of(evs, i);
    if (from != MRC_EV_GOOD && from != MRC_EV_SKIP)
        return;
    const bool active = is_active(evs, i);
    const bool backup = evs->backup[evs->list[i].port].head != MRC_EV_NIL;
    if (active && !backup && evs->active <= evs->min_active)
        return;
    const uint32_t ports = evs->active_ports;
    leave_list(evs, i);
    if (active)
        withdraw(evs, i);
    evs->rec[i].state = MRC_EV_ASSUMED_BAD;
    evs->rec[i].level = 0;
    evs->rec[i].due = due_at(now_ns + probe_wait(ep, qp, 0));
    enter_list(evs, i);
    others_follow(ep, qp, ports);
    mrc_ev_changed(ep, qp, i, from, now_ns, why);
}

void mrc_ev_restore(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns,
                    enum mrc_ev_cause why)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const enum mrc_ev_state from = mrc_ev_state_of(evs, i);
    if (from == MRC_EV_DENIED && why != MRC_EV_BY_CONTROLLER)
        return;
    const uint32_t ports = evs->active_ports;
    if (!mrc_evs_allow(evs, i))
        return;
    others_follow(ep, qp, ports);
    mrc_ev_changed(ep, qp, i, from, now_ns, why);
}

void mrc_ev_deny(struct mrc_ep *ep, struct mrc_qp *qp, uint16_t i, uint64_t now_ns)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const enum mrc_ev_state from = mrc_ev_state_of(evs, i);
    const uint32_t ports = evs->active_ports;
    if (!mrc_evs_deny(evs, i))
        return;
    others_follow(ep, qp, ports);
    mrc_ev_changed(ep, qp, i, from, now_ns, MRC_EV_BY_CONTROLLER);
}

/* ---- probes of those in ASSUMED_BAD ---- */

static int first_level(const struct mrc_evs *evs)
{
    int best = -1;
    for (int n = 0; evs->bad > 0 && n < (int)MRC_EV_LEVELS; n++) {
        const uint16_t i = evs->probe[n].head;
        if (i == MRC_EV_NIL)
            continue;
        if (best < 0 || (int32_t)(evs->rec[i].due - evs->rec[evs->probe[best].head].due) < 0)
            best = n;
    }
    return best;
}

int mrc_ev_probe_due(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const int n = first_level(evs);
    if (n < 0)
        return -1;
    const uint16_t i = evs->probe[n].head;
    struct mrc_ev_rec *rec = &evs->rec[i];
    if (!due_passed(rec->due, now_ns))
        return -1;
    fifo_remove(evs, &evs->probe[n], i);
    if (rec->level + 1u < MRC_EV_LEVELS)
        rec->level++;
    rec->due = due_at(now_ns + probe_wait(ep, qp, rec->level));
    fifo_push(evs, &evs->probe[rec->level], i);
    return i;
}

void mrc_ev_probe_soon(struct mrc_qp *qp, uint64_t now_ns, uint32_t ports)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    for (uint16_t i = 0; i < evs->count; i++) {
        struct mrc_ev_rec *rec = &evs->rec[i];
        if (rec->state != MRC_EV_ASSUMED_BAD || !(ports >> evs->list[i].port & 1u))
            continue;
        fifo_remove(evs, &evs->probe[rec->level], i);
        rec->level = 0;
        rec->due = (uint32_t)(now_ns >> DUE_SHIFT);
        fifo_push_front(evs, &evs->probe[0], i);
    }
}

uint64_t mrc_ev_deadline(const struct mrc_ep *ep, const struct mrc_qp *qp)
{
    const struct mrc_evs *evs = qp->shared_evs ? qp->shared_evs : &qp->evs;
    const int n = first_level(evs);
    return n < 0 ? MRC_TIME_NEVER : due_ns(evs->rec[evs->probe[n].head].due, ep->now_ns);
}
