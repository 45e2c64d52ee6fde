/* SPDX-License-Identifier: BSD-2-Clause */
/* One header of a packet by its id: for code that walks header chains and field tables. */
#ifndef MRC_WIRE_CHAIN_H
#define MRC_WIRE_CHAIN_H

#include "ref/wire/pkt.h"

/* Longest single header, bytes. */
#define MRC_HDR_LEN_MAX 64u

/*
 * Decode into, and encode from, the packet's member for that header (the first VLAN tag, the inner
 * IPv6 header). Bytes consumed or written; 0 when they do not suffice.
 */
size_t mrc_chain_decode_one(enum mrc_hdr_id id, const uint8_t *at, const uint8_t *end,
                            struct mrc_pkt *p);
size_t mrc_chain_encode_one(enum mrc_hdr_id id, const struct mrc_pkt *p, uint8_t *at,
                            const uint8_t *end);

#endif
