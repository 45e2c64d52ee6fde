/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check, its parts: what one capture held and what the oracle said of it. */
#ifndef MRCT_CLI_CHECK_H
#define MRCT_CLI_CHECK_H

#include "harness/cli/cli.h"
#include "harness/report/term.h"

/* ---- findings, kept until they can be sorted ---- */

struct mrct_findings {
    struct mrct_finding *list;
    size_t count, room;
    char **hosts; /* names that findings point at, each once */
    size_t host_count;
    bool failed; /* memory: some were lost */
};
/* Copies a finding and the name of its host; requirement and check are static. */
void mrct_findings_add(struct mrct_findings *f, const struct mrct_finding *finding);
/* By first frame, then requirement, then as they came; what never happened stands last. */
void mrct_findings_sort(struct mrct_findings *f);
void mrct_findings_fini(struct mrct_findings *f);

/* ---- connections, for the summary ---- */

#define MRCT_TALKS_MAX 4096u /* more are counted, not kept */

/* One direction of a conversation: packets of one sender to one QP of one receiver. */
struct mrct_talk {
    char from[64], to[64]; /* names of the facts, or addresses */
    uint32_t dest_qp;
    uint64_t frames, requests, retransmitted, sacks, nacks, acks, others;
    uint32_t psn_first, psn_last; /* of requests, the least and the greatest, modulo 2^24 */
};
struct mrct_talk_key {
    uint8_t src[16], dst[16];
    uint32_t dest_qp;
    uint32_t talk; /* index in the list plus one; 0 for a free slot */
};
struct mrct_talks {
    struct mrct_talk *list;
    size_t count, room;
    struct mrct_talk_key
        *keys; /* addresses and QP to conversation; hosts may have many addresses */
    size_t keys_used;
    uint64_t beyond; /* frames of conversations past MRCT_TALKS_MAX */
};
void mrct_talks_frame(struct mrct_talks *t, const struct mrct_facts *facts,
                      const struct mrc_pkt *p);
void mrct_talks_fini(struct mrct_talks *t);

/* ---- the whole ---- */

struct mrct_check_result {
    const char *file;
    enum mrct_tap tap;
    bool strict;
    char readings[200];
    uint64_t frames; /* in the capture */
    uint64_t mrc;    /* of them MRC, malformed ones too */
    uint64_t by_opcode[256];
    uint64_t by_error[MRC_WIRE_ERRORS];
    uint64_t first_ns, last_ns;
    struct mrct_talks talks;
    struct mrct_findings findings;
    const struct mrct_req_result *reqs;
    size_t req_count;
};

/* Exit status of what was found. */
int mrct_check_status(const struct mrct_check_result *r);
/* {"frames": N, "findings": [...]}. Returns 0, or -1 when memory or the stream fails. */
int mrct_check_json(const struct mrct_check_result *r, FILE *out);
void mrct_check_text(const struct mrct_check_result *r, const struct mrct_term *t);

#endif
