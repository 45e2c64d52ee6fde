/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requirements that a frame alone can break. */
#include "mrc_plugin.h"

#include <stdarg.h>
#include <string.h>

#define WORDS_MAX 160u
#define NONE      0u
#define BIT(HDR)  (UINT32_C(1) << MRC_HDR_##HDR)

/* Writes words and returns true. */
static bool say(char words[WORDS_MAX], const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool say(char words[WORDS_MAX], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, WORDS_MAX, format, args);
    va_end(args);
    return true;
}

static bool error_is(const struct mrc_packet *p, const char *error)
{
    return p->error && strcmp(p->error, error) == 0;
}

/* A request whose lengths its sender answers for: a trimmed one has lost them. */
static bool whole(const struct mrc_packet *p)
{
    return p->is_request && MRC_HAS(p, RETH) && p->trim == 0 && p->have_payload_len;
}

static bool is_full(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_FIRST || opcode == MRC_OP_WRITE_MIDDLE;
}

static bool is_only(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_ONLY || opcode == MRC_OP_WRITE_ONLY_IMM;
}

static bool is_mtu(uint32_t len)
{
    return len == 256 || len == 512 || len == 1024 || len == 2048 || len == 4096;
}

/* A reserved field that is not 0 in the header id, but for the one named. */
static bool reserved_set(const struct mrc_packet *p, enum mrc_hdr_id id, const char *but,
                         char *words)
{
    const struct mrc_hdr_info *const h = &mrc_hdrs[id];
    const uint8_t *const at = tvb_get_ptr(p->tvb, p->off[id], h->len);
    for (unsigned i = 0; i < h->field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[h->first_field + i];
        if (!f->reserved_zero || !mrc_field_applies(f, at) || (but && strcmp(f->name, but) == 0)) {
            continue;
        }
        for (unsigned bit = f->bit_off; bit < f->bit_off + f->bit_width; bit++) {
            if ((at[bit / 8] >> (7 - bit % 8) & 1) != 0) {
                return say(words, "the reserved field %s is not 0", f->name);
            }
        }
    }
    return false;
}

#define RULE(name) static bool name(const struct mrc_packet *p, char words[WORDS_MAX])

RULE(empty_message)
{
    return whole(p) && p->reth.dma_len == 0 && say(words, "the DMA length is 0");
}

RULE(opcode)
{
    return error_is(p, "opcode") && say(words, "opcode 0x%02X is none of MRC's", p->bth.opcode);
}

RULE(version)
{
    return error_is(p, "transport version") &&
           say(words, "transport version %u, not 0", p->bth.tver);
}

RULE(truncated)
{
    return p->error && strncmp(p->error, "truncated ", 10) == 0 && say(words, "%s", p->error);
}

RULE(udp_length)
{
    return error_is(p, "UDP length beyond the IP payload") && say(words, "%s", p->error);
}

RULE(pad_length)
{
    return error_is(p, "pad longer than payload") && say(words, "%s", p->error);
}

RULE(pad_to_four)
{
    return whole(p) && (p->payload_len + p->bth.pad_cnt) % 4 != 0 &&
           say(words, "payload of %u and pad of %u bytes are no multiple of 4", p->payload_len,
               p->bth.pad_cnt);
}

RULE(full_mtu)
{
    if (!whole(p) || !is_full(p->bth.opcode)) {
        return false;
    }
    if (!is_mtu(p->payload_len)) {
        return say(words, "First/Middle payload of %u bytes is not a path MTU", p->payload_len);
    }
    return p->bth.pad_cnt != 0 &&
           say(words, "First/Middle packet has %u pad bytes", p->bth.pad_cnt);
}

RULE(only_length)
{
    return whole(p) && is_only(p->bth.opcode) && p->payload_len != p->reth.dma_len &&
           say(words, "Only payload of %u bytes differs from DMALen %u", p->payload_len,
               p->reth.dma_len);
}

RULE(last_length)
{
    if (!whole(p) || is_full(p->bth.opcode)) {
        return false;
    }
    if (!is_only(p->bth.opcode) && p->payload_len == 0) {
        return say(words, "a Last packet without payload");
    }
    return p->payload_len > 4096 &&
           say(words, "payload of %u bytes, more than a path MTU of 4096", p->payload_len);
}

RULE(first_length)
{
    return whole(p) && p->bth.opcode == MRC_OP_WRITE_FIRST && p->reth.dma_len <= p->payload_len &&
           say(words, "a First packet of %u bytes begins a message of only %u", p->payload_len,
               p->reth.dma_len);
}

static bool icrc_words(const struct mrc_packet *p, char *words)
{
    return p->icrc_status == MRC_WS_ICRC_BAD &&
           say(words, "icrc is 0x%08X, must be 0x%08X", p->icrc, p->icrc_expected);
}

