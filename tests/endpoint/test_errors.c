/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error by error, from end to end: what each does to the QP of the responder and of the requestor,
 * and what the peer is told. And immediates of many QPs, each in its own order.
 */
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <string.h>

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_fini(&rig);
}

/* ---- one error a row ---- */

#define ALIVE  MRC_WC_SUCCESS /* no QP_ERROR event */
#define SILENT 0u             /* no NAK */

struct row {
    const char *what; /* with its requirement */
    void (*break_it)(void);
    uint8_t syndrome;               /* of the NAK, or SILENT */
    enum mrc_wc_status responder;   /* of its QP_ERROR event */
    enum mrc_wc_status requestor;   /* of its QP_ERROR event, and of the write */
    enum mrc_drop drop;             /* counted at the responder; MRC_DROP_REASONS: none */
    bool refused_before, immediate; /* the write: at the post already; with immediate */
};

static uint32_t len_bytes, dst;

static void unknown_key(void)
{
    rig.host[1].mr.rkey ^= 0x100;
}

static void key_of_a_freed_region(void)
{
    ck_assert_int_eq(mrc_ep_deregister(rig.host[1].ep, rig.host[1].mr.rkey), MRC_EP_OK);
}

static void below_the_region(void)
{
    dst = UINT32_MAX; /* va - 1 below: see post() */
}

static void beyond_the_region(void)
{
    dst = RIG_MEM - len_bytes + 1;
}

static void no_permission(void)
{
    struct mrc_mr mr = rig.host[1].mr;
    mr.access = 0;
    ck_assert_int_eq(mrc_ep_register(rig.host[1].ep, &mr), MRC_EP_OK);
    rig.host[1].mr.rkey = mr.rkey;
}

static void nothing_posted(void)
{
}

/* The requestor cuts messages by a larger MTU than the responder's. */
static void other_mtu(void)
{
    rig.host[0].cfg.path_mtu = 2048;
}

static void other_partition(void)
{
    rig.host[0].cfg.pkey = 0x8001;
}

static void no_such_qp(void)
{
    ck_assert_int_eq(mrc_qp_destroy(rig.host[1].ep, rig.host[1].qpn), MRC_EP_OK);
}

static void unexpected_event(void)
{
    ck_assert_int_eq(mrc_qp_force_nack(rig.host[1].ep, rig.host[1].qpn, MRC_NACK_UNEXP_EVENT, 1),
                     MRC_EP_OK);
}

static void no_length(void)
{
    len_bytes = 0;
}

static const struct row rows[] = {
    {"REQ-6.3-04: unknown key", unknown_key, MRC_SYN_REMOTE_ACCESS, MRC_WC_LOCAL_ACCESS,
     MRC_WC_REMOTE_ACCESS, MRC_DROP_REASONS, false, false},
    {"REQ-6.3-04: key of a region that is no more", key_of_a_freed_region, MRC_SYN_REMOTE_ACCESS,
     MRC_WC_LOCAL_ACCESS, MRC_WC_REMOTE_ACCESS, MRC_DROP_REASONS, false, false},
    {"REQ-6.3-04: below the region", below_the_region, MRC_SYN_REMOTE_ACCESS, MRC_WC_LOCAL_ACCESS,
     MRC_WC_REMOTE_ACCESS, MRC_DROP_REASONS, false, false},
    {"REQ-6.3-04: beyond the region", beyond_the_region, MRC_SYN_REMOTE_ACCESS, MRC_WC_LOCAL_ACCESS,
     MRC_WC_REMOTE_ACCESS, MRC_DROP_REASONS, false, false},
    {"REQ-6.3-04: not writable", no_permission, MRC_SYN_REMOTE_ACCESS, MRC_WC_LOCAL_ACCESS,
     MRC_WC_REMOTE_ACCESS, MRC_DROP_REASONS, false, false},
    {"REQ-6.3-10: nothing posted for an immediate", nothing_posted, MRC_SYN_REMOTE_OP,
     MRC_WC_LOCAL_RQ_EMPTY, MRC_WC_REMOTE_OP, MRC_DROP_REASONS, false, true},
    {"REQ-6.3-07: lengths that do not fit", other_mtu, SILENT, ALIVE, MRC_WC_RETRY_EXCEEDED,
     MRC_DROP_LENGTH, false, false},
    {"REQ-6.3-18: another partition", other_partition, SILENT, ALIVE, MRC_WC_RETRY_EXCEEDED,
     MRC_DROP_PKEY, false, false},
    {"no such QP", no_such_qp, SILENT, ALIVE, MRC_WC_RETRY_EXCEEDED, MRC_DROP_NO_QP, false, false},
    {"REQ-7.4-11: an unexpected event", unexpected_event, SILENT, MRC_WC_LOCAL_UNEXP_EVENT,
     MRC_WC_REMOTE_OP, MRC_DROP_REASONS, false, false},
    {"Q15 a: no length", no_length, SILENT, ALIVE, ALIVE, MRC_DROP_REASONS, true, false},
};
#define ROWS (sizeof rows / sizeof rows[0])

