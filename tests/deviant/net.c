/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/deviant/net.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLANES 2u
#define EVS    16u
#define QPS    4u /* 0: all that goes on; 1: a refused access; 2: a dead link; 3: UNEXP_EVENT */
#define MTU    256u
#define REGION (1u << 20)
#define BASE   UINT64_C(0x10000)
#define START  0xFFFF00u
#define HAS(h) (UINT32_C(1) << MRC_HDR_##h)

/* Times of the phases, ns. */
#define AT_WINDOW UINT64_C(2000000)
#define AT_INJECT UINT64_C(6000000)
#define AT_REFUSE UINT64_C(7000000)
#define AT_LAST   UINT64_C(8000000)
#define AT_UNEXP  UINT64_C(8005000) /* under way, and no SACK back yet */
#define AT_DEAD   UINT64_C(9000000)
#define AT_END    UINT64_C(40000000)

struct net {
    const struct net_options *opt;
    struct net_log *log;
    unsigned watched;
    struct mrct_dut *host[2];
    struct mrct_fab *fab;
    struct mrc_wire_config wire;
    uint32_t qpn[2][QPS];
    struct mrc_ev evs[EVS];
    uint8_t *from, *to;
    struct mrc_mr mr;
    uint64_t next_va, wr_id;
    unsigned phase;
};

static void *grown(void *p, size_t need, size_t *cap, size_t each)
{
    if (need <= *cap)
        return p;
    *cap = need * 2 + 64;
    void *const q = realloc(p, *cap * each);
    ck_assert_ptr_nonnull(q);
    return q;
}

void net_log_fini(struct net_log *log)
{
    free(log->frames);
    free(log->events);
}

static void tap(void *user, unsigned host, bool out, uint64_t now_ns, unsigned plane,
                const uint8_t *bytes, size_t len)
{
    struct net *const n = user;
    struct net_log *const log = n->log;
    if (!out || host != n->watched)
        return;
    log->frames = grown(log->frames, log->count + 1, &log->cap, sizeof *log->frames);
    struct net_frame *const f = &log->frames[log->count++];
    *f = (struct net_frame){.at_ns = now_ns, .plane = (uint16_t)plane, .len = (uint16_t)len};
    ck_assert_uint_le(len, sizeof f->bytes);
    memcpy(f->bytes, bytes, len);
}

static void note(struct net_log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(struct net_log *log, const char *fmt, ...)
{
    va_list ap;
    log->events = grown(log->events, log->events_len + 200, &log->events_cap, 1);
    va_start(ap, fmt);
    log->events_len += (size_t)vsnprintf(log->events + log->events_len, 200, fmt, ap);
    va_end(ap);
}

static void addr(struct mrc_addr *a, unsigned host, unsigned plane)
{
    *a = (struct mrc_addr){.is_v6 = true};
    a->ip[0] = 0xFD;
    a->ip[1] = a->mac[1] = (uint8_t)plane;
    a->ip[15] = a->mac[5] = (uint8_t)(host + 1);
    a->mac[0] = 2;
}

static void hosts_new(struct net *n, const struct mrct_deviant *deviant)
{
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_ep_config cfg;
        mrc_ep_config_default(&cfg);
        cfg.ports = PLANES;
        cfg.path_mtu = MTU;
        cfg.qps_max = QPS;
        cfg.send_tseth = !n->opt->no_tseth;
        cfg.sack_gen_threshold_bytes = 8192;
        for (unsigned p = 0; p < PLANES; p++)
            addr(&cfg.port_addr[p], h, p);
        const bool lies = deviant != NULL && deviant->as_requestor == (h == 0);
        n->host[h] = lies ? deviant->make(&cfg, 77 + h) : mrct_dut_reference(&cfg, 77 + h);
        ck_assert_ptr_nonnull(n->host[h]);
        mrct_fab_attach(n->fab, h, n->host[h]);
        n->wire = cfg.wire;
    }
}

