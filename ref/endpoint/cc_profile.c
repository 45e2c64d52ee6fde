/* SPDX-License-Identifier: BSD-2-Clause */
/* From the name in a CC profile to an algorithm. */
#include "ref/endpoint/cc.h"
#include <string.h>

static const struct {
    const char *name;
    const struct mrc_cc_ops *ops;
} algorithms[] = {
    {"off", &mrc_cc_off},
    {"fixed", &mrc_cc_fixed},
    {"nscc", &mrc_cc_nscc},
    {"uet-1.0-nscc", &mrc_cc_nscc}, /* the name that the API of MRC gives it */
};

void mrc_cc_profile_default(struct mrc_cc_profile *profile)
{
    *profile = (struct mrc_cc_profile){
        .algorithm = "nscc",
        .line_rate_bps = 400e9,
        .base_rtt_ns = 12000,
        .trimming = true,
        .qa_gate = 3,
        .q22_avg = 'a',
    };
}

static const struct mrc_cc_ops *by_name(const char *name)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        if (strcmp(algorithms[i].name, name) == 0)
            return algorithms[i].ops;
    return NULL;
}

const struct mrc_cc_ops *mrc_cc_find(const struct mrc_cc_profile *profile)
{
    const struct mrc_cc_ops *ops = profile->ops;
    if (!ops)
        ops = by_name(profile->algorithm ? profile->algorithm : "off");
    return ops && ops->valid(profile) ? ops : NULL;
}
