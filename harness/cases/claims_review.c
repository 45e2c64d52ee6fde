/* SPDX-License-Identifier: BSD-2-Clause */
/* The static review of a manifest's claims: what contradicts the specification, or itself. */
#include "harness/cases/claims.h"

#include "gen/mrc_req.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

/* Who claims the first must claim the second. */
static const struct {
    const char *one, *other, *why;
} implied[] = {
    {"trimming", "trim_nack", "trimmed requests can only be repaired in time by a NACK"},
    {"trim_nack", "trimming", "a NACK for trimmed requests needs requests that may be trimmed"},
    {"srv6", "planes", "segment routing chooses among the paths of several planes"},
};

struct review {
    const struct mrct_claims *c;
    struct mrct_claims_review sum;
    void (*say)(void *user, const char *words);
    void *user;
};

static void contradiction(struct review *r, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void contradiction(struct review *r, int line, const char *fmt, ...)
{
    char words[500];
    int at = 0;
    if (line > 0) {
        at = snprintf(words, sizeof words, "line %d: ", line);
    }
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(words + at, sizeof words - (size_t)at, fmt, ap);
    va_end(ap);
    r->sum.contradictions++;
    r->say(r->user, words);
}

static void look_at_capabilities(struct review *r)
{
    for (size_t i = 0; r->c->has_capabilities && i < sizeof implied / sizeof implied[0]; i++) {
        if (mrct_claims_has(r->c, implied[i].one) && !mrct_claims_has(r->c, implied[i].other)) {
            contradiction(r, 0, "'%s' is declared and '%s' is not: %s", implied[i].one,
                          implied[i].other, implied[i].why);
        }
    }
}

/* The name that the manifest has for a requirement's capability ("TRIM_NACK"), or NULL. */
static const char *capability_of(const struct mrc_requirement *q)
{
    for (const char *const *k = mrct_capabilities; q->capability != NULL && *k != NULL; k++) {
        if (strcasecmp(*k, q->capability) == 0) {
            return *k;
        }
    }
    return NULL;
}

static bool plays(const struct mrct_claims *c, const struct mrc_requirement *q)
{
    switch (q->role) {
    case MRC_ROLE_REQUESTOR:
        return c->requestor;
    case MRC_ROLE_RESPONDER:
        return c->responder;
    case MRC_ROLE_ANY:
    case MRC_ROLE_NODE:
        break;
    }
    return true;
}

static void look_at_answer(struct review *r, size_t i)
{
    const struct mrc_requirement *const q = &mrc_requirements[i];
    const char *const capability = capability_of(q);
    const bool claimed = capability == NULL || mrct_claims_has(r->c, capability);
    const bool due = claimed && plays(r->c, q);
    const bool must = q->level == MRC_MUST || q->level == MRC_MUST_NOT;
    const int line = r->c->answer_lines[i];
    switch ((enum mrct_answer)r->c->answers[i]) {
    case MRCT_ANSWER_NONE:
        r->sum.open += due;
        break;
    case MRCT_ANSWER_YES:
        if (!claimed) {
            contradiction(r, line, "%s is answered yes, and its capability '%s' is not declared",
                          q->id, capability);
        } else if (!due) {
            contradiction(r, line,
                          "%s is answered yes, and is the %s's, which is no role of this "
                          "device",
                          q->id, mrc_req_role_str(q->role));
        }
        break;
    case MRCT_ANSWER_NO:
        if (due && must) {
            contradiction(r, line, "%s is %s and is answered no", q->id,
                          mrc_req_level_str(q->level));
        }
        break;
    case MRCT_ANSWER_NA:
        if (due && must) {
            contradiction(r, line, "%s is %s and is answered n/a, though the device has its role%s",
                          q->id, mrc_req_level_str(q->level),
                          capability != NULL ? " and its capability" : "");
        }
        break;
    }
}

static const struct mrct_claims_value *value_of(const struct mrct_claims *c, const char *key)
{
    for (size_t i = 0; i < c->pixit_count; i++) {
        if (strcmp(c->pixit[i].key, key) == 0) {
            return &c->pixit[i];
        }
    }
    return NULL;
}

/* A parameter and a capability that speak of the same thing say the same of it. */
static void look_at_parameter(struct review *r, const struct mrct_pixit_key *k)
{
    const struct mrct_claims_value *const v = value_of(r->c, k->key);
    if (v == NULL || strcmp(v->text, "?") == 0) {
        r->sum.open++;
        return;
    }
    if (k->capability == NULL || !r->c->has_capabilities) {
        return;
    }
    const bool claimed = mrct_claims_has(r->c, k->capability);
    const bool says = k->form != MRCT_PIXIT_BOOL || strcmp(v->text, "true") == 0;
    if (says != claimed && (says || k->form == MRCT_PIXIT_BOOL)) {
        contradiction(r, v->line, "pixit says '%s: %s', and the capability '%s' is %sdeclared",
                      k->key, v->text, k->capability, claimed ? "" : "not ");
    }
}

struct mrct_claims_review mrct_claims_review(const struct mrct_claims *c,
                                             void (*say)(void *user, const char *words), void *user)
{
    struct review r = {.c = c, .say = say, .user = user};
    look_at_capabilities(&r);
    for (size_t i = 0; c->has_pics && i < mrc_requirement_count; i++) {
        look_at_answer(&r, i);
    }
    for (const struct mrct_pixit_key *k = mrct_pixit_keys; c->pixit_count > 0 && k->key != NULL;
         k++) {
        look_at_parameter(&r, k);
    }
    return r.sum;
}

/* ---- into a run ---- */

struct adding {
    struct mrct_result_run *run;
    struct mrct_pool *pool;
    size_t room;
    bool failed;
};

static void add_problem(void *user, const char *words)
{
    struct adding *const a = user;
    char line[600];
    (void)snprintf(line, sizeof line, "the manifest contradicts itself or the specification: %s",
                   words);
    if (a->run->problem_count == a->room) {
        const size_t room = 2 * a->room + 16;
        const char **const more = mrct_pool_alloc(a->pool, room * sizeof *more);
        if (more == NULL) {
            a->failed = true;
            return;
        }
        for (size_t i = 0; i < a->room; i++) {
            more[i] = a->run->problems[i];
        }
        a->run->problems = more;
        a->room = room;
    }
    const char *const kept = mrct_pool_strdup(a->pool, line);
    a->failed = a->failed || kept == NULL;
    a->run->problems[a->run->problem_count++] = kept != NULL ? kept : "out of memory";
}

int mrct_claims_apply(const struct mrct_claims *c, struct mrct_result_run *run,
                      struct mrct_pool *pool)
{
    struct adding a = {.run = run, .pool = pool, .room = run->problem_count};
    (void)mrct_claims_review(c, add_problem, &a);
    return a.failed ? -1 : 0;
}
