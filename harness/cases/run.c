/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/run_priv.h"

#include "gen/mrc_req.h"
#include "harness/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long after a run came to rest its end is told: nothing will happen in it, so whatever is
 * still owed is overdue. */
#define REST_NS UINT64_C(1000000000)

void mrct_run_config_default(struct mrct_run_config *cfg)
{
    *cfg = (struct mrct_run_config){.seed = 1, .strict = true};
}

/* FNV-1a of the id, mixed with the run's seed by a splitmix64 step, so that neighbours differ. */
uint64_t mrct_run_case_seed(uint64_t run_seed, const char *case_id)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (const char *p = case_id; *p != '\0'; p++) {
        h = (h ^ (uint8_t)*p) * UINT64_C(0x100000001B3);
    }
    uint64_t z = h + run_seed * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* ---- one run ---- */

static int run_init(struct mrct_run *r, const struct mrct_run_config *cfg,
                    const struct mrct_case *c, struct mrct_pool *pool)
{
    *r = (struct mrct_run){.cfg = cfg, .c = c, .pool = pool};
    r->seed = cfg->seed_is_case ? cfg->seed : mrct_run_case_seed(cfg->seed, c->id);
    r->tally.clock_error_ns = cfg->clock_error_ns;
    r->tally.qp_error[0] = -1;
    r->tally.qp_error[1] = -1;
    mrct_pool_init(&r->own);
    mrct_rng_init(&r->rng, r->seed);
    mrct_facts_init(&r->node[0].facts);
    mrct_facts_init(&r->node[1].facts);
    r->frames_seen = mrct_pool_alloc(&r->own, (c->expect.frame_count + 1) * sizeof *r->frames_seen);
    return r->frames_seen != NULL ? 0 : mrct_run_fault(r, "out of memory");
}

static void run_fini(struct mrct_run *r)
{
    mrct_fab_free(r->fab);
    mrct_run_readings_fini(r);
    for (unsigned h = 0; h < 2; h++) {
        struct mrct_run_node *const n = &r->node[h];
        mrct_gate_free(n->gate);
        if (n->dut != NULL) {
            n->dut->ops->free(n->dut);
        }
        if (n->oracle != NULL) {
            mrct_oracle_free(n->oracle);
        }
        mrct_facts_fini(&n->facts);
        mrct_run_memory_free(&n->mem);
    }
    mrct_player_free(r->player);
    mrct_record_free(r->record);
    free(r->findings);
    mrct_pool_fini(&r->own);
}

static void check_account(struct mrct_run *r)
{
    struct mrct_fab_account a;
    mrct_fab_account_get(r->fab, &a);
    if (!mrct_fab_account_balanced(&a)) {
        (void)mrct_run_fault(r,
                             "the fabric's account does not balance: %" PRIu64 " sent, %" PRIu64
                             " delivered, %" PRIu64 " in flight",
                             a.sent, a.delivered, a.in_flight);
    }
}

/* Returns the time reached. */
static uint64_t play(struct mrct_run *r)
{
    const struct mrct_run_stage *const stage = r->cfg->stage;
    if (stage == NULL) {
        return mrct_fab_run(r->fab, r->c->limit_ns, mrct_run_step, r);
    }
    char err[300];
    const uint64_t now =
        stage->play(stage->user, r->c->limit_ns, mrct_run_step, r, err, sizeof err);
    if (err[0] != '\0') {
        (void)mrct_run_fault(r, "%s", err);
    }
    return now;
}

static void run_play(struct mrct_run *r, struct mrct_result_case *out)
{
    mrct_run_step(r, 0);
    const uint64_t now = play(r);
    if (mrct_fab_error(r->fab) != NULL) {
        (void)mrct_run_fault(r, "the fabric stopped: %s", mrct_fab_error(r->fab));
    }
    check_account(r);
    r->tally.cut_off = now >= r->c->limit_ns;
    mrct_run_script_end(r, now, out);
    mrct_run_app_end(r, now);
    if (r->tally.wrong == NULL && r->cfg->look != NULL &&
        !r->cfg->look(r, r->look_words, sizeof r->look_words)) {
        r->tally.wrong = r->look_words;
    }
    const uint64_t end = r->tally.cut_off ? now : now + REST_NS;
    mrct_oracle_end(r->node[0].oracle, end);
    mrct_oracle_end(r->node[1].oracle, end);
    mrct_run_readings_end(r, end);
    out->virtual_ns = now;
}

/* ---- what it left ---- */

