/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/json.h"

#include "harness/report/report.h"
#include "harness/report/words.h"
#include "harness/trace/text.h"
#include <inttypes.h>
#include <string.h>

/* A failed allocation makes json_object_set_new() fail; one flag remembers it for all. */
struct maker {
    bool failed;
};

json_t *mrct_json_text(const char *text)
{
    char buf[1024];
    const size_t len = text == NULL ? 0 : strlen(text);
    if (len * 3 < sizeof(buf)) { /* a bad byte becomes three */
        mrct_text_clean(text == NULL ? "" : text, buf, sizeof(buf));
        return json_string(buf);
    }
    char *const big = malloc(len * 3 + 1);
    if (big == NULL)
        return NULL;
    mrct_text_clean(text, big, len * 3 + 1);
    json_t *const value = json_string(big);
    free(big);
    return value;
}

static void set(struct maker *m, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        m->failed = true;
}

static void add(struct maker *m, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        m->failed = true;
}

static void set_text(struct maker *m, json_t *object, const char *key, const char *text)
{
    set(m, object, key, mrct_json_text(text));
}

static void set_count(struct maker *m, json_t *object, const char *key, uint64_t n)
{
    set(m, object, key, json_integer((json_int_t)n));
}

/* A seed has 64 bits, more than most readers of JSON keep of a number. */
static void set_seed(struct maker *m, json_t *object, uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, seed);
    set_text(m, object, "seed", text);
}

static json_t *verdict_counts(struct maker *m, const struct mrct_result_counts *counts)
{
    json_t *const o = json_object();
    for (size_t v = 0; v < MRCT_VERDICTS; v++)
        set_count(m, o, mrct_verdict_str((enum mrct_verdict)v), counts->n[v]);
    return o;
}

static json_t *all_counts(struct maker *m, const struct mrct_result_run *run)
{
    const struct mrct_result_counts cases = mrct_result_count_cases(run);
    const struct mrct_result_counts reqs = mrct_result_count_reqs(run);
    json_t *const o = json_object();
    json_t *const findings = json_object();
    set(m, o, "cases", verdict_counts(m, &cases));
    set(m, o, "requirements", verdict_counts(m, &reqs));
    for (int k = MRCT_FINDING_FAIL; k <= MRCT_FINDING_INCONCLUSIVE; k++) {
        const enum mrct_finding_kind kind = (enum mrct_finding_kind)k;
        set_count(m, findings, mrct_finding_kind_str(kind),
                  mrct_result_count_findings(run, kind, NULL));
    }
    set(m, o, "findings", findings);
    return o;
}

