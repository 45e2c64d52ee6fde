/* SPDX-License-Identifier: BSD-2-Clause */
/* What the codes of the requirements are called in a report. */
#ifndef MRCT_REPORT_WORDS_H
#define MRCT_REPORT_WORDS_H

#include "gen/mrc_req.h"

/* What an evidence letter means, in a sentence; "" for none that is known. */
const char *mrct_words_evidence(char evidence);

/* A requirement as a report shows it; one that the tables lack has its id and empty words. */
struct mrct_words {
    const char *id, *section, *title, *table, *text, *level;
    char evidence[2];
};
struct mrct_words mrct_words_of(const char *id);

#endif
