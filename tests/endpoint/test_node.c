/* SPDX-License-Identifier: BSD-2-Clause */
/* The endpoint as a whole: configuration, memory, regions, the QP table, timers of many QPs. */
#include "ref/endpoint/ep_int.h"
#include "tests/endpoint/play.h"
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

/* ---- an allocator that fails at the n-th call and knows what is out ---- */

struct meter {
    unsigned calls, fail_at; /* 0: never */
    int out;
};

static void *metered_alloc(void *user, size_t size)
{
    struct meter *m = user;
    if (++m->calls == m->fail_at)
        return NULL;
    void *p = malloc(size);
    ck_assert_ptr_nonnull(p);
    memset(p, 0xA5, size);
    m->out++;
    return p;
}

static void metered_free(void *user, void *p)
{
    struct meter *m = user;
    m->out--;
    free(p);
}

/* One endpoint, one QP, connected; the first error, or 0. */
static int set_up(struct meter *m)
{
    struct mrc_ep_config cfg = rig.host[0].cfg;
    struct mrc_qp_peer peer = {.qpn = 9, .max_wimm_dest = 32, .mpr_dest = 8};
    int err = 0;
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    cfg.alloc = (struct mrc_alloc){.alloc = metered_alloc, .free = metered_free, .user = m};
    struct mrc_ep *ep = mrc_ep_new(&cfg, 1, &err);
    if (!ep)
        return err;
    const int64_t qpn = mrc_qp_create(ep, &rig.host[0].attr);
    err = qpn < 0 ? (int)qpn : mrc_qp_connect(ep, (uint32_t)qpn, &peer);
    if (qpn > 0 && err != 0) {
        ck_assert_int_eq(mrc_qp_state(ep, (uint32_t)qpn), MRC_QP_INIT);
        m->fail_at = 0; /* a second try succeeds */
        ck_assert_int_eq(mrc_qp_connect(ep, (uint32_t)qpn, &peer), MRC_EP_OK);
    }
    mrc_ep_free(ep);
    return err;
}

START_TEST(allocation_failures)
{
    struct meter m = {0};
    ck_assert_int_eq(set_up(&m), MRC_EP_OK);
    ck_assert_int_eq(m.out, 0);
    const unsigned calls = m.calls;
    ck_assert_uint_gt(calls, 10);
    for (unsigned n = 1; n <= calls; n++) {
        m = (struct meter){.fail_at = n};
        ck_assert_int_eq(set_up(&m), MRC_EP_ENOMEM);
        ck_assert_int_eq(m.out, 0);
    }
}
END_TEST

/* Nothing is allocated once a QP is connected. */
START_TEST(no_allocation_per_packet)
{
    static struct meter m; /* outlives the test: the fixture frees */
    for (unsigned h = 0; h < 2; h++)
        rig.host[h].cfg.alloc =
            (struct mrc_alloc){.alloc = metered_alloc, .free = metered_free, .user = &m};
    rig_start(&rig);
    const unsigned before = m.calls;
    rig_write(&rig, 0, 1, 0, 0, 3000000);
    rig_run(&rig, RIG_FOREVER);
    rig_assert_settled(&rig, 0, 1);
    ck_assert_uint_eq(m.calls, before);
}
END_TEST

/* ---- configurations ---- */

static void spoil_config(struct mrc_ep_config *c, int how)
{
    switch (how) {
    case 0:
        c->ports = 0;
        break;
    case 1:
        c->ports = MRC_EP_PORTS_MAX + 1;
        break;
    case 2:
        c->qps_max = 0;
        break;
    case 3:
        c->mrs_max = 0;
        break;
    case 4:
        c->path_mtu = 1000;
        break;
    case 5:
        c->path_mtu = 128;
        break;
    case 6:
        c->path_mtu = 8192;
        break;
    case 7:
        c->dest_port = 0;
        break;
    case 8:
        c->q2_oor = 'c';
        break;
    case 9:
        c->q26_trim_dup = 'd';
        break;
    case 10:
        c->alloc.alloc = metered_alloc;
        break;
    default:
        c->ctrl_queue_len = 1u << 20;
        break;
    }
}

