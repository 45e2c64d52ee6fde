/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows, timers, what is sent again and what is not. */
#include "tests/oracle/suites.h"
#include "tests/oracle/talk.h"

static uint64_t say(struct talk *t, struct mrc_pkt p)
{
    return talk_frame(t, &p);
}

static void open_talk(struct talk *t)
{
    talk_init(t);
    talk_begin(t);
}

/* n Only packets from TALK_START_PSN on; the frame number of the last. */
static uint64_t send_many(struct talk *t, unsigned n)
{
    uint64_t frame = 0;
    for (unsigned i = 0; i < n; i++)
        frame = say(t, talk_only(TALK_START_PSN + i, (uint16_t)i));
    return frame;
}

/* ---- windows ---- */

START_TEST(mpr_edge)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->mpr = 1;
    talk_begin(&t);
    send_many(&t, 128);
    say(&t, talk_sack(TALK_START_PSN, 0));
    say(&t, talk_only(TALK_START_PSN + 128, 128)); /* the last that the window allows */
    talk_all_hold(&t);
    const uint64_t frame = say(&t, talk_only(TALK_START_PSN + 129, 129));
    talk_end(&t);
    talk_fails(&t, "within-mpr", frame);
}
END_TEST

START_TEST(mpr_of_one_sided_capture)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->mpr = 1;
    talk_begin(&t);
    send_many(&t, 400);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

static struct mrc_pkt sack_mpr(uint32_t cack, uint8_t mpr)
{
    struct mrc_pkt p = talk_sack(cack, 0);
    p.seth.mpr = mpr;
    return p;
}

/* 1: nobody says that a window from the peer was agreed on. */
START_TEST(dynamic_mpr_edge)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->dynamic_mpr = _i == 0 ? 1 : MRCT_UNKNOWN;
    t.cfg.reaction_ns = 1000;
    talk_begin(&t);
    send_many(&t, 1);
    say(&t, sack_mpr(TALK_START_PSN, 2));
    talk_wait(&t, 2000);
    for (unsigned i = 1; i <= 256; i++)
        say(&t, talk_only(TALK_START_PSN + i, (uint16_t)i));
    talk_all_hold(&t);
    say(&t, talk_only(TALK_START_PSN + 257, 257));
    talk_end(&t);
    if (_i == 0)
        talk_fails(&t, "within-dynamic-mpr", t.frame_no);
    else
        talk_holds(&t, "within-dynamic-mpr");
}
END_TEST

/* Sent again without RTX, and then the same bits once more: the class is that of no first sending.
 */
START_TEST(copy_of_a_retransmission)
{
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    p.tseth.tx_timestamp = 7;
    talk_frame(&t, &p);
    p.dscp = (uint8_t)t.facts.wire.dscp[MRC_DSCP_TRIMMABLE_RETX];
    p.icrc = 70;
    p.tseth.tx_timestamp = 70;
    talk_wait(&t, 10 * TALK_RTO_NS);
    const uint64_t again = talk_frame(&t, &p);
    talk_frame(&t, &p);
    talk_end(&t);
    talk_fails(&t, "rtx-set", again);
    talk_holds(&t, "request-dscp");
}
END_TEST

static struct mrc_pkt wimm(uint32_t i)
{
    struct mrc_pkt p =
        talk_write(MRC_OP_WRITE_ONLY_IMM, TALK_START_PSN + i, (uint16_t)i, 0x9000, 4, 4);
    p.meth.rqmsn = (uint16_t)(i + 1);
    return p;
}

START_TEST(wimm_in_flight)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->max_wimm = 2;
    talk_begin(&t);
    say(&t, wimm(0));
    say(&t, wimm(1));
    say(&t, talk_sack(TALK_START_PSN, 0)); /* frees one */
    say(&t, wimm(2));
    talk_all_hold(&t);
    const uint64_t frame = say(&t, wimm(3));
    talk_end(&t);
    talk_fails(&t, "wimm-limit", frame);
}
END_TEST

/* ---- timers ---- */

static const uint32_t again_ev[] = {0x70001, 0x70002, 0x70003, 0x70004, 0x70005, 0x70006};

/* PSN 101 is never heard of; the intervals between its sendings, in eighths of the timeout. */
static void retries(struct talk *t, const unsigned *eighths, unsigned n)
{
    const struct mrc_pkt lost = talk_only(TALK_START_PSN + 1, 1);
    say(t, talk_only(TALK_START_PSN, 0));
    talk_frame(t, &lost);
    say(t, talk_sack(TALK_START_PSN, 0));
    for (unsigned i = 0; i < n; i++) {
        talk_wait(t, TALK_RTO_NS * eighths[i] / 8);
        const struct mrc_pkt p = talk_again(&lost, again_ev[i]);
        talk_frame(t, &p);
    }
}

