/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms, plots that thin themselves out, and EVs. */
#include "harness/stats/stats_priv.h"

#include <stdlib.h>
#include <string.h>

#define RTT_FIRST_LOG2 7u /* 128 ns */
#define EV_ROOM_FIRST  16u

/* ---- round-trip times ---- */

static unsigned log2_of(uint64_t v)
{
    return 63u - (unsigned)__builtin_clzll(v | 1);
}

/* Four buckets to a power of two. */
static unsigned rtt_bucket(uint64_t ns)
{
    const unsigned log = log2_of(ns);
    if (log < RTT_FIRST_LOG2)
        return 0;
    const unsigned quarter = (unsigned)(ns >> (log - 2)) & 3u;
    const unsigned b = (log - RTT_FIRST_LOG2) * 4 + quarter;
    return b < STATS_RTTS ? b : STATS_RTTS - 1;
}

static uint64_t bucket_top(unsigned b)
{
    const unsigned log = b / 4 + RTT_FIRST_LOG2;
    return (UINT64_C(1) << log) + ((uint64_t)(b % 4) + 1) * (UINT64_C(1) << (log - 2)) - 1;
}

void mrct_rtt_add(struct stats_rtt *r, uint64_t ns)
{
    if (r->count++ == 0 || ns < r->min_ns)
        r->min_ns = ns;
    if (ns > r->max_ns)
        r->max_ns = ns;
    r->sum_ns += ns;
    r->buckets[rtt_bucket(ns)]++;
}

void mrct_rtt_merge(struct stats_rtt *r, const struct stats_rtt *other)
{
    if (other->count == 0)
        return;
    if (r->count == 0 || other->min_ns < r->min_ns)
        r->min_ns = other->min_ns;
    if (other->max_ns > r->max_ns)
        r->max_ns = other->max_ns;
    r->count += other->count;
    r->sum_ns += other->sum_ns;
    for (unsigned i = 0; i < STATS_RTTS; i++)
        r->buckets[i] += other->buckets[i];
}

uint64_t mrct_rtt_quantile(const struct stats_rtt *r, unsigned percent)
{
    uint64_t below = 0;
    const uint64_t want = (r->count * percent + 99) / 100;
    for (unsigned i = 0; i < STATS_RTTS && r->count > 0; i++) {
        below += r->buckets[i];
        if (below >= want) {
            const uint64_t top = bucket_top(i);
            return top > r->max_ns ? r->max_ns : top < r->min_ns ? r->min_ns : top;
        }
    }
    return r->max_ns;
}

unsigned mrct_stats_bucket(uint64_t v)
{
    const unsigned b = log2_of(v);
    return b < STATS_REORDER ? b : STATS_REORDER - 1;
}

/* ---- plots ---- */

void mrct_plot_add(struct stats_plot *p, uint64_t time_ns, int64_t value, enum stats_mark mark)
{
    if (p->points == NULL) {
        p->points = calloc(STATS_POINTS_MAX, sizeof(*p->points));
        p->every = 1;
    }
    /* What is rare is what one looks for: it is never thinned out before the plot is full of it. */
    const bool rare = mark == STATS_AGAIN || mark == STATS_TRIMMED;
    if (p->points == NULL || (!rare && p->seen++ % p->every != 0))
        return;
    if (p->count == STATS_POINTS_MAX) {
        size_t kept = 0;
        for (size_t i = 0; i < p->count; i += 2)
            p->points[kept++] = p->points[i];
        p->count = kept;
        p->every *= 2;
    }
    p->points[p->count++] =
        (struct stats_point){.time_ns = time_ns, .value = value, .mark = (uint8_t)mark};
}

/* ---- EVs ---- */

static int grow(struct stats_flow *f)
{
    const size_t room = f->ev_room == 0 ? EV_ROOM_FIRST : 2 * f->ev_room;
    struct stats_ev *const more = realloc(f->evs, room * sizeof(*more));
    if (more == NULL)
        return -1;
    f->evs = more;
    f->ev_room = room;
    return 0;
}

struct stats_ev *mrct_stats_ev(struct stats_flow *f, uint32_t ev)
{
    for (size_t n = 0; n < f->ev_count; n++) { /* EVs take turns: the next one is likely it */
        const size_t i = (f->ev_last + 1 + n) % f->ev_count;
        if (f->evs[i].ev == ev) {
            f->ev_last = i;
            return &f->evs[i];
        }
    }
    if (f->ev_count == STATS_EVS_MAX || (f->ev_count == f->ev_room && grow(f) != 0)) {
        f->evs_beyond++;
        return NULL;
    }
    f->ev_last = f->ev_count;
    f->evs[f->ev_count] = (struct stats_ev){.ev = ev};
    return &f->evs[f->ev_count++];
}

void mrct_stats_change(struct stats_flow *f, uint64_t time_ns, uint32_t ev, enum stats_ev_state to)
{
    for (size_t i = f->change_count; i > 0; i--)
        if (f->changes[i - 1].ev == ev) {
            if (f->changes[i - 1].state == to)
                return;
            break;
        }
    if (f->changes == NULL)
        f->changes = calloc(STATS_STATES_MAX, sizeof(*f->changes));
    if (f->changes == NULL || f->change_count == STATS_STATES_MAX) {
        f->changes_beyond++;
        return;
    }
    f->changes[f->change_count++] =
        (struct stats_change){.time_ns = time_ns, .ev = ev, .state = to};
}
