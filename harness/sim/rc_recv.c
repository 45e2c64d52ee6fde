/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes to the go-back-N endpoint: writes in order or not, acknowledgements, notifications. */
#include "harness/sim/rc_int.h"

#define ETHERTYPE_IPV6 0x86DDu
#define ECN_CE         3u

/* What is read of a frame. */
struct seen {
    struct mrc_bth bth;
    uint8_t syndrome;
    bool marked;
};

bool sim_rc_is_write(uint8_t opcode)
{
    return opcode >= RC_WRITE_FIRST && opcode <= RC_WRITE_ONLY_IMM;
}

static bool read_frame(const struct mrc_frame *f, struct seen *s)
{
    const uint8_t *const end = f->hdr + f->hdr_len;
    const bool v6 =
        f->hdr_len > MRC_ETH_LEN && ((unsigned)f->hdr[12] << 8 | f->hdr[13]) == ETHERTYPE_IPV6;
    const uint8_t *const ip = f->hdr + MRC_ETH_LEN;
    const uint8_t *const bth = ip + (v6 ? MRC_IPV6_LEN : 20) + MRC_UDP_LEN;
    if (bth + MRC_BTH_LEN > end || mrc_bth_decode(bth, end, &s->bth) == 0)
        return false;
    s->marked = (v6 ? ip[1] >> 4 & 3u : ip[1] & 3u) == ECN_CE;
    s->syndrome = bth + MRC_BTH_LEN < end ? bth[MRC_BTH_LEN] : 0;
    return true;
}

/* The sequence number that a PSN means, near another. */
static uint64_t near(uint64_t base, uint32_t psn)
{
    return base + (uint64_t)(int64_t)mrc_psn_diff(psn, (uint32_t)base & 0xFFFFFFu);
}

/* ---- requestor ---- */

static void complete(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns)
{
    while (q->sq_count > 0) {
        const struct rc_msg *const m = &q->sq[q->sq_head];
        if (m->first + m->packets > q->una)
            return;
        sim_rc_event(rc, &(struct mrc_ep_event){.kind = MRC_EVENT_SEND_DONE,
                                                .status = MRC_WC_SUCCESS,
                                                .time_ns = now_ns,
                                                .qpn = q->qpn,
                                                .wr_id = m->wr_id});
        q->sq_head = (q->sq_head + 1) % q->sq_depth;
        q->sq_count--;
        q->sq_at -= q->sq_at > 0;
    }
}

static void acknowledged(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns, uint64_t seq)
{
    if (seq <= q->una || seq > q->top)
        return;
    q->una = seq;
    q->timeouts = 0;
    if (q->nxt < seq)
        sim_rc_rewind(q, seq);
    complete(rc, q, now_ns);
    sim_rc_arm(rc, q, now_ns);
}

static void on_ack(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns, const struct seen *s)
{
    const bool nak = s->syndrome == RC_SYN_NAK;
    const uint64_t seq = near(q->una, s->bth.psn) + (nak ? 0 : 1);
    if (seq < q->una || seq > q->top)
        return;
    acknowledged(rc, q, now_ns, seq);
    if (!nak || seq != q->una)
        return;
    q->count.holes++;
    sim_rc_rewind(q, seq);
}

/* ---- responder ---- */

static void owe(struct sim_rc *rc, struct rc_qp *q, bool *what)
{
    rc->owing += !q->owes_ack && !q->owes_nak && !q->owes_cnp;
    *what = true;
}

static void in_order(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns, const struct seen *s)
{
    q->count.rx_new++;
    q->expected++;
    q->nak_sent = false;
    if (s->bth.a)
        owe(rc, q, &q->owes_ack);
    if (s->bth.opcode == RC_WRITE_LAST_IMM || s->bth.opcode == RC_WRITE_ONLY_IMM)
        sim_rc_event(rc, &(struct mrc_ep_event){.kind = MRC_EVENT_RECV_IMM,
                                                .status = MRC_WC_SUCCESS,
                                                .time_ns = now_ns,
                                                .qpn = q->qpn});
}

static bool on_write(struct sim_rc *rc, struct rc_qp *q, uint64_t now_ns, const struct seen *s)
{
    const uint64_t seq = near(q->expected, s->bth.psn);
    const bool taken = seq == q->expected;
    if (taken) {
        in_order(rc, q, now_ns, s);
    } else if (seq < q->expected) {
        q->count.rx_dup++;
        if (s->bth.a)
            owe(rc, q, &q->owes_ack);
    } else if (!q->nak_sent) {
        q->nak_sent = true;
        owe(rc, q, &q->owes_nak);
    }
    if (s->marked && rc->c.dcqcn && now_ns >= q->cnp_ns) {
        q->cnp_ns = now_ns + DCQCN_CNP_NS;
        owe(rc, q, &q->owes_cnp);
    }
    return taken;
}

bool sim_rc_input(struct sim_rc *rc, uint64_t now_ns, const struct mrc_frame *f)
{
    struct seen s;
    if (!read_frame(f, &s))
        return false;
    struct rc_qp *const q = sim_rc_qp(rc, s.bth.dest_qp);
    if (q == NULL || q->failed)
        return false;
    if (sim_rc_is_write(s.bth.opcode))
        return on_write(rc, q, now_ns, &s);
    if (s.bth.opcode == RC_ACK)
        on_ack(rc, q, now_ns, &s);
    else if (s.bth.opcode == RC_CNP && rc->c.dcqcn)
        dcqcn_cnp(&q->cc, now_ns);
    return false;
}
