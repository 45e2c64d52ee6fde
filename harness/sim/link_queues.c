/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data queue of every link over time: the deepest in each interval, of those that held
 * something. Memory is bounded: when there are too many entries, the interval doubles and
 * neighbours become one.
 */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX (1u << 17)

static int by_time(const void *a, const void *b)
{
    const struct sim_link_depth *const x = a, *const y = b;
    if (x->interval != y->interval)
        return x->interval < y->interval ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

static int by_port(const void *a, const void *b)
{
    const struct sim_link_depth *const x = a, *const y = b;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return x->interval < y->interval ? -1 : x->interval > y->interval;
}

/* Sorts, and makes one of those of one link and interval: the deepest. */
static void settle(struct sim_link_queues *q, int (*order)(const void *, const void *))
{
    size_t kept = 0;
    if (q->count > 0)
        qsort(q->depth, q->count, sizeof *q->depth, order);
    for (size_t i = 0; i < q->count; i++) {
        struct sim_link_depth *const last = kept > 0 ? &q->depth[kept - 1] : NULL;
        if (last == NULL || order(last, &q->depth[i]) != 0)
            q->depth[kept++] = q->depth[i];
        else if (q->depth[i].bytes > last->bytes)
            last->bytes = q->depth[i].bytes;
    }
    q->count = kept;
}

static void halve(struct sim_link_queues *q)
{
    for (size_t i = 0; i < q->count; i++)
        q->depth[i].interval /= 2;
    settle(q, by_time);
    q->stride *= 2;
}

static int add(struct mrct_sim *sim, uint32_t interval, uint32_t port, uint32_t bytes)
{
    struct sim_link_queues *const q = &sim->link_queues;
    if (q->count == q->cap) {
        const size_t cap = q->cap > 0 ? 2 * q->cap : 1024;
        struct sim_link_depth *const more = realloc(q->depth, cap * sizeof *more);
        if (more == NULL)
            return -1;
        q->depth = more;
        q->cap = cap;
    }
    q->depth[q->count++] = (struct sim_link_depth){interval, port, bytes};
    return 0;
}

/* Ports that held something since the last time; those that still do stay noted. */
static int take_noted(struct mrct_sim *sim, uint32_t interval)
{
    uint32_t *link = &sim->noted;
    while (*link != SIM_NONE) {
        const uint32_t id = *link;
        struct sim_port *const p = &sim->ports[id];
        if (add(sim, interval, id, p->depth_seen) != 0)
            return -1;
        p->depth_max = p->depth_seen > p->depth_max ? p->depth_seen : p->depth_max;
        p->depth_seen = p->depth[MRCT_CLASS_DATA];
        if (p->depth_seen == 0)
            *link = p->depth_next;
        else
            link = &p->depth_next;
    }
    return 0;
}

void sim_link_queues_sample(struct mrct_sim *sim)
{
    struct sim_link_queues *const q = &sim->link_queues;
    const size_t most =
        sim->port_count > ENTRIES_MAX / 2 ? 2 * (size_t)sim->port_count : ENTRIES_MAX;
    q->stride = q->stride > 0 ? q->stride : 1;
    if (sim->sample_count % q->stride != 0)
        return;
    if (take_noted(sim, (uint32_t)(sim->sample_count / q->stride - 1)) != 0)
        sim_fail(sim, "no memory for samples");
    while (q->count > most)
        halve(q);
}

uint32_t sim_port_deepest(const struct sim_port *p)
{
    return p->depth_max > p->depth_seen ? p->depth_max : p->depth_seen;
}

/* ---- as JSON ---- */

static json_t *link_json(const struct mrct_sim *sim, uint32_t port)
{
    const struct sim_port *const p = &sim->ports[port];
    char buf[2][SIM_NAME_MAX], name[2 * SIM_NAME_MAX + 40];
    uint32_t id = 0;
    const bool host = sim_port_sender(sim, port, &id);
    const char *const from = sim_node_name(sim, host, id, buf[0]);
    const char *const to = sim_node_name(sim, p->to_host, p->to, buf[1]);
    (void)snprintf(name, sizeof name, "%s to %s", from, to);
    if (sim->planes > 1)
        (void)snprintf(name, sizeof name, "%s to %s, plane %u", from, to, p->plane);
    json_t *const o = json_object();
    json_object_set_new(o, "link", json_string(name));
    json_object_set_new(o, "from", json_string(from));
    json_object_set_new(o, "to", json_string(to));
    json_object_set_new(o, "plane", json_integer(p->plane));
    json_object_set_new(o, "max_bytes", json_integer(sim_port_deepest(p)));
    json_object_set_new(o, "at_ns", json_array());
    json_object_set_new(o, "bytes", json_array());
    return o;
}

static json_t *links_json(const struct mrct_sim *sim, const struct sim_link_queues *q,
                          uint64_t interval_ns)
{
    json_t *const links = json_array();
    json_t *link = NULL;
    for (size_t i = 0; i < q->count; i++) {
        const struct sim_link_depth *const d = &q->depth[i];
        const uint64_t at_ns = (d->interval + UINT64_C(1)) * interval_ns;
        if (i == 0 || d->port != d[-1].port) {
            link = link_json(sim, d->port);
            json_array_append_new(links, link);
        }
        json_array_append_new(json_object_get(link, "at_ns"), json_integer((json_int_t)at_ns));
        json_array_append_new(json_object_get(link, "bytes"), json_integer(d->bytes));
    }
    return links;
}

json_t *sim_link_queues_json(const struct mrct_sim *sim)
{
    struct sim_link_queues q = sim->link_queues;
    q.depth = calloc(q.count + 1, sizeof *q.depth);
    if (q.depth == NULL)
        return NULL;
    if (q.count > 0)
        memcpy(q.depth, sim->link_queues.depth, q.count * sizeof *q.depth);
    settle(&q, by_port);
    const uint64_t interval_ns = sim->scene->sample_ns * (q.stride > 0 ? q.stride : 1);
    json_t *const o = json_object();
    json_object_set_new(o, "interval_ns", json_integer((json_int_t)interval_ns));
    json_object_set_new(o, "links", links_json(sim, &q, interval_ns));
    free(q.depth);
    return o;
}

void sim_link_queues_fini(struct mrct_sim *sim)
{
    free(sim->link_queues.depth);
}
