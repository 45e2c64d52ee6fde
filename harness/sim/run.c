/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a simulation, and its time: from event to event. */
#include "harness/sim/works.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_EVENTS 65536u
#define WARM_BYTES      (48u << 20) /* below, what is in use stays in a cache */
#define STUCK_EVENTS    100000000u  /* at one instant: something goes round and round */

void sim_fail(struct mrct_sim *sim, const char *fmt, ...)
{
    if (sim->err[0] != '\0')
        return;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(sim->err, sizeof sim->err, fmt, ap);
    va_end(ap);
}

void sim_schedule(struct mrct_sim *sim, uint64_t at_ns, enum sim_kind kind, uint32_t arg,
                  void *what)
{
    if (mrct_wheel_push(&sim->wheel, at_ns, (struct mrct_wheel_entry){what, kind, arg}) != 0)
        sim_fail(sim, "no memory for events");
}

static void set_classes(struct mrct_sim *sim)
{
    memset(sim->class_of, MRCT_CLASS_DATA, sizeof sim->class_of);
    sim->class_of[sim->wire.dscp[MRC_DSCP_CONTROL]] = MRCT_CLASS_CONTROL;
    sim->class_of[sim->wire.dscp[MRC_DSCP_TRIMMED]] = MRCT_CLASS_TRIMMED;
    sim->class_of[sim->wire.dscp[MRC_DSCP_TRIMMED_LASTHOP]] = MRCT_CLASS_TRIMMED;
}

static int build(struct mrct_sim *sim)
{
    if (mrct_wheel_init(&sim->wheel, &sim->arena) != 0 || sim_topology(sim) != 0 ||
        sim_works(sim) != 0 || sim_hosts(sim) != 0)
        return -1;
    for (size_t i = 0; i < sim->flow_count; i++) {
        if (sim_connect(sim, (uint32_t)i) != 0)
            return -1;
        sim_schedule(sim, sim->flows[i].start_ns, SIM_START, (uint32_t)i, NULL);
    }
    if (sim_watches(sim) != 0 || sim_faults(sim) != 0 || sim_phases(sim) != 0)
        return -1;
    sim->warm.on = sim->scene->endpoint.transport == MRCT_TRANSPORT_MRC &&
                   mrct_arena_bytes(&sim->arena) > WARM_BYTES;
    if (sim->scene->sample_ns > 0)
        sim_schedule(sim, sim->scene->sample_ns, SIM_SAMPLE, 0, NULL);
    return 0;
}

struct mrct_sim *mrct_sim_new(const struct mrct_scene *s, char *err, size_t err_cap)
{
    struct mrct_sim *const sim = calloc(1, sizeof *sim);
    if (sim == NULL) {
        (void)snprintf(err, err_cap, "no memory");
        return NULL;
    }
    sim->scene = s;
    mrc_wire_config_default(&sim->wire);
    mrct_rng_init(&sim->rng, s->seed);
    set_classes(sim);
    sim->noted = SIM_NONE;
    if (build(sim) != 0 || sim->err[0] != '\0') {
        (void)snprintf(err, err_cap, "%s", sim->err[0] != '\0' ? sim->err : "no memory");
        mrct_sim_free(sim);
        return NULL;
    }
    return sim;
}

void mrct_sim_free(struct mrct_sim *sim)
{
    if (sim == NULL)
        return;
    sim_hosts_fini(sim);
    sim_works_fini(sim);
    sim_faults_fini(sim);
    sim_watches_fini(sim);
    sim_phases_fini(sim);
    sim_graph_fini(sim);
    sim_link_queues_fini(sim);
    mrct_wheel_fini(&sim->wheel);
    mrct_arena_fini(&sim->arena);
    free(sim->samples);
    free(sim);
}

static void arrive(struct mrct_sim *sim, struct sim_pkt *pkt, uint32_t link)
{
    const struct sim_port *const p = &sim->ports[link];
    pkt->hops++;
    sim->account.hops++;
    if ((p->troubled || pkt->epoch != p->epoch) && !sim_fault_passes(sim, p, pkt))
        return;
    if (p->to_host)
        sim_host_arrive(sim, p->to, pkt);
    else
        sim_forward(sim, p->to, pkt);
}

static void handle(struct mrct_sim *sim, const struct mrct_wheel_entry *e)
{
    switch ((enum sim_kind)e->kind) {
    case SIM_ARRIVE:
        arrive(sim, e->what, e->arg);
        break;
    case SIM_PORT_FREE:
        sim_port_free(sim, e->arg);
        break;
    case SIM_NIC_FREE:
        sim_host_free_port(sim, e->arg);
        break;
    case SIM_START:
        sim_flow_start(sim, e->arg);
        break;
    case SIM_SAMPLE:
        sim_sample(sim);
        break;
    case SIM_FAULT:
        sim_fault_turn(sim, e->arg, e->what == NULL);
        break;
    case SIM_PHASE:
        sim_phase_note(sim, e->arg);
        break;
    }
}

/* One event, or one host's deadline. False: nothing more comes until `until_ns`. */
static bool step(struct mrct_sim *sim, uint64_t until_ns)
{
    const uint64_t wake_ns = sim_wake_next_ns(sim);
    struct mrct_wheel_entry e;
    if (sim->warm.on)
        sim_warm(sim);
    if (mrct_wheel_take(&sim->wheel, wake_ns < until_ns ? wake_ns : until_ns, &e)) {
        sim->now_ns = sim->wheel.now_ns;
        handle(sim, &e);
        return true;
    }
    if (wake_ns > until_ns) {
        sim->now_ns = until_ns;
        return false;
    }
    sim->now_ns = wake_ns > sim->now_ns ? wake_ns : sim->now_ns;
    sim_host_wake(sim, sim->wakes[0]);
    return true;
}

int mrct_sim_run(struct mrct_sim *sim, void (*progress)(void *, uint64_t, size_t, size_t),
                 void *user, char *err, size_t err_cap)
{
    uint64_t events = 0, since = 0, last_ns = 0;
    while (sim->err[0] == '\0' && sim->flows_done < sim->flow_count &&
           step(sim, sim->scene->limit_ns)) {
        since = sim->now_ns == last_ns ? since + 1 : 0;
        last_ns = sim->now_ns;
        if (since > STUCK_EVENTS)
            sim_fail(sim, "time stands still at %llu ns", (unsigned long long)sim->now_ns);
        if (++events % PROGRESS_EVENTS == 0 && progress != NULL)
            progress(user, sim->now_ns, sim->flows_done, sim->flow_count);
    }
    sim_watches_end(sim);
    if (sim->err[0] == '\0')
        return 0;
    (void)snprintf(err, err_cap, "%s", sim->err);
    return -1;
}

const struct mrct_sim_account *mrct_sim_account(const struct mrct_sim *sim)
{
    return &sim->account;
}

uint64_t mrct_sim_now(const struct mrct_sim *sim)
{
    return sim->now_ns;
}