START_TEST(bad_config)
{
    struct mrc_ep_config cfg = rig.host[0].cfg;
    int err = 0;
    spoil_config(&cfg, _i);
    ck_assert_ptr_null(mrc_ep_new(&cfg, 1, &err));
    ck_assert_int_eq(err, MRC_EP_EINVAL);
    ck_assert_ptr_null(mrc_ep_new(&cfg, 1, NULL));
}
END_TEST

static const struct mrc_ev beyond_the_ports[] = {{.value = 1, .port = RIG_PORTS}};

static void spoil_attr(struct mrc_qp_attr *a, int how)
{
    switch (how) {
    case 0:
        a->qpn = 2;
        break;
    case 1:
        a->qpn = 1u << 24;
        break;
    case 2:
        a->qpn = 0x22;
        break; /* taken */
    case 3:
        a->start_psn = 1u << 24;
        break;
    case 4:
        a->max_wimm_dest = 31;
        break; /* REQ-10-03 */
    case 5:
        a->mpr_dest = 7;
        break; /* REQ-10-02 */
    case 6:
        a->timeout = 25;
        break;
    case 7:
        a->linear_cnt = 8;
        break;
    case 8:
        a->exp_cnt = 26;
        break;
    case 9:
        a->cwnd_bytes = 0;
        break;
    case 10:
        a->sq_depth = 0;
        break;
    case 11:
        a->rq_depth = 1u << 16;
        break;
    case 12:
        a->ev_count = 0;
        break;
    case 13:
        a->evs = NULL;
        break;
    default:
        a->evs = beyond_the_ports;
        break;
    }
}

START_TEST(bad_attr)
{
    rig_start(&rig);
    struct mrc_qp_attr a = rig.host[0].attr;
    a.qpn = 0;
    a.ev_count = 1;
    spoil_attr(&a, _i);
    ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &a), MRC_EP_EINVAL);
}
END_TEST

START_TEST(bad_connect)
{
    struct mrc_qp_peer peer = {.qpn = 9, .max_wimm_dest = 32, .mpr_dest = 8};
    rig_start(&rig);
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    struct mrc_ep *ep = rig.host[0].ep;
    ck_assert_int_eq(mrc_qp_connect(ep, 0x22, &peer), MRC_EP_ESTATE); /* it is connected */
    ck_assert_int_eq(mrc_qp_connect(ep, 0x23, &peer), MRC_EP_ENOENT);
    rig.host[0].attr.qpn = 0x23;
    ck_assert_int_eq(mrc_qp_create(ep, &rig.host[0].attr), 0x23);
    const struct mrc_write w = {.local = rig.host[0].mem, .len_bytes = 1};
    ck_assert_int_eq(mrc_qp_post_write(ep, 0x23, 0, &w), MRC_EP_ESTATE);
    peer.qpn = 2;
    ck_assert_int_eq(mrc_qp_connect(ep, 0x23, &peer), MRC_EP_EINVAL);
    peer.qpn = 9;
    peer.mpr_dest = 0;
    ck_assert_int_eq(mrc_qp_connect(ep, 0x23, &peer), MRC_EP_EINVAL);
    peer.mpr_dest = 8;
    peer.addr[1].is_v6 = false;
    ck_assert_int_eq(mrc_qp_connect(ep, 0x23, &peer), MRC_EP_EINVAL);
    peer.addr[1].is_v6 = true;
    peer.start_psn = 1u << 24;
    ck_assert_int_eq(mrc_qp_connect(ep, 0x23, &peer), MRC_EP_EINVAL);
    peer.start_psn = 0;
    ck_assert_int_eq(mrc_qp_connect(ep, 0x23, &peer), MRC_EP_OK);
    ck_assert_int_eq(mrc_qp_destroy(ep, 0x24), MRC_EP_ENOENT);
}
END_TEST

/* ---- regions ---- */

