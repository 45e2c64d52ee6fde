/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One honest story at the requestor's tap, and the same story with one frame changed: the check
 * that names the change fails on that frame, and none fails on the story as it is.
 */
#include "tests/oracle/suites.h"
#include "tests/oracle/talk.h"
#include <string.h>

enum {
    FIRST = 1,
    MIDDLE,
    LAST,
    WIMM,
    FIRST2,
    LAST_IMM,
    ONLY,
    NACK,
    RTX_NACKED,
    SACK_HOLE,
    RTX_HOLE,
    SACK_ALL,
    ACK,
    PROBE,
    LATER,
    SACK_LATER,
    ACK_LATER,
    STORY_END
};

typedef void change_fn(struct mrc_pkt *p);

/* From frame `from` on (to the end when `on` is set) every request is changed. */
struct change {
    unsigned at;
    bool on;
    change_fn *fn;
};

static void tell(struct talk *t, unsigned no, struct mrc_pkt *p, const struct change *c)
{
    if (c != NULL && (no == c->at || (c->on && no > c->at && mrc_op_is_write(p->bth.opcode))))
        c->fn(p);
    ck_assert_uint_eq(talk_frame(t, p), no);
}

/* As the packets went before any change, for what is sent again. */
struct story {
    struct mrc_pkt frame[STORY_END];
};

static void messages(struct story *s)
{
    s->frame[FIRST] = talk_write(MRC_OP_WRITE_FIRST, 100, 0, 0x1000, 256, 600);
    s->frame[MIDDLE] = talk_write(MRC_OP_WRITE_MIDDLE, 101, 0, 0x1100, 256, 600);
    s->frame[LAST] = talk_write(MRC_OP_WRITE_LAST, 102, 0, 0x1200, 88, 600);
    s->frame[WIMM] = talk_write(MRC_OP_WRITE_ONLY_IMM, 103, 1, 0x2000, 10, 10);
    s->frame[FIRST2] = talk_write(MRC_OP_WRITE_FIRST, 104, 2, 0x3000, 256, 300);
    s->frame[LAST_IMM] = talk_write(MRC_OP_WRITE_LAST_IMM, 105, 2, 0x3100, 44, 300);
    s->frame[ONLY] = talk_only(106, 3);
    s->frame[WIMM].meth.rqmsn = 1;
    s->frame[FIRST2].meth.rqmsn = s->frame[LAST_IMM].meth.rqmsn = 2;
}

static void answers(struct story *s)
{
    s->frame[NACK] = talk_nack(&s->frame[MIDDLE], MRC_NACK_TRIMMED);
    s->frame[RTX_NACKED] = talk_again(&s->frame[MIDDLE], 0x50005);
    s->frame[SACK_HOLE] = talk_sack(100, 0x36);
    s->frame[RTX_HOLE] = talk_again(&s->frame[FIRST2], 0x60006);
    s->frame[SACK_ALL] = talk_sack(106, 0);
    s->frame[ACK] = talk_ack(106, 4, MRC_SYN_ACK);
    s->frame[PROBE] = talk_probe(77);
    s->frame[LATER] = talk_only(107, 4);
    s->frame[SACK_LATER] = talk_sack(107, 0);
    s->frame[ACK_LATER] = talk_ack(107, 5, MRC_SYN_ACK);
}

static void run(struct talk *t, const struct change *c)
{
    struct story s;
    messages(&s);
    answers(&s);
    for (unsigned no = FIRST; no < STORY_END; no++) {
        if (no == NACK)
            talk_wait(t, 5000);
        if (no == PROBE)
            talk_wait(t, 30000000);
        tell(t, no, &s.frame[no], c);
    }
}

static void psn_up(struct mrc_pkt *p)
{
    p->bth.psn++;
}
static void opcode_first(struct mrc_pkt *p)
{
    p->bth.opcode = MRC_OP_WRITE_FIRST;
}
static void opcode_middle(struct mrc_pkt *p)
{
    p->bth.opcode = MRC_OP_WRITE_MIDDLE;
}
static void va_up(struct mrc_pkt *p)
{
    p->reth.va += 4;
}
static void dma_up(struct mrc_pkt *p)
{
    p->reth.dma_len++;
}
static void shorter(struct mrc_pkt *p)
{
    p->payload_len -= 4;
}
static void msn_up(struct mrc_pkt *p)
{
    p->meth.msn++;
}
static void rqmsn_up(struct mrc_pkt *p)
{
    p->meth.rqmsn++;
}
static void rtx_flip(struct mrc_pkt *p)
{
    p->bth.rtx ^= 1;
}
static void rkey_other(struct mrc_pkt *p)
{
    p->reth.rkey ^= 1;
}
static void payload_other(struct mrc_pkt *p)
{
    static const uint8_t other[TALK_MTU] = {9};
    p->payload = other;
}
static void ev_nacked(struct mrc_pkt *p)
{
    p->ev = TALK_NO_EV + 101;
}
static void stamp_old(struct mrc_pkt *p)
{
    p->tseth.tx_timestamp = (uint16_t)((1000000 + 200) / 128); /* frame 2's */
}
static void dscp_other(struct mrc_pkt *p)
{
    p->dscp = p->inner_dscp = 40;
}
static void not_ect(struct mrc_pkt *p)
{
    p->ecn = p->inner_ecn = 0;
}
static void no_a(struct mrc_pkt *p)
{
    p->bth.a = 0;
}
static void label_wide(struct mrc_pkt *p)
{
    p->ip6.flow_label |= 0x10000;
}
static void qp_other(struct mrc_pkt *p)
{
    p->bth.dest_qp = 99;
}
static void cid_other(struct mrc_pkt *p)
{
    p->seth.spdcid = 99;
}

