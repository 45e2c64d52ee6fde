/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of an EV profile, and what a controller sees and changes of it while QPs use it. */
#include "ref/endpoint/mrc_profile.h"
#include "ref/endpoint/trace.h"
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <string.h>

#define EVS 8u

static struct rig rig;
static struct mrc_ev_spec specs[EVS];
static struct mrc_ev_profile profile;

static void setup(void)
{
    rig_init(&rig);
    for (unsigned i = 0; i < EVS; i++)
        specs[i] = (struct mrc_ev_spec){.value = {0xD0, (uint8_t)i, 9, 8},
                                        .port = (uint8_t)(i % RIG_PORTS)};
    profile = (struct mrc_ev_profile){.id = 5,
                                      .source = MRC_EV_EXPLICIT,
                                      .format = {.mode = MRC_EV_MODE_STEV},
                                      .ev_count = EVS,
                                      .list = specs,
                                      .ev_min_active = 1};
}

static void teardown(void)
{
    rig_fini(&rig);
}

static uint32_t value_of(unsigned i)
{
    return UINT32_C(0xD0000908) | i << 16;
}

static void make_profile(struct rig *r)
{
    ck_assert_int_eq(mrc_ev_profile_create(r->host[0].ep, &profile), MRC_EP_OK);
}

/* Host 0's QPs 0x22 and 0x30 have the profile; host 1 has a list. */
static struct mrc_ep *start(char scope)
{
    rig.host[0].cfg.ev.q25_scope = scope;
    rig.before_qps = make_profile;
    rig.host[0].attr.ev_profile = 5;
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    struct mrc_qp_peer peer = {.qpn = 0x12, .start_psn = 1, .max_wimm_dest = 32, .mpr_dest = 8};
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    rig.host[0].attr.qpn = 0x30;
    ck_assert_int_eq(mrc_qp_create(ep, &rig.host[0].attr), 0x30);
    ck_assert_int_eq(mrc_qp_connect(ep, 0x30, &peer), MRC_EP_OK);
    return ep;
}

static struct mrc_ev_info infos[EVS];

static const struct mrc_ev_info *seen(unsigned i)
{
    ck_assert_int_eq(mrc_ev_profile_query_array(rig.host[0].ep, 5, 0, infos, EVS), EVS);
    return &infos[i];
}

static enum mrc_ev_state state_at(uint32_t qpn, unsigned i)
{
    struct mrc_ev_info one;
    ck_assert_int_eq(mrc_ev_query_array(rig.host[0].ep, qpn, i, &one, 1), 1);
    return one.state;
}

static void sack(uint32_t qpn, uint32_t ev, uint8_t m)
{
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_SACK, 99, &p);
    p.bth.dest_qp = qpn;
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = 99;
    p.seth.entropy = ev;
    p.seth.m = m;
    p.seth.sack_offset = 1;
    rig_inject(&rig, 0, 0, &p);
}

static bool take_data(struct mrc_pkt *p)
{
    while (rig_take(&rig, 0, p))
        if (mrc_op_is_write(p->bth.opcode))
            return true;
    return false;
}

/* ---- INIT, OFFLINE, ONLINE ---- */

