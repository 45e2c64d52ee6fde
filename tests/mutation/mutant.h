/* SPDX-License-Identifier: BSD-2-Clause */
/* A change of one comparison or constant, switched on while the program runs. */
#ifndef TESTS_MUTATION_MUTANT_H
#define TESTS_MUTATION_MUTANT_H

#include <stdbool.h>
#include <stdint.h>

struct mutant {
    const char *file;
    unsigned line;
    const char *from, *to; /* "a < b", "<=" */
};

extern const struct mutant mrct_mutants[]; /* [0] is the mutant with number 1 */
extern const unsigned mrct_mutant_count;

extern unsigned mrct_mutant_on;      /* number of the one that is switched on; 0: none */
extern uint8_t *mrct_mutant_reached; /* by number, 0: never came by */

static inline bool mrct_mutant(unsigned number)
{
    mrct_mutant_reached[number] = 1;
    return number == mrct_mutant_on;
}

#endif
