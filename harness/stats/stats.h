/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of a capture: per connection, EV, plane and host. Memory is bounded by the number of
 * connections: reservoirs and histograms instead of lists, and rings of what is in flight.
 *
 * A connection is one direction of a QP: requests to one QP of one host, and the control packets
 * that answer them. Control packets name the requestor's QP, so they are joined to the connection
 * between the same hosts whose PSNs they speak of.
 */
#ifndef MRCT_STATS_STATS_H
#define MRCT_STATS_STATS_H

#include "harness/trace/facts.h"
#include "harness/trace/obs.h"
#include <jansson.h>
#include <stdio.h>

#define STATS_FLOWS_MAX  4096u /* more are counted together */
#define STATS_EVS_MAX    256u  /* of a connection */
#define STATS_HOSTS_MAX  1024u
#define STATS_PLANES_MAX 8u
#define STATS_POINTS_MAX 2048u /* of a plot; thinned out evenly beyond */
#define STATS_STATES_MAX 256u  /* changes of state of EVs, of a connection */
#define STATS_REORDER    16u   /* buckets of powers of two */
#define STATS_RTTS       64u   /* buckets of a quarter of a power of two, from 128 ns on */

/* Round-trip times in buckets: a quantile is right within 19 per cent. */
struct stats_rtt {
    uint64_t count, min_ns, max_ns, sum_ns;
    uint32_t buckets[STATS_RTTS];
};
uint64_t mrct_rtt_quantile(const struct stats_rtt *r, unsigned percent); /* ns; 0 without any */

struct stats_ev {
    uint32_t ev;
    uint64_t packets, bytes, retransmitted; /* sent again by this EV */
    uint64_t lost;                          /* sent by it, and sent again by whichever */
    uint64_t marked, trimmed, skips;        /* CE seen or told of; skips: SACKs that say so */
    struct stats_rtt rtt;
};

/* Why an EV is avoided, as far as packets tell. */
enum stats_ev_state { STATS_EV_GOOD, STATS_EV_SKIP, STATS_EV_LOST, STATS_EV_TRIMMED };
struct stats_change {
    uint64_t time_ns;
    uint32_t ev;
    enum stats_ev_state state;
};

enum stats_mark { STATS_SENT, STATS_AGAIN, STATS_TRIMMED, STATS_CACK, STATS_RTT };
struct stats_point {
    uint64_t time_ns;
    int64_t value; /* PSN, extended; or ns */
    uint8_t mark;  /* enum stats_mark */
};
/* Points of a plot; when full, every other one goes and only every 2^n th is taken. */
struct stats_plot {
    struct stats_point *points;
    size_t count;
    uint64_t every, seen;
};

struct stats_flow;

struct stats_host {
    char name[64];
    uint64_t packets, bytes; /* sent */
};
struct stats_plane {
    uint64_t packets, bytes, retransmitted, marked, trimmed;
};

struct mrct_stats;
struct mrct_stats *mrct_stats_new(const struct mrct_facts *facts);
void mrct_stats_free(struct mrct_stats *s); /* NULL is allowed */
void mrct_stats_frame(struct mrct_stats *s, const struct mrct_obs *obs, enum mrct_tap tap);
/* Takes over what another of the same run saw of other hosts. Returns 0, or -1 when memory fails.
 */
int mrct_stats_merge(struct mrct_stats *s, struct mrct_stats *other);

/* After the last frame and merge: puts hosts in the order of their names. */
void mrct_stats_end(struct mrct_stats *s);

/* All of it as JSON; NULL when memory fails. */
json_t *mrct_stats_json(const struct mrct_stats *s);
/* A table a kind of row: kind,name,... with one header line. */
void mrct_stats_csv(const struct mrct_stats *s, FILE *out);
void mrct_stats_text(const struct mrct_stats *s, FILE *out);
/* Parts of a page: tables, and plots as inline SVG. */
void mrct_stats_html(const struct mrct_stats *s, FILE *out);

#endif
