/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/chain.h"
#include "ref/wire/print.h"
#include "ref/wire/text.h"
#include "ref/wire/words.h"

#include <inttypes.h>
#include <string.h>

static const char *const ecn_words[] = {"", " ect1", " ect0", " ce"};

static bool has(const struct mrc_pkt *p, unsigned id)
{
    return (p->present >> id & 1) != 0;
}

static void put_srv6(struct mrc_text *t, const struct mrc_pkt *p)
{
    mrc_text_add(t, " srv6 ");
    mrc_text_ip(t, p->outer_ip6.dst, true);
    if (has(p, MRC_HDR_SRH)) {
        mrc_text_add(t, " srh ");
        mrc_text_ip(t, p->srh.segment, true);
    }
    if (memcmp(p->outer_ip6.src, p->ip6.src, sizeof p->ip6.src) != 0) {
        mrc_text_add(t, " from ");
        mrc_text_ip(t, p->outer_ip6.src, true);
    }
}

static void put_link(struct mrc_text *t, const struct mrc_pkt *p)
{
    unsigned type = p->eth.ethertype;
    for (unsigned i = 0; has(p, MRC_HDR_ETH) && i < p->vlan_count; i++) {
        mrc_text_add(t, "%s 0x%x ", type == MRC_ETHERTYPE_QINQ ? "qinq" : "vlan", p->vlan[i].tci);
        type = p->vlan[i].ethertype;
    }
}

static void put_addresses(struct mrc_text *t, const struct mrc_pkt *p)
{
    const bool v6 = has(p, MRC_HDR_IPV6);
    mrc_text_add(t, v6 ? "IP6 " : "IP ");
    mrc_text_ip(t, v6 ? p->ip6.src : p->ip4.src, v6);
    mrc_text_add(t, " > ");
    mrc_text_ip(t, v6 ? p->ip6.dst : p->ip4.dst, v6);
    if (p->has_outer) {
        put_srv6(t, p);
    }
}

static void put_head(struct mrc_text *t, const struct mrc_pkt *p)
{
    put_link(t, p);
    put_addresses(t, p);
    if (p->udp.dst_port != MRC_UDP_PORT_ROCEV2) {
        mrc_text_add(t, " port %u", p->udp.dst_port);
    }
    mrc_text_add(t, " ev 0x%08" PRIx32, p->ev);
    if (p->is_v6 && p->ip6.flow_label >> 16 != 0) {
        mrc_text_add(t, " flow-high %" PRIu32, p->ip6.flow_label >> 16);
    }
    if (p->inner_dscp != p->dscp) {
        mrc_text_add(t, " inner-dscp %u", p->inner_dscp);
    }
    if (p->inner_ecn != p->ecn) {
        mrc_text_add(t, " inner-ecn %u", p->inner_ecn);
    }
    mrc_text_add(t, " dscp %u%s", p->dscp, ecn_words[p->ecn & 3]);
    mrc_text_add(t, p->trim == MRC_TRIM_TRIMMED   ? " trimmed:"
                    : p->trim == MRC_TRIM_LASTHOP ? " trimmed-lasthop:"
                                                  : ":");
}

static void put_sack(struct mrc_text *t, const struct mrc_seth *h)
{
    const uint32_t base = mrc_psn_add(h->cack_psn, h->sack_offset);
    const char *between = "";
    if (h->sack_bitmap == 0) {
        mrc_text_add(t, "none");
        return;
    }
    for (int32_t i = 0; i < 64; i++) {
        const int32_t first = i;
        if (!(h->sack_bitmap >> i & 1)) {
            continue;
        }
        while (i < 63 && (h->sack_bitmap >> (i + 1) & 1)) {
            i++;
        }
        mrc_text_add(t, "%s%" PRIu32, between, mrc_psn_add(base, first));
        if (i > first) {
            mrc_text_add(t, "-%" PRIu32, mrc_psn_add(base, i));
        }
        between = ",";
    }
}

static void put_word(struct mrc_text *t, const struct mrc_pkt *p, const struct mrc_word *w,
                     const struct mrc_field *f, uint64_t value)
{
    const char *name = NULL;
    mrc_text_add(t, " %s", w->word);
    switch (w->style) {
    case MRC_WORD_DEC:
        if (f->is_signed) {
            mrc_text_add(t, " %d", (int16_t)value);
        } else {
            mrc_text_add(t, " %" PRIu64, value);
        }
        break;
    case MRC_WORD_HEX:
        mrc_text_add(t, " 0x%" PRIx64, value);
        break;
    case MRC_WORD_CODE:
        name = mrc_code_name(f->codes, value);
        if (name) {
            mrc_text_add(t, " %s", name);
        } else {
            mrc_text_add(t, " 0x%" PRIx64, value);
        }
        break;
    case MRC_WORD_SACK:
        mrc_text_add(t, " ");
        put_sack(t, &p->seth);
        break;
    case MRC_WORD_FLAG:
    case MRC_WORD_OWN:
        break;
    }
}

static bool any_set(const uint8_t *bytes, size_t len)
{
    uint8_t any = 0;
    for (size_t i = 0; i < len; i++) {
        any |= bytes[i];
    }
    return any != 0;
}

/* Fields nobody has a word for, when they are not 0. */
static void put_rest(struct mrc_text *t, enum mrc_hdr_id id, const uint8_t *hdr)
{
    for (unsigned i = 0; i < mrc_hdrs[id].field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[mrc_hdrs[id].first_field + i];
        const uint8_t *const at = hdr + f->bit_off / 8;
        if (mrc_word_covers(f)) {
            continue;
        }
        if (!f->is_bytes && mrc_field_get(f, hdr) != 0) {
            mrc_text_add(t, " %s=0x%" PRIx64, f->name, mrc_field_get(f, hdr));
        } else if (f->is_bytes && any_set(at, f->bit_width / 8)) {
            mrc_text_add(t, " %s=", f->name);
            mrc_text_hex(t, at, f->bit_width / 8);
        }
    }
}

