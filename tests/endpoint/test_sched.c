/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose turn it is when not every port is free: QPs that can use different sets of ports, and the
 * bitmaps by which an EV is found, both against models that look at everything.
 */
#include "ref/endpoint/ep_int.h"
#include "tests/endpoint/suites.h"
#include <stdlib.h>

#define PORTS    8u
#define QPS      60u
#define PACKETS  9u
#define MTU      1024u
#define FIRST_QP 16u

/* ---- turns ---- */

static struct mrc_ep *ep;
static uint8_t memory[PACKETS * MTU];
static uint32_t can[QPS];  /* ports of a QP */
static unsigned left[QPS]; /* packets that it has not sent */
static unsigned turn[QPS]; /* when it was served last; the lowest comes first */

static void address(struct mrc_addr *a, unsigned host, unsigned port)
{
    *a = (struct mrc_addr){.is_v6 = true};
    a->ip[7] = (uint8_t)port;
    a->ip[15] = (uint8_t)host;
}

static void make_qp(unsigned q)
{
    struct mrc_ev evs[2 * PORTS];
    struct mrc_qp_attr attr;
    struct mrc_qp_peer peer = {.qpn = FIRST_QP + q, .max_wimm_dest = 32, .mpr_dest = 8};
    const struct mrc_write w = {.local = memory, .len_bytes = sizeof memory, .remote_va = 1};
    mrc_qp_attr_default(&attr);
    attr.qpn = FIRST_QP + q;
    attr.evs = evs;
    for (unsigned i = 0; i < 2 * PORTS; i++)
        if (can[q] >> (i % PORTS) & 1u)
            evs[attr.ev_count++] = (struct mrc_ev){.value = i + 1, .port = (uint8_t)(i % PORTS)};
    for (unsigned i = 0; i < PORTS; i++)
        address(&peer.addr[i], 2, i);
    ck_assert_int_eq(mrc_qp_create(ep, &attr), attr.qpn);
    ck_assert_int_eq(mrc_qp_connect(ep, attr.qpn, &peer), MRC_EP_OK);
    ck_assert_int_eq(mrc_qp_post_write(ep, attr.qpn, 0, &w), MRC_EP_OK);
    left[q] = PACKETS;
    turn[q] = q;
}

/* QPs of so many different sets of ports. */
static void make(unsigned sets)
{
    struct mrc_ep_config c;
    mrc_ep_config_default(&c);
    c.ports = PORTS;
    c.qps_max = QPS;
    c.path_mtu = MTU;
    for (unsigned i = 0; i < PORTS; i++)
        address(&c.port_addr[i], 1, i);
    ep = mrc_ep_new(&c, 3, NULL);
    ck_assert_ptr_nonnull(ep);
    for (unsigned q = 0; q < QPS; q++) {
        can[q] = 1 + q % sets * 37u % 255u;
        make_qp(q);
    }
}

/* The QP whose turn it is, or QPS. */
static unsigned whose(uint32_t free_ports)
{
    unsigned best = QPS;
    for (unsigned q = 0; q < QPS; q++)
        if (left[q] > 0 && (can[q] & free_ports) != 0 && (best == QPS || turn[q] < turn[best]))
            best = q;
    return best;
}

static unsigned send_one(uint32_t free_ports)
{
    struct mrc_frame f;
    struct mrc_pkt p;
    struct mrc_wire_config wire;
    mrc_wire_config_default(&wire);
    const int port = mrc_ep_output(ep, 0, free_ports, &f);
    if (port < 0)
        return QPS;
    ck_assert_uint_ne(free_ports >> port & 1u, 0);
    ck_assert_int_eq(mrc_pkt_decode_frame(&wire, &f, &p), MRC_WIRE_OK);
    const unsigned q = p.bth.dest_qp - FIRST_QP;
    ck_assert_uint_lt(q, QPS);
    ck_assert_uint_ne(can[q] >> port & 1u, 0);
    return q;
}

/* Of those that can use a free port the one that waited longest is served; with more sets of ports
 * than rings somebody who can, at least. */
