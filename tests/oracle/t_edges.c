/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits that are exactly met, and passed by one: of queues, of memories, of time. */
#include "ref/endpoint/mrc_ep.h"
#include "tests/oracle/mirror.h"
#include "tests/oracle/suites.h"

#define QUEUE 3840u /* writes that may be open at once and are still told apart */
#define PAST  256u  /* reports that are remembered */

static void open_with_events(struct talk *t)
{
    talk_init(t);
    t->cfg.have_events = true;
    talk_begin(t);
}

static void post(struct talk *t, uint64_t from, uint64_t to)
{
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    for (uint64_t id = from; id <= to; id++)
        talk_posted(t, id, &p);
}

static void done(struct talk *t, uint64_t id)
{
    talk_event(t, MRCT_EVENT_SEND_DONE, id, MRC_WC_SUCCESS);
}

/* 0: as many as are told apart; 1: one more, and nothing is said. */
START_TEST(open_writes)
{
    struct talk t;
    open_with_events(&t);
    post(&t, 1, QUEUE + (uint64_t)_i);
    done(&t, 2);
    talk_end(&t);
    if (_i == 0)
        talk_fails(&t, "completions-in-order", 0);
    else
        talk_holds(&t, "completions-in-order");
}
END_TEST

/* More writes than any ring has places, each reported in its turn; then one before its turn. */
START_TEST(many_writes)
{
    struct talk t;
    open_with_events(&t);
    post(&t, 1, 3);
    for (uint64_t id = 1; id <= 9000; id++) {
        talk_event(&t, MRCT_EVENT_SEND_DONE, id, MRC_WC_FLUSHED);
        post(&t, id + 3, id + 3);
    }
    ck_assert_ptr_null(watch_find(&t.w, MRCT_FINDING_FAIL, "completions-in-order"));
    ck_assert_ptr_null(watch_find(&t.w, MRCT_FINDING_FAIL, "completion-once"));
    done(&t, 9002);
    talk_end(&t);
    talk_fails(&t, "completions-in-order", 0);
    talk_holds(&t, "completion-once");
}
END_TEST

/* A second report: 0: of the oldest one remembered; 1: of the one before; 2: of one whose turn has
 * not come; 3: of one that was never posted. */
START_TEST(reported_twice)
{
    struct talk t;
    open_with_events(&t);
    post(&t, 1, 1000);
    for (uint64_t id = 1; id <= 600; id++)
        done(&t, id);
    if (_i == 2)
        done(&t, 610);
    done(&t, _i == 0 ? 600 - PAST + 1 : _i == 1 ? 600 - PAST : _i == 2 ? 610 : 5000);
    talk_end(&t);
    if (_i == 0 || _i == 2)
        talk_fails(&t, "completion-once", 0);
    else
        talk_holds(&t, "completion-once");
}
END_TEST

/* Which status may be told of which NAK. */
START_TEST(nak_told)
{
    static const uint8_t naks[] = {MRC_SYN_INVALID_REQUEST, MRC_SYN_REMOTE_ACCESS,
                                   MRC_SYN_REMOTE_OP};
    static const int due[] = {-1, MRC_WC_REMOTE_ACCESS, MRC_WC_REMOTE_OP};
    const int status = _i / 3;
    struct talk t;
    open_with_events(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_posted(&t, 5, &p);
    talk_frame(&t, &p);
    const struct mrc_pkt nak = talk_ack(TALK_START_PSN, 0, naks[_i % 3]);
    talk_frame(&t, &nak);
    talk_event(&t, MRCT_EVENT_QP_ERROR, 0, status);
    talk_event(&t, MRCT_EVENT_SEND_DONE, 5, status);
    talk_wait(&t, 50000000);
    talk_end(&t);
    const bool other = status == MRC_WC_RETRY_EXCEEDED || status == MRC_WC_FLUSHED;
    if (due[_i % 3] < 0 || other || status == due[_i % 3])
        talk_holds(&t, "nak-cause-told");
    else
        talk_fails(&t, "nak-cause-told", 0);
}
END_TEST

/* Until a reaction after the NAK a request may be on its way. 0: then; 1: a tick later. */
START_TEST(after_nak)
{
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0), more = talk_only(TALK_START_PSN + 1, 1);
    talk_frame(&t, &p);
    const struct mrc_pkt nak = talk_ack(TALK_START_PSN, 0, MRC_SYN_REMOTE_ACCESS);
    talk_frame(&t, &nak);
    talk_wait(&t, t.cfg.reaction_ns - 100 + (uint64_t)_i);
    const uint64_t frame = talk_frame(&t, &more);
    talk_end(&t);
    if (_i == 0)
        talk_holds(&t, "no-request-after-nak");
    else
        talk_fails(&t, "no-request-after-nak", frame);
}
END_TEST

