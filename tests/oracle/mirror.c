/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/mirror.h"
#include "gen/mrc_req.h"
#include <string.h>

#define PAYLOAD 64u
#define NOMINAL (40u + 8u + 12u + 4u + 4u + 16u + PAYLOAD + 4u)
#define VA      0x10000u

void mirror_init(struct mirror *m, uint32_t start)
{
    memset(m, 0, sizeof(*m));
    talk_init(&m->t);
    m->start = start;
    m->t.cfg.tap = MRCT_TAP_RESPONDER;
    talk_qp(&m->t)->start_psn = start;
    talk_qp(&m->t)->sack_threshold = 1 << 30;
}

void mirror_begin(struct mirror *m)
{
    talk_begin(&m->t);
}

void mirror_end(struct mirror *m, const char *check)
{
    const struct mrct_req_result *results;
    mrct_oracle_end(m->t.w.oracle, m->t.now_ns);
    const size_t n = mrct_oracle_results(m->t.w.oracle, &results);
    for (size_t i = 0; check != NULL && i < n; i++)
        if (strcmp(results[i].requirement, mrc_requirement_of_check(check)->id) == 0)
            m->exercised = results[i].exercised;
    watch_stop(&m->t.w);
    mrct_facts_fini(&m->t.facts);
}

static uint32_t psn_of(const struct mirror *m, uint32_t n)
{
    return mrc_psn_add(m->start, (int32_t)n);
}

static uint32_t index_of(const struct mirror *m, const struct mrc_pkt *p)
{
    return (uint32_t)mrc_psn_diff(p->bth.psn, m->start);
}

struct mrc_pkt mirror_request(const struct mirror *m, uint32_t n)
{
    struct mrc_pkt p = talk_write(MRC_OP_WRITE_ONLY, psn_of(m, n), (uint16_t)n, VA + PAYLOAD * n,
                                  PAYLOAD, PAYLOAD);
    p.tseth.tx_timestamp = (uint16_t)((0xFFE0u + 2 * n) | 1u); /* talk_frame() replaces a 0 */
    p.nominal_len = NOMINAL;
    p.ev = 0x20001u * (n + 1);
    return p;
}

struct mrc_pkt mirror_imm(const struct mirror *m, uint32_t n, uint32_t imm)
{
    struct mrc_pkt p = mirror_request(m, n);
    p.bth.opcode = MRC_OP_WRITE_ONLY_IMM;
    p.present |= UINT32_C(1) << MRC_HDR_IMMDT;
    p.immdt.imm = imm;
    return p;
}

struct mrc_pkt mirror_trimmed(const struct mrc_pkt *p, enum mrc_trim how)
{
    struct mrc_pkt cut = *p;
    cut.trim = how;
    cut.dscp = cut.inner_dscp = how == MRC_TRIM_LASTHOP ? 16 : 12;
    cut.icrc_state = MRC_ICRC_ABSENT;
    cut.payload_len = 0;
    cut.payload = NULL;
    return cut;
}

uint64_t mirror_come(struct mirror *m, const struct mrc_pkt *p)
{
    const uint32_t i = index_of(m, p);
    const bool counts = p->trim == MRC_TRIM_NONE && p->icrc_state == MRC_ICRC_VALID;
    if (counts && mrc_op_is_write(p->bth.opcode) && i < MIRROR_PSNS && !m->got[i]) {
        m->got[i] = true;
        m->ends[i] = p->bth.opcode >= MRC_OP_WRITE_LAST;
        m->bytes += p->nominal_len;
    }
    return talk_frame(&m->t, p);
}

void mirror_come_all(struct mirror *m, uint32_t first, uint32_t last)
{
    for (uint32_t n = first; n <= last; n++) {
        const struct mrc_pkt p = mirror_request(m, n);
        mirror_come(m, &p);
    }
}

static uint32_t next_expected(const struct mirror *m)
{
    uint32_t n = 0;
    while (m->got[n])
        n++;
    return n;
}

struct mrc_pkt mirror_sack(const struct mirror *m, const struct mrc_pkt *trigger)
{
    const uint32_t next = next_expected(m);
    uint64_t bitmap = 0;
    uint16_t ooo = 0;
    for (uint32_t n = next; n < MIRROR_PSNS; n++)
        if (m->got[n]) {
            ooo++;
            bitmap |= n - next < 64 ? UINT64_C(1) << (n - next) : 0;
        }
    struct mrc_pkt p = talk_sack(mrc_psn_add(psn_of(m, next), -1), bitmap);
    const bool probe = trigger->bth.opcode == MRC_OP_PROBE;
    p.seth.pr = probe;
    if (probe)
        p.seth.probe_id = trigger->peth.probe_id;
    else
        p.seth.ack_psn_offset = (int16_t)mrc_psn_diff(trigger->bth.psn, p.seth.cack_psn);
    p.seth.entropy = trigger->ev;
    p.seth.m = trigger->ecn == 3 ? MRC_M_SKIP_ONCE : MRC_M_NONE;
    p.bth.rtx = trigger->bth.rtx;
    p.cc_state.tx_timestamp = probe             ? trigger->peth.tx_timestamp
                              : trigger->bth.ts ? trigger->tseth.tx_timestamp
                                                : 0;
    p.cc_state.ooo_count = ooo;
    p.cc_state.rcvd_bytes = (uint32_t)((m->bytes + 255) / 256) & 0xFFFFFFu;
    return p;
}

struct mrc_pkt mirror_nack(const struct mrc_pkt *trigger, uint8_t reason)
{
    struct mrc_pkt p = talk_nack(trigger, reason);
    p.neth.tx_timestamp = trigger->tseth.tx_timestamp;
    p.bth.rtx = trigger->bth.rtx;
    return p;
}

struct mrc_pkt mirror_ack(const struct mirror *m)
{
    const uint32_t next = next_expected(m);
    uint32_t done = 0;
    for (uint32_t n = 0; n < next; n++)
        done += m->ends[n];
    return talk_ack(mrc_psn_add(psn_of(m, next), -1), done, MRC_SYN_ACK);
}

void mirror_long_after(struct mirror *m, uint32_t n)
{
    talk_wait(&m->t, 2 * m->t.cfg.reaction_ns);
    mirror_come_all(m, n, n);
}

void mirror_event(struct mirror *m, const struct mrct_event *ev)
{
    struct mrct_event mine = *ev;
    mine.time_ns = m->t.now_ns;
    mine.host = "answerer";
    mine.qpn = TALK_PEER_QPN;
    mrct_oracle_event(m->t.w.oracle, &mine);
}
