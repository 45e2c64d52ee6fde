/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a line does not say of a packet that the harness sends: the carrier, and what an honest peer
 * would put there. Then the line's own items are laid over it (script_wire.c).
 */
#include "harness/cases/script_priv.h"

#include <string.h>

#define HDR(h)      (UINT32_C(1) << MRC_HDR_##h)
#define NODE_QPN    2u
#define RCVD_UNIT   256u
#define IMM_DEFAULT 0x1000u

uint8_t mrct_script_pattern(unsigned n, uint64_t offset)
{
    return (uint8_t)(offset * 31 + (offset >> 8) * 7 + (uint64_t)n * 59 + 17);
}

unsigned mrct_play_plane(const struct mrct_script_line *line)
{
    for (size_t i = 0; i < line->item_count; i++) {
        if (line->items[i].kind == MRCT_ITEM_PLANE) {
            return (unsigned)line->items[i].lo;
        }
    }
    return 0;
}

static const struct mrct_script_item *find(const struct mrct_script_line *line,
                                           enum mrct_item_kind kind, const char *field)
{
    for (size_t i = line->item_count; i > 0; i--) {
        const struct mrct_script_item *const it = &line->items[i - 1];
        if (it->kind == kind && (kind != MRCT_ITEM_FIELD || strcmp(it->field->name, field) == 0)) {
            return it;
        }
    }
    return NULL;
}

/* The value that the line gives a field, on the wire; false when it gives none. */
static bool given(struct mrct_player *p, const struct mrct_script_line *line, const char *field,
                  uint32_t k, uint64_t *value)
{
    const struct mrct_script_item *const i = find(line, MRCT_ITEM_FIELD, field);
    if (k > 0 && strcmp(field, "reth.va") == 0) {
        return false; /* of "x8" the first is told where to go, the others go on behind it */
    }
    return i != NULL && mrct_play_value(p, line, i, p->w.host, i->lo, k, value);
}

/* ---- carrier ---- */

static bool is_request(int opcode)
{
    return mrc_op_is_write((uint8_t)opcode) || opcode == MRC_OP_PROBE ||
           opcode == MRC_OP_EP_REQUEST;
}

static uint32_t next_ev(struct mrct_player *p, unsigned plane)
{
    const unsigned n = p->w.evs_per_plane[p->w.host];
    const unsigned i = p->ev_next[plane]++ % (n > 0 ? n : 1);
    return p->w.evs[p->w.host] != NULL && n > 0 ? p->w.evs[p->w.host][plane * n + i].value
                                                : 0xC0000000u + i;
}

static void set_ip(struct mrct_player *p, const struct mrc_addr *from, const struct mrc_addr *to,
                   uint32_t label, struct mrc_pkt *pkt)
{
    pkt->is_v6 = from->is_v6;
    if (from->is_v6) {
        pkt->present |= HDR(IPV6);
        pkt->ip6 = (struct mrc_ipv6){
            .version = 6, .dscp = pkt->dscp, .ecn = pkt->ecn, .flow_label = label, .hop_limit = 64};
        memcpy(pkt->ip6.src, from->ip, sizeof pkt->ip6.src);
        memcpy(pkt->ip6.dst, to->ip, sizeof pkt->ip6.dst);
        return;
    }
    pkt->present |= HDR(IPV4);
    pkt->ip4 = (struct mrc_ipv4){
        .version = 4, .ihl = 5, .dscp = pkt->dscp, .ecn = pkt->ecn, .flags = 2, .ttl = 64};
    memcpy(pkt->ip4.src, from->ip, sizeof pkt->ip4.src);
    memcpy(pkt->ip4.dst, to->ip, sizeof pkt->ip4.dst);
    (void)p;
}

