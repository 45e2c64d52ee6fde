/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts that are judged, full fidelity, and what switches do to a packet of SRv6. */
#include "harness/sim/sim_priv.h"
#include "tests/sim/suites.h"

#include <stdio.h>
#include <string.h>

static const char net[] = "title: t\n"
                          "topology: {planes: 2, t0: 2, t1: 2, hosts_per_t0: 2}\n"
                          "%s\n"
                          "traffic:\n"
                          "  - stream: {size: 64KiB, depth: 8, from: [0, 1], to: [2, 3]}\n"
                          "watch: [0, 2]\n"
                          "limit: 10ms\n";

static struct mrct_scene scene;

static struct mrct_sim *sim_with(const char *line)
{
    char yaml[600], err[300];
    (void)snprintf(yaml, sizeof yaml, net, line);
    scene_of(&scene, yaml);
    struct mrct_sim *const sim = mrct_sim_new(&scene, err, sizeof err);
    if (sim == NULL)
        ck_abort_msg("%s", err);
    return sim;
}

static void run(struct mrct_sim *sim)
{
    char err[300];
    ck_assert_int_eq(mrct_sim_run(sim, NULL, NULL, err, sizeof err), 0);
}

static double watched(const struct mrct_sim *sim, const char *path)
{
    json_t *const r = mrct_sim_json(sim);
    const double v = number(r, path);
    json_decref(r);
    return v;
}

static void end(struct mrct_sim *sim)
{
    mrct_sim_free(sim);
    mrct_scene_fini(&scene);
}

START_TEST(honest_hosts_are_not_accused)
{
    static const char *const lines[] = {"forwarding: ecmp", "forwarding: srv6",
                                        "queues: {limits: {data: 16KiB}}",
                                        "endpoint: {fidelity: true}", "endpoint: {ip: 4}"};
    struct mrct_sim *const sim = sim_with(lines[_i]);
    run(sim);
    for (int i = 0; i < 2; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "watched/%d/failed", i);
        ck_assert_double_eq(watched(sim, path), 0);
        (void)snprintf(path, sizeof path, "watched/%d/requirements", i);
        ck_assert_double_gt(watched(sim, path), 20);
    }
    ck_assert_uint_eq(mrct_sim_account(sim)->icrc_wrong, 0);
    end(sim);
}
END_TEST

/* The application of a watched host hears of a write that nobody acknowledged yet. */
START_TEST(an_early_completion_is_found_out)
{
    struct mrct_sim *const sim = sim_with("forwarding: ecmp");
    struct mrct_wheel_entry e;
    sim_flow_start(sim, 0);
    unsigned arrivals = 0;
    while (arrivals < 4 && mrct_wheel_take(&sim->wheel, UINT64_MAX, &e)) {
        sim->now_ns = sim->wheel.now_ns;
        if (e.kind == SIM_NIC_FREE)
            sim_host_free_port(sim, e.arg);
        arrivals += e.kind == SIM_ARRIVE;
    }
    ck_assert_double_eq(watched(sim, "watched/0/failed"), 0);
    sim_watch_event(sim, 0, true,
                    (struct mrct_event){.kind = MRCT_EVENT_SEND_DONE, .status = MRC_WC_SUCCESS});
    ck_assert_double_gt(watched(sim, "watched/0/failed"), 0);
    end(sim);
}
END_TEST

/* With steps, immediates, receives, ports that go and packets that are lost. */
START_TEST(honest_applications_are_not_accused)
{
    json_t *const r = results_of("title: t\n"
                                 "topology: {planes: 2, t0: 2, t1: 2, hosts_per_t0: 2}\n"
                                 "traffic:\n"
                                 "  - stream: {size: 64KiB, depth: 4, from: [0, 1], to: [2, 3], "
                                 "messages: 6}\n"
                                 "  - allreduce: {size: 128KiB}\n"
                                 "faults:\n"
                                 "  - down: {host: 0, plane: 1, at: 20us, for: 30us}\n"
                                 "  - loss: {plane: 0, share: 1%}\n"
                                 "watch: [0, 2]\nlimit: 50ms\n");
    static const double least[] = {120, 133}; /* 114 and 127 without what applications tell */
    for (int i = 0; i < 2; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "watched/%d/failed", i);
        ck_assert_double_eq(number(r, path), 0);
        (void)snprintf(path, sizeof path, "watched/%d/requirements", i);
        ck_assert_double_ge(number(r, path), least[i]);
    }
    json_decref(r);
}
END_TEST

