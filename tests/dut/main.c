/* SPDX-License-Identifier: BSD-2-Clause */
/* The adapter of the reference endpoint: every call goes through, and placements are told. */
#include "harness/dut/dut.h"
#include "tests/dut/suites.h"

#include <check.h>
#include <string.h>

#define LEN 5000u

struct two {
    struct mrct_dut *d[2];
    uint32_t qpn[2];
    uint8_t from[LEN], to[LEN];
    struct mrc_mr mr;
};

static void addr(struct mrc_addr *a, unsigned host)
{
    *a = (struct mrc_addr){.is_v6 = true};
    a->ip[0] = 0xFD;
    a->ip[15] = a->mac[5] = (uint8_t)(host + 1);
}

static void two_new(struct two *t)
{
    static const struct mrc_ev ev = {0x12345678, 0};
    struct mrc_qp_attr attr;
    memset(t, 0, sizeof *t);
    mrc_qp_attr_default(&attr);
    attr.start_psn = 7;
    attr.evs = &ev;
    attr.ev_count = 1;
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_ep_config cfg;
        mrc_ep_config_default(&cfg);
        cfg.ports = 1;
        addr(&cfg.port_addr[0], h);
        t->d[h] = mrct_dut_reference(&cfg, h);
        ck_assert_ptr_nonnull(t->d[h]);
        ck_assert_str_eq(t->d[h]->name, "reference");
        t->qpn[h] = (uint32_t)t->d[h]->ops->create_qp(t->d[h], &attr);
    }
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_qp_peer p = {.qpn = t->qpn[1 - h],
                                .start_psn = attr.start_psn,
                                .max_wimm_dest = attr.max_wimm_dest,
                                .mpr_dest = attr.mpr_dest};
        addr(&p.addr[0], 1 - h);
        ck_assert_int_eq(t->d[h]->ops->connect(t->d[h], t->qpn[h], &p), 0);
    }
    for (unsigned i = 0; i < LEN; i++)
        t->from[i] = (uint8_t)(i * 7 + 1);
    t->mr = (struct mrc_mr){
        .mem = t->to, .va = 0x9000, .len_bytes = LEN, .access = MRC_MR_REMOTE_WRITE};
    ck_assert_int_eq(t->d[1]->ops->register_mr(t->d[1], &t->mr), 0);
}

static void two_free(struct two *t)
{
    t->d[0]->ops->free(t->d[0]);
    t->d[1]->ops->free(t->d[1]);
}

/* Carries frames across at once until neither has one. */
static void shuttle(struct two *t, uint64_t now_ns)
{
    struct mrc_frame f;
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned h = 0; h < 2; h++) {
            const int port = t->d[h]->ops->output(t->d[h], now_ns, 1, &f);
            if (port < 0)
                continue;
            ck_assert_int_eq(port, 0);
            t->d[1 - h]->ops->input(t->d[1 - h], now_ns, 0, &f);
            moved = true;
        }
    }
}

START_TEST(a_write_with_immediate)
{
    static struct two t;
    struct mrc_ep_event ev;
    two_new(&t);
    const struct mrc_write w = {.wr_id = 3,
                                .local = t.from,
                                .len_bytes = LEN,
                                .remote_va = 0x9000,
                                .rkey = t.mr.rkey,
                                .has_imm = true,
                                .imm = 0xABCD};
    ck_assert_int_eq(t.d[1]->ops->post_recv(t.d[1], t.qpn[1], 44), 0);
    ck_assert_int_eq(t.d[0]->ops->post_write(t.d[0], t.qpn[0], 1000, &w), 0);
    shuttle(&t, 1000);
    ck_assert_int_eq(memcmp(t.from, t.to, LEN), 0);
    ck_assert(t.d[0]->ops->poll(t.d[0], &ev));
    ck_assert_int_eq(ev.kind, MRC_EVENT_SEND_DONE);
    ck_assert_uint_eq(ev.wr_id, 3);
    uint32_t placed = 0;
    bool received = false;
    while (t.d[1]->ops->poll(t.d[1], &ev)) {
        placed += ev.kind == MRC_EVENT_PLACED ? ev.len_bytes : 0;
        received |= ev.kind == MRC_EVENT_RECV_IMM && ev.wr_id == 44 && ev.imm == 0xABCD;
    }
    ck_assert_uint_eq(placed, LEN);
    ck_assert(received);
    two_free(&t);
}
END_TEST

START_TEST(time_goes_through)
{
    static struct two t;
    struct mrc_frame f;
    two_new(&t);
    const struct mrc_write w = {
        .local = t.from, .len_bytes = 10, .remote_va = 0x9000, .rkey = t.mr.rkey};
    ck_assert_uint_eq(t.d[0]->ops->deadline(t.d[0]), MRC_TIME_NEVER);
    ck_assert_int_eq(t.d[0]->ops->post_write(t.d[0], t.qpn[0], 1000, &w), 0);
    ck_assert_int_eq(t.d[0]->ops->output(t.d[0], 1000, 1, &f), 0); /* and is lost */
    const uint64_t due_ns = t.d[0]->ops->deadline(t.d[0]);
    ck_assert_uint_gt(due_ns, 1000);
    ck_assert_uint_ne(due_ns, MRC_TIME_NEVER);
    t.d[0]->ops->tick(t.d[0], due_ns);
    shuttle(&t, due_ns);
    ck_assert_int_eq(memcmp(t.from, t.to, 10), 0);
    two_free(&t);
}
END_TEST

START_TEST(a_bad_configuration_is_refused)
{
    struct mrc_ep_config cfg;
    mrc_ep_config_default(&cfg);
    cfg.ports = 0;
    ck_assert_ptr_null(mrct_dut_reference(&cfg, 1));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("dut");
    TCase *const tc = tcase_create("reference");
    tcase_add_test(tc, a_write_with_immediate);
    tcase_add_test(tc, time_goes_through);
    tcase_add_test(tc, a_bad_configuration_is_refused);
    suite_add_tcase(s, tc);
    SRunner *const sr = srunner_create(s);
    srunner_add_suite(sr, manifest_suite());
    srunner_run_all(sr, CK_NORMAL);
    const int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? 0 : 1;
}