START_TEST(regions)
{
    static uint8_t mem[64];
    rig.host[0].cfg.mrs_max = 3;
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    struct mrc_mr mr = {
        .mem = mem, .va = UINT64_MAX - 63, .len_bytes = 64, .access = MRC_MR_REMOTE_WRITE};
    ck_assert_int_eq(mrc_ep_register(ep, &mr), MRC_EP_OK);
    const uint32_t first = mr.rkey;
    ck_assert_ptr_eq(mrc_mr_resolve(ep, first, UINT64_MAX - 63, 64), mem);
    ck_assert_ptr_eq(mrc_mr_resolve(ep, first, UINT64_MAX, 1), mem + 63);
    ck_assert_ptr_null(mrc_mr_resolve(ep, first, UINT64_MAX, 2));
    ck_assert_ptr_null(mrc_mr_resolve(ep, first, UINT64_MAX - 64, 1));
    ck_assert_int_eq(mrc_ep_register(ep, &mr), MRC_EP_OK);
    ck_assert_uint_ne(mr.rkey, first);
    ck_assert_int_eq(mrc_ep_register(ep, &mr), MRC_EP_EFULL);
    ck_assert_int_eq(mrc_ep_deregister(ep, first), MRC_EP_OK);
    ck_assert_int_eq(mrc_ep_deregister(ep, first), MRC_EP_ENOENT);
    ck_assert_ptr_null(mrc_mr_resolve(ep, first, UINT64_MAX, 1));
    ck_assert_int_eq(mrc_ep_register(ep, &mr), MRC_EP_OK);
    mr.va = UINT64_MAX - 62;
    ck_assert_int_eq(mrc_ep_register(ep, &mr), MRC_EP_EINVAL);
    mr.len_bytes = 0;
    ck_assert_int_eq(mrc_ep_register(ep, &mr), MRC_EP_EINVAL);
    mr.len_bytes = 1;
    mr.mem = NULL;
    ck_assert_int_eq(mrc_ep_register(ep, &mr), MRC_EP_EINVAL);
}
END_TEST

/* ---- many QPs ---- */

START_TEST(qp_table)
{
    rig.host[0].cfg.qps_max = 300;
    rig_start(&rig);
    struct mrc_ep *ep = rig.host[0].ep;
    struct mrc_qp_attr a = rig.host[0].attr;
    uint32_t qpn[299];
    a.sq_depth = a.rq_depth = 1;
    for (unsigned i = 0; i < 299; i++) {
        a.qpn = i % 3 == 0 ? 0 : 0x100 + i * 4096;
        const int64_t n = mrc_qp_create(ep, &a);
        ck_assert_int_gt(n, 2);
        qpn[i] = (uint32_t)n;
    }
    a.qpn = 0;
    ck_assert_int_eq(mrc_qp_create(ep, &a), MRC_EP_EFULL);
    for (unsigned i = 0; i < 299; i += 2)
        ck_assert_int_eq(mrc_qp_destroy(ep, qpn[i]), MRC_EP_OK);
    for (unsigned i = 0; i < 299; i++) {
        const struct mrc_qp *qp = mrc_qp_find(ep, qpn[i]);
        ck_assert(i % 2 == 0 ? qp == NULL : qp != NULL && qp->qpn == qpn[i]);
    }
    ck_assert_int_eq(mrc_qp_state(ep, qpn[0]), MRC_QP_RESET);
    ck_assert_int_gt(mrc_qp_create(ep, &a), 2);
}
END_TEST

