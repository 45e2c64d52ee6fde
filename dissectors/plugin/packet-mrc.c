/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registration, and taking the place of UDP: a trimmed packet's UDP length is that of the packet as
 * sent, which the UDP dissector calls malformed, and its source port, an entropy value, often is
 * another protocol's. So datagrams to MRC's ports are taken before UDP sees them, and all others
 * are handed on.
 */
#include "mrc_plugin.h"

#include <epan/expert.h>
#include <epan/ipproto.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/tap.h>
#include <stdlib.h>
#include <string.h>
#include <ws_version.h>

struct mrc_prefs mrc_prefs = {.dscp_trimmed = 12, .dscp_trimmed_lasthop = 16, .ev_fields = ""};
struct mrc_ev_field mrc_ev_format[MRC_EV_FIELDS_MAX];
unsigned mrc_ev_format_count;

static int proto_mrc = -1, tap_mrc = -1;
static dissector_handle_t udp_handle, as_udp_handle, mrc_handle;

static bool is_mrc(tvbuff_t *tvb, packet_info *pinfo)
{
    return tvb_captured_length(tvb) > MRC_UDP_HEADER && !pinfo->fragmented &&
           !pinfo->flags.in_error_pkt && tvb_get_guint8(tvb, MRC_UDP_HEADER) >> 5 == 6 &&
           value_is_in_range(mrc_prefs.udp_ports, tvb_get_ntohs(tvb, 2)) &&
           proto_is_protocol_enabled(find_protocol_by_id(proto_mrc));
}

static const struct mrc_result *result_of(const struct mrc_packet *p, packet_info *pinfo)
{
    if (!mrc_prefs.analyse) {
        return NULL;
    }
    struct mrc_result *r =
        (struct mrc_result *)p_get_proto_data(wmem_file_scope(), pinfo, proto_mrc, 0);
    if (!r && !PINFO_FD_VISITED(pinfo) && !p->error) {
        r = mrc_analyse(p, pinfo);
        if (r) {
            p_add_proto_data(wmem_file_scope(), pinfo, proto_mrc, 0, r);
        }
    }
    return r;
}

static int dissect_mrc(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    struct mrc_packet *const p = wmem_new(pinfo->pool, struct mrc_packet);
    mrc_walk(p, tvb, pinfo);
    const struct mrc_result *const r = result_of(p, pinfo);
    pinfo->ptype = PT_UDP;
    pinfo->srcport = p->src_port;
    pinfo->destport = p->dst_port;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "MRC");
    mrc_show_info(p, r, pinfo);
    if (tree) {
        mrc_show_udp(p, tree);
        mrc_show_tree(p, r, pinfo, tree);
    }
    if (have_tap_listener(tap_mrc)) {
        struct mrc_tap_info *const t = wmem_new(pinfo->pool, struct mrc_tap_info);
        t->packet = p;
        t->result = r;
        tap_queue_packet(tap_mrc, pinfo, t);
    }
    return (int)tvb_captured_length(tvb);
}

/* A layer of its own, so that the frame's protocols say UDP, then MRC. */
static int dissect_as_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return call_dissector_only(mrc_handle, tvb, pinfo, tree, data);
}

static int dissect_carried(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return call_dissector_only(is_mrc(tvb, pinfo) ? as_udp_handle : udp_handle, tvb, pinfo, tree,
                               data);
}

/* ---- preferences ---- */

/* "plane:4,path:12": names and widths from the most significant bit on. */
static void read_ev_format(void)
{
    unsigned left = 32;
    char **const parts = g_strsplit(mrc_prefs.ev_fields, ",", MRC_EV_FIELDS_MAX);
    mrc_ev_format_count = 0;
    for (unsigned i = 0; parts[i] && mrc_ev_format_count < MRC_EV_FIELDS_MAX; i++) {
        struct mrc_ev_field *const f = &mrc_ev_format[mrc_ev_format_count];
        char *const colon = strchr(parts[i], ':');
        const unsigned width = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
        if (width < 1 || width > left) {
            break;
        }
        *colon = '\0';
        left -= width;
        (void)g_strlcpy(f->name, g_strstrip(parts[i]), sizeof f->name);
        f->shift = left;
        f->mask = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
        mrc_ev_format_count++;
    }
    g_strfreev(parts);
}

