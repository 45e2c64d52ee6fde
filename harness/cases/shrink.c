/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/shrink.h"

#include "harness/cases/shrink_chance.h"
#include "harness/cases/tree.h"
#include "harness/cases/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 6u

struct shrink {
    struct mrct_shrink *s;
    const char *path;
    struct mrct_pool *pool;
    struct mrct_tree *root;
    char sign[800]; /* how the case fails; "" until that is known */
    bool moved;     /* something got smaller in this round */
};

/* ---- running ---- */

static char *text_of(const struct mrct_tree *root)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const f = open_memstream(&text, &len);
    if (f == NULL) {
        return NULL;
    }
    mrct_tree_write(root, f);
    if (fclose(f) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* "REQ-7.4-01: words" fails by REQ-7.4-01; other words fail by themselves, whatever their numbers.
 */
static void sign_of(const struct mrct_result_case *r, char *buf, size_t cap)
{
    const char *const colon = strchr(r->why, ':');
    size_t used = 0;
    buf[0] = '\0';
    if (r->verdict != MRCT_FAIL) {
        return;
    }
    if (strncmp(r->why, "REQ-", 4) == 0 && colon != NULL) {
        (void)snprintf(buf, cap, "%.*s", (int)(colon - r->why), r->why);
        return;
    }
    for (const char *p = r->why; *p != '\0' && used + 1 < cap; p++) {
        if (*p < '0' || *p > '9') {
            buf[used++] = *p;
        }
    }
    buf[used] = '\0';
}

static size_t live_of(const struct shrink *k, const char *key)
{
    const struct mrct_tree *const t = mrct_tree_get(k->root, key);
    return t != NULL && !t->off ? mrct_tree_live(t) : 0;
}

static void measure(const struct shrink *k, const struct mrct_result_case *r,
                    struct mrct_shrink_size *size)
{
    size->faults = live_of(k, "faults") + live_of(k, "links") + live_of(k, "random");
    size->steps = live_of(k, "traffic") + live_of(k, "script") + live_of(k, "preamble") +
                  live_of(k, "postamble");
    size->frames = r->frames;
}

/* Runs the tree as it stands. True: it is a case, and it fails as it did at first. */
static bool fails(struct shrink *k)
{
    char *const text = text_of(k->root);
    struct mrct_case c;
    char err[700];
    char sign[800];
    if (text == NULL || mrct_case_parse(&c, k->path, text, NULL, err, sizeof err) != 0) {
        free(text);
        return false;
    }
    struct mrct_pool pool;
    struct mrct_result_case r;
    mrct_pool_init(&pool);
    mrct_run_case(k->s->cfg, &c, &pool, &r);
    k->s->runs++;
    sign_of(&r, sign, sizeof sign);
    const bool first = k->sign[0] == '\0';
    if (first) {
        (void)snprintf(k->sign, sizeof k->sign, "%s", sign);
        k->s->verdict = r.verdict;
        measure(k, &r, &k->s->before);
    }
    const bool same = sign[0] != '\0' && strcmp(sign, k->sign) == 0;
    if (same || first) {
        measure(k, &r, &k->s->after);
        (void)snprintf(k->s->why, sizeof k->s->why, "%s", r.why);
    }
    mrct_pool_fini(&pool);
    mrct_case_fini(&c);
    free(text);
    if (k->s->progress != NULL) {
        k->s->progress(k->s);
    }
    return same;
}

static bool may_run(struct shrink *k)
{
    k->s->exhausted = k->s->exhausted || k->s->runs >= k->s->runs_max;
    return !k->s->exhausted;
}

/* ---- leaving out ---- */

/* Switches t off if the case still fails without it. */
static bool leave_out(struct shrink *k, struct mrct_tree *t)
{
    if (t == NULL || t->off || !may_run(k)) {
        return false;
    }
    t->off = true;
    if (fails(k)) {
        k->moved = true;
        return true;
    }
    t->off = false;
    return false;
}

/* The kids that are on, and how many. */
static size_t gather(const struct mrct_tree *list, struct mrct_tree **on)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!list->kids[i]->off) {
            on[n++] = list->kids[i];
        }
    }
    return n;
}

static bool leave_out_run(struct shrink *k, struct mrct_tree **on, size_t from, size_t to)
{
    if (!may_run(k)) {
        return false;
    }
    for (size_t i = from; i < to; i++) {
        on[i]->off = true;
    }
    if (fails(k)) {
        k->moved = true;
        return true;
    }
    for (size_t i = from; i < to; i++) {
        on[i]->off = false;
    }
    return false;
}

/* Runs of entries, halves first, down to one at a time: from the end, where less depends on them.
 */
