/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/endpoint/rig.h"
#include "ref/endpoint/rng.h"
#include <stdlib.h>
#include <string.h>

struct rig_event {
    struct rig_event *next;
    uint64_t at_ns, order;
    unsigned to, port;
    enum mrc_trim trim;
    size_t len;
    uint8_t bytes[MRC_FRAME_MAX];
};

static void host_init(struct rig *r, unsigned h)
{
    struct rig_host *host = &r->host[h];
    mrc_ep_config_default(&host->cfg);
    host->cfg.ports = RIG_PORTS;
    host->cfg.path_mtu = 1024;
    for (unsigned i = 0; i < RIG_PORTS; i++) {
        struct mrc_addr *a = &host->cfg.port_addr[i];
        a->is_v6 = true;
        a->ip[0] = 0xFD;
        a->ip[7] = (uint8_t)(i + 1);
        a->ip[15] = (uint8_t)(h + 1);
        a->mac[0] = 2;
        a->mac[4] = (uint8_t)i;
        a->mac[5] = (uint8_t)h;
    }
    mrc_qp_attr_default(&host->attr);
    host->attr.qpn = h == 0 ? 0x22 : 0x11;
    host->attr.start_psn = h == 0 ? 100 : 5000;
    host->attr.trim_nack = true;
    host->attr.evs = r->evs;
    host->attr.ev_count = RIG_PORTS * 4;
}

void rig_init(struct rig *r)
{
    memset(r, 0, sizeof *r);
    for (unsigned i = 0; i < RIG_PORTS * 8; i++)
        r->evs[i] = (struct mrc_ev){.value = 0x10000u * (i + 1) + i, .port = (uint8_t)(i % 4)};
    r->port_mask = ~UINT64_C(0);
    r->latency_ns = RIG_LATENCY;
    r->fill_bytes = 5u << 18;
    r->now_ns = 1000;
    host_init(r, 0);
    host_init(r, 1);
    r->log = calloc(RIG_LOG, sizeof *r->log);
    ck_assert_ptr_nonnull(r->log);
}

static void peer_of(const struct rig *r, unsigned h, struct mrc_qp_peer *peer)
{
    const struct rig_host *o = &r->host[1 - h];
    *peer = (struct mrc_qp_peer){
        .qpn = o->qpn,
        .start_psn = o->attr.start_psn,
        .max_wimm_dest = o->attr.max_wimm_dest,
        .mpr_dest = o->attr.mpr_dest,
        .dynamic_mpr = o->attr.dynamic_mpr,
        .trim_nack = o->attr.trim_nack,
        .svc_time = o->attr.svc_time,
        .srv6 = o->srv6,
    };
    memcpy(peer->addr, o->cfg.port_addr, sizeof peer->addr);
}

void rig_connect(struct rig *r)
{
    for (unsigned h = 0; h < 2; h++) {
        struct mrc_qp_peer peer;
        peer_of(r, h, &peer);
        ck_assert_int_eq(mrc_qp_connect(r->host[h].ep, r->host[h].qpn, &peer), MRC_EP_OK);
    }
}

void rig_start(struct rig *r)
{
    for (unsigned h = 0; h < 2; h++) {
        struct rig_host *host = &r->host[h];
        int err = 0;
        host->ep = mrc_ep_new(&host->cfg, 7 + h, &err);
        ck_assert_ptr_nonnull(host->ep);
        host->mem = calloc(1, RIG_MEM);
        ck_assert_ptr_nonnull(host->mem);
        host->mr = (struct mrc_mr){
            .mem = host->mem, .va = RIG_VA, .len_bytes = RIG_MEM, .access = MRC_MR_REMOTE_WRITE};
        ck_assert_int_eq(mrc_ep_register(host->ep, &host->mr), MRC_EP_OK);
    }
    if (r->before_qps)
        r->before_qps(r);
    for (unsigned h = 0; h < 2; h++) {
        struct rig_host *host = &r->host[h];
        const int64_t qpn = mrc_qp_create(host->ep, &host->attr);
        ck_assert_int_gt(qpn, 2);
        host->qpn = (uint32_t)qpn;
    }
    rig_connect(r);
    rig_fill(r, 0, 1);
    rig_fill(r, 1, 2);
}

