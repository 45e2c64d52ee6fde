/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ORACLE_PAIRS_H
#define TESTS_ORACLE_PAIRS_H

#include "tests/oracle/mirror.h"

struct pair {
    const char *check;
    void (*story)(struct mirror *m, bool lie);
    void (*prepare)(struct mirror *m); /* facts and configuration; or NULL */
    const char *also;                  /* another check that the lie breaks as well; or NULL */
    bool by_presence; /* proven by what is there: missing frames do not excuse it */
    bool everywhere;  /* decided at any tap */
};
extern const struct pair pairs_sack[], pairs_rest[];
extern const size_t pairs_sack_count, pairs_rest_count;

#endif
