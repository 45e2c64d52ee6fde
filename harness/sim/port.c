/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port: three queues, marking, trimming, and when a packet leaves. A packet that finds the port
 * idle leaves at once; only while something waits is there an event for the moment when the port is
 * free, so a link costs one event a packet, and a second one where there is a queue.
 */
#include "harness/fabric/acts.h"
#include "harness/fabric/fabric.h"
#include "harness/sim/sim_priv.h"

#define PS      UINT64_C(1000)
#define MILLION 1000000u
#define QUANTUM 4608 /* bytes a class of weight 1 may send in a turn */

void sim_drop(struct mrct_sim *sim, struct sim_pkt *pkt, uint64_t *counter)
{
    ++*counter;
    sim->account.data_lost += pkt->request;
    sim->account.in_flight--;
    sim_pkt_give(sim, pkt);
}

void sim_port_send(struct mrct_sim *sim, struct sim_port *p, uint32_t id, struct sim_pkt *pkt)
{
    /* What became free within this nanosecond goes on without a gap. */
    const uint64_t now_ps = sim->now_ns * PS;
    const uint64_t start_ps = p->busy_ps + PS > now_ps ? p->busy_ps : now_ps;
    p->busy_ps = start_ps + ((uint64_t)pkt->len * p->ps_per_byte_q8 >> 8);
    p->packets++;
    p->bytes += pkt->len;
    pkt->epoch = p->epoch;
    sim_schedule(sim, (p->busy_ps + PS - 1) / PS + p->latency_ns, SIM_ARRIVE, id, pkt);
}

static void push(struct sim_port *p, struct sim_pkt *pkt)
{
    struct sim_fifo *const q = &p->q[pkt->cls];
    pkt->next = NULL;
    if (q->first == NULL)
        q->first = pkt;
    else
        q->last->next = pkt;
    q->last = pkt;
    p->depth[pkt->cls] += pkt->len;
    p->queued++;
}

static struct sim_pkt *pop(struct sim_port *p, unsigned cls)
{
    struct sim_pkt *const pkt = p->q[cls].first;
    p->q[cls].first = pkt->next;
    p->depth[cls] -= pkt->len;
    p->queued--;
    return pkt;
}

static struct sim_pkt *pop_strict(struct sim_port *p)
{
    unsigned c = 0;
    while (p->depth[c] == 0)
        c++;
    return pop(p, c);
}

/* Deficit round robin: a class sends while its credit lasts, then it is the next one's turn. */
static struct sim_pkt *pop_weighted(const struct mrct_scene_queues *cfg, struct sim_port *p)
{
    for (;;) {
        const unsigned c = p->turn;
        if (p->q[c].first != NULL && p->deficit[c] > 0) {
            struct sim_pkt *const pkt = pop(p, c);
            p->deficit[c] -= (int32_t)pkt->len;
            return pkt;
        }
        if (p->q[c].first == NULL && p->deficit[c] > 0)
            p->deficit[c] = 0;
        p->turn = (uint8_t)((c + 1) % MRCT_CLASSES);
        p->deficit[p->turn] += (int32_t)cfg->weight[p->turn] * QUANTUM;
    }
}

void sim_port_free(struct mrct_sim *sim, uint32_t id)
{
    struct sim_port *const p = &sim->ports[id];
    if (p->queued == 0) { /* it was emptied by a fault */
        p->waiting = false;
        return;
    }
    const struct mrct_scene_queues *const cfg = &sim->scene->queues;
    sim_port_send(sim, p, id, cfg->strict ? pop_strict(p) : pop_weighted(cfg, p));
    p->waiting = p->queued > 0;
    if (p->waiting)
        sim_schedule(sim, (p->busy_ps + PS - 1) / PS, SIM_PORT_FREE, id, NULL);
}

