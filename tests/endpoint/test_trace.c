/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace of state changes with their causes, and the look at a whole QP. */
#include "ref/endpoint/inspect.h"
#include "ref/endpoint/trace.h"
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <jansson.h>
#include <string.h>

#define EVENTS 20000u

static struct rig rig;
static struct mrc_trace_event seen[EVENTS];
static unsigned seen_count;

static void listen(void *user, const struct mrc_trace_event *e)
{
    ck_assert_ptr_eq(user, &rig);
    ck_assert_uint_lt(seen_count, EVENTS);
    seen[seen_count++] = *e;
}

static void setup(void)
{
    rig_init(&rig);
    seen_count = 0;
}

static void teardown(void)
{
    rig_fini(&rig);
}

static void start(void)
{
    rig_start(&rig);
    mrc_ep_set_trace(rig.host[0].ep, listen, &rig);
}

static const struct mrc_trace_event *find(enum mrc_trace_kind kind, enum mrc_trace_cause cause,
                                          unsigned nth)
{
    for (unsigned i = 0; i < seen_count; i++)
        if (seen[i].kind == kind && seen[i].cause == cause && nth-- == 0)
            return &seen[i];
    return NULL;
}

static unsigned count(enum mrc_trace_kind kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < seen_count; i++)
        n += seen[i].kind == kind;
    return n;
}

/* Values do not jump between two events: nothing changed unseen. */
static void assert_chain(enum mrc_trace_kind kind)
{
    const struct mrc_trace_event *last = NULL;
    for (unsigned i = 0; i < seen_count; i++) {
        const struct mrc_trace_event *e = &seen[i];
        if (e->kind != kind || e->qpn != 0x22)
            continue;
        ck_assert_uint_ne(e->from, e->to);
        if (last) {
            ck_assert_uint_eq(e->from, last->to);
            ck_assert_uint_ge(e->time_ns, last->time_ns);
        }
        last = e;
    }
}

static unsigned victim; /* nth frame of host 0 */
static enum mrc_trim how;

static void hurt(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    (void)user;
    if (f->from != 0 || f->nth != victim)
        return;
    f->drop = how == MRC_TRIM_NONE;
    f->trim = how;
}

