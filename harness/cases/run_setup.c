/* SPDX-License-Identifier: BSD-2-Clause */
/* From a case to two connected devices on a fabric with its rules. Everything random is drawn from
 * the case's seed, in a fixed order. */
#include "harness/cases/run_priv.h"
#include "ref/endpoint/cc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCRIPT_REGION  65536u /* bytes of the region that a script may write to */
#define ANSWERS_MAX    32768u /* that wait at most, for their service time or a port */
#define OTHER_SYNDROME 0x67u  /* Q9 b: a NAK's code of its own, which is not public */

const char *const mrct_run_host_names[2] = {"host1", "host2"};

int mrct_run_fault(struct mrct_run *r, const char *fmt, ...)
{
    if (r->fault[0] == '\0') {
        va_list ap;
        va_start(ap, fmt);
        (void)vsnprintf(r->fault, sizeof r->fault, fmt, ap);
        va_end(ap);
    }
    return -1;
}

bool mrct_run_is_device(const struct mrct_case *c, unsigned host)
{
    return c->device == MRCT_DEVICE_BOTH || (c->device == MRCT_DEVICE_RESPONDER) == (host == 1);
}

void mrct_run_address(const struct mrct_run *r, unsigned host, unsigned plane,
                      struct mrc_addr *addr)
{
    if (r->cfg->addr[host] != NULL && r->cfg->addr[host][plane].is_v6 == r->c->host[0].ip6) {
        *addr = r->cfg->addr[host][plane];
        return;
    }
    *addr = (struct mrc_addr){.is_v6 = r->c->host[0].ip6};
    const uint8_t mac[6] = {0x02, 0, 0, 0, (uint8_t)(host + 1), (uint8_t)(plane + 1)};
    memcpy(addr->mac, mac, sizeof mac);
    if (addr->is_v6) {
        const uint8_t ip[16] = {
            0xFD, 0, 0, 0, 0, (uint8_t)(plane + 1), 0, (uint8_t)(host + 1), 0, 0, 0, 0, 0, 0, 0, 1};
        memcpy(addr->ip, ip, sizeof ip);
    } else {
        const uint8_t ip[4] = {10, (uint8_t)plane, (uint8_t)(host + 1), 1};
        memcpy(addr->ip, ip, sizeof ip);
    }
}

/* Readings that the reference can take follow the run's choice; the others only judge. */
static void take_reading(const struct mrct_run *r, int question, char *value)
{
    if (r->cfg->reading[question] != 0) {
        *value = r->cfg->reading[question];
    }
}

static void setup_wire(struct mrct_run *r)
{
    mrc_wire_config_default(&r->wire);
    const uint16_t port = r->c->host[0].dest_port;
    bool known = false;
    for (unsigned i = 0; i < r->wire.udp_port_count; i++) {
        known = known || r->wire.udp_ports[i] == port;
    }
    if (!known && r->wire.udp_port_count < MRC_UDP_PORTS_MAX) {
        r->wire.udp_ports[r->wire.udp_port_count++] = port;
    }
    take_reading(r, 3, &r->wire.q3_ev);
    take_reading(r, 6, &r->wire.q6_icrc);
}

/* What went wrong with a device's agent is kept, with the name of the device. */
static void note_trouble(struct mrct_run *r, unsigned host, enum mrct_dut_trouble trouble,
                         const char *name, const char *words)
{
    if (trouble <= r->trouble) {
        return;
    }
    r->trouble = trouble;
    (void)snprintf(r->trouble_words, sizeof r->trouble_words, "the agent of host%u (%s): %.400s",
                   host + 1, name, words);
}

bool mrct_run_troubled(struct mrct_run *r)
{
    for (unsigned h = 0; h < 2; h++) {
        const struct mrct_dut *const d = r->node[h].dut;
        const char *words = NULL;
        if (d != NULL && d->ops->trouble != NULL) {
            const enum mrct_dut_trouble trouble = d->ops->trouble(d, &words);
            note_trouble(r, h, trouble, d->name, words);
        }
    }
    return r->trouble != MRCT_DUT_FINE;
}

