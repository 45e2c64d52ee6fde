/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 9: EV profiles and formats, what several QPs share of one, and SRv6's outer header. */
#include "ref/endpoint/mrc_profile.h"
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <stdlib.h>
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

/* ---- fields ---- */

START_TEST(expansion)
{
    static const struct {
        struct mrc_ev_field f[3];
        unsigned n;
        uint64_t compact;
        uint8_t out[6];
    } rows[] = {
        {{{.width = 8, .init_val = 0xA5, .mask = 0x0F}, {.width = 4, .mask = 0xF}},
         2,
         0x12,
         {0xA1, 0x20}},
        {{{.width = 8, .init_val = 0xFF, .mask = 0xA0}}, 1, 1, {0x7F}},
        {{{.width = 8, .init_val = 0xFF, .mask = 0xA0}}, 1, 2, {0xDF}},
        {{{.width = 3, .init_val = 5}, {.width = 1, .mask = 1}, {.width = 12, .init_val = 0x123}},
         3,
         1,
         {0xB1, 0x23}},
        {{{.width = 16, .init_val = 0xC000, .mask = 0x3FFF}, {.width = 16, .mask = 0xFFFF}},
         2,
         0x2ABC1234,
         {0xEA, 0xBC, 0x12, 0x34}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t out[MRC_EV_BYTES];
        mrc_ev_expand(rows[i].f, rows[i].n, rows[i].compact, out);
        ck_assert_mem_eq(out, rows[i].out, sizeof rows[i].out);
    }
}
END_TEST

START_TEST(field_checks)
{
    const struct mrc_ev_format udp = {.mode = MRC_EV_MODE_UDP, .field_count = 2, .width = {8, 8}};
    static const struct {
        struct mrc_ev_field f[3];
        unsigned n;
        int want;
    } rows[] = {
        {{{.width = 8, .max_val = 15, .mask = 0xF}, {.width = 8}}, 2, MRC_EP_OK},
        {{{.width = 16, .max_val = 15, .mask = 0xF0}}, 1, MRC_EP_OK},
        {{{.width = 4}, {.width = 4}, {.width = 4}}, 3, MRC_EP_E2BIG},
        {{{.width = 9}, {.width = 8}}, 2, MRC_EP_E2BIG},
        {{{.width = 8, .init_val = 256}}, 1, MRC_EP_EINVAL},
        {{{.width = 8, .mask = 0x100}}, 1, MRC_EP_EINVAL},
        {{{.width = 8, .max_val = 16, .mask = 0xF}}, 1, MRC_EP_EINVAL},
        {{{.width = 8, .min_val = 3, .max_val = 2, .mask = 0xF}}, 1, MRC_EP_EINVAL},
        {{{.width = 0}}, 1, MRC_EP_EINVAL},
        {{{.width = 8}}, 0, MRC_EP_EINVAL},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_int_eq(mrc_ev_fields_check(&udp, rows[i].f, rows[i].n), rows[i].want);
    struct mrc_ev_format wide = udp; /* more than a source port holds */
    wide.width[0] = wide.width[1] = 16;
    const struct mrc_ev_field f[2] = {{.width = 16}, {.width = 16}};
    ck_assert_int_eq(mrc_ev_fields_check(&wide, f, 2), MRC_EP_E2BIG);
    wide.mode = MRC_EV_MODE_STEV;
    ck_assert_int_eq(mrc_ev_fields_check(&wide, f, 2), MRC_EP_OK);
    wide.field_count = MRC_EV_FIELDS_MAX + 1;
    ck_assert_int_eq(mrc_ev_fields_check(&wide, f, 2), MRC_EP_EINVAL);
}
END_TEST

/* ---- profiles ---- */

static struct mrc_ev_profile profile;
static struct mrc_ev_field fields[2];

static void make_profile(struct rig *r)
{
    for (unsigned h = 0; h < 2; h++)
        ck_assert_int_eq(mrc_ev_profile_create(r->host[h].ep, &profile), MRC_EP_OK);
}

static void use_profile(void)
{
    rig.before_qps = make_profile;
    for (unsigned h = 0; h < 2; h++)
        rig.host[h].attr.ev_profile = profile.id;
}

static void transfer(void)
{
    for (unsigned h = 0; h < 2; h++)
        rig_write(&rig, h, 1, 0, 1u << 20, 300000);
    rig_run(&rig, RIG_FOREVER);
    for (unsigned h = 0; h < 2; h++) {
        rig_assert_settled(&rig, h, 1);
        ck_assert(rig_same(&rig, h, 0, 1u << 20, 300000));
    }
}

static struct mrc_ev_info infos[64];

static unsigned query(uint32_t qpn)
{
    const int n = mrc_ev_query_array(rig.host[0].ep, qpn, 0, infos, 64);
    ck_assert_int_ge(n, 1);
    return (unsigned)n;
}

/* As many on each port, no value twice there; and every one of them is used. */
static void assert_spread(unsigned count, uint32_t ones, uint32_t zeros)
{
    ck_assert_uint_eq(query(0x22), count);
    unsigned on[RIG_PORTS] = {0};
    for (unsigned i = 0; i < count; i++) {
        on[infos[i].ev.port]++;
        ck_assert_uint_eq(infos[i].ev.value & ones, ones);
        ck_assert_uint_eq(infos[i].ev.value & zeros, 0);
        for (unsigned k = 0; k < i; k++)
            ck_assert(infos[k].ev.port != infos[i].ev.port ||
                      infos[k].ev.value != infos[i].ev.value);
        unsigned used = 0;
        for (unsigned k = 0; k < rig.log_len; k++)
            used += rig.log[k].from == 0 && rig.log[k].port == infos[i].ev.port &&
                    rig.log[k].pkt.ev == infos[i].ev.value;
        ck_assert_uint_ge(used, 1);
    }
    for (unsigned i = 0; i < RIG_PORTS; i++)
        ck_assert_uint_eq(on[i], count / RIG_PORTS);
}

static void generated(enum mrc_ev_mode mode)
{
    profile = (struct mrc_ev_profile){
        .id = 5,
        .source = MRC_EV_GENERATED,
        .format = {.mode = mode, .field_count = 2, .width = {8, 24}},
        .ev_count = 24,
        .fields = fields,
        .field_count = 2,
    };
    fields[0] = (struct mrc_ev_field){.width = 8, .init_val = 0xC0};
    fields[1] = (struct mrc_ev_field){
        .width = 8, .init_val = 0x80, .min_val = 1, .max_val = 7, .mask = 0x07};
}

/* REQ-9.3-21: what lies between the bounds and is let through by the masks, and nothing else. */
START_TEST(generated_stev)
{
    generated(MRC_EV_MODE_STEV);
    fields[1].width = 24;
    use_profile();
    rig_start(&rig);
    transfer();
    assert_spread(24, 0xC0000080, 0x3FFFFF78);
}
END_TEST

START_TEST(generated_udp)
{
    generated(MRC_EV_MODE_UDP);
    profile.format.width[1] = 8;
    use_profile();
    rig_start(&rig);
    transfer();
    assert_spread(24, 0xC0800000, 0x3F78FFFF);
}
END_TEST

START_TEST(automatic)
{
    profile = (struct mrc_ev_profile){
        .id = 5,
        .source = MRC_EV_AUTO,
        .format = {.mode = _i == 0 ? MRC_EV_MODE_UDP : MRC_EV_MODE_STEV},
        .ev_count = 32,
        .ev_active = 20,
        .ev_min_active = 8,
    };
    use_profile();
    rig_start(&rig);
    transfer();
    unsigned active = 0;
    const unsigned n = query(0x22);
    for (unsigned i = 0; i < n; i++) {
        active += infos[i].active;
        ck_assert_uint_eq(infos[i].ev.value >> 30, 3); /* an ephemeral source port */
        ck_assert(_i == 1 || (infos[i].ev.value & 0xFFFF) == 0);
    }
    ck_assert_uint_eq(active, 20);
}
END_TEST

START_TEST(explicit_list)
{
    static struct mrc_ev_spec list[8];
    for (unsigned i = 0; i < 8; i++)
        list[i] = (struct mrc_ev_spec){.value = {0xD0, (uint8_t)i, 9, 8}, .port = (uint8_t)(i / 2)};
    profile = (struct mrc_ev_profile){.id = 5,
                                      .source = MRC_EV_EXPLICIT,
                                      .format = {.mode = MRC_EV_MODE_STEV},
                                      .ev_count = 8,
                                      .list = list};
    use_profile();
    rig_start(&rig);
    transfer();
    assert_spread(8, 0xD0000908, 0x0FF8F6F7);
}
END_TEST

static void spoil(struct mrc_ev_profile *p, int how)
{
    switch (how) {
    case 0:
        p->id = 0;
        break;
    case 1:
        p->ev_count = 0;
        break;
    case 2:
        p->ev_count = 23; /* not as many on each port */
        break;
    case 3:
        p->ev_count = 32; /* the fields make 7 a port */
        break;
    case 4:
        p->source = (enum mrc_ev_source)3;
        break;
    case 5:
        p->format.mode = (enum mrc_ev_mode)3;
        break;
    case 6:
        p->fields = NULL;
        break;
    case 7:
        p->source = MRC_EV_EXPLICIT; /* without a list */
        break;
    default:
        p->ev_active = 25;
        break;
    }
}

START_TEST(bad_profile)
{
    generated(MRC_EV_MODE_UDP);
    rig_start(&rig);
    spoil(&profile, _i);
    ck_assert_int_eq(mrc_ev_profile_create(rig.host[0].ep, &profile), MRC_EP_EINVAL);
}
END_TEST

START_TEST(profile_life)
{
    generated(MRC_EV_MODE_UDP);
    profile.format.width[1] = 8;
    use_profile();
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    ck_assert_int_eq(mrc_ev_profile_create(ep, &profile), MRC_EP_EINVAL); /* the id is taken */
    ck_assert_int_eq(mrc_ev_profile_destroy(ep, 5), MRC_EP_EBUSY);
    ck_assert_int_eq(mrc_ev_profile_destroy(ep, 6), MRC_EP_ENOENT);
    rig.host[0].attr.qpn = 0;
    rig.host[0].attr.ev_profile = 6;
    ck_assert_int_eq(mrc_qp_create(ep, &rig.host[0].attr), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_qp_destroy(ep, 0x22), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_destroy(ep, 5), MRC_EP_OK);
    fields[0].width = 9;
    ck_assert_int_eq(mrc_ev_profile_create(ep, &profile), MRC_EP_E2BIG);
    ck_assert_str_eq(mrc_ep_strerror(MRC_EP_E2BIG), "more than the format holds");
    ck_assert_str_eq(mrc_ep_strerror(MRC_EP_EBUSY), "in use");
}
END_TEST

/* ---- whose state it is: Q25 ---- */

static void always_skip(uint32_t qpn, uint32_t psn, uint32_t ev)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_SACK, psn, &p);
    p.bth.dest_qp = qpn;
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = psn;
    p.seth.entropy = ev;
    p.seth.m = MRC_M_ALWAYS_SKIP;
    p.seth.sack_offset = 1;
    rig_inject(&rig, 0, 0, &p);
}