static uint64_t exercised(const struct mrct_oracle *o, const char *requirement)
{
    const struct mrct_req_result *results = NULL;
    const size_t n = o != NULL ? mrct_oracle_results(o, &results) : 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(results[i].requirement, requirement) == 0) {
            return results[i].exercised;
        }
    }
    return 0;
}

static int fill_tally(struct mrct_run *r)
{
    const struct mrct_case *const c = r->c;
    uint64_t *const hits = mrct_pool_alloc(&r->own, (c->rule_count + 1) * sizeof *hits);
    uint64_t *const ex = mrct_pool_alloc(&r->own, (c->requirement_count + 1) * sizeof *ex);
    if (hits == NULL || ex == NULL) {
        return -1;
    }
    for (size_t i = 0; i < c->rule_count && r->rule_index != NULL; i++) {
        const struct mrct_fault_rule *const rule = mrct_fab_rule(r->fab, r->rule_index[i]);
        hits[i] = rule != NULL ? rule->hits : 0;
    }
    for (size_t i = 0; i < c->requirement_count; i++) {
        ex[i] = exercised(r->node[0].oracle, c->requirements[i]) +
                exercised(r->node[1].oracle, c->requirements[i]);
    }
    r->tally.rule_hits = hits;
    r->tally.exercised = ex;
    r->tally.frames = r->frames_seen;
    return 0;
}

/* "Cannot be judged here" is no news of a requirement that the other tap judged, or that this tap
 * is not meant to decide. */
static bool is_news(const struct mrct_run *r, const struct mrct_result_finding *f, unsigned tap)
{
    const struct mrc_requirement *const req = mrc_requirement_find(f->f.requirement);
    if (f->f.kind != MRCT_FINDING_INCONCLUSIVE || req == NULL) {
        return true;
    }
    return (req->taps >> tap & 1) != 0 &&
           exercised(r->node[0].oracle, req->id) + exercised(r->node[1].oracle, req->id) == 0;
}

static int copy_findings(struct mrct_run *r, struct mrct_result_case *out)
{
    out->findings = mrct_pool_alloc(r->pool, r->finding_count * sizeof *r->findings + 1);
    if (out->findings == NULL) {
        return -1;
    }
    for (size_t i = 0; i < r->finding_count; i++) {
        const bool at_requestor = strcmp(r->findings[i].tap, "requestor") == 0;
        const unsigned tap = at_requestor ? MRC_REQ_TAP_REQUESTOR : MRC_REQ_TAP_RESPONDER;
        if (is_news(r, &r->findings[i], tap)) {
            out->findings[out->finding_count++] = r->findings[i];
        }
    }
    return 0;
}

static char *note_of_rule(struct mrct_run *r, size_t i)
{
    char line[160];
    (void)snprintf(line, sizeof line, "fault '%s': %" PRIu64 " packets", r->c->rules[i].rule.name,
                   r->tally.rule_hits[i]);
    return mrct_pool_strdup(r->pool, line);
}

static char *note_of_account(struct mrct_run *r)
{
    struct mrct_fab_account a;
    mrct_fab_account_get(r->fab, &a);
    char line[400];
    (void)snprintf(line, sizeof line,
                   "fabric: %" PRIu64 " sent, %" PRIu64 " duplicated, %" PRIu64
                   " delivered, dropped %" PRIu64 " by rules, %" PRIu64 " at random, %" PRIu64
                   " by links; %" PRIu64 " corrupted, %" PRIu64 " marked, %" PRIu64
                   " trimmed, %" PRIu64 " delayed, %" PRIu64 " reordered",
                   a.sent, a.duplicated, a.delivered, a.dropped_rule, a.dropped_random,
                   a.dropped_link, a.corrupted, a.marked, a.trimmed, a.delayed, a.reordered);
    return mrct_pool_strdup(r->pool, line);
}

static int write_notes(struct mrct_run *r, struct mrct_result_case *out)
{
    const char **const notes = mrct_pool_alloc(r->pool, (r->c->rule_count + 1) * sizeof *notes);
    if (notes == NULL) {
        return -1;
    }
    for (size_t i = 0; i < r->c->rule_count; i++) {
        notes[i] = note_of_rule(r, i);
        if (notes[i] == NULL) {
            return -1;
        }
    }
    notes[r->c->rule_count] = note_of_account(r);
    out->notes = notes;
    out->note_count = r->c->rule_count + 1;
    return notes[r->c->rule_count] != NULL ? 0 : -1;
}

