/* SPDX-License-Identifier: BSD-2-Clause */
/* The uSIDs of switches and ports, and the templates that make them of EVs. */
#include "harness/sim/sim_priv.h"

/* Of what counts from 1 to n. */
static unsigned bits_from_one(unsigned n)
{
    return sim_bits_for(n + 1);
}

struct sim_usid_widths sim_usid_widths(const struct mrct_scene_topology *t)
{
    struct sim_usid_widths w = {.t1_pod = t->t1 / t->pods, .t0_pod = t->t0 / t->pods};
    w.t2_group = t->t2 > 0 ? t->t2 / w.t1_pod : 0;
    w.t1 = bits_from_one(w.t1_pod);
    w.t2 = t->t2 > 0 ? bits_from_one(w.t2_group) : 0;
    return w;
}

uint16_t sim_usid_of(const struct mrct_scene_topology *t, unsigned tier, unsigned plane,
                     unsigned index)
{
    const struct sim_usid_widths w = sim_usid_widths(t);
    unsigned code = index + 1;
    if (tier == 1)
        code = index / w.t1_pod << w.t1 | (index % w.t1_pod + 1);
    else if (tier == 2)
        code = (index / w.t2_group + 1) << w.t2 | (index % w.t2_group + 1);
    return SIM_USID(tier, plane, code);
}

/* The i-th of a QP, from 0: the T1's place, and where there are T2s, theirs. */
uint32_t sim_srv6_ev(const struct mrct_sim *sim, unsigned i)
{
    const struct sim_usid_widths w = sim_usid_widths(&sim->scene->topology);
    const unsigned t1 = w.t1_pod > 0 ? i % w.t1_pod : 0, t2 = w.t1_pod > 0 ? i / w.t1_pod : 0;
    return (t1 + 1) | (w.t2_group > 0 ? (t2 % w.t2_group + 1) << w.t1 : 0);
}

/* Ways that EVs can tell apart in a plane. */
unsigned sim_srv6_ways(const struct mrct_sim *sim)
{
    const struct sim_usid_widths w = sim_usid_widths(&sim->scene->topology);
    const unsigned ways = w.t1_pod * (w.t2_group > 0 ? w.t2_group : 1);
    return ways > 0 ? ways : 1;
}

static void add(struct mrc_srv6_template *s, uint16_t usid)
{
    s->usid[s->usid_count++] = usid;
}

/* Up to a T2 and down in the other pod: the place of the T1 is the same on both sides. */
static void over_t2(struct mrc_srv6_template *s, const struct sim_usid_widths *w, unsigned pod)
{
    const uint8_t t1 = (uint8_t)w->t1, t2 = (uint8_t)w->t2;
    s->more[0] = (struct mrc_srv6_field){s->usid_count, 0, t2, t1};
    s->more[1] = (struct mrc_srv6_field){s->usid_count, t2, t1, 0};
    add(s, SIM_USID(2, 0, 0));
    s->more[2] = (struct mrc_srv6_field){s->usid_count, 0, t1, 0};
    add(s, SIM_USID(1, 0, pod << w->t1));
    s->more_count = 3;
}

struct mrc_srv6_template sim_srv6_template(const struct mrct_sim *sim, uint32_t from, uint32_t to)
{
    const struct mrct_scene_topology *const t = &sim->scene->topology;
    const struct sim_usid_widths w = sim_usid_widths(t);
    const unsigned here = from / t->hosts_per_t0, there = to / t->hosts_per_t0;
    struct mrc_srv6_template s = {
        .locator = {SIM_LOCATOR >> 24, SIM_LOCATOR >> 16 & 0xFF, SIM_LOCATOR >> 8 & 0xFF,
                    SIM_LOCATOR & 0xFF},
        .plane_shift = SIM_USID_BITS,
        .plane_bits = 4,
    };
    add(&s, sim_usid_of(t, 0, 0, here));
    if (here != there) {
        s.tier1 = s.usid_count;
        s.uplink_bits = (uint8_t)w.t1;
        add(&s, SIM_USID(1, 0, here / w.t0_pod << w.t1));
        if (here / w.t0_pod != there / w.t0_pod)
            over_t2(&s, &w, there / w.t0_pod);
        add(&s, sim_usid_of(t, 0, 0, there));
    }
    add(&s, SIM_USID(3, 0, to % t->hosts_per_t0 + 1));
    return s;
}

/* The place of a neighbour among the ports of a switch, as its uSID would have it. */
static uint32_t port_by_code(const struct mrct_sim *sim, const struct sim_switch *w, unsigned tier,
                             unsigned code)
{
    const struct sim_usid_widths u = sim_usid_widths(&sim->scene->topology);
    const unsigned low_t1 = (code & ((1u << u.t1) - 1)) - 1;
    if (w->tier == 0)
        return tier == 3 ? w->down_first + code - 1 : w->up_first + low_t1;
    if (w->tier == 1)
        return tier == 2 ? w->up_first + (code & ((1u << u.t2) - 1)) - 1
                         : w->down_first + code - 1 - w->edge_first;
    return w->down_first + (code >> u.t1);
}

uint32_t sim_usid_port(const struct mrct_sim *sim, const struct sim_switch *w, uint32_t usid)
{
    const uint32_t last = w->down_first + w->down_count + w->up_count;
    const uint32_t tier = usid >> 14, code = usid & ((1u << SIM_USID_BITS) - 1);
    const uint32_t plane = usid >> SIM_USID_BITS & 0xFu;
    if (plane != w->plane)
        return SIM_NONE;
    const uint32_t id = port_by_code(sim, w, tier, code);
    if (id < w->down_first || id >= last)
        return SIM_NONE;
    const struct sim_port *const p = &sim->ports[id];
    if (p->to_host)
        return tier == 3 && w->tier == 0 ? id : SIM_NONE;
    return sim->switches[p->to].usid == usid ? id : SIM_NONE;
}