void rig_fini(struct rig *r)
{
    for (unsigned h = 0; h < 2; h++) {
        mrc_ep_free(r->host[h].ep);
        free(r->host[h].mem);
    }
    while (r->queue) {
        struct rig_event *e = r->queue;
        r->queue = e->next;
        free(e);
    }
    free(r->log);
}

void rig_fill(struct rig *r, unsigned h, uint32_t seed)
{
    struct mrc_rng rng;
    mrc_rng_seed(&rng, seed);
    for (uint32_t i = 0; i < r->fill_bytes; i += 8) {
        const uint64_t x = mrc_rng_next(&rng);
        memcpy(r->host[h].mem + i, &x, sizeof x);
    }
}

bool rig_same(const struct rig *r, unsigned from, uint32_t src, uint32_t dst, uint32_t len)
{
    return memcmp(r->host[from].mem + src, r->host[1 - from].mem + dst, len) == 0;
}

static void enqueue(struct rig *r, const struct rig_event *proto, uint64_t at_ns)
{
    struct rig_event *e = malloc(sizeof *e);
    ck_assert_ptr_nonnull(e);
    *e = *proto;
    e->at_ns = at_ns;
    e->order = r->order++;
    struct rig_event **p = &r->queue;
    while (*p && (*p)->at_ns <= at_ns)
        p = &(*p)->next;
    e->next = *p;
    *p = e;
}

/* DSCP and ECN of the (IPv6 or IPv4) header, in place; neither is covered by the ICRC. */
static void set_class(const struct rig *r, struct rig_event *e, const struct mrc_pkt *p, int ecn,
                      int cls)
{
    const unsigned at = p->off[p->is_v6 ? MRC_HDR_IPV6 : MRC_HDR_IPV4];
    unsigned tc =
        p->is_v6 ? (unsigned)((e->bytes[at] & 15) << 4 | e->bytes[at + 1] >> 4) : e->bytes[at + 1];
    if (ecn >= 0)
        tc = (tc & ~3u) | (unsigned)ecn;
    if (cls >= 0)
        tc = (tc & 3u) | (unsigned)r->host[0].cfg.wire.dscp[cls] << 2;
    if (p->is_v6) {
        e->bytes[at] = (uint8_t)((e->bytes[at] & 0xF0) | tc >> 4);
        e->bytes[at + 1] = (uint8_t)((e->bytes[at + 1] & 0x0F) | (tc & 15) << 4);
    } else {
        e->bytes[at + 1] = (uint8_t)tc;
    }
}

/* What a trimming switch leaves: headers without payload, class and IP length rewritten. */
static void trim(const struct rig *r, struct rig_event *e, const struct mrc_pkt *p,
                 enum mrc_trim how)
{
    const unsigned ip = p->off[MRC_HDR_IPV6];
    const unsigned keep = p->off[MRC_HDR_RETH] + MRC_RETH_LEN;
    set_class(r, e, p, -1, how == MRC_TRIM_LASTHOP ? MRC_DSCP_TRIMMED_LASTHOP : MRC_DSCP_TRIMMED);
    ck_assert(p->is_v6);
    e->len = keep;
    e->bytes[ip + 4] = (uint8_t)((keep - ip - 40) >> 8);
    e->bytes[ip + 5] = (uint8_t)(keep - ip - 40);
}

static void log_frame(struct rig *r, const struct rig_frame *f)
{
    if (r->log_len == RIG_LOG)
        return;
    struct rig_log *l = &r->log[r->log_len++];
    *l = (struct rig_log){
        .time_ns = r->now_ns, .from = f->from, .port = f->port, .dropped = f->drop, .pkt = f->pkt};
    l->pkt.payload = NULL;
}

static void launch(struct rig *r, unsigned h, int port, const struct mrc_frame *frame)
{
    struct rig_event e = {.to = 1 - h, .port = (unsigned)port};
    struct rig_frame f = {.from = h,
                          .port = (unsigned)port,
                          .sent_ns = r->now_ns,
                          .flip_byte = -1,
                          .nth = ++r->sent[h]};
    e.len = mrc_frame_gather(&r->host[h].cfg.wire, frame, e.bytes, sizeof e.bytes);
    ck_assert_uint_gt(e.len, 0);
    ck_assert_int_eq(mrc_pkt_decode(&r->host[h].cfg.wire, e.bytes, e.len, e.len, true, &f.pkt),
                     MRC_WIRE_OK);
    if (r->hook)
        r->hook(r, &f, r->user);
    log_frame(r, &f);
    if (f.drop)
        return;
    if (f.mark_ce)
        set_class(r, &e, &f.pkt, 3, -1);
    if (f.trim != MRC_TRIM_NONE)
        trim(r, &e, &f.pkt, f.trim);
    if (f.flip_byte >= 0)
        e.bytes[f.flip_byte] ^= 0x10;
    for (unsigned i = 0; i <= f.copies; i++)
        enqueue(r, &e, r->now_ns + r->latency_ns + f.delay_ns + i);
}

