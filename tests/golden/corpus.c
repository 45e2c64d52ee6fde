/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/golden/corpus.h"

#include "harness/cases/liars.h"
#include "harness/cases/swarm.h"
#include "tests/golden/noise.h"
#include "tests/oracle/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES  "cases"
#define NOISE  400u
#define HONEST 24u /* seeds without a deviant; as many with one, each another */

static struct corpus_run *add(struct corpus *c, const char *what, const char *name,
                              const char *where)
{
    if (c->count == c->cap) {
        c->cap = c->cap != 0 ? 2 * c->cap : 64;
        c->runs = realloc(c->runs, c->cap * sizeof *c->runs);
        if (c->runs == NULL) {
            fprintf(stderr, "golden: out of memory\n");
            exit(3);
        }
    }
    struct corpus_run *const r = &c->runs[c->count++];
    (void)snprintf(r->name, sizeof r->name, "%s %s%s%s", what, name, where[0] != '\0' ? " in " : "",
                   where);
    tapes_init(&r->tapes);
    tapes_record(&r->tapes);
    return r;
}

void corpus_fini(struct corpus *c)
{
    for (size_t i = 0; i < c->count; i++)
        tapes_fini(&c->runs[i].tapes);
    free(c->runs);
    *c = (struct corpus){.runs = NULL};
}

/* ---- cases, deviants, seeds ---- */

struct book {
    struct mrct_plan plan;
    struct mrct_liars liars;
};

static int book_open(struct book *b)
{
    char err[700];
    if (mrct_plan_load(&b->plan, CASES, err, sizeof err) != 0) {
        fprintf(stderr, "%s\n", err);
        return -1;
    }
    if (mrct_liars_load(&b->liars, CASES, &b->plan, err, sizeof err) != 0) {
        fprintf(stderr, "%s\n", err);
        mrct_plan_fini(&b->plan);
        return -1;
    }
    return 0;
}

static void book_close(struct book *b)
{
    mrct_liars_fini(&b->liars);
    mrct_plan_fini(&b->plan);
}

static void run_case(const struct mrct_liar *l, const struct mrct_case *c)
{
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case result;
    mrct_run_config_default(&cfg);
    cfg.strict = true;
    if (l != NULL)
        mrct_liar_configure(l, &cfg);
    mrct_pool_init(&pool);
    mrct_run_case(&cfg, c, &pool, &result);
    mrct_pool_fini(&pool);
    tapes_record(NULL);
}

static int load_cases(struct corpus *c)
{
    struct book b;
    if (book_open(&b) != 0)
        return -1;
    for (size_t i = 0; i < b.plan.count; i++) {
        add(c, "case", b.plan.cases[i].id, "");
        run_case(NULL, &b.plan.cases[i]);
    }
    book_close(&b);
    return 0;
}

static int load_deviants(struct corpus *c)
{
    struct book b;
    if (book_open(&b) != 0)
        return -1;
    for (size_t i = 0; i < b.liars.count; i++) {
        const struct mrct_liar *const l = &b.liars.list[i];
        for (size_t k = 0; k < l->case_count; k++) {
            add(c, "deviant", l->name, l->cases[k]);
            run_case(l, mrct_plan_find(&b.plan, l->cases[k]));
        }
    }
    book_close(&b);
    return 0;
}

static int run_seed(uint64_t seed, const struct mrct_liar *l)
{
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case result;
    struct mrct_case c;
    mrct_run_config_default(&cfg);
    cfg.strict = true;
    if (l != NULL)
        mrct_liar_configure(l, &cfg);
    mrct_pool_init(&pool);
    const int rc = mrct_swarm_run(&cfg, &c, seed, &pool, &result);
    mrct_pool_fini(&pool);
    tapes_record(NULL);
    if (rc != 0)
        return -1;
    mrct_case_fini(&c);
    return 0;
}

static int load_seeds(struct corpus *c)
{
    struct book b;
    if (book_open(&b) != 0)
        return -1;
    int rc = 0;
    for (uint64_t s = 1; s <= 2 * HONEST && rc == 0; s++) {
        char name[24];
        const struct mrct_liar *const l = s > HONEST ? &b.liars.list[s * 7 % b.liars.count] : NULL;
        (void)snprintf(name, sizeof name, "seed %u", (unsigned)s);
        add(c, l != NULL ? "deviant" : "honest", l != NULL ? l->name : "pair", name);
        rc = run_seed(s, l);
    }
    book_close(&b);
    return rc;
}

/* ---- the oracle's own tests, but those of chance, and those that tell all that is said: what each
 * makes its oracle see ---- */

static void run_here(Suite *s)
{
    SRunner *const r = srunner_create(s);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_SILENT);
    srunner_free(r);
}

static bool is_left_out(const char *suite)
{
    return strcmp(suite, "innocent") == 0 || strcmp(suite, "hostile") == 0 ||
           strcmp(suite, "scripts") == 0;
}

static int load_tests(struct corpus *c)
{
    for (size_t i = 0; i < oracle_suite_count; i++) {
        if (is_left_out(oracle_suites[i].name))
            continue;
        add(c, "suite", oracle_suites[i].name, "");
        run_here(oracle_suites[i].make());
        tapes_record(NULL);
    }
    return 0;
}

/* ---- conversations by chance ---- */

static struct corpus *loading; /* a test of Check, which the conversations need, has no user */

START_TEST(converse)
{
    char name[24];
    (void)snprintf(name, sizeof name, "%d", _i);
    add(loading, "noise", name, "");
    noise_make((uint64_t)_i);
    tapes_record(NULL);
}
END_TEST

static int load_noise(struct corpus *c)
{
    Suite *const s = suite_create("noise");
    TCase *const t = tcase_create("noise");
    tcase_add_loop_test(t, converse, 1, NOISE + 1);
    suite_add_tcase(s, t);
    loading = c;
    run_here(s);
    return 0;
}

const struct corpus_part corpus_parts[] = {
    {"cases", false, false, load_cases}, {"deviants", false, false, load_deviants},
    {"seeds", true, false, load_seeds},  {"tests", true, false, load_tests},
    {"noise", true, true, load_noise},
};
const size_t corpus_part_count = sizeof corpus_parts / sizeof corpus_parts[0];