static void transfer(uint32_t len)
{
    rig.hook = hurt;
    start();
    ck_assert_int_eq(rig_write(&rig, 0, 1, 0, 0, len), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
}

static void assert_sent_again(uint32_t psn, enum mrc_trace_cause cause)
{
    const struct mrc_trace_event *lost = find(MRC_TRACE_LOST, cause, 0);
    const struct mrc_trace_event *again = find(MRC_TRACE_RTX, cause, 0);
    ck_assert_ptr_nonnull(lost);
    ck_assert_ptr_nonnull(again);
    ck_assert_uint_eq(lost->psn, psn);
    ck_assert_uint_eq(again->psn, psn);
    ck_assert_uint_ge(again->time_ns, lost->time_ns);
    ck_assert_uint_eq(again->from, lost->ev);
    ck_assert_uint_eq(again->to, again->ev);
    ck_assert_uint_ne(again->from, again->to);
    ck_assert_uint_eq(count(MRC_TRACE_LOST), 1);
    ck_assert_uint_eq(count(MRC_TRACE_RTX), 1);
}

/* REQ-7.4-01: a hole. */
START_TEST(hole)
{
    victim = 3;
    how = MRC_TRIM_NONE;
    transfer(64 * 1024);
    assert_sent_again(102, MRC_CAUSE_HOLE);
}
END_TEST

START_TEST(timeout)
{
    victim = 1;
    how = MRC_TRIM_NONE;
    transfer(1024);
    assert_sent_again(100, MRC_CAUSE_TIMEOUT);
    const struct mrc_trace_event *ev = find(MRC_TRACE_EV_STATE, MRC_CAUSE_TIMEOUT, 0);
    ck_assert_ptr_nonnull(ev);
    ck_assert_uint_eq(ev->to, MRC_EV_ASSUMED_BAD);
    ck_assert_uint_eq(ev->ev, find(MRC_TRACE_LOST, MRC_CAUSE_TIMEOUT, 0)->ev);
}
END_TEST

START_TEST(nack)
{
    victim = 5;
    how = MRC_TRIM_LASTHOP;
    transfer(16 * 1024);
    assert_sent_again(104, MRC_CAUSE_NACK);
}
END_TEST

static void mark_one(struct rig *r, struct rig_frame *f, void *user)
{
    (void)r;
    (void)user;
    f->mark_ce = f->from == 0 && f->nth == 4;
}

/* REQ-9.3-03: a marked request's EV is passed over once. */
START_TEST(ev_state)
{
    rig.hook = mark_one;
    start();
    rig_write(&rig, 0, 1, 0, 0, 256 * 1024);
    rig_run(&rig, RIG_FOREVER);
    const struct mrc_trace_event *out = find(MRC_TRACE_EV_STATE, MRC_CAUSE_MARK, 0);
    const struct mrc_trace_event *back = find(MRC_TRACE_EV_STATE, MRC_CAUSE_ROTATION, 0);
    ck_assert_ptr_nonnull(out);
    ck_assert_ptr_nonnull(back);
    ck_assert_uint_eq(out->from, MRC_EV_GOOD);
    ck_assert_uint_eq(out->to, MRC_EV_SKIP);
    ck_assert_uint_eq(back->to, MRC_EV_GOOD);
    ck_assert_uint_eq(out->ev, back->ev);
    ck_assert_uint_eq(out->port, back->port);
}
END_TEST

/* REQ-9.3-19: an own port goes down and comes back; so does one of the peer's, which it tells. What
 * says nothing new is no event. */
START_TEST(ports)
{
    start();
    for (unsigned up = 0; up < 2; up++) {
        ck_assert_int_eq(mrc_ep_port_set(rig.host[0].ep, rig.now_ns, 2, up), MRC_EP_OK);
        ck_assert_int_eq(mrc_ep_port_set(rig.host[0].ep, rig.now_ns, 2, up), MRC_EP_OK);
        ck_assert_int_eq(mrc_ep_port_set(rig.host[1].ep, rig.now_ns, 3, up), MRC_EP_OK);
        rig_run(&rig, RIG_FOREVER);
        const struct mrc_trace_event *own = find(MRC_TRACE_PORT, MRC_CAUSE_PORT, up);
        const struct mrc_trace_event *peer = find(MRC_TRACE_PORT, MRC_CAUSE_PEER_PORT, up);
        ck_assert(own != NULL && peer != NULL);
        ck_assert_uint_eq(own->port, 2);
        ck_assert_uint_eq(own->qpn, 0);
        ck_assert_uint_eq(own->from, !up);
        ck_assert_uint_eq(own->to, up);
        ck_assert_uint_eq(peer->port, 3);
        ck_assert_uint_eq(peer->qpn, 0x22);
        ck_assert_uint_eq(peer->from, !up);
        ck_assert_uint_eq(peer->to, up);
    }
    ck_assert_uint_eq(count(MRC_TRACE_PORT), 4);
}
END_TEST

/* Figure 4: idle, ready, held back by the window, ready again, all sent, idle. */
START_TEST(scheduler)
{
    rig.host[0].attr.cwnd_bytes = 4000;
    victim = 0;
    transfer(16 * 1024);
    assert_chain(MRC_TRACE_SCHED);
    const uint64_t order[] = {MRC_SCHED_READY, MRC_SCHED_ACTIVE, MRC_SCHED_READY};
    unsigned at = 0, n = 0;
    uint64_t last = MRC_SCHED_IDLE, before_last = MRC_SCHED_IDLE;
    for (unsigned i = 0; i < seen_count; i++) {
        if (seen[i].kind != MRC_TRACE_SCHED)
            continue;
        if (at < 3)
            ck_assert_uint_eq(seen[i].to, order[at++]);
        before_last = last;
        last = seen[i].to;
        n++;
    }
    ck_assert_uint_gt(n, 6);
    ck_assert_uint_eq(before_last, MRC_SCHED_PENDING);
    ck_assert_uint_eq(last, MRC_SCHED_IDLE);
    ck_assert_int_eq(seen[0].cause, MRC_CAUSE_CALL);
}
END_TEST

/* The timer starts with the first packet, and none runs in the end. */
START_TEST(timer)
{
    victim = 0;
    transfer(4 * 1024);
    const struct mrc_trace_event *first = find(MRC_TRACE_TIMER, MRC_CAUSE_SEND, 0);
    ck_assert_ptr_nonnull(first);
    ck_assert_uint_eq(first->from, MRC_TIME_NEVER);
    const struct mrc_trace_event *last = NULL;
    for (unsigned i = 0; i < seen_count; i++)
        if (seen[i].kind == MRC_TRACE_TIMER)
            last = &seen[i];
    ck_assert_uint_eq(last->to, MRC_TIME_NEVER);
}
END_TEST

START_TEST(window)
{
    struct mrc_cc_profile profile;
    mrc_cc_profile_default(&profile);
    rig.host[0].attr.cc = &profile;
    victim = 9;
    how = MRC_TRIM_NONE;
    transfer(1u << 20);
    assert_chain(MRC_TRACE_CWND);
    ck_assert_ptr_nonnull(find(MRC_TRACE_CWND, MRC_CAUSE_SACK, 0));
    ck_assert_uint_eq(seen[seen_count - 1].time_ns, rig.now_ns);
}
END_TEST

/* REQ-7.4-18: a SACK with another window. */
START_TEST(mpr)
{
    struct mrc_pkt p;
    rig.host[0].attr.dynamic_mpr = rig.host[1].attr.dynamic_mpr = true;
    start();
    rig_packet(&rig, 0, MRC_OP_SACK, 99, &p);
    p.present |= 1u << MRC_HDR_SETH | 1u << MRC_HDR_CC_STATE;
    p.seth.cack_psn = 99;
    p.seth.mpr = 16;
    rig_inject(&rig, 0, 0, &p);
    const struct mrc_trace_event *e = find(MRC_TRACE_MPR, MRC_CAUSE_SACK, 0);
    ck_assert_ptr_nonnull(e);
    ck_assert_uint_eq(e->from, 1024);
    ck_assert_uint_eq(e->to, 2048);
}
END_TEST

/* A life: made, connected, out of retries, destroyed. */
START_TEST(qp_states)
{
    start();
    struct mrc_qp_attr attr = rig.host[0].attr;
    struct mrc_qp_peer peer = {.qpn = 0x99, .mpr_dest = 8, .max_wimm_dest = 32};
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    attr.qpn = 0x50;
    attr.timeout = 0;
    attr.linear_cnt = 1;
    attr.exp_cnt = 0;
    ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &attr), 0x50);
    ck_assert_int_eq(mrc_qp_connect(rig.host[0].ep, 0x50, &peer), MRC_EP_OK);
    const struct mrc_write w = {.local = rig.host[0].mem, .len_bytes = 10};
    ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, 0x50, rig.now_ns, &w), MRC_EP_OK);
    rig_run(&rig, RIG_FOREVER);
    ck_assert_int_eq(mrc_qp_destroy(rig.host[0].ep, 0x50), MRC_EP_OK);
    const struct {
        uint64_t to;
        enum mrc_trace_cause cause;
    } want[] = {
        {MRC_QP_INIT, MRC_CAUSE_CALL},  {MRC_QP_RTR, MRC_CAUSE_CALL},
        {MRC_QP_RTS, MRC_CAUSE_CALL},   {MRC_QP_ERROR, MRC_CAUSE_RETRY_LIMIT},
        {MRC_QP_RESET, MRC_CAUSE_CALL},
    };
    unsigned n = 0;
    for (unsigned i = 0; i < seen_count; i++) {
        if (seen[i].kind != MRC_TRACE_QP_STATE)
            continue;
        ck_assert_uint_lt(n, 5);
        ck_assert_uint_eq(seen[i].qpn, 0x50);
        ck_assert_uint_eq(seen[i].to, want[n].to);
        ck_assert_int_eq(seen[i].cause, want[n].cause);
        n++;
    }
    ck_assert_uint_eq(n, 5);
}
END_TEST

