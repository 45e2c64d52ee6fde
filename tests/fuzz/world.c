/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/fuzz/world.h"

#include <stdlib.h>
#include <string.h>

#define PORTS   2u
#define PROFILE 5u

/* ---- set-up ---- */

static void *count_alloc(void *user, size_t size_bytes)
{
    struct world *const w = user;
    if (w->allocs_left == 0)
        return NULL;
    w->allocs_left -= w->allocs_left > 0;
    return malloc(size_bytes);
}

static void count_free(void *user, void *p)
{
    (void)user;
    free(p);
}

static void draw_config(struct world *w, struct fuzz_in *in, unsigned h, uint8_t common)
{
    struct world_host *const host = &w->host[h];
    struct mrc_ep_config *const c = &host->cfg;
    const uint8_t bits = fuzz_u8(in);
    mrc_ep_config_default(c);
    c->ports = PORTS;
    c->qps_max = WORLD_QPS;
    c->mrs_max = 2;
    c->path_mtu = common & 1 ? 256 : 512;
    c->vlan = common >> 1 & 1;
    c->send_tseth = bits & 1;
    c->trimmable = bits >> 1 & 1;
    c->q2_oor = bits >> 2 & 1 ? 'a' : 'b';
    c->q26_trim_dup = (char)('a' + (bits >> 3 & 3) % 3);
    c->reorder_margin_psn = bits >> 5 & 1 ? 1 : 8;
    c->sack_gen_threshold_bytes = bits >> 6 & 1 ? 0 : 4096;
    c->ctrl_queue_len = bits >> 7 ? 4 : 0;
    c->placed_events_max = 4;
    c->alloc = (struct mrc_alloc){count_alloc, count_free, w};
    for (unsigned i = 0; i < PORTS; i++) {
        c->port_addr[i].is_v6 = common >> 2 & 1;
        c->port_addr[i].ip[0] = 10;
        c->port_addr[i].ip[2] = (uint8_t)i;
        c->port_addr[i].ip[3] = (uint8_t)(h + 1);
        c->port_addr[i].mac[5] = (uint8_t)h;
    }
}

static void draw_attr(struct world *w, struct fuzz_in *in, unsigned h)
{
    struct world_host *const host = &w->host[h];
    struct mrc_qp_attr *const a = &host->attr;
    const uint8_t bits = fuzz_u8(in);
    mrc_qp_attr_default(a);
    a->start_psn = bits & 1 ? 0xFFFFF0 : 7;
    a->dynamic_mpr = bits >> 1 & 1;
    a->trim_nack = bits >> 2 & 1;
    a->timeout = bits >> 3 & 3;
    a->linear_cnt = bits >> 5 & 3;
    a->exp_cnt = bits >> 7 ? 25 : 2;
    a->exp_ceiling_ns = 100000;
    a->cwnd_bytes = 1u << (10 + fuzz_u8(in) % 12);
    a->sq_depth = 8;
    a->rq_depth = 16;
    for (unsigned i = 0; i < WORLD_EVS; i++)
        host->evs[i] = (struct mrc_ev){.value = (i + 1) << 16, .port = (uint8_t)(i % PORTS)};
    a->evs = host->evs;
    const uint8_t evs = fuzz_u8(in);
    a->ev_count = 1 + evs % WORLD_EVS;
    a->ev_active = evs >> 4 & 1 ? 1 : 0;
    mrc_cc_profile_default(&host->cc);
    host->cc.share_id = evs >> 5 & 1;
    a->cc = evs >> 6 & 1 ? &host->cc : NULL;
    a->ev_profile = evs >> 7 ? PROFILE : 0;
    host->cfg.ev.q25_scope = evs >> 3 & 1 ? 'b' : 'a';
}

static bool make_qp(struct world *w, unsigned h, unsigned q)
{
    struct world_host *const host = &w->host[h];
    struct mrc_qp_attr attr = host->attr;
    attr.qpn = 16 + 2 * q + h;
    host->qp[q] = (struct world_qp){0};
    const int64_t qpn = mrc_qp_create(host->ep, &attr);
    if (qpn == MRC_EP_ENOMEM)
        return false;
    FUZZ_ASSERT(qpn == attr.qpn);
    host->qp[q].qpn = attr.qpn;
    return true;
}

