/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A responder written the plain way, for scripts at its own tap: it is shown what comes, and makes
 * the SACK, NACK or ACK that an honest one sends at that moment.
 */
#ifndef TESTS_ORACLE_MIRROR_H
#define TESTS_ORACLE_MIRROR_H

#include "tests/oracle/talk.h"

#define MIRROR_PSNS 256u

struct mirror {
    struct talk t;
    uint32_t start; /* first PSN */
    bool got[MIRROR_PSNS];
    bool ends[MIRROR_PSNS]; /* the last packet of a message */
    uint64_t bytes;
    uint64_t exercised; /* by the requirement of mirror_end()'s check */
};

void mirror_init(struct mirror *m, uint32_t start);
void mirror_begin(struct mirror *m);
/* The end; findings stay in t.w. check: whose requirement's count is kept, or NULL. */
void mirror_end(struct mirror *m, const char *check);

/* Request n of the QP, a message of one packet, 64 bytes, with a timestamp of its own. */
struct mrc_pkt mirror_request(const struct mirror *m, uint32_t n);
struct mrc_pkt mirror_imm(const struct mirror *m, uint32_t n, uint32_t imm);
struct mrc_pkt mirror_trimmed(const struct mrc_pkt *p, enum mrc_trim how);
/* It comes, and counts if it is whole and new; its frame number. */
uint64_t mirror_come(struct mirror *m, const struct mrc_pkt *p);
/* The same for several plain ones, from first to last. */
void mirror_come_all(struct mirror *m, uint32_t first, uint32_t last);

struct mrc_pkt mirror_sack(const struct mirror *m, const struct mrc_pkt *trigger);
struct mrc_pkt mirror_nack(const struct mrc_pkt *trigger, uint8_t reason);
struct mrc_pkt mirror_ack(const struct mirror *m);
/* Long enough for anything to be overdue, then a plain request that proves it. */
void mirror_long_after(struct mirror *m, uint32_t n);
void mirror_event(struct mirror *m, const struct mrct_event *ev); /* host and QPN are set here */

#endif
