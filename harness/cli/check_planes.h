/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether requests of one QP seem to go between several pairs of addresses: its planes. */
#ifndef MRCT_CLI_CHECK_PLANES_H
#define MRCT_CLI_CHECK_PLANES_H

#include "ref/wire/pkt.h"

#define MRCT_PLANES_QPS 64u /* that are remembered; later ones are not looked at */

struct mrct_planes {
    bool found;
    unsigned count;
    struct {
        uint32_t qpn, psn; /* destination; of the latest request */
        bool is_v6;
        uint8_t src[16], dst[16];
    } seen[MRCT_PLANES_QPS];
};

/* Zeroed before the first look. Sets found for good at the first request whose QPN was seen between
 * other addresses with a PSN nearby. */
void mrct_planes_look(struct mrct_planes *s, const struct mrc_pkt *p);

#endif
