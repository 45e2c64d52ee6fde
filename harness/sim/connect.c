/* SPDX-License-Identifier: BSD-2-Clause */
/* The QPs of a flow: attributes and EVs drawn for both ends, and what each is told of the other. */
#include "harness/sim/sim_priv.h"

#include <stdlib.h>

#define EVS_MAX 4096u

/* Random ones of a plane; with SRv6, uplinks as uSIDs count them, each once. */
static uint32_t draw_ev(struct mrct_sim *sim, unsigned i)
{
    if (sim->scene->forwarding == MRCT_FORWARD_SRV6)
        return sim_srv6_ev(sim, i / sim->planes);
    const uint32_t ev = (uint32_t)mrct_rng_next(&sim->rng);
    return sim->scene->endpoint.ip_version == 6 ? ev : ev & 0xFFFFu;
}

static unsigned ev_count(const struct mrct_sim *sim, const struct mrct_scene_work *w)
{
    const struct mrct_scene_endpoint *const e = &sim->scene->endpoint;
    if (w->ev_count > 0)
        return (unsigned)w->ev_count;
    const unsigned most =
        sim->scene->forwarding == MRCT_FORWARD_SRV6 ? sim_srv6_ways(sim) * sim->planes : EVS_MAX;
    const unsigned even = (e->evs + sim->planes - 1) / sim->planes * sim->planes;
    return even < most ? even : most;
}

static void set_attr(const struct mrct_sim *sim, const struct sim_flow *f, bool sends,
                     struct mrc_qp_attr *a, struct mrc_cc_profile *cc)
{
    const struct mrct_scene *const s = sim->scene;
    mrc_qp_attr_default(a);
    a->qpn = SIM_QPN_FIRST + (uint32_t)(f - sim->flows);
    a->mpr_dest = (uint8_t)s->endpoint.mpr;
    a->trim_nack = s->endpoint.trim_nack;
    a->timeout = (uint8_t)s->endpoint.timeout;
    a->linear_cnt = (uint8_t)s->endpoint.linear_cnt;
    a->exp_cnt = (uint8_t)s->endpoint.exp_cnt;
    a->ev_active = s->endpoint.ev_active;
    a->ev_min_active = s->endpoint.min_active;
    a->sq_depth = sends ? f->depth : 1;
    a->rq_depth = !sends && f->chained ? 2 : 1;
    mrc_cc_profile_default(cc);
    cc->algorithm = mrct_scene_cc_names[s->endpoint.cc];
    cc->cwnd_bytes = s->endpoint.cwnd_bytes;
    cc->line_rate_bps = 0;
    for (unsigned p = 0; p < sim->planes; p++)
        cc->line_rate_bps +=
            (double)sim->ports[sim_nic_port(sim, sends ? f->src : f->dst, p)].rate_bps;
    cc->base_rtt_ns = sim->base_rtt_ns;
    cc->target_delay_ns = s->endpoint.target_delay_ns;
    cc->trimming = s->queues.trim;
    a->cc = cc;
}

static int make_qp(struct mrct_sim *sim, const struct sim_flow *f, bool sends)
{
    const struct mrct_scene_work *const w = &sim->scene->works[f->work];
    struct mrc_qp_attr attr;
    struct mrc_cc_profile cc;
    set_attr(sim, f, sends, &attr, &cc);
    attr.ev_count = ev_count(sim, w);
    struct mrc_ev *const evs = calloc(attr.ev_count + 1u, sizeof *evs);
    if (evs == NULL)
        return -1;
    for (unsigned i = 0; i < attr.ev_count; i++)
        evs[i] = (struct mrc_ev){
            .value = w->ev_count > 0 ? (uint32_t)w->evs[i] : draw_ev(sim, i),
            .port = (uint8_t)(i % sim->planes),
        };
    attr.evs = evs;
    const int64_t rc = mrc_qp_create(sim->hosts[sends ? f->src : f->dst].ep, &attr);
    free(evs);
    if (rc < 0)
        sim_fail(sim, "an endpoint refused a QP: %s", mrc_ep_strerror((int)rc));
    return rc < 0 ? -1 : 0;
}

static int join(struct mrct_sim *sim, const struct sim_flow *f, bool sends)
{
    const struct mrct_scene_endpoint *const e = &sim->scene->endpoint;
    const uint32_t own = sends ? f->src : f->dst, other = sends ? f->dst : f->src;
    struct mrc_qp_peer peer = {
        .qpn = SIM_QPN_FIRST + (uint32_t)(f - sim->flows),
        .max_wimm_dest = 32,
        .mpr_dest = (uint8_t)e->mpr,
        .trim_nack = e->trim_nack,
    };
    for (unsigned p = 0; p < sim->planes; p++)
        sim_address(sim, other, p, &peer.addr[p]);
    if (sim->scene->forwarding == MRCT_FORWARD_SRV6)
        peer.srv6 = sim_srv6_template(sim, own, other);
    const int rc = mrc_qp_connect(sim->hosts[own].ep, peer.qpn, &peer);
    if (rc != MRC_EP_OK)
        sim_fail(sim, "an endpoint refused to connect: %s", mrc_ep_strerror(rc));
    return rc == MRC_EP_OK ? 0 : -1;
}

/* Lanes of a work go round the planes, and stay each on its own. */
static int connect_rc(struct mrct_sim *sim, uint32_t flow)
{
    const struct sim_flow *const f = &sim->flows[flow];
    const uint32_t lane = flow - sim->works[f->work].flow_first;
    const struct mrct_scene_work *const w = &sim->scene->works[f->work];
    struct sim_rc_peer p = {.qpn = SIM_QPN_FIRST + flow, .port = lane % sim->planes};
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t own = i == 0 ? f->src : f->dst, other = i == 0 ? f->dst : f->src;
        p.sq_depth = i == 0 ? f->depth : 1;
        p.entropy = w->ev_count > 0 ? (uint32_t)w->evs[lane % w->ev_count] : draw_ev(sim, lane);
        sim_address(sim, other, p.port, &p.addr);
        const int rc = sim_rc_connect(sim->hosts[own].rc, &p);
        if (rc != MRC_EP_OK) {
            sim_fail(sim, "an endpoint refused a QP: %s", mrc_ep_strerror(rc));
            return -1;
        }
    }
    return 0;
}

int sim_connect(struct mrct_sim *sim, uint32_t flow)
{
    struct sim_flow *const f = &sim->flows[flow];
    if (sim->scene->endpoint.transport == MRCT_TRANSPORT_RC)
        return connect_rc(sim, flow);
    if (make_qp(sim, f, true) != 0 || make_qp(sim, f, false) != 0 || join(sim, f, true) != 0 ||
        join(sim, f, false) != 0)
        return -1;
    for (unsigned i = 0; f->chained && i < 2; i++)
        (void)mrc_qp_post_recv(sim->hosts[f->dst].ep, SIM_QPN_FIRST + flow, ++f->recvs);
    return 0;
}
