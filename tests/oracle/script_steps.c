/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a script: frames and events. */
#include "tests/oracle/stage.h"
#include <stdlib.h>
#include <string.h>

#define NOMINAL (40u + 8u + 12u + 4u + 4u + 16u + 4u) /* of a request, without its payload */

static void show(struct stage *g, const struct mrc_pkt *p)
{
    g->t.now_ns = g->waited ? g->next_ns : g->t.now_ns + STAGE_STEP_NS;
    g->waited = false;
    struct mrct_obs obs = {.frame_no = ++g->t.frame_no,
                           .time_ns = g->t.now_ns,
                           .time_err_ns = g->err_ns,
                           .err = p->icrc_state == MRC_ICRC_WRONG ? MRC_WIRE_BAD_ICRC : MRC_WIRE_OK,
                           .pkt = *p};
    obs.cap_len = obs.wire_len = 100 + p->payload_len;
    mrct_oracle_frame(g->t.w.oracle, &obs);
}

static uint64_t time_of_next(const struct stage *g)
{
    return g->waited ? g->next_ns : g->t.now_ns + STAGE_STEP_NS;
}
struct step {
    char what;
    uint32_t from, to;
    const char *changes;
    size_t changes_len;
};

static uint32_t psn_of(const struct stage *g, uint32_t n)
{
    return mrc_psn_add(g->start, (int32_t)n);
}

static void tell(struct stage *g, struct mrc_pkt *p, const struct step *st)
{
    if (!stage_change(g, p, st->changes, st->changes_len))
        show(g, p);
}

static void arrive(struct stage *g, uint32_t n)
{
    const struct mrc_pkt *const p = &g->sent[n];
    if (g->got[n] || p->trim != MRC_TRIM_NONE || p->icrc_state != MRC_ICRC_VALID)
        return;
    g->got[n] = true;
    g->ends[n] = p->bth.opcode >= MRC_OP_WRITE_LAST;
    g->bytes += p->nominal_len;
}

static void size(struct mrc_pkt *p, uint32_t len)
{
    p->payload_len = p->reth.dma_len = len;
    p->nominal_len = NOMINAL + len;
}

static void request(struct stage *g, const struct step *st, uint32_t n)
{
    struct mrc_pkt *const p = &g->sent[n];
    g->next = n + 1 > g->next ? n + 1 : g->next;
    const bool imm = st->what == 'i';
    const bool message = st->what == 'm';
    *p = talk_write(imm ? MRC_OP_WRITE_ONLY_IMM : MRC_OP_WRITE_ONLY, psn_of(g, n), g->msn,
                    0x10000 + STAGE_LEN * n, STAGE_LEN, STAGE_LEN);
    size(p, STAGE_LEN);
    if (imm)
        p->meth.rqmsn = ++g->rqmsn;
    if (message && st->from != st->to) {
        p->bth.opcode = n == st->from ? MRC_OP_WRITE_FIRST
                        : n == st->to ? MRC_OP_WRITE_LAST
                                      : MRC_OP_WRITE_MIDDLE;
        size(p, TALK_MTU);
        p->reth.va = 0x100000 + TALK_MTU * n;
        p->reth.dma_len = TALK_MTU * (st->to - st->from + 1);
    }
    if (!message || n == st->to)
        g->msn++;
    p->tseth.tx_timestamp = (uint16_t)(time_of_next(g) / 128);
    p->bth.a = st->what != 'm' || n == st->to;
    const bool unseen = stage_change(g, p, st->changes, st->changes_len);
    if (st->what != 'l')
        arrive(g, n);
    if (!unseen)
        show(g, p);
}

static void request_again(struct stage *g, const struct step *st, uint32_t n)
{
    struct mrc_pkt p = talk_again(&g->sent[n], 0x70000 + g->again++ % 64);
    p.tseth.tx_timestamp = (uint16_t)(time_of_next(g) / 128);
    const bool unseen = stage_change(g, &p, st->changes, st->changes_len);
    g->sent[n] = p;
    if (st->what == 'r')
        arrive(g, n);
    if (!unseen)
        show(g, &p);
}

/* What a switch leaves of it; for one that was not sent yet, of a new one. */
static void request_trimmed(struct stage *g, const struct step *st, uint32_t n)
{
    if (g->sent[n].present == 0) {
        const struct step lost = {.what = 'l', .changes = "unseen", .changes_len = 6};
        request(g, &lost, n);
    }
    struct mrc_pkt p = g->sent[n];
    p.trim = st->what == 'T' ? MRC_TRIM_LASTHOP : MRC_TRIM_TRIMMED;
    p.dscp = p.inner_dscp = st->what == 'T' ? 16 : 12;
    p.icrc_state = MRC_ICRC_ABSENT;
    p.payload_len = 0;
    p.payload = NULL;
    tell(g, &p, st);
}

