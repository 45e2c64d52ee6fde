/* SPDX-License-Identifier: BSD-2-Clause */
/* What hosts do: each work of a scene becomes flows, and a flow posts messages until it is done. */
#include "harness/sim/works.h"

#include <stdlib.h>

#define FLOWS_MAX ((1u << 23) - SIM_QPN_FIRST)

struct sim_flow *sim_flow_add(struct mrct_sim *sim, uint32_t work, uint32_t src, uint32_t dst)
{
    const struct mrct_scene_work *const w = &sim->scene->works[work];
    if (sim->flow_count >= FLOWS_MAX) {
        sim_fail(sim, "more than %u flows", FLOWS_MAX);
        return NULL;
    }
    if ((sim->flow_count & (sim->flow_count - 1)) == 0) {
        const size_t cap = sim->flow_count > 0 ? 2 * sim->flow_count : 1;
        struct sim_flow *const more = realloc(sim->flows, cap * sizeof *more);
        if (more == NULL) {
            sim_fail(sim, "no memory for flows");
            return NULL;
        }
        sim->flows = more;
    }
    struct sim_flow *const f = &sim->flows[sim->flow_count++];
    *f = (struct sim_flow){
        .src = src,
        .dst = dst,
        .work = work,
        .size_bytes = w->size_bytes,
        .messages = w->messages,
        .depth = w->depth,
        .start_ns = w->start_ns,
        .stop_ns = w->stop_ns,
    };
    sim->works[work].flow_count++;
    return f;
}

static int add_lanes(struct mrct_sim *sim, uint32_t work, uint32_t src, uint32_t dst)
{
    for (unsigned q = 0; q < sim->scene->works[work].qps; q++)
        if (sim_flow_add(sim, work, src, dst) == NULL)
            return -1;
    return 0;
}

static int stream(struct mrct_sim *sim, uint32_t work)
{
    const struct mrct_scene_work *const w = &sim->scene->works[work];
    for (size_t i = 0; i < w->from_count; i++)
        if (add_lanes(sim, work, (uint32_t)w->from[i], (uint32_t)w->to[i]) != 0)
            return -1;
    return 0;
}

static int incast(struct mrct_sim *sim, uint32_t work)
{
    const struct mrct_scene_work *const w = &sim->scene->works[work];
    for (size_t i = 0; i < w->from_count; i++)
        if (add_lanes(sim, work, (uint32_t)w->from[i], (uint32_t)w->to[0]) != 0)
            return -1;
    return 0;
}

/* Each host sends to one and receives of one, never itself: a random cycle through all. */
static int permutation(struct mrct_sim *sim, uint32_t work)
{
    const struct mrct_scene_work *const w = &sim->scene->works[work];
    const uint32_t n = (uint32_t)(w->last - w->first + 1);
    uint32_t *const order = calloc(n, sizeof *order);
    if (order == NULL)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n - 1; w->shift == 0 && i > 0; i--) {
        const uint32_t k = mrct_rng_below(&sim->rng, i + 1);
        const uint32_t t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    int rc = 0;
    const uint32_t step = w->shift == 0 ? 1 : (uint32_t)w->shift % n;
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        rc = add_lanes(sim, work, (uint32_t)w->first + order[i],
                       (uint32_t)w->first + order[(i + step) % n]);
    free(order);
    return rc;
}

static int (*const makers[])(struct mrct_sim *, uint32_t) = {
    [MRCT_WORK_STREAM] = stream,           [MRCT_WORK_PERMUTATION] = permutation,
    [MRCT_WORK_INCAST] = incast,           [MRCT_WORK_RING] = sim_collective,
    [MRCT_WORK_ALLTOALL] = sim_collective, [MRCT_WORK_ALLREDUCE] = sim_collective,
};

int sim_works(struct mrct_sim *sim)
{
    const struct mrct_scene *const s = sim->scene;
    sim->works = calloc(s->work_count + 1, sizeof *sim->works);
    sim->memory_bytes = 4096;
    if (sim->works == NULL)
        return -1;
    for (uint32_t w = 0; w < s->work_count; w++) {
        sim->works[w].flow_first = (uint32_t)sim->flow_count;
        if (makers[s->works[w].kind](sim, w) != 0)
            return -1;
    }
    for (size_t i = 0; i < sim->flow_count; i++) {
        struct sim_flow *const f = &sim->flows[i];
        f->post_ns = mrct_arena_alloc(&sim->arena, f->depth * sizeof *f->post_ns);
        if (f->post_ns == NULL)
            return -1;
        if (f->size_bytes > sim->memory_bytes)
            sim->memory_bytes = f->size_bytes;
    }
    sim->memory = calloc(1, sim->memory_bytes);
    sim->work_of = calloc(sim->flow_count + 1, sizeof *sim->work_of);
    for (size_t i = 0; sim->work_of != NULL && i < sim->flow_count; i++)
        sim->work_of[i] = (uint16_t)sim->flows[i].work;
    return sim->memory != NULL && sim->work_of != NULL ? 0 : -1;
}

void sim_works_fini(struct mrct_sim *sim)
{
    for (size_t w = 0; sim->works != NULL && w < sim->scene->work_count; w++) {
        free(sim->works[w].latencies);
        free(sim->works[w].sampled);
        free(sim->works[w].step);
    }
    free(sim->works);
    free(sim->flows);
    free(sim->work_of);
    free(sim->memory);
}

/* ---- a flow's life ---- */

static bool may_post(const struct mrct_sim *sim, const struct sim_flow *f)
{
    if (f->status != 0 || f->posted - f->done >= f->depth)
        return false;
    return f->messages > 0 ? f->posted < f->messages : sim->now_ns < f->stop_ns;
}

