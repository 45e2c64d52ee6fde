/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The liars. Each is a wrapper around the reference endpoint that breaks one requirement and no
 * other; what else fails in consequence is listed, with a reason each, in its file in
 * cases/deviants/. Wrappers see frames on their way in and out and the application's calls.
 */
#ifndef MRCT_DEVIANT_DEVIANT_H
#define MRCT_DEVIANT_DEVIANT_H

#include "harness/dut/dut.h"

struct mrct_deviant {
    const char *name;        /* "sack-bitmap-shifted" */
    const char *requirement; /* the one it breaks */
    const char *what;        /* one sentence */
    /* NULL when memory fails or cfg is bad. */
    struct mrct_dut *(*make)(const struct mrc_ep_config *cfg, uint64_t seed);
    bool as_requestor; /* the side it lies on: the requestor's, or the responder's */
};

extern const struct mrct_deviant mrct_deviants[];
extern const size_t mrct_deviant_count;
const struct mrct_deviant *mrct_deviant_find(const char *name); /* NULL: no such deviant */

#endif
