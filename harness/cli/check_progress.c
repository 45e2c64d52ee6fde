/* SPDX-License-Identifier: BSD-2-Clause */
/* How far the reading is, for whoever waits at a terminal. The one place of the command that looks
 * at a clock. */
#include "harness/cli/check_run.h"

#include <inttypes.h>
#include <time.h>

#define LOOK_EVERY 16384u /* frames */
#define SHOW_NS    UINT64_C(200000000)

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void mrct_progress_begin(struct check_progress *p, FILE *out)
{
    *p = (struct check_progress){.out = out};
    if (out != NULL)
        p->start_ns = p->last_ns = clock_ns();
}

static void show(struct check_progress *p, const struct mrct_feed *feed, uint64_t now_ns)
{
    uint64_t done, total;
    const double s = (double)(now_ns - p->start_ns) / 1e9;
    mrct_feed_progress(feed, &done, &total);
    fprintf(p->out, "\r\033[K%" PRIu64 " frames, %.2f M/s", p->frames,
            s > 0 ? (double)p->frames / s / 1e6 : 0.0);
    if (total > 0 && done > 0 && done <= total)
        fprintf(p->out, ", %" PRIu64 " %%, %.0f s left", done * 100 / total,
                s * (double)(total - done) / (double)done);
    fflush(p->out);
}

void mrct_progress_frame(struct check_progress *p, const struct mrct_feed *feed)
{
    if (p->out == NULL || ++p->frames % LOOK_EVERY != 0)
        return;
    const uint64_t now_ns = clock_ns();
    if (now_ns - p->last_ns < SHOW_NS)
        return;
    p->last_ns = now_ns;
    show(p, feed, now_ns);
}

void mrct_progress_end(struct check_progress *p)
{
    if (p->out != NULL && p->last_ns != p->start_ns)
        fputs("\r\033[K", p->out);
}
