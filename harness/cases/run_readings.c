/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A case whose requirements depend on open questions is judged under every reading of each of them,
 * by oracles that see the same frames and events: the verdict then says under which it passes.
 */
#include "harness/cases/run_priv.h"

#include "gen/mrc_req.h"

#include <stdio.h>
#include <string.h>

struct mrct_run_reading {
    const struct mrc_question *question;
    char reading;
    bool failed; /* the device broke a requirement that depends on the question */
    struct mrct_run *run;
    struct mrct_oracle *oracle[2];
};

static bool is_asked(const struct mrct_run *r, int question)
{
    for (size_t i = 0; i < r->c->requirement_count; i++) {
        const struct mrc_requirement *const q = mrc_requirement_find(r->c->requirements[i]);
        if (q != NULL && q->question == question && q->checks[0] != NULL) {
            return true;
        }
    }
    return false;
}

static void on_finding(void *user, const struct mrct_finding *f)
{
    struct mrct_run_reading *const one = user;
    const struct mrc_requirement *const q = mrc_requirement_find(f->requirement);
    if (f->kind == MRCT_FINDING_FAIL && q != NULL && q->question == one->question->number &&
        mrct_verdict_blame(one->run->c, f) == MRCT_BLAME_DEVICE) {
        one->failed = true;
    }
}

static int setup_one(struct mrct_run *r, struct mrct_run_reading *one)
{
    for (unsigned h = 0; h < 2; h++) {
        struct mrct_oracle_config cfg;
        mrct_oracle_config_default(&cfg);
        cfg.facts = &r->node[h].facts;
        cfg.tap = h == 0 ? MRCT_TAP_REQUESTOR : MRCT_TAP_RESPONDER;
        cfg.strict = true; /* what a reading forbids fails under it */
        cfg.have_events = true;
        memcpy(cfg.reading, r->cfg->reading, sizeof cfg.reading);
        cfg.reading[one->question->number] = one->reading;
        cfg.disabled_check = r->cfg->disabled_check;
        cfg.on_finding = on_finding;
        cfg.user = one;
        one->oracle[h] = mrct_oracle_new(&cfg);
        if (one->oracle[h] == NULL) {
            return mrct_run_fault(r, "no memory for an oracle");
        }
    }
    return 0;
}

int mrct_run_readings_setup(struct mrct_run *r)
{
    size_t n = 0;
    for (size_t i = 0; i < mrc_question_count; i++) {
        n += is_asked(r, mrc_questions[i].number) ? mrc_questions[i].reading_count : 0;
    }
    if (n == 0) {
        return 0;
    }
    r->readings = mrct_pool_alloc(&r->own, n * sizeof *r->readings);
    if (r->readings == NULL) {
        return mrct_run_fault(r, "out of memory");
    }
    for (size_t i = 0; i < mrc_question_count; i++) {
        const struct mrc_question *const q = &mrc_questions[i];
        for (size_t k = 0; is_asked(r, q->number) && k < q->reading_count; k++) {
            struct mrct_run_reading *const one = &r->readings[r->reading_count++];
            *one = (struct mrct_run_reading){.question = q, .reading = q->readings[k].id, .run = r};
            if (setup_one(r, one) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

void mrct_run_readings_fini(struct mrct_run *r)
{
    for (size_t i = 0; i < r->reading_count; i++) {
        mrct_oracle_free(r->readings[i].oracle[0]);
        mrct_oracle_free(r->readings[i].oracle[1]);
    }
}

void mrct_run_readings_frame(struct mrct_run *r, unsigned host, const struct mrct_obs *obs)
{
    for (size_t i = 0; i < r->reading_count; i++) {
        mrct_oracle_frame(r->readings[i].oracle[host], obs);
    }
}

void mrct_run_readings_event(struct mrct_run *r, const struct mrct_event *ev)
{
    for (size_t i = 0; i < r->reading_count; i++) {
        mrct_oracle_event(r->readings[i].oracle[0], ev);
        mrct_oracle_event(r->readings[i].oracle[1], ev);
    }
}

void mrct_run_readings_end(struct mrct_run *r, uint64_t now_ns)
{
    for (size_t i = 0; i < r->reading_count; i++) {
        mrct_oracle_end(r->readings[i].oracle[0], now_ns);
        mrct_oracle_end(r->readings[i].oracle[1], now_ns);
    }
}

/* ---- in words ---- */

struct words {
    char *buf;
    size_t cap;
    const char *between;
};

static void put(struct words *w, const char *text)
{
    const size_t used = strlen(w->buf);
    (void)snprintf(w->buf + used, w->cap - used, "%s", text);
}

/* "Q2: passes under a, fails under b (the default)" */
static void put_reading(struct words *w, const struct mrc_question *q, bool first, char reading,
                        bool failed)
{
    char text[80];
    (void)snprintf(text, sizeof text, "%s%s%s%s under %c%s", first ? w->between : ", ",
                   first ? q->id : "", first ? ": " : "", failed ? "fails" : "passes", reading,
                   reading == q->default_reading ? " (the default)" : "");
    put(w, text);
    if (first) {
        w->between = "; ";
    }
}

/* Under some reading the requirement's breach passes: "a=fail b=pass". */
static bool passes_under(const struct mrc_requirement *q, char reading)
{
    for (const char *p = q->reading_verdicts; p != NULL && *p != '\0'; p++) {
        if (*p == reading && p[1] == '=') {
            return strncmp(p + 2, "pass", 4) == 0;
        }
    }
    return false;
}

/* A broken requirement that the case does not list: what its row says of whoever breaks it. */
static void put_unlisted(const struct mrct_run *r, const struct mrct_result_case *out,
                         const struct mrc_question *q, struct words *w)
{
    for (size_t i = 0; i < out->finding_count; i++) {
        const struct mrct_finding *const f = &out->findings[i].f;
        const struct mrc_requirement *const req = mrc_requirement_find(f->requirement);
        if (f->kind == MRCT_FINDING_INCONCLUSIVE || req == NULL || req->question != q->number ||
            mrct_verdict_blame(r->c, f) != MRCT_BLAME_DEVICE) {
            continue;
        }
        size_t passing = 0;
        for (size_t k = 0; k < q->reading_count; k++) {
            passing += passes_under(req, q->readings[k].id);
        }
        if (passing == 0 || passing == q->reading_count) {
            continue;
        }
        for (size_t k = 0; k < q->reading_count; k++) {
            put_reading(w, q, k == 0, q->readings[k].id, !passes_under(req, q->readings[k].id));
        }
        return;
    }
}

static bool put_listed(const struct mrct_run *r, const struct mrc_question *q, struct words *w)
{
    size_t n = 0;
    size_t failed = 0;
    for (size_t i = 0; i < r->reading_count; i++) {
        if (r->readings[i].question == q) {
            n++;
            failed += r->readings[i].failed;
        }
    }
    bool first = true;
    for (size_t i = 0; failed > 0 && failed < n && i < r->reading_count; i++) {
        if (r->readings[i].question == q) {
            put_reading(w, q, first, r->readings[i].reading, r->readings[i].failed);
            first = false;
        }
    }
    return n > 0;
}

void mrct_run_readings_tell(const struct mrct_run *r, struct mrct_result_case *out)
{
    struct words w = {.buf = out->readings, .cap = sizeof out->readings, .between = ""};
    out->readings[0] = '\0';
    for (size_t i = 0; i < mrc_question_count; i++) {
        if (!put_listed(r, &mrc_questions[i], &w)) {
            put_unlisted(r, out, &mrc_questions[i], &w);
        }
    }
}
