/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of mrct spec. Each takes the words after its name and returns the exit status. */
#ifndef MRCT_CLI_SPEC_CMDS_H
#define MRCT_CLI_SPEC_CMDS_H

#include "harness/cli/coverage.h"

int mrct_spec_list(int argc, char **argv);
int mrct_spec_show(int argc, char **argv);
int mrct_spec_coverage(int argc, char **argv);
int mrct_spec_questions(int argc, char **argv);

/*
 * The generated requirements, the oracle's checks, the cases under dir and the deviants, for
 * coverage. Returns NULL after one sentence on stderr when the cases cannot be read. To be freed
 * with mrct_spec_catalogue_free().
 */
struct mrct_spec_catalogue;
struct mrct_spec_catalogue *mrct_spec_catalogue_new(const char *dir);
const struct mrct_cov_input *mrct_spec_catalogue_input(const struct mrct_spec_catalogue *c);
void mrct_spec_catalogue_free(struct mrct_spec_catalogue *c);

#endif
