/* SPDX-License-Identifier: BSD-2-Clause */
/* Stories of NACKs, transport ACKs, placement, the window and probes. */
#include "ref/endpoint/mrc_ep.h"
#include "tests/oracle/pairs.h"

typedef void change_fn(struct mrc_pkt *p);

static void set_rtx(struct mrc_pkt *p)
{
    p->bth.rtx = 1;
}
static void clear_rtx(struct mrc_pkt *p)
{
    p->bth.rtx = 0;
}

/* ---- NACKs ---- */

static void one_nack(struct mirror *m, bool lie, change_fn *before, change_fn *change)
{
    mirror_come_all(m, 1, 3);
    struct mrc_pkt whole = mirror_request(m, 4);
    if (before != NULL)
        before(&whole);
    const struct mrc_pkt p = mirror_trimmed(&whole, MRC_TRIM_TRIMMED);
    mirror_come(m, &p);
    struct mrc_pkt n = mirror_nack(&p, MRC_NACK_TRIMMED);
    if (lie)
        change(&n);
    talk_frame(&m->t, &n);
}

static void trimmed_nacked(struct mirror *m, bool lie)
{
    const struct mrc_pkt whole = mirror_request(m, 0);
    const struct mrc_pkt p = mirror_trimmed(&whole, MRC_TRIM_LASTHOP);
    mirror_come(m, &p);
    const struct mrc_pkt n = mirror_nack(&p, MRC_NACK_TRIMMED_LASTHOP);
    if (!lie)
        talk_frame(&m->t, &n);
    mirror_long_after(m, 1);
}

static void last_hop(struct mrc_pkt *p)
{
    p->neth.nack_reason = MRC_NACK_TRIMMED_LASTHOP;
}
static void reason_swapped(struct mirror *m, bool lie)
{
    one_nack(m, lie, NULL, last_hop);
}

static void not_capable(struct mirror *m)
{
    talk_qp(&m->t)->trim_nack = 0;
}
static void nack_anyway(struct mirror *m, bool lie)
{
    const struct mrc_pkt whole = mirror_request(m, 0);
    const struct mrc_pkt p = mirror_trimmed(&whole, MRC_TRIM_TRIMMED);
    mirror_come(m, &p);
    const struct mrc_pkt n = mirror_nack(&p, MRC_NACK_TRIMMED);
    if (lie)
        talk_frame(&m->t, &n);
    mirror_long_after(m, 1);
}

static void nack_next(struct mrc_pkt *p)
{
    p->neth.nack_psn = p->bth.psn = mrc_psn_add(p->neth.nack_psn, 1);
}
static void nack_psn(struct mirror *m, bool lie)
{
    one_nack(m, lie, NULL, nack_next);
}
static void nack_before(struct mrc_pkt *p)
{
    p->neth.nack_psn = p->bth.psn = mrc_psn_add(p->neth.nack_psn, -1);
}
static void nack_neighbour(struct mirror *m, bool lie)
{
    one_nack(m, lie, NULL, nack_before);
}

static void nack_entropy_off(struct mrc_pkt *p)
{
    p->neth.entropy ^= 0x80;
}
static void nack_entropy(struct mirror *m, bool lie)
{
    one_nack(m, lie, NULL, nack_entropy_off);
}

static void nack_time_off(struct mrc_pkt *p)
{
    p->neth.tx_timestamp -= 3;
}
static void nack_time(struct mirror *m, bool lie)
{
    one_nack(m, lie, NULL, nack_time_off);
}
static void nack_rtx(struct mirror *m, bool lie)
{
    one_nack(m, lie, set_rtx, clear_rtx);
}

static void trimmed_recorded(struct mirror *m, bool lie)
{
    struct mrc_pkt whole = mirror_request(m, 1);
    struct mrc_pkt p = mirror_trimmed(&whole, MRC_TRIM_TRIMMED);
    mirror_come(m, &p);
    struct mrc_pkt n = mirror_nack(&p, MRC_NACK_TRIMMED);
    talk_frame(&m->t, &n);
    p = mirror_request(m, 3);
    p.bth.a = 1;
    mirror_come(m, &p);
    n = mirror_sack(m, &p);
    if (lie)
        n.seth.sack_bitmap |= 2;
    talk_frame(&m->t, &n);
}