json_t *mrct_json_finding(const struct mrct_finding *f, const char *tap)
{
    struct maker m = {false};
    json_t *const o = json_object();
    json_t *const frames = json_array();
    for (unsigned i = 0; i < f->frame_count; i++)
        add(&m, frames, json_integer((json_int_t)f->frames[i]));
    set_text(&m, o, "requirement", f->requirement);
    set_text(&m, o, "verdict", mrct_finding_kind_str(f->kind));
    set(&m, o, "frames", frames);
    set_text(&m, o, "why", f->why);
    set_text(&m, o, "check", f->check);
    set_text(&m, o, "host", f->host);
    if (tap != NULL)
        set_text(&m, o, "tap", tap);
    set_count(&m, o, "time_ns", f->time_ns);
    if (m.failed) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *req_in_case(struct maker *m, const struct mrct_result_req *r)
{
    json_t *const o = json_object();
    set_text(m, o, "id", r->id);
    set_text(m, o, "verdict", mrct_verdict_str(r->verdict));
    set_count(m, o, "exercised", r->exercised);
    return o;
}

static json_t *case_lists(struct maker *m, const struct mrct_result_case *c, json_t *o)
{
    json_t *const reqs = json_array();
    json_t *const findings = json_array();
    json_t *const notes = json_array();
    for (size_t i = 0; i < c->req_count; i++)
        add(m, reqs, req_in_case(m, &c->reqs[i]));
    for (size_t i = 0; i < c->finding_count; i++)
        add(m, findings, mrct_json_finding(&c->findings[i].f, c->findings[i].tap));
    for (size_t i = 0; i < c->note_count; i++)
        add(m, notes, mrct_json_text(c->notes[i]));
    set(m, o, "notes", notes);
    set(m, o, "requirements", reqs);
    set(m, o, "findings", findings);
    return o;
}

static json_t *one_case(struct maker *m, const struct mrct_result_case *c)
{
    json_t *const o = json_object();
    set_text(m, o, "id", c->id);
    set_text(m, o, "title", c->title);
    set_text(m, o, "purpose", c->purpose);
    set_text(m, o, "section", c->section);
    set_text(m, o, "verdict", mrct_verdict_str(c->verdict));
    set_text(m, o, "why", c->why);
    set_text(m, o, "repeated", c->repeated);
    set_text(m, o, "readings", c->readings);
    set_text(m, o, "known", c->known);
    set_seed(m, o, c->seed);
    set_text(m, o, "replay", c->replay);
    set_text(m, o, "capture", c->capture);
    set_text(m, o, "page", c->page);
    set_count(m, o, "virtual_ns", c->virtual_ns);
    set_count(m, o, "frames", c->frames);
    return case_lists(m, c, o);
}

static bool case_has(const struct mrct_result_case *c, const char *id)
{
    for (size_t i = 0; i < c->req_count; i++)
        if (strcmp(c->reqs[i].id, id) == 0)
            return true;
    return false;
}

static json_t *one_req(struct maker *m, const struct mrct_result_run *run,
                       const struct mrct_result_req *r)
{
    const struct mrct_words w = mrct_words_of(r->id);
    json_t *const o = req_in_case(m, r);
    json_t *const cases = json_array();
    set_text(m, o, "section", w.section);
    set_text(m, o, "table", w.table);
    set_text(m, o, "level", w.level);
    set_text(m, o, "evidence", w.evidence);
    set_text(m, o, "text", w.text);
    for (size_t i = 0; i < run->case_count; i++)
        if (case_has(&run->cases[i], r->id))
            add(m, cases, mrct_json_text(run->cases[i].id));
    set(m, o, "cases", cases);
    return o;
}

static json_t *network_lines(struct maker *m, const struct mrct_result_run *run)
{
    json_t *const lines = json_array();
    for (size_t i = 0; i < run->network_count; i++)
        add(m, lines, mrct_json_text(run->network[i]));
    return lines;
}

static json_t *whole_run(struct maker *m, const struct mrct_result_run *run)
{
    char replay[400];
    json_t *const o = json_object();
    json_t *const suite = json_object();
    json_t *const problems = json_array();
    json_t *const reqs = json_array();
    json_t *const cases = json_array();
    set_text(m, o, "schema", "mrct-report/1");
    set_text(m, suite, "name", "mrct");
    set_text(m, suite, "version", run->suite_version);
    set_text(m, suite, "spec_hash", run->spec_hash);
    set(m, o, "suite", suite);
    set_text(m, o, "device", run->device);
    set_text(m, o, "device_version", run->device_version);
    set_text(m, o, "firmware", run->firmware);
    set_text(m, o, "pics_hash", run->pics_hash);
    set_text(m, o, "pixit_hash", run->pixit_hash);
    set_seed(m, o, run->seed);
    set(m, o, "strict", json_boolean(run->strict));
    set_text(m, o, "reading", run->reading);
    set_text(m, o, "replay", mrct_report_replay(run, replay, sizeof(replay)));
    set_text(m, o, "verdict", mrct_verdict_str(mrct_result_verdict(run)));
    set_count(m, o, "exit_status", (uint64_t)mrct_result_exit_status(run));
    set(m, o, "counts", all_counts(m, run));
    for (size_t i = 0; i < run->problem_count; i++)
        add(m, problems, mrct_json_text(run->problems[i]));
    set(m, o, "problems", problems);
    if (run->network_count > 0)
        set(m, o, "network", network_lines(m, run));
    for (size_t i = 0; i < run->req_count; i++)
        add(m, reqs, one_req(m, run, &run->reqs[i]));
    for (size_t i = 0; i < run->case_count; i++)
        add(m, cases, one_case(m, &run->cases[i]));
    set(m, o, "requirements", reqs);
    set(m, o, "cases", cases);
    return o;
}

int mrct_json_write(json_t *value, FILE *out)
{
    const int status = json_dumpf(value, out, JSON_INDENT(2));
    fputc('\n', out);
    return status;
}

int mrct_report_json(const struct mrct_result_run *run, FILE *out)
{
    struct maker m = {false};
    json_t *const root = whole_run(&m, run);
    const int status = m.failed ? -1 : mrct_json_write(root, out);
    json_decref(root);
    return status;
}
