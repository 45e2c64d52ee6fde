/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/net/clock.h"

#include <time.h>

#define NS_PER_S INT64_C(1000000000)
#define TRIES    16 /* readings of which the narrowest counts */

static int64_t read_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

uint64_t mrc_net_now_ns(void)
{
    return (uint64_t)read_ns(CLOCK_MONOTONIC);
}

void mrc_net_stamps_sync(struct mrc_net_stamps *s)
{
    int64_t best_gap = INT64_MAX, offset = 0;
    for (int i = 0; i < TRIES; i++) {
        const int64_t before = read_ns(CLOCK_MONOTONIC);
        const int64_t real = read_ns(CLOCK_REALTIME);
        const int64_t gap = read_ns(CLOCK_MONOTONIC) - before;
        if (gap < best_gap) {
            best_gap = gap;
            offset = real - before - gap / 2;
        }
    }
    if (s->syncs > 0) {
        const int64_t step = offset - s->offset_ns;
        const uint64_t size = (uint64_t)(step < 0 ? -step : step);
        s->step_ns = size > s->step_ns ? size : s->step_ns;
    }
    s->offset_ns = offset;
    s->error_ns = (uint64_t)best_gap / 2 + 1 + s->step_ns;
    s->synced_ns = mrc_net_now_ns();
    s->syncs++;
}

uint64_t mrc_net_stamps_at(struct mrc_net_stamps *s, uint32_t sec, uint32_t nsec, uint64_t now_ns)
{
    const int64_t mono = (int64_t)sec * NS_PER_S + nsec - s->offset_ns;
    s->read_count++;
    if (mono < 0 || (uint64_t)mono > now_ns)
        return now_ns;
    const uint64_t age = now_ns - (uint64_t)mono;
    s->latest_ns = age > s->latest_ns ? age : s->latest_ns;
    return (uint64_t)mono;
}
