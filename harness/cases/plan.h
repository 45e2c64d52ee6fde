/* SPDX-License-Identifier: BSD-2-Clause */
/* The cases there are, in the order of their ids, and those that a run takes. */
#ifndef MRCT_CASES_PLAN_H
#define MRCT_CASES_PLAN_H

#include "harness/cases/case.h"

struct mrct_plan {
    struct mrct_case *cases; /* sorted by id */
    bool *taken;             /* one per case; all true after loading */
    size_t count;
};

/*
 * Where the cases are: dir itself when it is given, else ../cases beside the program's directory
 * (a build tree), else the installed ones. Returns 0, or -1 when none of them is a directory.
 */
int mrct_plan_dir(const char *dir, char *buf, size_t cap);

/*
 * Loads DIR/SECTION/NAME.yaml, all but the folder "deviants". Returns 0, or -1 with one sentence in
 * err and nothing to free: the first file that is bad, or a twin that does not exist.
 */
int mrct_plan_load(struct mrct_plan *p, const char *dir, char *err, size_t err_cap);
void mrct_plan_fini(struct mrct_plan *p);

/* The case of that id, or NULL. */
const struct mrct_case *mrct_plan_find(const struct mrct_plan *p, const char *id);

/* What a run takes; a member that is NULL (or empty) takes all. */
struct mrct_selection {
    const char *const *globs; /* of ids, "sack/xx*"; one of them must match */
    size_t glob_count;
    const char *section;     /* folder of the case, or section of a requirement it lists */
    const char *requirement; /* id: the case lists it */
    int role;                /* MRCT_DEVICE_REQUESTOR, _RESPONDER, or -1 for any */
};
/* Sets taken; returns how many. */
size_t mrct_plan_select(struct mrct_plan *p, const struct mrct_selection *s);

#endif