static int post(bool imm)
{
    const struct mrc_write w = {
        .wr_id = 7,
        .local = rig.host[0].mem,
        .len_bytes = len_bytes,
        .remote_va = dst == UINT32_MAX ? RIG_VA - 1 : RIG_VA + dst,
        .rkey = rig.host[1].mr.rkey,
        .has_imm = imm,
    };
    return mrc_qp_post_write(rig.host[0].ep, rig.host[0].qpn, rig.now_ns, &w);
}

static void assert_error(unsigned h, enum mrc_wc_status status)
{
    const struct mrc_ep_event *e = rig_event_of(&rig, h, MRC_EVENT_QP_ERROR, 0);
    const enum mrc_qp_state state = mrc_qp_state(rig.host[h].ep, rig.host[h].qpn);
    if (status == ALIVE) {
        ck_assert_ptr_null(e);
        ck_assert(state == MRC_QP_RTS || state == MRC_QP_RESET); /* RESET: it is no more */
        return;
    }
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(e->status, status);
    ck_assert_int_eq(state, MRC_QP_ERROR);
    ck_assert_uint_eq(rig_events_of(&rig, h, MRC_EVENT_QP_ERROR), 1);
}

/* The syndrome of the only NAK, or SILENT. */
static uint8_t told(void)
{
    uint8_t syndrome = SILENT;
    for (unsigned i = 0; i < rig.log_len; i++) {
        const struct mrc_pkt *p = &rig.log[i].pkt;
        if (p->bth.opcode != MRC_OP_ACK || p->aeth.syndrome == MRC_SYN_ACK)
            continue;
        ck_assert_uint_eq(rig.log[i].from, 1);
        ck_assert_uint_eq(syndrome, SILENT);
        syndrome = p->aeth.syndrome;
    }
    return syndrome;
}

/* REQ-7.4-19 REQ-7.4-20 REQ-7.4-21 */
START_TEST(each_error)
{
    const struct row *row = &rows[_i];
    const bool before_start = row->break_it == other_mtu || row->break_it == other_partition;
    len_bytes = 10000;
    dst = 0;
    rig.host[0].attr.linear_cnt = 2;
    rig.host[0].attr.exp_cnt = 1;
    if (before_start)
        row->break_it();
    rig_start(&rig);
    rig_fill(&rig, 0, 1);
    if (!before_start)
        row->break_it();
    ck_assert_msg((post(row->immediate) == MRC_EP_EINVAL) == row->refused_before, "%s", row->what);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_msg(told() == row->syndrome, "%s: %x", row->what, told());
    assert_error(1, row->responder);
    assert_error(0, row->requestor);
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_SEND_DONE), !row->refused_before);
    if (!row->refused_before)
        ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_SEND_DONE, 0)->status, row->requestor);
    if (row->drop != MRC_DROP_REASONS)
        ck_assert_uint_ge(rig_counters(&rig, 1)->drop[row->drop], 4);
    if (row->requestor != ALIVE) { /* and nothing more is taken, or sent */
        const unsigned sent = rig_count(&rig, 0, -1);
        ck_assert_int_eq(post(false), MRC_EP_ESTATE);
        rig_run(&rig, RIG_FOREVER);
        ck_assert_uint_eq(rig_count(&rig, 0, -1), sent);
        ck_assert_uint_eq(mrc_ep_deadline(rig.host[0].ep), MRC_TIME_NEVER);
    }
}
END_TEST

