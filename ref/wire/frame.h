/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame as the suite carries it: header bytes, a reference to the payload, and the state of the
 * ICRC. Payload bytes stay where they are (a registered region, a capture, a receive ring) until
 * the frame meets a wire or a capture file, where mrc_frame_gather() writes them out and computes
 * an ICRC that was deferred. Nothing here allocates.
 */
#ifndef MRC_WIRE_FRAME_H
#define MRC_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* Longest run of headers: Ethernet, two VLAN tags, outer IPv6, SRH with one segment, inner IPv6,
 * UDP, and the longest MRC header chain; a trimmed frame keeps all it has left here. */
#define MRC_FRAME_HDR_MAX 256u
/* Largest payload of one packet, bytes (path MTU 4096). */
#define MRC_PAYLOAD_MAX 4096u
/* Largest frame mrc_frame_gather() writes: headers, payload, pad, ICRC. */
#define MRC_FRAME_MAX (MRC_FRAME_HDR_MAX + MRC_PAYLOAD_MAX + 3u + 4u)

enum mrc_icrc_state {
    MRC_ICRC_ABSENT,   /* trimmed away, or cut off by a snap length: must not be asked for */
    MRC_ICRC_DEFERRED, /* right by construction, not computed yet */
    MRC_ICRC_VALID,    /* computed and right */
    MRC_ICRC_WRONG,    /* present, and does not fit the bytes */
};

struct mrc_frame {
    uint8_t hdr[MRC_FRAME_HDR_MAX]; /* Ethernet header up to and with the last MRC header */
    uint16_t hdr_len;               /* bytes used of hdr */
    uint8_t pad_len;                /* zero bytes between payload and ICRC, 0..3 */
    enum mrc_icrc_state icrc_state;
    uint32_t icrc;        /* its value in wire order read as little-endian; VALID and WRONG only */
    uint32_t payload_len; /* bytes of payload, 0..MRC_PAYLOAD_MAX */
    const uint8_t
        *payload; /* not owned; valid as long as the frame is; NULL when payload_len = 0 */
};

struct mrc_wire_config;

/* Length of the frame on the wire in bytes, without preamble, FCS and gap. */
size_t mrc_frame_wire_len(const struct mrc_frame *f);

/*
 * Writes the frame's bytes to buf and returns their number, or 0 when cap is too small.
 * A deferred ICRC is computed over the bytes (the inner packet in SRv6 mode; Q6 of cfg decides).
 */
size_t mrc_frame_gather(const struct mrc_wire_config *cfg, const struct mrc_frame *f, uint8_t *buf,
                        size_t cap);

/*
 * The ICRC that the frame has on the wire: its own, or a deferred one computed over headers,
 * payload and pad where they lie. 0 when it is absent, or the headers hold no IP and UDP.
 */
uint32_t mrc_frame_icrc(const struct mrc_wire_config *cfg, const struct mrc_frame *f);

/*
 * Splits bytes of a wire into f: headers are copied, the payload is referenced and must outlive f,
 * the ICRC is verified. Returns 0, or -1 when the bytes hold no MRC frame this codec accepts; then
 * f->hdr holds nothing of use. Use mrc_pkt_decode() to learn why.
 */
int mrc_frame_parse(const struct mrc_wire_config *cfg, const uint8_t *bytes, size_t len,
                    struct mrc_frame *f);

#endif
