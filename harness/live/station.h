/* SPDX-License-Identifier: BSD-2-Clause */
/* A device of this process on real ports: what its NIC and driver are elsewhere. */
#ifndef MRCT_LIVE_STATION_H
#define MRCT_LIVE_STATION_H

#include "harness/dut/dut.h"
#include "ref/net/merge.h"

struct mrct_station {
    struct mrct_dut *dut; /* not owned */
    unsigned planes;
    struct mrc_net_port *const *port; /* by plane, not owned */
    const struct mrc_wire_config *wire;
    struct mrc_net_merge merge;
    uint64_t sent[MRC_EP_PORTS_MAX], got[MRC_EP_PORTS_MAX]; /* frames, by plane */
};

/* Takes what came and hands it to the device. Returns how many frames that was. */
unsigned mrct_station_take(struct mrct_station *s, uint64_t now_ns);
/* Sends what the device has for the planes of the mask, one frame each. Returns how many. */
unsigned mrct_station_give(struct mrct_station *s, uint64_t now_ns, uint64_t plane_mask);

#endif
