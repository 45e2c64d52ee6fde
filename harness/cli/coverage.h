/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which requirement is decided by which checks, provoked by which cases, and proven by which
 * deviants, and what is missing. Pure: it is given the lists and only compares them.
 */
#ifndef MRCT_CLI_COVERAGE_H
#define MRCT_CLI_COVERAGE_H

#include "gen/mrc_req.h"
#include "harness/oracle/oracle.h"

/* What of a case or a deviant counts here. */
struct mrct_cov_case {
    const char *id, *file;
    const char *const *requirements;
    size_t requirement_count;
};
struct mrct_cov_deviant {
    const char *name, *requirement;
};

/* All lists belong to the caller and outlive the coverage. */
struct mrct_cov_input {
    const struct mrc_requirement *reqs;
    size_t req_count;
    const struct mrct_check_info *checks;
    size_t check_count;
    const struct mrct_cov_case *cases;
    size_t case_count;
    const struct mrct_cov_deviant *deviants;
    size_t deviant_count;
};

enum mrct_cov_gap_kind {
    MRCT_GAP_NOT_CHECKED,     /* the requirement says why it has no check */
    MRCT_GAP_CHECK_MISSING,   /* the requirement names a check that is not in the oracle */
    MRCT_GAP_CHECK_UNKNOWN,   /* a check of the oracle that its requirement does not name */
    MRCT_GAP_NO_CASE,         /* no case names the requirement */
    MRCT_GAP_NO_DEVIANT,      /* no deviant breaks it */
    MRCT_GAP_REASON_STALE,    /* a reason for a case or deviant that is there after all */
    MRCT_GAP_DEVIANT_UNKNOWN, /* a deviant that breaks no requirement there is */
};
const char *mrct_cov_gap_str(enum mrct_cov_gap_kind k); /* "no case", ... */

struct mrct_cov_gap {
    enum mrct_cov_gap_kind kind;
    const char *requirement; /* id, as far as there is one */
    const char *name;        /* of the check or deviant; else NULL */
    const char *file;        /* where to look; NULL for a deviant */
    int line;
    const char *why; /* the reason given for it, or NULL: a gap that counts */
};

struct mrct_cov_counts {
    size_t requirements, checked, with_case, with_deviant, explained, gaps;
};

/*
 * Calls on_gap for each gap, explained or not, requirements first and in their order, and counts.
 * on_gap may be NULL.
 */
struct mrct_cov_counts mrct_cov_compare(const struct mrct_cov_input *in,
                                        void (*on_gap)(void *user, const struct mrct_cov_gap *g),
                                        void *user);

/* The check of that name, or NULL. */
const struct mrct_check_info *mrct_cov_check(const struct mrct_cov_input *in, const char *name);
/* The next case (deviant) from *i on that names the requirement, or NULL; *i is moved past it. */
const struct mrct_cov_case *mrct_cov_next_case(const struct mrct_cov_input *in, const char *id,
                                               size_t *i);
const struct mrct_cov_deviant *mrct_cov_next_deviant(const struct mrct_cov_input *in,
                                                     const char *id, size_t *i);

#endif
