/* SPDX-License-Identifier: BSD-2-Clause */
/* What moved, how fast, and what became of ports and EVs. */
#include "harness/cli/endpoint.h"

#include <stdlib.h>

static double gbps(uint64_t bytes, uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)bytes * 8.0 / (double)(to_ns - from_ns) : 0.0;
}

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

/* EVs of a port, by state. */
struct port_evs {
    unsigned state[MRC_EV_STATES];
    uint64_t drops;
};

static unsigned evs_of(const struct mrct_live *l, unsigned q, struct mrc_ev_info *list)
{
    const int n = mrc_ev_query_array(l->ep, l->qpn[q], 0, list, (unsigned)l->opt.evs);
    return n < 0 ? 0 : (unsigned)n;
}

static void count_evs(const struct mrct_live *l, struct port_evs ports[MRC_EP_PORTS_MAX])
{
    struct mrc_ev_info *const list = calloc(l->opt.evs, sizeof *list);
    for (unsigned q = 0; list != NULL && l->qpn != NULL && q < l->opt.qps; q++) {
        const unsigned n = evs_of(l, q, list);
        for (unsigned i = 0; i < n; i++) {
            ports[list[i].ev.port].state[list[i].state]++;
            ports[list[i].ev.port].drops += list[i].drop_count;
        }
    }
    free(list);
}

static void text_out(const struct mrct_live_sender *s, FILE *out)
{
    fprintf(out, "sent      %llu bytes in %llu of %llu messages, %.3f Gb/s%s\n",
            (unsigned long long)s->bytes, (unsigned long long)s->done,
            (unsigned long long)s->load.messages, gbps(s->bytes, s->begin_ns, s->end_ns),
            s->checked ? ", verified by the peer" : "");
    if (s->times.count > 0)
        fprintf(out, "latency   of a message: median %.1f us, p99 %.1f us, most %.1f us\n",
                us(mrct_live_times_at(&s->times, 0.5)), us(mrct_live_times_at(&s->times, 0.99)),
                us(s->times.max_ns));
}

static void text_in(const struct mrct_live *l, FILE *out)
{
    const struct mrct_live_receiver *const r = &l->in;
    fprintf(out, "received  %llu bytes in %llu of %llu messages, %.3f Gb/s, %s\n",
            (unsigned long long)r->bytes, (unsigned long long)r->done,
            (unsigned long long)r->load.messages, gbps(r->bytes, r->begin_ns, r->end_ns),
            !r->checked     ? "incomplete"
            : r->wrong > 0  ? "WRONG"
            : l->opt.verify ? "verified"
                            : "not verified");
}

static void text_ports(struct mrct_live *l, FILE *out)
{
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        char addr[46];
        struct mrc_net_port *const p = mrc_net_node_port(l->node, i);
        const struct mrc_net_port_counters *const c = mrc_net_port_counters(p);
        fprintf(out,
                "port      %s %s: %llu frames out, %llu in; lost: %llu ring full, %llu refused, "
                "%llu while down\n",
                mrc_net_port_link(p)->name, mrc_net_addr_str(mrc_net_node_addr(l->node, i), addr),
                (unsigned long long)c->tx_frames, (unsigned long long)c->rx_frames,
                (unsigned long long)c->rx_ring_full, (unsigned long long)c->tx_refused,
                (unsigned long long)c->tx_down);
    }
}

static void text_evs(const struct mrct_live *l, FILE *out)
{
    struct port_evs ports[MRC_EP_PORTS_MAX] = {0};
    count_evs(l, ports);
    fprintf(out, "%-16s", "EVs of a port");
    for (unsigned s = 0; s < MRC_EV_STATES; s++)
        fprintf(out, " %12s", mrc_ev_state_str((enum mrc_ev_state)s));
    fputs("      lost on\n", out);
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        fprintf(out, "%-16s", l->opt.names[i]);
        for (unsigned s = 0; s < MRC_EV_STATES; s++)
            fprintf(out, " %12u", ports[i].state[s]);
        fprintf(out, " %12llu\n", (unsigned long long)ports[i].drops);
    }
}

void mrct_live_text(struct mrct_live *l, FILE *out)
{
    const struct mrc_ep_counters *const c = mrc_ep_counters_get(l->ep);
    const struct mrc_net_stamps *const s = mrc_net_node_stamps(l->node);
    if (l->out.on)
        text_out(&l->out, out);
    if (l->in.on)
        text_in(l, out);
    fprintf(out, "packets   %llu sent, %llu again; lost by %llu holes, %llu NACKs, %llu timeouts\n",
            (unsigned long long)c->tx_data, (unsigned long long)c->tx_rtx,
            (unsigned long long)c->holes, (unsigned long long)c->nacked,
            (unsigned long long)c->timeouts);
    fprintf(out, "          %llu new, %llu twice, %llu with a wrong ICRC; %llu SACKs sent\n",
            (unsigned long long)c->rx_new, (unsigned long long)c->rx_dup,
            (unsigned long long)c->rx_wire[MRC_WIRE_BAD_ICRC], (unsigned long long)c->tx_sack);
    text_ports(l, out);
    fprintf(out, "clock     stamps within %.3f us; longest from stamp to reading %.1f us\n",
            us(s->error_ns), us(s->latest_ns));
    text_evs(l, out);
}

