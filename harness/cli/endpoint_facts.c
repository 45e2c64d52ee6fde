/* SPDX-License-Identifier: BSD-2-Clause */
/* What a capture of the run does not say, as a facts file for mrct check. */
#include "harness/cli/endpoint.h"

static void addresses(FILE *f, const struct mrct_live *l, bool own)
{
    char text[46];
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        const struct mrc_addr *const a = own ? mrc_net_node_addr(l->node, i) : &l->peers[0].addr[i];
        fprintf(f, "%s\"%s\"", i == 0 ? "" : ", ", mrc_net_addr_str(a, text));
    }
}

/* The tap is beside this host: where that is follows from the first QP that is listed. */
static bool only_receives(const struct mrct_live *l)
{
    return l->in.on && !l->out.on;
}

static void wire(FILE *f, const struct mrct_live *l)
{
    const struct mrc_wire_config *const w = &l->node_cfg.ep.wire;
    fprintf(f, "path_mtu: %u\nudp_ports: [", (unsigned)l->opt.mtu);
    for (unsigned i = 0; i < w->udp_port_count; i++)
        fprintf(f, "%s%u", i == 0 ? "" : ", ", w->udp_ports[i]);
    fprintf(f,
            "]\ndscp: {no_trim: %u, trimmable: %u, trimmable_retx: %u, trimmed: %u, "
            "trimmed_lasthop: %u, control: %u}\n",
            w->dscp[MRC_DSCP_NO_TRIM], w->dscp[MRC_DSCP_TRIMMABLE],
            w->dscp[MRC_DSCP_TRIMMABLE_RETX], w->dscp[MRC_DSCP_TRIMMED],
            w->dscp[MRC_DSCP_TRIMMED_LASTHOP], w->dscp[MRC_DSCP_CONTROL]);
    fprintf(f, "tap: %s\n", only_receives(l) ? "responder" : "requestor");
}

static void flow(FILE *f, const struct mrct_live *l, unsigned q, bool own)
{
    const struct mrc_qp_peer *const p = &l->peers[q];
    const uint32_t start = own ? l->start_psn[q] : p->start_psn;
    fprintf(f,
            "  - {host: %s, qpn: %u, peer_host: %s, peer_qpn: %u, start_psn: %u, mpr: %d, "
            "dynamic_mpr: false,\n     max_wimm: %d, trim_nack: false, svc_time: false, "
            "timeout: %u, linear_cnt: 7, exp_cnt: 7}\n",
            own ? "own" : "peer", own ? l->qpn[q] : p->qpn, own ? "peer" : "own",
            own ? p->qpn : l->qpn[q], start, own ? p->mpr_dest : MRCT_LIVE_MPR,
            own ? p->max_wimm_dest : MRCT_LIVE_WIMM, (unsigned)l->opt.timeout);
}

int mrct_live_facts(const struct mrct_live *l)
{
    FILE *const f = fopen(l->opt.facts_file, "w");
    if (f == NULL)
        return -1;
    wire(f, l);
    fputs("hosts:\n  - {name: own, addresses: [", f);
    addresses(f, l, true);
    fputs("]}\n  - {name: peer, addresses: [", f);
    addresses(f, l, false);
    fputs("]}\nqps:\n", f);
    for (unsigned q = 0; q < l->opt.qps; q++) {
        flow(f, l, q, !only_receives(l));
        flow(f, l, q, only_receives(l));
    }
    const bool good = !ferror(f);
    return fclose(f) == 0 && good ? 0 : -1;
}