static bool set_carrier(struct mrct_player *p, const struct mrct_script_line *line,
                        struct mrc_pkt *pkt)
{
    const unsigned plane = mrct_play_plane(line);
    const struct mrc_addr *const from = &p->w.addr[p->w.host][plane];
    const struct mrc_addr *const to = &p->w.addr[1 - p->w.host][plane];
    const struct mrct_script_item *const ev = find(line, MRCT_ITEM_EV, NULL);
    const struct mrct_script_item *const dscp = find(line, MRCT_ITEM_DSCP, NULL);
    const struct mrct_script_item *const ecn = find(line, MRCT_ITEM_ECN, NULL);
    const struct mrct_script_item *const other = find(line, MRCT_ITEM_FROM_IP6, NULL);
    const bool request = is_request(line->name);
    memcpy(pkt->eth.src, from->mac, sizeof pkt->eth.src);
    memcpy(pkt->eth.dst, to->mac, sizeof pkt->eth.dst);
    pkt->present = HDR(ETH) | HDR(UDP) | HDR(BTH);
    if (p->w.vlan) {
        pkt->present |= HDR(VLAN);
        pkt->vlan_count = 1;
        pkt->vlan[0].tci = p->w.vlan_tci;
    }
    uint64_t v = 0;
    if (ev == NULL) {
        v = next_ev(p, plane);
    } else if (!mrct_play_value(p, line, ev, p->w.host, ev->lo, 0, &v)) {
        return false;
    }
    uint32_t label = 0;
    pkt->ev = (uint32_t)v;
    mrc_ev_to_fields(&p->w.wire, pkt->ev, &pkt->udp.src_port, &label);
    pkt->udp.dst_port = p->w.dest_port;
    const enum mrc_dscp_class class = !request         ? MRC_DSCP_CONTROL
                                      : p->w.trimmable ? MRC_DSCP_TRIMMABLE
                                                       : MRC_DSCP_NO_TRIM;
    pkt->dscp = dscp != NULL ? (uint8_t)dscp->lo : p->w.wire.dscp[class];
    pkt->ecn = ecn != NULL ? (uint8_t)ecn->lo : request && p->w.ecn ? 2 : 0;
    struct mrc_addr source = *from;
    if (other != NULL) {
        source.ip[source.is_v6 ? 15 : 3] = (uint8_t)other->lo;
    }
    set_ip(p, &source, to, label, pkt);
    pkt->bth.pkey = 0xFFFF;
    pkt->bth.opcode = (uint8_t)line->name;
    return true;
}

static uint16_t stamp(const struct mrct_player *p)
{
    return (uint16_t)(p->now_ns / 128);
}

/* ---- requests ---- */

static int64_t relative(const struct mrct_player *p, unsigned host, unsigned qp, uint64_t psn)
{
    return mrc_psn_diff((uint32_t)psn, p->w.start_psn[host][qp]);
}

/* Length and address of a packet of a message, from where its PSN stands in it. */
static void set_part(struct mrct_player *p, struct mrct_play_qp *q, int name, int64_t psn,
                     struct mrct_sent *s)
{
    const int64_t mtu = p->w.path_mtu;
    const bool single = name == MRC_OP_WRITE_ONLY || name == MRC_OP_WRITE_ONLY_IMM;
    if (single || name == MRC_OP_WRITE_FIRST) {
        s->len = (uint32_t)mtu;
        s->dma = single ? s->len : (uint32_t)(2 * mtu);
        s->va = q->va_next;
        return;
    }
    const int64_t off = (psn - q->msg_first) * mtu;
    const int64_t left = q->msg_dma - off;
    s->dma = q->msg_dma;
    s->va = q->msg_va + off;
    s->len = (uint32_t)(name == MRC_OP_WRITE_MIDDLE || left > mtu || left < 1 ? mtu : left);
}

/* What the line says of the same. */
static void take_given(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                       struct mrct_sent *s)
{
    const struct mrct_script_item *const len = find(line, MRCT_ITEM_LEN, NULL);
    const struct mrct_script_item *const data = find(line, MRCT_ITEM_DATA, NULL);
    const bool single = line->name == MRC_OP_WRITE_ONLY || line->name == MRC_OP_WRITE_ONLY_IMM;
    uint64_t v = 0;
    if (len != NULL) {
        s->len = (uint32_t)len->lo;
        s->dma = single ? s->len : s->dma;
    }
    if (given(p, line, "reth.dma_len", k, &v)) {
        s->dma = (uint32_t)v;
    }
    if (given(p, line, "reth.va", k, &v)) {
        s->va = (int64_t)(v - p->w.target[1 - p->w.host].va);
    }
    if (given(p, line, "meth.msn", k, &v)) {
        s->msn = (uint16_t)v;
    }
    if (given(p, line, "meth.rqmsn", k, &v)) {
        s->rqmsn = (uint16_t)v;
    }
    if (given(p, line, "immdt.imm", k, &v)) {
        s->imm = (uint32_t)v;
    }
    s->pattern = data != NULL ? (unsigned)data->lo : s->pattern;
}