static int connect_qp(struct world *w, unsigned h, unsigned q)
{
    const struct world_host *const other = &w->host[1 - h];
    struct mrc_qp_peer peer = {
        .qpn = 16 + 2 * q + (1 - h),
        .start_psn = other->attr.start_psn,
        .max_wimm_dest = other->attr.max_wimm_dest,
        .mpr_dest = other->attr.mpr_dest,
        .dynamic_mpr = other->attr.dynamic_mpr,
        .trim_nack = other->attr.trim_nack,
    };
    memcpy(peer.addr, other->cfg.port_addr, sizeof peer.addr);
    return mrc_qp_connect(w->host[h].ep, 16 + 2 * q + h, &peer);
}

/* The EVs of the list as a profile. */
static bool make_profile(struct world_host *host)
{
    struct mrc_ev_spec list[WORLD_EVS];
    for (unsigned i = 0; i < WORLD_EVS; i++)
        list[i] = (struct mrc_ev_spec){.value = {0, (uint8_t)(i + 1)}, .port = host->evs[i].port};
    const struct mrc_ev_profile profile = {.id = PROFILE,
                                           .source = MRC_EV_EXPLICIT,
                                           .format = {.mode = MRC_EV_MODE_STEV},
                                           .ev_count = host->attr.ev_count,
                                           .ev_active = host->attr.ev_active,
                                           .ev_events =
                                               MRC_EV_EVENT_GOOD | MRC_EV_EVENT_ASSUMED_BAD,
                                           .list = list};
    const int err = mrc_ev_profile_create(host->ep, &profile);
    FUZZ_ASSERT(err == MRC_EP_OK || err == MRC_EP_ENOMEM);
    return err == MRC_EP_OK;
}

static bool make_host(struct world *w, unsigned h)
{
    struct world_host *const host = &w->host[h];
    int err = MRC_EP_OK;
    host->ep = mrc_ep_new(&host->cfg, 5 + h, &err);
    if (host->ep == NULL) {
        FUZZ_ASSERT(err == MRC_EP_ENOMEM && w->allocs_left == 0);
        return false;
    }
    host->mem = calloc(1, WORLD_MEM);
    FUZZ_ASSERT(host->mem != NULL);
    host->mr = (struct mrc_mr){
        .mem = host->mem, .va = WORLD_VA, .len_bytes = WORLD_MEM, .access = MRC_MR_REMOTE_WRITE};
    FUZZ_ASSERT(mrc_ep_register(host->ep, &host->mr) == MRC_EP_OK);
    if (host->attr.ev_profile != 0 && !make_profile(host))
        return false;
    for (unsigned q = 0; q < WORLD_QPS; q++)
        if (!make_qp(w, h, q))
            return false;
    return true;
}

bool world_init(struct world *w, struct fuzz_in *in)
{
    memset(w, 0, sizeof *w);
    const uint8_t common = fuzz_u8(in);
    w->now_ns = 1000;
    w->allocs_left = common & 0x80 ? common >> 3 & 15 : -1;
    bool ok = true;
    for (unsigned h = 0; h < 2; h++) {
        draw_config(w, in, h, common);
        draw_attr(w, in, h);
    }
    for (unsigned h = 0; h < 2; h++)
        ok = ok && make_host(w, h);
    for (unsigned i = 0; ok && i < 2 * WORLD_QPS; i++)
        ok = connect_qp(w, i & 1, i >> 1) == MRC_EP_OK;
    w->allocs_left = -1;
    if (!ok)
        world_fini(w);
    return ok;
}

void world_fini(struct world *w)
{
    for (unsigned h = 0; h < 2; h++) {
        mrc_ep_free(w->host[h].ep);
        free(w->host[h].mem);
    }
}

/* ---- what must hold ---- */