/* The heap against a plain search, over random settings. */
START_TEST(timer_heap)
{
    enum { N = 50 };
    static struct mrc_qp qps[N];
    static struct mrc_timer heap[N];
    static struct mrc_ep ep;
    struct mrc_rng rng;
    ep.heap = heap;
    mrc_rng_seed(&rng, 3);
    for (unsigned i = 0; i < N; i++) {
        qps[i].heap_pos = MRC_HEAP_NIL;
        qps[i].timer_ns = MRC_TIME_NEVER;
    }
    for (unsigned step = 0; step < 20000; step++) {
        struct mrc_qp *qp = &qps[mrc_rng_below(&rng, N)];
        const uint32_t what = mrc_rng_below(&rng, 4);
        mrc_timer_set(&ep, qp, what == 0 ? MRC_TIME_NEVER : 1 + mrc_rng_below(&rng, 1000));
        uint64_t first = MRC_TIME_NEVER;
        for (unsigned i = 0; i < N; i++)
            first = qps[i].timer_ns < first ? qps[i].timer_ns : first;
        ck_assert_uint_le(mrc_ep_deadline(&ep), first); /* may be early, never late */
        ck_assert_ptr_null(first > 0 ? mrc_timer_due(&ep, first - 1) : NULL);
        if (first == MRC_TIME_NEVER)
            continue;
        qp = mrc_timer_due(&ep, first);
        ck_assert_ptr_nonnull(qp);
        ck_assert_uint_eq(qp->timer_ns, first);
        ck_assert_uint_eq(mrc_ep_deadline(&ep), first);
    }
}
END_TEST

/* QPs take turns, a packet each. */
START_TEST(round_robin)
{
    enum { N = 5 };
    uint32_t qpn[N];
    struct mrc_qp_peer peer = {.max_wimm_dest = 32, .mpr_dest = 8};
    struct mrc_pkt p;
    rig_start(&rig);
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    const struct mrc_write w = {.local = rig.host[0].mem, .len_bytes = 20 * 1024};
    for (unsigned i = 0; i < N; i++) {
        rig.host[0].attr.qpn = qpn[i] = 0x1000 + i;
        peer.qpn = 0x2000 + i;
        ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), qpn[i]);
        ck_assert_int_eq(mrc_qp_connect(rig.host[0].ep, qpn[i], &peer), 0);
        ck_assert_int_eq(mrc_qp_post_write(rig.host[0].ep, qpn[i], 0, &w), 0);
    }
    for (unsigned i = 0; i < 20 * N; i++) {
        ck_assert(rig_take(&rig, 0, &p));
        ck_assert_uint_eq(p.bth.dest_qp, 0x2000 + i % N);
        ck_assert_uint_eq(p.bth.psn, 100 + i / N);
    }
    ck_assert(!rig_take(&rig, 0, &p));
}
END_TEST

/* Answers of a QP whose only plane is dead do not hold up those of another. */
START_TEST(dead_plane_starves_nobody)
{
    struct mrc_qp_peer peer = {.qpn = 0x99, .start_psn = 100, .max_wimm_dest = 32, .mpr_dest = 8};
    struct mrc_pkt p;
    rig.host[1].attr.ev_count = 1; /* on port 0 */
    rig_start(&rig);
    memcpy(peer.addr, rig.host[0].cfg.port_addr, sizeof peer.addr);
    rig.host[1].attr.ev_count = 8;
    rig.host[1].attr.qpn = 0x12;
    ck_assert_int_eq(mrc_qp_create(rig.host[1].ep, &rig.host[1].attr), 0x12);
    ck_assert_int_eq(mrc_qp_connect(rig.host[1].ep, 0x12, &peer), MRC_EP_OK);
    for (int n = 0; n < 100; n++)
        play_send_ask(&rig, n);
    play_request(&rig, 0, &p);
    p.bth.a = 1;
    p.bth.dest_qp = 0x12;
    rig_inject(&rig, 1, 0, &p);
    rig.port_mask = 0xE;
    unsigned got = 0;
    for (unsigned tries = 0; tries < 8; tries++)
        if (rig_take(&rig, 1, &p)) {
            ck_assert_uint_eq(p.bth.dest_qp, 0x99);
            got++;
        }
    ck_assert_uint_eq(got, 2); /* SACK and ACK */
    rig.port_mask = 0xF;
    while (rig_take(&rig, 1, &p))
        got++;
    ck_assert_uint_eq(got, 2 + 100 + 1);
}
END_TEST

