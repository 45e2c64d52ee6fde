/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections 6.5 and 9.3: ports that go down and come back, told and obeyed; EV Probes. */
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

static void set_port(unsigned h, unsigned port, bool up)
{
    ck_assert_int_eq(mrc_ep_port_set(rig.host[h].ep, rig.now_ns, port, up), MRC_EP_OK);
}

static uint32_t peer_down(unsigned h)
{
    uint32_t ports = 99;
    ck_assert_int_eq(mrc_ep_peer_down(rig.host[h].ep, rig.host[h].qpn, &ports), MRC_EP_OK);
    return ports;
}

/* Frames of host h, from log line `from` on, by a port. */
static unsigned frames_by(unsigned h, unsigned port, unsigned from)
{
    unsigned n = 0;
    for (unsigned i = from; i < rig.log_len; i++)
        n += rig.log[i].from == h && rig.log[i].port == port;
    return n;
}

/* REQ-9.3-19 REQ-7.3-07 REQ-9.3-10 REQ-9.3-11: an own port that goes down: nothing leaves by it,
 * the peer is told, answers, and obeys at once; when it comes back, both use it again. */
START_TEST(down_and_up)
{
    rig_start(&rig);
    set_port(0, 2, false);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_count(&rig, 0, MRC_OP_EP_REQUEST), 1);
    ck_assert_uint_eq(rig_count(&rig, 1, MRC_OP_EP_RESPONSE), 1);
    const struct rig_log *l = rig_find(&rig, 0, MRC_OP_EP_REQUEST, 0);
    ck_assert_uint_eq(l->pkt.erth.op, MRC_EP_OP_PORT_STATUS);
    ck_assert_uint_eq(l->pkt.erth.port_status_mask, 0xB);
    ck_assert_uint_eq(l->pkt.bth.dest_qp, 2);
    ck_assert_uint_eq(l->pkt.bth.psn >> 16, 0);
    ck_assert_uint_eq(l->pkt.dscp, 4); /* TRIMMABLE: REQ-9-02 */
    ck_assert_uint_eq(peer_down(1), 4);
    ck_assert_uint_eq(peer_down(0), 0);
    unsigned mark = rig.log_len;
    for (unsigned h = 0; h < 2; h++)
        rig_write(&rig, h, 1, 0, 1u << 20, 300000);
    rig_run(&rig, RIG_FOREVER);
    for (unsigned h = 0; h < 2; h++) {
        rig_assert_settled(&rig, h, 1);
        ck_assert_uint_eq(frames_by(h, 2, mark), 0);
        ck_assert_uint_ge(frames_by(h, 1, mark), 80);
    }
    set_port(0, 2, true);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(peer_down(1), 0);
    mark = rig.log_len;
    for (unsigned h = 0; h < 2; h++)
        rig_write(&rig, h, 2, 0, 1u << 20, 300000);
    rig_run(&rig, RIG_FOREVER);
    for (unsigned h = 0; h < 2; h++)
        ck_assert_uint_ge(frames_by(h, 2, mark), 60);
}
END_TEST

/* Q10 b: port 1 is bit 1, for both sides. */
START_TEST(mask_position)
{
    rig.host[0].cfg.node.q10_port_bit = rig.host[1].cfg.node.q10_port_bit = 'b';
    rig_start(&rig);
    set_port(0, 0, false);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_find(&rig, 0, MRC_OP_EP_REQUEST, 0)->pkt.erth.port_status_mask, 0x1C);
    ck_assert_uint_eq(peer_down(1), 1);
}
END_TEST

static void mute(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    const uint8_t *op = user;
    f->drop = f->pkt.bth.opcode == *op;
}

/* REQ-9.3-19, Q17 a: repeated with back-off, the same id, by another plane each time, up to the
 * limit; b: once.
 */