/* Words of one header stand together, so one pass over the table prints one header after another.
 */
static void put_fields(struct mrc_text *t, const struct mrc_pkt *p)
{
    uint8_t hdr[MRC_HDR_LEN_MAX] = {0};
    unsigned loaded = MRC_HDR_COUNT;
    for (size_t i = 0; i < mrc_word_count; i++) {
        const struct mrc_word *const w = &mrc_words[i];
        if (!has(p, w->hdr) || w->style == MRC_WORD_OWN) {
            continue;
        }
        if (loaded != w->hdr) {
            (void)mrc_chain_encode_one(w->hdr, p, hdr, hdr + sizeof hdr);
            loaded = w->hdr;
        }
        const struct mrc_field *const f = mrc_word_field(w);
        const uint64_t value = mrc_field_get(f, hdr);
        if (mrc_field_applies(f, hdr) && !(w->omit && value == w->usual)) {
            put_word(t, p, w, f, value);
        }
    }
    for (unsigned id = MRC_HDR_BTH; id < MRC_HDR_COUNT; id++) {
        if (has(p, id)) {
            (void)mrc_chain_encode_one((enum mrc_hdr_id)id, p, hdr, hdr + sizeof hdr);
            put_rest(t, (enum mrc_hdr_id)id, hdr);
        }
    }
}

/* Length of the datagram that the headers and the payload make. */
static uint32_t fitting_udp_len(const struct mrc_pkt *p)
{
    uint32_t len = MRC_UDP_LEN + p->payload_len + p->bth.pad_cnt + 4;
    for (unsigned id = MRC_HDR_BTH; id < MRC_HDR_COUNT; id++) {
        len += has(p, id) ? mrc_hdrs[id].len : 0u;
    }
    return len;
}

/* Headers the opcode asks for that trimming took. */
static void put_gone(struct mrc_text *t, const struct mrc_pkt *p, const struct mrc_chain *chain)
{
    const uint32_t gone = chain ? chain->required & ~p->present : 0;
    if (p->bth.ts && !has(p, MRC_HDR_TSETH)) {
        mrc_text_add(t, " TS");
    }
    if (gone >> MRC_HDR_RETH & 1) {
        mrc_text_add(t, " gone reth");
    } else if (gone >> MRC_HDR_IMMDT & 1) {
        mrc_text_add(t, " gone immdt");
    }
}

/* Lengths, pad and ICRC, where they are not what the headers make expect. */
static void put_tail(struct mrc_text *t, const struct mrc_pkt *p)
{
    const struct mrc_chain *const chain = mrc_opcode_chain(p->bth.opcode);
    put_gone(t, p, chain);
    if (p->payload_len > 0 || (chain && chain->payload)) {
        mrc_text_add(t, " len %" PRIu32, p->payload_len);
    }
    if (p->bth.pad_cnt != (4 - p->payload_len % 4) % 4) {
        mrc_text_add(t, " pad %u", p->bth.pad_cnt);
    }
    if (p->udp.length != fitting_udp_len(p)) {
        mrc_text_add(t, " udp %u", p->udp.length);
    }
    if (p->icrc_state == MRC_ICRC_ABSENT) {
        mrc_text_add(t, " noicrc");
    } else if (p->icrc_state == MRC_ICRC_WRONG) {
        mrc_text_add(t, " badicrc 0x%08" PRIx32, p->icrc);
    }
}

/* Another protocol, or too little to tell: as far as it was read. */
static void put_other(struct mrc_text *t, const struct mrc_pkt *p, enum mrc_wire_error err)
{
    put_link(t, p);
    if (has(p, MRC_HDR_IPV4) || has(p, MRC_HDR_IPV6)) {
        put_addresses(t, p);
        mrc_text_add(t, ": ");
    } else if (has(p, MRC_HDR_ETH)) {
        mrc_text_add(t, "ethertype 0x%04x: ",
                     p->vlan_count > 0 ? p->vlan[p->vlan_count - 1].ethertype : p->eth.ethertype);
    }
    if (has(p, MRC_HDR_UDP)) {
        mrc_text_add(t, "UDP %u > %u, length %u ", p->udp.src_port, p->udp.dst_port, p->udp.length);
    }
    mrc_text_add(t, "[%s]", mrc_wire_error_str(err));
}

size_t mrc_print_line(const struct mrc_pkt *p, enum mrc_wire_error err, char *buf, size_t cap)
{
    struct mrc_text t;
    mrc_text_init(&t, buf, cap);
    if (!has(p, MRC_HDR_BTH) || !has(p, MRC_HDR_UDP)) {
        put_other(&t, p, err);
        return t.len;
    }
    put_head(&t, p);
    const char *const op = mrc_opcode_str(p->bth.opcode);
    if (op) {
        mrc_text_add(&t, " MRC %s", op);
    } else {
        mrc_text_add(&t, " MRC 0x%02x", p->bth.opcode);
    }
    put_fields(&t, p);
    if (err == MRC_WIRE_OK || err == MRC_WIRE_BAD_ICRC) {
        put_tail(&t, p);
    } else {
        mrc_text_add(&t, " udp %u", p->udp.length);
    }
    if (err != MRC_WIRE_OK) {
        mrc_text_add(&t, " [%s]", mrc_wire_error_str(err));
    }
    return t.len;
}
