/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From what was seen to a verdict. Kept apart from the run, so that it can be tested with made-up
 * results: nothing here knows of endpoints or fabrics.
 */
#ifndef MRCT_CASES_VERDICT_H
#define MRCT_CASES_VERDICT_H

#include "harness/cases/case.h"
#include "harness/report/result.h"

/* Whose a finding is. */
enum mrct_blame {
    MRCT_BLAME_DEVICE,
    MRCT_BLAME_PEER, /* the harness's own endpoint: that would be the harness's fault */
    MRCT_BLAME_PATH, /* the fabric did it, as told: nobody's */
};

struct mrct_tally {
    const char *fault;         /* the harness's own, in words; NULL for none */
    const char *stopped;       /* why the run was ended for a device that is not ours; or NULL */
    const char *broken;        /* an agent failed: the run proves nothing; in words, or NULL */
    const char *unsupported;   /* an agent said that its device cannot do this; or NULL */
    const uint64_t *rule_hits; /* one per rule of the case */
    const uint64_t *exercised; /* one per requirement of the case */
    const uint64_t *frames;    /* one per frame expectation of the case */
    uint64_t writes;           /* steps asked for so many */
    uint64_t steps_left;       /* steps that never started */
    uint64_t done[MRCT_WC_STATUSES];
    uint64_t immediates; /* receive completions with immediate data */
    uint64_t immediates_posted;
    const char *imm_wrong;      /* the first immediate that is not the one due, in words; or NULL */
    const char *memory_wrong;   /* the first byte that is not as it must be, in words; or NULL */
    int qp_error[2];            /* status of the host's first QP error, or -1 */
    const char *script_failed;  /* a line of the script that did not come true, in words; or NULL */
    const char *script_unclear; /* why the script could not be played to its end; or NULL */
    const char *wrong;          /* what the run's own look at its end found, or NULL */
    /* Writes of the preamble and the postamble, and how many of them succeeded. */
    uint64_t before, before_done, after, after_done;
    uint64_t body_ns, body_bytes; /* time and bytes of the traffic, for its pace */
    uint64_t clock_error_ns;      /* of the harness; 0 in virtual time */
    bool cut_off;                 /* the run met its time limit */
};

/* Host name of a finding to whose fault it is, in a case with this device. */
enum mrct_blame mrct_verdict_blame(const struct mrct_case *c, const struct mrct_finding *f);

/*
 * Fills out->verdict, out->why and out->reqs (which has one row per requirement of the case) from
 * the tally and out->findings. Precedence: an agent that failed or declined, the harness's fault, a
 * broken requirement, a run that was ended, wrong memory, a stimulus that missed, an expectation
 * not met, a requirement not exercised, PASS.
 */
void mrct_verdict_case(const struct mrct_case *c, const struct mrct_tally *t,
                       struct mrct_result_case *out);

#endif