START_TEST(update_unanswered)
{
    uint8_t op = _i == 1 ? MRC_OP_EP_RESPONSE : MRC_OP_EP_REQUEST;
    rig.host[0].cfg.node.q17_repeat = _i == 2 ? 'b' : 'a';
    rig.host[0].cfg.node.update_tries = 6;
    rig.hook = mute;
    rig.user = &op;
    rig_start(&rig);
    set_port(0, 3, false);
    rig_run(&rig, RIG_FOREVER);
    const unsigned n = rig_count(&rig, 0, MRC_OP_EP_REQUEST);
    ck_assert_uint_eq(n, _i == 2 ? 1 : 6);
    for (unsigned i = 1; i < n; i++) {
        const struct rig_log *a = rig_find(&rig, 0, MRC_OP_EP_REQUEST, i - 1);
        const struct rig_log *b = rig_find(&rig, 0, MRC_OP_EP_REQUEST, i);
        ck_assert_uint_eq(a->pkt.bth.psn, b->pkt.bth.psn);
        ck_assert_uint_ne(a->port, b->port);
        ck_assert_uint_ge(b->time_ns - a->time_ns, UINT64_C(100000) << (i - 1));
        ck_assert_uint_le(b->time_ns - a->time_ns, (UINT64_C(100000) << (i - 1)) + 1000);
    }
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[0].ep), MRC_TIME_NEVER);
}
END_TEST

/* REQ-9.3-19: only the latest state is told: a change replaces an update that nobody answered. */
START_TEST(update_replaced)
{
    uint8_t op = MRC_OP_EP_REQUEST;
    rig.hook = mute;
    rig.user = &op;
    rig_start(&rig);
    set_port(0, 3, false);
    rig_run(&rig, rig.now_ns + 150000);
    set_port(0, 1, false);
    rig.hook = NULL;
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(peer_down(1), 0xA);
    const unsigned n = rig_count(&rig, 0, MRC_OP_EP_REQUEST);
    const struct rig_log *last = rig_find(&rig, 0, MRC_OP_EP_REQUEST, n - 1);
    ck_assert_uint_ne(last->pkt.bth.psn, rig_find(&rig, 0, MRC_OP_EP_REQUEST, 0)->pkt.bth.psn);
    ck_assert_uint_eq(last->pkt.erth.port_status_mask, 5);
}
END_TEST

static void update(unsigned h, uint16_t id, uint32_t mask)
{
    struct mrc_pkt p;
    rig_packet(&rig, h, MRC_OP_EP_REQUEST, id, &p);
    p.bth.dest_qp = 2;
    p.present |= 1u << MRC_HDR_ERTH;
    p.erth.op = MRC_EP_OP_PORT_STATUS;
    p.erth.port_status_mask = mask;
    p.erth.ftype = 1;
    rig_inject(&rig, h, 0, &p);
}

/* A late copy of the update before the latest one changes nothing, but is answered; a stranger's
 * is answered, and concerns nobody. */
START_TEST(late_copy)
{
    struct mrc_pkt p;
    rig_start(&rig);
    update(0, 7, 0xE);
    ck_assert_uint_eq(peer_down(0), 1);
    update(0, 8, 0xF);
    ck_assert_uint_eq(peer_down(0), 0);
    update(0, 7, 0xE);
    ck_assert_uint_eq(peer_down(0), 0);
    update(0, 9, 0xFFFFFFF7); /* bits beyond the ports */
    ck_assert_uint_eq(peer_down(0), 8);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert(rig_take(&rig, 0, &p));
        ck_assert_uint_eq(p.bth.opcode, MRC_OP_EP_RESPONSE);
    }
    rig_packet(&rig, 0, MRC_OP_EP_REQUEST, 1, &p);
    p.bth.dest_qp = 2;
    p.present |= 1u << MRC_HDR_ERTH;
    p.erth.ftype = 1;
    p.ip6.src[15] = 77;
    rig_inject(&rig, 0, 0, &p);
    ck_assert_uint_eq(peer_down(0), 8);
    ck_assert(rig_take(&rig, 0, &p));
    ck_assert_uint_eq(p.bth.opcode, MRC_OP_EP_RESPONSE);
}
END_TEST

