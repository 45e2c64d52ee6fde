/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Before any verdict: does the way between two ports carry what MRC needs? Packets of every size,
 * class and mark are sent over each plane, both ways, and compared with what arrives.
 */
#ifndef MRCT_LIVE_PREFLIGHT_H
#define MRCT_LIVE_PREFLIGHT_H

#include "ref/net/port.h"

enum mrct_preflight_item {
    MRCT_PREFLIGHT_ALIVE,
    MRCT_PREFLIGHT_MTU,
    MRCT_PREFLIGHT_DSCP,
    MRCT_PREFLIGHT_CE,
    MRCT_PREFLIGHT_FIELDS, /* flow label and source port */
    MRCT_PREFLIGHT_CLOCK,
    MRCT_PREFLIGHT_ITEMS
};
const char *mrct_preflight_item_str(enum mrct_preflight_item item);

/* What a way was found to be. words: the line's sentence. */
struct mrct_preflight_line {
    bool good;
    char words[160];
};
struct mrct_preflight {
    struct mrct_preflight_line line[MRCT_PREFLIGHT_ITEMS];
};

/*
 * A plane. carry() sends a frame into one end (0, 1) and waits, for a while, until it or some other
 * frame of MRC comes out at the other; it returns its length, or 0 when none came. The time of
 * sending, and of the far end's stamp, are monotonic ns. bytes has room for MRC_FRAME_MAX.
 */
struct mrct_preflight_way {
    size_t (*carry)(void *user, unsigned from, const uint8_t *sent, size_t len, uint8_t *bytes,
                    uint64_t *sent_ns, uint64_t *stamp_ns);
    void *user;
    const struct mrc_wire_config *wire;
    uint8_t mac[2][6];                   /* of the ends */
    uint16_t path_mtu;                   /* that is wanted, bytes */
    const struct mrc_net_stamps *stamps; /* that stamp_ns was made with */
};
void mrct_preflight_plane(const struct mrct_preflight_way *way, struct mrct_preflight *result);

/* True when every line is good. */
bool mrct_preflight_good(const struct mrct_preflight *result);

/* The same between two ports of this host, whatever lies between. stamps is kept current. */
void mrct_preflight_ports(struct mrc_net_port *const port[2], const struct mrc_wire_config *wire,
                          uint16_t path_mtu, struct mrc_net_stamps *stamps,
                          struct mrct_preflight *result);

#endif