static bool has_imm(int name)
{
    return name == MRC_OP_WRITE_LAST_IMM || name == MRC_OP_WRITE_ONLY_IMM;
}

/* The flow goes on behind a packet that it has not had before. */
static void go_on(struct mrct_player *p, struct mrct_play_qp *q, int name, int64_t psn,
                  const struct mrct_sent *s)
{
    const bool begins =
        name == MRC_OP_WRITE_FIRST || name == MRC_OP_WRITE_ONLY || name == MRC_OP_WRITE_ONLY_IMM;
    if (name == MRC_OP_WRITE_FIRST) {
        q->msg_first = psn;
        q->msg_va = s->va;
        q->msg_dma = s->dma;
    }
    if (begins) {
        const uint64_t room = p->w.target[1 - p->w.host].len_bytes;
        const int64_t next = s->va + s->dma;
        q->va_next = next >= 0 && (uint64_t)next + p->w.path_mtu <= room ? next : 0;
    }
    if (psn >= q->next_psn) {
        q->next_psn = psn + 1;
    }
    q->msn = (uint16_t)(q->msn + (name >= MRC_OP_WRITE_LAST));
    q->rqmsn = (uint16_t)(q->rqmsn + has_imm(name));
}

static bool set_payload(struct mrct_player *p, const struct mrct_sent *s, struct mrc_pkt *pkt)
{
    if (s->len > MRC_PAYLOAD_MAX) {
        return false;
    }
    uint8_t *const bytes = mrct_pool_alloc(&p->pool, s->len + 1u);
    if (bytes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < s->len; i++) {
        bytes[i] = mrct_script_pattern(s->pattern, (uint64_t)s->va + i);
    }
    pkt->payload = s->len > 0 ? bytes : NULL;
    pkt->payload_len = s->len;
    return true;
}

static bool set_write(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                      struct mrc_pkt *pkt)
{
    const unsigned qp = mrct_play_line_qp(line);
    struct mrct_play_qp *const q = &p->qp[qp];
    uint64_t v = 0;
    const int64_t psn =
        given(p, line, "bth.psn", k, &v) ? relative(p, p->w.host, qp, v) : q->next_psn;
    struct mrct_sent *const before = mrct_play_sent(p, qp, psn);
    const bool again = before != NULL && before->made;
    struct mrct_sent s = {.msn = q->msn,
                          .rqmsn = has_imm(line->name) ? q->rqmsn : 0,
                          .imm = IMM_DEFAULT + (uint32_t)psn,
                          .pattern = 1};
    if (again) {
        s = *before;
    } else {
        set_part(p, q, line->name, psn, &s);
    }
    take_given(p, line, k, &s);
    s.made = true;
    p->pattern = s.pattern;
    if (!again) {
        go_on(p, q, line->name, psn, &s);
        if (before != NULL) {
            *before = s;
        }
    }
    const struct mrc_mr *const mr = &p->w.target[1 - p->w.host];
    pkt->present |= HDR(METH) | HDR(RETH) | (has_imm(line->name) ? HDR(IMMDT) : 0);
    pkt->bth.psn = mrc_psn_add(p->w.start_psn[p->w.host][qp], (int32_t)psn);
    pkt->bth.dest_qp = p->w.qpn[1 - p->w.host][qp];
    pkt->meth = (struct mrc_meth){.rqmsn = s.rqmsn, .msn = s.msn};
    pkt->reth =
        (struct mrc_reth){.va = mr->va + (uint64_t)s.va, .rkey = mr->rkey, .dma_len = s.dma};
    pkt->immdt.imm = s.imm;
    if (find(line, MRCT_ITEM_NO_TS, NULL) == NULL &&
        (p->w.tseth || find(line, MRCT_ITEM_FIELD, "tseth.tx_timestamp") != NULL)) {
        pkt->present |= HDR(TSETH);
        pkt->bth.ts = 1;
        pkt->tseth = (struct mrc_tseth){.tx_timestamp = stamp(p), .ftype = 1};
    }
    return set_payload(p, &s, pkt);
}