START_TEST(retries_as_agreed)
{
    static const unsigned eighths[] = {8, 8, 16, 32, 64};
    struct talk t;
    open_talk(&t);
    retries(&t, eighths, 5);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

/* A timer that is too short, seen by a bystander; one early retry may be for a NACK not seen; where
 * the harness took part one is enough. */
START_TEST(retry_too_early)
{
    static const unsigned always[] = {5, 5}, once[] = {5}, last[] = {8, 5};
    struct talk t;
    talk_init(&t);
    t.cfg.have_events = _i == 2;
    talk_begin(&t);
    retries(&t, _i == 0 ? always : _i == 1 ? once : last, _i == 1 ? 1 : 2);
    talk_end(&t);
    if (_i == 1)
        talk_all_hold(&t);
    else
        talk_fails(&t, "timeout-linear", _i == 0 ? 4 : 5);
}
END_TEST

/* 0: what came may not be in the capture; 1: it is. */
START_TEST(retry_too_early_before_anything_came)
{
    struct talk t;
    open_talk(&t);
    const struct mrc_pkt first = talk_only(TALK_START_PSN, 0);
    talk_frame(&t, &first);
    const uint64_t frame = say(&t, talk_again(&first, again_ev[0]));
    say(&t, talk_again(&first, again_ev[1]));
    if (_i == 1)
        say(&t, talk_sack(TALK_START_PSN, 0));
    talk_end(&t);
    if (_i == 1)
        talk_fails(&t, "timeout-linear", frame);
    else
        talk_all_hold(&t);
}
END_TEST

/* The intervals stay at the timeout. 0: the ceiling is above it; 1: nobody knows the ceiling; 2: it
 * is below the timeout; 3: it is a little above. */
START_TEST(backoff_never_grows)
{
    static const unsigned eighths[] = {8, 8, 8, 8};
    static const int64_t ceilings_ns[] = {1000000000, MRCT_UNKNOWN, TALK_RTO_NS / 2,
                                          TALK_RTO_NS + TALK_RTO_NS / 4};
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->exp_ceiling_ns = ceilings_ns[_i];
    talk_begin(&t);
    retries(&t, eighths, 4);
    talk_end(&t);
    if (_i == 0 || _i == 3)
        talk_fails(&t, "timeout-exponential", t.frame_no);
    else
        talk_all_hold(&t);
}
END_TEST

START_TEST(retry_beyond_limit)
{
    static const unsigned eighths[] = {8, 8, 16, 32, 64, 128};
    struct talk t;
    open_talk(&t);
    retries(&t, eighths, 6);
    talk_end(&t);
    talk_fails(&t, "retry-limit", t.frame_no);
}
END_TEST

START_TEST(retries_without_end)
{
    static const unsigned eighths[] = {8, 8, 16, 32, 64, 128};
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->exp_cnt = 25;
    talk_begin(&t);
    retries(&t, eighths, 6);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

/* ---- what is sent again ---- */

/* PSNs 100 to 104; 101 is missing and 103 and 104 have arrived. */
static void hole(struct talk *t, struct mrc_pkt lost[5])
{
    for (unsigned i = 0; i < 5; i++) {
        lost[i] = talk_only(TALK_START_PSN + i, (uint16_t)i);
        talk_frame(t, &lost[i]);
    }
    talk_wait(t, 5000);
    say(t, talk_sack(TALK_START_PSN, 0xC));
}

static uint64_t again(struct talk *t, const struct mrc_pkt *first)
{
    const struct mrc_pkt p = talk_again(first, 0x70007);
    return talk_frame(t, &p);
}

START_TEST(holes_are_filled)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    again(&t, &sent[1]);
    again(&t, &sent[2]);
    say(&t, talk_sack(TALK_START_PSN + 4, 0));
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

/* A packet and a retransmission leave at one moment by two ports; the retransmission arrives, so
 * that the packet was lost: its order among those of that moment is not the tap's to tell. */
START_TEST(sent_at_one_moment)
{
    struct talk t;
    struct mrc_pkt sent[5];
    talk_init(&t);
    t.cfg.have_events = true;
    talk_begin(&t);
    hole(&t, sent);
    again(&t, &sent[2]);
    const struct mrc_pkt next = talk_only(TALK_START_PSN + 5, 5);
    talk_frame(&t, &next);
    t.now_ns -= 100;
    again(&t, &sent[1]);
    struct mrc_pkt sack = talk_sack(TALK_START_PSN + 4, 0);
    sack.seth.ack_psn_offset = -3;
    sack.bth.rtx = 1;
    talk_frame(&t, &sack);
    again(&t, &next);
    talk_end(&t);
    talk_holds(&t, "timeout-linear");
}
END_TEST

START_TEST(go_back_n)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    again(&t, &sent[1]);
    again(&t, &sent[2]);
    const uint64_t frame = again(&t, &sent[3]);
    talk_end(&t);
    talk_fails(&t, "selective-retransmission", frame);
}
END_TEST

/* What was on its way out when the SACK came is no fault. */
START_TEST(sack_crosses_retransmission)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    again(&t, &sent[1]);
    say(&t, talk_sack(TALK_START_PSN, 0xE));
    again(&t, &sent[2]);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

START_TEST(hole_never_sent_again)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_fails(&t, "hole-retransmitted", 2);
}
END_TEST

