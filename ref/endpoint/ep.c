/* SPDX-License-Identifier: BSD-2-Clause */
/* The endpoint as a whole: made, freed, asked for its next frame, told the time. */
#include "ref/endpoint/ep_int.h"
#include "ref/endpoint/mrc_profile.h"
#include "ref/endpoint/warm.h"
#include <stdlib.h>
#include <string.h>

#define CTRL_QUEUE_MIN 1024u
#define CTRL_QUEUE_MAX 65536u
#define UDP_PORT_MRC   4791u /* Q1 a */
#define FIRST_QPN      16u
#define EV_TIME_MAX    UINT64_C(1000000000000) /* 1000 s: times of EVs are 32 bits of 1.024 us */
#define EV_EVENTS_MAX  (1u << 20)
#define PROBES_MAX     4096u

void mrc_ep_config_default(struct mrc_ep_config *cfg)
{
    memset(cfg, 0, sizeof *cfg);
    mrc_wire_config_default(&cfg->wire);
    cfg->ports = 1;
    cfg->qps_max = 16;
    cfg->mrs_max = 64;
    cfg->path_mtu = 4096;
    cfg->dest_port = UDP_PORT_MRC;
    cfg->send_tseth = true;
    cfg->ecn_capable = true;
    cfg->trimmable = true;
    cfg->sack_gen_threshold_bytes = 16384;
    cfg->sack_min_pkt_bytes = 1024;
    cfg->reorder_margin_psn = 16;
    cfg->q2_oor = 'b';
    cfg->q20_svc_time = 'b';
    cfg->q26_trim_dup = 'b';
    cfg->wimm_nak_syndrome = MRC_SYN_INVALID_REQUEST;
    cfg->pkey = MRC_PKEY_DEFAULT;
    cfg->placed_events_max = 1024;
    cfg->ev = (struct mrc_ev_config){.q11_probe_skip = 'a',
                                     .q25_scope = 'a',
                                     .skip_timeout_ns = UINT64_C(1000000),
                                     .probe_max_ns = UINT64_C(100000000),
                                     .events_max = 256};
    cfg->node = (struct mrc_node_config){.q10_port_bit = 'a',
                                         .q17_repeat = 'a',
                                         .update_ns = UINT64_C(100000),
                                         .update_tries = 8,
                                         .probes_max = 64};
}

static void *plain_alloc(void *user, size_t size_bytes)
{
    (void)user;
    return malloc(size_bytes);
}

static void plain_free(void *user, void *p)
{
    (void)user;
    free(p);
}

static bool mtu_ok(uint16_t mtu)
{
    return mtu >= 256 && mtu <= MRC_PAYLOAD_MAX && (mtu & (mtu - 1)) == 0;
}

static bool node_config_ok(const struct mrc_node_config *c)
{
    return (c->q10_port_bit == 'a' || c->q10_port_bit == 'b') &&
           (c->q17_repeat == 'a' || c->q17_repeat == 'b') && c->update_ns >= 1 &&
           c->update_ns <= EV_TIME_MAX && c->update_tries >= 1 &&
           c->update_tries <= MRC_UPDATE_TRIES_MAX && c->probes_max <= PROBES_MAX;
}

static bool ev_config_ok(const struct mrc_ev_config *c)
{
    return (c->q11_probe_skip == 'a' || c->q11_probe_skip == 'b') &&
           (c->q25_scope == 'a' || c->q25_scope == 'b') && c->skip_timeout_ns <= EV_TIME_MAX &&
           c->probe_ns <= EV_TIME_MAX && c->probe_max_ns <= EV_TIME_MAX &&
           c->reverse_probe_ns <= EV_TIME_MAX && c->loss_limit <= 31 &&
           c->events_max <= EV_EVENTS_MAX;
}

static bool config_ok(const struct mrc_ep_config *c)
{
    return c->ports >= 1 && c->ports <= MRC_EP_PORTS_MAX && c->qps_max >= 1 && c->mrs_max >= 1 &&
           c->qps_max <= UINT32_C(1) << 20 && c->mrs_max < UINT32_C(1) << 24 &&
           mtu_ok(c->path_mtu) && c->dest_port != 0 && (c->q2_oor == 'a' || c->q2_oor == 'b') &&
           (c->q20_svc_time == 'a' || c->q20_svc_time == 'b') && c->q26_trim_dup >= 'a' &&
           c->q26_trim_dup <= 'c' && (c->alloc.alloc == NULL) == (c->alloc.free == NULL) &&
           c->ctrl_queue_len <= CTRL_QUEUE_MAX && ev_config_ok(&c->ev) && node_config_ok(&c->node);
}

static uint32_t ctrl_len(const struct mrc_ep_config *c)
{
    uint32_t n = c->ctrl_queue_len;
    if (n == 0)
        n = 4 * c->qps_max > CTRL_QUEUE_MIN ? 4 * c->qps_max : CTRL_QUEUE_MIN;
    return mrc_pow2_at_least(n < CTRL_QUEUE_MAX ? n : CTRL_QUEUE_MAX);
}

