/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a packet costs the endpoint, as requestor and as responder, with 1, 100 and 10,000 QPs of
 * 128 EVs that all have data to send, and what a QP costs in memory. Two endpoints hand each other
 * frames in batches, so that each side's CPU time can be told apart; nothing is lost. "one port at
 * a time" offers the requestor its ports one by one, while the peer reports one of them down:
 * nothing may look at all QPs, or all EVs, to find who can use a port.
 */
#include "bench/bench.h"
#include "ref/endpoint/mrc_ep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PORTS = 4,
    EVS = 128,
    BATCH = 512,
    MTU = 4096,
    MESSAGE = 16 * MTU,
    PACKETS = 1000000, /* per run, about */
    WARM_UP = 4,       /* packets of each QP before the clock starts */
    FRAME_NS = 82,     /* 4 KiB at 400 Gb/s */
};
#define VA UINT64_C(0x10000)

struct counted {
    size_t bytes, calls;
};

struct side {
    struct mrc_ep *ep;
    struct counted mem;
    struct mrc_mr mr;
    double cpu_s;
};

struct bench {
    struct side a, b; /* requestor and responder */
    uint8_t *bytes;
    struct mrc_frame frames[BATCH], answers[BATCH];
    unsigned ports[BATCH], answer_ports[BATCH];
    uint64_t now_ns, packets;
    bool narrow;   /* one port at a time */
    unsigned port; /* the next one */
};

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

static void die(const char *what)
{
    fprintf(stderr, "bench_endpoint: %s\n", what);
    exit(1);
}

static void address(struct mrc_addr *a, unsigned host, unsigned port)
{
    *a = (struct mrc_addr){.is_v6 = true};
    a->ip[0] = 0xFD;
    a->ip[7] = (uint8_t)port;
    a->ip[15] = (uint8_t)(host + 1);
}

static void make_side(struct bench *x, struct side *s, unsigned host, unsigned qps)
{
    struct mrc_ep_config c;
    mrc_ep_config_default(&c);
    c.ports = PORTS;
    c.qps_max = qps;
    c.path_mtu = MTU;
    c.alloc = (struct mrc_alloc){count_alloc, count_free, &s->mem};
    for (unsigned i = 0; i < PORTS; i++)
        address(&c.port_addr[i], host, i);
    s->ep = mrc_ep_new(&c, 1 + host, NULL);
    s->mr = (struct mrc_mr){
        .mem = x->bytes, .va = VA, .len_bytes = MESSAGE, .access = MRC_MR_REMOTE_WRITE};
    if (s->ep == NULL || mrc_ep_register(s->ep, &s->mr) != MRC_EP_OK)
        die("no endpoint");
}

static void make_qp(struct side *s, uint32_t qpn, unsigned host)
{
    struct mrc_ev evs[EVS];
    for (unsigned i = 0; i < EVS; i++)
        evs[i] = (struct mrc_ev){.value = (qpn << 12) + 977u * i, .port = (uint8_t)(i % PORTS)};
    struct mrc_qp_attr attr;
    mrc_qp_attr_default(&attr);
    attr.qpn = qpn;
    attr.timeout = 20; /* a round over 10,000 QPs takes its time */
    attr.sq_depth = 4;
    attr.rq_depth = 4;
    attr.evs = evs;
    attr.ev_count = EVS;
    struct mrc_qp_peer peer = {.qpn = qpn, .max_wimm_dest = 32, .mpr_dest = 8};
    for (unsigned i = 0; i < PORTS; i++)
        address(&peer.addr[i], 1 - host, i);
    if (mrc_qp_create(s->ep, &attr) != qpn || mrc_qp_connect(s->ep, qpn, &peer) != MRC_EP_OK)
        die("no QP");
}

static void post(struct bench *x, uint32_t qpn)
{
    const struct mrc_write w = {
        .local = x->bytes, .len_bytes = MESSAGE, .remote_va = VA, .rkey = x->b.mr.rkey};
    if (mrc_qp_post_write(x->a.ep, qpn, x->now_ns, &w) != MRC_EP_OK)
        die("a write was refused");
}

static int output(struct bench *x, struct side *s, struct mrc_frame *f)
{
    if (!x->narrow || s != &x->a)
        return mrc_ep_output(s->ep, x->now_ns, ~UINT64_C(0), f);
    for (unsigned n = 0; n < PORTS; n++) {
        const int port = mrc_ep_output(s->ep, x->now_ns, UINT64_C(1) << x->port, f);
        x->port = (x->port + 1) % PORTS;
        if (port >= 0)
            return port;
    }
    return -1;
}

