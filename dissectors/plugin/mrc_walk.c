/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From bytes to values, in the same order of judgement as the suite's own decoder. */
#include "mrc_plugin.h"

#include <string.h>

#define CUT "cut short"

static const char *const truncated[MRC_HDR_COUNT] = {
    [MRC_HDR_BTH] = "truncated BTH",     [MRC_HDR_METH] = "truncated METH",
    [MRC_HDR_TSETH] = "truncated TSETH", [MRC_HDR_RETH] = "truncated RETH",
    [MRC_HDR_IMMDT] = "truncated ImmDt", [MRC_HDR_AETH] = "truncated AETH",
    [MRC_HDR_SETH] = "truncated SETH",   [MRC_HDR_CC_STATE] = "truncated CC_STATE",
    [MRC_HDR_NETH] = "truncated NETH",   [MRC_HDR_PETH] = "truncated PETH",
    [MRC_HDR_ERTH] = "truncated ERTH",   [MRC_HDR_EETH] = "truncated EETH",
};

static void decode_one(struct mrc_packet *p, enum mrc_hdr_id id, const uint8_t *at,
                       const uint8_t *end)
{
    switch (id) {
    case MRC_HDR_BTH:
        mrc_bth_decode(at, end, &p->bth);
        break;
    case MRC_HDR_METH:
        mrc_meth_decode(at, end, &p->meth);
        break;
    case MRC_HDR_TSETH:
        mrc_tseth_decode(at, end, &p->tseth);
        break;
    case MRC_HDR_RETH:
        mrc_reth_decode(at, end, &p->reth);
        break;
    case MRC_HDR_IMMDT:
        mrc_immdt_decode(at, end, &p->immdt);
        break;
    case MRC_HDR_AETH:
        mrc_aeth_decode(at, end, &p->aeth);
        break;
    case MRC_HDR_SETH:
        mrc_seth_decode(at, end, &p->seth);
        break;
    case MRC_HDR_CC_STATE:
        mrc_cc_state_decode(at, end, &p->cc_state);
        break;
    case MRC_HDR_NETH:
        mrc_neth_decode(at, end, &p->neth);
        break;
    case MRC_HDR_PETH:
        mrc_peth_decode(at, end, &p->peth);
        break;
    case MRC_HDR_ERTH:
        mrc_erth_decode(at, end, &p->erth);
        break;
    case MRC_HDR_EETH:
        mrc_eeth_decode(at, end, &p->eeth);
        break;
    case MRC_HDR_ETH:
    case MRC_HDR_VLAN:
    case MRC_HDR_IPV4:
    case MRC_HDR_IPV6:
    case MRC_HDR_SRH:
    case MRC_HDR_UDP:
    case MRC_HDR_COUNT:
        break;
    }
}

static const char *take(struct mrc_packet *p, enum mrc_hdr_id id)
{
    const int len = mrc_hdrs[id].len;
    if (p->pos + len > p->limit) {
        return truncated[id];
    }
    if (p->pos + len > p->cap) {
        return CUT;
    }
    const uint8_t *const at = tvb_get_ptr(p->tvb, p->pos, len);
    decode_one(p, id, at, at + len);
    p->present |= UINT32_C(1) << id;
    p->off[id] = p->pos;
    p->pos += len;
    return NULL;
}

static const char *walk_payload(struct mrc_packet *p)
{
    const int pad = p->bth.pad_cnt;
    const int left = p->limit > p->pos ? p->limit - p->pos : 0;
    if (p->short_of) {
        const int sent = p->udp_end - 4 - pad > p->pos ? p->udp_end - 4 - pad - p->pos : 0;
        p->payload_len = (uint32_t)(left < sent ? left : sent);
    } else if (pad > left) {
        return "pad longer than payload";
    } else {
        p->payload_len = (uint32_t)(left - pad);
    }
    p->have_payload_len = true;
    if (p->payload_len > 0 && p->pos + (int)p->payload_len <= p->cap) {
        p->payload = p->pos;
    }
    return NULL;
}

