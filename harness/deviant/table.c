/* SPDX-License-Identifier: BSD-2-Clause */
/* The deviants as the runner picks them. */
#include "harness/deviant/lies.h"

#include <string.h>

#define MAKER(id, title, breaks, words)                                                            \
    static struct mrct_dut *make_##id(const struct mrc_ep_config *cfg, uint64_t seed)              \
    {                                                                                              \
        return mrct_liar_new(title, &mrct_lie_##id, cfg, seed);                                    \
    }
MRCT_LIES_REQUESTOR(MAKER)
MRCT_LIES_RESPONDER(MAKER)

#define ROW_REQUESTOR(id, title, breaks, words) {title, breaks, words, make_##id, true},
#define ROW_RESPONDER(id, title, breaks, words) {title, breaks, words, make_##id, false},

const struct mrct_deviant mrct_deviants[] = {MRCT_LIES_REQUESTOR(ROW_REQUESTOR)
                                                 MRCT_LIES_RESPONDER(ROW_RESPONDER)};
const size_t mrct_deviant_count = sizeof mrct_deviants / sizeof mrct_deviants[0];

const struct mrct_deviant *mrct_deviant_find(const char *name)
{
    for (size_t i = 0; i < mrct_deviant_count; i++)
        if (strcmp(mrct_deviants[i].name, name) == 0)
            return &mrct_deviants[i];
    return NULL;
}
