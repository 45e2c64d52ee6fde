/* SPDX-License-Identifier: BSD-2-Clause */
/* The invariant CRC: over the packet with all that may change on its way read as ones. */
#ifndef MRC_WIRE_ICRC_H
#define MRC_WIRE_ICRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the covered part of a frame lies; offsets in bytes from the start of the frame. */
struct mrc_icrc_span {
    size_t outer; /* outer IPv6 header when it is covered (Q6 b), else equal to ip */
    size_t ip;    /* IP header that carries the UDP header */
    size_t udp;   /* UDP header; at most 60 bytes after ip */
    size_t end;   /* end of the pad: first byte of the ICRC; >= udp + 8 */
    bool is_v6;   /* of the header at ip */
};

/* The ICRC as the wire shows it, read as little-endian. bytes must hold span->end bytes. */
uint32_t mrc_icrc_compute(const uint8_t *bytes, const struct mrc_icrc_span *span);

/*
 * The same, and in *head the CRC of what is covered before split, an offset in the frame behind
 * byte 4 of the BTH and within the headers: from both follows the CRC of what comes behind it.
 */
uint32_t mrc_icrc_compute_split(const uint8_t *bytes, const struct mrc_icrc_span *span,
                                size_t split, uint32_t *head);

/*
 * Finds the span of a whole frame of len bytes whose ICRC would follow at len. outer_too: Q6 b.
 * False when there is no UDP over IPv4 or IPv6 in it.
 */
bool mrc_icrc_find_span(const uint8_t *bytes, size_t len, bool outer_too,
                        struct mrc_icrc_span *span);

/* The ICRC of what was covered so far and len more bytes. */
uint32_t mrc_icrc_extend(uint32_t icrc, const uint8_t *bytes, size_t len);

#endif
