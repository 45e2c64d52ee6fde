/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs whose findings are kept: all that the suite has, each recorded once. */
#ifndef TESTS_GOLDEN_CORPUS_H
#define TESTS_GOLDEN_CORPUS_H

#include "tests/golden/tape.h"

struct corpus_run {
    char name[160];
    struct tapes tapes;
};

struct corpus {
    struct corpus_run *runs;
    size_t count, cap;
};

/* One kind of run each. */
struct corpus_part {
    const char *name; /* of the file that holds what is known of it */
    bool quick;       /* runs that nothing else plays */
    bool brief;       /* its words are too many to be kept */
    /* Adds its runs. 0, or -1 with a sentence on stderr. */
    int (*load)(struct corpus *c);
};
extern const struct corpus_part corpus_parts[];
extern const size_t corpus_part_count;

void corpus_fini(struct corpus *c);

#endif
