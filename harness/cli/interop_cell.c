/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One cell: the cases of an ordered pair, and for each that failed the same case of either device
 * with the reference, which says who broke what.
 */
#include "gen/mrc_req.h"
#include "harness/cli/ground.h"
#include "harness/cli/interop.h"
#include "harness/report/json.h"
#include "harness/report/report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct cell {
    struct mrct_interop *t;
    struct mrct_device *side[2]; /* host1, host2 */
    const char *dir;
    json_t *cases, *blame;
    bool has_passed; /* a capture of a case that passed is kept */
    size_t count[MRCT_VERDICTS];
};

bool mrct_interop_fits(const struct mrct_case *c)
{
    return !mrct_case_peer_misled(c);
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *const text = json_string_value(json_object_get(o, key));
    return text != NULL ? text : "";
}

static void add_to(json_t *o, const char *key, json_int_t n)
{
    (void)json_object_set_new(o, key,
                              json_integer(json_integer_value(json_object_get(o, key)) + n));
}

/* ---- one run ---- */

enum who { WITH_EACH_OTHER, ONLY_HOST1, ONLY_HOST2 };

/* ONLY_x: that host is its device, the other one the reference. */
static void run_one(struct cell *k, const struct mrct_case *c, enum who who, const char *dir,
                    struct mrct_pool *pool, struct mrct_result_case *out)
{
    static const enum mrct_case_device devices[] = {[WITH_EACH_OTHER] = MRCT_DEVICE_BOTH,
                                                    [ONLY_HOST1] = MRCT_DEVICE_REQUESTOR,
                                                    [ONLY_HOST2] = MRCT_DEVICE_RESPONDER};
    struct mrct_run_config cfg = k->t->cfg;
    struct mrct_case pair = *c; /* what it refers to stays the case's */
    pair.device = devices[who];
    cfg.source[0] = &k->side[0]->source;
    cfg.source[1] = &k->side[1]->source;
    cfg.out_dir = dir;
    const struct mrct_device *const at[2] = {
        who != ONLY_HOST2 && k->side[0]->live ? k->side[0] : NULL,
        who != ONLY_HOST1 && k->side[1]->live ? k->side[1] : NULL};
    if (at[0] != NULL || at[1] != NULL)
        mrct_ground_run(&cfg, at, &pair, pool, out);
    else
        mrct_run_case(&cfg, &pair, pool, out);
    out->id = c->id;
}

/* The earliest FAIL against a host (-1: any), or NULL. */
static const struct mrct_finding *first_fail(const struct mrct_result_case *r, int host)
{
    static const char *const names[2] = {"host1", "host2"};
    const struct mrct_finding *first = NULL;
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct mrct_finding *const f = &r->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL && (first == NULL || f->time_ns < first->time_ns) &&
            (host < 0 || (f->host != NULL && strcmp(f->host, names[host]) == 0)))
            first = f;
    }
    return first;
}

static int host_of(const struct mrct_finding *f)
{
    if (f == NULL || f->host == NULL || strncmp(f->host, "host", 4) != 0)
        return -1;
    return f->host[4] == '1' ? 0 : 1;
}

/* ---- blame ---- */

static json_t *blame_of(const char *device, const struct mrct_finding *f, const char *why)
{
    return json_pack("{s:s,s:s,s:o}", "device", device, "requirement",
                     f != NULL ? f->requirement : "", "why",
                     mrct_json_text(f != NULL ? f->why : why));
}

/* Counts the case for the device and the requirement in the cell's summary. */
static void sum_blame(struct cell *k, const json_t *one)
{
    for (size_t i = 0; i < json_array_size(k->blame); i++) {
        json_t *const row = json_array_get(k->blame, i);
        if (strcmp(text_of(row, "device"), text_of(one, "device")) == 0 &&
            strcmp(text_of(row, "requirement"), text_of(one, "requirement")) == 0) {
            add_to(row, "cases", 1);
            return;
        }
    }
    json_t *const row = json_copy((json_t *)one);
    (void)json_object_set_new(row, "cases", json_integer(1));
    (void)json_array_append_new(k->blame, row);
}

/* The device of a host alone with the reference; true when it fails, with the blame in list. */
static bool alone_fails(struct cell *k, const struct mrct_case *c, int host, json_t *list,
                        json_t *triangle)
{
    struct mrct_pool pool;
    struct mrct_result_case r;
    char dir[4096];
    const char *at = NULL;
    mrct_pool_init(&pool);
    if (k->dir != NULL &&
        snprintf(dir, sizeof dir, "%s/host%d-with-reference", k->dir, host + 1) < (int)sizeof dir) {
        char err[300];
        at = mrct_report_make_dir(dir, err, sizeof err) == 0 ? dir : NULL;
    }
    run_one(k, c, host == 0 ? ONLY_HOST1 : ONLY_HOST2, at, &pool, &r);
    const bool fails = r.verdict == MRCT_FAIL;
    if (fails)
        (void)json_array_append_new(list,
                                    blame_of(k->side[host]->name, first_fail(&r, host), r.why));
    (void)json_array_append_new(
        triangle, json_pack("{s:s,s:i,s:s,s:o}", "device", k->side[host]->name, "host", host + 1,
                            "verdict", mrct_verdict_str(r.verdict), "why", mrct_json_text(r.why)));
    mrct_pool_fini(&pool);
    return fails;
}

