/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree. */
#include "mrc_plugin.h"

#include <epan/expert.h>

#include "gen/mrc_ws.h"
#include <string.h>

#define LINKS_MAX 64u /* shown per frame */

static const value_string trims[] = {
    {1, "by a switch"}, {2, "by a switch at the last hop"}, {0, NULL}};
static const value_string icrc_states[] = {
    {0, "bad"}, {1, "good"}, {2, "unverified"}, {3, "gone"}, {0, NULL}};
static const value_string ev_states[] = {
    {0, "good"}, {1, "skip once"}, {2, "assumed bad"}, {0, NULL}};
static const value_string reasons[] = {
    {1, "NACK"}, {2, "hole in a SACK"}, {3, "silence"}, {0, NULL}};

enum own {
#define OWN(id, label, name, type, base, strings, what) OWN_##id,
#include "mrc_fields.h"
#undef OWN
    OWN_COUNT
};

static int own_hf[OWN_COUNT];
static hf_register_info own_info[] = {
#define OWN(id, label, name, type, base, strings, what)                                            \
    {&own_hf[OWN_##id], {label, "mrc." name, type, base, strings, 0x0, what, HFILL}},
#include "mrc_fields.h"
#undef OWN
};

static int proto_id, proto_udp, udp_src, udp_dst, udp_port, udp_len, udp_sum;
static gint ett_mrc, ett_header, ett_ev, ett_srv6, ett_usid, ett_bitmap, ett_analysis, ett_udp;

static expert_field ei_broken, ei_error, ei_cut, ei_icrc, ei_trimmed, ei_again, ei_hole, ei_nack;

static void register_experts(int proto)
{
    static ei_register_info ei[] = {
        {&ei_broken,
         {"mrc.expert.requirement", PI_PROTOCOL, PI_WARN, "A requirement is broken", EXPFILL}},
        {&ei_error,
         {"mrc.expert.error", PI_UNDECODED, PI_ERROR, "No acceptable MRC packet", EXPFILL}},
        {&ei_cut, {"mrc.expert.cut", PI_UNDECODED, PI_NOTE, "Cut short by the capture", EXPFILL}},
        {&ei_icrc, {"mrc.expert.icrc", PI_CHECKSUM, PI_ERROR, "Wrong ICRC", EXPFILL}},
        {&ei_trimmed, {"mrc.expert.trimmed", PI_SEQUENCE, PI_NOTE, "Trimmed by a switch", EXPFILL}},
        {&ei_again, {"mrc.expert.retransmission", PI_SEQUENCE, PI_NOTE, "Retransmission", EXPFILL}},
        {&ei_hole, {"mrc.expert.hole", PI_SEQUENCE, PI_NOTE, "Holes opened", EXPFILL}},
        {&ei_nack, {"mrc.expert.nack", PI_SEQUENCE, PI_NOTE, "Refused", EXPFILL}},
    };
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}

void mrc_show_register(int proto)
{
    static gint *const ett[] = {&ett_mrc,  &ett_header, &ett_ev,       &ett_srv6,
                                &ett_usid, &ett_bitmap, &ett_analysis, &ett_udp};
    proto_id = proto;
    for (unsigned i = 0; i < array_length(ett); i++) {
        *ett[i] = -1;
    }
    for (unsigned i = 0; i < MRC_WS_FIELDS; i++) {
        mrc_ws_hf[i] = -1;
    }
    for (unsigned i = 0; i < OWN_COUNT; i++) {
        own_hf[i] = -1;
    }
    proto_register_field_array(proto, mrc_ws_info, array_length(mrc_ws_info));
    proto_register_field_array(proto, own_info, array_length(own_info));
    proto_register_subtree_array(ett, array_length(ett));
    register_experts(proto);
}

/* ---- UDP, under UDP's own fields ---- */

static void find_udp(void)
{
    proto_udp = proto_get_id_by_filter_name("udp");
    udp_src = proto_registrar_get_id_byname("udp.srcport");
    udp_dst = proto_registrar_get_id_byname("udp.dstport");
    udp_port = proto_registrar_get_id_byname("udp.port");
    udp_len = proto_registrar_get_id_byname("udp.length");
    udp_sum = proto_registrar_get_id_byname("udp.checksum");
}

void mrc_show_udp(const struct mrc_packet *p, proto_tree *tree)
{
    if (proto_udp == 0) {
        find_udp();
    }
    if (!tree || proto_udp <= 0) {
        return;
    }
    proto_item *const top = proto_tree_add_protocol_format(
        tree, proto_udp, p->tvb, 0, MRC_UDP_HEADER,
        "User Datagram Protocol, Src Port: %u, Dst Port: %u", p->src_port, p->dst_port);
    proto_tree *const udp = proto_item_add_subtree(top, ett_udp);
    proto_tree_add_item(udp, udp_src, p->tvb, 0, 2, ENC_BIG_ENDIAN);
    proto_tree_add_item(udp, udp_dst, p->tvb, 2, 2, ENC_BIG_ENDIAN);
    proto_item_set_hidden(proto_tree_add_item(udp, udp_port, p->tvb, 0, 2, ENC_BIG_ENDIAN));
    proto_item_set_hidden(proto_tree_add_item(udp, udp_port, p->tvb, 2, 2, ENC_BIG_ENDIAN));
    proto_item *const len = proto_tree_add_item(udp, udp_len, p->tvb, 4, 2, ENC_BIG_ENDIAN);
    if (p->short_of) {
        proto_item_append_text(len, " (as sent; %d bytes are left)", p->carrier.ip_end);
    }
    proto_tree_add_item(udp, udp_sum, p->tvb, 6, 2, ENC_BIG_ENDIAN);
}

/* ---- shorthands ---- */

static proto_item *put(proto_tree *tree, enum own id, uint32_t value)
{
    proto_item *const item = proto_tree_add_uint(tree, own_hf[id], NULL, 0, 0, value);
    proto_item_set_generated(item);
    return item;
}

static void put_frame(proto_tree *tree, enum own id, uint32_t frame)
{
    if (frame != 0) {
        put(tree, id, frame);
    }
}

static void put_text(proto_tree *tree, enum own id, tvbuff_t *tvb, int off, int len,
                     const char *text)
{
    proto_item_set_generated(proto_tree_add_string(tree, own_hf[id], tvb, off, len, text));
}

static void put_time(proto_tree *tree, enum own id, int64_t ns)
{
    const nstime_t t = {.secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000)};
    proto_item_set_generated(proto_tree_add_time(tree, own_hf[id], NULL, 0, 0, &t));
}

char *mrc_show_ranges(wmem_allocator_t *scope, const int32_t *list, unsigned count, uint32_t first)
{
    wmem_strbuf_t *const out = wmem_strbuf_new(scope, "");
    for (unsigned i = 0; i < count;) {
        unsigned last = i;
        while (last + 1 < count && list[last + 1] == list[last] + 1) {
            last++;
        }
        wmem_strbuf_append_printf(out, "%s%u", i > 0 ? ", " : "", mrc_psn_plus(first, list[i]));
        if (last > i) {
            wmem_strbuf_append_printf(out, "-%u", mrc_psn_plus(first, list[last]));
        }
        i = last + 1;
    }
    return wmem_strbuf_finalize(out);
}

/* ---- carrier ---- */

static void show_ev(const struct mrc_packet *p, proto_tree *tree)
{
    proto_item *const item = put(tree, OWN_EV, p->ev);
    proto_tree *const sub = mrc_ev_format_count > 0 ? proto_item_add_subtree(item, ett_ev) : tree;
    for (unsigned i = 0; i < mrc_ev_format_count; i++) {
        const struct mrc_ev_field *const f = &mrc_ev_format[i];
        const uint32_t value = p->ev >> f->shift & f->mask;
        if (strcmp(f->name, "plane") == 0) {
            put(sub, OWN_EV_PLANE, value);
        } else if (strcmp(f->name, "path") == 0) {
            put(sub, OWN_EV_PATH, value);
        } else {
            proto_tree_add_subtree_format(sub, p->tvb, 0, 0, ett_header, NULL, "%s: %u", f->name,
                                          value);
        }
        proto_item_append_text(item, ", %s %u", f->name, value);
    }
}

static void show_usids(proto_tree *sub, tvbuff_t *frame, int off)
{
    for (int i = 2; i < 8; i++) {
        if (tvb_get_ntohs(frame, off + 2 * i) != 0) {
            proto_tree_add_item(sub, own_hf[OWN_SRV6_USID], frame, off + 2 * i, 2, ENC_BIG_ENDIAN);
        }
    }
}

static void show_outer(const struct mrc_packet *p, proto_tree *tree)
{
    const struct mrc_carrier *const c = &p->carrier;
    proto_tree *const outer =
        proto_tree_add_subtree(tree, c->frame, c->outer, c->ip - c->outer, ett_srv6, NULL,
                               "SRv6, carried in an outer IPv6 header");
    proto_tree_add_item(outer, own_hf[OWN_SRV6_SRC], c->frame, c->outer + 8, 16, ENC_NA);
    proto_item *item =
        proto_tree_add_item(outer, own_hf[OWN_SRV6_DST], c->frame, c->outer + 24, 16, ENC_NA);
    show_usids(proto_item_add_subtree(item, ett_usid), c->frame, c->outer + 24);
    if (c->srh >= 0 && c->srh + 24 <= c->ip) {
        proto_tree_add_item(outer, own_hf[OWN_SRV6_LEFT], c->frame, c->srh + 3, 1, ENC_BIG_ENDIAN);
        item =
            proto_tree_add_item(outer, own_hf[OWN_SRV6_SEGMENT], c->frame, c->srh + 8, 16, ENC_NA);
        show_usids(proto_item_add_subtree(item, ett_usid), c->frame, c->srh + 8);
    }
    put(outer, OWN_SRV6_DSCP, c->inner_dscp);
    put(outer, OWN_SRV6_ECN, c->inner_ecn);
}

static void show_carrier(const struct mrc_packet *p, packet_info *pinfo, proto_tree *tree)
{
    const struct mrc_carrier *const c = &p->carrier;
    show_ev(p, tree);
    if (c->have_ip) {
        put(tree, OWN_DSCP, c->dscp);
        put(tree, OWN_ECN, c->ecn);
    }
    if (c->outer >= 0) {
        show_outer(p, tree);
    }
    if (p->trim > 0) {
        proto_item *const item = put(tree, OWN_TRIMMED, p->trim);
        if (p->short_of) {
            proto_item_append_text(item, ", %d of %d bytes are left", c->ip_end, p->udp_end);
        }
        expert_add_info(pinfo, item, &ei_trimmed);
    }
}

/* ---- headers ---- */

static void show_bitmap(const struct mrc_packet *p, packet_info *pinfo, proto_tree *tree, int off)
{
    const uint64_t bits = p->seth.sack_bitmap;
    const uint32_t base = mrc_psn_plus(p->seth.cack_psn, p->seth.sack_offset);
    int32_t arrived[64], unknown[64];
    unsigned arrived_count = 0, unknown_count = 0, drawn = 0;
    char picture[65];
    for (int i = 0; i < 64 && bits >> i != 0; i++) {
        const bool set = (bits >> i & 1) != 0;
        picture[drawn++] = set ? 'x' : '.';
        if (set) {
            arrived[arrived_count++] = i;
        } else {
            unknown[unknown_count++] = i;
        }
    }
    picture[drawn] = '\0';
    proto_item *const item = proto_tree_add_uint64_format(
        tree, own_hf[OWN_BITMAP], p->tvb, off + 20, 8, bits, "Bitmap from PSN %u: %s", base,
        drawn > 0 ? picture : "nothing");
    proto_tree *const sub = proto_item_add_subtree(item, ett_bitmap);
    put_text(sub, OWN_ARRIVED, p->tvb, off + 20, 8,
             mrc_show_ranges(pinfo->pool, arrived, arrived_count, base));
    put_text(sub, OWN_UNKNOWN, p->tvb, off + 20, 8,
             mrc_show_ranges(pinfo->pool, unknown, unknown_count, base));
    if (!p->seth.pr) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, own_hf[OWN_TRIGGER_PSN], p->tvb, off + 2, 2,
                                mrc_psn_plus(p->seth.cack_psn, p->seth.ack_psn_offset)));
    }
}

