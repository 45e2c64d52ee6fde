/* SPDX-License-Identifier: BSD-2-Clause */
/* Preamble and postamble around the traffic of a case, and how often all of it is run. */
#include "harness/cases/case_parts.h"

#include "harness/cases/interval.h"

#include <string.h>

/* Steps of a phase, by the loader of the traffic. */
static int load_phase(struct mrct_load *l, yaml_node_t *node, enum mrct_step_phase phase,
                      struct mrct_case_steps *out)
{
    struct mrct_case phase_alone = {.steps = NULL};
    if (mrct_case_traffic(l, node, &phase_alone) != 0) {
        return -1;
    }
    for (size_t i = 0; i < phase_alone.step_count; i++) {
        struct mrct_step *const s = &phase_alone.steps[i];
        if (s->when == MRCT_WHEN_AT) {
            return mrct_case_fail_line(l, s->line, "at: only the traffic itself has times");
        }
        s->phase = phase;
    }
    *out = (struct mrct_case_steps){phase_alone.steps, phase_alone.step_count};
    return 0;
}

int mrct_case_preamble(struct mrct_load *l, yaml_node_t *node, void *base)
{
    (void)base;
    return load_phase(l, node, MRCT_STEP_BEFORE, &((struct mrct_case_load *)l->user)->before);
}

int mrct_case_postamble(struct mrct_load *l, yaml_node_t *node, void *base)
{
    (void)base;
    return load_phase(l, node, MRCT_STEP_AFTER, &((struct mrct_case_load *)l->user)->after);
}

int mrct_case_join_phases(struct mrct_load *l, struct mrct_case *c)
{
    const struct mrct_case_load *const state = l->user;
    const size_t before = state->before.count;
    const size_t after = state->after.count;
    if (before + after == 0) {
        return 0;
    }
    if (c->script != NULL) {
        return mrc_yaml_fail(&l->yaml, mrc_yaml_root(&l->yaml),
                             "a script says 'preamble' and 'postamble' in its own lines");
    }
    struct mrct_step *const all =
        mrct_pool_alloc(l->pool, (before + c->step_count + after) * sizeof *all);
    if (all == NULL) {
        return mrc_yaml_fail(&l->yaml, NULL, "out of memory");
    }
    if (before > 0) {
        memcpy(all, state->before.steps, before * sizeof *all);
    }
    memcpy(all + before, c->steps, c->step_count * sizeof *all);
    if (after > 0) {
        memcpy(all + before + c->step_count, state->after.steps, after * sizeof *all);
    }
    c->steps = all;
    c->step_count += before + after;
    return 0;
}

#define REPEAT(m) offsetof(struct mrct_case_repeat, m)

static const struct mrct_load_word confidence_words[] = {
    {"90%", 90}, {"95%", 95}, {"99%", 99}, {NULL, 0}};
static const struct mrct_load_field repeat_fields[] = {
    {.key = "runs",
     .type = MRCT_LOAD_U32,
     .offset = REPEAT(runs),
     .min = 2,
     .max = 1000,
     .required = true},
    {.key = "share", .type = MRCT_LOAD_SHARE, .offset = REPEAT(share_ppm), .required = true},
    {.key = "confidence",
     .type = MRCT_LOAD_WORD,
     .offset = REPEAT(confidence),
     .words = confidence_words},
    {.key = NULL},
};

int mrct_case_repeat(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case_repeat *const r = &((struct mrct_case *)base)->repeat;
    r->confidence = 95;
    if (mrct_load_map(l, node, repeat_fields, r) != 0) {
        return -1;
    }
    const struct mrct_interval best = mrct_interval_wilson(r->runs, r->runs, r->confidence);
    if (best.low_ppm < r->share_ppm) {
        return mrc_yaml_fail(&l->yaml, node,
                             "repeat: %u runs that all pass show a share of %u ppm at best",
                             r->runs, best.low_ppm);
    }
    return 0;
}