/* A responder in ERROR: what it may still say, and until when. */
START_TEST(in_error)
{
    static const char *const check = "silent-in-error";
    static struct mirror m;
    const struct mrct_event error = {
        .kind = MRCT_EVENT_QP_ERROR, .status = MRC_WC_LOCAL_ACCESS, .psn = UINT32_MAX};
    mirror_init(&m, TALK_START_PSN);
    m.t.cfg.have_events = true;
    mirror_begin(&m);
    mirror_come_all(&m, 0, 1);
    mirror_event(&m, &error);
    const struct mrc_pkt of = mirror_request(&m, 1);
    const struct mrc_pkt says[] = {mirror_sack(&m, &of),
                                   mirror_ack(&m),
                                   talk_ack(TALK_START_PSN + 1, 0, MRC_SYN_REMOTE_ACCESS),
                                   talk_ack(TALK_START_PSN + 1, 0, MRC_SYN_REMOTE_OP),
                                   talk_ack(TALK_START_PSN + 1, 0, 0x20),
                                   mirror_nack(&of, MRC_NACK_NO_RESOURCE)};
    const bool late = _i < 6;
    talk_wait(&m.t, m.t.cfg.reaction_ns - 100 + (late ? 1 : 0));
    const uint64_t frame = talk_frame(&m.t, &says[_i % 6]);
    mirror_end(&m, NULL);
    if (late && _i != 2 && _i != 3)
        talk_fails(&m.t, check, frame);
    else
        talk_holds(&m.t, check);
}
END_TEST

/* The retries are given up: 0: a tick before the least time; 1: at it; 2 and 3: the same where no
 * retries are agreed on. */
