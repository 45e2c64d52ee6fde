/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of EVs: when a habit is a fault, and when there is an excuse for it. */
#include "ref/endpoint/mrc_ep.h"
#include "tests/oracle/suites.h"
#include "tests/oracle/talk.h"

#define EVS      8u
#define REACT_NS UINT64_C(20000000)

static uint64_t say(struct talk *t, struct mrc_pkt p)
{
    return talk_frame(t, &p);
}

static uint64_t send(struct talk *t, uint32_t n, uint32_t ev)
{
    struct mrc_pkt p = talk_only(TALK_START_PSN + n, (uint16_t)n);
    p.ev = ev;
    return talk_frame(t, &p);
}

static void open(struct talk *t)
{
    talk_init(t);
    talk_begin(t);
}

/* REQ-9.3-01, REQ-9.3-02. 0: in turn; 1: four times each; 2: the first every other time; 3: four
 * times each, and a mark that may have moved EVs. */
START_TEST(habits)
{
    struct talk t;
    open(&t);
    for (uint32_t n = 0; n < 600; n++) {
        const uint32_t turn = _i == 0 ? n : _i == 2 ? n / 2 : n / 4;
        send(&t, n, 0x5000 + (_i == 2 && n % 2 == 0 ? 0 : turn % EVS));
    }
    if (_i == 3) {
        struct mrc_pkt sack = talk_sack(TALK_START_PSN + 599, 0);
        sack.seth.m = MRC_M_SKIP_ONCE;
        talk_frame(&t, &sack);
    }
    talk_end(&t);
    if (_i == 1)
        talk_fails(&t, "ev-rotates", 0);
    else
        talk_holds(&t, "ev-rotates");
    if (_i == 2)
        talk_fails(&t, "evs-used-equally", 0);
    else
        talk_holds(&t, "evs-used-equally");
}
END_TEST

/* REQ-9.3-01: of two EVs a probe takes every other turn. */
START_TEST(probes_take_turns)
{
    struct talk t;
    open(&t);
    for (uint32_t n = 0; n < 600; n++) {
        send(&t, n, 0x5000 + n / 50 % 2);
        struct mrc_pkt probe = talk_probe((uint16_t)n);
        probe.ev = 0x5001 - n / 50 % 2;
        talk_frame(&t, &probe);
    }
    talk_end(&t);
    talk_holds(&t, "ev-rotates");
}
END_TEST

/* The SACK that says ALWAYS_SKIP of EV 0, once all of them are known. */
static void withdraw(struct talk *t, uint32_t evs)
{
    for (uint32_t n = 0; n < 2 * EVS; n++)
        send(t, n, 0x5000 + n % evs);
    struct mrc_pkt sack = talk_sack(TALK_START_PSN + 2 * EVS - 1, 0);
    sack.seth.m = MRC_M_ALWAYS_SKIP;
    sack.seth.entropy = 0x5000;
    talk_frame(t, &sack);
}

static void probe(struct talk *t, uint8_t m)
{
    struct mrc_pkt p = talk_probe(9);
    p.ev = 0x5000;
    talk_frame(t, &p);
    struct mrc_pkt sack = talk_sack(TALK_START_PSN + 2 * EVS - 1, 0);
    sack.seth.pr = 1;
    sack.seth.probe_id = 9;
    sack.seth.m = m;
    sack.seth.entropy = 0x5000;
    talk_frame(t, &sack);
}

/* REQ-9.3-06. 0: used long after; 1: used at once, before it was read; 2: after a probe was
 * answered; 3: after one was answered with ALWAYS_SKIP again; 4: of two EVs none can be spared. */
START_TEST(withdrawn)
{
    struct talk t;
    open(&t);
    withdraw(&t, _i == 4 ? 2 : EVS);
    if (_i == 2 || _i == 3)
        probe(&t, _i == 2 ? MRC_M_NONE : MRC_M_ALWAYS_SKIP);
    if (_i != 1)
        talk_wait(&t, REACT_NS);
    const uint64_t frame = send(&t, 2 * EVS, 0x5000);
    talk_end(&t);
    if (_i == 0 || _i == 3)
        talk_fails(&t, "bad-ev-not-used", frame);
    else
        talk_holds(&t, "bad-ev-not-used");
}
END_TEST

/* REQ-9.3-07. 0: no probe in two seconds; 1: one. */
START_TEST(withdrawn_and_probed)
{
    struct talk t;
    open(&t);
    withdraw(&t, EVS);
    if (_i == 1)
        probe(&t, MRC_M_ALWAYS_SKIP);
    talk_wait(&t, UINT64_C(2000000000));
    send(&t, 2 * EVS, 0x5001);
    talk_end(&t);
    ck_assert_uint_eq(watch_count(&t.w, MRCT_FINDING_WARN), _i == 0 ? 1 : 0);
}
END_TEST

