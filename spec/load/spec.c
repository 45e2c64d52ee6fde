/* SPDX-License-Identifier: BSD-2-Clause */
/* The specification's files together: finding them, reading each, and what holds across them. */
#include "spec/load/spec_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static const char *const file_keys[] = {"section", "title", "requirements", NULL};

void spec_error(struct mrc_spec *s, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0) {
        text = NULL;
    }
    va_end(ap);
    char **grown = realloc(s->errors, (s->error_count + 1) * sizeof *grown);
    if (!grown) {
        free(text);
        return;
    }
    s->errors = grown;
    s->errors[s->error_count++] = text ? text : strdup("out of memory");
}

void spec_take_error(struct mrc_spec *s, struct mrc_yaml *y)
{
    if (y->err[0] != '\0') {
        spec_error(s, "%s", y->err);
        y->err[0] = '\0';
    }
}

int mrc_spec_hash_file(struct mrc_spec *s, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        spec_error(s, "%s: %s", path, strerror(errno));
        return -1;
    }
    for (int c = fgetc(f); c != EOF; c = fgetc(f)) {
        s->hash = (s->hash ^ (uint64_t)c) * FNV_PRIME;
    }
    (void)fclose(f);
    return 0;
}

/* Adds and reads a document, valid until the next is added; NULL when it cannot be read, with the
 * error listed. */
static struct mrc_spec_doc *add_doc(struct mrc_spec *s, const char *path)
{
    struct mrc_spec_doc *grown = realloc(s->docs, (s->doc_count + 1) * sizeof *grown);
    char *copy = strdup(path);
    if (grown) {
        s->docs = grown;
    }
    if (!grown || !copy) {
        free(copy);
        spec_error(s, "%s: out of memory", path);
        return NULL;
    }
    struct mrc_spec_doc *d = &s->docs[s->doc_count++];
    memset(d, 0, sizeof *d);
    d->path = copy;
    if (mrc_spec_hash_file(s, path) != 0) {
        return NULL;
    }
    if (mrc_yaml_load(&d->yaml, d->path) != 0) {
        spec_take_error(s, &d->yaml);
        return NULL;
    }
    return d;
}

int mrc_spec_id_compare(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            char *end_a, *end_b;
            const unsigned long va = strtoul(a, &end_a, 10), vb = strtoul(b, &end_b, 10);
            if (va != vb) {
                return va < vb ? -1 : 1;
            }
            a = end_a;
            b = end_b;
        } else if (*a != *b) {
            /* '-' ends a section: 6-01 stands before 6.2-01, as '-' < '.' */
            return *a < *b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a == *b ? 0 : *a == '\0' ? -1 : 1;
}

static int compare_reqs(const void *a, const void *b)
{
    const struct mrc_spec_requirement *x = a, *y = b;
    return mrc_spec_id_compare(x->id, y->id);
}

static bool is_section(const char *s)
{
    const char *p = s;
    for (; *p; p++) {
        if ((*p < '0' || *p > '9') && (*p != '.' || p == s || p[-1] == '.')) {
            return false;
        }
    }
    return p > s && p[-1] != '.';
}

static int read_file_head(struct mrc_spec *s, struct mrc_spec_doc *d, const char **title)
{
    struct mrc_yaml *y = &d->yaml;
    const yaml_node_t *root = mrc_yaml_root(y);
    const char *section;
    if (mrc_yaml_only_keys(y, root, file_keys) != 0 ||
        mrc_yaml_get_text(y, root, "section", true, &section) != 0 ||
        mrc_yaml_get_text(y, root, "title", true, title) != 0) {
        return -1;
    }
    const yaml_node_t *n = mrc_yaml_get(y, root, "section");
    if (!is_section(section)) {
        return mrc_yaml_fail(y, n, "expected a section number such as 7.5.2, found '%s'", section);
    }
    for (size_t i = 0; i < s->doc_count; i++) {
        if (s->docs[i].section && strcmp(s->docs[i].section, section) == 0) {
            return mrc_yaml_fail(y, n, "section %s has a file already: %s", section,
                                 s->docs[i].path);
        }
    }
    d->section = section;
    return 0;
}