/* A QP that is connected while a port is down: its node learns of it. Another QP to the same node
 * needs no telling; when the last one goes, nothing is left over. */
START_TEST(told_when_connected)
{
    rig_start(&rig);
    set_port(0, 1, false);
    rig_run(&rig, RIG_FOREVER);
    struct mrc_qp_peer peer = {.qpn = 0x11, .start_psn = 1, .max_wimm_dest = 32, .mpr_dest = 8};
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    rig.host[0].attr.qpn = 0x30;
    ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), 0x30);
    ck_assert_int_eq(mrc_qp_connect(rig.host[0].ep, 0x30, &peer), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_count(&rig, 0, MRC_OP_EP_REQUEST), 1);
    for (unsigned i = 0; i < RIG_PORTS; i++)
        peer.addr[i].ip[15] = 9;
    rig.host[0].attr.qpn = 0x31;
    ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), 0x31);
    ck_assert_int_eq(mrc_qp_connect(rig.host[0].ep, 0x31, &peer), MRC_EP_OK);
    struct mrc_pkt p;
    ck_assert(rig_take(&rig, 0, &p));
    ck_assert_uint_eq(p.bth.opcode, MRC_OP_EP_REQUEST);
    ck_assert_uint_eq(p.ip6.dst[15], 9);
    ck_assert_uint_ne(mrc_ep_deadline(rig.host[0].ep), MRC_TIME_NEVER);
    ck_assert_int_eq(mrc_qp_destroy(rig.host[0].ep, 0x31), MRC_EP_OK);
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[0].ep), MRC_TIME_NEVER);
    uint32_t ports;
    ck_assert_int_eq(mrc_ep_peer_down(rig.host[0].ep, 0x31, &ports), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_ep_port_set(rig.host[0].ep, 0, RIG_PORTS, true), MRC_EP_EINVAL);
}
END_TEST

/* Many nodes, each with several QPs, coming and going in any order: each node is told once. */
START_TEST(many_peers)
{
    struct mrc_qp_peer peer = {.qpn = 0x11, .start_psn = 1, .max_wimm_dest = 32, .mpr_dest = 8};
    struct mrc_pkt p;
    rig.host[0].cfg.qps_max = 130;
    rig_start(&rig);
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    for (unsigned n = 0; n < 120; n++) {
        for (unsigned i = 0; i < RIG_PORTS; i++)
            peer.addr[i].ip[15] = (uint8_t)(100 + n % 40);
        rig.host[0].attr.qpn = 1000 + n;
        ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), 1000 + n);
        ck_assert_int_eq(mrc_qp_connect(rig.host[0].ep, 1000 + n, &peer), MRC_EP_OK);
    }
    set_port(0, 0, false);
    unsigned told = 0;
    while (rig_take(&rig, 0, &p))
        told += p.bth.opcode == MRC_OP_EP_REQUEST;
    ck_assert_uint_eq(told, 41);
    for (unsigned n = 0; n < 120; n++) /* 37 and 120 have no common factor */
        ck_assert_int_eq(mrc_qp_destroy(rig.host[0].ep, 1000 + n * 37 % 120), MRC_EP_OK);
    set_port(0, 0, true);
    for (told = 0; rig_take(&rig, 0, &p);)
        told += p.bth.opcode == MRC_OP_EP_REQUEST;
    ck_assert_uint_eq(told, 1);
}
END_TEST

static void cut_plane(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    f->drop = f->from == 0 && f->port == *(const unsigned *)user;
}

/* A plane is cut without a word: its EVs go bad one by one. When the port is told to be back, they
 * are probed at once, not at the end of a long back-off. */
