/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets come from slabs and go back to one list: none is allocated for itself. */
#include "harness/sim/sim_priv.h"

#define SLAB_PKTS 1024u

static int more(struct mrct_sim *sim)
{
    struct sim_pkt *const slab = mrct_arena_alloc(&sim->arena, SLAB_PKTS * sizeof *slab);
    if (slab == NULL)
        return -1;
    for (size_t i = SLAB_PKTS; i-- > 0;) {
        slab[i].next = sim->free_pkts;
        slab[i].bytes = NULL;
        sim->free_pkts = &slab[i];
    }
    return 0;
}

struct sim_pkt *sim_pkt_take(struct mrct_sim *sim)
{
    if (sim->free_pkts == NULL && more(sim) != 0) {
        sim_fail(sim, "no memory for packets");
        return NULL;
    }
    struct sim_pkt *const pkt = sim->free_pkts;
    sim->free_pkts = pkt->next;
    return pkt;
}

void sim_pkt_give(struct mrct_sim *sim, struct sim_pkt *pkt)
{
    pkt->next = sim->free_pkts;
    sim->free_pkts = pkt;
}