void sim_port_flush(struct mrct_sim *sim, uint32_t id)
{
    struct sim_port *const p = &sim->ports[id];
    for (unsigned c = 0; c < MRCT_CLASSES; c++)
        while (p->depth[c] > 0)
            sim_drop(sim, pop(p, c), &sim->account.dropped_link);
}

static bool by_chance(struct mrct_sim *sim, uint64_t depth)
{
    const struct mrct_scene_queues *const q = &sim->scene->queues;
    if (depth < q->ecn_min_bytes)
        return false;
    if (depth >= q->ecn_max_bytes)
        return true;
    const uint64_t ppm =
        (depth - q->ecn_min_bytes) * q->ecn_ppm / (q->ecn_max_bytes - q->ecn_min_bytes);
    return mrct_rng_below(&sim->rng, MILLION) < ppm;
}

static void mark(struct mrct_sim *sim, struct sim_port *p, struct sim_pkt *pkt)
{
    const struct mrct_scene_queues *const q = &sim->scene->queues;
    if (!q->ecn || (p->to_host && !q->ecn_last_hop))
        return;
    if (by_chance(sim, p->depth[MRCT_CLASS_DATA]) &&
        mrct_act_mark_ce_at(&pkt->frame, pkt->ip_at, pkt->v6)) {
        sim->account.marked++;
        p->marked++;
    }
}

/* The queue is full: the payload goes, the headers go on. False: it cannot be trimmed. */
static bool trim(struct mrct_sim *sim, struct sim_port *p, struct sim_pkt *pkt)
{
    struct mrc_pkt view;
    if (!sim->scene->queues.trim ||
        mrc_pkt_decode_frame(&sim->wire, &pkt->frame, &view) != MRC_WIRE_OK ||
        !mrct_act_trim(&sim->wire, &pkt->frame, &view, p->to_host))
        return false;
    pkt->cls = MRCT_CLASS_TRIMMED;
    pkt->len = (uint32_t)mrc_frame_wire_len(&pkt->frame) + MRCT_FAB_FRAMING;
    sim->account.trimmed++;
    p->trimmed++;
    return true;
}

static bool fits(const struct mrct_sim *sim, const struct sim_port *p, const struct sim_pkt *pkt)
{
    const uint32_t limit =
        pkt->cls == MRCT_CLASS_DATA ? p->limit_data : sim->scene->queues.limit_bytes[pkt->cls];
    return p->depth[pkt->cls] + pkt->len <= limit;
}

static void note_depth(struct mrct_sim *sim, struct sim_port *p, uint32_t id)
{
    const uint32_t depth = p->depth[MRCT_CLASS_DATA];
    uint64_t *const seen = &sim->depth.bytes[p->tier][!p->upward];
    if (p->depth_seen == 0 && depth > 0) {
        p->depth_next = sim->noted;
        sim->noted = id;
    }
    if (depth > p->depth_seen)
        p->depth_seen = depth;
    if (depth > *seen)
        *seen = depth;
}

void sim_port_put(struct mrct_sim *sim, uint32_t id, struct sim_pkt *pkt)
{
    struct sim_port *const p = &sim->ports[id];
    if (p->downs > 0) {
        sim_drop(sim, pkt, &sim->account.dropped_link);
        return;
    }
    if (pkt->cls == MRCT_CLASS_DATA)
        mark(sim, p, pkt);
    if (!p->waiting && p->busy_ps <= sim->now_ns * PS) {
        sim_port_send(sim, p, id, pkt);
        return;
    }
    if (!fits(sim, p, pkt) &&
        (pkt->cls != MRCT_CLASS_DATA || !trim(sim, p, pkt) || !fits(sim, p, pkt))) {
        p->dropped++;
        sim_drop(sim, pkt, &sim->account.dropped_queue);
        return;
    }
    push(p, pkt);
    note_depth(sim, p, id);
    if (!p->waiting) {
        p->waiting = true;
        sim_schedule(sim, (p->busy_ps + PS - 1) / PS, SIM_PORT_FREE, id, NULL);
    }
}
