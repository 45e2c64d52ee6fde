/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Link types: what stands before the IP header in a capture. Everything after this module sees
 * Ethernet.
 */
#ifndef MRCT_TRACE_LINK_H
#define MRCT_TRACE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LINKTYPE_ values of files that are read, and what systems call raw IP in live captures. */
enum mrct_link {
    MRCT_LINK_ETHERNET = 1,
    MRCT_LINK_RAW_BSD = 12,
    MRCT_LINK_RAW_OPENBSD = 14,
    MRCT_LINK_RAW = 101,
    MRCT_LINK_SLL = 113,
    MRCT_LINK_IPV4 = 228,
    MRCT_LINK_IPV6 = 229,
    MRCT_LINK_SLL2 = 276,
};

bool mrct_link_is_read(unsigned link);

/* Bytes of room that mrct_link_view() needs: a longer frame is cut to them. */
#define MRCT_LINK_VIEW_MAX ((size_t)16384)

/* A frame as Ethernet would have carried it. */
struct mrct_link_frame {
    const uint8_t *bytes;
    uint32_t cap_len, wire_len;
};

/*
 * Makes Ethernet of raw (not MRCT_LINK_ETHERNET itself): f comes with the raw frame and leaves with
 * bytes in the raw frame or in view. A frame too short for its link header, or that carries no IP,
 * becomes one of an EtherType that nobody reads.
 */
void mrct_link_view(unsigned link, struct mrct_link_frame *f, uint8_t *view);

#endif
