/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every line of every script that expects something is seen to fail: what it says is changed, one
 * item of each line (with MRCT_LONG each of its items), and the case must not pass any more. A line
 * that forbids something for a while is turned into one that demands it, one that forbids it for
 * good into one that forbids everything.
 */
#include "harness/cases/plan.h"
#include "harness/cases/run.h"
#include "tests/cases/suites.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_NS 1000000u

static struct mrct_plan plan;
static unsigned runs, survivors;
static char told[2000];

static enum mrct_verdict verdict_of(const struct mrct_case *c, char *why, size_t cap,
                                    uint64_t *took_ns)
{
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case r;
    mrct_run_config_default(&cfg);
    mrct_pool_init(&pool);
    mrct_run_case(&cfg, c, &pool, &r);
    (void)snprintf(why, cap, "%s", r.why);
    *took_ns = r.virtual_ns;
    mrct_pool_fini(&pool);
    return r.verdict;
}

static bool passes(const struct mrct_case *c)
{
    char why[800];
    uint64_t took_ns = 0;
    runs++;
    return verdict_of(c, why, sizeof why, &took_ns) == MRCT_PASS;
}

/* The line, as it is now, must make its case fail. */
static void must_fail(const struct mrct_case *c, const struct mrct_script_line *l, const char *what)
{
    if (passes(c)) {
        const size_t used = strlen(told);
        survivors++;
        (void)snprintf(told + used, sizeof told - used, "\n%s:%d passes with another %s: %s", c->id,
                       l->number, what, l->text);
    }
}

static void mutate_set(const struct mrct_case *c, const struct mrct_script_line *l,
                       struct mrct_script_item *i)
{
    const struct mrct_script_item was = *i;
    struct mrct_psn_range ranges[65] = {{0, 0}};
    for (size_t k = 0; k < was.range_count; k++) {
        ranges[k] = was.ranges[k];
    }
    i->ranges = ranges;
    if (was.range_count == 0) {
        i->range_count = 1;
    } else {
        ranges[was.range_count - 1].last++;
    }
    must_fail(c, l, i->word);
    *i = was;
}

static void mutate_item(const struct mrct_case *c, const struct mrct_script_line *l,
                        struct mrct_script_item *i)
{
    if (i->kind == MRCT_ITEM_SACK) {
        mutate_set(c, l, i);
        return;
    }
    const struct mrct_script_item was = *i;
    const int64_t span = i->hi - i->lo + 1;
    if (i->differs) {
        i->differs = false; /* it must be what it must not be */
    } else if (i->map == MRCT_MAP_VAR || i->map == MRCT_MAP_QP || i->kind == MRCT_ITEM_PLANE) {
        i->map = MRCT_MAP_LITERAL; /* a value that no field has */
        i->lo = i->hi = INT64_MIN;
    } else {
        i->lo += span;
        i->hi += span;
    }
    must_fail(c, l, i->word);
    *i = was;
}

static void mutate_demand(const struct mrct_case *c, struct mrct_script_line *l)
{
    const bool all = getenv("MRCT_LONG") != NULL;
    for (size_t i = 0; i < l->item_count; i++) {
        if (all || i == (size_t)l->number % l->item_count) {
            mutate_item(c, l, &l->items[i]);
        }
    }
    if (l->item_count > 0 && !all) {
        return;
    }
    const int name = l->name;
    l->name = MRCT_NAME_RAW;
    must_fail(c, l, "name");
    l->name = name;
}

static void mutate_ban(const struct mrct_case *c, struct mrct_script_line *l)
{
    const struct mrct_script_line was = *l;
    if (l->time.kind == MRCT_TIME_ANY) {
        l->item_count = 0; /* the ban stays, and is on every packet or every completion */
        l->name = MRCT_NAME_ANY;
        l->name = passes(c) ? MRCT_NAME_COMPLETION : MRCT_NAME_ANY;
    } else {
        l->kind = MRCT_LINE_AWAIT;
        l->name = was.kind == MRCT_LINE_NOTHING ? MRCT_NAME_ANY : was.name;
    }
    must_fail(c, l, "sense");
    *l = was;
}

static void mutate_memory(const struct mrct_case *c, struct mrct_script_line *l)
{
    const int was = l->pattern;
    l->pattern = was < 0 ? 0 : was + 1;
    must_fail(c, l, "content");
    l->pattern = was;
}

static void mutate_line(const struct mrct_case *c, struct mrct_script_line *l)
{
    switch (l->kind) {
    case MRCT_LINE_EXPECT:
    case MRCT_LINE_AWAIT:
        mutate_demand(c, l);
        break;
    case MRCT_LINE_FORBID:
    case MRCT_LINE_NOTHING:
        mutate_ban(c, l);
        break;
    case MRCT_LINE_MEMORY:
    case MRCT_LINE_OWN:
        mutate_memory(c, l);
        break;
    case MRCT_LINE_MAYBE:
    case MRCT_LINE_SEND:
    case MRCT_LINE_WAIT:
    case MRCT_LINE_POST_WRITE:
    case MRCT_LINE_POST_RECV:
    case MRCT_LINE_SET_MPR:
    case MRCT_LINE_SHORTAGE:
    case MRCT_LINE_OPEN:
    case MRCT_LINE_CLOSE:
        break;
    }
}

START_TEST(each_expectation_can_fail)
{
    char err[700];
    char why[800];
    unsigned scripts = 0;
    ck_assert_msg(mrct_plan_load(&plan, "cases", err, sizeof err) == 0, "%s", err);
    for (size_t i = 0; i < plan.count; i++) {
        struct mrct_case *const c = &plan.cases[i];
        uint64_t took_ns = 0;
        if (c->script == NULL) {
            continue;
        }
        ck_assert_msg(verdict_of(c, why, sizeof why, &took_ns) == MRCT_PASS, "%s: %s", c->id, why);
        if (took_ns + SPARE_NS < c->limit_ns) {
            c->limit_ns = took_ns + SPARE_NS; /* what a failed script leaves behind is of no use */
        }
        const unsigned before = runs;
        for (size_t k = 0; k < c->script->line_count; k++) {
            mutate_line(c, &c->script->lines[k]);
        }
        ck_assert_msg(runs > before, "%s expects nothing", c->id);
        scripts++;
    }
    mrct_plan_fini(&plan);
    ck_assert_msg(survivors == 0, "of %u changes in %u scripts %u go unnoticed:%s", runs, scripts,
                  survivors, told);
    ck_assert_uint_ge(scripts, 90);
}
END_TEST

Suite *cases_script_mutants_suite(void)
{
    Suite *const s = suite_create("script mutants");
    TCase *const t = tcase_create("mutants");
    tcase_set_timeout(t, 0);
    tcase_add_test(t, each_expectation_can_fail);
    suite_add_tcase(s, t);
    return s;
}