/* A QP that is destroyed takes its events and waiting packets with it. */
START_TEST(destroy_in_mid_flight)
{
    struct mrc_ep_event ev;
    struct mrc_pkt p;
    rig_start(&rig);
    mrc_ep_placement_events(rig.host[1].ep, true);
    for (uint64_t i = 0; i < 10; i++)
        mrc_qp_post_recv(rig.host[1].ep, 0x11, i);
    for (uint32_t i = 0; i < 10; i++)
        rig_write_imm(&rig, 0, i, 0, 0, 2000, i);
    for (unsigned i = 0; i < 20; i++) {
        struct mrc_frame f;
        const int port = mrc_ep_output(rig.host[0].ep, rig.now_ns, 0xF, &f);
        ck_assert_int_ge(port, 0);
        mrc_ep_input(rig.host[1].ep, rig.now_ns, (unsigned)port, &f);
    }
    ck_assert(mrc_ep_poll_event(rig.host[1].ep, &ev));
    ck_assert_int_eq(mrc_qp_destroy(rig.host[1].ep, 0x11), MRC_EP_OK);
    ck_assert(!mrc_ep_poll_event(rig.host[1].ep, &ev));
    ck_assert(!rig_take(&rig, 1, &p));
    ck_assert_int_eq(mrc_qp_create(rig.host[1].ep, &rig.host[1].attr), 0x11);
    ck_assert(!rig_take(&rig, 1, &p));
    ck_assert_int_eq(mrc_qp_destroy(rig.host[0].ep, 0x22), MRC_EP_OK);
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[0].ep), MRC_TIME_NEVER);
    ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), 0x22);
}
END_TEST

/* Every code number has words of its own. */
START_TEST(words)
{
    for (int e = 0; e >= MRC_EP_ESTATE; e--)
        ck_assert_str_ne(mrc_ep_strerror(e), "unknown error");
    ck_assert_str_eq(mrc_ep_strerror(1), "unknown error");
    ck_assert_str_eq(mrc_ep_strerror(-99), "unknown error");
    for (unsigned s = 0; s <= MRC_WC_LOCAL_WIMM_LIMIT; s++)
        ck_assert_str_ne(mrc_wc_status_str((enum mrc_wc_status)s), "unknown status");
    ck_assert_str_eq(mrc_wc_status_str((enum mrc_wc_status)99), "unknown status");
    for (unsigned d = 0; d < MRC_DROP_REASONS; d++)
        ck_assert_str_ne(mrc_drop_str((enum mrc_drop)d), "unknown reason");
    ck_assert_str_eq(mrc_drop_str(MRC_DROP_REASONS), "unknown reason");
    ck_assert_str_eq(mrc_wc_status_str(MRC_WC_RETRY_EXCEEDED), "retry counter exceeded");
}
END_TEST

/* With one bucket a plane every address collides; a peer has one on each of four planes. */
START_TEST(peers_in_one_bucket)
{
    struct mrc_qp_peer peer = {.qpn = 0x99, .mpr_dest = 8, .max_wimm_dest = 32};
    rig.host[0].cfg.qps_max = 1;
    rig_start(&rig);
    memcpy(peer.addr, rig.host[1].cfg.port_addr, sizeof peer.addr);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_int_eq(mrc_qp_destroy(rig.host[0].ep, rig.host[0].qpn), MRC_EP_OK);
        peer.addr[i % 4].ip[14] = (uint8_t)i;
        ck_assert_int_eq(mrc_qp_create(rig.host[0].ep, &rig.host[0].attr), 0x22);
        ck_assert_int_eq(mrc_qp_connect(rig.host[0].ep, 0x22, &peer), MRC_EP_OK);
    }
}
END_TEST

TCase *tcase_node(void)
{
    TCase *tc = tcase_create("node");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, allocation_failures);
    tcase_add_test(tc, no_allocation_per_packet);
    tcase_add_loop_test(tc, bad_config, 0, 12);
    tcase_add_loop_test(tc, bad_attr, 0, 15);
    tcase_add_test(tc, bad_connect);
    tcase_add_test(tc, regions);
    tcase_add_test(tc, qp_table);
    tcase_add_test(tc, timer_heap);
    tcase_add_test(tc, round_robin);
    tcase_add_test(tc, dead_plane_starves_nobody);
    tcase_add_test(tc, destroy_in_mid_flight);
    tcase_add_test(tc, peers_in_one_bucket);
    tcase_add_test(tc, words);
    return tc;
}