RULE(icrc)
{
    return p->carrier.outer < 0 && icrc_words(p, words);
}

RULE(icrc_srv6)
{
    return p->carrier.outer >= 0 && icrc_words(p, words);
}

RULE(bth_reserved)
{
    return (p->bth.r != 0 || p->bth.inv_rsvd != 0) &&
           say(words, "reserved bits of the BTH are set: R %u, beside the PSN 0x%X", p->bth.r,
               p->bth.inv_rsvd);
}

static bool ftype(unsigned value, char *words)
{
    return value != 1 && say(words, "ftype of the timestamp is %u, not 1", value);
}

static bool stamp(unsigned value, char *words)
{
    return value != 0 && say(words, "reserved bits of the timestamp are 0x%X, not 0", value);
}

RULE(erth_ftype)
{
    return ftype(p->erth.ftype, words);
}

RULE(peth_ftype)
{
    return ftype(p->peth.ftype, words);
}

RULE(tseth_ftype)
{
    return ftype(p->tseth.ftype, words);
}

RULE(erth_stamp)
{
    return stamp(p->erth.rsvd3, words);
}

RULE(peth_stamp)
{
    return stamp(p->peth.rsvd3, words);
}

RULE(tseth_stamp)
{
    return stamp(p->tseth.rsvd, words);
}

RULE(sack_psn)
{
    return p->bth.psn != p->seth.cack_psn &&
           say(words, "BTH.PSN %u differs from cack_psn %u", p->bth.psn, p->seth.cack_psn);
}

RULE(nack_psn)
{
    return p->bth.psn != p->neth.nack_psn &&
           say(words, "BTH.PSN %u differs from nack_psn %u", p->bth.psn, p->neth.nack_psn);
}

RULE(sack_m)
{
    return p->seth.m > MRC_M_ALWAYS_SKIP &&
           say(words, "SETH.M has the reserved value %u", p->seth.m);
}

RULE(nack_reason)
{
    return !mrc_nack_reason_str(p->neth.nack_reason) &&
           say(words, "nack_reason 0x%02X is a reserved value", p->neth.nack_reason);
}

RULE(request_op)
{
    return p->erth.op > 1 && say(words, "endpoint op %u is a reserved value", p->erth.op);
}

RULE(response_op)
{
    return p->eeth.op > 1 &&
           say(words, "endpoint op %u of the response is a reserved value", p->eeth.op);
}

RULE(endpoint_qp)
{
    return p->bth.dest_qp != MRC_QP_NODE &&
           say(words, "endpoint packet to QP 0x%X, not to QP 0x2", p->bth.dest_qp);
}

RULE(endpoint_psn)
{
    return p->bth.psn > 0xFFFF &&
           say(words, "PSN 0x%06X of an endpoint packet is no sixteen-bit id", p->bth.psn);
}

static bool is_positive(unsigned s)
{
    return (s & 0x60) == 0;
}

static bool is_sequence_or_rnr(unsigned s)
{
    return s == 0x60 || (s & 0x60) == 0x20;
}

RULE(ack_credit)
{
    const unsigned s = p->aeth.syndrome;
    return is_positive(s) && s != MRC_SYN_ACK &&
           say(words, "syndrome 0x%02X of a transport ACK, not 0x1F", s);
}

RULE(ack_rnr)
{
    const unsigned s = p->aeth.syndrome;
    return is_sequence_or_rnr(s) &&
           say(words, "syndrome 0x%02X tells of a %s", s,
               s == 0x60 ? "PSN sequence error" : "receiver that is not ready");
}

RULE(ack_code)
{
    const unsigned s = p->aeth.syndrome;
    return !is_positive(s) && !is_sequence_or_rnr(s) && !mrc_syndrome_str(s) &&
           say(words, "syndrome 0x%02X is no listed NAK", s);
}

RULE(nack_cc_type)
{
    return p->neth.cc_type != 2 && say(words, "cc_type of a NACK is %u, not 2", p->neth.cc_type);
}

RULE(sack_cc_type)
{
    return p->seth.cc_type != 0 && say(words, "cc_type of a SACK is %u, not 0", p->seth.cc_type);
}

RULE(sack_reserved)
{
    return reserved_set(p, MRC_HDR_SETH, NULL, words) ||
           reserved_set(p, MRC_HDR_CC_STATE, NULL, words);
}

RULE(nack_reserved)
{
    return reserved_set(p, MRC_HDR_NETH, NULL, words);
}

RULE(probe_reserved)
{
    if (p->bth.psn != 0) {
        return say(words, "the PSN of a Reliability Probe is 0x%06X, reserved and not 0",
                   p->bth.psn);
    }
    return reserved_set(p, MRC_HDR_PETH, "peth.rsvd3", words);
}

