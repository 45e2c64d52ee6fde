/* SPDX-License-Identifier: BSD-2-Clause */
/* A case's script: read from its block of lines, and its calls made steps. */
#include "harness/cases/case_parts.h"

#include <string.h>

int mrct_case_script(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case *const c = base;
    char err[300];
    int bad_line = 0;
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_LITERAL_SCALAR_STYLE) {
        return mrc_yaml_fail(&l->yaml, node, "script: a block of lines after '|' was expected");
    }
    c->script = mrct_pool_alloc(&c->pool, sizeof *c->script);
    const char *const text = mrct_pool_strdup(&c->pool, mrc_yaml_text(node));
    if (c->script == NULL || text == NULL) {
        return mrc_yaml_fail(&l->yaml, NULL, "out of memory");
    }
    return mrct_script_parse(c->script, &c->pool, text, mrc_yaml_line(node) + 1, &bad_line, err,
                             sizeof err) != 0
               ? mrct_case_fail_line(l, bad_line, "script: %s", err)
               : 0;
}

void mrct_case_script_defaults(struct mrct_case *c)
{
    struct mrct_case_expect *const e = &c->expect;
    e->all_success = e->all_done = false;
    for (size_t i = 0; i < MRCT_WC_STATUSES; i++) {
        e->done_max[i] = UINT64_MAX;
    }
    e->qp_error[0] = e->qp_error[1] = MRCT_QP_ERROR_ANY;
    e->imm_min = 0;
    e->imm_max = INT64_MAX;
    c->fabric.latency_step_ns = 0; /* what the device sends comes in the order of its sending */
}

static enum mrct_write_target target_of(unsigned rkey)
{
    return rkey == 1   ? MRCT_TARGET_GOOD
           : rkey == 2 ? MRCT_TARGET_READ_ONLY
                       : MRCT_TARGET_WRONG_RKEY;
}

static bool step_of(const struct mrct_script_line *line, struct mrct_step *s)
{
    s->line = line->number;
    s->when = MRCT_WHEN_SCRIPT;
    s->qp = line->qp;
    s->count = line->count;
    switch ((int)line->kind) {
    case MRCT_LINE_POST_WRITE:
        s->kind = MRCT_STEP_WRITE;
        s->size = line->size;
        s->has_imm = line->has_imm;
        s->imm = line->imm;
        s->target = target_of(line->rkey);
        return true;
    case MRCT_LINE_POST_RECV:
        s->kind = MRCT_STEP_RECV;
        return true;
    case MRCT_LINE_SET_MPR:
        s->kind = MRCT_STEP_SET_MPR;
        s->mpr = (uint8_t)line->value;
        return true;
    case MRCT_LINE_SHORTAGE:
        s->kind = MRCT_STEP_SHORTAGE;
        s->reason = (uint8_t)line->value;
        return true;
    default:
        return false;
    }
}

int mrct_case_script_finish(struct mrct_load *l, struct mrct_case *c)
{
    char err[300];
    int bad_line = 0;
    const yaml_node_t *const root = mrc_yaml_root(&l->yaml);
    if (c->device == MRCT_DEVICE_BOTH) {
        return mrc_yaml_fail(&l->yaml, mrc_yaml_get(&l->yaml, root, "device"),
                             "device: requestor or responder was expected, since a script plays "
                             "the other side");
    }
    if (mrct_script_verify(c->script, c->device == MRCT_DEVICE_REQUESTOR, c->qps, c->fabric.planes,
                           &bad_line, err, sizeof err) != 0) {
        return mrct_case_fail_line(l, bad_line, "script: %s", err);
    }
    c->steps = mrct_pool_alloc(&c->pool, (c->script->line_count + 1) * sizeof *c->steps);
    if (c->steps == NULL) {
        return mrc_yaml_fail(&l->yaml, NULL, "out of memory");
    }
    for (size_t i = 0; i < c->script->line_count; i++) {
        struct mrct_step *const s = &c->steps[c->step_count];
        s->host = 1 - mrct_case_scripted_host(c);
        c->step_count += step_of(&c->script->lines[i], s);
    }
    return 0;
}
