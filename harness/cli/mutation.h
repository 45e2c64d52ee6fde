/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct mutation, its parts. */
#ifndef MRCT_CLI_MUTATION_H
#define MRCT_CLI_MUTATION_H

#include "harness/cases/matrix.h"

#include <jansson.h>
#include <stdio.h>

/* "named", "MISNAMED", ... */
const char *mrct_mutation_end_str(enum mrct_liar_end end);
/* "free", "otherwise", "NOT PROVEN", "no deviant" */
const char *mrct_mutation_proof_str(enum mrct_matrix_proof proof);

/* Every deviant, cell and check; NULL when memory fails. */
json_t *mrct_mutation_json(const struct mrct_matrix *m);
/* One page: the deviants by requirement, a column a case; then the checks. */
void mrct_mutation_html(const struct mrct_matrix *m, FILE *out);

#endif
