/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of the pages, and all of them into a folder. */
#include "harness/cases/page.h"

#include "gen/mrc_req.h"
#include "harness/report/report.h"
#include "harness/trace/outfile.h"

#include <string.h>

void mrct_page_name(const char *id, char *buf, size_t cap)
{
    (void)snprintf(buf, cap, "%s", id);
    for (char *p = buf; *p != '\0'; p++) {
        if (*p == '/') {
            *p = '-';
        }
    }
}

static const char *ending(enum mrct_doc_form form)
{
    return form == MRCT_DOC_HTML ? "html" : "md";
}

static void put_link(struct mrct_doc *t, const struct mrct_case *c)
{
    char name[200];
    char to[220];
    mrct_page_name(c->id, name, sizeof name);
    (void)snprintf(to, sizeof to, "%s.%s", name, ending(t->form));
    mrct_doc_link(t, to, c->id);
}

static void by_subject(const struct mrct_plan *p, struct mrct_doc *t)
{
    const char *subject = NULL;
    mrct_doc_heading(t, 2, "By subject");
    for (size_t i = 0; i < p->count; i++) {
        const struct mrct_case *const c = &p->cases[i];
        if (!p->taken[i]) {
            continue;
        }
        if (subject == NULL || strcmp(subject, c->section) != 0) {
            if (subject != NULL) {
                mrct_doc_list_end(t);
            }
            mrct_doc_heading(t, 3, c->section);
            mrct_doc_list(t, false);
            subject = c->section;
        }
        mrct_doc_item(t);
        put_link(t, c);
        mrct_doc_put(t, ": ");
        mrct_doc_put(t, c->title);
        mrct_doc_item_end(t);
    }
    if (subject != NULL) {
        mrct_doc_list_end(t);
    }
}

static bool lists(const struct mrct_case *c, const char *requirement)
{
    for (size_t i = 0; i < c->requirement_count; i++) {
        if (strcmp(c->requirements[i], requirement) == 0) {
            return true;
        }
    }
    return false;
}

static void put_requirement(const struct mrct_plan *p, struct mrct_doc *t,
                            const struct mrc_requirement *r)
{
    bool any = false;
    mrct_doc_item(t);
    mrct_doc_code(t, r->id);
    mrct_doc_put(t, " ");
    mrct_doc_put(t, r->text);
    mrct_doc_put(t, " ");
    for (size_t i = 0; i < p->count; i++) {
        if (p->taken[i] && lists(&p->cases[i], r->id)) {
            mrct_doc_put(t, any ? ", " : "Cases: ");
            put_link(t, &p->cases[i]);
            any = true;
        }
    }
    mrct_doc_put(t, any ? "." : "No case here lists it.");
    mrct_doc_item_end(t);
}

static void by_section(const struct mrct_plan *p, struct mrct_doc *t)
{
    const char *section = NULL;
    mrct_doc_heading(t, 2, "By section of the specification");
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const struct mrc_requirement *const r = &mrc_requirements[i];
        if (section == NULL || strcmp(section, r->section) != 0) {
            char words[200];
            if (section != NULL) {
                mrct_doc_list_end(t);
            }
            (void)snprintf(words, sizeof words, "%s %s", r->section,
                           r->title != NULL ? r->title : "");
            mrct_doc_heading(t, 3, words);
            mrct_doc_list(t, false);
            section = r->section;
        }
        put_requirement(p, t, r);
    }
    mrct_doc_list_end(t);
}

void mrct_page_index(const struct mrct_plan *p, enum mrct_doc_form form, FILE *out)
{
    struct mrct_doc t = {.out = out, .form = form};
    char lead[80];
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        n += p->taken[i];
    }
    (void)snprintf(lead, sizeof lead, "%zu cases, a page each.", n);
    mrct_doc_begin(&t, "Cases", lead);
    by_subject(p, &t);
    by_section(p, &t);
    mrct_doc_end(&t);
}

/* ---- files ---- */

struct writing {
    const struct mrct_plan *p;
    const char *dir;
    char *err;
    size_t err_cap;
};

/* Opens DIR/NAME.ENDING; 0 or -1. */
static int open_file(const struct writing *w, struct mrct_outfile *f, char *path, size_t cap,
                     const char *name, const char *end)
{
    const int len = snprintf(path, cap, "%s/%s.%s", w->dir, name, end);
    if (len < 0 || (size_t)len >= cap) {
        (void)snprintf(w->err, w->err_cap, "%s: the name is too long", w->dir);
        return -1;
    }
    return mrct_outfile_open(f, path, w->err, w->err_cap);
}

static int write_page(const struct writing *w, const struct mrct_case *c, enum mrct_doc_form form)
{
    struct mrct_outfile f;
    char path[4096];
    char name[200];
    mrct_page_name(c->id, name, sizeof name);
    if (open_file(w, &f, path, sizeof path, name, ending(form)) != 0) {
        return -1;
    }
    if (mrct_page_case(c, form, f.file, w->err, w->err_cap) != 0) {
        mrct_outfile_abort(&f);
        return -1;
    }
    return mrct_outfile_commit(&f, w->err, w->err_cap);
}

static int write_index(const struct writing *w, enum mrct_doc_form form)
{
    struct mrct_outfile f;
    char path[4096];
    if (open_file(w, &f, path, sizeof path, "index", ending(form)) != 0) {
        return -1;
    }
    mrct_page_index(w->p, form, f.file);
    return mrct_outfile_commit(&f, w->err, w->err_cap);
}

static int write_style(const struct writing *w)
{
    struct mrct_outfile f;
    char path[4096];
    if (open_file(w, &f, path, sizeof path, "style", "css") != 0) {
        return -1;
    }
    mrct_report_style(f.file);
    return mrct_outfile_commit(&f, w->err, w->err_cap);
}

int mrct_pages_write(const struct mrct_plan *p, const char *dir, char *err, size_t err_cap)
{
    struct writing w = {.p = p, .dir = dir};
    w.err = err; /* what is written through it is the writers' */
    w.err_cap = err_cap;
    if (mrct_report_make_dir(dir, err, err_cap) != 0 || write_style(&w) != 0) {
        return -1;
    }
    for (int form = MRCT_DOC_HTML; form <= MRCT_DOC_MARKDOWN; form++) {
        if (write_index(&w, (enum mrct_doc_form)form) != 0) {
            return -1;
        }
        for (size_t i = 0; i < p->count; i++) {
            if (p->taken[i] && write_page(&w, &p->cases[i], (enum mrct_doc_form)form) != 0) {
                return -1;
            }
        }
    }
    return 0;
}
