/* SPDX-License-Identifier: BSD-2-Clause */
/* The results as one JSON value. Times are ns, rates bits a second, sizes bytes. */
#include "harness/sim/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Nearest rank. */
static double quantile(const double *sorted, size_t n, double q)
{
    const double rank = ceil(q * (double)n);
    const size_t i = rank < 1 ? 0 : (size_t)rank - 1;
    return sorted[i < n ? i : n - 1];
}

json_t *sim_distribution(double *values, size_t n)
{
    json_t *const out = json_object();
    json_object_set_new(out, "count", json_integer((json_int_t)n));
    if (n == 0)
        return out;
    qsort(values, n, sizeof *values, by_size);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    json_object_set_new(out, "min", json_real(values[0]));
    json_object_set_new(out, "mean", json_real(sum / (double)n));
    json_object_set_new(out, "p50", json_real(quantile(values, n, 0.50)));
    json_object_set_new(out, "p99", json_real(quantile(values, n, 0.99)));
    json_object_set_new(out, "p99.9", json_real(quantile(values, n, 0.999)));
    json_object_set_new(out, "max", json_real(values[n - 1]));
    return out;
}

/* 1: all alike; 1/n: one has it all. */
static double jain(const double *v, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
        squares += v[i] * v[i];
    }
    return squares > 0 ? sum * sum / ((double)n * squares) : 0;
}

static void set_u64(json_t *o, const char *key, uint64_t v)
{
    json_object_set_new(o, key, json_integer((json_int_t)v));
}

/* ---- works ---- */

static uint64_t end_of(const struct mrct_sim *sim, const struct sim_flow *f)
{
    return f->finished || f->done > 0 ? f->end_ns : sim->now_ns;
}

static double goodput(const struct mrct_sim *sim, const struct sim_flow *f)
{
    const uint64_t end_ns = end_of(sim, f);
    return end_ns > f->first_ns ? (double)f->acked_bytes * 8e9 / (double)(end_ns - f->first_ns) : 0;
}

static void set_flows(json_t *o, const struct mrct_sim *sim, const struct sim_work *w)
{
    double *const v = calloc(w->flow_count + 1u, sizeof *v);
    if (v == NULL)
        return;
    const struct sim_flow *const flows = &sim->flows[w->flow_first];
    uint64_t first_ns = UINT64_MAX, end_ns = 0, bytes = 0;
    size_t done = 0, failed = 0;
    for (uint32_t i = 0; i < w->flow_count; i++) {
        const struct sim_flow *const f = &flows[i];
        first_ns = f->start_ns < first_ns ? f->start_ns : first_ns;
        end_ns = end_of(sim, f) > end_ns ? end_of(sim, f) : end_ns;
        bytes += f->acked_bytes;
        failed += f->status != 0;
        if (f->finished && f->status == 0)
            v[done++] = (double)(f->end_ns - f->first_ns);
    }
    set_u64(o, "flows", w->flow_count);
    set_u64(o, "done", done);
    set_u64(o, "failed", failed);
    set_u64(o, "bytes", bytes);
    set_u64(o, "start_ns", first_ns);
    set_u64(o, "end_ns", end_ns);
    json_object_set_new(
        o, "goodput_bps",
        json_real(end_ns > first_ns ? (double)bytes * 8e9 / (double)(end_ns - first_ns) : 0));
    json_object_set_new(o, "fct_ns", sim_distribution(v, done));
    for (uint32_t i = 0; i < w->flow_count; i++)
        v[i] = goodput(sim, &flows[i]);
    json_object_set_new(o, "jain", json_real(jain(v, w->flow_count)));
    json_object_set_new(o, "flow_goodput_bps", sim_distribution(v, w->flow_count));
    free(v);
}

static void set_messages(json_t *o, const struct sim_work *w)
{
    double *const v = calloc(w->latency_count + 1, sizeof *v);
    if (v == NULL)
        return;
    for (size_t i = 0; i < w->latency_count; i++)
        v[i] = (double)w->latencies[i];
    json_object_set_new(o, "message_ns", sim_distribution(v, w->latency_count));
    free(v);
}

static void set_qps(json_t *o, const struct mrct_sim *sim, const struct sim_work *w)
{
    struct mrc_qp_counters sum = {0};
    for (uint32_t i = 0; i < w->flow_count; i++) {
        struct mrc_qp_counters src, dst;
        sim_flow_counters(sim, w->flow_first + i, true, &src);
        sim_flow_counters(sim, w->flow_first + i, false, &dst);
        sum.tx_data += src.tx_data;
        sum.tx_rtx += src.tx_rtx;
        sum.timeouts += src.timeouts;
        sum.holes += src.holes;
        sum.nacked += src.nacked;
        sum.rx_dup += dst.rx_dup;
        sum.rx_trimmed += dst.rx_trimmed;
    }
    set_u64(o, "packets", sum.tx_data);
    set_u64(o, "retransmissions", sum.tx_rtx);
    set_u64(o, "timeouts", sum.timeouts);
    set_u64(o, "holes", sum.holes);
    set_u64(o, "nacked", sum.nacked);
    set_u64(o, "duplicates", sum.rx_dup);
    set_u64(o, "trimmed", sum.rx_trimmed);
}

