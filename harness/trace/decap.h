/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames inside frames, as switches mirror them and overlays carry them: VXLAN, GRE with Ethernet
 * inside, ERSPAN I, II and III. Proves every length before it reads.
 */
#ifndef MRCT_TRACE_DECAP_H
#define MRCT_TRACE_DECAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mrct_tunnel { MRCT_TUNNEL_NONE, MRCT_TUNNEL_VXLAN, MRCT_TUNNEL_GRE, MRCT_TUNNEL_ERSPAN };

#define MRCT_DECAP_DEPTH 4u /* a frame in more tunnels is left as it is */

/*
 * Looks whether an Ethernet frame of cap_len bytes (wire_len on the wire) carries another; if so
 * *inner is where that begins, with what is left of both lengths, and the outermost tunnel is
 * returned. inner->wire_len ends with the outer IP packet, where that says less.
 */
struct mrct_inner {
    const uint8_t *bytes; /* into the outer frame */
    uint32_t cap_len, wire_len;
};
enum mrct_tunnel mrct_decap(const uint8_t *bytes, uint32_t cap_len, uint32_t wire_len,
                            struct mrct_inner *inner);

/* Whether UDP to this port may carry a frame. */
bool mrct_decap_port(unsigned udp_dst_port);

#endif
