/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device of an agent and the reference endpoint, each writing to the other over a wire that
 * loses nothing and takes one microsecond. Enough to see that an agent does what it claims.
 */
#include "harness/dut/agent_check.h"

#include <isa-l.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_BYTES    9000u
#define BENCH_VA       UINT64_C(0x7F0000001000)
#define BENCH_STEPS    20000u
#define BENCH_LIMIT_NS UINT64_C(1000000000)
#define BENCH_WIRE_NS  UINT64_C(1000)
#define BENCH_EVS      4u /* a port */
#define BENCH_ROOM     64u

/* A frame under way: its bytes, and when and where it arrives. */
struct flight {
    uint64_t at_ns;
    unsigned to, port;
    size_t len;
    uint8_t bytes[MRC_FRAME_MAX];
};

struct bench {
    struct mrct_bench *b;
    struct mrct_dut *d[2]; /* 0: the device's, 1: the reference */
    uint32_t qpn[2];
    uint8_t *mem[2], *from[2];
    struct mrc_mr mr[2];
    struct flight *flights; /* ring: what leaves first arrives first */
    size_t first, count;
    bool done[2], told[2], trimmed;
    char *err;
    size_t err_cap;
};

void mrct_bench_init(struct mrct_bench *b)
{
    *b = (struct mrct_bench){0};
    mrc_ep_config_default(&b->cfg);
    mrc_qp_attr_default(&b->attr);
    b->cfg.ports = 1;
    b->cfg.qps_max = 1;
    b->cfg.mrs_max = 4;
    b->cfg.ecn_capable = true;
    for (unsigned p = 0; p < MRC_EP_PORTS_MAX; p++)
        b->cfg.port_addr[p].is_v6 = true;
}

static int fail(struct bench *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct bench *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(w->err, w->err_cap, fmt, ap);
    va_end(ap);
    return -1;
}

/* ---- setting up ---- */

static struct mrc_addr address(const struct mrct_bench *b, unsigned host, unsigned port)
{
    struct mrc_addr a = {.is_v6 = b->cfg.port_addr[0].is_v6};
    const uint8_t mac[6] = {2, 0, 0, 0, (uint8_t)(host + 1), (uint8_t)(port + 1)};
    memcpy(a.mac, mac, sizeof mac);
    if (a.is_v6) {
        a.ip[0] = 0xFD;
        a.ip[5] = (uint8_t)(port + 1);
        a.ip[15] = (uint8_t)(host + 1);
    } else {
        const uint8_t ip[4] = {10, (uint8_t)port, 0, (uint8_t)(host + 1)};
        memcpy(a.ip, ip, sizeof ip);
    }
    return a;
}

static int set_qp(struct bench *w, unsigned host)
{
    struct mrc_ev evs[BENCH_EVS * MRC_EP_PORTS_MAX];
    struct mrc_qp_attr attr = w->b->attr;
    for (unsigned i = 0; i < BENCH_EVS * w->b->cfg.ports; i++)
        evs[i] = (struct mrc_ev){.value = mrc_ev_from_fields(
                                     &w->b->cfg.wire, (uint16_t)(0xC000u + (size_t)17 * i + host),
                                     0, w->b->cfg.port_addr[0].is_v6),
                                 .port = (uint8_t)(i / BENCH_EVS)};
    attr.qpn = 100 + host;
    attr.start_psn = 0xFFFFF0 + host;
    attr.evs = evs;
    attr.ev_count = BENCH_EVS * w->b->cfg.ports;
    const int64_t qpn = w->d[host]->ops->create_qp(w->d[host], &attr);
    w->qpn[host] = (uint32_t)qpn;
    return qpn > 0 ? 0 : fail(w, "no QP could be made");
}

static int set_peer(struct bench *w, unsigned host)
{
    const struct mrc_qp_attr *const attr = &w->b->attr;
    struct mrc_qp_peer peer = {
        .qpn = w->qpn[1 - host],
        .start_psn = 0xFFFFF0 + 1 - host,
        .max_wimm_dest = attr->max_wimm_dest,
        .mpr_dest = attr->mpr_dest,
        .dynamic_mpr = attr->dynamic_mpr,
        .trim_nack = attr->trim_nack,
        .svc_time = attr->svc_time,
    };
    for (unsigned p = 0; p < w->b->cfg.ports; p++)
        peer.addr[p] = address(w->b, 1 - host, p);
    return w->d[host]->ops->connect(w->d[host], w->qpn[host], &peer) == 0
               ? 0
               : fail(w, "the QP could not be connected");
}

static int set_memory(struct bench *w, unsigned host)
{
    struct mrct_dut *const d = w->d[host];
    w->mem[host] = calloc(1, BENCH_BYTES);
    w->from[host] = malloc(BENCH_BYTES);
    if (w->mem[host] == NULL || w->from[host] == NULL)
        return fail(w, "out of memory");
    for (size_t i = 0; i < BENCH_BYTES; i++)
        w->from[host][i] = (uint8_t)(i * 7 + i / 251 + 3 * (size_t)host + 1);
    w->mr[host] = (struct mrc_mr){.mem = w->mem[host],
                                  .va = BENCH_VA,
                                  .len_bytes = BENCH_BYTES,
                                  .access = MRC_MR_REMOTE_WRITE};
    if (d->ops->map != NULL && d->ops->map(d, w->mem[host], BENCH_VA, BENCH_BYTES) != 0)
        return fail(w, "memory could not be had");
    return d->ops->register_mr(d, &w->mr[host]) == 0 ? 0
                                                     : fail(w, "memory could not be registered");
}