START_TEST(life)
{
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    struct mrc_ev_profile_info info;
    struct mrc_qp_attr attr = rig.host[0].attr;
    attr.qpn = 0;
    attr.ev_profile = 5;
    ck_assert_int_eq(mrc_ev_profile_open(ep, 0), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ev_profile_fill(ep, &profile), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ev_profile_open(ep, 5), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_open(ep, 5), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ev_profile_query(ep, 5, &info), MRC_EP_OK);
    ck_assert_int_eq(info.state, MRC_PROFILE_INIT);
    ck_assert_int_eq(mrc_ev_profile_query_array(ep, 5, 0, infos, EVS), 0);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_ONLINE), MRC_EP_ESTATE);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_OFFLINE), MRC_EP_ESTATE);
    ck_assert_int_eq(mrc_qp_create(ep, &attr), MRC_EP_ESTATE);
    ck_assert_int_eq(mrc_ev_profile_fill(ep, &profile), MRC_EP_OK);
    ck_assert_int_eq(mrc_qp_create(ep, &attr), MRC_EP_ESTATE); /* not ONLINE yet */
    profile.ev_count = 4;                                      /* filled anew */
    ck_assert_int_eq(mrc_ev_profile_fill(ep, &profile), MRC_EP_OK);
    profile.ev_count = 0; /* a bad one leaves it as it was */
    ck_assert_int_eq(mrc_ev_profile_fill(ep, &profile), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ev_profile_query(ep, 5, &info), MRC_EP_OK);
    ck_assert_int_eq(info.state, MRC_PROFILE_OFFLINE);
    ck_assert_uint_eq(info.ev_count, 4);
    ck_assert_uint_eq(info.ev_min_active, 1);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_ONLINE), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_ONLINE), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_INIT), MRC_EP_ESTATE);
    profile.ev_count = EVS;
    ck_assert_int_eq(mrc_ev_profile_fill(ep, &profile), MRC_EP_ESTATE);
    const int64_t qpn = mrc_qp_create(ep, &attr);
    ck_assert_int_gt(qpn, 0);
    ck_assert_int_eq(mrc_ev_profile_query(ep, 5, &info), MRC_EP_OK);
    ck_assert_uint_eq(info.qps, 1);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_OFFLINE), MRC_EP_EBUSY);
    ck_assert_int_eq(mrc_qp_destroy(ep, (uint32_t)qpn), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_OFFLINE), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_INIT), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_query_array(ep, 5, 0, infos, EVS), 0);
    ck_assert_int_eq(mrc_ev_profile_destroy(ep, 5), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_query(ep, 5, &info), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ev_profile_set_state(ep, 5, MRC_PROFILE_INIT), MRC_EP_ENOENT);
    for (int s = -1; s <= (int)MRC_PROFILE_ONLINE + 1; s++)
        ck_assert_ptr_nonnull(mrc_profile_state_str((enum mrc_profile_state)s));
}
END_TEST

/* ---- the controller's view ---- */

START_TEST(view)
{
    struct mrc_ep *ep = start(_i == 0 ? 'a' : 'b');
    sack(0x22, value_of(1), MRC_M_ALWAYS_SKIP);
    sack(0x30, value_of(2), MRC_M_SKIP_ONCE);
    ck_assert_int_eq(state_at(0x30, 2), MRC_EV_SKIP);
    ck_assert_int_eq(seen(1)->state, MRC_EV_ASSUMED_BAD); /* one of its QPs says so */
    ck_assert_int_eq(seen(2)->state, MRC_EV_GOOD);        /* SKIP is not visible */
    ck_assert_int_eq(seen(3)->state, MRC_EV_GOOD);
    ck_assert_uint_eq(seen(3)->ev.value, value_of(3));
    ck_assert_uint_eq(seen(3)->ev.port, 3);
    ck_assert(seen(3)->active);
    ck_assert_int_eq(mrc_ev_profile_query_array(ep, 5, 6, infos, EVS), 2);
    ck_assert_int_eq(mrc_ev_profile_query_array(ep, 6, 0, infos, EVS), MRC_EP_ENOENT);
}
END_TEST

