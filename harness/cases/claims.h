/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device's manifest claims, and what can be said of it without running anything: PICS (which
 * requirements, roles and capabilities are implemented), PIXIT (the lab's parameters), known
 * failures. The keys that say how the device is reached are left to harness/dut.
 */
#ifndef MRCT_CASES_CLAIMS_H
#define MRCT_CASES_CLAIMS_H

#include "harness/cases/known.h"

enum mrct_answer { MRCT_ANSWER_NONE, MRCT_ANSWER_YES, MRCT_ANSWER_NO, MRCT_ANSWER_NA };

#define MRCT_CLAIMS_CAPS_MAX  32u
#define MRCT_CLAIMS_PIXIT_MAX 32u

struct mrct_claims_value {
    const char *key, *text;
    int line;
};

/* All strings live until mrct_claims_fini(). */
struct mrct_claims {
    struct mrct_pool pool;
    const char *path;
    const char *name, *version, *firmware;              /* "" when not told */
    bool has_capabilities;                              /* false: all of them */
    const char *capabilities[MRCT_CLAIMS_CAPS_MAX + 1]; /* NULL-terminated */
    const char *lacks[MRCT_CLAIMS_CAPS_MAX + 1];        /* known ones that are not claimed */
    bool has_roles, requestor, responder;               /* both unless told otherwise */
    bool has_pics;
    uint8_t *answers;  /* enum mrct_answer, one per requirement of the generated table */
    int *answer_lines; /* where they stand, 0 for none */
    struct mrct_claims_value pixit[MRCT_CLAIMS_PIXIT_MAX];
    size_t pixit_count;
    uint64_t clock_error_ns, reaction_ns; /* of the PIXIT; 0: not told */
    struct mrct_known known;
    char pics_hash[17], pixit_hash[17]; /* hex, over what the sections say, not how; "" without */
};

/* Reads the file; cases that known failures name are those of plan. Returns 0, or -1 with one
 * sentence "FILE:LINE: ..." in err and nothing to free. */
int mrct_claims_load(struct mrct_claims *c, const char *path, const struct mrct_plan *plan,
                     char *err, size_t err_cap);
void mrct_claims_fini(struct mrct_claims *c);

bool mrct_claims_has(const struct mrct_claims *c, const char *capability);

/* The static review: calls say() for each contradiction; counts requirements and parameters that
 * are not answered. */
struct mrct_claims_review {
    size_t contradictions, open;
};
struct mrct_claims_review mrct_claims_review(const struct mrct_claims *c,
                                             void (*say)(void *user, const char *words),
                                             void *user);

/* Adds each contradiction to run->problems. 0, or -1 when memory fails. */
int mrct_claims_apply(const struct mrct_claims *c, struct mrct_result_run *run,
                      struct mrct_pool *pool);

/* The proforma of a manifest, for its vendor to fill in. */
void mrct_claims_proforma(FILE *out, const char *suite_version);

/* Parameters of the PIXIT: what each is called, and how its values look. */
enum mrct_pixit_form { MRCT_PIXIT_TEXT, MRCT_PIXIT_NUMBER, MRCT_PIXIT_BOOL, MRCT_PIXIT_TIME };
struct mrct_pixit_key {
    const char *key; /* NULL ends the table */
    enum mrct_pixit_form form;
    uint64_t min, max;      /* of numbers */
    const char *capability; /* a BOOL must say what this one says; or NULL */
    const char *words;
};
extern const struct mrct_pixit_key mrct_pixit_keys[];

#endif
