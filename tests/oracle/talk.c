/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/talk.h"
#include "gen/mrc_req.h"
#include <check.h>
#include <stdio.h>
#include <string.h>

static const uint8_t asker_ip[16] = {0xfd, 1}, answerer_ip[16] = {0xfd, 2};
static const uint8_t bytes[8192] = {1, 2, 3}; /* more than any test claims to send */

void talk_init(struct talk *t)
{
    t->frame_no = 0;
    mrct_facts_init(&t->facts);
    t->facts.path_mtu = (int)TALK_MTU;
    mrc_wire_config_default(&t->facts.wire);
    t->facts.have_dscp = true;
    const int asker = mrct_facts_add_host(&t->facts, "asker");
    const int answerer = mrct_facts_add_host(&t->facts, "answerer");
    ck_assert_int_eq(mrct_facts_add_addr(&t->facts, asker, true, asker_ip, 0), 0);
    ck_assert_int_eq(mrct_facts_add_addr(&t->facts, answerer, true, answerer_ip, 0), 0);
    struct mrct_fact_qp *const q = mrct_facts_add_qp(&t->facts, asker, answerer);
    ck_assert_ptr_nonnull(q);
    q->qpn = TALK_ASKER_QPN;
    q->peer_qpn = TALK_PEER_QPN;
    q->start_psn = TALK_START_PSN;
    q->mpr = 8;
    q->dynamic_mpr = q->svc_time = 0;
    q->trim_nack = 1;
    q->max_wimm = 32;
    q->timeout = TALK_TIMEOUT;
    q->linear_cnt = 2;
    q->exp_cnt = 3;
    q->exp_ceiling_ns = 1000000000;
    mrct_oracle_config_default(&t->cfg);
    t->cfg.facts = &t->facts;
    t->cfg.tap = MRCT_TAP_REQUESTOR;
    t->cfg.strict = true;
    t->now_ns = 1000000;
}

struct mrct_fact_qp *talk_qp(struct talk *t)
{
    return &t->facts.qps[0];
}

void talk_begin(struct talk *t)
{
    watch_start(&t->w, &t->cfg);
    ck_assert_ptr_nonnull(t->w.oracle);
}

static uint64_t show(struct talk *t, const struct mrc_pkt *p, enum mrc_wire_error err)
{
    struct mrct_obs obs = {.frame_no = ++t->frame_no, .err = err, .pkt = *p};
    t->now_ns += 100;
    obs.time_ns = t->now_ns;
    obs.cap_len = obs.wire_len = 100 + p->payload_len;
    if (MRC_PKT_HAS(p, TSETH) && p->tseth.tx_timestamp == 0)
        obs.pkt.tseth.tx_timestamp = (uint16_t)(t->now_ns / 128);
    mrct_oracle_frame(t->w.oracle, &obs);
    return obs.frame_no;
}

uint64_t talk_frame(struct talk *t, const struct mrc_pkt *p)
{
    return show(t, p, p->icrc_state == MRC_ICRC_WRONG ? MRC_WIRE_BAD_ICRC : MRC_WIRE_OK);
}

uint64_t talk_broken(struct talk *t, const struct mrc_pkt *p, enum mrc_wire_error err)
{
    return show(t, p, err);
}

void talk_event(struct talk *t, enum mrct_event_kind kind, uint64_t wr_id, int status)
{
    const struct mrct_event ev = {.kind = kind,
                                  .time_ns = t->now_ns,
                                  .host = "asker",
                                  .qpn = TALK_ASKER_QPN,
                                  .wr_id = wr_id,
                                  .status = status,
                                  .psn = UINT32_MAX};
    mrct_oracle_event(t->w.oracle, &ev);
}

void talk_posted(struct talk *t, uint64_t wr_id, const struct mrc_pkt *message)
{
    const struct mrct_event ev = {.kind = MRCT_EVENT_POST_WRITE,
                                  .time_ns = t->now_ns,
                                  .host = "asker",
                                  .qpn = TALK_ASKER_QPN,
                                  .wr_id = wr_id,
                                  .va = message->reth.va,
                                  .rkey = message->reth.rkey,
                                  .len_bytes = message->reth.dma_len,
                                  .psn = UINT32_MAX};
    mrct_oracle_event(t->w.oracle, &ev);
}

void talk_wait(struct talk *t, uint64_t ns)
{
    t->now_ns += ns;
}

void talk_end(struct talk *t)
{
    mrct_oracle_end(t->w.oracle, t->now_ns);
    watch_stop(&t->w);
    mrct_facts_fini(&t->facts);
}

#define BIT(hdr) (UINT32_C(1) << MRC_HDR_##hdr)

static struct mrc_pkt packet(uint8_t opcode, bool forward, uint32_t psn)
{
    struct mrc_pkt p = {.present = BIT(ETH) | BIT(IPV6) | BIT(UDP) | BIT(BTH),
                        .is_v6 = true,
                        .dscp = forward ? 4 : 46,
                        .ecn = 2,
                        .icrc_state = MRC_ICRC_VALID,
                        .icrc = psn};
    p.inner_dscp = p.dscp;
    p.inner_ecn = p.ecn;
    p.ev = TALK_NO_EV + psn;
    memcpy(p.ip6.src, forward ? asker_ip : answerer_ip, 16);
    memcpy(p.ip6.dst, forward ? answerer_ip : asker_ip, 16);
    p.ip6.flow_label = p.ev & 0xFFFF;
    p.udp.src_port = (uint16_t)(p.ev >> 16);
    p.udp.dst_port = 4791;
    p.bth.opcode = opcode;
    p.bth.pkey = 0xFFFF;
    p.bth.dest_qp = forward ? TALK_PEER_QPN : TALK_ASKER_QPN;
    p.bth.psn = psn;
    return p;
}