/* DENIED by profile: for its QPs, and for one that comes later. */
START_TEST(deny_for_all)
{
    struct mrc_ep *ep = start(_i == 0 ? 'a' : 'b');
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, 3, MRC_EV_DENIED), MRC_EP_OK);
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, 3, MRC_EV_DENIED), MRC_EP_OK);
    ck_assert_int_eq(state_at(0x22, 3), MRC_EV_DENIED);
    ck_assert_int_eq(state_at(0x30, 3), MRC_EV_DENIED);
    rig.host[0].attr.qpn = 0x31;
    ck_assert_int_eq(mrc_qp_create(ep, &rig.host[0].attr), 0x31);
    ck_assert_int_eq(state_at(0x31, 3), MRC_EV_DENIED);
    ck_assert_int_eq(seen(3)->state, MRC_EV_DENIED);
    ck_assert(!seen(3)->active);
    for (uint32_t qpn = 0x30; qpn <= 0x31; qpn++)
        ck_assert_int_eq(mrc_qp_destroy(ep, qpn), MRC_EP_OK);
    struct mrc_pkt p;
    rig_write(&rig, 0, 1, 0, 0, 64 * 1024);
    while (take_data(&p))
        ck_assert_uint_ne(p.ev, value_of(3));
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, 3, MRC_EV_GOOD), MRC_EP_OK);
    ck_assert_int_eq(state_at(0x22, 3), MRC_EV_GOOD);
    ck_assert_int_eq(mrc_qp_destroy(ep, 0x22), MRC_EP_OK); /* nobody uses it any more */
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, 3, MRC_EV_DENIED), MRC_EP_OK);
    ck_assert_int_eq(seen(3)->state, MRC_EV_DENIED);
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, 3, MRC_EV_SKIP), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, EVS, MRC_EV_GOOD), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 6, 0, 0, MRC_EV_GOOD), MRC_EP_ENOENT);
}
END_TEST

/* A QP whose only EVs were denied goes on when one is allowed again, without any other prod. */
START_TEST(allow_wakes)
{
    struct mrc_ep *ep = start(_i == 0 ? 'a' : 'b');
    struct mrc_pkt p;
    for (unsigned i = 0; i < EVS; i++)
        ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, i, MRC_EV_DENIED), MRC_EP_OK);
    rig_write(&rig, 0, 1, 0, 0, 4096);
    ck_assert(!take_data(&p)); /* REQ-9.3-16 */
    ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, 6, MRC_EV_GOOD), MRC_EP_OK);
    ck_assert(take_data(&p));
    ck_assert_uint_eq(p.ev, value_of(6));
}
END_TEST

/* Under Q25 b what one QP hears of a plane moves the other one, which stands in line, too. */
START_TEST(plane_of_others)
{
    struct mrc_ep *ep = start('b');
    struct mrc_pkt p;
    rig_write(&rig, 0, 1, 0, 0, 64 * 1024);
    sack(0x30, value_of(1), MRC_M_ALWAYS_SKIP);
    sack(0x30, value_of(5), MRC_M_ALWAYS_SKIP);
    rig.port_mask = 1u << 1;
    ck_assert(!take_data(&p));
    const struct mrc_ev ev = {.value = value_of(5), .port = 1};
    ck_assert_int_eq(mrc_ev_set_state(ep, 0x30, rig.now_ns, ev, MRC_EV_GOOD), MRC_EP_OK);
    ck_assert(take_data(&p));
    ck_assert_uint_eq(p.ev, value_of(5));
}
END_TEST

/* ---- replacement ---- */

static struct mrc_ev_spec other(uint8_t last, uint8_t port)
{
    return (struct mrc_ev_spec){.value = {0xE1, 0xE2, 0xE3, last}, .port = port};
}