static void check_qp(const struct world *w, unsigned h, unsigned q)
{
    const struct world_host *const host = &w->host[h];
    struct mrc_qp_info i;
    if (mrc_qp_info_get(host->ep, 16 + 2 * q + h, &i) != MRC_EP_OK)
        return;
    const uint32_t flying = (i.snd_nxt - i.snd_una) & 0xFFFFFF;
    FUZZ_ASSERT(i.outstanding + i.lost <= flying);
    FUZZ_ASSERT(flying <= 255u * 128u);
    FUZZ_ASSERT(host->qp[q].done <= host->qp[q].posted);
    FUZZ_ASSERT(host->qp[q].recv_done <= host->qp[q].recv_posted);
    if (host->attr.cc == NULL) /* NSCC's books may dip below 0, or be shared */
        FUZZ_ASSERT(i.inflight_bytes >= 0 && (i.outstanding != 0 || i.inflight_bytes == 0));
    FUZZ_ASSERT(i.ooo_count <= 255u * 128u);
    /* A QP that works is never stuck: something is to be done, or a timer will say so. */
    if (i.state == MRC_QP_RTS && i.outstanding > 0)
        FUZZ_ASSERT(i.deadline_ns != MRC_TIME_NEVER);
    if (i.state == MRC_QP_ERROR)
        FUZZ_ASSERT(i.outstanding == 0 && i.lost == 0 && i.deadline_ns == MRC_TIME_NEVER);
}

static struct world_qp *find_qp(struct world *w, unsigned h, uint32_t qpn)
{
    FUZZ_ASSERT(qpn >= 16 && (qpn - 16) / 2 < WORLD_QPS);
    return &w->host[h].qp[(qpn - 16) / 2];
}

/* Completions come once each and in order; nothing succeeds after a failure. */
static void take_events(struct world *w, unsigned h)
{
    struct mrc_ep_event ev;
    while (mrc_ep_poll_event(w->host[h].ep, &ev)) {
        if (ev.kind == MRC_EVENT_EV || ev.kind == MRC_EVENT_PROBE)
            continue; /* of the node: no QP, or one of several */
        struct world_qp *const qp = find_qp(w, h, ev.qpn);
        switch (ev.kind) {
        case MRC_EVENT_SEND_DONE:
            FUZZ_ASSERT(ev.wr_id == qp->done);
            FUZZ_ASSERT(!qp->failed);
            qp->done++;
            break;
        case MRC_EVENT_RECV_IMM:
            FUZZ_ASSERT(ev.wr_id == qp->recv_done);
            qp->recv_done++;
            break;
        case MRC_EVENT_QP_ERROR:
            FUZZ_ASSERT(!qp->failed && qp->done == qp->posted);
            qp->failed = true;
            break;
        case MRC_EVENT_PLACED:
            FUZZ_ASSERT(ev.va >= WORLD_VA && ev.va - WORLD_VA + ev.len_bytes <= WORLD_MEM);
            break;
        case MRC_EVENT_EV:
        case MRC_EVENT_PROBE:
            break;
        }
    }
}

void world_check(struct world *w)
{
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned q = 0; q < WORLD_QPS; q++)
            check_qp(w, h, q);
        take_events(w, h);
    }
}

/* ---- frames ---- */

bool world_take(struct world *w, unsigned from, struct world_frame *f)
{
    f->to = 1 - from;
    const int port = mrc_ep_output(w->host[from].ep, w->now_ns, 3, &f->frame);
    if (port < 0) {
        f->frame.hdr_len = 0;
        return false;
    }
    f->port = (unsigned)port;
    /* What it says itself, it must understand. */
    struct mrc_pkt p;
    FUZZ_ASSERT(port < (int)PORTS);
    FUZZ_ASSERT(mrc_pkt_decode_frame(&w->host[from].cfg.wire, &f->frame, &p) == MRC_WIRE_OK);
    return true;
}

void world_give(struct world *w, const struct world_frame *f)
{
    mrc_ep_input(w->host[f->to].ep, w->now_ns, f->port, &f->frame);
}

void world_set_class(const struct world *w, struct world_frame *f, enum mrc_dscp_class cls,
                     uint8_t ecn)
{
    struct mrc_pkt p;
    if (mrc_pkt_decode_frame(&w->host[0].cfg.wire, &f->frame, &p) != MRC_WIRE_OK)
        return;
    const unsigned at = p.off[p.is_v6 ? MRC_HDR_IPV6 : MRC_HDR_IPV4];
    const unsigned tc = (unsigned)w->host[0].cfg.wire.dscp[cls] << 2 | ecn;
    uint8_t *const hdr = f->frame.hdr + at;
    if (p.is_v6) {
        hdr[0] = (uint8_t)((hdr[0] & 0xF0) | tc >> 4);
        hdr[1] = (uint8_t)((hdr[1] & 0x0F) | (tc & 15) << 4);
    } else {
        hdr[1] = (uint8_t)tc;
        mrc_ipv4_mend_checksum(hdr, 20);
    }
}

