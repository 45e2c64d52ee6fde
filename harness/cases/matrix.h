/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every deviant in every case of its role, and in the cases of its file once more with each check
 * that names its fault switched off. The first says which cases catch which fault, by which name;
 * the second that a check is needed: without it its deviant goes free.
 */
#ifndef MRCT_CASES_MATRIX_H
#define MRCT_CASES_MATRIX_H

#include "harness/cases/liars.h"

/* One deviant in one case. */
struct mrct_matrix_cell {
    bool run, listed;       /* played at all; named by the deviant's file */
    enum mrct_liar_end end; /* of a cell that was run */
    const char *first;      /* requirement that was found broken first, or NULL */
};

/* What becomes of a check's deviants when it is switched off. */
enum mrct_matrix_proof {
    MRCT_PROOF_FREE,      /* one goes free: nothing at all is held against it */
    MRCT_PROOF_OTHERWISE, /* one shows, but no longer by the fault it has: another
                              requirement fails, or its peer is blamed */
    MRCT_PROOF_NONE,      /* all are caught by the same name: nothing shows that the check works */
    MRCT_PROOF_NOBODY,    /* no deviant breaks its requirement */
};
struct mrct_matrix_check {
    const char *name, *requirement;
    enum mrct_matrix_proof proof;
    const struct mrct_liar *liar; /* that shows it, in this case; NULL: none does */
    const struct mrct_case *in;
};

struct mrct_matrix {
    const struct mrct_liars *liars;
    const struct mrct_plan *plan;
    struct mrct_matrix_cell *cells; /* [deviant][case] */
    size_t *order;                  /* deviants by requirement, then name */
    struct mrct_matrix_check *checks;
    size_t check_count, deviants, killed, named, explained, proven, free;
    size_t excused; /* checks without a deviant, whose requirement says why */
    bool harness;   /* a run went wrong by itself */
};

struct mrct_matrix_options {
    unsigned jobs;    /* threads, 1.. */
    bool listed_only; /* only the cases of the deviants' files */
    void (*progress)(void *user, size_t done, size_t total); /* or NULL; of any thread */
    void *user;
};

/* 0, or -1 when memory or threads fail. cfg is strict as certify's is; its deviant and
 * disabled_check are set here. The numbers are those of the cases of the deviants' files. */
int mrct_matrix_run(struct mrct_matrix *m, const struct mrct_run_config *cfg,
                    const struct mrct_liars *liars, const struct mrct_plan *plan,
                    const struct mrct_matrix_options *opt);
void mrct_matrix_fini(struct mrct_matrix *m);

/* The worst end over the cases of the deviant's file. */
enum mrct_liar_end mrct_matrix_end(const struct mrct_matrix *m, size_t liar);
const struct mrct_matrix_cell *mrct_matrix_cell(const struct mrct_matrix *m, size_t liar,
                                                size_t in_case);

#endif