/* ---- transport ACKs and what is dropped ---- */

static void early_ack(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 3);
    struct mrc_pkt a = mirror_ack(m);
    if (lie)
        a.bth.psn = mrc_psn_add(a.bth.psn, 1);
    talk_frame(&m->t, &a);
}

static void wrong_msn(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 3);
    struct mrc_pkt a = mirror_ack(m);
    talk_frame(&m->t, &a);
    mirror_come_all(m, 4, 5);
    a = mirror_ack(m);
    a.aeth.msn -= lie;
    talk_frame(&m->t, &a);
}

static void no_ack(struct mirror *m, bool lie)
{
    struct mrc_pkt p = mirror_request(m, 1);
    p.bth.a = 1;
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    mirror_come_all(m, 0, 0);
    s = mirror_ack(m);
    if (!lie)
        talk_frame(&m->t, &s);
    mirror_long_after(m, 2);
}

static void with_events(struct mirror *m)
{
    m->t.cfg.have_events = true;
}

static void refused(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 0);
    const struct mrct_event ev = {.kind = MRCT_EVENT_QP_ERROR, .status = MRC_WC_LOCAL_ACCESS};
    mirror_event(m, &ev);
    const struct mrc_pkt a = talk_ack(m->start, 0, MRC_SYN_REMOTE_ACCESS);
    if (!lie)
        talk_frame(&m->t, &a);
    mirror_long_after(m, 1);
}

/* Request 1 comes damaged; later SACKs must not know of it. */
static void damaged(struct mirror *m, bool lie, enum mrc_wire_error err)
{
    struct mrc_pkt p = mirror_request(m, 1);
    if (err == MRC_WIRE_BAD_ICRC) {
        p.icrc_state = MRC_ICRC_WRONG;
        mirror_come(m, &p);
    } else {
        talk_broken(&m->t, &p, err);
    }
    p = mirror_request(m, 3);
    p.bth.a = 1;
    mirror_come(m, &p);
    p = mirror_sack(m, &p);
    if (lie)
        p.seth.sack_bitmap |= 2;
    talk_frame(&m->t, &p);
}

static void bad_icrc(struct mirror *m, bool lie)
{
    damaged(m, lie, MRC_WIRE_BAD_ICRC);
}
static void bad_opcode(struct mirror *m, bool lie)
{
    damaged(m, lie, MRC_WIRE_BAD_TVER);
}
static void bad_length(struct mirror *m, bool lie)
{
    damaged(m, lie, MRC_WIRE_BAD_PAD);
}

/* ---- immediate data and memory ---- */

static void deliver(struct mirror *m, uint32_t imm)
{
    const struct mrct_event ev = {.kind = MRCT_EVENT_RECV_IMM, .has_imm = true, .imm = imm};
    mirror_event(m, &ev);
}

static void imm_early(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = mirror_imm(m, 1, 77);
    mirror_come(m, &p);
    if (lie)
        deliver(m, 77);
    mirror_come_all(m, 0, 0);
    if (!lie)
        deliver(m, 77);
}

static void imm_order(struct mirror *m, bool lie)
{
    for (uint32_t n = 0; n < 2; n++) {
        const struct mrc_pkt p = mirror_imm(m, n, 70 + n);
        mirror_come(m, &p);
    }
    deliver(m, lie ? 71 : 70);
    deliver(m, lie ? 70 : 71);
}

static void imm_twice(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = mirror_imm(m, 0, 70);
    mirror_come(m, &p);
    deliver(m, 70);
    if (lie)
        deliver(m, 70);
}

static void imm_never(struct mirror *m, bool lie)
{
    struct mrc_pkt p = mirror_imm(m, 0, 70);
    p.bth.a = 1;
    mirror_come(m, &p);
    p = mirror_sack(m, &p);
    talk_frame(&m->t, &p);
    p = mirror_ack(m);
    talk_frame(&m->t, &p);
    if (!lie)
        deliver(m, 70);
    mirror_long_after(m, 1);
}

