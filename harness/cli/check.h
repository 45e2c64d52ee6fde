/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check, its parts: what one capture held and what the oracle said of it. */
#ifndef MRCT_CLI_CHECK_H
#define MRCT_CLI_CHECK_H

#include "harness/cli/cli.h"
#include "harness/report/term.h"
#include "harness/trace/feed.h"

#define MRCT_TAPS 3u /* enum mrct_tap */

/* ---- findings, kept until they can be sorted ---- */

/* Of one check so many are kept, or memory would grow with the capture; all are counted. */
#define MRCT_FINDINGS_OF_CHECK 4096u

struct mrct_findings {
    struct mrct_finding *list;
    size_t count, room;
    enum mrct_tap *taps; /* of each, where it was seen */
    char **hosts;        /* names that findings point at, each once */
    size_t host_count;
    uint64_t not_kept;
    struct mrct_finding_count *by_check; /* of each check and tap, as they appear */
    size_t by_check_count;
    bool failed; /* memory: some were lost */
};
struct mrct_finding_count {
    const char *check; /* the oracle's own string */
    enum mrct_tap tap;
    uint64_t kinds[MRCT_FINDING_INCONCLUSIVE + 1], kept;
};
/* Copies a finding and the name of its host; requirement and check are static. */
void mrct_findings_add(struct mrct_findings *f, const struct mrct_finding *finding);
void mrct_findings_add_at(struct mrct_findings *f, const struct mrct_finding *finding,
                          enum mrct_tap tap);
/* By first frame, then requirement, tap, check, host, time and words; what never happened stands
 * last. */
void mrct_findings_sort(struct mrct_findings *f);
/* Adds those of another list; only the first of what is said once in a run stays. */
void mrct_findings_merge(struct mrct_findings *f, const struct mrct_findings *other);
void mrct_findings_fini(struct mrct_findings *f);

/* ---- connections, for the summary ---- */

#define MRCT_TALKS_MAX 4096u /* more are counted, not kept */

/* One direction of a conversation: packets of one sender to one QP of one receiver. */
struct mrct_talk {
    char from[64], to[64]; /* names of the facts, or addresses */
    uint32_t dest_qp;
    uint64_t first_frame; /* number of its first frame, or 0 where nobody counts */
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
    struct mrct_talk_key last; /* the key found last; frames come in runs */
    uint64_t beyond;           /* frames of conversations past MRCT_TALKS_MAX */
    uint64_t frame_no;         /* of the frame at hand; set by the caller, or 0 */
};
void mrct_talks_frame(struct mrct_talks *t, const struct mrct_facts *facts,
                      const struct mrc_pkt *p);
/* Takes over the conversations of another list, which share none with this one, and puts all in
 * the order of their first frames. */
void mrct_talks_merge(struct mrct_talks *t, const struct mrct_talks *other);
void mrct_talks_fini(struct mrct_talks *t);

/* ---- the capture's own health ---- */

struct mrct_health {
    uint64_t dropped; /* by kernel or interface, as the capture tells */
    uint64_t snapped; /* MRC frames shorter than they were */
    bool cut_file;    /* a file ends inside a record */
    enum mrct_order_mode order;
    struct mrct_order_seen times;
    uint64_t tunnelled[4]; /* by enum mrct_tunnel */
    struct mrct_gaps gaps[MRCT_TAPS];
    /* merge of two points: the second's clock against the first's */
    bool merged, offset_known, offset_one_way;
    int64_t offset_ns;
    uint64_t offset_pairs; /* frames seen at both points */
    uint64_t delay_ns;     /* least one-way delay that is left */
};
/* Whether something proven by absence may be proven by a hole in the capture, at that tap. */
bool mrct_health_lossy(const struct mrct_health *h, enum mrct_tap tap);
/* Whether frames may stand in another order than they were seen in. */
bool mrct_health_disordered(const struct mrct_health *h);
/* Why, in a few words for a finding. */
void mrct_health_why(const struct mrct_health *h, enum mrct_tap tap, char *buf, size_t cap);

/* ---- the whole ---- */

struct mrct_check_result {
    const char *file;
    enum mrct_tap tap; /* of the first oracle; taps has a bit for each that saw frames */
    unsigned taps;
    bool strict;
    char readings[200];
    uint64_t frames; /* in the capture */
    uint64_t mrc;    /* of them MRC, malformed ones too */
    uint64_t by_opcode[256];
    uint64_t by_error[MRC_WIRE_ERRORS];
    uint64_t first_ns, last_ns;
    struct mrct_talks talks;
    struct mrct_findings findings;
    struct mrct_health health;
    bool stopped;                 /* by the user, before the end */
    const struct mrct_feed *feed; /* interfaces; NULL where nobody cares */
    const struct mrct_req_result *reqs;
    size_t req_count;
};

/* A requirement's verdict never softens: what failed failed, what was once undecided stays so. */
enum mrct_verdict mrct_check_verdict(const struct mrct_req_result *r);
bool mrct_check_met(const struct mrct_req_result *r);
/* Exit status of what was found. */
int mrct_check_status(const struct mrct_check_result *r);

/* What else a report shows beside findings. */
struct mrct_check_show {
    bool health, coverage, stats;
    const struct mrct_check_cases *cases; /* for coverage; NULL: none found */
    const struct mrct_stats *statistics;  /* for stats */
};
/* {"frames": N, "findings": [...]}, and beside them "health", "requirements" and "statistics" where
 * show asks; NULL asks for nothing. Returns 0, or -1 when memory or the stream fails. */
int mrct_check_json(const struct mrct_check_result *r, FILE *out);
int mrct_check_json_with(const struct mrct_check_result *r, const struct mrct_check_show *show,
                         FILE *out);
void mrct_check_text(const struct mrct_check_result *r, const struct mrct_term *t);
/* Whether there is anything to say of the capture itself. */
bool mrct_check_unwell(const struct mrct_check_result *r);
void mrct_check_text_health(const struct mrct_check_result *r, FILE *out);
void mrct_check_text_coverage(const struct mrct_check_result *r, const struct mrct_check_show *show,
                              FILE *out);

#endif