static int post(struct bench *w, unsigned host)
{
    struct mrct_dut *const d = w->d[host];
    const struct mrc_write wr = {.wr_id = 1 + host,
                                 .local = w->from[host],
                                 .len_bytes = BENCH_BYTES,
                                 .remote_va = BENCH_VA,
                                 .rkey = w->mr[1 - host].rkey,
                                 .has_imm = w->b->imm,
                                 .imm = 0x1234};
    if (w->b->imm && d->ops->post_recv(d, w->qpn[host], 50 + host) != 0)
        return fail(w, "a receive could not be posted");
    return d->ops->post_write(d, w->qpn[host], 0, &wr) == 0
               ? 0
               : fail(w, "a write could not be posted");
}

/* ---- running ---- */

static void look(struct mrct_bench *b, const uint8_t *bytes, size_t len, unsigned port)
{
    struct mrc_pkt p = {0};
    const enum mrc_wire_error e = mrc_pkt_decode(&b->cfg.wire, bytes, len, len, true, &p);
    b->frames++;
    b->hash = crc32_gzip_refl(b->hash, bytes, len);
    if (e != MRC_WIRE_OK)
        return;
    b->requests += mrc_op_is_write(p.bth.opcode);
    b->with_vlan += p.vlan_count > 0;
    b->srv6 += p.has_outer;
    b->trim_nacks +=
        p.bth.opcode == MRC_OP_NACK &&
        (p.neth.nack_reason == MRC_NACK_TRIMMED || p.neth.nack_reason == MRC_NACK_TRIMMED_LASTHOP);
    if (!mrc_op_is_write(p.bth.opcode))
        return;
    b->ports |= UINT64_C(1) << port;
    b->with_tseth += MRC_PKT_HAS(&p, TSETH);
    b->with_imm += MRC_PKT_HAS(&p, IMMDT);
    b->trimmable += p.dscp == b->cfg.wire.dscp[MRC_DSCP_TRIMMABLE] ||
                    p.dscp == b->cfg.wire.dscp[MRC_DSCP_TRIMMABLE_RETX];
}

/* What a switch leaves of a packet over IPv6: its headers, in the class that says so. */
static void trim(struct bench *w, struct flight *f)
{
    struct mrc_pkt p = {0};
    if (w->trimmed || mrc_pkt_decode(&w->b->cfg.wire, f->bytes, f->len, f->len, true, &p) != 0 ||
        !mrc_op_is_write(p.bth.opcode) || !p.is_v6 || p.payload_len < 512)
        return;
    uint8_t *const ip = f->bytes + p.off[MRC_HDR_IPV6];
    const unsigned dscp = w->b->cfg.wire.dscp[MRC_DSCP_TRIMMED];
    f->len = (size_t)p.hdr_end + 64;
    const size_t left = f->len - p.off[MRC_HDR_IPV6] - MRC_IPV6_LEN;
    ip[0] = (uint8_t)(0x60u | dscp >> 2);
    ip[1] = (uint8_t)((ip[1] & 0x3Fu) | (dscp & 3u) << 6);
    ip[4] = (uint8_t)(left >> 8);
    ip[5] = (uint8_t)left;
    w->trimmed = true;
}

static bool send_all(struct bench *w, unsigned host, uint64_t now_ns)
{
    uint64_t mask = (UINT64_C(1) << w->b->cfg.ports) - 1;
    bool any = false;
    while (mask != 0 && w->count < BENCH_ROOM) {
        struct mrc_frame f;
        const int port = w->d[host]->ops->output(w->d[host], now_ns, mask, &f);
        if (port < 0)
            break;
        mask &= ~(UINT64_C(1) << port);
        struct flight *const fl = &w->flights[(w->first + w->count++) % BENCH_ROOM];
        fl->len = mrc_frame_gather(&w->b->cfg.wire, &f, fl->bytes, sizeof fl->bytes);
        fl->at_ns = now_ns + BENCH_WIRE_NS;
        fl->to = 1 - host;
        fl->port = (unsigned)port;
        if (host == 0)
            look(w->b, fl->bytes, fl->len, (unsigned)port);
        else if (w->b->trim)
            trim(w, fl);
        any = true;
    }
    return any;
}

static void hear(struct bench *w)
{
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_ep_event ev;
        while (w->d[h]->ops->poll(w->d[h], &ev)) {
            w->done[h] =
                w->done[h] || (ev.kind == MRC_EVENT_SEND_DONE && ev.status == MRC_WC_SUCCESS);
            w->told[h] = w->told[h] || (ev.kind == MRC_EVENT_RECV_IMM && ev.imm == 0x1234);
        }
    }
}

