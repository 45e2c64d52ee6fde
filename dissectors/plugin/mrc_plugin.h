/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The MRC dissector as a plugin of Wireshark. Its parts, in the order in which a packet passes:
 * carrier (IP headers, entropy value, ICRC), walk (bytes to values), rules (requirements that a
 * frame alone breaks), flows and analysis (what the capture teaches), show (tree, Info column) and
 * stats. dissectors/lua/ has the same parts and must say the same; a test compares them.
 */
#ifndef MRC_PLUGIN_H
#define MRC_PLUGIN_H

/* Before the generated header, which shares no name with it. */
#include <wireshark.h>

#include <epan/packet.h>

#include "gen/mrc_wire.h"

#define MRC_UDP_HEADER 8u

struct mrc_prefs {
    range_t *udp_ports;
    gboolean verify_icrc;
    gint ev_reading;   /* 0: a, 1: b (Q3) */
    gint icrc_reading; /* 0: a, 1: b (Q6) */
    const char *ev_fields;
    guint dscp_trimmed;
    guint dscp_trimmed_lasthop;
    gboolean relative_psn;
    gboolean analyse;
};
extern struct mrc_prefs mrc_prefs;

#define MRC_EV_FIELDS_MAX 16u
struct mrc_ev_field {
    char name[32];
    unsigned shift;
    uint32_t mask;
};
extern struct mrc_ev_field mrc_ev_format[MRC_EV_FIELDS_MAX];
extern unsigned mrc_ev_format_count;

/* ---- carrier ---- */

/* Offsets are the frame's, but for ip_end and wire_len, which count from the UDP header. */
struct mrc_carrier {
    tvbuff_t *frame;    /* NULL: the bytes before the datagram are not known */
    int base;           /* of the UDP header */
    int ip, outer, srh; /* -1: not there */
    int ip_end, wire_len;
    bool is_v6, have_ip;
    uint32_t flow_label;
    uint8_t dscp, ecn, inner_dscp, inner_ecn;
};

void mrc_carrier_read(struct mrc_carrier *c, tvbuff_t *tvb, packet_info *pinfo);
uint32_t mrc_carrier_ev(const struct mrc_carrier *c, uint16_t src_port);
/* The ICRC that belongs at end (in the frame), read little-endian. */
uint32_t mrc_carrier_icrc(const struct mrc_carrier *c, int end);

/* ---- walk ---- */

enum mrc_icrc_status {
    MRC_WS_ICRC_BAD,
    MRC_WS_ICRC_GOOD,
    MRC_WS_ICRC_UNVERIFIED,
    MRC_WS_ICRC_GONE
};

struct mrc_packet {
    struct mrc_carrier carrier;
    tvbuff_t *tvb;  /* from the UDP header on */
    uint32_t frame; /* number */
    uint32_t ev;
    uint16_t src_port, dst_port;
    int udp_end, pos, limit, cap;
    unsigned trim; /* 0 no, 1 trimmed, 2 at the last hop */
    bool short_of; /* trimmed, and shorter than sent */
    bool is_request;
    bool have_payload_len;
    uint32_t payload_len;
    int payload; /* offset, or -1 */
    enum mrc_icrc_status icrc_status;
    int icrc_at; /* -1: none */
    uint32_t icrc, icrc_expected;
    const char *error;      /* NULL: none */
    uint32_t present;       /* bit 1 << MRC_HDR_x */
    int off[MRC_HDR_COUNT]; /* in tvb */
    struct mrc_bth bth;
    struct mrc_meth meth;
    struct mrc_tseth tseth;
    struct mrc_reth reth;
    struct mrc_immdt immdt;
    struct mrc_aeth aeth;
    struct mrc_seth seth;
    struct mrc_cc_state cc_state;
    struct mrc_neth neth;
    struct mrc_peth peth;
    struct mrc_erth erth;
    struct mrc_eeth eeth;
};
#define MRC_HAS(p, HDR) (((p)->present & (UINT32_C(1) << MRC_HDR_##HDR)) != 0)
/* The endpoint headers share their op. */
#define MRC_OP_NAME(p) (MRC_HAS(p, BTH) ? mrc_opcode_str((p)->bth.opcode) : NULL)

void mrc_walk(struct mrc_packet *p, tvbuff_t *tvb, packet_info *pinfo);

/* ---- rules ---- */

