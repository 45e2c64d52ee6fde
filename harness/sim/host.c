/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host is a reference endpoint with a port a plane. It is asked for a frame when a port is free
 * and something happened to it, and called when its own deadline has come; those deadlines stand
 * in a heap over the hosts, which the usual packet does not touch.
 */
#include "harness/sim/sim_priv.h"

#include "ref/endpoint/inspect.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 4u

/* ---- the heap of wakes ---- */

static uint64_t wake_at(const struct mrct_sim *sim, uint32_t i)
{
    return sim->hosts[sim->wakes[i]].wake_ns;
}

static void wake_put(struct mrct_sim *sim, uint32_t i, uint32_t host)
{
    sim->wakes[i] = host;
    sim->hosts[host].wake_pos = i;
}

static bool wake_before(const struct mrct_sim *sim, uint32_t a, uint32_t b)
{
    const uint64_t x = sim->hosts[a].wake_ns, y = sim->hosts[b].wake_ns;
    return x != y ? x < y : a < b;
}

static void wake_up(struct mrct_sim *sim, uint32_t i)
{
    const uint32_t host = sim->wakes[i];
    for (; i > 0 && wake_before(sim, host, sim->wakes[(i - 1) / WAYS]); i = (i - 1) / WAYS)
        wake_put(sim, i, sim->wakes[(i - 1) / WAYS]);
    wake_put(sim, i, host);
}

static void wake_down(struct mrct_sim *sim, uint32_t i)
{
    const uint32_t host = sim->wakes[i];
    for (;;) {
        uint32_t least = WAYS * i + 1;
        if (least >= sim->host_count)
            break;
        for (uint32_t c = least + 1; c < WAYS * i + 1 + WAYS && c < sim->host_count; c++)
            if (wake_before(sim, sim->wakes[c], sim->wakes[least]))
                least = c;
        if (!wake_before(sim, sim->wakes[least], host))
            break;
        wake_put(sim, i, sim->wakes[least]);
        i = least;
    }
    wake_put(sim, i, host);
}

uint64_t sim_wake_next_ns(const struct mrct_sim *sim)
{
    return wake_at(sim, 0);
}

/* ---- whichever endpoint it is ---- */

static int next_frame(const struct mrct_sim *sim, struct sim_host *h, struct mrc_frame *f)
{
    return h->rc == NULL ? mrc_ep_output(h->ep, sim->now_ns, h->free_mask, f)
                         : sim_rc_output(h->rc, sim->now_ns, h->free_mask, f);
}

static bool next_event(struct sim_host *h, struct mrc_ep_event *ev)
{
    return h->rc == NULL ? mrc_ep_poll_event(h->ep, ev) : sim_rc_poll(h->rc, ev);
}

static uint64_t deadline(const struct sim_host *h)
{
    return h->rc == NULL ? mrc_ep_deadline(h->ep) : sim_rc_deadline(h->rc);
}

static void tick(struct sim_host *h, uint64_t now_ns)
{
    if (h->rc == NULL)
        mrc_ep_tick(h->ep, now_ns);
    else
        sim_rc_tick(h->rc, now_ns);
}

/* False: what came was of no use, since it came out of order. */
static bool input(struct sim_host *h, uint64_t now_ns, const struct sim_pkt *pkt)
{
    if (h->rc != NULL)
        return sim_rc_input(h->rc, now_ns, &pkt->frame);
    mrc_ep_input(h->ep, now_ns, pkt->plane, &pkt->frame);
    return true;
}

int sim_host_post(struct mrct_sim *sim, uint32_t flow, const struct mrc_write *w)
{
    struct sim_host *const h = &sim->hosts[sim->flows[flow].src];
    const uint32_t qpn = SIM_QPN_FIRST + flow;
    return h->rc == NULL ? mrc_qp_post_write(h->ep, qpn, sim->now_ns, w)
                         : sim_rc_post(h->rc, qpn, sim->now_ns, w);
}

void sim_flow_counters(const struct mrct_sim *sim, uint32_t flow, bool sender,
                       struct mrc_qp_counters *out)
{
    const struct sim_flow *const f = &sim->flows[flow];
    const struct sim_host *const h = &sim->hosts[sender ? f->src : f->dst];
    struct mrc_qp_inspection q;
    *out = (struct mrc_qp_counters){0};
    if (h->rc != NULL)
        (void)sim_rc_counters(h->rc, SIM_QPN_FIRST + flow, out);
    else if (mrc_qp_inspect(h->ep, SIM_QPN_FIRST + flow, &q) == MRC_EP_OK)
        *out = q.count;
}

/* ---- sending ---- */