START_TEST(penalty_and_silence)
{
    start();
    mrc_qp_set_penalty(rig.host[0].ep, 0x22, 64, false);
    const struct mrc_trace_event *e = find(MRC_TRACE_PENALTY, MRC_CAUSE_CALL, 0);
    ck_assert_ptr_nonnull(e);
    ck_assert_uint_eq(e->to, 64);
    mrc_ep_set_trace(rig.host[0].ep, NULL, NULL);
    mrc_qp_set_penalty(rig.host[0].ep, 0x22, 0, false);
    ck_assert_uint_eq(seen_count, 1);
}
END_TEST

START_TEST(words)
{
    for (int k = 0; k < MRC_TRACE_KINDS; k++)
        ck_assert_str_ne(mrc_trace_kind_str((enum mrc_trace_kind)k), "?");
    for (int c = 0; c < MRC_CAUSES; c++)
        ck_assert_str_ne(mrc_trace_cause_str((enum mrc_trace_cause)c), "?");
    ck_assert_str_eq(mrc_trace_kind_str(MRC_TRACE_KINDS), "?");
    ck_assert_str_eq(mrc_trace_cause_str(MRC_CAUSES), "?");
    ck_assert_str_eq(mrc_sched_state_str((enum mrc_sched_state)9), "?");
    ck_assert_str_eq(mrc_qp_state_str((enum mrc_qp_state)9), "?");
    for (int s = 0; s < 4; s++)
        ck_assert_str_ne(mrc_sched_state_str((enum mrc_sched_state)s), "?");
    for (int s = 0; s < 5; s++)
        ck_assert_str_ne(mrc_qp_state_str((enum mrc_qp_state)s), "?");
}
END_TEST