static struct mrct_dut *make_dut(struct mrct_run *r, unsigned host, const struct mrc_ep_config *cfg,
                                 uint64_t seed)
{
    const bool device = mrct_run_is_device(r->c, host);
    if (r->c->script != NULL && !device) {
        return mrct_scripted_new(&r->wire);
    }
    const struct mrct_dut_source *const source = device ? r->cfg->source[host] : NULL;
    if (source == NULL) {
        const struct mrct_deviant *const deviant = device ? r->cfg->deviant : NULL;
        return deviant != NULL ? deviant->make(cfg, seed) : mrct_dut_reference(cfg, seed);
    }
    enum mrct_dut_trouble trouble = MRCT_DUT_FINE;
    char words[400] = "";
    struct mrct_dut *const dut =
        source->make(source, r->c->id, host, cfg, seed, &trouble, words, sizeof words);
    note_trouble(r, host, dut == NULL ? trouble : MRCT_DUT_FINE, source->name, words);
    // cppcheck-suppress returnDanglingLifetime ; make() fills trouble and keeps no pointer to it
    return dut;
}

static int setup_dut(struct mrct_run *r, unsigned host)
{
    const struct mrct_case *const c = r->c;
    const struct mrct_case_host *const h = &c->host[host];
    struct mrc_ep_config cfg;
    mrc_ep_config_default(&cfg);
    cfg.wire = r->wire;
    cfg.ports = c->fabric.planes;
    for (unsigned p = 0; p < cfg.ports; p++) {
        mrct_run_address(r, host, p, &cfg.port_addr[p]);
    }
    cfg.qps_max = c->qps;
    cfg.mrs_max = 4;
    cfg.path_mtu = h->path_mtu;
    cfg.dest_port = h->dest_port;
    cfg.vlan = h->vlan;
    cfg.vlan_tci = MRCT_RUN_VLAN_TCI;
    cfg.send_tseth = h->tseth;
    cfg.ecn_capable = h->ecn;
    cfg.trimmable = h->trimmable;
    cfg.sack_gen_threshold_bytes = h->sack_threshold;
    cfg.sack_min_pkt_bytes = h->sack_min_pkt;
    cfg.reorder_margin_psn = h->reorder_margin;
    cfg.q2_oor = h->q2;
    cfg.q26_trim_dup = h->q26;
    cfg.tseth_every = (uint16_t)h->tseth_every;
    cfg.svc_delay_ns = h->service_ns;
    cfg.ctrl_queue_len = ANSWERS_MAX;
    cfg.q20_svc_time = h->q20;
    cfg.wimm_nak_syndrome = h->q9 == 'b' ? OTHER_SYNDROME : cfg.wimm_nak_syndrome;
    cfg.ev.loss_limit = (uint8_t)h->ev_loss_limit;
    cfg.ev.reverse_probe_ns = h->reverse_probe_ns;
    cfg.ev.q11_probe_skip = h->q11;
    cfg.ev.q25_scope = h->q25;
    cfg.node.q10_port_bit = h->q10;
    cfg.node.q17_repeat = h->q17;
    take_reading(r, 2, &cfg.q2_oor);
    take_reading(r, 10, &cfg.node.q10_port_bit);
    take_reading(r, 11, &cfg.ev.q11_probe_skip);
    take_reading(r, 17, &cfg.node.q17_repeat);
    take_reading(r, 20, &cfg.q20_svc_time);
    take_reading(r, 25, &cfg.ev.q25_scope);
    take_reading(r, 26, &cfg.q26_trim_dup);
    const uint64_t seed = mrct_rng_next(&r->rng);
    struct mrct_dut *const dut = make_dut(r, host, &cfg, seed);
    if (dut == NULL) {
        return mrct_run_fault(r, "the endpoint of host%u could not be made", host + 1);
    }
    r->node[host].dut = dut;
    r->node[host].gate = mrct_gate_new(dut);
    return r->node[host].gate != NULL ? 0 : mrct_run_fault(r, "out of memory");
}

static uint32_t draw_qpn(struct mrct_run *r, unsigned host, unsigned qp)
{
    for (;;) {
        const uint32_t qpn = 16u + mrct_rng_below(&r->rng, 0xFFFF00u);
        bool taken = false;
        for (unsigned k = 0; k < qp; k++) {
            taken = taken || r->node[host].qp[k].qpn == qpn;
        }
        if (!taken) {
            return qpn;
        }
    }
}

