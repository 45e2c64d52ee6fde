/* SPDX-License-Identifier: BSD-2-Clause */
/* What an application is told of its writes, beside what went over the wire. */
#include "ref/endpoint/mrc_ep.h"
#include "tests/oracle/suites.h"
#include "tests/oracle/talk.h"

static uint64_t say(struct talk *t, struct mrc_pkt p)
{
    return talk_frame(t, &p);
}

static void open_with_events(struct talk *t)
{
    talk_init(t);
    t->cfg.have_events = true;
    talk_begin(t);
}

START_TEST(write_completes)
{
    struct talk t;
    open_with_events(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_posted(&t, 5, &p);
    talk_frame(&t, &p);
    say(&t, talk_sack(TALK_START_PSN, 0));
    if (_i == 0)
        say(&t, talk_ack(TALK_START_PSN, 1, MRC_SYN_ACK));
    talk_event(&t, MRCT_EVENT_SEND_DONE, 5, MRC_WC_SUCCESS);
    talk_end(&t);
    if (_i == 0)
        talk_all_hold(&t);
    else
        talk_fails(&t, "completion-after-ack", 0);
}
END_TEST

START_TEST(other_than_posted)
{
    struct talk t;
    open_with_events(&t);
    struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_posted(&t, 5, &p);
    p.reth.va += 8;
    talk_frame(&t, &p);
    talk_end(&t);
    talk_fails(&t, "messages-as-posted", 1);
}
END_TEST

START_TEST(request_after_error)
{
    struct talk t;
    open_with_events(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0), more = talk_only(TALK_START_PSN + 1, 1);
    talk_posted(&t, 5, &p);
    talk_posted(&t, 6, &more);
    talk_frame(&t, &p);
    talk_event(&t, MRCT_EVENT_QP_ERROR, 0, MRC_WC_RETRY_EXCEEDED);
    const uint64_t frame = talk_frame(&t, &more);
    talk_end(&t);
    talk_fails(&t, "no-request-after-error", frame);
}
END_TEST

/* 0: told as it must be; 1: another status; 2: not told; 3: sent on. */
START_TEST(unexp_event)
{
    static const char *const check = "unexp-event-fatal";
    struct talk t;
    open_with_events(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_posted(&t, 5, &p);
    talk_frame(&t, &p);
    say(&t, talk_nack(&p, MRC_NACK_UNEXP_EVENT));
    if (_i != 2)
        talk_event(&t, MRCT_EVENT_QP_ERROR, 0, _i == 1 ? MRC_WC_RETRY_EXCEEDED : MRC_WC_REMOTE_OP);
    talk_event(&t, MRCT_EVENT_SEND_DONE, 5, MRC_WC_REMOTE_OP);
    talk_wait(&t, 50000000);
    if (_i == 3)
        say(&t, talk_again(&p, 0x70007));
    talk_end(&t);
    if (_i == 0)
        talk_all_hold(&t);
    else
        talk_fails(&t, check, 0);
}
END_TEST

/* 0: told; 1: not told. */
START_TEST(retries_used_up)
{
    static const unsigned timeouts[] = {1, 1, 2, 4, 8};
    struct talk t;
    open_with_events(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_posted(&t, 5, &p);
    talk_frame(&t, &p);
    for (unsigned i = 0; i < 5; i++) {
        talk_wait(&t, TALK_RTO_NS * timeouts[i]);
        say(&t, talk_again(&p, 0x70001 + i));
    }
    talk_wait(&t, 16 * TALK_RTO_NS);
    if (_i == 0)
        talk_event(&t, MRCT_EVENT_QP_ERROR, 0, MRC_WC_RETRY_EXCEEDED);
    talk_event(&t, MRCT_EVENT_SEND_DONE, 5, MRC_WC_RETRY_EXCEEDED);
    talk_wait(&t, 50000000);
    talk_end(&t);
    if (_i == 0)
        talk_all_hold(&t);
    else
        talk_fails(&t, "retry-exceeded-reported", 0);
}
END_TEST

/* More is posted than was sent: the QP is not idle, whatever else holds it back. */
START_TEST(more_is_posted)
{
    struct talk t;
    open_with_events(&t);
    struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_posted(&t, 5, &p);
    talk_posted(&t, 6, &p);
    p.bth.a = 0;
    talk_frame(&t, &p);
    say(&t, talk_sack(TALK_START_PSN, 0));
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

Suite *oracle_application_suite(void)
{
    Suite *const s = suite_create("application");
    TCase *const c = tcase_create("application");
    tcase_add_loop_test(c, write_completes, 0, 2);
    tcase_add_test(c, other_than_posted);
    tcase_add_test(c, request_after_error);
    tcase_add_loop_test(c, unexp_event, 0, 4);
    tcase_add_loop_test(c, retries_used_up, 0, 2);
    tcase_add_test(c, more_is_posted);
    suite_add_tcase(s, c);
    return s;
}