/* The new EV takes the place whatever the state of the old one, and carries data at once. */
START_TEST(replaced_in_any_state)
{
    static const uint8_t marks[] = {MRC_M_NONE, MRC_M_SKIP_ONCE, MRC_M_ALWAYS_SKIP};
    struct mrc_ep *ep = start(_i < 4 ? 'a' : 'b');
    const struct mrc_ev_spec spec = other(0xE4, 1);
    struct mrc_pkt p;
    if (_i % 4 < 3)
        sack(0x22, value_of(5), marks[_i % 4]);
    else
        ck_assert_int_eq(mrc_ev_profile_set_ev(ep, 5, 0, 5, MRC_EV_DENIED), MRC_EP_OK);
    ck_assert_int_eq(state_at(0x22, 5), (enum mrc_ev_state)(_i % 4));
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, rig.now_ns, 5, &spec), MRC_EP_OK);
    ck_assert_int_eq(state_at(0x22, 5), MRC_EV_GOOD);
    ck_assert_int_eq(seen(5)->state, MRC_EV_GOOD);
    ck_assert_uint_eq(seen(5)->ev.value, 0xE1E2E3E4);
    ck_assert_uint_eq(seen(5)->drop_count, 0);
    rig_write(&rig, 0, 1, 0, 0, 64 * 1024);
    unsigned used = 0;
    while (take_data(&p)) {
        ck_assert_uint_ne(p.ev, value_of(5));
        used += p.ev == 0xE1E2E3E4;
    }
    ck_assert_uint_ge(used, 1);
    sack(0x22, 0xE1E2E3E4, MRC_M_ALWAYS_SKIP); /* a peer's word finds it */
    ck_assert_int_eq(state_at(0x22, 5), MRC_EV_ASSUMED_BAD);
}
END_TEST

START_TEST(bad_replacement)
{
    struct mrc_ep *ep = start('a');
    struct mrc_ev_spec spec = other(1, 2);
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 6, 0, 5, &spec), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, 0, EVS, &spec), MRC_EP_EINVAL);
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, 0, 5, &spec), MRC_EP_EINVAL); /* another port */
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, 0, 5, &specs[1]), MRC_EP_EINVAL); /* twice */
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, 0, 5, &specs[5]), MRC_EP_OK);     /* itself */
    ck_assert_uint_eq(seen(5)->ev.value, value_of(5));
}
END_TEST

/* The packet that was lost on the old EV is no fault of the new one; its retransmission is sent. */
START_TEST(loss_on_the_old_one)
{
    struct mrc_ep *ep = start('a');
    struct mrc_pkt p;
    rig_write(&rig, 0, 1, 0, 0, 1024);
    ck_assert(take_data(&p));
    const unsigned i = (unsigned)(p.ev >> 16 & 0xF);
    const struct mrc_ev_spec spec = other(7, (uint8_t)(i % RIG_PORTS));
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, rig.now_ns, i, &spec), MRC_EP_OK);
    if (_i == 0) {
        rig.now_ns = mrc_ep_deadline(ep);
        mrc_ep_tick(ep, rig.now_ns);
    } else {
        sack(0x22, p.ev, MRC_M_ALWAYS_SKIP);
    }
    ck_assert_int_eq(state_at(0x22, i), MRC_EV_GOOD);
    ck_assert_uint_eq(seen(i)->drop_count, 0);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
}
END_TEST

/* Control packets leave the old EV, too. */
START_TEST(reverse_set_follows)
{
    struct mrc_ep *ep = start('a');
    for (unsigned i = 0; i < EVS; i++) {
        const struct mrc_ev_spec spec = other((uint8_t)i, (uint8_t)(i % RIG_PORTS));
        ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, rig.now_ns, i, &spec), MRC_EP_OK);
    }
    rig_write(&rig, 1, 1, 0, 0, 256 * 1024);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 1, 1);
    for (unsigned i = 0; i < rig.log_len; i++)
        ck_assert(rig.log[i].from != 0 || rig.log[i].pkt.ev >> 8 == 0xE1E2E3);
    ck_assert_uint_ge(rig_count(&rig, 0, MRC_OP_SACK), 4);
}
END_TEST

static struct mrc_trace_event traced[16];
static unsigned traced_count;

static void on_trace(void *user, const struct mrc_trace_event *e)
{
    (void)user;
    if ((e->kind == MRC_TRACE_EV_VALUE || e->kind == MRC_TRACE_EV_STATE) && traced_count < 16)
        traced[traced_count++] = *e;
}

