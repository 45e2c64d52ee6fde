/* SPDX-License-Identifier: BSD-2-Clause */
/* Which port a switch chooses: by hash, by the EV's bits for its tier, or by the uSIDs of SRv6. */
#include "harness/sim/sim_priv.h"

#include <string.h>

#define HOPS_MAX    32u
#define DST_AT      24u /* of the destination in an IPv6 header */
#define SRH_LEFT_AT 3u  /* of segments left in a routing header */
#define SRH_SEG_AT  8u
#define EV_BITS     32u

static uint32_t be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

unsigned sim_bits_for(uint32_t n)
{
    unsigned bits = 0;
    while ((UINT32_C(1) << bits) < n)
        bits++;
    return bits;
}

static uint32_t by_hash(const struct sim_switch *w, const struct sim_pkt *pkt, uint32_t count)
{
    const uint64_t h = (uint64_t)(pkt->hash ^ w->seed) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)((h >> 32) * count >> 32);
}

/* The EV's fields stand most significant first, tier 0's before tier 1's. */
static uint32_t by_field(const struct sim_switch *w, const struct sim_pkt *pkt, uint32_t count)
{
    const unsigned width = sim_bits_for(count), before = w->field_at;
    if (before + width > EV_BITS || width == 0)
        return 0;
    return (pkt->entropy << before >> (EV_BITS - width)) % count;
}

static uint32_t pick(const struct mrct_sim *sim, const struct sim_switch *w,
                     const struct sim_pkt *pkt, uint32_t count)
{
    if (count == 1)
        return 0;
    return sim->scene->forwarding == MRCT_FORWARD_STRUCTURED ? by_field(w, pkt, count)
                                                             : by_hash(w, pkt, count);
}

static uint32_t by_route(const struct mrct_sim *sim, const struct sim_switch *w,
                         const struct sim_pkt *pkt)
{
    if (pkt->edge == w->index)
        return w->down_first + pkt->local;
    const struct sim_graph *const g = sim->graph;
    const struct sim_route *const r = &g->routes[(size_t)w->index * sim->switch_count + pkt->edge];
    return r->count > 0 ? g->next[r->first + pick(sim, w, pkt, r->count)] : SIM_NONE;
}

static uint32_t by_address(const struct mrct_sim *sim, const struct sim_switch *w,
                           const struct sim_pkt *pkt)
{
    if (pkt->dst == SIM_NONE)
        return SIM_NONE;
    if (sim->graph != NULL)
        return by_route(sim, w, pkt);
    const uint32_t below = pkt->edge - w->edge_first;
    if (below < w->edge_count)
        return w->down_first + (w->tier == 0 ? pkt->local : below / w->edge_step);
    return w->up_count > 0 ? w->up_first + pick(sim, w, pkt, w->up_count) : SIM_NONE;
}

/* The carrier is used up: the next segment of the routing header, if one is left. */
static bool next_segment(struct mrct_sim *sim, const struct sim_pkt *pkt, uint8_t *ip)
{
    uint8_t *const srh = ip + MRC_IPV6_LEN;
    (void)pkt;
    if (ip[6] != 43 || srh[SRH_LEFT_AT] == 0)
        return false;
    srh[SRH_LEFT_AT]--;
    memcpy(ip + DST_AT, srh + SRH_SEG_AT + (size_t)16 * srh[SRH_LEFT_AT], 16);
    sim->account.srv6_segments++;
    return true;
}

/* Returns the port, or SIM_NONE with the counter of what was wrong. */
static uint32_t by_usid(struct mrct_sim *sim, const struct sim_switch *w, struct sim_pkt *pkt,
                        uint64_t **counter)
{
    uint8_t *const ip = pkt->frame.hdr + pkt->ip_at;
    uint8_t *const dst = ip + DST_AT;
    const uint32_t locator = be16(dst) << 16 | be16(dst + 2);
    *counter = &sim->account.srv6_foreign;
    if (locator != SIM_LOCATOR || be16(dst + 4) != w->usid)
        return SIM_NONE;
    memmove(dst + 4, dst + 6, 10);
    dst[14] = dst[15] = 0;
    if (be16(dst + 4) == 0 && !next_segment(sim, pkt, ip)) {
        *counter = &sim->account.srv6_spent;
        return SIM_NONE;
    }
    *counter = &sim->account.dropped_route;
    return sim_usid_port(sim, w, be16(dst + 4));
}

uint32_t sim_route(const struct mrct_sim *sim, uint32_t sw, const struct sim_pkt *pkt)
{
    return pkt->srv6 ? SIM_NONE : by_address(sim, &sim->switches[sw], pkt);
}

void sim_forward(struct mrct_sim *sim, uint32_t sw, struct sim_pkt *pkt)
{
    const struct sim_switch *const w = &sim->switches[sw];
    uint64_t *counter = &sim->account.dropped_route;
    uint32_t port = SIM_NONE;
    if (w->grays > 0) {
        sim->faults[w->gray_by].hits++;
        sim_drop(sim, pkt, &sim->account.dropped_fault);
        return;
    }
    if (pkt->hops <= HOPS_MAX)
        port = pkt->srv6 ? by_usid(sim, w, pkt, &counter) : by_address(sim, w, pkt);
    if (w->wrong_host == pkt->dst && w->wrong_host != SIM_NONE) {
        sim->faults[w->wrong_by].hits++;
        port = w->wrong_port;
    }
    if (port == SIM_NONE)
        sim_drop(sim, pkt, counter);
    else
        sim_port_put(sim, port, pkt);
}