/* What NSCC is told of the network is what the case says of it. */
static void setup_cc(const struct mrct_run *r, const struct mrct_case_host *h,
                     struct mrc_cc_profile *profile, struct mrc_qp_attr *a)
{
    const struct mrct_fab_config *const net = &r->c->fabric;
    mrc_cc_profile_default(profile);
    profile->line_rate_bps = (double)net->rate_bps * net->planes;
    profile->base_rtt_ns = 2 * (net->latency_ns + net->latency_step_ns * (net->paths - 1u)) + 2000;
    profile->trimming = h->trim_nack;
    profile->q22_avg = h->q22;
    take_reading(r, 22, &profile->q22_avg);
    profile->share_id = h->cc_shared ? 1 : 0;
    if (h->cc == 'o')
        profile->algorithm = "off";
    a->cc = h->cc == 'f' ? NULL : profile;
    a->rcv_cwnd_pen = h->cwnd_pen;
    a->restore_cwnd = h->restore_cwnd;
}

static int setup_qp(struct mrct_run *r, unsigned host, unsigned qp)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    struct mrct_run_node *const n = &r->node[host];
    struct mrct_run_qp *const q = &n->qp[qp];
    q->error = -1;
    q->qpn = draw_qpn(r, host, qp);
    const uint32_t drawn = (uint32_t)mrct_rng_next(&r->rng) & 0xFFFFFFu;
    q->start_psn = h->start_psn >= 0 ? (uint32_t)h->start_psn : drawn;
    struct mrc_qp_attr a;
    mrc_qp_attr_default(&a);
    a.qpn = q->qpn;
    a.start_psn = q->start_psn;
    a.max_wimm_dest = (uint16_t)h->max_wimm;
    a.mpr_dest = (uint8_t)h->mpr;
    a.dynamic_mpr = h->dynamic_mpr;
    a.trim_nack = h->trim_nack;
    a.svc_time = h->svc_time;
    a.timeout = h->timeout;
    a.linear_cnt = h->linear_cnt;
    a.exp_cnt = h->exp_cnt;
    a.exp_ceiling_ns = h->exp_ceiling_ns;
    a.cwnd_bytes = h->cwnd_bytes;
    struct mrc_cc_profile profile;
    setup_cc(r, h, &profile, &a);
    mrct_run_evs_attr(r, host, &a);
    a.rq_depth = 4096;
    const int64_t made = n->dut->ops->create_qp(n->dut, &a);
    if (made < 0) {
        return mrct_run_fault(r, "host%u could not make its QP %u: %s", host + 1, qp + 1,
                              mrc_ep_strerror((int)made));
    }
    q->qpn = (uint32_t)made;
    return 0;
}

static int connect_qp(struct mrct_run *r, unsigned host, unsigned qp)
{
    const struct mrct_run_node *const n = &r->node[host];
    const struct mrct_case_host *const peer = &r->c->host[1 - host];
    const struct mrct_run_qp *const pq = &r->node[1 - host].qp[qp];
    struct mrc_qp_peer p = {
        .qpn = pq->qpn,
        .start_psn = pq->start_psn,
        .max_wimm_dest =
            (uint16_t)(peer->told_max_wimm >= 0 ? (unsigned)peer->told_max_wimm : peer->max_wimm),
        .mpr_dest = (uint8_t)(peer->told_mpr >= 0 ? (unsigned)peer->told_mpr : peer->mpr),
        .dynamic_mpr = peer->dynamic_mpr,
        .trim_nack = peer->trim_nack,
        .svc_time = peer->svc_time,
    };
    for (unsigned i = 0; i < r->c->fabric.planes; i++) {
        mrct_run_address(r, 1 - host, i, &p.addr[i]);
    }
    mrct_run_evs_peer(r, host, &p);
    const int rc = n->dut->ops->connect(n->dut, n->qp[qp].qpn, &p);
    if (rc != 0) {
        return mrct_run_fault(r, "host%u could not connect its QP %u: %s", host + 1, qp + 1,
                              mrc_ep_strerror(rc));
    }
    return mrct_fab_flow(r->fab, host, n->qp[qp].qpn, pq->qpn, n->qp[qp].start_psn) == 0
               ? 0
               : mrct_run_fault(r, "out of memory");
}

static int attach(struct mrct_run *r)
{
    const struct mrct_run_stage *const stage = r->cfg->stage;
    struct mrct_dut *const both[2] = {r->node[0].gate, r->node[1].gate};
    char err[300];
    for (unsigned h = 0; h < 2; h++) {
        mrct_fab_attach(r->fab, h, both[h]);
    }
    if (stage != NULL && stage->enter(stage->user, r->fab, r->c->fabric.planes, &r->wire, both, err,
                                      sizeof err) != 0) {
        return mrct_run_fault(r, "%s", err);
    }
    return 0;
}