static void tell_post(struct mrct_sim *sim, const struct sim_flow *f, const struct mrc_write *w)
{
    if (sim->scene->watch_count > 0)
        sim_watch_event(sim, (uint32_t)(f - sim->flows), true,
                        (struct mrct_event){.kind = MRCT_EVENT_POST_WRITE,
                                            .wr_id = w->wr_id,
                                            .va = w->remote_va,
                                            .rkey = w->rkey,
                                            .len_bytes = w->len_bytes,
                                            .has_imm = w->has_imm,
                                            .imm = w->imm});
}

/* The endpoint's own events, as those who watch know them. */
static void tell_event(struct mrct_sim *sim, uint32_t flow, bool at_sender,
                       const struct mrc_ep_event *ev)
{
    static const enum mrct_event_kind kinds[] = {[MRC_EVENT_SEND_DONE] = MRCT_EVENT_SEND_DONE,
                                                 [MRC_EVENT_RECV_IMM] = MRCT_EVENT_RECV_IMM,
                                                 [MRC_EVENT_QP_ERROR] = MRCT_EVENT_QP_ERROR};
    if (sim->scene->watch_count > 0 && ev->kind <= MRC_EVENT_QP_ERROR)
        sim_watch_event(sim, flow, at_sender,
                        (struct mrct_event){.kind = kinds[ev->kind],
                                            .wr_id = ev->wr_id,
                                            .status = (int)ev->status,
                                            .has_imm = ev->kind == MRC_EVENT_RECV_IMM,
                                            .imm = ev->imm,
                                            .len_bytes = ev->len_bytes});
}

/* One more receive stands ready when one was used. */
static void post_receive(struct mrct_sim *sim, uint32_t flow)
{
    struct sim_flow *const f = &sim->flows[flow];
    if (sim->hosts[f->dst].ep == NULL)
        return;
    (void)mrc_qp_post_recv(sim->hosts[f->dst].ep, SIM_QPN_FIRST + flow, ++f->recvs);
    if (sim->scene->watch_count > 0)
        sim_watch_event(sim, flow, false,
                        (struct mrct_event){.kind = MRCT_EVENT_POST_RECV, .wr_id = f->recvs});
}

void sim_flow_post(struct mrct_sim *sim, struct sim_flow *f)
{
    while (may_post(sim, f)) {
        const struct mrc_write w = {
            .wr_id = f->posted,
            .local = sim->memory,
            .len_bytes = (uint32_t)f->size_bytes,
            .remote_va = 0,
            .rkey = sim->hosts[f->dst].rkey,
            .has_imm = f->chained,
        };
        const int rc = sim_host_post(sim, (uint32_t)(f - sim->flows), &w);
        if (rc != MRC_EP_OK) {
            if (rc != MRC_EP_ESTATE)
                sim_fail(sim, "an endpoint refused a write: %s", mrc_ep_strerror(rc));
            return;
        }
        f->post_ns[f->posted++ % f->depth] = sim->now_ns;
        tell_post(sim, f, &w);
    }
}

void sim_flow_finish(struct mrct_sim *sim, struct sim_flow *f)
{
    if (f->finished)
        return;
    f->finished = true;
    f->end_ns = sim->now_ns;
    sim->flows_done++;
}

void sim_flow_start(struct mrct_sim *sim, uint32_t flow)
{
    struct sim_flow *const f = &sim->flows[flow];
    f->first_ns = sim->now_ns;
    if (f->chained)
        sim_collective_start(sim, f);
    else
        sim_flow_post(sim, f);
    sim_host_settle(sim, f->src);
}

static int keep_latency(struct sim_work *w, uint64_t ns)
{
    if (w->latency_count == w->latency_cap) {
        const size_t cap = w->latency_cap > 0 ? 2 * w->latency_cap : 64;
        uint64_t *const more = realloc(w->latencies, cap * sizeof *more);
        if (more == NULL)
            return -1;
        w->latencies = more;
        w->latency_cap = cap;
    }
    w->latencies[w->latency_count++] = ns;
    return 0;
}

static void message_done(struct mrct_sim *sim, struct sim_flow *f, const struct mrc_ep_event *ev)
{
    f->done++;
    f->end_ns = sim->now_ns;
    f->acked_bytes += f->size_bytes;
    if (keep_latency(&sim->works[f->work], sim->now_ns - f->post_ns[ev->wr_id % f->depth]) != 0)
        sim_fail(sim, "no memory for results");
    if (f->chained) {
        sim_collective_sent(sim, f);
        return;
    }
    sim_flow_post(sim, f);
    if (f->posted == f->done)
        sim_flow_finish(sim, f);
}

void sim_flow_event(struct mrct_sim *sim, uint32_t host, const struct mrc_ep_event *ev)
{
    const uint32_t i = ev->qpn - SIM_QPN_FIRST;
    if (i >= sim->flow_count)
        return;
    struct sim_flow *const f = &sim->flows[i];
    tell_event(sim, i, host == f->src, ev);
    if (ev->kind == MRC_EVENT_SEND_DONE && ev->status == MRC_WC_SUCCESS) {
        message_done(sim, f, ev);
    } else if (ev->kind == MRC_EVENT_RECV_IMM) {
        post_receive(sim, i);
        sim_collective_received(sim, f);
    } else if (ev->kind == MRC_EVENT_QP_ERROR || ev->kind == MRC_EVENT_SEND_DONE) {
        f->status = f->status != 0 ? f->status : (int)ev->status;
        sim_flow_finish(sim, f);
    }
}