static void show_header(const struct mrc_packet *p, packet_info *pinfo, proto_tree *tree,
                        enum mrc_hdr_id id)
{
    const struct mrc_ws_header *const h = &mrc_ws_headers[id];
    const int off = p->off[id];
    proto_item *top;
    proto_tree *const sub =
        proto_tree_add_subtree(tree, p->tvb, off, mrc_hdrs[id].len, ett_header, &top, h->title);
    for (unsigned i = h->first; i < (unsigned)h->first + h->count; i++) {
        const struct mrc_ws_place *const at = &mrc_ws_places[i];
        if (at->when_bit >= 0 &&
            (tvb_get_guint8(p->tvb, off + at->when_bit / 8) >> (7 - at->when_bit % 8) & 1) !=
                at->when_value) {
            continue;
        }
        proto_tree_add_item(sub, mrc_ws_hf[i], p->tvb, off + at->byte, at->len, ENC_BIG_ENDIAN);
    }
    if (id == MRC_HDR_SETH) {
        show_bitmap(p, pinfo, sub, off);
    } else if (id == MRC_HDR_NETH) {
        expert_add_info(pinfo, top, &ei_nack);
    }
}

static void show_tail(const struct mrc_packet *p, proto_tree *tree)
{
    if (p->have_payload_len) {
        put(tree, OWN_PAYLOAD_LEN, p->payload_len);
    }
    if (p->payload >= 0) {
        proto_tree_add_item(tree, own_hf[OWN_PAYLOAD], p->tvb, p->payload, (int)p->payload_len,
                            ENC_NA);
    }
    if (p->icrc_at >= 0) {
        proto_tree_add_item(tree, own_hf[OWN_ICRC], p->tvb, p->icrc_at, 4, ENC_LITTLE_ENDIAN);
    }
    if (p->icrc_status == MRC_WS_ICRC_GOOD || p->icrc_status == MRC_WS_ICRC_BAD) {
        put(tree, OWN_ICRC_EXPECTED, p->icrc_expected);
    }
    put(tree, OWN_ICRC_STATUS, p->icrc_status);
}