static void attr_of(const struct net *n, unsigned q, struct mrc_qp_attr *a)
{
    mrc_qp_attr_default(a);
    a->start_psn = START;
    a->evs = n->evs;
    a->ev_count = EVS;
    a->trim_nack = !n->opt->no_trim_nack;
    a->dynamic_mpr = n->opt->dynamic_mpr;
    a->cwnd_bytes = 4u << 20;
    a->timeout = q == 2 ? 4 : 9;
    a->linear_cnt = 3;
    a->exp_cnt = 3;
    a->exp_ceiling_ns = UINT64_C(50000000);
}

static void qps_new(struct net *n)
{
    for (unsigned q = 0; q < QPS; q++) {
        struct mrc_qp_attr a;
        attr_of(n, q, &a);
        for (unsigned h = 0; h < 2; h++) {
            a.qpn = 0x100 + 16 * q + 8 * h;
            const int64_t qpn = n->host[h]->ops->create_qp(n->host[h], &a);
            ck_assert_int_gt(qpn, 2);
            n->qpn[h][q] = (uint32_t)qpn;
        }
        for (unsigned h = 0; h < 2; h++) {
            struct mrc_qp_peer p = {.qpn = n->qpn[1 - h][q],
                                    .start_psn = START,
                                    .max_wimm_dest = a.max_wimm_dest,
                                    .mpr_dest = a.mpr_dest,
                                    .dynamic_mpr = a.dynamic_mpr,
                                    .trim_nack = a.trim_nack};
            for (unsigned i = 0; i < PLANES; i++)
                addr(&p.addr[i], 1 - h, i);
            ck_assert_int_eq(n->host[h]->ops->connect(n->host[h], n->qpn[h][q], &p), 0);
            (void)mrct_fab_flow(n->fab, h, n->qpn[h][q], n->qpn[1 - h][q], START);
        }
    }
}

/* ---- faults: PSNs count from the first of QP 0 ---- */

static const struct {
    enum mrct_fault_act act;
    int64_t psn, arg;
    uint64_t arg_ns;
    const char *field;
    int nth_last; /* of the packets with this PSN */
    bool mend;
} faults[] = {
    {MRCT_ACT_DUPLICATE, 10, 0, 500000, "", 1, false}, /* an old one by then */
    {MRCT_ACT_DROP, 20, 0, 0, "", 1, false},
    {MRCT_ACT_DROP, 24, 0, 0, "", 1, false},
    {MRCT_ACT_DROP, 27, 0, 0, "", 1, false},
    {MRCT_ACT_MARK_CE, 35, 0, 0, "", 1, false},
    {MRCT_ACT_TRIM, 45, 0, 0, "", 1, false},
    {MRCT_ACT_TRIM, 60, 1, 0, "", 2, false}, /* and its retransmission */
    {MRCT_ACT_CORRUPT, 75, 0, 0, "", 1, false},
    {MRCT_ACT_CORRUPT, 90, 0, 0, "bth.tver", 1, true},
    {MRCT_ACT_DROP, 249, 0, 0, "", 1, false}, /* before immediate data */
    {MRCT_ACT_DROP, 320, 0, 0, "", 3, false}, /* the window fills behind it */
};

static void faults_add(struct net *n)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct mrct_fault_rule r;
        mrct_fault_rule_init(&r);
        r.match.direction = 0;
        r.match.dest_qp = (int64_t)n->qpn[1][0];
        r.match.psn_first = r.match.psn_last = faults[i].psn;
        r.match.nth_last = faults[i].nth_last;
        r.act = faults[i].act;
        r.arg = faults[i].arg;
        r.arg_ns = faults[i].arg_ns;
        r.bit = 500;
        r.value = 3;
        r.mend_icrc = faults[i].mend;
        (void)snprintf(r.field, sizeof r.field, "%s", faults[i].field);
        ck_assert_int_ge(mrct_fab_add_rule(n->fab, &r), 0);
    }
    for (unsigned p = 0; p < PLANES; p++)
        (void)mrct_fab_link(n->fab, AT_DEAD, -1, p, -1, false);
}

/* ---- traffic ---- */

static void post(struct net *n, uint64_t now_ns, unsigned q, uint32_t len, bool imm, uint32_t rkey)
{
    const struct mrc_write w = {.wr_id = n->wr_id,
                                .local = n->from + (n->next_va - BASE),
                                .len_bytes = len,
                                .remote_va = n->next_va,
                                .rkey = rkey,
                                .has_imm = imm,
                                .imm = 0x1000 + (uint32_t)n->wr_id};
    n->wr_id++;
    n->next_va += len + 8; /* room for a byte too many */
    ck_assert_uint_le(n->next_va - BASE, REGION);
    (void)n->host[0]->ops->post_write(n->host[0], n->qpn[0][q], now_ns, &w);
}

