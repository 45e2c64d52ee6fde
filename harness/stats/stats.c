/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/stats/stats.h"

#include <stdlib.h>

struct mrct_stats {
    const struct mrct_facts *facts;
};

struct mrct_stats *mrct_stats_new(const struct mrct_facts *facts)
{
    struct mrct_stats *const s = calloc(1, sizeof(*s));
    if (s != NULL)
        s->facts = facts;
    return s;
}

void mrct_stats_free(struct mrct_stats *s)
{
    free(s);
}

void mrct_stats_frame(struct mrct_stats *s, const struct mrct_obs *obs, enum mrct_tap tap)
{
    (void)s;
    (void)obs;
    (void)tap;
}

int mrct_stats_merge(struct mrct_stats *s, struct mrct_stats *other)
{
    (void)s;
    (void)other;
    return 0;
}

json_t *mrct_stats_json(const struct mrct_stats *s)
{
    (void)s;
    return json_object();
}

void mrct_stats_csv(const struct mrct_stats *s, FILE *out)
{
    (void)s;
    (void)out;
}

void mrct_stats_text(const struct mrct_stats *s, FILE *out)
{
    (void)s;
    (void)out;
}

void mrct_stats_html(const struct mrct_stats *s, FILE *out)
{
    (void)s;
    (void)out;
}