/* REQ-9.3-19 is judged for a port that the host itself saw going. */
START_TEST(a_port_that_goes_is_told)
{
    json_t *const r =
        results_of("title: t\n"
                   "topology: {planes: 2, t0: 1, hosts_per_t0: 2, nic: {rate: 1gbps}}\n"
                   "traffic:\n"
                   "  - stream: {size: 64KiB, depth: 2, from: 0, to: 1, stop: 14ms}\n"
                   "faults:\n  - down: {host: 0, plane: 1, at: 1ms}\n"
                   "watch: 0\nlimit: 40ms\n");
    ck_assert_double_eq(number(r, "watched/0/failed"), 0);
    ck_assert_double_ge(number(r, "watched/0/requirements"), 87); /* 86 without */
    json_decref(r);
}
END_TEST

/* The first frame of host 0, shown once more with a PSN far beyond the responder's window. */
START_TEST(a_liar_is_found_out)
{
    struct mrct_sim *const sim = sim_with("forwarding: ecmp");
    run(sim);
    const struct mrc_write w = {
        .local = sim->memory, .len_bytes = 4096, .rkey = sim->hosts[2].rkey};
    ck_assert_int_eq(mrc_qp_post_write(sim->hosts[0].ep, SIM_QPN_FIRST, sim->now_ns, &w), 0);
    struct sim_pkt *const pkt = sim_pkt_take(sim);
    const int plane = mrc_ep_output(sim->hosts[0].ep, sim->now_ns, 3, &pkt->frame);
    ck_assert_int_ge(plane, 0);
    sim_classify(sim, pkt, (unsigned)plane);
    struct mrc_pkt view;
    ck_assert_int_eq(mrc_pkt_decode_frame(&sim->wire, &pkt->frame, &view), MRC_WIRE_OK);
    pkt->frame.hdr[view.off[MRC_HDR_BTH] + 10] ^= 0x40; /* PSN + 16384 */
    ck_assert_double_eq(watched(sim, "watched/0/failed"), 0);
    sim_watch_frame(sim, sim->hosts[0].watch, true, pkt);
    ck_assert_double_gt(watched(sim, "watched/0/failed"), 0);
    end(sim);
}
END_TEST

START_TEST(a_changed_payload_has_a_wrong_icrc)
{
    struct mrct_sim *const sim = sim_with("endpoint: {fidelity: true}");
    struct mrct_wheel_entry e;
    sim_flow_start(sim, 0);
    bool changed = false;
    while (!changed && mrct_wheel_take(&sim->wheel, UINT64_MAX, &e))
        if (e.kind == SIM_ARRIVE) {
            struct sim_pkt *const pkt = e.what;
            sim->now_ns = sim->wheel.now_ns;
            pkt->bytes[100] ^= 1;
            sim_host_arrive(sim, 2, pkt);
            changed = true;
        }
    ck_assert_uint_eq(mrct_sim_account(sim)->icrc_wrong, 1);
    end(sim);
}
END_TEST

/* A request of host 0 to host 2 over SRv6, as its T0 switch gets it. */
static struct sim_pkt *srv6_packet(struct mrct_sim *sim, struct mrc_pkt *view)
{
    sim->hosts[0].watch = NULL;
    const struct mrc_write w = {
        .local = sim->memory, .len_bytes = 4096, .rkey = sim->hosts[2].rkey};
    ck_assert_int_eq(mrc_qp_post_write(sim->hosts[0].ep, SIM_QPN_FIRST, 0, &w), 0);
    struct sim_pkt *const pkt = sim_pkt_take(sim);
    const int plane = mrc_ep_output(sim->hosts[0].ep, 0, 1, &pkt->frame);
    ck_assert_int_eq(plane, 0);
    sim_classify(sim, pkt, 0);
    sim->account.in_flight++;
    ck_assert(pkt->srv6);
    ck_assert_int_eq(mrc_pkt_decode_frame(&sim->wire, &pkt->frame, view), MRC_WIRE_OK);
    return pkt;
}

