/* SPDX-License-Identifier: BSD-2-Clause */
/* An oracle under test: what it found, kept in a list; and captures shown to it. */
#ifndef TESTS_ORACLE_WATCH_H
#define TESTS_ORACLE_WATCH_H

#include "harness/oracle/oracle.h"

#define WATCH_FINDINGS_MAX 4096u

struct watch {
    struct mrct_oracle *oracle;
    struct mrct_finding found[WATCH_FINDINGS_MAX];
    size_t count, frames;
};

/* cfg's on_finding and user are set; cfg NULL means the defaults. */
void watch_start(struct watch *w, const struct mrct_oracle_config *cfg);
void watch_stop(struct watch *w);
/* Shows every frame of a capture and its end. Returns the number of frames; 0 when unreadable. */
size_t watch_capture(struct watch *w, const char *path, const struct mrct_facts *facts);
size_t watch_count(const struct watch *w, enum mrct_finding_kind kind);
/* A finding of this kind by this check; NULL when there is none. */
const struct mrct_finding *watch_find(const struct watch *w, enum mrct_finding_kind kind,
                                      const char *check);
void watch_print(const struct watch *w);

#endif
