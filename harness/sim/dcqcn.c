/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/sim/dcqcn.h"

#include <stdbool.h>

#define TIMER_NS UINT64_C(55000) /* of alpha and of the rate */
#define GAIN     (1.0 / 256)
#define RECOVERY 5u /* raises that only halve the way back */
/* The paper's steps are for 40 Gb/s: as shares of the line rate. */
#define ADDITIVE (40e6 / 40e9)
#define HYPER    (400e6 / 40e9)
#define LEAST    (1.0 / 4000) /* of the line rate */
#define NOTHING  1e-6

void dcqcn_init(struct dcqcn *d, double line_bps)
{
    *d = (struct dcqcn){.line = line_bps,
                        .current = line_bps,
                        .target = line_bps,
                        .alpha = 1,
                        .alpha_ns = UINT64_MAX,
                        .raise_ns = UINT64_MAX};
}

static void raise(struct dcqcn *d)
{
    d->raises++;
    if (d->raises > 2 * RECOVERY)
        d->target += HYPER * d->line;
    else if (d->raises > RECOVERY)
        d->target += ADDITIVE * d->line;
    d->target = d->target < d->line ? d->target : d->line;
    d->current = (d->target + d->current) / 2;
    if (d->line - d->current < NOTHING * d->line)
        d->current = d->line;
}

void dcqcn_advance(struct dcqcn *d, uint64_t now_ns)
{
    while (d->alpha_ns <= now_ns) {
        d->alpha *= 1 - GAIN;
        d->alpha_ns = d->alpha > NOTHING ? d->alpha_ns + TIMER_NS : UINT64_MAX;
    }
    while (d->raise_ns <= now_ns) {
        raise(d);
        d->raise_ns = d->current < d->line ? d->raise_ns + TIMER_NS : UINT64_MAX;
    }
}

void dcqcn_cnp(struct dcqcn *d, uint64_t now_ns)
{
    dcqcn_advance(d, now_ns);
    d->target = d->current;
    d->current *= 1 - d->alpha / 2;
    if (d->current < LEAST * d->line)
        d->current = LEAST * d->line;
    d->alpha = (1 - GAIN) * d->alpha + GAIN;
    d->raises = 0;
    d->alpha_ns = d->raise_ns = now_ns + TIMER_NS;
}