static void phase_plain(struct net *n, uint64_t now_ns)
{
    post(n, now_ns, 0, 60000, false, n->mr.rkey);
    for (uint32_t len = 1; len < 8; len++)
        post(n, now_ns, 0, len, false, n->mr.rkey);
    post(n, now_ns, 0, 600, false, n->mr.rkey);
    post(n, now_ns, 0, 600, false, n->mr.rkey);
    for (unsigned i = 0; i < 40; i++)
        post(n, now_ns, 0, 50, true, n->mr.rkey);
    for (unsigned i = 0; i < 3; i++)
        post(n, now_ns, 0, 700, true, n->mr.rkey);
}

static void phase_window(struct net *n, uint64_t now_ns)
{
    post(n, now_ns, 0, 400000, false, n->mr.rkey);
}

static void inject(struct net *n, uint64_t now_ns, unsigned host, struct mrc_pkt *p, unsigned cut)
{
    struct mrc_frame f;
    struct mrc_addr a;
    p->present |= HAS(ETH) | HAS(IPV6) | HAS(UDP) | HAS(BTH);
    p->is_v6 = true;
    p->ip6.version = 6;
    p->ip6.hop_limit = 64;
    addr(&a, 1 - host, 0);
    memcpy(p->ip6.src, a.ip, sizeof p->ip6.src);
    memcpy(p->eth.src, a.mac, sizeof p->eth.src);
    addr(&a, host, 0);
    memcpy(p->ip6.dst, a.ip, sizeof p->ip6.dst);
    memcpy(p->eth.dst, a.mac, sizeof p->eth.dst);
    p->udp.dst_port = 4791;
    p->bth.pkey = 0xFFFF;
    ck_assert_int_eq(mrc_pkt_encode(&n->wire, p, &f), 0);
    if (cut > 0) {
        struct mrc_pkt whole;
        ck_assert_int_eq(mrc_pkt_decode_frame(&n->wire, &f, &whole), MRC_WIRE_OK);
        f.hdr_len = (uint16_t)(f.hdr_len - cut);
        f.hdr[whole.off[MRC_HDR_IPV6] + 5] = (uint8_t)(whole.ip6.payload_len - cut);
        f.hdr[whole.off[MRC_HDR_UDP] + 5] = (uint8_t)(whole.udp.length - cut);
    }
    n->host[host]->ops->input(n->host[host], now_ns, 0, &f);
}

static void phase_inject(struct net *n, uint64_t now_ns)
{
    struct mrc_pkt p = {.erth = {.op = MRC_EP_OP_EV_PROBE, .tx_timestamp = 0x123, .ftype = 1}};
    p.present = HAS(ERTH);
    p.bth.opcode = MRC_OP_EP_REQUEST;
    p.bth.dest_qp = 2;
    p.bth.psn = 5;
    inject(n, now_ns, 1, &p, 0);

    p = (struct mrc_pkt){.present = HAS(METH) | HAS(RETH)};
    p.bth.opcode = MRC_OP_WRITE_ONLY;
    p.bth.dest_qp = n->qpn[1][0];
    p.bth.psn = (START + 3300) & 0xFFFFFF; /* 1440 above all that came, in a window of 1024 */
    p.reth = (struct mrc_reth){.va = BASE, .rkey = n->mr.rkey, .dma_len = 4};
    p.payload = n->from;
    p.payload_len = 4;
    inject(n, now_ns, 1, &p, 0);

    p.bth.a = 1;
    p.payload_len = 0;
    inject(n, now_ns, 1, &p, 8);
}

static void phase_unexp(struct net *n, uint64_t now_ns)
{
    struct mrc_pkt p = {.present = HAS(NETH)};
    p.bth.opcode = MRC_OP_NACK;
    p.bth.dest_qp = n->qpn[0][3];
    p.bth.psn = p.neth.nack_psn = START;
    p.neth.nack_reason = MRC_NACK_UNEXP_EVENT;
    p.neth.cc_type = 2;
    inject(n, now_ns, 0, &p, 0);
}

