/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/liars.h"

#include "gen/mrc_req.h"
#include "harness/cases/load.h"
#include "harness/cases/verdict.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one file ---- */

static int load_requirement(struct mrct_load *l, const yaml_node_t *node, const char *key,
                            const char **id)
{
    const char *const text = mrc_yaml_text(node);
    const struct mrc_requirement *const r = text != NULL ? mrc_requirement_find(text) : NULL;
    if (r == NULL) {
        return mrc_yaml_fail(&l->yaml, node, "%s: '%s' is no known requirement", key,
                             text != NULL ? text : "");
    }
    *id = r->id;
    return 0;
}

static int load_breaks(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return load_requirement(l, node, "breaks", &((struct mrct_liar *)base)->breaks);
}

static int load_follow_requirement(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return load_requirement(l, node, "requirement",
                            &((struct mrct_liar_follow *)base)->requirement);
}

static const struct mrct_load_field follow_fields[] = {
    {.key = "requirement",
     .type = MRCT_LOAD_CUSTOM,
     .custom = load_follow_requirement,
     .required = true},
    {.key = "reason",
     .type = MRCT_LOAD_STRING,
     .offset = offsetof(struct mrct_liar_follow, reason),
     .required = true},
    {.key = NULL},
};

static int load_follows(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_liar *const liar = base;
    liar->follows = mrct_load_array(l, node, sizeof *liar->follows, "follows");
    if (liar->follows == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        if (mrct_load_map(l, mrc_yaml_item(&l->yaml, node, i), follow_fields, &liar->follows[i]) !=
            0) {
            return -1;
        }
        liar->follow_count++;
    }
    return 0;
}

/* "Q18=b" */
static int load_reading(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_liar *const liar = base;
    const char *const text = mrc_yaml_text(node);
    for (size_t i = 0; text != NULL && i < mrc_question_count; i++) {
        const struct mrc_question *const q = &mrc_questions[i];
        for (size_t k = 0; k < q->reading_count; k++) {
            char said[16];
            (void)snprintf(said, sizeof said, "Q%d=%c", q->number, q->readings[k].id);
            if (strcmp(said, text) == 0) {
                liar->question = q->number;
                liar->reading = q->readings[k].id;
                return 0;
            }
        }
    }
    return mrc_yaml_fail(&l->yaml, node, "reading: '%s' is no reading of an open question",
                         text != NULL ? text : "");
}

static const struct mrct_load_word role_words[] = {
    {"requestor", MRCT_DEVICE_REQUESTOR}, {"responder", MRCT_DEVICE_RESPONDER}, {NULL, 0}};

#define LIAR(m) offsetof(struct mrct_liar, m)

static const struct mrct_load_field liar_fields[] = {
    {.key = "name", .type = MRCT_LOAD_STRING, .offset = LIAR(name), .required = true},
    {.key = "breaks", .type = MRCT_LOAD_CUSTOM, .custom = load_breaks, .required = true},
    {.key = "what", .type = MRCT_LOAD_STRING, .offset = LIAR(what), .required = true},
    {.key = "role",
     .type = MRCT_LOAD_WORD,
     .offset = LIAR(role),
     .words = role_words,
     .required = true},
    {.key = "cases", .type = MRCT_LOAD_STRINGS, .offset = LIAR(cases), .required = true},
    {.key = "follows", .type = MRCT_LOAD_CUSTOM, .custom = load_follows},
    {.key = "reading", .type = MRCT_LOAD_CUSTOM, .custom = load_reading},
    {.key = NULL},
};

