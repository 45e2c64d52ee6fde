/* SPDX-License-Identifier: BSD-2-Clause */
/* The capture's own health: what it lacks, and what it therefore cannot prove. */
#include "harness/cli/check.h"

#include "harness/report/escape.h"
#include "harness/trace/decap.h"
#include <inttypes.h>
#include <string.h>

/* Sorting leaves frames of one time as they stand in the file, which was wrong elsewhere. */
bool mrct_health_disordered(const struct mrct_health *h)
{
    const bool guessed = h->times.backward > 0 && h->times.ties > 0;
    return h->times.late > 0 || guessed || h->order == MRCT_ORDER_STEPS;
}

bool mrct_health_lossy(const struct mrct_health *h, enum mrct_tap tap)
{
    const struct mrct_gaps *const g = &h->gaps[tap];
    return h->dropped > 0 || h->snapped > 0 || mrct_health_disordered(h) || g->missing > 0 ||
           g->cut > 0 || g->one_sided > 0;
}

void mrct_health_why(const struct mrct_health *h, enum mrct_tap tap, char *buf, size_t cap)
{
    const struct mrct_gaps *const g = &h->gaps[tap];
    if (h->dropped > 0)
        snprintf(buf, cap, "the capture lost %" PRIu64 " frames", h->dropped);
    else if (g->missing > 0)
        snprintf(buf, cap, "the capture lacks at least %" PRIu64 " requests that were acknowledged",
                 g->missing);
    else if (g->one_sided > 0)
        snprintf(buf, cap, "of a connection only one direction was captured");
    else if (mrct_health_disordered(h))
        snprintf(buf, cap, "the clock of the capture was set, or its frames are out of order");
    else
        snprintf(buf, cap, "frames are cut short in the capture");
}

static void print_order(const struct mrct_health *h, FILE *out)
{
    if (h->times.backward == 0)
        return;
    fprintf(out, "  %" PRIu64 " frames are earlier than the one before, by up to ",
            h->times.backward);
    mrct_escape_seconds(out, h->times.back_max_ns);
    fputs(h->order == MRCT_ORDER_STEPS  ? " s: the clock was set back; later times were moved"
          : h->order == MRCT_ORDER_SORT ? " s: judged in the order of their times"
                                        : " s",
          out);
    fputc('\n', out);
    if (h->order == MRCT_ORDER_SORT && h->times.ties > 0)
        fprintf(out, "  %" PRIu64 " frames have the time of another: their order is a guess\n",
                h->times.ties);
    if (h->times.late > 0)
        fprintf(out, "  %" PRIu64 " of them too late to be put in order\n", h->times.late);
}

static void print_gaps(const struct mrct_check_result *r, enum mrct_tap tap, FILE *out)
{
    const struct mrct_gaps *const g = &r->health.gaps[tap];
    if (g->missing > 0)
        fprintf(out,
                "  %s%" PRIu64 " requests were acknowledged and never asked for again, and are not "
                "in the capture (first seen in frame %" PRIu64 ")\n",
                g->more ? "more than " : "", g->missing, g->frame);
    if (g->one_sided > 0)
        fprintf(out, "  %" PRIu64 " of %" PRIu64 " connections were seen in one direction alone\n",
                g->one_sided, g->flows);
    if (g->unpaired > 0)
        fprintf(out, "  %" PRIu64 " frames belong to no connection that was seen\n", g->unpaired);
}

static void print_drops(const struct mrct_check_result *r, FILE *out)
{
    const size_t n = r->feed == NULL ? 0 : mrct_feed_iface_count(r->feed);
    for (size_t i = 0; i < n; i++) {
        const struct mrct_feed_iface *const f = mrct_feed_iface(r->feed, i);
        if (f->dropped > 0)
            fprintf(out,
                    "  interface %zu (%s): %" PRIu64 " frames were lost before they were written\n",
                    i, f->name[0] != '\0' ? f->name : f->file, f->dropped);
    }
}

static void print_merge(const struct mrct_health *h, FILE *out)
{
    if (!h->merged)
        return;
    if (!h->offset_known) {
        fputs("  no frame was seen at both points: clocks were taken as they are\n", out);
        return;
    }
    fprintf(out, "  %" PRIu64 " frames were seen at both points; the second clock is %s by ",
            h->offset_pairs, h->offset_ns > 0 ? "behind" : "ahead");
    mrct_escape_seconds(out, (uint64_t)(h->offset_ns < 0 ? -h->offset_ns : h->offset_ns));
    if (h->offset_one_way) {
        fputs(" s, or less by the way's delay: all went one way\n", out);
        return;
    }
    fputs(" s, and the way takes at least ", out);
    mrct_escape_seconds(out, h->delay_ns);
    fputs(" s\n", out);
}

bool mrct_check_unwell(const struct mrct_check_result *r)
{
    const struct mrct_health *const h = &r->health;
    uint64_t some = h->dropped + h->snapped + h->times.backward + h->merged + h->cut_file;
    for (unsigned t = 0; t < MRCT_TAPS; t++)
        some += h->gaps[t].missing + h->gaps[t].one_sided + h->gaps[t].cut + h->gaps[t].unpaired;
    for (unsigned t = 0; t < 4; t++)
        some += h->tunnelled[t];
    return some != 0 || r->stopped;
}

void mrct_check_text_health(const struct mrct_check_result *r, FILE *out)
{
    static const char *const tunnels[] = {"", "VXLAN", "GRE", "ERSPAN"};
    const struct mrct_health *const h = &r->health;
    bool lossy = false;
    fputs("\nthe capture itself\n", out);
    if (!mrct_check_unwell(r))
        fputs("  nothing shows that it lacks a frame\n", out);
    for (unsigned t = 0; t < 4; t++)
        if (h->tunnelled[t] > 0)
            fprintf(out, "  %" PRIu64 " frames came in %s\n", h->tunnelled[t], tunnels[t]);
    if (r->stopped)
        fputs("  reading was interrupted: what came later is not judged\n", out);
    if (h->cut_file)
        fputs("  a file ends inside a record\n", out);
    print_merge(h, out);
    print_drops(r, out);
    if (h->snapped > 0)
        fprintf(out, "  %" PRIu64 " MRC frames are cut short, so that their ICRC proves nothing\n",
                h->snapped);
    print_order(h, out);
    for (unsigned t = 0; t < MRCT_TAPS; t++) {
        print_gaps(r, (enum mrct_tap)t, out);
        lossy |= (r->taps >> t & 1u) != 0 && mrct_health_lossy(h, (enum mrct_tap)t);
    }
    if (lossy)
        fputs("  so what is proven by a frame that is not there is INCONCLUSIVE\n", out);
}