/* Trimming must leave METH and TSETH; what lies behind may be gone. */
static const char *walk_mrc(struct mrc_packet *p)
{
    const char *err = take(p, MRC_HDR_BTH);
    if (err) {
        return err;
    }
    if (p->bth.tver != MRC_TVER_MRC1) {
        return "transport version";
    }
    const struct mrc_chain *const chain = mrc_opcode_chain(p->bth.opcode);
    if (!chain) {
        return "opcode";
    }
    uint32_t mask = chain->required | (p->bth.ts ? chain->optional : 0);
    for (; mask != 0; mask &= mask - 1) {
        const enum mrc_hdr_id id = (enum mrc_hdr_id)__builtin_ctz(mask);
        err = take(p, id);
        if (err) {
            const bool may_be_gone = p->short_of && (id == MRC_HDR_RETH || id == MRC_HDR_IMMDT);
            if (strcmp(err, CUT) == 0 || !may_be_gone) {
                return err;
            }
            p->limit = p->pos;
            break;
        }
    }
    return walk_payload(p);
}

static const char *judge_lengths(struct mrc_packet *p)
{
    const struct mrc_carrier *const c = &p->carrier;
    p->short_of = p->trim > 0 && p->udp_end > c->ip_end;
    p->limit = p->short_of ? c->ip_end : c->ip_end - 4;
    if (c->ip_end > c->wire_len) {
        return CUT;
    }
    if (p->udp_end > c->ip_end && !p->short_of) {
        return "UDP length beyond the IP payload";
    }
    return p->udp_end < c->ip_end ? "UDP length short of the IP payload" : NULL;
}

/* Nothing may be asked of the ICRC of a trimmed packet. */
static void check_icrc(struct mrc_packet *p)
{
    const struct mrc_carrier *const c = &p->carrier;
    if (p->short_of || c->ip_end > p->cap || c->ip_end - 4 < (int)MRC_UDP_HEADER) {
        return;
    }
    p->icrc_at = c->ip_end - 4;
    p->icrc = tvb_get_letohl(p->tvb, p->icrc_at);
    p->icrc_status = MRC_WS_ICRC_UNVERIFIED;
    if (mrc_prefs.verify_icrc && c->have_ip) {
        p->icrc_expected = mrc_carrier_icrc(c, c->base + p->icrc_at);
        p->icrc_status = p->icrc == p->icrc_expected ? MRC_WS_ICRC_GOOD : MRC_WS_ICRC_BAD;
    }
    if (p->icrc_status == MRC_WS_ICRC_BAD && p->trim > 0) {
        p->icrc_status = MRC_WS_ICRC_GONE;
    }
}

static unsigned trim_of(const struct mrc_carrier *c)
{
    return !c->have_ip                                 ? 0
           : c->dscp == mrc_prefs.dscp_trimmed         ? 1
           : c->dscp == mrc_prefs.dscp_trimmed_lasthop ? 2
                                                       : 0;
}

void mrc_walk(struct mrc_packet *p, tvbuff_t *tvb, packet_info *pinfo)
{
    memset(p, 0, sizeof *p);
    mrc_carrier_read(&p->carrier, tvb, pinfo);
    p->tvb = tvb;
    p->frame = pinfo->num;
    p->cap = (int)tvb_captured_length(tvb);
    p->src_port = tvb_get_ntohs(tvb, 0);
    p->dst_port = tvb_get_ntohs(tvb, 2);
    p->udp_end = tvb_get_ntohs(tvb, 4);
    p->pos = MRC_UDP_HEADER;
    p->payload = p->icrc_at = -1;
    p->icrc_status = MRC_WS_ICRC_GONE;
    p->ev = mrc_carrier_ev(&p->carrier, p->src_port);
    p->trim = trim_of(&p->carrier);
    const char *const carrier_error = judge_lengths(p);
    if (!carrier_error) {
        check_icrc(p);
    }
    const char *const err = walk_mrc(p);
    p->error = carrier_error ? carrier_error : p->icrc_status == MRC_WS_ICRC_BAD ? "icrc" : err;
    if (p->error && strcmp(p->error, "icrc") != 0) {
        p->have_payload_len = false; /* its length is what is in doubt */
        p->payload = -1;
    }
    p->is_request = MRC_HAS(p, BTH) && p->bth.opcode >= MRC_OP_WRITE_FIRST &&
                    p->bth.opcode <= MRC_OP_WRITE_ONLY_IMM;
}
