/* SPDX-License-Identifier: BSD-2-Clause */
/* A port by itself: the order in which classes leave, marks, limits, trims. */
#include "harness/fabric/fabric.h"
#include "harness/sim/sim_priv.h"
#include "tests/sim/suites.h"

#include <string.h>

static const char net[] = "title: t\n"
                          "topology: {hosts_per_t0: 2}\n"
                          "queues: {limits: {data: 40KiB, control: 4KiB}, "
                          "ecn: {min: 10KiB, max: 20KiB, last_hop: true}%s}\n"
                          "traffic:\n  - stream: {size: 1KiB, from: 0, to: 1, start: 1s}\n"
                          "limit: 1ms\n";

static struct mrct_scene scene;
static struct mrct_sim *sim;

static void begin(const char *queues)
{
    char text[600], err[200];
    (void)snprintf(text, sizeof text, net, queues);
    scene_of(&scene, text);
    sim = mrct_sim_new(&scene, err, sizeof err);
    ck_assert_ptr_nonnull(sim);
}

static void end(void)
{
    mrct_sim_free(sim);
    mrct_scene_fini(&scene);
}

/* The port from the switch to host 1, and a full packet or a short one of a class. */
static uint32_t port(void)
{
    return sim_host_port(sim, 1, 0);
}

static struct sim_pkt *packet(enum mrct_sim_class cls)
{
    static uint8_t payload[4096];
    struct mrc_pkt p = {.present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_IPV6 | 1u << MRC_HDR_UDP |
                                   1u << MRC_HDR_BTH | 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH,
                        .is_v6 = true};
    struct mrc_addr a;
    sim_address(sim, 1, 0, &a);
    memcpy(p.ip6.dst, a.ip, 16);
    p.ip6.version = 6;
    p.ip6.ecn = 2;
    p.ip6.dscp = sim->wire.dscp[cls == MRCT_CLASS_DATA ? MRC_DSCP_TRIMMABLE : MRC_DSCP_CONTROL];
    p.udp.dst_port = 4791;
    p.bth.opcode = MRC_OP_WRITE_MIDDLE;
    p.payload = payload;
    p.payload_len = cls == MRCT_CLASS_DATA ? 4096 : 0;
    struct sim_pkt *const pkt = sim_pkt_take(sim);
    sim->account.in_flight++;
    ck_assert_int_eq(mrc_pkt_encode(&sim->wire, &p, &pkt->frame), 0);
    sim_classify(sim, pkt, 0);
    ck_assert_uint_eq(pkt->cls, cls);
    ck_assert_uint_eq(pkt->dst, 1);
    return pkt;
}

/* Sends what waits, and writes a letter a packet. */
static void drain(char *order, size_t cap)
{
    size_t n = 0;
    struct mrct_wheel_entry e;
    while (mrct_wheel_take(&sim->wheel, 1000000, &e)) {
        sim->now_ns = sim->wheel.now_ns;
        if (e.kind == SIM_PORT_FREE)
            sim_port_free(sim, e.arg);
        if (e.kind == SIM_ARRIVE && n + 1 < cap)
            order[n++] = "ctd"[((const struct sim_pkt *)e.what)->cls];
    }
    order[n] = '\0';
}

START_TEST(control_overtakes_data)
{
    char order[32];
    begin("");
    for (int i = 0; i < 4; i++)
        sim_port_put(sim, port(), packet(MRCT_CLASS_DATA));
    sim_port_put(sim, port(), packet(MRCT_CLASS_CONTROL));
    drain(order, sizeof order);
    ck_assert_str_eq(order, "dcddd"); /* the first was under way */
    end();
}
END_TEST

START_TEST(weights_share_the_port_by_bytes)
{
    char order[64];
    begin(", weights: {control: 1, trimmed: 1, data: 1}");
    for (int i = 0; i < 6; i++)
        sim_port_put(sim, port(), packet(MRCT_CLASS_DATA));
    for (int i = 0; i < 20; i++)
        sim_port_put(sim, port(), packet(MRCT_CLASS_CONTROL));
    drain(order, sizeof order);
    ck_assert_uint_eq(strlen(order), 26);
    /* A data packet is as much as some forty control packets, so data is not starved. */
    ck_assert_ptr_nonnull(strstr(order, "cd"));
    ck_assert_ptr_ne(strrchr(order, 'c'), strrchr(order, 'd') - 5);
    end();
}
END_TEST

START_TEST(the_rate_is_kept_to_the_picosecond)
{
    char order[64];
    begin("");
    const struct sim_pkt *const first = packet(MRCT_CLASS_DATA);
    const uint32_t len = first->len;
    sim_port_put(sim, port(), (struct sim_pkt *)first);
    for (int i = 0; i < 9; i++)
        sim_port_put(sim, port(), packet(MRCT_CLASS_DATA));
    drain(order, sizeof order);
    ck_assert_uint_eq(sim->ports[port()].busy_ps, 10u * len * 80u); /* 100 Gb/s: 80 ps a byte */
    end();
}
END_TEST

START_TEST(marks_begin_where_the_scene_says)
{
    begin("");
    for (int i = 0; i < 9; i++)
        sim_port_put(sim, port(), packet(MRCT_CLASS_DATA));
    /* Sent, queued at 0, 4, 8 KiB: none. From 20 KiB on each: at least the last three. */
    ck_assert_uint_ge(sim->ports[port()].marked, 3);
    ck_assert_uint_le(sim->ports[port()].marked, 5);
    end();
}
END_TEST

START_TEST(a_full_queue_trims_and_says_last_hop)
{
    begin("");
    for (int i = 0; i < 12; i++)
        sim_port_put(sim, port(), packet(MRCT_CLASS_DATA));
    const struct sim_port *const p = &sim->ports[port()];
    ck_assert_uint_gt(p->trimmed, 0);
    ck_assert_uint_eq(p->dropped, 0);
    const struct sim_pkt *const t = p->q[MRCT_CLASS_TRIMMED].first;
    struct mrc_pkt view;
    ck_assert_int_eq(mrc_pkt_decode_frame(&sim->wire, &t->frame, &view), MRC_WIRE_OK);
    ck_assert_int_eq(view.trim, MRC_TRIM_LASTHOP);
    ck_assert_uint_lt(t->len, 200);
    end();
}
END_TEST

START_TEST(without_trimming_it_drops)
{
    begin(", trim: false");
    for (int i = 0; i < 12; i++)
        sim_port_put(sim, port(), packet(MRCT_CLASS_DATA));
    ck_assert_uint_eq(sim->ports[port()].trimmed, 0);
    const struct sim_port *const p = &sim->ports[port()];
    ck_assert_uint_eq(p->dropped, 12 - 1 - p->depth[2] / p->q[2].first->len);
    ck_assert_uint_gt(sim->account.dropped_queue, 0);
    end();
}
END_TEST

Suite *suite_port(void)
{
    Suite *const s = suite_create("port");
    TCase *const t = tcase_create("port");
    tcase_add_test(t, control_overtakes_data);
    tcase_add_test(t, weights_share_the_port_by_bytes);
    tcase_add_test(t, the_rate_is_kept_to_the_picosecond);
    tcase_add_test(t, marks_begin_where_the_scene_says);
    tcase_add_test(t, a_full_queue_trims_and_says_last_hop);
    tcase_add_test(t, without_trimming_it_drops);
    suite_add_tcase(s, t);
    return s;
}