static void placed(struct mirror *m, const struct mrc_pkt *p, uint64_t by)
{
    const struct mrct_event ev = {.kind = MRCT_EVENT_MEM_WRITE,
                                  .va = p->reth.va + by,
                                  .len_bytes = p->payload_len,
                                  .psn = p->bth.psn};
    mirror_event(m, &ev);
}

static void memory_is(struct mirror *m, bool ok)
{
    const struct mrct_event ev = {
        .kind = MRCT_EVENT_MEM_CHECK, .va = 0x10000, .len_bytes = 4096, .ok = ok};
    mirror_event(m, &ev);
}

static void placement(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = mirror_request(m, 0);
    mirror_come(m, &p);
    placed(m, &p, lie ? 8 : 0);
}

static void memory(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 3);
    memory_is(m, !lie);
}

/* A duplicate, and its answers. */
static struct mrc_pkt duplicate(struct mirror *m)
{
    const struct mrc_pkt p = mirror_request(m, 0);
    mirror_come(m, &p);
    placed(m, &p, 0);
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    s = mirror_ack(m);
    talk_frame(&m->t, &s);
    return p;
}

static void placed_twice(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = duplicate(m);
    if (lie)
        placed(m, &p, 0);
    memory_is(m, !lie);
}

static void overwritten(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = mirror_request(m, 1);
    mirror_come(m, &p);
    mirror_come(m, &p);
    const struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    memory_is(m, !lie);
}

static void old_not_acked(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = mirror_request(m, 0);
    mirror_come(m, &p);
    mirror_come(m, &p);
    const struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    const struct mrc_pkt a = mirror_ack(m);
    if (!lie)
        talk_frame(&m->t, &a);
    mirror_long_after(m, 1);
}

/* ---- the window ---- */

static struct mrc_pkt beyond(const struct mirror *m)
{
    struct mrc_pkt p = mirror_request(m, 1025);
    p.bth.psn = mrc_psn_add(m->start, 1025);
    return p;
}

static void beyond_recorded(struct mirror *m, bool lie)
{
    struct mrc_pkt p = beyond(m);
    talk_frame(&m->t, &p);
    p = mirror_nack(&p, MRC_NACK_PSN_OOR_WINDOW);
    talk_frame(&m->t, &p);
    p = mirror_request(m, 1);
    p.bth.a = 1;
    mirror_come(m, &p);
    p = mirror_sack(m, &p);
    if (lie) {
        p.seth.sack_offset = 1000;
        p.seth.sack_bitmap = UINT64_C(1) << 26;
    }
    talk_frame(&m->t, &p);
}

static void beyond_silent(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = beyond(m);
    talk_frame(&m->t, &p);
    const struct mrc_pkt n = mirror_nack(&p, MRC_NACK_PSN_OOR_WINDOW);
    if (!lie)
        talk_frame(&m->t, &n);
    mirror_long_after(m, 0);
}

/* ---- probes ---- */

static void probe_silent(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = talk_probe(77);
    talk_frame(&m->t, &p);
    const struct mrc_pkt s = mirror_sack(m, &p);
    if (!lie)
        talk_frame(&m->t, &s);
    mirror_long_after(m, 0);
}

static void probe_other_id(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = talk_probe(77);
    talk_frame(&m->t, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    s.seth.probe_id ^= lie;
    talk_frame(&m->t, &s);
}

static struct mrc_pkt node_packet(uint8_t opcode, uint16_t id)
{
    struct mrc_pkt p = talk_probe(0);
    p.present &= ~(UINT32_C(1) << MRC_HDR_PETH);
    p.bth.opcode = opcode;
    p.bth.dest_qp = 2;
    p.bth.psn = id;
    if (opcode == MRC_OP_EP_REQUEST) {
        p.present |= UINT32_C(1) << MRC_HDR_ERTH;
        p.erth.op = MRC_EP_OP_EV_PROBE;
        p.erth.tx_timestamp = 500;
        p.erth.ftype = 1;
        return p;
    }
    const struct mrc_ipv6 ip = p.ip6;
    for (unsigned i = 0; i < 16; i++) {
        p.ip6.src[i] = ip.dst[i];
        p.ip6.dst[i] = ip.src[i];
    }
    p.present |= UINT32_C(1) << MRC_HDR_EETH;
    p.dscp = p.inner_dscp = 46;
    p.eeth.op = MRC_EP_OP_EV_PROBE;
    p.eeth.tx_timestamp = 500;
    return p;
}

static void ev_probe_silent(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 0); /* says whose tap it is */
    struct mrc_pkt p = node_packet(MRC_OP_EP_REQUEST, 9);
    talk_frame(&m->t, &p);
    p = node_packet(MRC_OP_EP_RESPONSE, 9);
    if (!lie)
        talk_frame(&m->t, &p);
    talk_wait(&m->t, 2 * m->t.cfg.reaction_ns);
}