struct place {
    packet_info *pinfo;
    proto_tree *tree;
};

static void show_broken(void *ctx, const char *id, const char *words)
{
    const struct place *const at = (const struct place *)ctx;
    proto_item *const item =
        proto_tree_add_string(at->tree, own_hf[OWN_REQUIREMENT], NULL, 0, 0, id);
    proto_item_set_generated(item);
    proto_item_append_text(item, ": %s", words);
    expert_add_info_format(at->pinfo, item, &ei_broken, "%s: %s", id, words);
}

static void show_errors(const struct mrc_packet *p, packet_info *pinfo, proto_tree *tree)
{
    struct place at = {pinfo, tree};
    if (p->error) {
        proto_item *const item =
            proto_tree_add_string(tree, own_hf[OWN_ERROR], NULL, 0, 0, p->error);
        proto_item_set_generated(item);
        expert_add_info_format(pinfo, item,
                               strcmp(p->error, "cut short") == 0 ? &ei_cut
                               : strcmp(p->error, "icrc") == 0    ? &ei_icrc
                                                                  : &ei_error,
                               "%s", p->error);
    }
    mrc_rules_judge(p, show_broken, &at);
}

/* ---- analysis ---- */

static void show_request(const struct mrc_result *r, proto_tree *tree)
{
    put_frame(tree, OWN_RETRANSMISSION, r->retransmission);
    if (r->retransmission != 0) {
        put_time(tree, OWN_DELAY, r->delay);
        put(tree, OWN_REASON, r->reason);
    }
    put_frame(tree, OWN_DUPLICATE, r->duplicate);
    if (r->original_unseen) {
        proto_item_set_generated(
            proto_tree_add_boolean(tree, own_hf[OWN_UNSEEN], NULL, 0, 0, TRUE));
    }
    put_frame(tree, OWN_AGAIN_IN, r->send->again_in);
    put_frame(tree, OWN_ACKED_IN, r->data->acked);
    if (r->data->acked != 0) {
        put_time(tree, OWN_ACKED_TIME, r->data->acked_now - r->send->now);
    }
    put_frame(tree, OWN_NACKED_IN, r->send->nacked_in);
    if (r->message) {
        put_frame(tree, OWN_MESSAGE_FIRST, r->message->first);
        put_frame(tree, OWN_MESSAGE_LAST, r->message->last);
        if (r->has_offset) {
            put(tree, OWN_MESSAGE_OFFSET, r->offset);
        }
        put(tree, OWN_MESSAGE_LENGTH, r->message->len);
    }
}

