/* SPDX-License-Identifier: BSD-2-Clause */
/* Which QPs of a drawn case may end in ERROR, and by what. */
#include "harness/cases/swarm_priv.h"

uint32_t mrct_swarm_immediates(const struct mrct_case *c, unsigned from, unsigned qp)
{
    uint32_t n = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        const struct mrct_step *const s = &c->steps[i];
        if (s->kind == MRCT_STEP_WRITE && s->host == from && s->qp == qp + 1 && s->has_imm) {
            n += s->count;
        }
    }
    return n;
}

static uint32_t receives(const struct mrct_case *c, unsigned host, unsigned qp, bool *asked)
{
    uint32_t n = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        const struct mrct_step *const s = &c->steps[i];
        if (s->kind == MRCT_STEP_RECV && s->host == host) {
            *asked = true;
            n += s->qp == qp + 1 ? s->count : 0;
        }
    }
    return n;
}

static bool plane_dies(const struct mrct_case *c, unsigned plane)
{
    bool dead = false;
    for (size_t i = 0; i < c->link_count; i++) {
        const struct mrct_case_link *const l = &c->links[i];
        if (l->host == -1 && l->path == -1 && l->plane == plane) {
            dead = !l->up;
        }
    }
    return dead;
}

bool mrct_swarm_all_die(const struct mrct_case *c)
{
    for (unsigned p = 0; p < c->fabric.planes; p++) {
        if (!plane_dies(c, p)) {
            return false;
        }
    }
    return true;
}

unsigned mrct_swarm_ends(const struct mrct_case *c, unsigned from, unsigned qp)
{
    unsigned ends = mrct_swarm_all_die(c) ? MRCT_END_DEAD : 0;
    bool asked = false;
    const uint32_t due = mrct_swarm_immediates(c, from, qp);
    const uint32_t have = receives(c, 1 - from, qp, &asked);
    ends |= asked && have < due ? MRCT_END_RQ_EMPTY : 0;
    ends |= c->host[1 - from].told_max_wimm >= 0 && due > 0 ? MRCT_END_WIMM : 0;
    for (size_t i = 0; i < c->step_count; i++) {
        const struct mrct_step *const s = &c->steps[i];
        if (s->kind == MRCT_STEP_SHORTAGE && s->host != from && s->rate_ppm > 0 &&
            c->host[from].exp_cnt != 25) {
            ends |= MRCT_END_SHORT;
        }
        if (s->qp != qp + 1) {
            continue;
        }
        if (s->kind == MRCT_STEP_WRITE && s->host == from && s->target != MRCT_TARGET_GOOD) {
            ends |= MRCT_END_REFUSED;
        }
        if (s->kind == MRCT_STEP_SHORTAGE && s->host != from && s->reason == MRC_NACK_UNEXP_EVENT) {
            ends |= MRCT_END_UNEXP;
        }
    }
    return ends;
}