static int read_requirements(struct mrc_spec *s, struct mrc_spec_doc *d)
{
    struct mrc_yaml *y = &d->yaml;
    const char *title = NULL;
    if (read_file_head(s, d, &title) != 0) {
        return -1;
    }
    const yaml_node_t *root = mrc_yaml_root(y), *list = mrc_yaml_get(y, root, "requirements"), *n;
    const size_t count = mrc_yaml_count(list);
    if (!list || list->type != YAML_SEQUENCE_NODE || count == 0) {
        return mrc_yaml_fail(y, list ? list : root, "expected a list 'requirements'");
    }
    struct mrc_spec_requirement *grown = realloc(s->reqs, (s->req_count + count) * sizeof *grown);
    if (!grown) {
        return mrc_yaml_fail(y, NULL, "out of memory");
    }
    s->reqs = grown;
    for (size_t i = 0; (n = mrc_yaml_item(y, list, i)) != NULL; i++) {
        struct mrc_spec_requirement *r = &s->reqs[s->req_count];
        memset(r, 0, sizeof *r);
        r->section = d->section;
        r->title = title;
        r->file = d->path;
        spec_read_requirement(s, d, n, r);
        s->req_count += r->id != NULL && r->line > 0;
    }
    return 0;
}

static bool names_check(const struct mrc_spec_requirement *r, const char *name)
{
    return spec_index_of(r->checks, name) >= 0;
}

/* An id stands once, and a check decides one requirement. */
static void check_across(struct mrc_spec *s)
{
    for (size_t i = 0; i < s->req_count; i++) {
        const struct mrc_spec_requirement *r = &s->reqs[i];
        for (size_t j = 0; j < i; j++) {
            const struct mrc_spec_requirement *o = &s->reqs[j];
            if (strcmp(o->id, r->id) == 0) {
                spec_error(s, "%s:%d: id '%s' stands already at %s:%d", r->file, r->line, r->id,
                           o->file, o->line);
            }
            for (size_t k = 0; r->checks[k]; k++) {
                if (names_check(o, r->checks[k])) {
                    spec_error(s, "%s:%d: check '%s' of %s is named already by %s at %s:%d",
                               r->file, r->line, r->checks[k], r->id, o->id, o->file, o->line);
                }
            }
        }
    }
}

static int only_yaml(const struct dirent *e)
{
    const size_t len = strlen(e->d_name);
    return len > 5 && strcmp(e->d_name + len - 5, ".yaml") == 0 && e->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not by locale: the hash depends on it */
}

static void load_dir(struct mrc_spec *s, const char *dir)
{
    struct dirent **names = NULL;
    const int count = scandir(dir, &names, only_yaml, by_name);
    if (count < 0) {
        spec_error(s, "%s: %s", dir, strerror(errno));
        return;
    }
    if (count == 0) {
        spec_error(s, "%s: no .yaml file in it", dir);
    }
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", dir, names[i]->d_name) < 0) {
            spec_error(s, "out of memory");
            path = NULL;
        }
        struct mrc_spec_doc *d = path ? add_doc(s, path) : NULL;
        if (d && read_requirements(s, d) != 0) {
            spec_take_error(s, &d->yaml);
        }
        free(path);
        free(names[i]);
    }
    free(names);
}

int mrc_spec_load(struct mrc_spec *s, const char *dir, const char *questions)
{
    memset(s, 0, sizeof *s);
    s->hash = FNV_BASIS;
    struct mrc_spec_doc *q = add_doc(s, questions);
    if (q && spec_read_questions(s, &q->yaml) != 0) {
        spec_take_error(s, &q->yaml);
    }
    load_dir(s, dir);
    check_across(s);
    if (s->error_count == 0) {
        qsort(s->reqs, s->req_count, sizeof *s->reqs, compare_reqs);
    }
    return s->error_count == 0 ? 0 : -1;
}

void mrc_spec_fini(struct mrc_spec *s)
{
    for (size_t i = 0; i < s->doc_count; i++) {
        mrc_yaml_fini(&s->docs[i].yaml);
        free(s->docs[i].path);
    }
    for (size_t i = 0; i < s->error_count; i++) {
        free(s->errors[i]);
    }
    free(s->docs);
    free(s->reqs);
    free(s->errors);
    memset(s, 0, sizeof *s);
}