/* Full fidelity: the payload is copied and the ICRC computed, as a NIC would. */
static void make_bytes(struct mrct_sim *sim, struct sim_pkt *pkt)
{
    struct mrc_frame *const f = &pkt->frame;
    if (pkt->bytes == NULL)
        pkt->bytes = mrct_arena_alloc(&sim->arena, MRC_PAYLOAD_MAX);
    if (pkt->bytes == NULL) {
        sim_fail(sim, "no memory for payloads");
        return;
    }
    if (f->payload_len > 0) {
        memcpy(pkt->bytes, f->payload, f->payload_len);
        f->payload = pkt->bytes;
    }
    f->icrc = mrc_frame_icrc(&sim->wire, f);
    f->icrc_state = MRC_ICRC_VALID;
}

static void verify_bytes(struct mrct_sim *sim, struct sim_pkt *pkt)
{
    struct mrc_frame *const f = &pkt->frame;
    if (f->icrc_state != MRC_ICRC_VALID)
        return; /* trimmed */
    const uint32_t had = f->icrc;
    f->icrc_state = MRC_ICRC_DEFERRED;
    const bool right = mrc_frame_icrc(&sim->wire, f) == had;
    f->icrc_state = right ? MRC_ICRC_VALID : MRC_ICRC_WRONG;
    sim->account.icrc_wrong += !right;
}

static void send(struct mrct_sim *sim, uint32_t host, unsigned plane, struct sim_pkt *pkt)
{
    const uint32_t id = sim_nic_port(sim, host, plane);
    struct sim_port *const p = &sim->ports[id];
    sim->hosts[host].free_mask &= ~(UINT64_C(1) << plane);
    sim->account.sent++;
    sim->account.in_flight++;
    sim_classify(sim, pkt, plane);
    if (sim->scene->endpoint.fidelity)
        make_bytes(sim, pkt);
    if (sim->hosts[host].watch != NULL)
        sim_watch_frame(sim, sim->hosts[host].watch, true, pkt);
    sim->account.data_sent += pkt->request;
    sim_port_send(sim, p, id, pkt);
    sim_schedule(sim, (p->busy_ps + 999) / 1000, SIM_NIC_FREE, id, NULL);
}

static void pump(struct mrct_sim *sim, uint32_t host)
{
    struct sim_host *const h = &sim->hosts[host];
    while (h->free_mask != 0) {
        struct sim_pkt *const pkt = sim_pkt_take(sim);
        if (pkt == NULL)
            return;
        const int plane = next_frame(sim, h, &pkt->frame);
        if (plane < 0) {
            sim_pkt_give(sim, pkt);
            return;
        }
        send(sim, host, (unsigned)plane, pkt);
    }
}

void sim_host_settle(struct mrct_sim *sim, uint32_t host)
{
    struct sim_host *const h = &sim->hosts[host];
    struct mrc_ep_event ev;
    while (next_event(h, &ev))
        sim_flow_event(sim, host, &ev);
    pump(sim, host);
    /* A deadline that moved away is looked at when it comes. */
    const uint64_t wants_ns = deadline(h);
    if (wants_ns < h->wake_ns) {
        h->wake_ns = wants_ns;
        wake_up(sim, h->wake_pos);
    }
}

void sim_host_free_port(struct mrct_sim *sim, uint32_t port)
{
    const uint32_t host = port / sim->planes;
    sim->hosts[host].free_mask |= UINT64_C(1) << port % sim->planes;
    sim_host_settle(sim, host);
}

void sim_host_wake(struct mrct_sim *sim, uint32_t host)
{
    struct sim_host *const h = &sim->hosts[host];
    if (deadline(h) <= sim->now_ns)
        tick(h, sim->now_ns);
    h->wake_ns = UINT64_MAX;
    sim_host_settle(sim, host);
    wake_down(sim, h->wake_pos);
}

static void count_request(struct mrct_sim *sim, const struct sim_pkt *pkt, bool taken)
{
    sim->account.data_delivered++;
    sim->account.payload_bytes += pkt->frame.payload_len;
    const uint32_t flow = pkt->qpn - SIM_QPN_FIRST;
    if (flow < sim->flow_count && taken)
        sim->works[sim->work_of[flow]].delivered_bytes += pkt->frame.payload_len;
}

void sim_host_arrive(struct mrct_sim *sim, uint32_t host, struct sim_pkt *pkt)
{
    sim->account.delivered++;
    sim->account.in_flight--;
    if (sim->scene->endpoint.fidelity)
        verify_bytes(sim, pkt);
    if (sim->hosts[host].watch != NULL)
        sim_watch_frame(sim, sim->hosts[host].watch, false, pkt);
    const bool taken = input(&sim->hosts[host], sim->now_ns, pkt);
    if (pkt->request && pkt->cls == MRCT_CLASS_DATA)
        count_request(sim, pkt, taken);
    sim_pkt_give(sim, pkt);
    sim_host_settle(sim, host);
}

/* ---- making them ---- */