START_TEST(marks_and_trims_touch_the_outer_header_alone)
{
    struct mrct_sim *const sim = sim_with("forwarding: srv6\nqueues: {limits: {data: 0}, "
                                          "ecn: {min: 0, max: 0}}");
    struct mrc_pkt before, after;
    struct sim_pkt *const pkt = srv6_packet(sim, &before);
    struct sim_pkt *const inner = sim_pkt_take(sim);
    *inner = *pkt;
    const uint32_t port = sim->switches[0].up_first;
    sim->ports[port].busy_ps = UINT64_C(1000000000); /* something is leaving */
    sim_port_put(sim, port, pkt);
    ck_assert_uint_eq(sim->ports[port].trimmed, 1);
    ck_assert_uint_eq(sim->ports[port].marked, 1);
    ck_assert_int_eq(mrc_pkt_decode_frame(&sim->wire, &pkt->frame, &after), MRC_WIRE_OK);
    ck_assert_int_eq(after.trim, MRC_TRIM_TRIMMED);
    ck_assert_uint_eq(after.ecn, 3);
    ck_assert_uint_eq(after.inner_ecn, before.inner_ecn);
    ck_assert_uint_eq(after.inner_dscp, before.inner_dscp);
    const size_t at = before.off[MRC_HDR_IPV6];
    ck_assert_mem_eq(pkt->frame.hdr + at, inner->frame.hdr + at, MRC_IPV6_LEN + MRC_UDP_LEN);
    end(sim);
}
END_TEST

START_TEST(carriers_that_fail_are_dropped_and_counted)
{
    struct mrct_sim *const sim = sim_with("forwarding: srv6");
    struct mrc_pkt view;
    const struct mrct_sim_account *const a = mrct_sim_account(sim);
    struct sim_pkt *pkt = srv6_packet(sim, &view);
    pkt->frame.hdr[pkt->ip_at + 24] ^= 1; /* another locator */
    sim_forward(sim, 0, pkt);
    ck_assert_uint_eq(a->srv6_foreign, 1);
    pkt = srv6_packet(sim, &view);
    sim_forward(sim, 1, pkt); /* not its uSID */
    ck_assert_uint_eq(a->srv6_foreign, 2);
    pkt = srv6_packet(sim, &view);
    memset(pkt->frame.hdr + pkt->ip_at + 24 + 6, 0, 10); /* nothing behind the first uSID */
    sim_forward(sim, 0, pkt);
    ck_assert_uint_eq(a->srv6_spent, 1);
    pkt = srv6_packet(sim, &view);
    pkt->frame.hdr[pkt->ip_at + 24 + 7] = 0xFF; /* a neighbour that is none */
    sim_forward(sim, 0, pkt);
    ck_assert_uint_eq(a->dropped_route, 1);
    ck_assert_uint_eq(a->in_flight, 0);
    end(sim);
}
END_TEST

START_TEST(a_spent_carrier_takes_the_next_segment)
{
    struct mrct_sim *const sim = sim_with("forwarding: srv6");
    struct mrc_pkt view;
    struct sim_pkt *const pkt = srv6_packet(sim, &view);
    memcpy(view.srh.segment, pkt->frame.hdr + pkt->ip_at + 24, 16);
    memmove(view.srh.segment + 4, view.srh.segment + 6, 10); /* from the second uSID on */
    memset(view.srh.segment + 14, 0, 2);
    memset(view.outer_ip6.dst + 6, 0, 10);
    view.present |= 1u << MRC_HDR_SRH;
    view.outer_ip6.next_hdr = 43;
    view.srh.next_hdr = 41;
    view.srh.hdr_ext_len = 2;
    view.srh.routing_type = 4;
    view.srh.segments_left = 1;
    ck_assert_int_eq(mrc_pkt_encode(&sim->wire, &view, &pkt->frame), 0);
    sim_classify(sim, pkt, 0);
    ck_assert_uint_eq(pkt->dst, 2);
    sim_forward(sim, 0, pkt);
    ck_assert_uint_eq(mrct_sim_account(sim)->srv6_segments, 1);
    ck_assert_uint_eq(mrct_sim_account(sim)->srv6_spent, 0);
    ck_assert_uint_eq(mrct_sim_account(sim)->in_flight, 1);
    ck_assert_mem_eq(pkt->frame.hdr + pkt->ip_at + 24, view.srh.segment, 16);
    end(sim);
}
END_TEST

Suite *suite_watch(void)
{
    Suite *const s = suite_create("watch");
    TCase *const t = tcase_create("watch");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, honest_hosts_are_not_accused, 0, 5);
    tcase_add_test(t, honest_applications_are_not_accused);
    tcase_add_test(t, an_early_completion_is_found_out);
    tcase_add_test(t, a_port_that_goes_is_told);
    tcase_add_test(t, a_liar_is_found_out);
    tcase_add_test(t, a_changed_payload_has_a_wrong_icrc);
    tcase_add_test(t, marks_and_trims_touch_the_outer_header_alone);
    tcase_add_test(t, carriers_that_fail_are_dropped_and_counted);
    tcase_add_test(t, a_spent_carrier_takes_the_next_segment);
    suite_add_tcase(s, t);
    return s;
}
