/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that must have existed and that the capture does not have. At a responder's tap a PSN that
 * was acknowledged, never asked for again and never seen is either a lie or a hole in the capture.
 * The responder's count of bytes tells them apart: it went up by the packet, or it did not.
 */
#ifndef MRCT_ORACLE_GAPS_H
#define MRCT_ORACLE_GAPS_H

#include "harness/oracle/resp.h"

#define GAPS_CLAIMS 64u

struct gap_model {
    resp_psn claimed[GAPS_CLAIMS]; /* called arrived, and not seen at that time; distinct */
    uint64_t frames[GAPS_CLAIMS];  /* of the claim */
    unsigned count;
    bool full;         /* there were more */
    uint64_t requests; /* seen, probes too */
    uint64_t controls; /* seen */
    /* Answers that name a request of which no packet had come; the first so many. */
    uint32_t named[GAPS_CLAIMS];
    uint64_t named_frames[GAPS_CLAIMS];
    unsigned named_count;
    bool more_counted; /* rcvd_bytes went beyond all that had come */
};

#endif
