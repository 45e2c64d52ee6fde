/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutation/units.h"

#include "tests/golden/words.h"
#include "tests/oracle/script.h"
#include "tests/oracle/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The golden corpus holds what the other suites make their oracles see. */
static const struct {
    const char *name;
    Suite *(*suite)(void);
} suites[] = {
    {"innocent", oracle_innocent_suite},
    {"hostile", oracle_hostile_suite},
};
#define COST_ORACLE 50u /* making one */
#define COST_SUITE  200000u
#define SUITES      (sizeof suites / sizeof suites[0])

static int by_cost(const void *a, const void *b)
{
    const size_t x = ((const struct unit *)a)->cost;
    const size_t y = ((const struct unit *)b)->cost;
    return x != y ? (x < y ? -1 : 1) : 0;
}

static void add_run(struct units *u, const struct corpus_run *r)
{
    for (size_t i = 0; i < r->tapes.count; i++) {
        struct unit *const one = &u->list[u->count++];
        one->tape.list = &r->tapes.list[i];
        one->tape.count = 1;
        one->cost = COST_ORACLE + r->tapes.list[i].count;
        (void)snprintf(one->name, sizeof one->name, "%s", r->name);
    }
}

static void add_scripts(struct units *u, const struct script_part *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct unit *const one = &u->list[u->count++];
        one->script = &p->rows[i];
        one->cost = 2 * (COST_ORACLE + strlen(p->rows[i].steps) / 4);
        (void)snprintf(one->name, sizeof one->name, "%s: %s", p->name, p->rows[i].steps);
    }
}

int units_load(struct units *u)
{
    size_t n = SUITES;
    *u = (struct units){.list = NULL};
    for (size_t i = 0; i < corpus_part_count; i++) {
        if (corpus_parts[i].load(&u->corpus) != 0)
            return -1;
    }
    for (size_t i = 0; i < u->corpus.count; i++)
        n += u->corpus.runs[i].tapes.count;
    for (size_t i = 0; i < script_part_count; i++)
        n += script_parts[i]->count;
    u->list = calloc(n, sizeof *u->list);
    if (u->list == NULL) {
        fprintf(stderr, "mutation: out of memory\n");
        return -1;
    }
    for (size_t i = 0; i < u->corpus.count; i++)
        add_run(u, &u->corpus.runs[i]);
    for (size_t i = 0; i < script_part_count; i++)
        add_scripts(u, script_parts[i]);
    if (u->count != 0)
        qsort(u->list, u->count, sizeof *u->list, by_cost);
    for (size_t i = 0; i < SUITES; i++) {
        struct unit *const one = &u->list[u->count++];
        one->suite = suites[i].suite;
        one->cost = COST_SUITE;
        (void)snprintf(one->name, sizeof one->name, "suite %s", suites[i].name);
    }
    return 0;
}

void units_fini(struct units *u)
{
    for (size_t i = 0; i < u->count; i++)
        free(u->list[i].words);
    free(u->list);
    corpus_fini(&u->corpus);
}

/* ---- running one ---- */

static bool run_suite(Suite *s)
{
    SRunner *const r = srunner_create(s);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_SILENT);
    const bool good = srunner_ntests_failed(r) == 0;
    srunner_free(r);
    return good;
}

static const struct script *telling; /* a test of Check, which scripts need, has no user */

START_TEST(told)
{
    ck_assert(script_holds(telling));
}
END_TEST

static bool run_script(const struct script *script)
{
    Suite *const s = suite_create("script");
    TCase *const t = tcase_create("script");
    tcase_add_test(t, told);
    suite_add_tcase(s, t);
    telling = script;
    return run_suite(s);
}

bool unit_learn(struct unit *u)
{
    if (u->suite != NULL)
        return run_suite(u->suite());
    if (u->script != NULL)
        return run_script(u->script);
    u->words = words_of(u->name, &u->tape, true);
    return u->words != NULL;
}

bool unit_run(const struct unit *u)
{
    if (u->suite != NULL)
        return run_suite(u->suite());
    if (u->script != NULL)
        return run_script(u->script);
    char *const words = words_of(u->name, &u->tape, true);
    const bool same = strcmp(words, u->words) == 0;
    free(words);
    return same;
}
