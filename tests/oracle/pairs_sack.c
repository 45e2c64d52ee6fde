/* SPDX-License-Identifier: BSD-2-Clause */
/* Stories of SACKs: when they are due, and what they say. */
#include "tests/oracle/pairs.h"

/* ---- SACKs: when ---- */

/* Request 0 with what is asked for; its SACK, unless that is the lie; long after, another. */
static void answered(struct mirror *m, const struct mrc_pkt *p, bool lie)
{
    mirror_come(m, p);
    const struct mrc_pkt s = mirror_sack(m, p);
    if (!lie)
        talk_frame(&m->t, &s);
    mirror_long_after(m, 1);
}

static void on_ack_request(struct mirror *m, bool lie)
{
    struct mrc_pkt hole = mirror_request(m, 1); /* above a hole: no transport ACK is due */
    hole.bth.a = 1;
    mirror_come(m, &hole);
    const struct mrc_pkt s = mirror_sack(m, &hole);
    if (!lie)
        talk_frame(&m->t, &s);
    mirror_long_after(m, 2);
}

static void on_ce(struct mirror *m, bool lie)
{
    struct mrc_pkt p = mirror_request(m, 0);
    p.ecn = p.inner_ecn = 3;
    answered(m, &p, lie);
}

static void on_rtx(struct mirror *m, bool lie)
{
    struct mrc_pkt p = mirror_request(m, 0);
    p.bth.rtx = 1;
    answered(m, &p, lie);
}

static void small_threshold(struct mirror *m)
{
    talk_qp(&m->t)->sack_threshold = 4096;
}

static void on_threshold(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 3);
    const struct mrc_pkt p = mirror_request(m, 4);
    mirror_come(m, &p);
    const struct mrc_pkt s = mirror_sack(m, &p);
    if (!lie)
        talk_frame(&m->t, &s);
    mirror_long_after(m, 5);
}

static void on_duplicate(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = mirror_request(m, 1);
    mirror_come(m, &p);
    answered(m, &p, lie);
}

/* ---- SACKs: of the trigger ---- */

typedef void change_fn(struct mrc_pkt *p);

/* Some come, request 4 asks for a SACK, and the SACK is changed. */
static void one_sack(struct mirror *m, bool lie, change_fn *before, change_fn *change)
{
    mirror_come_all(m, 1, 3);
    struct mrc_pkt p = mirror_request(m, 4);
    p.bth.a = 1;
    if (before != NULL)
        before(&p);
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    if (lie)
        change(&s);
    talk_frame(&m->t, &s);
}

static void other_offset(struct mrc_pkt *p)
{
    p->seth.ack_psn_offset += 50;
}
static void trigger_offset(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, other_offset);
}
/* The offset of another packet that did come, with this one's entropy and timestamp. */
static void neighbour_offset(struct mrc_pkt *p)
{
    p->seth.ack_psn_offset--;
}
static void trigger_neighbour(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, neighbour_offset);
}

static void other_entropy(struct mrc_pkt *p)
{
    p->seth.entropy ^= 1;
}
static void entropy(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, other_entropy);
}

static void set_rtx(struct mrc_pkt *p)
{
    p->bth.rtx = 1;
}
static void clear_rtx(struct mrc_pkt *p)
{
    p->bth.rtx = 0;
}
static void rtx_lost(struct mirror *m, bool lie)
{
    one_sack(m, lie, set_rtx, clear_rtx);
}
static void rtx_made_up(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, set_rtx);
}

static void other_time(struct mrc_pkt *p)
{
    p->cc_state.tx_timestamp++;
}
static void timestamp(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, other_time);
}

static void without_time(struct mrc_pkt *p)
{
    p->present &= ~(UINT32_C(1) << MRC_HDR_TSETH);
    p->bth.ts = 0;
}
static void timestamp_absent(struct mirror *m, bool lie)
{
    one_sack(m, lie, without_time, other_time);
}

static void marked(struct mrc_pkt *p)
{
    p->ecn = p->inner_ecn = 3;
}
static void m_none(struct mrc_pkt *p)
{
    p->seth.m = MRC_M_NONE;
}
static void m_skip(struct mrc_pkt *p)
{
    p->seth.m = MRC_M_SKIP_ONCE;
}
static void m_on_ce(struct mirror *m, bool lie)
{
    one_sack(m, lie, marked, m_none);
}
static void m_only_on_ce(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, m_skip);
}

/* ---- SACKs: of the state ---- */

static void cack_further(struct mrc_pkt *p)
{
    p->seth.cack_psn = p->bth.psn = mrc_psn_add(p->seth.cack_psn, 1);
    p->seth.ack_psn_offset--;
    p->seth.sack_offset--;
}
static void cack_too_far(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, cack_further);
}

