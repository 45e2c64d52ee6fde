/* SPDX-License-Identifier: BSD-2-Clause */
/* Two reference endpoints over the fabric: whatever it does, what was written is what is there. */
#include "tests/fabric/fake.h"

#include <stdlib.h>
#include <string.h>

#define PLANES 2u
#define EVS    16u
#define LEN    (200u * 1024u + 5u)

struct net {
    struct mrct_dut *host[2];
    struct mrct_fab *fab;
    uint32_t qpn[2];
    uint8_t *from, *to;
    struct mrc_mr mr;
    bool done, failed;
};

static void addr(struct mrc_addr *a, unsigned host, unsigned plane)
{
    *a = (struct mrc_addr){.is_v6 = true};
    a->ip[0] = 0xFD;
    a->ip[1] = a->mac[1] = (uint8_t)plane;
    a->ip[15] = a->mac[5] = (uint8_t)(host + 1);
    a->mac[0] = 2;
}

static void hosts_new(struct net *n, uint64_t seed)
{
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_ep_config cfg;
        mrc_ep_config_default(&cfg);
        cfg.ports = PLANES;
        for (unsigned p = 0; p < PLANES; p++)
            addr(&cfg.port_addr[p], h, p);
        n->host[h] = mrct_dut_reference(&cfg, seed + h);
        ck_assert_ptr_nonnull(n->host[h]);
        mrct_fab_attach(n->fab, h, n->host[h]);
    }
}

static void qps_new(struct net *n)
{
    struct mrc_ev evs[EVS];
    struct mrc_qp_attr attr[2];
    for (unsigned i = 0; i < EVS; i++)
        evs[i] = (struct mrc_ev){0x10000u * i + i, (uint8_t)(i % PLANES)};
    for (unsigned h = 0; h < 2; h++) {
        mrc_qp_attr_default(&attr[h]);
        attr[h].start_psn = 0xFFFFF0 + h;
        attr[h].evs = evs;
        attr[h].ev_count = EVS;
        attr[h].trim_nack = true;
        const int64_t qpn = n->host[h]->ops->create_qp(n->host[h], &attr[h]);
        ck_assert_int_gt(qpn, 2);
        n->qpn[h] = (uint32_t)qpn;
    }
    for (unsigned h = 0; h < 2; h++) {
        const struct mrc_qp_attr *const a = &attr[1 - h];
        struct mrc_qp_peer peer = {.qpn = n->qpn[1 - h],
                                   .start_psn = a->start_psn,
                                   .max_wimm_dest = a->max_wimm_dest,
                                   .mpr_dest = a->mpr_dest,
                                   .dynamic_mpr = a->dynamic_mpr,
                                   .trim_nack = a->trim_nack};
        for (unsigned p = 0; p < PLANES; p++)
            addr(&peer.addr[p], 1 - h, p);
        ck_assert_int_eq(n->host[h]->ops->connect(n->host[h], n->qpn[h], &peer), 0);
        ck_assert_int_eq(mrct_fab_flow(n->fab, h, n->qpn[h], n->qpn[1 - h], attr[h].start_psn), 0);
    }
}

static void net_new(struct net *n, const struct mrct_fab_config *cfg, uint64_t seed)
{
    *n = (struct net){0};
    n->fab = mrct_fab_new(cfg, seed);
    ck_assert_ptr_nonnull(n->fab);
    hosts_new(n, seed);
    qps_new(n);
    n->from = malloc(LEN);
    n->to = calloc(1, LEN);
    for (unsigned i = 0; i < LEN; i++)
        n->from[i] = (uint8_t)(i * 31 + i / 251);
    n->mr = (struct mrc_mr){
        .mem = n->to, .va = 0x7000, .len_bytes = LEN, .access = MRC_MR_REMOTE_WRITE};
    ck_assert_int_eq(n->host[1]->ops->register_mr(n->host[1], &n->mr), 0);
}

static void net_free(struct net *n)
{
    mrct_fab_free(n->fab);
    n->host[0]->ops->free(n->host[0]);
    n->host[1]->ops->free(n->host[1]);
    free(n->from);
    free(n->to);
}

