/* SPDX-License-Identifier: BSD-2-Clause */
/* A case without a file, such as one drawn from a seed, as the YAML that loads as it. */
#ifndef MRCT_CASES_CASE_PRINT_H
#define MRCT_CASES_CASE_PRINT_H

#include "harness/cases/case.h"
#include "harness/cases/load.h"

#include <stdio.h>

/* Topology, random rates, options, traffic, links, time limit and what a swarm expects, under that
 * id. Scripts, faults and other expectations are not printed: nothing draws them. */
void mrct_case_print(const struct mrct_case *c, const char *id, FILE *out);

/* "key: value, ..." of those members that differ from unlike's; custom fields are passed over.
 * Returns how many. */
size_t mrct_case_print_fields(const struct mrct_load_field *fields, const void *base,
                              const void *unlike, FILE *out);

/* The tables of the loaders. */
extern const struct mrct_load_field *const mrct_case_fields_topology;
extern const struct mrct_load_field *const mrct_case_fields_random;
extern const struct mrct_load_field *const mrct_case_fields_host;

#endif