static bool alloc_tables(struct mrc_ep *ep)
{
    const struct mrc_ep_config *c = &ep->cfg;
    ep->qp_mask = mrc_pow2_at_least(2 * c->qps_max) - 1;
    ep->ctrl_mask = ctrl_len(c) - 1;
    ep->qp_table = mrc_ep_alloc(ep, (size_t)ep->qp_mask + 1, sizeof *ep->qp_table);
    ep->peer_mask = mrc_pow2_at_least(c->qps_max) - 1;
    ep->peer_table = mrc_ep_alloc(ep, ((size_t)ep->peer_mask + 1) * c->ports, sizeof(void *));
    ep->probes = mrc_ep_alloc(ep, c->node.probes_max + 1u, sizeof *ep->probes);
    ep->qpcc_table = mrc_ep_alloc(ep, (size_t)ep->qp_mask + 1, sizeof(void *));
    ep->heap = mrc_ep_alloc(ep, c->qps_max, sizeof *ep->heap);
    ep->mrs = mrc_ep_alloc(ep, c->mrs_max, sizeof *ep->mrs);
    ep->ctrl = mrc_ep_alloc(ep, (size_t)ep->ctrl_mask + 1, sizeof *ep->ctrl);
    ep->placed_pool = mrc_ep_alloc(ep, c->placed_events_max + 1u, sizeof *ep->placed_pool);
    ep->note_pool = mrc_ep_alloc(ep, c->ev.events_max + 1u, sizeof *ep->note_pool);
    return ep->note_pool && ep->peer_table && ep->probes && ep->qp_table && ep->qpcc_table &&
           ep->heap && ep->mrs && ep->ctrl && ep->placed_pool;
}

static void link_events(struct mrc_ep *ep)
{
    for (unsigned i = ep->cfg.placed_events_max; i-- > 0;) {
        ep->placed_pool[i].node.next = ep->placed_free;
        ep->placed_free = &ep->placed_pool[i].node;
    }
    for (unsigned i = ep->cfg.ev.events_max; i-- > 0;) {
        ep->note_pool[i].node.next = ep->note_free;
        ep->note_free = &ep->note_pool[i].node;
    }
}

static struct mrc_ep *refuse(int *err, int code)
{
    if (err)
        *err = code;
    return NULL;
}

struct mrc_ep *mrc_ep_new(const struct mrc_ep_config *cfg, uint64_t seed, int *err)
{
    if (!config_ok(cfg))
        return refuse(err, MRC_EP_EINVAL);
    const struct mrc_alloc plain = {.alloc = plain_alloc, .free = plain_free};
    const struct mrc_alloc *a = cfg->alloc.alloc ? &cfg->alloc : &plain;
    struct mrc_ep *ep = a->alloc(a->user, sizeof *ep);
    if (!ep)
        return refuse(err, MRC_EP_ENOMEM);
    memset(ep, 0, sizeof *ep);
    ep->cfg = *cfg;
    ep->cfg.alloc = *a;
    mrc_rng_seed(&ep->rng, seed);
    ep->qpn_next = FIRST_QPN;
    ep->probe_due_ns = MRC_TIME_NEVER;
    if (!alloc_tables(ep)) {
        mrc_ep_free(ep);
        return refuse(err, MRC_EP_ENOMEM);
    }
    link_events(ep);
    if (err)
        *err = MRC_EP_OK;
    return ep;
}

void mrc_ep_free(struct mrc_ep *ep)
{
    if (!ep)
        return;
    while (ep->all)
        mrc_qp_destroy(ep, ep->all->qpn);
    mrc_ev_profile_destroy_all(ep);
    mrc_ep_dealloc(ep, ep->qp_table);
    mrc_ep_dealloc(ep, ep->qpcc_table);
    mrc_ep_dealloc(ep, ep->heap);
    mrc_ep_dealloc(ep, ep->mrs);
    mrc_ep_dealloc(ep, ep->ctrl);
    mrc_ep_dealloc(ep, ep->placed_pool);
    mrc_ep_dealloc(ep, ep->note_pool);
    mrc_ep_dealloc(ep, ep->peer_table);
    mrc_ep_dealloc(ep, ep->probes);
    const struct mrc_alloc a = ep->cfg.alloc;
    a.free(a.user, ep);
}

/* One packet a turn. A QP that has nothing for the free ports after all, as when a retransmission
 * waits for another EV, lets the next one try. */
static int data_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t free_ports,
                       struct mrc_frame *out)
{
    for (uint32_t turns = ep->ready_count; turns > 0; turns--) {
        struct mrc_qp *qp = mrc_sched_next(ep, (uint32_t)free_ports);
        if (!qp)
            break;
        const int port = mrc_req_output(ep, qp, now_ns, free_ports, out);
        mrc_warm_next(qp);
        mrc_sched_served(ep, qp);
        mrc_qp_settle(ep, qp);
        if (port >= 0)
            return port;
    }
    return -1;
}

int mrc_ep_output(struct mrc_ep *ep, uint64_t now_ns, uint64_t port_free_mask,
                  struct mrc_frame *out)
{
    const uint64_t free_ports =
        port_free_mask & ((UINT64_C(1) << ep->cfg.ports) - 1) & ~(uint64_t)ep->ports_down;
    ep->now_ns = now_ns;
    ep->cause = MRC_CAUSE_SEND;
    if (free_ports == 0)
        return -1;
    int port = mrc_node_output(ep, free_ports, out);
    if (port < 0)
        port = mrc_port_output(ep, now_ns, free_ports, out);
    if (port < 0)
        port = mrc_ev_probe_output(ep, now_ns, free_ports, out);
    if (port < 0)
        port = mrc_ctrl_output(ep, now_ns, free_ports, out);
    if (port < 0)
        port = data_output(ep, now_ns, free_ports, out);
    return port;
}

void mrc_ep_tick(struct mrc_ep *ep, uint64_t now_ns)
{
    ep->now_ns = now_ns;
    ep->cause = MRC_CAUSE_TIMEOUT;
    for (struct mrc_qp *qp = mrc_timer_due(ep, now_ns); qp; qp = mrc_timer_due(ep, now_ns))
        mrc_retry_tick(ep, qp, now_ns);
    mrc_ev_probe_tick(ep, now_ns);
}

const struct mrc_ep_counters *mrc_ep_counters_get(const struct mrc_ep *ep)
{
    return &ep->count;
}