/* The next moment at which anything happens; time goes on by one at least, so that a wire is not
 * used twice at once. */
static uint64_t next_ns(const struct bench *w, uint64_t now_ns)
{
    uint64_t at = w->count > 0 ? w->flights[w->first].at_ns : MRC_TIME_NEVER;
    for (unsigned h = 0; h < 2; h++) {
        const uint64_t due = w->d[h]->ops->deadline(w->d[h]);
        at = due < at ? due : at;
    }
    return at <= now_ns ? now_ns + 1 : at;
}

static void play(struct bench *w)
{
    uint64_t now = 0;
    for (unsigned step = 0; step < BENCH_STEPS && now < BENCH_LIMIT_NS; step++) {
        const bool one = send_all(w, 0, now);
        const bool other = send_all(w, 1, now);
        const bool sent = one || other;
        hear(w);
        const uint64_t at = next_ns(w, now);
        if (at == MRC_TIME_NEVER || (!sent && w->count == 0 && w->done[0] && w->done[1]))
            return;
        now = sent && at > now + 400 ? now + 400 : at; /* ports are free again soon */
        if (w->count > 0 && w->flights[w->first].at_ns <= now) {
            const struct flight *const fl = &w->flights[w->first];
            struct mrc_frame f;
            mrct_msg_frame(&w->b->cfg.wire, fl->bytes, fl->len, &f);
            w->first = (w->first + 1) % BENCH_ROOM;
            w->count--;
            w->d[fl->to]->ops->input(w->d[fl->to], now, fl->port, &f);
        }
        for (unsigned h = 0; h < 2; h++)
            if (w->d[h]->ops->deadline(w->d[h]) <= now)
                w->d[h]->ops->tick(w->d[h], now);
    }
}

/* ---- what only some can do ---- */

static int control(struct bench *w)
{
    struct mrct_dut *const d = w->d[0];
    struct mrc_ev_info info;
    if (w->b->set_mpr && (d->ops->set_mpr == NULL || d->ops->set_mpr(d, w->qpn[0], 0, 16) != 0))
        return fail(w, "'set_mpr' was refused");
    if (w->b->ev_control &&
        (d->ops->ev_query == NULL || d->ops->ev_query(d, w->qpn[0], 0, &info, 1) != 1 ||
         d->ops->ev_set_state(d, w->qpn[0], 0, info.ev, MRC_EV_DENIED) != 0))
        return fail(w, "'evs' or 'ev_state' was refused");
    if (w->b->port_control &&
        (d->ops->port_set == NULL || d->ops->port_set(d, 0, w->b->cfg.ports - 1, false) != 0 ||
         d->ops->port_set(d, 0, w->b->cfg.ports - 1, true) != 0))
        return fail(w, "'port' was refused");
    return 0;
}

static int run(struct bench *w)
{
    for (unsigned h = 0; h < 2; h++)
        if (set_memory(w, h) != 0 || set_qp(w, h) != 0)
            return -1;
    if (set_peer(w, 0) != 0 || set_peer(w, 1) != 0 || control(w) != 0 || post(w, 0) != 0 ||
        post(w, 1) != 0)
        return -1;
    play(w);
    if (w->d[0]->ops->fetch != NULL &&
        w->d[0]->ops->fetch(w->d[0], w->mem[0], BENCH_VA, BENCH_BYTES) != 0)
        return fail(w, "its memory could not be read");
    w->b->sent = w->done[0] && memcmp(w->mem[1], w->from[0], BENCH_BYTES) == 0;
    w->b->received =
        w->done[1] && memcmp(w->mem[0], w->from[1], BENCH_BYTES) == 0 && (!w->b->imm || w->told[0]);
    return 0;
}

int mrct_bench_run(struct mrct_bench *b, struct mrct_agent *a, const char *case_id, char *err,
                   size_t err_cap)
{
    struct bench w = {.b = b, .err = err, .err_cap = err_cap};
    struct mrc_ep_config cfg = b->cfg;
    int error = 0;
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned p = 0; p < cfg.ports; p++)
            cfg.port_addr[p] = address(b, h, p);
        const struct mrct_agent_case c = {.case_id = case_id, .cfg = &cfg, .seed = 1};
        w.d[h] = h == 0 ? mrct_agent_begin(a, "device", &c, &error) : mrct_dut_reference(&cfg, 2);
    }
    w.flights = calloc(BENCH_ROOM, sizeof *w.flights);
    int rc = 0;
    if (w.d[0] == NULL)
        rc = fail(&w, "%s", mrct_agent_why(a));
    else if (w.d[1] == NULL || w.flights == NULL)
        rc = fail(&w, "out of memory");
    else
        rc = run(&w);
    if (mrct_agent_broken(a) || (rc != 0 && mrct_agent_why(a)[0] != '\0'))
        rc = fail(&w, "%s", mrct_agent_why(a));
    for (unsigned h = 0; h < 2; h++) {
        if (w.d[h] != NULL)
            w.d[h]->ops->free(w.d[h]);
        free(w.mem[h]);
        free(w.from[h]);
    }
    free(w.flights);
    return rc;
}
