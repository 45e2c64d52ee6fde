/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requirements and the open questions as they stand in the YAML files, checked. The generator
 * makes tables of this; a program uses the tables (gen/mrc_req.h) and needs no file at run time.
 */
#ifndef MRC_LOAD_SPEC_H
#define MRC_LOAD_SPEC_H

#include "spec/load/yaml_util.h"

#define MRC_SPEC_LIST_MAX      8u /* items of one list in a requirement */
#define MRC_SPEC_READINGS_MAX  4u
#define MRC_SPEC_QUESTIONS_MAX 63u /* numbers of questions are 1..63 */

/* All strings belong to the documents of the spec and live until mrc_spec_fini(). */
struct mrc_spec_question {
    const char *id, *text, *note; /* note may be NULL */
    unsigned number;
    char default_reading;
    unsigned reading_count;
    struct {
        char id; /* 'a', 'b', ... in order */
        const char *text;
    } readings[MRC_SPEC_READINGS_MAX];
};

struct mrc_spec_requirement {
    const char *id, *section, *title; /* title of the section */
    const char *table;                /* NULL: none */
    const char *text;
    const char *file; /* path as given to the loader */
    int line;         /* of the id, from 1 */
    unsigned level;   /* index into mrc_spec_levels */
    unsigned role;    /* index into mrc_spec_roles */
    char evidence;    /* one of C S U I */
    unsigned taps;    /* bit i: mrc_spec_taps[i] */
    bool needs_events;
    const char *facts[MRC_SPEC_LIST_MAX + 1]; /* NULL-terminated, as is checks */
    const char *checks[MRC_SPEC_LIST_MAX + 1];
    const char *capability;                            /* or NULL */
    const struct mrc_spec_question *question;          /* or NULL */
    char reading_verdicts[MRC_SPEC_READINGS_MAX * 8u]; /* "a=fail b=pass", or "" */
    const char *not_checked_why;                       /* NULL when there are checks */
    const char *no_case_why, *no_deviant_why; /* reasons for gaps of the coverage, or NULL */
};

extern const char *const mrc_spec_levels[]; /* "MUST", ..., NULL */
extern const char *const mrc_spec_roles[];  /* "any", "requestor", ..., NULL */
extern const char *const mrc_spec_taps[];   /* "requestor", "responder", "middle", NULL */
extern const char *const mrc_spec_facts[];  /* keys of a facts file, NULL */

struct mrc_spec_doc {
    char *path;
    struct mrc_yaml yaml;
    const char *section; /* NULL of the questions' file */
};

struct mrc_spec {
    struct mrc_spec_doc *docs; /* questions first, then requirements by file name */
    size_t doc_count;
    struct mrc_spec_requirement *reqs; /* by section and number */
    size_t req_count;
    struct mrc_spec_question questions[MRC_SPEC_QUESTIONS_MAX]; /* by number */
    size_t question_count;
    uint64_t hash; /* FNV-1a over the bytes of all files, in the order of docs */
    char **errors; /* "FILE:LINE: words" each, in the order found */
    size_t error_count;
};

/*
 * Reads QUESTIONS and every *.yaml of DIR. Returns 0, or -1 with at least one error listed; then
 * the tables are incomplete. mrc_spec_fini() is due in both cases.
 */
int mrc_spec_load(struct mrc_spec *s, const char *dir, const char *questions);
/* Takes the bytes of one more file into the hash (spec/wire.yaml). Returns 0, or -1 with an error.
 */
int mrc_spec_hash_file(struct mrc_spec *s, const char *path);
void mrc_spec_fini(struct mrc_spec *s);

/* Compares two requirement ids by the numbers in them, as strcmp() does by characters. */
int mrc_spec_id_compare(const char *a, const char *b);

#endif
