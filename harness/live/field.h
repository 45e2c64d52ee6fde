/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a case is played when a device has ports of its own: the fabric stands between interfaces
 * that lead to such devices and those of this process, and time is the real one. Nothing here waits
 * for a device but by time, so what is judged by exact time cannot be judged here.
 */
#ifndef MRCT_LIVE_FIELD_H
#define MRCT_LIVE_FIELD_H

#include "harness/dut/dut.h"
#include "harness/fabric/fabric.h"

/* How far times as the taps see them may be from those of a device that is not delayed. */
#define MRCT_FIELD_CLOCK_ERROR_NS UINT64_C(500000)

struct mrct_field;

struct mrct_field_config {
    /* By host, plane: the interface of this machine that leads to the device's port; planes of
     * them. 0 planes: the host's device is in this process. */
    const char *ifname[2][MRC_EP_PORTS_MAX];
    unsigned planes[2];
};

/* NULL with a sentence in err. */
struct mrct_field *mrct_field_new(const struct mrct_field_config *cfg, char *err, size_t err_cap);
void mrct_field_free(struct mrct_field *f); /* NULL is fine */

/* The rest are what a stage of a run is made of (harness/cases/run.h). dut: those of hosts in this
 * process are driven here. */
int mrct_field_enter(struct mrct_field *f, struct mrct_fab *fab, unsigned planes,
                     const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                     size_t err_cap);
/* Ends when nothing is due and nothing has moved for quiet_ns, or for a moment where the devices
 * say that they wait for nothing (a deadline of MRC_TIME_NEVER); or at limit_ns. */
uint64_t mrct_field_play(struct mrct_field *f, uint64_t limit_ns, uint64_t quiet_ns,
                         void (*step)(void *run, uint64_t now_ns), void *run, char *err,
                         size_t err_cap);

/* How long after a frame had come at most it was shown to the tap, in the case that is on. */
uint64_t mrct_field_late(const struct mrct_field *f);
/* Frames that passed so far, and those that were no MRC and had nowhere to go. */
uint64_t mrct_field_frames(const struct mrct_field *f);

#endif
