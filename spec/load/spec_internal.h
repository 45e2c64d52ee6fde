/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the loader share. */
#ifndef MRC_LOAD_SPEC_INTERNAL_H
#define MRC_LOAD_SPEC_INTERNAL_H

#include "spec/load/spec.h"

/* Adds an error to the list; it is dropped only when memory fails, and then one is counted anyway.
 */
void spec_error(struct mrc_spec *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Moves the error kept in a document, if any, to the list. */
void spec_take_error(struct mrc_spec *s, struct mrc_yaml *y);

int spec_read_questions(struct mrc_spec *s, struct mrc_yaml *y);
/* Reads one requirement; what is wrong with it is added to the errors. */
void spec_read_requirement(struct mrc_spec *s, struct mrc_spec_doc *doc, const yaml_node_t *n,
                           struct mrc_spec_requirement *r);

/* Index of text in a NULL-terminated list, or -1. */
int spec_index_of(const char *const *list, const char *text);

#endif
