/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/coverage.h"

#include <string.h>

const char *mrct_cov_gap_str(enum mrct_cov_gap_kind k)
{
    static const char *const words[] = {
        "not checked", "check missing",      "check without requirement",  "no case",
        "no deviant",  "reason out of date", "deviant without requirement"};
    return words[k];
}

const struct mrct_check_info *mrct_cov_check(const struct mrct_cov_input *in, const char *name)
{
    for (size_t i = 0; i < in->check_count; i++) {
        if (strcmp(in->checks[i].name, name) == 0) {
            return &in->checks[i];
        }
    }
    return NULL;
}

const struct mrct_cov_case *mrct_cov_next_case(const struct mrct_cov_input *in, const char *id,
                                               size_t *i)
{
    while (*i < in->case_count) {
        const struct mrct_cov_case *c = &in->cases[(*i)++];
        for (size_t k = 0; k < c->requirement_count; k++) {
            if (strcmp(c->requirements[k], id) == 0) {
                return c;
            }
        }
    }
    return NULL;
}

const struct mrct_cov_deviant *mrct_cov_next_deviant(const struct mrct_cov_input *in,
                                                     const char *id, size_t *i)
{
    while (*i < in->deviant_count) {
        const struct mrct_cov_deviant *d = &in->deviants[(*i)++];
        if (strcmp(d->requirement, id) == 0) {
            return d;
        }
    }
    return NULL;
}

struct walk {
    const struct mrct_cov_input *in;
    void (*on_gap)(void *user, const struct mrct_cov_gap *g);
    void *user;
    struct mrct_cov_counts counts;
};

static void tell(struct walk *w, const struct mrct_cov_gap *g)
{
    if (g->why) {
        w->counts.explained++;
    } else {
        w->counts.gaps++;
    }
    if (w->on_gap) {
        w->on_gap(w->user, g);
    }
}

static void tell_of(struct walk *w, const struct mrc_requirement *r, enum mrct_cov_gap_kind kind,
                    const char *name, const char *why)
{
    const struct mrct_cov_gap g = {kind, r->id, name, r->file, r->line, why};
    tell(w, &g);
}

static void compare_requirement(struct walk *w, const struct mrc_requirement *r)
{
    size_t at_case = 0, at_deviant = 0;
    const bool has_case = mrct_cov_next_case(w->in, r->id, &at_case) != NULL;
    const bool has_deviant = mrct_cov_next_deviant(w->in, r->id, &at_deviant) != NULL;
    w->counts.requirements++;
    w->counts.with_case += has_case;
    w->counts.with_deviant += has_deviant;
    if (r->not_checked_why) {
        /* What nothing checks needs neither a case nor a liar. */
        tell_of(w, r, MRCT_GAP_NOT_CHECKED, NULL, r->not_checked_why);
        return;
    }
    bool all = true;
    for (const char *const *c = r->checks; *c; c++) {
        const struct mrct_check_info *info = mrct_cov_check(w->in, *c);
        if (!info || strcmp(info->requirement, r->id) != 0) {
            all = false;
            tell_of(w, r, MRCT_GAP_CHECK_MISSING, *c, NULL);
        }
    }
    w->counts.checked += all;
    if (!has_case) {
        tell_of(w, r, MRCT_GAP_NO_CASE, NULL, r->no_case_why);
    } else if (r->no_case_why) {
        tell_of(w, r, MRCT_GAP_REASON_STALE, "no_case_why", NULL);
    }
    if (!has_deviant) {
        tell_of(w, r, MRCT_GAP_NO_DEVIANT, NULL, r->no_deviant_why);
    } else if (r->no_deviant_why) {
        tell_of(w, r, MRCT_GAP_REASON_STALE, "no_deviant_why", NULL);
    }
}

static const struct mrc_requirement *find(const struct mrct_cov_input *in, const char *id)
{
    for (size_t i = 0; i < in->req_count; i++) {
        if (strcmp(in->reqs[i].id, id) == 0) {
            return &in->reqs[i];
        }
    }
    return NULL;
}

static bool names(const struct mrc_requirement *r, const char *check)
{
    for (const char *const *c = r->checks; *c; c++) {
        if (strcmp(*c, check) == 0) {
            return true;
        }
    }
    return false;
}

struct mrct_cov_counts mrct_cov_compare(const struct mrct_cov_input *in,
                                        void (*on_gap)(void *user, const struct mrct_cov_gap *g),
                                        void *user)
{
    struct walk w = {.in = in, .on_gap = on_gap, .user = user};
    for (size_t i = 0; i < in->req_count; i++) {
        compare_requirement(&w, &in->reqs[i]);
    }
    for (size_t i = 0; i < in->check_count; i++) {
        const struct mrct_check_info *c = &in->checks[i];
        const struct mrc_requirement *r = find(in, c->requirement);
        if (!r || !names(r, c->name)) {
            const struct mrct_cov_gap g = {
                MRCT_GAP_CHECK_UNKNOWN, c->requirement, c->name, c->file, c->line, NULL};
            tell(&w, &g);
        }
    }
    for (size_t i = 0; i < in->deviant_count; i++) {
        const struct mrct_cov_deviant *d = &in->deviants[i];
        if (!find(in, d->requirement)) {
            const struct mrct_cov_gap g = {
                MRCT_GAP_DEVIANT_UNKNOWN, d->requirement, d->name, NULL, 0, NULL};
            tell(&w, &g);
        }
    }
    return w.counts;
}
