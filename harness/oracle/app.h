/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the applications at both ends of a flow posted and were told, and the immediate data that
 * came for them. Fed by events; without any, everything in here stays empty.
 */
#ifndef MRCT_ORACLE_APP_H
#define MRCT_ORACLE_APP_H

#include "harness/oracle/reqr.h"
#include "harness/oracle/resp.h"

#define APP_QUEUE_MAX 4096u /* posted and not reported; a power of two */
#define APP_PAST      256u  /* reported ones that are remembered */
#define APP_IMMS      1024u /* a power of two */

/* What a report is, held against what was posted. */
enum app_report {
    APP_REPORT_NONE,  /* the event at hand is no report */
    APP_REPORT_NEXT,  /* of the oldest that was not reported yet */
    APP_REPORT_LATER, /* of another that was posted */
    APP_REPORT_TWICE, /* of one that was reported before */
    APP_REPORT_ALIEN, /* of one that was never posted, or long ago */
};

/* Posted work in its order: entries [head, head + count) are open or reported out of turn. */
struct app_queue {
    uint64_t *ids; /* NULL before the first */
    bool *done;
    uint64_t head, count; /* of all ever posted, entry n is in slot n % APP_QUEUE_MAX */
    bool lost;            /* more were open at once than fit: nothing is judged any more */
};

/* Immediate data that arrived and the length of its message, where that is certain. */
struct app_imm {
    bool used;
    bool any_len; /* its DMA length may be what is left (Q8) */
    uint32_t imm, len_bytes;
};

#define APP_ODD 16u
/* A request that came with a reserved bit set. */
struct app_odd {
    resp_psn psn;
    uint64_t seq, frame_no; /* of its arrival */
    bool checksum;          /* it has a UDP checksum, and no reserved bit set */
};

struct app_model {
    struct app_queue sends, recvs; /* at the requestor; at the responder */
    uint64_t recvs_posted, recvs_done;
    enum app_report came; /* the event at hand */
    uint64_t came_before; /* APP_REPORT_LATER: the id that is older */
    bool completion_due;  /* the oldest write is owed its report */

    struct app_imm *imms; /* ring of APP_IMMS */
    uint64_t imm_count;   /* ever put there */
    uint64_t imm_arrived; /* requests with immediate data that arrived new */
    bool imm_unsure;      /* a NACK may have taken one back */
    bool excess;          /* more came at once than the responder tracks: */
    resp_psn excess_psn;  /* the first of these */
    uint64_t excess_frame;
    bool excess_due, excess_error_due, rq_due; /* judged once */

    bool responder_error; /* an event said so, at */
    uint64_t responder_error_ns;
    int responder_status;
    bool nak; /* the responder said NAK, at */
    uint64_t nak_ns, nak_frame;
    bool nak_counts; /* and one whose code is listed names a request that was open, at */
    uint64_t nak_counts_ns;
    bool refused; /* a NACK said that a whole request was not kept */
    struct app_odd odd[APP_ODD];
    unsigned odd_count;
    uint64_t retries; /* requests sent again after silence, in all */
    uint64_t nack_ns; /* the newest NACK; 0: none */
};

/* Whether the NAK at hand, before the models took it in, is one that its requestor must heed. */
bool mrct_app_nak_counts(const struct look *l);

#endif