static void shorten(struct shrink *k, struct mrct_tree *list)
{
    if (list == NULL || list->off || list->count == 0) {
        return;
    }
    struct mrct_tree **const on = calloc(list->count, sizeof(struct mrct_tree *));
    if (on == NULL) {
        return;
    }
    size_t n = gather(list, on);
    for (size_t chunk = n; chunk > 0; chunk = chunk > 1 ? (chunk + 1) / 2 : 0) {
        bool cut = true;
        while (cut && may_run(k)) {
            cut = false;
            n = gather(list, on);
            for (size_t to = n; to > 0; to = to > chunk ? to - chunk : 0) {
                cut = leave_out_run(k, on, to > chunk ? to - chunk : 0, to) || cut;
            }
            cut = cut && chunk == 1;
        }
    }
    free(on);
}

/* Keys of a map one by one, and of the maps within it. */
static void thin(struct shrink *k, struct mrct_tree *map)
{
    for (size_t i = 0; map != NULL && !map->off && i < map->count; i++) {
        struct mrct_tree *const kid = map->kids[i];
        if (!leave_out(k, kid) && !kid->off && kid->kind == MRCT_TREE_MAP) {
            thin(k, kid);
        }
    }
    if (map != NULL && map->count > 0 && mrct_tree_live(map) == 0) {
        (void)leave_out(k, map);
    }
}

/* ---- smaller numbers ---- */

static bool set_number(struct shrink *k, struct mrct_tree *t, uint64_t v)
{
    const char *const old = t->text;
    char text[24];
    if (!may_run(k)) {
        return false;
    }
    (void)snprintf(text, sizeof text, "%" PRIu64, v);
    t->text = mrct_pool_strdup(k->pool, text);
    if (t->text != NULL && fails(k)) {
        k->moved = true;
        return true;
    }
    t->text = old;
    return false;
}

/* The smallest number that bisection finds. */
static void lessen(struct shrink *k, struct mrct_tree *t)
{
    uint64_t high = 0;
    if (t == NULL || t->off || t->kind != MRCT_TREE_TEXT || mrct_units_size(t->text, &high) != 0 ||
        high <= 1 || set_number(k, t, 1)) {
        return;
    }
    for (uint64_t low = 1; high - low > 1 && may_run(k);) {
        const uint64_t mid = low + (high - low) / 2;
        if (set_number(k, t, mid)) {
            high = mid;
        } else {
            low = mid;
        }
    }
}

static void lessen_keys(struct shrink *k, struct mrct_tree *map)
{
    static const char *const keys[] = {"count",  "size",  "qps", "evs",
                                       "planes", "paths", "nth", "psn"};
    for (size_t i = 0; map != NULL && !map->off && i < sizeof keys / sizeof keys[0]; i++) {
        lessen(k, mrct_tree_get(map, keys[i]));
    }
}

/* Each step of the traffic: what it says beyond what it must, and how much it carries. */
static void thin_steps(struct shrink *k, struct mrct_tree *list)
{
    for (size_t i = 0; list != NULL && !list->off && i < list->count; i++) {
        struct mrct_tree *const step = list->kids[i];
        if (step->off || step->kind != MRCT_TREE_MAP || step->count != 1) {
            continue;
        }
        lessen_keys(k, step->kids[0]);
        if (step->kids[0]->kind == MRCT_TREE_MAP) {
            thin(k, step->kids[0]);
        }
    }
}

/* Faults that hit earlier packets need fewer of them. */
static void hasten_faults(struct shrink *k, struct mrct_tree *list)
{
    for (size_t i = 0; list != NULL && !list->off && i < list->count; i++) {
        const struct mrct_tree *const fault = list->kids[i];
        if (!fault->off && fault->kind == MRCT_TREE_MAP && fault->count == 1) {
            lessen_keys(k, fault->kids[0]);
        }
    }
}

/* ---- chance ---- */

static bool chance_is_on(const struct shrink *k)
{
    return live_of(k, "random") > 0;
}

