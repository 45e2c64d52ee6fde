/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutation/units.h"

#include "harness/cases/swarm.h"
#include "harness/oracle/oracle.h"
#include "tests/oracle/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    Suite *(*suite)(void);
} suites[] = {
    {"core", oracle_core_suite},
    {"responder", oracle_responder_suite},
    {"innocent", oracle_innocent_suite},
    {"hostile", oracle_hostile_suite},
    {"formats", oracle_formats_suite},
    {"requestor", oracle_requestor_suite},
    {"recovery", oracle_recovery_suite},
    {"penalty", oracle_penalty_suite},
    {"application", oracle_application_suite},
    {"evs", oracle_evs_suite},
    {"conversations", oracle_conversations_suite},
};
#define SUITES (sizeof suites / sizeof suites[0])

static void add(struct units *u, struct unit one, const char *what, const char *name)
{
    (void)snprintf(one.name, sizeof one.name, "%s %s", what, name);
    u->list[u->count++] = one;
}

int units_load(struct units *u, const char *dir, unsigned seeds)
{
    char err[700];
    *u = (struct units){.list = NULL};
    if (mrct_plan_load(&u->plan, dir, err, sizeof err) != 0 ||
        mrct_liars_load(&u->liars, dir, &u->plan, err, sizeof err) != 0) {
        fprintf(stderr, "%s\n", err);
        return -1;
    }
    size_t n = SUITES + u->plan.count + seeds;
    for (size_t i = 0; i < u->liars.count; i++)
        n += u->liars.list[i].case_count;
    u->list = calloc(n, sizeof *u->list);
    if (u->list == NULL)
        return -1;
    for (size_t i = 0; i < u->liars.count; i++) {
        const struct mrct_liar *const l = &u->liars.list[i];
        for (size_t k = 0; k < l->case_count; k++)
            add(u,
                (struct unit){
                    .kind = UNIT_LIAR, .liar = l, .c = mrct_plan_find(&u->plan, l->cases[k])},
                "deviant", l->name);
    }
    for (size_t i = 0; i < SUITES; i++)
        add(u, (struct unit){.kind = UNIT_SUITE, .suite = suites[i].suite}, "suite",
            suites[i].name);
    for (size_t i = 0; i < u->plan.count; i++)
        add(u, (struct unit){.kind = UNIT_CASE, .c = &u->plan.cases[i]}, "case",
            u->plan.cases[i].id);
    for (unsigned s = 1; s <= seeds; s++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%u", s);
        add(u, (struct unit){.kind = UNIT_SEED, .seed = s}, "seed", name);
    }
    return 0;
}

void units_fini(struct units *u)
{
    free(u->list);
    mrct_liars_fini(&u->liars);
    mrct_plan_fini(&u->plan);
}

/* ---- running one ---- */

static bool run_case(const struct unit *u, const struct mrct_case *c, const char *reading)
{
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case result;
    char words[700];
    mrct_run_config_default(&cfg);
    cfg.strict = true;
    if (u->liar != NULL)
        mrct_liar_configure(u->liar, &cfg);
    if (reading != NULL) {
        memcpy(cfg.reading, reading, sizeof cfg.reading);
        cfg.seed = u->seed;
        cfg.watch = mrct_swarm_watch;
        cfg.look = mrct_swarm_look;
    }
    mrct_pool_init(&pool);
    mrct_run_case(&cfg, c, &pool, &result);
    const bool good = u->liar != NULL ? mrct_liar_judge(u->liar, c, &result, words, sizeof words) ==
                                            MRCT_LIAR_NAMED
                                      : result.verdict == MRCT_PASS;
    mrct_pool_fini(&pool);
    return good;
}

static bool run_suite(Suite *s)
{
    SRunner *const r = srunner_create(s);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_SILENT);
    const bool good = srunner_ntests_failed(r) == 0;
    srunner_free(r);
    return good;
}

static bool run_seed(const struct unit *u)
{
    struct mrct_case c;
    char reading[MRCT_QUESTIONS_MAX] = {0};
    if (mrct_swarm_draw(&c, reading, u->seed) != 0)
        return false;
    const bool good = run_case(u, &c, reading);
    mrct_case_fini(&c);
    return good;
}

bool unit_run(const struct unit *u)
{
    switch (u->kind) {
    case UNIT_SUITE:
        return run_suite(u->suite());
    case UNIT_SEED:
        return run_seed(u);
    default:
        return run_case(u, u->c, NULL);
    }
}

bool unit_is_of(const struct unit *u, const char *file)
{
    struct mrct_check_info info[512];
    if (u->kind != UNIT_LIAR)
        return false;
    const size_t n = mrct_oracle_checks(info, 512);
    for (size_t i = 0; i < n && i < 512; i++) {
        if (strcmp(info[i].requirement, u->liar->breaks) == 0 && strcmp(info[i].file, file) == 0)
            return true;
    }
    return false;
}