void world_trim(const struct world *w, struct world_frame *f, bool last_hop)
{
    world_set_class(w, f, last_hop ? MRC_DSCP_TRIMMED_LASTHOP : MRC_DSCP_TRIMMED, 0);
    f->frame.payload_len = 0;
    f->frame.payload = NULL;
    f->frame.pad_len = 0;
    f->frame.icrc_state = MRC_ICRC_ABSENT;
}

static uint32_t headers_of(uint8_t opcode)
{
#define HAS(x) (UINT32_C(1) << MRC_HDR_##x)
    switch (opcode) {
    case MRC_OP_WRITE_LAST_IMM:
    case MRC_OP_WRITE_ONLY_IMM:
        return HAS(METH) | HAS(RETH) | HAS(IMMDT);
    case MRC_OP_ACK:
        return HAS(AETH);
    case MRC_OP_SACK:
        return HAS(SETH) | HAS(CC_STATE);
    case MRC_OP_NACK:
        return HAS(NETH);
    case MRC_OP_PROBE:
        return HAS(PETH);
    case MRC_OP_EP_REQUEST:
        return HAS(ERTH);
    case MRC_OP_EP_RESPONSE:
        return HAS(EETH);
    }
    return HAS(METH) | HAS(RETH);
}

void world_packet(const struct world *w, unsigned h, uint8_t opcode, uint8_t nth, struct mrc_pkt *p)
{
    const struct mrc_addr *const to = &w->host[h].cfg.port_addr[0];
    const struct mrc_addr *const from = &w->host[1 - h].cfg.port_addr[0];
    memset(p, 0, sizeof *p);
    p->is_v6 = to->is_v6;
    p->present = HAS(ETH) | HAS(UDP) | HAS(BTH) | headers_of(opcode);
    p->present |= p->is_v6 ? HAS(IPV6) : HAS(IPV4);
    p->ip6 = (struct mrc_ipv6){.version = 6, .next_hdr = 17, .hop_limit = 9};
    p->ip4 = (struct mrc_ipv4){.version = 4, .ihl = 5, .ttl = 9, .protocol = 17};
    p->ip6.ecn = p->ip4.ecn = nth & 3;
    memcpy(p->ip6.src, from->ip, 16);
    memcpy(p->ip6.dst, to->ip, 16);
    memcpy(p->ip4.src, from->ip, 4);
    memcpy(p->ip4.dst, to->ip, 4);
    p->udp.dst_port = 4791;
    p->bth.opcode = opcode;
    p->bth.pkey = 0xFFFF;
    const bool node = opcode == MRC_OP_EP_REQUEST || opcode == MRC_OP_EP_RESPONSE;
    p->bth.dest_qp = node ? 2u : 16u + 2 * (nth >> 2) % (2 * WORLD_QPS) + h;
}

uint32_t world_psn(const struct world *w, unsigned h, uint8_t opcode)
{
    struct mrc_qp_info i;
    if (mrc_qp_info_get(w->host[h].ep, 16 + h, &i) != MRC_EP_OK)
        return 0;
    return mrc_op_is_write(opcode) ? i.epsn : i.snd_una;
}

/* ---- the application ---- */

void world_post(struct world *w, unsigned h, unsigned q, uint32_t len, bool imm, bool wrong_key)
{
    struct world_host *const host = &w->host[h];
    struct mrc_write wr = {
        .wr_id = host->qp[q].posted,
        .local = host->mem,
        .len_bytes = len % (WORLD_MEM + 1),
        .remote_va = WORLD_VA,
        .rkey = wrong_key ? 77 : w->host[1 - h].mr.rkey,
        .has_imm = imm,
        .imm = len,
    };
    if (mrc_qp_post_write(host->ep, 16 + 2 * q + h, w->now_ns, &wr) == MRC_EP_OK)
        host->qp[q].posted++;
}

void world_recv(struct world *w, unsigned h, unsigned q)
{
    struct world_host *const host = &w->host[h];
    if (mrc_qp_post_recv(host->ep, 16 + 2 * q + h, host->qp[q].recv_posted) == MRC_EP_OK)
        host->qp[q].recv_posted++;
}