static void ev_probe_time(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 0);
    struct mrc_pkt p = node_packet(MRC_OP_EP_REQUEST, 9);
    talk_frame(&m->t, &p);
    p = node_packet(MRC_OP_EP_RESPONSE, 9);
    p.eeth.tx_timestamp += lie;
    talk_frame(&m->t, &p);
}

static void ev_probe_unasked(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 0);
    struct mrc_pkt p = node_packet(MRC_OP_EP_REQUEST, 9);
    talk_frame(&m->t, &p);
    p = node_packet(MRC_OP_EP_RESPONSE, 9);
    talk_frame(&m->t, &p);
    p.bth.psn++;
    if (lie)
        talk_frame(&m->t, &p);
}

const struct pair pairs_rest[] = {
    {"trimmed-nacked", trimmed_nacked, NULL, NULL, false, false},
    {"nack-reason-by-class", reason_swapped, NULL, NULL, false, false},
    {"no-trim-nack-without-capability", nack_anyway, not_capable, NULL, true, false},
    {"nack-psn-of-trigger", nack_psn, NULL, NULL, false, false},
    {"nack-psn-of-trigger", nack_neighbour, NULL, NULL, false, false},
    {"nack-entropy-reflected", nack_entropy, NULL, NULL, false, false},
    {"nack-timestamp-reflected", nack_time, NULL, NULL, false, false},
    {"nack-rtx-echoed", nack_rtx, NULL, NULL, false, false},
    {"trimmed-not-recorded", trimmed_recorded, NULL, NULL, false, false},
    {"transport-ack-not-early", early_ack, NULL, NULL, false, false},
    {"transport-ack-msn", wrong_msn, NULL, NULL, false, false},
    {"transport-ack-due", no_ack, NULL, NULL, false, false},
    {"access-error-naked", refused, with_events, NULL, false, false},
    {"bad-icrc-dropped", bad_icrc, NULL, "icrc-correct", false, false},
    {"unknown-dropped", bad_opcode, NULL, "tver-zero", false, false},
    {"bad-length-dropped", bad_length, NULL, "pad-within-payload", false, false},
    {"immediate-not-early", imm_early, with_events, NULL, false, false},
    {"immediate-once-in-order", imm_order, with_events, NULL, false, false},
    {"immediate-once-in-order", imm_twice, with_events, NULL, false, false},
    {"immediate-once-in-order", imm_never, with_events, NULL, false, false},
    {"payload-placed", placement, with_events, NULL, true, false},
    {"payload-placed", memory, with_events, NULL, true, false},
    {"duplicate-not-placed", placed_twice, with_events, NULL, true, false},
    {"duplicate-not-placed", overwritten, with_events, NULL, true, false},
    {"old-duplicate-acked", old_not_acked, NULL, NULL, false, false},
    {"beyond-window-not-recorded", beyond_recorded, NULL, NULL, false, false},
    {"beyond-window-nacked", beyond_silent, NULL, NULL, false, false},
    {"probe-answered", probe_silent, NULL, NULL, false, false},
    {"probe-id-echoed", probe_other_id, NULL, NULL, false, false},
    {"ev-probe-answered", ev_probe_silent, NULL, NULL, false, false},
    {"endpoint-timestamp-reflected", ev_probe_time, NULL, NULL, false, false},
    {"endpoint-response-provoked", ev_probe_unasked, NULL, NULL, false, false},
};
const size_t pairs_rest_count = sizeof(pairs_rest) / sizeof(pairs_rest[0]);