/* Writes what chance did as faults, when the case fails by them too. */
static void write_chance_down(struct shrink *k)
{
    struct mrct_chance_log log;
    struct mrct_run_config cfg = *k->s->cfg;
    const struct mrct_run_config *const before = k->s->cfg;
    mrct_chance_log_init(&log);
    cfg.on_chance = mrct_chance_log_add;
    cfg.chance_user = &log;
    k->s->cfg = &cfg;
    const bool again = may_run(k) && fails(k);
    k->s->cfg = before;
    struct mrct_tree *const random = mrct_tree_get(k->root, "random");
    struct mrct_tree *faults = mrct_tree_get(k->root, "faults");
    const size_t had = faults != NULL ? faults->count : 0;
    if (again && faults == NULL) {
        faults = mrct_tree_new(k->pool, MRCT_TREE_LIST, "faults", NULL);
        if (mrct_tree_add(k->pool, k->root, faults) != 0) {
            faults = NULL;
        }
    }
    if (again && faults != NULL && had + log.count <= MRCT_FAB_RULES_MAX &&
        mrct_chance_log_tree(&log, k->pool, faults) == 0) {
        const bool was_off = faults->off;
        for (size_t i = 0; was_off && i < had; i++) {
            faults->kids[i]->off = true;
        }
        faults->off = faults->count == 0;
        random->off = true;
        if (fails(k)) {
            k->moved = true;
        } else {
            random->off = false;
            faults->count = had;
            faults->off = was_off;
        }
    }
    mrct_chance_log_fini(&log);
}

/* ---- the whole ---- */

static void one_round(struct shrink *k)
{
    static const char *const whole[] = {"faults",   "links",    "random",  "postamble",
                                        "preamble", "topology", "options", "limit"};
    static const char *const lists[] = {"traffic",  "script", "postamble",
                                        "preamble", "faults", "links"};
    static const char *const maps[] = {"random", "topology", "options", "expect"};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        (void)leave_out(k, mrct_tree_get(k->root, whole[i]));
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        shorten(k, mrct_tree_get(k->root, lists[i]));
    }
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        thin(k, mrct_tree_get(k->root, maps[i]));
    }
    hasten_faults(k, mrct_tree_get(k->root, "faults"));
    thin_steps(k, mrct_tree_get(k->root, "traffic"));
    lessen_keys(k, mrct_tree_get(k->root, "options"));
    lessen_keys(k, mrct_tree_get(k->root, "topology"));
    if (chance_is_on(k)) {
        write_chance_down(k);
    }
}

/* A text of the case, in words of what it has become. */
static void set_text(struct shrink *k, const char *key, const char *before, const char *words)
{
    char text[1000];
    struct mrct_tree *const t = mrct_tree_get(k->root, key);
    if (t == NULL || t->kind != MRCT_TREE_TEXT) {
        return;
    }
    (void)snprintf(text, sizeof text, "%s%s.", before, words);
    const char *const kept = mrct_pool_strdup(k->pool, text);
    t->text = kept != NULL ? kept : t->text;
}

/* What says nothing of the fault: the case that comes out is about one requirement. */
static void rename_case(struct shrink *k)
{
    static const char *const gone[] = {"positive", "references", "possible_problems",
                                       "capabilities"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        (void)leave_out(k, mrct_tree_get(k->root, gone[i]));
    }
    struct mrct_tree *const list = mrct_tree_get(k->root, "requirements");
    if (list == NULL || list->count == 0 || strncmp(k->sign, "REQ-", 4) != 0) {
        return;
    }
    const char *const first = list->kids[0]->text;
    list->kids[0]->text = mrct_pool_strdup(k->pool, k->sign);
    for (size_t i = 1; i < list->count; i++) {
        list->kids[i]->off = true;
    }
    if (list->kids[0]->text == NULL || !fails(k)) {
        list->kids[0]->text = first;
        for (size_t i = 1; i < list->count; i++) {
            list->kids[i]->off = false;
        }
    }
}

const char *mrct_shrink_case(struct mrct_shrink *s, const char *path, const char *text,
                             struct mrct_pool *pool, char *err, size_t err_cap)
{
    struct shrink k = {.s = s, .path = path, .pool = pool};
    err[0] = '\0';
    struct mrct_case c;
    if (mrct_case_parse(&c, path, text, NULL, err, err_cap) != 0) {
        return NULL;
    }
    mrct_case_fini(&c);
    k.root = mrct_tree_parse(pool, path, text, err, err_cap);
    if (k.root == NULL || !fails(&k)) {
        return NULL;
    }
    (void)snprintf(s->broken, sizeof s->broken, "%.63s",
                   strncmp(k.sign, "REQ-", 4) == 0 ? k.sign : "");
    rename_case(&k);
    set_text(&k, "purpose",
             k.sign[0] == 'R' ? "The least of this case by which a device still breaks "
                              : "The least of this case by which a device still fails: ",
             k.sign);
    for (unsigned round = 0; round < ROUNDS_MAX && may_run(&k); round++) {
        k.moved = false;
        one_round(&k);
        if (!k.moved) {
            break;
        }
    }
    char *const made = text_of(k.root);
    const char *const kept = made != NULL ? mrct_pool_strdup(pool, made) : NULL;
    free(made);
    if (kept == NULL) {
        (void)snprintf(err, err_cap, "%s: out of memory", path);
    }
    return kept;
}