/* ---- the look at a QP ---- */

static void half_way(void)
{
    static struct mrc_cc_profile profile;
    mrc_cc_profile_default(&profile);
    rig.host[0].attr.cc = &profile;
    victim = 3;
    how = MRC_TRIM_NONE;
    rig.hook = hurt;
    rig_start(&rig);
    rig_write(&rig, 0, 1, 0, 0, 1u << 20);
    rig_write(&rig, 0, 2, 0, 0, 100);
    ck_assert_int_eq(mrc_qp_post_recv(rig.host[0].ep, 0x22, 1), MRC_EP_OK);
    rig_run(&rig, rig.now_ns + 40000);
}

START_TEST(inspect)
{
    struct mrc_qp_inspection in;
    half_way();
    ck_assert_int_eq(mrc_qp_inspect(rig.host[0].ep, 0x23, &in), MRC_EP_ENOENT);
    ck_assert_int_eq(mrc_qp_inspect(rig.host[0].ep, 0x22, &in), MRC_EP_OK);
    const struct mrc_qp_info info = rig_info(&rig, 0);
    ck_assert_uint_eq(in.info.snd_nxt, info.snd_nxt);
    ck_assert_uint_eq(in.peer_qpn, 0x11);
    ck_assert_uint_eq(in.sq_used, 2);
    ck_assert_uint_eq(in.sq_unsent, 2);
    ck_assert_uint_eq(in.rq_used, 1);
    ck_assert_uint_eq(in.ev_count, 16);
    ck_assert_uint_eq(in.count.tx_data, info.snd_nxt - 100);
    ck_assert_uint_eq(in.count.holes, 1);
    ck_assert_uint_eq(in.count.tx_rtx, 1);
    ck_assert_uint_gt(in.qp_out_bytes, 0);
    ck_assert_uint_eq(in.qp_out_bytes, in.cc_out_bytes);
    ck_assert_uint_lt(in.oldest_sent_ns, rig.now_ns);
    ck_assert_double_gt(in.cc.cwnd_bytes, 0);
    ck_assert_int_eq(mrc_qp_inspect(rig.host[1].ep, 0x11, &in), MRC_EP_OK);
    ck_assert_uint_eq(in.count.rx_new, rig_counters(&rig, 1)->rx_new);
    ck_assert_uint_eq(in.count.tx_sack, rig_counters(&rig, 1)->tx_sack);
    ck_assert_uint_eq(in.oldest_sent_ns, MRC_TIME_NEVER);
}
END_TEST

