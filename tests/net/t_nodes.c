/* SPDX-License-Identifier: BSD-2-Clause */
/* Two nodes in one loop, on the two ends of a veth pair. */
#include "ref/net/node.h"
#include "tests/net/suites.h"
#include <ev.h>
#include <string.h>

#define LEN 100000u

struct side {
    struct mrc_net_node *node;
    uint32_t qpn;
    struct mrc_addr neighbour;
    bool found, told, done;
};

struct world {
    struct ev_loop *loop;
    struct side a, b;
    uint8_t from[LEN], to[LEN];
};

static struct world w;

static void on_event(void *user, const struct mrc_ep_event *ev)
{
    struct side *const s = user;
    if (ev->kind != MRC_EVENT_SEND_DONE)
        return;
    ck_assert_int_eq(ev->status, MRC_WC_SUCCESS);
    s->done = true;
    ev_break(w.loop, EVBREAK_ALL);
}

static void on_neighbour(void *user, unsigned port, const struct mrc_addr *addr, bool found)
{
    struct side *const s = user;
    ck_assert_uint_eq(port, 0);
    s->told = true;
    s->found = found;
    s->neighbour = *addr;
    ev_break(w.loop, EVBREAK_ALL);
}

static void open_side(struct side *s, const char *ifname, const char *ip)
{
    char err[200] = "";
    struct mrc_net_node_config c = {
        .ports = 1, .seed = 3, .on_event = on_event, .on_neighbour = on_neighbour, .user = s};
    mrc_ep_config_default(&c.ep);
    c.ep.qps_max = c.ep.mrs_max = 1;
    c.ep.path_mtu = 1024;
    c.port[0].ifname = ifname;
    c.port[0].has_addr = ip != NULL;
    if (ip != NULL)
        ck_assert_int_eq(mrc_net_addr_parse(ip, &c.port[0].addr), 0);
    s->node = mrc_net_node_new(w.loop, &c, err, sizeof err);
    ck_assert_msg(s->node != NULL, "%s", err);
}

static void look_up(struct side *s, struct side *peer)
{
    struct mrc_addr addr = *mrc_net_node_addr(peer->node, 0);
    memset(addr.mac, 0, sizeof addr.mac);
    if (mrc_net_node_lookup(s->node, 0, &addr)) {
        s->neighbour = addr;
        s->found = true;
    }
    while (!s->found)
        ev_run(w.loop, 0);
    ck_assert(mrc_net_node_lookup(s->node, 0, &addr));
    ck_assert_mem_eq(addr.mac, mrc_net_node_addr(peer->node, 0)->mac, 6);
    s->neighbour = addr;
}

static void make_qp(struct side *s, uint32_t psn)
{
    struct mrc_qp_attr attr;
    const struct mrc_ev evs[] = {{.value = 0xC0010001u}, {.value = 0xC0020002u}};
    mrc_qp_attr_default(&attr);
    attr.start_psn = psn;
    attr.evs = evs;
    attr.ev_count = 2;
    attr.timeout = 18;
    const int64_t qpn = mrc_qp_create(mrc_net_node_ep(s->node), &attr);
    ck_assert_int_gt(qpn, 0);
    s->qpn = (uint32_t)qpn;
}

static void join(struct side *s, const struct side *peer, uint32_t psn)
{
    struct mrc_qp_peer p = {.qpn = peer->qpn, .start_psn = psn, .max_wimm_dest = 32, .mpr_dest = 8};
    p.addr[0] = s->neighbour;
    ck_assert_int_eq(mrc_qp_connect(mrc_net_node_ep(s->node), s->qpn, &p), MRC_EP_OK);
}

