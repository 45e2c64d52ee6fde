/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a case's YAML, one loader each. Internal to harness/cases; l->user is the
 * struct mrct_case_load. All return 0, or -1 with l->yaml.err set. */
#ifndef MRCT_CASES_CASE_PARTS_H
#define MRCT_CASES_CASE_PARTS_H

#include "harness/cases/case.h"
#include "harness/cases/load.h"

struct mrct_case_steps {
    const struct mrct_step *steps;
    size_t count;
};

struct mrct_case_load {
    struct mrct_case *c;
    struct mrct_case_steps before, after; /* joined with the traffic once all is read */
    yaml_node_t *host[2]; /* the maps host1 and host2 of options, applied after the common keys */
};

/* Custom fields of struct mrct_case: base is the case. */
int mrct_case_topology(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_options(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_random(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_traffic(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_preamble(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_postamble(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_repeat(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_faults(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_script(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_links(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_case_expect(struct mrct_load *l, yaml_node_t *node, void *base);

/* What a case with a script expects unless it says so: only what the script does. */
void mrct_case_script_defaults(struct mrct_case *c);
/* Checks the script against the whole case, and makes steps of its calls. */
int mrct_case_script_finish(struct mrct_load *l, struct mrct_case *c);

/* One list of steps of the three phases. */
int mrct_case_join_phases(struct mrct_load *l, struct mrct_case *c);

/* What only the whole case can tell: planes, EVs and QPs that exist, sizes that fit. */
int mrct_case_verify(struct mrct_load *l, const struct mrct_case *c);

/* An error about a line of the case when its node is gone. Returns -1. */
int mrct_case_fail_line(struct mrct_load *l, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

extern const struct mrct_load_word mrct_words_host[]; /* host1 0, host2 1 */
extern const struct mrct_load_word mrct_words_opcode[];
extern const struct mrct_load_word mrct_words_reason[]; /* a shortage's; enum mrc_nack_reason */
extern const struct mrct_load_word mrct_words_status[]; /* enum mrc_wc_status */

#endif