struct mrc_pkt talk_write(uint8_t opcode, uint32_t psn, uint16_t msn, uint64_t va, uint32_t len,
                          uint32_t dma_len)
{
    struct mrc_pkt p = packet(opcode, true, psn);
    p.present |= BIT(METH) | BIT(TSETH) | BIT(RETH);
    p.bth.ts = 1;
    p.tseth.ftype = 1;
    p.meth.msn = msn;
    p.reth.va = va;
    p.reth.rkey = 0x1234;
    p.reth.dma_len = dma_len;
    p.payload_len = len;
    p.payload = bytes;
    p.bth.pad_cnt = (uint8_t)(3u & (0u - len));
    if (opcode == MRC_OP_WRITE_LAST_IMM || opcode == MRC_OP_WRITE_ONLY_IMM) {
        p.present |= BIT(IMMDT);
        p.immdt.imm = 7;
    }
    return p;
}

struct mrc_pkt talk_only(uint32_t psn, uint16_t msn)
{
    struct mrc_pkt p = talk_write(MRC_OP_WRITE_ONLY, psn, msn, 0x9000, 4, 4);
    p.bth.a = 1;
    return p;
}

struct mrc_pkt talk_again(const struct mrc_pkt *first, uint32_t ev)
{
    struct mrc_pkt p = *first;
    p.bth.rtx = 1;
    p.ev = ev;
    p.icrc++;
    p.dscp = p.inner_dscp = 8;
    return p;
}

struct mrc_pkt talk_sack(uint32_t cack, uint64_t above)
{
    struct mrc_pkt p = packet(MRC_OP_SACK, false, cack);
    p.present |= BIT(SETH) | BIT(CC_STATE);
    p.seth.cack_psn = cack;
    p.seth.spdcid = TALK_PEER_QPN;
    p.seth.dpdcid = TALK_ASKER_QPN;
    p.seth.sack_offset = 1;
    p.seth.sack_bitmap = above;
    return p;
}

struct mrc_pkt talk_nack(const struct mrc_pkt *of, uint8_t reason)
{
    struct mrc_pkt p = packet(MRC_OP_NACK, false, of->bth.psn);
    p.present |= BIT(NETH);
    p.neth.nack_reason = reason;
    p.neth.nack_psn = of->bth.psn;
    p.neth.entropy = of->ev;
    p.neth.cc_type = 2;
    p.neth.spdcid = TALK_PEER_QPN;
    p.neth.dpdcid = TALK_ASKER_QPN;
    return p;
}

struct mrc_pkt talk_ack(uint32_t psn, uint32_t msn, uint8_t syndrome)
{
    struct mrc_pkt p = packet(MRC_OP_ACK, false, psn);
    p.present |= BIT(AETH);
    p.aeth.syndrome = syndrome;
    p.aeth.msn = msn;
    return p;
}

struct mrc_pkt talk_probe(uint16_t id)
{
    struct mrc_pkt p = packet(MRC_OP_PROBE, true, 0);
    p.present |= BIT(PETH);
    p.peth.probe_id = id;
    p.peth.ftype = 1;
    return p;
}

/* The names of hosts are gone with the facts. */
static void print(const struct watch *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct mrct_finding *const f = &w->found[i];
        printf("  %s %s frame %llu: %s\n", mrct_finding_kind_str(f->kind), f->check,
               (unsigned long long)(f->frame_count != 0 ? f->frames[0] : 0), f->why);
    }
}

static bool fails_at(const struct talk *t, const char *check, uint64_t frame)
{
    for (size_t i = 0; i < t->w.count; i++) {
        const struct mrct_finding *const f = &t->w.found[i];
        if (f->kind != MRCT_FINDING_INCONCLUSIVE && strcmp(f->check, check) == 0 &&
            (frame == 0 || (f->frame_count > 0 && f->frames[0] == frame)))
            return true;
    }
    return false;
}

void talk_fails(const struct talk *t, const char *check, uint64_t frame)
{
    if (!fails_at(t, check, frame))
        print(&t->w);
    ck_assert_msg(fails_at(t, check, frame), "%s does not fail on frame %llu", check,
                  (unsigned long long)frame);
}

void talk_holds(const struct talk *t, const char *check)
{
    ck_assert_msg(!fails_at(t, check, 0), "%s fails", check);
}

void talk_all_hold(const struct talk *t)
{
    if (watch_count(&t->w, MRCT_FINDING_FAIL) + watch_count(&t->w, MRCT_FINDING_WARN) != 0)
        print(&t->w);
    ck_assert_uint_eq(watch_count(&t->w, MRCT_FINDING_FAIL), 0);
    ck_assert_uint_eq(watch_count(&t->w, MRCT_FINDING_WARN), 0);
}

static enum mrc_req_role role_of(const char *id)
{
    for (size_t i = 0; i < mrc_requirement_count; i++)
        if (strcmp(mrc_requirements[i].id, id) == 0)
            return mrc_requirements[i].role;
    return MRC_ROLE_ANY;
}

void talk_requestor_holds(const struct talk *t)
{
    for (size_t i = 0; i < t->w.count; i++) {
        const struct mrct_finding *const f = &t->w.found[i];
        ck_assert_msg(f->kind == MRCT_FINDING_INCONCLUSIVE ||
                          role_of(f->requirement) == MRC_ROLE_RESPONDER,
                      "%s: %s", f->check, f->why);
    }
}