static uint32_t next_expected(const struct stage *g)
{
    uint32_t n = 0;
    while (n < STAGE_PSNS && g->got[n])
        n++;
    return n;
}

static struct mrc_pkt honest_sack(const struct stage *g)
{
    const uint32_t next = next_expected(g);
    uint64_t bitmap = 0;
    uint16_t ooo = 0;
    for (uint32_t n = next; n < STAGE_PSNS; n++) {
        ooo += g->got[n];
        bitmap |= g->got[n] && n - next < 64 ? UINT64_C(1) << (n - next) : 0;
    }
    struct mrc_pkt p = talk_sack(mrc_psn_add(psn_of(g, next), -1), bitmap);
    p.cc_state.ooo_count = ooo;
    p.cc_state.rcvd_bytes = (uint32_t)((g->bytes + 255) / 256) & 0xFFFFFFu;
    return p;
}

static void sack(struct stage *g, const struct step *st, uint32_t n)
{
    struct mrc_pkt p = honest_sack(g);
    const bool probe = st->what == 'P';
    const struct mrc_pkt *const of = probe ? &g->probe[n % STAGE_PROBES] : &g->sent[n];
    p.seth.entropy = of->ev;
    p.seth.m = of->ecn == 3 ? MRC_M_SKIP_ONCE : MRC_M_NONE;
    p.bth.rtx = of->bth.rtx;
    p.cc_state.tx_timestamp = probe                    ? of->peth.tx_timestamp
                              : MRC_PKT_HAS(of, TSETH) ? of->tseth.tx_timestamp
                                                       : 0;
    p.seth.pr = probe;
    if (probe)
        p.seth.probe_id = of->peth.probe_id;
    else
        p.seth.ack_psn_offset = (int16_t)mrc_psn_diff(of->bth.psn, p.seth.cack_psn);
    tell(g, &p, st);
}

static void nack(struct stage *g, const struct step *st, uint32_t n)
{
    struct mrc_pkt p = talk_nack(&g->sent[n], MRC_NACK_NO_BITMAP);
    p.neth.tx_timestamp = g->sent[n].tseth.tx_timestamp;
    p.bth.rtx = g->sent[n].bth.rtx;
    tell(g, &p, st);
}

/* A: the requestor's, of what its peer sends. */
static void ack(struct stage *g, const struct step *st, uint32_t n)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i <= n && i < STAGE_PSNS; i++)
        done += g->ends[i];
    struct mrc_pkt p = talk_ack(psn_of(g, n), done, MRC_SYN_ACK);
    if (st->what == 'A') {
        stage_address(true, 0, p.ip6.src);
        stage_address(false, 0, p.ip6.dst);
        p.bth.dest_qp = TALK_PEER_QPN;
    }
    tell(g, &p, st);
}

static void probe(struct stage *g, const struct step *st, uint32_t n)
{
    struct mrc_pkt *const p = &g->probe[n % STAGE_PROBES];
    *p = talk_probe((uint16_t)n);
    p->ev = 0x9000 + n;
    p->peth.tx_timestamp = (uint16_t)(time_of_next(g) / 128);
    tell(g, p, st);
}

static void endpoint(struct stage *g, const struct step *st, uint32_t n)
{
    const bool response = st->what == 'f';
    struct mrc_pkt p = talk_probe(0);
    p.present &= ~(UINT32_C(1) << MRC_HDR_PETH);
    p.present |= UINT32_C(1) << (response ? MRC_HDR_EETH : MRC_HDR_ERTH);
    p.bth.opcode = response ? MRC_OP_EP_RESPONSE : MRC_OP_EP_REQUEST;
    p.bth.dest_qp = 2;
    p.bth.psn = n;
    p.dscp = p.inner_dscp = response ? 46 : 4;
    p.erth.op = st->what == 'e' ? MRC_EP_OP_EV_PROBE : MRC_EP_OP_PORT_STATUS;
    p.erth.ftype = 1;
    p.eeth.op = MRC_EP_OP_EV_PROBE;
    p.eeth.tx_timestamp = p.erth.tx_timestamp = (uint16_t)(1000 + n);
    stage_address(st->what == 'e', 0, p.ip6.src);
    stage_address(st->what != 'e', 0, p.ip6.dst);
    tell(g, &p, st);
}

