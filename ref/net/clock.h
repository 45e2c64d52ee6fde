/* SPDX-License-Identifier: BSD-2-Clause */
/* The one clock of the suite: what the endpoint is told as the time when real frames move. */
#ifndef MRC_NET_CLOCK_H
#define MRC_NET_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in ns: never goes back, is not set by anybody. */
uint64_t mrc_net_now_ns(void);

/*
 * The kernel stamps frames with the time of day. This is what turns such a stamp into a time of
 * mrc_net_now_ns(), and how wrong the result may be.
 */
struct mrc_net_stamps {
    int64_t offset_ns;   /* time of day less monotonic time */
    uint64_t error_ns;   /* half the narrowest interval in which both were read, plus drift */
    uint64_t synced_ns;  /* when that was last measured */
    uint64_t step_ns;    /* largest change of the offset between two measurements */
    uint64_t syncs;      /* measurements made */
    uint64_t latest_ns;  /* longest time from a frame's stamp until it was read */
    uint64_t read_count; /* frames whose stamp was looked at */
};

/* Measures the offset anew; some 2 us. Call it now and then: the time of day is slewed. */
void mrc_net_stamps_sync(struct mrc_net_stamps *s);

/* A stamp in monotonic ns; one that lies in the future of now_ns becomes now_ns. */
uint64_t mrc_net_stamps_at(struct mrc_net_stamps *s, uint32_t sec, uint32_t nsec, uint64_t now_ns);

#endif
