/* SPDX-License-Identifier: BSD-2-Clause */
/* What a switch does to one packet: mark, reclassify, trim. */
#include "tests/fabric/fake.h"

#include <string.h>

#define HAS(hdr) (UINT32_C(1) << MRC_HDR_##hdr)

static void to_ip4(struct mrc_pkt *p)
{
    p->present = (p->present & ~HAS(IPV6)) | HAS(IPV4);
    p->is_v6 = false;
    p->eth.ethertype = 0x0800;
    p->ip4 = (struct mrc_ipv4){
        .version = 4, .ihl = 5, .ttl = 64, .protocol = 17, .dscp = p->ip6.dscp, .ecn = p->ip6.ecn};
    p->ip4.src[0] = p->ip4.dst[0] = 10;
}

static void to_srv6(struct mrc_pkt *p)
{
    p->has_outer = true;
    p->outer_ip6 = p->ip6;
    p->outer_ip6.next_hdr = 41;
    p->outer_ip6.dst[0] = 0xFC;
}

/* One packet of `len` bytes through one rule. form: 0 IPv6, 1 IPv4, 2 SRv6, 3 IPv6 with VLAN. */
static void through(struct pair *t, const struct mrct_fault_rule *r, int form, struct mrc_pkt *p)
{
    struct mrct_fab_config cfg;
    pair_config(&cfg);
    pair_new(t, &cfg, 1);
    ck_assert_int_eq(mrct_fab_add_rule(t->fab, r), 0);
    if (form == 1)
        to_ip4(p);
    if (form == 2)
        to_srv6(p);
    if (form == 3) {
        p->present |= HAS(VLAN);
        p->vlan_count = 1;
    }
    (void)fake_send(t->host[0], 1000, 0, p);
    pair_run(t);
    ck_assert_uint_eq(t->host[1]->gots, 1);
}