START_TEST(given_up)
{
    struct talk t;
    talk_init(&t);
    t.cfg.have_events = true;
    const bool none = _i >= 2;
    if (none)
        talk_qp(&t)->linear_cnt = talk_qp(&t)->exp_cnt = 0;
    talk_begin(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_posted(&t, 5, &p);
    talk_frame(&t, &p);
    const uint64_t all_ns = TALK_RTO_NS * (none ? 1 : 6);
    talk_wait(&t, all_ns - all_ns / 16 - (_i % 2 == 0 ? 1 : 0));
    talk_event(&t, MRCT_EVENT_QP_ERROR, 0, MRC_WC_RETRY_EXCEEDED);
    talk_event(&t, MRCT_EVENT_SEND_DONE, 5, MRC_WC_RETRY_EXCEEDED);
    talk_end(&t);
    if (_i % 2 == 0)
        talk_fails(&t, "retries-not-cut-short", 1);
    else
        talk_holds(&t, "retries-not-cut-short");
}
END_TEST

/* With progress the retries begin anew: 0: a tick before they can have ended; 1: then. */
START_TEST(given_up_after_progress)
{
    struct talk t;
    open_with_events(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0), q = talk_only(TALK_START_PSN + 1, 1);
    talk_posted(&t, 5, &p);
    talk_posted(&t, 6, &q);
    talk_frame(&t, &p);
    talk_frame(&t, &q);
    talk_wait(&t, TALK_RTO_NS);
    const struct mrc_pkt sack = talk_sack(TALK_START_PSN, 0);
    const uint64_t frame = talk_frame(&t, &sack);
    const uint64_t all_ns = 6 * TALK_RTO_NS;
    talk_wait(&t, all_ns - all_ns / 16 - (_i == 0 ? 1 : 0));
    talk_event(&t, MRCT_EVENT_QP_ERROR, 0, MRC_WC_RETRY_EXCEEDED);
    talk_end(&t);
    if (_i == 0)
        talk_fails(&t, "retries-begin-anew", frame);
    else
        talk_holds(&t, "retries-begin-anew");
}
END_TEST

/* A NACK costs a retry and no time: 0: one in the moment of the request; 1: one before it. */
START_TEST(given_up_after_nack)
{
    struct talk t;
    open_with_events(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0), q = talk_only(TALK_START_PSN + 1, 1);
    talk_posted(&t, 5, &p);
    talk_posted(&t, 6, &q);
    talk_frame(&t, &p);
    const struct mrc_pkt nack = talk_nack(&p, MRC_NACK_NO_RESOURCE);
    talk_frame(&t, &nack);
    const struct mrc_pkt sack = talk_sack(TALK_START_PSN, 0);
    t.now_ns -= _i == 0 ? 100 : 99;
    talk_frame(&t, &q);
    talk_frame(&t, &sack);
    talk_event(&t, MRCT_EVENT_QP_ERROR, 0, MRC_WC_RETRY_EXCEEDED);
    talk_end(&t);
    if (_i == 0)
        talk_holds(&t, "retries-not-cut-short");
    else
        talk_fails(&t, "retries-not-cut-short", 0);
}
END_TEST

/* Requests with a reserved bit, more than are remembered; none is answered. */
START_TEST(many_odd)
{
    static struct mirror m;
    mirror_init(&m, TALK_START_PSN);
    m.t.cfg.have_events = true;
    mirror_begin(&m);
    for (uint32_t n = 0; n < 40; n++) {
        struct mrc_pkt p = mirror_request(&m, n);
        p.bth.r = n % 3 != 0;
        p.udp.checksum = n % 2;
        if (n % 5 == 4)
            talk_frame(&m.t, &p); /* and is not taken */
        else
            mirror_come(&m, &p);
        const struct mrc_pkt sack = mirror_sack(&m, &p);
        talk_frame(&m.t, &sack);
    }
    mirror_end(&m, NULL);
    talk_fails(&m.t, "reserved-ignored", 0);
}
END_TEST

/* As many WriteImm as are tracked by the check, and one more. */
START_TEST(many_immediates)
{
    static struct mirror m;
    mirror_init(&m, TALK_START_PSN);
    m.t.cfg.have_events = true;
    mirror_begin(&m);
    for (uint32_t n = 0; n < 1024 + (uint32_t)_i; n++) {
        const struct mrct_event recv = {.kind = MRCT_EVENT_POST_RECV, .wr_id = n + 1};
        struct mrc_pkt p = talk_write(MRC_OP_WRITE_ONLY_IMM, TALK_START_PSN + n, (uint16_t)n,
                                      0x10000 + 64 * n, 64, 64);
        p.immdt.imm = n;
        mirror_event(&m, &recv);
        talk_frame(&m.t, &p);
        const struct mrc_pkt sack = talk_sack(p.bth.psn, 0), ack = talk_ack(p.bth.psn, n + 1, 0x1F);
        talk_frame(&m.t, &sack);
        talk_frame(&m.t, &ack);
    }
    const struct mrct_event told = {.kind = MRCT_EVENT_RECV_IMM,
                                    .wr_id = 1,
                                    .has_imm = true,
                                    .imm = 1023,
                                    .len_bytes = 63,
                                    .psn = UINT32_MAX};
    mirror_event(&m, &told);
    mirror_end(&m, NULL);
    if (_i == 0)
        talk_fails(&m.t, "receive-length", 0);
    else
        talk_holds(&m.t, "receive-length");
}
END_TEST

/* ---- the window, and what is in flight ---- */

/* 0: the last PSN of a window of 128; 1: the one after it. */
START_TEST(window_edge)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->mpr = 1;
    talk_begin(&t);
    const struct mrc_pkt sack = talk_sack(TALK_START_PSN, 0);
    for (uint32_t n = 0; n <= 128 + (uint32_t)_i; n++) {
        const struct mrc_pkt p = talk_only(TALK_START_PSN + n, (uint16_t)n);
        talk_frame(&t, &p);
        if (n == 0)
            talk_frame(&t, &sack);
    }
    const uint64_t last = t.frame_no;
    talk_end(&t);
    if (_i == 0)
        talk_holds(&t, "within-mpr");
    else
        talk_fails(&t, "within-mpr", last);
}
END_TEST

/* WriteImm in flight: no more than 1024 are counted, so a limit of so many is never passed. */
START_TEST(immediates_in_flight)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->max_wimm = 1023 + _i;
    talk_qp(&t)->mpr = 9;
    talk_begin(&t);
    const struct mrc_pkt sack = talk_sack(TALK_START_PSN - 1, 0);
    talk_frame(&t, &sack);
    for (uint32_t n = 0; n < 1027; n++) {
        const struct mrc_pkt p = talk_write(MRC_OP_WRITE_ONLY_IMM, TALK_START_PSN + n, (uint16_t)n,
                                            0x9000 + 4 * n, 4, 4);
        talk_frame(&t, &p);
    }
    talk_end(&t);
    if (_i == 0)
        talk_fails(&t, "wimm-limit", 1025);
    else
        talk_holds(&t, "wimm-limit");
}
END_TEST