/* ---- answers ---- */

static uint16_t low16(uint32_t qpn)
{
    return (uint16_t)qpn;
}

/* What is known of the request that an answer is about: the one of that PSN, or the latest. */
static struct mrct_seen about(const struct mrct_player *p, unsigned qp, int64_t psn)
{
    const struct mrct_seen *s = mrct_play_seen(p, qp, psn);
    s = s != NULL ? s : mrct_play_seen(p, qp, p->qp[qp].seen_latest);
    return s != NULL ? *s : (struct mrct_seen){.got = false};
}

/* The bitmap of all that has arrived above cack, or of the line's set. */
static bool set_bitmap(struct mrct_player *p, const struct mrct_script_line *line, unsigned qp,
                       int64_t cack, bool cack_given, struct mrc_seth *h)
{
    const struct mrct_script_item *const set = find(line, MRCT_ITEM_SACK, NULL);
    uint64_t v = 0;
    int64_t top = set == NULL ? p->qp[qp].seen_last : cack;
    for (size_t i = 0; set != NULL && i < set->range_count; i++) {
        top = set->ranges[i].last > top ? set->ranges[i].last : top;
    }
    const int64_t soff = top - cack > 64 ? top - 63 - cack : 1;
    h->sack_offset = (int16_t)soff;
    if (given(p, line, "seth.sack_offset", 0, &v)) {
        h->sack_offset = (int16_t)v;
    }
    const int64_t base = cack + h->sack_offset;
    for (int64_t i = 0; set == NULL && !cack_given && i < 64; i++) {
        h->sack_bitmap |= (uint64_t)(mrct_play_seen(p, qp, base + i) != NULL) << i;
    }
    for (size_t i = 0; set != NULL && i < set->range_count; i++) {
        for (int64_t k = set->ranges[i].first; k <= set->ranges[i].last; k++) {
            if (k < base || k > base + 63) {
                return false;
            }
            h->sack_bitmap |= UINT64_C(1) << (k - base);
        }
    }
    return true;
}

static bool set_sack(struct mrct_player *p, const struct mrct_script_line *line,
                     struct mrc_pkt *pkt)
{
    const unsigned qp = mrct_play_line_qp(line);
    const unsigned device = mrct_play_device(p);
    const struct mrct_play_qp *const q = &p->qp[qp];
    uint64_t v = 0;
    const bool cack_given = given(p, line, "seth.cack_psn", 0, &v);
    const int64_t cack = cack_given ? relative(p, device, qp, v) : q->seen_cack;
    int64_t off = cack_given || q->seen_latest < 0 ? 0 : q->seen_latest - cack;
    off = given(p, line, "seth.ack_psn_offset", 0, &v) ? (int64_t)v : off;
    const struct mrct_seen trigger = about(p, qp, cack + off);
    pkt->present |= HDR(SETH) | HDR(CC_STATE);
    pkt->bth.dest_qp = p->w.qpn[device][qp];
    pkt->bth.rtx = trigger.rtx;
    pkt->seth = (struct mrc_seth){
        .ack_psn_offset = (int16_t)off,
        .entropy = trigger.ev,
        .spdcid = low16(p->w.qpn[p->w.host][qp]),
        .dpdcid = low16(p->w.qpn[device][qp]),
        .cack_psn = mrc_psn_add(p->w.start_psn[device][qp], (int32_t)cack),
        .mpr = p->w.mpr,
    };
    pkt->bth.psn = pkt->seth.cack_psn;
    if (!set_bitmap(p, line, qp, cack, cack_given, &pkt->seth)) {
        return false;
    }
    pkt->cc_state = (struct mrc_cc_state){
        .tx_timestamp = trigger.timestamp,
        .ooo_count = (uint16_t)__builtin_popcountll(pkt->seth.sack_bitmap),
        .rcvd_bytes = (uint32_t)((q->rcvd_bytes + RCVD_UNIT - 1) / RCVD_UNIT) & 0xFFFFFFu,
    };
    return true;
}