START_TEST(scope_of_states)
{
    generated(MRC_EV_MODE_UDP);
    profile.format.width[1] = 8;
    profile.ev_events = MRC_EV_EVENT_ASSUMED_BAD;
    rig.host[0].cfg.ev.q25_scope = _i == 0 ? 'a' : 'b';
    profile.ev_count = RIG_PORTS; /* one a port, so that a value names it... */
    use_profile();
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    struct mrc_qp_peer peer = {.qpn = 0x11, .start_psn = 1, .max_wimm_dest = 32, .mpr_dest = 8};
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    rig.host[0].attr.qpn = 0x30;
    ck_assert_int_eq(mrc_qp_create(ep, &rig.host[0].attr), 0x30);
    ck_assert_int_eq(mrc_qp_connect(ep, 0x30, &peer), MRC_EP_OK);
    query(0x22);
    unsigned i = 0; /* ...unless two ports drew the same */
    for (unsigned k = 0; k < RIG_PORTS; k++)
        for (unsigned n = 0; n < RIG_PORTS; n++)
            if (n != i && infos[n].ev.value == infos[i].ev.value)
                i = (i + 1) % RIG_PORTS, n = RIG_PORTS;
    const struct mrc_ev ev = infos[i].ev;
    always_skip(0x22, 99, ev.value);
    enum mrc_ev_state mine, other;
    ck_assert_int_eq(mrc_ev_query_state(ep, 0x22, ev, &mine), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_query_state(ep, 0x30, ev, &other), MRC_EP_OK);
    ck_assert_int_eq(mine, MRC_EV_ASSUMED_BAD);
    ck_assert_int_eq(other, _i == 0 ? MRC_EV_GOOD : MRC_EV_ASSUMED_BAD);
    struct mrc_ep_event e;
    ck_assert(mrc_ep_poll_event(ep, &e));
    ck_assert_int_eq(e.kind, MRC_EVENT_EV);
    ck_assert_uint_eq(e.profile, 5);
    ck_assert_int_eq(mrc_qp_destroy(ep, 0x30), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER); /* a probe brings it back */
    transfer();
    ck_assert_int_eq(mrc_ev_query_state(ep, 0x22, ev, &mine), MRC_EP_OK);
    ck_assert_int_eq(mine, MRC_EV_GOOD);
}
END_TEST

