/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/print.h"
#include "ref/wire/reader.h"

#include <arpa/inet.h>
#include <string.h>

static int address(struct mrc_reader *r, bool v6, uint8_t *out)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (!mrc_reader_next(r)) {
        return mrc_reader_fail(r, "an address is missing at the end");
    }
    if (r->len < sizeof text) {
        memcpy(text, r->tok, r->len);
        text[r->len] = '\0';
    }
    return inet_pton(v6 ? AF_INET6 : AF_INET, text, out) == 1
               ? 0
               : mrc_reader_fail(r, "expected an %s address", v6 ? "IPv6" : "IPv4");
}

/* ---- head: what carries the packet ---- */

static int head_vlan(struct mrc_reader *r)
{
    uint64_t tci;
    const bool qinq = mrc_reader_is(r, "qinq");
    if (r->p->vlan_count == 2) {
        return mrc_reader_fail(r, "more than two tags");
    }
    if (mrc_reader_number(r, 0xFFFF, &tci) != 0) {
        return -1;
    }
    struct mrc_vlan *const v = &r->p->vlan[r->p->vlan_count];
    uint16_t *const before = r->p->vlan_count > 0 ? &r->p->vlan[0].ethertype : &r->p->eth.ethertype;
    *before = qinq ? MRC_ETHERTYPE_QINQ : MRC_ETHERTYPE_VLAN;
    v->tci = (uint16_t)tci;
    r->p->vlan_count++;
    r->p->present |= MRC_BIT(MRC_HDR_VLAN);
    return 0;
}

static int head_ip(struct mrc_reader *r)
{
    struct mrc_pkt *const p = r->p;
    p->is_v6 = mrc_reader_is(r, "IP6");
    p->present |= MRC_BIT(p->is_v6 ? MRC_HDR_IPV6 : MRC_HDR_IPV4);
    if (address(r, p->is_v6, p->is_v6 ? p->ip6.src : p->ip4.src) != 0) {
        return -1;
    }
    if (!mrc_reader_next(r) || !mrc_reader_is(r, ">")) {
        return mrc_reader_fail(r, "expected '>' between the addresses");
    }
    return address(r, p->is_v6, p->is_v6 ? p->ip6.dst : p->ip4.dst);
}

static int head_srv6(struct mrc_reader *r)
{
    if (!r->p->is_v6) {
        return mrc_reader_fail(r, "SRv6 mode needs IP6 in front");
    }
    r->p->has_outer = true;
    memcpy(r->p->outer_ip6.src, r->p->ip6.src, sizeof r->p->ip6.src);
    return address(r, true, r->p->outer_ip6.dst);
}

static int head_srh(struct mrc_reader *r)
{
    if (!r->p->has_outer) {
        return mrc_reader_fail(r, "srh needs srv6 in front");
    }
    r->p->present |= MRC_BIT(MRC_HDR_SRH);
    return address(r, true, r->p->srh.segment);
}

static int head_from(struct mrc_reader *r)
{
    return address(r, true, r->p->outer_ip6.src);
}

static int head_port(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, 0xFFFF, &v) != 0) {
        return -1;
    }
    r->p->udp.dst_port = (uint16_t)v;
    return 0;
}

static int head_ev(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, UINT32_MAX, &v) != 0) {
        return -1;
    }
    r->ev = (uint32_t)v;
    r->have_ev = true;
    return 0;
}

static int head_flow_high(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, 15, &v) != 0) {
        return -1;
    }
    r->flow_high = (uint8_t)v;
    return 0;
}

static int head_dscp(struct mrc_reader *r)
{
    uint64_t v;
    const bool inner = mrc_reader_is(r, "inner-dscp");
    if (mrc_reader_number(r, 63, &v) != 0) {
        return -1;
    }
    r->have_inner_dscp |= inner;
    *(inner ? &r->p->inner_dscp : &r->p->dscp) = (uint8_t)v;
    return 0;
}

static int head_inner_ecn(struct mrc_reader *r)
{
    uint64_t v;
    if (mrc_reader_number(r, 3, &v) != 0) {
        return -1;
    }
    r->have_inner_ecn = true;
    r->p->inner_ecn = (uint8_t)v;
    return 0;
}

static int head_ecn(struct mrc_reader *r)
{
    r->p->ecn = mrc_reader_is(r, "ce")     ? MRC_ECN_CE
                : mrc_reader_is(r, "ect0") ? MRC_ECN_ECT0
                                           : MRC_ECN_ECT1;
    return 0;
}

static int head_trimmed(struct mrc_reader *r)
{
    r->p->trim = mrc_reader_is(r, "trimmed") ? MRC_TRIM_TRIMMED : MRC_TRIM_LASTHOP;
    return 0;
}

static const struct {
    const char *word;
    int (*read)(struct mrc_reader *r);
} head_words[] = {
    {"vlan", head_vlan},       {"qinq", head_vlan},
    {"IP", head_ip},           {"IP6", head_ip},
    {"srv6", head_srv6},       {"srh", head_srh},
    {"from", head_from},       {"port", head_port},
    {"ev", head_ev},           {"flow-high", head_flow_high},
    {"inner-dscp", head_dscp}, {"inner-ecn", head_inner_ecn},
    {"dscp", head_dscp},       {"ect0", head_ecn},
    {"ect1", head_ecn},        {"ce", head_ecn},
    {"trimmed", head_trimmed}, {"trimmed-lasthop", head_trimmed},
};

static int head_word(struct mrc_reader *r)
{
    for (size_t i = 0; i < sizeof head_words / sizeof head_words[0]; i++) {
        if (mrc_reader_is(r, head_words[i].word)) {
            return head_words[i].read(r);
        }
    }
    return mrc_reader_fail(r, "unknown word '%.*s' in front of MRC", (int)r->len, r->tok);
}

int mrc_reader_head(struct mrc_reader *r)
{
    /* The colon that ends the head belongs to its last word, or to the number behind that. */
    const char *const colon = strstr(r->line, ": MRC ");
    char head[MRC_PRINT_LINE_MAX];
    const size_t len = colon ? (size_t)(colon - r->line) : 0;
    if (!colon || len >= sizeof head) {
        r->tok = r->line;
        return mrc_reader_fail(r, "expected addresses, then ': MRC' and an opcode");
    }
    memcpy(head, r->line, len);
    head[len] = '\0';
    const char *const whole = r->line;
    r->line = r->at = head;
    int rc = 0;
    while (rc == 0 && mrc_reader_next(r)) {
        rc = head_word(r);
    }
    if (rc == 0 && !(r->p->present & (MRC_BIT(MRC_HDR_IPV4) | MRC_BIT(MRC_HDR_IPV6)))) {
        rc = mrc_reader_fail(r, "IP or IP6 and addresses are missing");
    }
    if (rc == 0 && !r->have_ev) {
        rc = mrc_reader_fail(r, "'ev' is missing");
    }
    r->line = r->tok = whole;
    r->at = colon + strlen(": MRC ");
    return rc;
}
