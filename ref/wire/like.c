/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/like.h"

#include <string.h>

#define WORD sizeof(mrc_like_word)

static bool is_followed(const struct mrc_pkt *p)
{
    const uint32_t ip = p->is_v6 ? UINT32_C(1) << MRC_HDR_IPV6 : UINT32_C(1) << MRC_HDR_IPV4;
    const uint32_t must = ip | UINT32_C(1) << MRC_HDR_ETH | UINT32_C(1) << MRC_HDR_UDP |
                          UINT32_C(1) << MRC_HDR_BTH | UINT32_C(1) << MRC_HDR_METH |
                          UINT32_C(1) << MRC_HDR_RETH;
    const uint32_t may = must | UINT32_C(1) << MRC_HDR_VLAN | UINT32_C(1) << MRC_HDR_TSETH;
    return (p->present & must) == must && (p->present & ~may) == 0 && !p->has_outer &&
           p->trim == MRC_TRIM_NONE && p->icrc_state == MRC_ICRC_VALID &&
           (p->is_v6 || p->ip4.ihl == 5) && (p->payload_len == 0 || p->payload != NULL);
}

/* Bits that may differ: n bytes from off on. */
static void pass_over(uint8_t *mask, size_t off, size_t n)
{
    memset(mask + off, 0, n);
}

static void make_mask(const struct mrc_pkt *p, uint8_t mask[MRC_LIKE_WORDS * WORD])
{
    const uint16_t bth = p->off[MRC_HDR_BTH];
    memset(mask, 0, MRC_LIKE_WORDS * WORD);
    memset(mask, 0xFF, p->hdr_end);
    if (p->is_v6)
        pass_over(mask, p->off[MRC_HDR_IPV6] + 2u, 2); /* flow label but for its highest bits */
    if (!p->is_v6) {
        pass_over(mask, p->off[MRC_HDR_IPV4] + 4u, 2);  /* id */
        pass_over(mask, p->off[MRC_HDR_IPV4] + 10u, 2); /* checksum */
    }
    pass_over(mask, p->off[MRC_HDR_UDP], 2);       /* source port */
    mask[bth + 8] &= 0x7F;                         /* A */
    pass_over(mask, bth + 9u, 3);                  /* PSN */
    pass_over(mask, p->off[MRC_HDR_METH] + 2u, 2); /* MSN */
    if (MRC_PKT_HAS(p, TSETH))
        pass_over(mask, p->off[MRC_HDR_TSETH], 2); /* tx_timestamp */
    pass_over(mask, p->off[MRC_HDR_RETH], MRC_RETH_LEN);
}

static mrc_like_word word_at(const uint8_t *p)
{
    mrc_like_word v;
    memcpy(&v, p, sizeof(v));
    return v;
}

bool mrc_like_learn(struct mrc_like *t, const uint8_t *bytes, size_t caplen, size_t wire_len,
                    const struct mrc_pkt *p)
{
    uint8_t mask[MRC_LIKE_WORDS * WORD];
    const size_t words = (p->hdr_end + WORD - 1u) / WORD;
    if (!is_followed(p) || caplen != wire_len || words > MRC_LIKE_WORDS || words * WORD > caplen)
        return false;
    make_mask(p, mask);
    t->len = caplen;
    t->words = words;
    for (size_t i = 0; i < words; i++) {
        t->mask[i] = word_at(mask + i * WORD);
        t->want[i] = word_at(bytes + i * WORD) & t->mask[i];
    }
    const uint16_t ip = p->is_v6 ? p->off[MRC_HDR_IPV6] : p->off[MRC_HDR_IPV4];
    t->span = (struct mrc_icrc_span){.outer = ip,
                                     .ip = ip,
                                     .udp = p->off[MRC_HDR_UDP],
                                     .end = p->wire_len - 4,
                                     .is_v6 = p->is_v6};
    return true;
}

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static void read_ip(struct mrc_pkt *p, const uint8_t *bytes)
{
    if (p->is_v6) {
        const uint8_t *const ip = bytes + p->off[MRC_HDR_IPV6];
        p->ip6.flow_label = (p->ip6.flow_label & 0xF0000u) | get16(ip + 2);
        return;
    }
    p->ip4.id = get16(bytes + p->off[MRC_HDR_IPV4] + 4);
    p->ip4.checksum = get16(bytes + p->off[MRC_HDR_IPV4] + 10);
}

static void read_fields(struct mrc_pkt *p, const struct mrc_wire_config *cfg, const uint8_t *bytes)
{
    const uint8_t *const bth = bytes + p->off[MRC_HDR_BTH];
    read_ip(p, bytes);
    p->udp.src_port = get16(bytes + p->off[MRC_HDR_UDP]);
    p->ev = mrc_ev_from_fields(cfg, p->udp.src_port, p->is_v6 ? p->ip6.flow_label : 0, p->is_v6);
    p->bth.a = bth[8] >> 7;
    p->bth.psn = (uint32_t)bth[9] << 16 | get16(bth + 10);
    p->meth.msn = get16(bytes + p->off[MRC_HDR_METH] + 2);
    if (MRC_PKT_HAS(p, TSETH))
        p->tseth.tx_timestamp = get16(bytes + p->off[MRC_HDR_TSETH]);
    mrc_reth_decode(bytes + p->off[MRC_HDR_RETH], bytes + p->hdr_end, &p->reth);
    if (p->payload_len > 0)
        p->payload = bytes + p->hdr_end;
}

static bool is_right(const struct mrc_like *t, const uint8_t *bytes, struct mrc_pkt *p)
{
    const uint8_t *const at = bytes + t->span.end;
    p->icrc = (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
    p->icrc_expected = p->has_icrc_head
                           ? mrc_icrc_compute_split(bytes, &t->span, p->hdr_end, &p->icrc_head)
                           : mrc_icrc_compute(bytes, &t->span);
    return p->icrc == p->icrc_expected;
}

bool mrc_like_decode(const struct mrc_like *t, const struct mrc_wire_config *cfg,
                     const uint8_t *bytes, size_t caplen, size_t wire_len, struct mrc_pkt *p)
{
    mrc_like_word differ = {0};
    if (caplen != t->len || wire_len != t->len)
        return false;
    for (size_t i = 0; i < t->words; i++)
        differ |= (word_at(bytes + i * WORD) & t->mask[i]) ^ t->want[i];
    if ((differ[0] | differ[1]) != 0)
        return false;
    read_fields(p, cfg, bytes);
    return is_right(t, bytes, p);
}
