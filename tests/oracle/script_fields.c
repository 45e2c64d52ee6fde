/* SPDX-License-Identifier: BSD-2-Clause */
/* What a script may change in a packet. */
#include "tests/oracle/stage.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name_, member)                                                                       \
    {                                                                                              \
        name_, offsetof(struct mrc_pkt, member), sizeof(((struct mrc_pkt *)NULL)->member)          \
    }
static const struct {
    const char *name;
    size_t at, size;
} fields[] = {
    FIELD("ev", ev),
    FIELD("ecn", ecn),
    FIELD("inner", inner_ecn),
    FIELD("dscp", dscp),
    FIELD("icrc", icrc_state),
    FIELD("code", icrc),
    FIELD("op", bth.opcode),
    FIELD("pad", bth.pad_cnt),
    FIELD("bts", bth.ts),
    FIELD("rawpsn", bth.psn),
    FIELD("a", bth.a),
    FIELD("rtx", bth.rtx),
    FIELD("qp", bth.dest_qp),
    FIELD("pkey", bth.pkey),
    FIELD("msn", meth.msn),
    FIELD("rqmsn", meth.rqmsn),
    FIELD("va", reth.va),
    FIELD("rkey", reth.rkey),
    FIELD("dma", reth.dma_len),
    FIELD("imm", immdt.imm),
    FIELD("len", payload_len),
    FIELD("nominal", nominal_len),
    FIELD("tsr", tseth.tsr),
    FIELD("label", ip6.flow_label),
    FIELD("syn", aeth.syndrome),
    FIELD("done", aeth.msn),
    FIELD("entropy", seth.entropy),
    FIELD("m", seth.m),
    FIELD("pr", seth.pr),
    FIELD("id", seth.probe_id),
    FIELD("mpr", seth.mpr),
    FIELD("off", seth.ack_psn_offset),
    FIELD("base", seth.sack_offset),
    FIELD("bits", seth.sack_bitmap),
    FIELD("cc", seth.cc_type),
    FIELD("ooo", cc_state.ooo_count),
    FIELD("pen", cc_state.rcv_cwnd_pen),
    FIELD("rb", cc_state.rcvd_bytes),
    FIELD("reason", neth.nack_reason),
    FIELD("nentropy", neth.entropy),
    FIELD("nspd", neth.spdcid),
    FIELD("ndpd", neth.dpdcid),
    FIELD("ncc", neth.cc_type),
    FIELD("nrsvd", neth.rsvd0),
    FIELD("spd", seth.spdcid),
    FIELD("dpd", seth.dpdcid),
    FIELD("srsvd", seth.rsvd0),
    FIELD("ccrsvd", cc_state.rsvd),
    FIELD("prsvd", peth.rsvd0),
    FIELD("prsvd3", peth.rsvd3),
    FIELD("ptsr", peth.tsr),
    FIELD("ersvd", erth.rsvd0),
    FIELD("ersvd3", erth.rsvd3),
    FIELD("frsvd", eeth.rsvd1),
    FIELD("eop", erth.op),
    FIELD("mask", erth.port_status_mask),
    FIELD("fop", eeth.op),
    FIELD("fother", eeth.rsvd0),
};

static void put(struct mrc_pkt *p, size_t i, uint64_t v)
{
    char *const to = (char *)p + fields[i].at;
    const uint8_t v8 = (uint8_t)v;
    const uint16_t v16 = (uint16_t)v;
    const uint32_t v32 = (uint32_t)v;
    switch (fields[i].size) {
    case 1:
        memcpy(to, &v8, 1);
        return;
    case 2:
        memcpy(to, &v16, 2);
        return;
    case 4:
        memcpy(to, &v32, 4);
        return;
    default:
        memcpy(to, &v, 8);
    }
}

static void put_ts(struct mrc_pkt *p, uint16_t ts)
{
    if (MRC_PKT_HAS(p, TSETH))
        p->tseth.tx_timestamp = ts;
    p->peth.tx_timestamp = p->erth.tx_timestamp = p->eeth.tx_timestamp = ts;
    p->cc_state.tx_timestamp = p->neth.tx_timestamp = ts;
}