static int setup_fabric(struct mrct_run *r)
{
    struct mrct_fab_config cfg = r->c->fabric;
    cfg.wire = r->wire;
    cfg.keep_bytes = r->cfg->stage != NULL;
    r->fab = mrct_fab_new(&cfg, mrct_rng_next(&r->rng));
    if (r->fab == NULL) {
        return mrct_run_fault(r, "the fabric refused the case's topology");
    }
    if (attach(r) != 0) {
        return -1;
    }
    for (size_t i = 0; i < r->c->link_count; i++) {
        const struct mrct_case_link *const l = &r->c->links[i];
        if (mrct_fab_link(r->fab, l->at_ns, l->host, l->plane, l->path, l->up) != 0) {
            return mrct_run_fault(r, "the fabric refused entry %zu of the links", i + 1);
        }
    }
    for (size_t i = 0; i < r->c->step_count; i++) {
        if (r->c->steps[i].when == MRCT_WHEN_AT &&
            mrct_fab_wake(r->fab, r->c->steps[i].at_ns) != 0) {
            return mrct_run_fault(r, "out of memory");
        }
    }
    return 0;
}

static int setup_rules(struct mrct_run *r)
{
    r->rule_index = mrct_pool_alloc(&r->own, (r->c->rule_count + 1) * sizeof *r->rule_index);
    if (r->rule_index == NULL) {
        return mrct_run_fault(r, "out of memory");
    }
    for (size_t i = 0; i < r->c->rule_count; i++) {
        const struct mrct_case_rule *const cr = &r->c->rules[i];
        struct mrct_fault_rule rule = cr->rule;
        const int dir = rule.match.direction;
        if (cr->ev_index >= 0) {
            const unsigned plane = rule.match.plane >= 0 ? (unsigned)rule.match.plane : 0;
            const unsigned at = plane * r->c->host[dir].evs + (unsigned)cr->ev_index;
            rule.match.ev = r->node[dir].evs[at].value;
        }
        if (cr->qp >= 1) {
            rule.match.dest_qp = r->node[1 - dir].qp[cr->qp - 1].qpn;
        }
        r->rule_index[i] = mrct_fab_add_rule(r->fab, &rule);
        if (r->rule_index[i] < 0) {
            return mrct_run_fault(r, "the fabric refused the fault '%s'", rule.name);
        }
    }
    return 0;
}

/* Bytes of a host's target region: all that its peer's steps will write there. */
static uint64_t target_bytes(const struct mrct_case *c, unsigned host)
{
    uint64_t sum = 0;
    if (c->script != NULL && host != mrct_case_scripted_host(c)) {
        return SCRIPT_REGION;
    }
    for (size_t i = 0; i < c->step_count; i++) {
        const struct mrct_step *const s = &c->steps[i];
        if (s->host == host) {
            continue;
        }
        if (s->kind == MRCT_STEP_WRITE &&
            (s->target == MRCT_TARGET_GOOD || s->target == MRCT_TARGET_WRONG_RKEY)) {
            sum += (uint64_t)s->count * s->size;
        } else if (s->kind == MRCT_STEP_INJECT && s->inject.kind == MRCT_INJECT_WRITE) {
            sum += s->inject.size;
        }
    }
    return sum;
}

int mrct_run_setup(struct mrct_run *r)
{
    setup_wire(r);
    for (unsigned h = 0; h < 2; h++) {
        if (setup_dut(r, h) != 0 || mrct_run_memory_setup(r, h, target_bytes(r->c, h)) != 0) {
            return -1;
        }
        if (mrct_run_evs_setup(r, h) != 0) {
            return -1;
        }
        for (unsigned q = 0; q < r->c->qps; q++) {
            if (setup_qp(r, h, q) != 0) {
                return -1;
            }
        }
        if (mrct_run_evs_learn(r, h) != 0) {
            return -1;
        }
    }
    if (setup_fabric(r) != 0) {
        return -1;
    }
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned q = 0; q < r->c->qps; q++) {
            if (connect_qp(r, h, q) != 0) {
                return -1;
            }
        }
    }
    return setup_rules(r);
}