START_TEST(back_at_once)
{
    unsigned plane = 1;
    rig.host[0].cfg.ev.probe_ns = UINT64_C(200000000);
    rig.host[0].cfg.ev.probe_max_ns = UINT64_C(900000000);
    rig.hook = cut_plane;
    rig.user = &plane;
    rig_start(&rig);
    for (unsigned i = 0; i < 4; i++)
        rig_write(&rig, 0, i, 0, 0, 200000);
    rig_run(&rig, UINT64_C(100000000));
    ck_assert_uint_eq(rig_counters(&rig, 0)->ev_to[MRC_EV_ASSUMED_BAD], 4);
    rig.hook = NULL;
    if (_i == 0) {
        set_port(0, 1, false);
        set_port(0, 1, true);
    } else {
        update(0, 1, 0xD);
        update(0, 2, 0xF);
    }
    rig_run(&rig, rig.now_ns + 100000);
    ck_assert_uint_eq(rig_counters(&rig, 0)->ev_to[MRC_EV_GOOD], 4);
}
END_TEST

static void deny_all(unsigned h, enum mrc_ev_state state)
{
    const struct mrc_qp_attr *a = &rig.host[h].attr;
    ck_assert_uint_gt(a->ev_count, 0);
    for (unsigned i = 0; i < a->ev_count; i++)
        ck_assert_int_eq(
            mrc_ev_set_state(rig.host[h].ep, rig.host[h].qpn, rig.now_ns, a->evs[i], state),
            MRC_EP_OK);
}

/* Without any EV to send by, what is posted waits as long as without any answer, and no longer:
 * new data, packets that are lost, EVs that are denied, ports that are down. */
START_TEST(no_ev_left)
{
    rig_start(&rig);
    if ((_i & 1) != 0) {
        rig_write(&rig, 0, 1, 0, 0, 200000);
        rig_run(&rig, rig.now_ns + 3000);
    }
    if ((_i & 2) != 0)
        deny_all(0, MRC_EV_DENIED);
    else
        for (unsigned p = 0; p < RIG_PORTS; p++)
            set_port(0, p, false);
    rig_write(&rig, 0, 2, 0, 1u << 20, 1000);
    rig_run(&rig, RIG_FOREVER);
    const struct mrc_ep_event *e = rig_event_of(&rig, 0, MRC_EVENT_QP_ERROR, 0);
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(e->status, MRC_WC_RETRY_EXCEEDED);
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_SEND_DONE), (_i & 1) != 0 ? 2 : 1);
}
END_TEST

/* It is back in time. */
START_TEST(ev_in_time)
{
    rig_start(&rig);
    deny_all(0, MRC_EV_DENIED);
    rig_write(&rig, 0, 1, 0, 0, 100000);
    rig_run(&rig, rig.now_ns + 500000);
    ck_assert_uint_gt(rig_info(&rig, 0).retries, 0);
    ck_assert_uint_eq(rig_count(&rig, 0, -1), 0);
    deny_all(0, MRC_EV_GOOD);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
}
END_TEST

/* ---- EV Probes ---- */

static struct mrc_ev_probe probe_of(uint16_t id, unsigned ev)
{
    return (struct mrc_ev_probe){.to = rig.host[1].cfg.port_addr[rig.evs[ev].port],
                                 .ev = rig.evs[ev],
                                 .id = id,
                                 .timeout_ns = 1000000};
}

/* REQ-7.3-03: the round trip is measured, on the EV asked for. */
START_TEST(ev_probe)
{
    rig_start(&rig);
    for (unsigned i = 0; i < 8; i++) {
        const struct mrc_ev_probe q = probe_of((uint16_t)(40 + i), i);
        ck_assert_int_eq(mrc_ep_probe(rig.host[0].ep, rig.now_ns, &q), MRC_EP_OK);
    }
    rig_run(&rig, RIG_FOREVER);
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_PROBE), 8);
    for (unsigned i = 0; i < 8; i++) {
        const struct rig_log *l = rig_find(&rig, 0, MRC_OP_EP_REQUEST, i);
        const struct mrc_ep_event *e = rig_event_of(&rig, 0, MRC_EVENT_PROBE, i);
        ck_assert_uint_eq(l->pkt.erth.op, MRC_EP_OP_EV_PROBE);
        ck_assert_uint_eq(l->pkt.bth.psn, 40 + i);
        ck_assert_uint_eq(l->pkt.ev, rig.evs[i].value);
        ck_assert_uint_eq(l->port, rig.evs[i].port);
        ck_assert_int_eq(e->status, MRC_WC_SUCCESS);
        ck_assert_uint_eq(e->probe_id, 40 + i);
        ck_assert_uint_ge(e->rtt_ns, 2 * RIG_LATENCY);
        ck_assert_uint_le(e->rtt_ns, 2 * RIG_LATENCY + 2000);
    }
}
END_TEST

