/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands between a device and its NIC in a run: it can add crafted frames to those the device
 * sends, and it can be shut when a run has to end. */
#include "harness/cases/run_priv.h"

#include <stdlib.h>

struct injected {
    struct injected *next;
    unsigned plane;
    const struct mrc_frame *frame;
};

struct gate {
    struct mrct_dut dut; /* first */
    struct mrct_dut *inner;
    struct injected *first, *last;
    bool shut;
};

static void gate_free(struct mrct_dut *d)
{
    struct gate *const g = (struct gate *)d;
    while (g->first != NULL) {
        struct injected *const next = g->first->next;
        free(g->first);
        g->first = next;
    }
    free(g);
}

static void gate_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                       const struct mrc_frame *f)
{
    struct gate *const g = (struct gate *)d;
    if (!g->shut) {
        g->inner->ops->input(g->inner, now_ns, port, f);
    }
}

static int gate_output(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                       struct mrc_frame *out)
{
    struct gate *const g = (struct gate *)d;
    if (g->shut) {
        return -1;
    }
    struct injected *const i = g->first;
    if (i != NULL && (port_free_mask >> i->plane & 1) != 0) {
        const int port = (int)i->plane;
        *out = *i->frame;
        g->first = i->next;
        free(i);
        return port;
    }
    return g->inner->ops->output(g->inner, now_ns, port_free_mask, out);
}

static uint64_t gate_deadline(const struct mrct_dut *d)
{
    const struct gate *const g = (const struct gate *)d;
    return g->shut ? MRC_TIME_NEVER : g->inner->ops->deadline(g->inner);
}

static void gate_tick(struct mrct_dut *d, uint64_t now_ns)
{
    struct gate *const g = (struct gate *)d;
    if (!g->shut) {
        g->inner->ops->tick(g->inner, now_ns);
    }
}

/* Only frames and time pass the gate; the application talks to the device itself. */
static const struct mrct_dut_ops gate_ops = {
    .free = gate_free,
    .input = gate_input,
    .output = gate_output,
    .deadline = gate_deadline,
    .tick = gate_tick,
};

struct mrct_dut *mrct_gate_new(struct mrct_dut *inner)
{
    struct gate *const g = calloc(1, sizeof *g);
    if (g == NULL) {
        return NULL;
    }
    g->dut = (struct mrct_dut){.ops = &gate_ops, .name = inner->name};
    g->inner = inner;
    return &g->dut;
}

void mrct_gate_free(struct mrct_dut *gate)
{
    if (gate != NULL) {
        gate->ops->free(gate);
    }
}

void mrct_gate_shut(struct mrct_dut *gate)
{
    ((struct gate *)gate)->shut = true;
}

int mrct_gate_add(struct mrct_dut *gate, unsigned plane, const struct mrc_frame *f)
{
    struct gate *const g = (struct gate *)gate;
    struct injected *const i = calloc(1, sizeof *i);
    if (i == NULL) {
        return -1;
    }
    *i = (struct injected){.plane = plane, .frame = f};
    if (g->first == NULL) {
        g->first = i;
    } else {
        g->last->next = i;
    }
    g->last = i;
    return 0;
}
