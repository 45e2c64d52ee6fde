/* SPDX-License-Identifier: BSD-2-Clause */
/* What results call hosts and switches, and whose port a port is. */
#include "harness/sim/sim_priv.h"

#include <inttypes.h>
#include <stdio.h>

const char *sim_node_name(const struct mrct_sim *sim, bool host, uint32_t id,
                          char buf[SIM_NAME_MAX])
{
    const struct mrct_scene_graph *const g = &sim->scene->topology.graph;
    if (sim->graph != NULL)
        return host ? g->hosts[id] : g->switches[id];
    if (host)
        (void)snprintf(buf, SIM_NAME_MAX, "host%" PRIu32, id);
    else
        (void)snprintf(buf, SIM_NAME_MAX, "t%u.%" PRIu32, sim->switches[id].tier,
                       sim->switches[id].index);
    return buf;
}

/* Switches' ports stand in the order of the switches, behind those of hosts. */
bool sim_port_sender(const struct mrct_sim *sim, uint32_t port, uint32_t *id)
{
    if (port < sim->host_count * sim->planes) {
        *id = port / sim->planes;
        return true;
    }
    uint32_t low = 0, high = sim->switch_count;
    while (high - low > 1) {
        const uint32_t mid = (low + high) / 2;
        if (sim->switches[mid].down_first <= port)
            low = mid;
        else
            high = mid;
    }
    *id = low;
    return false;
}
