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
    enum mrct_verdict verdict;
    char why[400];                 /* one sentence for anything but PASS */
    char replay[200];              /* command that runs this case again */
    char capture[128];             /* file name in the output directory, "" when none was written */
    uint64_t seed;
    uint64_t virtual_ns;           /* how long it took in virtual time */
    uint64_t frames;
    struct mrct_result_req *reqs;
    size_t req_count;
    struct mrct_result_finding *findings;
    size_t finding_count;
};

struct mrct_result_run {
    const char *suite_version, *spec_hash, *device, *reading; /* reading: "" = all defaults */
    uint64_t seed;
    bool strict;
    struct mrct_result_case *cases;
    size_t case_count;
    /* Over all cases, one per requirement in scope: PASS, FAIL, INCONCLUSIVE, NOT APPLICABLE... */
    struct mrct_result_req *reqs;
    size_t req_count;
};

/* Counts by verdict, indexed by enum mrct_verdict. */
struct mrct_result_counts {
    size_t n[5];
};
struct mrct_result_counts mrct_result_count_cases(const struct mrct_result_run *run);
/* 0, 1, 3, 4 or 5 by the rule of the design: harness before FAIL before INCONCLUSIVE. */
int mrct_result_exit_status(const struct mrct_result_run *run);

#endif