static unsigned take(struct bench *x, struct side *s, struct mrc_frame *frames, unsigned *ports)
{
    unsigned n = 0;
    for (; n < BATCH; n++) {
        const int port = output(x, s, &frames[n]);
        if (port < 0)
            break;
        ports[n] = (unsigned)port;
        x->now_ns += s == &x->a ? FRAME_NS : 0;
    }
    return n;
}

static void give(struct bench *x, struct side *s, const struct mrc_frame *frames,
                 const unsigned *ports, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        mrc_ep_input(s->ep, x->now_ns, ports[i], &frames[i]);
}

static void complete(struct bench *x)
{
    struct mrc_ep_event ev;
    while (mrc_ep_poll_event(x->a.ep, &ev)) {
        if (ev.kind != MRC_EVENT_SEND_DONE || ev.status != MRC_WC_SUCCESS)
            die("a write failed");
        post(x, ev.qpn);
    }
}

/* One batch there and its answers back. */
static void turn(struct bench *x)
{
    const double t0 = bench_cpu_s();
    const unsigned n = take(x, &x->a, x->frames, x->ports);
    const double t1 = bench_cpu_s();
    give(x, &x->b, x->frames, x->ports, n);
    const unsigned m = take(x, &x->b, x->answers, x->answer_ports);
    const double t2 = bench_cpu_s();
    give(x, &x->a, x->answers, x->answer_ports, m);
    complete(x);
    if (mrc_ep_deadline(x->a.ep) <= x->now_ns)
        mrc_ep_tick(x->a.ep, x->now_ns);
    const double t3 = bench_cpu_s();
    x->a.cpu_s += t1 - t0 + t3 - t2;
    x->b.cpu_s += t2 - t1;
    x->packets += n;
    if (n == 0 && m == 0)
        die("nothing moves");
}

static void run(unsigned qps, bool narrow)
{
    struct bench *const x = calloc(1, sizeof *x);
    if (x == NULL || (x->bytes = calloc(1, MESSAGE)) == NULL)
        die("no memory");
    make_side(x, &x->a, 0, qps);
    make_side(x, &x->b, 1, qps);
    const size_t before = x->a.mem.bytes;
    for (uint32_t q = 0; q < qps; q++) {
        make_qp(&x->a, 16 + q, 0);
        make_qp(&x->b, 16 + q, 1);
    }
    const size_t per_qp = (x->a.mem.bytes - before) / qps;
    const size_t calls = x->a.mem.calls + x->b.mem.calls;
    for (uint32_t q = 0; q < qps; q++)
        for (unsigned i = 0; i < 3; i++)
            post(x, 16 + q);
    x->narrow = narrow;
    if (narrow && mrc_ep_port_set(x->b.ep, x->now_ns, PORTS - 1, false) != MRC_EP_OK)
        die("no port");
    while (x->packets < (uint64_t)WARM_UP * qps)
        turn(x);
    x->packets = 0;
    x->a.cpu_s = x->b.cpu_s = 0;
    while (x->packets < PACKETS)
        turn(x);
    const double n = (double)x->packets;
    printf("%6u QPs  requestor %6.2f M packets/s (%4.0f ns)  responder %6.2f M packets/s (%4.0f "
           "ns)  %zu bytes a QP, %zu MiB in all, %zu calls of the allocator under way, %llu "
           "retransmissions%s\n",
           qps, n / x->a.cpu_s / 1e6, x->a.cpu_s / n * 1e9, n / x->b.cpu_s / 1e6,
           x->b.cpu_s / n * 1e9, per_qp, x->a.mem.bytes >> 20,
           x->a.mem.calls + x->b.mem.calls - calls,
           (unsigned long long)mrc_ep_counters_get(x->a.ep)->tx_rtx,
           narrow ? ", one port at a time" : "");
    mrc_ep_free(x->a.ep);
    mrc_ep_free(x->b.ep);
    free(x->bytes);
    free(x);
}

int main(int argc, char **argv)
{
    static const unsigned qps[] = {1, 100, 10000};
    printf("4 KiB packets, %d EVs a QP, messages of %d packets, CPU time\n", EVS, MESSAGE / MTU);
    for (int i = 1; i < argc; i++)
        run((unsigned)atoi(argv[i]), false);
    for (unsigned i = 0; argc == 1 && i < 2 * sizeof qps / sizeof qps[0]; i++)
        run(qps[i / 2], i % 2 == 1);
    return 0;
}