/* REQ-9.3-05. 0: used no more; 1: used again; 2: used no more, and an ALWAYS_SKIP may be why. */
START_TEST(named_by_a_nack)
{
    struct talk t;
    open(&t);
    const struct mrc_pkt first = talk_only(TALK_START_PSN, 0);
    talk_frame(&t, &first);
    const uint64_t frame = say(&t, talk_nack(&first, MRC_NACK_NO_RESOURCE));
    say(&t, talk_again(&first, 0x5001));
    for (uint32_t n = 1; n < 600; n++)
        send(&t, n, _i == 1 && n == 300 ? first.ev : 0x5000 + n % EVS);
    if (_i == 2) {
        struct mrc_pkt sack = talk_sack(TALK_START_PSN + 599, 0);
        sack.seth.m = MRC_M_ALWAYS_SKIP;
        talk_frame(&t, &sack);
    }
    talk_end(&t);
    if (_i == 0)
        talk_fails(&t, "nack-leaves-ev-alone", frame);
    else
        talk_holds(&t, "nack-leaves-ev-alone");
}
END_TEST

/* REQ-7.4-19, REQ-7.4-21: a NAK for what is not in flight may be taken no notice of. 0: for a PSN
 * never sent; 1: for one that an ACK covers; 2: for one in flight. */
START_TEST(nak_for_what)
{
    struct talk t;
    talk_init(&t);
    t.cfg.have_events = true;
    talk_begin(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0), more = talk_only(TALK_START_PSN + 1, 1);
    talk_posted(&t, 5, &p);
    talk_posted(&t, 6, &more);
    talk_frame(&t, &p);
    if (_i == 1)
        say(&t, talk_ack(TALK_START_PSN, 1, MRC_SYN_ACK));
    say(&t, talk_ack(TALK_START_PSN + (_i == 0 ? 40 : 0), 0, MRC_SYN_REMOTE_ACCESS));
    talk_wait(&t, REACT_NS);
    const uint64_t frame = talk_frame(&t, &more);
    talk_wait(&t, REACT_NS);
    talk_end(&t);
    if (_i == 2) {
        talk_fails(&t, "nak-ends-qp", 0);
        talk_fails(&t, "no-request-after-nak", frame);
    } else {
        talk_holds(&t, "nak-ends-qp");
        talk_holds(&t, "no-request-after-nak");
    }
}
END_TEST

/* REQ-6.2-16, REQ-6.2-17. 0: in order; 1: the other way round; 2: the second one flushed first; 3:
 * one twice. */
START_TEST(reports)
{
    struct talk t;
    talk_init(&t);
    t.cfg.have_events = true;
    talk_begin(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0), more = talk_only(TALK_START_PSN + 1, 1);
    talk_posted(&t, 5, &p);
    talk_posted(&t, 6, &more);
    talk_frame(&t, &p);
    talk_frame(&t, &more);
    say(&t, talk_ack(TALK_START_PSN + 1, 2, MRC_SYN_ACK));
    const bool second_first = _i == 1 || _i == 2;
    talk_event(&t, MRCT_EVENT_SEND_DONE, second_first ? 6 : 5,
               _i == 2 ? MRC_WC_FLUSHED : MRC_WC_SUCCESS);
    talk_event(&t, MRCT_EVENT_SEND_DONE, second_first || _i == 3 ? 5 : 6, MRC_WC_SUCCESS);
    talk_end(&t);
    if (_i == 1)
        talk_fails(&t, "completions-in-order", 0);
    else
        talk_holds(&t, "completions-in-order");
    if (_i == 3)
        talk_fails(&t, "completion-once", 0);
    else
        talk_holds(&t, "completion-once");
}
END_TEST

Suite *oracle_evs_suite(void)
{
    Suite *const s = suite_create("evs");
    TCase *const c = tcase_create("choice");
    tcase_add_loop_test(c, habits, 0, 4);
    tcase_add_test(c, probes_take_turns);
    tcase_add_loop_test(c, withdrawn, 0, 5);
    tcase_add_loop_test(c, withdrawn_and_probed, 0, 2);
    tcase_add_loop_test(c, named_by_a_nack, 0, 3);
    tcase_add_loop_test(c, nak_for_what, 0, 3);
    tcase_add_loop_test(c, reports, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
