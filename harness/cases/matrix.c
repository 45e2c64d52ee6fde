/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/matrix.h"

#include "gen/mrc_req.h"
#include "harness/cases/verdict.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* One run. With a check switched off it is for that check's row; else for a cell. */
struct job {
    size_t liar, in_case;
    const char *check; /* switched off, or NULL */
    enum mrct_liar_end end;
    const char *first;
    bool named; /* the requirement it breaks is among the findings */
};

struct crew {
    struct mrct_matrix *m;
    const struct mrct_run_config *cfg;
    const struct mrct_matrix_options *opt;
    struct job *jobs;
    size_t count;
    atomic_size_t next, done;
};

static bool is_named(const struct mrct_liar *l, const struct mrct_case *c,
                     const struct mrct_result_case *r)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct mrct_finding *const f = &r->findings[i].f;
        if (f->kind != MRCT_FINDING_INCONCLUSIVE && mrct_verdict_blame(c, f) == MRCT_BLAME_DEVICE &&
            strcmp(f->requirement, l->breaks) == 0) {
            return true;
        }
    }
    return false;
}

static void run_job(struct crew *w, struct job *j)
{
    const struct mrct_liar *const l = &w->m->liars->list[j->liar];
    const struct mrct_case *const c = &w->m->plan->cases[j->in_case];
    struct mrct_run_config cfg = *w->cfg;
    struct mrct_pool pool;
    struct mrct_result_case result;
    char words[700];
    mrct_liar_configure(l, &cfg);
    cfg.out_dir = NULL;
    cfg.disabled_check = j->check;
    mrct_pool_init(&pool);
    mrct_run_case(&cfg, c, &pool, &result);
    j->end = mrct_liar_judge(l, c, &result, words, sizeof words);
    j->first = mrct_liar_first(l, c, &result);
    j->named = is_named(l, c, &result);
    mrct_pool_fini(&pool);
}

static void *work(void *crew)
{
    struct crew *const w = crew;
    size_t i;
    while ((i = atomic_fetch_add(&w->next, 1)) < w->count) {
        run_job(w, &w->jobs[i]);
        const size_t done = atomic_fetch_add(&w->done, 1) + 1;
        if (w->opt->progress != NULL) {
            w->opt->progress(w->opt->user, done, w->count);
        }
    }
    return NULL;
}

/* The calling thread is one of the crew. */
static int run_jobs(struct crew *w)
{
    pthread_t *const t = calloc(w->opt->jobs, sizeof *t);
    if (t == NULL) {
        return -1;
    }
    unsigned started = 1;
    while (started < w->opt->jobs && pthread_create(&t[started], NULL, work, w) == 0) {
        started++;
    }
    (void)work(w);
    for (unsigned i = 1; i < started; i++) {
        (void)pthread_join(t[i], NULL);
    }
    free(t);
    return 0;
}

/* ---- what is to be run ---- */

static bool is_listed(const struct mrct_liar *l, const struct mrct_case *c)
{
    for (size_t i = 0; i < l->case_count; i++) {
        if (strcmp(l->cases[i], c->id) == 0) {
            return true;
        }
    }
    return false;
}

static bool plays(const struct mrct_liar *l, const struct mrct_case *c)
{
    return c->device == MRCT_DEVICE_BOTH || (int)c->device == l->role;
}

static void add(struct crew *w, struct job j)
{
    if (w->jobs != NULL) {
        w->jobs[w->count] = j;
    }
    w->count++;
}

/* Counts the jobs, and notes them once w->jobs is there. */
static void plan_jobs(struct crew *w)
{
    struct mrct_matrix *const m = w->m;
    w->count = 0;
    for (size_t i = 0; i < m->liars->count; i++) {
        for (size_t k = 0; k < m->plan->count; k++) {
            struct mrct_matrix_cell *const cell = &m->cells[i * m->plan->count + k];
            cell->listed = is_listed(&m->liars->list[i], &m->plan->cases[k]);
            cell->run = cell->listed ||
                        (!w->opt->listed_only && plays(&m->liars->list[i], &m->plan->cases[k]));
            if (cell->run) {
                add(w, (struct job){.liar = i, .in_case = k});
            }
        }
    }
    for (size_t c = 0; c < m->check_count; c++) {
        for (size_t i = 0; i < m->liars->count; i++) {
            if (strcmp(m->liars->list[i].breaks, m->checks[c].requirement) != 0) {
                continue;
            }
            for (size_t k = 0; k < m->plan->count; k++) {
                if (m->cells[i * m->plan->count + k].listed) {
                    add(w, (struct job){.liar = i, .in_case = k, .check = m->checks[c].name});
                }
            }
        }
    }
}

static int take_checks(struct mrct_matrix *m)
{
    m->check_count = mrct_oracle_checks(NULL, 0);
    struct mrct_check_info *const info = calloc(m->check_count, sizeof *info);
    m->checks = calloc(m->check_count, sizeof *m->checks);
    if (info == NULL || m->checks == NULL) {
        free(info);
        return -1;
    }
    mrct_oracle_checks(info, m->check_count);
    for (size_t i = 0; i < m->check_count; i++) {
        m->checks[i] = (struct mrct_matrix_check){
            .name = info[i].name, .requirement = info[i].requirement, .proof = MRCT_PROOF_NOBODY};
    }
    free(info);
    return 0;
}