static bool is_reference(const struct mrct_device *d)
{
    return !d->has_manifest && d->deviant == NULL;
}

/* Who broke what: each device by itself with the reference, and only when neither fails there what
 * was seen between the two. */
static void find_blame(struct cell *k, const struct mrct_case *c, const struct mrct_result_case *r,
                       json_t *o)
{
    json_t *const list = json_array(), *const triangle = json_array();
    bool any = false;
    for (int h = 0; h < 2; h++) {
        if (is_reference(k->side[h]))
            continue; /* it is the measure */
        any = alone_fails(k, c, h, list, triangle) || any;
    }
    const struct mrct_finding *const f = first_fail(r, -1);
    const int host = host_of(f);
    if (!any && host >= 0) {
        json_t *const one = blame_of(k->side[host]->name, f, r->why);
        (void)json_object_set_new(one, "together", json_true());
        (void)json_array_append_new(list, one);
    }
    for (size_t i = 0; i < json_array_size(list); i++)
        sum_blame(k, json_array_get(list, i));
    (void)json_object_set_new(o, "blame", list);
    (void)json_object_set_new(o, "with_reference", triangle);
}

/* ---- one case ---- */

static const char *lacking(const struct mrct_interop *t, const struct mrct_case *c,
                           const struct mrct_device *d)
{
    const char *lacks[MRCT_DEVICE_LACKS_MAX + 1];
    (void)t;
    (void)mrct_device_lacks(d, mrct_capabilities, lacks);
    for (size_t i = 0; i < c->capability_count; i++)
        for (const char *const *l = lacks; *l != NULL; l++)
            if (strcmp(*l, c->capabilities[i]) == 0)
                return *l;
    return NULL;
}

/* False when a device does not declare what the case needs; then r is filled. */
static bool applies(struct cell *k, const struct mrct_case *c, struct mrct_result_case *r)
{
    for (unsigned h = 0; h < 2; h++) {
        const char *const lacks = lacking(k->t, c, k->side[h]);
        if (lacks == NULL)
            continue;
        *r = (struct mrct_result_case){
            .id = c->id, .title = c->title, .verdict = MRCT_NOT_APPLICABLE};
        (void)snprintf(r->why, sizeof r->why, "%s does not declare '%s'", k->side[h]->name, lacks);
        return false;
    }
    return true;
}

/* Removes a capture that nobody asked for. */
static void keep_capture(struct cell *k, struct mrct_result_case *r)
{
    const bool passed = r->verdict == MRCT_PASS;
    const bool wanted = k->t->keep == MRCT_KEEP_ALL ||
                        (k->t->keep == MRCT_KEEP_NOTABLE && (!passed || !k->has_passed));
    if (r->capture[0] == '\0' || wanted) {
        k->has_passed = k->has_passed || (passed && r->capture[0] != '\0');
        return;
    }
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", k->dir, r->capture);
    (void)unlink(path);
    r->capture[0] = '\0';
}

static json_t *findings_of(const struct mrct_result_case *r)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < r->finding_count; i++)
        if (r->findings[i].f.kind == MRCT_FINDING_FAIL)
            (void)json_array_append_new(list,
                                        mrct_json_finding(&r->findings[i].f, r->findings[i].tap));
    return list;
}

static void head_logs(struct cell *k, const char *words)
{
    for (unsigned h = 0; h < 2; h++) {
        FILE *const log = k->side[h]->log[h];
        if (log != NULL) {
            (void)fprintf(log, "== %s\n", words);
            (void)fflush(log);
        }
    }
}

static void run_case(struct cell *k, const struct mrct_case *c)
{
    struct mrct_pool pool;
    struct mrct_result_case r;
    mrct_pool_init(&pool);
    head_logs(k, c->id);
    if (applies(k, c, &r)) {
        run_one(k, c, WITH_EACH_OTHER, k->t->keep == MRCT_KEEP_NONE ? NULL : k->dir, &pool, &r);
        keep_capture(k, &r);
    }
    json_t *const o = json_pack("{s:s,s:o,s:s,s:o,s:o}", "case", c->id, "title",
                                mrct_json_text(c->title), "verdict", mrct_verdict_str(r.verdict),
                                "why", mrct_json_text(r.why), "findings", findings_of(&r));
    if (r.capture[0] != '\0')
        (void)json_object_set_new(o, "capture", json_string(r.capture));
    if (r.verdict == MRCT_FAIL) {
        head_logs(k, "the same with the reference");
        find_blame(k, c, &r, o);
    }
    k->count[r.verdict]++;
    (void)json_array_append_new(k->cases, o);
    mrct_pool_fini(&pool);
}

