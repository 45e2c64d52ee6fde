/* SPDX-License-Identifier: BSD-2-Clause */
/* Which unit notices which mutant. Each mutant runs in a process of its own: it may crash or hang.
 */
#ifndef TESTS_MUTATION_KILL_H
#define TESTS_MUTATION_KILL_H

#include "tests/mutation/units.h"

enum fate {
    FATE_UNREACHED, /* no unit comes by */
    FATE_ALIVE,     /* units come by, and all pass */
    FATE_KILLED,
    FATE_ENDLESS, /* a unit took KILL_CPU_S seconds of CPU time: killed too */
    FATE_CRASHED, /* killed too */
};
#define KILL_CPU_S  10
#define KILL_RECENT 12u

struct kill {
    struct units *units;
    uint8_t *reached;             /* [unit][mutant], shared with children */
    uint8_t *fate;                /* [mutant], enum fate; [0] unused */
    uint32_t *killer;             /* [mutant], shared: the unit, where it is KILLED */
    uint32_t recent[KILL_RECENT]; /* units that noticed the latest mutants, latest first */
    unsigned recent_count;
    bool progress; /* on stderr */
    size_t budget; /* frames and events played for one mutant */
};

/* No mutant is on, and what is reached is nobody's: before any check runs. */
void kill_prepare(void);
/* Runs every unit without a mutant: 0, or -1 with a sentence on stderr (a unit fails). */
int kill_baseline(struct kill *k, struct units *u);
/* Runs each every-th of the mutants whose file contains `only` (NULL: all). 0, or -1 with a
 * sentence. */
int kill_all(struct kill *k, const char *only, unsigned every, unsigned jobs);
void kill_fini(struct kill *k);

#endif
