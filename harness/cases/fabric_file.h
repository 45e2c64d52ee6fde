/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a fabric between real interfaces is to do, as YAML: the keys topology, random, faults and
 * links of a case, with the same meaning. Hosts, QPs and EVs of a case do not exist there, so rules
 * name dest_qp and ev_value, as they stand in frames, instead of qp and ev.
 */
#ifndef MRCT_CASES_FABRIC_FILE_H
#define MRCT_CASES_FABRIC_FILE_H

#include "harness/cases/case.h"

/*
 * Fills c->fabric, c->rules and c->links from path; of the rest c has its defaults, of the topology
 * no rate, no latency and one path. planes: how many there are. path NULL: no file, no faults.
 * Returns 0, and mrct_case_fini() is due; or -1 with one sentence "FILE:LINE: ..." in err.
 */
int mrct_fabric_file_load(struct mrct_case *c, const char *path, unsigned planes, char *err,
                          size_t err_cap);

/* Hands rules and links to a fabric. Returns 0, or -1 with one sentence in err. */
int mrct_fabric_file_apply(const struct mrct_case *c, struct mrct_fab *fab, char *err,
                           size_t err_cap);

#endif
