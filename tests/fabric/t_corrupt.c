/* SPDX-License-Identifier: BSD-2-Clause */
/* Corruption: the bytes differ where the rule says, the ICRC is right when mended and stale when
 * not. */
#include "tests/fabric/fake.h"

#include <string.h>

struct seen {
    uint8_t bytes[2][MRC_FRAME_MAX]; /* sent, arrived */
    size_t len[2];
};

static void tap(void *user, unsigned host, bool out, uint64_t now_ns, unsigned plane,
                const uint8_t *bytes, size_t len)
{
    struct seen *const s = user;
    (void)host;
    (void)now_ns;
    (void)plane;
    memcpy(s->bytes[out ? 0 : 1], bytes, len);
    s->len[out ? 0 : 1] = len;
}

static void through(struct pair *t, const struct mrct_fault_rule *r, const struct mrc_pkt *p,
                    struct seen *s)
{
    struct mrct_fab_config cfg;
    pair_config(&cfg);
    pair_new(t, &cfg, 1);
    mrct_fab_set_tap(t->fab, tap, s);
    ck_assert_int_eq(mrct_fab_add_rule(t->fab, r), 0);
    (void)fake_send(t->host[0], 1000, 0, p);
    pair_run(t);
    ck_assert_uint_eq(t->host[1]->gots, 1);
    ck_assert_uint_eq(s->len[0], s->len[1]);
}

static unsigned bits_changed(const struct seen *s, size_t from, size_t to)
{
    unsigned n = 0;
    for (size_t i = from; i < to; i++)
        n += (unsigned)__builtin_popcount(s->bytes[0][i] ^ s->bytes[1][i]);
    return n;
}

#define BTH_AT  (14u + 40u + 8u)
#define BTH_LEN (12u + 4u + 4u + 16u)

/* Every bit from BTH to the end of the ICRC, of a packet with pad. */
START_TEST(every_bit)
{
    static struct seen s;
    struct mrc_pkt p, seen;
    const uint32_t bits = (BTH_LEN + 9 + 3 + 4) * 8;
    for (uint32_t bit = 0; bit < bits; bit++) {
        struct mrct_fault_rule r;
        struct pair t;
        mrct_fault_rule_init(&r);
        r.act = MRCT_ACT_CORRUPT;
        r.bit = bit;
        r.mend_icrc = _i == 1;
        fake_request(&p, 5, 1, fake_bytes, 9);
        through(&t, &r, &p, &s);
        const size_t end = s.len[0], body = end - 4;
        const bool in_icrc = bit / 8 >= BTH_LEN + 12;
        ck_assert_uint_eq(bits_changed(&s, 0, BTH_AT), 0);
        ck_assert_uint_eq(mrct_fab_rule(t.fab, 0)->hits, 1);
        if (_i == 0) {
            ck_assert_uint_eq(bits_changed(&s, 0, end), 1);
            const size_t at = BTH_AT + bit / 8;
            ck_assert_uint_eq(s.bytes[0][at] ^ s.bytes[1][at], 0x80u >> bit % 8);
        } else {
            ck_assert_uint_eq(bits_changed(&s, 0, body), in_icrc ? 0 : 1);
        }
        const enum mrc_wire_error err =
            mrc_pkt_decode(&t.host[1]->wire, s.bytes[1], end, end, true, &seen);
        const bool masked = bit / 8 == 4;
        if (_i == 0)
            ck_assert_msg(masked ? err == MRC_WIRE_OK : err != MRC_WIRE_OK, "bit %u", bit);
        else
            ck_assert_int_ne(err, MRC_WIRE_BAD_ICRC);
        /* The receiver's view of the frame agrees with that of its bytes. */
        const struct fake_got *const g = &t.host[1]->got[0];
        ck_assert_msg(g->err == err, "bit %u: frame %d, bytes %d", bit, (int)g->err, (int)err);
        pair_free(&t);
    }
    ck_assert_uint_eq(fake_bytes[0], 0x42);
}
END_TEST