static void step(void *user, uint64_t now_ns)
{
    struct net *const n = user;
    struct mrc_ep_event ev;
    (void)now_ns;
    for (unsigned h = 0; h < 2; h++) {
        while (n->host[h]->ops->poll(n->host[h], &ev)) {
            if (ev.kind == MRC_EVENT_QP_ERROR)
                n->failed = true;
            if (ev.kind == MRC_EVENT_SEND_DONE)
                n->done = ev.status == MRC_WC_SUCCESS;
        }
    }
}

static void write_all(struct net *n)
{
    struct mrct_fab_account a;
    const struct mrc_write w = {
        .local = n->from, .len_bytes = LEN, .remote_va = 0x7000, .rkey = n->mr.rkey};
    ck_assert_int_eq(n->host[0]->ops->post_write(n->host[0], n->qpn[0], 0, &w), 0);
    (void)mrct_fab_run(n->fab, UINT64_C(2000000000), step, n);
    ck_assert_ptr_null(mrct_fab_error(n->fab));
    ck_assert(!n->failed);
    ck_assert(n->done);
    ck_assert_int_eq(memcmp(n->from, n->to, LEN), 0);
    mrct_fab_account_get(n->fab, &a);
    ck_assert(mrct_fab_account_balanced(&a));
}

static void defaults(struct mrct_fab_config *cfg)
{
    mrct_fab_config_default(cfg);
    cfg->planes = PLANES;
}

START_TEST(clean)
{
    struct mrct_fab_account a;
    struct mrct_fab_config cfg;
    struct net n;
    defaults(&cfg);
    net_new(&n, &cfg, 1);
    write_all(&n);
    mrct_fab_account_get(n.fab, &a);
    ck_assert_uint_eq(a.sent, a.delivered);
    net_free(&n);
}
END_TEST

START_TEST(stormy)
{
    struct mrct_fab_config cfg;
    struct net n;
    defaults(&cfg);
    cfg.loss_ppm = cfg.dup_ppm = cfg.trim_ppm = cfg.corrupt_ppm = cfg.delay_ppm = 10000;
    cfg.ce_ppm = 50000;
    net_new(&n, &cfg, (uint64_t)_i);
    write_all(&n);
    net_free(&n);
}
END_TEST

START_TEST(a_plane_dies)
{
    struct mrct_fab_account a;
    struct mrct_fab_config cfg;
    struct net n;
    defaults(&cfg);
    net_new(&n, &cfg, 1);
    (void)mrct_fab_link(n.fab, 3000, 0, 1, -1, false);
    (void)mrct_fab_link(n.fab, 60000, 0, 1, -1, true);
    write_all(&n);
    mrct_fab_account_get(n.fab, &a);
    ck_assert_uint_gt(a.dropped_link, 0);
    net_free(&n);
}
END_TEST

/* PSNs count from the agreed one: exactly this packet, though the numbers wrap. */
START_TEST(one_lost)
{
    struct mrct_fab_account a;
    struct mrct_fault_rule r;
    struct mrct_fab_config cfg;
    struct net n;
    defaults(&cfg);
    net_new(&n, &cfg, 1);
    mrct_fault_rule_init(&r);
    r.match.direction = 0;
    r.match.psn_first = r.match.psn_last = 20;
    r.match.retransmission = 0;
    (void)mrct_fab_add_rule(n.fab, &r);
    write_all(&n);
    mrct_fab_account_get(n.fab, &a);
    ck_assert_uint_eq(a.dropped_rule, 1);
    ck_assert_uint_eq(mrct_fab_rule(n.fab, 0)->hits, 1);
    net_free(&n);
}
END_TEST

Suite *suite_endpoint(void)
{
    Suite *const s = suite_create("fabric between endpoints");
    TCase *const tc = tcase_create("endpoint");
    tcase_add_test(tc, clean);
    tcase_add_loop_test(tc, stormy, 1, 41);
    tcase_add_test(tc, a_plane_dies);
    tcase_add_test(tc, one_lost);
    suite_add_tcase(s, tc);
    return s;
}