static void deliver(struct rig *r)
{
    struct rig_event *e = r->queue;
    struct mrc_frame f;
    r->queue = e->next;
    if (mrc_frame_parse(&r->host[e->to].cfg.wire, e->bytes, e->len, &f) == 0)
        mrc_ep_input(r->host[e->to].ep, r->now_ns, e->port, &f);
    free(e);
}

static void poll_events(struct rig *r, unsigned h)
{
    struct rig_host *host = &r->host[h];
    struct mrc_ep_event ev;
    while (mrc_ep_poll_event(host->ep, &ev))
        if (host->event_count < RIG_EVENTS)
            host->events[host->event_count++] = ev;
}

static bool try_output(struct rig *r, unsigned h)
{
    struct mrc_frame f;
    if (r->next_out_ns[h] > r->now_ns)
        return false;
    const int port = mrc_ep_output(r->host[h].ep, r->now_ns, r->port_mask, &f);
    if (port < 0)
        return false;
    ck_assert((r->port_mask >> port & 1) != 0);
    launch(r, h, port, &f);
    r->next_out_ns[h] = r->now_ns + RIG_GAP;
    return true;
}

static uint64_t next_time(const struct rig *r, const bool more[2])
{
    uint64_t at = r->queue ? r->queue->at_ns : MRC_TIME_NEVER;
    for (unsigned h = 0; h < 2; h++) {
        const uint64_t d = mrc_ep_deadline(r->host[h].ep);
        at = d < at ? d : at;
        if (more[h] && r->next_out_ns[h] < at)
            at = r->next_out_ns[h];
    }
    return at < r->now_ns ? r->now_ns : at;
}

void rig_run(struct rig *r, uint64_t until_ns)
{
    bool more[2] = {true, true};
    for (;;) {
        for (unsigned h = 0; h < 2; h++) {
            if (mrc_ep_deadline(r->host[h].ep) <= r->now_ns)
                mrc_ep_tick(r->host[h].ep, r->now_ns);
            more[h] = try_output(r, h) || r->next_out_ns[h] > r->now_ns;
            poll_events(r, h);
        }
        const uint64_t at = next_time(r, more);
        if (at == MRC_TIME_NEVER)
            return;
        if (at > until_ns) {
            r->now_ns = until_ns;
            return;
        }
        r->now_ns = at;
        while (r->queue && r->queue->at_ns <= r->now_ns)
            deliver(r);
    }
}

static int post(struct rig *r, unsigned h, struct mrc_write *w, uint32_t src, uint32_t dst)
{
    w->local = r->host[h].mem + src;
    w->remote_va = RIG_VA + dst;
    w->rkey = r->host[1 - h].mr.rkey;
    return mrc_qp_post_write(r->host[h].ep, r->host[h].qpn, r->now_ns, w);
}

int rig_write(struct rig *r, unsigned h, uint64_t wr_id, uint32_t src, uint32_t dst, uint32_t len)
{
    struct mrc_write w = {.wr_id = wr_id, .len_bytes = len};
    return post(r, h, &w, src, dst);
}

int rig_write_imm(struct rig *r, unsigned h, uint64_t wr_id, uint32_t src, uint32_t dst,
                  uint32_t len, uint32_t imm)
{
    struct mrc_write w = {.wr_id = wr_id, .len_bytes = len, .has_imm = true, .imm = imm};
    return post(r, h, &w, src, dst);
}

