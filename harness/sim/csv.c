/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as CSV: samples, links, flows. Times are ns, rates bits a second, sizes bytes. */
#include "harness/sim/page.h"
#include "harness/sim/sim_priv.h"

#include <inttypes.h>

static void keys(const json_t *object, const char *prefix, FILE *out)
{
    const char *key = NULL;
    json_t *v = NULL;
    json_object_foreach((json_t *)object, key, v)
    {
        fprintf(out, ",%s%s", prefix, key);
    }
}

static void values(const json_t *object, FILE *out)
{
    const char *key = NULL;
    json_t *v = NULL;
    json_object_foreach((json_t *)object, key, v)
    {
        fprintf(out, ",%.0f", json_number_value(v));
    }
}

void mrct_sim_csv_samples(const json_t *results, FILE *out)
{
    const json_t *const samples = json_object_get(results, "samples");
    const json_t *const first = json_array_get(samples, 0);
    fputs("at_ns", out);
    keys(json_object_get(first, "packets"), "", out);
    keys(json_object_get(first, "goodput_bps"), "goodput_bps_", out);
    keys(json_object_get(first, "queue_bytes"), "queue_bytes_", out);
    fputc('\n', out);
    for (size_t i = 0; i < json_array_size(samples); i++) {
        const json_t *const s = json_array_get(samples, i);
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(s, "at_ns")));
        values(json_object_get(s, "packets"), out);
        values(json_object_get(s, "goodput_bps"), out);
        values(json_object_get(s, "queue_bytes"), out);
        fputc('\n', out);
    }
}

static void put_node(const struct mrct_sim *sim, bool host, uint32_t id, FILE *out)
{
    char name[SIM_NAME_MAX];
    fputs(sim_node_name(sim, host, id, name), out);
}

static void put_link(const struct mrct_sim *sim, bool host, uint32_t from, const struct sim_port *p,
                     FILE *out)
{
    put_node(sim, host, from, out);
    fputc(',', out);
    put_node(sim, p->to_host, p->to, out);
    const double most = (double)sim->now_ns * 1000 * 256 / p->ps_per_byte_q8;
    fprintf(out,
            ",%u,%" PRIu64 ",%" PRIu64 ",%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n",
            p->plane, p->packets, p->bytes, most > 0 ? (double)p->bytes / most : 0, p->marked,
            p->trimmed, p->dropped, sim_port_deepest(p));
}

void mrct_sim_csv_links(const struct mrct_sim *sim, FILE *out)
{
    fputs("from,to,plane,packets,bytes,utilisation,marked,trimmed,dropped,queue_max_bytes\n", out);
    for (uint32_t i = 0; i < sim->host_count * sim->planes; i++)
        put_link(sim, true, i / sim->planes, &sim->ports[i], out);
    for (uint32_t w = 0; w < sim->switch_count; w++) {
        const struct sim_switch *const s = &sim->switches[w];
        for (uint32_t i = 0; i < s->down_count + s->up_count; i++)
            put_link(sim, false, w, &sim->ports[s->down_first + i], out);
    }
}

void mrct_sim_csv_flows(const struct mrct_sim *sim, FILE *out)
{
    fputs("flow,work,from,to,start_ns,end_ns,done,bytes,packets,retransmissions,timeouts,holes,"
          "nacked\n",
          out);
    for (size_t i = 0; i < sim->flow_count; i++) {
        const struct sim_flow *const f = &sim->flows[i];
        struct mrc_qp_counters q;
        sim_flow_counters(sim, (uint32_t)i, true, &q);
        fprintf(out,
                "%zu,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%d,%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                i, sim->scene->works[f->work].name, f->src, f->dst, f->first_ns, f->end_ns,
                f->finished && f->status == 0, f->acked_bytes, q.tx_data, q.tx_rtx, q.timeouts,
                q.holes, q.nacked);
    }
}

void mrct_sim_csv_evs(const struct mrct_sim *sim, FILE *out)
{
    fputs(
        "flow,plane,ev,state,active,sent,retransmitted,delivered,marked,trimmed,lost_by_endpoint\n",
        out);
    for (size_t i = 0; i < sim->flow_count; i++) {
        const struct sim_flow *const f = &sim->flows[i];
        struct mrc_ev_info ev;
        if (sim->hosts[f->src].watch == NULL)
            continue;
        for (unsigned k = 0;
             mrc_ev_query_array(sim->hosts[f->src].ep, SIM_QPN_FIRST + (uint32_t)i, k, &ev, 1) == 1;
             k++) {
            struct sim_ev_count c;
            sim_watch_ev(sim, (uint32_t)i, ev.ev.value, &c);
            fprintf(out,
                    "%zu,%u,%" PRIu32 ",%s,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 ",%" PRIu32 "\n",
                    i, ev.ev.port, ev.ev.value, mrc_ev_state_str(ev.state), ev.active, c.sent,
                    c.rtx, c.delivered, c.marked, c.trimmed, ev.drop_count);
        }
    }
}

void mrct_sim_csv_queues(const json_t *results, FILE *out)
{
    const json_t *const links = json_object_get(json_object_get(results, "link_queues"), "links");
    fputs("from,to,plane,at_ns,queue_bytes\n", out);
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *const l = json_array_get(links, i);
        const json_t *const at = json_object_get(l, "at_ns"), *const b =
                                                                  json_object_get(l, "bytes");
        for (size_t k = 0; k < json_array_size(at); k++)
            fprintf(out,
                    "%s,%s,%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT
                    "\n",
                    json_string_value(json_object_get(l, "from")),
                    json_string_value(json_object_get(l, "to")),
                    json_integer_value(json_object_get(l, "plane")),
                    json_integer_value(json_array_get(at, k)),
                    json_integer_value(json_array_get(b, k)));
    }
}