static bool set_nack(struct mrct_player *p, const struct mrct_script_line *line,
                     struct mrc_pkt *pkt)
{
    const unsigned qp = mrct_play_line_qp(line);
    const unsigned device = mrct_play_device(p);
    uint64_t v = 0;
    const bool psn_given =
        given(p, line, "neth.nack_psn", 0, &v) || given(p, line, "bth.psn", 0, &v);
    const int64_t psn = psn_given ? relative(p, device, qp, v) : p->qp[qp].seen_latest;
    const struct mrct_seen trigger = about(p, qp, psn);
    pkt->present |= HDR(NETH);
    pkt->bth.dest_qp = p->w.qpn[device][qp];
    pkt->bth.rtx = trigger.rtx;
    pkt->bth.psn = mrc_psn_add(p->w.start_psn[device][qp], (int32_t)psn);
    pkt->neth = (struct mrc_neth){.nack_reason = MRC_NACK_NO_PKT_BUFFER,
                                  .entropy = trigger.ev,
                                  .spdcid = low16(p->w.qpn[p->w.host][qp]),
                                  .dpdcid = low16(p->w.qpn[device][qp]),
                                  .nack_psn = pkt->bth.psn,
                                  .cc_type = 2,
                                  .tx_timestamp = trigger.timestamp};
    return true;
}

static bool set_ack(struct mrct_player *p, const struct mrct_script_line *line, struct mrc_pkt *pkt)
{
    const unsigned qp = mrct_play_line_qp(line);
    const unsigned device = mrct_play_device(p);
    uint64_t v = 0;
    const bool psn_given = given(p, line, "bth.psn", 0, &v);
    const int64_t psn = psn_given ? relative(p, device, qp, v) : p->qp[qp].seen_cack;
    pkt->present |= HDR(AETH);
    pkt->bth.dest_qp = p->w.qpn[device][qp];
    pkt->bth.psn = mrc_psn_add(p->w.start_psn[device][qp], (int32_t)psn);
    pkt->aeth = (struct mrc_aeth){.syndrome = MRC_SYN_ACK,
                                  .msn = mrct_play_messages(p, qp, psn) & 0xFFFFFFu};
    return true;
}

/* ---- probes and the node ---- */

static void set_probe(struct mrct_player *p, const struct mrct_script_line *line,
                      struct mrc_pkt *pkt)
{
    const unsigned qp = mrct_play_line_qp(line);
    pkt->present |= HDR(PETH);
    pkt->bth.dest_qp = p->w.qpn[1 - p->w.host][qp];
    pkt->peth = (struct mrc_peth){.spdcid = low16(p->w.qpn[p->w.host][qp]),
                                  .dpdcid = low16(p->w.qpn[1 - p->w.host][qp]),
                                  .tx_timestamp = stamp(p),
                                  .ftype = 1};
}

static void set_node(struct mrct_player *p, int name, struct mrc_pkt *pkt)
{
    pkt->bth.dest_qp = NODE_QPN;
    if (name == MRC_OP_EP_REQUEST) {
        pkt->present |= HDR(ERTH);
        pkt->erth = (struct mrc_erth){.tx_timestamp = stamp(p), .ftype = 1};
    } else {
        pkt->present |= HDR(EETH);
    }
}

static bool set_mrc(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                    struct mrc_pkt *pkt)
{
    switch (line->name) {
    case MRC_OP_SACK:
        return set_sack(p, line, pkt);
    case MRC_OP_NACK:
        return set_nack(p, line, pkt);
    case MRC_OP_ACK:
        return set_ack(p, line, pkt);
    case MRC_OP_PROBE:
        set_probe(p, line, pkt);
        return true;
    case MRC_OP_EP_REQUEST:
    case MRC_OP_EP_RESPONSE:
        set_node(p, line->name, pkt);
        return true;
    default:
        return set_write(p, line, k, pkt);
    }
}

bool mrct_play_build(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                     struct mrc_frame *out, unsigned *plane)
{
    struct mrc_pkt *const pkt = mrct_pool_alloc(&p->pool, sizeof *pkt);
    *plane = mrct_play_plane(line);
    if (pkt == NULL) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL, "out of memory");
        return false;
    }
    if (line->name != MRCT_NAME_RAW && (!set_carrier(p, line, pkt) || !set_mrc(p, line, k, pkt))) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL,
                       "the packet cannot be built: an EV, a length or a PSN is out of its range");
        return false;
    }
    return mrct_play_wire(p, line, k, pkt, out);
}
