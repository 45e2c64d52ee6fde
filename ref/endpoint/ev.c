/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spraying: every packet takes the next EV of a rotation. The order is pseudo-random and drawn anew
 * now and then, one swap a packet while a drawing round lasts, so that no packet pays for it.
 */
#include "ref/endpoint/ep_int.h"

#define ROUNDS_MIN  4u
#define ROUNDS_SPAN 8u

static void count_distinct(struct mrc_evs *evs)
{
    const uint32_t first = evs->list[0].wire;
    uint32_t second = first;
    evs->distinct = 1;
    for (uint16_t i = 1; i < evs->count && evs->distinct < 3; i++) {
        const uint32_t w = evs->list[i].wire;
        if (w == first || (evs->distinct == 2 && w == second))
            continue;
        second = w;
        evs->distinct++;
    }
}

static uint32_t wire_value(const struct mrc_ep *ep, const struct mrc_ev *ev)
{
    uint16_t src_port;
    uint32_t flow_label;
    mrc_ev_to_fields(&ep->cfg.wire, ev->value, &src_port, &flow_label);
    return mrc_ev_from_fields(&ep->cfg.wire, src_port, flow_label,
                              ep->cfg.port_addr[ev->port].is_v6);
}

int mrc_evs_init(struct mrc_ep *ep, struct mrc_evs *evs, const struct mrc_ev *list, unsigned count)
{
    if (!list || count < 1 || count >= UINT16_MAX)
        return MRC_EP_EINVAL;
    for (unsigned i = 0; i < count; i++)
        if (list[i].port >= ep->cfg.ports)
            return MRC_EP_EINVAL;
    evs->list = mrc_ep_alloc(ep, count, sizeof *evs->list);
    evs->order = mrc_ep_alloc(ep, count, sizeof *evs->order);
    if (!evs->list || !evs->order)
        return MRC_EP_ENOMEM;
    evs->count = (uint16_t)count;
    for (uint16_t i = 0; i < evs->count; i++) {
        evs->list[i] = (struct mrc_ev_entry){
            .value = list[i].value, .wire = wire_value(ep, &list[i]), .port = list[i].port};
        evs->order[i] = i;
        evs->ports |= UINT32_C(1) << list[i].port;
    }
    count_distinct(evs);
    return MRC_EP_OK;
}

void mrc_evs_fini(struct mrc_ep *ep, struct mrc_evs *evs)
{
    mrc_ep_dealloc(ep, evs->list);
    mrc_ep_dealloc(ep, evs->order);
    *evs = (struct mrc_evs){0};
}

/* The EV at the front of the rotation, and one step on. */
static uint16_t step(struct mrc_evs *evs, struct mrc_rng *rng)
{
    const uint16_t pos = evs->pos;
    if (evs->rounds == 0) {
        const uint16_t other = (uint16_t)(pos + mrc_rng_below(rng, (uint32_t)(evs->count - pos)));
        const uint16_t swap = evs->order[other];
        evs->order[other] = evs->order[pos];
        evs->order[pos] = swap;
    }
    evs->pos++;
    if (evs->pos == evs->count) {
        evs->pos = 0;
        if (evs->rounds == 0)
            evs->rounds = (uint8_t)(ROUNDS_MIN + mrc_rng_below(rng, ROUNDS_SPAN));
        evs->rounds--;
    }
    return evs->order[pos];
}

static bool port_free(const struct mrc_evs *evs, uint16_t i, uint64_t free_ports)
{
    return (free_ports >> evs->list[i].port & 1u) != 0;
}

int mrc_evs_next(struct mrc_evs *evs, struct mrc_rng *rng, uint64_t free_ports)
{
    if ((evs->ports & free_ports) == 0)
        return -1;
    for (;;) {
        const uint16_t i = step(evs, rng);
        if (port_free(evs, i, free_ports))
            return i;
    }
}

/* One round at most through EVs other than a and b. */
static int next_other(struct mrc_evs *evs, struct mrc_rng *rng, uint64_t free_ports, uint32_t a,
                      uint32_t b)
{
    if ((evs->ports & free_ports) == 0)
        return -1;
    for (uint32_t tries = 0; tries < 2u * evs->count; tries++) {
        const uint16_t i = step(evs, rng);
        const uint32_t w = evs->list[i].wire;
        if (port_free(evs, i, free_ports) && w != a && w != b)
            return i;
    }
    return -1;
}

int mrc_evs_next_rtx(struct mrc_evs *evs, struct mrc_rng *rng, uint64_t free_ports, uint16_t last,
                     const uint32_t *named, bool strict)
{
    const uint32_t used = evs->list[last].wire;
    const uint32_t bad = named ? *named : used;
    int i = next_other(evs, rng, free_ports, used, bad);
    if (i < 0 && used != bad)
        i = next_other(evs, rng, free_ports, bad, bad);
    if (i < 0 && (!strict || !named || evs->distinct < 2))
        i = mrc_evs_next(evs, rng, free_ports);
    return i;
}
