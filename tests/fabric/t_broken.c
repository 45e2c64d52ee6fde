/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that would hang or crash a harness that trusts them. */
#include "tests/fabric/fake.h"

#include <string.h>

static void expect_error(struct pair *t, const char *words)
{
    (void)mrct_fab_run(t->fab, MRC_TIME_NEVER, NULL, NULL);
    ck_assert_ptr_nonnull(mrct_fab_error(t->fab));
    ck_assert_msg(strstr(mrct_fab_error(t->fab), words) != NULL, "%s", mrct_fab_error(t->fab));
    /* It stays so. */
    const uint64_t now = mrct_fab_now(t->fab);
    ck_assert_uint_eq(mrct_fab_run(t->fab, MRC_TIME_NEVER, NULL, NULL), now);
}

START_TEST(deadline_that_never_moves)
{
    struct mrct_fab_config cfg;
    struct pair t;
    pair_config(&cfg);
    pair_new(&t, &cfg, 1);
    pair_send_many(&t, 0, 2);
    t.host[1]->deadline_ns = 1500;
    expect_error(&t, "deadline");
    pair_free(&t);
}
END_TEST

START_TEST(port_that_is_not_free)
{
    struct mrct_fab_config cfg;
    struct pair t;
    pair_config(&cfg);
    pair_new(&t, &cfg, 1);
    pair_send_many(&t, 0, 2);
    t.host[0]->port_forced = 1 + _i * 70;
    expect_error(&t, "port");
    pair_free(&t);
}
END_TEST

START_TEST(impossible_frame)
{
    struct mrct_fab_config cfg;
    struct pair t;
    pair_config(&cfg);
    pair_new(&t, &cfg, 1);
    pair_send_many(&t, 0, 1);
    struct mrc_frame *const f = &t.host[0]->send[0].f;
    if (_i == 0)
        f->hdr_len = MRC_FRAME_HDR_MAX + 1;
    if (_i == 1)
        f->hdr_len = 0;
    if (_i == 2)
        f->payload_len = MRC_PAYLOAD_MAX + 1;
    if (_i == 3)
        f->payload = NULL;
    if (_i == 4)
        f->pad_len = 4;
    expect_error(&t, "lengths");
    pair_free(&t);
}
END_TEST

/* Whatever bytes a device sends: they go through, faults and all, and are accounted for. */
START_TEST(nonsense_goes_through)
{
    struct mrct_fab_config cfg;
    struct pair t;
    pair_config(&cfg);
    cfg.planes = 2;
    cfg.paths = 8;
    cfg.ce_ppm = cfg.trim_ppm = cfg.corrupt_ppm = cfg.dup_ppm = cfg.delay_ppm = 500000;
    pair_new(&t, &cfg, (uint64_t)_i);
    struct mrct_fault_rule r;
    mrct_fault_rule_init(&r);
    r.match.psn_first = 0;
    r.act = MRCT_ACT_CORRUPT;
    r.bit = (uint32_t)_i * 7;
    r.mend_icrc = _i % 2 == 0;
    (void)mrct_fab_add_rule(t.fab, &r);
    pair_send_many(&t, 0, 50);
    uint32_t x = (uint32_t)_i * 2654435761u + 1;
    for (unsigned i = 0; i < 50; i++) {
        struct mrc_frame *const f = &t.host[0]->send[i].f;
        f->hdr_len = (uint16_t)(1 + x % MRC_FRAME_HDR_MAX);
        for (unsigned k = 0; k < 12; k++) {
            x = x * 1664525u + 1013904223u;
            f->hdr[(x >> 8) % MRC_FRAME_HDR_MAX] = (uint8_t)(x >> 24);
        }
    }
    pair_run(&t);
    pair_free(&t);
}
END_TEST

Suite *suite_broken(void)
{
    Suite *const s = suite_create("fabric and broken devices");
    TCase *const tc = tcase_create("broken");
    tcase_add_test(tc, deadline_that_never_moves);
    tcase_add_loop_test(tc, port_that_is_not_free, 0, 2);
    tcase_add_loop_test(tc, impossible_frame, 0, 5);
    tcase_add_loop_test(tc, nonsense_goes_through, 0, 100);
    suite_add_tcase(s, tc);
    return s;
}
