/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z mrc,tree and the tables of conversations and endpoints. */
#include "mrc_plugin.h"

#include <epan/conversation_table.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

static int node_packets, node_requests, node_events, node_reasons, node_evs, node_rtt;

static void tree_init(stats_tree *st)
{
    node_packets = stats_tree_create_node(st, "Packets", 0, STAT_DT_INT, TRUE);
    node_requests = stats_tree_create_node(st, "Bytes of payload a request", 0, STAT_DT_INT, TRUE);
    node_events = stats_tree_create_node(st, "Events", 0, STAT_DT_INT, TRUE);
    node_reasons =
        stats_tree_create_node(st, "Retransmissions by likely reason", 0, STAT_DT_INT, TRUE);
    node_rtt = stats_tree_create_node(st, "RTT (us)", 0, STAT_DT_FLOAT, TRUE);
    node_evs = stats_tree_create_node(st, "Requests by entropy value", 0, STAT_DT_INT, TRUE);
}

static void tick(stats_tree *st, int parent, const char *parent_name, const char *name)
{
    tick_stat_node(st, parent_name, 0, TRUE);
    tick_stat_node(st, name, parent, FALSE);
}

static void tick_event(stats_tree *st, bool happened, const char *name)
{
    if (happened) {
        tick(st, node_events, "Events", name);
    }
}

static void tick_result(stats_tree *st, const struct mrc_result *r)
{
    static const char *const reasons[] = {"", "NACK", "hole in a SACK", "silence"};
    tick_event(st, r->retransmission != 0 || r->original_unseen, "Retransmissions");
    tick_event(st, r->duplicate != 0, "Same transmission again");
    tick_event(st, r->holes != NULL, "SACKs that open holes");
    tick_event(st, r->has_verdict && r->verdict == MRC_EV_SKIP, "Verdicts: skip once");
    tick_event(st, r->has_verdict && r->verdict == MRC_EV_BAD, "Verdicts: assumed bad");
    tick_event(st, r->ev_state == MRC_EV_BAD, "Packets on an assumed bad entropy value");
    if (r->retransmission != 0) {
        tick(st, node_reasons, "Retransmissions by likely reason", reasons[r->reason]);
    }
    if (r->has_rtt) {
        avg_stat_node_add_value_float(st, "RTT (us)", 0, TRUE, (gfloat)((double)r->rtt / 1000));
    }
}

static tap_packet_status tree_packet(stats_tree *st, packet_info *pinfo _U_,
                                     epan_dissect_t *edt _U_, const void *data,
                                     tap_flags_t flags _U_)
{
    const struct mrc_tap_info *const t = (const struct mrc_tap_info *)data;
    const struct mrc_packet *const p = t->packet;
    const char *const op = MRC_OP_NAME(p);
    tick(st, node_packets, "Packets", op ? op : "not decoded");
    if (p->is_request && p->have_payload_len) {
        char ev[16];
        (void)g_snprintf(ev, sizeof ev, "0x%08x", p->ev);
        avg_stat_node_add_value_int(st, "Bytes of payload a request", 0, FALSE,
                                    (gint)p->payload_len);
        tick(st, node_evs, "Requests by entropy value", ev);
    }
    tick_event(st, p->trim == 1, "Trimmed");
    tick_event(st, p->trim == 2, "Trimmed at the last hop");
    tick_event(st, p->carrier.ecn == MRC_ECN_CE, "Congestion marks");
    tick_event(st, p->error != NULL, "No acceptable MRC packet");
    if (t->result) {
        tick_result(st, t->result);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- conversations: a stream is one; the responder's QP stands for its port ---- */

static const char *address_filter(const address *a, const char *v4, const char *v6)
{
    return a->type == AT_IPv4 ? v4 : a->type == AT_IPv6 ? v6 : CONV_FILTER_INVALID;
}

static const char *conv_filter(struct _conversation_item_t *item, conv_filter_type_e filter)
{
    const address *const a = &item->src_address;
    switch ((int)filter) {
    case CONV_FT_SRC_ADDRESS:
        return address_filter(a, "ip.src", "ipv6.src");
    case CONV_FT_DST_ADDRESS:
        return address_filter(a, "ip.dst", "ipv6.dst");
    case CONV_FT_ANY_ADDRESS:
        return address_filter(a, "ip.addr", "ipv6.addr");
    case CONV_FT_SRC_PORT:
    case CONV_FT_DST_PORT:
    case CONV_FT_ANY_PORT:
        return "mrc.stream";
    default:
        return CONV_FILTER_INVALID;
    }
}
static ct_dissector_info_t conv_info = {conv_filter};

static const char *endpoint_filter(struct _endpoint_item_t *item, conv_filter_type_e filter)
{
    const address *const a = &item->myaddress;
    switch ((int)filter) {
    case CONV_FT_SRC_ADDRESS:
        return address_filter(a, "ip.src", "ipv6.src");
    case CONV_FT_DST_ADDRESS:
        return address_filter(a, "ip.dst", "ipv6.dst");
    case CONV_FT_ANY_ADDRESS:
        return address_filter(a, "ip.addr", "ipv6.addr");
    default:
        return CONV_FILTER_INVALID;
    }
}
static et_dissector_info_t endpoint_info = {endpoint_filter};

static tap_packet_status conv_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_,
                                     const void *vip, tap_flags_t flags)
{
    const struct mrc_tap_info *const t = (const struct mrc_tap_info *)vip;
    conv_hash_t *const hash = (conv_hash_t *)data;
    hash->flags = flags;
    /* Both ends show the stream's number, which a filter can name. */
    if (t->result && t->result->stream) {
        const uint32_t id = t->result->stream->id;
        add_conversation_table_data(hash, &pinfo->net_src, &pinfo->net_dst, id, id, 1,
                                    (int)pinfo->fd->pkt_len, &pinfo->rel_ts, &pinfo->abs_ts,
                                    &conv_info, CONVERSATION_UDP);
    }
    return TAP_PACKET_REDRAW;
}

static tap_packet_status endpoint_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_,
                                         const void *vip, tap_flags_t flags)
{
    const struct mrc_tap_info *const t = (const struct mrc_tap_info *)vip;
    conv_hash_t *const hash = (conv_hash_t *)data;
    hash->flags = flags;
    if (t->result && t->result->stream) {
        const uint32_t id = t->result->stream->id;
        const int len = (int)pinfo->fd->pkt_len;
        add_endpoint_table_data(hash, &pinfo->net_src, id, TRUE, 1, len, &endpoint_info,
                                ENDPOINT_UDP);
        add_endpoint_table_data(hash, &pinfo->net_dst, id, FALSE, 1, len, &endpoint_info,
                                ENDPOINT_UDP);
    }
    return TAP_PACKET_REDRAW;
}

void mrc_stats_register(int proto)
{
    register_conversation_table(proto, FALSE, conv_packet, endpoint_packet);
    stats_tree_register_plugin("mrc", "mrc", "MRC", 0, tree_packet, tree_init, NULL);
}