static const enum_val_t ev_readings[] = {
    {"a", "a: source port high, flow label low", 0},
    {"b", "b: flow label high, source port low", 1},
    {NULL, NULL, 0},
};
static const enum_val_t icrc_readings[] = {
    {"a", "a: the inner packet", 0},
    {"b", "b: outer and inner headers", 1},
    {NULL, NULL, 0},
};

static void register_prefs(void)
{
    module_t *const m = prefs_register_protocol(proto_mrc, read_ev_format);
    range_convert_str(wmem_epan_scope(), &mrc_prefs.udp_ports, "4791,4971", 65535);
    prefs_register_range_preference(m, "udp_ports", "UDP destination ports",
                                    "Taken as MRC where the opcode is one of MRC's (Q1)",
                                    &mrc_prefs.udp_ports, 65535);
    prefs_register_bool_preference(m, "verify_icrc", "Verify the ICRC",
                                   "Compute and compare the ICRC", &mrc_prefs.verify_icrc);
    prefs_register_enum_preference(m, "ev_reading", "Entropy value",
                                   "Which half of it goes where (Q3, Q19)", &mrc_prefs.ev_reading,
                                   ev_readings, FALSE);
    prefs_register_enum_preference(m, "icrc_reading", "ICRC in SRv6 mode", "What it covers (Q6)",
                                   &mrc_prefs.icrc_reading, icrc_readings, FALSE);
    prefs_register_string_preference(
        m, "ev_fields", "Fields of the entropy value",
        "Names and widths in bits from the most significant bit on, such as plane:4,path:12; the "
        "fields plane and path can be filtered for",
        &mrc_prefs.ev_fields);
    prefs_register_uint_preference(m, "dscp_trimmed", "DSCP of trimmed packets", "Class TRIMMED",
                                   10, &mrc_prefs.dscp_trimmed);
    prefs_register_uint_preference(m, "dscp_trimmed_lasthop",
                                   "DSCP of packets trimmed at the last hop",
                                   "Class TRIMMED_LASTHOP", 10, &mrc_prefs.dscp_trimmed_lasthop);
    mrc_prefs.relative_psn = mrc_prefs.analyse = TRUE;
    prefs_register_bool_preference(m, "relative_psn", "Relative PSNs",
                                   "Count PSNs in the Info column from the first one of the stream",
                                   &mrc_prefs.relative_psn);
    prefs_register_bool_preference(
        m, "analyse", "Analyse connections",
        "Follow retransmissions, acknowledgements, entropy values and messages",
        &mrc_prefs.analyse);
}

/* ---- registration ---- */

static void register_protocol(void)
{
    proto_mrc = proto_register_protocol("Multipath Reliable Connection", "MRC", "mrc");
    mrc_show_register(proto_mrc);
    mrc_handle = register_dissector("mrc", dissect_mrc, proto_mrc);
    register_prefs();
    register_init_routine(mrc_flows_reset);
    tap_mrc = register_tap("mrc");
    mrc_stats_register(proto_mrc);
}

static void register_handoff(void)
{
    /* Handles of protocols known by name only leave no trace among the frame's protocols. */
    static int proto_carried = -1;
    if (proto_carried < 0) {
        proto_carried = proto_register_protocol_in_name_only("MRC in the place of UDP", "MRC/UDP",
                                                             "mrc_udp", proto_mrc, FT_PROTOCOL);
    }
    udp_handle = dissector_get_uint_handle(find_dissector_table("ip.proto"), IP_PROTO_UDP);
    as_udp_handle = create_dissector_handle(dissect_as_udp, proto_get_id_by_filter_name("udp"));
    dissector_add_uint("ip.proto", IP_PROTO_UDP,
                       create_dissector_handle(dissect_carried, proto_carried));
}

WS_DLL_PUBLIC_DEF const gchar plugin_version[] = MRCT_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;
WS_DLL_PUBLIC void plugin_register(void);

void plugin_register(void)
{
    static proto_plugin plugin;
    plugin.register_protoinfo = register_protocol;
    plugin.register_handoff = register_handoff;
    proto_register_plugin(&plugin);
}
