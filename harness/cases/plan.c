/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/plan.h"

#include "gen/mrc_req.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where ---- */

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A directory beside the one that the program was started from: of the tree, or of an installation
 * wherever it was moved to. */
static bool beside_program(const char *beside, char *buf, size_t cap)
{
    char exe[4096];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0) {
        return false;
    }
    exe[n] = '\0';
    char *const slash = strrchr(exe, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    const int len = snprintf(buf, cap, "%s/../%s", exe, beside);
    return len > 0 && (size_t)len < cap && is_dir(buf);
}

int mrct_plan_dir(const char *dir, char *buf, size_t cap)
{
    const char *const path = dir != NULL ? dir : MRCT_PREFIX "/share/mrct/cases";
    if (dir == NULL &&
        (beside_program("cases", buf, cap) || beside_program("share/mrct/cases", buf, cap))) {
        return 0;
    }
    const int len = snprintf(buf, cap, "%s", path);
    return len > 0 && (size_t)len < cap && is_dir(buf) ? 0 : -1;
}

/* ---- loading ---- */

struct loading {
    struct mrct_plan *p;
    size_t room;
    char *err;
    size_t err_cap;
};

static int fail(struct loading *l, const char *what, const char *why)
{
    (void)snprintf(l->err, l->err_cap, "%s: %s", what, why);
    return -1;
}

static int grow(struct loading *l, const char *path)
{
    struct mrct_plan *const p = l->p;
    if (p->count < l->room) {
        return 0;
    }
    const size_t room = l->room > 0 ? 2 * l->room : 64;
    struct mrct_case *const more = realloc(p->cases, room * sizeof *more);
    if (more == NULL) {
        return fail(l, path, "out of memory");
    }
    p->cases = more;
    l->room = room;
    return 0;
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* Bytes in order, whatever the locale says. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Length of NAME in "NAME.yaml", or 0. */
static size_t stem_of(const char *name)
{
    const size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".yaml") == 0 ? len - 5 : 0;
}

static int load_one(struct loading *l, const char *section_dir, const char *section,
                    const char *name)
{
    const size_t stem = stem_of(name);
    if (stem == 0) {
        return 0;
    }
    char path[4096];
    char id[300];
    const int n = snprintf(path, sizeof path, "%s/%s", section_dir, name);
    const int m = snprintf(id, sizeof id, "%s/%.*s", section, (int)stem, name);
    if (n < 0 || m < 0 || (size_t)n >= sizeof path || (size_t)m >= sizeof id) {
        return fail(l, section_dir, "a name is too long");
    }
    if (grow(l, path) != 0 ||
        mrct_case_load(&l->p->cases[l->p->count], path, id, l->err, l->err_cap) != 0) {
        return -1;
    }
    l->p->count++;
    return 0;
}

/* Calls each(name) for the visible entries of dir in order, until one fails. */
static int each_entry(struct loading *l, const char *dir, const char *section,
                      int (*each)(struct loading *l, const char *dir, const char *section,
                                  const char *name))
{
    struct dirent **names = NULL;
    const int count = scandir(dir, &names, visible, by_name);
    if (count < 0) {
        return fail(l, dir, strerror(errno));
    }
    int rc = 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0) {
            rc = each(l, dir, section, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    return rc;
}

static int load_section(struct loading *l, const char *dir, const char *unused, const char *name)
{
    (void)unused;
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= sizeof path) {
        return fail(l, dir, "a name is too long");
    }
    if (strcmp(name, "deviants") == 0 || !is_dir(path)) {
        return 0;
    }
    return each_entry(l, path, name, load_one);
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct mrct_case *)a)->id, ((const struct mrct_case *)b)->id);
}

static int check_twins(struct loading *l)
{
    for (size_t i = 0; i < l->p->count; i++) {
        const struct mrct_case *const c = &l->p->cases[i];
        if (c->positive != NULL && mrct_plan_find(l->p, c->positive) == NULL) {
            (void)snprintf(l->err, l->err_cap, "%s: positive: there is no case '%s'", c->file,
                           c->positive);
            return -1;
        }
    }
    return 0;
}

static int load_all(struct loading *l, const char *dir)
{
    struct mrct_plan *const p = l->p;
    if (each_entry(l, dir, "", load_section) != 0) {
        return -1;
    }
    p->taken = calloc(p->count + 1, sizeof *p->taken);
    if (p->taken == NULL) {
        return fail(l, dir, "out of memory");
    }
    if (p->count > 0) {
        qsort(p->cases, p->count, sizeof *p->cases, compare_ids);
        memset(p->taken, true, p->count * sizeof *p->taken);
    }
    return check_twins(l);
}

int mrct_plan_load(struct mrct_plan *p, const char *dir, char *err, size_t err_cap)
{
    *p = (struct mrct_plan){.cases = NULL};
    struct loading l = {.p = p, .room = 0};
    l.err = err; /* what is written through it is the loaders' */
    l.err_cap = err_cap;
    const int rc = load_all(&l, dir);
    if (rc != 0) {
        mrct_plan_fini(p);
    }
    return rc;
}

void mrct_plan_fini(struct mrct_plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        mrct_case_fini(&p->cases[i]);
    }
    free(p->cases);
    free(p->taken);
    *p = (struct mrct_plan){.cases = NULL};
}

const struct mrct_case *mrct_plan_find(const struct mrct_plan *p, const char *id)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->cases[i].id, id) == 0) {
            return &p->cases[i];
        }
    }
    return NULL;
}

/* ---- selecting ---- */

static bool match_id(const struct mrct_selection *s, const char *id)
{
    for (size_t i = 0; i < s->glob_count; i++) {
        if (fnmatch(s->globs[i], id, 0) == 0) {
            return true;
        }
    }
    return s->glob_count == 0;
}

static bool match_section(const struct mrct_case *c, const char *section)
{
    if (section == NULL || strcmp(c->section, section) == 0) {
        return true;
    }
    for (size_t i = 0; i < c->requirement_count; i++) {
        const struct mrc_requirement *const r = mrc_requirement_find(c->requirements[i]);
        if (r != NULL && strcmp(r->section, section) == 0) {
            return true;
        }
    }
    return false;
}

static bool match_requirement(const struct mrct_case *c, const char *id)
{
    for (size_t i = 0; id != NULL && i < c->requirement_count; i++) {
        if (strcmp(c->requirements[i], id) == 0) {
            return true;
        }
    }
    return id == NULL;
}

size_t mrct_plan_select(struct mrct_plan *p, const struct mrct_selection *s)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct mrct_case *const c = &p->cases[i];
        p->taken[i] = match_id(s, c->id) && match_section(c, s->section) &&
                      match_requirement(c, s->requirement) &&
                      (s->role < 0 || c->device == MRCT_DEVICE_BOTH || (int)c->device == s->role);
        n += p->taken[i];
    }
    return n;
}
