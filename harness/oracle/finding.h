/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts and findings: what the oracle says, and what every report is made of. */
#ifndef MRCT_ORACLE_FINDING_H
#define MRCT_ORACLE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a case or a requirement. They stay distinct; a later one never softens an earlier one. */
enum mrct_verdict {
    MRCT_PASS,
    MRCT_NOT_APPLICABLE, /* capability not declared */
    MRCT_INCONCLUSIVE,   /* the condition could not be provoked or seen; why says which */
    MRCT_FAIL,
    MRCT_ERROR, /* the harness's own fault; never counted as the device's */
};
const char *mrct_verdict_str(enum mrct_verdict v);

/* Of one finding. */
enum mrct_finding_kind {
    MRCT_FINDING_FAIL,
    MRCT_FINDING_WARN, /* SHOULD, weak evidence (S, U) without strict, or an open question */
    MRCT_FINDING_INCONCLUSIVE,
};
const char *mrct_finding_kind_str(enum mrct_finding_kind k); /* "FAIL", "WARN", "INCONCLUSIVE" */

#define MRCT_FINDING_FRAMES_MAX 8u
#define MRCT_FINDING_WHY_MAX    400u

struct mrct_finding {
    const char *requirement; /* id, static */
    const char *check;       /* name of the check, static */
    enum mrct_finding_kind kind;
    const char *host; /* who broke it: a name of the facts, an address that they do not know,
                         "sender or path", or ""; lives as long as the oracle and the facts */
    bool once;        /* of no connection, and said once in a run however often it is so */
    /* What a frame that is not there would explain, and no other frame shows it: the same number
     * for all that one such frame explains; 0: proven otherwise. */
    uint64_t silence;
    uint64_t time_ns;
    uint64_t frames[MRCT_FINDING_FRAMES_MAX]; /* frame numbers from 1; the offending one first */
    unsigned frame_count;                     /* 0 for something that never happened */
    char why[MRCT_FINDING_WHY_MAX];
};

#endif
