/* SPDX-License-Identifier: BSD-2-Clause */
/* One seed of the swarm: drawn, run, and told of. */
#include "harness/cases/swarm.h"
#include "harness/cli/swarm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void count(const struct mrct_result_case *r, struct mrct_swarm_seed *s)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        s->fails += r->findings[i].f.kind == MRCT_FINDING_FAIL;
        s->warns += r->findings[i].f.kind == MRCT_FINDING_WARN;
    }
}

static uint64_t first_frame(const struct mrct_finding *f)
{
    return f->frame_count > 0 ? f->frames[0] : 0;
}

static void print_failure(FILE *out, const struct mrct_swarm_seed *s,
                          const struct mrct_result_case *r)
{
    fprintf(out, "  %s %s\n", mrct_verdict_str(r->verdict), r->why);
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct mrct_finding *const f = &r->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL) {
            fprintf(out, "  %s tap, %s, frame %" PRIu64 ": %s\n", r->findings[i].tap,
                    f->requirement, first_frame(f), f->why);
        }
    }
    fprintf(out, "  replay: mrct swarm --seeds %" PRIu64 "..%" PRIu64 " --out DIR\n", s->seed,
            s->seed);
}

static char *text_of(const struct mrct_swarm_seed *s, const char *drawn,
                     const struct mrct_result_case *r)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "seed %" PRIu64 ": %s; %" PRIu64 " frames, %" PRIu64 " ns\n", s->seed, drawn,
            r->frames, r->virtual_ns);
    if (r->verdict != MRCT_PASS) {
        print_failure(out, s, r);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static json_t *json_of(const struct mrct_swarm_seed *s, const char *drawn,
                       const struct mrct_result_case *r)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct mrct_finding *const f = &r->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL) {
            (void)json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:s}", "requirement",
                                                        f->requirement, "tap", r->findings[i].tap,
                                                        "frame", (json_int_t)first_frame(f), "why",
                                                        f->why));
        }
    }
    char replay[64];
    (void)snprintf(replay, sizeof replay, "mrct swarm --seeds %" PRIu64 "..%" PRIu64, s->seed,
                   s->seed);
    return json_pack("{s:I, s:s, s:s, s:s, s:s, s:o}", "seed", (json_int_t)s->seed, "verdict",
                     mrct_verdict_str(r->verdict), "why", r->why, "drawn", drawn, "replay", replay,
                     "findings", list);
}

void mrct_swarm_seed_run(const struct mrct_swarm_order *o, uint64_t seed,
                         struct mrct_swarm_seed *out)
{
    *out = (struct mrct_swarm_seed){.seed = seed};
    struct mrct_case c;
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case r;
    mrct_run_config_default(&cfg);
    cfg.out_dir = o->out_dir;
    mrct_pool_init(&pool);
    if (mrct_swarm_run(&cfg, &c, seed, &pool, &r) != 0) {
        mrct_pool_fini(&pool);
        return;
    }
    out->run = true;
    out->verdict = r.verdict;
    out->frames = r.frames;
    out->virtual_ns = r.virtual_ns;
    count(&r, out);
    if (r.verdict != MRCT_PASS || o->verbose) {
        char drawn[1600];
        mrct_swarm_describe(&c, drawn, sizeof drawn);
        out->text = text_of(out, drawn, &r);
        out->failure = r.verdict != MRCT_PASS ? json_of(out, drawn, &r) : NULL;
    }
    mrct_pool_fini(&pool);
    mrct_case_fini(&c);
}

void mrct_swarm_seed_fini(struct mrct_swarm_seed *s)
{
    free(s->text);
    json_decref(s->failure);
}