static void move(const char *ip_a, const char *ip_b)
{
    w.loop = ev_loop_new(EVFLAG_AUTO);
    open_side(&w.a, "a", ip_a);
    open_side(&w.b, "b", ip_b);
    look_up(&w.a, &w.b);
    look_up(&w.b, &w.a);
    make_qp(&w.a, 100);
    make_qp(&w.b, 200);
    join(&w.a, &w.b, 200);
    join(&w.b, &w.a, 100);
    struct mrc_mr mr = {.mem = w.to, .va = 4096, .len_bytes = LEN, .access = MRC_MR_REMOTE_WRITE};
    ck_assert_int_eq(mrc_ep_register(mrc_net_node_ep(w.b.node), &mr), MRC_EP_OK);
    for (unsigned i = 0; i < LEN; i++)
        w.from[i] = (uint8_t)(i * 7 + i / 256);
    const struct mrc_write wr = {
        .wr_id = 1, .local = w.from, .len_bytes = LEN, .remote_va = 4096, .rkey = mr.rkey};
    ck_assert_int_eq(mrc_qp_post_write(mrc_net_node_ep(w.a.node), w.a.qpn, mrc_net_now_ns(), &wr),
                     MRC_EP_OK);
    mrc_net_node_kick(w.a.node);
    while (!w.a.done)
        ev_run(w.loop, 0);
    ck_assert_mem_eq(w.from, w.to, LEN);
    const struct mrc_ep_counters *const c = mrc_ep_counters_get(mrc_net_node_ep(w.b.node));
    ck_assert_uint_eq(c->rx_new, (LEN + 1023) / 1024);
    ck_assert_uint_eq(c->rx_wire[MRC_WIRE_BAD_ICRC], 0);
    mrc_net_node_free(w.a.node);
    mrc_net_node_free(w.b.node);
    ev_loop_destroy(w.loop);
}

START_TEST(a_write_by_addresses_of_their_own)
{
    if (net_alone(1500))
        move(NULL, NULL);
}
END_TEST

START_TEST(a_write_over_ipv4)
{
    if (net_alone(1500))
        move("192.0.2.1", "192.0.2.2");
}
END_TEST

START_TEST(an_address_of_the_kernels_is_told_apart)
{
    if (!net_alone(1500))
        return;
    net_ip("addr add 192.0.2.1/24 dev a");
    w.loop = ev_loop_new(EVFLAG_AUTO);
    open_side(&w.a, "a", "192.0.2.1");
    open_side(&w.b, "b", "192.0.2.2");
    ck_assert(mrc_net_node_addr_is_kernels(w.a.node, 0));
    ck_assert(!mrc_net_node_addr_is_kernels(w.b.node, 0));
    look_up(&w.b, &w.a); /* the kernel answers */
    look_up(&w.a, &w.b);
    mrc_net_node_free(w.a.node);
    mrc_net_node_free(w.b.node);
    ev_loop_destroy(w.loop);
}
END_TEST

START_TEST(a_fixed_neighbour_is_not_asked_for)
{
    struct mrc_addr there = {.is_v6 = true, .ip = {0xFD, [15] = 9}, .mac = {2, 2, 2, 2, 2, 2}};
    if (!net_alone(1500))
        return;
    w.loop = ev_loop_new(EVFLAG_AUTO);
    open_side(&w.a, "a", NULL);
    mrc_net_node_fix_neighbour(w.a.node, 0, &there);
    struct mrc_addr asked = there;
    memset(asked.mac, 0, 6);
    ck_assert(mrc_net_node_lookup(w.a.node, 0, &asked));
    ck_assert_mem_eq(asked.mac, there.mac, 6);
    ck_assert_uint_eq(mrc_net_port_counters(mrc_net_node_port(w.a.node, 0))->tx_frames, 0);
    mrc_net_node_free(w.a.node);
    ev_loop_destroy(w.loop);
}
END_TEST

Suite *suite_nodes(void)
{
    Suite *const s = suite_create("nodes");
    TCase *const tc = tcase_create("nodes");
    tcase_add_test(tc, a_write_by_addresses_of_their_own);
    tcase_add_test(tc, a_write_over_ipv4);
    tcase_add_test(tc, an_address_of_the_kernels_is_told_apart);
    tcase_add_test(tc, a_fixed_neighbour_is_not_asked_for);
    suite_add_tcase(s, tc);
    return s;
}