/* A message of two packets and a bit: 0: as it is; 1: a Middle that already brings all of it;
 * 2: a Last that brings too little; 3: too much. */
START_TEST(message_length)
{
    static const uint32_t lens[] = {2 * TALK_MTU + 4, 2 * TALK_MTU, 2 * TALK_MTU + 8,
                                    2 * TALK_MTU + 3};
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    const uint32_t len = lens[_i];
    const struct mrc_pkt p[] = {
        talk_write(MRC_OP_WRITE_FIRST, TALK_START_PSN, 1, 0x9000, TALK_MTU, len),
        talk_write(MRC_OP_WRITE_MIDDLE, TALK_START_PSN + 1, 1, 0x9000 + TALK_MTU, TALK_MTU, len),
        talk_write(MRC_OP_WRITE_LAST, TALK_START_PSN + 2, 1, 0x9000 + 2 * TALK_MTU, 4, len)};
    for (size_t i = 0; i < 3; i++)
        talk_frame(&t, &p[i]);
    talk_end(&t);
    if (_i == 0)
        talk_holds(&t, "message-length-adds-up");
    else
        talk_fails(&t, "message-length-adds-up", _i == 1 ? 2 : 3);
}
END_TEST

/* PSNs left out within a message: as many as probes were sent between, or one more. */
START_TEST(left_out)
{
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    const struct mrc_pkt first =
        talk_write(MRC_OP_WRITE_FIRST, TALK_START_PSN, 1, 0x9000, TALK_MTU, TALK_MTU + 4);
    talk_frame(&t, &first);
    for (uint16_t i = 0; i < _i / 2; i++) {
        const struct mrc_pkt probe = talk_probe(i);
        talk_frame(&t, &probe);
    }
    const struct mrc_pkt last =
        talk_write(MRC_OP_WRITE_LAST, TALK_START_PSN + 1 + (uint32_t)(_i / 2 + _i % 2), 1,
                   0x9000 + TALK_MTU, 4, TALK_MTU + 4);
    talk_frame(&t, &last);
    talk_end(&t);
    if (_i == 0)
        talk_holds(&t, "psn-consecutive");
    else
        talk_fails(&t, "psn-consecutive", 0);
}
END_TEST

/* Each way in which a frame is broken, for golden/ to remember who names it. */
START_TEST(broken)
{
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    const struct mrc_pkt p = talk_only(TALK_START_PSN, 0);
    talk_broken(&t, &p, (enum mrc_wire_error)_i);
    talk_end(&t);
    const bool sender = _i > MRC_WIRE_CUT && _i != MRC_WIRE_BAD_ICRC;
    ck_assert_int_eq(watch_count(&t.w, MRCT_FINDING_FAIL) > 0, sender);
}
END_TEST

/* Without a known path MTU: the longest there is, and a byte more. */
START_TEST(longest)
{
    struct talk t;
    talk_init(&t);
    t.facts.path_mtu = MRCT_UNKNOWN;
    talk_begin(&t);
    const uint32_t len = 4096 + (uint32_t)_i;
    const struct mrc_pkt p = talk_write(MRC_OP_WRITE_ONLY, TALK_START_PSN, 0, 0x9000, len, len);
    struct mrc_pkt q = p;
    q.payload = NULL; /* a snap length cut it */
    talk_frame(&t, &q);
    talk_end(&t);
    if (_i == 0)
        talk_holds(&t, "last-only-length-bounded");
    else
        talk_fails(&t, "last-only-length-bounded", 1);
}
END_TEST

/* ---- what a capture must have missed ---- */

static struct mrct_gaps end_of(struct talk *t)
{
    struct mrct_gaps g;
    mrct_oracle_end(t->w.oracle, t->now_ns);
    mrct_oracle_gaps(t->w.oracle, &g);
    watch_stop(&t->w);
    mrct_facts_fini(&t->facts);
    return g;
}