static void phases(struct net *n, uint64_t now_ns)
{
    static const uint64_t at[] = {0, AT_WINDOW, AT_INJECT, AT_REFUSE, AT_LAST, AT_UNEXP, AT_DEAD};
    if (n->phase == sizeof at / sizeof at[0] || now_ns < at[n->phase])
        return;
    switch (n->phase++) {
    case 0:
        phase_plain(n, now_ns);
        break;
    case 1:
        phase_window(n, now_ns);
        break;
    case 2:
        phase_inject(n, now_ns);
        break;
    case 3:
        post(n, now_ns, 1, 100, false, n->mr.rkey + 1000);
        break;
    case 4:
        post(n, now_ns, 3, 200000, false, n->mr.rkey);
        break;
    case 5:
        phase_unexp(n, now_ns);
        break;
    default:
        post(n, now_ns, 2, 100, false, n->mr.rkey);
        break;
    }
}

static void step(void *user, uint64_t now_ns)
{
    struct net *const n = user;
    struct mrc_ep_event e;
    for (unsigned h = 0; h < 2; h++)
        while (n->host[h]->ops->poll(n->host[h], &e))
            if (h == n->watched)
                note(n->log, "%u kind %d status %d qp 0x%x wr %llu imm 0x%x\n", h, (int)e.kind,
                     (int)e.status, e.qpn, (unsigned long long)e.wr_id, e.imm);
    phases(n, now_ns);
}

static void net_new(struct net *n, const struct mrct_deviant *deviant)
{
    struct mrct_fab_config cfg;
    mrct_fab_config_default(&cfg);
    cfg.planes = PLANES;
    cfg.latency_ns = 10000;
    cfg.latency_step_ns = 20;
    n->fab = mrct_fab_new(&cfg, 1);
    ck_assert_ptr_nonnull(n->fab);
    mrct_fab_set_tap(n->fab, tap, n);
    for (uint32_t i = 0; i < EVS; i++)
        n->evs[i] = (struct mrc_ev){0xC0000000u + 0x50000u * i + i, (uint8_t)(i % PLANES)};
    hosts_new(n, deviant);
    qps_new(n);
    n->from = malloc(REGION);
    n->to = calloc(1, REGION);
    for (uint32_t i = 0; i < REGION; i++)
        n->from[i] = (uint8_t)(i * 31 + i / 251);
    n->next_va = BASE;
    n->mr = (struct mrc_mr){
        .mem = n->to, .va = BASE, .len_bytes = REGION, .access = MRC_MR_REMOTE_WRITE};
    ck_assert_int_eq(n->host[1]->ops->register_mr(n->host[1], &n->mr), 0);
    for (unsigned i = 0; i < 60; i++)
        (void)n->host[1]->ops->post_recv(n->host[1], n->qpn[1][0], 9000 + i);
    faults_add(n);
}

void net_run(const struct mrct_deviant *deviant, unsigned watched, const struct net_options *opt,
             struct net_log *log)
{
    struct net n = {.opt = opt, .log = log, .watched = watched};
    struct mrct_fab_account a;
    *log = (struct net_log){0};
    net_new(&n, deviant);
    for (uint64_t at = 1000000; at <= AT_END; at += 1000000)
        (void)mrct_fab_wake(n.fab, at);
    (void)mrct_fab_wake(n.fab, AT_UNEXP);
    (void)mrct_fab_run(n.fab, AT_END, step, &n);
    ck_assert_msg(mrct_fab_error(n.fab) == NULL, "%s: %s",
                  deviant != NULL ? deviant->name : "reference", mrct_fab_error(n.fab));
    mrct_fab_account_get(n.fab, &a);
    ck_assert(mrct_fab_account_balanced(&a));
    log->memory = 2166136261u;
    for (uint32_t i = 0; i < REGION; i++)
        log->memory = (log->memory ^ n.to[i]) * 16777619u;
    mrct_fab_free(n.fab);
    n.host[0]->ops->free(n.host[0]);
    n.host[1]->ops->free(n.host[1]);
    free(n.from);
    free(n.to);
}