static int match_deviant(struct mrct_load *l, yaml_node_t *root, struct mrct_liar *liar)
{
    liar->deviant = mrct_deviant_find(liar->name);
    if (liar->deviant == NULL) {
        return mrc_yaml_fail(&l->yaml, mrc_yaml_get(&l->yaml, root, "name"),
                             "name: there is no deviant '%s'", liar->name);
    }
    if (strcmp(liar->deviant->requirement, liar->breaks) != 0) {
        return mrc_yaml_fail(&l->yaml, mrc_yaml_get(&l->yaml, root, "breaks"),
                             "breaks: the deviant itself says %s", liar->deviant->requirement);
    }
    if (liar->case_count == 0) {
        return mrc_yaml_fail(&l->yaml, mrc_yaml_get(&l->yaml, root, "cases"),
                             "cases: at least one id was expected");
    }
    return 0;
}

int mrct_liar_load(struct mrct_liar *liar, const char *path, char *err, size_t err_cap)
{
    *liar = (struct mrct_liar){.role = MRCT_DEVICE_REQUESTOR};
    mrct_pool_init(&liar->pool);
    struct mrct_load l = {.pool = &liar->pool};
    yaml_node_t *const root = mrct_load_open(&l, path);
    int rc = -1;
    if (root != NULL && mrct_load_map(&l, root, liar_fields, liar) == 0) {
        rc = match_deviant(&l, root, liar);
    }
    liar->file = rc == 0 ? mrct_pool_strdup(&liar->pool, path) : NULL;
    if (rc != 0 || liar->file == NULL) {
        (void)snprintf(err, err_cap, "%s", rc != 0 ? l.yaml.err : "out of memory");
        mrct_pool_fini(&liar->pool);
        rc = -1;
    }
    mrc_yaml_fini(&l.yaml);
    return rc;
}

/* ---- all files ---- */

static int is_yaml(const struct dirent *e)
{
    const size_t len = strlen(e->d_name);
    return e->d_name[0] != '.' && len > 5 && strcmp(e->d_name + len - 5, ".yaml") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int check_cases(const struct mrct_liar *l, const struct mrct_plan *plan, char *err,
                       size_t err_cap)
{
    for (size_t i = 0; i < l->case_count; i++) {
        if (mrct_plan_find(plan, l->cases[i]) == NULL) {
            (void)snprintf(err, err_cap, "%s: cases: there is no case '%s'", l->file, l->cases[i]);
            return -1;
        }
    }
    return 0;
}

static int load_named(struct mrct_liars *l, const char *dir, const char *name,
                      const struct mrct_plan *plan, char *err, size_t err_cap)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= sizeof path) {
        (void)snprintf(err, err_cap, "%s: a name is too long", dir);
        return -1;
    }
    if (mrct_liar_load(&l->list[l->count], path, err, err_cap) != 0) {
        return -1;
    }
    l->count++;
    return check_cases(&l->list[l->count - 1], plan, err, err_cap);
}

static int check_all_there(const struct mrct_liars *l, const char *dir, char *err, size_t err_cap)
{
    for (size_t i = 0; i < mrct_deviant_count; i++) {
        size_t k = 0;
        while (k < l->count && l->list[k].deviant != &mrct_deviants[i]) {
            k++;
        }
        if (k == l->count) {
            (void)snprintf(err, err_cap, "%s: the deviant '%s' has no file", dir,
                           mrct_deviants[i].name);
            return -1;
        }
    }
    return 0;
}

int mrct_liars_load(struct mrct_liars *l, const char *dir, const struct mrct_plan *plan, char *err,
                    size_t err_cap)
{
    *l = (struct mrct_liars){.list = NULL};
    char path[4096];
    const int len = snprintf(path, sizeof path, "%s/deviants", dir);
    struct dirent **names = NULL;
    const int count =
        len > 0 && (size_t)len < sizeof path ? scandir(path, &names, is_yaml, by_name) : -1;
    if (count < 0) {
        (void)snprintf(err, err_cap, "%s: %s", path, strerror(errno));
        return -1;
    }
    l->list = calloc((size_t)count + 1, sizeof *l->list);
    int rc = l->list != NULL ? 0 : -1;
    for (int i = 0; i < count; i++) {
        rc = rc == 0 ? load_named(l, path, names[i]->d_name, plan, err, err_cap) : rc;
        free(names[i]);
    }
    free(names);
    if (rc == 0) {
        rc = check_all_there(l, path, err, err_cap);
    }
    if (rc != 0) {
        mrct_liars_fini(l);
    }
    return rc;
}