START_TEST(ev_probe_unanswered)
{
    uint8_t op = MRC_OP_EP_RESPONSE;
    rig.hook = mute;
    rig.user = &op;
    rig_start(&rig);
    const struct mrc_ev_probe q = probe_of(3, 0);
    ck_assert_int_eq(mrc_ep_probe(rig.host[0].ep, rig.now_ns, &q), MRC_EP_OK);
    const uint64_t start = rig.now_ns;
    rig_run(&rig, RIG_FOREVER);
    const struct mrc_ep_event *e = rig_event_of(&rig, 0, MRC_EVENT_PROBE, 0);
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(e->status, MRC_WC_RETRY_EXCEEDED);
    ck_assert_uint_eq(e->time_ns, start + 1000000);
    /* its answer comes after all */
    struct mrc_pkt p;
    rig_packet(&rig, 0, MRC_OP_EP_RESPONSE, 3, &p);
    p.bth.dest_qp = 2;
    p.present |= 1u << MRC_HDR_EETH;
    p.eeth.op = MRC_EP_OP_EV_PROBE;
    rig_inject(&rig, 0, 0, &p);
    p.eeth.op = 3;
    rig_inject(&rig, 0, 0, &p);
    ck_assert_uint_eq(rig_events_of(&rig, 0, MRC_EVENT_PROBE), 1);
    ck_assert_uint_eq(rig_counters(&rig, 0)->drop[MRC_DROP_STALE], 1);
    ck_assert_uint_eq(rig_counters(&rig, 0)->drop[MRC_DROP_CODE_POINT], 1);
}
END_TEST

START_TEST(ev_probe_refused)
{
    rig.host[0].cfg.node.probes_max = 2;
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    struct mrc_ev_probe q = probe_of(3, 0);
    ck_assert_int_eq(mrc_ep_probe(ep, rig.now_ns, &q), MRC_EP_OK);
    ck_assert_int_eq(mrc_ep_probe(ep, rig.now_ns, &q), MRC_EP_EINVAL); /* the same id */
    q.id = 4;
    ck_assert_int_eq(mrc_ep_probe(ep, rig.now_ns, &q), MRC_EP_OK);
    q.id = 5;
    ck_assert_int_eq(mrc_ep_probe(ep, rig.now_ns, &q), MRC_EP_EFULL);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(mrc_ep_probe(ep, rig.now_ns, &q), MRC_EP_OK);
    q.id = 6;
    q.ev.port = RIG_PORTS;
    ck_assert_int_eq(mrc_ep_probe(ep, rig.now_ns, &q), MRC_EP_EINVAL);
    q.ev.port = 0;
    q.timeout_ns = 0;
    ck_assert_int_eq(mrc_ep_probe(ep, rig.now_ns, &q), MRC_EP_EINVAL);
}
END_TEST

TCase *tcase_port(void)
{
    TCase *tc = tcase_create("port");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, down_and_up);
    tcase_add_test(tc, mask_position);
    tcase_add_loop_test(tc, update_unanswered, 0, 3);
    tcase_add_test(tc, update_replaced);
    tcase_add_test(tc, late_copy);
    tcase_add_test(tc, told_when_connected);
    tcase_add_test(tc, many_peers);
    tcase_add_loop_test(tc, back_at_once, 0, 2);
    tcase_add_loop_test(tc, no_ev_left, 0, 4);
    tcase_add_test(tc, ev_in_time);
    tcase_add_test(tc, ev_probe);
    tcase_add_test(tc, ev_probe_unanswered);
    tcase_add_test(tc, ev_probe_refused);
    return tc;
}