/* Seven frames of one direction mean nothing yet, eight do: 0, 1: requests; 2, 3: answers. */
START_TEST(one_side)
{
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    for (uint32_t n = 0; n < 7 + (uint32_t)_i % 2; n++) {
        const struct mrc_pkt p =
            _i < 2 ? talk_only(TALK_START_PSN + n, (uint16_t)n) : talk_sack(TALK_START_PSN - 1, 0);
        talk_frame(&t, &p);
    }
    const struct mrct_gaps g = end_of(&t);
    ck_assert_uint_eq(g.one_sided, (uint64_t)_i % 2);
    ck_assert_uint_eq(g.flows, 1);
}
END_TEST

/* PSNs that are acknowledged and were not seen at the responder: two may be its lie, three are not;
 * its count of bytes says so of one. 0: two; 1: three; 2: one, and more bytes. */
START_TEST(unseen_and_acknowledged)
{
    static struct mirror m;
    const uint32_t unseen = _i == 0 ? 2 : _i == 1 ? 3 : 1;
    mirror_init(&m, TALK_START_PSN);
    mirror_begin(&m);
    mirror_come_all(&m, 0, 1);
    mirror_come_all(&m, 2 + unseen, 3 + unseen);
    const struct mrc_pkt of = mirror_request(&m, 3 + unseen);
    struct mrc_pkt sack = mirror_sack(&m, &of);
    sack.bth.psn = sack.seth.cack_psn = TALK_START_PSN + 3 + unseen;
    sack.seth.ack_psn_offset = 0;
    sack.seth.sack_bitmap = 0;
    sack.cc_state.ooo_count = 0;
    sack.cc_state.rcvd_bytes += _i == 2 ? 2 : 0;
    const uint64_t frame = talk_frame(&m.t, &sack);
    const struct mrct_gaps g = end_of(&m.t);
    ck_assert_uint_eq(g.missing, _i == 0 ? 0 : unseen);
    ck_assert_uint_eq(g.frame, _i == 0 ? 0 : frame);
    ck_assert(!g.more);
}
END_TEST

/* A NACK of what was not seen: 0: below the highest PSN seen; 2: above it. 1: of what was. */
START_TEST(unseen_and_refused)
{
    static struct mirror m;
    mirror_init(&m, TALK_START_PSN);
    mirror_begin(&m);
    mirror_come_all(&m, 0, 3);
    mirror_come_all(&m, 5, 6);
    const struct mrc_pkt of = mirror_request(&m, _i == 0 ? 4 : _i == 1 ? 6 : 7);
    const struct mrc_pkt nack = mirror_nack(&of, MRC_NACK_TRIMMED);
    const uint64_t frame = talk_frame(&m.t, &nack);
    talk_frame(&m.t, &nack);
    const struct mrct_gaps g = end_of(&m.t);
    ck_assert_uint_eq(g.missing, _i == 1 ? 0 : 2);
    ck_assert_uint_eq(g.frame, _i == 1 ? 0 : frame);
}
END_TEST

Suite *oracle_edges_suite(void)
{
    Suite *const s = suite_create("edges");
    TCase *const c = tcase_create("edges");
    tcase_add_loop_test(c, open_writes, 0, 2);
    tcase_add_test(c, many_writes);
    tcase_add_loop_test(c, reported_twice, 0, 4);
    tcase_add_loop_test(c, nak_told, 0, 18);
    tcase_add_loop_test(c, after_nak, 0, 2);
    tcase_add_loop_test(c, in_error, 0, 12);
    tcase_add_loop_test(c, given_up_after_progress, 0, 2);
    tcase_add_loop_test(c, given_up_after_nack, 0, 2);
    tcase_add_loop_test(c, given_up, 0, 4);
    tcase_add_test(c, many_odd);
    tcase_add_loop_test(c, many_immediates, 0, 2);
    tcase_add_loop_test(c, window_edge, 0, 2);
    tcase_add_loop_test(c, immediates_in_flight, 0, 3);
    tcase_add_loop_test(c, message_length, 0, 4);
    tcase_add_loop_test(c, left_out, 0, 6);
    tcase_add_loop_test(c, broken, MRC_WIRE_CUT, MRC_WIRE_ERRORS);
    tcase_add_loop_test(c, longest, 0, 2);
    tcase_add_loop_test(c, one_side, 0, 4);
    tcase_add_loop_test(c, unseen_and_acknowledged, 0, 3);
    tcase_add_loop_test(c, unseen_and_refused, 0, 3);
    suite_add_tcase(s, c);
    return s;
}