START_TEST(a_field)
{
    static struct seen s;
    struct mrct_fault_rule r;
    struct mrc_pkt p, seen;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_CORRUPT;
    (void)snprintf(r.field, sizeof r.field, "reth.rkey");
    r.value = 0x80000001;
    r.mend_icrc = _i == 1;
    fake_request(&p, 5, 1, fake_bytes, 200);
    through(&t, &r, &p, &s);
    const enum mrc_wire_error err =
        mrc_pkt_decode(&t.host[1]->wire, s.bytes[1], s.len[1], s.len[1], true, &seen);
    ck_assert_int_eq(err, _i == 1 ? MRC_WIRE_OK : MRC_WIRE_BAD_ICRC);
    ck_assert_uint_eq(seen.reth.rkey, 0x80000001);
    ck_assert_uint_eq(seen.bth.psn, 5);
    ck_assert_uint_eq(bits_changed(&s, 0, s.len[0] - 4), 2);
    ck_assert_int_eq(t.host[1]->got[0].f.icrc_state, _i == 1 ? MRC_ICRC_DEFERRED : MRC_ICRC_WRONG);
    if (_i == 0)
        ck_assert_uint_eq(bits_changed(&s, s.len[0] - 4, s.len[0]), 0);
    pair_free(&t);
}
END_TEST

/* What the ICRC reads as ones may change and leaves it right. */
START_TEST(a_masked_field)
{
    static const char *const names[] = {"ipv6.hop_limit", "ipv6.dscp", "bth.var_rsvd",
                                        "udp.checksum"};
    static struct seen s;
    struct mrct_fault_rule r;
    struct mrc_pkt p, seen;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_CORRUPT;
    (void)snprintf(r.field, sizeof r.field, "%s", names[_i]);
    r.value = 0x21;
    fake_request(&p, 5, 1, fake_bytes, 200);
    through(&t, &r, &p, &s);
    ck_assert_int_eq(mrc_pkt_decode(&t.host[1]->wire, s.bytes[1], s.len[1], s.len[1], true, &seen),
                     MRC_WIRE_OK);
    ck_assert_int_eq(t.host[1]->got[0].f.icrc_state, MRC_ICRC_VALID);
    ck_assert_uint_eq(bits_changed(&s, 0, s.len[0]), 2);
    pair_free(&t);
}
END_TEST

/* An opcode that calls for another header: the frame is split as its bytes would be. */
START_TEST(another_opcode)
{
    static struct seen s;
    struct mrct_fault_rule r;
    struct mrc_pkt p;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_CORRUPT;
    (void)snprintf(r.field, sizeof r.field, "bth.opcode");
    r.value = MRC_OP_WRITE_ONLY ^ MRC_OP_WRITE_ONLY_IMM;
    r.mend_icrc = true;
    fake_request(&p, 5, 1, fake_bytes, 200);
    through(&t, &r, &p, &s);
    const struct fake_got *const g = &t.host[1]->got[0];
    ck_assert_int_eq(g->err, MRC_WIRE_OK);
    ck_assert_uint_eq(g->p.immdt.imm, 0x42010203);
    ck_assert_uint_eq(g->p.payload_len, 196);
    ck_assert_uint_eq(g->first_byte, 4);
    pair_free(&t);
}
END_TEST

START_TEST(what_is_not_there_is_no_hit)
{
    static struct seen s;
    struct mrct_fault_rule r;
    struct mrc_pkt p;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_CORRUPT;
    if (_i == 0)
        r.bit = 100000;
    else
        (void)snprintf(r.field, sizeof r.field, "seth.m");
    r.value = 1;
    fake_request(&p, 5, 1, fake_bytes, 200);
    through(&t, &r, &p, &s);
    ck_assert_uint_eq(bits_changed(&s, 0, s.len[0]), 0);
    ck_assert_uint_eq(mrct_fab_rule(t.fab, 0)->hits, 0);
    pair_free(&t);
}
END_TEST

Suite *suite_corrupt(void)
{
    Suite *const s = suite_create("fabric corruption");
    TCase *const tc = tcase_create("corrupt");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_bit, 0, 2);
    tcase_add_loop_test(tc, a_field, 0, 2);
    tcase_add_loop_test(tc, a_masked_field, 0, 4);
    tcase_add_test(tc, another_opcode);
    tcase_add_loop_test(tc, what_is_not_there_is_no_hit, 0, 2);
    suite_add_tcase(s, tc);
    return s;
}
