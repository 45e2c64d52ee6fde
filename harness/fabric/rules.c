/* SPDX-License-Identifier: BSD-2-Clause */
/* Fault rules: which packets they name, counted exactly. */
#include "harness/fabric/internal.h"

#include <stdlib.h>

void mrct_fault_rule_init(struct mrct_fault_rule *r)
{
    *r = (struct mrct_fault_rule){
        .match = {.direction = MRCT_ANY,
                  .plane = MRCT_ANY,
                  .path = MRCT_ANY,
                  .ev = MRCT_ANY,
                  .dest_qp = MRCT_ANY,
                  .opcode = MRCT_ANY,
                  .psn_first = MRCT_ANY,
                  .psn_last = MRCT_ANY,
                  .retransmission = MRCT_ANY,
                  .nth_first = MRCT_ANY,
                  .nth_last = MRCT_ANY},
        .act = MRCT_ACT_DROP,
    };
}

int mrct_fab_add_rule(struct mrct_fab *fab, const struct mrct_fault_rule *r)
{
    if (fab->rule_count == MRCT_FAB_RULES_MAX)
        return -1;
    if (r->act == MRCT_ACT_DSCP && (r->arg < 0 || r->arg > 63))
        return -1;
    const struct mrc_field *field = NULL;
    if (r->act == MRCT_ACT_CORRUPT && r->field[0] != '\0') {
        field = mrc_field_find(r->field);
        if (field == NULL || field->bit_width > 64 || r->value == 0 ||
            (field->bit_width < 64 && r->value >> field->bit_width != 0))
            return -1;
    }
    if (fab->rules == NULL) {
        fab->rules = calloc(MRCT_FAB_RULES_MAX, sizeof *fab->rules);
        if (fab->rules == NULL)
            return -1;
    }
    struct mrct_fab_rule *const mine = &fab->rules[fab->rule_count];
    *mine = (struct mrct_fab_rule){.r = *r, .field = field};
    mine->r.hits = 0;
    return (int)fab->rule_count++;
}

const struct mrct_fault_rule *mrct_fab_rule(const struct mrct_fab *fab, int index)
{
    return index < 0 || (size_t)index >= fab->rule_count ? NULL : &fab->rules[index].r;
}

static int flow_add(struct mrct_fab *fab, const struct mrct_fab_flow *flow)
{
    for (size_t i = 0; i < fab->flow_count; i++) {
        struct mrct_fab_flow *const f = &fab->flows[i];
        if (f->from == flow->from && f->dest_qp == flow->dest_qp) {
            f->start_psn = flow->start_psn;
            if (flow->src_qp >= 0)
                f->src_qp = flow->src_qp;
            return 0;
        }
    }
    if (fab->flow_count == fab->flow_cap) {
        const size_t cap = fab->flow_cap == 0 ? 8 : fab->flow_cap * 2;
        struct mrct_fab_flow *const a = realloc(fab->flows, cap * sizeof *a);
        if (a == NULL)
            return -1;
        fab->flows = a;
        fab->flow_cap = cap;
    }
    fab->flows[fab->flow_count++] = *flow;
    return 0;
}

int mrct_fab_flow(struct mrct_fab *fab, unsigned from, uint32_t src_qp, uint32_t dest_qp,
                  uint32_t start_psn)
{
    const struct mrct_fab_flow f = {from, (int64_t)src_qp, dest_qp, start_psn};
    return flow_add(fab, &f);
}

int mrct_fab_psn_base(struct mrct_fab *fab, unsigned to, uint32_t dest_qp, uint32_t start_psn)
{
    const struct mrct_fab_flow f = {1 - to, -1, dest_qp, start_psn};
    return flow_add(fab, &f);
}

/* A control packet speaks of the flow that its destination sends. */
static uint32_t base_of_control(const struct mrct_fab *fab, unsigned to, uint32_t dest_qp)
{
    const struct mrct_fab_flow *only = NULL;
    unsigned leaving = 0;
    for (size_t i = 0; i < fab->flow_count; i++) {
        const struct mrct_fab_flow *const f = &fab->flows[i];
        if (f->from != to)
            continue;
        if (f->src_qp == (int64_t)dest_qp)
            return f->start_psn;
        only = f;
        leaving++;
    }
    return leaving == 1 && only->src_qp < 0 ? only->start_psn : 0;
}

static uint32_t base_of_request(struct mrct_fab *fab, unsigned from, const struct mrc_bth *bth)
{
    for (size_t i = 0; i < fab->flow_count; i++)
        if (fab->flows[i].from == from && fab->flows[i].dest_qp == bth->dest_qp)
            return fab->flows[i].start_psn;
    if (!fab->cfg.learn_psn)
        return 0;
    if (mrct_fab_psn_base(fab, 1 - from, bth->dest_qp, bth->psn) != 0)
        fab->error = "no memory for a flow";
    return bth->psn;
}

static int64_t psn_relative(struct mrct_fab *fab, unsigned dir, const struct mrc_bth *bth)
{
    const uint32_t base = mrc_op_is_write(bth->opcode)
                              ? base_of_request(fab, dir, bth)
                              : base_of_control(fab, 1 - dir, bth->dest_qp);
    return (int64_t)((bth->psn - base) & 0xFFFFFFu);
}

static bool is(int64_t wanted, int64_t value)
{
    return wanted == MRCT_ANY || wanted == value;
}

static bool in(int64_t first, int64_t last, int64_t value)
{
    return (first == MRCT_ANY || value >= first) && (last == MRCT_ANY || value <= last);
}

static bool wants_bth(const struct mrct_fault_match *m)
{
    return m->dest_qp != MRCT_ANY || m->opcode != MRCT_ANY || m->psn_first != MRCT_ANY ||
           m->psn_last != MRCT_ANY || m->retransmission != MRCT_ANY;
}

static bool bth_matches(struct mrct_fab *fab, const struct mrct_fault_match *m, unsigned dir)
{
    const struct mrc_bth *const b = &fab->seen.bth;
    if (!MRC_PKT_HAS(&fab->seen, BTH))
        return false;
    if (!is(m->dest_qp, b->dest_qp) || !is(m->opcode, b->opcode) || !is(m->retransmission, b->rtx))
        return false;
    if (m->psn_first == MRCT_ANY && m->psn_last == MRCT_ANY)
        return true;
    return in(m->psn_first, m->psn_last, psn_relative(fab, dir, b));
}

bool mrct_fab_rule_hits(struct mrct_fab *fab, size_t i, const struct mrct_fab_pkt *pkt)
{
    struct mrct_fab_rule *const rule = &fab->rules[i];
    const struct mrct_fault_match *const m = &rule->r.match;
    if (!is(m->direction, pkt->dir) || !is(m->plane, pkt->plane) || !is(m->path, pkt->path))
        return false;
    if (m->ev != MRCT_ANY && (!MRC_PKT_HAS(&fab->seen, UDP) || m->ev != (int64_t)fab->seen.ev))
        return false;
    if (wants_bth(m) && !bth_matches(fab, m, pkt->dir))
        return false;
    rule->seen++;
    return in(m->nth_first, m->nth_last, rule->seen);
}