static bool ip4_checksum_right(const struct fake_got *g)
{
    uint32_t sum = 0;
    if (!MRC_PKT_HAS(&g->p, IPV4))
        return true;
    const uint8_t *const ip = g->f.hdr + g->p.off[MRC_HDR_IPV4];
    for (unsigned i = 0; i < 20; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    return (sum & 0xFFFF) + (sum >> 16) == 0xFFFF;
}

/* The ICRC in the gathered bytes is right: what an outsider would say of them. */
static enum mrc_wire_error outside_view(const struct fake *k, const struct fake_got *g,
                                        struct mrc_pkt *p)
{
    static uint8_t bytes[MRC_FRAME_MAX];
    struct mrc_frame f = g->f;
    f.payload = fake_bytes; /* all tests here send these */
    const size_t n = mrc_frame_gather(&k->wire, &f, bytes, sizeof bytes);
    return mrc_pkt_decode(&k->wire, bytes, n, n, true, p);
}

START_TEST(marks)
{
    struct mrct_fault_rule r;
    struct mrc_pkt p, seen;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_MARK_CE;
    fake_request(&p, 5, 1, fake_bytes, 200);
    through(&t, &r, _i, &p);
    const struct fake_got *const g = &t.host[1]->got[0];
    ck_assert_int_eq(outside_view(t.host[1], g, &seen), MRC_WIRE_OK);
    ck_assert_uint_eq(seen.ecn, 3);
    ck_assert_uint_eq(seen.inner_ecn, _i == 2 ? 2 : 3);
    ck_assert_uint_eq(seen.dscp, t.host[1]->wire.dscp[MRC_DSCP_TRIMMABLE]);
    ck_assert(ip4_checksum_right(g));
    ck_assert_uint_eq(mrct_fab_rule(t.fab, 0)->hits, 1);
    pair_free(&t);
}
END_TEST

START_TEST(what_is_not_ect_is_not_marked)
{
    struct mrct_fault_rule r;
    struct mrc_pkt p;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_MARK_CE;
    fake_sack(&p, 5, 1);
    through(&t, &r, 0, &p);
    ck_assert_uint_eq(t.host[1]->got[0].p.ecn, 0);
    ck_assert_uint_eq(mrct_fab_rule(t.fab, 0)->hits, 0);
    pair_free(&t);
}
END_TEST

START_TEST(dscp_is_rewritten)
{
    struct mrct_fault_rule r;
    struct mrc_pkt p, seen;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_DSCP;
    r.arg = 33;
    fake_request(&p, 5, 1, fake_bytes, 200);
    through(&t, &r, _i, &p);
    const struct fake_got *const g = &t.host[1]->got[0];
    ck_assert_int_eq(outside_view(t.host[1], g, &seen), MRC_WIRE_OK);
    ck_assert_uint_eq(seen.dscp, 33);
    ck_assert_uint_eq(seen.ecn, 2);
    ck_assert_uint_eq(seen.inner_dscp, _i == 2 ? t.host[1]->wire.dscp[MRC_DSCP_TRIMMABLE] : 33);
    ck_assert(ip4_checksum_right(g));
    pair_free(&t);
}
END_TEST

/* Forms as in the golden vectors: 64 bytes of UDP and after are left, the UDP length stays. */
START_TEST(trims)
{
    struct mrct_fault_rule r;
    struct mrc_pkt p, seen;
    struct pair t;
    const int form = _i / 2;
    const bool last_hop = _i % 2 == 1;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_TRIM;
    r.arg = last_hop;
    fake_request(&p, 5, 1, fake_bytes, 4096);
    through(&t, &r, form, &p);
    const struct fake_got *const g = &t.host[1]->got[0];
    static const unsigned wire_len[] = {118, 98, 158, 122};
    ck_assert_uint_eq(mrc_frame_wire_len(&g->f), wire_len[form]);
    ck_assert_int_eq(g->f.icrc_state, MRC_ICRC_ABSENT);
    ck_assert_int_eq(outside_view(t.host[1], g, &seen), MRC_WIRE_OK);
    ck_assert_int_eq(seen.trim, last_hop ? MRC_TRIM_LASTHOP : MRC_TRIM_TRIMMED);
    ck_assert_uint_eq(seen.udp.length, 8 + 12 + 4 + 4 + 16 + 4096 + 4);
    ck_assert_uint_eq(seen.reth.dma_len, 4096);
    ck_assert_uint_eq(seen.bth.psn, 5);
    ck_assert_uint_eq(seen.ecn, 2);
    if (form == 2)
        ck_assert_uint_eq(seen.inner_dscp, t.host[1]->wire.dscp[MRC_DSCP_TRIMMABLE]);
    ck_assert_int_eq(g->err, MRC_WIRE_OK);
    ck_assert_int_eq(g->p.trim, seen.trim);
    ck_assert(ip4_checksum_right(g));
    pair_free(&t);
}
END_TEST

START_TEST(what_cannot_be_trimmed_passes)
{
    struct mrct_fault_rule r;
    struct mrc_pkt p;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_TRIM;
    fake_request(&p, 5, 1, fake_bytes, _i == 0 ? 20 : 4096);
    if (_i == 1)
        p.ip6.dscp = 0; /* NO_TRIM */
    if (_i == 2)
        fake_sack(&p, 5, 1);
    through(&t, &r, 0, &p);
    ck_assert_int_eq(t.host[1]->got[0].p.trim, MRC_TRIM_NONE);
    ck_assert_int_eq(t.host[1]->got[0].err, MRC_WIRE_OK);
    ck_assert_uint_eq(mrct_fab_rule(t.fab, 0)->hits, 0);
    pair_free(&t);
}
END_TEST

START_TEST(short_trims_keep_what_is_whole)
{
    struct mrct_fault_rule r;
    struct mrc_pkt p, seen;
    struct pair t;
    mrct_fault_rule_init(&r);
    r.act = MRCT_ACT_TRIM;
    fake_request(&p, 5, 1, fake_bytes, 21);
    through(&t, &r, 0, &p);
    const struct fake_got *const g = &t.host[1]->got[0];
    ck_assert_uint_eq(mrc_frame_wire_len(&g->f), 118);
    ck_assert_int_eq(outside_view(t.host[1], g, &seen), MRC_WIRE_OK);
    ck_assert_int_eq(seen.trim, MRC_TRIM_TRIMMED);
    pair_free(&t);
}
END_TEST

Suite *suite_acts(void)
{
    Suite *const s = suite_create("fabric acts");
    TCase *const tc = tcase_create("acts");
    tcase_add_loop_test(tc, marks, 0, 4);
    tcase_add_test(tc, what_is_not_ect_is_not_marked);
    tcase_add_loop_test(tc, dscp_is_rewritten, 0, 4);
    tcase_add_loop_test(tc, trims, 0, 8);
    tcase_add_loop_test(tc, what_cannot_be_trimmed_passes, 0, 3);
    tcase_add_test(tc, short_trims_keep_what_is_whole);
    suite_add_tcase(s, tc);
    return s;
}
