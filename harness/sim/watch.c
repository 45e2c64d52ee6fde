/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Oracles at the NICs of some hosts: one judges a host as requestor, one as responder, each by the
 * frames of its own flows and those of the node, and by what the applications at both ends of them
 * did and were told. Bytes are not placed apart here (all messages come from and go to one memory),
 * so what needs a look at memory stays undecided.
 */
#include "harness/oracle/oracle.h"
#include "harness/report/json.h"
#include "harness/sim/sim_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* uthash asks for a number made of the bytes of a key, which are one word here. */
#define HASH_FUNCTION(keyptr, keylen, hashv) ((hashv) = hash_of(keyptr))
#include <uthash.h>

#define FINDINGS_MAX 16u
#define NODE_QPN     2u

static unsigned hash_of(const void *key)
{
    uint64_t v;
    memcpy(&v, key, sizeof v);
    return (unsigned)((v * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

static uint64_t key_of(uint32_t flow, uint32_t ev)
{
    return (uint64_t)flow << 32 | ev;
}

/* Counts of a flow's EV. */
struct ev_entry {
    uint64_t key; /* flow << 32 | EV */
    struct sim_ev_count count;
    UT_hash_handle hh;
};

struct sim_watch {
    struct ev_entry *evs;
    uint32_t host;
    uint64_t frames, failed, warned;
    struct mrct_facts facts[2]; /* by role: requestor, responder */
    struct mrct_oracle *oracle[2];
    json_t *findings; /* the first failures */
};

static const enum mrct_tap taps[2] = {MRCT_TAP_REQUESTOR, MRCT_TAP_RESPONDER};

static void on_finding(void *user, const struct mrct_finding *f)
{
    struct sim_watch *const w = user;
    w->failed += f->kind == MRCT_FINDING_FAIL;
    w->warned += f->kind == MRCT_FINDING_WARN;
    if (f->kind == MRCT_FINDING_FAIL && json_array_size(w->findings) < FINDINGS_MAX)
        json_array_append_new(w->findings, mrct_json_finding(f, NULL));
}

static int fact_host(const struct mrct_sim *sim, struct mrct_facts *f, uint32_t host)
{
    char name[32];
    (void)snprintf(name, sizeof name, "host%u", host);
    const int known = mrct_facts_host_named(f, name);
    if (known >= 0)
        return known;
    const int h = mrct_facts_add_host(f, name);
    for (unsigned p = 0; h >= 0 && p < sim->planes; p++) {
        struct mrc_addr a;
        sim_address(sim, host, p, &a);
        if (mrct_facts_add_addr(f, h, a.is_v6, a.ip, (int)p) != 0)
            return -1;
    }
    return h;
}

static int fact_flow(const struct mrct_sim *sim, struct mrct_facts *f, size_t flow)
{
    const struct mrct_scene_endpoint *const e = &sim->scene->endpoint;
    const int src = fact_host(sim, f, sim->flows[flow].src);
    const int dst = fact_host(sim, f, sim->flows[flow].dst);
    struct mrct_fact_qp *const q = src >= 0 && dst >= 0 ? mrct_facts_add_qp(f, src, dst) : NULL;
    if (q == NULL)
        return -1;
    q->qpn = q->peer_qpn = SIM_QPN_FIRST + (int64_t)flow;
    q->start_psn = 0;
    q->mpr = (int)e->mpr;
    q->max_wimm = 32;
    q->dynamic_mpr = 0;
    q->trim_nack = e->trim_nack;
    q->svc_time = 0;
    q->timeout = (int)e->timeout;
    q->linear_cnt = (int)e->linear_cnt;
    q->exp_cnt = (int)e->exp_cnt;
    q->sack_threshold = 16384;
    return 0;
}

static int begin(struct mrct_sim *sim, struct sim_watch *w, unsigned role)
{
    struct mrct_facts *const f = &w->facts[role];
    mrct_facts_init(f);
    f->path_mtu = (int)sim->scene->endpoint.mtu;
    f->have_ports = true;
    f->have_dscp = true;
    f->wire = sim->wire;
    for (size_t i = 0; i < sim->flow_count; i++)
        if ((role == 0 ? sim->flows[i].src : sim->flows[i].dst) == w->host &&
            fact_flow(sim, f, i) != 0)
            return -1;
    struct mrct_oracle_config cfg;
    mrct_oracle_config_default(&cfg);
    cfg.facts = f;
    cfg.tap = taps[role];
    cfg.on_finding = on_finding;
    cfg.user = w;
    cfg.have_events = true;
    w->oracle[role] = mrct_oracle_new(&cfg);
    return w->oracle[role] != NULL ? 0 : -1;
}

static void tell(struct sim_watch *w, unsigned role, uint32_t host, struct mrct_event *ev)
{
    char name[32];
    (void)snprintf(name, sizeof name, "host%u", host);
    const int known = mrct_facts_host_named(&w->facts[role], name);
    if (known < 0)
        return;
    ev->host = w->facts[role].hosts[known].name;
    mrct_oracle_event(w->oracle[role], ev);
}

void sim_watch_event(struct mrct_sim *sim, uint32_t flow, bool at_sender, struct mrct_event ev)
{
    const struct sim_flow *const f = &sim->flows[flow];
    struct sim_watch *const src = sim->hosts[f->src].watch, *const dst = sim->hosts[f->dst].watch;
    const uint32_t host = at_sender ? f->src : f->dst;
    ev.time_ns = sim->now_ns;
    ev.qpn = SIM_QPN_FIRST + flow;
    if (src != NULL)
        tell(src, 0, host, &ev);
    if (dst != NULL)
        tell(dst, 1, host, &ev);
}

void sim_watch_port(struct mrct_sim *sim, uint32_t host, unsigned plane, bool up)
{
    const struct mrct_event ev = {.kind = MRCT_EVENT_PORT, .plane = (int)plane, .ok = up};
    for (uint32_t i = 0; i < sim->flow_count && sim->scene->watch_count > 0; i++)
        if (sim->flows[i].src == host || sim->flows[i].dst == host)
            sim_watch_event(sim, i, sim->flows[i].src == host, ev);
}

/* What was posted before anybody watched. */
static void tell_first_receives(struct mrct_sim *sim)
{
    for (uint32_t i = 0; i < sim->flow_count; i++)
        for (uint32_t k = 1; k <= sim->flows[i].recvs; k++)
            sim_watch_event(sim, i, false,
                            (struct mrct_event){.kind = MRCT_EVENT_POST_RECV, .wr_id = k});
}

int sim_watches(struct mrct_sim *sim)
{
    sim->watches = calloc(sim->scene->watch_count + 1, sizeof *sim->watches);
    if (sim->watches == NULL)
        return -1;
    for (size_t i = 0; i < sim->scene->watch_count; i++) {
        struct sim_watch *const w = &sim->watches[i];
        w->host = (uint32_t)sim->scene->watch[i];
        w->findings = json_array();
        sim->hosts[w->host].watch = w;
        if (w->findings == NULL || begin(sim, w, 0) != 0 || begin(sim, w, 1) != 0)
            return -1;
    }
    if (sim->scene->watch_count > 0)
        tell_first_receives(sim);
    return 0;
}

static void free_evs(struct sim_watch *w)
{
    struct ev_entry *e = w->evs;
    HASH_CLEAR(hh, w->evs); /* the entries stay */
    while (e != NULL) {
        struct ev_entry *const next = e->hh.next;
        free(e);
        e = next;
    }
}

void sim_watches_fini(struct mrct_sim *sim)
{
    for (size_t i = 0; sim->watches != NULL && i < sim->scene->watch_count; i++) {
        for (unsigned role = 0; role < 2; role++) {
            mrct_oracle_free(sim->watches[i].oracle[role]);
            mrct_facts_fini(&sim->watches[i].facts[role]);
        }
        json_decref(sim->watches[i].findings);
        free_evs(&sim->watches[i]);
    }
    free(sim->watches);
}

static void count_ev(struct mrct_sim *sim, struct sim_watch *w, bool out, const struct mrc_pkt *p)
{
    const uint64_t key = key_of(p->bth.dest_qp - SIM_QPN_FIRST, p->ev);
    struct ev_entry *e = NULL;
    HASH_FIND(hh, w->evs, &key, sizeof key, e);
    if (e == NULL) {
        e = calloc(1, sizeof *e);
        if (e == NULL) {
            sim_fail(sim, "no memory for the counts of EVs");
            return;
        }
        e->key = key;
        HASH_ADD(hh, w->evs, key, sizeof e->key, e);
    }
    e->count.sent += out;
    e->count.rtx += out && p->bth.rtx;
    e->count.trimmed += !out && p->trim != MRC_TRIM_NONE;
    e->count.delivered += !out && p->trim == MRC_TRIM_NONE;
    e->count.marked += !out && (p->ecn == 3 || p->inner_ecn == 3);
}

static void add_counts(const struct sim_watch *w, uint64_t key, struct sim_ev_count *sum)
{
    const struct ev_entry *e = NULL;
    if (w != NULL)
        HASH_FIND(hh, w->evs, &key, sizeof key, e);
    if (e == NULL)
        return;
    sum->sent += e->count.sent;
    sum->rtx += e->count.rtx;
    sum->delivered += e->count.delivered;
    sum->marked += e->count.marked;
    sum->trimmed += e->count.trimmed;
}

void sim_watch_ev(const struct mrct_sim *sim, uint32_t flow, uint32_t ev, struct sim_ev_count *out)
{
    const struct sim_flow *const f = &sim->flows[flow];
    *out = (struct sim_ev_count){0};
    add_counts(sim->hosts[f->src].watch, key_of(flow, ev), out);
    add_counts(sim->hosts[f->dst].watch, key_of(flow, ev), out);
}

/* What leaves a host as a request is its requestor's, what comes in as one its responder's. */
static unsigned role_of(const struct mrc_pkt *p, bool out)
{
    const bool to_responder = mrc_op_is_write(p->bth.opcode) || p->bth.opcode == MRC_OP_PROBE;
    return to_responder == out ? 0 : 1;
}

void sim_watch_frame(struct mrct_sim *sim, struct sim_watch *w, bool out, const struct sim_pkt *pkt)
{
    const uint32_t len = (uint32_t)mrc_frame_wire_len(&pkt->frame);
    struct mrct_obs obs = {.time_ns = sim->now_ns,
                           .frame_no = ++w->frames,
                           .cap_len = len,
                           .wire_len = len,
                           .plane = pkt->plane};
    obs.err = mrc_pkt_decode_frame(&sim->wire, &pkt->frame, &obs.pkt);
    const unsigned role = role_of(&obs.pkt, out);
    mrct_oracle_frame(w->oracle[role], &obs);
    if (pkt->request)
        count_ev(sim, w, out, &obs.pkt);
    if (pkt->qpn == NODE_QPN)
        mrct_oracle_frame(w->oracle[1 - role], &obs);
}

void sim_watches_end(struct mrct_sim *sim)
{
    for (size_t i = 0; i < sim->scene->watch_count; i++)
        for (unsigned role = 0; role < 2; role++)
            mrct_oracle_end(sim->watches[i].oracle[role], sim->now_ns);
}

static uint64_t exercised(const struct sim_watch *w)
{
    uint64_t n = 0;
    for (unsigned role = 0; role < 2; role++) {
        const struct mrct_req_result *r = NULL;
        const size_t count = mrct_oracle_results(w->oracle[role], &r);
        for (size_t i = 0; i < count; i++)
            n += r[i].exercised > 0;
    }
    return n;
}

json_t *sim_watches_json(const struct mrct_sim *sim)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < sim->scene->watch_count; i++) {
        const struct sim_watch *const w = &sim->watches[i];
        json_t *const o = json_object();
        json_object_set_new(o, "host", json_integer((json_int_t)w->host));
        json_object_set_new(o, "frames", json_integer((json_int_t)w->frames));
        json_object_set_new(o, "requirements", json_integer((json_int_t)exercised(w)));
        json_object_set_new(o, "failed", json_integer((json_int_t)w->failed));
        json_object_set_new(o, "warned", json_integer((json_int_t)w->warned));
        json_object_set(o, "findings", w->findings);
        json_array_append_new(list, o);
    }
    return list;
}