typedef void (*mrc_rule_found)(void *ctx, const char *id, const char *words);
/* Calls found for each requirement that the frame alone breaks; words live until it returns. */
void mrc_rules_judge(const struct mrc_packet *p, mrc_rule_found found, void *ctx);

/* ---- flows ---- */

enum mrc_ev_state { MRC_EV_GOOD, MRC_EV_SKIP, MRC_EV_BAD };

struct mrc_send {
    struct mrc_send *before;
    uint32_t frame, again_in, nacked_in; /* 0: none */
    int64_t now;                         /* ns */
    uint32_t ev;
    uint8_t rtx;
    bool has_ts;
    uint16_t ts;
};

struct mrc_data { /* a packet of a stream, by its PSN */
    struct mrc_send *first, *last;
    uint32_t acked; /* frame, or 0 */
    int64_t acked_now;
    bool out, hole, nacked;
};

struct mrc_message {
    uint32_t first, last; /* frames */
    int32_t rel;
    uint64_t va;
    uint32_t len;
};

struct mrc_told {
    enum mrc_ev_state state;
    uint32_t frame;
};

struct mrc_asked { /* a probe or an Endpoint Request */
    uint32_t frame, answered;
    int64_t now;
    uint16_t ts;
};

struct mrc_stream {
    struct mrc_stream *next; /* of the same pair of hosts */
    uint32_t id, asker, answerer, qpn;
    int64_t peer_qpn; /* -1: not learned */
    uint64_t key, peer_key;
    bool has_first, has_top, has_cack, has_strange;
    uint32_t first, strange;
    int32_t top, low, cack; /* relative */
    wmem_map_t *pkts, *msgs, *evs, *probes;
    uint32_t in_flight;
};

struct mrc_flows;
void mrc_flows_reset(void);
uint32_t mrc_flows_host(const address *a);
int32_t mrc_psn_less(uint32_t a, uint32_t b);
uint32_t mrc_psn_plus(uint32_t psn, int32_t n);
int32_t mrc_stream_rel(const struct mrc_stream *s, uint32_t psn);
struct mrc_stream *mrc_flows_request(uint32_t asker, uint32_t answerer, uint32_t qpn, uint32_t psn);
struct mrc_stream *mrc_flows_probe(uint32_t asker, uint32_t answerer, uint32_t qpn);
/* spdcid and probe_id: -1 where the packet has none. */
struct mrc_stream *mrc_flows_control(uint32_t from, uint32_t to, uint32_t qpn, uint32_t psn,
                                     int32_t spdcid, int32_t probe_id);
struct mrc_asked *mrc_flows_asked(uint32_t asker, uint32_t answerer, uint32_t id, bool make);

/* ---- analysis ---- */

struct mrc_result {
    struct mrc_stream *stream;
    uint32_t frame;
    int64_t now;
    bool has_rel, has_in_flight, has_offset, has_rtt, has_answer_time, original_unseen;
    bool has_verdict;
    int32_t rel;
    struct mrc_data *data;
    struct mrc_send *send;
    uint32_t retransmission, duplicate, trigger, answers; /* frames, 0: none */
    int64_t delay, rtt, answer_time;                      /* ns */
    unsigned reason;
    uint32_t in_flight;
    struct mrc_message *message;
    uint32_t offset;
    enum mrc_ev_state ev_state, verdict;
    uint32_t ev_told_in;
    struct mrc_asked *asked;
    wmem_array_t *acked, *holes; /* of int32_t; NULL: none */
    uint32_t filled;
};

/* What the analysis makes of the frame, once; NULL when it has nothing to say. */
struct mrc_result *mrc_analyse(const struct mrc_packet *p, packet_info *pinfo);

/* ---- show ---- */

void mrc_show_register(int proto);
void mrc_show_udp(const struct mrc_packet *p, proto_tree *tree);
void mrc_show_tree(const struct mrc_packet *p, const struct mrc_result *r, packet_info *pinfo,
                   proto_tree *tree);
void mrc_show_info(const struct mrc_packet *p, const struct mrc_result *r, packet_info *pinfo);
/* PSN ranges of a sorted list: "1-3, 5"; in the packet's memory. mask: of the PSNs, or 0. */
char *mrc_show_ranges(wmem_allocator_t *scope, const int32_t *list, unsigned count, uint32_t first);

/* ---- stats ---- */

struct mrc_tap_info {
    const struct mrc_packet *packet;
    const struct mrc_result *result; /* or NULL */
};
void mrc_stats_register(int proto);

#endif
