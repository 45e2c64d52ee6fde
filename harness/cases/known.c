/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/known.h"

#include "gen/mrc_req.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define KNOWN(m) offsetof(struct mrct_known_entry, m)

static int days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* The digits at text[at .. at + count), or -1. */
static int digits(const char *text, size_t at, size_t count)
{
    int n = 0;
    for (size_t i = at; i < at + count; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        n = n * 10 + (text[i] - '0');
    }
    return n;
}

int mrct_known_date(const char *text)
{
    if (strlen(text) != 10 || text[4] != '-' || text[7] != '-') {
        return 0;
    }
    const int year = digits(text, 0, 4);
    const int month = digits(text, 5, 2);
    const int day = digits(text, 8, 2);
    if (year < 2000 || month < 1 || month > 12 || day < 1 || day > days_of(year, month)) {
        return 0;
    }
    return year * 10000 + month * 100 + day;
}

int mrct_known_day(uint64_t unix_s)
{
    const time_t t = (time_t)unix_s;
    struct tm tm;
    if (gmtime_r(&t, &tm) == NULL) {
        return 0;
    }
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

/* ---- reading ---- */

static int load_date(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const char *const text = mrc_yaml_text(node);
    const int date = text != NULL ? mrct_known_date(text) : 0;
    if (date == 0) {
        return mrc_yaml_fail(&l->yaml, node, "expires: a date like 2027-01-31 was expected");
    }
    ((struct mrct_known_entry *)base)->expires = date;
    return 0;
}

static const struct mrct_load_field fields[] = {
    {.key = "case", .type = MRCT_LOAD_STRING, .offset = KNOWN(id), .required = true},
    {.key = "requirement", .type = MRCT_LOAD_STRING, .offset = KNOWN(requirement)},
    {.key = "reason", .type = MRCT_LOAD_STRING, .offset = KNOWN(reason), .required = true},
    {.key = "firmware", .type = MRCT_LOAD_STRING, .offset = KNOWN(firmware)},
    {.key = "expires", .type = MRCT_LOAD_CUSTOM, .custom = load_date, .required = true},
    {.key = NULL},
};

static bool names_a_case(const struct mrct_plan *plan, const char *glob)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (fnmatch(glob, plan->cases[i].id, 0) == 0) {
            return true;
        }
    }
    return false;
}

static int load_entry(struct mrct_load *l, yaml_node_t *node, const struct mrct_plan *plan,
                      struct mrct_known_entry *e)
{
    if (mrct_load_map(l, node, fields, e) != 0) {
        return -1;
    }
    e->line = mrc_yaml_line(node);
    if (e->requirement != NULL && mrc_requirement_find(e->requirement) == NULL) {
        return mrc_yaml_fail(&l->yaml, node, "requirement: there is no '%s'", e->requirement);
    }
    if (!names_a_case(plan, e->id)) {
        return mrc_yaml_fail(&l->yaml, node, "case: '%s' is none of the %zu cases", e->id,
                             plan->count);
    }
    return 0;
}

int mrct_known_load(struct mrct_load *l, yaml_node_t *list, const struct mrct_plan *plan,
                    struct mrct_known *k)
{
    *k = (struct mrct_known){.list = mrct_load_array(l, list, sizeof *k->list, "known_failures")};
    if (k->list == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(list);
    for (size_t i = 0; i < n; i++) {
        if (load_entry(l, mrc_yaml_item(&l->yaml, list, i), plan, &k->list[i]) != 0) {
            return -1;
        }
        k->count++;
    }
    return 0;
}

/* ---- applying ---- */

static char *words(struct mrct_pool *pool, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static char *words(struct mrct_pool *pool, const char *fmt, ...)
{
    char line[700];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    return mrct_pool_strdup(pool, line);
}

static bool is_of(const struct mrct_known_entry *e, const struct mrct_result_case *c,
                  const char *firmware)
{
    return fnmatch(e->id, c->id, 0) == 0 &&
           (e->firmware == NULL || fnmatch(e->firmware, firmware, 0) == 0);
}

static bool found(const struct mrct_result_case *c, const char *requirement)
{
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct mrct_finding *const f = &c->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL &&
            (requirement == NULL || strcmp(f->requirement, requirement) == 0)) {
            return true;
        }
    }
    return false;
}

