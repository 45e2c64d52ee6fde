/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics, inside. */
#ifndef MRCT_STATS_STATS_PRIV_H
#define MRCT_STATS_STATS_PRIV_H

#include "harness/stats/stats.h"

#define STATS_RING 1024u /* PSNs remembered of a connection, a power of two */

#define STATS_PLOTTED 16u /* connections that have plots */
#define STATS_DRAWN   8u  /* and are drawn in a page */

/* A PSN in flight. */
struct stats_sent {
    bool used, acked;
    uint32_t psn;
    uint32_t ev;
    uint16_t ts;
    bool tsr;
    uint64_t time_ns;
};

struct stats_flow {
    char from[64], to[64];
    uint32_t dest_qp;
    int64_t reply_qp; /* the requestor's own, or -1 while unknown */
    enum mrct_tap tap;
    uint64_t first_frame, first_ns, last_ns;
    uint64_t packets, bytes, payload_bytes, new_payload_bytes, retransmitted, marked, trimmed;
    uint64_t acks, sacks, nacks, probes;
    bool have_psn;
    uint32_t psn_first, psn_high; /* of requests */
    int64_t high;                 /* psn_high, extended */
    uint64_t high_ns;
    uint64_t reorder[STATS_REORDER];      /* by distance in PSNs, new packets alone */
    uint64_t reorder_time[STATS_REORDER]; /* by time behind the highest PSN, powers of two of us */
    struct stats_rtt rtt, sack_gap;       /* sack_gap: time between SACKs */
    uint64_t last_sack_ns, requests_since_sack, requests_by_sack;
    bool have_cack;
    uint32_t cack;
    uint64_t flight_max, flight_sum,
        flight_count; /* window estimate: packets not yet acknowledged */
    struct stats_ev *evs;
    size_t ev_count, ev_room, ev_last;
    uint64_t evs_beyond;
    struct stats_change *changes;
    size_t change_count;
    uint64_t changes_beyond;
    struct stats_sent *ring;
    bool plotted; /* has plots: the first STATS_PLOTTED of a run */
    struct stats_plot sequence, rtts;
};

struct stats_key {
    uint8_t src[16], dst[16];
    uint32_t qp;
    uint8_t is_v6, control, tap, used;
    uint32_t flow; /* index */
};
#define STATS_KEYS 16384u /* a power of two */

struct mrct_stats {
    const struct mrct_facts *facts;
    struct stats_flow *flows;
    size_t flow_count, flow_room;
    uint64_t beyond; /* frames of more connections */
    struct stats_key *keys;
    size_t keys_used;
    struct stats_host *hosts;
    size_t host_count;
    struct stats_plane planes[STATS_PLANES_MAX];
    uint64_t first_ns, last_ns;
    bool any, no_memory;
};

/* ---- stats_parts.c ---- */
void mrct_rtt_add(struct stats_rtt *r, uint64_t ns);
void mrct_rtt_merge(struct stats_rtt *r, const struct stats_rtt *other);
void mrct_plot_add(struct stats_plot *p, uint64_t time_ns, int64_t value, enum stats_mark mark);
unsigned mrct_stats_bucket(uint64_t v); /* power of two that v reaches; 0 for 0 and 1 */
struct stats_ev *mrct_stats_ev(struct stats_flow *f, uint32_t ev); /* NULL beyond the most */
void mrct_stats_change(struct stats_flow *f, uint64_t time_ns, uint32_t ev, enum stats_ev_state to);

/* ---- stats_svg.c ---- */
void mrct_stats_svg_sequence(const struct stats_flow *f, FILE *out);
void mrct_stats_svg_rtt(const struct stats_flow *f, FILE *out);
void mrct_stats_svg_evs(const struct stats_flow *f, FILE *out);

double mrct_stats_goodput(const struct stats_flow *f); /* bits a second, or 0 */

#endif
