/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the deviants: what each breaks, the cases that catch it, and what follows from the
 * fault. Running one through its cases shows whether the suite catches it by the right name. */
#ifndef MRCT_CASES_LIARS_H
#define MRCT_CASES_LIARS_H

#include "harness/cases/plan.h"
#include "harness/cases/run.h"

/* Another requirement that fails in consequence, and why that cannot be helped. */
struct mrct_liar_follow {
    const char *requirement;
    char *reason;
};

struct mrct_liar {
    struct mrct_pool pool;
    char *file, *name, *what;
    const char *breaks; /* requirement */
    int role;           /* MRCT_DEVICE_REQUESTOR or _RESPONDER */
    int question;       /* whose reading is taken so that it is a fault at all; 0: none */
    char reading;       /* of that question */
    char **cases;       /* ids */
    size_t case_count;
    struct mrct_liar_follow *follows;
    size_t follow_count;
    const struct mrct_deviant *deviant;
};

struct mrct_liars {
    struct mrct_liar *list; /* in the order of file names */
    size_t count;
};

/*
 * Loads DIR/deviants/NAME.yaml for every deviant there is: a deviant without a file, and a file
 * without a deviant, or naming another requirement than its deviant, are errors. 0, or -1 with one
 * sentence in err and nothing to free.
 */
int mrct_liars_load(struct mrct_liars *l, const char *dir, const struct mrct_plan *plan, char *err,
                    size_t err_cap);
int mrct_liar_load(struct mrct_liar *l, const char *path, char *err, size_t err_cap);
void mrct_liars_fini(struct mrct_liars *l);

/* Sets what a run needs for this deviant: itself, and the reading under which it lies. */
void mrct_liar_configure(const struct mrct_liar *l, struct mrct_run_config *cfg);

/* What came of one deviant in one case. */
enum mrct_liar_end {
    MRCT_LIAR_NAMED,       /* failed; the earliest finding is the requirement it breaks */
    MRCT_LIAR_MISNAMED,    /* failed; something else was found first */
    MRCT_LIAR_UNEXPLAINED, /* named, but a requirement failed that is not listed under follows */
    MRCT_LIAR_ALIVE,       /* not failed */
    MRCT_LIAR_HARNESS,     /* the run itself went wrong */
};
/* Judges a finished case; words (of cap bytes) say what was wrong, "" when nothing was. */
enum mrct_liar_end mrct_liar_judge(const struct mrct_liar *l, const struct mrct_case *c,
                                   const struct mrct_result_case *r, char *words, size_t cap);
/* The requirement of the earliest finding against the device; NULL: there is none. */
const char *mrct_liar_first(const struct mrct_liar *l, const struct mrct_case *c,
                            const struct mrct_result_case *r);

#endif
