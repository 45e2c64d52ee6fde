/* SPDX-License-Identifier: BSD-2-Clause */
/* What a certification run found: the one structure that every report is written from. */
#ifndef MRCT_REPORT_RESULT_H
#define MRCT_REPORT_RESULT_H

#include "harness/oracle/finding.h"
#include <stdbool.h>

struct mrct_result_req {
    const char *id;
    enum mrct_verdict verdict;
    uint64_t exercised;
};

/* A finding and where it stands: frames count in the pcapng of the case. */
struct mrct_result_finding {
    struct mrct_finding f;
    const char *tap; /* "requestor", "responder" */
};

struct mrct_result_case {
    const char *id, *title, *purpose, *section;
    const char *problems; /* "possible problems" of the case, or NULL */
    const char *known;    /* of a FAIL that is known: until when, and why; or NULL */
    enum mrct_verdict verdict;
    char why[800];      /* one sentence for anything but PASS */
    const char *due;    /* the script's line that did not come true, or NULL */
    const char *came;   /* what came instead, in the same notation; or NULL */
    char repeated[200]; /* "28 of 30 runs passed; with 95% confidence ...", or "" */
    char readings[200]; /* "Q2: passes under a, fails under b (the default)", where the verdict
                           depends on open questions; else "" */
    const char *replay; /* command that runs this case again, or "" */
    char page[160];     /* file of the case's page in the output directory, "" when there is none */
    char capture[128];  /* file name in the output directory, "" when none was written */
    uint64_t seed;
    uint64_t virtual_ns; /* how long it took in virtual time */
    uint64_t frames;
    struct mrct_result_req *reqs;
    size_t req_count;
    struct mrct_result_finding *findings;
    size_t finding_count;
    const char *const *notes; /* lines on what was done to it: rules and their hits, accounts */
    size_t note_count;
};

struct mrct_result_run {
    const char *suite_version, *spec_hash, *device, *reading; /* reading: "" = all defaults */
    const char *replay;                    /* command that runs everything again, or NULL */
    const char *device_version, *firmware; /* as its manifest says; NULL or "": not told */
    const char *pics_hash, *pixit_hash;    /* of the manifest's sections; NULL or "": none */
    /* What fails the run besides its cases: a sentence each. */
    const char **problems;
    size_t problem_count;
    /* What was found of the network before the cases, a line each; none in virtual time. */
    const char *const *network;
    size_t network_count;
    uint64_t seed;
    bool strict;
    struct mrct_result_case *cases;
    size_t case_count;
    /* Over all cases, one per requirement in scope: PASS, FAIL, INCONCLUSIVE, NOT APPLICABLE... */
    struct mrct_result_req *reqs;
    size_t req_count;
};

/* Counts by verdict, indexed by enum mrct_verdict. */
#define MRCT_VERDICTS 5u
struct mrct_result_counts {
    size_t n[MRCT_VERDICTS];
};
struct mrct_result_counts mrct_result_count_cases(const struct mrct_result_run *run);
struct mrct_result_counts mrct_result_count_reqs(const struct mrct_result_run *run);
/* Findings of one kind over all cases; requirement NULL counts them all. */
size_t mrct_result_count_findings(const struct mrct_result_run *run, enum mrct_finding_kind kind,
                                  const char *requirement);

/* The worse of two: a verdict never softens. PASS < NOT APPLICABLE < INCONCLUSIVE < FAIL < ERROR.
 */
enum mrct_verdict mrct_verdict_worse(enum mrct_verdict a, enum mrct_verdict b);

/* Failed cases whose failure is known. */
size_t mrct_result_count_known(const struct mrct_result_run *run);

/* What one verdict says of the whole run: ERROR before FAIL before INCONCLUSIVE, else PASS. A
 * failure that is known does not fail the run, a problem does. */
enum mrct_verdict mrct_result_verdict(const struct mrct_result_run *run);

enum mrct_exit {
    MRCT_EXIT_PASS = 0,         /* WARN and NOT APPLICABLE do not change it */
    MRCT_EXIT_FAIL = 1,         /* the device broke a requirement */
    MRCT_EXIT_USAGE = 2,        /* bad option or unreadable input: nothing was judged */
    MRCT_EXIT_HARNESS = 3,      /* a verdict is ERROR: the harness's own fault */
    MRCT_EXIT_NOTHING = 4,      /* no case matched, or a capture holds no MRC frame */
    MRCT_EXIT_INCONCLUSIVE = 5, /* nothing failed, something could not be decided */
};
/* By the rule of the design: harness before FAIL before INCONCLUSIVE; no case at all is NOTHING. */
int mrct_result_exit_status(const struct mrct_result_run *run);

#endif
