/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spraying: every packet takes the next EV of a rotation through the active GOOD EVs. The order is
 * pseudo-random and drawn anew now and then, one swap a packet while a drawing round lasts, so that
 * no packet pays for it. EVs in SKIP, and those on ports that are busy, are jumped over with the
 * help of bitmaps (ev_places.c).
 */
#include "ref/endpoint/ep_int.h"

#define ROUNDS_MIN  4u
#define ROUNDS_SPAN 8u
/* EVs of a retransmission looked at: more than two for each port, as one value may go by all. */
#define RTX_TRIES (2u * MRC_EP_PORTS_MAX + 8u)
/* EVs in SKIP of a port looked at. */
#define SKIP_TRIES 4u

struct mrc_evs *mrc_qp_evs(struct mrc_qp *qp)
{
    return qp->shared_evs ? qp->shared_evs : &qp->evs;
}

/* A round is over: how long the order stays. */
static void wrap(struct mrc_evs *evs, struct mrc_rng *rng)
{
    evs->pos = 0;
    if (evs->draws)
        return;
    if (evs->rounds == 0)
        evs->rounds = (uint8_t)(ROUNDS_MIN + mrc_rng_below(rng, ROUNDS_SPAN));
    evs->rounds--;
}

/* The place is behind us. */
static void go_past(struct mrc_evs *evs, struct mrc_rng *rng, uint16_t place)
{
    evs->pos = (uint16_t)(place + 1);
    if (evs->pos >= evs->active)
        wrap(evs, rng);
}

/* In a drawing round one of those still to come is drawn for the next place, be its port free or
 * not: else the order of the ports would stay, and those that are always passed over, too. */
static void draw(struct mrc_evs *evs, struct mrc_rng *rng)
{
    const uint16_t at = mrc_places_next(evs, evs->good_ports, evs->pos);
    if (at == MRC_EV_NIL)
        return;
    const uint16_t other = (uint16_t)(at + mrc_rng_below(rng, (uint32_t)(evs->active - at)));
    if (mrc_ev_state_of(evs, evs->order[other]) == MRC_EV_GOOD)
        mrc_evs_swap(evs, at, other);
}

/* The next GOOD EV of the rotation by these ports, and one step on. There is one. */
static uint16_t step(struct mrc_evs *evs, struct mrc_rng *rng, uint32_t ports)
{
    if (evs->rounds == 0)
        draw(evs, rng);
    uint16_t at = mrc_places_next(evs, ports, evs->pos);
    if (at == MRC_EV_NIL) {
        wrap(evs, rng);
        at = mrc_places_next(evs, ports, 0);
    }
    go_past(evs, rng, at);
    return evs->order[at];
}

/* The EV that the rotation stands at is in SKIP: this packet passes over it. One a packet. */
static void pass_over(struct mrc_ep *ep, struct mrc_qp *qp, struct mrc_evs *evs, uint64_t now_ns)
{
    if (evs->skipped == 0)
        return;
    mrc_ev_expire_skips(ep, qp, now_ns);
    const uint16_t at = evs->pos;
    if (mrc_ev_state_of(evs, evs->order[at]) != MRC_EV_SKIP)
        return;
    mrc_ev_unskip(ep, qp, evs->order[at], now_ns, MRC_EV_BY_ROTATION);
    go_past(evs, &ep->rng, at);
}

/* The EV that is longest in SKIP by a port, not one of the value *avoid. */
static uint16_t oldest_skip(const struct mrc_evs *evs, unsigned port, const uint32_t *avoid)
{
    uint16_t i = evs->skip[port].head;
    for (unsigned n = 0; n < SKIP_TRIES && i != MRC_EV_NIL; n++, i = evs->rec[i].next)
        if (!avoid || evs->list[i].wire != *avoid)
            return i;
    return MRC_EV_NIL;
}

/* No GOOD EV leaves by a free port: the rotation passes over all it must, so that the one longest
 * in SKIP is GOOD again, and its turn is now. */
static int skipped_one(struct mrc_ep *ep, struct mrc_qp *qp, struct mrc_evs *evs, uint64_t now_ns,
                       uint32_t ports, const uint32_t *avoid)
{
    int best = -1;
    for (uint32_t left = evs->skipped > 0 ? ports & evs->ports : 0; left; left &= left - 1) {
        const uint16_t i = oldest_skip(evs, (unsigned)__builtin_ctz(left), avoid);
        if (i != MRC_EV_NIL && (best < 0 || (int32_t)(evs->rec[i].due - evs->rec[best].due) < 0))
            best = i;
    }
    if (best < 0)
        return -1;
    mrc_ev_unskip(ep, qp, (uint16_t)best, now_ns, MRC_EV_BY_ROTATION);
    go_past(evs, &ep->rng, evs->rec[best].pos);
    return best;
}

/* Free ports by which the peer can be reached. */
static uint32_t usable(const struct mrc_ep *ep, const struct mrc_qp *qp, uint64_t free_ports)
{
    return (uint32_t)free_ports & mrc_ports_up(ep, qp);
}

int mrc_ev_next(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const uint32_t ports = usable(ep, qp, free_ports);
    if ((evs->good_ports & ports) == 0)
        return skipped_one(ep, qp, evs, now_ns, ports, NULL);
    pass_over(ep, qp, evs, now_ns);
    return step(evs, &ep->rng, evs->good_ports & ports);
}

/* One of the next EVs, other than a and b. */
static int next_other(struct mrc_evs *evs, struct mrc_rng *rng, uint32_t ports, uint32_t a,
                      uint32_t b)
{
    for (unsigned tries = 0; tries < RTX_TRIES; tries++) {
        const uint16_t i = step(evs, rng, ports);
        if (evs->list[i].wire != a && evs->list[i].wire != b)
            return i;
    }
    return -1;
}

int mrc_ev_next_rtx(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t now_ns, uint64_t free_ports,
                    uint16_t last, const uint32_t *named, bool strict)
{
    struct mrc_evs *evs = mrc_qp_evs(qp);
    const uint32_t ports = usable(ep, qp, free_ports);
    const uint32_t used = evs->list[last].wire;
    const uint32_t bad = named ? *named : used;
    const bool any = !strict || !named || evs->distinct < 2 || evs->active < 2;
    int i = -1;
    if ((evs->good_ports & ports) != 0) {
        pass_over(ep, qp, evs, now_ns);
        i = next_other(evs, &ep->rng, evs->good_ports & ports, used, bad);
        if (i < 0 && used != bad)
            i = next_other(evs, &ep->rng, evs->good_ports & ports, bad, bad);
    }
    if (i < 0)
        i = skipped_one(ep, qp, evs, now_ns, ports, &bad);
    return i < 0 && any ? mrc_ev_next(ep, qp, now_ns, free_ports) : i;
}