static json_t *json_out(const struct mrct_live_sender *s)
{
    return json_pack("{s:I,s:I,s:I,s:b,s:f,s:{s:f,s:f,s:f,s:f}}", "bytes", (json_int_t)s->bytes,
                     "messages", (json_int_t)s->done, "ns", (json_int_t)(s->end_ns - s->begin_ns),
                     "verified", (int)s->checked, "gbps", gbps(s->bytes, s->begin_ns, s->end_ns),
                     "latency_us", "p50", us(mrct_live_times_at(&s->times, 0.5)), "p99",
                     us(mrct_live_times_at(&s->times, 0.99)), "p999",
                     us(mrct_live_times_at(&s->times, 0.999)), "max", us(s->times.max_ns));
}

static json_t *json_in(const struct mrct_live *l)
{
    const struct mrct_live_receiver *const r = &l->in;
    return json_pack("{s:I,s:I,s:I,s:f,s:b,s:I}", "bytes", (json_int_t)r->bytes, "messages",
                     (json_int_t)r->done, "ns", (json_int_t)(r->end_ns - r->begin_ns), "gbps",
                     gbps(r->bytes, r->begin_ns, r->end_ns), "verified",
                     r->checked && r->wrong == 0 && l->opt.verify, "wrong", (json_int_t)r->wrong);
}

static json_t *json_ports(struct mrct_live *l)
{
    json_t *const list = json_array();
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        char addr[46], mac[18];
        struct mrc_net_port *const p = mrc_net_node_port(l->node, i);
        const struct mrc_net_port_counters *const c = mrc_net_port_counters(p);
        const struct mrc_addr *const a = mrc_net_node_addr(l->node, i);
        json_array_append_new(
            list,
            json_pack("{s:s,s:s,s:s,s:b,s:b,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "interface",
                      mrc_net_port_link(p)->name, "address", mrc_net_addr_str(a, addr), "mac",
                      mrc_net_mac_str(a->mac, mac), "kernels",
                      (int)mrc_net_node_addr_is_kernels(l->node, i), "up",
                      (int)mrc_net_port_link(p)->up, "tx_frames", (json_int_t)c->tx_frames,
                      "tx_bytes", (json_int_t)c->tx_bytes, "tx_refused", (json_int_t)c->tx_refused,
                      "tx_down", (json_int_t)c->tx_down, "tx_calls", (json_int_t)c->tx_calls,
                      "rx_frames", (json_int_t)c->rx_frames, "rx_bytes", (json_int_t)c->rx_bytes,
                      "rx_ring_full", (json_int_t)c->rx_ring_full, "rx_cut",
                      (json_int_t)c->rx_cut));
    }
    return list;
}

static json_t *json_evs(const struct mrct_live *l)
{
    json_t *const all = json_array();
    struct mrc_ev_info *const list = calloc(l->opt.evs, sizeof *list);
    for (unsigned q = 0; list != NULL && q < l->opt.qps; q++) {
        const unsigned n = evs_of(l, q, list);
        for (unsigned i = 0; i < n; i++)
            json_array_append_new(
                all, json_pack("{s:I,s:I,s:i,s:s,s:b,s:I}", "qpn", (json_int_t)l->qpn[q], "ev",
                               (json_int_t)list[i].ev.value, "port", (int)list[i].ev.port, "state",
                               mrc_ev_state_str(list[i].state), "active", (int)list[i].active,
                               "lost", (json_int_t)list[i].drop_count));
    }
    free(list);
    return all;
}

static json_t *json_packets(const struct mrct_live *l)
{
    const struct mrc_ep_counters *const c = mrc_ep_counters_get(l->ep);
    const struct mrc_net_node_counters *const n = mrc_net_node_counters(l->node);
    return json_pack(
        "{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "tx_data", (json_int_t)c->tx_data,
        "tx_again", (json_int_t)c->tx_rtx, "tx_sack", (json_int_t)c->tx_sack, "tx_probe",
        (json_int_t)c->tx_probe, "rx_new", (json_int_t)c->rx_new, "rx_twice", (json_int_t)c->rx_dup,
        "rx_bad_icrc", (json_int_t)c->rx_wire[MRC_WIRE_BAD_ICRC], "rx_no_frame",
        (json_int_t)n->rx_no_frame, "holes", (json_int_t)c->holes, "nacked", (json_int_t)c->nacked,
        "timeouts", (json_int_t)c->timeouts, "sleeps", (json_int_t)n->wakeups);
}

int mrct_live_json(struct mrct_live *l, FILE *out)
{
    const struct mrc_net_stamps *const s = mrc_net_node_stamps(l->node);
    json_t *const o =
        json_pack("{s:s,s:i,s:i,s:o,s:o,s:o,s:o,s:{s:f,s:f},s:o}", "mrct", "endpoint", "version", 1,
                  "status", l->status, "sent", l->out.on ? json_out(&l->out) : json_null(),
                  "received", l->in.on ? json_in(l) : json_null(), "packets", json_packets(l),
                  "ports", json_ports(l), "clock", "error_us", us(s->error_ns), "longest_wait_us",
                  us(s->latest_ns), "evs", json_evs(l));
    if (o == NULL)
        return -1;
    if (l->why[0] != '\0')
        json_object_set_new(o, "why", json_string(l->why));
    const int e = json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(o);
    return e == 0 && fputc('\n', out) != EOF ? 0 : -1;
}

void mrct_live_warn(struct mrct_live *l)
{
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        struct mrc_net_port *const p = mrc_net_node_port(l->node, i);
        const struct mrc_net_port_counters *const c = mrc_net_port_counters(p);
        if (c->rx_ring_full > 0)
            mrct_cli_warn("endpoint", "%s: the receive ring was full, %llu frames were lost",
                          l->opt.names[i], (unsigned long long)c->rx_ring_full);
    }
}