void mrct_liars_fini(struct mrct_liars *l)
{
    for (size_t i = 0; i < l->count; i++) {
        mrct_pool_fini(&l->list[i].pool);
    }
    free(l->list);
    *l = (struct mrct_liars){.list = NULL};
}

/* ---- judging ---- */

void mrct_liar_configure(const struct mrct_liar *l, struct mrct_run_config *cfg)
{
    cfg->deviant = l->deviant;
    if (l->question > 0 && (unsigned)l->question < MRCT_QUESTIONS_MAX) {
        cfg->reading[l->question] = l->reading;
    }
}

static bool is_explained(const struct mrct_liar *l, const char *requirement)
{
    for (size_t i = 0; i < l->follow_count; i++) {
        if (strcmp(l->follows[i].requirement, requirement) == 0) {
            return true;
        }
    }
    return strcmp(l->breaks, requirement) == 0;
}

/* Earlier in time; of findings at one time, the one that the deviant names. */
static bool is_earlier(const struct mrct_liar *l, const struct mrct_finding *a,
                       const struct mrct_finding *b)
{
    if (b == NULL || a->time_ns != b->time_ns) {
        return b == NULL || a->time_ns < b->time_ns;
    }
    return strcmp(a->requirement, l->breaks) == 0;
}

/* Findings against the device: FAIL, and WARN too, since a deviant may break a SHOULD or take
 * another reading of an open question. */
struct told {
    const struct mrct_finding *first, *stray;
};

static struct told gather(const struct mrct_liar *l, const struct mrct_case *c,
                          const struct mrct_result_case *r)
{
    struct told t = {NULL, NULL};
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct mrct_finding *const f = &r->findings[i].f;
        if (f->kind == MRCT_FINDING_INCONCLUSIVE || mrct_verdict_blame(c, f) != MRCT_BLAME_DEVICE) {
            continue;
        }
        t.first = is_earlier(l, f, t.first) ? f : t.first;
        t.stray = t.stray == NULL && !is_explained(l, f->requirement) ? f : t.stray;
    }
    return t;
}

const char *mrct_liar_first(const struct mrct_liar *l, const struct mrct_case *c,
                            const struct mrct_result_case *r)
{
    const struct told t = gather(l, c, r);
    return t.first != NULL ? t.first->requirement : NULL;
}

enum mrct_liar_end mrct_liar_judge(const struct mrct_liar *l, const struct mrct_case *c,
                                   const struct mrct_result_case *r, char *words, size_t cap)
{
    words[0] = '\0';
    const struct told t = gather(l, c, r);
    if (r->verdict == MRCT_ERROR || (r->verdict != MRCT_FAIL && t.first == NULL)) {
        (void)snprintf(words, cap, "%s: %s%s%s", c->id, mrct_verdict_str(r->verdict),
                       r->why[0] != '\0' ? ", " : "", r->why);
        return r->verdict == MRCT_ERROR ? MRCT_LIAR_HARNESS : MRCT_LIAR_ALIVE;
    }
    if (t.first == NULL || strcmp(t.first->requirement, l->breaks) != 0) {
        (void)snprintf(words, cap, "%s: found first was %s: %s", c->id,
                       t.first != NULL ? t.first->requirement : "no requirement",
                       t.first != NULL ? t.first->why : r->why);
        return MRCT_LIAR_MISNAMED;
    }
    if (t.stray != NULL) {
        (void)snprintf(words, cap, "%s: %s failed too, which its file does not explain: %s", c->id,
                       t.stray->requirement, t.stray->why);
        return MRCT_LIAR_UNEXPLAINED;
    }
    return MRCT_LIAR_NAMED;
}