/* ---- SRv6 ---- */

static const struct mrc_srv6_template template = {
    .locator = {0x5F, 0, 0, 1},
    .usid = {0x1000, 0x2000, 0x3000, 0x4000},
    .usid_count = 4,
    .tier1 = 1,
    .plane_shift = 8,
    .plane_bits = 4,
    .uplink_shift = 0,
    .uplink_bits = 8,
};

START_TEST(template_addresses)
{
    uint8_t first[16], second[16];
    const uint8_t want[16] = {0x5F, 0, 0, 1, 0x13, 0, 0x23, 0x2A, 0x33, 0, 0x43, 0, 0, 0, 0, 0};
    ck_assert(!mrc_srv6_addresses(&template, 3, 0x12A, first, second));
    ck_assert_mem_eq(first, want, 16);
    struct mrc_srv6_template t = template;
    t.usid_count = 7;
    t.usid[6] = 0x7000;
    const uint8_t more[16] = {0x5F, 0, 0, 1, 0x73};
    ck_assert(mrc_srv6_addresses(&t, 3, 0x2A, first, second));
    ck_assert_mem_eq(second, more, 16);
    /* A further tier: four bits of the value from its bit 5 on, in the third uSID. */
    t = template;
    t.more[0] = (struct mrc_srv6_field){.usid = 2, .shift = 4, .bits = 4, .value_shift = 5};
    t.more_count = 1;
    ck_assert(!mrc_srv6_addresses(&t, 3, 0x12A, first, second));
    const uint8_t third[16] = {0x5F, 0, 0, 1, 0x13, 0, 0x23, 0x2A, 0x33, 0x90, 0x43};
    ck_assert_mem_eq(first, third, 16);
}
END_TEST

