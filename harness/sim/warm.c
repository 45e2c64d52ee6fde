/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At a thousand hosts nothing that an event touches is in the cache any more. What comes next is
 * known, though: the wheel is looked into some events ahead, and each step asks for the memory that
 * the next step will follow.
 */
#include "harness/sim/sim_priv.h"

#define LEAD UINT64_C(28) /* events between looking and taking */
#define GAP  UINT64_C(4)  /* events between two steps */

/* A function that only asks for memory has no effect that a compiler knows, and GCC leaves calls of
 * it out; an empty statement that it must not look into keeps them. */
static void line(const void *p)
{
    __builtin_prefetch(p);
    __asm__ volatile("");
}

static void lines(const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += SIM_LINE)
        line((const char *)p + i);
}

/* The packet, the port that it left by. */
static void first(const struct mrct_sim *sim, const struct mrct_wheel_entry *e)
{
    if (e->kind > SIM_NIC_FREE)
        return;
    line(&sim->ports[e->arg]);
    if (e->kind == SIM_ARRIVE)
        line(e->what);
    else if (e->kind == SIM_PORT_FREE)
        line((const char *)&sim->ports[e->arg] + SIM_LINE);
    else
        line(&sim->hosts[e->arg / sim->planes]);
}

/* Where it goes; what waits at a port. */
static void second(const struct mrct_sim *sim, const struct mrct_wheel_entry *e)
{
    if (e->kind > SIM_NIC_FREE)
        return;
    const struct sim_port *const p = &sim->ports[e->arg];
    if (e->kind == SIM_PORT_FREE) {
        for (unsigned c = 0; c < MRCT_CLASSES; c++)
            if (p->depth[c] > 0)
                line(p->q[c].first);
    } else if (e->kind == SIM_ARRIVE && !p->to_host) {
        line(&sim->switches[p->to]);
    } else {
        if (e->kind == SIM_ARRIVE)
            line(&sim->hosts[p->to]);
    }
}

/* At a switch: the port that the packet will take. True: a host is what the event touches. */
static bool third(const struct mrct_sim *sim, const struct mrct_wheel_entry *e)
{
    if (e->kind == SIM_NIC_FREE)
        return true;
    if (e->kind != SIM_ARRIVE)
        return false;
    const struct sim_pkt *const pkt = e->what;
    const struct sim_port *const p = &sim->ports[e->arg];
    if (p->to_host)
        return true;
    const uint32_t out = sim_route(sim, p->to, pkt);
    if (out < sim->port_count)
        lines(&sim->ports[out], (size_t)2 * SIM_LINE);
    return false;
}

/* At a host: its headers, and what the endpoint follows, a step each. */
static void host_step(const struct sim_warm_host *h, unsigned step)
{
    if (h->pkt == NULL && step > 1)
        return;
    if (h->pkt != NULL && step == 0) {
        lines(&h->pkt->frame, (size_t)2 * SIM_LINE);
        line(&h->pkt->frame.hdr_len);
    }
    mrc_ep_warm(h->ep, h->pkt != NULL ? h->pkt->qpn : 0, step);
}

/* One host's turn moves those before it a step on. */
static void next_host(struct mrct_sim *sim, const struct mrct_wheel_entry *e)
{
    struct sim_warm *const w = &sim->warm;
    const bool arrives = e->kind == SIM_ARRIVE;
    const uint32_t host = arrives ? sim->ports[e->arg].to : e->arg / sim->planes;
    w->host[w->count % SIM_WARM_STEPS] =
        (struct sim_warm_host){sim->hosts[host].ep, arrives ? e->what : NULL};
    w->count++;
    for (unsigned k = 0; k < SIM_WARM_STEPS && k < w->count; k++)
        host_step(&w->host[(w->count - 1 - k) % SIM_WARM_STEPS], k);
}

void sim_warm(struct mrct_sim *sim)
{
    struct mrct_wheel_entry e;
    struct mrct_wheel *const w = &sim->wheel;
    for (unsigned i = 0; i < 2 && mrct_wheel_look(w, LEAD, &e); i++) {
        first(sim, &e);
        if (w->passed <= 2 * GAP)
            continue;
        second(sim, mrct_wheel_passed(w, GAP));
        if (third(sim, mrct_wheel_passed(w, 2 * GAP)))
            next_host(sim, mrct_wheel_passed(w, 2 * GAP));
    }
}