void rig_packet(const struct rig *r, unsigned h, uint8_t opcode, uint32_t psn, struct mrc_pkt *p)
{
    const struct mrc_addr *from = &r->host[1 - h].cfg.port_addr[0];
    const struct mrc_addr *to = &r->host[h].cfg.port_addr[0];
    memset(p, 0, sizeof *p);
    p->present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_IPV6 | 1u << MRC_HDR_UDP | 1u << MRC_HDR_BTH;
    p->is_v6 = true;
    p->eth.ethertype = 0x86DD;
    p->ip6.version = 6;
    p->ip6.next_hdr = 17;
    p->ip6.hop_limit = 64;
    memcpy(p->ip6.src, from->ip, 16);
    memcpy(p->ip6.dst, to->ip, 16);
    p->udp.dst_port = 4791;
    p->bth.opcode = opcode;
    p->bth.pkey = 0xFFFF;
    p->bth.dest_qp = r->host[h].qpn;
    p->bth.psn = psn;
}

void rig_inject(struct rig *r, unsigned h, unsigned port, const struct mrc_pkt *p)
{
    struct mrc_frame f;
    ck_assert_int_eq(mrc_pkt_encode(&r->host[h].cfg.wire, p, &f), 0);
    mrc_ep_input(r->host[h].ep, r->now_ns, port, &f);
}

bool rig_take(struct rig *r, unsigned h, struct mrc_pkt *p)
{
    struct mrc_frame f;
    if (mrc_ep_output(r->host[h].ep, r->now_ns, r->port_mask, &f) < 0)
        return false;
    ck_assert_int_eq(mrc_pkt_decode_frame(&r->host[h].cfg.wire, &f, p), MRC_WIRE_OK);
    return true;
}

const struct mrc_ep_event *rig_event_of(const struct rig *r, unsigned h,
                                        enum mrc_ep_event_kind kind, unsigned n)
{
    for (unsigned i = 0; i < r->host[h].event_count; i++)
        if (r->host[h].events[i].kind == kind && n-- == 0)
            return &r->host[h].events[i];
    return NULL;
}

unsigned rig_events_of(const struct rig *r, unsigned h, enum mrc_ep_event_kind kind)
{
    unsigned n = 0;
    while (rig_event_of(r, h, kind, n))
        n++;
    return n;
}

const struct rig_log *rig_find(const struct rig *r, unsigned h, int opcode, unsigned n)
{
    for (unsigned i = 0; i < r->log_len; i++) {
        const struct rig_log *l = &r->log[i];
        const bool match =
            opcode < 0 ? mrc_op_is_write(l->pkt.bth.opcode) : l->pkt.bth.opcode == opcode;
        if (l->from == h && match && n-- == 0)
            return l;
    }
    return NULL;
}

unsigned rig_count(const struct rig *r, unsigned h, int opcode)
{
    unsigned n = 0;
    for (unsigned i = 0; i < r->log_len; i++) {
        const uint8_t op = r->log[i].pkt.bth.opcode;
        n += r->log[i].from == h && (opcode < 0 ? mrc_op_is_write(op) : op == opcode);
    }
    return n;
}

const struct mrc_ep_counters *rig_counters(const struct rig *r, unsigned h)
{
    return mrc_ep_counters_get(r->host[h].ep);
}

struct mrc_qp_info rig_info(const struct rig *r, unsigned h)
{
    struct mrc_qp_info info;
    ck_assert_int_eq(mrc_qp_info_get(r->host[h].ep, r->host[h].qpn, &info), MRC_EP_OK);
    return info;
}

void rig_assert_settled(const struct rig *r, unsigned h, unsigned writes)
{
    ck_assert_uint_eq(rig_events_of(r, h, MRC_EVENT_SEND_DONE), writes);
    for (unsigned i = 0; i < writes; i++)
        ck_assert_int_eq(rig_event_of(r, h, MRC_EVENT_SEND_DONE, i)->status, MRC_WC_SUCCESS);
    const struct mrc_qp_info info = rig_info(r, h);
    ck_assert_int_eq(info.state, MRC_QP_RTS);
    ck_assert_uint_eq(info.outstanding, 0);
    ck_assert_uint_eq(info.lost, 0);
    ck_assert_int_eq(info.inflight_bytes, 0);
    ck_assert_uint_eq(info.wimm_inflight, 0);
    ck_assert_uint_eq(info.snd_una, info.snd_nxt);
    ck_assert_uint_eq(info.ack_una, info.snd_nxt);
    ck_assert_uint_eq(mrc_ep_deadline(r->host[h].ep), MRC_TIME_NEVER);
}