static const struct {
    const char *check;
    struct change change;
} lies[] = {
    {"psn-consecutive", {WIMM, true, psn_up}},
    {"psn-consecutive", {LAST, true, psn_up}},
    {"psn-consecutive", {LATER, true, psn_up}},
    {"message-order", {MIDDLE, false, opcode_first}},
    {"message-order", {ONLY, false, opcode_middle}},
    {"va-advances", {MIDDLE, false, va_up}},
    {"va-advances", {LAST, false, va_up}},
    {"dma-length-constant", {MIDDLE, false, dma_up}},
    {"message-length-adds-up", {LAST, false, shorter}},
    {"msn-constant", {MIDDLE, false, msn_up}},
    {"msn-counts", {WIMM, false, msn_up}},
    {"msn-counts", {ONLY, false, msn_up}},
    {"rqmsn-constant", {LAST_IMM, false, rqmsn_up}},
    {"rqmsn-counts", {LAST_IMM, false, rqmsn_up}},
    {"rtx-set", {RTX_NACKED, false, rtx_flip}},
    {"rtx-set", {RTX_HOLE, false, rtx_flip}},
    {"rtx-clear-on-first", {WIMM, false, rtx_flip}},
    {"rtx-same-headers", {RTX_NACKED, false, va_up}},
    {"rtx-same-headers", {RTX_HOLE, false, rkey_other}},
    {"rtx-same-headers", {RTX_HOLE, false, msn_up}},
    {"rtx-same-headers", {RTX_HOLE, false, rqmsn_up}},
    {"rtx-same-headers", {RTX_HOLE, false, opcode_middle}},
    {"rtx-same-payload", {RTX_NACKED, false, payload_other}},
    {"rtx-avoids-nacked-ev", {RTX_NACKED, false, ev_nacked}},
    {"rtx-fresh-timestamp", {RTX_NACKED, false, stamp_old}},
    {"rtx-dscp", {RTX_NACKED, false, dscp_other}},
    {"request-dscp", {WIMM, false, dscp_other}},
    {"request-dscp", {PROBE, false, dscp_other}},
    {"request-ect", {WIMM, false, not_ect}},
    {"ack-request-before-idle", {ONLY, false, no_a}},
    {"ack-request-before-idle", {LATER, false, no_a}},
    {"flow-label-high-zero", {WIMM, false, label_wide}},
    {"dest-qp-agreed", {WIMM, false, qp_other}},
    {"connection-ids", {SACK_ALL, false, cid_other}},
};

START_TEST(honest_story_holds)
{
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    run(&t, NULL);
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

START_TEST(lie_is_named)
{
    struct talk t;
    talk_init(&t);
    talk_begin(&t);
    run(&t, &lies[_i].change);
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_fails(&t, lies[_i].check, lies[_i].change.at);
}
END_TEST

START_TEST(agreed_start)
{
    struct talk t;
    talk_init(&t);
    talk_qp(&t)->start_psn = 90;
    talk_begin(&t);
    run(&t, NULL);
    talk_end(&t);
    talk_fails(&t, "psn-starts-as-agreed", FIRST);
}
END_TEST

/* A lost frame of the capture takes nobody's verdict: every single one is left out in turn. */
START_TEST(capture_lacks_a_frame)
{
    struct talk t;
    struct story s;
    talk_init(&t);
    talk_begin(&t);
    messages(&s);
    answers(&s);
    for (int no = FIRST; no < STORY_END; no++) {
        if (no == NACK)
            talk_wait(&t, 5000);
        if (no == PROBE)
            talk_wait(&t, 30000000);
        if (no != _i)
            (void)talk_frame(&t, &s.frame[no]);
    }
    talk_wait(&t, 50000000);
    talk_end(&t);
    talk_requestor_holds(&t);
}
END_TEST

/* The same story, its PSNs around the end of their range. */
START_TEST(psn_wraps)
{
    struct talk t;
    struct story s;
    const uint32_t shift = 0xFFFFFFu - 102;
    talk_init(&t);
    talk_qp(&t)->start_psn = mrc_psn_add(TALK_START_PSN, (int32_t)shift);
    talk_begin(&t);
    messages(&s);
    answers(&s);
    for (unsigned no = FIRST; no < STORY_END; no++) {
        struct mrc_pkt *const p = &s.frame[no];
        if (no != PROBE)
            p->bth.psn = mrc_psn_add(p->bth.psn, (int32_t)shift);
        p->seth.cack_psn = p->neth.nack_psn = p->bth.psn;
        if (no == PROBE)
            talk_wait(&t, 30000000);
        (void)talk_frame(&t, p);
    }
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

Suite *oracle_requestor_suite(void)
{
    Suite *const s = suite_create("requestor");
    TCase *const c = tcase_create("story");
    tcase_add_test(c, honest_story_holds);
    tcase_add_loop_test(c, lie_is_named, 0, (int)(sizeof lies / sizeof lies[0]));
    tcase_add_test(c, agreed_start);
    tcase_add_loop_test(c, capture_lacks_a_frame, FIRST, STORY_END);
    tcase_add_test(c, psn_wraps);
    suite_add_tcase(s, c);
    return s;
}
