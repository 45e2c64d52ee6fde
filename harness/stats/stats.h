/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of a capture. */
#ifndef MRCT_STATS_STATS_H
#define MRCT_STATS_STATS_H

#include "harness/trace/facts.h"
#include "harness/trace/obs.h"
#include <jansson.h>
#include <stdio.h>

struct mrct_stats;
struct mrct_stats *mrct_stats_new(const struct mrct_facts *facts);
void mrct_stats_free(struct mrct_stats *s); /* NULL is allowed */
void mrct_stats_frame(struct mrct_stats *s, const struct mrct_obs *obs, enum mrct_tap tap);
/* Takes over what another of the same run saw of other hosts. Returns 0, or -1 when memory fails.
 */
int mrct_stats_merge(struct mrct_stats *s, struct mrct_stats *other);

/* All of it as JSON; NULL when memory fails. */
json_t *mrct_stats_json(const struct mrct_stats *s);
void mrct_stats_csv(const struct mrct_stats *s, FILE *out);
void mrct_stats_text(const struct mrct_stats *s, FILE *out);
/* Parts of a page: tables, and plots as inline SVG. */
void mrct_stats_html(const struct mrct_stats *s, FILE *out);

#endif