static unsigned plain; /* frames of host 0 without the right outer header */

static void templated(struct rig *r, struct rig_frame *f, void *user)
{
    const struct mrc_srv6_template *t = &r->host[1 - f->from].srv6;
    uint8_t first[16], second[16];
    (void)user;
    const bool two = mrc_srv6_addresses(t, f->port, f->pkt.ev, first, second);
    plain += !f->pkt.has_outer || MRC_PKT_HAS(&f->pkt, SRH) != two ||
             f->pkt.outer_ip6.dscp != f->pkt.inner_dscp || f->pkt.outer_ip6.ecn != f->pkt.inner_ecn;
    if (mrc_op_is_write(f->pkt.bth.opcode))
        plain += memcmp(f->pkt.outer_ip6.dst, first, 16) != 0 ||
                 (two && memcmp(f->pkt.srh.segment, second, 16) != 0);
    if (mrc_op_is_write(f->pkt.bth.opcode) && f->nth % 31 == 0)
        f->drop = true;
}

/* All kinds of packets carry the outer header of their EV: data, answers, probes, node operations.
 */
START_TEST(srv6_by_template)
{
    profile = (struct mrc_ev_profile){
        .id = 5, .source = MRC_EV_AUTO, .format = {.mode = MRC_EV_MODE_SRV6}, .ev_count = 32};
    for (unsigned h = 0; h < 2; h++) {
        rig.host[h].srv6 = template;
        rig.host[h].srv6.usid_count = _i == 0 ? 4 : 7;
        rig.host[h].srv6.usid[3] = (uint16_t)(0x4000 + h);
    }
    if (_i < 2)
        use_profile(); /* else: a plain list, whose low bits are the uplink */
    plain = 0;
    rig.hook = templated;
    rig_start(&rig);
    ck_assert_int_eq(mrc_ep_port_set(rig.host[0].ep, rig.now_ns, 2, false), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(mrc_ep_port_set(rig.host[0].ep, rig.now_ns, 2, true), MRC_EP_OK);
    const struct mrc_ev_probe q = {
        .to = rig.host[1].cfg.port_addr[1], .ev = {.value = 3, .port = 1}, .timeout_ns = 1000000};
    ck_assert_int_eq(mrc_ep_probe(rig.host[0].ep, rig.now_ns, &q), MRC_EP_OK);
    query(0x22);
    always_skip(0x22, 99, infos[0].ev.value);
    transfer();
    ck_assert_uint_eq(plain, 0);
    ck_assert_uint_ge(rig_count(&rig, 0, MRC_OP_EP_REQUEST), 3);
    ck_assert_uint_ge(rig_count(&rig, 1, MRC_OP_EP_RESPONSE), 3);
    ck_assert_uint_ge(rig_count(&rig, 1, MRC_OP_SACK), 10);
    ck_assert_uint_ge(rig_count(&rig, 1, MRC_OP_ACK), 1);
    ck_assert_int_eq(rig_event_of(&rig, 0, MRC_EVENT_PROBE, 0)->status, MRC_WC_SUCCESS);
}
END_TEST

static struct mrc_ev_spec specs[8];

static void listed(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    const bool *srh = user;
    for (unsigned i = 0; i < 8; i++)
        if (specs[i].wire == f->pkt.ev) {
            plain += !f->pkt.has_outer || memcmp(f->pkt.outer_ip6.dst, specs[i].value, 16) != 0;
            plain += MRC_PKT_HAS(&f->pkt, SRH) != *srh;
            plain += *srh && (memcmp(f->pkt.srh.segment, specs[i].value + 16, 16) != 0 ||
                              f->pkt.srh.segments_left != 1);
            return;
        }
    plain++;
}

START_TEST(srv6_by_list)
{
    bool srh = _i == 1;
    for (unsigned i = 0; i < 8; i++) {
        specs[i] = (struct mrc_ev_spec){.wire = 0x77000000 + i, .port = (uint8_t)(i % RIG_PORTS)};
        for (unsigned k = 0; k < MRC_EV_BYTES; k++)
            specs[i].value[k] = (uint8_t)(0x50 + i * 3 + k);
    }
    profile = (struct mrc_ev_profile){.id = 5,
                                      .source = MRC_EV_EXPLICIT,
                                      .format = {.mode = MRC_EV_MODE_SRV6, .srh = srh},
                                      .ev_count = 8,
                                      .list = specs};
    use_profile();
    plain = 0;
    rig.hook = listed;
    rig.user = &srh;
    rig_start(&rig);
    transfer();
    ck_assert_uint_eq(plain, 0);
}
END_TEST

START_TEST(srv6_needs_ipv6)
{
    struct mrc_ep_config cfg = rig.host[0].cfg;
    int err;
    cfg.port_addr[2].is_v6 = false;
    struct mrc_ep *ep = mrc_ep_new(&cfg, 1, &err);
    profile = (struct mrc_ev_profile){
        .id = 5, .source = MRC_EV_AUTO, .format = {.mode = MRC_EV_MODE_SRV6}, .ev_count = 8};
    ck_assert_int_eq(mrc_ev_profile_create(ep, &profile), MRC_EP_EINVAL);
    ck_assert_int_gt(mrc_qp_create(ep, &rig.host[0].attr), 0);
    struct mrc_qp_peer peer = {
        .qpn = 0x11, .start_psn = 1, .max_wimm_dest = 32, .mpr_dest = 8, .srv6 = template};
    memcpy(peer.addr, cfg.port_addr, sizeof peer.addr);
    ck_assert_int_eq(mrc_qp_connect(ep, 0x22, &peer), MRC_EP_EINVAL);
    peer.srv6.usid_count = 0;
    ck_assert_int_eq(mrc_qp_connect(ep, 0x22, &peer), MRC_EP_OK);
    mrc_ep_free(ep);
}
END_TEST

/* ---- memory ---- */

struct meter {
    unsigned calls, fail_at;
    int out;
};

static void *metered_alloc(void *user, size_t size)
{
    struct meter *m = user;
    if (++m->calls == m->fail_at)
        return NULL;
    m->out++;
    return malloc(size);
}

static void metered_free(void *user, void *p)
{
    struct meter *m = user;
    m->out -= p != NULL;
    free(p);
}

START_TEST(allocation_failures)
{
    struct meter m = {0};
    struct mrc_ep_config cfg = rig.host[0].cfg;
    struct mrc_qp_attr attr = rig.host[0].attr;
    cfg.alloc = (struct mrc_alloc){metered_alloc, metered_free, &m};
    generated(MRC_EV_MODE_SRV6);
    profile.format.width[1] = 8;
    attr.ev_profile = 5;
    unsigned failed = 0;
    for (unsigned n = 1; n < 60; n++) {
        m = (struct meter){.fail_at = 0};
        struct mrc_ep *ep = mrc_ep_new(&cfg, 1, NULL);
        m.fail_at = m.calls + n;
        const int err = mrc_ev_profile_create(ep, &profile);
        const int64_t qpn = err == MRC_EP_OK ? mrc_qp_create(ep, &attr) : err;
        ck_assert(qpn == 0x22 || qpn == MRC_EP_ENOMEM);
        failed += qpn < 0;
        mrc_ep_free(ep);
        ck_assert_int_eq(m.out, 0);
    }
    ck_assert_uint_ge(failed, 12);
    ck_assert_uint_lt(failed, 59);
}
END_TEST

TCase *tcase_profile(void)
{
    TCase *tc = tcase_create("profile");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, expansion);
    tcase_add_test(tc, field_checks);
    tcase_add_test(tc, generated_stev);
    tcase_add_test(tc, generated_udp);
    tcase_add_loop_test(tc, automatic, 0, 2);
    tcase_add_test(tc, explicit_list);
    tcase_add_loop_test(tc, bad_profile, 0, 9);
    tcase_add_test(tc, profile_life);
    tcase_add_loop_test(tc, scope_of_states, 0, 2);
    tcase_add_test(tc, template_addresses);
    tcase_add_loop_test(tc, srv6_by_template, 0, 3);
    tcase_add_loop_test(tc, srv6_by_list, 0, 2);
    tcase_add_test(tc, srv6_needs_ipv6);
    tcase_add_test(tc, allocation_failures);
    return tc;
}