static void cack_back(struct mrc_pkt *p)
{
    p->seth.cack_psn = p->bth.psn = mrc_psn_add(p->seth.cack_psn, -1);
    p->seth.ack_psn_offset++;
    p->seth.sack_offset++;
}
static void cack_behind(struct mirror *m, bool lie)
{
    mirror_come_all(m, 0, 0);
    one_sack(m, lie, NULL, cack_back);
}

static void shift_bitmap(struct mrc_pkt *p)
{
    p->seth.sack_bitmap <<= 1;
}
static void bitmap_wrong(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, shift_bitmap);
}

static void zeros_mean_missing(struct mirror *m)
{
    m->t.cfg.reading[4] = 'b';
}
static void clear_one(struct mrc_pkt *p)
{
    p->seth.sack_bitmap &= p->seth.sack_bitmap - 1;
}
static void bitmap_lacks(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, clear_one);
}

static void far_base(struct mrc_pkt *p)
{
    p->seth.sack_bitmap = 0;
    p->seth.sack_offset = 40;
}
static void bitmap_elsewhere(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, far_base);
}

static void ooo_more(struct mrc_pkt *p)
{
    p->cc_state.ooo_count++;
}
static void ooo_wrong(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, ooo_more);
}

static void bytes_back(struct mirror *m, bool lie)
{
    struct mrc_pkt p = mirror_request(m, 0);
    mirror_come_all(m, 1, 40);
    p.bth.a = 1;
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    const struct mrc_pkt a = mirror_ack(m);
    talk_frame(&m->t, &a);
    p = mirror_request(m, 42);
    p.bth.a = 1;
    mirror_come(m, &p);
    s = mirror_sack(m, &p);
    if (lie)
        s.cc_state.rcvd_bytes -= 12;
    talk_frame(&m->t, &s);
}

static void bytes_of_duplicates(struct mirror *m, bool lie)
{
    const struct mrc_pkt p = mirror_request(m, 1);
    mirror_come_all(m, 1, 4);
    for (unsigned i = 0; i < 4; i++) {
        mirror_come(m, &p);
        struct mrc_pkt s = mirror_sack(m, &p);
        s.cc_state.rcvd_bytes += lie && i == 3 ? 2 : 0;
        talk_frame(&m->t, &s);
    }
}

static void more_bytes(struct mrc_pkt *p)
{
    p->cc_state.rcvd_bytes += 100;
}
static void bytes_wrong(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, more_bytes);
}

static void with_mpr(struct mrc_pkt *p)
{
    p->seth.mpr = 8;
}
static void mpr_given(struct mirror *m, bool lie)
{
    one_sack(m, lie, NULL, with_mpr);
}

const struct pair pairs_sack[] = {
    {"sack-on-ack-request", on_ack_request, NULL, NULL, false, false},
    {"sack-on-ce", on_ce, NULL, NULL, false, false},
    {"sack-on-rtx", on_rtx, NULL, NULL, false, false},
    {"sack-on-threshold", on_threshold, small_threshold, NULL, false, false},
    {"sack-on-duplicate", on_duplicate, NULL, NULL, false, false},
    {"sack-trigger-offset", trigger_offset, NULL, NULL, false, false},
    {"sack-trigger-offset", trigger_neighbour, NULL, NULL, false, false},
    {"sack-entropy-reflected", entropy, NULL, NULL, false, false},
    {"sack-rtx-echoed", rtx_lost, NULL, NULL, false, false},
    {"sack-rtx-echoed", rtx_made_up, NULL, NULL, false, false},
    {"sack-timestamp-reflected", timestamp, NULL, NULL, false, false},
    {"sack-timestamp-absent", timestamp_absent, NULL, NULL, false, false},
    {"sack-m-on-ce", m_on_ce, NULL, NULL, false, false},
    {"sack-m-only-on-ce", m_only_on_ce, NULL, NULL, false, false},
    {"cack-not-too-far", cack_too_far, NULL, NULL, false, false},
    {"cack-not-behind", cack_behind, NULL, NULL, false, false},
    {"bitmap-only-arrived", bitmap_wrong, NULL, NULL, false, false},
    {"bitmap-shows-arrived", bitmap_lacks, zeros_mean_missing, NULL, false, false},
    {"bitmap-covers-highest", bitmap_elsewhere, NULL, NULL, false, false},
    {"ooo-count", ooo_wrong, NULL, NULL, false, false},
    {"rcvd-bytes-monotone", bytes_back, NULL, NULL, false, false},
    {"rcvd-bytes-only-new", bytes_of_duplicates, NULL, NULL, false, false},
    {"rcvd-bytes-exact", bytes_wrong, NULL, NULL, false, false},
    {"sack-mpr-zero", mpr_given, NULL, NULL, true, true},
};
const size_t pairs_sack_count = sizeof(pairs_sack) / sizeof(pairs_sack[0]);
