/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for verdicts. */
#include "harness/oracle/finding.h"

const char *mrct_verdict_str(enum mrct_verdict v)
{
    switch (v) {
    case MRCT_PASS:
        return "PASS";
    case MRCT_NOT_APPLICABLE:
        return "NOT APPLICABLE";
    case MRCT_INCONCLUSIVE:
        return "INCONCLUSIVE";
    case MRCT_FAIL:
        return "FAIL";
    case MRCT_ERROR:
        return "ERROR";
    }
    return "?";
}

const char *mrct_finding_kind_str(enum mrct_finding_kind k)
{
    switch (k) {
    case MRCT_FINDING_FAIL:
        return "FAIL";
    case MRCT_FINDING_WARN:
        return "WARN";
    case MRCT_FINDING_INCONCLUSIVE:
        return "INCONCLUSIVE";
    }
    return "?";
}