START_TEST(replacement_is_told)
{
    struct mrc_ep *ep = start(_i == 0 ? 'a' : 'b');
    const struct mrc_ev_spec spec = other(0xE4, 1);
    sack(0x22, value_of(5), MRC_M_ALWAYS_SKIP);
    traced_count = 0;
    mrc_ep_set_trace(ep, on_trace, NULL);
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, rig.now_ns, 5, &spec), MRC_EP_OK);
    ck_assert_uint_eq(traced_count, 3); /* a value for each QP, a state for one of them */
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(traced[i].kind, i < 2 ? MRC_TRACE_EV_VALUE : MRC_TRACE_EV_STATE);
        ck_assert_int_eq(traced[i].cause, MRC_CAUSE_CALL);
        ck_assert_uint_eq(traced[i].ev, 0xE1E2E3E4);
        ck_assert_uint_eq(traced[i].port, 1);
    }
    ck_assert_uint_eq(traced[0].from, value_of(5));
    ck_assert_uint_eq(traced[0].to, 0xE1E2E3E4);
    ck_assert_uint_eq(traced[2].from, MRC_EV_ASSUMED_BAD);
    ck_assert_uint_eq(traced[2].to, MRC_EV_GOOD);
}
END_TEST

/* With SRv6 the outer destination is the new one's. */
START_TEST(replaced_srv6)
{
    for (unsigned i = 0; i < EVS; i++)
        specs[i].wire = 0x77000000 + i;
    profile.format.mode = MRC_EV_MODE_SRV6;
    struct mrc_ep *ep = start('a');
    struct mrc_ev_spec spec = other(9, 1);
    spec.wire = 0x77000099;
    ck_assert_int_eq(mrc_ev_profile_replace(ep, 5, rig.now_ns, 5, &spec), MRC_EP_OK);
    struct mrc_pkt p;
    unsigned used = 0;
    rig_write(&rig, 0, 1, 0, 0, 64 * 1024);
    while (take_data(&p))
        if (p.ev == spec.wire) {
            ck_assert_mem_eq(p.outer_ip6.dst, spec.value, 16);
            used++;
        }
    ck_assert_uint_ge(used, 1);
}
END_TEST

/* Under load, EVs are replaced all the time, and everything arrives. */
static void churn(struct rig *r, struct rig_frame *f, void *user)
{
    unsigned *const n = user;
    f->drop = f->nth % 23 == 0;
    if (f->from != 0 || f->nth % 5 != 0)
        return;
    const unsigned i = *n % EVS;
    const struct mrc_ev_spec spec = {.value = {0xC0, (uint8_t)(*n >> 8), (uint8_t)*n, 1},
                                     .port = (uint8_t)(i % RIG_PORTS)};
    ck_assert_int_eq(mrc_ev_profile_replace(r->host[0].ep, 5, r->now_ns, i, &spec), MRC_EP_OK);
    ++*n;
}

START_TEST(replaced_under_load)
{
    unsigned n = 0;
    rig.hook = churn;
    rig.user = &n;
    start(_i == 0 ? 'a' : 'b');
    for (unsigned i = 0; i < 4; i++)
        rig_write(&rig, 0, i, i << 17, i << 17, 1u << 17);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 4);
    ck_assert(rig_same(&rig, 0, 0, 0, 4u << 17));
    ck_assert_uint_ge(n, 50);
}
END_TEST

TCase *tcase_profile_ctl(void)
{
    TCase *tc = tcase_create("profile_ctl");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, life);
    tcase_add_loop_test(tc, view, 0, 2);
    tcase_add_loop_test(tc, deny_for_all, 0, 2);
    tcase_add_loop_test(tc, allow_wakes, 0, 2);
    tcase_add_test(tc, plane_of_others);
    tcase_add_loop_test(tc, replaced_in_any_state, 0, 8);
    tcase_add_test(tc, bad_replacement);
    tcase_add_loop_test(tc, loss_on_the_old_one, 0, 2);
    tcase_add_test(tc, reverse_set_follows);
    tcase_add_loop_test(tc, replacement_is_told, 0, 2);
    tcase_add_test(tc, replaced_srv6);
    tcase_add_loop_test(tc, replaced_under_load, 0, 2);
    return tc;
}
