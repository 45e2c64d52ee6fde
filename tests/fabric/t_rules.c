/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule hits exactly the packets it names. */
#include "tests/fabric/fake.h"

#define BASE 0xFFFFFCu /* the PSNs wrap after four */

/* What is sent: one row a packet, in this order, 10 us apart. */
struct sent {
    unsigned host, plane;
    uint8_t opcode;
    uint32_t qp, ev;
    uint32_t psn; /* relative to BASE */
    uint8_t rtx;
};
static const struct sent traffic[] = {
    {0, 0, MRC_OP_WRITE_FIRST, FAKE_QP, 0, 0, 0},  {0, 1, MRC_OP_WRITE_MIDDLE, FAKE_QP, 1, 1, 0},
    {0, 0, MRC_OP_WRITE_MIDDLE, FAKE_QP, 2, 2, 0}, {0, 1, MRC_OP_WRITE_LAST, FAKE_QP, 3, 3, 0},
    {0, 0, MRC_OP_WRITE_ONLY, FAKE_QP, 4, 4, 0},   {0, 1, MRC_OP_WRITE_ONLY, 0x22, 5, 5, 0},
    {1, 0, MRC_OP_SACK, 0x33, 6, 0xFFFFFF, 0},     {1, 0, MRC_OP_SACK, 0x33, 7, 4, 1},
    {0, 0, MRC_OP_WRITE_MIDDLE, FAKE_QP, 8, 1, 1}, {0, 1, MRC_OP_WRITE_MIDDLE, FAKE_QP, 9, 1, 1},
};
#define SENT (sizeof traffic / sizeof traffic[0])

#define ANY MRCT_ANY
static const struct {
    struct mrct_fault_match match;
    unsigned hits; /* bit i: packet i */
} table[] = {
    {{ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY}, 0x3FF},
    {{0, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY}, 0x33F},
    {{1, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY}, 0x0C0},
    {{ANY, 1, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY}, 0x22A},
    {{ANY, ANY, 1, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY}, 0x222},
    {{ANY, ANY, ANY, 2, ANY, ANY, ANY, ANY, ANY, ANY, ANY}, 0x004},
    {{ANY, ANY, ANY, ANY, 0x22, ANY, ANY, ANY, ANY, ANY, ANY}, 0x020},
    {{ANY, ANY, ANY, ANY, ANY, MRC_OP_WRITE_MIDDLE, ANY, ANY, ANY, ANY, ANY}, 0x306},
    {{ANY, ANY, ANY, ANY, ANY, ANY, 1, 1, ANY, ANY, ANY}, 0x302},
    {{0, ANY, ANY, ANY, FAKE_QP, ANY, 3, 4, ANY, ANY, ANY}, 0x018},
    {{ANY, ANY, ANY, ANY, ANY, ANY, 4, ANY, ANY, ANY, ANY}, 0x0F0},
    {{0, ANY, ANY, ANY, ANY, ANY, ANY, 1, ANY, ANY, ANY}, 0x303},
    {{1, ANY, ANY, ANY, ANY, ANY, 4, 4, ANY, ANY, ANY}, 0x080},
    {{1, ANY, ANY, ANY, ANY, ANY, 0xFFFFFF, ANY, ANY, ANY, ANY}, 0x040},
    {{ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 1, ANY, ANY}, 0x380},
    {{0, ANY, ANY, ANY, ANY, ANY, 1, 1, 0, ANY, ANY}, 0x002},
    {{0, ANY, ANY, ANY, ANY, ANY, 1, 1, 1, 2, 2}, 0x200},
    {{0, ANY, ANY, ANY, ANY, MRC_OP_WRITE_MIDDLE, ANY, ANY, ANY, 2, 3}, 0x104},
    {{ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 9, ANY}, 0x300},
    {{ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 1}, 0x001},
    {{ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 11, ANY}, 0x000},
};

static void send_all(struct pair *t)
{
    for (unsigned i = 0; i < SENT; i++) {
        const struct sent *const s = &traffic[i];
        struct mrc_pkt p;
        if (s->opcode == MRC_OP_SACK)
            fake_sack(&p, BASE + s->psn, s->ev);
        else
            fake_request(&p, BASE + s->psn, s->ev, fake_bytes, 200);
        p.bth.opcode = s->opcode;
        p.bth.dest_qp = s->qp;
        p.bth.rtx = s->rtx & 1u;
        p.tseth.tx_timestamp = p.cc_state.tx_timestamp = (uint16_t)i; /* its number */
        (void)fake_send(t->host[s->host], 10000 * (i + 1), s->plane, &p);
    }
}

