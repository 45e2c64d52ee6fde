/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of script.c: the conversation that a script tells, and what each part adds to it. */
#ifndef TESTS_ORACLE_STAGE_H
#define TESTS_ORACLE_STAGE_H

#include "tests/oracle/script.h"
#include "tests/oracle/talk.h"

#define STAGE_PSNS    2048u
#define STAGE_PROBES  64u
#define STAGE_STEP_NS 1000u
#define STAGE_LEN     64u /* bytes of a request */

struct stage {
    struct talk t;
    const struct script *s;
    uint32_t start; /* PSN of request 0 */
    uint64_t begin_ns, next_ns, err_ns;
    bool waited; /* the next frame comes at next_ns */
    /* what was sent, by its number, and what of it the responder has */
    struct mrc_pkt sent[STAGE_PSNS], probe[STAGE_PROBES];
    bool got[STAGE_PSNS], ends[STAGE_PSNS];
    uint64_t bytes;
    uint16_t msn, rqmsn;
    uint32_t again; /* EVs of retransmissions */
    uint32_t next;  /* number behind the greatest one sent */
};

struct word {
    const char *at;
    size_t len;
};

/* The next word up to `split`; false at the end. */
bool stage_word(const char **p, char split, struct word *w);
/* The value behind NAME=, or NULL when the word is not of that name; NAME alone is "1". */
const char *stage_value(const struct word *w, const char *name);
void stage_bad_word(const struct stage *g, const struct word *w);

/* script_setup.c */
void stage_set_up(struct stage *g, const struct script *s, uint32_t start);
uint64_t stage_ns(const struct stage *g, const char *p);
void stage_address(bool asker, unsigned plane, uint8_t ip[16]);

/* script_fields.c: makes the changes of a list; true: the packet is not to be seen. */
bool stage_change(const struct stage *g, struct mrc_pkt *p, const char *list, size_t len);

/* script_steps.c */
void stage_step(struct stage *g, const struct word *w);
void stage_event(struct stage *g, const struct word *w);

#endif