static void *arena_alloc(void *arena, size_t bytes)
{
    return mrct_arena_alloc(arena, bytes);
}

/* It goes with the arena. */
static void arena_free(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

static struct mrc_ep *new_endpoint(struct mrct_sim *sim, uint32_t host, unsigned qps)
{
    const struct mrct_scene_endpoint *const e = &sim->scene->endpoint;
    struct mrc_ep_config c;
    mrc_ep_config_default(&c);
    c.wire = sim->wire;
    c.ports = sim->planes;
    c.qps_max = qps > 0 ? qps : 1;
    c.mrs_max = 1;
    c.path_mtu = (uint16_t)e->mtu;
    c.ctrl_queue_len = 128 + 4 * c.qps_max < 65536 ? 128 + 4 * c.qps_max : 65536;
    c.placed_events_max = 0;
    c.reorder_margin_psn = e->reorder_margin;
    c.ev.loss_limit = (uint8_t)e->loss_limit;
    c.ev.probe_ns = e->probe_ns;
    c.ev.events_max = 0;
    c.ev.reverse_probe_ns = e->reverse_probe_ns;
    c.node.probes_max = e->reverse_probe_ns > 0 && qps < 1000 ? 16 + 4 * qps : 16;
    c.alloc = (struct mrc_alloc){arena_alloc, arena_free, &sim->arena};
    c.trimmable = sim->scene->queues.trim;
    for (unsigned p = 0; p < sim->planes; p++)
        sim_address(sim, host, p, &c.port_addr[p]);
    return mrc_ep_new(&c, mrct_rng_next(&sim->rng), NULL);
}

static struct sim_rc *new_rc(const struct mrct_sim *sim, uint32_t host, unsigned qps)
{
    const struct mrct_scene_endpoint *const e = &sim->scene->endpoint;
    struct mrc_addr addr[MRC_EP_PORTS_MAX];
    uint64_t bps[MRC_EP_PORTS_MAX];
    for (unsigned p = 0; p < sim->planes; p++) {
        sim_address(sim, host, p, &addr[p]);
        bps[p] = sim->ports[sim_nic_port(sim, host, p)].rate_bps;
    }
    return sim_rc_new(&(struct sim_rc_config){
        .wire = &sim->wire,
        .ports = sim->planes,
        .qps_max = qps,
        .mtu = (uint16_t)e->mtu,
        .dcqcn = e->cc == MRCT_CC_DCQCN,
        .cwnd_bytes = e->cwnd_bytes,
        .timeout_ns = UINT64_C(1024) << e->timeout,
        .retries = e->exp_cnt,
        .port_addr = addr,
        .port_bps = bps,
    });
}

static int add_endpoint(struct mrct_sim *sim, uint32_t host, unsigned qps)
{
    struct sim_host *const h = &sim->hosts[host];
    struct mrc_mr mr = {
        .mem = sim->memory, .va = 0, .len_bytes = sim->memory_bytes, .access = MRC_MR_REMOTE_WRITE};
    if (sim->scene->endpoint.transport == MRCT_TRANSPORT_RC) {
        h->rc = new_rc(sim, host, qps);
        return h->rc != NULL ? 0 : -1;
    }
    h->ep = new_endpoint(sim, host, qps);
    if (h->ep == NULL || mrc_ep_register(h->ep, &mr) != MRC_EP_OK)
        return -1;
    h->rkey = mr.rkey;
    return 0;
}

static int add_host(struct mrct_sim *sim, uint32_t host, unsigned qps)
{
    struct sim_host *const h = &sim->hosts[host];
    if (add_endpoint(sim, host, qps) != 0)
        return -1;
    h->free_mask = (UINT64_C(1) << sim->planes) - 1;
    h->wake_ns = UINT64_MAX;
    wake_put(sim, host, host);
    return 0;
}

int sim_hosts(struct mrct_sim *sim)
{
    unsigned *const qps = calloc(sim->host_count, sizeof *qps);
    sim->hosts = mrct_arena_alloc(&sim->arena, sim->host_count * sizeof *sim->hosts);
    sim->wakes = calloc(sim->host_count, sizeof *sim->wakes);
    int rc = qps != NULL && sim->hosts != NULL && sim->wakes != NULL ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < sim->flow_count; i++) {
        qps[sim->flows[i].src]++;
        qps[sim->flows[i].dst]++;
    }
    for (uint32_t h = 0; rc == 0 && h < sim->host_count; h++)
        rc = add_host(sim, h, qps[h]);
    free(qps);
    return rc;
}

void sim_hosts_fini(struct mrct_sim *sim)
{
    for (uint32_t h = 0; sim->hosts != NULL && h < sim->host_count; h++) {
        mrc_ep_free(sim->hosts[h].ep);
        sim_rc_free(sim->hosts[h].rc);
    }
    free(sim->wakes);
}