static bool holds(const struct mrct_known_entry *e, const struct mrct_result_case *c,
                  const char *firmware, int today)
{
    return is_of(e, c, firmware) && today <= e->expires;
}

/* The entry that explains a failed case: one for whatever fails it, or entries for each requirement
 * that is broken in it. */
static const struct mrct_known_entry *explains(const struct mrct_known *k,
                                               const struct mrct_result_case *c,
                                               const char *firmware, int today)
{
    const struct mrct_known_entry *one = NULL;
    size_t explained = 0;
    size_t broken = 0;
    for (size_t i = 0; i < k->count; i++) {
        if (holds(&k->list[i], c, firmware, today) && k->list[i].requirement == NULL) {
            return &k->list[i];
        }
    }
    for (size_t f = 0; f < c->finding_count; f++) {
        if (c->findings[f].f.kind != MRCT_FINDING_FAIL) {
            continue;
        }
        broken++;
        for (size_t i = 0; i < k->count; i++) {
            if (holds(&k->list[i], c, firmware, today) &&
                strcmp(k->list[i].requirement, c->findings[f].f.requirement) == 0) {
                explained++;
                one = &k->list[i];
                break;
            }
        }
    }
    return broken > 0 && explained == broken ? one : NULL;
}

static int problem(struct mrct_result_run *run, char *line)
{
    if (line == NULL) {
        return -1;
    }
    run->problems[run->problem_count++] = line;
    return 0;
}

/* A case that did as an entry says it does not: it passed, or the requirement held. */
static bool surprises(const struct mrct_known_entry *e, const struct mrct_result_case *c)
{
    if (c->verdict == MRCT_PASS) {
        return true;
    }
    return c->verdict == MRCT_FAIL && e->requirement != NULL && !found(c, e->requirement);
}

/* A pattern may take in cases that pass: one that still fails makes it true. */
static int look_at_entry(const struct mrct_known_entry *e, struct mrct_result_run *run,
                         const char *firmware, int today, struct mrct_pool *pool)
{
    const struct mrct_result_case *passed = NULL;
    const struct mrct_result_case *failing = NULL;
    for (size_t i = 0; i < run->case_count; i++) {
        const struct mrct_result_case *const c = &run->cases[i];
        if (!is_of(e, c, firmware)) {
            continue;
        }
        if (surprises(e, c)) {
            passed = c;
        } else if (c->verdict == MRCT_FAIL) {
            failing = c;
        }
    }
    if (today > e->expires && (passed != NULL || failing != NULL)) {
        return problem(run, words(pool,
                                  "known failure of line %d (%s) has expired: it held until "
                                  "%04d-%02d-%02d",
                                  e->line, e->id, e->expires / 10000, e->expires / 100 % 100,
                                  e->expires % 100));
    }
    if (passed != NULL && failing == NULL) {
        return problem(run,
                       words(pool,
                             "unexpected pass: the known failure of line %d (%s%s%s: %s) did not "
                             "happen in %s",
                             e->line, e->id, e->requirement != NULL ? ", " : "",
                             e->requirement != NULL ? e->requirement : "", e->reason, passed->id));
    }
    return 0;
}

int mrct_known_apply(const struct mrct_known *k, struct mrct_result_run *run, const char *firmware,
                     int today, struct mrct_pool *pool)
{
    const char **const more =
        mrct_pool_alloc(pool, (run->problem_count + k->count + 1) * sizeof *more);
    if (more == NULL) {
        return -1;
    }
    for (size_t i = 0; i < run->problem_count; i++) {
        more[i] = run->problems[i];
    }
    run->problems = more;
    for (size_t i = 0; i < run->case_count; i++) {
        struct mrct_result_case *const c = &run->cases[i];
        const struct mrct_known_entry *const e =
            c->verdict == MRCT_FAIL ? explains(k, c, firmware, today) : NULL;
        if (e == NULL) {
            continue;
        }
        c->known = words(pool, "known until %04d-%02d-%02d: %s", e->expires / 10000,
                         e->expires / 100 % 100, e->expires % 100, e->reason);
        if (c->known == NULL) {
            return -1;
        }
    }
    for (size_t i = 0; i < k->count; i++) {
        if (look_at_entry(&k->list[i], run, firmware, today, pool) != 0) {
            return -1;
        }
    }
    return 0;
}