RULE(request_reserved)
{
    return reserved_set(p, MRC_HDR_ERTH, "erth.rsvd3", words);
}

RULE(response_reserved)
{
    return reserved_set(p, MRC_HDR_EETH, NULL, words);
}

RULE(control_payload)
{
    return !p->is_request && (p->payload_len > 0 || p->bth.pad_cnt > 0) &&
           say(words, "%u bytes of payload and %u of pad in a control packet", p->payload_len,
               p->bth.pad_cnt);
}

RULE(not_ect)
{
    return p->is_request && p->carrier.have_ip && p->carrier.ecn == 0 &&
           say(words, "the request is not ECN capable");
}

RULE(flow_label)
{
    return p->carrier.is_v6 && p->carrier.flow_label > 0xFFFF &&
           say(words, "flow label 0x%05X has more than the EV's sixteen bits",
               p->carrier.flow_label);
}

/* needs: the header a rule is about, in a frame without an error; NONE: any frame. */
static const struct {
    const char *id;
    uint32_t needs;
    bool (*broken)(const struct mrc_packet *p, char words[WORDS_MAX]);
} rules[] = {
    {"REQ-5.1-01", NONE, empty_message},
    {"REQ-6-01", NONE, opcode},
    {"REQ-6-02", NONE, version},
    {"REQ-6-03", NONE, truncated},
    {"REQ-6-04", NONE, udp_length},
    {"REQ-6-05", NONE, pad_length},
    {"REQ-6-06", NONE, pad_to_four},
    {"REQ-6-07", NONE, full_mtu},
    {"REQ-6-08", NONE, only_length},
    {"REQ-6-09", NONE, last_length},
    {"REQ-6-10", NONE, first_length},
    {"REQ-6-11", NONE, icrc},
    {"REQ-6-12", NONE, icrc_srv6},
    {"REQ-6-13", BIT(BTH), bth_reserved},
    {"REQ-6-14", BIT(ERTH), erth_ftype},
    {"REQ-6-14", BIT(PETH), peth_ftype},
    {"REQ-6-14", BIT(TSETH), tseth_ftype},
    {"REQ-6-15", BIT(ERTH), erth_stamp},
    {"REQ-6-15", BIT(PETH), peth_stamp},
    {"REQ-6-15", BIT(TSETH), tseth_stamp},
    {"REQ-7-01", BIT(CC_STATE), sack_psn},
    {"REQ-7-02", BIT(NETH), nack_psn},
    {"REQ-7-03", BIT(CC_STATE), sack_m},
    {"REQ-7-04", BIT(NETH), nack_reason},
    {"REQ-7-05", BIT(ERTH), request_op},
    {"REQ-7-06", BIT(EETH), response_op},
    {"REQ-7-07", BIT(ERTH), endpoint_qp},
    {"REQ-7-07", BIT(EETH), endpoint_qp},
    {"REQ-7-08", BIT(ERTH), endpoint_psn},
    {"REQ-7-08", BIT(EETH), endpoint_psn},
    {"REQ-7-09", BIT(AETH), ack_credit},
    {"REQ-7-10", BIT(AETH), ack_rnr},
    {"REQ-7-11", BIT(AETH), ack_code},
    {"REQ-7-12", BIT(NETH), nack_cc_type},
    {"REQ-7-13", BIT(CC_STATE), sack_cc_type},
    {"REQ-7-14", BIT(CC_STATE), sack_reserved},
    {"REQ-7-15", BIT(NETH), nack_reserved},
    {"REQ-7-16", BIT(PETH), probe_reserved},
    {"REQ-7-17", BIT(ERTH), request_reserved},
    {"REQ-7-18", BIT(EETH), response_reserved},
    {"REQ-7-19", BIT(BTH), control_payload},
    {"REQ-9-04", BIT(BTH), not_ect},
    {"REQ-9-05", BIT(BTH), flow_label},
};

static bool is_icrc_rule(const char *id)
{
    return strcmp(id, "REQ-6-11") == 0 || strcmp(id, "REQ-6-12") == 0;
}

void mrc_rules_judge(const struct mrc_packet *p, mrc_rule_found found, void *ctx)
{
    char words[WORDS_MAX];
    if (error_is(p, "cut short")) {
        return;
    }
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const bool applies = rules[i].needs == NONE || (!p->error && (p->present & rules[i].needs));
        if (applies && rules[i].broken(p, words) &&
            (p->icrc_status != MRC_WS_ICRC_BAD || is_icrc_rule(rules[i].id))) {
            found(ctx, rules[i].id, words);
        }
    }
}
