/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes that cannot change what the checks say, each with the reason. */
#ifndef TESTS_MUTATION_EQUAL_H
#define TESTS_MUTATION_EQUAL_H

#include "spec/load/yaml_util.h"
#include "tests/mutation/mutant.h"

/* A row holds for a mutant of that file when its line of source, without the blanks at both ends,
 * is `source`, and from and to are the mutant's; `to` may be left out: any. */
struct equals {
    struct mrc_yaml yaml;
    yaml_node_t *list;
};

/* 0, or -1 with a sentence on stderr and nothing to free. */
int equals_load(struct equals *e, const char *path);
void equals_fini(struct equals *e);
/* The reason, or NULL: this mutant matters. */
const char *equals_find(struct equals *e, const struct mutant *m);

#endif