static int write_capture(struct mrct_run *r, struct mrct_result_case *out)
{
    for (size_t i = 0; i < out->finding_count; i++) {
        if (mrct_report_annotate(r->record, &out->findings[i].f) != 0) {
            return mrct_run_fault(r, "no memory for the capture's comments");
        }
    }
    (void)snprintf(out->capture, sizeof out->capture, "%s.pcapng", out->id);
    for (char *p = out->capture; *p != '\0'; p++) {
        if (*p == '/') {
            *p = '-';
        }
    }
    char path[4096];
    char err[512];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", r->cfg->out_dir, out->capture) >=
        sizeof path) {
        return mrct_run_fault(r, "the name of the capture is too long");
    }
    if (mrct_record_write(r->record, path, err, sizeof err) != 0) {
        out->capture[0] = '\0';
        return mrct_run_fault(r, "%s", err);
    }
    return 0;
}

static void finish(struct mrct_run *r, struct mrct_result_case *out)
{
    static const struct mrct_result_req none;
    out->seed = r->seed;
    out->frames = r->frames;
    out->reqs = mrct_pool_alloc(r->pool, (r->c->requirement_count + 1) * sizeof none);
    if (fill_tally(r) != 0 || copy_findings(r, out) != 0 || out->reqs == NULL ||
        (r->fab != NULL && write_notes(r, out) != 0)) {
        out->verdict = MRCT_ERROR;
        (void)snprintf(out->why, sizeof out->why, "out of memory");
        return;
    }
    r->tally.fault = r->fault[0] != '\0' ? r->fault : NULL;
    (void)mrct_run_troubled(r);
    r->tally.broken = r->trouble == MRCT_DUT_BROKEN ? r->trouble_words : NULL;
    r->tally.unsupported = r->trouble == MRCT_DUT_UNSUPPORTED ? r->trouble_words : NULL;
    mrct_run_readings_tell(r, out);
    mrct_verdict_case(r->c, &r->tally, out);
    /* Only now: its comments are the findings that stand. */
    if (r->record != NULL && write_capture(r, out) != 0) {
        r->tally.fault = r->fault;
        mrct_verdict_case(r->c, &r->tally, out);
    }
}

static const char *lacking(const struct mrct_run_config *cfg, const struct mrct_case *c)
{
    if (cfg->without_requestor && c->device != MRCT_DEVICE_RESPONDER) {
        return "requestor";
    }
    if (cfg->without_responder && c->device != MRCT_DEVICE_REQUESTOR) {
        return "responder";
    }
    for (size_t i = 0; i < c->capability_count; i++) {
        for (const char *const *l = cfg->lacks; l != NULL && *l != NULL; l++) {
            if (strcmp(*l, c->capabilities[i]) == 0) {
                return *l;
            }
        }
    }
    return NULL;
}

static char *join_problems(const struct mrct_case *c, struct mrct_pool *pool)
{
    size_t len = 1;
    for (size_t i = 0; i < c->problem_count; i++) {
        len += strlen(c->possible_problems[i]) + 1;
    }
    char *const all = mrct_pool_alloc(pool, len);
    for (size_t i = 0; i < c->problem_count && all != NULL; i++) {
        const size_t used = strlen(all);
        (void)snprintf(all + used, len - used, "%s%s", i > 0 ? " " : "", c->possible_problems[i]);
    }
    return all;
}

static const char *join_replay(const char *command, const char *id, struct mrct_pool *pool)
{
    const size_t cap = strlen(command) + strlen(id) + sizeof " --case ";
    char *const all = mrct_pool_alloc(pool, cap);
    if (all == NULL) {
        return "";
    }
    (void)snprintf(all, cap, "%s --case %s", command, id);
    return all;
}

static void describe(const struct mrct_run_config *cfg, const struct mrct_case *c,
                     struct mrct_pool *pool, struct mrct_result_case *out)
{
    *out = (struct mrct_result_case){
        .id = c->id, .title = c->title, .purpose = c->purpose, .section = c->section};
    if (c->problem_count > 0) {
        out->problems = join_problems(c, pool);
    }
    out->replay = cfg->replay != NULL ? join_replay(cfg->replay, c->id, pool) : "";
}

void mrct_run_not_applicable(const struct mrct_run_config *cfg, const struct mrct_case *c,
                             const char *why, struct mrct_pool *pool, struct mrct_result_case *out)
{
    describe(cfg, c, pool, out);
    out->verdict = MRCT_NOT_APPLICABLE;
    (void)snprintf(out->why, sizeof out->why, "%s", why);
    out->reqs = mrct_pool_alloc(pool, (c->requirement_count + 1) * sizeof *out->reqs);
    for (size_t i = 0; i < c->requirement_count && out->reqs != NULL; i++) {
        out->reqs[out->req_count++] =
            (struct mrct_result_req){.id = c->requirements[i], .verdict = MRCT_NOT_APPLICABLE};
    }
}