static void request_of_other_qp(struct stage *g, const struct step *st, uint32_t n)
{
    struct mrc_pkt p = talk_only(psn_of(g, n), (uint16_t)n);
    p.bth.dest_qp = TALK_PEER_QPN + 1;
    p.tseth.tx_timestamp = (uint16_t)(time_of_next(g) / 128);
    tell(g, &p, st);
}

static const struct {
    const char *whats;
    void (*fn)(struct stage *g, const struct step *st, uint32_t n);
} steps[] = {
    {"wilm", request}, {"rR", request_again}, {"tT", request_trimmed},
    {"sP", sack},      {"n", nack},           {"aA", ack},
    {"p", probe},      {"efE", endpoint},     {"x", request_of_other_qp},
};

void stage_event(struct stage *g, const struct word *w)
{
    static const struct {
        const char *name;
        struct mrct_event ev;
    } events[] = {
        {"!post", {.kind = MRCT_EVENT_POST_WRITE, .host = "asker", .qpn = TALK_ASKER_QPN}},
        {"!done", {.kind = MRCT_EVENT_SEND_DONE, .host = "asker", .qpn = TALK_ASKER_QPN}},
        {"!error", {.kind = MRCT_EVENT_QP_ERROR, .host = "asker", .qpn = TALK_ASKER_QPN}},
        {"!rerror", {.kind = MRCT_EVENT_QP_ERROR, .host = "answerer", .qpn = TALK_PEER_QPN}},
        {"!imm", {.kind = MRCT_EVENT_RECV_IMM, .host = "answerer", .qpn = TALK_PEER_QPN}},
        {"!port", {.kind = MRCT_EVENT_PORT, .host = "asker", .qpn = TALK_ASKER_QPN}},
        {"!rport", {.kind = MRCT_EVENT_PORT, .host = "answerer", .qpn = TALK_PEER_QPN}},
        {"!ev", {.kind = MRCT_EVENT_EV_STATE, .host = "asker", .qpn = TALK_ASKER_QPN}},
    };
    for (size_t i = sizeof events / sizeof events[0]; i-- > 0;) {
        const size_t n = strlen(events[i].name);
        if (w->len < n || memcmp(w->at, events[i].name, n) != 0)
            continue;
        struct mrct_event ev = events[i].ev;
        char *end = (char *)(uintptr_t)w->at + n;
        const bool numbered = *end >= '0' && *end <= '9'; /* no blank, and what stands behind it */
        const uint32_t no = numbered ? (uint32_t)strtoul(w->at + n, &end, 10) % STAGE_PSNS : 0;
        ev.time_ns = g->t.now_ns = g->waited ? g->next_ns : g->t.now_ns;
        g->waited = false;
        ev.wr_id = no;
        ev.psn = UINT32_MAX;
        ev.va = 0x10000 + STAGE_LEN * no;
        ev.rkey = 0x1234;
        ev.len_bytes = STAGE_LEN;
        ev.has_imm = g->sent[no].bth.opcode == MRC_OP_WRITE_ONLY_IMM;
        ev.imm = g->sent[no].immdt.imm;
        if (*end == ':')
            ev.status = (int)strtol(end + 1, NULL, 10);
        mrct_oracle_event(g->t.w.oracle, &ev);
        return;
    }
    stage_bad_word(g, w);
}

void stage_step(struct stage *g, const struct word *w)
{
    struct step st = {.what = w->at[0]};
    char *end;
    const bool counts_on = w->at[1] == '>';
    st.from = st.to = (uint32_t)strtoul(w->at + 1 + counts_on, &end, 10);
    if (counts_on && strchr("wil", st.what) != NULL) {
        const uint32_t count = st.from > 0 ? st.from : 1;
        st.from = g->next;
        st.to = g->next + count - 1;
    } else if (counts_on) {
        st.from = st.to = g->next - 1;
    }
    if (end[0] == '.' && end[1] == '.')
        st.to = (uint32_t)strtoul(end + 2, &end, 10);
    else if (end[0] == '-')
        st.to = (uint32_t)strtoul(end + 1, &end, 10);
    if (*end == ':') {
        st.changes = end + 1;
        st.changes_len = w->len - (size_t)(st.changes - w->at);
    }
    if (st.what == 'c') {
        show(g, &g->sent[st.from]);
        return;
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (strchr(steps[i].whats, st.what) == NULL)
            continue;
        for (uint32_t n = st.from; n <= st.to; n++)
            steps[i].fn(g, &st, n);
        return;
    }
    stage_bad_word(g, w);
}