/* ---- immediates of many QPs ---- */

#define QPS   12u
#define EACH  40u
#define FIRST 0x100u

/* REQ-6.2-13: no QP has more WriteImm in flight than the peer tracks. */
static void disorder(struct rig *r, struct rig_frame *f, void *user)
{
    (void)user;
    f->delay_ns = f->nth * 7919u % 17 * 900;
    f->drop = f->nth % 13 == 5;
    f->copies = f->nth % 9 == 2;
    for (uint32_t q = 0; q < QPS; q++) {
        struct mrc_qp_info info;
        ck_assert_int_eq(mrc_qp_info_get(r->host[0].ep, FIRST + q, &info), MRC_EP_OK);
        ck_assert_uint_le(info.wimm_inflight, 32);
    }
}

static void many_qps(struct rig *r)
{
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_qp_attr attr = r->host[h].attr;
        struct mrc_qp_peer peer = {.max_wimm_dest = 32, .mpr_dest = 8};
        memcpy(peer.addr, r->host[1 - h].cfg.port_addr, sizeof peer.addr);
        for (uint32_t q = 0; q < QPS; q++) {
            attr.qpn = peer.qpn = FIRST + q;
            attr.start_psn = peer.start_psn = q * 1000;
            ck_assert_int_eq(mrc_qp_create(r->host[h].ep, &attr), attr.qpn);
            ck_assert_int_eq(mrc_qp_connect(r->host[h].ep, attr.qpn, &peer), MRC_EP_OK);
        }
    }
}

START_TEST(immediates_of_many)
{
    unsigned seen[QPS] = {0};
    rig.host[0].cfg.qps_max = rig.host[1].cfg.qps_max = QPS + 1;
    rig_start(&rig);
    many_qps(&rig);
    for (uint32_t i = 0; i < QPS * EACH; i++)
        ck_assert_int_eq(mrc_qp_post_recv(rig.host[1].ep, FIRST + i % QPS, i / QPS), MRC_EP_OK);
    for (uint32_t i = 0; i < QPS * EACH; i++) {
        const struct mrc_write w = {.wr_id = i / QPS,
                                    .local = rig.host[0].mem,
                                    .len_bytes = 1 + i / QPS * 97,
                                    .remote_va = RIG_VA,
                                    .rkey = rig.host[1].mr.rkey,
                                    .has_imm = true,
                                    .imm = i};
        ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, FIRST + i % QPS, 0, &w), MRC_EP_OK);
    }
    rig.hook = disorder;
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_events_of(&rig, 1, MRC_EVENT_RECV_IMM), QPS * EACH);
    for (unsigned i = 0; i < rig.host[1].event_count; i++) {
        const struct mrc_ep_event *e = &rig.host[1].events[i];
        const uint32_t q = e->qpn - FIRST;
        ck_assert_uint_lt(q, QPS);
        ck_assert_uint_eq(e->imm, seen[q] * QPS + q);      /* REQ-6.3-09 */
        ck_assert_uint_eq(e->wr_id, seen[q]);              /* REQ-6.3-13 */
        ck_assert_uint_eq(e->len_bytes, 1 + seen[q] * 97); /* REQ-6.3-14 */
        seen[q]++;
    }
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_SEND_DONE), QPS * EACH);
}
END_TEST

TCase *tcase_errors(void)
{
    TCase *tc = tcase_create("errors");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, each_error, 0, (int)ROWS);
    tcase_add_test(tc, immediates_of_many);
    return tc;
}
