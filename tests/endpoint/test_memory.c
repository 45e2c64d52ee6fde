/* SPDX-License-Identifier: BSD-2-Clause */
/* What many QPs cost, counted at the allocator: bytes, and calls once they are made. */
#include "ref/endpoint/mrc_ep.h"
#include "tests/endpoint/suites.h"
#include <stdlib.h>

#define QPS      10000u
#define EVS      128u
#define PORTS    4u
#define MTU      1024u
#define BYTES    (8 * MTU)
#define GIB      ((size_t)1 << 30)
#define FIRST_QP 16u

struct counted {
    size_t bytes, calls;
};

struct side {
    struct mrc_ep *ep;
    struct counted mem;
    struct mrc_mr mr;
    uint64_t done;
};

static struct side side[2];
static uint8_t memory[2][BYTES];
static uint64_t now_ns;

static void *count_alloc(void *user, size_t size_bytes)
{
    struct counted *const c = user;
    c->bytes += size_bytes;
    c->calls++;
    return malloc(size_bytes);
}

static void count_free(void *user, void *p)
{
    (void)user;
    free(p);
}

static void address(struct mrc_addr *a, unsigned host, unsigned port)
{
    *a = (struct mrc_addr){.is_v6 = true};
    a->ip[7] = (uint8_t)port;
    a->ip[15] = (uint8_t)(host + 1);
}

static void make_qp(unsigned h, uint32_t qpn, const struct mrc_ev *evs)
{
    struct mrc_qp_attr attr;
    struct mrc_qp_peer peer = {.qpn = qpn, .max_wimm_dest = 32, .mpr_dest = 8};
    mrc_qp_attr_default(&attr);
    attr.qpn = qpn;
    attr.sq_depth = h == 0 ? attr.sq_depth : 1; /* host 0 is the one that is measured */
    attr.rq_depth = h == 0 ? attr.rq_depth : 1;
    attr.evs = evs;
    attr.ev_count = EVS;
    for (unsigned i = 0; i < PORTS; i++)
        address(&peer.addr[i], 1 - h, i);
    ck_assert_int_eq(mrc_qp_create(side[h].ep, &attr), qpn);
    ck_assert_int_eq(mrc_qp_connect(side[h].ep, qpn, &peer), MRC_EP_OK);
}

static void make(unsigned h)
{
    struct mrc_ev evs[EVS];
    struct mrc_ep_config c;
    mrc_ep_config_default(&c);
    c.ports = PORTS;
    c.qps_max = QPS;
    c.path_mtu = MTU;
    c.alloc = (struct mrc_alloc){count_alloc, count_free, &side[h].mem};
    for (unsigned i = 0; i < PORTS; i++)
        address(&c.port_addr[i], h, i);
    side[h].ep = mrc_ep_new(&c, h, NULL);
    ck_assert_ptr_nonnull(side[h].ep);
    side[h].mr = (struct mrc_mr){
        .mem = memory[h], .va = 4096, .len_bytes = BYTES, .access = MRC_MR_REMOTE_WRITE};
    ck_assert_int_eq(mrc_ep_register(side[h].ep, &side[h].mr), MRC_EP_OK);
    for (unsigned i = 0; i < EVS; i++)
        evs[i] = (struct mrc_ev){.value = i << 16 | i, .port = (uint8_t)(i % PORTS)};
    for (uint32_t q = 0; q < QPS; q++)
        make_qp(h, FIRST_QP + q, evs);
}

/* Everything that h has to say reaches the other; how many frames. One in lose_every is lost. */
static unsigned pass(unsigned h, unsigned lose_every)
{
    struct mrc_frame f;
    unsigned n = 0;
    for (int port; (port = mrc_ep_output(side[h].ep, now_ns, 15, &f)) >= 0; n++) {
        now_ns += 20;
        if (lose_every == 0 || n % lose_every != lose_every - 1)
            mrc_ep_input(side[1 - h].ep, now_ns, (unsigned)port, &f);
    }
    return n;
}

static void poll_events(unsigned h)
{
    struct mrc_ep_event ev;
    while (mrc_ep_poll_event(side[h].ep, &ev)) {
        ck_assert_int_eq(ev.kind, MRC_EVENT_SEND_DONE);
        ck_assert_int_eq(ev.status, MRC_WC_SUCCESS);
        side[h].done++;
    }
}

/* 10,000 QPs of 128 EVs stay below 1 GiB, and their packets, losses and timers allocate nothing. */
START_TEST(ten_thousand_qps)
{
    for (unsigned h = 0; h < 2; h++)
        make(h);
    ck_assert_uint_lt(side[0].mem.bytes, GIB);
    const size_t calls = side[0].mem.calls + side[1].mem.calls;
    const struct mrc_write w = {
        .local = memory[0], .len_bytes = BYTES, .remote_va = 4096, .rkey = side[1].mr.rkey};
    for (uint32_t q = 0; q < QPS; q++)
        ck_assert_int_eq(mrc_qp_post_write(side[0].ep, FIRST_QP + q, now_ns, &w), MRC_EP_OK);
    while (side[0].done < QPS) {
        const unsigned sent = pass(0, 50) + pass(1, 50);
        for (unsigned h = 0; h < 2; h++) {
            const uint64_t at = mrc_ep_deadline(side[h].ep);
            if (sent == 0 && at != MRC_TIME_NEVER && at > now_ns)
                now_ns = at;
            if (at <= now_ns)
                mrc_ep_tick(side[h].ep, now_ns);
            poll_events(h);
        }
    }
    ck_assert_uint_eq(side[0].mem.calls + side[1].mem.calls, calls);
    for (unsigned h = 0; h < 2; h++)
        mrc_ep_free(side[h].ep);
}
END_TEST

TCase *tcase_memory(void)
{
    TCase *tc = tcase_create("memory");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, ten_thousand_qps);
    return tc;
}