static json_t *works_json(const struct mrct_sim *sim)
{
    json_t *const works = json_object();
    for (size_t i = 0; i < sim->scene->work_count; i++) {
        const struct sim_work *const w = &sim->works[i];
        json_t *const o = json_object();
        json_object_set_new(o, "kind", json_string(mrct_sim_work_str(sim->scene->works[i].kind)));
        set_flows(o, sim, w);
        set_messages(o, w);
        set_qps(o, sim, w);
        json_object_set_new(works, sim->scene->works[i].name, o);
    }
    return works;
}

/* ---- the network ---- */

static const struct {
    const char *key;
    size_t offset;
} account_keys[] = {
#define A(m)                                                                                       \
    {                                                                                              \
#m, offsetof(struct mrct_sim_account, m)                                                   \
    }
    A(sent),          A(delivered),     A(in_flight),  A(data_sent),     A(data_delivered),
    A(payload_bytes), A(marked),        A(trimmed),    A(dropped_queue), A(dropped_link),
    A(dropped_fault), A(dropped_route), A(srv6_spent), A(srv6_foreign),  A(srv6_segments),
    A(data_lost),     A(icrc_wrong),    A(hops),
#undef A
};

static json_t *account_json(const struct mrct_sim *sim)
{
    json_t *const o = json_object();
    for (size_t i = 0; i < sizeof account_keys / sizeof account_keys[0]; i++)
        set_u64(o, account_keys[i].key,
                *(const uint64_t *)((const char *)&sim->account + account_keys[i].offset));
    return o;
}

static const char *const depth_keys[MRCT_TIERS][2] = {
    {"nic", "t0_host"}, {"t0_t1", "t1_t0"}, {"t1_t2", "t2_t1"}};

static json_t *depths_json(const struct mrct_sim *sim)
{
    json_t *const o = json_object();
    for (unsigned t = 0; t < MRCT_TIERS; t++)
        for (unsigned d = t == 0; d < 2; d++)
            set_u64(o, depth_keys[t][d], sim->depth_max.bytes[t][d]);
    return o;
}

static json_t *samples_json(const struct mrct_sim *sim)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < sim->sample_count; i++) {
        const struct sim_sample *const s = &sim->samples[i];
        json_t *const o = json_object();
        set_u64(o, "at_ns", s->at_ns);
        json_t *const packets = json_object();
        set_u64(packets, "marked", s->marked - (i > 0 ? s[-1].marked : 0));
        set_u64(packets, "trimmed", s->trimmed - (i > 0 ? s[-1].trimmed : 0));
        set_u64(packets, "dropped", s->dropped - (i > 0 ? s[-1].dropped : 0));
        json_object_set_new(o, "packets", packets);
        json_t *const depth = json_object();
        for (unsigned t = 0; t < MRCT_TIERS; t++)
            for (unsigned d = t == 0; d < 2; d++)
                set_u64(depth, depth_keys[t][d], s->depth.bytes[t][d]);
        json_object_set_new(o, "queue_bytes", depth);
        json_t *const rates = json_object();
        for (size_t w = 0; w < sim->scene->work_count; w++) {
            const uint64_t *const v = sim->works[w].sampled;
            json_object_set_new(rates, sim->scene->works[w].name,
                                json_real((double)(v[i] - (i > 0 ? v[i - 1] : 0)) * 8e9 /
                                          (double)sim->scene->sample_ns));
        }
        json_object_set_new(o, "goodput_bps", rates);
        json_array_append_new(list, o);
    }
    return list;
}

json_t *mrct_sim_json(const struct mrct_sim *sim)
{
    json_t *const o = json_object();
    json_object_set_new(o, "title", json_string(sim->scene->title));
    set_u64(o, "seed", sim->scene->seed);
    set_u64(o, "hosts", sim->host_count);
    set_u64(o, "switches", sim->switch_count);
    set_u64(o, "base_rtt_ns", sim->base_rtt_ns);
    set_u64(o, "time_ns", sim->now_ns);
    json_object_set_new(o, "works", works_json(sim));
    json_object_set_new(o, "packets", account_json(sim));
    json_object_set_new(o, "queue_max_bytes", depths_json(sim));
    if (sim->scene->paper != NULL)
        json_object_set_new(o, "paper", json_string(sim->scene->paper));
    if (sim->scene->watch_count > 0)
        json_object_set_new(o, "watched", sim_watches_json(sim));
    if (sim->fault_count > 0)
        json_object_set_new(o, "faults", sim_faults_json(sim));
    if (sim->scene->phase_count > 0)
        json_object_set_new(o, "phases", sim_phases_json(sim));
    if (sim->sample_count > 0)
        json_object_set_new(o, "samples", samples_json(sim));
    if (sim->sample_count > 0)
        json_object_set_new(o, "link_queues", sim_link_queues_json(sim));
    return o;
}