/* ---- what came of it ---- */

static void take_proof(struct mrct_matrix *m, const struct job *j)
{
    size_t c = 0;
    while (strcmp(m->checks[c].name, j->check) != 0) {
        c++;
    }
    const enum mrct_matrix_proof proof = j->named                    ? MRCT_PROOF_NONE
                                         : j->end == MRCT_LIAR_ALIVE ? MRCT_PROOF_FREE
                                                                     : MRCT_PROOF_OTHERWISE;
    if (proof < m->checks[c].proof) {
        m->checks[c].proof = proof;
        m->checks[c].liar = proof < MRCT_PROOF_NONE ? &m->liars->list[j->liar] : NULL;
        m->checks[c].in = proof < MRCT_PROOF_NONE ? &m->plan->cases[j->in_case] : NULL;
    }
}

static void take_results(struct mrct_matrix *m, const struct job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct job *const j = &jobs[i];
        if (j->check != NULL) {
            take_proof(m, j);
            continue;
        }
        m->harness = m->harness || j->end == MRCT_LIAR_HARNESS;
        struct mrct_matrix_cell *const cell = &m->cells[j->liar * m->plan->count + j->in_case];
        cell->end = j->end;
        cell->first = j->first;
    }
}

static bool is_killed(const struct mrct_matrix *m, size_t liar)
{
    for (size_t k = 0; k < m->plan->count; k++) {
        const struct mrct_matrix_cell *const c = mrct_matrix_cell(m, liar, k);
        if (c->listed && c->end != MRCT_LIAR_ALIVE && c->end != MRCT_LIAR_HARNESS) {
            return true;
        }
    }
    return false;
}

/* Insertion sort: there are some hundred. */
static void take_order(struct mrct_matrix *m)
{
    const struct mrct_liar *const list = m->liars->list;
    for (size_t i = 0; i < m->liars->count; i++) {
        size_t at = i;
        for (; at > 0; at--) {
            const struct mrct_liar *const before = &list[m->order[at - 1]];
            const int by_req = strcmp(before->breaks, list[i].breaks);
            if (by_req < 0 || (by_req == 0 && strcmp(before->name, list[i].name) < 0)) {
                break;
            }
            m->order[at] = m->order[at - 1];
        }
        m->order[at] = i;
    }
}

static void sum_up(struct mrct_matrix *m)
{
    m->deviants = m->liars->count;
    for (size_t i = 0; i < m->liars->count; i++) {
        const enum mrct_liar_end end = mrct_matrix_end(m, i);
        m->killed += is_killed(m, i);
        m->named += end == MRCT_LIAR_NAMED || end == MRCT_LIAR_UNEXPLAINED;
        m->explained += end != MRCT_LIAR_UNEXPLAINED;
    }
    for (size_t c = 0; c < m->check_count; c++) {
        m->proven += m->checks[c].proof < MRCT_PROOF_NONE;
        m->free += m->checks[c].proof == MRCT_PROOF_FREE;
        m->excused += m->checks[c].proof == MRCT_PROOF_NOBODY &&
                      mrc_requirement_find(m->checks[c].requirement)->no_deviant_why != NULL;
    }
}

const struct mrct_matrix_cell *mrct_matrix_cell(const struct mrct_matrix *m, size_t liar,
                                                size_t in_case)
{
    return &m->cells[liar * m->plan->count + in_case];
}

enum mrct_liar_end mrct_matrix_end(const struct mrct_matrix *m, size_t liar)
{
    enum mrct_liar_end worst = MRCT_LIAR_NAMED;
    for (size_t k = 0; k < m->plan->count; k++) {
        const struct mrct_matrix_cell *const c = mrct_matrix_cell(m, liar, k);
        worst = c->listed && c->end > worst ? c->end : worst;
    }
    return worst;
}

int mrct_matrix_run(struct mrct_matrix *m, const struct mrct_run_config *cfg,
                    const struct mrct_liars *liars, const struct mrct_plan *plan,
                    const struct mrct_matrix_options *opt)
{
    *m = (struct mrct_matrix){.liars = liars, .plan = plan};
    struct crew w = {.m = m, .cfg = cfg, .opt = opt};
    m->cells = calloc(liars->count * plan->count + 1, sizeof *m->cells);
    m->order = calloc(liars->count + 1, sizeof *m->order);
    int rc = m->cells != NULL && m->order != NULL && take_checks(m) == 0 ? 0 : -1;
    if (rc == 0) {
        plan_jobs(&w);
        w.jobs = calloc(w.count + 1, sizeof *w.jobs);
        rc = w.jobs != NULL ? 0 : -1;
    }
    if (rc == 0) {
        plan_jobs(&w);
        rc = run_jobs(&w);
    }
    if (rc == 0) {
        take_order(m);
        take_results(m, w.jobs, w.count);
        sum_up(m);
    } else {
        mrct_matrix_fini(m);
    }
    free(w.jobs);
    return rc;
}

void mrct_matrix_fini(struct mrct_matrix *m)
{
    free(m->cells);
    free(m->order);
    free(m->checks);
    *m = (struct mrct_matrix){.cells = NULL};
}