static void tick(struct world *w)
{
    for (unsigned h = 0; h < 2; h++)
        if (mrc_ep_deadline(w->host[h].ep) <= w->now_ns) {
            mrc_ep_tick(w->host[h].ep, w->now_ns);
            FUZZ_ASSERT(mrc_ep_deadline(w->host[h].ep) > w->now_ns);
        }
}

void world_pass(struct world *w, uint64_t ns)
{
    w->now_ns += ns;
    tick(w);
}

void world_pass_to_deadline(struct world *w, unsigned h)
{
    const uint64_t at = mrc_ep_deadline(w->host[h].ep);
    if (at != MRC_TIME_NEVER && at > w->now_ns)
        w->now_ns = at;
    tick(w);
}

void world_life(struct world *w, unsigned h, unsigned q, unsigned what)
{
    struct mrc_ep *const ep = w->host[h].ep;
    const uint32_t qpn = 16 + 2 * q + h;
    if (what & 1)
        (void)mrc_qp_destroy(ep, qpn);
    if (what & 2) {
        if (mrc_qp_state(ep, qpn) == MRC_QP_RESET)
            (void)make_qp(w, h, q);
        (void)connect_qp(w, h, q);
    }
}

/* What a controller does to EVs and to the profile, if there is one. */
void world_control(struct world *w, unsigned h, unsigned what, uint8_t arg)
{
    struct world_host *const host = &w->host[h];
    const unsigned i = arg % WORLD_EVS;
    const enum mrc_ev_state state = arg >> 7 ? MRC_EV_GOOD : MRC_EV_DENIED;
    const struct mrc_ev_spec spec = {.value = {0, 0, arg}, .port = host->evs[i].port};
    const struct mrc_ev_probe probe = {.to = w->host[1 - h].cfg.port_addr[host->evs[i].port],
                                       .ev = host->evs[i],
                                       .id = arg,
                                       .timeout_ns = 20000};
    struct mrc_ev_info info[WORLD_EVS];
    switch (what % 4) {
    case 0:
        (void)mrc_ev_profile_set_ev(host->ep, PROFILE, w->now_ns, i, state);
        break;
    case 1:
        (void)mrc_ev_profile_replace(host->ep, PROFILE, w->now_ns, i, &spec);
        break;
    case 2:
        (void)mrc_ev_set_state(host->ep, 16 + 2 * (arg >> 4 & 1u) + h, w->now_ns, host->evs[i],
                               state);
        break;
    default:
        (void)mrc_ep_probe(host->ep, w->now_ns, &probe);
        break;
    }
    const int n = mrc_ev_profile_query_array(host->ep, PROFILE, 0, info, WORLD_EVS);
    for (int k = 0; k < n; k++)
        FUZZ_ASSERT(info[k].state != MRC_EV_SKIP);
}

void world_misc(struct world *w, unsigned h, unsigned what, uint8_t arg)
{
    struct world_host *const host = &w->host[h];
    static const enum mrc_nack_reason reasons[] = {MRC_NACK_NO_BITMAP, MRC_NACK_NO_PKT_BUFFER,
                                                   MRC_NACK_NO_RESOURCE, MRC_NACK_UNEXP_EVENT};
    const uint32_t qpn = 16 + 2 * (arg & 1u) + h;
    switch (what % 8) {
    case 3:
        (void)mrc_qp_set_mpr(host->ep, qpn, w->now_ns, arg);
        break;
    case 4:
        (void)mrc_qp_force_nack(host->ep, qpn, reasons[arg >> 6], arg & 31u);
        break;
    case 6:
        (void)mrc_ep_port_set(host->ep, w->now_ns, arg >> 1 & 1u, (arg & 1u) != 0);
        break;
    case 7:
        (void)mrc_qp_set_penalty(host->ep, qpn, arg >> 1, (arg & 1u) != 0);
        break;
    case 5:
        (void)mrc_ep_shortage(host->ep, reasons[arg >> 6], (arg & 31u) * 10000u);
        break;
    case 0:
        mrc_ep_placement_events(host->ep, arg & 1);
        break;
    case 1:
        (void)mrc_ep_deregister(host->ep, host->mr.rkey);
        host->mr.access = arg & 1 ? MRC_MR_REMOTE_WRITE : 0;
        (void)mrc_ep_register(host->ep, &host->mr);
        break;
    default:
        (void)mrc_ep_deregister(host->ep, arg);
        break;
    }
}
