/* SPDX-License-Identifier: BSD-2-Clause */
/* The EVs of a QP or a profile as a table: made, shared, and found by what a peer reflects. */
#include "ref/endpoint/ep_int.h"

/* ---- the list, and finding an EV by what a peer reflects ---- */

static uint32_t wire_value(const struct mrc_ep *ep, const struct mrc_ev *ev)
{
    uint16_t src_port;
    uint32_t flow_label;
    mrc_ev_to_fields(&ep->cfg.wire, ev->value, &src_port, &flow_label);
    return mrc_ev_from_fields(&ep->cfg.wire, src_port, flow_label,
                              ep->cfg.port_addr[ev->port].is_v6);
}

static uint32_t hash_of(const struct mrc_evs *evs, uint32_t wire)
{
    return (uint32_t)((wire * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & evs->wire_mask;
}

static void hash_add(struct mrc_evs *evs, uint16_t i)
{
    uint32_t at = hash_of(evs, evs->list[i].wire);
    while (evs->by_wire[at] != MRC_EV_NIL)
        at = (at + 1) & evs->wire_mask;
    evs->by_wire[at] = i;
}

static void clear_hash(struct mrc_evs *evs)
{
    for (uint32_t at = 0; at <= evs->wire_mask; at++)
        evs->by_wire[at] = MRC_EV_NIL;
}

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

/* One of several EVs of the same value cannot be told from the others. */
static int alone(const struct mrc_evs *evs, uint32_t at, uint32_t wire)
{
    const int found = evs->by_wire[at];
    for (at = (at + 1) & evs->wire_mask; evs->by_wire[at] != MRC_EV_NIL;
         at = (at + 1) & evs->wire_mask)
        if (evs->list[evs->by_wire[at]].wire == wire)
            return -1;
    return found;
}

int mrc_ev_of_wire(const struct mrc_evs *evs, int last, uint32_t wire)
{
    if (last >= 0 && evs->list[last].wire == wire)
        return last;
    for (uint32_t at = hash_of(evs, wire); evs->by_wire[at] != MRC_EV_NIL;
         at = (at + 1) & evs->wire_mask)
        if (evs->list[evs->by_wire[at]].wire == wire)
            return alone(evs, at, wire);
    return -1;
}

int mrc_ev_index(const struct mrc_evs *evs, uint32_t value, unsigned port)
{
    for (uint32_t at = hash_of(evs, value); evs->by_wire[at] != MRC_EV_NIL;
         at = (at + 1) & evs->wire_mask) {
        const struct mrc_ev_entry *e = &evs->list[evs->by_wire[at]];
        if (e->value == value && e->port == port)
            return evs->by_wire[at];
    }
    return -1;
}

/* ---- making the table ---- */

static int alloc_states(struct mrc_ep *ep, struct mrc_evs *evs, uint32_t count)
{
    evs->count = (uint16_t)count;
    evs->rec = mrc_ep_alloc(ep, count, sizeof *evs->rec);
    evs->order = mrc_ep_alloc(ep, count, sizeof *evs->order);
    return mrc_places_init(ep, evs) && evs->rec && evs->order ? MRC_EP_OK : MRC_EP_ENOMEM;
}

static int alloc_list(struct mrc_ep *ep, struct mrc_evs *evs, uint32_t count)
{
    const uint32_t hash = mrc_pow2_at_least(2 * count);
    evs->list = mrc_ep_alloc(ep, count, sizeof *evs->list);
    evs->by_wire = mrc_ep_alloc(ep, hash, sizeof *evs->by_wire);
    if (!evs->list || !evs->by_wire)
        return MRC_EP_ENOMEM;
    evs->wire_mask = hash - 1;
    clear_hash(evs);
    for (uint32_t n = count - 1; n; n >>= 1)
        evs->index_bits++;
    return MRC_EP_OK;
}

static void empty_lists(struct mrc_evs *evs)
{
    const struct mrc_ev_fifo none = {MRC_EV_NIL, MRC_EV_NIL};
    evs->promoted = MRC_EV_NIL;
    for (unsigned i = 0; i < MRC_EV_LEVELS; i++)
        evs->probe[i] = none;
    for (unsigned i = 0; i < MRC_EP_PORTS_MAX; i++)
        evs->backup[i] = evs->skip[i] = none;
}

static void fill_list(const struct mrc_ep *ep, struct mrc_evs *evs, const struct mrc_ev *list)
{
    for (uint16_t i = 0; i < evs->count; i++) {
        evs->list[i] = (struct mrc_ev_entry){
            .value = list[i].value, .wire = wire_value(ep, &list[i]), .port = list[i].port};
        hash_add(evs, i);
    }
    count_distinct(evs);
}

/* A list that names a plane after the other would have a busy port pass over whole planes. */
static void shuffle(struct mrc_evs *evs, struct mrc_rng *rng)
{
    for (uint16_t p = 0; p < evs->count; p++)
        mrc_evs_swap(evs, p, (uint16_t)(p + mrc_rng_below(rng, (uint32_t)(evs->count - p))));
}

/* As many on each plane, the first in the order. */
static void choose_active(struct mrc_evs *evs, unsigned active)
{
    const unsigned planes = (unsigned)__builtin_popcount(evs->ports);
    const unsigned each = active / planes > 0 ? active / planes : 1;
    for (uint16_t p = 0; p < evs->count; p++) {
        const uint8_t port = evs->list[evs->order[p]].port;
        if (evs->wanted_on[port] >= each)
            continue;
        evs->wanted_on[port]++;
        mrc_evs_swap(evs, p, evs->active++);
    }
}

static void choose_all(struct mrc_evs *evs)
{
    for (uint16_t i = 0; i < evs->count; i++)
        evs->wanted_on[evs->list[i].port]++;
    evs->active = evs->count;
}

static void start_states(struct mrc_ep *ep, struct mrc_evs *evs, unsigned active,
                         unsigned min_active)
{
    empty_lists(evs);
    for (uint16_t i = 0; i < evs->count; i++)
        evs->rec[i].pos = evs->order[i] = i;
    shuffle(evs, &ep->rng);
    if (active > 0 && active < evs->count)
        choose_active(evs, active);
    else
        choose_all(evs);
    for (uint16_t p = 0; p < evs->count; p++)
        mrc_evs_file(evs, evs->order[p]);
    const unsigned quarter = evs->active / 4u > 0 ? evs->active / 4u : 1u;
    evs->min_active = (uint16_t)(min_active > 0 ? min_active : quarter);
}

int mrc_evs_init(struct mrc_ep *ep, struct mrc_evs *evs, const struct mrc_ev *list, unsigned count,
                 unsigned active, unsigned min_active)
{
    if (!list || count < 1 || count > MRC_EV_COUNT_MAX || active > count || min_active > count)
        return MRC_EP_EINVAL;
    for (unsigned i = 0; i < count; i++) {
        if (list[i].port >= ep->cfg.ports)
            return MRC_EP_EINVAL;
        evs->ports |= UINT32_C(1) << list[i].port;
    }
    int err = alloc_states(ep, evs, count);
    if (err == MRC_EP_OK)
        err = alloc_list(ep, evs, count);
    if (err != MRC_EP_OK)
        return err;
    fill_list(ep, evs, list);
    start_states(ep, evs, active, min_active);
    return MRC_EP_OK;
}

int mrc_evs_share(struct mrc_ep *ep, struct mrc_evs *evs, struct mrc_evs *table, unsigned active,
                  unsigned min_active, bool with_states)
{
    *evs = (struct mrc_evs){.list = table->list,
                            .by_wire = table->by_wire,
                            .outer = table->outer,
                            .srh = table->srh,
                            .borrowed = true,
                            .count = table->count,
                            .wire_mask = table->wire_mask,
                            .distinct = table->distinct,
                            .index_bits = table->index_bits,
                            .ports = table->ports,
                            .profile = table->profile,
                            .events = table->events};
    table->draws = with_states;
    if (with_states)
        return MRC_EP_OK;
    const int err = alloc_states(ep, evs, table->count);
    if (err != MRC_EP_OK)
        return err;
    start_states(ep, evs, active, min_active);
    for (uint16_t i = 0; i < table->count; i++)
        if (mrc_ev_state_of(table, i) == MRC_EV_DENIED)
            mrc_evs_deny(evs, i);
    return MRC_EP_OK;
}

void mrc_evs_rename(struct mrc_ep *ep, struct mrc_evs *evs, uint16_t i, uint32_t value)
{
    struct mrc_ev_entry *e = &evs->list[i];
    e->value = value;
    e->wire = wire_value(ep, &(struct mrc_ev){.value = value, .port = e->port});
    e->age++;
    clear_hash(evs);
    for (uint16_t k = 0; k < evs->count; k++)
        hash_add(evs, k);
    count_distinct(evs);
}

void mrc_evs_fini(struct mrc_ep *ep, struct mrc_evs *evs)
{
    if (!evs->borrowed) {
        mrc_ep_dealloc(ep, evs->list);
        mrc_ep_dealloc(ep, evs->by_wire);
    }
    mrc_ep_dealloc(ep, evs->rec);
    mrc_ep_dealloc(ep, evs->order);
    mrc_ep_dealloc(ep, evs->places);
    *evs = (struct mrc_evs){0};
}
