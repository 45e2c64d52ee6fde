/* SPDX-License-Identifier: BSD-2-Clause */
/* What an oracle at a host's tap is told: the deployment and both directions of each QP. */
#include "harness/cases/run_priv.h"

static int add_hosts(struct mrct_run *r, struct mrct_facts *f)
{
    for (unsigned h = 0; h < 2; h++) {
        const int index = mrct_facts_add_host(f, mrct_run_host_names[h]);
        if (index < 0) {
            return -1;
        }
        for (unsigned p = 0; p < r->c->fabric.planes; p++) {
            struct mrc_addr addr;
            mrct_run_address(r, h, p, &addr);
            if (mrct_facts_add_addr(f, index, addr.is_v6, addr.ip, (int)p) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* A limit that the responder told wrongly binds the requestor as told and the responder as it is.
 */
static int limit(int told, unsigned real, bool at_requestor)
{
    return at_requestor && told >= 0 ? told : (int)real;
}

static int add_flow(struct mrct_run *r, struct mrct_facts *f, unsigned from, unsigned qp,
                    unsigned tap_host)
{
    struct mrct_fact_qp *const q = mrct_facts_add_qp(f, (int)from, (int)(1 - from));
    if (q == NULL) {
        return -1;
    }
    const struct mrct_case_host *const requestor = &r->c->host[from];
    const struct mrct_case_host *const responder = &r->c->host[1 - from];
    const bool at_requestor = from == tap_host;
    q->qpn = r->node[from].qp[qp].qpn;
    q->peer_qpn = r->node[1 - from].qp[qp].qpn;
    q->start_psn = r->node[from].qp[qp].start_psn;
    q->mpr = limit(responder->told_mpr, responder->mpr, at_requestor);
    q->max_wimm = limit(responder->told_max_wimm, responder->max_wimm, at_requestor);
    q->dynamic_mpr = requestor->dynamic_mpr && responder->dynamic_mpr;
    q->trim_nack = responder->trim_nack;
    q->svc_time = responder->svc_time;
    q->timeout = requestor->timeout;
    q->linear_cnt = requestor->linear_cnt;
    q->exp_cnt = requestor->exp_cnt;
    q->exp_ceiling_ns = (int64_t)requestor->exp_ceiling_ns;
    q->sack_threshold = responder->sack_threshold;
    q->ev_min_active = requestor->ev_min_active > 0 ? (int)requestor->ev_min_active : MRCT_UNKNOWN;
    return 0;
}

int mrct_run_facts(struct mrct_run *r, unsigned host)
{
    struct mrct_facts *const f = &r->node[host].facts;
    f->path_mtu = r->c->host[0].path_mtu;
    f->have_ports = true;
    f->have_dscp = true;
    f->wire = r->wire;
    if (add_hosts(r, f) != 0) {
        return mrct_run_fault(r, "out of memory");
    }
    for (unsigned q = 0; q < r->c->qps; q++) {
        if (add_flow(r, f, 0, q, host) != 0 || add_flow(r, f, 1, q, host) != 0) {
            return mrct_run_fault(r, "out of memory");
        }
    }
    return 0;
}