static void serve(unsigned sets, struct mrc_rng *rng)
{
    unsigned now = QPS;
    for (unsigned sent = 0; sent < QPS * PACKETS;) {
        const uint32_t free_ports =
            UINT32_C(1) << mrc_rng_below(rng, PORTS) | UINT32_C(1) << mrc_rng_below(rng, PORTS);
        const unsigned want = whose(free_ports);
        const unsigned q = send_one(free_ports);
        ck_assert_int_eq(q == QPS, want == QPS);
        if (sets < MRC_READY_RINGS)
            ck_assert_uint_eq(q, want);
        if (q == QPS)
            continue;
        ck_assert_uint_gt(left[q], 0);
        left[q]--;
        turn[q] = now++;
        sent++;
    }
}

START_TEST(turns)
{
    static const unsigned sets[] = {1, 5, 16, 60};
    struct mrc_rng rng;
    mrc_rng_seed(&rng, (uint64_t)_i);
    make(sets[_i]);
    serve(sets[_i], &rng);
    ck_assert_uint_eq(send_one(UINT32_MAX), QPS);
    mrc_ep_free(ep);
}
END_TEST

static void set_evs(unsigned port, enum mrc_ev_state state)
{
    for (unsigned q = 0; q < QPS; q++)
        for (unsigned i = port; (can[q] >> port & 1u) && i < 2 * PORTS; i += PORTS) {
            const struct mrc_ev ev = {.value = i + 1, .port = (uint8_t)port};
            ck_assert_int_eq(mrc_ev_set_state(ep, FIRST_QP + q, 0, ev, state), MRC_EP_OK);
        }
}

/* While the QPs stand in line every port in turn leaves their sets, and comes back. */
START_TEST(turns_move)
{
    struct mrc_rng rng;
    mrc_rng_seed(&rng, 7);
    make(_i == 0 ? 5 : 60);
    for (unsigned port = 0; port < PORTS; port++) {
        set_evs(port, MRC_EV_DENIED);
        ck_assert_uint_eq(send_one(UINT32_C(1) << port), QPS);
        set_evs(port, MRC_EV_GOOD);
    }
    serve(QPS, &rng); /* who left a ring stands at the end of one: the order is another */
    mrc_ep_free(ep);
}
END_TEST

/* ---- places ---- */

struct model {
    struct mrc_evs evs;
    bool *has; /* place x port */
};

static uint16_t look(const struct model *m, uint32_t ports, unsigned from)
{
    for (unsigned place = from; place < m->evs.count; place++)
        for (unsigned port = 0; port < PORTS; port++)
            if ((ports >> port & 1u) && m->has[place * PORTS + port])
                return (uint16_t)place;
    return MRC_EV_NIL;
}

START_TEST(places)
{
    static const uint16_t counts[] = {1, 64, 65, 130, 5000, MRC_EV_COUNT_MAX};
    const unsigned n = counts[_i];
    struct model m = {.evs = {.count = counts[_i], .ports = 0xA6}};
    struct mrc_rng rng;
    mrc_rng_seed(&rng, n);
    make(1);
    m.has = calloc(n, PORTS * sizeof *m.has);
    ck_assert_ptr_nonnull(m.has);
    ck_assert(mrc_places_init(ep, &m.evs));
    for (unsigned k = 0; k < 1500; k++) {
        const uint16_t place = (uint16_t)mrc_rng_below(&rng, n);
        const unsigned port = mrc_rng_below(&rng, PORTS);
        const uint32_t ports = mrc_rng_below(&rng, 256) & m.evs.ports;
        bool *const has = &m.has[place * PORTS + port];
        if (m.evs.ports >> port & 1u) {
            ck_assert_int_eq(mrc_places_has(&m.evs, port, place), *has);
            *has = !*has;
            if (*has)
                mrc_places_add(&m.evs, port, place);
            else
                mrc_places_remove(&m.evs, port, place);
        }
        const unsigned from = mrc_rng_below(&rng, n + 1);
        ck_assert_uint_eq(mrc_places_next(&m.evs, ports, (uint16_t)from), look(&m, ports, from));
    }
    mrc_ep_dealloc(ep, m.evs.places);
    free(m.has);
    mrc_ep_free(ep);
}
END_TEST

TCase *tcase_sched(void)
{
    TCase *tc = tcase_create("sched");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, turns, 0, 4);
    tcase_add_loop_test(tc, turns_move, 0, 2);
    tcase_add_loop_test(tc, places, 0, 6);
    return tc;
}