static struct mrc_data *data_of(const struct mrc_result *r, int32_t rel)
{
    return (struct mrc_data *)wmem_map_lookup(r->stream->pkts, GINT_TO_POINTER(rel));
}

static void show_acked(const struct mrc_result *r, packet_info *pinfo, proto_tree *tree)
{
    const unsigned count = wmem_array_get_count(r->acked);
    const int32_t *const list = (const int32_t *)wmem_array_get_raw(r->acked);
    put(tree, OWN_NEWLY_ACKED, count);
    put_text(tree, OWN_NEWLY_ACKED_PSNS, NULL, 0, 0,
             mrc_show_ranges(pinfo->pool, list, count, r->stream->first));
    for (unsigned i = 0; i < count && i < LINKS_MAX; i++) {
        put_frame(tree, OWN_ACKS_FRAME, data_of(r, list[i])->last->frame);
    }
}

static void show_holes(const struct mrc_result *r, proto_tree *tree)
{
    const unsigned count = wmem_array_get_count(r->holes);
    const int32_t *const list = (const int32_t *)wmem_array_get_raw(r->holes);
    put(tree, OWN_HOLES, count);
    for (unsigned i = 0; i < count && i < LINKS_MAX; i++) {
        put(tree, OWN_HOLE, mrc_psn_plus(r->stream->first, list[i]));
        put_frame(tree, OWN_HOLE_FRAME, data_of(r, list[i])->first->frame);
    }
}