void mrct_run_case(const struct mrct_run_config *cfg, const struct mrct_case *c,
                   struct mrct_pool *pool, struct mrct_result_case *out)
{
    if (c->repeat.runs > 1) {
        mrct_run_repeated(cfg, c, pool, out);
    } else {
        mrct_run_once(cfg, c, pool, out);
    }
}

void mrct_run_once(const struct mrct_run_config *cfg, const struct mrct_case *c,
                   struct mrct_pool *pool, struct mrct_result_case *out)
{
    describe(cfg, c, pool, out);
    const char *const lacks = lacking(cfg, c);
    if (lacks != NULL) {
        char why[200];
        (void)snprintf(why, sizeof why, "the device does not declare '%s'", lacks);
        mrct_run_not_applicable(cfg, c, why, pool, out);
        return;
    }
    struct mrct_run *const r = malloc(sizeof *r);
    if (r == NULL) {
        out->verdict = MRCT_ERROR;
        (void)snprintf(out->why, sizeof out->why, "out of memory");
        return;
    }
    if (run_init(r, cfg, c, pool) == 0 && mrct_run_setup(r) == 0 && mrct_run_tap_setup(r) == 0 &&
        mrct_run_app_setup(r) == 0 && mrct_run_script_setup(r) == 0) {
        run_play(r, out);
    }
    finish(r, out);
    run_fini(r);
    free(r);
}

/* ---- over all cases ---- */

static struct mrct_result_req *row_of(struct mrct_result_run *run, const char *id)
{
    for (size_t i = 0; i < run->req_count; i++) {
        if (strcmp(run->reqs[i].id, id) == 0) {
            return &run->reqs[i];
        }
    }
    return NULL;
}

/* PASS in one case outweighs "not seen" in another; FAIL outweighs everything. */
static void sum_case(struct mrct_result_run *run, const struct mrct_result_case *c)
{
    static const int weight[MRCT_VERDICTS] = {[MRCT_NOT_APPLICABLE] = 0,
                                              [MRCT_INCONCLUSIVE] = 1,
                                              [MRCT_PASS] = 2,
                                              [MRCT_FAIL] = 3,
                                              [MRCT_ERROR] = 4};
    for (size_t i = 0; i < c->req_count; i++) {
        struct mrct_result_req *const row = row_of(run, c->reqs[i].id);
        row->exercised += c->reqs[i].exercised;
        if (weight[c->reqs[i].verdict] > weight[row->verdict]) {
            row->verdict = c->reqs[i].verdict;
        }
    }
}

/* A requirement that a case does not list can be broken in it all the same. */
static void sum_unlisted(struct mrct_result_run *run, const struct mrct_result_case *c)
{
    for (size_t i = 0; i < c->finding_count && c->verdict == MRCT_FAIL; i++) {
        const struct mrct_finding *const f = &c->findings[i].f;
        struct mrct_result_req *const row = row_of(run, f->requirement);
        if (f->kind == MRCT_FINDING_FAIL && row != NULL) {
            row->verdict = MRCT_FAIL;
        }
    }
}

static bool in_scope(const struct mrct_result_run *run, const char *id)
{
    for (size_t i = 0; i < run->case_count; i++) {
        const struct mrct_result_case *const c = &run->cases[i];
        for (size_t k = 0; k < c->req_count; k++) {
            if (strcmp(c->reqs[k].id, id) == 0) {
                return true;
            }
        }
        for (size_t k = 0; k < c->finding_count; k++) {
            if (c->findings[k].f.kind == MRCT_FINDING_FAIL &&
                strcmp(c->findings[k].f.requirement, id) == 0) {
                return true;
            }
        }
    }
    return false;
}

int mrct_run_sum_requirements(struct mrct_result_run *run, struct mrct_pool *pool)
{
    run->reqs = mrct_pool_alloc(pool, (mrc_requirement_count + 1) * sizeof *run->reqs);
    run->req_count = 0;
    if (run->reqs == NULL) {
        return -1;
    }
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const char *const id = mrc_requirements[i].id;
        if (in_scope(run, id)) {
            run->reqs[run->req_count++] =
                (struct mrct_result_req){.id = id, .verdict = MRCT_NOT_APPLICABLE};
        }
    }
    for (size_t i = 0; i < run->case_count; i++) {
        sum_case(run, &run->cases[i]);
        sum_unlisted(run, &run->cases[i]);
    }
    return 0;
}