static void to_ts(const struct stage *g, struct mrc_pkt *p, long v)
{
    (void)g;
    put_ts(p, (uint16_t)v);
}

static void to_psn(const struct stage *g, struct mrc_pkt *p, long v)
{
    p->bth.psn = mrc_psn_add(g->start, (int32_t)v);
}

static void to_nack_psn(const struct stage *g, struct mrc_pkt *p, long v)
{
    p->neth.nack_psn = mrc_psn_add(g->start, (int32_t)v);
}

static void to_cack(const struct stage *g, struct mrc_pkt *p, long v)
{
    p->bth.psn = p->seth.cack_psn = mrc_psn_add(g->start, (int32_t)v);
}

static uint32_t number_of(const struct stage *g, const struct mrc_pkt *p)
{
    return (uint32_t)mrc_psn_diff(p->bth.psn, g->start);
}

static void to_evs(const struct stage *g, struct mrc_pkt *p, long v)
{
    p->ev = 0x5000 + number_of(g, p) % (uint32_t)v;
}

static void to_each(const struct stage *g, struct mrc_pkt *p, long v)
{
    p->ev = 0x5000 + number_of(g, p) / (uint32_t)v % 8;
}

static void to_plane(const struct stage *g, struct mrc_pkt *p, long v)
{
    (void)g;
    stage_address(true, (unsigned)v, p->ip6.src);
}

static void to_turn(const struct stage *g, struct mrc_pkt *p, long v)
{
    stage_address(true, number_of(g, p) % (unsigned)v, p->ip6.src);
}

static void to_dst(const struct stage *g, struct mrc_pkt *p, long v)
{
    (void)g;
    stage_address(false, (unsigned)v, p->ip6.dst);
}

static void to_other(const struct stage *g, struct mrc_pkt *p, long v)
{
    static const uint8_t other[TALK_MTU] = {9};
    (void)g;
    (void)v;
    p->payload = other;
}

static void to_no_payload(const struct stage *g, struct mrc_pkt *p, long v)
{
    (void)g;
    (void)v;
    p->payload = NULL; /* as a short snap length leaves it */
}

static void to_bare(const struct stage *g, struct mrc_pkt *p, long v)
{
    (void)g;
    (void)v;
    p->present &= ~(UINT32_C(1) << MRC_HDR_TSETH);
    p->bth.ts = 0;
}

static void to_stateless(const struct stage *g, struct mrc_pkt *p, long v)
{
    (void)g;
    (void)v;
    p->present &= ~(UINT32_C(1) << MRC_HDR_CC_STATE);
}

/* Changes that are more than a number put somewhere. */
static const struct {
    const char *name;
    void (*fn)(const struct stage *g, struct mrc_pkt *p, long v);
} others[] = {
    {"ts", to_ts},
    {"psn", to_psn},
    {"npsn", to_nack_psn},
    {"cack", to_cack},
    {"evs", to_evs},
    {"each", to_each},
    {"plane", to_plane},
    {"turn", to_turn},
    {"to", to_dst},
    {"other", to_other},
    {"bare", to_bare},
    {"nopay", to_no_payload},
    {"stateless", to_stateless},
};

static bool change_other(const struct stage *g, struct mrc_pkt *p, const struct word *w)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *const v = stage_value(w, others[i].name);
        if (v == NULL)
            continue;
        others[i].fn(g, p, strtol(v, NULL, 0));
        return true;
    }
    return false;
}

bool stage_change(const struct stage *g, struct mrc_pkt *p, const char *list, size_t len)
{
    char text[200];
    bool unseen = false;
    (void)snprintf(text, sizeof text, "%.*s", (int)len, list);
    const char *at = text;
    for (struct word w; stage_word(&at, ',', &w);) {
        size_t i = 0;
        while (i < sizeof fields / sizeof fields[0] && stage_value(&w, fields[i].name) == NULL)
            i++;
        if (i < sizeof fields / sizeof fields[0])
            put(p, i, strtoull(stage_value(&w, fields[i].name), NULL, 0));
        else if (stage_value(&w, "unseen") != NULL)
            unseen = true;
        else if (!change_other(g, p, &w))
            stage_bad_word(g, &w);
    }
    return unseen;
}