START_TEST(hole_passed_over)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    talk_wait(&t, TALK_RTO_NS);
    again(&t, &sent[2]); /* younger, and sent again */
    talk_wait(&t, TALK_RTO_NS / 4);
    say(&t, talk_sack(TALK_START_PSN, 0xE));
    talk_end(&t);
    talk_fails(&t, "hole-retransmitted", 2);
}
END_TEST

START_TEST(capture_ends_before_the_timeout)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

START_TEST(nack_never_obeyed)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    const uint64_t frame = say(&t, talk_nack(&sent[1], MRC_NACK_NO_BITMAP));
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_fails(&t, "nack-retransmitted", frame);
}
END_TEST

START_TEST(nak_ends_the_duty)
{
    struct talk t;
    struct mrc_pkt sent[5];
    open_talk(&t);
    hole(&t, sent);
    say(&t, talk_ack(TALK_START_PSN + 1, 1, MRC_SYN_REMOTE_ACCESS));
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

START_TEST(always_the_same_ev)
{
    struct talk t;
    struct mrc_pkt sent[8];
    open_talk(&t);
    for (unsigned i = 0; i < 8; i++) {
        sent[i] = talk_only(TALK_START_PSN + i, (uint16_t)i);
        talk_frame(&t, &sent[i]);
    }
    say(&t, talk_sack(TALK_START_PSN, 0x40));
    for (unsigned i = 1; i < 6; i++) {
        const struct mrc_pkt p = talk_again(&sent[i], sent[i].ev);
        talk_frame(&t, &p);
    }
    say(&t, talk_sack(TALK_START_PSN + 7, 0));
    talk_end(&t);
    talk_fails(&t, "rtx-fresh-ev", 0);
}
END_TEST

/* A copy of a frame is none of the requestor's, a packet far ahead no measure for the others. */
START_TEST(copies_and_strays)
{
    struct talk t;
    open_talk(&t);
    struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    p.tseth.tx_timestamp = 77;
    talk_frame(&t, &p);
    talk_wait(&t, 20000);
    talk_frame(&t, &p);
    say(&t, talk_only(TALK_START_PSN + 700, 700));
    for (unsigned i = 1; i < 6; i++)
        say(&t, talk_only(TALK_START_PSN + i, (uint16_t)i));
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

/* A capture that lost some hundreds of frames both ways goes on far beyond what it knows. */
START_TEST(capture_lost_many)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->mpr = 1;
    talk_begin(&t);
    send_many(&t, 4);
    say(&t, talk_sack(TALK_START_PSN, 0));
    for (unsigned i = 400; i < 410; i++)
        say(&t, talk_only(TALK_START_PSN + i, (uint16_t)i));
    say(&t, talk_sack(TALK_START_PSN + 409, 0));
    talk_end(&t);
    talk_requestor_holds(&t);
}
END_TEST

static TCase *windows_and_timers(void)
{
    TCase *const c = tcase_create("windows and timers");
    tcase_add_test(c, mpr_edge);
    tcase_add_test(c, mpr_of_one_sided_capture);
    tcase_add_loop_test(c, dynamic_mpr_edge, 0, 2);
    tcase_add_test(c, copy_of_a_retransmission);
    tcase_add_test(c, wimm_in_flight);
    tcase_add_test(c, retries_as_agreed);
    tcase_add_loop_test(c, retry_too_early, 0, 3);
    tcase_add_loop_test(c, retry_too_early_before_anything_came, 0, 2);
    tcase_add_loop_test(c, backoff_never_grows, 0, 4);
    tcase_add_test(c, retry_beyond_limit);
    tcase_add_test(c, retries_without_end);
    tcase_add_test(c, copies_and_strays);
    tcase_add_test(c, capture_lost_many);
    return c;
}

static TCase *sent_again(void)
{
    TCase *const c = tcase_create("sent again");
    tcase_add_test(c, holes_are_filled);
    tcase_add_test(c, sent_at_one_moment);
    tcase_add_test(c, go_back_n);
    tcase_add_test(c, sack_crosses_retransmission);
    tcase_add_test(c, hole_never_sent_again);
    tcase_add_test(c, hole_passed_over);
    tcase_add_test(c, capture_ends_before_the_timeout);
    tcase_add_test(c, nack_never_obeyed);
    tcase_add_test(c, nak_ends_the_duty);
    tcase_add_test(c, always_the_same_ev);
    return c;
}

Suite *oracle_recovery_suite(void)
{
    Suite *const s = suite_create("recovery");
    suite_add_tcase(s, windows_and_timers());
    suite_add_tcase(s, sent_again());
    return s;
}
