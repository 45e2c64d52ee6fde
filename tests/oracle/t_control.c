/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device is asked from outside: EVs denied and allowed, own ports that go and come. */
#include "ref/endpoint/mrc_ep.h"
#include "tests/oracle/suites.h"
#include "tests/oracle/talk.h"
#include <check.h>

#define EVS       4u
#define REACT_NS  UINT64_C(10000000)
#define EV(n)     (0x5000u + (n))
#define OTHER_QPN 35u

static void begin(struct talk *t)
{
    static const uint8_t asker_ip[16] = {0xfd, 1, 1}, answerer_ip[16] = {0xfd, 2, 1};
    talk_init(t);
    ck_assert_int_eq(mrct_facts_add_addr(&t->facts, 0, true, asker_ip, 1), 0);
    ck_assert_int_eq(mrct_facts_add_addr(&t->facts, 1, true, answerer_ip, 1), 0);
    struct mrct_fact_qp *const other = mrct_facts_add_qp(&t->facts, 0, 1);
    ck_assert_ptr_nonnull(other);
    other->qpn = OTHER_QPN;
    other->peer_qpn = 18;
    t->cfg.have_events = true;
    talk_begin(t);
}

static void send(struct talk *t, uint32_t n, uint32_t ev)
{
    struct mrc_pkt p = talk_only(TALK_START_PSN + n, (uint16_t)n);
    p.ev = ev;
    talk_frame(t, &p);
}

static void control(struct talk *t, enum mrct_event_kind kind, uint32_t qpn, uint32_t what, bool ok)
{
    const bool port = kind == MRCT_EVENT_PORT;
    const struct mrct_event e = {.kind = kind,
                                 .time_ns = t->now_ns,
                                 .host = "asker",
                                 .qpn = qpn,
                                 .psn = UINT32_MAX,
                                 .ev = port ? 0 : what,
                                 .plane = port ? (int)what : 0,
                                 .ok = ok};
    mrct_oracle_event(t->w.oracle, &e);
}

static void deny(struct talk *t, uint32_t n)
{
    control(t, MRCT_EVENT_EV_STATE, TALK_ASKER_QPN, EV(n), false);
}

static void port(struct talk *t, uint32_t plane, bool ok)
{
    control(t, MRCT_EVENT_PORT, TALK_ASKER_QPN, plane, ok);
}

/* REQ-9.3-16: what is sent by which EV, how long after EV 0 (of plane 0) was denied. */
static const struct {
    uint32_t ev;
    uint64_t wait_ns;
    uint32_t allowed; /* to the QP of this number; 0: to none */
    bool all_denied, fails;
} uses[] = {
    {EV(0), REACT_NS - 100, 0, false, false}, /* 100 ns more pass with the frame */
    {EV(0), REACT_NS - 99, 0, false, true},
    {EV(1), 2 * REACT_NS, 0, false, false},
    {EV(0), 2 * REACT_NS, TALK_ASKER_QPN, false, false},
    {EV(0), 2 * REACT_NS, OTHER_QPN, false, false}, /* which may share it (Q25) */
    {EV(0), 2 * REACT_NS, 0, true, false},          /* nothing else is left */
};
#define USES ((int)(sizeof uses / sizeof uses[0]))

START_TEST(denied)
{
    struct talk t;
    begin(&t);
    for (uint32_t n = 0; n < EVS; n++)
        send(&t, n, EV(n));
    for (uint32_t n = uses[_i].all_denied ? EVS : 1; n-- > 0;)
        deny(&t, n);
    if (uses[_i].allowed != 0)
        control(&t, MRCT_EVENT_EV_STATE, uses[_i].allowed, EV(0), true);
    talk_wait(&t, uses[_i].wait_ns);
    send(&t, EVS, uses[_i].ev);
    talk_end(&t);
    if (uses[_i].fails)
        talk_fails(&t, "denied-ev-not-used", t.frame_no);
    else
        talk_holds(&t, "denied-ev-not-used");
}
END_TEST

static void tell_ports(struct talk *t, bool by_peer, uint32_t mask)
{
    struct mrc_pkt p = talk_probe(0);
    const struct mrc_pkt back = talk_sack(TALK_START_PSN, 0);
    p.present &= ~(UINT32_C(1) << MRC_HDR_PETH);
    p.present |= UINT32_C(1) << MRC_HDR_ERTH;
    p.ip6 = by_peer ? back.ip6 : p.ip6;
    p.bth.opcode = MRC_OP_EP_REQUEST;
    p.bth.dest_qp = 2;
    p.bth.psn = 9;
    p.erth.op = MRC_EP_OP_PORT_STATUS;
    p.erth.ftype = 1;
    p.erth.port_status_mask = mask;
    talk_frame(t, &p);
}

/* REQ-9.3-19: port 0 goes down. Told how long after that (0: before it); back again how long after,
 * if at all; and how it is with port 1, by which it is to be told. */
static const struct {
    bool told;
    uint64_t told_ns, back_ns;
    enum { UP, OWN_DOWN, PEER_DOWN } other;
    bool fails;
} changes[] = {
    {true, 1, 0, UP, false},
    {true, REACT_NS - 200, 0, UP, false},
    {false, 0, 0, UP, true},
    {true, 0, 0, UP, true},             /* what was said before says nothing of it */
    {false, 0, REACT_NS, UP, false},    /* a flap may go untold */
    {false, 0, REACT_NS + 1, UP, true}, /* that is none */
    {false, 0, 0, OWN_DOWN, false},     /* there is no way left */
    {false, 0, 0, PEER_DOWN, false},
};
#define CHANGES ((int)(sizeof changes / sizeof changes[0]))

START_TEST(own_port)
{
    struct talk t;
    begin(&t);
    for (uint32_t n = 0; n < EVS; n++)
        send(&t, n, EV(n));
    if (changes[_i].other == OWN_DOWN) {
        port(&t, 1, false);
        tell_ports(&t, false, 1);
        talk_wait(&t, 4 * REACT_NS);
    }
    if (changes[_i].other == PEER_DOWN)
        tell_ports(&t, true, 1);
    if (changes[_i].told && changes[_i].told_ns == 0) {
        tell_ports(&t, false, 2);
        talk_wait(&t, 1);
    }
    port(&t, 0, false);
    if (changes[_i].told && changes[_i].told_ns != 0) {
        talk_wait(&t, changes[_i].told_ns);
        tell_ports(&t, false, 2);
    }
    if (changes[_i].back_ns != 0) {
        talk_wait(&t, changes[_i].back_ns);
        port(&t, 0, true);
    }
    talk_wait(&t, 4 * REACT_NS);
    send(&t, EVS, EV(1));
    talk_end(&t);
    if (changes[_i].fails)
        talk_fails(&t, "port-change-told", 0);
    else
        talk_holds(&t, "port-change-told");
}
END_TEST

Suite *oracle_control_suite(void)
{
    Suite *const s = suite_create("control");
    TCase *const c = tcase_create("asked from outside");
    tcase_add_loop_test(c, denied, 0, USES);
    tcase_add_loop_test(c, own_port, 0, CHANGES);
    suite_add_tcase(s, c);
    return s;
}