static void show_report(const struct mrc_result *r, packet_info *pinfo, proto_tree *tree)
{
    put_frame(tree, OWN_TRIGGER, r->trigger);
    if (r->has_rtt) {
        put_time(tree, OWN_RTT, r->rtt);
    }
    put_frame(tree, OWN_ANSWERED_IN, r->asked ? r->asked->answered : 0);
    put_frame(tree, OWN_ANSWERS, r->answers);
    if (r->has_answer_time) {
        put_time(tree, OWN_ANSWER_TIME, r->answer_time);
    }
    if (r->ev_state != MRC_EV_GOOD) {
        put(tree, OWN_EV_STATE, r->ev_state);
        put_frame(tree, OWN_EV_TOLD_IN, r->ev_told_in);
    }
    if (r->has_verdict) {
        put(tree, OWN_EV_VERDICT, r->verdict);
    }
    if (r->acked) {
        show_acked(r, pinfo, tree);
    }
    if (r->holes) {
        show_holes(r, tree);
    }
    if (r->filled > 0) {
        put(tree, OWN_HOLES_FILLED, r->filled);
    }
}

static void show_analysis(const struct mrc_packet *p, const struct mrc_result *r,
                          packet_info *pinfo, proto_tree *tree)
{
    proto_item *item;
    proto_tree *const sub =
        proto_tree_add_subtree(tree, p->tvb, 0, 0, ett_analysis, &item, "Analysis");
    proto_item_set_generated(item);
    if (r->has_rel) {
        proto_item_set_generated(proto_tree_add_int(sub, own_hf[OWN_REL_PSN], NULL, 0, 0, r->rel));
    }
    if (r->data) {
        show_request(r, sub);
    }
    show_report(r, pinfo, sub);
    if (r->has_in_flight) {
        put(sub, OWN_IN_FLIGHT, r->in_flight);
    }
    if (r->retransmission != 0 || r->original_unseen) {
        expert_add_info(pinfo, item, &ei_again);
    }
    if (r->holes) {
        expert_add_info(pinfo, item, &ei_hole);
    }
}

void mrc_show_tree(const struct mrc_packet *p, const struct mrc_result *r, packet_info *pinfo,
                   proto_tree *tree)
{
    proto_item *const top = proto_tree_add_item(tree, proto_id, p->tvb, MRC_UDP_HEADER, -1, ENC_NA);
    proto_tree *const sub = proto_item_add_subtree(top, ett_mrc);
    if (MRC_OP_NAME(p)) {
        proto_item_append_text(top, ", %s", MRC_OP_NAME(p));
    }
    if (r && r->stream) {
        put(sub, OWN_STREAM, r->stream->id);
    }
    show_carrier(p, pinfo, sub);
    for (unsigned id = MRC_HDR_BTH; id < MRC_HDR_COUNT; id++) {
        if ((p->present >> id & 1) != 0) {
            show_header(p, pinfo, sub, (enum mrc_hdr_id)id);
        }
    }
    show_tail(p, sub);
    show_errors(p, pinfo, sub);
    if (r) {
        show_analysis(p, r, pinfo, sub);
    }
}