/* ---- the cell ---- */

static enum mrct_verdict sum(const size_t n[MRCT_VERDICTS])
{
    static const enum mrct_verdict order[] = {MRCT_ERROR, MRCT_FAIL, MRCT_INCONCLUSIVE, MRCT_PASS};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (n[order[i]] > 0)
            return order[i];
    return MRCT_NOT_APPLICABLE;
}

static json_t *describe(const struct mrct_device *d)
{
    return json_pack("{s:s,s:s,s:s}", "name", d->name, "version",
                     d->has_manifest ? d->manifest.version : MRCT_VERSION, "firmware",
                     d->has_manifest ? d->manifest.firmware : "");
}

static json_t *make_cell(const struct mrct_interop *t, size_t a, size_t b,
                         const size_t n[MRCT_VERDICTS], enum mrct_verdict verdict, const char *why)
{
    static const char *const keys[MRCT_VERDICTS] = {[MRCT_PASS] = "passed",
                                                    [MRCT_NOT_APPLICABLE] = "not_applicable",
                                                    [MRCT_INCONCLUSIVE] = "inconclusive",
                                                    [MRCT_FAIL] = "failed",
                                                    [MRCT_ERROR] = "errors"};
    char fingerprint[20];
    json_t *const counts = json_object();
    (void)snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, t->fingerprint);
    for (size_t v = 0; v < MRCT_VERDICTS; v++)
        (void)json_object_set_new(counts, keys[v], json_integer((json_int_t)n[v]));
    return json_pack("{s:s,s:s,s:s,s:s,s:o,s:o,s:I,s:s,s:o,s:o}", "schema", "mrct-interop-cell/1",
                     "suite", MRCT_VERSION, "spec_hash", mrc_spec_hash, "fingerprint", fingerprint,
                     "requestor", describe(&t->devices[a]), "responder", describe(&t->devices[b]),
                     "seed", (json_int_t)t->cfg.seed, "verdict", mrct_verdict_str(verdict), "why",
                     mrct_json_text(why), "counts", counts);
}

json_t *mrct_interop_no_cell(const struct mrct_interop *t, size_t a, size_t b,
                             enum mrct_verdict verdict, const char *why)
{
    size_t n[MRCT_VERDICTS] = {0};
    json_t *const o = make_cell(t, a, b, n, verdict, why);
    (void)json_object_set_new(o, "blame", json_array());
    (void)json_object_set_new(o, "cases", json_array());
    return o;
}

static FILE *open_log(const struct cell *k, unsigned host)
{
    char path[4096];
    if (k->dir == NULL ||
        snprintf(path, sizeof path, "%s/host%u.log", k->dir, host + 1) >= (int)sizeof path)
        return NULL;
    return fopen(path, "we");
}

/* The first reason that stands for the cell's verdict. */
static const char *reason(const struct cell *k, enum mrct_verdict verdict)
{
    for (size_t i = 0; i < json_array_size(k->cases); i++) {
        const json_t *const c = json_array_get(k->cases, i);
        if (strcmp(text_of(c, "verdict"), mrct_verdict_str(verdict)) == 0)
            return text_of(c, "why");
    }
    return "";
}

json_t *mrct_interop_cell(struct mrct_interop *t, size_t a, size_t b, const char *dir)
{
    struct cell k = {.t = t,
                     .side = {&t->devices[a], &t->devices[b]},
                     .dir = dir,
                     .cases = json_array(),
                     .blame = json_array()};
    for (unsigned h = 0; h < 2; h++)
        k.side[h]->log[h] = open_log(&k, h);
    for (size_t i = 0; i < t->plan.count; i++)
        if (t->plan.taken[i])
            run_case(&k, &t->plan.cases[i]);
    for (unsigned h = 0; h < 2; h++) {
        mrct_device_end(k.side[h], h);
        if (k.side[h]->log[h] != NULL)
            (void)fclose(k.side[h]->log[h]);
        k.side[h]->log[h] = NULL;
    }
    const enum mrct_verdict verdict = sum(k.count);
    json_t *const o =
        make_cell(t, a, b, k.count, verdict, verdict == MRCT_PASS ? "" : reason(&k, verdict));
    (void)json_object_set_new(o, "blame", k.blame);
    (void)json_object_set_new(o, "cases", k.cases);
    return o;
}