static unsigned arrived(const struct fake *host)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < host->gots; i++) {
        const struct mrc_pkt *const p = &host->got[i].p;
        ck_assert_int_eq(host->got[i].err, MRC_WIRE_OK);
        seen |= 1u << (mrc_op_is_write(p->bth.opcode) ? p->tseth.tx_timestamp
                                                      : p->cc_state.tx_timestamp);
    }
    return seen;
}

START_TEST(hits_exactly)
{
    struct mrct_fab_config cfg;
    struct mrct_fault_rule r;
    struct pair t;
    pair_config(&cfg);
    cfg.planes = 2;
    cfg.paths = 4;
    pair_new(&t, &cfg, 1);
    mrct_fault_rule_init(&r);
    r.match = table[_i].match;
    ck_assert_int_eq(mrct_fab_add_rule(t.fab, &r), 0);
    ck_assert_int_eq(mrct_fab_flow(t.fab, 0, 0x33, FAKE_QP, BASE), 0);
    ck_assert_int_eq(mrct_fab_psn_base(t.fab, 1, 0x22, BASE), 0);
    send_all(&t);
    pair_run(&t);
    const unsigned missing = 0x3FFu & ~(arrived(t.host[0]) | arrived(t.host[1]));
    ck_assert_msg(missing == table[_i].hits, "row %d hit %x, not %x", _i, missing, table[_i].hits);
    ck_assert_uint_eq(mrct_fab_rule(t.fab, 0)->hits, (unsigned)__builtin_popcount(missing));
    pair_free(&t);
}
END_TEST

START_TEST(base_without_source_qp_serves_what_comes_back)
{
    struct mrct_fab_config cfg;
    struct mrct_fault_rule r;
    struct pair t;
    pair_config(&cfg);
    cfg.planes = 2;
    pair_new(&t, &cfg, 1);
    mrct_fault_rule_init(&r);
    r.match.direction = 1;
    r.match.psn_first = r.match.psn_last = 4;
    (void)mrct_fab_add_rule(t.fab, &r);
    (void)mrct_fab_psn_base(t.fab, 1, FAKE_QP, BASE);
    send_all(&t);
    pair_run(&t);
    ck_assert_uint_eq(arrived(t.host[0]), 0x040);
    pair_free(&t);
}
END_TEST

START_TEST(bad_rules_are_refused)
{
    static const struct {
        enum mrct_fault_act act;
        const char *field;
        uint64_t value;
        int64_t arg;
        bool good;
    } bad[] = {
        {MRCT_ACT_CORRUPT, "bth.psn", 1, 0, true},
        {MRCT_ACT_CORRUPT, "bth.nosuch", 1, 0, false},
        {MRCT_ACT_CORRUPT, "bth.psn", 0, 0, false},
        {MRCT_ACT_CORRUPT, "bth.a", 2, 0, false},
        {MRCT_ACT_CORRUPT, "reth.va", UINT64_MAX, 0, true},
        {MRCT_ACT_DSCP, "", 0, 63, true},
        {MRCT_ACT_DSCP, "", 0, 64, false},
        {MRCT_ACT_DSCP, "", 0, -1, false},
    };
    struct mrct_fab_config cfg;
    pair_config(&cfg);
    struct mrct_fab *const fab = mrct_fab_new(&cfg, 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct mrct_fault_rule r;
        mrct_fault_rule_init(&r);
        r.act = bad[i].act;
        r.value = bad[i].value;
        r.arg = bad[i].arg;
        (void)snprintf(r.field, sizeof r.field, "%s", bad[i].field);
        ck_assert_msg((mrct_fab_add_rule(fab, &r) >= 0) == bad[i].good, "row %zu", i);
    }
    ck_assert_ptr_null(mrct_fab_rule(fab, 99));
    ck_assert_ptr_null(mrct_fab_rule(fab, -1));
    mrct_fab_free(fab);
}
END_TEST

Suite *suite_rules(void)
{
    Suite *const s = suite_create("fabric rules");
    TCase *const tc = tcase_create("rules");
    tcase_add_loop_test(tc, hits_exactly, 0, (int)(sizeof table / sizeof table[0]));
    tcase_add_test(tc, base_without_source_qp_serves_what_comes_back);
    tcase_add_test(tc, bad_rules_are_refused);
    suite_add_tcase(s, tc);
    return s;
}