static json_int_t whole(const json_t *root, const char *part, const char *key)
{
    const json_t *v = json_object_get(json_object_get(root, part), key);
    ck_assert_msg(json_is_integer(v), "%s.%s", part, key);
    return json_integer_value(v);
}

START_TEST(json)
{
    char buf[16384];
    json_error_t err;
    half_way();
    const int64_t len = mrc_qp_inspect_json(rig.host[0].ep, 0x22, buf, sizeof buf);
    ck_assert_int_gt(len, 0);
    ck_assert_int_lt(len, (int64_t)sizeof buf);
    ck_assert_uint_eq(strlen(buf), (size_t)len);
    json_t *root = json_loads(buf, JSON_REJECT_DUPLICATES, &err);
    ck_assert_msg(root != NULL, "%s: %s", err.text, buf);
    const struct mrc_qp_info info = rig_info(&rig, 0);
    ck_assert_str_eq(json_string_value(json_object_get(root, "state")), "RTS");
    ck_assert_int_eq(json_integer_value(json_object_get(root, "qpn")), 0x22);
    ck_assert_int_eq(whole(root, "requestor", "snd_nxt"), info.snd_nxt);
    ck_assert_int_eq(whole(root, "requestor", "outstanding"), info.outstanding);
    ck_assert_int_eq(whole(root, "responder", "epsn"), info.epsn);
    ck_assert_int_eq(whole(root, "cc", "cwnd_bytes"), (json_int_t)info.cwnd_bytes);
    ck_assert_int_eq(whole(root, "cc", "inflight_bytes"), info.inflight_bytes);
    ck_assert_int_eq(whole(root, "counters", "holes"), 1);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(root, "cc"), "algorithm")),
                     "nscc");
    const json_t *evs = json_object_get(root, "evs");
    ck_assert_uint_eq(json_array_size(evs), 16);
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(evs, 3), "ev")),
                     rig.evs[3].value);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "reverse")), 4);
    ck_assert(json_is_null(json_object_get(json_object_get(root, "requestor"), "ev_wait_ns")));
    json_decref(root);
}
END_TEST

/* Any buffer: never beyond its end, always ended, always the whole length told. */
START_TEST(json_bounds)
{
    static char whole_text[16384], buf[16384];
    half_way();
    struct mrc_ep *ep = rig.host[0].ep;
    const int64_t len = mrc_qp_inspect_json(ep, 0x22, whole_text, sizeof whole_text);
    ck_assert_int_eq(mrc_qp_inspect_json(ep, 0x22, NULL, 0), len);
    ck_assert_int_eq(mrc_qp_inspect_json(ep, 0x77, buf, sizeof buf), MRC_EP_ENOENT);
    for (size_t size = 1; size <= (size_t)len + 1; size += 7) {
        memset(buf, 'x', sizeof buf);
        ck_assert_int_eq(mrc_qp_inspect_json(ep, 0x22, buf, size), len);
        ck_assert_uint_eq(strlen(buf), size - 1);
        ck_assert_int_eq(memcmp(buf, whole_text, size - 1), 0);
        ck_assert_int_eq(buf[size], 'x');
    }
}
END_TEST

TCase *tcase_trace(void)
{
    TCase *tc = tcase_create("trace");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, hole);
    tcase_add_test(tc, timeout);
    tcase_add_test(tc, nack);
    tcase_add_test(tc, ev_state);
    tcase_add_test(tc, ports);
    tcase_add_test(tc, scheduler);
    tcase_add_test(tc, timer);
    tcase_add_test(tc, window);
    tcase_add_test(tc, mpr);
    tcase_add_test(tc, qp_states);
    tcase_add_test(tc, penalty_and_silence);
    tcase_add_test(tc, words);
    tcase_add_test(tc, inspect);
    tcase_add_test(tc, json);
    tcase_add_test(tc, json_bounds);
    return tc;
}
